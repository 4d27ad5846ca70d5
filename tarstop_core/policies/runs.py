"""Rules that draw a random sample and whose averages have no closed form: they are taken over some orders."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarstop_core.policies.base import Expected, Flags, Floats, Randomised, Replicates
from tarstop_core.policies.sampled import GridReplicates

SAMPLES = 20  # Random orders behind an expectation, always the same


@dataclass(frozen=True)
class ByRuns(Randomised):
    """A rule with a random sample that counts whatever it has read towards recall, drawn documents included."""

    acts_on_belief = False

    def expected(self, labels: Flags) -> Expected[float]:
        runs = self.replicates(labels, SAMPLES, np.random.default_rng(1))
        seen_relevant = runs.seen[:, np.asarray(labels, dtype=bool)]
        recall = float(seen_relevant.mean()) if seen_relevant.size else 0.0
        read, depth = float(runs.seen.sum(axis=1).mean()), float(runs.depth.mean())
        return Expected(depth, read, recall, recall, float(seen_relevant.any(axis=1).mean()))


def all_read(seen: Flags) -> Replicates:
    """Runs by the documents that each reads, shape (n, N); their depth ends where the first unread document is."""
    return Replicates(np.cumprod(seen, axis=1).sum(axis=1), seen)


@dataclass(frozen=True)
class RunGrid:
    """Many such rules on the same topics, as a grid search needs them."""

    rules: Sequence[ByRuns]

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
