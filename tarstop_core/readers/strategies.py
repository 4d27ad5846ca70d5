"""Strategies of reading a stretch of a list by person and machine: what each finds, misses, costs and teaches.

The machine's verdicts exist before anybody reads, so a stretch has n₁ records that it includes and n₀ that it excludes.
The shares of relevant records among them, θ₁ and θ₀, are unknown. Both are gamma distributed and updated by reading. A
person includes a relevant record with probability s, whatever the machine's verdict, and others with probability f.

θ₀ can only be learned by reading some of the n₀. The value of a strategy is therefore the value of what it finds in this
stretch, minus the cost, plus the expected gain in the value of the rest: the expected value of sample information of
one stretch, exact by the negative binomial distribution of the number found.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Generic, TypeVar

import numpy as np

from tarstop_core.documents.tables import Flags
from tarstop_core.errors import InputProblem

AUDIT_SHARE = 0.1  # Share of the records that the machine excludes that a person reads in an audit
SENSITIVITY = 0.866
"""Chance that a person includes a relevant record after title and abstract (Gartlehner et al. 2020, J Clin Epidemiol 121)."""
FALSE_INCLUSIONS = 0.05  # Share of other records that a person includes; an assumption
_NEGLIGIBLE = 1e-6  # Numbers of hits beyond this tail probability are ignored
W = TypeVar("W", bound=Enum)


class Strategy(Enum):
    """How person and machine read a stretch."""

    PERSON = "person only"
    MACHINE = "machine only"
    MACHINE_THEN_PERSON = "machine, then a person reads what it includes"
    BOTH = "person and machine, disagreements resolved"
    AUDIT = "machine, and a person audits what it excludes"


@dataclass(frozen=True)
class Prices:
    """Prices per record, in the unit of the value of a relevant record; InputProblem when one is negative or infinite."""

    person: float
    machine: float
    follow_up: float = 0.0
    """Price of every record that is included in the end, such as that of reading it in full."""

    def __post_init__(self) -> None:
        if not all(0 <= price < math.inf for price in (self.person, self.machine, self.follow_up)):
            raise InputProblem("A price is what a record costs; give numbers of 0 or more.")


@dataclass(frozen=True)
class Stretch:
    """Numbers of records that the machine includes and excludes."""

    included: int
    excluded: int

    @classmethod
    def of(cls, includes: Flags) -> "Stretch":
        """Count the machine's verdicts, shape (n,)."""
        included = int(includes.sum())
        return cls(included, len(includes) - included)

    def __len__(self) -> int:
        return self.included + self.excluded


@dataclass(frozen=True)
class Rate:
    """Gamma distribution of the share of records that are relevant."""

    shape: float
    exposure: float

    @property
    def mean(self) -> float:
        """Expected share, at most 1."""
        return min(self.shape / self.exposure, 1.0)

    def after(self, hits: float, exposure: float) -> "Rate":
        """The distribution after this many hits in `exposure` more records, each counted by the chance of finding it."""
        return Rate(self.shape + hits, self.exposure + exposure)


@dataclass(frozen=True)
class ReaderKnowledge:
    """Knowledge of a machine and a person so far."""

    included: Rate = Rate(1.0, 2.0)
    """θ₁, the share of relevant records among those that the machine includes: weakly expected to be 1 in 2 at first."""
    excluded: Rate = Rate(1.0, 20.0)
    """θ₀, the share among those that it excludes: weakly expected to be 1 in 20 at first."""
    sensitivity: float = SENSITIVITY
    false_inclusions: float = FALSE_INCLUSIONS

    def after(self, way: Strategy, included: tuple[int, int], excluded: tuple[int, int]) -> "ReaderKnowledge":
        """Update both rates after reading a stretch.

        Parameters
        ----------
        way : Strategy
            The strategy by which it was read.
        included, excluded : tuple of (int, int)
            Among the records that the machine includes, and excludes: how many were read or followed up, and how many
            relevant ones were found.

        Returns
        -------
        ReaderKnowledge
        """
        alone = way in (Strategy.PERSON, Strategy.MACHINE_THEN_PERSON)
        chance_found = self.sensitivity if alone else 1.0
        return replace(
            self,
            included=self.included.after(included[1], chance_found * included[0]),
            excluded=self.excluded.after(excluded[1], self.sensitivity * excluded[0]),
        )


@dataclass(frozen=True)
class ReadingOption(Generic[W]):
    """A way of reading the next stretch, with its expected results."""

    way: W
    hits: float
    """Relevant records that are found in the stretch."""
    overlooked: float
    """Relevant records that are missed in the stretch."""
    cost: float
    gain: float
    """Value of the records found, minus the cost."""
    teaches: float
    """Expected gain in the rest of the list from what this stretch teaches."""

    @property
    def value(self) -> float:
        """Total by which options are compared: `gain` plus `teaches`."""
        return self.gain + self.teaches


def read_share(way: Strategy) -> float:
    """Share that a person reads of the records excluded by the machine."""
    return {Strategy.PERSON: 1.0, Strategy.BOTH: 1.0, Strategy.AUDIT: AUDIT_SHARE}.get(way, 0.0)


def expected(
    way: Strategy, stretch: Stretch, learned: ReaderKnowledge, prices: Prices
) -> tuple[float, float]:
    """Expected number of relevant records found in a stretch, and expected cost.

    Parameters
    ----------
    way : Strategy
        The strategy.
    stretch : Stretch
        The stretch.
    learned : ReaderKnowledge
        Knowledge of machine and person.
    prices : Prices
        Prices per record.

    Returns
    -------
    tuple of (float, float)
        Relevant records that are included in the end, and cost.

    Examples
    --------
    >>> learned = ReaderKnowledge(Rate(50, 100), Rate(2, 100), sensitivity=0.9, false_inclusions=0.1)
    >>> expected(Strategy.MACHINE_THEN_PERSON, Stretch(20, 80), learned, Prices(1, 0.01))
    (9.0, 21.0)
    """
    n_1, n_0, s, f = stretch.included, stretch.excluded, learned.sensitivity, learned.false_inclusions
    relevant_1, relevant_0 = n_1 * learned.included.mean, n_0 * learned.excluded.mean
    false_1, false_0 = n_1 - relevant_1, n_0 - relevant_0
    share = read_share(way)
    read, machine = share * n_0, len(stretch) * prices.machine
    match way:
        case Strategy.PERSON:
            hits, read, machine = s * (relevant_1 + relevant_0), read + n_1, 0.0
            wrong = f * (false_1 + false_0)
        case Strategy.MACHINE:
            hits, wrong = relevant_1, false_1
        case Strategy.MACHINE_THEN_PERSON:
            hits, read, wrong = s * relevant_1, n_1, f * false_1
        case Strategy.AUDIT:
            hits, wrong = relevant_1 + share * s * relevant_0, false_1 + share * f * false_0
        case Strategy.BOTH:
            hits, wrong = relevant_1 + s * relevant_0, f * false_1
            # Every disagreement is read once more.
            differ = (1 - s) * relevant_1 + s * relevant_0 + (1 - f) * false_1 + f * false_0
            read = read + n_1 + differ
    return hits, read * prices.person + machine + (hits + wrong) * prices.follow_up


def compare(
    stretch: Stretch, rest: Stretch, learned: ReaderKnowledge, prices: Prices, worth: float
) -> tuple[ReadingOption[Strategy], ...]:
    """Compare all strategies of reading the next stretch.

    Parameters
    ----------
    stretch : Stretch
        The next stretch.
    rest : Stretch
        What is left after it.
    learned : ReaderKnowledge
        Knowledge of machine and person so far.
    prices : Prices
        Prices per record.
    worth : float
        Value of a relevant record found, in the unit of the prices.

    Returns
    -------
    tuple of ReadingOption
        Sorted by falling value.
    """

    def value_of_rest(learned: ReaderKnowledge) -> float:
        return max(
            worth * hits - cost for hits, cost in (expected(way, rest, learned, prices) for way in Strategy)
        )

    relevant = stretch.included * learned.included.mean + stretch.excluded * learned.excluded.mean
    unlearned, options = value_of_rest(learned), []
    for way in Strategy:
        hits, cost = expected(way, stretch, learned, prices)
        teaches = 0.0
        exposure = learned.sensitivity * read_share(way) * stretch.excluded
        if exposure and len(rest):
            after = (
                chance
                * value_of_rest(replace(learned, excluded=learned.excluded.after(relevant_read, exposure)))
                for relevant_read, chance in _hits(learned.excluded, exposure)
            )
            teaches = sum(after) - unlearned
        options.append(ReadingOption(way, hits, relevant - hits, cost, worth * hits - cost, teaches))
    return tuple(sorted(options, key=lambda option: -option.value))


def _hits(rate: Rate, exposure: float) -> Iterable[tuple[int, float]]:
    """Possible numbers of relevant records found, with their chances; many numbers are grouped into 60."""
    from scipy.stats import nbinom  # slow to import, seldom needed

    law = nbinom(rate.shape, rate.exposure / (rate.exposure + exposure))
    most = int(law.isf(_NEGLIGIBLE)) + 1
    numbers = np.arange(most + 1)
    chances = law.pmf(numbers)
    if most > 60:
        # Groups of consecutive numbers are represented by their means.
        groups = [(group @ chances[group], chances[group].sum()) for group in np.array_split(numbers, 60)]
        return [(total / chance, chance) for total, chance in groups if chance > 0]
    return list(zip(numbers.tolist(), chances.tolist(), strict=True))
