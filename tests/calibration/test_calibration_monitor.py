"""Evidence against chances: its mean is 1 where they are right, and over lists it grows where they are not."""

import math
from itertools import product

import numpy as np
import pytest

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.calibration.calibration_monitor import (
    E_LIMIT,
    LEVELS,
    TILTS,
    EvidenceAgainst,
    combined,
    ratios_of_curves,
    ratios_of_first_hit,
    ratios_of_forecasts,
)
from tarstop_core.calibration.hit_rate_model import PRIOR

N = 300
NOTHING = np.zeros(N, dtype=bool)
ALTERNATIVES = len(LEVELS) + len(TILTS)
RNG = np.random.default_rng


def a_list(rng: np.random.Generator, level: float = 1.0, tilt: float = 1.0) -> np.ndarray:
    """Labels of a list like the training lists, but for its level or where its hits come."""
    mean = np.array(PRIOR.mean) @ (1.0, math.log(N / 1000))
    alpha, beta, total = np.exp(rng.multivariate_normal(mean, PRIOR.spread))
    labels = NOTHING.copy()
    number = rng.poisson(level * total * rng.gamma(4) / 4)
    labels[(rng.beta(tilt * alpha, beta, number) * N).astype(int)] = True
    return labels


def ratios(labels: np.ndarray, read: int, before: int = 0) -> np.ndarray:
    at = np.arange(N)
    return ratios_of_curves(PRIOR, at < read, labels & (at < read), at < before)


def ever_warned(rng: np.random.Generator, lists: int, level: float = 1.0, tilt: float = 1.0) -> bool:
    """Whether somebody who looks often, and stops each list when it suits them, is ever warned."""
    earlier: list[np.ndarray] = []
    for _ in range(lists):
        labels = a_list(rng, level, tilt)
        for read in (5, 20, 60, 120):
            now = ratios(labels, read)
            if combined([*earlier, now]).warned:
                return True
            if labels[read - 3 : read].sum() == 0:
                break
        earlier.append(now)
    return False


def test_right_chances_are_seldom_warned_of_and_wrong_ones_are_over_many_lists() -> None:
    rng = RNG(1)
    assert np.mean([ever_warned(rng, 12) for _ in range(25)]) <= 0.05
    assert np.mean([ever_warned(rng, 40, level=4.0) for _ in range(6)]) > 0.6
    assert np.mean([ever_warned(rng, 40, tilt=3.0) for _ in range(6)]) > 0.6


def test_what_was_there_before_the_chances_is_no_evidence() -> None:
    labels = a_list(RNG(2), level=4.0)
    assert ratios(labels, 60, before=60) == pytest.approx(np.zeros(ALTERNATIVES))
    whole, first, rest = ratios(labels, 120), ratios(labels, 60), ratios(labels, 120, before=60)
    assert first + rest == pytest.approx(whole)


def test_the_scale_moves_what_is_foreseen() -> None:
    """Twice the level of chances that are halved are the chances themselves."""
    labels, at = a_list(RNG(3)), np.arange(N) < 100
    halved = ratios_of_curves(PRIOR, at, labels & at, NOTHING, scale=0.5)
    as_given = ratios(labels, 100)
    double, half = LEVELS.index(2.0), LEVELS.index(0.5)
    assert halved[double] == pytest.approx(-as_given[half], abs=1e-3)


def test_a_first_hit_has_ratios_of_mean_one_from_any_depth_on() -> None:
    """Exactly, summed over all that can happen."""
    log_M = hit_curve(np.linspace(0.2, 0.01, 25), frailty=1.5).log_M
    none, M = 0.5, np.exp(log_M)
    for before, d in product((0, 4), (5, 7, 25)):
        start = none + (1 - none) * M[before]
        mean = (none + (1 - none) * M[d]) / start * np.exp(ratios_of_first_hit(log_M, d, False, none, before))
        for k in range(before + 1, d + 1):
            chance = (1 - none) * (M[k - 1] - M[k]) / start
            mean = mean + chance * np.exp(ratios_of_first_hit(log_M, k, True, none, before))
        assert mean == pytest.approx(np.ones(ALTERNATIVES))


def test_searches_that_never_hit_tell_that_the_chances_are_too_high() -> None:
    log_M = hit_curve(np.linspace(0.2, 0.01, 25)).log_M
    misses = ratios_of_first_hit(log_M, 25, False, 0.1)
    assert not combined([misses]).warned
    many = combined([misses] * 30)
    assert many.warned and many.level is not None and many.level < 1 and many.lists == 30
    late = [ratios_of_first_hit(log_M, 18, True, 0.1)] * 30
    assert combined(late).warned and combined(late).e_value > E_LIMIT


def test_no_list_says_nothing() -> None:
    nothing = combined([])
    assert nothing == EvidenceAgainst(0, 1.0, None) and not nothing.warned


def test_forecasts_that_are_right_are_seldom_spoken_against_and_wrong_ones_are() -> None:
    rng = np.random.default_rng(3)
    ever = {0.5: 0, 1.0: 0, 3.0: 0}
    for _ in range(60):
        p = 0.3 * np.exp(-np.arange(200) / rng.uniform(30, 100))
        relevant = rng.random(200) < p
        for factor in ever:
            forecast = np.minimum(factor * p, 0.95)
            ever[factor] += any(
                combined([ratios_of_forecasts(forecast[:d], relevant[:d])]).warned for d in range(0, 201, 10)
            )
    assert ever[1.0] <= 3 and ever[3.0] > 50
    assert (ratios_of_forecasts(np.zeros(0), np.zeros(0, dtype=bool)) == 0).all()
