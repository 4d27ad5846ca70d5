"""Test and treat: reference figures, bounds, a certain test, units, and brute force."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.treat import TreatByTest
from tests.value.actions.golden import differing, name, rows

INPUTS = rows("test_treat")[1]["inputs"]
CASES = st.fixed_dictionaries(
    {
        "mu_logit_se": st.floats(-1, 4),
        "mu_logit_sp": st.floats(-1, 4),
        "cov": st.tuples(st.floats(0.05, 1.5), st.floats(0.05, 1.5), st.floats(-0.9, 0.9)).map(
            lambda s: [[s[0] ** 2, s[0] * s[1] * s[2]], [s[0] * s[1] * s[2], s[1] ** 2]]
        ),
        "prevalence": st.one_of(
            st.floats(0.01, 0.99),
            st.tuples(st.floats(0.3, 30), st.floats(0.3, 30)).map(lambda ab: {"beta": ab}),
        ),
        "benefit_treated_diseased": st.floats(1, 2000),
        "harm_treated_healthy": st.floats(1, 2000),
        "cost_test": st.floats(0, 100),
    }
)


@pytest.mark.parametrize("row", rows("test_treat"), ids=name)
def test_reference_figures_are_met(row: dict[str, Any]) -> None:
    largest = max(row["value"]["net_benefit_none_all_test"])
    values = TreatByTest(**row["inputs"]).values()
    assert differing(values, row, 1e-6, 1e-8 * largest) == {}
    assert differing(values, row, 1e-9, 1e-9 * largest) == {}


@settings(max_examples=25)
@given(CASES)
def test_no_part_is_worth_more_than_all(case: dict[str, Any]) -> None:
    values = TreatByTest(**case).values()
    tiny = 1e-7 * (case["benefit_treated_diseased"] + case["harm_treated_healthy"])
    parts = [values[key] for key in values if key.startswith("evppi")]
    assert all(0 <= part <= values["evpi"] + tiny for part in parts)  # type: ignore[operator]
    assert max(values["evppi_se"], values["evppi_sp"]) <= values["evppi_se_sp"] + tiny  # type: ignore[operator, call-overload]


@settings(max_examples=10)
@given(CASES, st.sampled_from([0.01, 100.0]))
def test_pence_change_nothing(case: dict[str, Any], factor: float) -> None:
    money = ("benefit_treated_diseased", "harm_treated_healthy", "cost_test")
    pence = TreatByTest(**case | {key: case[key] * factor for key in money}).values()
    scale = case["benefit_treated_diseased"] * factor
    assert pence["evpi"] == pytest.approx(
        float(TreatByTest(**case).values()["evpi"]) * factor, abs=1e-8 * scale
    )  # type: ignore[arg-type]


def test_brute_force_agrees() -> None:
    draw, n = np.random.default_rng(3), 10**6
    test = TreatByTest(**INPUTS)
    x = draw.multivariate_normal([test.mu_logit_se, test.mu_logit_sp], test.cov, n)
    p = draw.beta(9, 51, n)
    net = test.net_benefit(expit(x[:, 0]), expit(x[:, 1]), p)
    gain = net.max(axis=1) - net[:, net.mean(axis=0).argmax()]
    values = test.values()
    assert values["evpi"] == pytest.approx(gain.mean(), abs=5 * gain.std() / np.sqrt(n))
    net = test.net_benefit(expit(x[:, 0]), expit(x[:, 1]), 0.15)
    gain = net.max(axis=1) - net[:, net.mean(axis=0).argmax()]
    assert values["evppi_se_sp"] == pytest.approx(gain.mean(), abs=5 * gain.std() / np.sqrt(n))


def test_a_prevalence_that_is_nearly_known_is_one_that_is_known() -> None:
    nearly = TreatByTest(**INPUTS | {"prevalence": {"beta": (1.5e7, 8.5e7)}}).values()
    known = TreatByTest(**INPUTS | {"prevalence": 0.15}).values()
    assert nearly["evpi"] == pytest.approx(known["evpi"], rel=1e-4) and nearly["evppi_prev"] < 1e-3  # type: ignore[operator]


def test_the_decision_curve_is_the_net_benefit_at_its_own_threshold() -> None:
    test = TreatByTest(**INPUTS | {"thresholds": [180 / 1180, 0.9]})
    curve = test.decision_curve(test.thresholds)
    now = test.values()["net_benefit_none_all_test"]
    assert [1000 * curve[action][0] for action in ("none", "all", "test")] == pytest.approx(now)
    assert curve["all"][1] < curve["test"][1] < 0 == curve["none"][1]


@pytest.mark.parametrize(
    "changed",
    [
        {"cov": [[0.25, 0.25], [0.25, 0.25]]},
        {"cov": [[0.25, 0.5], [0.5, 0.25]]},
        {"prevalence": 0},
        {"prevalence": {"beta": (0, 1)}},
        {"harm_treated_healthy": 0},
        {"cost_test": -1},
        {"years": None},
        {"thresholds": [1]},
    ],
)
def test_what_cannot_be_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(InputProblem):
        TreatByTest(**INPUTS | changed)
