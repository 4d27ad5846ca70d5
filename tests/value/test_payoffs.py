"""Payoffs: thresholds, expected utilities, EVPI, and units that must not matter."""

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.value.payoffs import Floats, Option, Payoffs, check_cost, exceeds

AMOUNTS = st.floats(0.01, 1e4)
PAYOFFS = st.builds(Payoffs, B=AMOUNTS, L_r=AMOUNTS, L_g=AMOUNTS, G=AMOUNTS)
BELIEFS = st.floats(0, 1)
SCALES = st.sampled_from([10.0**e for e in range(-6, 10)])


@given(PAYOFFS, BELIEFS)
def test_utilities_are_the_expectations_over_the_two_states(payoffs: Payoffs, b: float) -> None:
    plus = b * payoffs.outcome(True, True) + (1 - b) * payoffs.outcome(True, False)
    minus = b * payoffs.outcome(False, True) + (1 - b) * payoffs.outcome(False, False)
    tiny = 1e-12 * payoffs.K
    assert float(payoffs.utility_plus(b)) == pytest.approx(plus, abs=tiny)
    assert float(payoffs.utility_minus(b)) == pytest.approx(minus, abs=tiny)
    assert float(payoffs.utility(b)) == pytest.approx(max(plus, minus), abs=tiny)


def test_outcomes_are_the_table_of_the_paper() -> None:
    payoffs = Payoffs(B=1, L_r=2, L_g=3, G=4)
    assert [payoffs.outcome(plus, omega) for plus in (True, False) for omega in (True, False)] == [
        1,
        -2,
        -3,
        4,
    ]


@given(PAYOFFS, BELIEFS)
def test_evpi_is_what_certainty_adds(payoffs: Payoffs, b: float) -> None:
    certain = b * payoffs.B + (1 - b) * payoffs.G
    acting = max(b * payoffs.B - (1 - b) * payoffs.L_r, -b * payoffs.L_g + (1 - b) * payoffs.G)
    assert float(payoffs.evpi(b)) == pytest.approx(certain - acting, abs=1e-12 * payoffs.K)


@given(PAYOFFS, st.lists(BELIEFS, min_size=1, max_size=20))
def test_evpi_is_never_negative_and_greatest_at_q_star(payoffs: Payoffs, b: list[float]) -> None:
    values = payoffs.evpi(np.array(b))
    peak = float(payoffs.evpi(payoffs.q_star))
    assert (values >= 0).all()
    assert (values <= peak * (1 + 1e-12)).all()
    assert peak == pytest.approx(payoffs.K * payoffs.q_star * (1 - payoffs.q_star))
    assert float(payoffs.evpi(0.0)) == 0 == float(payoffs.evpi(1.0))


@given(PAYOFFS, BELIEFS)
def test_action_is_the_better_one(payoffs: Payoffs, b: float) -> None:
    gap = (b * payoffs.B - (1 - b) * payoffs.L_r) - (-b * payoffs.L_g + (1 - b) * payoffs.G)
    if abs(gap) > 1e-11 * payoffs.K:
        assert bool(payoffs.chooses_plus(b)) == (gap > 0)


@given(st.floats(0.01, 0.99))
def test_at_the_threshold_the_action_is_minus_however_it_was_rounded(q_star: float) -> None:
    payoffs = Payoffs.from_q_star(q_star)
    for b in (q_star, math.nextafter(q_star, 1), q_star + 5e-16, payoffs.q_star):
        assert not payoffs.chooses_plus(b)
    assert payoffs.chooses_plus(q_star + 1e-9)
    assert not Payoffs.from_q_star(0.5).chooses_plus(0.5000000000000001)


@given(st.floats(0.01, 0.99), st.floats(1e-3, 1e6))
def test_q_star_form(q_star: float, K: float) -> None:
    payoffs = Payoffs.from_q_star(q_star, K=K)
    assert payoffs.q_star == pytest.approx(q_star, rel=1e-12)
    assert pytest.approx(K, rel=1e-12) == payoffs.K
    assert payoffs.B == payoffs.L_g == pytest.approx(K * (1 - q_star) / 2)
    assert payoffs.G == payoffs.L_r == pytest.approx(K * q_star / 2)


@given(PAYOFFS, BELIEFS, SCALES)
def test_scaling_changes_no_action_and_scales_every_value(payoffs: Payoffs, b: float, factor: float) -> None:
    scaled = payoffs.scaled(factor)
    assert scaled.q_star == pytest.approx(payoffs.q_star, rel=1e-12)
    if abs(b - payoffs.q_star) > 2e-12:
        assert bool(scaled.chooses_plus(b)) == bool(payoffs.chooses_plus(b))
    # Below 1e-300 floats have no twelve digits left.
    assert float(scaled.evpi(b)) == pytest.approx(factor * float(payoffs.evpi(b)), rel=1e-12, abs=1e-300)


@given(PAYOFFS)
def test_divided_by_K_the_threshold_is_the_same(payoffs: Payoffs) -> None:
    normal = payoffs.scaled(1 / payoffs.K, unit="")
    assert pytest.approx(1, rel=1e-12) == normal.K
    assert normal.q_star == pytest.approx(payoffs.q_star, rel=1e-12)
    assert normal.unit == ""


def test_scaling_keeps_or_renames_the_unit() -> None:
    pounds = Payoffs(4000, 1000, 4000, 1000, unit="£")
    assert (pounds.scaled(2).unit, pounds.scaled(100, unit="p").unit) == ("£", "p")


@given(SCALES, st.floats(1e-6, 1), st.floats(1e-6, 1))
def test_exceeds_does_not_depend_on_the_unit(factor: float, value: float, cost: float) -> None:
    if value == cost or abs(value - cost) > 1e-11 * max(value, cost):
        assert bool(exceeds(value * factor, cost * factor)) == (value > cost)


def test_exceeds_is_strict_also_at_zero() -> None:
    assert not exceeds(0, 0)
    assert exceeds(1e-300, 0)
    assert not exceeds(0, 1e-300)
    assert not exceeds(0.1 + 0.2, 0.3)
    assert list(exceeds([1.0, 2.0, 3.0], 2.0)) == [False, False, True]


def one_sentence(message: str) -> bool:
    return message[0].isupper() and message.endswith(".") and "\n" not in message and ". " not in message


@pytest.mark.parametrize("name", ["B", "L_r", "L_g", "G"])
@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_payoffs_must_be_numbers_that_are_not_negative(name: str, value: float) -> None:
    with pytest.raises(InputProblem, match=name) as problem:
        Payoffs(**{"B": 1.0, "L_r": 1.0, "L_g": 1.0, "G": 1.0, name: value})
    assert one_sentence(str(problem.value))


def test_losses_alone_are_enough_and_each_mistake_costs_something() -> None:
    losses, halves = Payoffs(B=0, L_r=200_000, L_g=50_000, G=0), Payoffs(25_000, 100_000, 25_000, 100_000)
    beliefs = np.linspace(0, 1, 11)
    assert (losses.q_star, losses.K) == (halves.q_star, halves.K) == (0.8, 250_000)
    assert losses.evpi(beliefs) == pytest.approx(halves.evpi(beliefs))
    for four, word in (((0, 1, 0, 1), "B \\+ L_g"), ((1, 0, 1, 0), "G \\+ L_r")):
        with pytest.raises(InputProblem, match=word) as problem:
            Payoffs(*four)
        assert one_sentence(str(problem.value))


@pytest.mark.parametrize("q_star", [0, 1, -0.1, 1.5, math.nan])
def test_the_threshold_must_lie_inside(q_star: float) -> None:
    with pytest.raises(InputProblem) as problem:
        Payoffs.from_q_star(q_star)
    assert one_sentence(str(problem.value))


def test_cost() -> None:
    assert [check_cost(cost) for cost in (0, 0.001, 1e9)] == [0, 0.001, 1e9]
    for cost in (-1e-9, math.nan, math.inf):
        with pytest.raises(InputProblem) as problem:
            check_cost(cost)
        assert one_sentence(str(problem.value))


def test_evpi_rises_to_the_threshold_and_falls_after_it() -> None:
    payoffs = Payoffs(B=3, L_r=1, L_g=2, G=4)
    below = payoffs.evpi(np.linspace(0, payoffs.q_star, 50))
    above = payoffs.evpi(np.linspace(payoffs.q_star, 1, 50))
    assert all(one < two for one, two in pairwise(below))
    assert all(one > two for one, two in pairwise(above))


# --- several options ------------------------------------------------------------------------------

SIGNED = st.floats(-1e4, 1e4)
OTHERS = st.lists(st.builds(Option, st.just("other"), SIGNED, SIGNED), min_size=1, max_size=4)


def with_others(payoffs: Payoffs, others: list[Option]) -> Payoffs:
    try:
        return replace(payoffs, others=tuple(others))
    except InputProblem:
        reject()


def lines(payoffs: Payoffs, b: Floats, plus_open: bool = True) -> Floats:
    """What every option that is open is expected to bring, by its definition, shape (options, …)."""
    own = [-b * payoffs.L_g + (1 - b) * payoffs.G, b * payoffs.B - (1 - b) * payoffs.L_r]
    expected = np.array(own + [b * each.right + (1 - b) * each.wrong for each in payoffs.others])
    if not plus_open:
        expected[1] = -np.inf
    return expected


@pytest.mark.parametrize("plus_open", [True, False])
@given(payoffs=PAYOFFS, others=OTHERS)
def test_the_best_of_several_options_is_the_highest_line(
    plus_open: bool, payoffs: Payoffs, others: list[Option]
) -> None:
    payoffs, b = with_others(payoffs, others), np.linspace(0, 1, 401)
    expected, tiny = lines(payoffs, b, plus_open), 1e-9 * 2e4
    np.testing.assert_allclose(payoffs.utility(b, plus_open), expected.max(axis=0), atol=tiny)
    chosen = payoffs.best(b, plus_open)
    assert (expected[chosen, np.arange(len(b))] >= expected.max(axis=0) - tiny).all()
    for option in range(len(expected)):
        between = payoffs.ranges(plus_open).of(option)
        assert (between is None) == (option not in payoffs.ranges(plus_open).options)
        if between is not None:
            middle = np.array([sum(between) / 2])
            assert lines(payoffs, middle, plus_open)[option] == pytest.approx(
                payoffs.utility(middle, plus_open), abs=tiny
            )


@given(PAYOFFS, OTHERS, BELIEFS)
def test_certainty_among_several_options_is_worth_what_the_two_states_bring(
    payoffs: Payoffs, others: list[Option], b: float
) -> None:
    payoffs = with_others(payoffs, others)
    states, now = lines(payoffs, np.array([0.0, 1.0])).max(axis=0), lines(payoffs, np.array([b])).max()
    assert float(payoffs.evpi(b)) == pytest.approx(b * states[1] + (1 - b) * states[0] - now, abs=1e-7)


@given(
    PAYOFFS,
    OTHERS,
    st.lists(st.floats(0.001, 1), min_size=2, max_size=6),
    st.lists(BELIEFS, min_size=6, max_size=6),
)
def test_a_decision_among_several_is_worth_the_sum_of_those_between_neighbours(
    payoffs: Payoffs, others: list[Option], weights: list[float], after: list[float]
) -> None:
    """Whatever may be learned: each belief in `after` with its chance."""
    payoffs = with_others(payoffs, others)
    chance, beliefs = np.array(weights) / sum(weights), np.array(after[: len(weights)])
    b = float(chance @ beliefs)

    def gain(decision: Payoffs) -> float:
        return float(chance @ lines(decision, beliefs).max(axis=0) - lines(decision, np.array(b)).max())

    assert gain(payoffs) == pytest.approx(sum(map(gain, payoffs.neighbours())), abs=1e-7)


def test_two_options_are_the_decision_itself() -> None:
    payoffs = Payoffs(4, 1, 3, 2)
    assert payoffs.neighbours() == (payoffs,) and payoffs.neighbours(plus_open=False) == ()
    assert payoffs.ranges().ends == (payoffs.q_star,)
    never_best = replace(payoffs, others=(Option("worse", -9, -9),))
    assert never_best.ranges() == payoffs.ranges() and never_best.evpi(0.4) == payoffs.evpi(0.4)


def test_scaling_keeps_the_ranges() -> None:
    three = Payoffs(4, 1, 3, 2, "£", (Option("trial", 2, 1.5),))
    assert three.scaled(7.0).ranges().ends == pytest.approx(three.ranges().ends)
    assert three.scaled(7.0).evpi(0.5) == pytest.approx(7 * float(three.evpi(0.5)))


def test_an_option_that_is_always_the_best_leaves_nothing_to_decide() -> None:
    with pytest.raises(InputProblem, match="'all' is the best one whatever is believed"):
        Payoffs(4, 1, 3, 2, others=(Option("all", 9, 9),))
    with pytest.raises(InputProblem, match="'all' brings nan"):
        Option("all", math.nan, 0)
