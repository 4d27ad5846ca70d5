"""What a person is told, and the record of it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.calibration.calibrator import Calibrator, FittedOn
from tarstop_core.policies import Batch, Budget, Greedy, LookAhead, Optimal, Policy, Smooth
from tarstop_core.screening import advice_message
from tarstop_core.screening.advice import advise, stopping_outcomes
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.paths import screening_path, starting_chances
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.trace import trace
from tarstop_core.screening.wording import explain, verdict
from tarstop_core.value.payoffs import MINUS, PLUS, Payoffs
from tests.reference import loops

SEEN = FittedOn(name="tests", topics=2, documents=100, relevant=4, simulated=True)
CALIBRATOR = Calibrator("rank", "patent", x=(0.0, 4.0), y=(0.3, 0.001), fitted_on=SEEN)
N = 80
IDS = [f"d{i}" for i in range(N)]
P = CALIBRATOR.probabilities(None, N)
START = PatentSettings(Payoffs.from_q_star(0.5), cost=0.002, calibrator=CALIBRATOR.digest)


def read(count: int, verdict: str = "irrelevant", start: int = 0) -> list[Event]:
    return [Event("label", {"doc": IDS[i], "label": verdict}, i + 1) for i in range(start, start + count)]


def test_continue_says_what_the_document_is_worth_and_how_far_to_go() -> None:
    state = replay(START, IDS, read(3))
    advice = advise(START, CALIBRATOR, P, state)
    path = screening_path(START, CALIBRATOR, P, state)
    stop = int(Optimal().depths(path, [START.cost])[0])
    assert advice.go_on and advice.depth == 3 and advice.more == stop - 3
    assert advice.worth is not None and advice.worth > START.cost
    told = explain(advice, START)
    assert f"about {advice.more} more" in told.sentence


def test_the_chance_of_being_right_is_that_of_the_option_taken() -> None:
    advice = replace(advise(START, CALIBRATOR, P, replay(START, IDS, read(3))), b=0.3)
    assert [replace(advice, option=option).right for option in (MINUS, PLUS)] == [0.7, 0.3]


@pytest.mark.parametrize("depth", [0, 3])
def test_going_on_gains_what_the_best_plan_is_worth_beyond_stopping(depth: int) -> None:
    advice = advise(START, CALIBRATOR, P, replay(START, IDS, read(depth)))
    now, *plans = loops.plan_values(
        P[depth:].tolist(), advice.b, START.payoffs, START.cost, START.needs_citation
    )
    assert advice.gain == pytest.approx(max(plans) - now) and advice.more == 1 + int(np.argmax(plans))


@pytest.mark.parametrize("rule", [Optimal(), LookAhead(20), Greedy(), Smooth(5), Batch(10), Budget(30)])
def test_the_page_and_the_experiment_stop_at_the_same_depth(rule: Policy) -> None:
    paper = replace(START.paper_mode(), policy=rule.spec)
    experiment = int(
        rule.depths(screening_path(paper, CALIBRATOR, P, replay(paper, IDS, [])), [paper.cost])[0]
    )
    assert 0 < experiment < N
    for depth in range(experiment + 1):
        live = advise(paper, CALIBRATOR, P, replay(paper, IDS, read(depth)))
        assert live.go_on == (depth < experiment)
        assert live.depth + live.more == experiment


def test_a_confirmed_hit_ends_it() -> None:
    events = [*read(2), *read(1, "relevant", 2), Event("confirm", {"doc": "d2", "holds": True}, 4)]
    advice = advise(START, CALIBRATOR, P, replay(START, IDS, events))
    assert advice.headline == "found" and not advice.go_on and advice.b == 1 and advice.plus
    assert advice.evpi == 0 and advice.worth == 0
    assert advice.utility == pytest.approx(START.payoffs.B)


@pytest.mark.parametrize(("policy", "more"), [("batch:K=10", 7), ("budget:d=50", 47), ("optimal", 0)])
def test_after_a_hit_the_page_says_found_and_what_the_rule_would_still_read(policy: str, more: int) -> None:
    paper = replace(START.paper_mode(), policy=policy)
    advice = advise(paper, CALIBRATOR, P, replay(paper, IDS, [*read(2), *read(1, "relevant", 2)]))
    assert advice.headline == "found" and advice.more == more
    told = explain(advice, paper)
    assert told.word == "FOUND" and (f"{more} documents more" in told.sentence) == (more > 0)


def test_a_batch_that_was_refused_or_is_done_is_not_reopened() -> None:
    paper = replace(START.paper_mode(), policy="batch:K=10", cost=0.004)
    stop = int(Batch(10).depths(screening_path(paper, CALIBRATOR, P, replay(paper, IDS, [])), [0.004])[0])
    assert 0 < stop < N
    beyond = advise(paper, CALIBRATOR, P, replay(paper, IDS, read(stop + 1)))
    assert not beyond.go_on and beyond.worth is not None and beyond.worth <= paper.cost
    found = [*read(2), *read(1, "relevant", 2), *read(8, "irrelevant", 3)]
    after = advise(paper, CALIBRATOR, P, replay(paper, IDS, found))
    assert after.depth == 11 and not after.go_on


def test_inside_a_batch_the_batch_is_what_was_weighed() -> None:
    paper = replace(START.paper_mode(), policy="batch:K=10")
    inside = advise(paper, CALIBRATOR, P, replay(paper, IDS, read(9)))
    assert inside.go_on and inside.worth is not None and inside.worth > paper.cost


def test_a_fixed_budget_acts_on_what_it_has_seen_here_as_in_an_experiment() -> None:
    eager = replace(START.paper_mode(), policy="budget:d=20", b_0=0.9)
    assert not advise(eager, CALIBRATOR, P, replay(eager, IDS, read(3))).plus
    assert advise(eager, CALIBRATOR, P, replay(eager, IDS, read(1, "relevant"))).plus


def test_a_small_starting_chance_varies_downwards_too() -> None:
    rare = replace(START, b_0=0.004, cost=1e-5)
    advice = advise(rare, CALIBRATOR, P, replay(rare, IDS, read(1)))
    assert advice.variations[2].assumption.b_0 == pytest.approx(0.002)
    words = PATENT.message("assumption", assumption=advice.variations[2].assumption, settings=rare)
    assert "0.20 % instead of 0.40 %" in words


def test_starting_chances_stay_half_way_from_certainty() -> None:
    assert starting_chances(replace(START, b_0=0.5)) == pytest.approx((0.3, 0.7))
    assert starting_chances(replace(START, b_0=0.004)) == pytest.approx((0.002, 0.204))
    assert starting_chances(replace(START, b_0=0.996)) == pytest.approx((0.796, 0.998))


def test_an_unconfirmed_hit_says_what_if_it_does_not_hold() -> None:
    state = replay(START, IDS, [*read(2), *read(1, "relevant", 2)])
    advice = advise(START, CALIBRATOR, P, state)
    assert advice.headline == "confirm"
    missed = advise(START, CALIBRATOR, P, replay(START, IDS, read(3)))
    assert advice.if_fails == missed
    # Until it is settled it counts neither way.
    assert advice.b == advise(START, CALIBRATOR, P, replay(START, IDS, read(2))).b
    assert "may settle the question" in explain(advice, START).sentence


def test_unsure_leaves_belief_where_it_was_and_counts_as_read() -> None:
    miss = advise(START, CALIBRATOR, P, replay(START, IDS, read(1)))
    unsure = advise(START, CALIBRATOR, P, replay(START, IDS, read(1, "unsure")))
    assert unsure.depth == 1 and unsure.b == START.b_0 > miss.b


@pytest.mark.parametrize("verdict", ["unsure", "relevant"])
def test_a_document_without_a_verdict_does_not_make_another_rule_stop_before_it(verdict: str) -> None:
    greedy = [Greedy()]
    ((plain, _),) = stopping_outcomes(START, CALIBRATOR, P, replay(START, IDS, read(3)), greedy)
    waiting = replay(START, IDS, [*read(2), *read(1, verdict, 2)])
    ((depth, _),) = stopping_outcomes(START, CALIBRATOR, P, waiting, greedy)
    assert depth >= plain > 3


def test_where_one_document_decides_rules_are_asked_from_the_first_document_on() -> None:
    dear = replace(START, cost=1.0)
    assert stopping_outcomes(dear, CALIBRATOR, P, replay(dear, IDS, read(3)), [Greedy()]) == [(0, False)]


def test_nothing_read_is_never_a_stop() -> None:
    dear = replace(START, cost=1.0)
    advice = advise(dear, CALIBRATOR, P, replay(dear, IDS, []))
    told = explain(advice, dear)
    assert advice.headline == "prior alone" and told.word == "NOTHING READ YET"
    assert told.sentence.startswith(advice_message("alone", advice=advice))


def test_advice_that_does_not_survive_its_assumptions_says_so_and_keeps_its_headline() -> None:
    found = False
    for depth in range(1, N):
        advice = advise(START, CALIBRATOR, P, replay(START, IDS, read(depth)))
        supposed = [v for v in advice.variations if v.assumption.cost_factor == 1]
        disagree = [v for v in supposed if v.go_on != advice.go_on]
        if disagree:
            found = True
            assert advice.headline == ("continue" if advice.go_on else "stop")
            assert len(explain(advice, START).robustness) >= len(disagree)
            assert "Assumptions matter" in verdict(advice, START).rests
    assert found


def test_a_stop_whose_action_would_change_says_under_which_assumptions() -> None:
    near = replace(START.paper_mode(), b_0=0.55, cost=0.5)
    advice = advise(near, CALIBRATOR, P, replay(near, IDS, read(1)))
    assert not advice.go_on and {v.option for v in advice.variations} == {PLUS, MINUS}
    assert advice.headline == "stop" and "Assumptions matter" in verdict(advice, near).rests


def test_the_advice_at_other_costs_is_that_of_a_session_with_these_costs() -> None:
    state = replay(START, IDS, read(5))
    lower, higher = advise(START, CALIBRATOR, P, state).at_other_costs
    for other, factor in ((lower, 0.1), (higher, 10.0)):
        own = advise(replace(START, cost=factor * START.cost), CALIBRATOR, P, state)
        assert (other.go_on, other.more, other.option) == (own.go_on, own.more, own.option)
    assert lower.more > higher.more
    assert not advise(replace(START, cost=0.0), CALIBRATOR, P, state).at_other_costs


def test_the_verdict_is_the_same_if_costs_are_not_varied() -> None:
    """Costs vary unasked where the rule stops, because the verdict names what comes out."""
    for settings, goes_on in ((START, True), (replace(START, cost=1.0), False)):
        state = replay(settings, IDS, read(5))
        whole = advise(settings, CALIBRATOR, P, state)
        short = advise(settings, CALIBRATOR, P, state, at_other_costs=False)
        assert short.go_on is goes_on and verdict(short, settings) == verdict(whole, settings)
        assert len(short.at_other_costs) == (0 if goes_on else 2)


def test_a_promised_number_is_kept() -> None:
    """Whoever is told "about 24 more" is told to stop after 24 more, whatever is assumed on the way."""
    promised = advise(START, CALIBRATOR, P, replay(START, IDS, [])).more
    assert 5 < promised < N
    heads = [advise(START, CALIBRATOR, P, replay(START, IDS, read(at))) for at in range(N)]
    assert [each.headline for each in heads] == ["continue"] * promised + ["stop"] * (N - promised)
    assert all(each.depth + each.more == promised for each in heads[:promised])
    assert any(each.contrary for each in heads[:promised])


def test_the_end_of_the_list() -> None:
    state = replay(START, IDS, read(N))
    advice = advise(START, CALIBRATOR, P, state)
    assert advice.headline == "all read" and advice.worth is None and advice.more == 0
    assert stopping_outcomes(START, CALIBRATOR, P, state, [Budget(500)]) == [(N, False)]


def test_advice_in_money_is_the_same_advice() -> None:
    pounds = replace(START, payoffs=START.payoffs.scaled(20_000, "£"), cost=START.cost * 20_000)
    for depth in (0, 5, 20, 60):
        plain = advise(START, CALIBRATOR, P, replay(START, IDS, read(depth)))
        money = advise(pounds, CALIBRATOR, P, replay(pounds, IDS, read(depth)))
        assert (plain.headline, plain.more, plain.plus) == (money.headline, money.more, money.plus)
        assert money.utility == pytest.approx(20_000 * plain.utility)
    assert "£" in explain(money, pounds).stopping


@pytest.mark.parametrize(("holds", "told"), [(True, "relevant"), (False, "not relevant (hit not confirmed)")])
def test_the_trace_tells_a_hit_that_held_from_one_that_did_not(holds: bool, told: str) -> None:
    events = [*read(1, "relevant"), Event("confirm", {"doc": "d0", "holds": holds}, 2)]
    [row] = trace(START, {CALIBRATOR.digest: CALIBRATOR}, IDS, None, events)
    assert row["label"] == told


def test_the_trace_is_what_was_on_the_screen() -> None:
    dearer = replace(START, cost=0.004)
    events = [
        *read(4),
        Event("label", {"doc": "d4", "label": "unsure"}, 5),
        Event("settings", {"settings": dearer.to_dict(), "reason": ""}, 6),
        Event("label", {"doc": "d5", "label": "irrelevant"}, 7),
        Event("undo", {}, 8),
        Event("label", {"doc": "d5", "label": "relevant"}, 9),
        Event("note", {"doc": "d5", "text": "claim 1"}, 10),
        Event("relabel", {"doc": "d4", "label": "irrelevant"}, 11),
        Event("label", {"doc": "d6", "label": "irrelevant"}, 12),
    ]
    rows = trace(START, {CALIBRATOR.digest: CALIBRATOR}, IDS, None, events)
    assert [row["id"] for row in rows] == IDS[:7]
    labels = {5: "d4", 9: "d5", 12: "d6"}
    for seq, doc in labels.items():
        before = replay(START, IDS, [event for event in events if event.seq < seq])
        advice = advise(before.settings, CALIBRATOR, P, before)
        row = rows[IDS.index(doc)]
        assert row["b"] == advice.b and row["worth"] == advice.worth and row["evpi"] == advice.evpi
        assert row["cost"] == before.settings.cost
        assert row["advice"] == ("continue" if advice.go_on else "stop")
        assert row["headline"] == advice.headline
    assert rows[4]["label"] == "not relevant" and rows[5]["note"] == "claim 1"


@given(
    depth=st.integers(0, N),
    q_star=st.floats(0.05, 0.95),
    b_0=st.floats(0.02, 0.98),
    cost=st.sampled_from([0.0, 1e-4, 1e-3, 1e-2, 1.0]),
    cited=st.booleans(),
    rule=st.sampled_from(["optimal", "look-ahead:m=5", "greedy", "smooth:K=5", "batch:K=7", "budget:d=20"]),
)
def test_every_situation_can_be_put_in_words(
    depth: int, q_star: float, b_0: float, cost: float, cited: bool, rule: str
) -> None:
    now = replace(
        START, payoffs=Payoffs.from_q_star(q_star), b_0=b_0, cost=cost, needs_citation=cited, policy=rule
    )
    advice = advise(now, CALIBRATOR, P, replay(now, IDS, read(depth)))
    told = explain(advice, now)
    assert told.word and told.sentence.endswith(".") and told.stopping.endswith(".")
    assert "nan" not in told.sentence + told.stopping
    assert np.isfinite(advice.utility) and 0 <= advice.more <= N - depth
    if cited:
        assert not advice.plus
    if advice.go_on and advice.worth is not None:
        assert advice.worth > cost
