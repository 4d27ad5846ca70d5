"""The paper's main rule: go on while the next document's score exceeds its cost."""

from dataclasses import dataclass

from numpy.typing import ArrayLike

from tarstop_core.policies.base import Criterion, Depths, Floats, Policy, until_hit
from tarstop_core.value.path import Path, first_not_worth


@dataclass(frozen=True)
class Greedy(Policy):
    """Continue iff ρ_{d+1}·EVPI(b_d) > c."""

    name = "greedy"
    title = "Greedy"
    rule = "Go on while the next document's chance of a hit, times the EVPI, exceeds its cost."
    formula = r"\rho_{d+1}\thinspace EVPI(b_d) \gt c"
    source = "Fletcher & Stevenson, Greedy"
    family = "paper's policy"
    place, colour, marker = 30, "#D55E00", "square"
    criterion = Criterion.NEXT_SCORE

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return until_hit(first_not_worth(self.value_rate(path), costs, start), path, start)

    def value_rate(self, path: Path) -> Floats:
        return path.score(1)
