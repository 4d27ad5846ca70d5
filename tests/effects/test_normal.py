"""Beliefs by quadrature equal those of a finer one by another program."""

from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.normal import STEP, EffectPosterior, EffectPrior, believe, prior_for
from tarstop_core.effects.roots import roots
from tarstop_core.effects.sizes import Floats
from tests.effects.golden import cases, numbers, sets, sizes_of

LEVELS = np.array([0.025, 0.05, 0.25, 0.5, 0.75, 0.95, 0.975])


@pytest.mark.parametrize("name, measure", cases())
def test_paths_are_those_of_another_program(name: str, measure: str) -> None:
    sizes, there = sizes_of(name, measure), sets()[name]["measures"][measure]
    scale, path = there["prior_scale"], there["belief_path"]
    belief = believe(sizes.y, sizes.v, EffectPrior(0.0, 2 * scale, 0.5 * scale))
    at = np.array(path["n"])
    for which, delta in enumerate(there["deltas"]):
        np.testing.assert_allclose(belief.above(delta)[at], np.array(path["P_gt"])[:, which], atol=1e-6)
        recentred = believe(sizes.y, sizes.v, EffectPrior(delta, 2 * scale, 0.5 * scale)).above(delta)
        np.testing.assert_allclose(recentred[at], np.array(path["P_gt_recentred"])[:, which], atol=1e-6)
    mean, sd = belief.moments()
    np.testing.assert_allclose(mean[at], path["mean"], atol=1e-6 * max(path["sd"]))
    np.testing.assert_allclose(sd[at], path["sd"], rtol=1e-6)
    np.testing.assert_allclose((belief.weights @ belief.tau)[at], path["tau_mean"], rtol=1e-6)


def tau_quantiles(belief: EffectPosterior) -> Floats:
    """Quantiles of τ after all studies."""
    u = np.log(belief.tau)
    below = CubicSpline(u, belief.weights[-1] / STEP).antiderivative()
    ends = np.full(LEVELS.shape, u[0]), np.full(LEVELS.shape, u[-1])
    return np.exp(roots(lambda x, level: below(x) / float(below(u[-1])) - level, *ends, LEVELS))


def rows_of_our_prior(there: dict[str, Any]) -> list[dict[str, Any]]:
    """Figures under a normal prior of μ and a half-normal one of τ."""
    return [row for row in there["bayes"] if (row["mu_prior"], row["tau_prior"]) == ("N2", "HN")]


@pytest.mark.parametrize("name, measure", cases())
def test_quantiles_are_those_of_another_program(name: str, measure: str) -> None:
    sizes, there = sizes_of(name, measure), sets()[name]["measures"][measure]
    scale = there["prior_scale"]
    for row in rows_of_our_prior(there):
        prior = EffectPrior(0.0, 2 * scale, 0.5 * scale)
        belief = believe(sizes.y[: row["n"]], sizes.v[: row["n"]], prior)
        for here, key in (
            (belief.quantiles(LEVELS), "mu_q"),
            (belief.quantiles(LEVELS, new_setting=True), "new_q"),
            (tau_quantiles(belief), "tau_q"),
        ):
            wide = (row[key][4] - row[key][2]) / 1.35
            assert (np.abs(here - numbers(row[key])) <= 1e-5 * wide).all(), (key, row["k"])
        for new, key in ((False, "P_mu_gt"), (True, "P_new_gt")):
            here = [belief.above(delta, new_setting=new)[-1] for delta in there["deltas"]]
            np.testing.assert_allclose(here, row[key], atol=1e-6)
        mean, sd = (of_prefixes[-1] for of_prefixes in belief.moments())
        assert [mean, sd] == pytest.approx(row["mu"], abs=1e-5 * row["mu"][1]), row["k"]
        mean = belief.weights[-1] @ belief.tau
        tau = [mean, np.sqrt(belief.tau2_mean()[-1] - mean**2)]
        assert tau == pytest.approx(row["tau"], rel=1e-5)


@pytest.mark.parametrize("name, measure", cases())
def test_bayesmeta_says_the_same(name: str, measure: str) -> None:
    sizes, there = sizes_of(name, measure), sets()[name]["measures"][measure]
    scale = there["prior_scale"]
    for row in rows_of_our_prior(there):
        peer = row.get("bayesmeta")
        if not peer:
            continue
        prior = EffectPrior(0.0, 2 * scale, 0.5 * scale)
        belief = believe(sizes.y[: row["n"]], sizes.v[: row["n"]], prior)
        # Its grid over τ is coarse in μ.
        for new, key, close in ((False, "P_mu_gt", 0.0015), (True, "P_new_gt", 0.0025)):
            here = [belief.above(delta, new_setting=new)[-1] for delta in there["deltas"]]
            np.testing.assert_allclose(here, peer[key], atol=close)
        tau = numbers(row["tau_q"])
        assert (np.abs(tau_quantiles(belief) - peer["tau_q"]) <= 1e-5 * (tau[5] + 1e-9)).all()
        wide = (row["mu_q"][4] - row["mu_q"][2]) / 1.35
        assert (np.abs(belief.quantiles(LEVELS) - peer["mu_q"]) <= 0.02 * wide).all()


def test_the_prior_says_b_0_on_either_side() -> None:
    for above in (True, False):
        prior = prior_for(Measure.RR, -0.2, 0.3, above)
        chance = float(believe(np.empty(0), np.empty(0), prior).above(-0.2)[0])
        assert (chance if above else 1 - chance) == pytest.approx(0.3)


def test_many_precise_studies_settle_it() -> None:
    rng = np.random.default_rng(3)
    for truth, settled in ((0.2, 1.0), (-0.2, 0.0)):
        belief = believe(rng.normal(truth, 0.05, 400), np.full(400, 0.0025), EffectPrior())
        assert belief.above(0.0)[-1] == pytest.approx(settled, abs=1e-6)


def test_a_silent_study_changes_nothing() -> None:
    belief = believe(np.array([0.3, np.nan, 0.1]), np.array([0.1, np.nan, 0.2]), EffectPrior())
    path = belief.above(0.0)
    assert path[1] == path[2] != path[3]
