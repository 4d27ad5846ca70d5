"""Chances of counts beside those of scipy.stats."""

import numpy as np
import pytest
from scipy import stats

from tarstop_core.value.counts import beta_binomial, binomial, poisson

COUNTS = np.arange(400)
SIZES = np.array([0, 1, 7, 60, 350])[:, None]


@pytest.mark.parametrize("mean", [0.0, 0.3, 40.0])
def test_poisson(mean: float) -> None:
    assert poisson(COUNTS, mean) == pytest.approx(stats.poisson.pmf(COUNTS, mean), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("p", [0.0, 0.02, 0.7, 1.0])
def test_binomial(p: float) -> None:
    assert binomial(COUNTS, SIZES, p) == pytest.approx(
        stats.binom.pmf(COUNTS, SIZES, p), rel=1e-9, abs=1e-300
    )


@pytest.mark.parametrize(("a", "b"), [(1.0, 1.0), (0.3, 7.0), (20.5, 31.2)])
def test_beta_binomial(a: float, b: float) -> None:
    expected = stats.betabinom.pmf(COUNTS, SIZES, a, b)
    assert beta_binomial(COUNTS, SIZES, a, b) == pytest.approx(expected, rel=1e-9, abs=1e-300)
