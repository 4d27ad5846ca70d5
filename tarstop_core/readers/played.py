"""Simulate reading strategies on a labelled list, stretch by stretch, with learning from each stretch."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tarstop_core.documents.tables import Flags
from tarstop_core.errors import InputProblem
from tarstop_core.readers.strategies import Prices, ReaderKnowledge, Strategy, Stretch, compare, read_share

STRETCHES = 10  # A list is read in this many stretches, between which the strategy may change
AUDITS = 20  # Results are averaged over this many random audits
Choice = Callable[[Stretch, Stretch, Stretch, ReaderKnowledge, Prices], Strategy]
"""Chooses the strategy for the next stretch from this stretch, the rest, the whole list, what was learned, and prices."""


@dataclass(frozen=True, eq=False)
class ReadList:
    """Verdicts of a machine and of a person on all n records of a list, and the final verdicts; each of shape (n,)."""

    machine: Flags
    person: Flags
    relevant: Flags

    def at(self, records: slice) -> "ReadList":
        """The list of these records only."""
        return ReadList(self.machine[records], self.person[records], self.relevant[records])

    @property
    def stretch(self) -> Stretch:
        """Numbers of records that the machine includes and excludes."""
        return Stretch.of(self.machine)


class StretchResult(NamedTuple):
    """The result of reading a stretch."""

    hits: int
    """Relevant records that are included in the end."""
    cost: float
    included: tuple[int, int]
    """Records that the machine includes and that were read or followed up, and relevant ones found among them."""
    excluded: tuple[int, int]
    """Records that the machine excludes and that were read, and relevant ones found among them."""


class ListResult(NamedTuple):
    """The result of reading a whole list."""

    share_found: float
    cost: float
    ways: tuple[Strategy, ...]

    @property
    def utility(self) -> float:
        """Share of the relevant records found, minus the cost."""
        return self.share_found - self.cost


def read(way: Strategy, part: ReadList, prices: Prices, rng: np.random.Generator) -> StretchResult:
    """Read a stretch by one strategy. Disagreements are resolved without error.

    Parameters
    ----------
    way : Strategy
        The strategy.
    part : ReadList
        The stretch.
    prices : Prices
        Prices per record.
    rng : Generator
        Draws the records of an audit.

    Returns
    -------
    StretchResult
    """
    by_machine, person = part.machine, part.person
    excluded = np.flatnonzero(~by_machine)
    looked = np.zeros(len(by_machine), dtype=bool)
    looked[rng.permutation(excluded)[: round(read_share(way) * len(excluded))]] = True
    again, machine_price = 0, prices.machine
    match way:
        case Strategy.MACHINE | Strategy.AUDIT:
            final = by_machine | (looked & person)
        case Strategy.BOTH:
            looked[:] = True
            differ = by_machine != person
            final, again = np.where(differ, part.relevant, by_machine), int(differ.sum())
        case Strategy.PERSON | Strategy.MACHINE_THEN_PERSON:
            looked |= by_machine
            final = looked & person
            if way is Strategy.PERSON:
                machine_price = 0.0
    reads = int(looked.sum()) + again
    cost = reads * prices.person + len(by_machine) * machine_price + int(final.sum()) * prices.follow_up
    hits = final & part.relevant
    return StretchResult(
        int(hits.sum()),
        cost,
        (int(by_machine.sum()), int((hits & by_machine).sum())),
        (int((looked & ~by_machine).sum()), int((hits & ~by_machine).sum())),
    )


def play(
    choose: Choice, whole: ReadList, prices: Prices, seed: int, learned: ReaderKnowledge | None = None
) -> ListResult:
    """Read a list to its end, choosing a strategy for each stretch.

    Parameters
    ----------
    choose : callable
        :func:`advised`, or the result of :func:`always`.
    whole : ReadList
        The list.
    prices : Prices
        Prices per record, in units of the value of finding all relevant records.
    seed : int
        Seed of the audits.
    learned : Learned, optional
        Prior knowledge of machine and person; weak by default.

    Returns
    -------
    ListResult
    """
    rng, learned = np.random.default_rng(seed), learned or ReaderKnowledge()
    ends = np.linspace(0, len(whole.machine), STRETCHES + 1).round().astype(int).tolist()
    hits, cost, ways = 0, 0.0, []
    for begin, end in pairwise(ends):
        part, rest = whole.at(slice(begin, end)), whole.at(slice(end, None))
        way = choose(part.stretch, rest.stretch, whole.stretch, learned, prices)
        reading = read(way, part, prices, rng)
        learned = learned.after(way, reading.included, reading.excluded)
        hits, cost = hits + reading.hits, cost + reading.cost
        ways.append(way)
    return ListResult(hits / max(int(whole.relevant.sum()), 1), cost, tuple(ways))


def advised(
    part: Stretch, rest: Stretch, whole: Stretch, learned: ReaderKnowledge, prices: Prices
) -> Strategy:
    """Choose the best strategy by what was learned; a relevant record is worth 1 / (expected number of them).

    Parameters
    ----------
    part : Stretch
        The next stretch.
    rest : Stretch
        What is left after it.
    whole : Stretch
        The whole list.
    learned : ReaderKnowledge
        Knowledge of machine and person so far.
    prices : Prices
        Prices per record, in units of the value of finding all relevant records.

    Returns
    -------
    Strategy
    """
    expected = whole.included * learned.included.mean + whole.excluded * learned.excluded.mean
    return compare(part, rest, learned, prices, worth=1 / max(expected, 1.0))[0].way


def always(way: Strategy) -> Choice:
    """Choose the same strategy for every stretch."""
    return lambda *_: way


class Compared(NamedTuple):
    """Results of a strategy on a whole list, averaged over random audits."""

    way: Strategy | None
    """None for the advice, which may change between strategies."""
    hits: float
    """Relevant records found."""
    cost: float
    net: float
    """Value of the relevant records found, minus the cost."""


def strategies_on(
    whole: ReadList, prices: Prices, worth: float, learned: ReaderKnowledge | None = None
) -> list[Compared]:
    """Compare the advice and every single strategy on a labelled list.

    Parameters
    ----------
    whole : ReadList
        The list.
    prices : Prices
        Prices per record.
    worth : float
        Value of a relevant record found, in the same unit.
    learned : Learned, optional
        Prior knowledge of machine and person; weak by default.

    Returns
    -------
    list of Compared
        Sorted by falling net value.

    Raises
    ------
    InputProblem
        When no record is relevant.
    """
    relevant = int(whole.relevant.sum())
    if not relevant:
        raise InputProblem("No record is relevant in the end, so no strategy finds any; choose another list.")
    everything = worth * relevant
    shares = Prices(prices.person / everything, prices.machine / everything, prices.follow_up / everything)
    compared = []
    for way in (None, *Strategy):
        choose = advised if way is None else always(way)
        played = [play(choose, whole, shares, seed, learned) for seed in range(AUDITS)]
        hits = relevant * float(np.mean([result.share_found for result in played]))
        cost = everything * float(np.mean([result.cost for result in played]))
        compared.append(Compared(way, hits, cost, worth * hits - cost))
    return sorted(compared, key=lambda result: -result.net)
