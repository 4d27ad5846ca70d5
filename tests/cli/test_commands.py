"""The command line: what it prints, where, and what it makes of bad input."""

from __future__ import annotations

import csv
import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tarstop_core.calibration.calibrator import load
from tarstop_core.calibration.fitting import assess, fit
from tarstop_core.cli import commands as cli
from tarstop_core.files import label_topics, read_qrels, read_run

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        assert self.out.count("\n") == 1, "more than one document on stdout"
        return json.loads(self.out)


Run = Callable[..., Result]


@pytest.fixture
def tarstop(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, run in this process."""

    def run(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["tarstop", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            cli.main()
        captured = capsys.readouterr()
        return Result(left.value.code if isinstance(left.value.code, int) else 1, captured.out, captured.err)

    return run


def process(*arguments: object, cwd: Path) -> Result:
    """The command, run as a person's shell runs it."""
    done = subprocess.run(
        [sys.executable, "-m", "tarstop_core", *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def refused(result: Result, *words: str) -> None:
    """Exit code 2, one line on stderr that says what is wrong, nothing on stdout."""
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("tarstop: ") and result.err.count("\n") == 1 and result.err.endswith("\n")
    assert "Traceback" not in result.err
    for word in words:
        assert word in result.err


RECORDS = """id,title,abstract
p1,A bicycle brake,Rim brake with a cable.
p2,A coffee machine,Hot water under pressure.
p3,Disc brake,"A brake disc for a bicycle, ventilated."
p4,A lamp,Light.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Records, and a run with its qrels: 6 topics of 40 documents, 4 of them with relevant documents."""
    (tmp_path / "records.csv").write_text(RECORDS, encoding="utf-8")
    rng = np.random.default_rng(3)
    run, qrels = [], []
    for t in range(6):
        relevant = {1 + t, 9 + 3 * t} if t < 4 else set()
        for k, score in enumerate(np.sort(rng.normal(10, 3, 40))[::-1], start=1):
            run.append(f"T{t} Q0 d{t}_{k} {k} {score:.6f} x")
            qrels.append(f"T{t} 0 d{t}_{k} {int(k in relevant)}")
    (tmp_path / "a.run").write_text("\n".join(run) + "\n", encoding="utf-8")
    (tmp_path / "a.qrels").write_text("\n".join(qrels) + "\n", encoding="utf-8")
    (tmp_path / "other.qrels").write_text("Z9 0 d 1\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def calibrator(folder: Path, tarstop: Run) -> Path:
    made = folder / "cal.json"
    arguments = ("calibrate", folder / "a.run", folder / "a.qrels", "--scenario", "patent", "--out", made)
    assert tarstop(*arguments).code == 0
    return made


# --- decide ---------------------------------------------------------------------------------------

DECIDE = ("decide", "--q-star", "0.8", "--belief", "0.5", "--rho", "0.02", "--cost", "0.001")


def test_decide_prints_the_contract(tarstop: Run) -> None:
    found = tarstop(*DECIDE, "--json").json
    assert list(found) == ["q_star", "evpi", "value", "action", "continue"]
    assert found["q_star"] == pytest.approx(0.8)
    assert found["evpi"] == pytest.approx(0.1)  # min(.5 × .2, .5 × .8)
    assert found["value"] == pytest.approx(0.002)
    assert found["action"] == "a-" and found["continue"] is True


def test_decide_counts_in_the_payoffs_own_unit(tarstop: Run) -> None:
    found = tarstop(
        *(
            "decide",
            "--payoffs",
            "4000,1000,4000,1000",
            "--belief",
            "0.5",
            "--rho",
            "0.02",
            "--cost",
            "21",
            "--json",
        )
    ).json
    assert found["q_star"] == pytest.approx(0.2) and found["evpi"] == pytest.approx(1000)
    assert found["value"] == pytest.approx(20)
    assert found["action"] == "a+" and found["continue"] is False


def test_decide_at_the_threshold_rejects_and_stops_when_worth_equals_cost(tarstop: Run) -> None:
    found = tarstop(
        *(
            "decide",
            "--q-star",
            "0.5",
            "--belief",
            "0.5000000000000001",
            "--rho",
            "0.1",
            "--cost",
            "0.025",
            "--json",
        )
    ).json
    assert found["action"] == "a-" and found["continue"] is False


def test_decide_explains_in_words(tarstop: Run) -> None:
    told = tarstop(*DECIDE)
    assert told.code == 0 and told.err == ""
    assert told.out.startswith("Continue: ") and "0.02 × 0.1 = 0.002 > 0.001" in told.out
    assert "Stopping now means a-" in told.out


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"--q-star": "1"}, "q*"),
        ({"--q-star": "0"}, "q*"),
        ({"--q-star": "nan"}, "q*"),
        ({"--q-star": "much"}, "--q-star"),
        ({"--q-star": None}, "either --q-star or --payoffs"),
        ({"--payoffs": "1,1,1,1"}, "either --q-star or --payoffs"),
        ({"--q-star": None, "--payoffs": "1,2,3"}, "four numbers"),
        ({"--q-star": None, "--payoffs": "1,2,3,x"}, "four numbers"),
        ({"--q-star": None, "--payoffs": "1,2,3,-4"}, "payoff G"),
        ({"--q-star": None, "--payoffs": "1,0,3,4"}, "payoff L_r"),
        ({"--q-star": None, "--payoffs": "inf,1,1,1"}, "payoff B"),
        ({"--belief": "1.1"}, "--belief"),
        ({"--belief": "nan"}, "--belief"),
        ({"--rho": "-0.1"}, "--rho"),
        ({"--cost": "-1"}, "cost"),
        ({"--cost": "nan"}, "cost"),
        ({"--cost": None}, "--cost"),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_decide_refuses(tarstop: Run, changes: dict[str, str | None], word: str, form: list[str]) -> None:
    given = dict(zip(DECIDE[1::2], DECIDE[2::2], strict=True)) | changes
    options = [part for name, value in given.items() if value is not None for part in (name, value)]
    refused(tarstop("decide", *options, *form), word)


# --- rank -----------------------------------------------------------------------------------------


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
        ("a.ris", RECORDS.encode(), "brake", "a.ris"),
        ("a.xlsx", RECORDS.encode(), "brake", "a.xlsx"),
        ("a.jsonl", b'{"id": 1,\n', "brake", "a.jsonl"),
        ("a.doc", RECORDS.encode(), "brake", "a.doc"),
        ("a.csv.gz", RECORDS.encode(), "brake", "not compressed"),
        ("a.csv", b"id,title\n1,x\n1,y\n", "x", "a.csv"),
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


# --- metrics --------------------------------------------------------------------------------------


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


# --- calibrate ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["marginal", "hazard", "frailty", "rank"])
def test_calibrate_judges_by_cross_validation_and_writes(tarstop: Run, folder: Path, kind: str) -> None:
    out = folder / "cal.json"
    arguments = ("calibrate", folder / "a.run", folder / "a.qrels", "--scenario", "patent", "--kind", kind)
    found = tarstop(*arguments, "--out", out, "--json").json
    assert list(found) == ["brier", "ece", "topics", "documents"]
    assert 0 < found["brier"] < 1 and 0 <= found["ece"] <= 1 and found["topics"] == 4
    written = load(out)
    assert written.kind == kind and written.scenario == "patent" and written.fitted_on.name == "a"
    assert written.quality is not None and written.quality.brier == found["brier"]
    assert "cross-validation" in written.quality.how
    told = tarstop(*arguments, "--out", out, "--name", "my searches")
    assert "Fitted on 4 topics with 160 documents" in told.out and "my searches" in load(out).fitted_on.badge


def test_calibrate_judges_on_a_test_run(tarstop: Run, folder: Path) -> None:
    out = folder / "cal.json"
    lines = (folder / "a.run").read_text(encoding="utf-8").splitlines()
    (folder / "train.run").write_text("\n".join(line for line in lines if line < "T2"), encoding="utf-8")
    (folder / "test.run").write_text("\n".join(line for line in lines if line >= "T2"), encoding="utf-8")
    found = tarstop(
        *("calibrate", folder / "train.run", folder / "a.qrels", "--scenario", "patent", "--out", out),
        *("--test-run", folder / "test.run", "--test-qrels", folder / "a.qrels", "--json"),
    )
    train, test = (
        list(label_topics(read_run(folder / name), read_qrels(folder / "a.qrels"))[0].values())
        for name in ("train.run", "test.run")
    )
    expected = assess(fit(train), test, "")
    assert found.json["brier"] == expected.brier and found.json["ece"] == expected.ece
    assert found.json["topics"] == 2 and found.json["documents"] == 80
    assert "Judged but not in the run: T2, T3, T4, T5." in found.err
    assert load(out).fitted_on.topics == 2


def test_calibrate_reviews_use_every_topic(tarstop: Run, folder: Path) -> None:
    out = folder / "cal.json"
    arguments = ("calibrate", folder / "a.run", folder / "a.qrels", "--scenario", "review", "--out", out)
    assert tarstop(*arguments, "--json").json["topics"] == 6
    assert load(out).scenario == "review"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["none.run", "a.qrels", "--scenario", "patent"], "none.run"),
        (["a.run", "a.run", "--scenario", "patent"], "looks like a run"),
        (["a.run", "other.qrels", "--scenario", "patent"], "share no topic"),
        (["a.run", "a.qrels"], "--scenario"),
        (["a.run", "a.qrels", "--scenario", "court"], "court"),
        (["a.run", "a.qrels", "--scenario", "patent", "--kind", "magic"], "magic"),
        (["a.run", "a.qrels", "--scenario", "patent", "--test-run", "a.run"], "together"),
        (["a.run", "a.qrels", "--scenario", "patent", "--test-qrels", "a.qrels"], "together"),
        (
            [
                "a.run",
                "a.qrels",
                "--scenario",
                "patent",
                "--test-run",
                "a.run",
                "--test-qrels",
                "other.qrels",
            ],
            "share no topic",
        ),
        (["a.run", "none.relevant", "--scenario", "patent"], "No topic has a relevant document"),
        (["a.run", "one.relevant", "--scenario", "patent"], "only one usable topic"),
        (["a.run", "unranked", "--scenario", "patent"], "No relevant document is ranked"),
    ],
)
def test_calibrate_refuses_and_writes_nothing(
    tarstop: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], word: str
) -> None:
    monkeypatch.chdir(folder)
    Path("none.relevant").write_text("T0 0 d0_1 0\n", encoding="utf-8")
    Path("one.relevant").write_text("T0 0 d0_1 1\n", encoding="utf-8")
    Path("unranked").write_text("T0 0 zz 1\nT1 0 zz 1\n", encoding="utf-8")
    refused(tarstop("calibrate", *arguments, "--out", "cal.json", "--json"), word)
    assert not Path("cal.json").exists()


# --- replay ---------------------------------------------------------------------------------------

POLICIES = ("greedy", "smooth:K=5", "batch:K=10", "look-ahead:m=20", "optimal", "budget:d=25")


@pytest.mark.parametrize("policy", POLICIES)
def test_replay_prints_the_contract(tarstop: Run, folder: Path, calibrator: Path, policy: str) -> None:
    found = tarstop(
        *("replay", folder / "a.run", folder / "a.qrels", "--calibrator", calibrator, "--policy", policy),
        *("--q-star", "0.8", "--cost", "0.001", "--json"),
    ).json
    assert list(found) == ["topics", "mean"]
    assert [row["topic"] for row in found["topics"]] == [f"T{t}" for t in range(6)]
    assert [row["omega"] for row in found["topics"]] == [True] * 4 + [False] * 2
    for row in found["topics"]:
        assert set(row) == {"topic", "depth", "action", "omega", "net_utility", "recall"}
        payoff = (0.1 if row["omega"] else -0.4) if row["action"] == "a+" else (-0.1 if row["omega"] else 0.4)
        assert row["net_utility"] == pytest.approx(payoff - 0.001 * row["depth"])
    for name in ("depth", "net_utility", "recall"):
        assert found["mean"][name] == pytest.approx(np.mean([row[name] for row in found["topics"]]))
    if policy.startswith("budget"):
        assert {row["depth"] for row in found["topics"]} == {25}


def test_replay_takes_payoffs_a_prior_and_shows_a_table(tarstop: Run, folder: Path, calibrator: Path) -> None:
    common = (
        "replay",
        folder / "a.run",
        folder / "a.qrels",
        "--calibrator",
        calibrator,
        "--policy",
        "optimal",
    )
    plain = tarstop(*common, "--q-star", "0.2", "--cost", "0.001", "--b0", "0.3", "--json").json
    money = tarstop(*common, "--payoffs", "400,100,400,100", "--cost", "1", "--b0", "0.3", "--json").json
    assert [row["depth"] for row in money["topics"]] == [row["depth"] for row in plain["topics"]]
    assert money["mean"]["net_utility"] == pytest.approx(1000 * plain["mean"]["net_utility"])
    other = tarstop(*common, "--q-star", "0.2", "--cost", "0.001", "--b0", "0.9", "--json").json
    assert other["topics"] != plain["topics"]
    told = tarstop(*common, "--q-star", "0.2", "--cost", "0.001")
    assert (
        told.code == 0
        and len(told.out.splitlines()) == 8
        and told.out.splitlines()[-1].startswith("Optimal: 6 topics")
    )


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"--policy": "magic"}, "no policy 'magic'"),
        ({"--policy": "smooth:K=0"}, "Smooth"),
        ({"--policy": "smooth:K=x"}, "whole number"),
        ({"--policy": "smooth:d=3"}, "no parameter 'd'"),
        ({"--policy": "optimal:K=3"}, "takes no parameter"),
        ({"--policy": None}, "--policy"),
        ({"--q-star": "1.5"}, "q*"),
        ({"--q-star": None}, "either --q-star or --payoffs"),
        ({"--payoffs": "1,1,1,1"}, "either --q-star or --payoffs"),
        ({"--cost": "-0.1"}, "cost"),
        ({"--b0": "1"}, "b_0"),
        ({"--b0": "0"}, "b_0"),
        ({"--scenario": "court"}, "court"),
        ({"--calibrator": "none.json"}, "none.json"),
        ({"--calibrator": "broken.json"}, "broken.json is not JSON"),
        ({"--calibrator": "foreign.json"}, "not a calibrator"),
        ({"--calibrator": "later.json"}, "version 99"),
        ({"--calibrator": "damaged.json"}, "damaged"),
        ({"--calibrator": "binary.json"}, "not text"),
        ({"--calibrator": "."}, "cannot be read"),
        ({"--calibrator": "review.json"}, "scenario review, not patent"),
        ({"qrels": "other.qrels"}, "share no topic"),
        ({"qrels": "none.qrels"}, "none.qrels"),
        ({"run": "a.qrels"}, "looks like qrels"),
    ],
)
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_replay_refuses(
    tarstop: Run,
    folder: Path,
    calibrator: Path,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, str | None],
    word: str,
    form: list[str],
) -> None:
    monkeypatch.chdir(folder)
    text = calibrator.read_text(encoding="utf-8")
    content = json.loads(text)
    Path("broken.json").write_text(text[: len(text) // 2], encoding="utf-8")
    Path("foreign.json").write_text("{}", encoding="utf-8")
    Path("later.json").write_text(json.dumps({**content, "version": 99}), encoding="utf-8")
    Path("damaged.json").write_text(json.dumps({**content, "y": [2.0] * len(content["y"])}), encoding="utf-8")
    Path("review.json").write_text(json.dumps({**content, "scenario": "review"}), encoding="utf-8")
    Path("binary.json").write_bytes(b"\xff\xfe\x00\x81")
    given: dict[str, str | None] = {
        "run": "a.run",
        "qrels": "a.qrels",
        "--calibrator": "cal.json",
        "--policy": "optimal",
        "--q-star": "0.5",
        "--cost": "0.001",
    }
    given |= changes
    run, qrels = given.pop("run"), given.pop("qrels")
    options = [part for name, value in given.items() if value is not None for part in (name, value)]
    refused(tarstop("replay", run, qrels, *options, *form), word)


def test_a_failure_after_odd_input_is_still_one_line(tarstop: Run, folder: Path, calibrator: Path) -> None:
    # Notes on files (here: topics that are judged but not ranked) are for work that was done.
    (folder / "more.qrels").write_text("T0 0 zz 1\nT9 0 d 1\n", encoding="utf-8")
    refused(
        tarstop(
            "calibrate",
            folder / "a.run",
            folder / "more.qrels",
            "--scenario",
            "patent",
            "--out",
            folder / "x",
        ),
        "No relevant document is ranked",
    )


# --- the command as a whole -------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["app", "decide", "rank", "metrics", "calibrate", "replay"])
def test_every_command_has_help(tarstop: Run, command: str) -> None:
    told = tarstop(command, "--help")
    assert told.code == 0 and told.out.startswith("Usage:") and told.err == ""
    assert command == "app" or "--json" in told.out


def test_without_a_command_it_helps(tarstop: Run) -> None:
    told = tarstop()
    assert told.code == 0 and told.err == "" and "Commands:" in told.out


@pytest.mark.parametrize(
    "arguments", [["nope"], ["decide", "--nope"], ["metrics"], ["metrics", "a", "b", "c"]]
)
def test_misspelt_commands_are_refused(tarstop: Run, arguments: list[str]) -> None:
    refused(tarstop(*arguments))


def test_as_a_process(folder: Path) -> None:
    found = process(*DECIDE, "--json", cwd=folder)
    assert found.json["continue"] is True and found.err == ""
    told = process(*DECIDE, cwd=folder)
    assert told.code == 0 and "ρ·EVPI" in told.out and told.err == ""
    refused(process("decide", "--q-star", "2", *DECIDE[3:], cwd=folder), "q*")
    refused(process("metrics", "a.run", "none", cwd=folder), "none")


def test_from_records_to_a_replay_as_processes(folder: Path) -> None:
    """The whole way in a shell, each command in a process of its own."""
    ranked = process(
        "rank", "records.csv", "--query", "bicycle brake", "--out", "b.run", "--json", cwd=folder
    )
    assert ranked.json["documents"] == 4 and ranked.err == ""
    (folder / "b.qrels").write_text("records 0 p3 1\n", encoding="utf-8")
    assert process("metrics", "b.run", "b.qrels", "--json", cwd=folder).json["topics"] == 1
    common = ("--scenario", "patent", "--out", "cal.json", "--json")
    assert process("calibrate", "a.run", "a.qrels", *common, cwd=folder).json["topics"] == 4
    outcome = process(
        *("replay", "b.run", "b.qrels", "--calibrator", "cal.json", "--policy", "budget:d=4"),
        *("--q-star", "0.5", "--cost", "0.01", "--json"),
        cwd=folder,
    ).json["topics"]
    assert len(outcome) == 1
    assert outcome[0] | {"net_utility": 0} == {
        "topic": "records", "depth": 4, "action": "a+", "omega": True, "net_utility": 0, "recall": 1.0,
    }  # fmt: skip
    assert outcome[0]["net_utility"] == pytest.approx(0.25 - 0.04)


# --- real collections -------------------------------------------------------------------------------


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


def test_a_topic_whose_relevant_documents_are_not_ranked(
    real_data: Path, tarstop: Run, tmp_path: Path
) -> None:
    run, qrels = real_data / "clef2017/es_bool.run", real_data / "clef2017/qrel_content_test.txt"
    out = tmp_path / "cal.json"
    assert tarstop("calibrate", run, qrels, "--scenario", "patent", "--out", out).code == 0
    found = tarstop(
        *("replay", run, qrels, "--calibrator", out, "--policy", "budget:d=100000", "--q-star", "0.5"),
        *("--cost", "0", "--json"),
    ).json
    rows = {row["topic"]: row for row in found["topics"]}
    lost = rows["CD010542"]
    assert lost["omega"] is True and lost["action"] == "a-" and lost["recall"] == 0
    assert lost["depth"] == len(read_run(run)["CD010542"])
    relevant = {
        topic: sum(value > 0 for value in judged.values()) for topic, judged in read_qrels(qrels).items()
    }
    found_in_all = sum(row["recall"] * relevant[topic] for topic, row in rows.items())
    assert round(found_in_all) == 465 and sum(relevant.values()) == 607


def test_a_prior_is_learned_and_used(tarstop: Run, tmp_path: Path) -> None:
    rows = [f"R{i % 4},o{i},S{j},{30 + i},{3 + j},{4 + j},40" for i in range(8) for j in range(4)]
    (tmp_path / "past.csv").write_text(
        "topic,outcome,study,TP,FP,FN,TN\n" + "\n".join(rows), encoding="utf-8"
    )
    prior = tmp_path / "prior.json"
    learned = tarstop("learn-prior", tmp_path / "past.csv", "--out", prior, "--json").json
    assert learned["reviews"] == 4 and learned["outcomes"] == 8 and learned["b_0"] > 0.6
    (tmp_path / "t.csv").write_text("study,TP,FP,FN,TN\na,9,1,3,9\n", encoding="utf-8")
    found = tarstop("belief", tmp_path / "t.csv", "--prior", prior, "--prefixes", "--json").json
    assert found["prefixes"][0] == pytest.approx(learned["b_0"])


LOOKS_AHEAD = """
from dataclasses import dataclass
import numpy as np
from tarstop_core.policies import Policy

@dataclass(frozen=True)
class Peeks(Policy):
    name, title, rule, source = "peeks", "Peeks", "Stops after the last relevant document.", "nowhere"

    def depths(self, path, costs, start=0):
        last = np.flatnonzero(path.labels)
        return np.full(np.size(costs), max(start, int(last[-1]) + 1 if len(last) else 0))
"""


KNOWS_THE_END = """
from dataclasses import dataclass
import numpy as np
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.policies import Policy

@dataclass(frozen=True)
class Knows(Policy):
    name, title, rule, source = "knows", "Knows", "Stops where belief says what all studies will say.", "nowhere"

    def depths(self, path, costs, start=0):
        stop = len(path) if not isinstance(path, CumulativePath) else next(
            d for d in range(len(path) + 1) if path.chooses_plus(d) == path.chooses_plus(len(path)))
        return np.full(np.size(costs), max(start, stop))
"""


def test_a_rule_of_ones_own_is_shown_to_look_ahead_or_not(tarstop: Run, tmp_path: Path) -> None:
    (tmp_path / "peeks.py").write_text(LOOKS_AHEAD, encoding="utf-8")
    caught = tarstop("check-policy", f"{tmp_path / 'peeks.py'}:Peeks", "--json")
    assert caught.code == 1 and json.loads(caught.out)["findings"]
    (tmp_path / "knows.py").write_text(KNOWS_THE_END, encoding="utf-8")
    in_reviews = tarstop("check-policy", f"{tmp_path / 'knows.py'}:Knows", "--json")
    assert in_reviews.code == 1 and "the studies after" in json.loads(in_reviews.out)["findings"][0]
    fine = tarstop("check-policy", "either(greedy;budget:d=100)", "--lists", "12")
    assert fine.code == 0 and "never looked ahead" in fine.out
    assert "random sample" in tarstop("check-policy", "qbcb", "--lists", "6").out
    assert tarstop("check-policy", "nonsense").code == 2


def test_replay_scales_every_chance(tarstop: Run, folder: Path, calibrator: Path) -> None:
    common = (
        "replay",
        folder / "a.run",
        folder / "a.qrels",
        "--calibrator",
        calibrator,
        "--policy",
        "optimal",
    )
    stakes = ("--q-star", "0.5", "--cost", "0.001")
    plain, scaled = (tarstop(*common, *stakes, *more, "--json").json for more in ((), ("--scale", "0.01")))
    assert scaled["mean"]["depth"] < plain["mean"]["depth"]
    assert tarstop(*common, *stakes, "--scale", "1", "--json").json == plain
    refused(tarstop(*common, *stakes, "--scale", "0"), "--scale is 0", "above 0")
