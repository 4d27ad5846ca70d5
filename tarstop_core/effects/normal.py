"""Bayesian belief about an effect in the normal–normal model, with τ by quadrature.

y_i ~ N(θ_i, v_i), θ_i ~ N(μ, τ²), μ ~ N(m₀, s₀²), τ half-normal. Given τ everything has a closed form, so one grid over
ln τ serves all prefixes of a list of studies.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.roots import roots
from tarstop_core.effects.sizes import Floats

STEP, LOWEST, HIGHEST = 0.025, -20.0, 20.0
"""Grid over ln(τ / scale of its prior) for the trapezoid rule; there is no mass at its ends."""


@dataclass(frozen=True)
class EffectPrior:
    """Prior of the average effect μ and of the standard deviation τ between settings.

    Parameters
    ----------
    mean, sd : float
        Mean and standard deviation of μ on the scale of analysis.
    tau_scale : float
        Scale of τ's half-normal prior.
    """

    mean: float = 0.0
    sd: float = 2.0
    tau_scale: float = 0.5

    def log_density_of_tau(self, tau: Floats) -> Floats:
        """Logarithm of τ's prior density."""
        return 0.5 * math.log(2 / math.pi) - math.log(self.tau_scale) - (tau / self.tau_scale) ** 2 / 2


def log_normal(x: Floats, mean: float = 0.0, sd: float = 1.0) -> Floats:
    """Logarithm of a normal density.

    Parameters
    ----------
    x : array of any shape
        Points.
    mean, sd : float
        Mean and standard deviation of the distribution.

    Returns
    -------
    array of the shape of x
    """
    return np.asarray(-0.5 * ((x - mean) / sd) ** 2 - math.log(sd * math.sqrt(2 * math.pi)))


USUAL_SD = {Measure.RD: 0.2, Measure.MD: 20.0}
"""Usual prior standard deviation of μ; 2 for all other measures."""


def prior_for(
    measure: Measure, delta: float, b_0: float = 0.5, above: bool = True, sd: float | None = None
) -> EffectPrior:
    """Weakly informative prior under which the chance that μ is beyond δ is b₀.

    Parameters
    ----------
    measure : Measure
        The effect measure.
    delta : float
        The smallest effect that matters, on the scale of analysis.
    b_0 : float
        Chance before any study that μ is beyond δ, within (0, 1).
    above : bool
        Whether an effect beyond δ is above δ; otherwise below.
    sd : float, optional
        Prior standard deviation of μ, instead of the usual one.

    Returns
    -------
    EffectPrior
        Centred on δ if b₀ is a half; τ is half-normal with a quarter of the standard deviation of μ as scale.

    Examples
    --------
    >>> prior_for(Measure.OR, delta=-0.2).mean
    -0.2
    """
    sd = sd or USUAL_SD.get(measure, 2.0)
    shift = sd * float(ndtri(b_0))
    return EffectPrior(delta + (shift if above else -shift), sd, sd / 4)


@dataclass(frozen=True)
class EffectPosterior:
    """Posterior of μ and τ after each of P prefixes of a list of studies; made by :func:`believe`."""

    tau: Floats  # grid of τ, shape (G,)
    weights: Floats  # of the grid points, shape (P, G)
    mean: Floats  # of μ given τ, shape (P, G)
    sd: Floats  # of μ given τ, shape (P, G)

    def above(self, delta: float, new_setting: bool = False) -> Floats:
        """P(μ > δ) after each prefix, of shape (P,), or that the effect in a new setting is above δ."""
        z = (self.mean - delta) / self._spread(new_setting)
        return np.asarray((self.weights * ndtr(z)).sum(-1))

    def _spread(self, new_setting: bool) -> Floats:
        return np.hypot(self.sd, self.tau) if new_setting else self.sd

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of μ after each prefix, each of shape (P,)."""
        mean = (self.weights * self.mean).sum(-1)
        square = self.sd**2 + (self.mean - mean[:, None]) ** 2
        return mean, np.sqrt((self.weights * square).sum(-1))

    def tau2_mean(self) -> Floats:
        """Mean of τ² after each prefix, of shape (P,)."""
        return np.asarray((self.weights * self.tau**2).sum(-1))

    def quantiles(self, levels: Floats, new_setting: bool = False) -> Floats:
        """Quantiles of μ, or of the effect in a new setting, after all studies, shaped as levels."""
        weights, mean, sd = self.weights[-1], self.mean[-1], self._spread(new_setting)[-1]
        inside = weights > 1e-14
        low, high = (mean - 9 * sd)[inside].min(), (mean + 9 * sd)[inside].max()
        levels = np.asarray(levels, dtype=float)
        return roots(
            lambda x, level: (weights * ndtr((x[..., None] - mean) / sd)).sum(-1) - level,
            np.full(levels.shape, low),
            np.full(levels.shape, high),
            levels,
        )


def believe(y: Floats, v: Floats, prior: EffectPrior) -> EffectPosterior:
    """Beliefs about μ, the average effect, after the first 0, 1, …, k studies.

    Parameters
    ----------
    y, v : array of shape (k,)
        Estimates and variances on the scale of analysis; NaN leaves the belief unchanged.
    prior : EffectPrior
        Of μ and τ.

    Returns
    -------
    EffectPosterior
        With k + 1 rows.

    Examples
    --------
    >>> belief = believe(np.array([-0.4, -0.6]), np.array([0.04, 0.09]), EffectPrior())
    >>> belief.above(0.0).round(3).tolist()
    [0.5, 0.166, 0.054]
    """
    missing = ~np.isfinite(y)
    y, v = np.where(missing, 0.0, y), np.where(missing, np.inf, v)
    u = np.arange(LOWEST, HIGHEST + STEP / 2, STEP)
    tau = prior.tau_scale * np.exp(u)
    w = 1 / (v[:, None] + tau**2)
    terms = (
        w,
        w * y[:, None],
        w * (y**2)[:, None],
        np.where(missing[:, None], 0.0, np.log(w / (2 * np.pi), where=w > 0, out=np.zeros_like(w))),
    )
    W, Wy, Wyy, logs = (np.vstack([np.zeros(len(tau)), np.cumsum(part, axis=0)]) for part in terms)
    W, Wy, Wyy = W + prior.sd**-2, Wy + prior.mean * prior.sd**-2, Wyy + prior.mean**2 * prior.sd**-2
    mean = Wy / W
    log = (
        0.5 * (logs - np.log(W * prior.sd**2) - (Wyy - mean * Wy))
        + prior.log_density_of_tau(tau)
        + np.log(tau)
    )
    weights = np.exp(log - log.max(axis=1, keepdims=True))
    return EffectPosterior(tau, weights / weights.sum(axis=1, keepdims=True), mean, 1 / np.sqrt(W))
