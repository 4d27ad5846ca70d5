"""Pooled log odds ratios by maximum likelihood in four mixed models, without any correction of empty cells.

The models are those of Stijnen, Hamza and Özdemir (2010, doi 10.1002/sim.4040), under metafor's names. A study in which
nobody or everybody had the event carries no information.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit, gammaln, log_expit, logsumexp

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.pooling import prefixes
from tarstop_core.effects.sizes import Floats, Z, of_events
from tarstop_core.errors import InputProblem

Model: TypeAlias = Literal["CM.EL", "CM.AL", "UM.FS", "UM.RS"]
MODELS: tuple[Model, ...] = ("CM.EL", "CM.AL", "UM.FS", "UM.RS")
NODES, NODE_WEIGHTS = np.polynomial.hermite.hermgauss(21)
"""Quadrature nodes for the integral over the effect of one study, placed around its mode."""
NEWTON = 80  # Most Newton steps towards a mode
LONGEST = 3.0  # Longest Newton step
CLOSE = 1e-11  # The search for a mode ends below this step
STEP = 1e-4  # Step of finite differences
POLISHES = 2  # Newton steps after BFGS
SIDE = np.array([0.5, -0.5])
"""Each arm's log odds are the level of the study plus this share of the log odds ratio."""
NOTHING = 1e-4  # A smaller τ is set to 0


@dataclass(frozen=True)
class Mixed:
    """Estimate of the average log odds ratio by a mixed model; `sigma2` is the variance of the levels of studies (UM.RS only)."""

    est: float
    se: float
    tau2: float
    sigma2: float | None
    log_likelihood: float

    @property
    def ci(self) -> tuple[float, float]:
        """Wald's 95 % interval."""
        return self.est - Z * self.se, self.est + Z * self.se


class _Likelihood(Protocol):
    """Likelihood of a model. Its parameters are μ, τ and those of the levels of the studies."""

    start: list[float]
    """Initial values of the parameters after μ and τ."""

    def slopes(self, x: Floats) -> tuple[float, Floats]:
        """Log likelihood at x, and its gradient."""


class _Conditional:
    """Treated events of each study given its total of events: hypergeometric, or binomial as an approximation (CM.EL, CM.AL)."""

    def __init__(self, rows: Floats, exact: bool) -> None:
        self.start: list[float] = []
        e1, n1, e0, n0 = rows.T[:, :, None]
        total = e1 + e0
        x = np.arange(total.max() + 1)[None]
        possible = (x >= (total - n0 if exact else 0)) & (x <= (np.minimum(n1, total) if exact else total))
        kept = np.where(possible, x, e1)
        if exact:
            ways = -gammaln(kept + 1) - gammaln(n1 - kept + 1)
            ways -= gammaln(total - kept + 1) + gammaln(n0 - total + kept + 1)
        else:
            ways = -gammaln(kept + 1) - gammaln(total - kept + 1) + kept * np.log(n1 / n0)
        self.x, self.ways, self.observed = x[0], np.where(possible, ways, -np.inf), e1[:, 0]
        self.powers = np.stack([np.ones(x.size), self.x, self.x**2], axis=1)
        self.observed_ways = ways[np.arange(len(rows)), self.observed.astype(int)]

    def of(self, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Log likelihood of each study, its slope and its curvature at log odds ratios θ, all of shape (k, m)."""
        terms = theta[..., None] * self.x
        terms += self.ways[:, None]
        top = terms.max(axis=-1, keepdims=True)
        terms -= top
        total, first, second = np.moveaxis(np.exp(terms, out=terms) @ self.powers, -1, 0)
        mean, observed = first / total, self.observed[:, None]
        value = self.observed_ways[:, None] + theta * observed - top[..., 0] - np.log(total)
        return value, observed - mean, mean**2 - second / total

    def slopes(self, x: Floats) -> tuple[float, Floats]:
        mu, tau = x
        z = _mode(lambda z: self.of(mu + tau * z), tau, len(self.observed))
        curvature = self.of(mu + tau * z)[2]
        z, weigh = _about(z, 1 - tau**2 * curvature)
        value, slope, _ = self.of(mu + tau * z)
        log_likelihood, weight = weigh(value)
        return log_likelihood, np.array([(weight * slope).sum(), (weight * slope * z).sum()])


class _FixedStudies:
    """Two binomials per study, whose level is a parameter (UM.FS)."""

    def __init__(self, rows: Floats) -> None:
        self.e, self.n = rows.T[[0, 2], :, None], rows.T[[1, 3], :, None]
        self.ways = (gammaln(self.n + 1) - gammaln(self.e + 1) - gammaln(self.n - self.e + 1)).sum(0)
        self.side = SIDE[:, None, None]
        self.start: list[float] = list(np.log((self.e + 0.5) / (self.n - self.e + 0.5)).mean(0)[:, 0])

    def of(self, level: Floats, theta: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Log likelihood of each study, slopes by θ and by level, and curvature by θ, all of shape (k, m)."""
        odds = level + self.side * theta
        p = expit(odds)
        value = self.ways + (self.e * log_expit(odds) + (self.n - self.e) * log_expit(-odds)).sum(0)
        residual, variance = self.e - self.n * p, self.n * p * (1 - p)
        return value, (self.side * residual).sum(0), residual.sum(0), -(self.side**2 * variance).sum(0)

    def slopes(self, x: Floats) -> tuple[float, Floats]:
        mu, tau, level = x[0], x[1], x[2:, None]

        def given(z: Floats) -> tuple[Floats, Floats, Floats]:
            value, slope, _, curvature = self.of(level, mu + tau * z)
            return value, slope, curvature

        z = _mode(given, tau, len(level))
        z, weigh = _about(z, 1 - tau**2 * given(z)[2])
        value, slope, of_level, _ = self.of(level, mu + tau * z)
        log_likelihood, weight = weigh(value)
        shared = [(weight * slope).sum(), (weight * slope * z).sum()]
        return log_likelihood, np.append(shared, (weight * of_level).sum(1))


class _RandomStudies:
    """Two binomials per study, whose level is normal (UM.RS). Integrals use Laplace's method, as lme4 does."""

    def __init__(self, rows: Floats) -> None:
        self.fixed = _FixedStudies(rows)
        levels = np.array(self.fixed.start)
        self.start: list[float] = [float(levels.mean()), max(float(levels.std()), 0.2)]

    def value(self, x: Floats) -> float:
        """Log likelihood."""
        mu, tau, level, sigma = x
        e, n = self.fixed.e[..., 0], self.fixed.n[..., 0]
        scale = np.stack([np.full(2, sigma), tau * SIDE])  # Change of the log odds with both normal deviates
        z = np.zeros((e.shape[1], 2))
        for _ in range(NEWTON):
            odds = (level + SIDE * mu)[:, None] + scale.T @ z.T
            p = expit(odds)
            precision = np.einsum("ia,ak,ja->kij", scale, n * p * (1 - p), scale) + np.eye(2)
            step = np.linalg.solve(precision, ((scale @ (e - n * p)).T - z)[..., None])[..., 0]
            z = z + np.clip(step, -LONGEST, LONGEST)
            if np.abs(step).max() < CLOSE:
                break
        log_joint = self.fixed.ways[:, 0] + (e * log_expit(odds) + (n - e) * log_expit(-odds)).sum(0)
        return float((log_joint - (z**2).sum(1) / 2 - np.linalg.slogdet(precision)[1] / 2).sum())

    def slopes(self, x: Floats) -> tuple[float, Floats]:
        steps = STEP * np.eye(len(x))
        slope = [(self.value(x + step) - self.value(x - step)) / (2 * STEP) for step in steps]
        return self.value(x), np.array(slope)


def _mode(of: Callable[[Floats], tuple[Floats, Floats, Floats]], tau: float, k: int) -> Floats:
    """Mode of the normal deviate z of each study, shape (k, 1); `of` gives value, slope and curvature by θ at z."""
    z = np.zeros((k, 1))
    for _ in range(NEWTON):
        _, slope, curvature = of(z)
        step = (tau * slope - z) / (1 - tau**2 * curvature)
        z = z + np.clip(step, -LONGEST, LONGEST)
        if np.abs(step).max() < CLOSE:
            break
    return z


def _about(mode: Floats, precision: Floats) -> tuple[Floats, Callable[[Floats], tuple[float, Floats]]]:
    """Nodes of z around each mode, shape (k, m), and a function from log likelihoods there to their log integral and shares."""
    width = np.sqrt(2 / precision)
    z = mode + width * NODES

    def weigh(value: Floats) -> tuple[float, Floats]:
        log = value + NODES**2 + np.log(NODE_WEIGHTS) - z**2 / 2 + np.log(width / np.sqrt(2 * np.pi))
        integral = logsumexp(log, axis=1, keepdims=True)
        return float(integral.sum()), np.exp(log - integral)

    return z, weigh


def pool_by_likelihood(tables: Floats, model: Model = "CM.EL", *, equal: bool = False) -> Mixed:
    """Pool 2×2 tables by maximum likelihood.

    Parameters
    ----------
    tables : array of shape (k, 4)
        Events and people in the treated arm, then in the control arm.
    model : {"CM.EL", "CM.AL", "UM.FS", "UM.RS"}
        Conditional on each study's total of events: Fisher's noncentral hypergeometric likelihood, or its binomial
        approximation for rare events. Unconditional: two binomials with fixed, or random, study effects.
    equal : bool
        Whether τ² is 0: all settings have the same effect.

    Returns
    -------
    Mixed

    Raises
    ------
    InputProblem
        When no study carries information.

    Examples
    --------
    >>> fit = pool_by_likelihood(np.array([[4, 123, 11, 139], [6, 306, 29, 303.0]]), equal=True)
    >>> round(fit.est, 2), round(fit.se, 2)
    (-1.43, 0.36)
    """
    usual = of_events(Measure.OR, *tables.T)
    usable = usual.says_something
    if not usable.any():
        raise InputProblem("No study has both events and people without one; add a study that does.")
    rows = tables[usable]
    pooled = prefixes(
        usual.y[usable], usual.v[usable], "DL" if len(rows) > 1 else "FE", first=min(2, len(rows))
    )
    likelihood: _Likelihood
    if model == "UM.RS":
        likelihood = _RandomStudies(rows)
    elif model == "UM.FS":
        likelihood = _FixedStudies(rows)
    else:
        likelihood = _Conditional(rows, exact=model == "CM.EL")
    tau = 0.0 if equal else max(0.3, float(np.sqrt(pooled.tau2[-1])))
    x = np.array([float(pooled.est[-1]), tau, *likelihood.start])
    x = _maximum(likelihood, x, 0.0 if equal else None)
    if abs(x[1]) < NOTHING:
        x = _maximum(likelihood, x, 0.0)
    value, _ = likelihood.slopes(x)
    se = float(np.sqrt(np.linalg.inv(-_hessian(likelihood, x))[0, 0]))
    return Mixed(float(x[0]), se, float(x[1] ** 2), float(x[3] ** 2) if model == "UM.RS" else None, value)


def _maximum(likelihood: _Likelihood, x: Floats, tau: float | None) -> Floats:
    """Parameters that maximise the likelihood, for a fixed τ or for any."""
    free = np.arange(len(x)) != (1 if tau is not None else -1)
    x = x.copy()
    if tau is not None:
        x[1] = tau

    def loss(part: Floats) -> tuple[float, Floats]:
        x[free] = part
        value, slope = likelihood.slopes(x)
        return -value, -slope[free]

    x[free] = minimize(loss, x[free], jac=True, method="BFGS", options={"gtol": 1e-7}).x
    for _ in range(POLISHES):
        hessian = _hessian(likelihood, x)[np.ix_(free, free)]
        if np.linalg.eigvalsh(hessian).max() < 0:
            x[free] -= np.linalg.solve(hessian, likelihood.slopes(x)[1][free])
    return x


def _hessian(likelihood: _Likelihood, x: Floats) -> Floats:
    """Second derivatives of the log likelihood, of shape (parameters, parameters)."""
    steps = STEP * np.eye(len(x))
    rows = [(likelihood.slopes(x + step)[1] - likelihood.slopes(x - step)[1]) / (2 * STEP) for step in steps]
    return np.asarray((np.array(rows) + np.array(rows).T) / 2)
