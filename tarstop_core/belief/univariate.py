"""Belief that pooled sensitivity exceeds θ, from the exact binomial likelihood of sensitivity alone.

TP_i ~ Bin(n1_i, expit u_i), u_i ~ N(μ, τ²); ω⁺ is expit(μ) > θ. Everything is computed on a lattice
(:mod:`tarstop_core.belief.lattice`). A study's likelihood of (μ, τ) is its binomial likelihood in each cell of u, times the exact normal mass
that (μ, τ) puts there: one matrix product for all studies. Studies then multiply, so one pass over them
gives the belief after each. Nothing is added to empty cells of a table.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator
from scipy.optimize import brentq
from scipy.special import betaln, digamma, expit, logit, polygamma

from tarstop_core.belief.lattice import KNOT, STEP, Lattice, lattice_for
from tarstop_core.belief.prior import Prior, check_theta
from tarstop_core.documents.tables import Flags, Floats, Tables

# A study with more information than this, n·p·(1−p), has a likelihood narrower than a cell.
SHARP = 200.0
# A posterior with a smaller spread of μ (in cells), or on fewer effective nodes of τ, is interpolated.
CROWDED, CROWDED_NODES = 1.3, 2.5
FINER_MU, FINER_TAU = 16, 4  # Points of that interpolation for each cell of μ and each node of τ
POINTS = 400  # of a density that is drawn


def notes(tables: Tables) -> tuple[str, ...]:
    """Return a sentence on each study that a belief can use only in part or not at all."""
    silent = tables.diseased == 0
    without = {cell: np.isnan(getattr(tables, cell)) for cell in ("FP", "TN")}
    half = without["FP"] ^ without["TN"]
    remarks = (
        (silent, "no diseased patients (TP + FN = 0), so it says nothing about sensitivity"),
        (~silent & ~half & ~(tables.healthy > 0), "no FP and TN, so it counts only for sensitivity"),
    )
    named = [f"Study {at} ({name})" for at, name in enumerate(tables.study, 1)]
    sentences = [
        f"{named[at]} has {sentence}." for which, sentence in remarks for at in np.flatnonzero(which)
    ]
    for cell, other in (("TN", "FP"), ("FP", "TN")):
        lacking = np.flatnonzero(half & without[cell])
        if 1 < len(lacking) == len(tables):
            sentences.append(
                f"No study has {cell}, so only sensitivity counts (their {other} cannot be used)."
            )
        else:
            reason = f"has no {cell}, so only sensitivity counts (its {other} cannot be used)."
            sentences += [f"{named[at]} {reason}" for at in lacking]
    return tuple(sentences)


def outcome_likelihood(TP: Floats, FN: Floats, theta: float, lattice: Lattice) -> tuple[Floats, Floats]:
    """Binomial likelihood in each cell of u, without the binomial coefficient.

    Parameters
    ----------
    TP, FN : ndarray, shape (n,)
        Diseased patients with a positive and with a negative test.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    lattice : Lattice
        Cells and nodes to count on, as :func:`lattice_for` gives them.

    Returns
    -------
    rows : ndarray, shape (n, U)
        Likelihoods, each row scaled to a maximum of 1.
    log_scale : ndarray, shape (n,)
        Log of what each row was divided by.
    """
    u = lattice.u + logit(theta)
    log_rows = np.outer(TP, -np.logaddexp(0, -u)) + np.outer(FN, -np.logaddexp(0, u))
    log_scale = log_rows.max(axis=1, initial=-np.inf)
    return np.exp(log_rows - log_scale[:, None]), log_scale


def study_likelihood(tables: Tables, theta: float, lattice: Lattice) -> tuple[Floats, Floats]:
    """Likelihood of each study at every (τ, μ).

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    lattice : Lattice
        Cells and nodes to count on, as :func:`lattice_for` gives them.

    Returns
    -------
    likelihood : ndarray, shape (n, T·M)
        Each row up to a factor.
    log_scale : ndarray, shape (n,)
        Log of the factor of each row.
    """
    TP, FN = tables.TP, tables.FN
    rows, log_scale = outcome_likelihood(TP, FN, theta, lattice)
    likelihood = rows @ lattice.kernel
    information = TP * FN / np.maximum(tables.diseased, 1)
    for i in np.flatnonzero(information > SHARP):
        # Narrower than a cell. In u the likelihood is B(TP, FN) times the density of the logit of a
        # Beta(TP, FN) variable, which is normal this far from the corners.
        mean = digamma(TP[i]) - digamma(FN[i]) - logit(theta)
        variance = lattice.tau[:, None] ** 2 + polygamma(1, TP[i]) + polygamma(1, FN[i])
        log_normal = -0.5 * ((lattice.mu - mean) ** 2 / variance + np.log(2 * np.pi * variance))
        top = log_normal.max()
        likelihood[i] = np.exp(log_normal - top).ravel()
        log_scale[i] = top + betaln(TP[i], FN[i])
    return likelihood, log_scale


def weighed_likelihood(tables: Tables, theta: float, prior: Prior, lattice: Lattice) -> Floats:
    """Likelihood of each study at every (τ, μ), taken to the power that the prior gives a study.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    prior : Prior
        Its `weight` is that power.
    lattice : Lattice
        Cells and nodes to count on, as :func:`lattice_for` gives them.

    Returns
    -------
    ndarray, shape (n, T·M)
        Each row up to a factor; 1 if the study has no diseased patients.
    """
    rows, _ = study_likelihood(tables, theta, lattice)
    rows[tables.diseased == 0] = 1.0
    return rows if prior.weight == 1 else rows**prior.weight


def weights_path(tables: Tables, theta: float, prior: Prior, lattice: Lattice) -> Floats:
    """Posterior mass of every (τ, μ) after each study.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    prior : Prior
        What is believed before any study.
    lattice : Lattice
        Cells and nodes to count on, as :func:`lattice_for` gives them.

    Returns
    -------
    ndarray, shape (n + 1, T·M)
        Rows after 0 … n studies; each sums to 1.
    """
    rows = weighed_likelihood(tables, theta, prior, lattice)
    weights = np.empty((len(tables) + 1, lattice.kernel.shape[1]))
    weights[0] = np.outer(lattice.tau_prior(prior.tau), lattice.mu_prior(prior.shift, prior.s)).ravel()
    for i in range(len(tables)):
        if tables.diseased[i]:
            np.multiply(weights[i], rows[i], out=weights[i + 1])
            # Rescaling at each study keeps 500 of them from underflowing.
            weights[i + 1] /= weights[i + 1].sum()
        else:
            weights[i + 1] = weights[i]
    return weights


def univariate_path(tables: Tables, theta: float, prior: Prior | None = None) -> Floats:
    """P(pooled sensitivity > θ) from sensitivity alone, after each study.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    prior : Prior, optional
        What is believed before any study; the weak default without one.

    Returns
    -------
    ndarray, shape (n + 1,)
        Beliefs after 0 … n studies.

    Notes
    -----
    Studies without diseased patients leave the belief as it is (see :func:`notes`). The model is that of Chu & Cole
    (2006, doi 10.1016/j.jclinepi.2006.06.011) for one margin. Against lattices four times finer the error stays below
    .001 on every prefix of 89 published outcomes, θ from .6 to .9. It is larger (.01 to .07 seen) where studies without
    heterogeneity fix the pooled logit to within .03 of λ.

    Examples
    --------
    >>> cells = (np.array([47.0, 126.0]), np.array([101.0, 272.0]), np.array([9.0, 51.0]), np.array([738.0, 1543.0]))
    >>> univariate_path(Tables(("first", "second"), *cells), theta=0.75).round(2)
    array([0.5 , 0.78, 0.59])
    """
    return expit(log_odds_path(tables, theta, prior or Prior()))


def log_odds_path(tables: Tables, theta: float, prior: Prior, *, last_only: bool = False) -> Floats:
    """Log odds of ω⁺ after each study, exact even where the belief itself rounds to 0 or 1.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    prior : Prior
        What is believed before any study.
    last_only : bool
        Whether only the log odds after all studies are wanted.

    Returns
    -------
    ndarray, shape (n + 1,), or (1,) with `last_only`
        Log odds after 0 … n studies.
    """
    lattice = lattice_for(tables, check_theta(theta), prior)
    weights = weights_path(tables, theta, prior, lattice)
    below, above = lattice.halves(weights)
    with np.errstate(divide="ignore"):
        log_odds = np.log(above) - np.log(below)
    # Before any study the log odds are known exactly; the same correction applies after each.
    log_odds += logit(prior.b_0) - log_odds[0]
    if last_only:
        weights, log_odds = weights[-1:], log_odds[-1:]
    for i in np.flatnonzero(_crowded(weights, lattice) & (len(tables) > 0)):
        log_odds[i] = _between_cells(weights[i], lattice, log_odds[i])
    return log_odds


def _crowded(weights: Floats, lattice: Lattice) -> Flags:
    """Flags of rows whose mass lies near λ in too few cells or nodes for a sum to approximate the integral."""
    cubes = weights.reshape(len(weights), len(lattice.tau), len(lattice.mu))
    of_mu, nodes = cubes.sum(1), 1 / (cubes.sum(2) ** 2).sum(1)
    mean = of_mu @ lattice.mu
    variance = of_mu @ lattice.mu**2 - mean**2
    near = np.abs(mean) < CROWDED * STEP + 10 * np.sqrt(np.maximum(variance, 0))
    return np.asarray(near & ((variance < (CROWDED * STEP) ** 2) | (nodes < CROWDED_NODES)))


def _between_cells(weights: Floats, lattice: Lattice, log_odds: float) -> float:
    """Log odds of a narrow posterior, interpolated between cells by splines through its logarithm."""
    cube = weights.reshape(len(lattice.tau), len(lattice.mu)) / lattice.tau_weight[:, None]
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(cube / cube.max()), -600.0)
    middle = len(lattice.mu) // 2
    held = np.flatnonzero(logs.max(0) > -60)
    first, last = max(0, held[0] - 2), min(len(lattice.mu), held[-1] + 3)
    if not first < middle < last:
        return log_odds  # θ is far outside
    j = np.arange(len(lattice.tau))
    held = np.flatnonzero(logs.max(1) > -60)
    fine_j = np.arange(max(0, held[0] - 1), min(j[-1], held[-1] + 1) + 1e-9, 1 / FINER_TAU)
    # The density is even in τ: flat at 0.
    along_tau = CubicSpline(j, logs[:, first:last], bc_type=("clamped", "natural"))(fine_j)
    scale = np.cosh(fine_j * math.asinh(lattice.tau[1] / KNOT)) * np.where(fine_j == 0, 0.5, 1.0)
    top = along_tau.max()
    of_mu = np.log(scale @ np.exp(along_tau - top)) + top
    edges = np.arange((first - middle) * FINER_MU, (last - middle) * FINER_MU)
    density = np.exp(CubicSpline(lattice.mu[first:last], of_mu)((edges + 0.5) * STEP / FINER_MU))
    with np.errstate(divide="ignore"):
        return float(np.log(density[edges >= 0].sum()) - np.log(density[edges < 0].sum()))


@dataclass(frozen=True, eq=False)
class Posterior:
    """Prior and posterior density of pooled sensitivity on a grid."""

    sensitivity: Floats  # The grid, rising, in (0, 1); shape (G,)
    prior: Floats
    posterior: Floats
    """`prior` and `posterior`: densities with respect to sensitivity; shape (G,)."""

    def quantile(self, level: float) -> float:
        """Posterior quantile of pooled sensitivity."""
        steps = np.diff(self.sensitivity) * (self.posterior[1:] + self.posterior[:-1]) / 2
        mass = np.append(0.0, np.cumsum(steps))
        return float(np.interp(level * mass[-1], mass, self.sensitivity))

    @property
    def logit_moments(self) -> tuple[float, float]:
        """Posterior mean and variance of the logit of pooled sensitivity."""
        at = logit(self.sensitivity)
        mean = float(np.trapezoid(self.posterior * at, self.sensitivity))
        return mean, float(np.trapezoid(self.posterior * (at - mean) ** 2, self.sensitivity))


def posterior(
    tables: Tables, theta: float, prior: Prior | None = None, *, belief: float | None = None
) -> Posterior:
    """Prior and posterior density of pooled sensitivity.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    prior : Prior, optional
        What is believed before any study; the weak default without one.
    belief : float, optional
        Belief of another engine, such as the bivariate one, after the same studies. The posterior density is tilted by
        exp(κμ), the least change that puts this mass above θ, so that picture and number agree.

    Returns
    -------
    Posterior
        Both densities on one grid of sensitivities.
    """
    prior = prior or Prior()
    lattice = lattice_for(tables, check_theta(theta), prior)
    weights = weights_path(tables, theta, prior, lattice)
    first, last = lattice.over_mu(weights[[0, -1]])
    if belief is not None:
        last = _tilted(last, lattice.mu, belief)

    # A grid over all that carries mass, finer where sensitivity changes.
    cells = np.flatnonzero((first > 1e-9) | (last > 1e-9))
    fine = np.linspace(lattice.mu[cells[0]], lattice.mu[cells[-1]], 20 * POINTS)
    mu_grid = expit(fine + logit(theta))
    at = np.interp(np.linspace(mu_grid[0], mu_grid[-1], POINTS), mu_grid, fine)
    sensitivity = expit(at + logit(theta))
    densities = []
    for mass in (first, last):
        curve = np.exp(PchipInterpolator(lattice.mu, np.log(np.maximum(mass / STEP, 1e-300)))(at))
        density = curve / (sensitivity * (1 - sensitivity))
        densities.append(density / np.trapezoid(density, sensitivity))
    return Posterior(sensitivity, *densities)


def _tilted(mass: Floats, mu: Floats, belief: float) -> Floats:
    """Mass on cells of μ, tilted by exp(κμ) so that `belief` of it lies above 0."""
    with np.errstate(divide="ignore"):
        logs = np.log(mass)
    target = float(logit(min(max(belief, 1e-12), 1 - 1e-12)))
    half = len(mu) // 2

    def excess(kappa: float) -> float:
        tilted = logs + kappa * mu
        return float(np.logaddexp.reduce(tilted[half:]) - np.logaddexp.reduce(tilted[:half])) - target

    if not (excess(-200.0) < 0 < excess(200.0)):
        return mass  # all of it lies on one side, and so does the belief
    tilted = logs + brentq(excess, -200.0, 200.0) * mu
    tilted = np.exp(tilted - tilted.max())
    return np.asarray(tilted / tilted.sum())
