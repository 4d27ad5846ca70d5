"""Patent families counted once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.duplicates import family_groups
from tarstop_core.documents.records import as_records
from tarstop_core.ranking.order import Ranking, also_published, one_of_each
from tarstop_core.screening.events import families_event
from tarstop_core.screening.fold import replay
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.value.payoffs import Payoffs

MEMBERS = "EP 3456789 A1;;US 2015/0123456 A1;;JP 2015999999 A"
FRAME = as_records(
    {
        "id": list("abcdef"),
        "title": ["Mast"] * 6,
        "publication_number": [
            "EP 3456789 A1",
            "US20150123456A1",
            "US 9123456 B2",
            "JP 2015-999999 A",
            "",
            "EP9",
        ],
        "family": [MEMBERS, MEMBERS, "US 9123456 B2", "", "66001", "66001"],
    }
)


def test_members_are_found_by_the_familys_number_and_by_their_own() -> None:
    assert family_groups(FRAME) == [[0, 1, 3], [4, 5]]
    assert family_groups(FRAME.assign(family="")) == []


def test_the_member_ranked_first_stands_for_the_others() -> None:
    ranking = Ranking(np.array([3, 2, 5, 0, 1, 4]), np.arange(6.0)[::-1].copy(), "By likeness.")
    shorter = one_of_each(ranking, family_groups(FRAME))
    assert shorter.order.tolist() == [3, 2, 5]
    assert shorter.scores is not None and shorter.scores.tolist() == [5.0, 4.0, 3.0]
    assert "3 documents of a patent family" in shorter.how
    also = also_published(FRAME, shorter, family_groups(FRAME))
    assert also == {"d": ["EP 3456789 A1", "US20150123456A1"], "f": ["e"]}
    state = replay(PatentSettings(Payoffs.from_q_star(0.5), 0.001), ["d", "c", "f"], [families_event(also)])
    assert state.other_family_members["d"] == ("EP 3456789 A1", "US20150123456A1")


def test_nothing_to_leave_out_leaves_the_ranking_as_it_is() -> None:
    ranking = Ranking(np.array([2, 0]), None, "By hand.")
    assert one_of_each(ranking, [[0, 1]]) is ranking
    assert one_of_each(ranking, []) is ranking


@given(st.permutations(range(8)), st.integers(1, 8), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_one_of_each_family_that_is_there_stays(order: list[int], length: int, names: list[int]) -> None:
    frame = as_records(
        {"id": [str(at) for at in range(8)], "family": [f"number {name}" if name else "" for name in names]}
    )
    ranking = Ranking(np.array(order[:length]), None, "By hand.")
    kept = one_of_each(ranking, family_groups(frame)).order.tolist()
    expected, seen = [], set()
    for row in order[:length]:
        if not names[row] or names[row] not in seen:
            expected.append(row)
        seen.add(names[row])
    assert kept == expected
