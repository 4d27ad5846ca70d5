"""Optimal: the best plan of any length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from numpy.typing import ArrayLike

from tarstop_core.policies.base import Depths, Floats, Policy, until_hit
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class Optimal(Policy):
    """Stop at D* = argmax J(D), or at a hit: equal to backward induction, given the chances."""

    name: ClassVar[str] = "optimal"
    title: ClassVar[str] = "Optimal"
    rule: ClassVar[str] = "Go on while any plan, however long, is worth more than it costs."
    formula: ClassVar[str] = r"\text{stop at } D^{\ast} = \arg\max_{D \ge d} J(D)"
    source: ClassVar[str] = "derived from the paper's framework (optimal stopping); not in the paper"
    place: ClassVar[int] = 10
    colour: ClassVar[str] = "#0072B2"
    marker: ClassVar[str] = "circle"

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return until_hit(path.horizon_depths(costs, None, start), path, start)

    def worth(self, path: Path) -> Floats:
        return path.worth(None)
