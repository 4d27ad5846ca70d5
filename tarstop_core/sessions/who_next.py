"""Who should read the next stretch of a session: finds, oversights, cost and gain of each way."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarstop_core.documents.tables import Floats
from tarstop_core.presentation.numbers import amount, number
from tarstop_core.readers.overlooked import overlooked
from tarstop_core.readers.second_reader import compare_pairings, learned_pair
from tarstop_core.readers.strategies import SENSITIVITY, Option, Prices
from tarstop_core.readers.verdicts import Verdicts
from tarstop_core.readers.who_reads import who_reads
from tarstop_core.screening.advised import Advice, ReviewFacts
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions import message
from tarstop_core.sessions.agreeing import table_of

STRETCH, FEWEST = 100, 20
"""Documents in a stretch, and the least number; with fewer, the costs would reveal a machine's verdicts."""
IN_DOCUMENTS = "documents"
"""The unit if nothing is weighed: a document that a person reads costs 1."""


@dataclass(frozen=True)
class WhoNext:
    """Ways of reading the next stretch of a session, and the basis of their comparison."""

    documents: int
    first: str
    second: str
    """A person, and a machine or another person."""
    unit: str
    options: tuple[Option[Any], ...]
    """The best first."""
    because: str
    at_least: bool = False
    """Whether the number overlooked is a lower bound, because it is unknown what both overlook."""

    @property
    def head(self) -> tuple[str, ...]:
        """The headings of :attr:`rows`."""
        overlooks = "overlooks at least" if self.at_least else "overlooks"
        return f"Who reads the next {self.documents:,}", "finds", overlooks, "costs", "gains"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """A row for each way."""
        return [
            (
                message("way", way=one.way.name, first=self.first, second=self.second),
                number(round(one.hits, 1)),
                number(round(one.overlooked, 1)),
                amount(one.cost, self.unit),
                amount(one.value, self.unit),
            )
            for one in self.options
        ]


def worth_of_one(advice: Advice, settings: Settings) -> float | None:
    """Worth of one more included document by the advice, in the payoffs' unit; None if it is 0 or nothing is weighed."""
    worth = advice.score if advice.worth is None else advice.worth
    if not settings.weighs or not worth or not advice.rho:
        return None
    brings = advice.facts.share[0] if isinstance(advice.facts, ReviewFacts) and settings.two_stages else 1.0
    return worth / advice.rho * brings


def compare_ways(
    several: SeveralReaders, ids: Sequence[str], p: Floats, unread: float, settings: Settings, worth: float
) -> WhoNext | None:
    """Compare ways of reading the next stretch: by a person and a machine, if one is a reader, otherwise by one person or two.

    Parameters
    ----------
    several : SeveralReaders
        What was said.
    ids : sequence of str
        Documents in the order of reading.
    p : ndarray, shape (N,)
        Chance of each.
    unread : float
        How many documents that both together would include are probably still unread; where these are, the chances say.
    settings : Settings
        Those in force, which have the costs.
    worth : float
        What one more relevant document is worth, in the payoffs' unit; where nothing is weighed in documents that a person reads.

    Returns
    -------
    WhoNext or None
        None where nobody reads beside a person, or too few documents are left.

    Raises
    ------
    InputProblem
        When the worth is not above 0.
    """
    people = [name for name in several.readers.names if name not in several.machines]
    if several.machines and people:
        return _beside_a_machine(several, people[0], ids, settings, worth)
    return _one_or_two(several, people, ids, p, unread, settings, worth) if len(people) > 1 else None


def _beside_a_machine(
    several: SeveralReaders, person: str, ids: Sequence[str], settings: Settings, worth: float
) -> WhoNext | None:
    machine, taken = next(iter(several.machines.items()))
    verdict_of = taken.payload["verdicts"]
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
    prices, unit = _prices(settings, taken.payload.get("cost_per_thousand") or 0.0)
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
    chances = p[np.array([doc not in several.judged for doc in ids], dtype=bool)]
    documents = min(len(chances), STRETCH)
    if documents < FEWEST or not several.judged:
        return None
    hits = unread * float(chances[:documents].sum() / (chances.sum() or 1.0))
    table = table_of(several)
    columns = [several.readers.names.index(name) for name in people[:2]]
    pair, missed = learned_pair(table.verdicts, *columns), overlooked(table.verdicts)
    # These two overlooked what an audit found, and nobody audits the next stretch.
    by_readers = (missed.relevant_found - missed.hits) / (missed.relevant_found or 1) or 1.0
    share = missed.share_estimate * by_readers
    prices, unit = _prices(settings, 0.0)
    options = compare_pairings(pair, documents, hits * by_readers, share, prices, worth)
    first, second = people[:2]
    because = message("one_or_two", pair=pair, first=first, second=second, found=missed)
    return WhoNext(documents, first, second, unit, options, because, at_least=not missed.is_audited)


def _prices(settings: Settings, thousand: float) -> tuple[Prices, str]:
    """Return the cost of a record and its unit; `thousand` is the price of a thousand records read by a machine."""
    if not settings.weighs:
        return Prices(1.0, 0.0), IN_DOCUMENTS
    return Prices(settings.cost, thousand / 1000, settings.cost_in_full), settings.payoffs.unit
