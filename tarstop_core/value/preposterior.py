"""The value of several more studies in closed form, if what they estimate is taken to be normal.

Present knowledge then enters only by the belief and by n_0, the number of studies that it is worth.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, owens_t

from tarstop_core.value.payoffs import TOLERANCE, Flags, Floats, Payoffs


def evsi_of_studies(b: ArrayLike, n_0: ArrayLike, k: ArrayLike, payoffs: Payoffs) -> Floats:
    """Expected value of k more studies followed by a decision.

    Parameters
    ----------
    b : array_like
        Belief now, in [0, 1].
    n_0 : array_like
        Number of studies that the present knowledge is worth.
    k : array_like
        Number of further studies, which may be fractional. All three broadcast.
    payoffs : Payoffs
        Payoffs of two options.

    Returns
    -------
    ndarray
        In the payoffs' unit, between 0 and EVPI(b).

    Notes
    -----
    The value of a random number of studies is an expectation over it (:mod:`tarstop_core.value.cumulative`), not the value
    of its mean.

    Preposterior normal theory (Ades, Lu & Claxton 2004; Jalal & Alarid-Escudero 2018; Heath, Manolopoulou
    & Baio 2018, doi 10.1177/0272989X18788346): k studies move the posterior mean of μ with correlation
    r = √(k/(k + n_0)) to μ. With a = Φ⁻¹(b) and e = (a − √(1−r²)·Φ⁻¹(q*))/r, the belief ends above q* with
    chance Φ(e), and EVSI/K = Φ₂(a, e; r) − q*·Φ(e) − (b − q*)⁺. The bivariate normal is written with Owen's T.

    Examples
    --------
    >>> evsi_of_studies(0.5, 2.0, [0, 1, 10], Payoffs.from_q_star(0.5)).round(3)
    array([0.   , 0.098, 0.183])
    """
    b, n_0, k = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (b, n_0, k)))
    a, e, r = _threshold(b, n_0, k, payoffs.q_star)
    z = float(ndtri(payoffs.q_star))
    both = (b + ndtr(e)) / 2 - owens_t(a, (a * np.sqrt(1 - r**2) - z) / (r * a)) - owens_t(e, z / e)
    both -= np.where(a * e < 0, 0.5, 0.0)
    gain = payoffs.K * (both - payoffs.q_star * ndtr(e) - np.maximum(0.0, b - payoffs.q_star))
    return np.where(may_move(b, n_0, k), np.clip(gain, 0.0, payoffs.evpi(b)), 0.0)


def worth_of_short_plans(rho: Floats, of_studies: Floats) -> Floats:
    """Expected value of the studies that the next 1, 2 … M documents bring, at each of the first D depths, shape (M, D).

    `rho` has the chance of each document to bring a study, shape (N,), and `of_studies` the value of 1, 2 … M studies at the
    first D depths, shape (D, M). The number of studies is Poisson binomial.

    >>> worth_of_short_plans(np.array([0.5, 0.2]), np.array([[1.0, 1.5]])).round(2).ravel()
    array([0.5 , 0.65])
    """
    end, most = of_studies.shape
    rho = np.append(rho, np.zeros(most))
    turn_up, worth = np.zeros((most + 1, end)), np.empty((most, end))
    turn_up[0] = 1.0
    for m in range(most):
        chance = rho[m : m + end]
        one_more = turn_up[:-1] * chance
        turn_up *= 1 - chance
        turn_up[1:] += one_more
        worth[m] = (turn_up[1:].T * of_studies).sum(axis=1)
    return worth


def chance_plus(b: ArrayLike, n_0: ArrayLike, k: ArrayLike, q_star: float) -> Floats:
    """Chance that the belief exceeds q* after k more studies, by the theory of :func:`evsi_of_studies`.

    Parameters
    ----------
    b : array_like
        Belief now, in [0, 1].
    n_0 : array_like
        Number of studies that the present knowledge is worth.
    k : array_like
        Number of further studies. All three broadcast.
    q_star : float
        Threshold belief above which a⁺ is chosen.

    Returns
    -------
    ndarray
        Chances.

    Examples
    --------
    >>> chance_plus(0.7, 2.0, [0, 1, 100], 0.5).round(2)
    array([1.  , 0.82, 0.7 ])
    """
    b, n_0, k = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (b, n_0, k)))
    now = (b > q_star + TOLERANCE).astype(float)
    return np.where(may_move(b, n_0, k), ndtr(_threshold(b, n_0, k, q_star)[1]), now)


def may_move(b: ArrayLike, n_0: ArrayLike, k: ArrayLike) -> Flags:
    """Flags of where further studies can move the belief at all.

    Parameters
    ----------
    b, n_0, k : array_like
        As for :func:`evsi_of_studies`.

    Returns
    -------
    ndarray of bool
        False for no studies, certain beliefs or infinite n_0.
    """
    b, n_0, k = (np.asarray(x, dtype=float) for x in (b, n_0, k))
    return np.asarray((k > 0) & np.isfinite(n_0) & (b > 0) & (b < 1))


def _threshold(b: Floats, n_0: Floats, k: Floats, q_star: float) -> tuple[Floats, Floats, Floats]:
    """a, e and r of :func:`evsi_of_studies`; arbitrary finite numbers where nothing can move the belief."""
    moves = may_move(b, n_0, k)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(np.isinf(k), 1.0, k / (k + n_0))
    r = np.sqrt(np.clip(np.where(moves, share, 0.5), 1e-300, 1 - 1e-12))
    a = ndtri(np.where(moves, b, 0.5))
    a = np.where(np.abs(a) < 1e-12, 1e-12, a)  # a and e are divisors; the value is continuous at 0
    e = (a - np.sqrt(1 - r**2) * ndtri(q_star)) / r
    return a, np.where(np.abs(e) < 1e-12, 1e-12, e), r
