"""What reading so far teaches of a machine, and what is said of the ways of reading on."""

import numpy as np
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.readers.strategies import Prices, Rate, ReaderKnowledge, Strategy, Stretch, compare
from tarstop_core.readers.verdicts import Verdicts
from tarstop_core.readers.who_reads import labelled_throughout, message, who_reads
from tests.branches import every_branch

NAN = float("nan")
PRICES = Prices(1.0, 0.01)
# The machine, the person, the answer.
READ = [
    *[(1, 1, 1)] * 4,
    *[(1, 0, 1)] * 2,
    (1, 1, 0),
    *[(0, 1, 1)] * 3,
    *[(0, 0, NAN)] * 20,
    *[(0, NAN, NAN)] * 5,
    (1, NAN, 0),
]
UNREAD = [(1, NAN, NAN)] * 6 + [(0, NAN, NAN)] * 54


def verdicts(rows: list[tuple[float, float, float]]) -> Verdicts:
    table = np.array(rows, dtype=float)
    return Verdicts(table[:, :2], table[:, 2], np.zeros(len(table), dtype=int))


def test_it_learns_from_what_was_read() -> None:
    who = who_reads(verdicts(READ + UNREAD), 20, PRICES, 30.0, sensitivity=0.8)
    first = ReaderKnowledge()
    assert who.read == len(READ)
    assert who.learned.included == Rate(first.included.shape + 6, first.included.exposure + 8)
    excluded = who.learned.excluded
    assert excluded.shape == first.excluded.shape + 3
    assert excluded.exposure == pytest.approx(first.excluded.exposure + 0.8 * 23)
    assert (who.stretch, who.rest) == (Stretch(6, 14), Stretch(0, 40))
    assert who.options == compare(who.stretch, who.rest, who.learned, PRICES, 30.0)


def test_a_verdict_without_an_answer_counts_as_it_was_given() -> None:
    who = who_reads(verdicts([(1, 0, NAN), (0, 1, NAN), *UNREAD]), 10, PRICES, 30.0, sensitivity=0.5)
    first = ReaderKnowledge()
    assert who.learned.included == Rate(first.included.shape, first.included.exposure + 0.5)
    assert who.learned.excluded == Rate(first.excluded.shape + 1, first.excluded.exposure + 0.5)


def test_before_anything_is_read_it_says_so() -> None:
    who = who_reads(verdicts(UNREAD), 1000, PRICES, 30.0)
    assert (who.read, who.stretch, who.rest) == (0, Stretch(6, 54), Stretch(0, 0))


@pytest.mark.parametrize(
    "rows, changed, words",
    [
        (READ, {}, "no next stretch"),
        ([*UNREAD, (NAN, 1, NAN)], {}, "Record 61 has no verdict of the machine"),
        (UNREAD, {"sensitivity": 0.0}, "sensitivity is 0"),
        (UNREAD, {"worth": 0.0}, "worth 0"),
        (UNREAD, {"records": 0}, "0 records"),
    ],
)
def test_what_cannot_be_is_refused(rows, changed, words: str) -> None:
    given = {"records": 20, "prices": PRICES, "worth": 30.0} | changed
    with pytest.raises(InputProblem, match=words):
        who_reads(verdicts(rows), **given)


@pytest.mark.parametrize(
    "row, words",
    [((NAN, 1, 1), "verdict of the machine"), ((1, NAN, 1), "of the person"), ((0, 0, NAN), "final")],
)
def test_whole_strategies_need_every_verdict(row: tuple[float, float, float], words: str) -> None:
    whole = labelled_throughout(verdicts([(1, 0, 1), (0, 1, 0)]))
    assert (whole.machine.tolist(), whole.person.tolist(), whole.relevant.tolist()) == (
        [True, False],
        [False, True],
        [True, False],
    )
    with pytest.raises(InputProblem, match=f"Record 2 has no .*{words}"):
        labelled_throughout(verdicts([(1, 0, 1), row]))


def test_every_sentence_reads_well() -> None:
    with every_branch(message):
        for way, net in ((None, 2.0), (Strategy.BOTH, -1.0)):
            assert message("strategy", way=way, hits=3.5, relevant=4, cost=2.0, net=net, less=2.0 - net)
        for rows, worth in (
            (READ + UNREAD, 30.0),
            (UNREAD, 12.0),
            (UNREAD, 0.1),
            ([*READ, (1, NAN, NAN)], 30.0),
        ):
            who = who_reads(verdicts(rows), 20, PRICES, worth)
            assert message("so_far", who=who)
            for at, one in enumerate(who.options):
                assert one.way.value in message("option", one=one, first=at == 0)
