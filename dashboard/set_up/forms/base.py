"""The questions that Set up asks in every scenario."""

from dataclasses import replace
from typing import Generic

from streamlit.delta_generator import DeltaGenerator

from dashboard.parts import chances, stakes
from dashboard.parts.application import Answers
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.policies import Policy
from tarstop_core.ranking.order import Order
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.settings import S
from tarstop_core.sessions.create import ChosenDocuments

PREFIX = "set_up"


class ScenarioForm(Generic[S]):
    """The questions of one scenario; subclasses add questions or replace them."""

    def __init__(self, scenario: Scenario[S]) -> None:
        self.scenario = scenario
        self.prefix = chances.own_prefix(PREFIX, scenario.name)

    def judges_abstracts(self) -> bool:
        """Whether labels judge title and abstract."""
        return False

    def application(
        self, chosen: ChosenDocuments, problems: list[str], listing: DeltaGenerator
    ) -> Answers | None:
        """Ask for the application that documents are compared with, if there is one; `listing` shows those it bars."""
        return None

    def stakes_key(self, simulated: bool) -> str:
        """Key of the state that holds the stakes, for a sample or for a person's own documents."""
        return f"{self.prefix}/stakes" if simulated else f"{self.prefix}/own/stakes"

    def unanswered(self, simulated: bool) -> list[str]:
        """Sentences on the questions about the stakes that still need an answer."""
        return stakes.unanswered(self.stakes_key(simulated), asks=not simulated)

    def stakes(self, start: S, simulated: bool, problems: list[str]) -> S:
        """Ask what is at stake: a sample begins with answers that end it soon, a person's own documents without any."""
        key = self.stakes_key(simulated)
        small = (
            "Small stakes so that this sample ends soon; the amounts above are realistic."
            if simulated
            else ""
        )
        settings, unusable = stakes.panel(key, start, asks=not simulated, start_note=small)
        problems += unusable
        return settings

    def beside(self, settings: S) -> S:
        """Ask the questions beside the stakes, such as the starting chance."""
        return replace(settings, b_0=chances.starting_chance(settings))

    def more(self, settings: S, simulated: bool) -> S:
        """Ask for settings that most people do not change; `simulated` says whether the list is simulated."""
        return settings

    def policy(self, every: int) -> Policy:
        """Ask which rule advises; one document in `every` is drawn at random, or none if it is 0."""
        scenario = self.scenario
        first = scenario.settings_class.first_rule
        return chances.policy(first, scenario.plans_approximately, scenario.first_because)

    def coverage(self, settings: S, calibrator: Calibrator | None, chosen: ChosenDocuments, count: int) -> S:
        """Ask how likely the list, of `count` documents, contains what is sought, if that changes the advice."""
        return settings

    def is_merged(self, chosen: ChosenDocuments, order: Order) -> bool:
        """Whether the list was merged from several rankings, so that its ranks mean less."""
        return False
