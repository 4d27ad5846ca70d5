"""Optimal: the best of the plans that look again after every document."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from tarstop_core.policies.base import Depths, Floats, Policy, until_hit
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class Optimal(Policy):
    """Stop where acting is as good as going on, by backward induction, given the chances.

    Exact where one document decides: stop at D* = argmax J(D), or at a hit. Where studies add up, within .001 of the
    value of dynamic programming in the normal model of what further studies say.
    """

    name = "optimal"
    title = "Optimal"
    rule = "Go on while some plan that looks again after every document is worth more than it costs."
    formula = r"\text{stop at the first } d \text{ with } W_d = EU^{\ast}(b_d)"
    source = "derived from the paper's framework (optimal stopping); not in the paper"
    place, colour, marker = 10, "#0072B2", "circle"
    stopped = "No plan is, any longer."
    undrawn = "No worth of single documents is drawn: Optimal weighs whole plans."

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return until_hit(path.closed_depths(costs, start), path, start)

    def value_rate(self, path: Path) -> Floats | None:
        return path.closed_value_rate()
