"""Strategies of reading played on a labelled list, stretch by stretch, with what each stretch teaches."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from tarstop_core.documents.tables import Flags
from tarstop_core.errors import InputProblem
from tarstop_core.readers.strategies import Learned, Prices, Strategy, Stretch, compare, read_share

STRETCHES = 10
"""Parts of a list between which the way of reading may change."""
AUDITS = 20
"""Lists of draws over which a strategy that audits is averaged."""
Choice = Callable[[Stretch, Stretch, Stretch, Learned, Prices], Strategy]
"""How the next stretch is read: given that, what is left after it, the whole list, what was learned, and prices."""


@dataclass(frozen=True, eq=False)
class ReadList:
    """Verdicts of a machine and of a person on all records of a list, in its order, and the truth; each of shape (n,)."""

    machine: Flags
    person: Flags
    relevant: Flags

    def at(self, records: slice) -> "ReadList":
        """Some of its records."""
        return ReadList(self.machine[records], self.person[records], self.relevant[records])

    @property
    def stretch(self) -> Stretch:
        """How many records the machine includes and excludes."""
        included = int(self.machine.sum())
        return Stretch(included, len(self.machine) - included)


class Reading(NamedTuple):
    """The result of reading a stretch."""

    hits: int
    """Relevant records that are included in the end."""
    cost: float
    included: tuple[int, int]
    excluded: tuple[int, int]
    """Of what the machine includes and excludes: how many were read or followed up, and relevant ones found."""


class Played(NamedTuple):
    """The result for a whole list."""

    share_found: float
    cost: float
    ways: tuple[Strategy, ...]

    @property
    def utility(self) -> float:
        """Share of the relevant records found, less the cost."""
        return self.share_found - self.cost


def read(way: Strategy, part: ReadList, prices: Prices, rng: np.random.Generator) -> Reading:
    """Read a stretch in one way. Disagreements are resolved without error.

    Parameters
    ----------
    way : Strategy
        How it is read.
    part : ReadList
        Its records.
    prices : Prices
        What a record costs.
    rng : Generator
        Draws what is audited.

    Returns
    -------
    Reading
        What was found, and what it cost.
    """
    by_machine, person = part.machine, part.person
    outside = np.flatnonzero(~by_machine)
    looked = np.zeros(len(by_machine), dtype=bool)
    looked[rng.permutation(outside)[: round(read_share(way) * len(outside))]] = True
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
            machine_price = 0.0 if way is Strategy.PERSON else machine_price
    reads = int(looked.sum()) + again
    cost = reads * prices.person + len(by_machine) * machine_price + int(final.sum()) * prices.follow_up
    hits = final & part.relevant
    return Reading(
        int(hits.sum()),
        cost,
        (int(by_machine.sum()), int((hits & by_machine).sum())),
        (int((looked & ~by_machine).sum()), int((hits & ~by_machine).sum())),
    )


def play(
    choose: Choice, whole: ReadList, prices: Prices, seed: int, learned: Learned | None = None
) -> Played:
    """Read a list to its end, choosing a way for each stretch.

    Parameters
    ----------
    choose : callable
        :func:`advised`, or one way throughout.
    whole : ReadList
        The list.
    prices : Prices
        In units of finding everything.
    seed : int
        Of what is audited.
    learned : Learned, optional
        What is known before; by default little.

    Returns
    -------
    Played
        What was found and what it cost.
    """
    rng, learned = np.random.default_rng(seed), learned or Learned()
    ends = np.linspace(0, len(whole.machine), STRETCHES + 1).round().astype(int).tolist()
    hits, cost, ways = 0, 0.0, []
    for begin, end in pairwise(ends):
        part, rest = whole.at(slice(begin, end)), whole.at(slice(end, None))
        way = choose(part.stretch, rest.stretch, whole.stretch, learned, prices)
        reading = read(way, part, prices, rng)
        learned = learned.after(way, reading.included, reading.excluded)
        hits, cost = hits + reading.hits, cost + reading.cost
        ways.append(way)
    return Played(hits / max(int(whole.relevant.sum()), 1), cost, tuple(ways))


def advised(part: Stretch, rest: Stretch, whole: Stretch, learned: Learned, prices: Prices) -> Strategy:
    """The best way by what was learned, where a relevant record is worth its share of all that are expected.

    Parameters
    ----------
    part, rest, whole : Stretch
        What is read next, what is left after it, and the list.
    learned : Learned
        What is known by now.
    prices : Prices
        In units of finding everything.

    Returns
    -------
    Strategy
        For the next stretch.
    """
    expected = whole.included * learned.included.mean + whole.excluded * learned.excluded.mean
    return compare(part, rest, learned, prices, worth=1 / max(expected, 1.0))[0].way


def always(way: Strategy) -> Choice:
    """Read every stretch in one way."""
    return lambda *_: way


class Compared(NamedTuple):
    """A strategy on a whole list, on average over what is audited."""

    way: Strategy | None
    """None where the advice is followed, which may change its way."""
    hits: float
    """Relevant records found."""
    cost: float
    net: float
    """What they are worth, less the cost."""


def strategies_on(
    whole: ReadList, prices: Prices, worth: float, learned: Learned | None = None
) -> list[Compared]:
    """Play the advice and every way throughout on a labelled list.

    Parameters
    ----------
    whole : ReadList
        The list.
    prices : Prices
        What a record costs.
    worth : float
        What a relevant record found is worth, in the same unit.
    learned : Learned, optional
        What is known before; by default little.

    Returns
    -------
    list of Compared
        The best first.

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
        hits = relevant * float(np.mean([one.share_found for one in played]))
        cost = everything * float(np.mean([one.cost for one in played]))
        compared.append(Compared(way, hits, cost, worth * hits - cost))
    return sorted(compared, key=lambda one: -one.net)
