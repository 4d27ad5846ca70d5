"""Pooled effects as reviewers expect them: inverse variance with five estimates of τ², Mantel–Haenszel and Peto.

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
"""Values of τ² in units of the typical variance, among which the global maximum is looked for first."""


@dataclass(frozen=True)
class Pooled:
    """Pooled effects of P prefixes; every array has shape (P,), every interval (P, 2).

    `kh_se` is Knapp and Hartung's standard error (t with k − 1), `adhoc_se` the same but never below the usual one.
    Prediction intervals: `prediction` (t with k − 2, Higgins 2009) and `kh_prediction` (t with k − 1). They, and what
    rests on t, are NaN with too few studies.
    """

    k: Floats
    est: Floats
    se: Floats
    tau2: Floats
    log_likelihood: Floats
    ci: Floats
    kh_se: Floats
    kh_ci: Floats
    adhoc_se: Floats
    I2: Floats
    Q: Floats
    prediction: Floats
    kh_prediction: Floats
    normal_prediction: Floats


class _Prefixes:
    """The first n studies for each n from `first` on, as rows of one matrix in which weights of later ones are 0."""

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
        """1 / (v + τ²) for τ² of shape (P, …): shape (P, …, count)."""
        within = self.within if rows is None else self.within[rows]
        shape = (len(within), *(1,) * (tau2.ndim - 1), len(self.y))
        return within.reshape(shape) / (self.v + tau2[..., None])

    def mean(self, w: Floats) -> tuple[Floats, Floats, Floats]:
        """Σw, μ and Σw(y − μ)²."""
        total = w.sum(-1)
        mu = (w * self.y).sum(-1) / total
        return total, mu, (w * (self.y - mu[..., None]) ** 2).sum(-1)

    def log_likelihood(self, tau2: Floats, restricted: bool) -> Floats:
        """Log likelihood of a τ² for each prefix, shape (P,), with the best μ, with metafor's constants."""
        w = self.weights(tau2)
        total, _, Q = self.mean(w)
        logs = np.where(w > 0, np.log(np.where(w > 0, w, 1)), 0).sum(-1)
        return _log_likelihood(self.k, logs, total, Q, restricted)

    def log_likelihoods(self, tau2: Floats, restricted: bool) -> Floats:
        """Log likelihoods of values of τ², shape (G,), which all prefixes have in common, shape (P, G): by running sums."""
        w = 1 / (self.v + tau2[:, None])
        y = self.y - self.y.mean()
        logs, total, first, second = np.cumsum([np.log(w), w, w * y, w * y**2], axis=-1)[..., self.k - 1]
        return _log_likelihood(self.k, logs, total, second - first**2 / total, restricted).T

    def score(self, tau2: Floats, rows: np.ndarray, method: Method) -> Floats:
        """Return what is 0 at the estimate of τ² and falls through it.

        Parameters
        ----------
        tau2 : array of shape (R,)
            One value for each of some prefixes.
        rows : array of shape (R,)
            Which prefixes they are.
        method : {"REML", "ML", "PM"}
            The derivative of the likelihood, or Q less its expectation.

        Returns
        -------
        array of shape (R,)
        """
        w = self.weights(tau2, rows)
        total, mu, Q = self.mean(w)
        if method == "PM":
            return np.asarray(Q - (self.k[rows] - 1))
        squares = (w**2).sum(-1)
        lost = squares / total if method == "REML" else 0.0
        return np.asarray(((w * (self.y - mu[..., None])) ** 2).sum(-1) - total + lost)


def _log_likelihood(k: np.ndarray, logs: Floats, total: Floats, Q: Floats, restricted: bool) -> Floats:
    """Log likelihood of k studies from Σ ln w, Σw and Σw(y − μ)²."""
    if restricted:
        return np.asarray(0.5 * (-(k - 1) * np.log(2 * np.pi) + np.log(k) + logs - np.log(total) - Q))
    return np.asarray(0.5 * (-k * np.log(2 * np.pi) + logs - Q))


def prefixes(y: Floats, v: Floats, method: Method, first: int = 2) -> Pooled:
    """Pool the first n studies, for each n from `first` on.

    Parameters
    ----------
    y, v : array of shape (k,)
        Estimates and their variances; none is NaN.
    method : {"FE", "DL", "REML", "ML", "PM"}
        How τ² is estimated: 0, DerSimonian and Laird, restricted or full maximum likelihood, Paule and Mandel. The
        maximum is the global one.
    first : int
        The shortest prefix, 2 at least.

    Returns
    -------
    Pooled
        With k − first + 1 rows; none where there are fewer studies.

    Examples
    --------
    >>> fit = prefixes(np.array([0.1, 0.3, 0.2]), np.array([0.01, 0.02, 0.04]), "REML")
    >>> fit.est.round(3).tolist()
    [0.175, 0.171]
    """
    of = _Prefixes(np.asarray(y, dtype=float), np.asarray(v, dtype=float), first)
    zero = np.zeros(len(of.k))
    w = of.weights(zero)
    total, _, Q = of.mean(w)
    if method == "FE" or not len(of.k):
        tau2 = zero
    elif method == "DL":
        tau2 = np.maximum(0, (Q - (of.k - 1)) / (total - (w**2).sum(-1) / total))
    else:
        tau2 = _tau2(of, method)
    return _pooled(of, tau2, Q, method)


def _tau2(of: _Prefixes, method: Method) -> Floats:
    """Where the score crosses 0 beside the best value of a grid."""
    grid = np.median(of.typical) * GRID
    rows = np.arange(len(of.k))
    if method == "PM":
        # Q falls all the way, so that any bracket does.
        low, high = np.zeros_like(rows), np.full_like(rows, len(GRID) - 1)
    else:
        at = of.log_likelihoods(grid, method == "REML").argmax(1)
        low, high = np.maximum(at - 1, 0), np.minimum(at + 1, len(GRID) - 1)
    ends = grid[low], grid[high]
    crosses = of.score(ends[0], rows, method) > 0
    tau2 = np.zeros(len(of.k))
    if crosses.any():
        tau2[crosses] = roots(
            lambda x, row: of.score(x, row, method), ends[0][crosses], ends[1][crosses], rows[crosses]
        )
    return tau2


def _pooled(of: _Prefixes, tau2: Floats, Q: Floats, method: Method) -> Pooled:
    k = of.k.astype(float)
    total, est, squares = of.mean(of.weights(tau2))
    se = 1 / np.sqrt(total)
    q = squares / np.where(k > 1, k - 1, np.nan)
    kh_se, adhoc = np.sqrt(q) * se, np.sqrt(np.maximum(1, q)) * se
    t, riley = (np.asarray(stdtrit(np.where(k > few, k - few, np.nan), 0.975), dtype=float) for few in (1, 2))

    def around(wide: Floats) -> Floats:
        return np.stack([est - wide, est + wide], axis=-1)

    return Pooled(
        k=k,
        est=est,
        se=se,
        tau2=tau2,
        log_likelihood=of.log_likelihood(tau2, method == "REML"),
        ci=around(Z * se),
        kh_se=kh_se,
        kh_ci=around(t * kh_se),
        adhoc_se=adhoc,
        I2=100 * tau2 / (tau2 + of.typical),
        Q=Q,
        prediction=around(riley * np.sqrt(se**2 + tau2)),
        kh_prediction=around(t * np.sqrt(kh_se**2 + tau2)),
        normal_prediction=around(Z * np.sqrt(se**2 + tau2)),
    )


def tau2_interval(y: Floats, v: Floats) -> tuple[float, float]:
    """95 % interval of τ² by the Q-profile method (Viechtbauer 2007), for two studies or more."""
    of = _Prefixes(np.asarray(y, dtype=float), np.asarray(v, dtype=float), len(y))
    row = np.zeros(1, dtype=int)
    ends = []
    for level in (0.975, 0.025):
        wanted = float(2 * gammaincinv((len(y) - 1) / 2, level))  # a quantile of χ²

        def above(tau2: Floats, wanted: float = wanted) -> Floats:
            return of.score(np.atleast_1d(tau2), row, "PM").reshape(np.shape(tau2)) + len(y) - 1 - wanted

        high = float(of.typical[0])
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
        Events and people by arm; nothing is added to empty cells.

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
        Events and people by arm.

    Returns
    -------
    tuple of float
        Estimate and standard error on the log scale.
    """
    n, m = n_1 + n_0, events_1 + events_0
    V = n_1 * n_0 * m * (n - m) / (n**2 * (n - 1))
    return float((events_1 - n_1 * m / n).sum() / V.sum()), float(1 / np.sqrt(V.sum()))
