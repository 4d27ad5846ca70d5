"""The scenarios by name."""

from collections.abc import Mapping
from typing import Any

from tarstop_core.envelope import validated
from tarstop_core.errors import InputProblem
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.scenarios.effect import EFFECT
from tarstop_core.screening.scenarios.enough import ENOUGH
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import S, Settings

SCENARIOS: dict[str, Scenario[Any]] = {
    scenario.name: scenario
    for scenario in (  # One a line: one more is one more line
        PATENT,
        REVIEW,
        EFFECT,
        ENOUGH,
    )
}
"""In the order in which they are offered."""
FIRST = next(iter(SCENARIOS))
"""Scenario of settings that name none."""


def scenario_of(settings: S) -> Scenario[S]:
    """Scenario that the settings are for."""
    return SCENARIOS[settings.scenario]


def read_settings(
    content: Mapping[str, Any],
    name: str = "The saved settings",
    mend: str = "restore the session from a file or a backup",
) -> Settings:
    """Read settings of this version or before.

    Parameters
    ----------
    content : mapping
        JSON values, as :meth:`Settings.to_dict` gives them.
    name, mend : str
        What they are, and how to come by usable ones: for the message.

    Returns
    -------
    Settings
        Those of the scenario that they name; of the first one where they name none.

    Raises
    ------
    InputProblem
        When a value is missing or unusable, or a later version wrote them.
    """
    if not isinstance(content, Mapping):
        raise InputProblem(f"{name} is damaged (it contains no names and values); {mend}.")
    scenario = content.get("scenario", FIRST)
    if not isinstance(scenario, str) or scenario not in SCENARIOS:
        raise InputProblem(f"The scenario is '{str(scenario)[:40]}'; choose {' or '.join(SCENARIOS)}.")
    kind = SCENARIOS[scenario].settings_class
    return validated(kind, kind.own_values(content), name, mend)
