"""What all readers overlooked, and how well each of them reads, from verdicts, resolved disagreements and audit draws.

Readers who miss a relevant record tend to miss the same one, so the records that they missed together cannot be had from
those that one of them missed. Three things can be said of M, the relevant records among the n that everybody excluded:

- Without more, that 0 ≤ M ≤ n.
- From m records drawn at random among them, h of them relevant: the totals that neither tail of the hypergeometric
  distribution rules out. Nothing is assumed of the readers (:func:`missed_in_audit`).
- From the records that one of two readers missed, if the odds ratio between their verdicts on relevant records is between 1 and
  a limit ρ that somebody states: given the margins, the number that both found then has Fisher's noncentral hypergeometric
  distribution, and totals are ruled out by its tails (:func:`missed_within`). With ρ = 1 that is independence.

A reader's sensitivity falls with M, and so does specificity where M counts among the excluded. As everything else is counted, an interval
of M is one of each sensitivity and specificity, and all of them hold together.

Notes
-----
Test inversion for a hypergeometric total: W. G. Cochran (1977), Sampling Techniques, 3rd edition, section 3.6. Two readers as
capture and recapture: A. Chao et al. (2001), Statistics in Medicine 20. A Bayesian estimate with a prior on the odds ratio was tried
and dropped: with strong dependence the prior outweighs a small audit, and its intervals seldom cover (docs/readers_measured.md).
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from tarstop_core.calibration.recall_bound import largest_total
from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.errors import InputProblem
from tarstop_core.readers.verdicts import Verdicts
from tarstop_core.value.counts import beta_binomial, log_ways

LEVEL = 0.9
"""Chance with which an interval covers; each of its ends alone holds with (1 + LEVEL)/2."""
SHARE = 0.05
"""Share of the relevant records that may be missed where audit draws are planned."""


class Interval(NamedTuple):
    """From `low` to `high`, both included."""

    low: float
    high: float


@dataclass(frozen=True)
class Reader:
    """How well one reader reads: shares of the records of this list."""

    sensitivity: Interval | None
    """Share of the relevant records that he included; None where nothing relevant is known, or he did not read all."""
    specificity: Interval | None
    """Share of the other records that he excluded; None likewise."""
    sensitivity_estimate: float | None = None
    """Sensitivity if as many of all excluded records are relevant as of the draws; None without draws or with an open answer."""


@dataclass(frozen=True)
class Within:
    """Relevant records that two readers both excluded, if their misses depend on each other no more than somebody states."""

    limit: float
    """Highest odds ratio between their verdicts on relevant records; the lowest is 1."""
    missed: Interval
    independent: Interval
    """The same for an odds ratio of 1."""


@dataclass(frozen=True)
class Overlooked:
    """The records that all readers excluded, and what is known about them."""

    excluded: int
    drawn: int
    hits: int
    """`excluded` records by everybody, of which `drawn` at random, of which `hits` are relevant."""
    relevant_found: int
    """Relevant records that a reader included, or that the audit or somebody else found."""
    unresolved: int
    """Records that a reader included and of which nobody has said whether they are relevant."""
    missed: Interval
    """Relevant records among what everybody excluded: M."""
    remaining: Interval
    """Those of them that are still not found."""
    remaining_estimate: float | None
    """Those not found if as many are relevant as of the draws; None without draws, unless nothing is left to draw from."""
    at_every_look: int | None
    """Most relevant records among what everybody excluded, at 95 %, however often one looks; None unless the draws have an order."""
    within: Within | None
    """M where dependence is limited; None unless a limit was stated and there are two readers who read everything."""
    share_found: Interval | None
    """Share of the relevant records that are found by now; None where none may be relevant."""
    readers: tuple[Reader, ...]
    frame: int
    """Records from which the draws were made, including the drawn ones, without those that came to light otherwise."""
    level: float

    @property
    def is_audited(self) -> bool:
        """Whether draws say something of what is not found."""
        return self.remaining_estimate is not None

    @property
    def share_estimate(self) -> float:
        """Share of the relevant records that are found by now, if draws are typical; 1 without draws."""
        total = self.relevant_found + (self.remaining_estimate or 0.0)
        return self.relevant_found / total if total else 1.0

    @cached_property
    def chance_remaining(self) -> Floats:
        """Chance of 0, 1, 2 … relevant records not found among what everybody excluded, by the draws; shape (records not drawn + 1,).

        Beta-binomial, by Jeffreys' prior for the share that is relevant: nothing is assumed of the readers.
        """
        left = self.frame - self.drawn
        return beta_binomial(np.arange(left + 1), left, self.hits + 0.5, self.drawn - self.hits + 0.5)

    @property
    def expected_remaining(self) -> float:
        """Mean of `chance_remaining`."""
        return (self.frame - self.drawn) * (self.hits + 0.5) / (self.drawn + 1)

    @cached_property
    def draws_needed(self) -> int:
        """Audit draws in all that would show that at most 5 % of the relevant records are missed, if no further draw is relevant."""
        return self._draws(0.0)

    @cached_property
    def draws_expected(self) -> int:
        """Audit draws in all that would show it, if further draws are relevant as often as those so far."""
        return self._draws(self.hits / self.drawn if self.drawn else 0.0)

    def _draws(self, rate: float) -> int:
        without = self.relevant_found - self.hits
        return draws_needed(self.frame, without, hits=self.hits, rate=rate, level=self.level)


def overlooked(verdicts: Verdicts, level: float = LEVEL, limit: float | None = None) -> Overlooked:
    """What readers overlooked together, and how well each reads.

    Parameters
    ----------
    verdicts : Verdicts
        Of two or more readers.
    level : float
        Chance with which intervals cover, in (0, 1).
    limit : float, optional
        Most dependence that is thought possible, as the odds ratio between two readers' verdicts on relevant records, at least 1.

    Returns
    -------
    Overlooked
        Records and shares of this list.

    Raises
    ------
    InputProblem
        When the limit is below 1.
    """
    if limit is not None and not 1 <= limit < np.inf:
        raise InputProblem(f"The limit of the odds ratio is {limit:g}; give a number of 1 or more.")
    excluded, relevant, drawn = verdicts.excluded, verdicts.relevant == 1, verdicts.drawn > 0
    judged = ~np.isnan(verdicts.relevant)
    # Records that came to light otherwise say nothing about the rest.
    frame = excluded & (drawn | ~judged)
    elsewhere = int((excluded & ~frame & relevant).sum())
    hits, draws, size = int((drawn & relevant).sum()), int(drawn.sum()), int(frame.sum())
    missed = missed_in_audit(size, draws, hits, level)
    missed = Interval(elsewhere + missed.low, elsewhere + missed.high)
    relevant_found = int((relevant & ~excluded).sum()) + elsewhere + hits
    unresolved = int((~judged & ~excluded).sum())
    remaining = Interval(missed.low - elsewhere - hits, missed.high - elsewhere - hits)
    at_every_look = None
    if verdicts.ordered and draws:
        order = np.argsort(verdicts.drawn[drawn])
        labels = relevant[drawn][order]
        at_every_look = elsewhere + largest_total(
            labels, np.ones(draws, dtype=bool), size, (1 - level) / 2, size
        )
    rate = hits / draws if draws else 0.0
    remaining_estimate = rate * size - hits if draws or not size else None
    estimate = None if remaining_estimate is None or unresolved else elsewhere + hits + remaining_estimate
    return Overlooked(
        excluded=int(excluded.sum()),
        drawn=draws,
        hits=hits,
        relevant_found=relevant_found,
        unresolved=unresolved,
        missed=missed,
        remaining=remaining,
        remaining_estimate=remaining_estimate,
        at_every_look=at_every_look,
        within=_within(verdicts, limit, level) if limit is not None else None,
        share_found=_share((relevant_found, relevant_found + unresolved), (remaining.low, remaining.high)),
        readers=tuple(_reader(verdicts, at, missed, estimate) for at in range(verdicts.included.shape[1])),
        frame=size,
        level=level,
    )


def missed_in_audit(excluded: int, drawn: int, hits: int, level: float = LEVEL) -> Interval:
    """Totals that audit draws leave possible: exact, whatever readers have in common.

    Parameters
    ----------
    excluded : int
        Records that everybody excluded.
    drawn, hits : int
        Records drawn at random among them, and relevant ones among those.
    level : float
        Chance with which the interval covers, at least.

    Returns
    -------
    Interval
        Relevant records among the excluded ones, those drawn counted.

    Examples
    --------
    >>> missed_in_audit(467, 47, 5)
    Interval(low=22, high=96)
    >>> missed_in_audit(467, 0, 0)
    Interval(low=0, high=467)
    """
    if drawn == excluded:
        return Interval(hits, hits)
    tail, most = (1 - level) / 2, excluded - drawn + hits
    totals = range(hits, most + 1)
    low = bisect_left(totals, True, key=lambda total: 1 - _at_most(hits - 1, excluded, total, drawn) > tail)
    high = bisect_left(totals, True, key=lambda total: _at_most(hits, excluded, total, drawn) <= tail)
    return Interval(hits + low, hits + high - 1)


def _at_most(hits: int, excluded: int, total: int, drawn: int) -> float:
    """Chance of this many hits or fewer among this many drawn of the excluded records, `total` of which are relevant."""
    number = np.arange(max(0, drawn - (excluded - total)), min(hits, total, drawn) + 1)
    others = drawn - number
    ways = log_ways(number, total - number) + log_ways(others, excluded - total - others)
    return float(np.exp(ways - log_ways(drawn, excluded - drawn)).sum())


def missed_within(
    both: int, first: int, second: int, excluded: int, limit: float, level: float = LEVEL
) -> Interval:
    """Totals that two readers' misses leave possible, if the odds ratio between their verdicts is from 1 to a limit.

    Parameters
    ----------
    both, first, second : int
        Relevant records that both included, only the first, only the second.
    excluded : int
        Records that both excluded.
    limit : float
        Highest odds ratio between their verdicts on relevant records; 1 for independence.
    level : float
        Chance with which the interval covers, at least, where the odds ratio is within its limits.

    Returns
    -------
    Interval
        Relevant records that both excluded.

    Examples
    --------
    >>> missed_within(299, 19, 9, excluded=467, limit=1)
    Interval(low=0, high=2)
    >>> missed_within(299, 19, 9, excluded=467, limit=100)
    Interval(low=0, high=122)
    """
    from scipy.stats import nchypergeom_fisher  # slow to import, seldom needed

    tail, totals = (1 - level) / 2, range(excluded + 1)

    def of(total: int, odds: float) -> tuple[int, int, int, float]:
        return both + first + second + total, both + first, both + second, odds

    low = bisect_left(
        totals, True, key=lambda total: bool(nchypergeom_fisher.cdf(both, *of(total, 1.0)) > tail)
    )
    high = bisect_left(
        totals, True, key=lambda total: bool(nchypergeom_fisher.sf(both - 1, *of(total, limit)) <= tail)
    )
    return Interval(min(low, excluded), high - 1)


def draws_needed(
    excluded: int,
    relevant_found: int,
    hits: int = 0,
    rate: float = 0.0,
    share: float = SHARE,
    level: float = LEVEL,
) -> int:
    """Audit draws in all that would show that at most a share of the relevant records is missed.

    Parameters
    ----------
    excluded : int
        Records that everybody excluded.
    relevant_found : int
        Relevant records that are known without the audit.
    hits : int
        Relevant records among the draws so far.
    rate : float
        Share of draws that is expected to be relevant; 0 for the least that could do.
    share : float
        Share that may still be missed once what the audit found is counted as found.
    level : float
        As of an interval: its upper end holds with (1 + level)/2.

    Returns
    -------
    int
        At most all of them.

    Examples
    --------
    >>> draws_needed(1000, 95), draws_needed(1000, 950), draws_needed(730, 4)
    (393, 56, 694)
    """
    tail = (1 - level) / 2

    def shows(relevant: int, most: int, drawn: int) -> bool:
        return _at_most(relevant, excluded, most + 1, drawn) <= tail

    def enough(relevant: int) -> int:
        most = int((share * relevant_found + relevant) / (1 - share) + 1e-9)
        if most >= excluded:
            return relevant
        draws = range(relevant, excluded + 1)
        return min(relevant + bisect_left(draws, True, key=partial(shows, relevant, most)), excluded)

    if not rate:
        return enough(hits)

    def turns_up(relevant: int) -> bool:
        return rate * enough(relevant) <= relevant + 1e-9 or enough(relevant) == excluded

    return enough(hits + bisect_left(range(hits, excluded), True, key=turns_up))


def _reader(verdicts: Verdicts, at: int, missed: Interval, estimate: float | None) -> Reader:
    """Sensitivity and specificity of one reader, with what is unresolved taken at its worst and at its best."""
    read, excluded = ~np.isnan(verdicts.included[:, at]), verdicts.excluded
    if (excluded & ~read).any():
        return Reader(None, None)
    yes, judged = verdicts.included[:, at] == 1, ~np.isnan(verdicts.relevant)
    others = read & ~yes & ~excluded  # Records that he excluded and somebody else included
    relevant = verdicts.relevant == 1

    def number(where: Flags) -> int:
        return int(where.sum())

    open_yes, open_others, n = number(yes & ~judged), number(others & ~judged), number(excluded)
    of_yes, of_others = number(yes & relevant), number(others & relevant)
    wrong, right = number(yes & judged & ~relevant), number(others & judged & ~relevant)
    total = of_yes + of_others + (estimate or 0.0)
    return Reader(
        sensitivity=_share(
            (of_yes, of_yes + open_yes), (of_others + missed.low, of_others + open_others + missed.high)
        ),
        specificity=_share(
            (right + n - missed.high, right + open_others + n - missed.low), (wrong, wrong + open_yes)
        ),
        sensitivity_estimate=None if estimate is None or not total else of_yes / total,
    )


def _share(part: tuple[float, float], rest: tuple[float, float]) -> Interval | None:
    """Least and largest part/(part + rest), each from its least to its largest; None where all of it may be 0."""
    if part[0] + rest[0] == 0:
        # Nothing may be there; what is there can only be of the one that may be more than 0.
        return Interval(0.0, 0.0) if rest[1] > part[1] == 0 else None
    return Interval(part[0] / (part[0] + rest[1]), part[1] / (part[1] + rest[0]))


def _within(verdicts: Verdicts, limit: float, level: float) -> Within | None:
    """M by the misses of two readers who read everything, with all disagreements resolved; else None."""
    included, excluded = verdicts.included, verdicts.excluded
    if included.shape[1] != 2 or np.isnan(included).any() or np.isnan(verdicts.relevant[~excluded]).any():
        return None
    relevant, (first, second) = verdicts.relevant == 1, (included == 1).T
    cells = (relevant & first & second, relevant & first & ~second, relevant & ~first & second, excluded)
    both, only_first, only_second, by_both = (int(cell.sum()) for cell in cells)
    missed, independent = (
        missed_within(both, only_first, only_second, by_both, odds, level) for odds in (limit, 1.0)
    )
    return Within(limit, missed, independent)
