"""Greedy: the paper's rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from tarstop_core.policies.base import Depths, Family, Floats, Policy, until_hit
from tarstop_core.value.path import Path, first_not_worth


@dataclass(frozen=True)
class Greedy(Policy):
    """Continue iff ρ_{d+1}·EVPI(b_d) > c."""

    name: ClassVar[str] = "greedy"
    title: ClassVar[str] = "Greedy"
    rule: ClassVar[str] = "Go on while the next document's chance of a hit, times the EVPI, exceeds its cost."
    formula: ClassVar[str] = r"\rho_{d+1}\thinspace EVPI(b_d) \gt c"
    source: ClassVar[str] = "Fletcher & Stevenson, Greedy"
    family: ClassVar[Family] = "paper's policy"
    place: ClassVar[int] = 30
    colour: ClassVar[str] = "#D55E00"
    marker: ClassVar[str] = "square"
    worth_phrase: ClassVar[str] = "The paper's score of the next document is"

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return until_hit(first_not_worth(path.score(1), costs, start), path, start)

    def worth(self, path: Path) -> Floats:
        return path.score(1)
