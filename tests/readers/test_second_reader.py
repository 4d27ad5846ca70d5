"""What a second person finds and costs, against every document played."""

import numpy as np
import pytest

from tarstop_core.readers.second_reader import (
    PAIR,
    WEIGHT,
    Pairing,
    ReaderPair,
    compare_pairings,
    learned_pair,
)
from tarstop_core.readers.strategies import SENSITIVITY, Prices
from tarstop_core.readers.verdicts import Verdicts

# Of two people: what the first includes, the second, and whether it is relevant.
LIST = np.array(
    [(1, 1, 1)] * 14
    + [(1, 0, 1)] * 3
    + [(0, 1, 1)] * 2
    + [(0, 0, 1)]
    + [(1, 0, 0)] * 4
    + [(0, 1, 0)] * 6
    + [(0, 0, 0)] * 70
)


def play(way: Pairing) -> tuple[int, int, int]:
    """Relevant documents found, documents read, and all that are included."""
    found = reads = included = 0
    for first, second, relevant in LIST.tolist():
        reads += 1
        in_the_end = first
        if way is Pairing.BOTH or (way is Pairing.AFTER and not first):
            reads += 1
            if first != second:
                reads, in_the_end = reads + 1, relevant
        found, included = found + (in_the_end and relevant), included + in_the_end
    return found, reads, included


@pytest.mark.parametrize("share_found", [1.0, 19 / 20])
def test_each_way_is_what_it_is_when_it_is_played(share_found: float) -> None:
    others = 80 if share_found < 1 else 81
    pair = ReaderPair(17 / 19, 16 / 19, 4 / others, 6 / others, hits=19)
    options = compare_pairings(pair, 100, 19, share_found, Prices(3.0, 0.0, 7.0), 40.0)
    assert {one.way for one in options} == {*Pairing}
    for one in options:
        assert isinstance(one.way, Pairing)
        found, reads, included = play(one.way)
        assert one.hits == pytest.approx(found)
        assert one.overlooked == pytest.approx(19 / share_found - found)
        assert one.cost == pytest.approx(3 * reads + 7 * included)
        assert one.value == one.gain == pytest.approx(40 * found - one.cost)
    assert [one.value for one in options] == sorted((one.value for one in options), reverse=True)


def test_no_more_are_overlooked_than_there_are_documents() -> None:
    pair = ReaderPair(0.9, 0.8, 0.02, 0.01, hits=3)
    assert all(
        one.hits + one.overlooked <= 100 for one in compare_pairings(pair, 100, 20, 0.1, Prices(1, 0), 9)
    )


def test_what_two_people_taught_is_weighed_with_people_in_general() -> None:
    first, second, relevant = LIST.T.astype(float)
    known = np.where((first == 0) & (second == 0), np.nan, relevant)
    pair = learned_pair(Verdicts(np.stack([second, first], axis=1), known, np.zeros(100, dtype=int)), 1, 0)
    assert (pair.first, pair.second, pair.hits) == (
        pytest.approx((17 + WEIGHT * SENSITIVITY / PAIR) / (19 + WEIGHT)),
        pytest.approx((16 + WEIGHT * SENSITIVITY / PAIR) / (19 + WEIGHT)),
        19,
    )
    assert (pair.wrong_first, pair.wrong_second) == (4 / 81, 6 / 81)
    unread = np.where(np.arange(100) < 60, second, np.nan)  # by the second, from document 60 on
    partly = learned_pair(Verdicts(np.stack([first, unread], axis=1), known, np.zeros(100, dtype=int)))
    assert partly.wrong_second == 6 / 41
    nothing = learned_pair(Verdicts(np.zeros((3, 2)), np.full(3, np.nan), np.zeros(3, dtype=int)))
    assert nothing == ReaderPair(SENSITIVITY / PAIR, SENSITIVITY / PAIR, 0.0, 0.0, 0)
