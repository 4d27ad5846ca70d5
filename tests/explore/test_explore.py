"""Explore's numbers: equal to what a replay and a decision print, and expectations equal to going through every world."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.cli.commands import tarstop
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.errors import InputProblem
from tarstop_core.explore import figures, maps, message, plans, sensitivity, sensitivity_figure
from tarstop_core.explore import lists as explore
from tarstop_core.explore.lists import LabelledList, sample, unread
from tarstop_core.explore.maps import fractions_around
from tarstop_core.explore.plans import World
from tarstop_core.policies import (
    Batch,
    Budget,
    Greedy,
    LookAhead,
    OpenLoop,
    Optimal,
    Oracle,
    Policy,
    Smooth,
    Target,
    parse_policy,
)
from tarstop_core.samples.shipped import calibrators, extraction_rate
from tarstop_core.screening.advice import advise, stopping_outcomes
from tarstop_core.screening.fold import replay
from tarstop_core.screening.labels import RELEVANT
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import question
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import PLUS, Payoffs
from tarstop_core.value.stakes import Stakes
from tests.spoken import spoken

SEARCH, REVIEW = "search:antenna-mount", "review:brindle-fever"
MONEY = Payoffs(4000, 1500, 6000, 2500, "£")
RULES: tuple[Policy, ...] = (
    OpenLoop(),
    LookAhead(3),
    Greedy(),
    Smooth(2),
    Batch(3),
    Budget(4),
    *(parse_policy(name) for name in ("share:share=0.4", "decide-now", "screen-everything")),
)


def asked(explored: LabelledList, payoffs: Payoffs = MONEY, cost: float = 12.0, **more: float) -> Settings:
    """Settings of a sample with other stakes."""
    return replace(explored.settings, payoffs=payoffs, cost=cost, **more)  # type: ignore[arg-type]


# --- the same as the command line -------------------------------------------------------------------


def write_run(topic: Topic, folder: Path) -> tuple[Path, Path]:
    """The topic as a run and its judgments."""
    assert topic.scores is not None and topic.labels is not None
    run, qrels = folder / "run.txt", folder / "qrels.txt"
    lines = zip(topic.ids, topic.scores, strict=True)
    run.write_text(
        "".join(
            f"{topic.name} Q0 {doc} {at} {score!r} x\n"
            for at, (doc, score) in enumerate(((d, float(s)) for d, s in lines), 1)
        ),
        encoding="utf-8",
    )
    qrels.write_text(
        "".join(
            f"{topic.name} 0 {doc} {int(label)}\n" for doc, label in zip(topic.ids, topic.labels, strict=True)
        ),
        encoding="utf-8",
    )
    return run, qrels


def printed(*arguments: str) -> dict[str, object]:
    """What a command prints as JSON."""
    done = CliRunner().invoke(tarstop, [*arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)  # type: ignore[no-any-return]


@pytest.mark.parametrize("spec", ["optimal", "greedy", "batch:K=10", "budget:d=20"])
@pytest.mark.parametrize("q_star", [0.2, 0.5, 0.8])
def test_a_played_map_says_what_replay_prints(tmp_path: Path, spec: str, q_star: float) -> None:
    explored = sample(SEARCH)
    assert isinstance(explored.truth, Topic)
    run, qrels = write_run(explored.truth, tmp_path)
    calibrator = tmp_path / "calibrator.json"
    calibrator.write_text(explored.calibrator.to_json(), encoding="utf-8")
    (shown,) = maps.maps(explored, explored.settings, [parse_policy(spec)], "played")
    row, column = shown.q_stars.index(q_star), shown.fractions.index(0.001)
    stakes = f"--q-star={q_star}", f"--policy={spec}", "--cost=0.001"
    found = printed("replay", str(run), str(qrels), "--calibrator", str(calibrator), *stakes)
    (topic,) = found["topics"]  # type: ignore[misc]
    assert shown.measures["depth"][row, column] == topic["depth"]  # type: ignore[index]
    assert shown.option[row, column] == (topic["action"] == "a+")  # type: ignore[index]
    assert shown.measures["net_utility"][row, column] == pytest.approx(topic["net_utility"], abs=1e-12)  # type: ignore[index]
    assert shown.omega is not None and shown.omega[row] == topic["omega"]  # type: ignore[index]


@pytest.mark.parametrize("key", [SEARCH, "search:bicycle-brake", REVIEW, "review:velt-palsy"])
@pytest.mark.parametrize("spec", ["open-loop", "greedy", "smooth:K=5", "budget:d=30", "knee"])
def test_played_cells_are_replays(key: str, spec: str) -> None:
    explored, policy = sample(key), parse_policy(spec)
    (shown,) = maps.maps(explored, asked(explored, b_0=0.4), [policy], "played")
    for row, column in ((1, 14), (9, 8), (17, 4)):
        stakes = Stakes(MONEY, 1.0).with_q_star(shown.q_stars[row]).with_fraction(shown.fractions[column])
        one = explored.replayed(policy, asked(explored, stakes.payoffs, stakes.cost, b_0=0.4))
        assert shown.measures["depth"][row, column] == one.depth
        assert shown.option[row, column] == (one.action == "a+")
        assert shown.measures["net_utility"][row, column] == pytest.approx(one.net_utility, rel=1e-12)
        assert shown.omega is not None and shown.omega[row] == one.omega


@pytest.mark.parametrize("key", [SEARCH, REVIEW])
def test_the_decision_now_is_what_decide_prints(key: str) -> None:
    explored = sample(key)
    now = plans.decide(explored.planned(asked(explored)), 0, 12.0)
    payoffs = ",".join(map(repr, (MONEY.B, MONEY.L_r, MONEY.L_g, MONEY.G)))
    told = printed(
        "decide",
        f"--payoffs={payoffs}",
        f"--belief={now.b!r}",
        f"--rho={now.rho!r}",
        "--cost=12",
    )
    assert told == {
        "q_star": now.q_star,
        "evpi": now.evpi,
        "value": now.value,
        "action": "a+" if now.option == PLUS else "a-",
        "continue": now.go_on,
    }
    assert now.rho > 0 and now.go_on


def test_plans_of_a_session_are_its_advice() -> None:
    calibrator = calibrators()["clef-reviews"]
    settings_ = PatentSettings(MONEY, 5.0, b_0=0.6, calibrator=calibrator.digest, kappa=0.9)
    scores = np.linspace(9, 1, 80) ** 2
    ids = [f"d{at}" for at in range(80)]
    log = [Event("label", {"doc": ids[at], "label": "irrelevant"}, seq=at + 1) for at in range(4)]
    state = replay(settings_, ids, log)
    p = calibrator.probabilities(scores, 80)
    explored = LabelledList("mine", settings_, calibrator, p, state)
    told = advise(settings_, calibrator, p, state)
    found = plans.plans(explored.planned(settings_), Optimal(), settings_.cost, explored.start)
    assert told.more > 0 and found.depth[0] == told.depth + told.more
    ((depth, plus),) = stopping_outcomes(settings_, calibrator, p, state, [Greedy()])
    begun = plans.plans(explored.planned(settings_), Greedy(), settings_.cost, 0)
    assert (begun.depth[0], begun.option[0]) == (depth, plus)
    with pytest.raises(InputProblem, match="Not every document of mine is labelled"):
        explored.played(settings_)


# --- expectation: every world, one by one -----------------------------------------------------------


def in_every_world(path: DecisivePath, policy: Policy, cost: float, start: int) -> float:
    """Expected net utility from `start` by going through no prior art, a first hit at each depth, and a hit beyond the list."""
    M = np.exp(path.curve.log_M)
    b, n, payoffs = float(path.b[start]), len(path), path.payoffs

    def worth(hit: int | None, omega: bool) -> float:
        world = replace(path, hit=hit, labels=np.arange(1, n + 1) == (hit or 0))
        depth = int(policy.depths(world, [cost], start)[0])
        plus = world.chooses_plus(depth) if policy.acts_on_belief else bool(world.labels[:depth].any())
        return payoffs.outcome(plus, omega) - cost * (depth - start)

    hits = sum((M[h - 1] - M[h]) * worth(h, True) for h in range(start + 1, n + 1))
    return float(b * (hits + M[n] * worth(None, True)) / M[start] + (1 - b) * worth(None, False))


@given(
    p=st.lists(st.floats(0.0, 0.6), min_size=1, max_size=12),
    b_0=st.floats(0.05, 0.95),
    q_star=st.floats(0.05, 0.95),
    cost=st.floats(0.0, 0.05),
    start=st.integers(0, 12),
    citation=st.booleans(),
    rule=st.sampled_from(RULES),
)
def test_expected_net_utility_is_that_of_every_world(
    p: list[float], b_0: float, q_star: float, cost: float, start: int, citation: bool, rule: Policy
) -> None:
    path = DecisivePath(hit_curve(p), b_0, Payoffs.from_q_star(q_star), needs_citation=citation)
    start = min(start, len(p))
    found = plans.plans(path, rule, cost, start)
    assert found.net_utility[0] == pytest.approx(in_every_world(path, rule, cost, start), abs=1e-9)


def test_the_optimal_plan_is_expected_to_bring_most() -> None:
    explored = sample(SEARCH)
    rules = [Optimal(), Greedy(), Batch(10), Budget(100)]
    every = maps.maps(explored, explored.settings, rules, "planned")
    best = np.max([each.measures["net_utility"] for each in every], axis=0)
    assert (every[0].measures["net_utility"] >= best - 1e-12).all()
    assert (every[1].measures["net_utility"] < every[0].measures["net_utility"] - 1e-4).any()


@pytest.mark.parametrize("cost", [0.0005, 0.002, 0.01])
def test_reading_to_a_depth_of_a_review_is_worth_what_the_best_plan_says(cost: float) -> None:
    explored = sample(REVIEW)
    path = explored.planned(explored.settings)
    assert isinstance(path, CumulativePath)
    m, gain = path.best_plan(0, cost)
    found = plans.plans(path, Budget(m), [cost])
    assert m > 0 and found.depth[0] == m
    assert found.net_utility[0] == pytest.approx(float(path.payoffs.utility(0.5)) + gain)


def test_a_settled_search_has_nothing_left_to_expect() -> None:
    path = DecisivePath(hit_curve([0.2] * 6), 0.5, MONEY, hit=2)
    found = plans.plans(path, Optimal(), [1.0, 2.0], start=3)
    assert found.depth.tolist() == [3, 3] and found.option.all()
    assert found.net_utility.tolist() == [MONEY.B, MONEY.B]
    assert plans.plans(path, Budget(5), 7.0, start=3).net_utility[0] == MONEY.B - 14


def test_rules_that_need_labels_have_no_expectation() -> None:
    path = sample(SEARCH).planned(sample(SEARCH).settings)
    with pytest.raises(InputProblem, match="The result of Target depends on labels"):
        plans.plans(path, Target(), 0.001)
    assert "knee" in plans.rules_of("played") and "knee" not in plans.rules_of("planned")
    assert "target" not in plans.rules_of("played")


# --- maps --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("world", ["planned", "played"])
@pytest.mark.parametrize("key", [SEARCH, REVIEW])
def test_regret_is_against_the_best_rule_and_never_the_oracle(key: str, world: World) -> None:
    explored = sample(key)
    policies: list[Policy] = [OpenLoop(), Greedy()] + ([Oracle()] if world == "played" else [])
    every = maps.maps(explored, explored.settings, policies, world, maps.COMPARED)
    regrets = [each.measures["regret"] for each in every]
    assert (np.minimum(regrets[0], regrets[1]) >= -1e-12).all() and (regrets[1] > 1e-3).any()
    if world == "played" and key == SEARCH:
        assert (regrets[2] <= 1e-12).all()
    assert "regret" not in maps.maps(explored, explored.settings, policies[:1], world)[0].measures


def test_a_map_in_money_is_the_normalised_one_scaled() -> None:
    explored = sample(SEARCH)
    unit = explored.settings.payoffs
    (small,) = maps.maps(explored, explored.settings, [Optimal()], "planned")
    (large,) = maps.maps(explored, asked(explored, unit.scaled(5000, "£")), [Optimal()], "planned")
    assert (small.measures["depth"] == large.measures["depth"]).all()
    assert np.allclose(5000 * small.measures["net_utility"], large.measures["net_utility"])
    assert large.columns()["cost"][12] == pytest.approx(5000 * large.fractions[12])
    assert set(large.columns()["unit"]) == {"£"}


def test_keeping_what_payoffs_do_not_change_changes_nothing() -> None:
    for key in (SEARCH, REVIEW):
        explored = sample(key)
        path = explored.planned(explored.settings)
        Optimal().depths(path, [0.001])
        other = path.with_payoffs(MONEY)
        fresh = explored.planned(asked(explored))
        assert (Optimal().depths(other, [3.0, 30.0]) == Optimal().depths(fresh, [3.0, 30.0])).all()
        assert (np.asarray(other.evpi) == np.asarray(fresh.evpi)).all()


# --- samples, lists of one's own, and plain questions -----------------------------------------------------


def test_samples_carry_their_truth() -> None:
    search, review = sample(SEARCH), sample(REVIEW)
    assert search.simulated and review.simulated and search.start == review.start == 0
    assert isinstance(review.truth, Outcome) and len(review.truth.topic) == len(review) == 212
    assert not search.settings.needs_citation and review.settings.stages == 1
    assert len(explore.samples()) == 26
    with pytest.raises(InputProblem, match="no sample topic 'teapot'"):
        sample("search:teapot")
    with pytest.raises(InputProblem, match="no sample topic 'teapot'"):
        sample("review:teapot")


def test_a_list_in_its_own_order_is_explored_by_rank() -> None:
    explored = explore.in_own_order("mine", 50)
    assert len(explored) == 50 and explored.truth is None and (np.diff(explored.p) <= 0).all()
    assert explored.state.depth == 0 and explored.planned(explored.settings).b[0] == 0.5


@given(st.booleans(), st.floats(1, 100), st.floats(1, 1e6), st.floats(0, 500), st.floats(1, 500))
def test_plain_answers_come_back_from_the_stakes(
    worse_plus: bool, times: float, loss: float, hour: float, per_hour: float
) -> None:
    found = sensitivity.elicited(worse_plus, times, loss, hour, per_hour, "£")
    wrong = (found.payoffs.wrong_plus, found.payoffs.wrong_minus)
    assert max(wrong) == pytest.approx(loss) and found.times == pytest.approx(times)
    assert found.cost * per_hour == pytest.approx(hour) and found.payoffs.unit == "£"
    assert found.payoffs.q_star == pytest.approx(times / (1 + times) if worse_plus else 1 / (1 + times))


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        ((0.5, 1.0, 1.0, 1.0), "The number of mistakes is 0.5; give a number at least 1."),
        ((2.0, 0.0, 1.0, 1.0), "The cost of the worse mistake is 0; give a number above 0."),
        ((2.0, 1.0, -1.0, 1.0), "The cost of an hour is -1; give 0 or more."),
        ((2.0, 1.0, 1.0, 0.0), "The number of documents an hour is 0; give a number above 0."),
    ],
)
def test_unusable_answers_are_refused(answers: tuple[float, float, float, float], sentence: str) -> None:
    with pytest.raises(InputProblem) as problem:
        sensitivity.elicited(True, *answers, "")
    assert str(problem.value) == sentence


def test_an_unread_list_is_at_depth_0() -> None:
    assert unread(sample(SEARCH).settings, 3).depth == 0


def test_reports_that_wait_are_read_first_and_paid() -> None:
    """Two stages: what the plan brings is what Screen says stopping brings, plus the worth of those reports."""
    explored = sample(REVIEW)
    settings = replace(asked(explored), stages=2, full_cost=40.0, data_share=extraction_rate(simulated=True))
    labels = explored.state.labels.copy()
    labels[:9] = RELEVANT
    waiting = replace(explored, settings=settings, state=replace(explored.state, labels=labels))
    path = waiting.planned(settings)
    assert isinstance(path, CumulativePath) and path.reports_waiting == pytest.approx(9)
    found = plans.plans(path, Budget(9), settings.cost, waiting.start)
    stopping = float(path.payoffs.utility(path.b[9]))
    to_read, gain = path.best_reports(9)
    assert 0 < to_read <= 9 and found.net_utility[0] == pytest.approx(stopping + gain)
    now = plans.decide(path, waiting.start, settings.cost)
    assert now.cost == settings.cost and now.needed * now.rho == pytest.approx(12 + float(path.p[9]) * 40.0)
    assert now.value == pytest.approx(now.rho * now.evpi - float(path.p[9]) * 40.0)
    assert now.go_on == bool(Greedy().depths(path, [settings.cost], 9)[0] > 9)
    plan = plans.cell_of(waiting, settings, Budget(9), "planned")
    kind, values = spoken(message, figures.plan_sentence, plan, waiting)
    assert (kind, values["to_read"], values["waiting"]) == ("plan_of_none", to_read, 9)
    worth = spoken(message, figures.worth_sentence, plan, settings).values
    assert worth["utility_now"] == pytest.approx(stopping)
    assert "3 titles and abstracts" in figures.full_cost_note(path, settings.cost)
    assert "£40" in figures.full_cost_note(path, 0.0)
    reading = plans.cell_of(waiting, replace(settings, cost=0.5), Optimal(), "planned")
    kind, values = spoken(message, figures.plan_sentence, reading, waiting)
    assert (kind, values["to_read"], values["waiting"]) == ("plan", to_read, 9)
    # Who has reports to read does not "stop now", and what they bring decides what is chosen.
    choice = spoken(message, figures.choice_sentence, plan, settings).values
    assert choice["to_read"] == to_read and choice["asked"] == question(settings)
    at = sensitivity.break_evens(waiting, settings, Optimal())
    assert (
        spoken(message, sensitivity_figure.break_even_sentences, waiting, settings, *at).values["to_read"]
        == to_read
    )
    dear = replace(settings, full_cost=1e6)
    none = plans.cell_of(waiting, dear, Budget(9), "planned")
    assert spoken(message, figures.plan_sentence, none, waiting).values["to_read"] == 0
    assert none.net_utility == pytest.approx(stopping)


@pytest.mark.parametrize("own", [5e-6, 5e-8, 0.0, 0.001, 0.3])
def test_a_map_holds_the_costs_of_the_person(own: float) -> None:
    fractions = fractions_around(own)
    assert len(fractions) == 17 and (not own or fractions[0] <= own <= fractions[-1])


def test_other_stakes_are_those_of_a_session_set_up_with_them() -> None:
    """A report in full keeps costing ten abstracts, whether the stakes are moved or the session has them."""
    explored, rule = sample(REVIEW), OpenLoop()
    labels = explored.state.labels.copy()
    labels[:9] = RELEVANT
    listing = replace(explored, state=replace(explored.state, labels=labels))
    staged = replace(explored.settings, stages=2, data_share=extraction_rate(simulated=True))  # type: ignore[call-arg]

    def set_up(documents: float) -> Settings:
        stakes = Stakes.from_q_star(0.5, 0.5 / documents, full_cost=5 / documents)
        return staged.with_stakes(stakes)

    def plan(settings: Settings) -> list[float]:
        cell = plans.cell_of(listing, settings, rule, "planned")
        return pytest.approx([cell.depth, cell.net_utility])  # type: ignore[return-value]

    own, other = set_up(50_000), set_up(500)
    moved = plans.cell_of(listing, own.with_stakes(own.stakes.with_documents(500)), rule, "planned")
    assert [moved.depth, moved.net_utility] == plan(other)
    (drawn,) = maps.maps(listing, own, [rule], "planned")
    at = drawn.q_stars.index(0.5), drawn.fractions.index(0.001)
    assert [float(drawn.values(name)[at]) for name in ("depth", "net_utility")] == plan(other)
    swings = {swing.name: swing for swing in sensitivity.tornado(listing, own, rule).swings}
    twice = swings["cost"]
    assert [twice.depth[1], twice.net_utility[1]] == plan(set_up(25_000))
    _, turning = sensitivity.break_evens(listing, own, rule)
    (cost,) = (one for one in turning if one.name == "cost")
    for turn in cost.turns:
        for factor, on in ((0.99, True), (1.01, False)):
            there = set_up(0.5 / (factor * turn.at))
            assert sensitivity.goes_on(there, listing.planned(there), rule, there.cost, listing.start) == on
    assert cost.turns
