"""Look-ahead(m): the best of the plans of at most m more documents."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from tarstop_core.policies.base import Depths, Floats, Parameter, Policy, until_hit
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class LookAhead(Policy):
    """Continue iff max_{d<D≤d+m} J(D) > J(d). With m = 1 it is the exact one-step EVSI, a trap:
    one miss seldom changes an action although several would.
    """

    m: int = 20

    name = "look-ahead"
    title = "Look-ahead"
    rule = "Go on while some plan of at most m more documents is worth more than it costs."
    formula = r"\max_{d \lt D \le d+m} J(D) \gt J(d)"
    source = "derived from the paper's framework (value of a plan J(D)); not in the paper"
    place, colour, marker = 20, "#E69F00", "cross"
    parameters = (Parameter("m", "documents to look ahead", 1, 100_000, (1, 2, 5, 10, 20, 50, 100)),)

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return until_hit(path.horizon_depths(costs, self.m, start), path, start)

    def value_rate(self, path: Path) -> Floats:
        return path.value_rate(self.m)
