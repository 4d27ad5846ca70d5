"""The worth of several more studies in closed form, if what they estimate is taken to be normal.

A single number then says all that matters: n_0, how many studies the present knowledge is worth.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri, owens_t

from tarstop_core.value.payoffs import TOLERANCE, Flags, Floats, Payoffs


def evsi_of_studies(b: ArrayLike, n_0: ArrayLike, k: ArrayLike, payoffs: Payoffs) -> Floats:
    """Expected value of k more studies and then acting.

    Parameters
    ----------
    b : array_like
        Belief now, in [0, 1].
    n_0 : array_like
        How many studies the present knowledge is worth.
    k : array_like
        How many studies more. All three broadcast.
    payoffs : Payoffs
        What right and wrong decisions bring.

    Returns
    -------
    ndarray
        In the payoffs' unit, between 0 and EVPI(b).

    Notes
    -----
    The worth of a random number of studies is an expectation over it (:mod:`tarstop_core.value.cumulative`), not the worth
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
    """Expected worth of the studies that 1, 2 … M documents bring, from each depth on, shape (M, D).

    `rho` are the chances of all documents to bring one, shape (N,), and `of_studies` what 1, 2 … M studies are worth at the
    first D depths, shape (D, M). Of documents that differ in their chances the number of studies is Poisson binomial.

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
        How many studies the present knowledge is worth.
    k : array_like
        How many studies more. All three broadcast.
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
    """Whether further studies can move the belief at all.

    Parameters
    ----------
    b, n_0, k : array_like
        As of :func:`evsi_of_studies`.

    Returns
    -------
    ndarray of bool
    """
    b, n_0, k = (np.asarray(x, dtype=float) for x in (b, n_0, k))
    return np.asarray((k > 0) & np.isfinite(n_0) & (b > 0) & (b < 1))


def _threshold(b: Floats, n_0: Floats, k: Floats, q_star: float) -> tuple[Floats, Floats, Floats]:
    """a, e and r of :func:`evsi_of_studies`; harmless numbers where nothing can move."""
    moves = may_move(b, n_0, k)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(np.isinf(k), 1.0, k / (k + n_0))
    r = np.sqrt(np.clip(np.where(moves, share, 0.5), 1e-300, 1 - 1e-12))
    a = ndtri(np.where(moves, b, 0.5))
    a = np.where(np.abs(a) < 1e-12, 1e-12, a)  # both are divided by; the value is continuous there
    e = (a - np.sqrt(1 - r**2) * ndtri(q_star)) / r
    return a, np.where(np.abs(e) < 1e-12, 1e-12, e), r
