"""What the advice depends on: plans made anew with one assumption changed, and where advice turns."""

from dataclasses import replace

import pytest

from tarstop_core.explore import plans, sensitivity
from tarstop_core.explore.lists import sample
from tarstop_core.explore.plans import Plans
from tarstop_core.policies import Optimal, parse_policy
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.stakes import Stakes
from tests.explore.test_explore import MONEY, REVIEW, SEARCH, asked


def test_a_payoff_of_0_varies_too() -> None:
    explored = sample(SEARCH)
    none = replace(asked(explored), payoffs=Payoffs(0, 1000, 4000, 0, "£"))
    by_name = {swing.name: swing for swing in sensitivity.tornado(explored, none, Optimal()).swings}
    assert by_name["B"].values == (0, 4000) and by_name["G"].values == (0, 1000)
    raised = replace(none, payoffs=Payoffs(4000, 1000, 4000, 0, "£"))
    wanted = plans.plans(explored.planned(raised), Optimal(), raised.cost)
    assert by_name["B"].depth[1] == wanted.depth[0]
    assert by_name["B"].net_utility[1] == pytest.approx(wanted.net_utility[0], rel=1e-4)


@pytest.mark.parametrize("key", [SEARCH, REVIEW])
def test_a_tornado_is_plans_made_with_each_assumption_changed(key: str) -> None:
    explored = sample(key)
    settings_ = asked(explored)
    found = sensitivity.tornado(explored, settings_, Optimal())

    def plan(changed: Settings, factor: float = 1.0) -> Plans:
        return plans.plans(explored.planned(changed, factor), Optimal(), changed.cost)

    now = plan(settings_)
    # Plans made for several costs at once look at other nodes than those for one.
    assert (found.depth, found.net_utility) == (now.depth[0], pytest.approx(now.net_utility[0], rel=1e-4))
    by_name = {each.name: each for each in found.swings}
    assert list(by_name) == ["B", "L_r", "L_g", "G", "cost", "b_0", "p"]
    for name, swing in by_name.items():
        for end, value in enumerate(swing.values):
            if name == "p":
                other = plan(settings_, value)
            elif name in ("cost", "b_0"):
                other = plan(replace(settings_, **{name: value}))
            else:
                other = plan(replace(settings_, payoffs=Stakes(MONEY, 12.0).with_payoff(name, value).payoffs))  # type: ignore[arg-type]
            assert swing.depth[end] == other.depth[0], name
            assert swing.net_utility[end] == pytest.approx(other.net_utility[0], rel=1e-4), name
    assert by_name["b_0"].values == pytest.approx((0.3, 0.7)) and by_name["B"].values == (2000, 8000)


@pytest.mark.parametrize("spec", ["optimal", "greedy", "look-ahead:m=5"])
@pytest.mark.parametrize("cost", [12.0, 2000.0])
@pytest.mark.parametrize("key", [SEARCH, REVIEW])
def test_advice_turns_at_its_break_even_values(key: str, spec: str, cost: float) -> None:
    explored, policy = sample(key), parse_policy(spec)
    settings_ = asked(explored, cost=cost)
    now, found = sensitivity.break_evens(explored, settings_, policy)
    stop = int(policy.depths(explored.planned(settings_), [cost])[0])
    assert now == (stop > 0)
    turned = 0
    for each in found:
        for turn in each.turns:
            for nudge, expected in ((1.003, not now), (1 / 1.003, now)):
                nudge = nudge if turn.at > each.value else 1 / nudge
                value = (
                    turn.at * nudge
                    if each.name != "b_0"
                    else turn.at * nudge / (1 - turn.at + turn.at * nudge)
                )
                if each.name in ("cost", "b_0"):
                    changed = replace(settings_, **{each.name: value})
                else:
                    payoffs = Stakes(MONEY, cost).with_payoff(each.name, value).payoffs  # type: ignore[arg-type]
                    changed = replace(settings_, payoffs=payoffs)
                path = explored.planned(changed)
                assert (policy.depths(path, [changed.cost])[0] > 0) == expected, (each, turn)
                if expected == (not now) and each.name != "cost":
                    assert path.chooses_plus(0) == (turn.option == 1)
                turned += 1
    assert turned


def test_advice_that_turns_between_two_values_says_both() -> None:
    """Certainty is worth most where b is at q*: only there does a dear document pay."""
    explored = sample(REVIEW)
    settings_ = asked(explored, cost=500.0)
    now, found = sensitivity.break_evens(explored, settings_, Optimal())
    assert not now
    for each in found:
        for turn in each.turns:
            assert (turn.back is not None) == (each.name != "cost")
            if turn.back is None:
                continue
            beyond = 1.01 if turn.back > turn.at else 0.99
            between = (turn.at + turn.back) / 2
            for value, expected in ((turn.at / beyond, False), (between, True), (turn.back * beyond, False)):
                if each.name == "b_0":
                    changed = replace(settings_, b_0=value)
                else:
                    payoffs = Stakes(MONEY, 500.0).with_payoff(each.name, value).payoffs  # type: ignore[arg-type]
                    changed = replace(settings_, payoffs=payoffs)
                assert (Optimal().depths(explored.planned(changed), [500.0])[0] > 0) == expected
    assert {each.name for each in found if each.turns} == {"L_r", "G", "cost", "b_0"}


def test_the_break_even_cost_is_what_the_next_documents_are_worth() -> None:
    explored = sample(SEARCH)
    _, found = sensitivity.break_evens(explored, explored.settings, Optimal())
    (cost,) = [each for each in found if each.name == "cost"]
    worth = explored.planned(explored.settings).value_rate()[0]
    assert [turn.at for turn in cost.turns] == [pytest.approx(worth, rel=1e-3)]
