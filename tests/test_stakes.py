"""One value seen in three ways: nothing drifts, and each change moves one thing."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.stakes import FRACTIONS, VIEWS, changed, nearest_fraction
from dashboard.stakes import _views as views
from tarstop_core.errors import InputProblem
from tarstop_core.payoffs import Payoffs, from_two_questions
from tarstop_core.stakes import PAYOFF_NAMES, Stakes

amounts = st.floats(1e-3, 1e6)
stakes = st.builds(
    Stakes,
    st.builds(Payoffs, amounts, amounts, amounts, amounts, st.sampled_from(["", "£", "hours"])),
    st.one_of(st.just(0.0), st.floats(1e-6, 1e5)),
)
q_stars = st.floats(0.01, 0.99)


def close(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9)


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
    payoffs, cost = from_two_questions(documents, ratio)
    ours = Stakes(Payoffs.from_q_star(0.5), 0.001).with_ratio(ratio).with_documents(documents)
    assert close(ours.payoffs.q_star, payoffs.q_star)
    assert close(ours.fraction, cost / payoffs.K)


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


def test_the_first_unit_for_normalised_stakes_makes_a_document_cost_one() -> None:
    after = Stakes(Payoffs.from_q_star(0.2), 0.002).with_unit("£")
    assert close(after.cost, 1)
    assert close(after.payoffs.K, 500)


# --- what the widgets show ----------------------------------------------------------------------


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
        shown = views(now)  # rounded
        assert set(shown) == set(VIEWS)
        value = {"q": 0.01 + 0.98 * x, "fraction": FRACTIONS[round(x * 60) % len(FRACTIONS)]}.get(
            name, 1 + 99 * x
        )
        now = changed(now, name, value)
        assert close(now.payoffs.K, before.payoffs.K)
        assert now.payoffs.unit == before.payoffs.unit


@given(stakes)
def test_views_are_values_that_the_widgets_take(value: Stakes) -> None:
    shown = views(value)
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
        assert close(changed(self.start, "worse", "plus").ratio, 2)
        assert close(changed(self.start, "worse", "minus").ratio, 0.5)

    def test_turning_round_which_is_worse_keeps_how_many_times(self) -> None:
        four = self.start.with_ratio(4)
        assert close(changed(four, "worse", "minus").ratio, 0.25)
        assert close(changed(four, "worse", "equal").ratio, 1)

    def test_no_number_of_documents_means_that_reading_is_free(self) -> None:
        assert changed(self.start, "documents", None).cost == 0

    @pytest.mark.parametrize(
        "name, value, words",
        [
            ("documents", 0.0, "number of documents is 0"),
            ("documents", -5.0, "number of documents is -5"),
            ("times", 0.5, "at least 1"),
            ("times", None, "number of times is empty"),
            ("B", 0.0, "payoff B is 0"),
            ("L_r", -3.0, "payoff L_r is -3"),
            ("G", None, "payoff G is empty"),
            ("cost", -1.0, "cost per document is -1"),
            ("cost", None, "cost is empty"),
        ],
    )
    def test_what_cannot_be_used_is_said_in_a_sentence(self, name: str, value: Any, words: str) -> None:
        with pytest.raises(InputProblem, match=words):
            changed(self.start, name, value)
