"""Open loop: the best of the plans that are read to their end before one looks again."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from tarstop_core.policies.base import Depths, Floats, Policy, until_hit
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class OpenLoop(Policy):
    """Stop where no plan "read D and then decide" gains. Where one document decides it is Optimal; where studies add up a
    plan that looks again after each is worth more, so it may stop too soon.
    """

    name = "open-loop"
    title = "Open loop"
    rule = "Go on while any plan, read to its end before one looks again, is worth more than it costs."
    formula = r"\text{stop at } D^{\ast} = \arg\max_{D \ge d} J(D)"
    source = "derived from the paper's framework (value of a plan J(D)); not in the paper"
    place, colour, marker = 15, "#56B4E9", "circle-open"

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return until_hit(path.horizon_depths(costs, None, start), path, start)

    def value_rate(self, path: Path) -> Floats:
        return path.value_rate(None)
