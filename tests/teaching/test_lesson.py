"""The lesson: every number is the engine's, and what decide and replay print."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tarstop_core.explore.lists import sample, samples
from tarstop_core.policies import Greedy, Optimal, Policy, parse_policy
from tarstop_core.teaching import lesson as lessons
from tarstop_core.teaching import message
from tarstop_core.teaching.formulas import filled
from tarstop_core.teaching.lesson import Lesson, best_plan, lesson, truth
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tests.sample_commands import decided, replayed
from tests.spoken import listening

SEARCH, MISSED, REVIEW = "search:antenna-mount", "search:prosthetic-foot", "review:hollow-hip"
KEYS = (SEARCH, MISSED, "search:battery-pack", REVIEW, "review:marl-lung")
STAKES = ((0.2, 0.001), (0.5, 0.001), (0.5, 0.01), (0.8, 0.0005))


def given(key: str, policy: Policy | None = None, q_star: float = 0.5, cost: float = 0.001) -> Lesson:
    """A lesson at normalised stakes."""
    explored = sample(key)
    settings = replace(explored.settings, payoffs=Payoffs.from_q_star(q_star), cost=cost)
    return Lesson(explored, settings, policy or Optimal())


# --- the same as the command line -----------------------------------------------------------------


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("q_star", "cost"), STAKES)
def test_where_it_stops_and_what_comes_of_it_is_what_replay_prints(
    tmp_path: Path, key: str, q_star: float, cost: float
) -> None:
    for spec in ("optimal", "greedy", "batch:K=10", "budget:d=30"):
        one = given(key, parse_policy(spec), q_star, cost)
        told = replayed(one.listing, tmp_path, f"--policy={spec}", f"--q-star={q_star}", f"--cost={cost}")
        assert one.stop == one.played.depth == told["depth"]
        assert (one.played.action, one.played.omega) == (told["action"], told["omega"])
        assert one.played.net_utility == pytest.approx(told["net_utility"], abs=1e-12)
        last = one.step(one.stop)
        assert not last.go_on and last.more == 0
        if one.policy.acts_on_belief:
            assert bool(last.now.option) == (told["action"] == "a+")


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(("q_star", "cost"), STAKES)
def test_every_step_is_a_decision_that_decide_prints(key: str, q_star: float, cost: float) -> None:
    one = given(key, parse_policy("budget:d=20"), q_star, cost)
    for depth in (0, 1, 7, 15, 20):
        step = one.step(depth)
        told = decided(step.now.b, step.now.rho, f"--q-star={q_star}", f"--cost={cost}")
        assert told == {
            "q_star": step.now.q_star,
            "evpi": step.now.evpi,
            "value": step.now.value,
            "action": "a+" if step.now.option else "a-",
            "continue": step.now.go_on,
        }


@pytest.mark.parametrize("key", [SEARCH, REVIEW])
def test_the_other_rules_are_replayed_too(tmp_path: Path, key: str) -> None:
    one = given(key, Greedy())
    for policy, found in one.compared:
        told = replayed(one.listing, tmp_path, f"--policy={policy.spec}", "--q-star=0.5", "--cost=0.001")
        assert (found.depth, found.action) == (told["depth"], told["action"])
        assert found.net_utility == pytest.approx(told["net_utility"], abs=1e-12)
    best = max(found.net_utility for _, found in one.compared)
    assert one.regret == pytest.approx(best - one.played.net_utility, abs=1e-12)


# --- the formulas -----------------------------------------------------------------------------------


@pytest.mark.parametrize("key", [SEARCH, REVIEW])
@pytest.mark.parametrize("q_star", [0.2, 0.5, 0.8])
def test_filled_formulas_come_to_what_they_say(key: str, q_star: float) -> None:
    """Bayes, EVPI and the best plan recomputed from the numbers of the formulas' own letters."""
    one = given(key, parse_policy("budget:d=15"), q_star)
    path, payoffs = one.path, one.settings.payoffs
    for depth in range(1, 15):
        step = one.step(depth)
        b = step.now.b
        assert step.now.evpi == pytest.approx(min(b * payoffs.wrong_minus, (1 - b) * payoffs.wrong_plus))
        assert step.now.value == pytest.approx(step.now.rho * step.now.evpi)
        worth, plan = best_plan(path, depth)
        assert (worth, plan) == (step.value_rate, step.plan) and worth == pytest.approx(
            path.value_rate()[depth]
        )
        if isinstance(path, DecisivePath):
            M = float(np.prod(1 - path.curve.h[:depth]))
            assert b == pytest.approx(0.5 * M / (0.5 * M + 0.5))
            if plan:
                D = depth + plan
                averted = path.loss[depth] - path.loss[D]
                assert worth == pytest.approx(averted / (path.effort[D] - path.effort[depth]))
        elif plan:
            together = float(path.worth_of_reading(np.array([depth + plan]), depth)[0])
            assert worth == pytest.approx(together / plan)


def test_a_hit_settles_everything() -> None:
    one = given(SEARCH, parse_policy("budget:d=30"))
    step = one.step(20)
    assert step.settled and step.now.b == 1.0 and step.evsi == step.value_rate == 0.0 and step.go_on
    assert [formula.name for formula in filled(one, step)] == ["belief", "actions", "evpi", "decision"]
    assert "disclos" in filled(one, step)[0].words and "16" in filled(one, step)[0].words


def test_what_is_shown_before_the_end_does_not_know_the_labels() -> None:
    """The same list without its truth looks the same as long as nothing has turned up."""
    one = given(SEARCH)
    hidden = one.listing.planned(one.settings)
    for depth in range(16):
        step = one.step(depth)
        ahead = one.path.without_later_finds(depth)
        assert ahead.hit is None and not ahead.labels.any()
        assert (ahead.b == hidden.b).all() and (ahead.value_rate() == hidden.value_rate()).all()
        assert depth + step.more == int(one.policy.depths(hidden, [one.settings.cost], depth)[0])
    review = given(REVIEW)
    for depth in range(15):
        path = review.path.without_later_finds(depth)
        assert isinstance(path, CumulativePath)
        assert (path.studies <= review.path.studies[depth]).all() and not path.labels.any()  # type: ignore[union-attr]


def of_every_sample() -> Iterator[Any]:
    """Every sample by the first rule, and five by each of the others."""
    for spec in ("optimal", "look-ahead:m=20", "greedy", "smooth:K=5", "batch:K=10", "decide-now"):
        for key in samples():
            marks = () if spec == "optimal" or key in KEYS else pytest.mark.deep
            yield pytest.param(key, spec, marks=marks)


@pytest.mark.parametrize(("key", "spec"), list(of_every_sample()))
def test_every_sample_can_be_walked_through(key: str, spec: str) -> None:
    one = given(key, parse_policy(spec))
    for depth in range(one.stop + 1):
        step = one.step(depth)
        assert step.go_on == (depth < one.stop) and filled(one, step)[-1].name == "decision"
        if step.compared is not None and step.go_on and spec != "batch:K=10":
            assert step.compared > one.settings.cost
        # What the figure draws and the rule does not go by is said.
        assert ("use the lower line" in lessons.words(one, step)) == (step.compared is None)
    assert one.step(10**6).depth == one.stop and one.step(-1).depth == 0
    rows = lessons.log(one, one.stop)
    assert [row["rank"] for row in rows] == list(range(1, one.stop + 1))
    begun, *read = lessons.log(one, one.stop, first=0)
    assert read == rows and (begun["rank"], begun["id"], begun["b"]) == (0, "", one.step(0).now.b)
    assert lessons.truth(one) and lessons.came_of(one)


def test_the_truth_is_told_with_what_it_cost() -> None:
    one = given(MISSED)
    with listening(message) as heard:
        truth(one)
    hidden, stopped = heard
    assert hidden == ("truth", {"first_hit": 74})
    assert (stopped.kind, stopped.values["rule"], stopped.values["played"]) == (
        "stopped",
        Optimal(),
        one.played,
    )
    assert one.played.depth == 30 and not one.played.right
    assert "loses 0.25," in lessons.came_of(one) and "net utility −0.28" in lessons.came_of(one)
    assert "no prior art" in lessons.truth(given("search:battery-pack"))
    assert "is not sensitive enough" in lessons.truth(given("review:marl-lung"))


def test_truth_by_example() -> None:
    explored = sample("search:antenna-mount")
    one = lesson("search:antenna-mount", explored.settings, Greedy())
    assert one.path.hit == 16 and (one.played.depth, one.played.right) == (7, False)
    assert all(part in truth(one) for part in ("#16", "Greedy", " 7 ", "“Grant”", "wrong"))
