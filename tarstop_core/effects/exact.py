"""An exact Bayesian belief about a log odds ratio from 2×2 tables per arm: no cell is corrected.

A study's likelihood is Fisher's noncentral hypergeometric one, given its total of events, or that of two binomials with
a vague prior of the control's log odds. θ_i ~ N(μ, τ²): the likelihood of μ is a study's convolved with that normal, for
which the Fourier transform of its table over θ is multiplied once for each τ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft, rfftfreq
from scipy.interpolate import CubicSpline
from scipy.special import gammaln, logsumexp
from scipy.stats import norm

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.normal import EffectPrior
from tarstop_core.effects.sizes import Floats, of_events

REACH = 30.0
"""Log odds ratios beyond ±30 do not occur."""
FADES = 24.0
"""From here on a likelihood is faded out, so that its two ends meet."""
COARSE = np.linspace(-REACH, REACH, 1201)
CONTROL_SD = 10.0
"""Prior standard deviation of the control's log odds, unconditional only."""
TAUS = 64
"""Gauss–Legendre nodes over τ from 0 to 7.2 of its prior's scale."""


@dataclass(frozen=True)
class ExactBelief:
    """Density of μ after each of P prefixes, of shape (P, M), over the grid `mu` of shape (M,), and τ's moments.

    Over the nodes of τ, of shape (T,): their `weights` after each prefix, and mean and standard deviation of μ given τ, of
    shape (P, T). After all studies: `new_density` of the effect in a new setting, of shape (M,), and `joint`, the density of
    μ with each τ, of shape (T, M).
    """

    mu: Floats
    density: Floats
    tau: Floats
    weights: Floats
    mean: Floats
    sd: Floats
    tau_mean: Floats
    tau2_mean: Floats
    log_marginal_likelihood: Floats
    new_density: Floats
    joint: Floats

    def new_quantiles(self, levels: Floats) -> Floats:
        """Quantiles of the effect in a new setting after all studies, one for each level."""
        below = np.cumsum(self.new_density)
        return np.asarray(np.interp(np.asarray(levels) * below[-1], below, self.mu))

    def new_above(self, delta: float) -> float:
        """Chance, after all studies, that the effect in a new setting is above δ."""
        whole = CubicSpline(self.mu, self.new_density).antiderivative()
        return float((whole(self.mu[-1]) - whole(delta)) / whole(self.mu[-1]))

    def above(self, delta: float) -> Floats:
        """P(μ > δ) after each prefix, of shape (P,)."""
        whole = CubicSpline(self.mu, self.density, axis=1).antiderivative()
        return np.asarray(whole(self.mu[-1]) - whole(delta))

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of μ after each prefix."""
        step = self.mu[1] - self.mu[0]
        mean = (self.density * self.mu).sum(-1) * step
        return mean, np.sqrt((self.density * (self.mu - mean[:, None]) ** 2).sum(-1) * step)


def conditional_likelihood(table: Floats, theta: Floats) -> Floats:
    """Logarithm of Fisher's noncentral hypergeometric likelihood of one study, given its total of events.

    Parameters
    ----------
    table : array of shape (4,)
        Events and people in the treated arm, then in the control arm.
    theta : array of shape (T,)
        Log odds ratios.

    Returns
    -------
    array of shape (T,)
        All 0 for a study without events in both arms: it says nothing.
    """
    events_1, n_1, events_0, n_0 = table
    total = events_1 + events_0
    x = np.arange(max(0.0, total - n_0), min(n_1, total) + 1)
    ways = -(gammaln(x + 1) + gammaln(n_1 - x + 1) + gammaln(total - x + 1) + gammaln(n_0 - total + x + 1))
    # Terms far from those observed for every θ are needed: θ reaches to ±30, where one end of the support holds all.
    terms = ways[None, :] + theta[:, None] * x[None, :]
    here = ways[int(events_1 - x[0])] + theta * events_1
    return np.asarray(here - logsumexp(terms, axis=1))


def unconditional_likelihood(table: Floats, theta: Floats) -> Floats:
    """Logarithm of the likelihood of two binomials, over the control's log odds γ ~ N(0, 10²); shapes as above."""
    events_1, n_1, events_0, n_0 = table
    gamma = np.arange(-6 * CONTROL_SD, 6 * CONTROL_SD, 0.03)

    def log_binomial(events: float, n: float, odds: Floats) -> Floats:
        choose = gammaln(n + 1) - gammaln(events + 1) - gammaln(n - events + 1)
        return choose - events * np.logaddexp(0, -odds) - (n - events) * np.logaddexp(0, odds)

    control = log_binomial(events_0, n_0, gamma) + norm.logpdf(gamma, scale=CONTROL_SD) + np.log(0.03)
    # Where the control speaks against γ by more than e^40, nothing comes from it.
    near = control > control.max() - 40
    treated = log_binomial(events_1, n_1, gamma[near] + theta[:, None])
    return np.asarray(logsumexp(control[near] + treated, axis=1))


class _Lattice:
    """Log odds ratios and values of τ at which all is computed."""

    def __init__(self, tables: Floats, prior: EffectPrior, conditional: bool) -> None:
        sizes = of_events(Measure.OR, *tables.T)
        # Fine enough for the narrowest thing on it: the pooled likelihood.
        narrow = 1 / np.sqrt(np.nansum(1 / sizes.v) + prior.sd**-2)
        self.count = next_fast_len(int(2 * REACH / min(0.05, narrow / 5)), real=True)
        self.step = 2 * REACH / self.count
        self.whole = np.linspace(-REACH, REACH, self.count, endpoint=False)
        fade = np.clip((REACH - np.abs(self.whole)) / (REACH - FADES), 0, 1)
        self.fade = np.sin(np.pi / 2 * fade) ** 2
        self.kept = np.abs(self.whole - prior.mean) < min(8 * prior.sd, FADES)
        self.mu = self.whole[self.kept]
        nodes, weights = np.polynomial.legendre.leggauss(TAUS)
        self.tau = 3.6 * prior.tau_scale * (nodes + 1)
        log_tau = np.log(3.6 * prior.tau_scale * weights) + prior.log_density_of_tau(self.tau)
        self.blur = np.exp(-0.5 * (self.tau[:, None] * 2 * np.pi * rfftfreq(self.count, self.step)) ** 2)
        self.prior = norm.logpdf(self.mu, prior.mean, prior.sd) + log_tau[:, None]
        self.likelihood = conditional_likelihood if conditional else unconditional_likelihood

    def says(self, row: Floats, share: float = 1.0) -> Floats | float:
        """Logarithm of a study's likelihood of μ, to the power `share`, for each τ, shape (TAUS, M)."""
        if not np.isfinite(row).all():
            return 0.0
        own = share * CubicSpline(COARSE, self.likelihood(row, COARSE))(self.whole)
        top = own.max()
        blurred = irfft(rfft(np.exp(own - top) * self.fade) * self.blur, self.count)[:, self.kept]
        return np.asarray(top + np.log(np.maximum(blurred, 1e-300)))


def believe_exactly(
    tables: Floats, prior: EffectPrior, *, conditional: bool = True, weights: Floats | None = None
) -> ExactBelief:
    """Beliefs about μ, the average log odds ratio, after the first 0, 1, …, k studies.

    Parameters
    ----------
    tables : array of shape (k, 4)
        Events and people in the treated arm, then in the control arm; a row of NaN leaves the belief as it is.
    prior : EffectPrior
        With a proper prior of μ and a half-normal τ.
    conditional : bool
        Whether each study's total of events is taken as given: then its control's risk needs no prior.
    weights : array of shape (k,), optional
        For how much of its evidence each study counts: the power to which its likelihood is raised.

    Returns
    -------
    ExactBelief
        With k + 1 rows.
    """
    lattice = _Lattice(tables, prior, conditional)
    mu, tau, step = lattice.mu, lattice.tau, lattice.step
    log = lattice.prior
    density, tau_mean, tau2_mean, marginal = [], [], [], []
    moments: list[Floats] = []  # Of μ given τ: how much, first and second
    powers = np.stack((np.ones(len(mu)), mu, mu**2), axis=1)
    shares = np.ones(len(tables)) if weights is None else weights
    for row, share in zip([None, *tables], [1.0, *shares], strict=True):
        if row is not None:
            log = log + lattice.says(row, share)
        peak = log.max()
        mass = np.exp(log - peak)
        total = mass.sum() * step
        density.append(mass.sum(0) / total)
        moments.append((mass @ powers) * (step / total))
        tau_mean.append((mass.sum(1) * tau).sum() * step / total)
        tau2_mean.append((mass.sum(1) * tau**2).sum() * step / total)
        marginal.append(peak + np.log(total))
    whole = np.zeros((TAUS, lattice.count))
    whole[:, lattice.kept] = mass
    new = np.maximum(irfft((rfft(whole) * lattice.blur).sum(0), lattice.count), 0)[lattice.kept] / total
    weights_of, first, second = np.moveaxis(np.array(moments), 2, 0)
    mean = first / np.maximum(weights_of, 1e-300)
    sd = np.sqrt(np.maximum(second / np.maximum(weights_of, 1e-300) - mean**2, 1e-12))
    return ExactBelief(
        mu,
        np.array(density),
        tau,
        weights_of,
        mean,
        sd,
        np.array(tau_mean),
        np.array(tau2_mean),
        np.array(marginal),
        new,
        mass / total,
    )


def above_without_each(
    tables: Floats, prior: EffectPrior, delta: float, weights: Floats | None = None
) -> Floats:
    """P(μ > δ) without each study in turn, from one pass over all of them.

    Parameters
    ----------
    tables : array of shape (k, 4)
        As for :func:`believe_exactly`.
    prior : EffectPrior
        With a proper prior of μ and a half-normal τ.
    delta : float
        A log odds ratio.
    weights : array of shape (k,), optional
        For how much of its evidence each study counts.

    Returns
    -------
    array of shape (k,)
    """
    lattice = _Lattice(tables, prior, conditional=True)
    shares = np.ones(len(tables)) if weights is None else weights
    every = lattice.prior
    for row, share in zip(tables, shares, strict=True):
        every = every + lattice.says(row, share)
    above = []
    for row, share in zip(tables, shares, strict=True):
        log = every - lattice.says(row, share)
        density = CubicSpline(lattice.mu, np.exp(log - log.max()).sum(0)).antiderivative()
        total = density(lattice.mu[-1])
        above.append(float((total - density(delta)) / total))
    return np.array(above)
