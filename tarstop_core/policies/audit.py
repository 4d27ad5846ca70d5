"""Audit draws: stop when a confidence sequence shows that the wanted recall is reached."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.calibration.recall_bound import draws_at, first_bounded, interleaved
from tarstop_core.policies.base import (
    Depths,
    Expected,
    Flags,
    Floats,
    Parameter,
    Randomised,
    Replicates,
    at_any_cost,
)
from tarstop_core.policies.sampled import GridReplicates
from tarstop_core.value.path import Path

SAMPLES = 20  # Random orders behind an expectation, always the same: it has no closed form


@dataclass(frozen=True)
class Audit(Randomised):
    """Every n-th document is drawn at random from the unread; stop when recall is at least τ with confidence 1 − α.

    The bound may be looked at after every document and holds on every list
    (:mod:`tarstop_core.calibration.recall_bound`). Recall is that of all documents read, drawn ones included.
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
    acts_on_belief = False
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

    def expected(self, labels: Flags) -> Expected[float]:
        runs = self.replicates(labels, SAMPLES, np.random.default_rng(1))
        seen_relevant = runs.seen[:, np.asarray(labels, dtype=bool)]
        recall = float(seen_relevant.mean()) if seen_relevant.size else 0.0
        read, depth = float(runs.seen.sum(axis=1).mean()), float(runs.depth.mean())
        return Expected(depth, read, recall, recall, float(seen_relevant.any(axis=1).mean()))

    def runs(self, labels: Flags, order: NDArray[Any]) -> Replicates:
        labels = np.asarray(labels, dtype=bool)
        drawn, seen = draws_at(len(labels), self.every), np.zeros(order.shape, dtype=bool)
        for run, shuffled in zip(seen, np.argsort(order, axis=1), strict=True):
            offered = interleaved(self.every, shuffled)
            run[offered[: first_bounded(labels[offered], drawn, self.tau, 1 - self.confidence)]] = True
        # The depth is where it has read everything above: below only draws were read.
        return Replicates(np.cumprod(seen, axis=1).sum(axis=1), seen)


@dataclass(frozen=True)
class AuditGrid:
    """Many audit rules on the same topics, as a grid search needs them."""

    rules: Sequence[Audit]

    def expected(self, labels: Flags) -> Expected[Floats]:
        """Means over samples of one topic for every rule, arrays of shape (cells,)."""
        rows = [vars(rule.expected(labels)) for rule in self.rules]
        return Expected(**{name: np.array([row[name] for row in rows]) for name in rows[0]})

    def replicates(self, labels: Flags, n: int, rng: np.random.Generator) -> GridReplicates:
        """Single runs of every rule on one topic, with the same random orders.

        Parameters
        ----------
        labels : ndarray of bool, shape (N,)
            Which documents are relevant, in ranking order.
        n : int
            Runs of a rule.
        rng : numpy.random.Generator
            Draws the random orders.

        Returns
        -------
        GridReplicates
            One row a rule.
        """
        order = rng.random((n, len(labels)))
        runs = [rule.runs(labels, order) for rule in self.rules]
        depth, seen = np.stack([run.depth for run in runs]), np.stack([run.seen for run in runs])
        seen_relevant = seen[..., np.asarray(labels, dtype=bool)]
        return GridReplicates(
            np.arange(len(runs)), depth, seen.sum(axis=2), seen_relevant, seen_relevant.sum(axis=2)
        )
