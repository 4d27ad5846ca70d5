"""Audit draws: stop when a confidence sequence shows that the wanted recall is reached."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.calibration.recall_bound import draws_at, first_bounded, interleaved
from tarstop_core.policies.base import Depths, Flags, Parameter, Replicates, at_any_cost
from tarstop_core.policies.runs import ByRuns, all_read
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class Audit(ByRuns):
    """Stop when recall is at least τ with confidence 1 − α by random draws from the unread.

    The bound may be looked at after every document and holds on every list. Recall is that of all documents read,
    drawn ones included.
    """

    tau: float = 0.95
    confidence: float = 0.95
    every: int = 5

    name = "audit"
    title = "Audit draws"
    rule = "Draw every n-th document at random; stop when recall is bounded from below, whatever the list."
    formula = r"\frac{\text{found}}{\max\lbrace R : \max_t M_t(R) \lt 1/\alpha \rbrace} \ge \tau"
    source = "test martingales for draws without replacement: Waudby-Smith & Ramdas 2020; Ville 1939"
    place, colour, marker = 135, "#E69F00", "star"
    needs_draws = True
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9, 0.95), "float"),
        Parameter("confidence", "1 − α", 0.01, 0.9999, (0.95,), "float"),
        Parameter("every", "documents to one draw", 1, 1000, (5,)),
    )

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        """Where the bound is high enough by the draws that the path has, whatever share of it they are."""
        draws = path.draws
        if draws is None:
            return super().depths(path, costs, start)
        first = first_bounded(path.labels, draws.drawn, self.tau, 1 - self.confidence, start, draws.unsure)
        return at_any_cost(max(start, first), costs)

    def runs(self, labels: Flags, order: NDArray[Any]) -> Replicates:
        labels = np.asarray(labels, dtype=bool)
        drawn, seen = draws_at(len(labels), self.every), np.zeros(order.shape, dtype=bool)
        for run, shuffled in zip(seen, np.argsort(order, axis=1), strict=True):
            offered = interleaved(self.every, shuffled)
            run[offered[: first_bounded(labels[offered], drawn, self.tau, 1 - self.confidence)]] = True
        return all_read(seen)
