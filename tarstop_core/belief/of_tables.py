"""One way to a belief from 2×2 tables, whichever engine is chosen."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.special import expit

from tarstop_core.belief import bivariate, reitsma, univariate
from tarstop_core.belief.both import log_odds_by_margins, log_odds_of_each
from tarstop_core.belief.engines import check_engine
from tarstop_core.belief.prior import Prior, check_theta
from tarstop_core.documents.tables import Floats, Tables


@dataclass(frozen=True)
class BeliefPath:
    """Belief after each study."""

    beliefs: tuple[float | None, ...]  # From 0 studies on; None where the engine has no answer yet
    mu: tuple[float, float] | None = None
    se: tuple[float, float] | None = None
    """`mu` and `se`: "reml": logit sensitivity and logit false-positive rate after all studies, and their standard
    errors; else None.
    """
    notes: tuple[str, ...] = ()  # Studies that count only in part or not at all


def belief_path(
    tables: Tables,
    theta: float,
    engine: str = "bivariate",
    prior: Prior | None = None,
    *,
    correction: str = "single",
    theta_sp: float | None = None,
) -> BeliefPath:
    """Belief that pooled sensitivity exceeds θ, after each study.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    engine : str
        One of :data:`~tarstop_core.belief.engines.ENGINES`.
    prior : Prior, optional
        What is believed before any study; "reml" knows none.
    correction : {"single", "all", "none"}
        Which studies get a continuity correction, by "reml" alone.
    theta_sp : float, optional
        Threshold that pooled specificity is to exceed as well, in (0, 1): the belief is that both do.

    Returns
    -------
    BeliefPath
        Beliefs after 0 … n studies, with remarks on studies that count only in part.

    Raises
    ------
    InputProblem
        When a threshold lies outside (0, 1), or there is no such engine.
    """
    check_theta(theta)
    if theta_sp is not None:
        check_theta(theta_sp, "specificity")
    if engine == "reml":
        fits = reitsma.fit_prefixes(tables, correction=cast(reitsma.Correction, correction))
        last, mu, se = fits[-1], None, None
        if last is not None and last.identified:
            mu, se = ((float(pair[0]), float(pair[1])) for pair in (last.mu, last.se))
        left_out = tuple(
            f"Study {at + 1} ({tables.study[at]}) lacks a count or a group of patients, so reml leaves it out."
            for at, used in enumerate(reitsma.usable(tables))
            if not used
        )
        return BeliefPath(tuple(reitsma.reml_belief(fit, theta, theta_sp) for fit in fits), mu, se, left_out)
    if check_engine(engine) == "bivariate":
        path = bivariate.bivariate_path(tables, theta, prior, theta_sp)
    else:
        path = expit(log_odds_by_margins(tables, theta, prior or Prior(), theta_sp))
    return BeliefPath(tuple(float(b) for b in path), notes=univariate.notes(tables))


def _fitted(tables: Tables) -> reitsma.ReitsmaFit | None:
    """The fit to all studies; None where none of them is usable."""
    return reitsma.fit(tables) if reitsma.usable(tables).any() else None


def last_belief(
    tables: Tables, theta: float, engine: str, prior: Prior, theta_sp: float | None = None
) -> float | None:
    """Belief after all studies.

    Parameters
    ----------
    tables, theta, engine, prior, theta_sp
        As of :func:`belief_path`.

    Returns
    -------
    float or None
        The last one of :func:`belief_path`, without the others where that is quicker.
    """
    if engine == "reml":
        return reitsma.reml_belief(_fitted(tables), theta, theta_sp)
    if check_engine(engine) == "bivariate":
        return bivariate.bivariate_belief(tables, theta, prior, theta_sp)
    return float(expit(log_odds_by_margins(tables, theta, prior, theta_sp, last_only=True)[0]))


def beliefs_of_each(
    tables: Tables, theta: float, theta_sp: float, engine: str, prior: Prior
) -> tuple[float, float] | None:
    """Beliefs that pooled sensitivity, and that pooled specificity, exceeds its threshold, after all studies.

    Parameters
    ----------
    tables, theta, theta_sp, engine, prior
        As of :func:`belief_path`.

    Returns
    -------
    (float, float) or None
        Neither is below the belief that both do; None where "reml" is not identified.
    """
    if engine == "reml":
        fitted = _fitted(tables)
        sensitivity = reitsma.reml_belief(fitted, theta)
        if fitted is None or sensitivity is None:
            return None
        return sensitivity, fitted.specificity_above(theta_sp)
    if check_engine(engine) == "bivariate":
        return bivariate.beliefs_of_each(tables, theta, theta_sp, prior)
    of_sensitivity, of_specificity = log_odds_of_each(tables, theta, theta_sp, prior, last_only=True)
    return float(expit(of_sensitivity[0])), float(expit(of_specificity[0]))


def beliefs(tables: Tables, theta: float, engine: str, prior: Prior, theta_sp: float | None = None) -> Floats:
    """Belief after each study as numbers throughout.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    engine : str
        One of :data:`~tarstop_core.belief.engines.ENGINES`.
    prior : Prior
        What is believed before any study.
    theta_sp : float, optional
        Threshold that pooled specificity is to exceed as well, in (0, 1).

    Returns
    -------
    ndarray, shape (n + 1,)
        As :func:`belief_path`; where "reml" is not identified yet, the prior's b_0.
    """
    path = belief_path(tables, theta, engine, prior, theta_sp=theta_sp).beliefs
    return np.array([prior.b_0 if b is None else b for b in path])
