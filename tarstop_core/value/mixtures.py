"""The value of further studies where heterogeneity is unknown, from a mixture of normal distributions.

After k more studies the belief depends on their mean ȳ and their sum of squares S (:mod:`tarstop_core.value.knowledge`). For
each S the values of ȳ at which the action changes are found; between them the expectation over ȳ is a bivariate normal
probability, and what is left is a sum over S.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from scipy.special import gammaln, ndtr

from tarstop_core.belief.both import both_below
from tarstop_core.effects.roots import roots
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.payoffs import Depths, Floats, Payoffs

SCAN = 48
"""Points of ȳ between which changes of action are searched for."""
REACH = 9.0
"""Standard deviations that ȳ and the root of S reach."""
ONE_BY_ONE = 5  # Up to this many studies every number is computed
SPACED = 1.6  # Factor between further numbers that are computed; others are interpolated
MOST = 400  # More studies than this are valued as this many


def worth_of_studies(parts: Knowledge, studies: Floats | Depths, payoffs: Payoffs) -> Floats:
    """Expected value of further studies followed by a decision.

    Parameters
    ----------
    parts : Knowledge
        What is known now, by heterogeneity.
    studies : array_like, shape (K,)
        Numbers of studies, rising, each at least 1.
    payoffs : Payoffs
        Payoffs of two options.

    Returns
    -------
    ndarray, shape (K,)
        In the payoffs' unit, between 0 and EVPI.
    """
    gain = over_studies(studies, lambda k: _gain_and_chance(parts, k, payoffs.q_star))[0] * payoffs.K
    return np.clip(gain, 0.0, payoffs.evpi(parts.b))


def chance_of_plus(parts: Knowledge, studies: Floats | Depths, q_star: float) -> Floats:
    """Chance that the belief exceeds q* after further studies.

    Parameters
    ----------
    parts, studies
        As for :func:`worth_of_studies`.
    q_star : float
        Threshold belief above which a⁺ is chosen.

    Returns
    -------
    ndarray, shape (K,)
        Chances.
    """
    return np.clip(over_studies(studies, lambda k: _gain_and_chance(parts, k, q_star))[1], 0.0, 1.0)


def over_studies(
    studies: Floats | Depths, compute: Callable[[int], tuple[float, float]]
) -> tuple[Floats, Floats]:
    """Apply a function of a number of studies, which returns two values, to many numbers; both results have their shape.

    It is computed for a few numbers up to the largest, and interpolated between them.
    """
    numbers = np.minimum(np.asarray(studies, dtype=float), MOST)
    nodes = [k for k in range(1, ONE_BY_ONE + 1) if k <= numbers.max()]
    while nodes[-1] < numbers.max():
        nodes.append(max(nodes[-1] + 1, round(nodes[-1] * SPACED)))
    computed = np.array([compute(k) for k in nodes])
    at = np.log(np.array(nodes, dtype=float))
    first, second = (np.interp(np.log(numbers), at, column) for column in computed.T)
    return first, second


@lru_cache(maxsize=4096)
def _gain_and_chance(parts: Knowledge, k: int, q_star: float) -> tuple[float, float]:
    """EVSI/K of exactly k studies, and the chance that they lead to a⁺."""
    if parts.b > q_star:
        # Mirrored, the gain of giving a⁺ up in time needs no subtraction of nearly equal numbers.
        mirrored = Knowledge(parts.weight, -parts.mean, parts.precision, parts.study)
        gain, minus = _gain(mirrored, k, 1 - q_star)
        return gain, 1 - minus
    return _gain(parts, k, q_star)


def _gain(parts: Knowledge, k: int, q_star: float) -> tuple[float, float]:
    """E[(b′ − q*)⁺] and P(b′ > q*) for the belief b′ after k studies, if b is at most q*."""
    spread = np.sqrt(1 / parts.precision + 1 / (k * parts.study))
    sums, shares = sums_of_squares(parts, k)
    low, high = (parts.mean - REACH * spread).min(), (parts.mean + REACH * spread).max()
    middle, unit = float(parts.weight @ parts.mean), float(spread.min())
    ends = np.arcsinh((np.array([low, high]) - middle) / unit)
    scan = middle + unit * np.sinh(np.linspace(float(ends[0]), float(ends[1]), SCAN))
    above = parts.beliefs_after(k, k, scan, sums**2) > q_star
    row, left = np.nonzero(above[:, 1:] != above[:, :-1])
    rising = above[row, left + 1]

    of_squares = parts.log_likelihood_of_squares(k, sums[row] ** 2)

    def beyond_threshold(mean: Floats) -> Floats:
        """b′ − q* at these means."""
        log = of_squares + parts.log_weight_by_mean(k, mean)
        weight = np.exp(log - log.max(axis=-1, keepdims=True))
        centre, precision = parts.average_after(k, mean)
        return np.asarray((weight * (ndtr(centre * np.sqrt(precision)) - q_star)).sum(axis=-1))

    turn = roots(beyond_threshold, scan[left], scan[left + 1])
    # Each change of action adds or takes away all that lies beyond it; one column for each part.
    sign = np.where(rising, 1.0, -1.0)[:, None] * shares[row]
    gained, beyond = _beyond(turn, parts, spread, q_star)
    always = shares[above[:, 0]].sum(axis=0)
    from_start = ndtr(parts.mean * np.sqrt(parts.precision)) - q_star
    gain = (sign * gained).sum(axis=0) + always * from_start
    plus = (sign * beyond).sum(axis=0) + always
    return float(parts.weight @ gain), float(parts.weight @ plus)


def _beyond(y: Floats, parts: Knowledge, spread: Floats, q_star: float) -> tuple[Floats, Floats]:
    """E[(1{μ > λ} − q*)·1{ȳ > y}] and P(ȳ > y) in each part, shape (…, J)."""
    h = (parts.mean - y[:, None]) / spread
    a = parts.mean * np.sqrt(parts.precision)
    beyond = ndtr(h)
    # Correlation of μ and ȳ, which is μ plus the error of the studies.
    r = 1 / np.sqrt(parts.precision) / spread
    return both_below(h, a, r) - q_star * beyond, beyond


def sums_of_squares(parts: Knowledge, k: int) -> tuple[Floats, Floats]:
    """Nodes of √S of k studies, shape (M,), and the probability of each in each part, shape (M, J)."""
    if k == 1:
        return np.zeros(1), np.ones((1, len(parts.weight)))
    unit, largest = float((parts.study**-0.5).min()), float((parts.study**-0.5).max())
    # √S in its own unit is χ distributed with k − 1 degrees of freedom, which the spacing of nodes follows.
    width = 1 / np.sqrt(2 * k)
    least = max(0.0, np.sqrt(k - 1) - REACH / np.sqrt(2))
    t = np.arange(np.arcsinh(least), np.arcsinh((np.sqrt(k - 1) + REACH) * largest / unit) + width, width)
    roots = unit * np.sinh(t)
    x = np.maximum(roots, 1e-300)[:, None] * np.sqrt(parts.study)
    log = (k - 2) * np.log(x) - x**2 / 2 - gammaln((k - 1) / 2) + 0.5 * np.log(parts.study)
    density = np.exp(log) * (unit * np.cosh(t))[:, None]
    density[0] *= 0.5 if not least else 1.0
    return roots, density / density.sum(axis=0)
