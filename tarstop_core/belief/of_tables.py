"""The belief from 2×2 tables, by whichever engine a question names."""

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.special import expit

from tarstop_core.belief import bivariate, reitsma, univariate
from tarstop_core.belief.both import log_odds_by_margins, log_odds_of_each
from tarstop_core.belief.question import Question
from tarstop_core.documents.tables import Floats, Tables


@dataclass(frozen=True)
class BeliefPath:
    """Belief after each study."""

    beliefs: tuple[float | None, ...]  # From 0 studies on; None where the engine has no answer yet
    mu: tuple[float, float] | None = None
    se: tuple[float, float] | None = None
    """`mu` and `se`: logit sensitivity and logit false-positive rate after all studies, and their standard errors; None
    unless the engine is "reml".
    """
    notes: tuple[str, ...] = ()  # Studies that count only in part or not at all


def belief_path(tables: Tables, question: Question, *, correction: str = "single") -> BeliefPath:
    """Belief that pooled sensitivity, and specificity where it decides too, exceeds its threshold, after each study.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    question : Question
        Thresholds, engine and prior.
    correction : {"single", "all", "none"}
        Which studies get a continuity correction; only "reml" corrects any.

    Returns
    -------
    BeliefPath
        Beliefs after 0 … n studies, with notes on studies that count only in part or not at all.
    """
    if question.engine == "reml":
        fits = reitsma.fit_prefixes(tables, correction=cast(reitsma.Correction, correction))
        last, mu, se = fits[-1], None, None
        if last is not None and last.identified:
            mu, se = ((float(pair[0]), float(pair[1])) for pair in (last.mu, last.se))
        left_out = tuple(
            f"Study {at + 1} ({tables.study[at]}) lacks a count or a group of patients, so reml leaves it out."
            for at, used in enumerate(reitsma.usable(tables))
            if not used
        )
        of_fits = (reitsma.reml_belief(fit, question.theta, question.theta_sp) for fit in fits)
        return BeliefPath(tuple(of_fits), mu, se, left_out)
    if question.engine == "bivariate":
        exact = bivariate.bivariate_path(tables, question.theta, question.prior, question.theta_sp)
    else:
        exact = expit(log_odds_by_margins(tables, question))
    return BeliefPath(tuple(float(b) for b in exact), notes=univariate.notes(tables))


def _fitted(tables: Tables) -> reitsma.ReitsmaFit | None:
    """Fit the Reitsma model to all studies; None if none of them is usable."""
    return reitsma.fit(tables) if reitsma.usable(tables).any() else None


def last_belief(tables: Tables, question: Question) -> float | None:
    """Belief after all studies: the last of :func:`belief_path`, computed alone where that is quicker."""
    if question.engine == "reml":
        return reitsma.reml_belief(_fitted(tables), question.theta, question.theta_sp)
    if question.engine == "bivariate":
        return bivariate.bivariate_belief(tables, question.theta, question.prior, question.theta_sp)
    return float(expit(log_odds_by_margins(tables, question, last_only=True)[0]))


def beliefs_of_each(tables: Tables, question: Question) -> tuple[float, float] | None:
    """Belief that pooled sensitivity exceeds its threshold, and that pooled specificity does, after all studies.

    Neither is below the belief that both do. None if specificity is not asked for, or "reml" has fewer than 3 studies.
    """
    if question.theta_sp is None:
        return None
    if question.engine == "reml":
        fitted = _fitted(tables)
        of_sensitivity = reitsma.reml_belief(fitted, question.theta)
        if fitted is None or of_sensitivity is None:
            return None
        return of_sensitivity, fitted.specificity_above(question.theta_sp)
    if question.engine == "bivariate":
        return bivariate.beliefs_of_each(tables, question.theta, question.theta_sp, question.prior)
    sensitivity, specificity = log_odds_of_each(tables, question, last_only=True)
    return float(expit(sensitivity[0])), float(expit(specificity[0]))


def beliefs(tables: Tables, question: Question) -> Floats:
    """Belief after 0 … n studies, shape (n + 1,); the prior's b_0 while "reml" has fewer than 3 studies."""
    path = belief_path(tables, question).beliefs
    return np.array([question.prior.b_0 if b is None else b for b in path])
