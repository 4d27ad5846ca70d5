"""Bivariate normal–normal models fitted in batches: REML estimates of the between-study covariance Ψ.

Study i reports y_i ~ N₂(μ, S_i + Ψ) with S_i = diag(s_i) known. One problem is the first k studies
from one starting value; all problems are climbed together as whole arrays of shape (problems, studies),
where a lower-triangular mask says which studies a problem has seen.

The climb is Newton's method on the Cholesky factor of Ψ (so Ψ stays positive semi-definite and may be
singular, which optima of small reviews often are), with μ profiled out, exact first and second
derivatives, and a trust region. With W_i = (S_i + Ψ)⁻¹, A = ΣW_i, h_i = W_i(y_i − μ):
∂l/∂Ψ = ½Σ[h h' − W + W A⁻¹ W], whose last term makes the likelihood the restricted one.
"""

import math
from dataclasses import dataclass

import numpy as np

from tarstop_core.documents.tables import Flags, Floats, Ints

MAX_STEPS = 200
# Rise in log-likelihood, relative to 1 + |l|, that a full Newton step still promises when a problem counts
# as solved. That step is then taken, so the error left in Ψ is of second order.
PROMISE = 1e-11
# Problems are climbed in blocks of about this many (problem, study) cells: temporary arrays stay in the
# cache, and 500 studies need no more memory than 50.
CELLS_IN_A_BLOCK = 16_000


@dataclass(frozen=True, eq=False)
class NormalFits:
    """The best fit of each of P prefixes."""

    mu: Floats  # Shape (P, 2)
    cov: Floats  # Covariance of the estimated μ, A⁻¹; shape (P, 2, 2)
    Psi: Floats  # Between-study covariance, shape (P, 2, 2)
    loglik: Floats
    """Restricted, with the constant −(2n − 2)/2·log 2π, without ½·log|X'X| and without the Jacobian of any transformation
    of the data; shape (P,).
    """
    converged: Flags  # Shape (P,)


@dataclass(frozen=True, eq=False)
class _Point:
    """Log-likelihood, gradient and Hessian in (a, b, c), the factor of Ψ; one row a problem."""

    value: Floats
    gradient: Floats
    hessian: Floats


def fit_prefixes(y: Floats, s: Floats, sizes: Ints, starts: Floats) -> NormalFits:
    """Fit the first ``sizes[p]`` studies for every p, each from every start, and keep the most likely.

    Parameters
    ----------
    y : ndarray, shape (n, 2)
        What the studies report, in logits.
    s : ndarray, shape (n, 2)
        Their within-study variances, above 0.
    sizes : ndarray of int, shape (P,)
        Number of studies of each fit, 1 … n. A single study says nothing about Ψ, which is then 0.
    starts : ndarray, shape (K, 2, 2)
        Positive definite Ψ to start from.

    Returns
    -------
    NormalFits
        One fit for each size.

    Notes
    -----
    Reitsma et al. 2005, doi:10.1016/j.jclinepi.2005.02.022; Gasparrini et al. 2012,
    doi:10.1002/sim.5471.
    """
    prefixes, n_starts = len(sizes), len(starts)
    start_factors = np.linalg.cholesky(starts)[:, [0, 1, 1], [0, 0, 1]]

    factor, converged = np.zeros((prefixes, 3)), np.ones(prefixes, dtype=bool)
    loglik, mu, cov = np.empty(prefixes), np.empty((prefixes, 2)), np.empty((prefixes, 2, 2))
    for block in _blocks(sizes, n_starts):
        width = int(sizes[block].max())
        mask = (np.arange(width) < sizes[block, None]).astype(float)
        model = _Model(y[:width], s[:width])
        several = sizes[block] > 1
        if several.any():
            rows = np.repeat(mask[several], n_starts, axis=0)
            climbed, done = _climb(model, rows, np.tile(start_factors, (int(several.sum()), 1)))
            values = model.estimate(climbed, rows)[0].reshape(-1, n_starts)
            best = np.arange(len(values)) * n_starts + values.argmax(axis=1)
            factor[block[several]] = climbed[best]
            converged[block[several]] = done[best]
        loglik[block], mu[block], cov[block] = model.estimate(factor[block], mask)
    a, b, c = factor.T
    return NormalFits(mu, cov, _symmetric(a * a, a * b, b * b + c * c), loglik, converged)


def _symmetric(m11: Floats, m12: Floats, m22: Floats) -> Floats:
    """Symmetric matrices with these entries, shape (…, 2, 2)."""
    return np.stack([m11, m12, m12, m22], axis=-1).reshape(*m11.shape, 2, 2)


def _blocks(sizes: Ints, n_starts: int) -> list[Ints]:
    """Split problems into blocks of similar size, each within the budget of cells; indices of each block."""
    rest, blocks = np.argsort(sizes, kind="stable"), []
    while len(rest):
        count = max(1, CELLS_IN_A_BLOCK // (int(sizes[rest[-1]]) * n_starts))
        blocks.append(rest[-count:])
        rest = rest[:-count]
    return blocks


class _Model:
    """The restricted likelihood as a function of the factor (a, b, c) of Ψ = [[a², ab], [ab, b² + c²]]."""

    def __init__(self, y: Floats, s: Floats) -> None:
        # The mean is taken off: residuals of nearly equal reports keep their digits.
        self.centre = y.mean(axis=0)
        self.y1, self.y2 = (y - self.centre).T
        self.s1, self.s2 = s.T

    def _weights(self, factor: Floats, mask: Floats) -> tuple[Floats, Floats]:
        """Entries 11, 12 and 22 of each W, shape (problems, 3, studies), 0 where masked; and Σ log|V|, shape (problems,)."""
        a, b, c = (factor[:, i, None] for i in range(3))
        psi11, psi12, psi22 = a * a, a * b, b * b + c * c
        v11, v22 = self.s1 + psi11, self.s2 + psi22
        # |V| as a sum of positive terms: no digits are lost when Ψ is singular and S small.
        det = self.s2 * v11 + self.s1 * psi22 + (a * c) ** 2
        inverse = mask / det
        W = np.stack([v22 * inverse, -psi12 * inverse, v11 * inverse], axis=1)
        return W, np.einsum("ij,ij->i", np.log(det), mask)

    def _centre(self, W: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats]:
        """C = A⁻¹ as its entries 11, 12 and 22, |A|, the estimate of μ, and the residuals of both logits."""
        a11, a12, a22 = W.sum(axis=2).T
        det = a11 * a22 - a12 * a12
        C = np.stack([a22, -a12, a11]) / det
        t1 = W[:, 0] @ self.y1 + W[:, 1] @ self.y2
        t2 = W[:, 1] @ self.y1 + W[:, 2] @ self.y2
        mu = np.stack([C[0] * t1 + C[1] * t2, C[1] * t1 + C[2] * t2])
        return C, det, mu, self.y1 - mu[0, :, None], self.y2 - mu[1, :, None]

    def _value(self, log_V: Floats, det_A: Floats, squares: Floats, mask: Floats) -> Floats:
        """Log-likelihood from Σ log|V|, |A| and Σ (y − μ)'W(y − μ), shape (problems,)."""
        n = mask.sum(axis=1)
        value: Floats = -0.5 * (log_V + squares)
        value -= 0.5 * np.log(det_A)
        value -= (n - 1) * math.log(2 * math.pi)
        return value

    def estimate(self, factor: Floats, mask: Floats) -> tuple[Floats, Floats, Floats]:
        """Log-likelihood (problems,), μ (problems, 2) and its covariance (problems, 2, 2) at a factor."""
        W, log_V = self._weights(factor, mask)
        C, det_A, mu, r1, r2 = self._centre(W)
        squares = (W[:, 0] * r1 * r1 + 2 * W[:, 1] * r1 * r2 + W[:, 2] * r2 * r2).sum(axis=1)
        return self._value(log_V, det_A, squares, mask), mu.T + self.centre, _symmetric(*C)

    def derivatives(self, factor: Floats, mask: Floats) -> _Point:
        """Value, exact gradient and exact Hessian with respect to (a, b, c)."""
        W, log_V = self._weights(factor, mask)
        C, det_A, _, r1, r2 = self._centre(W)
        w11, w12, w22 = W[:, 0], W[:, 1], W[:, 2]

        # Columns of what W is multiplied with and summed: Z = ½W − hh' − W A⁻¹ W, then W, then h.
        terms = np.empty((len(factor), 8, mask.shape[1]))
        h1 = np.add(w11 * r1, w12 * r2, out=terms[:, 6])
        h2 = np.add(w12 * r1, w22 * r2, out=terms[:, 7])
        terms[:, 3:6] = W
        gain = np.stack([h1 * h1, h1 * h2, h2 * h2], axis=1)
        terms[:, 0:3] = 0.5 * W - gain
        c11, c12, c22 = C[:, :, None]
        k11, k12 = c11 * w11 + c12 * w12, c11 * w12 + c12 * w22
        k21, k22 = c12 * w11 + c22 * w12, c12 * w12 + c22 * w22
        spread = np.stack([w11 * k11 + w12 * k21, w11 * k12 + w12 * k22, w12 * k12 + w22 * k22], axis=1)
        terms[:, 0:3] -= spread
        gain += spread
        sums = W @ terms.transpose(0, 2, 1)
        g11, g12, g22 = (0.5 * (gain.sum(axis=2) - W.sum(axis=2))).T

        # h'S h + h'Ψh = h'r, so the squares need no second pass.
        value = self._value(log_V, det_A, (h1 * r1 + h2 * r2).sum(axis=1), mask)
        # ψ12 stands twice in Ψ.
        g = np.stack([g11, 2 * g12, g22], axis=1)
        return _in_factor(factor, value, g, _hessian(sums, C))


def _hessian(sums: Floats, C: Floats) -> Floats:
    """Second derivatives with respect to (ψ11, ψ12, ψ22), shape (problems, 3, 3).

    With E_j = ∂Ψ/∂ψ_j: Σ tr(Z E_j W E_k) + q_j' C q_k + ½ tr(C Q_j C Q_k), where q_j = ΣW E_j h and
    Q_j = ΣW E_j W.
    """
    # Sums over studies of products of an entry of W (row) with one of Z, W (columns), each 11, 12 or 22, or of h.
    Z, WW, Wh = (np.moveaxis(each, 0, -1) for each in np.split(sums, [3, 6], axis=2))
    H12, H23, H13 = Z[0, 1] + Z[1, 0], Z[1, 2] + Z[2, 1], Z[1, 1]
    H22 = Z[0, 2] + 2 * Z[1, 1] + Z[2, 0]
    H = np.stack([Z[0, 0], H12, H13, H12, H22, H23, H13, H23, Z[2, 2]], axis=1).reshape(-1, 3, 3)

    matrix_C = _symmetric(*C)
    q = np.stack([Wh[0, 0], Wh[1, 0], Wh[0, 1] + Wh[1, 0], Wh[1, 1] + Wh[2, 0], Wh[1, 1], Wh[2, 1]], axis=1)
    q = q.reshape(-1, 3, 2)
    H += q @ matrix_C @ q.transpose(0, 2, 1)
    of_psi11 = _symmetric(WW[0, 0], WW[0, 1], WW[1, 1])
    of_psi12 = _symmetric(2 * WW[0, 1], WW[0, 2] + WW[1, 1], 2 * WW[1, 2])
    of_psi22 = _symmetric(WW[1, 1], WW[1, 2], WW[2, 2])
    CQ = matrix_C[:, None] @ np.stack([of_psi11, of_psi12, of_psi22], axis=1)
    H += 0.5 * (CQ.reshape(-1, 3, 4) @ CQ.transpose(0, 3, 2, 1).reshape(-1, 4, 3))
    return H


def _in_factor(factor: Floats, value: Floats, g: Floats, H: Floats) -> _Point:
    """Carry value, gradient and Hessian from (ψ11, ψ12, ψ22) over to (a, b, c) by the chain rule."""
    a, b, c = factor.T
    J = np.zeros_like(H)
    J[:, 0, 0], J[:, 1, 0], J[:, 1, 1] = 2 * a, b, a
    J[:, 2, 1], J[:, 2, 2] = 2 * b, 2 * c
    gradient = (g[:, None, :] @ J)[:, 0]
    hessian = J.transpose(0, 2, 1) @ H @ J
    hessian[:, [0, 1, 2], [0, 1, 2]] += 2 * g[:, [0, 2, 2]]
    hessian[:, [0, 1], [1, 0]] += g[:, [1]]
    return _Point(value, gradient, hessian)


def _climb(model: _Model, mask: Floats, factor: Floats) -> tuple[Floats, Flags]:
    """Maximise all problems at once by Newton's method; returns the factors and whether each converged.

    Along directions of wrong curvature the step goes uphill by |curvature| instead, so that no saddle draws
    a problem in; a step longer than the trust radius is shortened to it, and the radius follows how much of
    its promised rise a step has kept. Solved problems leave the arrays.
    """
    final, converged = factor.copy(), np.zeros(len(factor), dtype=bool)
    active, radius = np.arange(len(factor)), np.ones(len(factor))
    here = model.derivatives(factor, mask)
    for _ in range(MAX_STEPS):
        step, promise = _newton_step(here)
        length = np.linalg.norm(step, axis=1)
        cut = np.minimum(1.0, radius / np.maximum(length, 1e-300))
        solved = promise < PROMISE * (1 + np.abs(here.value))
        if solved.any():
            final[active[solved]] = factor[solved] + step[solved] * cut[solved, None]
            converged[active[solved]] = True
            going = ~solved
            if not going.any():
                break
            active, mask, factor, radius = active[going], mask[going], factor[going], radius[going]
            step, promise, length, cut = step[going], promise[going], length[going], cut[going]
            here = _Point(here.value[going], here.gradient[going], here.hessian[going])
        ahead_factor = factor + step * cut[:, None]
        ahead = model.derivatives(ahead_factor, mask)
        # Rounding in a sum of many terms must not decide whether a last, tiny step was good.
        noise = 1e-12 * (1 + np.abs(here.value))
        rise = ahead.value - here.value + noise
        kept = rise / (promise * cut * (2 - cut) + noise)
        better = rise > 0
        # A step that keeps little of its promise has overshot (c → −c, say), even if it went up a bit.
        taken = length * cut
        radius = np.where(kept < 0.25, taken / 4, np.where((kept > 0.75) & (cut < 1), 3 * radius, radius))
        factor = np.where(better[:, None], ahead_factor, factor)
        here = _Point(
            np.where(better, ahead.value, here.value),
            np.where(better[:, None], ahead.gradient, here.gradient),
            np.where(better[:, None, None], ahead.hessian, here.hessian),
        )
        final[active] = factor
    return final, converged


def _newton_step(here: _Point) -> tuple[Floats, Floats]:
    """Newton step, shape (problems, 3), and the rise in log-likelihood that it promises, shape (problems,)."""
    curvature, directions = np.linalg.eigh(here.hessian)
    size = np.abs(curvature)
    floor = 1e-10 * size.max(axis=1, keepdims=True) + 1e-12
    along = (here.gradient[:, None, :] @ directions)[:, 0]
    amount = along / np.maximum(size, floor)
    return (directions @ amount[:, :, None])[:, :, 0], 0.5 * (along * amount).sum(axis=1)
