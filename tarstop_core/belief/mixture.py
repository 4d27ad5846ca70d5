"""A list of unknown kind: what its kinds are, how hits update them, and how many hits remain.

A list is of an unknown kind j = 1 … J, with weights w_j. In a list of kind j, document k is a hit with chance
1 − exp(−u·λ_jk): λ_jk is its exposure, and u a factor of the list, gamma distributed with mean 1. The documents read update
the weights and the factors in closed form. With one kind and a constant factor (an infinite shape) documents are independent,
as in the paper; with one kind and a finite shape it is the frailty of :func:`tarstop_core.belief.decisive.hit_curve`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincc, gammaincc, gammaln, logsumexp

from tarstop_core.documents.tables import Flags, Floats, Ints
from tarstop_core.presentation.numbers import INTERVAL_LEVEL

TINY = 1e-300
NEGLIGIBLE = 1e-9  # Chance of an upper tail that is left out
RANK_UNIT = 10.0  # Reference rank of the exposure in the family "power"


@dataclass(frozen=True, eq=False)
class Mixture:
    """Probabilities of the kinds that a list may be of, and for each kind the gamma distribution of its factor u."""

    log_weight: Floats  # Log of w_j, which add up to 1; shape (J,)
    shape: Floats  # Shape of the gamma distribution of u in each kind; infinite where u is 1; shape (J,)
    rate: Floats  # Rate of that distribution: before anything is read, equal to the shape; shape (J,)

    @property
    def weight(self) -> Floats:
        """Probability w_j of each kind, shape (J,)."""
        return np.exp(self.log_weight)

    def for_many(self, axes: int) -> Mixture:
        """Return the mixture with this many axes, the kinds first, to broadcast over many exposures."""
        across = (..., *(None,) * (axes - self.shape.ndim))
        return Mixture(self.log_weight[across], self.shape[across], self.rate[across])


def mixture(weight: ArrayLike, shape: ArrayLike) -> Mixture:
    """Return the mixture before any document is read: u has mean 1 in every kind; weights are normalised."""
    w, a = np.asarray(weight, dtype=float), np.asarray(shape, dtype=float)
    return Mixture(np.log(w / w.sum()), a, a)


def log_passed(mix: Mixture, exposure: ArrayLike) -> Floats:
    """Log of the chance of no hit among documents with exposure Λ_j, given each kind; shape (J,) or (J, N).

    >>> log_passed(mixture([1, 1], [np.inf, 1]), [0.5, 1.0]).round(3)
    array([-0.5  , -0.693])
    """
    total = np.asarray(exposure, dtype=float)
    fixed, a, r = _factors(mix.for_many(total.ndim))
    return np.where(fixed, -total, -a * np.log1p(total / r))


def _factors(mix: Mixture) -> tuple[Flags, Floats, Floats]:
    """Flags of kinds with constant u = 1, and shape and rate of u with 1 in place of their infinite values."""
    fixed = np.isinf(mix.shape)
    return fixed, np.where(fixed, 1.0, mix.shape), np.where(fixed, 1.0, mix.rate)


def log_no_hit(mix: Mixture, exposure: ArrayLike) -> Floats:
    """Log of the chance of no hit, averaged over kinds; shape () or (N,). With cumulative exposures it is log M_d.

    >>> log_no_hit(mixture([1], [2.0]), [[0.5, 1.0]]).round(3)
    array([-0.446, -0.811])
    """
    passed = log_passed(mix, exposure)
    if len(passed) == 1:
        return np.asarray(passed[0])
    weighted = passed + mix.for_many(passed.ndim).log_weight
    # Weights add up to 1 except for rounding, and no hit among none is certain.
    return np.asarray(np.where((passed == 0).all(axis=0), 0.0, logsumexp(weighted, axis=0)))


def updated(
    mix: Mixture,
    read: ArrayLike,
    hits: int | Ints = 0,
    log_at_hits: float | Floats = 0.0,
    temper: float = 1.0,
) -> Mixture:
    """Update a mixture by the documents read, or by each of N sets of them.

    Hits count as points of a Poisson process: exact for misses, and accurate where single documents have small exposures.
    The order of reading does not matter, so updates can be chained.

    Parameters
    ----------
    mix : Mixture
        What was known before.
    read : array_like, shape (J,) or (J, N)
        In each kind, the sum of the exposures of the documents read, hits included.
    hits : int or ndarray of int, shape (N,)
        How many hits there were.
    log_at_hits : float or ndarray, shape as `read`
        Sum of the logs of the exposures of the hits.
    temper : float
        Power to which the evidence about the kind is taken; the factor u is updated in full.

    Returns
    -------
    Mixture

    Examples
    --------
    One hit where four were expected by one kind and one by the other:

    >>> updated(mixture([1, 1], [np.inf, np.inf]), [4.0, 1.0], 1, np.log([0.4, 0.1])).weight.round(2)
    array([0.17, 0.83])
    """
    total = np.asarray(read, dtype=float)
    before = mix.for_many(total.ndim)
    fixed, a, r = _factors(before)
    # Hits multiply the chance of no hit by E[u^h exp(−uΛ)] / E[exp(−uΛ)], and by their exposures.
    log_rise = np.where(fixed, 0.0, gammaln(a + hits) - gammaln(a) - hits * np.log(r + total))
    log = before.log_weight + temper * (log_passed(mix, total) + log_rise + log_at_hits)
    return Mixture(
        log - logsumexp(log, axis=0), before.shape + hits, np.where(fixed, before.rate, before.rate + total)
    )


@dataclass(frozen=True, eq=False)
class Remaining:
    """Distribution of the number of hits among unread documents.

    A mixture of negative binomial distributions, cut off at the number of documents.
    """

    weight: Floats  # Probability of each kind, shape (J,)
    shape: Floats  # Shape of its negative binomial; infinite for a Poisson distribution; shape (J,)
    expected: Floats  # Mean of that before the cut-off, shape (J,)
    documents: int  # How many are unread

    def chance_of_at_most(self, number: int) -> float:
        """Chance of this many hits or fewer."""
        if number >= self.documents:
            return 1.0
        if number not in self._computed:
            self._computed[number] = self._at_most(number) / self._possible if number >= 0 else 0.0
        return self._computed[number]

    @cached_property
    def _computed(self) -> dict[int, float]:
        """Cached chances: a rule and the words of its advice ask for the same ones."""
        return {}

    def times(self, factor: float) -> Remaining:
        """Return the distribution with every kind's mean multiplied by this factor."""
        return replace(self, expected=factor * self.expected)

    def _at_most(self, number: float, more: float = 0.0) -> float:
        """Cumulative distribution before the cut-off; with `more` added to the shapes, each kind is weighted by its mean too."""
        fixed = np.isinf(self.shape)
        a = np.where(fixed, 1.0, self.shape)
        below = betaincc(number + 1, a + more, self.expected / (a + self.expected))
        if fixed.any():
            below = np.where(fixed, gammaincc(number + 1, self.expected), below)
        return float((self.weight * self.expected if more else self.weight) @ below)

    @cached_property
    def _possible(self) -> float:
        """Chance before the cut-off that hits do not exceed the documents."""
        return max(self._at_most(self.documents), TINY)

    @cached_property
    def mean(self) -> float:
        """Expected number of hits."""
        if not self.documents:
            return 0.0
        # k·P(k) of a negative binomial is its mean times the chance of k − 1 with one more added to the shape.
        return min(self._at_most(self.documents - 1, 1.0) / self._possible, self.documents)

    def quantile(self, share: float) -> int:
        """Smallest number that hits do not exceed with at least this chance."""
        # Each chance costs time, and most lists hold far fewer hits than documents: search from the mean outwards.
        low, high = 0, min(max(1, round(float(self.weight @ self.expected))), self.documents)
        while self.chance_of_at_most(high) < share - NEGLIGIBLE:
            low, high = high, min(2 * high, self.documents)
        return bisect_left(range(high), share - NEGLIGIBLE, lo=low, key=self.chance_of_at_most)

    def interval(self, level: float = INTERVAL_LEVEL) -> tuple[int, int]:
        """Both ends of the central interval that holds this share."""
        tail = (1 - level) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    @cached_property
    def chance(self) -> Floats:
        """Chance of 0, 1, 2, … hits, shape (k + 1,), without a negligible tail; adds up to 1."""
        k = np.arange(self.quantile(1.0) + 1.0)
        shapes, of = np.unique(self.shape, return_inverse=True)
        log = np.empty((len(shapes), len(k)))
        for i, a in enumerate(shapes):
            mean, weight, fixed = self.expected[of == i], self.weight[of == i], math.isinf(a)
            constant = np.log(weight) - (mean if fixed else a * np.log1p(mean / a))
            slope = np.log(np.maximum(mean, TINY)) - (0.0 if fixed else np.log(a + mean))
            rise = 0.0 if fixed else gammaln(a + k) - gammaln(a)
            log[i] = rise + _log_sum(constant[:, None] + np.outer(slope, k))
        log = _log_sum(log) - gammaln(k + 1)
        return np.exp(log - _log_sum(log))


def _log_sum(terms: Floats) -> Floats:
    """Log of the sum of exponentials of finite terms along the first axis; `logsumexp`, which takes all, is far slower."""
    top = terms.max(axis=0)
    return np.asarray(top + np.log(np.exp(terms - top).sum(axis=0)))


def remaining(mix: Mixture, exposure: ArrayLike, documents: int) -> Remaining:
    """Distribution of the number of hits among documents.

    Parameters
    ----------
    mix : Mixture
        Kinds of lists.
    exposure : array_like, shape (J,)
        In each kind, the sum of the exposures of the documents.
    documents : int
        Number of documents; there are never more hits.

    Returns
    -------
    Remaining

    Examples
    --------
    >>> hits = remaining(mixture([1], [2.0]), [3.0], 100)
    >>> round(hits.mean, 2), hits.interval()
    (3.0, (0, 8))
    >>> remaining(mixture([1], [2.0]), [3.0], 2).interval()
    (0, 2)
    """
    _, a, r = _factors(mix)
    return Remaining(mix.weight, mix.shape, a * np.asarray(exposure, dtype=float) / r, documents)


def remaining_from_forecasts(weight: Floats, shape: float, expected: Floats, documents: int) -> Remaining:
    """Distribution of the remaining hits from gamma components of one shape; components with nearly equal means are merged.

    Parameters
    ----------
    weight, expected : ndarray, shape (J,)
        Weights of the components, and their means.
    shape : float
        Shape of every component; infinite for Poisson.
    documents : int
        Documents that remain.

    Returns
    -------
    Remaining
    """
    at = np.round(np.log(np.maximum(expected, LEAST_EXPECTED)) / BIN_WIDTH).astype(int)
    _, of_bin = np.unique(at, return_inverse=True)
    together = np.bincount(of_bin, weight)
    kept = together > RARE
    mean = np.bincount(of_bin, weight * expected)[kept] / together[kept]
    return Remaining(together[kept] / together[kept].sum(), np.full(len(mean), shape), mean, documents)


LEAST_EXPECTED = 0.002  # Expected numbers below this count as equal
BIN_WIDTH = 0.2  # Width, in logs of expected numbers, within which components are merged
RARE = 1e-6  # Weight up to which merged components are dropped
EXACT = 200  # First ranks of a long list at which its survival is computed, every one of them
KNOTS = 400  # Ranks in all at which it is computed; the others lie ever farther apart


@dataclass(frozen=True, eq=False)
class ListMixture:
    """Kinds of lists that one list may be of, given the chances of its documents.

    In kind j the exposure of document k is factor_j · ratio_ik · (−log(1 − p_k)), where i is its profile.
    """

    start: Mixture  # The kinds before anything is read
    factor: Floats  # factor_j, shape (J,)
    profile: NDArray[np.intp]  # Which row of `ratio` each kind has, shape (J,)
    ratio: Floats  # ratio_ik, shape (profiles, N)

    def log_no_hit(self, exposure: Floats) -> Floats:
        """Log of the chance of no hit, shape (N,), from exposures by profile, shape (profiles, N)."""
        return log_no_hit(self.start, self.factor[:, None] * exposure[self.profile])

    def log_survival(self, exposure: Floats) -> Floats:
        """Log of the chance of no hit from exposures that rise along a list; a long list is interpolated between KNOTS ranks."""
        last = exposure.shape[1] - 1
        if last <= KNOTS:
            return self.log_no_hit(exposure)
        late = np.geomspace(EXACT, last, KNOTS - EXACT).round().astype(int)
        at = np.unique(np.concatenate((np.arange(EXACT), late)))
        average = exposure.mean(axis=0)
        return np.asarray(np.interp(average, average[at], self.log_no_hit(exposure[:, at])))


def power_exposure(k: ArrayLike, slope: Floats) -> Floats:
    """Exposure of the first k documents in the family "power", before it is multiplied by e^v; k and slopes broadcast."""
    return np.asarray((np.maximum(k, 0) / RANK_UNIT) ** slope)


def weighted_quantiles(values: Floats, weight: Floats, sure: float) -> tuple[float, float]:
    """Both ends of the central interval of weighted points.

    Parameters
    ----------
    values, weight : ndarray, shape (G,)
        The points, and their weights, which add up to 1.
    sure : float
        Share of the weight inside the interval.

    Returns
    -------
    low, high : float
        Interpolated: a point's value is reached halfway through its own weight.
    """
    order = np.argsort(values)
    below = np.cumsum(weight[order]) - weight[order] / 2
    low, high = np.interp([(1 - sure) / 2, (1 + sure) / 2], below, values[order])
    return float(low), float(high)
