"""Who should read the next stretch of a session: the expected finds, oversights, cost and gain of each choice of readers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarstop_core.documents.tables import Floats
from tarstop_core.presentation.numbers import amount, number
from tarstop_core.readers.overlooked import overlooked
from tarstop_core.readers.second_reader import compare_pairings, learned_pair
from tarstop_core.readers.strategies import SENSITIVITY, Prices, ReadingOption
from tarstop_core.readers.verdicts import Verdicts
from tarstop_core.readers.who_reads import who_reads
from tarstop_core.screening.advised import Advice, ReviewFacts
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions import message
from tarstop_core.sessions.agreeing import table_of

STRETCH = 100
"""Documents in a stretch."""
FEWEST = 20
"""Fewest documents in a stretch; with fewer, the costs would reveal a machine's verdicts."""
IN_DOCUMENTS = "documents"
"""Unit of cost if no decision is weighed: reading a document costs a person 1."""


@dataclass(frozen=True)
class WhoNext:
    """Choices of readers for the next stretch of a session, compared, and what the comparison rests on."""

    documents: int
    """Documents in the stretch."""
    first: str
    """Name of a person."""
    second: str
    """Name of a machine or another person."""
    unit: str
    """Unit of costs and gains."""
    options: tuple[ReadingOption[Any], ...]
    """The choices, the best first."""
    because: str
    """Sentences on what the numbers rest on."""
    at_least: bool = False
    """Whether the number overlooked is a lower bound, because it is unknown what both overlook."""

    @property
    def head(self) -> tuple[str, ...]:
        """The headings of :attr:`rows`."""
        overlooks = "overlooks at least" if self.at_least else "overlooks"
        return f"Who reads the next {self.documents:,}", "finds", overlooks, "costs", "gains"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """A row for each choice of readers."""
        return [
            (
                message("way", way=option.way.name, first=self.first, second=self.second),
                number(round(option.hits, 1)),
                number(round(option.overlooked, 1)),
                amount(option.cost, self.unit),
                amount(option.value, self.unit),
            )
            for option in self.options
        ]


def worth_of_one(advice: Advice, settings: Settings) -> float | None:
    """Worth of one more included document by the advice, in the payoffs' unit; None if it is 0 or no decision is weighed."""
    worth = advice.score if advice.worth is None else advice.worth
    if not settings.weighs or not worth or not advice.rho:
        return None
    brings = advice.facts.share[0] if isinstance(advice.facts, ReviewFacts) and settings.two_stages else 1.0
    return worth / advice.rho * brings


def compare_ways(
    several: SeveralReaders, ids: Sequence[str], p: Floats, unread: float, settings: Settings, worth: float
) -> WhoNext | None:
    """Compare choices of readers for the next stretch: a person and a machine if one is a reader, otherwise one person or two.

    Parameters
    ----------
    several : SeveralReaders
        The log of all readers.
    ids : sequence of str
        Documents in the order of reading.
    p : ndarray, shape (N,)
        Chance of each document.
    unread : float
        Expected number of unread documents that both readers together would include.
    settings : Settings
        Settings in force, with the costs.
    worth : float
        Worth of one more relevant document, in the payoffs' unit or, if no decision is weighed, in documents that a
        person could read instead.

    Returns
    -------
    WhoNext or None
        None unless two people, or a person and a machine, read; also if too few documents are left, or two people
        have judged none together yet.

    Raises
    ------
    InputProblem
        If the worth is not above 0.
    """
    people = [name for name in several.readers.names if name not in several.machines]
    if several.machines and people:
        return _beside_a_machine(several, people[0], ids, settings, worth)
    return _one_or_two(several, people, ids, p, unread, settings, worth) if len(people) > 1 else None


def _beside_a_machine(
    several: SeveralReaders, person: str, ids: Sequence[str], settings: Settings, worth: float
) -> WhoNext | None:
    """Compare reading by a person, a machine or both; None if too few of the machine's documents are left."""
    machine, event = next(iter(several.machines.items()))
    verdict_of = event.payload["verdicts"]
    listed = [doc for doc in ids if doc in verdict_of]
    table = table_of(several)
    places = {doc: at for at, doc in enumerate(table.names)}
    at = np.array([places.get(doc, len(places)) for doc in listed], dtype=int)
    own = np.append(table.verdicts.included[:, several.readers.names.index(person)], np.nan)[at]
    by_machine = np.array([verdict_of[doc] == "relevant" for doc in listed], dtype=float)
    relevant, drawn = np.append(table.verdicts.relevant, np.nan)[at], np.append(table.verdicts.drawn, 0)[at]
    begun = np.flatnonzero(~np.isnan(own) | ~np.isnan(relevant))
    if len(listed) - (begun[-1] + 1 if len(begun) else 0) < FEWEST:
        return None
    missed = overlooked(table.verdicts) if len(table.names) else None
    learned = missed and missed.readers[several.readers.names.index(person)].sensitivity_estimate
    prices, unit = _prices(settings, event.payload.get("cost_per_thousand") or 0.0)
    sensitivity = learned or SENSITIVITY
    verdicts = Verdicts(np.stack([by_machine, own], axis=1), relevant, drawn)
    who = who_reads(verdicts, STRETCH, prices, worth, sensitivity)
    because = message(
        "beside_a_machine",
        who=who,
        machine=machine,
        person=person,
        sensitivity=sensitivity,
        is_learned=bool(learned),
    )
    return WhoNext(len(who.stretch), person, machine, unit, who.options, because)


def _one_or_two(
    several: SeveralReaders,
    people: Sequence[str],
    ids: Sequence[str],
    p: Floats,
    unread: float,
    settings: Settings,
    worth: float,
) -> WhoNext | None:
    """Compare reading by one person or two; None if too few documents are left, or none was judged by all yet."""
    chances = p[np.array([doc not in several.judged for doc in ids], dtype=bool)]
    documents = min(len(chances), STRETCH)
    if documents < FEWEST or not several.judged:
        return None
    hits = unread * float(chances[:documents].sum() / (chances.sum() or 1.0))
    table = table_of(several)
    columns = [several.readers.names.index(name) for name in people[:2]]
    pair, missed = learned_pair(table.verdicts, *columns), overlooked(table.verdicts)
    # What an audit found the two had overlooked, and nobody audits the next stretch.
    by_readers = (missed.relevant_found - missed.hits) / (missed.relevant_found or 1) or 1.0
    share = missed.share_estimate * by_readers
    prices, unit = _prices(settings, 0.0)
    options = compare_pairings(pair, documents, hits * by_readers, share, prices, worth)
    first, second = people[:2]
    because = message("one_or_two", pair=pair, first=first, second=second, found=missed)
    return WhoNext(documents, first, second, unit, options, because, at_least=not missed.is_audited)


def _prices(settings: Settings, thousand: float) -> tuple[Prices, str]:
    """Costs of reading a record and their unit; `thousand` is the price of a thousand records read by a machine."""
    if not settings.weighs:
        return Prices(1.0, 0.0), IN_DOCUMENTS
    return Prices(settings.cost, thousand / 1000, settings.cost_in_full), settings.payoffs.unit
