"""What every scenario asks when a session is set up."""

from dataclasses import replace

from streamlit.delta_generator import DeltaGenerator

from dashboard.parts import chances, stakes
from dashboard.parts.application import Asked
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.create import Documents

PREFIX = "set_up"


class Form:
    """The questions of one scenario. A file beside this one has what it asks more, or otherwise."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.prefix = chances.own_prefix(PREFIX, scenario.name)

    def judges_abstracts(self) -> bool:
        """Whether labels are wanted that judge title and abstract."""
        return False

    def application(self, chosen: Documents, problems: list[str], listing: DeltaGenerator) -> Asked | None:
        """Ask what documents are held against, where that is more than a question; `listing` holds which cannot be."""
        return None

    def stakes(self, start: Settings, problems: list[str]) -> Settings:
        """Ask what is at stake."""
        settings, unusable = stakes.panel(f"{self.prefix}/stakes", start)
        problems += unusable
        return settings

    def beside(self, settings: Settings) -> Settings:
        """Ask what is believed at the start, and what else stands beside the stakes."""
        return replace(settings, b_0=chances.starting_chance(settings))

    def more(self, settings: Settings, simulated: bool) -> Settings:
        """Ask for what most people leave as it is; `simulated` says that the list is."""
        return settings
