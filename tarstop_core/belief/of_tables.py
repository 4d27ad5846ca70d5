"""One way to a belief from 2×2 tables, whichever engine is chosen."""

from dataclasses import dataclass
from typing import cast

import numpy as np

from tarstop_core.belief import bivariate, reitsma, univariate
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
) -> BeliefPath:
    """Belief that pooled sensitivity exceeds θ, after each study.

    The engine is one of :data:`~tarstop_core.belief.engines.ENGINES`; "reml" alone has a continuity correction ("single",
    "all" or "none"), and knows no prior. InputProblem when an argument cannot be used.
    """
    check_theta(theta)
    if engine == "reml":
        fits = reitsma.fit_prefixes(tables, correction=cast(reitsma.Correction, correction))
        last, mu, se = fits[-1], None, None
        if last is not None and last.identified:
            mu, se = ((float(each[0]), float(each[1])) for each in (last.mu, last.se))
        left_out = tuple(
            f"Study {at + 1} ({tables.study[at]}) lacks a count or a group of patients, so reml leaves it out."
            for at, used in enumerate(reitsma.usable(tables))
            if not used
        )
        return BeliefPath(tuple(reitsma.reml_belief(fit, theta) for fit in fits), mu, se, left_out)
    path = bivariate.bivariate_path if check_engine(engine) == "bivariate" else univariate.univariate_path
    return BeliefPath(tuple(float(b) for b in path(tables, theta, prior)), notes=univariate.notes(tables))


def beliefs(tables: Tables, theta: float, engine: str, prior: Prior) -> Floats:
    """As :func:`belief_path`, after 0 … n studies, shape (n + 1,); where "reml" is not identified yet, the prior's b_0."""
    path = belief_path(tables, theta, engine, prior).beliefs
    return np.array([prior.b_0 if b is None else b for b in path])
