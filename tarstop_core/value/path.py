"""What a policy may ask of a ranking, whichever scenario it belongs to."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.value.payoffs import TOLERANCE, Payoffs

Floats = NDArray[np.float64]
Depths = NDArray[np.intp]
Flags = NDArray[np.bool_]


class Path(Protocol):
    """What a policy may ask of a ranking, whichever scenario it belongs to."""

    @property
    def hit(self) -> int | None:
        """Depth of the document that settled the question, if one did."""

    @property
    def labels(self) -> Flags:
        """Documents known to be relevant, shape (N,); in a session those not read yet are False."""

    @property
    def p(self) -> Floats:
        """Calibrated chance of each document, shape (N,)."""

    @property
    def payoffs(self) -> Payoffs:
        """What right and wrong decisions are worth."""

    def __len__(self) -> int: ...

    def chooses_plus(self, depth: int) -> bool:
        """Whether belief selects a⁺ on stopping at this depth."""

    def score(self, K: int = 1) -> Floats:
        """The paper's score, shape (N,)."""

    def worth(self, horizon: int | None = None) -> Floats:
        """What the next documents are worth, each, by the best plan within the horizon, shape (N,)."""

    def horizon_depths(self, costs: ArrayLike, horizon: int | None, start: int = 0) -> Depths:
        """Depths where no plan within the horizon gains."""


def first_not_worth(scores: Floats, costs: ArrayLike, start: int = 0) -> Depths:
    """First index ≥ start whose score does not exceed the cost, len(scores) if all do, shape (C,).

    The running minimum only falls, so one pass serves all costs.
    """
    falling = np.minimum.accumulate(scores[start:])
    threshold = np.atleast_1d(np.asarray(costs, dtype=float)) / (1 - TOLERANCE)
    return start + np.searchsorted(-falling, -threshold, side="left")
