"""A prior as a picture and as a sentence, so that nobody has to choose one by its letters."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, ndtri

from tarstop_core.belief.prior import Prior, check_theta
from tarstop_core.documents.tables import Floats
from tarstop_core.evidence.words import message
from tarstop_core.presentation.figures import Figure, axis, clear_layout, label, line, text_colour
from tarstop_core.presentation.palette import BELIEF, THRESHOLD

POINTS = 200  # of a drawn density
TAUS = 64  # values of τ that stand for its distribution
EDGE = 1e-3  # densities may pile up at 0 and 1


@dataclass(frozen=True, eq=False)
class PriorDensity:
    """What a prior says of sensitivity."""

    sensitivity: Floats  # from just above 0 to just below 1; shape (n,), like the densities
    pooled: Floats  # density of pooled sensitivity
    single: Floats  # density of the true sensitivity in a single study: wider, because studies differ by τ


def prior_density(prior: Prior, theta: float) -> PriorDensity:
    """Both densities, on a grid."""
    at = np.linspace(EDGE, 1 - EDGE, POINTS)
    mean = float(logit(check_theta(theta))) + prior.shift
    tau = prior.tau * ndtri(0.5 + (np.arange(TAUS) + 0.5) / (2 * TAUS))
    spreads = np.sqrt(prior.s**2 + tau**2)
    single = _logit_normal(at, mean, spreads[:, None]).mean(axis=0)
    return PriorDensity(at, _logit_normal(at, mean, prior.s), single)


def _logit_normal(at: Floats, mean: float, spread: Floats | float) -> Floats:
    z = (logit(at) - mean) / spread
    return np.asarray(np.exp(-(z**2) / 2) / (np.sqrt(2 * np.pi) * spread * at * (1 - at)))


def prior_figure(prior: Prior, theta: float, dark: bool = False) -> Figure:
    """Density of pooled sensitivity and of sensitivity in a single study, with θ marked.

    Parameters
    ----------
    prior
        Belief before any study.
    theta
        The sensitivity to exceed, in (0, 1).
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    density = prior_density(prior, theta)
    x, text = density.sensitivity, text_colour(dark)
    inside = (x > 0.02) & (x < 0.98)
    top = 1.15 * float(max(density.pooled[inside].max(), density.single[inside].max()))
    xaxis = axis("sensitivity, before any study", dark, range=[0, 1], tickformat=".0%")
    yaxis = axis("density", dark, range=[0, top], showticklabels=False)
    notes = [
        label(theta, top, f"θ = {theta:.4g}", text, xanchor="right", yanchor="top", xshift=-4),
        label(0.02, 0.97 * top, "solid: pooled", text, xanchor="left", yanchor="top"),
        label(0.02, 0.83 * top, "dotted: a single study", text, xanchor="left", yanchor="top"),
    ]
    data = [
        line([theta, theta], [0, top], THRESHOLD, dash="dash", width=1.5),
        line(x.tolist(), density.single.tolist(), THRESHOLD, dash="dot"),
        line(x.tolist(), density.pooled.tolist(), BELIEF, width=3),
    ]
    margin = {"l": 36, "r": 20, "t": 6, "b": 44}
    return {"data": data, "layout": clear_layout(220, margin, xaxis=xaxis, yaxis=yaxis, annotations=notes)}


def prior_sentence(prior: Prior, theta: float) -> str:
    """Word in one sentence what a prior says of pooled sensitivity.

    Examples
    --------
    >>> prior_sentence(Prior(), 0.75)
    'Before any study, pooled sensitivity lies between 14 % and 98 % with 95 % probability; between studies its logit varies with a standard deviation below 1.96 (95 %).'
    """
    low, high = expit(logit(theta) + prior.shift + prior.s * ndtri([0.025, 0.975]))
    return message("prior", low=low, high=high, tau=prior.tau * ndtri(0.975))
