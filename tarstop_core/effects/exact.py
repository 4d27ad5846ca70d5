"""An exact Bayesian belief about a log odds ratio from 2×2 tables per arm: no cell is corrected.

A study's likelihood is Fisher's noncentral hypergeometric one, given its total of events, or that of two binomials with
a vague prior of the control's log odds. θ_i ~ N(μ, τ²): the likelihood of μ is a study's convolved with that normal, for
which the Fourier transform of its table over θ is multiplied once for each τ.
"""

from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft, rfftfreq
from scipy.interpolate import CubicSpline
from scipy.special import gammaln, logsumexp, sici

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.normal import EffectPrior, log_normal
from tarstop_core.effects.sizes import Floats, of_events

REACH = 30.0
"""Log odds ratios beyond ±30 do not occur."""
FADES = 24.0
"""From here on a likelihood is faded out, so that its two ends meet."""
COARSE = np.linspace(-REACH, REACH, 901)
CONTROL_SD = 10.0
"""Prior standard deviation of the control's log odds, unconditional only."""
TAUS = 40
"""Gauss–Legendre nodes over τ from 0 to 7.2 of its prior's scale: 2 × 10⁻⁶ off in beliefs; 24 would be 10⁻³ off."""
PER_SD = 2.0
"""Points of the grid in the standard deviation of the narrowest likelihood: 3 × 10⁻⁹ of a normal's spectrum is cut off."""
ROUNDING = 1e-17
"""Share of a likelihood's peak below which the Fourier transform leaves only noise."""
LARGEST_POWER = 600.0
"""The largest power of e that is computed; floats end at e^709."""


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
        step, count = self.mu[1] - self.mu[0], len(self.mu)
        ends = np.append(self.mu, self.mu[-1] + step) - step / 2
        # The ends are as far apart as the points, so how far one lies from the other takes few values.
        weights = beyond(step * (np.arange(-count, count) + 0.5), 0.0)
        below = 1 - np.correlate(weights, self.new_density, "valid")[::-1]
        return np.asarray(np.interp(levels, below, ends))

    def new_above(self, delta: float) -> float:
        """Chance, after all studies, that the effect in a new setting is above δ."""
        return float(beyond(self.mu, delta) @ self.new_density)

    def above(self, delta: float) -> Floats:
        """P(μ > δ) after each prefix, of shape (P,)."""
        return self.density @ beyond(self.mu, delta)

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
        Log odds ratios, evenly spaced.

    Returns
    -------
    array of shape (T,)
        All 0 for a study without events in both arms: it says nothing.

    Notes
    -----
    What the chances add up to, Σ ways·e^(θx), is formed again at every this many θ only; between them e^(θ − θ₀)x is common to all.
    """
    events_1, n_1, events_0, n_0 = table
    total = events_1 + events_0
    x = np.arange(max(0.0, total - n_0), min(n_1, total) + 1)
    ways = -(gammaln(x + 1) + gammaln(n_1 - x + 1) + gammaln(total - x + 1) + gammaln(n_0 - total + x + 1))
    step, centred = theta[1] - theta[0], x - x.mean()
    together = int(np.clip(LARGEST_POWER / (step * max(1.0, centred[-1])), 1, np.sqrt(len(theta))))
    begin = theta[::together]
    # Terms far from those observed are needed: θ reaches to ±30, where one end of the support holds all.
    terms = ways + begin[:, None] * centred
    top = terms.max(axis=1)
    sums = np.exp(terms - top[:, None]) @ np.exp(step * np.outer(centred, np.arange(together)))
    total = (top[:, None] + np.log(sums)).ravel()[: len(theta)]
    return np.asarray(ways[int(events_1 - x[0])] + theta * (events_1 - x.mean()) - total)


def unconditional_likelihood(table: Floats, theta: Floats) -> Floats:
    """Logarithm of the likelihood of two binomials, over the control's log odds γ ~ N(0, 10²); shapes as above."""
    events_1, n_1, events_0, n_0 = table
    gamma = np.arange(-6 * CONTROL_SD, 6 * CONTROL_SD, 0.03)

    def log_binomial(events: float, n: float, odds: Floats) -> Floats:
        choose = gammaln(n + 1) - gammaln(events + 1) - gammaln(n - events + 1)
        return choose - events * np.logaddexp(0, -odds) - (n - events) * np.logaddexp(0, odds)

    control = log_binomial(events_0, n_0, gamma) + log_normal(gamma, sd=CONTROL_SD) + np.log(0.03)
    # Where the control speaks against γ by more than e^40, nothing comes from it.
    near = control > control.max() - 40
    treated = log_binomial(events_1, n_1, gamma[near] + theta[:, None])
    return np.asarray(logsumexp(control[near] + treated, axis=1))


def beyond(mu: Floats, delta: float | Floats) -> Floats:
    """Return how much of a density at each point of an even grid lies above δ.

    Parameters
    ----------
    mu : array of shape (M,)
        The grid.
    delta : float or array of shape (D,)
        Anywhere.

    Returns
    -------
    array of shape (M,) or (M, D)
        Weights: their product with a density that the grid holds whole is its integral above δ.
    """
    step = mu[1] - mu[0]
    away = np.subtract.outer(mu, np.asarray(delta)) / step
    return np.asarray(step * (0.5 + sici(np.pi * away)[0] / np.pi))


class _Lattice:
    """Log odds ratios and values of τ at which all is computed, and what each study says there."""

    def __init__(self, tables: Floats, prior: EffectPrior, conditional: bool, shares: Floats | None) -> None:
        sizes = of_events(Measure.OR, *tables.T)
        narrow = 1 / np.sqrt(np.nansum(1 / sizes.v) + prior.sd**-2)
        self.count = next_fast_len(int(2 * REACH / min(0.05, narrow / PER_SD)), real=True)
        self.step = 2 * REACH / self.count
        whole = np.linspace(-REACH, REACH, self.count, endpoint=False)
        reach = min(8 * prior.sd, FADES)
        first, last = np.searchsorted(whole, [prior.mean - reach, prior.mean + reach])
        self.kept = slice(first, last)
        self.mu = whole[self.kept]
        nodes, weights = np.polynomial.legendre.leggauss(TAUS)
        self.tau = 3.6 * prior.tau_scale * (nodes + 1)
        log_tau = np.log(3.6 * prior.tau_scale * weights) + prior.log_density_of_tau(self.tau)
        self.blur = np.exp(-0.5 * (self.tau[:, None] * 2 * np.pi * rfftfreq(self.count, self.step)) ** 2)
        self.prior = np.exp(log_normal(self.mu, prior.mean, prior.sd) + log_tau[:, None])
        self.telling = np.flatnonzero(np.isfinite(tables).all(axis=1))
        likelihood = conditional_likelihood if conditional else unconditional_likelihood
        own = np.array([likelihood(tables[at], COARSE) for at in self.telling]).reshape(-1, len(COARSE))
        own = CubicSpline(COARSE, own, axis=1)(whole)
        if shares is not None:
            own *= shares[self.telling, None]
        self.top = own.max(axis=1)
        fade = np.clip((REACH - np.abs(whole)) / (REACH - FADES), 0, 1)
        self.spectra = rfft(np.exp(own - self.top[:, None]) * np.sin(np.pi / 2 * fade) ** 2)

    def says(self, at: int, unit: float = 1.0) -> Floats:
        """Likelihood of μ that a telling study gives for each τ, in units of its peak at τ = 0, shape (TAUS, M)."""
        blurred = irfft(self.spectra[at] / unit * self.blur, self.count)[:, self.kept]
        return np.maximum(blurred, ROUNDING / unit, out=blurred)


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
    lattice = _Lattice(tables, prior, conditional, weights)
    mu, tau, step = lattice.mu, lattice.tau, lattice.step
    powers = np.stack((np.ones(len(mu)), mu, mu**2), axis=1) * step
    mass = lattice.prior / (lattice.prior.sum() * step)
    scale = np.log(lattice.prior.sum() * step)
    # One after the other, each so that all adds up to 1: density over μ, moments of μ given τ, ln of what it added up to
    density, moments, marginal, total = [mass.sum(0)], [mass @ powers], [scale], 1.0
    for at, top in enumerate(lattice.top):
        mass *= lattice.says(at, total)
        of_mu = mass @ powers
        total = of_mu[:, 0].sum()
        scale += top + np.log(total)
        density.append(mass.sum(0) / total)
        moments.append(of_mu / total)
        marginal.append(scale)
    mass /= total
    telling = np.searchsorted(lattice.telling, np.arange(len(tables) + 1))  # Telling studies in each prefix
    weights_of, first, second = np.moveaxis(np.array(moments)[telling], 2, 0)
    mean = first / np.maximum(weights_of, 1e-300)
    sd = np.sqrt(np.maximum(second / np.maximum(weights_of, 1e-300) - mean**2, 1e-12))
    whole = np.zeros((TAUS, lattice.count))
    whole[:, lattice.kept] = mass
    new = irfft((rfft(whole) * lattice.blur).sum(0), lattice.count)[lattice.kept]
    return ExactBelief(
        mu,
        np.array(density)[telling],
        tau,
        weights_of,
        mean,
        sd,
        weights_of @ tau,
        weights_of @ tau**2,
        np.array(marginal)[telling],
        np.maximum(new, 0),
        mass,
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
    lattice = _Lattice(tables, prior, True, weights)
    every = lattice.prior
    for at in range(len(lattice.telling)):
        every = every * lattice.says(at)
        every /= every.max()
    weight = beyond(lattice.mu, delta) / lattice.step

    def above(density: Floats) -> float:
        return float(density @ weight / density.sum())

    without = np.full(len(tables), above(every.sum(0)))
    for at, row in enumerate(lattice.telling):
        without[row] = above((every / lattice.says(at)).sum(0))
    return without
