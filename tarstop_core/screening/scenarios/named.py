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
    for scenario in (  # one on each line
        PATENT,
        REVIEW,
        EFFECT,
        ENOUGH,
    )
}
"""All scenarios by name, in the order in which they are offered."""
FIRST = next(iter(SCENARIOS))
"""Name of the scenario of settings that name none."""


def scenario_of(settings: S) -> Scenario[S]:
    """The scenario that settings are for."""
    return SCENARIOS[settings.scenario]


def read_settings(
    content: Mapping[str, Any],
    name: str = "The saved settings",
    mend: str = "restore the session from a file or a backup",
) -> Settings:
    """Settings from JSON values of this or an earlier version, checked.

    Parameters
    ----------
    content : mapping
        JSON values, as :meth:`Settings.to_dict` returns them.
    name, mend : str
        For messages: what the values are, and what to do if they cannot be used.

    Returns
    -------
    Settings
        Settings of the scenario that they name, by default the first one.

    Raises
    ------
    InputProblem
        If a value is missing or unusable, or a later version wrote them.
    """
    if not isinstance(content, Mapping):
        raise InputProblem(f"{name} is damaged (it contains no names and values); {mend}.")
    scenario = content.get("scenario", FIRST)
    if not isinstance(scenario, str) or scenario not in SCENARIOS:
        raise InputProblem(f"The scenario is '{str(scenario)[:40]}'; choose {' or '.join(SCENARIOS)}.")
    kind = SCENARIOS[scenario].settings_class
    return validated(kind, kind.own_values(content), name, mend)
