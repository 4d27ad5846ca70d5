"""Who reads the next stretch of a session that a machine reads too: what each way finds, overlooks, costs and gains."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tarstop_core.presentation.numbers import amount, number
from tarstop_core.readers.overlooked import Verdicts, overlooked
from tarstop_core.readers.strategies import SENSITIVITY, Prices
from tarstop_core.readers.who_reads import WhoReads, who_reads
from tarstop_core.screening.advised import Advice, ReviewFacts
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions import message
from tarstop_core.sessions.agreeing import table_of

STRETCH, FEWEST = 100, 20
"""Documents of a stretch, and the fewest: of fewer the costs would tell what the machine says of single ones."""
IN_DOCUMENTS = "documents"
"""What is counted in where nothing is weighed: one that a person reads costs 1."""


@dataclass(frozen=True)
class WhoNext:
    """Ways of reading the next stretch of a session, and what they are compared by."""

    machine: str
    person: str
    unit: str
    sensitivity: float
    """Chance that the person recognises a relevant document."""
    is_learned: bool
    """Whether that follows from random draws among what all excluded; else it is that of people in general."""
    who: WhoReads

    @property
    def head(self) -> tuple[str, ...]:
        """The headings of :attr:`rows`."""
        return f"Who reads the next {len(self.who.stretch):,}", "finds", "overlooks", "costs", "gains"

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """A row for each way, the best first."""
        return [
            (
                message("way", way=one.way.name, machine=self.machine, person=self.person),
                number(round(one.hits, 1)),
                number(round(one.overlooked, 1)),
                amount(one.cost, self.unit),
                amount(one.value, self.unit),
            )
            for one in self.who.options
        ]

    @property
    def because(self) -> str:
        """What the comparison rests on."""
        return message("ways_rest_on", compared=self)


def worth_of_one(advice: Advice, settings: Settings) -> float | None:
    """What one more included document is worth by the advice, in the payoffs' unit; None where it is worth nothing or not weighed."""
    worth = advice.score if advice.worth is None else advice.worth
    if not settings.weighs or not worth or not advice.rho:
        return None
    brings = advice.facts.share[0] if isinstance(advice.facts, ReviewFacts) and settings.two_stages else 1.0
    return worth / advice.rho * brings


def compare_ways(
    several: SeveralReaders, ids: Sequence[str], settings: Settings, worth: float
) -> WhoNext | None:
    """Compare ways of reading the next stretch.

    Parameters
    ----------
    several : SeveralReaders
        What was said.
    ids : sequence of str
        Documents in the order of reading.
    settings : Settings
        Those in force, which have the costs.
    worth : float
        What one more relevant document is worth, in the payoffs' unit; where nothing is weighed in documents that a person reads.

    Returns
    -------
    WhoNext or None
        None where no machine reads beside a person, or too few documents are left.

    Raises
    ------
    InputProblem
        When the worth is not above 0.
    """
    people = [name for name in several.readers.names if name not in several.machines]
    if not people or not several.machines:
        return None
    person, (machine, taken) = people[0], next(iter(several.machines.items()))
    verdict_of = taken.payload["verdicts"]
    listed = [doc for doc in ids if doc in verdict_of]
    table = table_of(several)
    places = {doc: at for at, doc in enumerate(table.names)}
    at = np.array([places.get(doc, len(places)) for doc in listed], dtype=int)
    own = np.append(table.verdicts.included[:, several.readers.names.index(person)], np.nan)[at]
    verdicts = Verdicts(
        np.stack([np.array([verdict_of[doc] == "relevant" for doc in listed], dtype=float), own], axis=1),
        np.append(table.verdicts.relevant, np.nan)[at],
        np.append(table.verdicts.drawn, 0)[at],
    )
    begun = np.flatnonzero(~np.isnan(own) | ~np.isnan(verdicts.relevant))
    if len(listed) - (begun[-1] + 1 if len(begun) else 0) < FEWEST:
        return None
    missed = overlooked(table.verdicts) if len(table.names) else None
    learned = missed and missed.readers[several.readers.names.index(person)].sensitivity_estimate
    thousand = taken.payload.get("cost_per_thousand") or 0.0
    prices = (
        Prices(1.0, 0.0)
        if not settings.weighs
        else Prices(settings.cost, thousand / 1000, settings.cost_in_full)
    )
    sensitivity = learned or SENSITIVITY
    return WhoNext(
        machine,
        person,
        settings.payoffs.unit if settings.weighs else IN_DOCUMENTS,
        sensitivity,
        bool(learned),
        who_reads(verdicts, STRETCH, prices, worth, sensitivity),
    )
