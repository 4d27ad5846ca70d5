"""Rules that draw a random sample and wait until its relevant documents come up again in the ranking.

QBCB and Target share one mechanism. Documents are drawn one by one without replacement from the whole
list until r of them are relevant; then one goes down the ranking until j of those r have been passed. A
rule is its pair (r, j), so a grid search has as many different rules as different pairs.

Averages over all samples have a closed form. With R relevant documents, ρ_k the rank of the k-th, and
R ≥ r, the depth is ρ_k with the chance C(k−1, j−1)·C(R−k, r−j) / C(R, r). The sample then holds r − j
relevant documents beyond the depth, and of the (N − ρ_k) − (R − k) irrelevant ones there it holds
r/(R + 1) on average, because the R relevant documents cut the random order into R + 1 stretches alike.
With R < r, or where no j will do, everything is read.
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from tarstop_core.policies.base import Depths, Expected, Flags, Floats, Randomised, Replicates

Pair = tuple[int, int | None]


@dataclass(frozen=True)
class OrderStatistic(Randomised):
    """A rule that stops at the j-th of r randomly drawn relevant documents."""

    acts_on_belief = False

    @property
    @abstractmethod
    def pair(self) -> Pair:
        """r, and j from 1 to r; j is None where no j gives the confidence asked for."""

    def expected(self, labels: Flags) -> Expected[float]:
        cells = SampleGrid((self,)).expected(labels)
        return Expected(**{name: float(figure[0]) for name, figure in vars(cells).items()})

    def runs(self, labels: Flags, order: NDArray[Any]) -> Replicates:
        labels = np.asarray(labels, dtype=bool)
        r, j = self.pair
        sample = drawn(labels, order, r)
        depth = _depths(labels, sample, r, j)
        return Replicates(depth, sample | (np.arange(len(labels)) < depth[:, None]))


@dataclass(frozen=True)
class GridReplicates:
    """Single runs of a grid of rules that share their random orders.

    Rules with the same (r, j) are one: `pair` leads from a rule of the grid to its row.
    """

    pair: Depths  # Shape (cells,)
    depth: Depths
    read: Depths
    """`depth` and `read`: rank each run goes down to, and documents it reads; shape (pairs, n)."""
    seen: Flags  # Which of the relevant documents it reads, in ranking order; shape (pairs, n, R)
    within: Depths  # How many relevant documents its recall counts; shape (pairs, n)


@dataclass(frozen=True)
class SampleGrid:
    """Many rules (r, j) on the same topics at once, as a grid search needs them."""

    rules: Sequence[OrderStatistic]

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The different rules, each once."""
        return tuple(dict.fromkeys(rule.pair for rule in self.rules))

    @cached_property
    def pair(self) -> Depths:
        """Index into :attr:`pairs` for each rule, shape (cells,)."""
        at = {pair: index for index, pair in enumerate(self.pairs)}
        return np.array([at[rule.pair] for rule in self.rules], dtype=np.intp)

    def expected(self, labels: Flags) -> Expected[Floats]:
        """Means over all samples of one topic for every rule, arrays of shape (cells,)."""
        N, ranks = len(labels), np.flatnonzero(labels) + 1.0
        R = len(ranks)
        chances, feasible, r, j = _chances(R, self.pairs)
        depth = np.where(feasible, chances @ ranks, N)
        within = np.where(feasible, chances @ np.arange(1.0, R + 1), R)
        beyond = (r - j) + (N - depth - R + within) * r / (R + 1)
        passed = within + (r - j)
        cells = self.pair
        return Expected(
            depth=depth[cells],
            read=np.where(feasible, depth + beyond, N)[cells],
            recall=(within / max(R, 1))[cells],
            recall_read=(np.where(feasible, passed, R) / max(R, 1))[cells],
            found=np.full(len(cells), float(R > 0)),
        )

    def replicates(self, labels: Flags, n: int, rng: np.random.Generator) -> GridReplicates:
        """Single runs of every rule on one topic; a sample depends on r only and is drawn once.

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
            One row a pair (r, j).
        """
        labels, shape = np.asarray(labels, dtype=bool), (len(self.pairs), n)
        order, relevant = rng.random((n, len(labels))), np.flatnonzero(labels)
        depth, read = np.empty(shape, dtype=np.intp), np.empty(shape, dtype=np.intp)
        seen = np.empty((*shape, len(relevant)), dtype=bool)
        for r in dict.fromkeys(r for r, _ in self.pairs):
            sampled = drawn(labels, order, r)
            so_far = np.pad(np.cumsum(sampled, axis=1), ((0, 0), (1, 0)))
            for index in (at for at, (its_r, _) in enumerate(self.pairs) if its_r == r):
                depth[index] = d = _depths(labels, sampled, r, self.pairs[index][1])
                read[index] = d + so_far[:, -1] - so_far[np.arange(n), d]
                seen[index] = sampled[:, relevant] | (relevant < d[:, None])
        within = (relevant < depth[..., None]).sum(axis=2)
        return GridReplicates(self.pair, depth, read, seen, within)


def drawn(labels: Flags, order: NDArray[Any], r: int) -> Flags:
    """Documents that are drawn until r of them are relevant.

    Parameters
    ----------
    labels : ndarray of bool, shape (N,)
        Which documents are relevant.
    order : ndarray, shape (n, N)
        Random orders: smaller entries are drawn sooner.
    r : int
        Relevant documents wanted; with fewer in the list all of it is drawn.

    Returns
    -------
    ndarray of bool, shape (n, N)
        One row an order.
    """
    relevant = order[:, labels]
    if relevant.shape[1] < r:
        return np.ones(order.shape, dtype=bool)
    last = np.partition(relevant, r - 1, axis=1)[:, r - 1]
    return np.asarray(order <= last[:, None])


def _depths(labels: Flags, sampled: Flags, r: int, j: int | None) -> Depths:
    """Rank of the j-th relevant document of each sample; N where there are not r, or no j will do."""
    n, N = sampled.shape
    if j is None or labels.sum() < r:
        return np.full(n, N, dtype=np.intp)
    ranks = np.flatnonzero(labels) + 1
    order = np.cumsum(sampled[:, labels], axis=1)
    return np.asarray(ranks[np.argmax(order == j, axis=1)])


@lru_cache(maxsize=512)
def _chances(R: int, pairs: tuple[Pair, ...]) -> tuple[Floats, Flags, Floats, Floats]:
    """P(depth = ρ_k) for k = 1 … R, shape (pairs, R); which pairs can stop early; r and j, shape (pairs,)."""
    feasible = np.array([j is not None and r <= R for r, j in pairs])
    r, j = np.array([(r, j or r) for r, j in pairs], dtype=float).T
    chances = np.zeros((len(pairs), R))
    for row in np.flatnonzero(feasible):
        k = np.arange(j[row], R - (r[row] - j[row]) + 1)
        logs = _log_choose(k - 1, j[row] - 1) + _log_choose(R - k, r[row] - j[row])
        chances[row, k.astype(np.intp) - 1] = np.exp(logs - _log_choose(np.array(float(R)), r[row]))
    return chances, feasible, r, j


def _log_choose(n: Floats, k: float) -> Floats:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
