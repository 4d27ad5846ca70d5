"""Curves and regions of the ROC plane against their definitions and quantiles from scipy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit
from scipy.stats import chi2
from scipy.stats import f as f_distribution

from tarstop_core.belief.sroc import auc, region, sroc

LOGITS = st.floats(-6, 6)
VARIANCES = st.floats(1e-4, 20)
RATES = np.arange(1, 100) / 100


@given(LOGITS, LOGITS, VARIANCES, VARIANCES, st.floats(-1, 1))
def test_curve_and_area_as_defined(mu1: float, mu2: float, v1: float, v2: float, rho: float) -> None:
    cov = rho * math.sqrt(v1 * v2)
    tau1, tau2 = math.sqrt(v1), math.sqrt(v2)
    accuracy = math.sqrt(tau2 / tau1) * mu1 - math.sqrt(tau1 / tau2) * mu2
    beta = math.log(tau2 / tau1)
    expected = [
        1
        / (
            1
            + math.exp(-min(700.0, max(-700.0, accuracy * math.exp(-beta / 2) + math.exp(-beta) * logit(f))))
        )
        for f in RATES
    ]
    Psi = [[v1, cov], [cov, v2]]
    curve = sroc([mu1, mu2], Psi, RATES)
    assert curve == pytest.approx(expected, abs=1e-9)
    assert (np.diff(curve) >= 0).all()
    assert sroc([mu1, mu2], Psi, 1 / (1 + math.exp(-mu2))) == pytest.approx(1 / (1 + math.exp(-mu1)))
    area = (expected[0] / 2 + sum(expected[1:-1]) + expected[-1] / 2) / 99
    assert auc([mu1, mu2], Psi) == pytest.approx(area, abs=1e-9)


def test_curves_without_variation() -> None:
    flat = sroc([2.0, -1.0], [[0.0, 0.0], [0.0, 1.0]], RATES)
    assert flat == pytest.approx(np.full(99, 1 / (1 + math.exp(-2.0))))
    step = sroc([2.0, 0.0], [[1.0, 0.0], [0.0, 0.0]], [0.2, 0.5, 0.7])
    assert step == pytest.approx([0.0, 1 / (1 + math.exp(-2.0)), 1.0])
    neither = sroc([2.0, -1.0], np.zeros((2, 2)), RATES)
    assert neither == pytest.approx(sroc([2.0, -1.0], np.eye(2), RATES))


@given(LOGITS, LOGITS, VARIANCES, VARIANCES, st.floats(-0.99, 0.99), st.sampled_from([None, 3, 4, 14, 500]))
def test_outline_lies_at_the_quantile(
    mu1: float, mu2: float, v1: float, v2: float, rho: float, n: int | None
) -> None:
    # Small enough that no logit is rounded to 0 or 1 on the way to the plane and back.
    v1, v2 = v1 / 200, v2 / 200
    if n == 3:
        v1, v2 = v1 / 200, v2 / 200
    cov = np.array([[v1, rho * math.sqrt(v1 * v2)], [rho * math.sqrt(v1 * v2), v2]])
    outline = region([mu1, mu2], cov, level=0.9, n=n)
    quantile = chi2.ppf(0.9, 2) if n is None else 2 * f_distribution.ppf(0.9, 2, n - 2)
    away = logit(outline[:, ::-1]) - [mu1, mu2]
    distance = np.einsum("ij,ij->i", away @ np.linalg.inv(cov), away)
    assert distance == pytest.approx(np.full(181, quantile), rel=1e-4)
    assert outline[0] == pytest.approx(outline[-1])


def test_region_of_a_singular_covariance_is_a_line() -> None:
    outline = logit(region([1.0, -1.0], [[1.0, 0.5], [0.5, 0.25]]))
    assert outline[:, 1] - 1.0 == pytest.approx(2 * (outline[:, 0] + 1.0), abs=1e-6)
    assert np.ptp(outline[:, 1]) == pytest.approx(2 * math.sqrt(chi2.ppf(0.95, 2)), rel=1e-3)
