"""One way to a belief from 2×2 tables, whichever engine is chosen."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from tarstop_core.belief import bayes, bivariate, reitsma
from tarstop_core.belief.engines import check_engine
from tarstop_core.belief.prior import Prior, check_theta
from tarstop_core.documents.tables import Floats, Tables


@dataclass(frozen=True)
class BeliefPath:
    """Belief after each study."""

    beliefs: tuple[float | None, ...]
    """From 0 studies on; None where the engine has no answer yet."""
    mu: tuple[float, float] | None = None
    se: tuple[float, float] | None = None
    """`mu` and `se`: "reml": logit sensitivity and logit false-positive rate after all studies, and their standard
    errors; else None.
    """
    notes: tuple[str, ...] = ()
    """Studies that count only in part or not at all."""


def belief_path(
    tables: Tables,
    theta: float,
    engine: str = "bivariate",
    prior: Prior | None = None,
    *,
    correction: str = "single",
) -> BeliefPath:
    """Belief that pooled sensitivity exceeds θ, after each study.

    InputProblem when an argument cannot be used.

    Parameters
    ----------
    tables : Tables
        n studies.
    theta : float
        In (0, 1).
    engine : {"bivariate", "univariate", "reml"}
        Exact binomial likelihood on both groups (the default) or on the diseased alone, or the Reitsma
        model by REML, which knows no prior.
    prior : Prior, optional
        The default one without it; "reml" does not look at it.
    correction : {"single", "all", "none"}
        Continuity correction of "reml".
    """
    check_theta(theta)
    if engine == "reml":
        fits = reitsma.fit_prefixes(tables, correction=cast(reitsma.Correction, correction))
        last = fits[-1]
        mu = se = None
        if last is not None and last.identified:
            mu = (float(last.mu[0]), float(last.mu[1]))
            se = (float(last.se[0]), float(last.se[1]))
        left_out = tuple(
            f"Study {at + 1} ({tables.study[at]}) lacks a count or a group of patients, so reml leaves it out."
            for at, used in enumerate(reitsma.usable(tables))
            if not used
        )
        return BeliefPath(tuple(reitsma.reml_belief(fit, theta) for fit in fits), mu, se, left_out)
    path = bivariate.bivariate_path if check_engine(engine) == "bivariate" else bayes.univariate_path
    return BeliefPath(tuple(float(b) for b in path(tables, theta, prior)), notes=bayes.notes(tables))


def beliefs(tables: Tables, theta: float, engine: str, prior: Prior) -> Floats:
    """Belief after 0 … n studies, shape (n + 1,); where "reml" is not identified yet, the prior's b_0.

    InputProblem when an argument cannot be used.
    """
    path = belief_path(tables, theta, engine, prior).beliefs
    return np.array([prior.b_0 if b is None else b for b in path])
