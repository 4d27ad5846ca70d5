"""Reviews replayed: against a plain loop, and through the command on real rankings and tables."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.cli.commands import tarstop
from tarstop_core.documents.tables import Tables
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.replay import BIVARIATE, replay_reviews
from tarstop_core.policies import Budget, Greedy, Optimal
from tarstop_core.value.payoffs import Payoffs

SEEN = FittedOn(name="tests", topics=2, documents=100, relevant=4, simulated=True)
CALIBRATOR = Calibrator("rank", "review", x=(0.0, 4.0), y=(0.6, 0.02), fitted_on=SEEN)
CELLS = np.array([(38, 4, 3, 60), (30, 9, 12, 44), (25, 2, 4, 70), (2, 2, 9, 9)], dtype=float).T
AT = np.array([1, 4, 9, 50])


def outcome(n: int = 50) -> Outcome:
    """Three studies that are ranked, and one whose document is not."""
    labels = np.isin(np.arange(n), AT)
    topic = Topic("T/1", np.array([f"d{i}" for i in range(n)]), None, labels, 4)
    return Outcome(topic, "T", Tables(("a", "b", "c", "d"), *CELLS), AT)


def beliefs_by_hand(theta: float) -> list[float]:
    """Belief after each depth: all tables of the documents read so far."""
    tables = outcome().tables
    return [bivariate_belief(tables.first(int((depth > AT).sum())), theta) for depth in range(51)]


@pytest.mark.parametrize("q_star", [0.2, 0.5, 0.8])
@pytest.mark.parametrize("truth", ["pooled", "full_evidence"])
def test_greedy_is_the_papers_loop(q_star: float, truth: str) -> None:
    payoffs, cost = Payoffs.from_q_star(q_star), 0.004
    b, p = beliefs_by_hand(0.75), CALIBRATOR.probabilities(None, 50)
    depth = 0
    while depth < 50 and p[depth] * min(b[depth] * (1 - q_star), (1 - b[depth]) * q_star) > cost:
        depth += 1
    (played,) = replay_reviews(
        [outcome()], CALIBRATOR, Greedy(), payoffs, cost, replace(BIVARIATE, truth_is=truth)
    )
    plus = b[depth] > q_star
    all_studies = bivariate_belief(outcome().tables, 0.75)
    omega = all_studies > (q_star if truth == "full_evidence" else 0.5)
    assert (played.depth, played.action, played.omega) == (depth, "a+" if plus else "a-", omega)
    assert played.net_utility == pytest.approx(payoffs.outcome(plus, omega) - cost * depth)
    assert played.recall == (depth > AT).sum() / 4


def test_baselines_act_on_the_belief_too() -> None:
    (played,) = replay_reviews([outcome()], CALIBRATOR, Budget(10), Payoffs.from_q_star(0.5), 0.0)
    assert played.action == ("a+" if beliefs_by_hand(0.75)[10] > 0.5 else "a-")


def test_theta_moves_belief_and_truth() -> None:
    strict, lax = (
        replay_reviews(
            [outcome()],
            CALIBRATOR,
            Budget(50),
            Payoffs.from_q_star(0.5),
            0.0,
            replace(BIVARIATE, theta=theta),
        )[0]
        for theta in (0.95, 0.4)
    )
    assert (strict.omega, lax.omega) == (False, True) and (strict.action, lax.action) == ("a-", "a+")


def test_specificity_moves_belief_and_truth_too() -> None:
    payoffs, how = Payoffs.from_q_star(0.5), {"theta": 0.4}
    strict, lax = (
        replay_reviews(
            [outcome()], CALIBRATOR, Budget(50), payoffs, 0.0, replace(BIVARIATE, **how, theta_sp=theta_sp)
        )[0]
        for theta_sp in (0.99, 0.4)
    )
    assert (strict.omega, lax.omega) == (False, True) and (strict.action, lax.action) == ("a-", "a+")


def test_a_list_without_labels_is_refused() -> None:
    blank = Outcome(Topic("T", np.array(["x"])), "T", Tables((), *np.empty((4, 0))), np.empty(0, dtype=int))
    with pytest.raises(InputProblem, match="has no judgments"):
        replay_reviews([blank], CALIBRATOR, Optimal(), Payoffs.from_q_star(0.5), 0.1)


def test_the_command_on_real_reviews(real_data: Path, tmp_path: Path) -> None:
    calibrator = tmp_path / "c.json"
    calibrator.write_text(CALIBRATOR.to_json(), encoding="utf-8")
    folder = real_data / "clef_dta"
    asked = [
        "replay", str(folder / "bm25.run"), str(folder / "content.qrels"), "--calibrator", str(calibrator), "--policy",
        "budget:d=300", "--q-star", "0.5", "--cost", "0.001", "--scenario", "review", "--tables",
        str(folder / "outcomes.csv"), "--truth", "full_evidence", "--json",
    ]  # fmt: skip
    ran = CliRunner().invoke(tarstop, asked)
    found = json.loads(ran.stdout)
    assert len(found["topics"]) == 63 and found["mean"]["topics"] == 63
    assert all(row["depth"] <= 300 and 0 <= row["recall"] <= 1 for row in found["topics"])
    for row in found["topics"]:
        assert 0 <= row["turned"] <= 1
        assert list(row["left"]) == ["stop", "0.02", "0.05", "0.1", "0.2", "0.5"]
        for told in row["left"].values():
            assert list(told) == ["mean", "low", "high", "true"] and 0 <= told["low"] <= told["high"]
    one = next(row for row in found["topics"] if row["topic"].startswith("CD007394"))
    # 45 are relevant: 6 among the first 51, 14 among 128, 43 among 1,271; 2,542 documents.
    assert [one["left"][at]["true"] for at in ("0.02", "0.05", "0.5")] == [39, 31, 2]
    assert one["left"]["stop"]["true"] == round(45 * (1 - one["recall"]))
    # The share of ω⁺ is that of b_N > q*.
    assert 0.5 < np.mean([row["omega"] for row in found["topics"]]) < 0.9


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--scenario", "review"], "give --tables"),
        (["--truth", "pooled"], "--truth is for reviews"),
        (["--scenario", "review", "--tables", "none.csv", "--theta", "2"], "2"),
    ],
)
def test_options_that_do_not_go_together(more: list[str], said: str, tmp_path: Path) -> None:
    asked = [
        "replay",
        "r",
        "q",
        "--calibrator",
        "c",
        "--policy",
        "greedy",
        "--q-star",
        "0.5",
        "--cost",
        "0.1",
        *more,
    ]
    with pytest.raises(InputProblem, match=said):
        CliRunner().invoke(tarstop, asked, catch_exceptions=False, standalone_mode=False)
