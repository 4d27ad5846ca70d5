"""``tarstop rank`` and ``tarstop metrics``."""

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.files import read_run
from tests.cli.shell import RECORDS, Run, refused


def test_rank_writes_a_run_in_full_precision(tarstop: Run, folder: Path) -> None:
    out = folder / "out.run"
    found = tarstop("rank", folder / "records.csv", "--query", "disc brake", "--out", out, "--json").json
    assert list(found) == ["documents", "seconds"]
    assert found["documents"] == 4 and found["seconds"] > 0
    topic = read_run(out)["records"]
    assert topic.ids[0] == "p3" and topic.scores is not None
    assert topic.scores[0] > topic.scores[1] and (np.diff(topic.scores) <= 0).all()
    for line, score in zip(out.read_text(encoding="utf-8").splitlines(), topic.scores, strict=True):
        assert line.split()[4] == repr(float(score))


def test_rank_names_the_topic_as_told_or_after_the_file(tarstop: Run, folder: Path) -> None:
    zipped = folder / "CD1.v2.csv.gz"
    zipped.write_bytes(gzip.compress(RECORDS.encode()))
    out = folder / "out.run"
    told = tarstop("rank", zipped, "--query", "brake", "--out", out)
    assert told.code == 0 and "Ranked 4 documents" in told.out and list(read_run(out)) == ["CD1"]
    assert tarstop("rank", zipped, "--query", "brake", "--out", out, "--topic", "T7").code == 0
    assert list(read_run(out)) == ["T7"]


def test_rank_counts_the_paper_s_tokens_unless_told_otherwise(tarstop: Run, folder: Path) -> None:
    out = folder / "out.run"
    records = folder / "records.csv"

    def scores(*more: str) -> list[float]:
        assert tarstop("rank", records, "--query", "braking discs", "--out", out, *more).code == 0
        found = read_run(out)["records"].scores
        assert found is not None
        return list(found)

    refused(tarstop("rank", records, "--query", "braking discs", "--out", out), "No word of the query")
    found = scores("--tokens", "words")
    assert read_run(out)["records"].ids[0] == "p3" and found[0] > found[1] > found[2] == 0
    refused(tarstop("rank", records, "--query", "x", "--out", out, "--tokens", "letters"), "letters")
    said = tarstop("rank", records, "--query", "brake", "--out", out).out
    assert "--tokens words" in said
    assert (
        "--tokens" not in tarstop("rank", records, "--query", "brake", "--out", out, "--tokens", "words").out
    )


def test_rank_leaves_notes_to_stderr(tarstop: Run, folder: Path) -> None:
    latin = folder / "latin.csv"
    latin.write_bytes(RECORDS.replace("Hot", "Très hot").encode("cp1252"))
    found = tarstop("rank", latin, "--query", "brake", "--out", folder / "out.run", "--json")
    assert found.json["documents"] == 4 and "Windows-1252" in found.err


@pytest.mark.parametrize(
    ("name", "content", "query", "word"),
    [
        ("none.csv", None, "brake", "none.csv"),
        ("empty.csv", b"", "brake", "empty.csv is empty"),
        ("a.csv", b"%PDF-1.4", "brake", "PDF"),
        ("a.csv", b"topic Q0 d 1 2.0 x\n", "brake", "a.csv"),
        ("a.ris", b"id,name\n1,a\n", "brake", "a.ris"),
        ("a.xlsx", b"id,name\n1,a\n", "brake", "a.xlsx"),
        ("a.jsonl", b'{"id": 1,\n', "brake", "a.jsonl"),
        ("a.doc", b"id,name\n1,a\n", "brake", "a.doc"),
        ("a.csv.gz", RECORDS.encode(), "brake", "not compressed"),
        ("a.csv", RECORDS.encode(), " ", "query is empty"),
        ("a.csv", RECORDS.encode(), "zeppelin", "No word of the query"),
    ],
)
def test_rank_refuses_and_writes_nothing(
    tarstop: Run, tmp_path: Path, name: str, content: bytes | None, query: str, word: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    out = tmp_path / "out.run"
    refused(tarstop("rank", tmp_path / name, "--query", query, "--out", out, "--json"), word)
    assert not out.exists()


def test_an_output_that_cannot_be_written_is_refused(tarstop: Run, folder: Path) -> None:
    records, run, qrels = folder / "records.csv", folder / "a.run", folder / "a.qrels"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for out, word in ((folder / "no" / "x", "no folder"), (folder, "is a folder"), (records / "x", "folder")):
        refused(tarstop("rank", records, "--query", "brake", "--out", out), word)
        refused(tarstop("calibrate", run, qrels, "--scenario", "patent", "--out", out), word)
    refused(tarstop("rank", records, "--query", "brake", "--out", records), "read from")
    refused(tarstop("calibrate", run, qrels, "--scenario", "patent", "--out", qrels), "read from")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_said_in_one_line(tarstop: Run, folder: Path) -> None:
    run, qrels = folder / "a.run", folder / "a.qrels"
    refused(tarstop("rank", folder / "records.csv", "--query", "brake", "--out", "/dev/full"), "/dev/full")
    refused(tarstop("calibrate", run, qrels, "--scenario", "patent", "--out", "/dev/full"), "/dev/full")


def test_metrics_by_hand(tarstop: Run, tmp_path: Path) -> None:
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text("T1 Q0 a 1 3 x\nT1 Q0 b 2 2 x\nT1 Q0 c 3 1 x\nT2 Q0 a 1 1 x\n", encoding="utf-8")
    qrels.write_text("T1 0 a 1\nT1 0 c 1\nT1 0 z 1\nT2 0 a 0\n", encoding="utf-8")
    found = tarstop("metrics", run, qrels, "--json").json
    assert set(found) == {"map", "ndcg", "recall_100", "topics"}
    assert found["topics"] == 1  # T2 has no relevant document
    assert found["map"] == pytest.approx((1 + 2 / 3) / 3)
    assert found["recall_100"] == pytest.approx(2 / 3)
    assert found["ndcg"] == pytest.approx((1 + 1 / 2) / (1 + 1 / np.log2(3) + 1 / 2))
    told = tarstop("metrics", run, qrels)
    assert told.code == 0 and "1 topics: MAP 0.5556" in told.out


def test_metrics_says_what_is_odd_about_a_file(tarstop: Run, tmp_path: Path) -> None:
    run, qrels = tmp_path / "a.run", tmp_path / "a.qrels"
    run.write_text("T1 Q0 a 1 1 x\nT1 Q0 b 2 2 x\n", encoding="utf-8")
    qrels.write_text("T1 0 b 1\n", encoding="utf-8")
    found = tarstop("metrics", run, qrels, "--json")
    assert found.json["map"] == 1 and "ranks contradict the scores" in found.err


@pytest.mark.parametrize(
    ("run", "qrels", "word"),
    [
        ("none.run", "a.qrels", "none.run"),
        ("a.run", "none.qrels", "none.qrels"),
        ("a.qrels", "a.run", "looks like"),
        ("a.run", "a.run", "looks like a run"),
        ("records.csv", "a.qrels", "records.csv"),
        ("a.run", "other.qrels", "relevant document"),
    ],
)
def test_metrics_refuses(tarstop: Run, folder: Path, run: str, qrels: str, word: str) -> None:
    refused(tarstop("metrics", folder / run, folder / qrels, "--json"), word)


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
def test_metrics_of_public_rankings(
    real_data: Path, tarstop: Run, run: str, qrels: str, topics: int, map_: float, ndcg: float, recall: float
) -> None:
    found = tarstop("metrics", real_data / run, real_data / qrels, "--json").json
    rounded = {name: round(value, 3) for name, value in found.items()}
    assert rounded == {"map": map_, "ndcg": ndcg, "recall_100": recall, "topics": topics}


def test_rank_and_metrics_of_thirteen_reviews(real_data: Path, tarstop: Run, tmp_path: Path) -> None:
    with (real_data / "topics.csv").open(encoding="utf-8", newline="") as lines:
        titles = {row["topic"]: row["title"] for row in csv.DictReader(lines)}
    whole = tmp_path / "thirteen.run"
    with whole.open("w", encoding="utf-8") as joined:
        for path in sorted((real_data / "records").glob("CD*.jsonl.gz")):
            out = tmp_path / "one.run"
            name = path.name.split(".")[0]
            found = tarstop("rank", path, "--query", titles[name], "--out", out, "--json")
            text = out.read_text(encoding="utf-8")
            assert found.json["documents"] == text.count("\n")
            joined.write(text)
    for judged, expected in (("abs", (0.2371, 0.6140, 0.4345)), ("content", (0.1687, 0.4915, 0.4996))):
        found = tarstop("metrics", whole, real_data / "records" / f"qrels_{judged}.txt", "--json").json
        assert found["topics"] == 13
        assert (round(found["map"], 4), round(found["ndcg"], 4), round(found["recall_100"], 4)) == expected
