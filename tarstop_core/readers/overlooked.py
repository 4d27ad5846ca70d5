"""Relevant records that all readers missed, and each reader's sensitivity and specificity.

Readers tend to miss the same relevant records, so the number that they missed together cannot be estimated from the
records that one of them missed. There are three intervals for M, the relevant records among the n that everybody excluded:

- Without further data, 0 ≤ M ≤ n.
- With an audit of m records drawn at random among the n, of which h are relevant: the totals that neither tail of the
  hypergeometric distribution rules out. This assumes nothing about the readers (:func:`missed_in_audit`).
- With two readers whose verdicts on relevant records have an odds ratio between 1 and a stated limit ρ: given the margins,
  the number that both included has Fisher's noncentral hypergeometric distribution, whose tails rule out totals
  (:func:`missed_within`). ρ = 1 means independence.

Each reader's sensitivity and specificity fall with M. Everything else is counted, so one interval of M gives intervals
of all sensitivities and specificities, which hold simultaneously.

Notes
-----
Test inversion for a hypergeometric total: W. G. Cochran (1977), Sampling Techniques, 3rd edition, section 3.6. Two readers
as capture and recapture: A. Chao et al. (2001), Statistics in Medicine 20. A Bayesian estimate with a prior on the odds
ratio was tried and dropped: with strong dependence the prior outweighs a small audit, and its intervals seldom cover
(docs/readers_measured.md).
"""

from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tarstop_core.calibration.recall_bound import largest_total
from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import INTERVAL_LEVEL
from tarstop_core.readers.verdicts import Verdicts
from tarstop_core.value.counts import beta_binomial, log_ways

LEVEL = INTERVAL_LEVEL  # Coverage of the intervals
TAIL = (1 - LEVEL) / 2  # Chance that an interval misses on one side
SHARE = 0.05  # Audits are planned to show that at most this share of the relevant records is missed


class Interval(NamedTuple):
    """An interval that includes both ends."""

    low: float
    high: float


@dataclass(frozen=True)
class Reader:
    """Sensitivity and specificity of one reader on this list."""

    sensitivity: Interval | None
    """Share of the relevant records that the reader included; None if the reader did not read all, or none may be relevant."""
    specificity: Interval | None
    """Share of the other records that the reader excluded; None if the reader did not read all, or all may be relevant."""
    sensitivity_estimate: float | None = None
    """Sensitivity if excluded records are as often relevant as the draws; None without draws or with unresolved records."""


@dataclass(frozen=True)
class Within:
    """Relevant records that two readers both excluded, if the dependence between their misses is limited."""

    limit: float
    """Highest odds ratio between their verdicts on relevant records; the lowest is 1, independence."""
    missed: Interval
    independent: Interval
    """`missed` for an odds ratio of 1."""


@dataclass(frozen=True)
class Overlooked:
    """Counts and intervals for the records that all readers excluded, and for each reader."""

    excluded: int
    """Records that everybody excluded."""
    drawn: int
    """Of these, records drawn at random for an audit."""
    hits: int
    """Of the drawn ones, relevant records."""
    relevant_found: int
    """Relevant records that are found: included by a reader, or found by the audit or otherwise."""
    unresolved: int
    """Records that a reader included and that have no final verdict yet."""
    missed: Interval
    """Relevant records among those that everybody excluded, M."""
    remaining: Interval
    """The part of `missed` that is not found yet."""
    remaining_estimate: float | None
    """Estimate of `remaining` if draws are typical; None without draws, unless nothing is left to draw from."""
    at_every_look: int | None
    """Upper 95 % limit of M that holds however often one looks during the audit; None unless the draws have an order."""
    within: Within | None
    """M if dependence is limited; None unless a limit was given and two readers read everything."""
    share_found: Interval | None
    """Share of the relevant records found by now; None if there may be no relevant record."""
    readers: tuple[Reader, ...]
    frame: int
    """Records that the audit draws from, including those drawn; excluded records that were judged otherwise are left out."""
    level: float = LEVEL

    @property
    def is_audited(self) -> bool:
        """Whether audit draws give an estimate of what is not found."""
        return self.remaining_estimate is not None

    @property
    def share_estimate(self) -> float:
        """Share of the relevant records found by now, if draws are typical; 1 without draws."""
        total = self.relevant_found + (self.remaining_estimate or 0.0)
        return self.relevant_found / total if total else 1.0

    @cached_property
    def chance_remaining(self) -> Floats:
        """Chances of 0, 1, 2 … relevant records not found, given the draws; shape (records not drawn + 1,).

        Beta-binomial with Jeffreys' prior for the share that is relevant; this assumes nothing about the readers.
        """
        undrawn = self.frame - self.drawn
        return beta_binomial(np.arange(undrawn + 1), undrawn, self.hits + 0.5, self.drawn - self.hits + 0.5)

    @property
    def expected_remaining(self) -> float:
        """Mean of `chance_remaining`."""
        return (self.frame - self.drawn) * (self.hits + 0.5) / (self.drawn + 1)

    @cached_property
    def draws_needed(self) -> int:
        """Total of audit draws that shows that at most 5 % of the relevant records are missed, if no further draw is relevant."""
        return self._draws(0.0)

    @cached_property
    def draws_expected(self) -> int:
        """Total of audit draws that shows it, if further draws are relevant as often as those so far."""
        return self._draws(self.hits / self.drawn if self.drawn else 0.0)

    def _draws(self, rate: float) -> int:
        return draws_needed(self.frame, self.relevant_found - self.hits, hits=self.hits, rate=rate)


def overlooked(verdicts: Verdicts, limit: float | None = None) -> Overlooked:
    """Estimate how many relevant records all readers missed, and how well each reads.

    Parameters
    ----------
    verdicts : Verdicts
        Verdicts of two or more readers.
    limit : float, optional
        Highest plausible odds ratio between two readers' verdicts on relevant records, at least 1.

    Returns
    -------
    Overlooked

    Raises
    ------
    InputProblem
        When the limit is below 1.
    """
    if limit is not None and not 1 <= limit < np.inf:
        raise InputProblem(f"The limit of the odds ratio is {limit:g}; give a number of 1 or more.")
    excluded, relevant, drawn = verdicts.excluded, verdicts.relevant == 1, verdicts.drawn > 0
    judged = ~np.isnan(verdicts.relevant)
    # Excluded records that were judged outside the audit are no random sample, so they say nothing about the rest.
    frame = excluded & (drawn | ~judged)
    elsewhere = int((excluded & ~frame & relevant).sum())
    hits, draws, size = int((drawn & relevant).sum()), int(drawn.sum()), int(frame.sum())
    missed = missed_in_audit(size, draws, hits)
    missed = Interval(elsewhere + missed.low, elsewhere + missed.high)
    relevant_found = int((relevant & ~excluded).sum()) + elsewhere + hits
    unresolved = int((~judged & ~excluded).sum())
    remaining = Interval(missed.low - elsewhere - hits, missed.high - elsewhere - hits)
    at_every_look = None
    if verdicts.ordered and draws:
        order = np.argsort(verdicts.drawn[drawn])
        labels = relevant[drawn][order]
        at_every_look = elsewhere + largest_total(labels, np.ones(draws, dtype=bool), size, TAIL, size)
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
        within=_within(verdicts, limit) if limit is not None else None,
        share_found=_share((relevant_found, relevant_found + unresolved), (remaining.low, remaining.high)),
        readers=tuple(_reader(verdicts, at, missed, estimate) for at in range(verdicts.included.shape[1])),
        frame=size,
    )


def missed_in_audit(excluded: int, drawn: int, hits: int) -> Interval:
    """Exact 90 % interval of the relevant records among the excluded ones, from audit draws alone.

    Parameters
    ----------
    excluded : int
        Records that everybody excluded.
    drawn : int
        Records drawn at random among them.
    hits : int
        Relevant records among those drawn.

    Returns
    -------
    Interval
        Includes the hits.

    Examples
    --------
    >>> missed_in_audit(467, 47, 5)
    Interval(low=22, high=96)
    >>> missed_in_audit(467, 0, 0)
    Interval(low=0, high=467)
    """
    if drawn == excluded:
        return Interval(hits, hits)
    totals = range(hits, excluded - drawn + hits + 1)
    low = bisect_left(totals, True, key=lambda total: 1 - _at_most(hits - 1, excluded, total, drawn) > TAIL)
    high = bisect_left(totals, True, key=lambda total: _at_most(hits, excluded, total, drawn) <= TAIL)
    return Interval(hits + low, hits + high - 1)


def _at_most(hits: int, excluded: int, total: int, drawn: int) -> float:
    """Chance of at most `hits` relevant records among `drawn` of the excluded ones, `total` of which are relevant."""
    number = np.arange(max(0, drawn - (excluded - total)), min(hits, total, drawn) + 1)
    others = drawn - number
    ways = log_ways(number, total - number) + log_ways(others, excluded - total - others)
    return float(np.exp(ways - log_ways(drawn, excluded - drawn)).sum())


def missed_within(both: int, first: int, second: int, excluded: int, limit: float) -> Interval:
    """90 % interval of the relevant records that two readers both excluded, if their dependence is limited.

    Parameters
    ----------
    both, first, second : int
        Relevant records included by both, by the first alone, by the second alone.
    excluded : int
        Records that both excluded.
    limit : float
        Highest odds ratio between their verdicts on relevant records; the lowest is 1, independence.

    Returns
    -------
    Interval

    Examples
    --------
    >>> missed_within(299, 19, 9, excluded=467, limit=1)
    Interval(low=0, high=2)
    >>> missed_within(299, 19, 9, excluded=467, limit=100)
    Interval(low=0, high=122)
    """
    from scipy.stats import nchypergeom_fisher  # slow to import, seldom needed

    totals = range(excluded + 1)

    def in_both(missed: int, odds: float) -> tuple[int, int, int, float]:
        """Parameters of the distribution of the records that both include, if this many were missed."""
        return both + first + second + missed, both + first, both + second, odds

    low = bisect_left(
        totals, True, key=lambda missed: bool(nchypergeom_fisher.cdf(both, *in_both(missed, 1.0)) > TAIL)
    )
    high = bisect_left(
        totals,
        True,
        key=lambda missed: bool(nchypergeom_fisher.sf(both - 1, *in_both(missed, limit)) <= TAIL),
    )
    return Interval(min(low, excluded), high - 1)


def draws_needed(
    excluded: int,
    relevant_found: int,
    hits: int = 0,
    rate: float = 0.0,
) -> int:
    """Total number of audit draws that shows that at most 5 % of the relevant records are missed.

    Parameters
    ----------
    excluded : int
        Records that everybody excluded.
    relevant_found : int
        Relevant records found without the audit.
    hits : int
        Relevant records among the draws so far.
    rate : float
        Expected share of relevant records among further draws; 0 gives the smallest number that may suffice.

    Returns
    -------
    int
        At most `excluded`. Relevant records that the audit finds count as found.

    Examples
    --------
    >>> draws_needed(1000, 95), draws_needed(1000, 950), draws_needed(730, 4)
    (393, 56, 694)
    """

    def enough(relevant: int) -> int:
        """Number of draws that suffices if this many of all draws are relevant."""
        most = int((SHARE * relevant_found + relevant) / (1 - SHARE) + 1e-9)
        if most >= excluded:
            return relevant
        draws = range(relevant, excluded + 1)
        index = bisect_left(
            draws, True, key=lambda drawn: _at_most(relevant, excluded, most + 1, drawn) <= TAIL
        )
        return min(relevant + index, excluded)

    if not rate:
        return enough(hits)

    def is_expected(relevant: int) -> bool:
        """Whether the draws that suffice are expected to contain no more relevant records than this."""
        draws = enough(relevant)
        return rate * draws <= relevant + 1e-9 or draws == excluded

    return enough(hits + bisect_left(range(hits, excluded), True, key=is_expected))


def _reader(verdicts: Verdicts, at: int, missed: Interval, estimate: float | None) -> Reader:
    """Intervals of one reader's sensitivity and specificity, with unresolved records taken at their worst and at their best."""
    read, excluded = ~np.isnan(verdicts.included[:, at]), verdicts.excluded
    if (excluded & ~read).any():
        return Reader(None, None)
    yes, judged = verdicts.included[:, at] == 1, ~np.isnan(verdicts.relevant)
    others = read & ~yes & ~excluded  # Records that this reader excluded and somebody else included
    relevant = verdicts.relevant == 1

    def number(where: Flags) -> int:
        return int(where.sum())

    open_yes, open_others, n = number(yes & ~judged), number(others & ~judged), number(excluded)
    true_positive, false_negative = number(yes & relevant), number(others & relevant)
    false_positive, true_negative = number(yes & judged & ~relevant), number(others & judged & ~relevant)
    total = true_positive + false_negative + (estimate or 0.0)
    return Reader(
        sensitivity=_share(
            (true_positive, true_positive + open_yes),
            (false_negative + missed.low, false_negative + open_others + missed.high),
        ),
        specificity=_share(
            (true_negative + n - missed.high, true_negative + open_others + n - missed.low),
            (false_positive, false_positive + open_yes),
        ),
        sensitivity_estimate=None if estimate is None or not total else true_positive / total,
    )


def _share(part: tuple[float, float], rest: tuple[float, float]) -> Interval | None:
    """Interval of part/(part + rest) from intervals of both; None if part + rest may be 0, unless the part must be 0."""
    if part[0] + rest[0] == 0:
        # A part that must be 0 has a share of 0, as long as there may be a rest.
        return Interval(0.0, 0.0) if rest[1] > part[1] == 0 else None
    return Interval(part[0] / (part[0] + rest[1]), part[1] / (part[1] + rest[0]))


def _within(verdicts: Verdicts, limit: float) -> Within | None:
    """M from the misses of two readers; None unless both read everything and all disagreements are resolved."""
    included, excluded = verdicts.included, verdicts.excluded
    if included.shape[1] != 2 or np.isnan(included).any() or np.isnan(verdicts.relevant[~excluded]).any():
        return None
    relevant, (first, second) = verdicts.relevant == 1, (included == 1).T
    cells = (relevant & first & second, relevant & first & ~second, relevant & ~first & second, excluded)
    both, only_first, only_second, by_both = (int(cell.sum()) for cell in cells)
    missed, independent = (
        missed_within(both, only_first, only_second, by_both, odds) for odds in (limit, 1.0)
    )
    return Within(limit, missed, independent)
