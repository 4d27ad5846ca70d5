"""From a collection to a screening order."""

from io import BytesIO

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.records import as_records, ranking_text
from tarstop_core.errors import InputProblem
from tarstop_core.files.reading import read_records
from tarstop_core.ranking.bm25 import WORDS, build_index, rank_documents
from tarstop_core.ranking.order import prepare, suggest_order

TITLES = [
    "Kettle with a lid",
    "Foldable mast for an antenna",
    "Door lock",
    "Mast with a hinge",
    "Cup",
    "Antenna",
    "Water jug",
    "Sledge",
    "Bicycle brake",
    "Window blind",
]


def records(**columns: list[object]) -> pd.DataFrame:
    count = len(next(iter(columns.values()))) if columns else len(TITLES)
    return as_records({"id": [f"d{i:02}" for i in range(count)], "title": TITLES[:count], **columns})


def test_text_is_ranked_as_bm25_ranks_it() -> None:
    frame = records(abstract=["folds a mast"] * 5 + [""] * 5)
    ranking = prepare(frame, "text", "a foldable antenna mast")
    order, scores = rank_documents(ranking_text(frame), "a foldable antenna mast")
    np.testing.assert_array_equal(ranking.order, order)
    assert ranking.scores is not None
    np.testing.assert_array_equal(ranking.scores, scores[order])
    assert "a foldable antenna mast" in ranking.how


def test_an_index_made_before_gives_the_same_ranking() -> None:
    frame = records()
    index = build_index(ranking_text(frame))
    again, anew = prepare(frame, "text", "mast", index=index), prepare(frame, "text", "mast")
    np.testing.assert_array_equal(again.order, anew.order)
    np.testing.assert_array_equal(again.scores, anew.scores)


def test_the_words_that_were_counted_are_named() -> None:
    frame = records()
    assert prepare(frame, "text", "a mast").how.endswith("(BM25 on titles and abstracts).")
    index = build_index(ranking_text(frame), recipe=WORDS)
    for ranking in (
        prepare(frame, "text", "masts", recipe=WORDS),
        prepare(frame, "text", "masts", recipe=WORDS, index=index),
    ):
        assert ranking.how.endswith("(BM25 on word stems of titles and abstracts).")
        assert sorted(ranking.order[:2].tolist()) == [1, 3]
    with pytest.raises(InputProblem, match="what you are looking for"):
        prepare(frame, "text", "the of a", recipe=WORDS)


def test_own_order_has_no_scores() -> None:
    ranking = prepare(records(score=[float(i) for i in range(10)]), "own")
    assert ranking.order.tolist() == list(range(10))
    assert ranking.scores is None


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=10))
def test_own_scores_fall_and_ties_keep_their_order(scores: list[float]) -> None:
    ranking = prepare(records(score=list(scores)), "scores")
    assert sorted(ranking.order.tolist()) == list(range(len(scores)))
    assert ranking.scores is not None
    assert (np.diff(ranking.scores) <= 0).all()
    for before, after in zip(ranking.order, ranking.order[1:], strict=False):
        assert scores[before] > scores[after] or before < after


def test_one_document_can_be_ranked() -> None:
    for order in ("own", "text"):
        assert prepare(records(score=[1.0]), order, "kettle").order.tolist() == [0]


@pytest.mark.parametrize(
    "order, query, scores, words",
    [
        ("text", "  ", [np.nan] * 10, "what you are looking for"),
        (
            "text",
            "zeppelin",
            [np.nan] * 10,
            "No word of what you are looking for occurs in any of the 10 documents",
        ),
        ("scores", "", [np.nan] * 10, "has no scores"),
        ("scores", "", [1.0] * 8 + [np.nan] * 2, "2 of 10 documents have no score"),
        ("dates", "", [1.0] * 10, "no order 'dates'"),
    ],
)
def test_what_cannot_be_ordered_is_said_in_a_sentence(
    order: str, query: str, scores: list[float], words: str
) -> None:
    with pytest.raises(InputProblem, match=words) as caught:
        prepare(records(score=scores), order, query)
    assert str(caught.value).endswith(".")


def test_an_empty_collection_is_refused() -> None:
    with pytest.raises(InputProblem, match="no documents"):
        prepare(as_records({"id": []}), "own")


def test_long_queries_are_shortened_where_they_are_named() -> None:
    assert len(prepare(records(), "text", "mast " * 500).how) < 140


class TestSuggestion:
    def test_scores_of_every_record_come_first(self) -> None:
        assert suggest_order(records(score=[float(i % 7) for i in range(10)]))[0] == "scores"

    @pytest.mark.parametrize("scores", [[1.0] * 10, [1.0] * 9 + [np.nan]])
    def test_scores_that_say_nothing_or_are_incomplete_do_not(self, scores: list[float]) -> None:
        assert suggest_order(records(score=scores))[0] != "scores"

    def test_a_list_by_date_is_not_by_relevance(self) -> None:
        order, reason = suggest_order(records(date=[str(2020 - i) for i in range(10)]))
        assert order == "text"
        assert "sorted by date" in reason

    @pytest.mark.parametrize("numbers", [range(10), range(9, -1, -1), range(0, 1000, 100)])
    def test_a_list_by_number_is_not_by_relevance(self, numbers: range) -> None:
        frame = records(pmid=[str(number) for number in numbers])
        frame["id"] = [f"x{(7 * i) % 10}" for i in range(10)]
        order, reason = suggest_order(frame)
        assert order == "text"
        assert "PMID" in reason

    def test_a_list_that_follows_nothing_may_be_by_relevance(self) -> None:
        frame = records()
        frame["id"] = [f"x{(7 * i) % 10}" for i in range(10)]
        assert suggest_order(frame)[0] == "own"

    def test_a_file_without_identifiers_is_not_sorted_by_them(self) -> None:
        csv = "title,abstract\n" + "".join(f"Device {(7 * i) % 40},It turns.\n" for i in range(40))
        frame = read_records(BytesIO(csv.encode()), "mine.csv").frame
        assert frame["id"].iloc[-1] == "row 40"
        assert suggest_order(frame)[0] == "own"

    def test_several_files_are_not_one_order(self) -> None:
        frame = records(source=["a.csv"] * 5 + ["b.csv"] * 5)
        frame["id"] = [f"x{(7 * i) % 10}" for i in range(10)]
        order, reason = suggest_order(frame)
        assert order == "text"
        assert "Several files" in reason

    def test_a_short_list_tells_nothing(self) -> None:
        assert suggest_order(records(label=["", ""]))[0] == "text"
