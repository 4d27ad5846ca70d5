"""Optimal: the best plan of any length."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from tarstop_core.policies.base import Depths, Floats, Policy, until_hit
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class Optimal(Policy):
    """Stop at D* = argmax J(D), or at a hit: equal to backward induction, given the chances."""

    name = "optimal"
    title = "Optimal"
    rule = "Go on while any plan, however long, is worth more than it costs."
    formula = r"\text{stop at } D^{\ast} = \arg\max_{D \ge d} J(D)"
    source = "derived from the paper's framework (optimal stopping); not in the paper"
    place = 10
    colour = "#0072B2"
    marker = "circle"

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return until_hit(path.horizon_depths(costs, None, start), path, start)

    def worth(self, path: Path) -> Floats:
        return path.worth(None)
