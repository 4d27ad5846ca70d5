"""``tarstop replay --scenario enough``: rules by the recall that they reach, the share read, and how often they reach it."""

from pathlib import Path

import numpy as np
import pytest

from tarstop_core.calibration.calibrator import INCLUSION
from tarstop_core.calibration.fitting import fit
from tarstop_core.documents.topic import Topic
from tests.cli.shell import Run, refused

N = 120


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    rng, topics, run, qrels = np.random.default_rng(3), [], [], []
    for name in ("T1", "T2", "T3", "T4"):
        labels = rng.random(N) < 0.9 * np.exp(-np.arange(N) / 12)
        ids = [f"{name}d{at}" for at in range(N)]
        topics.append(Topic(name, np.array(ids), None, labels, int(labels.sum())))
        run += [f"{name} Q0 {doc} {at + 1} {N - at} r" for at, doc in enumerate(ids)]
        qrels += [f"{name} 0 {doc} {int(hit)}" for doc, hit in zip(ids, labels, strict=True)]
    written = [tmp_path / name for name in ("a.run", "a.qrels", "a.json")]
    calibrator = fit(topics, kind="rank", scenario=INCLUSION, name="tests")
    for path, text in zip(written, ("\n".join(run), "\n".join(qrels), calibrator.to_json()), strict=True):
        path.write_text(text, encoding="utf-8")
    run_file, qrels_file, calibrator_file = map(str, written)
    return run_file, qrels_file, calibrator_file


@pytest.mark.parametrize(
    "policy", ["few-left:tau=0.9", "budget:d=30", "audit:tau=0.9,every=2", "screen-everything"]
)
def test_what_a_rule_finds_and_reads(tarstop: Run, files: tuple[str, str, str], policy: str) -> None:
    run, qrels, calibrator = files
    asked = ("replay", run, qrels, "--calibrator", calibrator, "--scenario", "enough", "--json")
    told = tarstop(*asked, "--policy", policy, "--target-recall", "0.9").json
    assert told["mean"]["topics"] == len(told["topics"]) == 4
    for each in told["topics"]:
        assert each["share"] == pytest.approx(each["depth"] / N) and 0 <= each["recall"] <= 1
    reached = np.mean([each["reached"] for each in told["topics"]])
    assert told["mean"]["reliability"] == pytest.approx(reached)
    if policy == "screen-everything":
        assert told["mean"] == {"topics": 4, "depth": N, "share": 1.0, "recall": 1.0, "reliability": 1.0}
    if policy.startswith("budget"):
        assert {each["depth"] for each in told["topics"]} == {30}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--cost", "0.1", "--target-recall", "0.9"), "--target-recall is for --scenario enough"),
        ((), "Give --cost"),
        (("--scenario", "enough", "--target-recall", "2"), "--target-recall is 2"),
    ],
)
def test_what_does_not_go_together_is_refused(
    tarstop: Run, files: tuple[str, str, str], more: tuple[str, ...], words: str
) -> None:
    run, qrels, calibrator = files
    usual = ("replay", run, qrels, "--calibrator", calibrator, "--policy", "budget:d=3", "--q-star", ".5")
    refused(tarstop(*usual, *more), words)
