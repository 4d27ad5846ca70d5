"""Ranking metrics: by hand, against trec_eval's conventions, and on the public rankings."""

import csv
import gzip
import json
from functools import cache
from math import log2
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.ranking_metrics import ranking_metrics, topic_metrics
from tarstop_core.files.trec import read_qrels, read_run
from tarstop_core.ranking.bm25 import build_index, rank_order


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


@pytest.mark.parametrize(
    ("run", "qrels", "topics", "map_", "ndcg", "recall"),
    [
        ("clef_dta/bm25.run", "clef_dta/abs.qrels", 24, 0.224, 0.621, 0.400),
        ("clef_dta/bm25.run", "clef_dta/content.qrels", 24, 0.128, 0.447, 0.458),
        ("clef2019/bm25_dta.run", "clef2019/full.test.dta.abs.2019.qrels", 8, 0.175, 0.580, 0.334),
        ("clef2019/bm25_dta.run", "clef2019/full.test.dta.content.2019.qrels", 8, 0.066, 0.369, 0.246),
        ("clef2017/es_bool.run", "clef2017/qrel_abs_test.txt", 30, 0.129, 0.422, 0.295),
        ("clef2017/es_bool.run", "clef2017/qrel_content_test.txt", 29, 0.096, 0.347, 0.321),
    ],
)
def test_public_rankings(
    real_data: Path, run: str, qrels: str, topics: int, map_: float, ndcg: float, recall: float
) -> None:
    figures = ranking_metrics(read_run(real_data / run), read_qrels(real_data / qrels))
    rounded = {key: round(value, 3) for key, value in figures.items()}
    assert rounded == {"map": map_, "ndcg": ndcg, "recall_100": recall, "topics": topics}


@cache
def bm25_of_the_records(folder: Path) -> dict[str, Topic]:
    with (folder / "topics.csv").open(encoding="utf-8", newline="") as lines:
        titles = {row["topic"]: row["title"] for row in csv.DictReader(lines)}
    run = {}
    for path in sorted((folder / "records").glob("CD*.jsonl.gz")):
        name = path.name.split(".")[0]
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            records = [json.loads(line) for line in lines]
        scores = build_index([record["content"] for record in records]).scores(titles[name])
        order = rank_order(scores)
        run[name] = Topic(name, np.array([record["id"] for record in records])[order], scores[order])
    return run


@pytest.mark.parametrize(
    ("qrels", "map_", "ndcg", "recall"),
    [("abs", 0.2371, 0.6140, 0.4345), ("content", 0.1687, 0.4915, 0.4996)],
)
def test_bm25_of_the_records(real_data: Path, qrels: str, map_: float, ndcg: float, recall: float) -> None:
    judgements = read_qrels(real_data / "records" / f"qrels_{qrels}.txt")
    figures = ranking_metrics(bm25_of_the_records(real_data), judgements)
    rounded = {key: round(value, 4) for key, value in figures.items()}
    assert rounded == {"map": map_, "ndcg": ndcg, "recall_100": recall, "topics": 13}
