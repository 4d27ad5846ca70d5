"""The lattice of (μ, τ) on which the univariate belief is computed.

The lattice is laid out from λ = logit θ, with λ on the edge between two cells of μ, so that one lattice serves every θ.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import logit, ndtr

from tarstop_core.belief.prior import Prior
from tarstop_core.documents.tables import Floats, Tables

STEP = 0.1  # width of a cell, logits
MARGIN = 2.0  # how far the cells of u go beyond those of μ
# τ = KNOT·sinh(j·d): dense at 0, where the posterior of few studies lies, wide apart at the far end.
# The integrand is even in τ, so the trapezoid rule in j converges faster than any power of d.
KNOT, TAU_NODES, TAU_END = 0.25, 26, 6.0


@dataclass(frozen=True, eq=False)
class Lattice:
    """Cells of μ and u relative to λ, nodes of τ, and the mass that each (τ, μ) puts into each cell of u."""

    mu: Floats  # Centres of the cells of μ − λ; M is even and 0 is an edge; shape (M,)
    u: Floats  # Centres of the cells of u − λ; shape (U,)
    tau: Floats  # Shape (T,)
    tau_weight: Floats  # Trapezoid weights of the nodes, without a prior density; shape (T,)
    kernel: Floats  # Normal mass of each cell of u; the outermost cells reach to infinity; shape (U, T·M)

    def tau_prior(self, scale: ArrayLike) -> Floats:
        """Prior mass of the nodes of τ, shape (…, T) for scales of shape (…)."""
        mass = self.tau_weight * np.exp(-0.5 * (self.tau / np.asarray(scale)[..., None]) ** 2)
        return np.asarray(mass / mass.sum(axis=-1, keepdims=True))

    def mu_prior(self, shift: ArrayLike, s: ArrayLike) -> Floats:
        """Prior mass of the cells of μ, shape (…, M) for means and spreads of shape (…)."""
        log_mass = -0.5 * ((self.mu - np.asarray(shift)[..., None]) / np.asarray(s)[..., None]) ** 2
        mass = np.exp(log_mass - log_mass.max(axis=-1, keepdims=True))
        return np.asarray(mass / mass.sum(axis=-1, keepdims=True))

    @property
    def above(self) -> Floats:
        """Share of each cell of μ that counts as above λ, shape (M,).

        A midpoint sum over a half-line is off by h²/24 times the slope at its end (Euler–Maclaurin); the shares 1/24 and
        23/24 of the two cells at λ correct that.
        """
        share = np.where(self.mu > 0, 1.0, 0.0)
        middle = len(self.mu) // 2
        share[middle - 1 : middle + 1] = 1 / 24, 23 / 24
        return share

    def halves(self, weights: Floats) -> tuple[Floats, Floats]:
        """Sum rows of weights, shape (…, T·M), below and above λ; shape (…,) each."""
        mass, above = self.over_mu(weights), self.above
        return mass @ (1 - above), mass @ above

    def over_mu(self, weights: Floats) -> Floats:
        """Sum rows of weights, shape (…, T·M), over τ; shape (…, M)."""
        return np.asarray(weights.reshape(*weights.shape[:-1], len(self.tau), len(self.mu)).sum(-2))


@lru_cache(maxsize=3)
def _lattice(width: int) -> Lattice:
    """Return the lattice whose cells of μ reach from −width to width, in logits."""
    cells, extra = round(width / STEP), round(MARGIN / STEP)
    mu: Floats = np.arange(-cells + 0.5, cells, dtype=np.float64) * STEP
    u: Floats = np.arange(-cells - extra + 0.5, cells + extra, dtype=np.float64) * STEP
    tau, tau_weight = tau_nodes(TAU_NODES)

    # The mass depends only on the distance between cells; the outermost cells reach to infinity.
    distance = np.abs(np.subtract.outer(np.arange(len(u)), np.arange(len(mu)) + extra))
    kernel = np.empty((len(u), TAU_NODES, len(mu)))
    for t in range(TAU_NODES):
        sigma = _matching_sigma(tau[t])
        kernel[:, t] = _sampled_normal(sigma, len(u) + len(mu))[distance]
        kernel[[0, -1], t] = ndtr((0.5 - distance[[0, -1]]) * STEP / sigma)
    return Lattice(mu, u, tau, tau_weight, kernel.reshape(len(u), -1))


def tau_nodes(count: int) -> tuple[Floats, Floats]:
    """Nodes of τ and their trapezoid weights, shape (count,)."""
    jd = np.arange(count) * (math.asinh(TAU_END / KNOT) / (count - 1))
    tau, weight = KNOT * np.sinh(jd), np.cosh(jd)
    weight[0] /= 2  # half a cell: the other half belongs to negative τ
    return tau, weight


def _sampled_normal(sigma: float, cells: int) -> Floats:
    """Normal density at 0, 1, 2, … cells from its centre, scaled so that both sides sum to 1."""
    mass = np.exp(-0.5 * (np.arange(cells) * STEP / sigma) ** 2)
    return np.asarray(mass / (2 * mass.sum() - mass[0]))


def _matching_sigma(tau: float) -> float:
    """Return the σ whose sampled normal has variance τ²; likelihoods then integrate with an error of fourth order in STEP."""
    if tau > 2 * STEP:
        return tau
    if tau == 0:
        return STEP / 100

    def excess(sigma: float) -> float:
        squares = (np.arange(40) * STEP) ** 2
        return float(2 * (_sampled_normal(sigma, 40) * squares).sum()) - tau**2

    return float(brentq(excess, STEP / 100, 3 * STEP))


def lattice_for(tables: Tables, theta: float, prior: Prior) -> Lattice:
    """Return the smallest lattice that holds the prior and every study.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    prior : Prior
        What is believed before any study.

    Returns
    -------
    Lattice
        Its width is one of seven, so that a growing review rarely needs a new one.
    """
    informative = tables.diseased > 0
    reach = abs(prior.shift) + 4 * prior.s
    if informative.any():
        observed = np.log((tables.TP[informative] + 0.5) / (tables.FN[informative] + 0.5)) - logit(theta)
        reach = max(reach, float(np.abs(observed).max()) + 2)
    return _lattice(min(32, max(8, 4 * math.ceil(reach / 4))))
