"""What reading everything that is left would still change: the decision that is taken now against the one at the end.

How many studies are still to come is a distribution (of a number, from :class:`tarstop_core.belief.mixture.Left`, with all
that is not known of a list in it), not a mean; where they would lead is the preposterior theory of
:mod:`tarstop_core.value.studies`.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import betabinom

from tarstop_core.value.payoffs import Floats
from tarstop_core.value.studies import chance_otherwise, chance_plus

ROWS = 48  # Numbers of reports that stand for all: each for as much of their distribution


def studies_to_come(unread: ArrayLike, waiting: int = 0, shapes: tuple[float, float] | None = None) -> Floats:
    """Chance of 0, 1, 2, … further studies.

    Parameters
    ----------
    unread : array_like, shape (M + 1,)
        Chance of 0, 1, 2, … relevant documents among those that nobody has read.
    waiting : int
        Reports that were included and are still to be read in full.
    shapes : (float, float), optional
        Of the beta distribution of the share of reports that bring data; without it every report does.

    Returns
    -------
    ndarray, shape (K + 1,)
        Adds up to 1.

    Examples
    --------
    >>> studies_to_come([0.5, 0.5], waiting=1)
    array([0. , 0.5, 0.5])
    >>> studies_to_come([0.0, 1.0], shapes=(1.0, 1.0))
    array([0.5, 0.5])
    """
    chance = np.asarray(unread, dtype=float)
    if shapes is None:
        return np.concatenate((np.zeros(waiting), chance))
    reports = np.arange(len(chance))
    if len(chance) > ROWS:
        # Their quantiles: what follows is smooth in the number of reports.
        levels = (np.arange(ROWS) + 0.5) / ROWS
        reports = np.minimum(np.searchsorted(np.cumsum(chance), levels), len(chance) - 1)
        chance = np.full(ROWS, 1 / ROWS)
    reports = reports + waiting
    bring = np.arange(reports.max() + 1)
    return np.asarray(chance @ betabinom.pmf(bring, reports[:, None], *shapes))


def tempered(chance: ArrayLike, power: float) -> Floats:
    """A chance with its odds raised to a power: below 1 it comes nearer to one half, and never beyond.

    >>> tempered([0.0, 0.1, 0.5, 0.9], 0.5).round(3)
    array([0.  , 0.25, 0.5 , 0.75])
    """
    chance = np.asarray(chance, dtype=float)
    yes, no = chance**power, (1 - chance) ** power
    return np.asarray(yes / (yes + no))


def chance_turned(
    b: float, n_0: float, to_come: ArrayLike, q_star: float, needed: int = 0, tempering: float = 1.0
) -> float:
    """Chance that the decision with all studies is not the one that is taken now.

    Parameters
    ----------
    b, n_0 : float
        Belief now, and how many studies it is worth (:class:`~tarstop_core.value.studies.NextStudy`).
    to_come : array_like, shape (K + 1,)
        Chance of 0, 1, 2, … further studies (:func:`studies_to_come`).
    q_star : float
        Threshold belief above which a⁺ is chosen.
    needed : int
        Further studies that must be in before a⁺ may be taken.
    tempering : float
        Power of the odds that further studies turn the decision, if they come; the chance that they come stays as it is.

    Returns
    -------
    float
        A chance.

    Examples
    --------
    >>> round(chance_turned(0.7, 2.0, [0.0, 1.0], 0.5), 2), chance_turned(0.7, 2.0, [1.0], 0.5)
    (0.18, 0.0)
    >>> round(chance_turned(0.9, 2.0, [0.5, 0.0, 0.5], 0.5, needed=2), 2)
    0.48
    >>> round(chance_turned(0.7, 2.0, [0.9, 0.1], 0.5, tempering=0.5), 3)
    0.032
    """
    least = max(needed, 1)
    chance = np.asarray(to_come, dtype=float)[least:]
    if not chance.any():
        return 0.0
    k = np.arange(least, least + len(chance))
    turns = (chance_plus if needed else chance_otherwise)(b, n_0, k, q_star)
    given = min(1.0, float(chance @ turns / chance.sum()))
    return float(chance.sum() * tempered(given, tempering))
