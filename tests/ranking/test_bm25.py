"""BM25 against rank_bm25, its edge cases, and the order made of scores."""

import csv
import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from rank_bm25 import BM25Okapi

from tarstop_core.errors import InputProblem
from tarstop_core.ranking.bm25 import PAPER, RECIPES, WORDS, build_index, rank_documents, rank_order

# Few words, so that they repeat, fall on both sides of "in half of the documents", and are missed by queries.
SOME = st.sampled_from(["mast", "Mast", "hinge,", "hinge", "a", "ß", "İ", "x-ray", "0", "\u00a0", "kettle"])
TEXTS = st.lists(SOME, max_size=12).map(" \t\n".join)


def reference_scores(texts: list[str], query: str) -> np.ndarray:
    return np.asarray(BM25Okapi([text.lower().split() for text in texts]).get_scores(query.lower().split()))


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=15).filter(lambda t: any(x.split() for x in t)), query=TEXTS
)
def test_scores_equal_rank_bm25(texts: list[str], query: str) -> None:
    np.testing.assert_allclose(
        build_index(texts).scores(query), reference_scores(texts, query), rtol=0, atol=1e-9
    )


@pytest.mark.parametrize("topic", ["CD008760", "CD010705", "CD007394"])
def test_scores_equal_rank_bm25_on_real_records(real_data: Path, topic: str) -> None:
    with gzip.open(real_data / "records" / f"{topic}.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["content"] for line in lines]
    with (real_data / "topics.csv").open(encoding="utf-8", newline="") as lines:
        title = next(row["title"] for row in csv.DictReader(lines) if row["topic"] == topic)
    index = build_index(texts)
    long_query = " ".join(texts[:3])
    for query in (title, long_query):
        expected = reference_scores(texts, query)
        assert np.ptp(expected) > 1
        np.testing.assert_allclose(index.scores(query), expected, rtol=0, atol=1e-9)


def test_blocks_join_up(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    texts = [" ".join(f"w{n}" for n in rng.geometric(0.05, size)) for size in rng.integers(0, 40, 23)]
    monkeypatch.setattr("tarstop_core.ranking.bm25._DOCUMENTS_AT_A_TIME", 5)
    monkeypatch.setattr("tarstop_core.ranking.bm25._WEIGHTS_AT_A_TIME", 7)
    reports: list[tuple[int, int]] = []
    index = build_index(texts, lambda done, total: reports.append((done, total)))
    query = "w1 w2 w2 w3 w20 nowhere"
    np.testing.assert_allclose(index.scores(query), reference_scores(texts, query), rtol=0, atol=1e-9)
    assert reports == [(5, 23), (10, 23), (15, 23), (20, 23), (23, 23)]


def test_a_repeated_query_word_counts_as_often_as_it_occurs() -> None:
    index = build_index(["mast hinge", "mast", "kettle", "lid", "cup"])
    np.testing.assert_allclose(index.scores("hinge hinge hinge"), 3 * index.scores("hinge"))
    assert index.scores("hinge")[0] > 0


def test_an_empty_text_scores_nothing_among_others() -> None:
    scores = build_index(["", "mast", "kettle", "lid"]).scores("mast")
    assert scores[0] == 0
    assert scores[1] > 0


def test_queries_without_a_known_word_score_zero_everywhere() -> None:
    index = build_index(["mast", "hinge"])
    assert index.scores("").tolist() == [0, 0]
    assert index.scores("kettle").tolist() == [0, 0]
    assert len(index) == 2


def test_one_document_can_be_ranked() -> None:
    order, scores = rank_documents(["a mast"], "mast")
    assert order.tolist() == [0]
    np.testing.assert_allclose(scores, reference_scores(["a mast"], "mast"))


def test_ranking_puts_matching_documents_first_and_keeps_ties_in_place() -> None:
    texts = ["a kettle", "a mast", "a lid", "mast mast", "a cup", "a pan", "a mast"]
    order, scores = rank_documents(texts, "MAST")
    assert order.tolist() == [3, 1, 6, 0, 2, 4, 5]
    assert len(scores) == len(texts)
    assert scores[3] == scores.max()


@pytest.mark.parametrize(
    ("texts", "query", "sentence"),
    [
        ([], "mast", "no document to rank"),
        (["", "  \n"], "mast", "All 2 documents are without text"),
        (["mast"], " \t", "query is empty"),
        (["mast", "hinge"], "kettle lid", "No word of the query occurs in any of the 2 documents"),
    ],
)
def test_what_cannot_be_ranked_is_said_in_one_sentence(texts: list[str], query: str, sentence: str) -> None:
    with pytest.raises(InputProblem, match=sentence):
        rank_documents(texts, query)


def test_a_query_word_in_half_of_the_documents_is_shared_although_it_weighs_nothing() -> None:
    order, scores = rank_documents(["mast", "hinge"], "mast")
    assert scores.tolist() == [0, 0]
    assert order.tolist() == [0, 1]


@given(
    arrays(
        np.float64, array_shapes(max_dims=1, max_side=30), elements=st.sampled_from([-1.5, 0.0, 2.0, np.nan])
    )
)
def test_order_falls_and_is_stable(scores: np.ndarray) -> None:
    order = rank_order(scores)
    keys = [(bool(np.isnan(s)), -s if not np.isnan(s) else 0.0, i) for i, s in enumerate(scores.tolist())]
    assert order.tolist() == [i for _, _, i in sorted(keys)]


SEARCH = [
    "Door latch and method for operating the same",
    "Bicycle lock",
    "Coffee machine and a method for operating the same",
    "Bolts locking bicycles",
    "Bicycle brake",
    "Washing machine, and method for operating the same",
    "Electronic device and method for operating the same",
    "Method for producing steel",
    "Pump",
    "Steering lock for a motor vehicle",
    "Wind turbine",
    "Kettle with a lid",
    "Handle of a drawer",
]
CLAIM = (
    "A bicycle lock, comprising a shackle and a bolt which holds the shackle in the closed position, wherein the bolt is "
    "moved by a motor; and a method for operating the same."
)


def test_the_bicycle_lock_that_is_sought_comes_before_methods_for_operating_the_same() -> None:
    filler = {at for at, title in enumerate(SEARCH) if title.endswith("operating the same")}
    order, _ = rank_documents(SEARCH, CLAIM, WORDS)
    assert set(order[:3].tolist()) == {1, 3, 9}
    by_the_paper, _ = rank_documents(SEARCH, CLAIM)
    assert set(by_the_paper[:4].tolist()) == filler


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=15).filter(lambda t: any(x.split() for x in t)), query=TEXTS
)
def test_a_document_with_a_word_of_the_query_never_comes_after_one_without(
    texts: list[str], query: str
) -> None:
    """As the paper's does in lists of a few documents."""
    tokens = WORDS.tokens
    if not any(map(tokens, texts)):
        return
    scores = build_index(texts, recipe=WORDS).scores(query)
    shared = [bool({*tokens(text)} & {*tokens(query)}) for text in texts]
    assert [score > 0 for score in scores.tolist()] == shared or not np.abs(scores).any()


def test_forms_accents_case_and_punctuation_are_one_word() -> None:
    texts = ["Folding masts, portable", "the kettle", "LID", "a cup of Ger\u00e4t"]
    index = build_index(texts, recipe=WORDS)
    assert set(index.vocabulary) == {"fold", "mast", "portabl", "kettl", "lid", "cup", "gerat"}
    assert np.flatnonzero(index.scores("(a mast that folds)")).tolist() == [0]
    assert np.flatnonzero(index.scores("GERA\u0308T")).tolist() == [3]
    assert not index.shares_word("the of a")


def test_a_word_that_a_claim_repeats_counts_less_each_time() -> None:
    index = build_index(["mast hinge", "mast", "kettle", "lid", "cup"], recipe=WORDS)
    np.testing.assert_allclose(index.scores("hinge hinge hinges hinged"), 2 * index.scores("hinge"))


def test_a_word_of_more_documents_never_weighs_more() -> None:
    """As the paper's does: one in just less than half of them weighs nearly nothing, one in more a quarter of the mean."""
    counts = range(4, 20)
    texts = [" ".join(f"c{n}" if at < n else f"u{at}_{n}" for n in counts) for at in range(20)]
    for recipe, falls in ((WORDS, True), (PAPER, False)):
        index = build_index(texts, recipe=recipe)
        weights = [index.weights[[index.vocabulary[f"c{n}"]]].max() for n in counts]
        assert (sorted(weights, reverse=True) == weights) == falls


def test_recipes_are_found_by_their_names() -> None:
    assert {name: recipe.name for name, recipe in RECIPES.items()} == {"paper": "paper", "words": "words"}
