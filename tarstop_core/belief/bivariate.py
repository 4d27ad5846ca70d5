"""The default belief of a review, from sensitivity and false-positive rate together.

logit b = logit b_univariate + logit b_G(ρ free) − logit b_G(ρ = 0): the exact univariate belief, moved by
what the correlation between the margins adds. That shift is small and smooth, so it is taken from a
normal–normal model G, in which the pooled means integrate out in closed form and only the two
heterogeneities and their correlation need a grid. G must not see continuity-corrected logits. Each
binomial likelihood enters as the Gaussian site that expectation propagation gives it: the one that, in
front of what the other studies predict, leaves the same mean and variance.
"""

from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import expit, log_ndtr, logit, logsumexp, roots_jacobi, softmax

from tarstop_core.belief.both import both_below, log_odds_by_margins, log_odds_of_each
from tarstop_core.belief.lattice import tau_nodes
from tarstop_core.belief.prior import Prior, check_theta
from tarstop_core.belief.question import Question
from tarstop_core.documents.tables import Floats, Tables

MARGIN_NODES = 48  # of τ, to find a margin's sites and where its τ lies
NODES = (16, 12, 7)  # of τ1, τ2 and ρ in the joint grid
TAIL = 1e-5  # posterior of τ left outside the joint grid, at either end
ROUNDS, SETTLED = 12, 1e-4  # of expectation propagation
NO_INFORMATION = 1e8  # variance of the site of a missing margin, and the largest of any site
CERTAIN = 1e-12  # how near to 0 or 1 the chance of both may come before its log odds are taken

Event = Literal["sensitivity", "specificity", "both"]
"""What exceeds its threshold."""

_HERMITE, _HERMITE_WEIGHT = np.polynomial.hermite_e.hermegauss(24)
_LOG_HERMITE = np.log(_HERMITE_WEIGHT)[:, None] + _HERMITE[:, None] ** 2 / 2


def bivariate_path(
    tables: Tables, theta: float, prior: Prior | None = None, theta_sp: float | None = None
) -> Floats:
    """P(pooled sensitivity > θ) from sensitivity and false-positive rate, after each study.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    prior : Prior, optional
        What is believed before any study; the weak default without one.
    theta_sp : float, optional
        Threshold that pooled specificity is to exceed as well, in (0, 1).

    Returns
    -------
    ndarray, shape (n + 1,)
        Beliefs after 0 … n studies: with `theta_sp` the chance of both.

    Notes
    -----
    Studies without FP and TN count towards sensitivity alone, those without diseased patients not at all, or with
    `theta_sp` towards specificity alone. The model
    is Reitsma's (2005, doi 10.1016/j.jclinepi.2005.02.022) with binomial likelihoods (Chu & Cole 2006); sites as in Minka
    (2001). What the correlation adds after each study is cached, so that a growing review pays for its newest study only.
    """
    prior = prior or Prior()
    log_odds = log_odds_by_margins(tables, Question(theta, prior=prior, theta_sp=theta_sp))
    shifts = [_remembered_shift(tables.first(n), theta, prior, theta_sp) for n in range(len(tables) + 1)]
    return np.asarray(expit(log_odds + shifts))


def bivariate_belief(
    tables: Tables, theta: float, prior: Prior | None = None, theta_sp: float | None = None
) -> float:
    """P(pooled sensitivity > θ) from sensitivity and false-positive rate, after all studies.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    prior : Prior, optional
        What is believed before any study; the weak default without one.
    theta_sp : float, optional
        Threshold that pooled specificity is to exceed as well, in (0, 1).

    Returns
    -------
    float
        The last entry of :func:`bivariate_path`.
    """
    prior = prior or Prior()
    question = Question(theta, prior=prior, theta_sp=theta_sp)
    (log_odds,) = log_odds_by_margins(tables, question, last_only=True)
    return float(expit(log_odds + _remembered_shift(tables, theta, prior, theta_sp)))


def beliefs_of_each(tables: Tables, theta: float, theta_sp: float, prior: Prior) -> tuple[float, float]:
    """P(pooled sensitivity > θ) and P(pooled specificity > its threshold), after all studies.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta, theta_sp : float
        Thresholds on pooled sensitivity and on pooled specificity, in (0, 1).
    prior : Prior
        What is believed before any study; its b_0 is the chance that both exceed them.

    Returns
    -------
    sensitivity, specificity : float
        Neither is below the chance of both.
    """
    log_odds = log_odds_of_each(tables, Question(theta, prior=prior, theta_sp=theta_sp), last_only=True)
    shifts = (
        _remembered_shift(tables, theta, prior, theta_sp, event) for event in ("sensitivity", "specificity")
    )
    sensitivity, specificity = (
        float(expit(odds[0] + shift)) for odds, shift in zip(log_odds, shifts, strict=True)
    )
    return sensitivity, specificity


def _remembered_shift(
    tables: Tables, theta: float, prior: Prior, theta_sp: float | None, event: Event | None = None
) -> float:
    """Log odds that the correlation adds to an event, cached by the counts; the event is by default that of the belief."""
    return _shift(
        _informative_cells(tables, theta_sp),
        theta,
        prior,
        theta_sp,
        event or ("sensitivity" if theta_sp is None else "both"),
    )


def _informative_cells(tables: Tables, theta_sp: float | None) -> bytes:
    """TP, FN, FP and TN of the informative studies as bytes, a cache key; sorted, so that their order does not matter."""
    informative = tables.diseased > 0
    if theta_sp is not None:
        informative |= tables.healthy > 0
    cells = np.stack([tables.TP, tables.FN, tables.FP, tables.TN])[:, informative]
    return cells[:, np.lexsort(cells)].tobytes()


@lru_cache(maxsize=8192)
def _shift(cells: bytes, theta: float, prior: Prior, theta_sp: float | None, event: Event) -> float:
    """Log odds that the correlation adds to an event; `cells` as of :func:`_informative_cells`."""
    margins = _margins(cells, theta, prior, theta_sp)
    if margins is None:
        return 0.0
    free = _log_odds(_posterior_of_means(*margins, *_rho_nodes(prior.eta), prior), event)
    return free - _log_odds(_posterior_of_means(*margins, np.zeros(1), np.ones(1), prior), event)


def correlation_of_means(
    tables: Tables, theta: float, prior: Prior | None = None, theta_sp: float | None = None
) -> float:
    """Correlation of pooled sensitivity and pooled specificity in the belief, on their logits.

    Parameters
    ----------
    tables, theta, prior, theta_sp
        As for :func:`bivariate_belief`.

    Returns
    -------
    float
        Posterior correlation of both means, in (−1, 1); 0 where no study has both groups of patients.
    """
    prior = prior or Prior()
    margins = _margins(_informative_cells(tables, theta_sp), theta, prior, theta_sp)
    if margins is None:
        return 0.0
    means = _posterior_of_means(*margins, *_rho_nodes(prior.eta), prior)
    weight = softmax(means.log_weight)
    between = np.cov(np.stack([means.m1, means.m2]), aweights=weight, ddof=0)
    within = np.array([[means.A22, -means.A12], [-means.A12, means.A11]]) / means.det_A @ weight
    cov = between + within
    return float(-cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1]))  # of specificity rather than of false positives


_Margin = tuple[Floats, Floats, Floats, Floats]
"""One margin: means and variances of its sites, shape (n,), nodes of τ and their log weights."""


def _margins(
    cells: bytes, theta: float, prior: Prior, theta_sp: float | None
) -> tuple[_Margin, _Margin, tuple[float, float]] | None:
    """Both margins, and the prior means of their logits relative to the thresholds; None if no study has both groups."""
    TP, FN, FP, TN = np.frombuffer(cells).reshape(4, -1)
    diseased, healthy = TP + FN > 0, FP + TN > 0  # also false where they are missing
    if not (diseased & healthy).any():
        return None
    lam, means = float(logit(check_theta(theta))), (prior.shift, 0.0)
    lam_fpr = -lam
    if theta_sp is not None:
        of_sensitivity, of_specificity = prior.margins
        lam_fpr, means = (
            -float(logit(check_theta(theta_sp, "specificity"))),
            (of_sensitivity.shift, -of_specificity.shift),
        )
    y, v = np.zeros((2, len(TP))), np.full((2, len(TP)), NO_INFORMATION)
    y[0, diseased], v[0, diseased], tau1 = _margin(
        TP[diseased], FN[diseased], lam, means[0], prior.s, prior, NODES[0]
    )
    y[1, healthy], v[1, healthy], tau2 = _margin(
        FP[healthy], TN[healthy], lam_fpr, means[1], prior.s_fpr, prior, NODES[1]
    )
    return (y[0], v[0], *tau1), (y[1], v[1], *tau2), means


@lru_cache(maxsize=8)
def _rho_nodes(eta: float) -> tuple[Floats, Floats]:
    """Gauss–Jacobi nodes of the LKJ density, which is (1 − ρ²)^(η−1) for two dimensions."""
    rho, weight = roots_jacobi(NODES[2], eta - 1, eta - 1)
    return rho, weight / weight.sum()


def _margin(
    hits: Floats, misses: Floats, centre: float, mean: float, s: float, prior: Prior, nodes: int
) -> tuple[Floats, Floats, tuple[Floats, Floats]]:
    """Gaussian sites of one margin by expectation propagation, and a quadrature over the τ that they leave plausible.

    Returns means and variances of the sites, shape (n,), and nodes of τ with log weights, shape (nodes,), all in logits.
    Means are relative to `centre`; the weights include the prior density of τ.
    """
    tau, weight = tau_nodes(MARGIN_NODES)
    log_prior = np.log(weight) - 0.5 * (tau / prior.tau) ** 2
    tau2 = (tau**2)[:, None]

    y = np.log((hits + 0.5) / (misses + 0.5)) - centre
    precision = 1 / (1 / (hits + 0.5) + 1 / (misses + 0.5))
    u = y.copy()
    for _ in range(ROUNDS):
        w = 1 / (1 / precision + tau2)  # (T, n)
        log_w, w = prior.weight * np.log(w), prior.weight * w
        total, first, second = 1 / s**2 + w.sum(1), mean / s**2 + w @ y, w @ y**2 + mean**2 / s**2
        log_weight = log_prior + _log_evidence(log_w.sum(1), total, first, second)
        # And without each study in turn.
        total, first = total[:, None] - w, first[:, None] - w * y
        log_left = _log_evidence(log_w.sum(1)[:, None] - log_w, total, first, second[:, None] - w * y**2)
        share = np.exp(log_left + log_prior[:, None] - (log_left + log_prior[:, None]).max(0))
        share /= share.sum(0)
        m = first / total
        cavity = (share * m).sum(0)
        cavity_v = (share * (1 / total + tau2 + (m - cavity) ** 2)).sum(0)
        u, tilted, tilted_v = _tilted_moments(hits, misses, centre, cavity, cavity_v, u)
        # A binomial likelihood is log-concave, so the product is narrower than the cavity.
        new = np.maximum(1 / tilted_v - 1 / cavity_v, 1 / NO_INFORMATION)
        y = (tilted / tilted_v - cavity / cavity_v) / new
        moved = np.abs(np.log(new / precision)).max()
        precision = new
        if moved < SETTLED:
            break
    return y, 1 / precision, _tau_quadrature(tau, log_weight, prior.tau, nodes)


def _log_evidence(log_w: Floats, total: Floats, first: Floats, second: Floats) -> Floats:
    """Log evidence of normal data with the mean integrated out, up to a constant.

    `log_w` is Σ log w; `total`, `first` and `second` are Σ w, Σ w·y and Σ w·y², the prior of the mean included.
    """
    return np.asarray(0.5 * (log_w - second + first**2 / total - np.log(total)))


def _tilted_moments(
    hits: Floats, misses: Floats, centre: float, cavity: Floats, cavity_v: Floats, u: Floats
) -> tuple[Floats, Floats, Floats]:
    """Mode (searched from `u`), mean and variance of cavity × binomial likelihood, shape (n,) each."""
    n = hits + misses
    for _ in range(50):
        p = expit(u + centre)
        gradient = hits - n * p - (u - cavity) / cavity_v
        # Bounded steps: from far out, where the likelihood is flat, Newton would overshoot.
        step = np.clip(gradient / (n * p * (1 - p) + 1 / cavity_v), -1.0, 1.0)
        u = u + step
        if np.abs(step).max() < 1e-8:
            break
    p = expit(u + centre)
    sd = 1 / np.sqrt(n * p * (1 - p) + 1 / cavity_v)
    at = u + sd * _HERMITE[:, None]
    log_f = -hits * np.logaddexp(0, -at - centre) - misses * np.logaddexp(0, at + centre)
    log_f += _LOG_HERMITE - 0.5 * (at - cavity) ** 2 / cavity_v
    f = np.exp(log_f - log_f.max(0))
    f /= f.sum(0)
    mean = (f * at).sum(0)
    return u, mean, (f * (at - mean) ** 2).sum(0)


def _tau_quadrature(tau: Floats, log_weight: Floats, tau_scale: float, nodes: int) -> tuple[Floats, Floats]:
    """Gauss–Legendre nodes between the far quantiles of τ, with log weights that include its prior."""
    cumulative = np.cumsum(softmax(log_weight))
    lower = tau[max(0, int(np.searchsorted(cumulative, TAIL)) - 1)]
    upper = tau[min(len(tau) - 1, int(np.searchsorted(cumulative, 1 - TAIL)) + 1)]
    x, weight = np.polynomial.legendre.leggauss(nodes)
    at = (lower + upper) / 2 + (upper - lower) / 2 * x
    return at, np.log(weight) - 0.5 * (at / tau_scale) ** 2


class _Means(NamedTuple):
    """Posterior of μ1 and μ2 at each grid point of (τ1, τ2, ρ): its log weight, the means, and their precision A."""

    log_weight: Floats
    m1: Floats
    m2: Floats
    A11: Floats
    A22: Floats
    A12: Floats
    det_A: Floats


def _posterior_of_means(
    one: _Margin, two: _Margin, means: tuple[float, float], rho: Floats, rho_weight: Floats, prior: Prior
) -> _Means:
    """Posterior of both means in the normal–normal model, all means relative to the thresholds."""
    (y1, v1, tau1, log_weight1), (y2, v2, tau2, log_weight2) = one, two
    t1, t2, r = (grid.ravel() for grid in np.meshgrid(tau1, tau2, rho, indexing="ij"))
    a, d, c = v1 + t1[:, None] ** 2, v2 + t2[:, None] ** 2, r * t1 * t2
    det = a * d - (c**2)[:, None]
    # Every sum over studies of W = V⁻¹ = [[d, −c], [−c, a]]/det is a product with 1/det, as much as a study counts.
    inverse, ones = prior.weight / det, np.ones_like(y1)
    s, s1, s2, s11, s22, s12 = (inverse @ np.stack([ones, y1, y2, y1**2, y2**2, y1 * y2], axis=1)).T
    by_v1 = inverse @ np.stack([v1, v1 * y2, v1 * y2**2], axis=1)
    by_v2 = inverse @ np.stack([v2, v2 * y1, v2 * y1**2], axis=1)
    d_1, d_y1, d_y11 = by_v2.T + t2**2 * np.stack((s, s1, s11))
    a_1, a_y2, a_y22 = by_v1.T + t1**2 * np.stack((s, s2, s22))

    p1, p2 = 1 / prior.s**2, 1 / prior.s_fpr**2
    A11, A22, A12 = p1 + d_1, p2 + a_1, -c * s
    h1, h2 = p1 * means[0] + d_y1 - c * s2, p2 * means[1] + a_y2 - c * s1
    quadratic = d_y11 + a_y22 - 2 * c * s12
    det_A = A11 * A22 - A12**2
    m1 = (A22 * h1 - A12 * h2) / det_A
    m2 = (A11 * h2 - A12 * h1) / det_A
    log_weight = np.add.outer(np.add.outer(log_weight1, log_weight2), np.log(rho_weight)).ravel()
    log_weight += 0.5 * (h1 * m1 + h2 * m2 - quadratic - prior.weight * np.log(det).sum(1) - np.log(det_A))
    return _Means(log_weight, m1, m2, A11, A22, A12, det_A)


def _log_odds(means: _Means, event: Event) -> float:
    """Log odds of an event in the normal–normal model: μ1 > 0, μ2 < 0 or both."""
    log_weight, m1, m2, A11, A22, A12, det_A = means
    z1, z2 = m1 / np.sqrt(A22 / det_A), -m2 / np.sqrt(A11 / det_A)
    if event == "both":
        chance = float(softmax(log_weight) @ both_below(z1, z2, A12 / np.sqrt(A11 * A22)))
        return float(logit(min(max(chance, CERTAIN), 1 - CERTAIN)))
    z = z1 if event == "sensitivity" else z2
    return float(logsumexp(log_weight + log_ndtr(z)) - logsumexp(log_weight + log_ndtr(-z)))
