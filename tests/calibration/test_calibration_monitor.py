"""A ratio that may be looked at after every document: its mean is 1 where chances are right, and it grows where they are not."""

import math
from itertools import product

import numpy as np
import pytest

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.belief.mixture import left, mixture
from tarstop_core.calibration.calibration_monitor import (
    E_LIMIT,
    across_lists,
    e_value_of_chances,
    e_value_of_first_hit,
    e_value_of_forecasts,
    e_value_of_shape,
    levels_of_first_hit,
    levels_of_number,
)
from tarstop_core.calibration.thinning import PRIOR

N = 300
RNG = np.random.default_rng


def ratios(labels: np.ndarray, looks: int = 12) -> list[float]:
    """At depths ever farther apart."""
    depths = np.unique(np.geomspace(1, len(labels), looks).astype(int))
    return [
        e_value_of_shape(PRIOR, np.arange(len(labels)) < d, labels & (np.arange(len(labels)) < d))
        for d in depths
    ]


def from_beta(rng: np.random.Generator, alpha: float, beta: float, total: float) -> np.ndarray:
    labels = np.zeros(N, dtype=bool)
    labels[(rng.beta(alpha, beta, rng.poisson(total)) * N).astype(int)] = True
    return labels


def test_lists_like_the_training_lists_are_left_alone() -> None:
    rng = RNG(1)
    mean = np.array(PRIOR.mean) @ (1.0, math.log(N / 1000))
    highest = []
    for _ in range(150):
        alpha, beta, total = np.exp(rng.multivariate_normal(mean, PRIOR.spread))
        highest.append(max(ratios(from_beta(rng, alpha, beta, total * rng.gamma(4) / 4))))
    assert np.mean(np.array(highest) >= E_LIMIT) <= 0.05


def test_hits_at_the_end_of_a_list_are_noticed() -> None:
    rng = RNG(2)
    assert np.mean([ratios(from_beta(rng, 3.0, 0.5, 25.0))[-1] >= E_LIMIT for _ in range(20)]) > 0.8


def test_a_first_hit_has_a_ratio_of_mean_one_at_every_depth() -> None:
    """Exactly, summed over all that can happen."""
    log_M = hit_curve(np.linspace(0.2, 0.01, 25), frailty=1.5).log_M
    none, M = 0.5, np.exp(log_M)
    for d in (1, 7, 25):
        mean = (none + (1 - none) * M[d]) * e_value_of_first_hit(log_M, d, False, none)
        mean += sum(
            (1 - none) * (M[k - 1] - M[k]) * e_value_of_first_hit(log_M, k, True, none)
            for k in range(1, d + 1)
        )
        assert mean == pytest.approx(1)


@pytest.mark.parametrize("shape", [math.inf, 3.0])
def test_chances_have_a_ratio_of_mean_one(shape: float) -> None:
    """Exactly where the factor is known; else but for the nodes that stand for it."""
    p = np.array([0.5, 0.3, 0.3, 0.1, 0.2, 0.05])
    u = [1.0] if math.isinf(shape) else RNG(3).gamma(shape, 1 / shape, 500)
    read, mean = np.ones(6, dtype=bool), 0.0
    for each in product([False, True], repeat=6):
        found = np.array(each)
        chance = np.mean([np.prod(np.where(found, 1 - (1 - p) ** v, (1 - p) ** v)) for v in u])
        mean += chance * e_value_of_chances(p, read, found, shape)
    assert mean == pytest.approx(1, abs=1e-9 if math.isinf(shape) else 0.1)


def test_chances_that_are_four_times_too_high_are_noticed() -> None:
    rng, p = RNG(4), np.full(300, 0.2)
    read = np.ones(300, dtype=bool)
    assert e_value_of_chances(p, read, rng.random(300) < 0.05, 4.0) > E_LIMIT
    assert e_value_of_chances(p, read, rng.random(300) < 0.2, 4.0) < E_LIMIT


def test_many_lists_show_that_the_level_is_wrong() -> None:
    rng = RNG(5)
    lists = [left(mixture([1.0], [2.0]), [expected], 500) for expected in rng.uniform(3, 30, 30)]

    def found(times: float) -> list[int]:
        return [int(rng.poisson(times * each.mean * rng.gamma(2) / 2)) for each in lists]

    def levels(times: float) -> list[np.ndarray]:
        return [levels_of_number(each, number) for each, number in zip(lists, found(times), strict=True)]

    wrong, right = across_lists(levels(0.25)), across_lists(levels(1.0))
    assert wrong is not None and wrong.e_value > E_LIMIT and wrong.factor in (0.25, 0.125, 0.5)
    assert right is not None and right.e_value < E_LIMIT and right.lists == 30
    assert across_lists(levels(1.0)[:9]) is None


def test_a_first_hit_has_levels_of_mean_one() -> None:
    log_M = hit_curve(np.linspace(0.2, 0.01, 25), frailty=1.5).log_M
    none, M = 0.5, np.exp(log_M)
    mean = (none + (1 - none) * M[9]) * np.exp(levels_of_first_hit(log_M, 9, False, none))
    for k in range(1, 10):
        mean = mean + (1 - none) * (M[k - 1] - M[k]) * np.exp(levels_of_first_hit(log_M, k, True, none))
    assert mean == pytest.approx(np.ones(6))


def test_forecasts_that_are_right_are_seldom_spoken_against_and_wrong_ones_are() -> None:
    rng = np.random.default_rng(3)
    ever = {0.5: 0, 1.0: 0, 3.0: 0}
    for _ in range(60):
        p = 0.3 * np.exp(-np.arange(200) / rng.uniform(30, 100))
        came = rng.random(200) < p
        for factor in ever:
            said = np.minimum(factor * p, 0.95)
            ever[factor] += any(
                e_value_of_forecasts(said[:d], came[:d]) >= E_LIMIT for d in range(0, 201, 10)
            )
    assert ever[1.0] <= 3 and ever[3.0] > 50
    assert e_value_of_forecasts(np.zeros(0), np.zeros(0, dtype=bool)) == 1
