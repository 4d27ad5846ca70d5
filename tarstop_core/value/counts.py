"""Probabilities of counts; ``scipy.stats`` has them too, but importing it takes longer than most commands do."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaln, gammaln, xlog1py, xlogy

from tarstop_core.value.payoffs import Floats


def poisson(k: ArrayLike, mean: ArrayLike) -> Floats:
    """Poisson probability of k with this mean; arrays broadcast.

    >>> poisson([0, 1, 2], 1.0).round(3)
    array([0.368, 0.368, 0.184])
    """
    count, expected = np.asarray(k, dtype=float), np.asarray(mean, dtype=float)
    return np.asarray(np.exp(xlogy(count, expected) - gammaln(count + 1) - expected))


def binomial(k: ArrayLike, n: ArrayLike, p: ArrayLike) -> Floats:
    """Binomial probability of k among n, each with chance p.

    Parameters
    ----------
    k, n, p : array_like
        Counts, sizes and chances; they broadcast.

    Returns
    -------
    ndarray
        Probabilities; 0 for k above n.

    Examples
    --------
    >>> binomial([0, 1, 2, 3], 2, 0.5)
    array([0.25, 0.5 , 0.25, 0.  ])
    """
    count, others = _split(k, n)
    chance = np.asarray(p, dtype=float)
    log = log_ways(count, others) + xlogy(count, chance) + xlog1py(others, -chance)
    return np.where(np.asarray(k) <= np.asarray(n), np.exp(log), 0.0)


def beta_binomial(k: ArrayLike, n: ArrayLike, a: float, b: float) -> Floats:
    """Beta-binomial probability of k among n, whose common chance has a beta distribution.

    Parameters
    ----------
    k, n : array_like
        Counts and sizes; they broadcast.
    a, b : float
        Parameters of the beta distribution.

    Returns
    -------
    ndarray
        Probabilities; 0 for k above n.

    Examples
    --------
    >>> beta_binomial([0, 1, 2, 3], 2, 1.0, 1.0).round(3)
    array([0.333, 0.333, 0.333, 0.   ])
    """
    count, size = np.asarray(k), np.asarray(n)
    others = np.maximum(size - count, 0)
    # Most of the many pairs have the same number of others.
    of_others = _log_weight(np.arange(others.max(initial=0) + 1), b)[others]
    log = _log_weight(count, a) + of_others - _log_weight(size, a + b) - betaln(a, b)
    return np.where(count <= size, np.exp(log), 0.0)


def _log_weight(count: NDArray[np.int64], shape: float) -> Floats:
    """Logarithm of Γ(count + shape) / Γ(count + 1)."""
    return np.asarray(gammaln(count + shape) - gammaln(count + 1.0))


def _split(k: ArrayLike, n: ArrayLike) -> tuple[Floats, Floats]:
    """Return k, at most n, and n − k as arrays."""
    whole = np.asarray(n, dtype=float)
    count = np.minimum(np.asarray(k, dtype=float), whole)
    return count, whole - count


def log_ways(count: ArrayLike, others: ArrayLike) -> Floats:
    """Logarithm of the number of ways to choose `count` among `count + others`."""
    count, others = np.asarray(count, dtype=float), np.asarray(others, dtype=float)
    return np.asarray(-np.log1p(count + others) - betaln(count + 1, others + 1))
