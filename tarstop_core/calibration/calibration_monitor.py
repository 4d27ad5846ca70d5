"""Do chances fit the labels? An answer that may be looked at after every document.

Lists differ, and within what they differ nothing is wrong: the number of hits only says by which factor this list's chances
should be multiplied. What the differences between lists do not cover is tested by an e-value: the chance of the labels if
hits lay along the list otherwise, over their chance if the chances are right, differences between lists included. If the
chances are right the e-value is a martingale of mean 1, so that it ever reaches 20 in one session in twenty at most, whenever
and however often somebody looks.

Notes
-----
J. Ville (1939), Étude critique de la notion de collectif, Gauthier-Villars. The alternatives are this program's.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv, logsumexp, ndtri, polygamma

from tarstop_core.belief.mixture import Left
from tarstop_core.calibration.thinning import TOTAL_SHAPE, Thinning, expected_share, shape_nodes, share_at
from tarstop_core.documents.tables import Flags, Floats

CONFIDENCE = 0.9  # Of the intervals of number and factor
PRIOR_SHAPE = 4.0
"""Most that is trusted of a calibrator: a list of one's own may be less like the training lists than those were like
each other. With 4, nine factors in ten lie between 0.34 and 1.9."""
E_LIMIT = 20.0
"""E-value from which chances count as not fitting: one session in twenty at most reaches it although its chances are right."""
# Shapes of the curve of hits that compete with those of the training lists.
OTHER_ALPHA = (0.15, 0.4, 1.0, 1.8, 3.0)
OTHER_BETA = (0.5, 1.0, 2.0, 5.0)
# Powers of the rank that compete with the chances where there is no curve: in patents, and after a rescaling.
OTHER_TILTS = (0.25, 0.5, 2.0, 4.0)
# Factors that compete with the level of the chances: after a rescaling, and over a person's lists.
OTHER_FACTORS = (0.125, 0.25, 0.5, 2.0, 4.0, 8.0)
# Powers of the odds that compete with chances forecast one document at a time.
OTHER_POWERS = (0.5, 2.0)
NUMBERS = 25  # Nodes of the number of hits in a list
FACTORS = 24  # Nodes of the factor that a list's chances are multiplied by
ENOUGH_LISTS = 10  # Finished lists from which their common level is judged


@dataclass(frozen=True)
class Check:
    """Relevant documents expected among those read, and how many there were."""

    read: int
    """Documents with a label that counts: not unsure ones, hits that wait for confirmation or, in a review in one stage,
    reports that wait.
    """
    expected: float  # Sum of their chances as they are used now; in patents, given that prior art exists
    low: int
    high: int
    """`low` and `high`: interval of :data:`CONFIDENCE` of the number relevant, over lists that differ as training lists do."""
    found: int
    factor: float
    """What the calibrator's chances should be multiplied by, given what was found: posterior mean."""
    factor_low: float
    factor_high: float
    """`factor_low` and `factor_high`: its interval of :data:`CONFIDENCE`."""
    offered: bool
    """Whether the factor's interval leaves out the present one, or the chances do not fit, and multiplying is right."""
    misses: float | None = None  # Patents in which nothing was found: chance of that, if prior art exists
    unsure: int = 0
    waiting: int = 0
    """`unsure` and `waiting`: documents left out because they are unsure; because a hit is to be confirmed or a report
    waits.
    """
    e_value: float = 1.0
    """How many times likelier the labels are where hits lie otherwise than the chances foresee."""

    @property
    def outside(self) -> bool:
        """Whether the number of hits lies outside its interval."""
        return not self.low <= self.found <= self.high

    @property
    def warned(self) -> bool:
        """Whether the chances fit less well than differences between lists explain."""
        return self.e_value >= E_LIMIT


def factor(expected: float, hits: int, dispersion: float) -> tuple[float, float, float]:
    """Factor that the chances of a list should be multiplied by: posterior mean, and an interval of :data:`CONFIDENCE`.

    Parameters
    ----------
    expected : float
        Sum of the chances of the documents read, as the calibrator gives them.
    hits : int
        Relevant documents among them.
    dispersion : float
        Shape of the prior, of which no more than :data:`PRIOR_SHAPE` is believed.

    Returns
    -------
    mean, low, high : float
        1 is a level that fits.

    Examples
    --------
    >>> [round(value, 2) for value in factor(15.0, 3, math.inf)]
    [0.37, 0.17, 0.62]
    >>> factor(0.0, 0, 4.0)[0]
    1.0
    """
    shape = min(dispersion, PRIOR_SHAPE)
    ends = np.array([(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    low, high = gammaincinv(shape + hits, ends) / (shape + expected)
    return (shape + hits) / (shape + expected), float(low), float(high)


# --- the ratio ------------------------------------------------------------------------------------


def log_chance(log_weight: Floats, read: Floats, at_hits: Floats) -> float:
    """Log of the chance of exactly these hits among the documents read, averaged over kinds of lists.

    Parameters
    ----------
    log_weight : ndarray, shape (J,)
        Logs of the weights of the kinds.
    read : ndarray, shape (J,)
        Sum of the exposures of all documents read, by kind.
    at_hits : ndarray, shape (J, h)
        Exposures of the hits: a document of exposure λ is a hit with chance 1 − exp(−λ).

    Returns
    -------
    float
        A natural logarithm.
    """
    hits = at_hits + np.log(-np.expm1(-np.maximum(at_hits, 1e-300)))
    return float(logsumexp(log_weight - read + hits.sum(axis=1)))


def e_value_of_shape(thinning: Thinning, judged: Flags, relevant: Flags) -> float:
    """How many times likelier the labels are if hits lie along the list otherwise than in the training lists.

    Parameters
    ----------
    thinning : Thinning
        How hits thin out along the training lists.
    judged, relevant : ndarray of bool, shape (N,)
        By rank, which documents have a label, and which of these are relevant.

    Returns
    -------
    float
        At least 0; infinite where the labels are impossible if the chances are right.
    """
    hits = np.flatnonzero(relevant & judged)
    logs = []
    for alpha, beta, log_total, log_weight in shapes_compared(thinning, len(judged)):
        total = np.exp(log_total)
        read = (total * expected_share(judged, alpha, beta)[:, None]).ravel()
        at_hits = total[..., None] * share_at(hits, len(judged), alpha, beta)[:, None]
        logs.append(log_chance(log_weight.ravel(), read, at_hits.reshape(len(read), -1)))
    return _ratio(logs[1], logs[0])


@lru_cache(maxsize=64)
def shapes_compared(thinning: Thinning, length: int) -> tuple[tuple[Floats, Floats, Floats, Floats], ...]:
    """Curves of hits as in the training lists, and the curves that compete with them.

    Parameters
    ----------
    thinning : Thinning
        How hits thin out along the training lists.
    length : int
        Documents of the list.

    Returns
    -------
    tuple of two tuples
        Both with two shapes of the curve, each of shape (S,), and the logs of numbers and of weights, shape (S, R).
    """
    # Chances that are right come with the gamma factor of each list, which widens the numbers.
    theta, log_weight, log_total, spread = shape_nodes(thinning, length)
    between = math.hypot(spread, math.sqrt(float(polygamma(1, TOTAL_SHAPE))))
    z = ndtri((np.arange(NUMBERS) + 0.5) / NUMBERS)
    weights = np.repeat(log_weight[:, None] - math.log(NUMBERS), NUMBERS, 1)
    usual = (*np.exp(theta).T, log_total[:, None] + between * z, weights)
    alpha, beta = np.array(list(product(OTHER_ALPHA, OTHER_BETA))).T
    middle = float(np.exp(log_weight) @ log_total)
    apart = math.sqrt(between**2 + float(np.exp(log_weight) @ (log_total - middle) ** 2))
    numbers = np.tile(middle + apart * z, (len(alpha), 1))
    other = (alpha, beta, numbers, np.full(numbers.shape, -math.log(numbers.size)))
    return usual, other


def e_value_of_first_hit(log_M: Floats, read: int, hit: bool, none: float) -> float:
    """How many times likelier the end of a search is if hits lie otherwise along the list, where one hit decides.

    Parameters
    ----------
    log_M : ndarray, shape (N + 1,)
        Log of the chance that the first d documents hold no hit, if there is something to find.
    read : int
        Documents read; the search ends with the last of them.
    hit : bool
        Whether that one was a hit.
    none : float
        Chance that there is nothing to find.

    Returns
    -------
    float
        At least 0.
    """
    length = len(log_M) - 1
    tilts = np.array([1.0, *OTHER_TILTS])[:, None]
    at = length * (np.arange(read + 1) / length) ** tilts
    M = np.interp(at, np.arange(length + 1), np.exp(log_M))
    with np.errstate(divide="ignore"):
        usual, *others = np.log(_chance_of_end(M, hit, none))
    return _ratio(_mean_of(others), float(usual))


def _chance_of_end(M: Floats, hit: bool, none: float) -> Floats:
    """Chance that a search ends with its last document, from the last two columns of M."""
    return (1 - none) * (M[:, -2] - M[:, -1]) if hit else none + (1 - none) * M[:, -1]


def e_value_of_chances(p: Floats, judged: Flags, relevant: Flags, shape: float) -> float:
    """How many times likelier the labels are under other tilts along the rank, or other levels, of given chances.

    Parameters
    ----------
    p : ndarray, shape (N,)
        Chances by rank, right but for a common factor with a gamma distribution of mean 1.
    judged, relevant : ndarray of bool, shape (N,)
        By rank, which documents have a label, and which are relevant.
    shape : float
        Shape of the gamma distribution; infinite where the factor is 1.

    Returns
    -------
    float
        At least 0.
    """
    exposure = -np.log1p(-np.minimum(p, 1 - 1e-9))
    u = np.ones(1)
    if math.isfinite(shape):
        u = np.asarray(gammaincinv(shape, (np.arange(FACTORS) + 0.5) / FACTORS) / shape, dtype=np.float64)
    r = (np.arange(len(p)) + 0.5) / len(p)
    tilts = [r ** (power - 1) for power in OTHER_TILTS]
    others = [tilt * (exposure.sum() / max(float(exposure @ tilt), 1e-300)) for tilt in tilts]
    others += [np.full(len(p), times) for times in OTHER_FACTORS]
    logs = []
    for times in ([np.ones(len(p))], others):
        tilted, kinds = exposure * np.array(times), len(u) * len(times)
        read, at_hits = tilted[:, judged].sum(axis=1), tilted[:, judged & relevant]
        at_hits = (at_hits[:, None] * u[:, None]).reshape(kinds, -1)
        logs.append(log_chance(np.full(kinds, -math.log(kinds)), np.outer(read, u).ravel(), at_hits))
    return _ratio(logs[1], logs[0])


def e_value_of_forecasts(p: Floats, relevant: Flags) -> float:
    """How many times likelier the labels are if the odds of every forecast were other ones.

    `p`, shape (d,), are chances that were forecast for each document when it was next, and `relevant`, shape (d,), its labels.
    The alternatives multiply the odds, or bring them nearer to even or farther from it.
    """
    p = np.clip(p, 1e-9, 1 - 1e-9)
    logit = np.log(p / (1 - p))
    moved = (logit, *(logit + math.log(f) for f in OTHER_FACTORS), *(power * logit for power in OTHER_POWERS))
    usual, *others = -np.logaddexp(0, np.where(relevant, -1.0, 1.0) * np.vstack(moved)).sum(axis=1)
    return _ratio(_mean_of(others), float(usual))


def _mean_of(logs: ArrayLike) -> float:
    """Log of the mean of numbers given by their logs."""
    return float(logsumexp(logs)) - math.log(np.size(logs))


def _ratio(other: float, usual: float) -> float:
    """Ratio of two chances given by their logs; 1 where both are 0, so that the impossible decides nothing."""
    if usual == -math.inf:
        return 1.0 if other == -math.inf else math.inf
    return math.exp(min(other - usual, 700.0))


# --- across lists ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class AcrossLists:
    """Whether the level of the chances is right over a person's finished lists."""

    lists: int
    e_value: float  # How many times likelier the labels of all lists are at another common level
    factor: float  # The likeliest of the other levels


def across_sentence(across: AcrossLists) -> str:
    """Say whether the level of the chances is right over all lists.

    >>> across_sentence(AcrossLists(12, 35.0, 0.5))
    'Over your 12 finished lists the chances do not fit: what was found is 35 times likelier at another level, most so at 0.5 times what was said. Fit a calibrator on these lists.'
    >>> across_sentence(AcrossLists(12, 0.4, 2.0))
    'Over your 12 finished lists the numbers found are within what the chances foresee.'
    """
    lists = f"Over your {across.lists:,} finished lists"
    if across.e_value < E_LIMIT:
        return f"{lists} the numbers found are within what the chances foresee."
    return (
        f"{lists} the chances do not fit: what was found is {across.e_value:,.0f} times likelier at another level, most so at "
        f"{across.factor:g} times what was said. Fit a calibrator on these lists."
    )


def across_lists(lists: Sequence[Floats]) -> AcrossLists | None:
    """Compare other common levels of the chances with the present one, over finished lists.

    `lists` holds, for each list, the result of :func:`levels_of_number` or :func:`levels_of_first_hit`. None with fewer than
    :data:`ENOUGH_LISTS`.
    """
    if len(lists) < ENOUGH_LISTS:
        return None
    logs = np.sum(lists, axis=0)
    return AcrossLists(len(lists), _ratio(_mean_of(logs), 0.0), OTHER_FACTORS[int(logs.argmax())])


def levels_of_number(foreseen: Left, hits: int) -> Floats:
    """Log of the chance of so many hits at each of the other levels over that at the present one, shape (L,).

    `foreseen` is the distribution of the hits among the documents that were then read.
    """
    return _over_the_first([foreseen.times(level).chance_of(hits) for level in (1.0, *OTHER_FACTORS)])


def levels_of_first_hit(log_M: Floats, read: int, hit: bool, none: float) -> Floats:
    """Log of the chance of how a search ended at each of the other levels over that at the present one.

    Parameters
    ----------
    log_M : ndarray, shape (N + 1,)
        Log of the chance that the first d documents hold no hit, if there is something to find.
    read : int
        Documents read; the search ends with the last of them.
    hit : bool
        Whether that one was a hit.
    none : float
        Chance that there is nothing to find.

    Returns
    -------
    ndarray, shape (L,)
        One number a level.
    """
    M = np.exp(np.outer((1.0, *OTHER_FACTORS), log_M[[read - 1, read]]))
    return _over_the_first(_chance_of_end(M, hit, none))


def _over_the_first(chances: ArrayLike) -> Floats:
    usual, others = np.split(np.log(np.maximum(chances, 1e-300)), [1])
    return np.asarray(others - usual)
