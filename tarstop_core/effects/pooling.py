"""Pooled effects by inverse variance with five estimators of τ², by Mantel and Haenszel, and by Peto.

All prefixes of a list of studies (the first one, the first two, …) are fitted at once.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from scipy.special import gammaincinv, stdtrit

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.roots import roots
from tarstop_core.effects.sizes import Floats, Z

Method: TypeAlias = Literal["FE", "DL", "REML", "ML", "PM"]
GRID = np.concatenate([[0.0], np.geomspace(1e-6, 1e6, 289)])
"""Values of τ² in units of the typical variance; the search for the global maximum starts from the best of them."""


@dataclass(frozen=True)
class PooledEffects:
    """Pooled effects of P prefixes on the scale of analysis: arrays of shape (P,), 95 % intervals of shape (P, 2).

    Whatever rests on a t distribution is NaN with too few studies.
    """

    est: Floats
    se: Floats
    tau2: Floats
    ci: Floats
    kh_ci: Floats  # by Knapp and Hartung, t with k − 1 degrees of freedom
    I2: Floats  # per cent
    prediction: Floats  # of a new setting, t with k − 2 degrees of freedom (Higgins 2009)


class _Prefixes:
    """The first n studies for each n from `first` on, as rows of a matrix in which later studies have weight 0."""

    def __init__(self, y: Floats, v: Floats, first: int) -> None:
        count = len(y)
        self.k = np.arange(first, count + 1)
        self.within = np.arange(count) < self.k[:, None]
        self.y, self.v = y, v
        w = self.within / v
        total = w.sum(1)
        self.typical = (
            (self.k - 1) * total / (total**2 - (w**2).sum(1))
            if first > 1
            else np.array(v.mean() if count else np.nan)
        )

    def weights(self, tau2: Floats, rows: np.ndarray | None = None) -> Floats:
        """Weights 1 / (v + τ²) of these prefixes, or of all; of shape (P, count) for τ² of shape (P,)."""
        within = self.within if rows is None else self.within[rows]
        return within / (self.v + tau2[:, None])

    def mean(self, w: Floats) -> tuple[Floats, Floats, Floats]:
        """Σw, μ and Σw(y − μ)² of each prefix, each of shape (P,)."""
        total = w.sum(-1)
        mu = (w * self.y).sum(-1) / total
        return total, mu, (w * (self.y - mu[:, None]) ** 2).sum(-1)

    def log_likelihoods(self, tau2: Floats, restricted: bool) -> Floats:
        """Log likelihoods of all prefixes at common values of τ², shape (G,), but for a constant, from running sums; shape (P, G)."""
        w = 1 / (self.v + tau2[:, None])
        y = self.y - self.y.mean()
        logs, total, first, second = np.cumsum([np.log(w), w, w * y, w * y**2], axis=-1)[..., self.k - 1]
        Q = second - first**2 / total
        return np.asarray(0.5 * (logs - Q - (np.log(total) if restricted else 0.0))).T

    def score(self, tau2: Floats, rows: np.ndarray, method: Method) -> Floats:
        """A function of τ² that falls through 0 at the estimate.

        Parameters
        ----------
        tau2 : array of shape (R,)
            A value for each of R prefixes.
        rows : array of shape (R,)
            Indices of these prefixes.
        method : {"REML", "ML", "PM"}
            For PM the score is Q minus its expectation, otherwise the derivative of the likelihood.

        Returns
        -------
        array of shape (R,)
        """
        w = self.weights(tau2, rows)
        total, mu, Q = self.mean(w)
        if method == "PM":
            return np.asarray(Q - (self.k[rows] - 1))
        correction = (w**2).sum(-1) / total if method == "REML" else 0.0
        return np.asarray(((w * (self.y - mu[:, None])) ** 2).sum(-1) - total + correction)


def prefixes(y: Floats, v: Floats, method: Method, first: int = 2) -> PooledEffects:
    """Pool the first n studies, for each n from `first` on.

    Parameters
    ----------
    y, v : array of shape (k,)
        Estimates and their variances, without NaN.
    method : {"FE", "DL", "REML", "ML", "PM"}
        How τ² is estimated: 0, DerSimonian and Laird, restricted or full maximum likelihood, Paule and Mandel. The
        maximum is the global one.
    first : int
        Length of the shortest prefix: 2 or more, or 1 for FE.

    Returns
    -------
    PooledEffects
        With k − first + 1 rows; without rows if there are fewer studies than `first`.

    Examples
    --------
    >>> fit = prefixes(np.array([0.1, 0.3, 0.2]), np.array([0.01, 0.02, 0.04]), "REML")
    >>> fit.est.round(3).tolist()
    [0.175, 0.171]
    """
    rows = _Prefixes(np.asarray(y, dtype=float), np.asarray(v, dtype=float), first)
    zero = np.zeros(len(rows.k))
    if method == "FE" or not len(rows.k):
        tau2 = zero
    elif method == "DL":
        w = rows.weights(zero)
        total, _, Q = rows.mean(w)
        tau2 = np.maximum(0, (Q - (rows.k - 1)) / (total - (w**2).sum(-1) / total))
    else:
        tau2 = _tau2(rows, method)
    return _pooled(rows, tau2)


def _tau2(of: _Prefixes, method: Method) -> Floats:
    """Estimate τ² for each prefix: the root of the score next to the best value of a grid; shape (P,)."""
    grid = np.median(of.typical) * GRID
    rows = np.arange(len(of.k))
    if method == "PM":
        # Q falls everywhere, so the whole grid is a bracket.
        low, high = np.zeros_like(rows), np.full_like(rows, len(GRID) - 1)
    else:
        best = of.log_likelihoods(grid, method == "REML").argmax(1)
        low, high = np.maximum(best - 1, 0), np.minimum(best + 1, len(GRID) - 1)
    crosses = of.score(grid[low], rows, method) > 0
    tau2 = np.zeros(len(of.k))
    if crosses.any():
        tau2[crosses] = roots(
            lambda x, row: of.score(x, row, method), grid[low][crosses], grid[high][crosses], rows[crosses]
        )
    return tau2


def _pooled(of: _Prefixes, tau2: Floats) -> PooledEffects:
    """Estimates and intervals of each prefix at its τ²."""
    k = of.k.astype(float)
    total, est, squares = of.mean(of.weights(tau2))
    se = 1 / np.sqrt(total)
    q = squares / np.where(k > 1, k - 1, np.nan)
    t, riley = (np.asarray(stdtrit(np.where(k > few, k - few, np.nan), 0.975), dtype=float) for few in (1, 2))

    def around(half_width: Floats) -> Floats:
        return np.stack([est - half_width, est + half_width], axis=-1)

    return PooledEffects(
        est=est,
        se=se,
        tau2=tau2,
        ci=around(Z * se),
        kh_ci=around(t * (np.sqrt(q) * se)),
        I2=100 * tau2 / (tau2 + of.typical),
        prediction=around(riley * np.sqrt(se**2 + tau2)),
    )


def tau2_interval(y: Floats, v: Floats) -> tuple[float, float]:
    """95 % interval of τ² by the Q-profile method (Viechtbauer 2007), for two or more studies."""
    studies = _Prefixes(np.asarray(y, dtype=float), np.asarray(v, dtype=float), len(y))
    row = np.zeros(1, dtype=int)
    ends = []
    for level in (0.975, 0.025):
        wanted = float(2 * gammaincinv((len(y) - 1) / 2, level))  # a quantile of χ²

        def above(tau2: Floats, wanted: float = wanted) -> Floats:
            return studies.score(np.atleast_1d(tau2), row, "PM").reshape(np.shape(tau2)) + len(y) - 1 - wanted

        high = float(studies.typical[0])
        while above(np.array(high)) > 0:
            high *= 10
        ends.append(
            float(roots(above, np.zeros(1), np.array([high]))[0]) if above(np.array(0.0)) > 0 else 0.0
        )
    return ends[0], ends[1]


def mantel_haenszel(
    measure: Measure, events_1: Floats, n_1: Floats, events_0: Floats, n_0: Floats
) -> tuple[float, float]:
    """Mantel and Haenszel's pooled log OR, log RR or RD, and its standard error.

    Parameters
    ----------
    measure : Measure
        OR (variance of Robins, Breslow and Greenland 1986), RR (Greenland and Robins 1985) or RD (Sato, Greenland and
        Robins 1989).
    events_1, n_1, events_0, n_0 : array of shape (k,)
        Events and people by arm, 1 treated and 0 control; nothing is added to empty cells.

    Returns
    -------
    tuple of float
        Estimate and standard error on the scale of analysis.
    """
    a, c = events_1, events_0
    b, d, n = n_1 - a, n_0 - c, n_1 + n_0
    if measure is Measure.OR:
        R, S, p, q = a * d / n, b * c / n, (a + d) / n, (b + c) / n
        r, s = R.sum(), S.sum()
        variance = (p * R).sum() / r**2 + (p * S + q * R).sum() / (r * s) + (q * S).sum() / s**2
        return float(np.log(r / s)), float(np.sqrt(variance / 2))
    if measure is Measure.RR:
        r, s = (a * n_0 / n).sum(), (c * n_1 / n).sum()
        variance = ((n_1 * n_0 * (a + c) - a * c * n) / n**2).sum() / (r * s)
        return float(np.log(r / s)), float(np.sqrt(variance))
    share = n_1 * n_0 / n
    est = (share * (a / n_1 - c / n_0)).sum() / share.sum()
    P = (c * (n_1 / n) ** 2 - a * (n_0 / n) ** 2 + (n_1 / n) * (n_0 / n) * (n_0 - n_1) / 2).sum()
    R = ((a * d + c * b) / n).sum() / 2
    return float(est), float(np.sqrt((est * P + R) / share.sum() ** 2))


def peto(events_1: Floats, n_1: Floats, events_0: Floats, n_0: Floats) -> tuple[float, float]:
    """Peto's one-step log OR and its standard error (Yusuf 1985).

    Parameters
    ----------
    events_1, n_1, events_0, n_0 : array of shape (k,)
        Events and people by arm, 1 treated and 0 control.

    Returns
    -------
    tuple of float
        Estimate and standard error on the log scale.
    """
    n, m = n_1 + n_0, events_1 + events_0
    V = n_1 * n_0 * m * (n - m) / (n**2 * (n - 1))
    return float((events_1 - n_1 * m / n).sum() / V.sum()), float(1 / np.sqrt(V.sum()))
