"""One value seen in three ways: nothing drifts, and each change moves one thing."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.value.payoffs import Option, Payoffs
from tarstop_core.value.stakes import (
    FRACTIONS,
    PAYOFF_NAMES,
    REVIEW_EXAMPLE,
    SEARCH_EXAMPLE,
    START,
    Stakes,
    nearest_fraction,
)

amounts = st.floats(1e-3, 1e6)
stakes = st.builds(
    Stakes,
    st.builds(Payoffs, amounts, amounts, amounts, amounts, st.sampled_from(["", "£", "hours"])),
    *[st.one_of(st.just(0.0), st.floats(1e-6, 1e5))] * 2,
)
q_stars = st.floats(0.01, 0.99)


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9)


@pytest.mark.parametrize(
    "wrong_plus, wrong_minus, worse, times",
    [
        (3.0, 2.0, "plus", 1.5),
        (2.0, 3.0, "minus", 1.5),
        (2.0, 2.0, "equal", 1.0),
        (2.0 + 1e-10, 2.0, "equal", 1.0),
        (2.0 + 1e-7, 2.0, "plus", 1 + 5e-8),
    ],
)
def test_the_worse_mistake_is_the_one_that_costs_more(
    wrong_plus: float, wrong_minus: float, worse: str, times: float
) -> None:
    one = Stakes(Payoffs(B=wrong_minus - 1, L_r=wrong_plus - 1, L_g=1, G=1), 0.01)
    assert one.worse == worse
    assert one.times == (times if worse == "equal" else pytest.approx(times, rel=1e-12))


@given(stakes, q_stars)
def test_another_threshold_keeps_scale_unit_cost_and_proportions(before: Stakes, q_star: float) -> None:
    after = before.with_q_star(q_star)
    old, new = before.payoffs, after.payoffs
    assert close(new.q_star, q_star)
    assert close(new.K, old.K)
    assert (new.unit, after.cost) == (old.unit, before.cost)
    assert close(new.B / new.L_g, old.B / old.L_g)
    assert close(new.G / new.L_r, old.G / old.L_r)


@given(stakes, st.floats(0, 1))
def test_another_cost_keeps_the_payoffs(before: Stakes, fraction: float) -> None:
    after = before.with_fraction(fraction)
    assert after.payoffs == before.payoffs
    assert math.isclose(after.fraction, fraction, rel_tol=1e-9, abs_tol=1e-300)


@given(stakes, st.floats(0.5, 1e6))
def test_the_first_answer_moves_the_cost_alone(before: Stakes, documents: float) -> None:
    after = before.with_documents(documents)
    assert after.payoffs == before.payoffs
    assert close(after.documents, documents)


@given(stakes.filter(lambda one: one.cost > 0), st.floats(0.5, 1e6), st.floats(0.01, 100))
def test_a_report_in_full_keeps_costing_as_many_documents(
    before: Stakes, documents: float, ratio: float
) -> None:
    times = before.full_cost / before.cost
    for after in (before.with_documents(documents), before.with_ratio(ratio), before.with_fraction(0.01)):
        assert close(after.full_cost / after.cost, times)
    assert before.with_cost(1.0).full_cost == before.full_cost


@given(stakes, st.floats(0.01, 100))
def test_the_second_answer_leaves_the_first(before: Stakes, ratio: float) -> None:
    after = before.with_ratio(ratio)
    assert close(after.ratio, ratio)
    assert close(after.payoffs.K, before.payoffs.K)
    if before.cost > 0:
        assert close(after.documents, before.documents)
    else:
        assert after.cost == 0


@given(st.floats(0.5, 1e6), st.floats(0.01, 100))
def test_both_answers_give_what_the_two_questions_stand_for(documents: float, ratio: float) -> None:
    ours = Stakes(Payoffs.from_q_star(0.5), 0.001).with_ratio(ratio).with_documents(documents)
    assert close(ours.payoffs.q_star, ratio / (1 + ratio))
    # The worse mistake costs max(q*, 1 − q*), spread over the documents.
    assert close(ours.fraction, max(ratio, 1) / (1 + ratio) / documents)
    assert close(ours.documents, documents) and close(ours.ratio, ratio)


def test_both_answers_are_read_from_stakes_in_money() -> None:
    # A wrong a+ loses 800, a wrong a- 200, a document costs 2: the worse error is worth 400 documents.
    payoffs = Payoffs(B=100, L_r=300, L_g=100, G=500, unit="£")
    assert (Stakes(payoffs, 2.0).documents, Stakes(payoffs, 2.0).ratio) == (400, 4)
    assert Stakes(payoffs, 0.0).documents == math.inf


@pytest.mark.parametrize("documents", [0, -5, math.nan])
def test_impossible_documents_are_refused(documents: float) -> None:
    with pytest.raises(InputProblem, match="number of documents is"):
        Stakes(Payoffs.from_q_star(0.5), 0.001).with_documents(documents)


@pytest.mark.parametrize("ratio", [0, -1, math.nan, math.inf])
def test_impossible_ratios_are_refused(ratio: float) -> None:
    with pytest.raises(InputProblem, match="times worse than the other"):
        Stakes(Payoffs.from_q_star(0.5), 0.001).with_ratio(ratio)


@given(stakes, st.sampled_from(PAYOFF_NAMES), amounts)
def test_a_payoff_moves_alone(before: Stakes, name: Any, value: float) -> None:
    after = before.with_payoff(name, value)
    assert getattr(after.payoffs, name) == value
    assert after.cost == before.cost
    for other in PAYOFF_NAMES:
        if other != name:
            assert getattr(after.payoffs, other) == getattr(before.payoffs, other)


@given(stakes, st.sampled_from(["£", "days", ""]))
def test_naming_the_unit_changes_no_decision(before: Stakes, unit: str) -> None:
    after = before.with_unit(unit)
    assert after.payoffs.unit == unit
    assert close(after.payoffs.q_star, before.payoffs.q_star)
    assert math.isclose(after.fraction, before.fraction, rel_tol=1e-9)
    assert close(after.full_cost * before.payoffs.K, before.full_cost * after.payoffs.K)


@given(stakes, stakes)
def test_what_nobody_was_asked_stays_as_large_beside_the_rest(before: Stakes, other: Stakes) -> None:
    """Payoffs and cost in another unit: a report costs as many documents as it did."""
    after = before.restated(other.payoffs, other.cost)
    assert (after.payoffs, after.cost) == (other.payoffs, other.cost)
    if before.cost and other.cost:
        assert close(after.full_cost * before.cost, before.full_cost * other.cost)
    else:
        assert close(after.full_cost * before.payoffs.K, before.full_cost * other.payoffs.K)


def test_the_first_unit_for_normalised_stakes_makes_a_document_cost_one() -> None:
    after = Stakes(Payoffs.from_q_star(0.2), 0.002, 0.02).with_unit("£")
    assert close(after.cost, 1) and close(after.full_cost, 10)
    assert close(after.payoffs.K, 500)


def test_an_example_gives_its_amounts_unless_a_person_said_what_a_document_costs() -> None:
    pounds = Stakes.from_q_star(0.8, cost=0.001, full_cost=0.01).with_example(10_000)
    assert (pounds.payoffs.unit, pounds.cost, pounds.full_cost) == ("£", pytest.approx(5), pytest.approx(50))
    assert pounds.worst == pytest.approx(50_000) and pounds.payoffs.q_star == pytest.approx(0.8)
    assert pounds.with_example(100_000).worst == pytest.approx(500_000)
    typed = pounds.with_documents(400)
    assert (typed.cost, typed.worst, typed.full_cost) == pytest.approx((5, 2000, 50)), (
        "a document keeps its price"
    )
    assert typed.with_ratio(9).worst == pytest.approx(2000) and typed.with_ratio(9).cost == pytest.approx(5)
    entered = pounds.changed("cost", 5.0).changed("times", 9).changed("documents", 400)
    assert close(entered.payoffs.K, pounds.payoffs.K), "what equals an example may be entered"
    assert entered.entered and not entered.changed("example", 10_000).entered
    third = pounds.with_others((Option("wait", 100, -50),))
    assert third.changed("option/0/right", 777).changed("documents", 400).payoffs.others[0].right == 777
    assert third.changed("option/0/name", "later").is_example
    own = Stakes(Payoffs(3_000, 500, 7_000, 500, "£"), 2).with_documents(400)
    assert (own.cost, own.worst) == pytest.approx((25, 10_000)), "amounts that a person gave stay"
    hours = Stakes(Payoffs.from_q_star(0.5, 100, "hours"), 0.1).with_example(10_000)
    assert (hours.payoffs.unit, hours.cost) == ("hours", pytest.approx(0.1))
    assert hours.worst == pytest.approx(1_000), "a document keeps the price that a person gave"
    free = Stakes(Payoffs.from_q_star(0.5, 100, "hours"), 0)
    assert free.price == (10, "hours"), "an example where reading costs nothing"


@pytest.mark.parametrize("demo", [SEARCH_EXAMPLE, REVIEW_EXAMPLE])
def test_a_document_costs_the_same_in_every_example(demo: Stakes) -> None:
    """That of the demo, whose title and abstract takes half as long as a patent."""
    unentered = replace(START, full_cost=demo.full_cost)
    assert unentered.price == demo.price


@pytest.mark.parametrize(
    ("stakes", "said"),
    [
        (lambda: Payoffs("a", 1, 1, 1), "payoff B is 'a'"),  # type: ignore[arg-type]
        (lambda: Stakes((1, 2, 3, 4), cost=1), "`payoffs` is"),  # type: ignore[arg-type]
        (lambda: Stakes(Payoffs(1, 1, 1, 1), cost="2"), "cost per document is '2'"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_number_is_named(stakes: Callable[[], object], said: str) -> None:
    with pytest.raises(InputProblem, match=said):
        stakes()


@given(
    stakes,
    st.lists(
        st.tuples(st.sampled_from(["q", "fraction", "documents", "times"]), st.floats(0, 1)), max_size=8
    ),
)
def test_views_never_feed_back_into_what_was_not_touched(
    before: Stakes, moves: list[tuple[str, float]]
) -> None:
    """However often the forms are shown, K and unit stay exactly what they were."""
    now = before
    for name, x in moves:
        shown = now.views()  # rounded
        asked = {
            "documents",
            "worse",
            "times",
            "q",
            "fraction",
            "example",
            *PAYOFF_NAMES,
            "cost",
            "full_cost",
            "unit",
        }
        assert set(shown) == asked
        value = {"q": 0.01 + 0.98 * x, "fraction": FRACTIONS[round(x * 60) % len(FRACTIONS)]}.get(
            name, 1 + 99 * x
        )
        now = now.changed(name, value)
        assert close(now.payoffs.K, before.payoffs.K)
        assert now.payoffs.unit == before.payoffs.unit


@given(stakes)
def test_views_are_values_that_the_widgets_take(value: Stakes) -> None:
    shown = value.views()
    assert 0.01 <= shown["q"] <= 0.99
    assert shown["fraction"] in FRACTIONS
    assert shown["times"] >= 1
    assert (shown["documents"] is None) == (value.cost == 0)
    assert all(math.isclose(shown[name], getattr(value.payoffs, name), rel_tol=1e-5) for name in PAYOFF_NAMES)


@given(st.floats(1e-5, 1))
def test_the_nearest_stop_is_the_nearest(fraction: float) -> None:
    at = nearest_fraction(fraction)
    assert all(
        abs(math.log(at / fraction)) <= abs(math.log(stop / fraction)) + 1e-12 for stop in FRACTIONS[1:]
    )


def test_papers_costs_stand_on_the_slider() -> None:
    assert {0.0, 0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 1.0} <= set(FRACTIONS)


class TestChanged:
    start = Stakes(Payoffs.from_q_star(0.5), 0.001)

    def test_saying_which_is_worse_starts_at_twice(self) -> None:
        assert close(self.start.changed("worse", "plus").ratio, 2)
        assert close(self.start.changed("worse", "minus").ratio, 0.5)

    def test_turning_round_which_is_worse_keeps_how_many_times(self) -> None:
        four = self.start.with_ratio(4)
        assert close(four.changed("worse", "minus").ratio, 0.25)
        assert close(four.changed("worse", "equal").ratio, 1)

    def test_no_number_of_documents_means_that_reading_is_free(self) -> None:
        assert self.start.changed("documents", None).cost == 0

    @pytest.mark.parametrize(
        "name, value, words",
        [
            ("documents", 0.0, "number of documents is 0"),
            ("documents", -5.0, "number of documents is -5"),
            ("times", 0.5, "at least 1"),
            ("times", None, "number of times is empty"),
            ("B", -1.0, "amount is -1"),
            ("L_r", -3.0, "amount is -3"),
            ("G", None, "amount is empty"),
            ("cost", -1.0, "cost per document is -1"),
            ("cost", None, "cost is empty"),
        ],
    )
    def test_what_cannot_be_used_is_said_in_a_sentence(self, name: str, value: Any, words: str) -> None:
        with pytest.raises(InputProblem, match=words):
            self.start.changed(name, value)
