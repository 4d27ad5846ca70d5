"""Who reads the next stretch of a session that a machine reads too."""

from dataclasses import replace

import numpy as np
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.readers.overlooked import Verdicts, missed_in_audit
from tarstop_core.readers.strategies import SENSITIVITY, Prices, Rate, Strategy
from tarstop_core.readers.who_reads import who_reads
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.log import Event
from tarstop_core.screening.settling import checked_event, machine_event, resolved_event
from tarstop_core.screening.several_readers import Readers
from tarstop_core.sessions.who_next import FEWEST, IN_DOCUMENTS, compare_ways, worth_of_one
from tests.screening.test_messages import FACTS, situations
from tests.session_cases import REVIEW
from tests.sessions.test_several_readers import BOT

IDS = [f"d{at}" for at in range(200)]
BOTH = Readers(("Rita", "Bot"))
REVIEWED = replace(REVIEW, readers=BOTH)
NAN = float("nan")
ADVICE = next(situations(FACTS))
# Rita has read 60: the machine includes every fifth document, she every fourth of those that it includes, and one that it excludes.
MACHINE = np.arange(200) % 5 == 0
PERSON = np.where(np.arange(200) < 60, (np.arange(200) % 20 == 0) | (np.arange(200) == 7), NAN)


def read_so_far(readers: Readers = BOTH, draws: int = 0) -> SeveralReaders:
    """A session of two in which everything that they differ on is resolved as Rita says."""
    several = SeveralReaders(readers)

    def take(event: Event, by: str) -> None:
        several.take([replace(event, seq=len(several.log) + 1, reviewer=by)])

    take(machine_event(several, BOT, dict(zip(IDS, MACHINE.tolist(), strict=True)), IDS), "Rita")
    for doc, included in zip(IDS, PERSON[:60].tolist(), strict=False):
        take(Event("label", {"doc": doc, "label": "relevant" if included else "irrelevant"}), "Rita")
    for judged in several.waiting:
        label = str(judged.verdicts["Rita"].payload["label"])
        take(resolved_event(several, "Tom", judged.doc, label), "Tom")  # type: ignore[arg-type]
    for _ in range(draws):
        take(checked_event(several, "Tom", several.excluded_by_all[len(several.drawn)], "irrelevant"), "Tom")
    return several


def test_ways_are_compared_by_what_the_log_says_at_the_prices_of_the_session() -> None:
    compared = compare_ways(read_so_far(), IDS, REVIEWED, 400.0)
    assert compared is not None and (compared.machine, compared.person, compared.unit) == ("Bot", "Rita", "£")
    assert (compared.sensitivity, compared.is_learned) == (SENSITIVITY, False)
    known = np.where(MACHINE | (PERSON == 1), PERSON, NAN)  # of what both excluded nobody knows
    table = Verdicts(np.stack([MACHINE, PERSON], axis=1).astype(float), known, np.zeros(200, dtype=int))
    assert compared.who == who_reads(table, 100, Prices(REVIEW.cost, 1.2 / 1000, 50), 400.0)
    assert (compared.who.read, compared.who.learned.included) == (60, Rate(1 + 3, 2 + 12))
    assert [len(compared.head)] * 5 == [len(row) for row in compared.rows]
    assert compared.rows[0][3].startswith("£") and compared.head[0].endswith("100")


def test_where_nothing_is_weighed_a_document_is_the_unit() -> None:
    settings = EnoughSettings(readers=BOTH)
    compared = compare_ways(read_so_far(), IDS, settings, 30.0)
    assert compared is not None and compared.unit == IN_DOCUMENTS
    alone = next(one for one in compared.who.options if one.way is Strategy.PERSON)
    assert alone.cost == 100, "a document read is a document"
    assert compared.who.options[0].value == max(one.value for one in compared.who.options)


def test_draws_teach_how_well_a_person_reads_and_how_much_a_machine_excludes_wrongly() -> None:
    before, after = (compare_ways(read_so_far(draws=draws), IDS, REVIEWED, 400.0) for draws in (0, 47))
    assert before is not None and after is not None
    assert missed_in_audit(47, 47, 0) == (0, 0), "everything that both excluded was judged again"
    assert (after.sensitivity, after.is_learned) == (1.0, True)
    partly = compare_ways(read_so_far(draws=10), IDS, REVIEWED, 400.0)
    assert partly is not None
    exposure = 20 + 10 + 37 * partly.sensitivity + 1 * partly.sensitivity
    assert partly.who.learned.excluded.exposure == pytest.approx(exposure), "a draw shows what there is"


def test_nothing_is_compared_without_a_machine_or_of_a_few_documents() -> None:
    assert compare_ways(SeveralReaders(Readers(("Rita", "Sam"))), IDS, REVIEWED, 400.0) is None
    several = read_so_far()
    assert compare_ways(several, IDS[: 60 + FEWEST], REVIEWED, 400.0) is not None
    assert compare_ways(several, IDS[: 59 + FEWEST], REVIEWED, 400.0) is None
    with pytest.raises(InputProblem, match="worth"):
        compare_ways(several, IDS, REVIEWED, 0.0)


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
