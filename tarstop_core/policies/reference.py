"""Reference rules that others are compared with: read nothing, read everything, know everything."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.policies.base import AtAnyCost, Depths, Need, Policy, Promise, at_any_cost
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import exceeds


@dataclass(frozen=True)
class DecideNow(Policy):
    """Stop before the first document: a⁺ iff b_0 > q*."""

    name = "decide-now"
    title = "Decide now"
    rule = "Read nothing and decide by the starting belief."
    formula = r"\text{stop at } d"
    source = "reference: what the starting assumption alone is worth"
    family = "reference"
    place, colour, marker = 200, "#D55E00", "triangle-up"
    needs = (Need.STAKES,)

    looks_every = None

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return at_any_cost(start, costs)


@dataclass(frozen=True)
class ScreenEverything(AtAnyCost):
    """Read the whole list: a⁺ iff anything relevant is in it."""

    name = "screen-everything"
    title = "Screen everything"
    rule = "Read the whole list."
    formula = r"\text{stop at } N"
    source = "reference: the reading that stopping should save"
    family = "reference"
    place, colour, marker = 210, "#009E73", "cross"
    needs: ClassVar[tuple[Need, ...]] = ()
    promise = Promise.CERTIFICATE

    looks_every = None

    def depth(self, path: Path, start: int) -> int:
        return len(path)


@dataclass(frozen=True)
class Oracle(Policy):
    """Knows the labels: goes to the first hit if that pays, else reads nothing.

    It reads nothing where belief chooses a⁺ from the start, where there is no hit, and where
    the way to the hit costs more than what a⁺ gains, B + L_g. No rule that acts on belief or on a hit can
    do better on any topic. It takes part in no regret and gives no advice.
    """

    name = "oracle"
    title = "Oracle"
    rule = "Know the answer, and read only what is needed to prove it."
    formula = r"\text{stop at the hit if } c \cdot \text{hit} \lt B + L_g, \text{ else at } 0"
    source = "reference: the bound that no rule can exceed"
    family = "reference"
    place, colour, marker = 220, "#CC79A7", "x"
    needs_labels = True
    needs = (Need.TRUTH, Need.STAKES)
    promise = Promise.CERTIFICATE
    is_oracle = True

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        if path.hit is None or path.hit <= start or path.chooses_plus(start):
            return at_any_cost(start, costs)
        way = np.atleast_1d(np.asarray(costs, dtype=float)) * (path.hit - start)
        return np.where(exceeds(path.payoffs.wrong_minus, way), path.hit, start).astype(np.intp)
