"""Agreement between readers: per cent, Cohen's and Fleiss' kappa and Gwet's AC1, with intervals.

Every coefficient is (p_a − p_e)/(1 − p_e), where p_a is the observed agreement and p_e the agreement that the shares of
the categories would give by chance. The standard error comes from each record's contribution to p_a and p_e, so readers
need not be independent. Intervals use t with n − 1 degrees of freedom. If almost all records are excluded, readers who
agree on nearly everything have a kappa near 0 and an AC1 near 1: the two answer different questions.

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

LEVEL = 0.95  # Coverage of the intervals


@dataclass(frozen=True)
class Coefficient:
    """One measure of agreement with its interval."""

    value: float | None
    """None if all verdicts are the same, which makes it 0/0."""
    low: float | None
    high: float | None
    """`low` and `high` are None without a value, or if all records contribute the same, which gives no standard error."""


@dataclass(frozen=True)
class Agreement:
    """Agreement between readers on records that at least two of them have judged."""

    records: int
    per_cent: Coefficient
    """Share of pairs of verdicts on a record that agree; with two readers the interval is the exact binomial one."""
    cohen: Coefficient | None
    """None unless there are two readers."""
    fleiss: Coefficient
    ac1: Coefficient


def agreement(verdicts: Floats, categories: int = 2) -> Agreement:
    """Agreement between the readers of a list, with 95 % intervals.

    Parameters
    ----------
    verdicts : ndarray, shape (records, readers)
        Categories 0, 1, …; NaN where a reader gave no verdict.
    categories : int
        Number of categories, used or not.

    Returns
    -------
    Agreement

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
    counts = np.stack([np.nansum(verdicts == kind, axis=1) for kind in range(categories)], axis=1)
    given = counts.sum(axis=1)
    twice = given >= 2
    if not twice.any():
        raise InputProblem(
            "No record has the verdicts of two readers; agreement needs records that both have judged."
        )
    # A record with one verdict counts for the shares of the categories, but not for agreement.
    read = given > 0
    counts, given, twice = counts[read], given[read], twice[read]
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
    """Agreement in consecutive stretches of equal length; None if no record of a stretch has two verdicts."""
    parts = np.array_split(verdicts, stretches)
    return [agreement(part) if ((~np.isnan(part)).sum(axis=1) >= 2).any() else None for part in parts]


def _cohen(pairs: Floats, categories: int) -> Coefficient:
    """Cohen's kappa of two readers, with chance agreement from each reader's own shares of the categories."""
    first, second = (np.eye(categories)[pairs[:, reader].astype(int)] for reader in (0, 1))
    by_first, by_second = first.mean(axis=0), second.mean(axis=0)
    agreeing = (pairs[:, 0] == pairs[:, 1]).astype(float)
    twice = np.ones(len(pairs), dtype=bool)
    return _coefficient(agreeing, twice, float(by_first @ by_second), first @ by_second + second @ by_first)


def _coefficient(agreeing: Floats, twice: Flags, chance: float, slope: Floats) -> Coefficient:
    """The coefficient (p_a − p_e)/(1 − p_e), with a linearised standard error.

    Parameters
    ----------
    agreeing : ndarray, shape (n,)
        Share of each record's pairs of verdicts that agree; 0 without a pair.
    twice : ndarray of bool, shape (n,)
        Whether a record has a pair of verdicts.
    chance : float
        Agreement by chance, p_e.
    slope : ndarray, shape (n,)
        Contribution of each record to p_e, up to a constant.

    Returns
    -------
    Coefficient
        Value and 95 % interval.
    """
    if chance >= 1 - 1e-12:
        return Coefficient(None, None, None)
    scale = len(agreeing) / twice.sum()
    value = (agreeing[twice].mean() - chance) / (1 - chance)
    parts = (agreeing * scale - twice * scale * chance) / (1 - chance)
    parts = parts - (1 - value) * (slope - slope.mean()) / (1 - chance)
    return _with_interval(float(value), parts)


def _with_interval(value: float, parts: Floats) -> Coefficient:
    """Add an interval by the spread of the records' contributions, shape (n,)."""
    spread = float(parts.std(ddof=1)) if len(parts) > 1 else 0.0
    if spread < 1e-12:
        return Coefficient(value, None, None)
    reach = float(stdtrit(len(parts) - 1, (1 + LEVEL) / 2)) * spread / len(parts) ** 0.5
    return Coefficient(value, max(value - reach, -1.0), min(value + reach, 1.0))


def _per_cent(agreeing: Floats, exact: bool) -> Coefficient:
    """Mean agreement, not corrected for chance."""
    value = float(agreeing.mean())
    if not exact:
        return _with_interval(value, agreeing)
    yes, no, tail = agreeing.sum(), len(agreeing) - agreeing.sum(), (1 - LEVEL) / 2
    low = float(betaincinv(yes, no + 1, tail)) if yes else 0.0
    high = float(betaincinv(yes + 1, no, 1 - tail)) if no else 1.0
    return Coefficient(value, low, high)
