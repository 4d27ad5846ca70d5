"""What every scenario asks when a session is set up."""

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
from tarstop_core.sessions.create import Documents

PREFIX = "set_up"


class Form(Generic[S]):
    """The questions of one scenario; a subclass asks more, or otherwise."""

    def __init__(self, scenario: Scenario[S]) -> None:
        self.scenario = scenario
        self.prefix = chances.own_prefix(PREFIX, scenario.name)

    def judges_abstracts(self) -> bool:
        """Whether labels are wanted that judge title and abstract."""
        return False

    def application(self, chosen: Documents, problems: list[str], listing: DeltaGenerator) -> Answers | None:
        """Ask what documents are compared with, where that is more than a question; `listing` holds which cannot be."""
        return None

    def stakes_key(self, simulated: bool) -> str:
        """Where what is at stake is kept, of a sample or of documents of your own."""
        return f"{self.prefix}/stakes" if simulated else f"{self.prefix}/own/stakes"

    def stakes(self, start: S, simulated: bool, problems: list[str]) -> S:
        """Ask what is at stake: on a sample with answers that end it soon, on documents of your own without any."""
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
        """Ask what is believed at the start, and what else stands beside the stakes."""
        return replace(settings, b_0=chances.starting_chance(settings))

    def more(self, settings: S, simulated: bool) -> S:
        """Ask for what most people leave as it is; `simulated` says that the list is."""
        return settings

    def policy(self, every: int) -> Policy:
        """Ask which rule advises; one document in `every` is drawn at random, none where it is 0."""
        scenario = self.scenario
        first = scenario.settings_class.first_rule
        return chances.policy(first, scenario.plans_approximately, scenario.first_because)

    def coverage(self, settings: S, calibrator: Calibrator | None, chosen: Documents, count: int) -> S:
        """Ask how probable it is that the list, of so many documents, lacks what is sought, where that changes the advice."""
        return settings

    def is_merged(self, chosen: Documents, order: Order) -> bool:
        """Whether the list is put together from several rankings, so that its ranks mean less."""
        return False
