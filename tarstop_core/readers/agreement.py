"""How far readers agree: per cent, Cohen's and Fleiss' kappa and Gwet's AC1, with intervals, and in the course of a list.

Every coefficient is (p_a − p_e)/(1 − p_e), with the observed agreement p_a and the agreement p_e that the shares of the
categories would give by chance. Each record's part in both gives the standard error, so that no independence between
readers is assumed, and t on n − 1 degrees of freedom the interval. Readers who agree on nearly everything have a kappa near 0 where
almost all records are excluded, and an AC1 near 1: both are right answers to different questions.

Notes
-----
J. Cohen (1960), A coefficient of agreement for nominal scales; J. L. Fleiss (1971), Measuring nominal scale agreement among
many raters; K. L. Gwet (2008), Computing inter-rater reliability and its variance in the presence of high agreement, British
Journal of Mathematical and Statistical Psychology 61. No library is used: statsmodels has no AC1, and irrCAC pins a SciPy of
2024 and counts a missing verdict as a category under pandas 3.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, stdtrit

from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.errors import InputProblem

LEVEL = 0.95
"""Chance with which an interval of agreement covers."""


@dataclass(frozen=True)
class Coefficient:
    """One measure of agreement with its interval."""

    value: float | None
    """None where it is 0/0: all verdicts are the same."""
    low: float | None
    high: float | None
    """`low` and `high` are None if there is no value, or if no two records differ, which leaves the precision unknown."""


@dataclass(frozen=True)
class Agreement:
    """Agreement between readers on records that at least two of them have judged."""

    records: int
    per_cent: Coefficient
    """Share of pairs of verdicts on the same record that agree; by two readers, with the exact binomial interval."""
    cohen: Coefficient | None
    """None unless there are two readers."""
    fleiss: Coefficient
    ac1: Coefficient


def agreement(verdicts: Floats, categories: int = 2) -> Agreement:
    """Agreement between the readers of a list.

    Parameters
    ----------
    verdicts : ndarray, shape (records, readers)
        The category of each verdict, a whole number, 0 or more; NaN where there is none.
    categories : int
        How many categories there are, used or not.

    Returns
    -------
    Agreement
        With 95 % intervals.

    Raises
    ------
    InputProblem
        When no record has two verdicts.

    Examples
    --------
    >>> both, first, second = [[1, 1]] * 118, [[1, 0]] * 5, [[0, 1]] * 2
    >>> paradox = agreement(np.array([*both, *first, *second], dtype=float))
    >>> round(paradox.cohen.value, 4), round(paradox.ac1.value, 4)
    (-0.0234, 0.9408)
    """
    shares = np.stack([np.nansum(verdicts == kind, axis=1) for kind in range(categories)], axis=1)
    given = shares.sum(axis=1)
    twice = given >= 2
    if not twice.any():
        raise InputProblem(
            "No record has the verdicts of two readers; agreement needs records that both have judged."
        )
    # Records with one verdict say how often a category is used, and nothing of agreement.
    read = given > 0
    counts, given, twice = shares[read], given[read], twice[read]
    agreeing = np.zeros(len(given))
    agreeing[twice] = ((counts * (counts - 1)).sum(axis=1) / (given * (given - 1.0)).clip(1))[twice]
    share = counts / given[:, None]
    mean = share.mean(axis=0)
    fleiss = _coefficient(agreeing, twice, float((mean**2).sum()), 2 * share @ mean)
    chance = float((mean * (1 - mean)).sum() / (categories - 1))
    ac1 = _coefficient(agreeing, twice, chance, share @ (1 - 2 * mean) / (categories - 1))
    pairs = verdicts[(~np.isnan(verdicts)).all(axis=1)]
    return Agreement(
        records=int(twice.sum()),
        per_cent=_per_cent(agreeing[twice], exact=verdicts.shape[1] == 2),
        cohen=_cohen(pairs, categories) if verdicts.shape[1] == 2 else None,
        fleiss=fleiss,
        ac1=ac1,
    )


def in_stretches(verdicts: Floats, stretches: int) -> list[Agreement | None]:
    """Agreement in equal stretches of a list, in its order; None where no record of a stretch has two verdicts."""
    parts = np.array_split(verdicts, stretches)
    twice = [((~np.isnan(part)).sum(axis=1) >= 2).any() for part in parts]
    return [agreement(part) if judged else None for part, judged in zip(parts, twice, strict=True)]


def _cohen(pairs: Floats, categories: int) -> Coefficient:
    """Cohen's kappa of two readers; each reader’s own shares say what chance would do."""
    first, second = (np.eye(categories)[pairs[:, reader].astype(int)] for reader in (0, 1))
    by_first, by_second = first.mean(axis=0), second.mean(axis=0)
    agreeing = (pairs[:, 0] == pairs[:, 1]).astype(float)
    every = np.ones(len(pairs), dtype=bool)
    return _coefficient(agreeing, every, float(by_first @ by_second), first @ by_second + second @ by_first)


def _coefficient(agreeing: Floats, twice: Flags, chance: float, slope: Floats) -> Coefficient:
    """(p_a − p_e)/(1 − p_e), linearised for its standard error.

    Parameters
    ----------
    agreeing : ndarray, shape (n,)
        Share of each record's pairs of verdicts that agree; 0 where there is no pair.
    twice : ndarray of bool, shape (n,)
        Which records have a pair.
    chance : float
        p_e.
    slope : ndarray, shape (n,)
        What each record's verdicts contribute to p_e, up to a constant.

    Returns
    -------
    Coefficient
        Its value and 95 % interval.
    """
    if chance >= 1 - 1e-12:
        return Coefficient(None, None, None)
    records = len(agreeing)
    value = (agreeing[twice].mean() - chance) / (1 - chance)
    parts = (agreeing * (records / twice.sum()) - twice * (records / twice.sum()) * chance) / (1 - chance)
    parts = parts - (1 - value) * (slope - slope.mean()) / (1 - chance)
    return _with_interval(float(value), parts)


def _with_interval(value: float, parts: Floats) -> Coefficient:
    spread = float(parts.std(ddof=1)) if len(parts) > 1 else 0.0
    if spread < 1e-12:
        return Coefficient(value, None, None)
    reach = float(stdtrit(len(parts) - 1, (1 + LEVEL) / 2)) * spread / len(parts) ** 0.5
    return Coefficient(value, max(value - reach, -1.0), min(value + reach, 1.0))


def _per_cent(agreeing: Floats, exact: bool) -> Coefficient:
    """Agreement without regard to chance."""
    value = float(agreeing.mean())
    if not exact:
        return _with_interval(value, agreeing)
    yes, no, tail = agreeing.sum(), len(agreeing) - agreeing.sum(), (1 - LEVEL) / 2
    low = float(betaincinv(yes, no + 1, tail)) if yes else 0.0
    high = float(betaincinv(yes + 1, no, 1 - tail)) if no else 1.0
    return Coefficient(value, low, high)
