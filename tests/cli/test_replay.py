"""``tarstop replay``."""

import json
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.files import read_qrels, read_run
from tests.cli.shell import Run, refused
from tests.evaluation.own_benchmark import own_rules

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


def test_a_rule_that_looks_ahead_is_refused(
    tarstop: Run, folder: Path, calibrator: Path, tmp_path: Path
) -> None:
    file = own_rules(tmp_path)
    call = ("replay", folder / "a.run", folder / "a.qrels", "--calibrator", calibrator)
    stakes = ("--q-star", "0.5", "--cost", "0.001")
    answer = tarstop(*call, "--policy", f"{file}:LastHit", *stakes)
    refused(answer, "LastHit cannot be measured. On a list", "it looks ahead")
    assert tarstop(*call, "--policy", f"{file}:NIrrelevant:n=3", *stakes).code == 0
