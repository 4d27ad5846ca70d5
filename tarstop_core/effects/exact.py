"""Exact Bayesian belief about a log odds ratio from 2×2 tables, without any correction of empty cells.

The likelihood of a study is Fisher's noncentral hypergeometric one, given its total of events, so that the control's risk
needs no prior. With θ_i ~ N(μ, τ²), the likelihood of μ is the likelihood of θ_i convolved with a normal density. The
convolution is a product of Fourier transforms, one for each τ.
"""

from dataclasses import dataclass

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft, rfftfreq
from scipy.interpolate import CubicSpline
from scipy.special import gammaln, sici

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.normal import EffectPrior, log_normal
from tarstop_core.effects.sizes import Floats, of_events

REACH = 30.0  # The grid of log odds ratios covers ±30
FADES = 24.0  # Beyond this a likelihood is faded to 0, because the Fourier transform joins the two ends of the grid
COARSE = np.linspace(-REACH, REACH, 901)  # Likelihoods are computed here and interpolated by splines
TAUS = 40
"""Gauss–Legendre nodes over τ from 0 to 7.2 scales of its prior: beliefs are within 2 × 10⁻⁶; with 24 nodes, 10⁻³."""
PER_SD = 2.0
"""Grid points per standard deviation of the narrowest likelihood: this cuts off 3 × 10⁻⁹ of a normal's spectrum."""
ROUNDING = 1e-17  # Below this share of a likelihood's peak, the Fourier transform leaves only rounding errors
LARGEST_POWER = 600.0  # Largest exponent passed to exp; floats overflow at 709


@dataclass(frozen=True)
class ExactBelief:
    """Posterior of μ and τ after each of P prefixes of a list of studies, on M grid points of μ and T nodes of τ."""

    mu: Floats  # grid of μ, shape (M,)
    density: Floats  # of μ, shape (P, M)
    tau: Floats  # nodes of τ, shape (T,)
    weights: Floats  # of the nodes of τ, shape (P, T)
    mean: Floats  # of μ given τ, shape (P, T)
    sd: Floats  # of μ given τ, shape (P, T)
    tau2_mean: Floats  # mean of τ², shape (P,)
    new_density: Floats  # of the effect in a new setting after all studies, shape (M,)

    def new_quantiles(self, levels: Floats) -> Floats:
        """Quantiles of the effect in a new setting after all studies, shaped as levels."""
        step, count = self.mu[1] - self.mu[0], len(self.mu)
        ends = np.append(self.mu, self.mu[-1] + step) - step / 2
        # Ends and points have equal spacing, so their distances take only 2·count values: a correlation sums all of them.
        weights = beyond(step * (np.arange(-count, count) + 0.5), 0.0)
        below = 1 - np.correlate(weights, self.new_density, "valid")[::-1]
        return np.asarray(np.interp(levels, below, ends))

    def new_above(self, delta: float) -> float:
        """Chance that the effect in a new setting is above δ, after all studies."""
        return float(beyond(self.mu, delta) @ self.new_density)

    def above(self, delta: float) -> Floats:
        """P(μ > δ) after each prefix, of shape (P,)."""
        return self.density @ beyond(self.mu, delta)

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and standard deviation of μ after each prefix, each of shape (P,)."""
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
        All 0 for a study without events in both arms, which carries no information.

    Notes
    -----
    The normalising sum Σ ways·e^(θx) is computed for blocks of neighbouring θ at once: all blocks share the factors
    e^((θ − θ₀)x), where θ₀ is the first of a block.
    """
    events_1, n_1, events_0, n_0 = table
    total = events_1 + events_0
    x = np.arange(max(0.0, total - n_0), min(n_1, total) + 1)
    ways = -(gammaln(x + 1) + gammaln(n_1 - x + 1) + gammaln(total - x + 1) + gammaln(n_0 - total + x + 1))
    step, centred = theta[1] - theta[0], x - x.mean()
    block = int(np.clip(LARGEST_POWER / (step * max(1.0, centred[-1])), 1, np.sqrt(len(theta))))
    # No term can be left out: near θ = ±30 all mass is at one end of the support.
    terms = ways + theta[::block, None] * centred
    top = terms.max(axis=1)
    sums = np.exp(terms - top[:, None]) @ np.exp(step * np.outer(centred, np.arange(block)))
    log_sum = (top[:, None] + np.log(sums)).ravel()[: len(theta)]
    return np.asarray(ways[int(events_1 - x[0])] + theta * (events_1 - x.mean()) - log_sum)


def beyond(mu: Floats, delta: float | Floats) -> Floats:
    """Weights that integrate a density on an even grid from δ to infinity.

    Parameters
    ----------
    mu : array of shape (M,)
        The grid.
    delta : float or array of shape (D,)
        Lower limits of the integral, not necessarily grid points.

    Returns
    -------
    array of shape (M,) or (M, D)
        The product of a density with these weights is its integral above δ, if the grid covers the whole density.
    """
    step = mu[1] - mu[0]
    distance = np.subtract.outer(mu, np.asarray(delta)) / step
    return np.asarray(step * (0.5 + sici(np.pi * distance)[0] / np.pi))


class _Lattice:
    """Grid of log odds ratios and nodes of τ, with the prior and the likelihoods of the studies on them."""

    def __init__(self, tables: Floats, prior: EffectPrior, shares: Floats | None) -> None:
        sizes = of_events(Measure.OR, *tables.T)
        narrow = 1 / np.sqrt(np.nansum(1 / sizes.v) + prior.sd**-2)
        self.count = next_fast_len(int(2 * REACH / min(0.05, narrow / PER_SD)), real=True)
        self.step = 2 * REACH / self.count
        grid = np.linspace(-REACH, REACH, self.count, endpoint=False)
        reach = min(8 * prior.sd, FADES)
        first, last = np.searchsorted(grid, [prior.mean - reach, prior.mean + reach])
        self.kept = slice(first, last)
        self.mu = grid[self.kept]
        nodes, weights = np.polynomial.legendre.leggauss(TAUS)
        self.tau = 3.6 * prior.tau_scale * (nodes + 1)
        log_tau = np.log(3.6 * prior.tau_scale * weights) + prior.log_density_of_tau(self.tau)
        self.blur = np.exp(-0.5 * (self.tau[:, None] * 2 * np.pi * rfftfreq(self.count, self.step)) ** 2)
        self.prior = np.exp(log_normal(self.mu, prior.mean, prior.sd) + log_tau[:, None])
        self.complete = np.flatnonzero(np.isfinite(tables).all(axis=1))
        of_studies = [conditional_likelihood(tables[at], COARSE) for at in self.complete]
        logs = CubicSpline(COARSE, np.array(of_studies).reshape(-1, len(COARSE)), axis=1)(grid)
        if shares is not None:
            logs *= shares[self.complete, None]
        fade = np.clip((REACH - np.abs(grid)) / (REACH - FADES), 0, 1)
        self.spectra = rfft(np.exp(logs - logs.max(axis=1, keepdims=True)) * np.sin(np.pi / 2 * fade) ** 2)

    def likelihood(self, at: int, unit: float = 1.0) -> Floats:
        """Likelihood of μ for each τ by a complete study, relative to `unit` times its peak at τ = 0, shape (TAUS, M)."""
        blurred = irfft(self.spectra[at] / unit * self.blur, self.count)[:, self.kept]
        return np.maximum(blurred, ROUNDING / unit, out=blurred)


def believe_exactly(tables: Floats, prior: EffectPrior, *, weights: Floats | None = None) -> ExactBelief:
    """Beliefs about μ, the average log odds ratio, after the first 0, 1, …, k studies.

    Parameters
    ----------
    tables : array of shape (k, 4)
        Events and people in the treated arm, then in the control arm; a row of NaN leaves the belief as it is.
    prior : EffectPrior
        Of μ and τ.
    weights : array of shape (k,), optional
        Powers to which the likelihoods of the studies are raised.

    Returns
    -------
    ExactBelief
        With k + 1 rows.
    """
    lattice = _Lattice(tables, prior, weights)
    mu, tau, step = lattice.mu, lattice.tau, lattice.step
    powers = np.stack((np.ones(len(mu)), mu, mu**2), axis=1) * step
    mass = lattice.prior / (lattice.prior.sum() * step)
    # Bayes' rule study by study; each step normalises the mass and collects the density and the moments of μ given τ.
    density, moments, total = [mass.sum(0)], [mass @ powers], 1.0
    for at in range(len(lattice.complete)):
        mass *= lattice.likelihood(at, total)
        of_mu = mass @ powers
        total = of_mu[:, 0].sum()
        density.append(mass.sum(0) / total)
        moments.append(of_mu / total)
    mass /= total
    used = np.searchsorted(lattice.complete, np.arange(len(tables) + 1))  # Complete studies in each prefix
    tau_weights, first, second = np.moveaxis(np.array(moments)[used], 2, 0)
    mean = first / np.maximum(tau_weights, 1e-300)
    padded = np.zeros((TAUS, lattice.count))
    padded[:, lattice.kept] = mass
    new = irfft((rfft(padded) * lattice.blur).sum(0), lattice.count)[lattice.kept]
    return ExactBelief(
        mu=mu,
        density=np.array(density)[used],
        tau=tau,
        weights=tau_weights,
        mean=mean,
        sd=np.sqrt(np.maximum(second / np.maximum(tau_weights, 1e-300) - mean**2, 1e-12)),
        tau2_mean=tau_weights @ tau**2,
        new_density=np.maximum(new, 0),
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
        Of μ and τ.
    delta : float
        A log odds ratio.
    weights : array of shape (k,), optional
        Powers to which the likelihoods of the studies are raised.

    Returns
    -------
    array of shape (k,)
    """
    lattice = _Lattice(tables, prior, weights)
    posterior = lattice.prior
    for at in range(len(lattice.complete)):
        posterior = posterior * lattice.likelihood(at)
        posterior /= posterior.max()
    weight = beyond(lattice.mu, delta) / lattice.step

    def above(density: Floats) -> float:
        return float(density @ weight / density.sum())

    without = np.full(len(tables), above(posterior.sum(0)))
    for at, row in enumerate(lattice.complete):
        without[row] = above((posterior / lattice.likelihood(at)).sum(0))
    return without
