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
    """Chance of 0, 1, 2, … further studies, shape (K + 1,); adds up to 1.

    `unread` is the chance of 0, 1, 2, … relevant documents among those that nobody has read, shape (M + 1,); `waiting`
    reports were included and are still to be read in full; `shapes` are of the beta distribution of the share of reports
    that bring data, without which every report does.

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


def as_often(chance: float, odds: float) -> float:
    """A chance where what it says came true at so many times its odds.

    >>> as_often(0.2, 1.0), as_often(0.2, 2.0), as_often(1.0, 2.0)
    (0.2, 0.3333333333333333, 1.0)
    """
    return odds * chance / (1 - chance + odds * chance)


def chance_turned(b: float, n_0: float, to_come: ArrayLike, q_star: float, needed: int = 0) -> float:
    """Chance that the decision with all studies is not the one that is taken now.

    `b` and `n_0` are those of a :class:`~tarstop_core.value.studies.NextStudy`, `to_come` is the chance of 0, 1, 2, … further
    studies, shape (K + 1,), and a⁺ may not be taken before so many further ones are in as are `needed`.

    >>> round(chance_turned(0.7, 2.0, [0.0, 1.0], 0.5), 2), chance_turned(0.7, 2.0, [1.0], 0.5)
    (0.18, 0.0)
    >>> round(chance_turned(0.9, 2.0, [0.5, 0.0, 0.5], 0.5, needed=2), 2)
    0.48
    """
    chance = np.asarray(to_come, dtype=float)
    k = np.arange(len(chance))
    if needed > 0:
        return float(chance[needed:] @ chance_plus(b, n_0, k[needed:], q_star))
    return float(chance @ chance_otherwise(b, n_0, k, q_star))
