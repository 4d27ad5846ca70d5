"""The path of a list without payoffs, where the only question is whether enough was found."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.belief.mixture import Remaining
from tarstop_core.value.path import Draws, ListPath
from tarstop_core.value.payoffs import PLUS, Depths, Flags, Floats, Payoffs

NOTHING_AT_STAKE = Payoffs.from_q_star(0.5)
"""Payoffs of such a path; no result depends on them."""


@dataclass(frozen=True, eq=False)
class UnweighedPath(ListPath):
    """Path with labels, chances and a forecast of what is unread; belief is NaN and every value 0.

    Methods without a docstring are described in :class:`~tarstop_core.value.path.Path` and ``ListPath``.
    """

    p: Floats  # Chance of each document, shape (N,)
    labels: Flags  # Documents known to be relevant, shape (N,)
    left: Callable[[Flags, int], Remaining]
    """Forecasts the relevant documents below a depth, from all labels and that depth; it ignores labels below."""
    draws: Draws | None = None  # Documents drawn at random, for an audit
    payoffs: Payoffs = field(default=NOTHING_AT_STAKE)

    def __len__(self) -> int:
        return len(self.p)

    def unread(self, depth: int) -> Remaining:
        return self.left(self.labels, depth)

    @property
    def hit(self) -> int | None:
        return None

    @property
    def chances(self) -> Floats:
        return self.p

    @property
    def rho(self) -> Floats:
        return self.p

    @cached_property
    def b(self) -> Floats:
        """NaN at every depth, because there is no belief."""
        return np.full(len(self) + 1, np.nan)

    @cached_property
    def evpi(self) -> Floats:
        return np.zeros(len(self) + 1)

    def belief_at(self, depth: int) -> float:
        return float("nan")

    def chooses_plus(self, depth: int) -> bool:
        return True

    def action_at(self, depth: int, acts_on_belief: bool = True) -> int:
        """Return PLUS: stopping means that enough was found."""
        return PLUS

    def options_of_oracle(self, option: Depths, omega: bool) -> Depths:
        return option

    def finds_until(self, depth: int) -> int:
        return int(self.labels[:depth].sum())

    def without_later_finds(self, depth: int) -> Self:
        return self.with_labels(self.labels & (np.arange(len(self)) < depth))

    # --- values, all of them 0

    def score(self, K: int = 1) -> Floats:
        return np.zeros(len(self))

    def value_rate(self, horizon: int | None = None) -> Floats:
        return np.zeros(len(self))

    def closed_value_rate(self) -> Floats | None:
        return np.zeros(len(self))

    def evsi(self) -> Floats:
        return np.zeros(len(self))

    def horizon_depths(self, costs: ArrayLike, horizon: int | None, start: int = 0) -> Depths:
        return self.closed_depths(costs, start)

    def closed_depths(self, costs: ArrayLike, start: int = 0) -> Depths:
        return np.full(np.size(costs), start, dtype=np.intp)

    def closed_gain(self, costs: Floats, start: int) -> Floats:
        return np.zeros(np.size(costs))

    def pays(self, depth: int, cost: float) -> bool:
        return False

    def rates_from(self, depth: int) -> tuple[Depths, Floats]:
        return np.ones(1, dtype=np.intp), np.zeros(1)

    def expected_utility(
        self, depth: Depths, costs: Floats, start: int, *, acts_on_belief: bool, looks_every: int | None
    ) -> Floats:
        return np.zeros(np.size(depth))
