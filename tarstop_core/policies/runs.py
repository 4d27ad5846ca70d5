"""Rules with a random sample whose averages are taken over simulated runs: inclusion rate, S-CAL, AutoStop, audit draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.calibration.recall_bound import draws_at, first_bounded, interleaved
from tarstop_core.policies.base import Expected, Parameter, Promise, Randomised, Replicates, at_any_cost
from tarstop_core.policies.gain_curve import growing_batches
from tarstop_core.policies.sampled import GridReplicates
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import Depths, Flags, Floats

SAMPLES = 20  # Runs behind an average, always with the same random orders


@dataclass(frozen=True)
class ByRuns(Randomised):
    """A rule with a random sample whose recall counts all documents read, drawn ones included."""

    acts_on_belief = False

    def expected(self, labels: Flags) -> Expected[float]:
        runs = self.replicates(labels, SAMPLES, np.random.default_rng(1))
        seen_relevant = runs.seen[:, np.asarray(labels, dtype=bool)]
        recall = float(seen_relevant.mean()) if seen_relevant.size else 0.0
        read, depth = float(runs.seen.sum(axis=1).mean()), float(runs.depth.mean())
        return Expected(depth, read, recall, recall, float(seen_relevant.any(axis=1).mean()))


def replicates_of(seen: Flags) -> Replicates:
    """Replicates from the documents that each run reads, shape (n, N); a run's depth is that before its first unread document."""
    return Replicates(np.cumprod(seen, axis=1).sum(axis=1), seen)


@dataclass(frozen=True)
class RunGrid:
    """Many rules of this kind on the same topics, as a grid search needs them."""

    rules: Sequence[ByRuns]

    def expected(self, labels: Flags) -> Expected[Floats]:
        """Averages over samples of one topic for every rule, arrays of shape (cells,)."""
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


@dataclass(frozen=True)
class BaselineRate(ByRuns):
    """Read on until as many relevant documents are found as a random sample forecasts.

    k of the m documents drawn are relevant; what was drawn counts as found. With k = 0 the rate is unknown and
    everything is read (assumption).
    """

    tau: float = 0.8
    size: int = 500

    name = "baseline-rate"
    title = "Baseline inclusion rate"
    rule = "Estimate the number of relevant documents from a random sample, then read until you have found that many."
    formula = r"\text{found}\ge\tau N\frac{k}{m}"
    source = "common practice (Shemilt et al. 2014: baseline inclusion rate)"
    place, colour, marker = 125, "#8C8C00", "triangle-down"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9), "float"),
        Parameter("size", "documents in the sample, m", 1, 1_000_000, (100, 500)),
    )

    def runs(self, labels: Flags, order: NDArray[Any]) -> Replicates:
        labels, N = np.asarray(labels, dtype=bool), order.shape[1]
        m = min(self.size, N)
        drawn = np.zeros(order.shape, dtype=bool)
        np.put_along_axis(drawn, np.argsort(order, axis=1)[:, :m], True, axis=1)
        k = (drawn & labels).sum(axis=1, keepdims=True)
        hits = k + np.cumsum(~drawn & labels, axis=1)
        enough = np.hstack((k, hits)) >= self.tau * N * k / max(m, 1) - 1e-9
        depth = np.where((k[:, 0] > 0) & enough.any(axis=1), enough.argmax(axis=1), N)
        return Replicates(depth, drawn | (np.arange(N) < depth[:, None]))


CORRECTION = 1.05  # Factor on the estimated total, as published


@dataclass(frozen=True)
class Scal(ByRuns):
    """Label some documents of each stretch, and read down to where enough must lie.

    Stretches hold B = 1, 2, 3, … documents, each a tenth more; of each b = min(B, bound) are labelled.
    Where no stretch reaches that much everything is read; where the sample holds nothing relevant, nothing more.
    Assumptions: the ranking stays, where the original learns another after each stretch; what lies above the cut is read,
    where the original only classifies it.
    """

    tau: float = 0.8
    bound: int = 30

    name = "scal"
    title = "S-CAL"
    rule = (
        "Read some documents in every stretch of the list, then all above the rank that must contain enough."
    )
    formula = r"\hat R(d)\ge 1.05\tau\hat R(N), \quad \hat R=\sum_{\text{stretches}}\frac{B}{b}\sum y"
    source = "Cormack & Grossman 2016 (S-CAL)"
    place, colour, marker = 127, "#0072B2", "triangle-up"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9), "float"),
        Parameter("bound", "most documents labelled per stretch", 1, 100_000, (10, 30)),
    )

    def runs(self, labels: Flags, order: NDArray[Any]) -> Replicates:
        labels, (n, N) = np.asarray(labels, dtype=bool), order.shape
        ends = growing_batches(N) if N else np.zeros(1, dtype=np.intp)
        begins = np.append(0, ends[:-1])
        drawn, hits = np.zeros(order.shape, dtype=bool), np.zeros((n, len(ends)))
        for at, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
            size = end - begin
            first = begin + np.argsort(order[:, begin:end], axis=1)[:, : self.bound]
            np.put_along_axis(drawn, first, True, axis=1)
            hits[:, at] = labels[first].sum(axis=1) * size / max(1, min(size, self.bound))
        estimate = np.cumsum(hits, axis=1)
        total = estimate[:, -1]
        enough = estimate >= self.tau * CORRECTION * total[:, None] - 1e-9
        depth = np.where(enough.any(axis=1), ends[enough.argmax(axis=1)], N)
        depth = np.where(total > 0, depth, 0)
        return Replicates(depth, drawn | (np.arange(N) < depth[:, None]))


GROWTH = 10  # Each round draws 1/10 more than the last


@dataclass(frozen=True)
class AutoStop(ByRuns):
    """Draw documents by their rank until enough are found beside a Horvitz–Thompson estimate.

    Rounds draw 1, 2, 3, … documents, each a tenth more, with replacement and p ∝ ln((N + 1)/rank). After n draws
    π = 1 − (1 − p)^n, and σ² sums (1 − π)/π² over the relevant documents found. Assumptions: the ranking stays, where the
    original learns another after each round; documents are drawn independently, so that σ² has no terms of pairs.
    """

    tau: float = 0.8
    condition: str = "loose"

    name = "autostop"
    title = "AutoStop"
    rule = "Draw documents, high ranks first, until you have found as many relevant ones as an unbiased estimate requires."
    formula = r"\text{found}\ge\tau\bigl(\hat R\ [+\sigma]\bigr), \quad \hat R=\sum_{\text{drawn}}\frac{y_i}{1-(1-p_i)^n}"
    source = "Li & Kanoulas 2020 (AutoStop, AP-prior)"
    place, colour, marker = 126, "#7A5195", "diamond"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9), "float"),
        Parameter.choice(
            "condition", "whether σ is added to the estimate", ("loose", "strict"), ("loose", "strict")
        ),
    )

    def runs(self, labels: Flags, order: NDArray[Any]) -> Replicates:
        labels, N = np.asarray(labels, dtype=bool), order.shape[1]
        if not N:
            return replicates_of(order > 0)
        p = np.log((N + 1) / np.arange(1, N + 1))
        p /= p.sum()
        draws = round_ends(float(order.max(initial=0.5)), float(p[-1]))
        chance = drawn_by(draws[:, None], p[labels])
        seen = np.ones(order.shape, dtype=bool)
        for run, numbers in zip(seen, order, strict=True):
            drawn = numbers[labels] < chance
            hits, estimate = drawn.sum(axis=1), (drawn / chance).sum(axis=1)
            if self.condition == "strict":
                estimate += np.sqrt((drawn * (1 - chance) / chance**2).sum(axis=1))
            stops = np.flatnonzero((hits > 0) & (hits >= self.tau * estimate - 1e-9))
            if len(stops):
                run[:] = numbers < drawn_by(draws[stops[0]], p)
        return replicates_of(seen)


def drawn_by(draws: Floats | float, p: Floats | float) -> Floats:
    """Chance that a document is drawn at least once in this many draws, π = 1 − (1 − p)^draws; they broadcast."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(draws * np.log1p(-p)))


def round_ends(rarest: float, p: float) -> Floats:
    """Cumulative draws at the ends of rounds, up to the round that draws a document of probability p and random number `rarest`."""
    ends, size = [1.0], 1
    while p < 1 and drawn_by(ends[-1], p) <= rarest:
        size += -(-size // GROWTH)
        ends.append(ends[-1] + size)
    return np.array(ends)


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
    rule = "Draw every n-th document at random; stop when this proves the recall, whatever the list."
    formula = r"\frac{\text{found}}{\max\lbrace R : \max_t M_t(R) \lt 1/\alpha \rbrace} \ge \tau"
    source = "test martingales for draws without replacement: Waudby-Smith & Ramdas 2020; Ville 1939"
    place, colour, marker = 135, "#E69F00", "star"
    needs_draws = True
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9, 0.95), "float"),
        Parameter("confidence", "chance that the promise holds", 0.01, 0.9999, (0.95,), "float"),
        Parameter("every", "documents to one draw", 1, 1000, (5,)),
    )

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        # The draws of the path count, whatever `every` says.
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
        return replicates_of(seen)
