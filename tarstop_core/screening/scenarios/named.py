"""The scenarios by name."""

from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import Settings

SCENARIOS: dict[str, Scenario] = {
    each.name: each
    for each in (
        PATENT,
        REVIEW,
    )
}
"""In the order in which they are offered."""


def scenario_of(settings: Settings) -> Scenario:
    """What the settings are for."""
    return SCENARIOS[settings.scenario]
