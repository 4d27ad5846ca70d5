"""Metrics against their definitions, topic by topic."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.metrics import icer, net_utility_of_errors
from tarstop_core.value.payoffs import Payoffs

AMOUNT = st.floats(0.05, 20)
PAYOFFS = st.builds(Payoffs, B=AMOUNT, L_r=AMOUNT, L_g=AMOUNT, G=AMOUNT)


@given(payoffs=PAYOFFS, plus=st.booleans(), omega=st.booleans(), n=st.integers(0, 9999), c=st.floats(0, 1))
def test_net_utility_of_one_topic(payoffs: Payoffs, plus: bool, omega: bool, n: int, c: float) -> None:
    got = float(metrics.net_utility(payoffs, plus, omega, n, c))
    assert got == pytest.approx(payoffs.outcome(plus, omega) - c * n)


@given(payoffs=PAYOFFS, plus=st.floats(0, 1), omega=st.booleans())
def test_a_chance_of_acting_is_a_mixture(payoffs: Payoffs, plus: float, omega: bool) -> None:
    mixed = plus * payoffs.outcome(True, omega) + (1 - plus) * payoffs.outcome(False, omega)
    assert float(metrics.payoff(payoffs, plus, omega)) == pytest.approx(mixed)
    errors = float(metrics.false_adopt(plus, omega) + metrics.false_reject(plus, omega))
    assert float(metrics.agreement(plus, omega)) == pytest.approx(1 - errors)


def test_errors_are_told_apart() -> None:
    plus, omega = [1, 1, 0, 0], [True, False, True, False]
    assert metrics.false_adopt(plus, omega).tolist() == [0, 1, 0, 0]
    assert metrics.false_reject(plus, omega).tolist() == [0, 0, 1, 0]
    assert metrics.agreement(plus, omega).tolist() == [1, 0, 0, 1]


def test_recall_of_a_topic_without_relevant_documents_is_zero() -> None:
    assert metrics.recall([[0, 3]], [0, 4]).tolist() == [[0.0, 0.75]]


@pytest.mark.parametrize(
    ("own", "reference", "expected"),
    [
        ((5.0, 0.95), (10.0, 0.90), "Dominant"),
        ((10.0, 0.90), (5.0, 0.95), "Dominated"),
        ((10.0, 0.95), (10.04, 0.90), "--"),  # equal to one decimal
        ((20.0, 0.90001), (10.0, 0.90004), "--"),  # equal to four
        ((20.0, 0.95), (10.0, 0.90), 200.0),
        ((10.0, 0.90), (20.0, 0.95), 200.0),  # both lower: the ratio is positive too
        ((5.45, 0.9), (5.450000000000001, 0.8), "--"),
    ],
)
def test_icer(own: tuple[float, float], reference: tuple[float, float], expected: metrics.Icer) -> None:
    got = metrics.icer(*own, *reference)
    assert got == (expected if isinstance(expected, str) else pytest.approx(expected))


@given(screened=st.floats(0, 1e4), agrees=st.floats(0, 1), more=st.floats(-1e3, 1e3), better=st.floats(-1, 1))
def test_icer_is_a_label_or_positive(screened: float, agrees: float, more: float, better: float) -> None:
    value = metrics.icer(screened + more, agrees + better, screened, agrees)
    assert value in ("Dominant", "Dominated", "--") if isinstance(value, str) else value > 0


@given(
    payoffs=PAYOFFS.filter(lambda each: abs(each.q_star - 0.5) > 0.01),
    plus=st.integers(1, 99),
    adopts=st.integers(0, 1),
    rejects=st.integers(0, 1),
    n=st.floats(0, 1e4),
    c=st.floats(0, 0.01),
)
def test_errors_and_net_utility_are_two_sides(
    payoffs: Payoffs, plus: int, adopts: int, rejects: int, n: float, c: float
) -> None:
    row = {"topics": 100, "screened": n, "cost": c, "decision_agreement": 1 - (adopts + rejects) / 100}
    utility = metrics.net_utility_of_errors(payoffs, row, plus, adopts, rejects)
    back = metrics.errors_of_net_utility(payoffs, row | {"net_utility": utility}, plus)
    assert back == pytest.approx((adopts, rejects), abs=1e-5)


def test_errors_that_cost_the_same_cannot_be_told_apart() -> None:
    row = {"topics": 10, "screened": 0, "cost": 0, "net_utility": 0.2, "decision_agreement": 0.9}
    got = metrics.errors_of_net_utility(Payoffs.from_q_star(0.5), row, 5)
    assert all(math.isnan(each) for each in got)


def test_regret_is_against_the_best_on_each_topic() -> None:
    utilities = np.array([[[0.3, 0.1], [0.2, 0.4]], [[0.0, 0.0], [0.5, -1.0]]])
    assert metrics.regret(utilities).tolist() == pytest.approx(
        np.array([[[0.0, 0.3], [0.1, 0.0]], [[0.5, 0.0], [0.0, 1.0]]])
    )


@given(
    omega=st.lists(st.booleans(), min_size=2, max_size=20).filter(lambda each: any(each) and not all(each)),
    share=st.floats(0, 1),
)
def test_weights_give_the_share_that_is_asked_for(omega: list[bool], share: float) -> None:
    weights = metrics.share_weights(omega, share)
    assert weights.sum() == pytest.approx(1)
    assert weights[np.array(omega)].sum() == pytest.approx(share)
    kept = metrics.share_weights(omega, None)
    assert kept == pytest.approx(np.full(len(omega), 1 / len(omega)))


def test_weights_refuse_what_cannot_be() -> None:
    with pytest.raises(InputProblem, match="share of ω⁺ topics is 2"):
        metrics.share_weights([True, False], 2)
    with pytest.raises(InputProblem, match="No topic is ω⁻"):
        metrics.share_weights([True, True], 0.5)
    assert metrics.share_weights([True, True], 1).tolist() == [0.5, 0.5]


def test_icer_by_example() -> None:
    assert (
        round(icer(31.1, 0.9460, 3.4, 0.8910), 1),
        icer(3.3, 0.924, 5.9, 0.918),
        icer(3.9, 0.8910, 3.4, 0.8910),
    ) == (503.6, "Dominant", "--")


def test_net_utility_of_errors_by_example() -> None:
    row = {"topics": 1000, "screened": 100, "cost": 0.001}
    assert (
        round(net_utility_of_errors(Payoffs.from_q_star(0.8), row, omega_plus=500, adopts=0, rejects=42), 4)
    ) == 0.1416
