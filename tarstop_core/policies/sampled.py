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

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, gammaln

from tarstop_core.policies.base import Depths, Expected, Flags, Floats, Parameter, Randomised, Replicates
from tarstop_core.value.payoffs import TOLERANCE

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
        """Averages over all samples of one topic for every rule, arrays of shape (cells,)."""
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
    """Flags of the documents drawn until r of them are relevant.

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
    """Rank of the j-th relevant document of each sample, shape (n,); N if there are not r, or j is None."""
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
    """Logarithm of the binomial coefficient."""
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


@dataclass(frozen=True)
class Target(OrderStatistic):
    """Draw at random until t relevant documents are found; stop at the last of them in the ranking.

    With fewer than t in the list all of it is read.
    """

    tau: float = 0.8
    confidence: float = 0.95

    name = "target"
    title = "Target"
    rule = "Draw a set of relevant documents at random, then read until all of them have come up again."
    formula = r"t = \left\lceil \frac{-\ln(1 - \text{confidence})}{1 - \tau} \right\rceil"
    source = (
        "Cormack & Grossman 2016 (Target method); size of the set for other goals: Sneyd & Stevenson 2019"
    )
    place, colour, marker = 120, "#009E73", "triangle-up"
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 0.999, (0.5, 0.7, 0.8, 0.9, 0.95), "float"),
        Parameter("confidence", "chance of reaching it", 0.01, 0.9999, (0.8, 0.9, 0.95), "float"),
    )

    @property
    def size(self) -> int:
        """t, the number of relevant documents in the set."""
        return math.ceil(-math.log1p(-self.confidence) / (1 - self.tau))

    @property
    def pair(self) -> Pair:
        return self.size, self.size


TENTHS = tuple(tenths / 10 for tenths in range(1, 11))


@dataclass(frozen=True)
class QBCB(OrderStatistic):
    """Draw at random until n_min relevant documents are found; stop at the j-th of them in the ranking.

    Then recall is at least τ with confidence 1 − α. Where even j = n_min does not do (τ^n_min > α) all is read.

    Assumptions where the paper is silent: sampling is one document at a time; the binomial stands although
    the relevant documents are finitely many; a document that is both
    sampled and above the depth is paid for once; recall is that of the ranking down to the depth.
    """

    tau: float = 0.8
    n_min: int = 15
    alpha: float = 0.1

    name = "qbcb"
    title = "QBCB"
    rule = "Draw at random until some relevant documents are known, then read until enough of them have come up again."
    formula = r"j = \min\lbrace j : P(\mathrm{Bin}(n_{\min}, \tau) \le j - 1) \ge 1 - \alpha \rbrace"
    source = (
        "Lewis, Yang & Frieder 2021 (quantile binomial confidence bound); grid and 50 replications: "
        "Fletcher & Stevenson"
    )
    family = "paper's baseline"
    place, colour, marker = 70, "#7A5195", "triangle-down"
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, TENTHS, "float"),
        Parameter("n_min", "relevant documents in the sample", 1, 10_000, (1, 3, 5, 10, 15)),
        Parameter("alpha", "chance that the recall is missed, α", 0.0001, 1.0, TENTHS, "float"),
    )

    @property
    def pair(self) -> Pair:
        return self.n_min, order_statistic(self.tau, self.n_min, self.alpha)


@lru_cache(maxsize=4096)
def order_statistic(tau: float, r: int, alpha: float) -> int | None:
    """Smallest j with P(Bin(r, τ) ≤ j − 1) ≥ 1 − α.

    Parameters
    ----------
    tau : float
        Recall to reach, in (0, 1].
    r : int
        Relevant documents in the sample.
    alpha : float
        1 − confidence. Exact ties (τ = .5, α = .5, r = 1) are decided with a small tolerance, as rational arithmetic does.

    Returns
    -------
    int or None
        From 1 to r; None where there is none.

    Examples
    --------
    >>> order_statistic(0.8, 14, 0.05), order_statistic(0.8, 13, 0.05)
    (14, None)
    """
    coverage = bdtr(np.arange(r, dtype=float), r, tau)
    enough = np.flatnonzero(coverage >= 1 - alpha - TOLERANCE)
    return int(enough[0]) + 1 if len(enough) else None
