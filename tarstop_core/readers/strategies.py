"""Who reads next: ways of reading a stretch of a list, what each would find, overlook and cost, and what reading it so would teach.

A machine's verdicts are in a file before anybody reads, so a stretch has n₁ records that it includes and n₀ that it excludes. Unknown is
how many of each are relevant: of the included, θ₁ on average, of the excluded, θ₀. Both are gamma distributed, and what is read
so updates them. A person finds a relevant record with probability s, whatever the machine says of it, and includes others with probability f.

Reading the n₀ is the only way to learn θ₀. So a way of reading is worth what it finds in this stretch, less what it costs, plus the
mean of what the best way is worth for the rest once it has been read: expected value of sample information for one stretch, exact
by the negative binomial distribution of what is found.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, TypeVar

import numpy as np

from tarstop_core.errors import InputProblem

AUDIT_SHARE = 0.1
"""Share of what the machine excludes that a person reads in an audit."""
SENSITIVITY = 0.866
"""Chance that one person recognises a relevant record by title and abstract (Gartlehner et al. 2020, Journal of Clinical Epidemiology 121)."""
FALSE_INCLUSIONS = 0.05
"""Share of other records that one person includes; an assumption."""
_NEGLIGIBLE = 1e-6
W = TypeVar("W", bound=Enum)


class Strategy(Enum):
    """A way of reading a stretch."""

    PERSON = "person only"
    MACHINE = "machine only"
    MACHINE_THEN_PERSON = "machine, then a person reads what it includes"
    BOTH = "person and machine, disagreements resolved"
    AUDIT = "machine, and a person audits what it excludes"


@dataclass(frozen=True)
class Prices:
    """What reading costs a record, in the unit in which a relevant record has its worth. InputProblem when one is negative."""

    person: float
    machine: float
    follow_up: float = 0.0
    """What is paid for every record that is included in the end, such as reading it in full."""

    def __post_init__(self) -> None:
        if not all(0 <= price < math.inf for price in (self.person, self.machine, self.follow_up)):
            raise InputProblem("A price is what a record costs; give numbers of 0 or more.")


@dataclass(frozen=True)
class Stretch:
    """Records that the machine includes and excludes."""

    included: int
    excluded: int

    def __len__(self) -> int:
        return self.included + self.excluded


@dataclass(frozen=True)
class Rate:
    """Share of records that are relevant: gamma distributed."""

    shape: float
    exposure: float

    @property
    def mean(self) -> float:
        """Expected share, at most 1."""
        return min(self.shape / self.exposure, 1.0)

    def after(self, hits: float, exposure: float) -> "Rate":
        """With this many relevant records found where each had this exposure."""
        return Rate(self.shape + hits, self.exposure + exposure)


@dataclass(frozen=True)
class Learned:
    """What is known of a machine and a person by now."""

    included: Rate = Rate(1.0, 2.0)
    excluded: Rate = Rate(1.0, 20.0)
    """θ₁ and θ₀; before anything is read every second included record and one excluded record in 20 is expected to be relevant, weakly."""
    sensitivity: float = SENSITIVITY
    false_inclusions: float = FALSE_INCLUSIONS

    def after(self, way: Strategy, included: tuple[int, int], excluded: tuple[int, int]) -> "Learned":
        """What is known once a stretch was read.

        Parameters
        ----------
        way : Strategy
            How it was read.
        included, excluded : tuple of (int, int)
            Of the records that the machine includes and excludes: how many were read or followed up, and relevant ones found.

        Returns
        -------
        Learned
            With both rates updated.
        """
        alone = way in (Strategy.PERSON, Strategy.MACHINE_THEN_PERSON)
        seen = self.sensitivity if alone else 1.0
        return replace(
            self,
            included=self.included.after(included[1], seen * included[0]),
            excluded=self.excluded.after(excluded[1], self.sensitivity * excluded[0]),
        )


@dataclass(frozen=True)
class Option(Generic[W]):
    """A way of reading the next stretch, with what is expected of it."""

    way: W
    hits: float
    overlooked: float
    """Relevant records, of the stretch."""
    cost: float
    gain: float
    """What the found records are worth, less the cost."""
    teaches: float
    """What is gained in the rest of the list by what this stretch teaches, against never learning more."""

    @property
    def value(self) -> float:
        """Gain and lesson together: what ways are compared by."""
        return self.gain + self.teaches


def read_share(way: Strategy) -> float:
    """Share of what the machine excludes that a person reads."""
    return {Strategy.PERSON: 1.0, Strategy.BOTH: 1.0, Strategy.AUDIT: AUDIT_SHARE}.get(way, 0.0)


def expected(way: Strategy, stretch: Stretch, learned: Learned, prices: Prices) -> tuple[float, float]:
    """Relevant records found and what it costs.

    Parameters
    ----------
    way : Strategy
        How the stretch is read.
    stretch : Stretch
        Its records.
    learned : Learned
        What is known.
    prices : Prices
        What a record costs.

    Returns
    -------
    tuple of (float, float)
        Expected number of relevant records that are included in the end, and expected cost.

    Examples
    --------
    >>> learned = Learned(Rate(50, 100), Rate(2, 100), sensitivity=0.9, false_inclusions=0.1)
    >>> expected(Strategy.MACHINE_THEN_PERSON, Stretch(20, 80), learned, Prices(1, 0.01))
    (9.0, 21.0)
    """
    n_1, n_0, s, f = stretch.included, stretch.excluded, learned.sensitivity, learned.false_inclusions
    by_machine, beside = n_1 * learned.included.mean, n_0 * learned.excluded.mean
    false_1, false_0 = n_1 - by_machine, n_0 - beside
    share = read_share(way)
    read, machine = share * n_0, len(stretch) * prices.machine
    match way:
        case Strategy.PERSON:
            hits, read, machine = s * (by_machine + beside), read + n_1, 0.0
            wrong = f * (false_1 + false_0)
        case Strategy.MACHINE:
            hits, wrong = by_machine, false_1
        case Strategy.MACHINE_THEN_PERSON:
            hits, read, wrong = s * by_machine, n_1, f * false_1
        case Strategy.AUDIT:
            hits, wrong = by_machine + share * s * beside, false_1 + share * f * false_0
        case Strategy.BOTH:
            hits, wrong = by_machine + s * beside, f * false_1
            # Where they differ somebody reads once more.
            differ = (1 - s) * by_machine + s * beside + (1 - f) * false_1 + f * false_0
            read = read + n_1 + differ
    return hits, read * prices.person + machine + (hits + wrong) * prices.follow_up


def compare(
    stretch: Stretch, rest: Stretch, learned: Learned, prices: Prices, worth: float
) -> tuple[Option[Strategy], ...]:
    """All ways of reading the next stretch, the best first.

    Parameters
    ----------
    stretch : Stretch
        What is read next.
    rest : Stretch
        What is left after it.
    learned : Learned
        What is known by now.
    prices : Prices
        What a record costs.
    worth : float
        What a relevant record found is worth, in the unit of the prices.

    Returns
    -------
    tuple of Option
        By falling value.
    """

    def best(now: Learned) -> float:
        return max(
            worth * hits - cost for hits, cost in (expected(way, rest, now, prices) for way in Strategy)
        )

    unlearned, options = best(learned), []
    for way in Strategy:
        hits, cost = expected(way, stretch, learned, prices)
        relevant = stretch.included * learned.included.mean + stretch.excluded * learned.excluded.mean
        teaches = 0.0
        exposure = learned.sensitivity * read_share(way) * stretch.excluded
        if exposure and len(rest):
            after = [
                (chance, replace(learned, excluded=learned.excluded.after(hits, exposure)))
                for hits, chance in _hits(learned.excluded, exposure)
            ]
            teaches = sum(chance * best(then) for chance, then in after) - unlearned
        options.append(Option(way, hits, relevant - hits, cost, worth * hits - cost, teaches))
    return tuple(sorted(options, key=lambda option: -option.value))


def _hits(rate: Rate, exposure: float) -> Iterable[tuple[int, float]]:
    """How many relevant records may be found, with their chances; at most some sixty numbers."""
    from scipy.stats import nbinom  # slow to import, seldom needed

    law = nbinom(rate.shape, rate.exposure / (rate.exposure + exposure))
    most = int(law.isf(_NEGLIGIBLE)) + 1
    numbers = np.arange(most + 1)
    chances = law.pmf(numbers)
    if most > 60:
        # By cells of equal width, each at its mean.
        cells = np.array_split(numbers, 60)
        grouped = [(cell @ chances[cell], chances[cell].sum()) for cell in cells]
        return [(total / chance, chance) for total, chance in grouped if chance > 0]
    return list(zip(numbers.tolist(), chances.tolist(), strict=True))
