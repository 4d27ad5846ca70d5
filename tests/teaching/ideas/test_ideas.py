"""The ideas in numbers: equal to what the command line prints, and true of what they claim."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.cli.commands import tarstop
from tarstop_core.documents.topic import Topic
from tarstop_core.explore.lists import Explored, sample
from tarstop_core.policies import Budget, Greedy, LookAhead, Optimal
from tarstop_core.teaching.ideas import figures
from tarstop_core.teaching.ideas import numbers as ideas
from tarstop_core.teaching.ideas.numbers import BELIEFS, CASES, FACTORS, at_stake
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs

PROBABILITY = st.floats(0.02, 0.98)


def printed(*arguments: str) -> dict[str, object]:
    """What a command prints as JSON."""
    done = CliRunner().invoke(tarstop, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def replayed(explored: Explored, folder: Path, spec: str, q_star: float, cost: float) -> dict[str, object]:
    """What `tarstop replay` prints of a search."""
    topic = explored.truth
    assert isinstance(topic, Topic) and topic.scores is not None and topic.labels is not None
    run, qrels, calibrator = folder / "run.txt", folder / "qrels.txt", folder / "calibrator.json"
    calibrator.write_text(explored.calibrator.to_json(), encoding="utf-8")
    lines = enumerate(zip(topic.ids, topic.scores.tolist(), strict=True), 1)
    run.write_text("".join(f"T Q0 {doc} {at} {score!r} x\n" for at, (doc, score) in lines), encoding="utf-8")
    qrels.write_text(
        "".join(f"T 0 {doc} {int(y)}\n" for doc, y in zip(topic.ids, topic.labels, strict=True)),
        encoding="utf-8",
    )
    stakes = f"--q-star={q_star}", f"--cost={cost}", f"--policy={spec}"
    (found,) = printed("replay", str(run), str(qrels), "--calibrator", str(calibrator), *stakes)["topics"]  # type: ignore[misc]
    return found  # type: ignore[no-any-return]


# --- certainty ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("q_star", "b"), [(0.5, 0.3), (0.8, 0.9), (0.2, 0.2)])
def test_evpi_is_what_decide_prints(q_star: float, b: float) -> None:
    said = printed("decide", f"--q-star={q_star}", f"--belief={b}", "--rho=0.1", "--cost=0.001")
    payoffs = Payoffs.from_q_star(q_star)
    (row,) = [each for each in figures.peak_rows(payoffs) if abs(each["belief"] - b) < 1e-9]
    assert row["evpi"] == pytest.approx(said["evpi"], abs=1e-12)
    drawn = figures.peak_figure(payoffs, b)
    assert drawn["data"][-1]["y"][0] == pytest.approx(said["evpi"], abs=1e-12)
    assert ("better action is a⁺" in figures.peak_sentence(payoffs, b)) == (said["action"] == "a+")


@given(PROBABILITY, PROBABILITY)
def test_evpi_is_greatest_at_q_star(q_star: float, b: float) -> None:
    payoffs = Payoffs.from_q_star(q_star)
    assert payoffs.evpi(b) <= payoffs.evpi(q_star) + 1e-12


# --- recall ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["settled", "nothing"])
@pytest.mark.parametrize("q_star", [0.2, 0.5, 0.8])
def test_recall_is_what_replay_prints(tmp_path: Path, case: str, q_star: float) -> None:
    explored = sample(CASES[case].key)
    found = ideas.recalled(explored, at_stake(explored, q_star, 0.001), 0.9)
    said = replayed(explored, tmp_path, "optimal", q_star, 0.001)
    assert found.at_optimal == said["depth"] and found.omega == said["omega"]
    assert found.net_utility[found.at_optimal] == pytest.approx(said["net_utility"], abs=1e-12)
    assert found.recall[found.at_optimal] == pytest.approx(said["recall"], abs=1e-12)


def test_every_depth_of_a_review_is_a_replay() -> None:
    case = CASES["missed"]
    explored = sample(case.key)
    asked = at_stake(explored, case.q_star, case.cost, case.theta)
    found = ideas.recalled(explored, asked, 0.95)
    for depth in (1, 60, found.at_target, len(explored)):
        one = explored.replayed(Budget(depth), asked)
        assert found.plus[depth] == (one.action == "a+")
        assert found.net_utility[depth] == pytest.approx(one.net_utility, abs=1e-12)


def test_the_cases_show_what_they_are_called() -> None:
    found = {}
    for name, case in CASES.items():
        explored = sample(case.key)
        found[name] = ideas.recalled(
            explored, at_stake(explored, case.q_star, case.cost, case.theta), target=0.95
        )
    settled, missed, nothing = found["settled"], found["missed"], found["nothing"]
    assert settled.settled < settled.at_target / 10 and settled.plus[settled.at_target] == settled.omega
    assert missed.recall[missed.at_target] >= 0.95 and missed.settled > missed.at_target
    assert missed.plus[missed.at_target] != missed.omega == bool(missed.plus[-1])
    assert nothing.relevant == 0 and nothing.at_target == len(nothing.explored)
    for each in found.values():
        assert each.recall[-1] == (1.0 if each.relevant else 0.0)
    assert "for recall alone" in figures.recall_sentence(settled)
    assert "What was left out decides" in figures.recall_sentence(missed)
    assert "no recall is ever reached" in figures.recall_sentence(nothing)


def test_rules_on_real_rankings_are_those_of_the_shipped_results() -> None:
    found = ideas.by_method(0.47, 0.0012)
    assert (found.q_star, found.cost, found.cases) == (0.5, 0.001, 48)
    own = found.rows.set_index("approach")
    assert "Oracle" not in own.index and own.loc["Screen everything", "recall"] == found.rows["recall"].max()
    assert found.together < -0.5
    assert "the more a rule finds, the less it brings" in figures.by_method_sentence(found)
    assert len(figures.by_method_rows(found)) == len(own)


# --- one document -----------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(PROBABILITY, st.floats(0.01, 0.9))
def test_one_document_is_worth_at_most_p_evpi_and_more_than_the_score_up_to_q_star(
    q_star: float, p: float
) -> None:
    found = ideas.one_document(Payoffs.from_q_star(q_star), p)
    assert (found.evsi <= found.bound + 1e-12).all()
    below = q_star >= BELIEFS
    assert (found.evsi[below] >= found.score[below] - 1e-12).all()
    assert np.allclose(found.evsi[below], found.bound[below])
    # The best plan is at least as good as one document.
    assert (found.worth >= found.evsi - 1e-12).all()


def test_one_document_is_what_decide_prints() -> None:
    found = ideas.one_document(Payoffs.from_q_star(0.3), 0.05)
    for at in (10, 40, 80):
        b = float(BELIEFS[at])
        said = printed("decide", "--q-star=0.3", f"--belief={b}", f"--rho={b * 0.05}", "--cost=0.001")
        assert found.score[at] == pytest.approx(said["value"], abs=1e-12)


@pytest.mark.parametrize("topic", ["prosthetic-foot", "battery-pack"])
def test_rules_along_a_list_stop_where_replay_does(tmp_path: Path, topic: str) -> None:
    explored = ideas.search(topic)
    found = ideas.compared(explored, at_stake(explored, 0.3, 0.001))
    assert found.rules == (Greedy(), LookAhead(1), Optimal())
    for rule, depth in zip(found.rules, found.depth, strict=True):
        # Nothing relevant lies above where they stop, so the plan is what comes of it.
        said = replayed(explored, tmp_path, rule.spec, 0.3, 0.001)
        assert depth == said["depth"]
    assert f"stops at {found.depth[0]}" in str(figures.compared_figure(found)["layout"]["annotations"])


# --- studies ----------------------------------------------------------------------------------------


def test_beliefs_by_study_are_what_belief_prints(tmp_path: Path) -> None:
    tables = ideas.evidence()["audit-c"].tables
    file = tmp_path / "studies.csv"
    rows = zip(tables.study, *(getattr(tables, cell).astype(int) for cell in ideas.CELLS), strict=True)
    file.write_text(
        "study,TP,FP,FN,TN\n" + "".join(",".join(map(str, row)) + "\n" for row in rows), encoding="utf-8"
    )
    paths = ideas.belief_paths("audit-c", 0.75, 1.0)
    for engine, path in paths.items():
        said = printed("belief", str(file), "--theta=0.75", f"--engine={engine}", "--prefixes")
        for own, other in zip(path.beliefs, said["prefixes"], strict=True):  # type: ignore[call-overload]
            assert own == (None if other is None else pytest.approx(other, abs=1e-9))


def test_more_patients_leave_the_interval_and_more_studies_narrow_it() -> None:
    found = ideas.widths("mmse", 0.75, 1.0)
    assert found.patients[0] == found.studies[0]
    assert found.patients[-1] > 0.95 * found.patients[0]
    assert found.studies[-1] < 0.6 * found.studies[0]
    assert figures.widths_heading(found) == "More patients do not help; more studies do"


# --- wrong chances ------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.floats(0.0, 0.95), min_size=1, max_size=7), PROBABILITY, PROBABILITY, st.booleans(), st.data()
)
def test_the_expected_utility_is_that_of_going_through_every_world(
    p: list[float], q_star: float, b_0: float, plus: bool, data: st.DataObject
) -> None:
    depth = data.draw(st.integers(0, len(p)))
    payoffs, cost = Payoffs.from_q_star(q_star), 0.01
    path = DecisivePath(hit_curve(p), b_0, payoffs)
    total, alive = 0.0, 1.0
    for at in range(depth):
        total += b_0 * alive * p[at] * (payoffs.B - cost * (at + 1))
        alive *= 1 - p[at]
    for omega, weight in ((True, b_0 * alive), (False, 1 - b_0)):
        total += weight * (payoffs.outcome(plus, omega) - cost * depth)
    assert ideas.expected(path, depth, plus, cost) == pytest.approx(total, abs=1e-12)


def test_right_chances_lose_nothing_and_high_ones_lose_most() -> None:
    optimal, greedy = ideas.mistaken(at_stake(ideas.searches()[0], 0.5, 0.001))
    even = FACTORS.index(1.0)
    assert optimal.lost[even] == pytest.approx(0, abs=1e-12)
    assert (optimal.lost >= -1e-12).all() and (greedy.lost >= -1e-12).all()
    assert optimal.lost[-1] > 10 * optimal.lost[0]
    # The more is promised, the sooner misses make one give up.
    assert optimal.depth[0] > optimal.depth[even] > optimal.depth[-1]


@pytest.mark.parametrize("factor", [0.25, 0.5])
def test_scaled_chances_stop_where_replay_with_such_a_calibrator_does(tmp_path: Path, factor: float) -> None:
    explored = ideas.search("battery-pack")  # nothing to find: what is planned is what comes
    asked = at_stake(explored, 0.5, 0.001)
    path = ideas.scaled(explored, asked, factor)
    calibrator = replace(explored.calibrator, y=tuple(factor * each for each in explored.calibrator.y))
    said = replayed(replace(explored, calibrator=calibrator), tmp_path, "optimal", 0.5, 0.001)
    assert Optimal().depths(path, [0.001])[0] == said["depth"]


# --- figures --------------------------------------------------------------------------------------------


def test_figures_and_sentences_agree_with_their_rows() -> None:
    explored = ideas.search("prosthetic-foot")
    asked = at_stake(explored, 0.3, 0.001)
    found = ideas.mistaken(asked)
    rows = figures.mistaken_rows(found)
    assert len(rows) == len(found) * len(FACTORS)
    drawn = figures.mistaken_figure(found, 2.0)
    assert drawn["data"][1]["y"] == [row["lost"] for row in rows[: len(FACTORS)]]
    assert "simulated" in str(drawn["layout"]["annotations"])
    for sentence in (
        figures.mistaken_sentence(found, 2.0, 16),
        figures.mistaken_sentence(found, 1.0, 16),
        figures.compared_sentence(ideas.compared(explored, asked)),
        figures.one_document_sentence(ideas.one_document(asked.payoffs, 0.05)),
    ):
        assert sentence.endswith(".") and "nan" not in sentence
    for name, each in ideas.evidence().items():
        paths = ideas.belief_paths(name, 0.75, 1.0)
        notes = str(figures.engines_figure(name, paths, 0.75)["layout"]["annotations"])
        assert ("simulated" in notes) == each.simulated
        assert len(figures.engines_rows(name, paths)) == len(each.tables) + 1


def test_a_path_beside_itself_says_so() -> None:
    explored = ideas.search("battery-pack")
    asked = at_stake(explored, 0.5, 0.001)
    right = ideas.scaled(explored, asked, 1.0)
    assert right.curve.log_M == pytest.approx(explored.planned(asked).curve.log_M)  # type: ignore[union-attr]
    said = figures.mistaken_path_sentence(right, right, Optimal(), 0.001, 1.0)
    assert said.endswith("move the factor.")
    assert len(figures.mistaken_path_figure(right, right, Optimal(), 0.001, 1.0)["data"]) == 3
