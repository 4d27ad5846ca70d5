"""The picture of a prior shows the prior."""

import json

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from tarstop_core.belief.prior import Prior
from tarstop_core.evidence.curve_figures import prior_density, prior_figure, prior_sentence

priors = st.builds(Prior, b_0=st.floats(0.05, 0.95), s=st.floats(0.3, 1.2), tau=st.floats(0.05, 1.0))
thetas = st.floats(0.2, 0.9)


@given(priors, thetas)
def test_the_drawn_mass_above_theta_is_b_0(prior: Prior, theta: float) -> None:
    density = prior_density(prior, theta)
    above = density.sensitivity >= theta
    mass = np.trapezoid(density.pooled[above], density.sensitivity[above])
    assert mass == pytest.approx(prior.b_0, abs=0.06)


def test_a_single_study_is_drawn_as_it_is_drawn_at_random() -> None:
    prior, theta = Prior(b_0=0.6, s=0.8, tau=1.0), 0.75
    density = prior_density(prior, theta)
    rng = np.random.default_rng(1)
    mu = logit(theta) + prior.shift + prior.s * rng.standard_normal(200_000)
    draws = expit(mu + prior.tau * np.abs(rng.standard_normal(200_000)) * rng.standard_normal(200_000))
    for level in (0.3, 0.6, 0.9):
        below = density.sensitivity <= level
        assert np.trapezoid(density.single[below], density.sensitivity[below]) == pytest.approx(
            (draws <= level).mean(), abs=0.01
        )


@pytest.mark.parametrize("dark", [False, True])
def test_the_figure_is_plain_data(dark: bool) -> None:
    figure = prior_figure(Prior(s=3.0), 0.9, dark)
    assert json.loads(json.dumps(figure)) == figure
    go.Figure(figure)  # raises on what plotly does not know
    top = figure["layout"]["yaxis"]["range"][1]
    assert all(max(trace["y"][5:-5], default=0) <= top for trace in figure["data"])


def test_the_sentence_follows_the_numbers() -> None:
    assert "below 0.98" in prior_sentence(Prior(tau=0.5), 0.75)
    narrow = prior_sentence(Prior(s=0.2), 0.75)
    assert "between 67 % and 82 %" in narrow
