"""Beliefs in sensitivity and in specificity from their own counts, and the chance that both exceed their thresholds.

Specificity is to TN and FP what sensitivity is to TP and FN, so the exact belief of one margin serves the other with its
table turned. Before any study the margins are independent and equally likely to be good enough.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, owens_t

from tarstop_core.belief.question import Question
from tarstop_core.belief.univariate import log_odds_path
from tarstop_core.documents.tables import Floats, Tables


def threshold(theta: float) -> str:
    """Format a threshold as a percentage with all its digits.

    Examples
    --------
    >>> threshold(0.75), threshold(0.925)
    ('75 %', '92.5 %')
    """
    return f"{100 * theta:.4g} %"


def claim(theta: float, theta_sp: float | None = None) -> str:
    """Say in words what the belief is the chance of.

    Examples
    --------
    >>> claim(0.75, 0.8)
    'sensitivity exceeds 75 % and specificity 80 %'
    """
    both = "" if theta_sp is None else f" and specificity {threshold(theta_sp)}"
    return f"sensitivity exceeds {threshold(theta)}{both}"


def log_odds_by_margins(tables: Tables, question: Question, *, last_only: bool = False) -> Floats:
    """Log odds of ω⁺, each margin from its own group of patients, as if the margins were independent.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    question : Question
        Thresholds and prior; its engine plays no part.
    last_only : bool
        Whether only the log odds after all studies are wanted.

    Returns
    -------
    ndarray, shape (n + 1,), or (1,) with `last_only`
        Log odds after 0 … n studies; if specificity decides too, of both together.
    """
    first, *others = log_odds_of_each(tables, question, last_only=last_only)
    return log_odds_of_both(first, *others) if others else first


def log_odds_of_each(tables: Tables, question: Question, *, last_only: bool = False) -> list[Floats]:
    """Log odds that each margin that decides exceeds its threshold, from its own patients alone.

    Parameters
    ----------
    tables, question, last_only
        As for :func:`log_odds_by_margins`.

    Returns
    -------
    list of ndarray, shape (n + 1,), or (1,) with `last_only`
        Log odds after 0 … n studies: for sensitivity and, if it decides too, for specificity.
    """
    return [log_odds_path(*margin, last_only=last_only) for margin in question.margins(tables)]


def log_odds_of_both(one: ArrayLike, other: ArrayLike) -> Floats:
    """Log odds that two independent events both happen, from the log odds of each.

    >>> log_odds_of_both([0.0, 800.0], [0.0, -900.0]).round(3)
    array([  -1.099, -900.   ])
    """
    one, other = np.asarray(one, dtype=float), np.asarray(other, dtype=float)
    log_one, log_other = -np.logaddexp(0, -one), -np.logaddexp(0, -other)
    # Not both: the first fails, or it happens and the second fails.
    not_both = np.logaddexp(-np.logaddexp(0, one), log_one - np.logaddexp(0, other))
    return np.asarray(log_one + log_other - not_both)


def both_below(h: ArrayLike, k: ArrayLike, r: ArrayLike) -> Floats:
    """P(X < h, Y < k) of standard normal X and Y.

    Parameters
    ----------
    h, k : array_like
        Limits; with `r` they broadcast.
    r : array_like
        Correlation, in (−1, 1).

    Returns
    -------
    ndarray
        Chances.

    Notes
    -----
    By Owen's T (1956, doi 10.1214/aoms/1177728074).

    Examples
    --------
    >>> both_below(0.0, 0.0, [0.0, 0.5]).round(4), both_below(1.0, 9.0, -0.3).round(4)
    (array([0.25  , 0.3333]), np.float64(0.8413))
    """
    h, k, r = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (h, k, r)))
    # h and k are divisors; the chance is continuous at 0.
    h, k = (np.where(np.abs(x) < 1e-12, 1e-12, x) for x in (h, k))
    root = np.sqrt((1 - r) * (1 + r))
    both = (ndtr(h) + ndtr(k)) / 2 - owens_t(h, (k / h - r) / root) - owens_t(k, (h / k - r) / root)
    return np.asarray(np.clip(both - np.where(h * k < 0, 0.5, 0.0), 0.0, 1.0))
