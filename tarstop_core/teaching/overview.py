"""The idea of the program in one picture: a search without a hit is read until the next documents no longer pay."""

from dataclasses import dataclass, replace
from functools import cached_property

from tarstop_core.explore.lists import LabelledList, sample
from tarstop_core.policies import Optimal
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.curves import live_curves
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching import message
from tarstop_core.teaching.figures import end_of_axis
from tarstop_core.value.path import ListPath
from tarstop_core.value.stakes import SEARCH_EXAMPLE

UNIT = SEARCH_EXAMPLE.payoffs.unit
MISTAKES = (500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0, 20_000.0, 50_000.0)
"""Choices for the loss of a wrong decision, in :data:`UNIT`."""
COSTS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
"""Choices for the cost of a document, in :data:`UNIT`."""
SEARCH = "search:antenna-mount"
"""Key of the sample, which the demo opens too."""
HEIGHT = 280
"""Height of the picture in pixels."""


@dataclass(frozen=True)
class Overview:
    """The sample search at given stakes, if nothing turns up."""

    mistake: float  # Loss of either wrong decision
    cost: float  # Cost of reading a document

    @cached_property
    def settings(self) -> Settings:
        """Settings of the search; K is the loss of both mistakes together."""
        stakes = SEARCH_EXAMPLE.scaled(2 * self.mistake / SEARCH_EXAMPLE.payoffs.K).with_cost(self.cost)
        return replace(_listing().settings.with_stakes(stakes), policy=Optimal().spec)

    @cached_property
    def path(self) -> ListPath:
        """The belief as the list is read."""
        return _listing().planned(self.settings)

    @cached_property
    def stop(self) -> int:
        """Documents after which reading on no longer pays."""
        return int(self.settings.rule.depths(self.path, [self.cost])[0])

    def sentence(self, depth: int) -> str:
        """Say what the belief is after this many documents, and whether the next ones pay."""
        worth = self.settings.rule.value_rate(self.path)
        assert worth is not None, "Optimal weighs the next documents of a search exactly"
        return message(
            "idea",
            depth=depth,
            belief=float(self.path.b[depth]),
            worth=float(worth[depth]),
            cost=self.cost,
            unit=UNIT,
            go_on=depth < self.stop,
        )

    def figure(self, depth: int, *, dark: bool = False) -> fig.Figure:
        """Draw the belief and the worth of the next documents, solid down to this depth."""
        figure = live_curves(
            self.path.b,
            self.settings.rule.value_rate(self.path),
            cost=self.cost,
            q_star=self.settings.payoffs.q_star,
            depth=depth,
            plan=self.stop,
            hit=None,
            span=(0, end_of_axis(self.stop, len(self.path))),
            unit=UNIT,
            dark=dark,
        )
        return figure | {"layout": figure["layout"] | {"height": HEIGHT}}


def _listing() -> LabelledList:
    return sample(SEARCH)
