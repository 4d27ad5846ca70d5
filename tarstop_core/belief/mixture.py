"""Where the hits of a list come from when it is not known what kind of list it is.

A list is of an unknown kind j out of J, with weights w_j. In a list of kind j document k has the exposure λ_jk, times a
factor u of this list that is gamma distributed with mean 1: it is a hit with chance 1 − exp(−u·λ_jk). What was read
says which kind it probably is and how rich it is: weights and factors are updated in closed form. With one kind and
a factor that does not vary (an infinite shape) documents are independent, as in the paper; with one kind and a finite shape
it is the frailty of :func:`tarstop_core.belief.decisive.hit_curve`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaln, logsumexp

Floats = NDArray[np.float64]
LEAST = 1e-12
"""Exposure of a document at least, where it turned out to be a hit: what was held impossible decides nothing."""
NEGLIGIBLE = 1e-9
"""Chance beyond which numbers left are not reckoned with."""


@dataclass(frozen=True, eq=False)
class Mixture:
    """What is known of a list: which kind it is, and how rich for its kind."""

    log_weight: Floats
    """Log of w_j, which add up to 1; shape (J,)."""
    shape: Floats
    """Of the gamma distribution of u given each kind; infinite where u is 1; shape (J,)."""
    rate: Floats
    """Its rate: before anything is read, the shape itself; shape (J,)."""

    @property
    def weight(self) -> Floats:
        """w_j, shape (J,)."""
        return np.exp(self.log_weight)


def mixture(weight: ArrayLike, shape: ArrayLike) -> Mixture:
    """Before anything was read: u has mean 1 in every kind.

    Parameters
    ----------
    weight : array_like, shape (J,)
        Above 0; brought to add up to 1.
    shape : array_like, shape (J,)
        a_j, above 0, may be infinite.
    """
    w, a = np.asarray(weight, dtype=float), np.asarray(shape, dtype=float)
    return Mixture(np.log(w / w.sum()), a, a)


def log_passed(known: Mixture, exposure: ArrayLike) -> Floats:
    """Log of the chance that documents of this exposure hold no hit given each kind, of the shape of `exposure`.

    Parameters
    ----------
    known : Mixture
    exposure : array_like, shape (J,) or (J, N)
        Λ_j, summed over the documents in question.

    Examples
    --------
    >>> log_passed(mixture([1, 1], [np.inf, 1]), [0.5, 1.0]).round(3)
    array([-0.5  , -0.693])
    """
    total = np.asarray(exposure, dtype=float)
    across = (..., *(None,) * (total.ndim - 1))
    shape, rate = known.shape[across], known.rate[across]
    fixed = np.isinf(shape)
    a, r = np.where(fixed, 1.0, shape), np.where(fixed, 1.0, rate)
    return np.where(fixed, -total, -a * np.log1p(total / r))


def log_no_hit(known: Mixture, exposure: ArrayLike) -> Floats:
    """Log of the chance of no hit, over all kinds; shape () or (N,).

    With cumulative exposures this is the log of M_d.

    Examples
    --------
    >>> log_no_hit(mixture([1], [2.0]), [[0.5, 1.0]]).round(3)
    array([-0.446, -0.811])
    """
    passed = log_passed(known, exposure)
    if len(passed) == 1:
        return np.asarray(passed[0])
    weighted = passed + known.log_weight[(..., *(None,) * (passed.ndim - 1))]
    # Weights add up to 1 but for rounding, and no hit among none is certain.
    return np.asarray(np.where((passed == 0).all(axis=0), 0.0, logsumexp(weighted, axis=0)))


def updated(known: Mixture, read: ArrayLike, at_hits: ArrayLike | None = None) -> Mixture:
    """After reading some documents and finding some hits among them.

    A hit counts as a point of a Poisson process, which is exact for misses and good where single documents have small
    exposures. The order of reading does not matter: reading more updates what came out before.

    Parameters
    ----------
    known : Mixture
    read : array_like, shape (J,)
        Sum of the exposures of all documents that were read, hits included.
    at_hits : array_like, shape (J, h), optional
        Exposures of those that were hits.

    Examples
    --------
    One hit where four were expected by one kind and one by the other:

    >>> after = updated(mixture([1, 1], [np.inf, np.inf]), [4.0, 1.0], [[0.4], [0.1]])
    >>> after.weight.round(2)
    array([0.17, 0.83])
    """
    total = np.asarray(read, dtype=float)
    hits = np.zeros((len(total), 0)) if at_hits is None else np.asarray(at_hits, dtype=float)
    h = hits.shape[1]
    fixed = np.isinf(known.shape)
    a, r = np.where(fixed, 1.0, known.shape), np.where(fixed, 1.0, known.rate)
    # ∫ u^h exp(−u·Λ) of the gamma distribution, beside what one miss after another costs.
    risen = np.where(fixed, 0.0, gammaln(a + h) - gammaln(a) - h * np.log(r + total))
    log = known.log_weight + log_passed(known, total) + risen + np.log(np.maximum(hits, LEAST)).sum(axis=1)
    return Mixture(log - logsumexp(log), known.shape + h, np.where(fixed, known.rate, known.rate + total))


def chances(known: Mixture, exposure: ArrayLike) -> Floats:
    """Chance of each document to be a hit, by itself, as known now, shape (N,).

    Parameters
    ----------
    known : Mixture
    exposure : array_like, shape (J, N)
        λ_jk of each document.

    Examples
    --------
    >>> chances(mixture([1], [np.inf]), [[0.6931472, 0.0]]).round(3)
    array([0.5, 0. ])
    """
    return np.asarray(known.weight @ -np.expm1(log_passed(known, exposure)))


@dataclass(frozen=True, eq=False)
class Left:
    """How many hits are among documents that nobody has read."""

    chance: Floats
    """Of 0, 1, 2, … hits; adds up to 1; shape (at most documents + 1,)."""

    @property
    def mean(self) -> float:
        """Expected number."""
        return float(self.chance @ np.arange(len(self.chance)))

    def quantile(self, share: float) -> int:
        """The least number that is not exceeded with this chance."""
        at = int(np.searchsorted(np.cumsum(self.chance), share - NEGLIGIBLE))
        return min(at, len(self.chance) - 1)

    def interval(self, level: float = 0.9) -> tuple[int, int]:
        """Ends of the central interval."""
        tail = (1 - level) / 2
        return self.quantile(tail), self.quantile(1 - tail)


def left(known: Mixture, exposure: ArrayLike, documents: int) -> Left:
    """Hits among documents: a mixture of negative binomials, given that there are no more than documents.

    Parameters
    ----------
    known : Mixture
    exposure : array_like, shape (J,)
        Sum of their exposures.
    documents : int
        How many there are.

    Examples
    --------
    >>> found = left(mixture([1], [2.0]), [3.0], 100)
    >>> round(found.mean, 2), found.interval()
    (3.0, (0, 8))
    >>> left(mixture([1], [2.0]), [3.0], 2).interval()
    (0, 2)
    """
    total = np.asarray(exposure, dtype=float)
    fixed = np.isinf(known.shape)
    a, r = np.where(fixed, 1.0, known.shape), np.where(fixed, 1.0, known.rate)
    mean = np.where(fixed, total, a * total / r)
    spread = np.sqrt(mean * np.where(fixed, 1.0, 1 + total / r))
    # Gamma tails fall like exp(−k·r/(r + total)): forty of that length hold all but a part in 10^15.
    length = np.where(fixed, 1.0, 1 + total / r)
    most = int(min(documents, np.ceil((mean + 10 * spread + 40 * length).max())))
    k = np.arange(most + 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = np.where(total > 0, np.log(np.maximum(total, LEAST)), -np.inf)[:, None]
        times = np.where(k == 0, 0.0, k * each)
        poisson = times - total[:, None]
        a, r, t = a[:, None], r[:, None], total[:, None]
        negative = gammaln(a + k) - gammaln(a) - a * np.log1p(t / r) - k * np.log(r + t) + times
    log = np.where(fixed[:, None], poisson, negative) - gammaln(k + 1) + known.log_weight[:, None]
    log = logsumexp(log, axis=0)
    return Left(np.exp(log - logsumexp(log)))


EXACT = 200
KNOTS = 400
"""Of a long list the chances are reckoned at the first documents, and from there at places ever farther apart."""


@dataclass(frozen=True, eq=False)
class Kinds:
    """Kinds of lists beside the chances of the documents of one.

    In kind j the exposure of document k is factor_j · ratio_ik · (−log(1 − p_k)), where i is its profile.
    """

    known: Mixture
    factor: Floats
    """Shape (J,)."""
    profile: NDArray[np.intp]
    """Which row of `ratio` each kind has, shape (J,)."""
    ratio: Floats
    """Shape (profiles, N)."""

    def log_no_hit(self, exposure: Floats) -> Floats:
        """:func:`log_no_hit` of exposures by profile, shape (profiles, N) to (N,)."""
        return log_no_hit(self.known, self.factor[:, None] * exposure[self.profile])

    def log_survival(self, exposure: Floats) -> Floats:
        """The same of exposures that rise along a list, which may be long."""
        last = exposure.shape[1] - 1
        if last <= KNOTS:
            return self.log_no_hit(exposure)
        late = np.geomspace(EXACT, last, KNOTS - EXACT).round().astype(int)
        at = np.unique(np.concatenate((np.arange(EXACT), late)))
        risen = exposure.mean(axis=0)
        return np.asarray(np.interp(risen, risen[at], self.log_no_hit(exposure[:, at])))
