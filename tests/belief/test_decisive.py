"""Belief under decisive evidence against the product in plain floats and in exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from tarstop_core.belief.decisive import belief, check_prior, hit_curve
from tarstop_core.documents.tables import Floats
from tarstop_core.errors import InputProblem
from tarstop_core.samples.shipped import calibrators, default_calibrator
from tests.reference import loops

CHANCES = st.one_of(st.sampled_from([0.0, 1e-12, 1e-9, 1.0]), st.floats(0, 1), st.floats(0, 0.05))
RANKINGS = st.lists(CHANCES, min_size=1, max_size=40)
PRIORS = st.one_of(st.sampled_from([1e-9, 0.5, 1 - 1e-9]), st.floats(0.001, 0.999))
SHAPES = st.one_of(st.just(math.inf), st.floats(0.05, 1e4))
SHARES = st.one_of(st.just(1.0), st.floats(0, 1))


@given(RANKINGS, PRIORS)
def test_belief_is_bayes_rule_exactly(p: list[float], b_0: float) -> None:
    M, prior = Fraction(1), Fraction(b_0)
    expected = [prior]
    for chance in p:
        M *= 1 - Fraction(chance)
        expected.append(prior * M / (prior * M + 1 - prior))
    np.testing.assert_allclose(
        belief(hit_curve(p), b_0),
        [float(b) for b in expected],
        rtol=1e-9 if b_0 < 0.9999 else 1e-6,
        atol=1e-15,
    )


@given(RANKINGS, SHARES, SHARES, SHAPES)
def test_survival_and_hazard_equal_the_loops(p: list[float], kappa: float, s: float, frailty: float) -> None:
    curve = hit_curve(p, kappa=kappa, s=s, frailty=frailty)
    M = np.array(loops.survival(p, kappa, s, frailty))
    np.testing.assert_allclose(np.exp(curve.log_M), M, rtol=1e-9, atol=1e-13)
    certain = M[:-1] < 1e-6  # 1 − M_d / M_{d−1} has no digits left in plain floats
    np.testing.assert_allclose(
        curve.h[~certain], np.array(loops.hazards(p, kappa, s, frailty))[~certain], atol=1e-8
    )


@given(RANKINGS, SHARES, SHARES, SHAPES, PRIORS)
def test_shapes_ranges_and_directions(
    p: list[float], kappa: float, s: float, frailty: float, b_0: float
) -> None:
    curve = hit_curve(p, kappa=kappa, s=s, frailty=frailty)
    b = belief(curve, b_0)
    assert curve.log_M.shape == b.shape == (len(p) + 1,)
    assert len(curve) == len(curve.h) == len(p)
    assert curve.log_M[0] == 0
    assert b[0] == pytest.approx(b_0, rel=1e-12)
    assert ((curve.h >= 0) & (curve.h <= 1)).all()
    assert np.isfinite(b).all()
    assert ((b >= 0) & (b <= 1)).all()
    assert (b[1:] <= b[:-1] * (1 + 1e-15)).all()


@given(RANKINGS, PRIORS)
def test_belief_is_a_martingale(p: list[float], b_0: float) -> None:
    curve = hit_curve(p)
    b = belief(curve, b_0)
    rho = b[:-1] * curve.h
    np.testing.assert_allclose(rho + (1 - rho) * b[1:], b[:-1], rtol=1e-9, atol=1e-15)


def test_a_long_list_neither_underflows_to_nan_nor_loses_tiny_chances() -> None:
    b = belief(hit_curve(np.full(200_000, 0.5)), 1 - 1e-9)
    assert np.isfinite(b).all()
    assert b[-1] == 0
    # A million chances of 1e-12 add up to 1e-6; each alone is below the last digit of 1 − p's product.
    curve = hit_curve(np.full(1_000_000, 1e-12))
    assert -curve.log_M[-1] == pytest.approx(1e-6, rel=1e-6)


def test_certain_and_impossible_documents() -> None:
    assert list(belief(hit_curve([0.0, 0.0]), 0.3)) == pytest.approx([0.3] * 3)
    assert list(belief(hit_curve([1.0, 0.4, 1.0]), 0.3)) == pytest.approx([0.3, 0, 0, 0])
    # A certain hit that was not there, in a list that may lack it: exactly what coverage leaves open.
    assert np.exp(hit_curve([1.0, 1.0], kappa=0.8).log_M) == pytest.approx([1, 0.2, 0.2])
    assert list(hit_curve([1.0, 1.0], kappa=0.8).h) == pytest.approx([0.8, 0])
    assert list(hit_curve([0.3, 0.2], kappa=0).h) == [0, 0]
    assert list(hit_curve([0.3, 0.2], s=0).h) == [0, 0]


def test_an_empty_list_has_only_the_prior() -> None:
    assert list(belief(hit_curve([]), 0.25)) == [0.25]


@given(RANKINGS, SHARES)
def test_sensitivity_multiplies_the_chances(p: list[float], s: float) -> None:
    np.testing.assert_array_equal(hit_curve(p, s=s).log_M, hit_curve([s * chance for chance in p]).log_M)


@given(RANKINGS)
def test_a_great_frailty_is_independence(p: list[float]) -> None:
    p = [chance for chance in p if chance < 0.999]
    np.testing.assert_allclose(
        hit_curve(p, frailty=1e12).log_M, hit_curve(p).log_M, rtol=1e-6 if p else 0, atol=1e-15
    )


def test_frailty_by_hand() -> None:
    # Λ = −log(.5) after one document, a = 1: M = 1 / (1 + log 2).
    curve = hit_curve([0.5, 0.5], frailty=1.0)
    assert np.exp(curve.log_M) == pytest.approx([1, 1 / (1 + math.log(2)), 1 / (1 + 2 * math.log(2))])
    assert curve.h[1] < curve.h[0] < 0.5


@given(RANKINGS, st.data())
def test_silent_documents_move_nothing(p: list[float], data: st.DataObject) -> None:
    uninformative = data.draw(st.lists(st.booleans(), min_size=len(p), max_size=len(p)))
    b = belief(hit_curve(p, uninformative=uninformative), 0.5)
    heard = [chance for chance, quiet in zip(p, uninformative, strict=True) if not quiet]
    assert b[-1] == pytest.approx(loops.beliefs(heard, 0.5)[-1], rel=1e-9, abs=1e-15)
    assert (b[1:] == b[:-1])[np.array(uninformative)].all()


@pytest.mark.parametrize("p", [[-0.1], [1.1], [math.nan, 0.5], [0.5, math.inf]])
def test_chances_outside_are_refused(p: list[float]) -> None:
    with pytest.raises(InputProblem):
        hit_curve(p)


@pytest.mark.parametrize(
    "settings",
    [{"kappa": 1.1}, {"kappa": math.nan}, {"s": -0.1}, {"s": math.nan}, {"frailty": 0}, {"frailty": -1}],
)
def test_settings_outside_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(InputProblem):
        hit_curve([0.5], **settings)


@pytest.mark.parametrize("b_0", [0, 1, -0.1, 1.1, math.nan])
def test_priors_outside_are_refused(b_0: float) -> None:
    with pytest.raises(InputProblem, match="between 0 and 1"):
        check_prior(b_0)
    with pytest.raises(InputProblem):
        belief(hit_curve([0.5]), b_0)


def test_that_a_sensitivity_is_uncertain_hardly_moves_belief() -> None:
    """One document decides, so that no search teaches how well it is read: the mean of what is known elsewhere is all it takes.

    Exactly, with a sensitivity that eight known documents taught (.87, 90 % from .63 to .99).
    """
    calibrator, sensitivities = calibrators()[default_calibrator(False)], beta(6.5, 1.0)
    levels, ranks = (np.arange(64) + 0.5) / 64, np.arange(1, 301)
    chances = calibrator.probabilities(None, len(ranks))

    def no_hit(s: float) -> Floats:
        return np.exp(calibrator.curve(chances, ranks, s=s).log_M)

    known, sure = np.mean([no_hit(s) for s in sensitivities.ppf(levels)], axis=0), no_hit(1.0)
    for b_0 in (0.3, 0.5, 0.8):
        right, by_mean, by_sure = (
            b_0 * M / (b_0 * M + 1 - b_0) for M in (known, no_hit(sensitivities.mean()), sure)
        )
        assert np.abs(right - by_mean).max() < 0.003 < 0.01 < np.abs(right - by_sure).max() < 0.03
