"""Exact beliefs equal those of another program, and a study's likelihood Fisher's distribution."""

import numpy as np
import pytest
from scipy.stats import nchypergeom_fisher

from tarstop_core.effects.exact import believe_exactly, conditional_likelihood
from tarstop_core.effects.normal import EffectPrior
from tests.effects.golden import sets, studies_of

EXACT = [name for name, of in sets().items() if "exact" in of]


LONGEST = "nissen2007_mi"


@pytest.mark.parametrize("name", EXACT)
def test_beliefs_are_those_of_another_program(name: str) -> None:
    there = sets()[name]["exact"]
    belief = believe_exactly(studies_of(name).values, EffectPrior())
    mean, sd = belief.moments()
    for row in there["conditional"]["rows"]:
        n = row["n"]
        here = [belief.above(delta)[n] for delta in there["deltas_log_or"]]
        np.testing.assert_allclose(here, row["P_mu_gt"], atol=1e-5)
        assert mean[n] == pytest.approx(row["mean"], abs=1e-5) and sd[n] == pytest.approx(row["sd"], rel=1e-5)
        assert belief.weights[n] @ belief.tau == pytest.approx(row["tau_mean"], rel=1e-5)


@pytest.mark.parametrize("name", [name for name in EXACT if name != LONGEST])
def test_a_prior_about_the_threshold_gives_what_another_program_gives(name: str) -> None:
    there = sets()[name]["exact"]
    rows = there["conditional"]["rows"]
    for which, delta in enumerate(there["deltas_log_or"]):
        belief = believe_exactly(studies_of(name).values, EffectPrior(delta))
        here = belief.above(delta)[[row["n"] for row in rows]]
        np.testing.assert_allclose(here, [row["P_mu_gt_recentred"][which] for row in rows], atol=1e-5)


def test_the_likelihood_is_fishers() -> None:
    theta = np.array([-1.0, 0.0, 2.0])
    of = nchypergeom_fisher(50, 7, 20, np.exp(theta))
    np.testing.assert_allclose(conditional_likelihood(np.array([4.0, 20.0, 3.0, 30.0]), theta), of.logpmf(4))


def test_a_study_without_events_says_nothing_when_totals_are_given() -> None:
    belief = believe_exactly(np.array([[0.0, 30.0, 0.0, 40.0], [3.0, 30.0, 9.0, 40.0]]), EffectPrior())
    path = belief.above(0.0)
    assert path[0] == pytest.approx(0.5) and path[1] == pytest.approx(0.5, abs=1e-9) and path[2] < path[1]


def test_a_new_setting_is_less_sure() -> None:
    belief = believe_exactly(studies_of("bcg").values, EffectPrior())
    assert belief.above(0.0)[-1] < belief.new_above(0.0) < 0.5
    low, middle, high = belief.new_quantiles(np.array([0.025, 0.5, 0.975]))
    assert low < middle < high
