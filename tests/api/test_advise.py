"""Advice from Python is that of a session, and stops where ``tarstop replay`` stops."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tarstop_core as ts
from tarstop_core.screening.enough_settings import EnoughSettings
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.paths import screening_path
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.sessions.lazy_session import Session
from tarstop_core.sessions.store.store import Store
from tests.api.cases import (
    FOUND_AT,
    RELEVANT,
    STAKES,
    TABLES,
    N,
    a_session,
    read_next,
    replayed,
    so_far,
)
from tests.cli.conftest import tarstop  # noqa: F401
from tests.cli.shell import Run
from tests.sessions.conftest import store  # noqa: F401

POLICIES = ("optimal", "greedy", "smooth:K=5", "batch:K=10", "budget:d=25")
PATENTS = ts.Calibrator.load("clef-reviews-rank-frailty")
REVIEWS = ts.Calibrator.load("review-data-elsewhere")
INCLUSIONS = ts.Calibrator.load("review-inclusion-elsewhere")
SILENT = np.zeros(N, dtype=bool)
LATE = np.arange(N) == 33


@pytest.mark.parametrize("relevant", [SILENT, LATE], ids=["silent", "late"])
@pytest.mark.parametrize("policy", ["optimal", "greedy"])
def test_it_is_the_advice_of_a_patent_session(store: Store, relevant: np.ndarray, policy: str) -> None:  # noqa: F811
    own: dict[str, Any] = {"b_0": 0.3, "kappa": 0.9, "needs_citation": True, "policy": policy}
    settings = PatentSettings(STAKES.payoffs, STAKES.cost, confirm_hits=False, **own)
    session = a_session(store, settings, PATENTS)
    chances = PATENTS.predict(N)
    for depth in range(40):
        advice = ts.advise(chances, relevant[:depth], STAKES, calibrator=PATENTS, **own)
        assert advice.details == Session.advice(session, session.state.settings)
        assert (advice.read, advice.go_on) == (depth, advice.details.go_on)
        read_next(session, bool(relevant[depth]))


@pytest.mark.parametrize(
    "own", [{}, {"policy": "greedy", "floor_studies": 3}, {"theta": 0.9, "chances_follow": True}]
)
def test_it_is_the_advice_of_a_review(store: Store, own: dict[str, Any]) -> None:  # noqa: F811
    settings = ReviewSettings(STAKES.payoffs, STAKES.cost, stages=1, **own)
    session = a_session(store, settings, REVIEWS)
    chances = REVIEWS.predict(N)
    for depth in range(14):
        advice = ts.advise(
            chances,
            RELEVANT[:depth],
            STAKES,
            scenario="review",
            tables=so_far(depth),
            calibrator=REVIEWS,
            **own,
        )
        assert advice.details == Session.advice(session, session.state.settings)
        read_next(session, bool(RELEVANT[depth]))


def test_it_is_the_advice_where_nothing_is_weighed(store: Store) -> None:  # noqa: F811
    session = a_session(store, EnoughSettings(chances_follow=False), INCLUSIONS)
    chances = INCLUSIONS.predict(N)
    for depth in range(40):
        advice = ts.advise(chances, RELEVANT[:depth], scenario="enough", calibrator=INCLUSIONS)
        assert repr(advice.details) == repr(
            Session.advice(session, session.state.settings)
        )  # nan is not itself
        assert advice.belief is None and advice.unread == advice.details.facts.left  # type: ignore[union-attr]
        read_next(session, bool(RELEVANT[depth]))


def test_a_list_that_learns_is_named_by_its_length(store: Store) -> None:  # noqa: F811
    session = a_session(store, EnoughSettings(learns=True), INCLUSIONS)
    for depth in range(12):
        advice = ts.advise(N, RELEVANT[:depth], scenario="enough")
        assert repr(advice.details) == repr(Session.advice(session, session.state.settings))
        read_next(session, bool(RELEVANT[depth]))


def first_stop(relevant: np.ndarray, scenario: str, chances: Any, **own: Any) -> int:
    """Read until the advice is to stop."""
    stakes = None if scenario == "enough" else STAKES
    for depth in range(N):
        if scenario == "review":
            own["tables"] = so_far(depth)
        if not ts.advise(chances, relevant[:depth], stakes, scenario=scenario, **own).go_on:
            return depth
    return N


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("relevant", [SILENT, LATE, RELEVANT], ids=["silent", "late", "rich"])
def test_patents_stop_where_the_command_stops(
    tarstop: Run,  # noqa: F811
    tmp_path: Path,
    relevant: np.ndarray,
    policy: str,
) -> None:
    at_stake = ("--payoffs", "4000,1000,4000,1000", "--cost", STAKES.cost, "--b0", 0.4)
    row = replayed(tarstop, tmp_path, PATENTS, relevant, "patent", "--policy", policy, *at_stake)
    chances = PATENTS.predict(N)
    came = ts.replay(chances, relevant, STAKES, policy, calibrator=PATENTS, b_0=0.4)
    assert came.to_frame()[["read", "decision", "net_utility", "recall"]].values.tolist() == [
        [row[name] for name in ("depth", "action", "net_utility", "recall")]
    ]
    # A rule that reads whole batches looks at the end of them only.
    if policy != "batch:K=10" or not relevant.any():
        own = {"calibrator": PATENTS, "b_0": 0.4, "policy": policy}
        assert first_stop(relevant, "patent", chances, **own) == row["depth"]


@pytest.mark.parametrize("policy", POLICIES)
def test_reviews_stop_where_the_command_stops(tarstop: Run, tmp_path: Path, policy: str) -> None:  # noqa: F811
    at_stake = ("--payoffs", "4000,1000,4000,1000", "--cost", STAKES.cost, "--theta", 0.7)
    row = replayed(tarstop, tmp_path, REVIEWS, RELEVANT, "review", "--policy", policy, *at_stake)
    chances = REVIEWS.predict(N)
    own: dict[str, Any] = {"scenario": "review", "calibrator": REVIEWS, "theta": 0.7}
    came = ts.replay(chances, RELEVANT, STAKES, policy, tables=TABLES, **own)
    assert came.to_frame()[["read", "decision", "net_utility", "recall"]].values.tolist() == [
        [row[name] for name in ("depth", "action", "net_utility", "recall")]
    ]
    placed = TABLES.assign(position=FOUND_AT).iloc[::-1]
    assert ts.replay(chances, RELEVANT, STAKES, policy, tables=placed, **own).depth == row["depth"]
    if policy != "batch:K=10":
        assert first_stop(RELEVANT, policy=policy, chances=chances, **own) == row["depth"]


@pytest.mark.parametrize("policy", ["few-left", "hypergeometric", "knee"])
def test_enough_stops_where_the_command_stops(tarstop: Run, tmp_path: Path, policy: str) -> None:  # noqa: F811
    row = replayed(tarstop, tmp_path, INCLUSIONS, RELEVANT, "enough", "--policy", policy)
    chances = INCLUSIONS.predict(N)
    came = ts.replay(chances, RELEVANT, None, policy, scenario="enough", calibrator=INCLUSIONS)
    assert came.to_frame()[["read", "share", "recall", "reached"]].values.tolist() == [
        [row[name] for name in ("depth", "share", "recall", "reached")]
    ]
    if policy == "few-left":
        assert first_stop(RELEVANT, "enough", chances, calibrator=INCLUSIONS, policy=policy) == row["depth"]


def test_a_list_that_learns_stops_after_the_label_that_says_so() -> None:
    came = ts.replay(N, RELEVANT, STAKES, ["optimal", "greedy"], scenario="review", tables=TABLES)
    for policy, depth in zip(("optimal", "greedy"), came.to_frame()["read"], strict=True):
        assert first_stop(RELEVANT, "review", N, policy=policy) == depth


def test_chances_without_a_calibrator_are_taken_at_their_word() -> None:
    """The paper's formula by hand: misses are independent given that something is relevant."""
    p = np.array([0.4, 0.3, 0.2, 0.1])
    advice = ts.advise(p, [0, 0], ts.Stakes.from_q_star(0.5, 0.001), b_0=0.5)
    silent = 0.6 * 0.7
    assert advice.belief == pytest.approx(silent / (1 + silent))
    assert advice.rho == pytest.approx(advice.belief * 0.2)
    assert advice.value == pytest.approx(advice.rho * advice.evpi)


def test_reading_one_more_is_worth_what_the_path_says() -> None:
    plans = ts.evsi(PATENTS.predict(N), [0, 0], STAKES, [1, 5, 58], calibrator=PATENTS)
    advice = ts.advise(PATENTS.predict(N), [0, 0], STAKES, calibrator=PATENTS)
    inputs = advice.inputs
    path = screening_path(inputs.settings, inputs.calibrator, inputs.p, inputs.state)
    assert plans.evsi[0] == pytest.approx(path.evsi()[2])
    assert plans.cost[0] == STAKES.cost and (np.diff(plans.evsi) >= 0).all()
    cheap = STAKES.with_cost(2.0)
    many = ts.evsi(PATENTS.predict(N), [0, 0], cheap, range(1, 59), calibrator=PATENTS)
    advice = ts.advise(PATENTS.predict(N), [0, 0], cheap, calibrator=PATENTS)
    assert advice.go_on
    assert many.best == advice.to_read and many.gain.max() == pytest.approx(advice.gain)


def test_one_decision_is_that_of_the_command(tarstop: Run) -> None:  # noqa: F811
    stakes = ts.Stakes.from_q_star(0.2, cost=0.01)
    said = tarstop("decide", "--q-star", 0.2, "--belief", 0.3, "--rho", 0.1, "--cost", 0.01, "--json").json
    one = ts.decide(0.3, 0.1, stakes)
    assert (one.q_star, one.evpi, one.value, one.decision, one.go_on) == tuple(said.values())


def test_a_belief_is_that_of_the_command(tarstop: Run, tmp_path: Path) -> None:  # noqa: F811
    TABLES.to_csv(tmp_path / "t.csv", index=False)
    asked = ("belief", tmp_path / "t.csv", "--theta", 0.8, "--b0", 0.4, "--prefixes", "--json")
    said = tarstop(*asked).json
    after = ts.belief(TABLES, theta=0.8, b_0=0.4)
    assert list(after.after) == said["prefixes"] and float(after) == said["belief"]
    assert after.to_frame()["study"].tolist()[1:] == list("abcd")


def test_the_rule_is_the_one_that_a_session_begins_with() -> None:
    stops = ts.replay([0.5] * 10, [1, 0, 1, 0, 0, 0, 0, 0, 0, 0], scenario="enough").to_frame()
    assert stops["policy"].tolist() == ["few-left"]
