"""A smooth function of several parameters through noisy draws, with what is not known of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.cluster.vq import kmeans2

from tarstop_core.value.payoffs import Floats

KNOTS_PER_PARAMETER, MOST_KNOTS = 15, 120
MOST_CELLS = 20_000_000  # Draws times knots; many draws are smoothed by fewer
KNOT_DRAWS = 20_000  # Draws among which knots are looked for
RANK = 1e-9  # A singular value below this part of the largest is rounding
PENALTIES = np.logspace(-8, 8, 129)  # Tried beside the median strength of the wiggles


class Smooth(NamedTuple):
    """Fitted means, and a square root of what is not known of them."""

    fitted: Floats  # Shape (n, J)
    sd: Floats  # Residual standard deviations, shape (J,)
    axes: Floats  # Orthonormal, shape (n, k)
    kept: Floats  # Square roots of how far each axis follows the draws, shape (k, J)
    noise: Floats  # Cholesky factor of the correlation of residuals, shape (J, J)

    def draw(self, random: np.random.Generator) -> Floats:
        """Means as they may truly be, given the draws, shape (n, J)."""
        e = random.standard_normal(self.kept.shape) @ self.noise.T
        return self.fitted + self.axes @ (self.kept * e * self.sd)


def smooth(x: Floats, y: Floats) -> Smooth:
    """Regress columns on parameters by a spline in as many dimensions.

    Parameters
    ----------
    x : ndarray
        Parameters, shape (n, d); constant ones are passed over.
    y : ndarray
        Columns to explain, shape (n, J).

    Returns
    -------
    Smooth

    Notes
    -----
    Linear functions are free; deviations are Σ u_i·|x − knot_i|³ (the natural cubic spline in one dimension) with a
    normal prior whose variance maximises the restricted likelihood, for each column apart (Wood 2017, sections 5 and 6).
    Fitted means then have the covariance σ²·H, with H the matrix that smooths.
    """
    x = x[:, np.ptp(x, axis=0) > 0]
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    straight = _axes(np.column_stack([np.ones(len(x)), x]))[0]
    wiggles, strength = _axes_of_wiggles(x, straight)
    level = straight.T @ y
    rest = y - straight @ level
    along = wiggles.T @ rest
    free = len(x) - straight.shape[1]
    squares = np.square(rest).sum(axis=0) - np.square(along).sum(axis=0)
    penalty = PENALTIES * (np.median(strength) if strength.size else 1.0)
    shrunk = penalty[:, None] / (strength + penalty[:, None])  # Shape (penalties, k)
    variance = (squares + shrunk @ np.square(along)) / free
    criterion = (
        free * np.log(np.maximum(variance, np.finfo(float).tiny)) - np.log(shrunk).sum(axis=1)[:, None]
    )
    chosen = criterion.argmin(axis=0)
    follows = 1 - shrunk[chosen].T  # Shape (k, J)
    fitted = straight @ level + wiggles @ (follows * along)
    sd = np.sqrt(np.maximum(0.0, variance[chosen, np.arange(y.shape[1])]))
    kept = np.vstack([np.ones_like(level), np.sqrt(follows)])
    return Smooth(fitted, sd, np.column_stack([straight, wiggles]), kept, _noise(y - fitted))


def _axes(columns: Floats) -> tuple[Floats, Floats]:
    """Orthonormal axes of columns, and the squared singular values."""
    u, s, _ = np.linalg.svd(columns, full_matrices=False)
    kept = s > RANK * s.max(initial=0.0)
    return u[:, kept], np.square(s[kept])


def _axes_of_wiggles(x: Floats, straight: Floats) -> tuple[Floats, Floats]:
    """Axes of deviations from a plane, and how strong each is under the prior."""
    sample = np.unique(x[:: max(1, len(x) // KNOT_DRAWS)], axis=0)
    most = max(KNOTS_PER_PARAMETER, min(MOST_KNOTS, MOST_CELLS // len(x)))
    wanted = min(most, KNOTS_PER_PARAMETER * x.shape[1], len(sample))
    knots = sample
    if wanted < len(sample):
        knots = np.unique(kmeans2(sample, wanted, rng=0, minit="++")[0], axis=0)
    # What a plane through the knots would do is no wiggle.
    planes = np.column_stack([np.ones(len(knots)), knots])
    u, s, _ = np.linalg.svd(planes)
    bends = u[:, int((s > RANK * s[0]).sum()) :]
    if not bends.shape[1]:
        return np.empty((len(x), 0)), np.empty(0)
    energy, turn = np.linalg.eigh(bends.T @ _cubes(knots, knots) @ bends)
    kept = energy > RANK * energy[-1]
    basis = _cubes(x, knots) @ bends @ (turn[:, kept] / np.sqrt(energy[kept]))
    return _axes(basis - straight @ (straight.T @ basis))


def _cubes(x: Floats, knots: Floats) -> Floats:
    """|x − knot|³, shape (n, K)."""
    squared = np.square(x).sum(axis=1)[:, None] + np.square(knots).sum(axis=1) - 2 * x @ knots.T
    return np.asarray(np.maximum(0.0, squared) ** 1.5)


def _noise(residuals: Floats) -> Floats:
    """A root of the correlation between columns of residuals; columns without any stay alone."""
    sd = residuals.std(axis=0)
    scaled = residuals / np.where(sd > 0, sd, 1.0)
    size, axes = np.linalg.eigh(scaled.T @ scaled / len(residuals))
    return np.asarray(axes * np.sqrt(np.maximum(0.0, size)))
