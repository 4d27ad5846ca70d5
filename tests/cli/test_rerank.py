"""``tarstop rerank`` and ``tarstop check-ranker``."""

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tarstop_core.files import read_run
from tests.cli.shell import Run, refused

BACKWARDS = """
from dataclasses import dataclass
import numpy as np
from tarstop_core.ranking.learning import Ranker

@dataclass(frozen=True)
class Backwards(Ranker):
    name, summary = "backwards", "The last of the list first."

    def scores(self, features, told, seed):
        return np.arange(len(features), dtype=float)
"""


@pytest.fixture
def labelled(tmp_path: Path) -> Path:
    """60 records with two columns of labels and one of scores; label_final leaves two records open."""
    rng = np.random.default_rng(2)
    lines = []
    for number in range(60):
        liver = number % 6 == 0
        words = rng.choice([f"{'liver' if liver else 'soil'}{i}" for i in range(9)], 5)
        lines.append(
            {
                "id": f"d {number}",
                "title": "Ultrasound",
                "abstract": " ".join(words),
                "label_abstract": 1,
                "label_final": None if number in (1, 2) else int(liver),
                "model": 0.9 * liver + 0.01 * number,
            }
        )
    file = tmp_path / "liver.jsonl.gz"
    file.write_bytes(gzip.compress("\n".join(map(json.dumps, lines)).encode()))
    return file


def rerank(tarstop: Run, labelled: Path, query: str, out: Path, chances: Path) -> None:
    asked = ("--query", query, "--labels", "label_final", "--out", out, "--chances", chances)
    assert tarstop("rerank", labelled, *asked).code == 0


def test_chances_are_written_as_they_stood(tarstop: Run, labelled: Path) -> None:
    out, chances = labelled.parent / "out.run", labelled.parent / "chances.csv"
    rerank(tarstop, labelled, "liver", out, chances)
    written = pd.read_csv(chances)
    assert written["id"].str.replace(" ", "_").tolist() == read_run(out)["liver"].ids.tolist()
    assert written["chance"].between(0, 1).all() and written["relevant"].sum() == 10


def test_it_writes_the_order_read_and_says_how_good_it_was(tarstop: Run, labelled: Path) -> None:
    out = labelled.parent / "out.run"
    asked = ("rerank", labelled, "--query", "ultrasound liver1", "--labels", "label_final", "--out", out)
    told = tarstop(*asked, "--json")
    found = told.json
    assert list(found) == [
        "documents", "relevant", "recall_at", "wss_95", "loss", "log_loss", "ece", "left", "fit_ms", "seconds",
    ]  # fmt: skip
    assert list(found["left"]) == ["20", "50"] and found["left"]["50"]["true"] == 0
    assert (found["documents"], found["relevant"]) == (58, 10) and found["loss"] < 0.2
    assert list(found["recall_at"]) == ["0.05", "0.1", "0.2", "0.5"] and list(found["fit_ms"]) == [
        "median",
        "p95",
    ]
    assert "2 records without a label" in told.err
    topic = read_run(out)["liver"]
    assert sorted(topic.ids) == sorted(f"d_{number}" for number in range(60) if number not in (1, 2))
    assert topic.scores is not None and topic.scores.tolist() == list(range(58, 0, -1))
    assert tarstop(*asked).code == 0 and read_run(out)["liver"].ids.tolist() == topic.ids.tolist()
    scored = tarstop(*asked, "--scores", "model", "--json").json
    assert scored["loss"] <= found["loss"]


def test_words_for_and_against_count_before_any_label(tarstop: Run, labelled: Path) -> None:
    out = labelled.parent / "out.run"

    def loss(query: str, *words: str) -> float:
        asked = ("--query", query, *words, "--labels", "label_final", "--out", out, "--json")
        return float(tarstop("rerank", labelled, *asked).json["loss"])

    assert loss("soil1 soil2", "--for", "liver3 liver4") < loss("soil1 soil2", "--for", " ", "--against", "")
    assert loss("ultrasound", "--against", "liver2 liver3 liver4") > loss("ultrasound")


def test_replay_takes_the_run(tarstop: Run, labelled: Path, calibrator: Path) -> None:
    out, qrels = labelled.parent / "out.run", labelled.parent / "out.qrels"
    asked = ("rerank", labelled, "--query", "liver1", "--labels", "label_final", "--out", out)
    assert tarstop(*asked).code == 0
    qrels.write_text(
        "".join(f"liver 0 d_{number} {int(number % 6 == 0)}\n" for number in range(60)), encoding="utf-8"
    )
    told = tarstop(
        *("replay", out, qrels, "--calibrator", calibrator, "--policy", "budget:d=15"),
        *("--q-star", 0.5, "--cost", 0.001, "--json"),
    )
    assert told.json["topics"][0]["topic"] == "liver" and told.json["topics"][0]["recall"] > 0


def test_replay_takes_the_chances(tarstop: Run, labelled: Path) -> None:
    out, chances, qrels, tables = (labelled.parent / f"out.{end}" for end in ("run", "csv", "qrels", "tsv"))
    rerank(tarstop, labelled, "liver1", out, chances)
    relevant = [f"d_{number}" for number in range(0, 60, 6)]
    qrels.write_text("".join(f"liver 0 {doc} 1\n" for doc in relevant), encoding="utf-8")
    rows = "".join(f"liver\t{doc}\t{doc}\t30\t5\t{4 + at % 3}\t40\n" for at, doc in enumerate(relevant))
    tables.write_text(f"topic\tstudy\tdocid\tTP\tFP\tFN\tTN\n{rows}", encoding="utf-8")
    common = ("replay", out, qrels, "--policy", "greedy", "--q-star", 0.5, "--cost", 0.0005, "--json")
    review = ("--scenario", "review", "--tables", tables)
    (found,) = tarstop(*common, *review, "--chances", chances).json["topics"]
    assert 0 < found["depth"] <= 60 and set(found["left"]) == {"stop", "0.02", "0.05", "0.1", "0.2", "0.5"}
    scaled = tarstop(*common, *review, "--chances", chances, "--scale", 0.01).json["topics"][0]
    assert scaled["depth"] < found["depth"]
    refused(tarstop(*common, "--chances", chances), "--chances is for reviews")
    refused(tarstop(*common, *review), "either --calibrator or --chances")
    refused(tarstop(*common, *review, "--chances", tables), "no column id")


def test_a_ranker_of_ones_own_is_asked_and_checked(tarstop: Run, labelled: Path) -> None:
    (labelled.parent / "mine.py").write_text(BACKWARDS, encoding="utf-8")
    mine, out = f"{labelled.parent / 'mine.py'}:Backwards", labelled.parent / "out.run"
    asked = ("rerank", labelled, "--query", "liver", "--labels", "label_final", "--out", out)
    assert tarstop(*asked, "--ranker", mine).code == 0
    assert read_run(out)["liver"].ids[:2].tolist() == ["d_59", "d_58"]
    checked = tarstop("check-ranker", mine)
    assert checked.code == 0 and "never looked ahead" in checked.out
    assert tarstop("check-ranker", "unmoved", "--json").json["ok"]
    refused(tarstop(*asked, "--ranker", "nonsense"), "There is no ranker 'nonsense'")
    refused(tarstop(*asked, "--ranker", "mine.py"), "Name its class")


def test_columns_that_do_not_serve_are_refused(tarstop: Run, labelled: Path) -> None:
    out = labelled.parent / "out.run"
    asked = ("rerank", labelled, "--query", "liver", "--out", out, "--labels")
    refused(tarstop(*asked, "nothing"), "no column named nothing")
    refused(tarstop(*asked, "label_abstract"), "only relevant documents", "label_abstract")
    refused(tarstop(*asked, "label_final", "--scores", "abstract"), "not a finite number")
    assert not out.exists()
