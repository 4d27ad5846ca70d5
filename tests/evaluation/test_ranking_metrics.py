"""Ranking metrics: by hand, and against trec_eval's conventions; `cli/test_rank.py` has the public rankings."""

from math import log2

import numpy as np
import pytest

from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.ranking_metrics import ranking_metrics, topic_metrics


def topic(name: str, ids: list[str], scores: list[float] | None = None) -> Topic:
    return Topic(name, np.array(ids), None if scores is None else np.array(scores, dtype=np.float64))


def test_figures_by_hand() -> None:
    run = {"T": topic("T", ["a", "b", "c", "d"], [4.0, 3.0, 2.0, 1.0])}
    figures = ranking_metrics(run, {"T": {"a": 0, "b": 1, "d": 1, "unranked": 1}})
    assert figures["map"] == pytest.approx((1 / 2 + 2 / 4) / 3)
    ideal = 1 + 1 / log2(3) + 1 / log2(4)
    assert figures["ndcg"] == pytest.approx((1 / log2(3) + 1 / log2(5)) / ideal)
    assert figures["recall_100"] == pytest.approx(2 / 3)
    assert figures["topics"] == 1


def test_recall_stops_at_rank_100() -> None:
    ids = [f"d{n}" for n in range(150)]
    run = {"T": topic("T", ids)}
    assert ranking_metrics(run, {"T": {"d99": 1, "d100": 1}})["recall_100"] == 0.5


def test_topics_without_a_relevant_document_are_left_out_and_ranked_misses_count_zero() -> None:
    run = {
        name: topic(name, ["a", "b"], [2.0, 1.0]) for name in ("hit", "nothing relevant", "miss", "unjudged")
    }
    qrels = {
        "hit": {"a": 1},
        "nothing relevant": {"a": 0, "b": -1},
        "miss": {"elsewhere": 1},
        "not in the run": {"a": 1},
    }
    assert list(topic_metrics(run, qrels)) == ["hit", "miss"]
    assert topic_metrics(run, qrels)["miss"] == {"map": 0, "ndcg": 0, "recall_100": 0}
    assert ranking_metrics(run, qrels) == {"map": 0.5, "ndcg": 0.5, "recall_100": 0.5, "topics": 2}


def test_a_list_without_scores_is_taken_in_its_own_order() -> None:
    ids = [f"d{n}" for n in range(9, -1, -1)]
    qrels = {"T": {"d8": 1}}
    assert ranking_metrics({"T": topic("T", ids)}, qrels)["map"] == 0.5


def test_scores_decide_the_order_and_ties_fall_by_identifier() -> None:
    qrels = {"T": {"a": 1}}
    assert ranking_metrics({"T": topic("T", ["a", "b"], [1.0, 2.0])}, qrels)["map"] == 0.5
    assert ranking_metrics({"T": topic("T", ["a", "b"], [1.0, 1.0])}, qrels)["map"] == 0.5
    assert ranking_metrics({"T": topic("T", ["a", "A"], [1.0, 1.0])}, qrels)["map"] == 1.0


def test_an_empty_list_counts_zero() -> None:
    assert ranking_metrics({"T": topic("T", [])}, {"T": {"a": 1}})["map"] == 0


def test_no_common_topic_is_said() -> None:
    with pytest.raises(InputProblem, match="None of the 1 topics of the run has a relevant document"):
        ranking_metrics({"T": topic("T", ["a"])}, {"U": {"a": 1}})


def test_duplicate_documents_and_missing_scores_are_refused() -> None:
    with pytest.raises(InputProblem, match="Topic T ranks document b more than once"):
        ranking_metrics({"T": topic("T", ["a", "b", "b"])}, {"T": {"a": 1}})
    with pytest.raises(InputProblem, match="document b at rank 2 has no number"):
        ranking_metrics({"T": topic("T", ["a", "b"], [1.0, np.nan])}, {"T": {"a": 1}})
