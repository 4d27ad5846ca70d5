"""Who reads the next stretch of a session that a machine reads too."""

from dataclasses import replace

import numpy as np
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.readers.second_reader import ReaderPair, compare_pairings
from tarstop_core.readers.strategies import SENSITIVITY, Prices, Rate, Strategy
from tarstop_core.readers.verdicts import Verdicts
from tarstop_core.readers.who_reads import who_reads
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.events import file_event, settled_event
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.log import Event
from tarstop_core.screening.several_readers import Readers
from tarstop_core.sessions.who_next import FEWEST, IN_DOCUMENTS, compare_ways, worth_of_one
from tests.screening.test_messages import FACTS, situations
from tests.session_cases import REVIEW
from tests.sessions.test_several_readers import BOT

IDS = [f"d{at}" for at in range(200)]
BOTH = Readers(("Rita", "Bot"))
REVIEWED = replace(REVIEW, readers=BOTH)
NAN = float("nan")
CHANCES = np.linspace(0.3, 0.01, 200)
ADVICE = next(situations(FACTS))
# Rita has read 60: the machine includes every fifth document, she every fourth of those that it includes, and one that it excludes.
MACHINE = np.arange(200) % 5 == 0
PERSON = np.where(np.arange(200) < 60, (np.arange(200) % 20 == 0) | (np.arange(200) == 7), NAN)


def read_so_far(readers: Readers = BOTH, draws: int = 0) -> SeveralReaders:
    """A session of two in which everything that they differ on is resolved as Rita says."""
    several = SeveralReaders(readers)

    def take(event: Event, by: str) -> None:
        several.take([replace(event, seq=len(several.log) + 1, reviewer=by)])

    take(file_event(several, BOT, dict(zip(IDS, MACHINE.tolist(), strict=True)), IDS), "Rita")
    for doc, included in zip(IDS, PERSON[:60].tolist(), strict=False):
        take(Event("label", {"doc": doc, "label": "relevant" if included else "irrelevant"}), "Rita")
    for judged in several.waiting:
        label = str(judged.verdicts["Rita"].payload["label"])
        take(settled_event(several, "Tom", judged.doc, label), "Tom")  # type: ignore[arg-type]
    for _ in range(draws):
        take(settled_event(several, "Tom", several.excluded_by_all[len(several.drawn)], "irrelevant"), "Tom")
    return several


def of_both(draws: int = 0) -> Verdicts:
    """The same as a table: of what both excluded nobody knows whether it is relevant, unless it was drawn."""
    known, drawn = np.where(MACHINE | (PERSON == 1), PERSON, NAN), np.zeros(200, dtype=int)
    for place, doc in enumerate(read_so_far(draws=draws).drawn, start=1):
        known[IDS.index(doc)], drawn[IDS.index(doc)] = 0, place
    return Verdicts(np.stack([MACHINE, PERSON], axis=1).astype(float), known, drawn)


def test_a_machine_is_compared_by_what_the_log_says_at_the_prices_of_the_session() -> None:
    compared = compare_ways(read_so_far(), IDS, CHANCES, 12.0, REVIEWED, 400.0)
    assert compared is not None and (compared.first, compared.second, compared.unit) == ("Rita", "Bot", "£")
    who = who_reads(of_both(), 100, Prices(REVIEW.cost, 1.2 / 1000, 50), 400.0, SENSITIVITY)
    assert compared.options == who.options
    assert (who.read, who.learned.included) == (60, Rate(1 + 3, 2 + 12))
    assert [len(compared.head)] * 5 == [len(row) for row in compared.rows]
    assert compared.rows[0][3].startswith("£") and compared.head[0].endswith("100")
    assert "on average" in compared.because and "60 documents" in compared.because and not compared.at_least


def test_where_nothing_is_weighed_a_document_is_the_unit() -> None:
    settings = EnoughSettings(readers=BOTH)
    compared = compare_ways(read_so_far(), IDS, CHANCES, 12.0, settings, 30.0)
    assert compared is not None and compared.unit == IN_DOCUMENTS
    alone = next(one for one in compared.options if one.way is Strategy.PERSON)
    assert alone.cost == 100, "a document read is a document"
    assert compared.options[0].value == max(one.value for one in compared.options)


def test_draws_teach_how_well_a_person_reads_and_how_much_a_machine_excludes_wrongly() -> None:
    prices = Prices(REVIEW.cost, 1.2 / 1000, 50)
    for draws in (10, 47):
        compared = compare_ways(read_so_far(draws=draws), IDS, CHANCES, 12.0, REVIEWED, 400.0)
        who = who_reads(of_both(draws), 100, prices, 400.0, sensitivity=1.0)  # no draw is relevant
        assert compared is not None and compared.options == who.options
        assert "by the random draws" in compared.because
    who = who_reads(of_both(10), 100, prices, 400.0, sensitivity=0.5)
    assert who.learned.excluded.exposure == 20 + 10 + 0.5 * 38, "a draw shows what there is"


def test_two_people_are_compared_by_what_one_of_them_overlooked() -> None:
    settings = replace(REVIEWED, readers=Readers(("Rita", "Sam")))
    several = SeveralReaders(settings.readers)

    def take(event: Event, by: str) -> None:
        several.take([replace(event, seq=len(several.log) + 1, reviewer=by)])

    for at, doc in enumerate(IDS[:50]):
        for name, included in (("Rita", at < 6), ("Sam", at < 5 or at in (6, 7, 8))):
            take(Event("label", {"doc": doc, "label": "relevant" if included else "irrelevant"}), name)
    for judged in several.waiting:  # one of Rita's holds, and two of Sam's
        label = "irrelevant" if judged.doc == "d8" else "relevant"
        take(settled_event(several, "Tom", judged.doc, label), "Tom")  # type: ignore[arg-type]
    pair = ReaderPair((6 + 5 * 0.866 / 0.975) / 13, (7 + 5 * 0.866 / 0.975) / 13, 0.0, 1 / 42, 8)
    prices, hits = Prices(REVIEW.cost, 0.0, 50), 12 * CHANCES[50:150].sum() / CHANCES[50:].sum()
    compared = compare_ways(several, IDS, CHANCES, 12.0, settings, 400.0)
    assert compared is not None and compared.at_least and "is left out" in compared.because
    assert compared.options == compare_pairings(pair, 100, hits, 1.0, prices, 400.0)
    assert compared.rows[0] and "at least" in compared.head[2]
    take(settled_event(several, "Tom", several.excluded_by_all[0], "relevant"), "Tom")
    compared = compare_ways(several, IDS, CHANCES, 12.0, settings, 400.0)
    assert compared is not None and not compared.at_least
    assert compared.options == compare_pairings(pair, 100, hits * (8 / 9), 9 / 49 * (8 / 9), prices, 400.0)


def test_nothing_is_compared_without_a_machine_or_of_a_few_documents() -> None:
    assert compare_ways(SeveralReaders(Readers(("Rita", "Sam"))), IDS, CHANCES, 12.0, REVIEWED, 400.0) is None
    several = read_so_far()
    assert compare_ways(several, IDS[: 60 + FEWEST], CHANCES, 12.0, REVIEWED, 400.0) is not None
    assert compare_ways(several, IDS[: 59 + FEWEST], CHANCES, 12.0, REVIEWED, 400.0) is None
    with pytest.raises(InputProblem, match="worth"):
        compare_ways(several, IDS, CHANCES, 12.0, REVIEWED, 0.0)


def test_one_more_study_is_worth_what_the_next_document_is_over_its_chance() -> None:
    """Of documents with a chance of 0.1 to be included, of which half bring data, the next at a worth of 3 stands for 30."""
    facts = replace(FACTS, share=(0.5, 0.1, 0.9))
    advice = replace(ADVICE, worth=3.0, score=2.0, rho=0.05, facts=facts)
    assert worth_of_one(advice, REVIEWED) == pytest.approx(30.0)
    assert worth_of_one(replace(advice, worth=None), REVIEWED) == pytest.approx(20.0)
    assert worth_of_one(advice, replace(REVIEWED, stages=1)) == pytest.approx(60.0)
    for nothing in (
        replace(advice, worth=0.0),
        replace(advice, rho=0.0),
        replace(advice, score=None, worth=None),
    ):
        assert worth_of_one(nothing, REVIEWED) is None
    assert worth_of_one(advice, EnoughSettings(readers=BOTH)) is None
