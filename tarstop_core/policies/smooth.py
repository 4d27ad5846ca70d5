"""Smooth(K): Greedy on the mean of the next K chances."""

from dataclasses import dataclass

from tarstop_core.policies.base import Criterion, Floats, Parameter
from tarstop_core.policies.greedy import Greedy
from tarstop_core.value.path import Path

WINDOWS = (2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Smooth(Greedy):
    """Continue iff mean(ρ_{d+1} … ρ_{d+K})·EVPI(b_d) > c.

    Assumptions where the paper is silent: ρ_{d+j} uses the current b_d, and with fewer than K
    documents left those that are left are averaged.
    """

    K: int = 5

    name = "smooth"
    title = "Smooth"
    rule = "As Greedy, with the average chance of the next K documents."
    formula = r"\frac{1}{K}\sum_{j=1}^{K} \rho_{d+j}\  EVPI(b_d) \gt c"
    source = "Fletcher & Stevenson, Smooth"
    family = "paper's policy"
    place, colour, marker = 40, "#CC79A7", "triangle-up"
    parameters = (Parameter("K", "documents to average over", 1, 100_000, WINDOWS),)
    criterion = Criterion.MEAN_SCORE

    def value_rate(self, path: Path) -> Floats:
        return path.score(self.K)
