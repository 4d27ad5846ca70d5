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

    Returns
    -------
    BeliefPath
        Beliefs after 0 … n studies, with remarks on studies that count only in part.

    Raises
    ------
    InputProblem
        When θ lies outside (0, 1), or there is no such engine.
    """
    check_theta(theta)
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
        return BeliefPath(tuple(reitsma.reml_belief(fit, theta) for fit in fits), mu, se, left_out)
    path = bivariate.bivariate_path if check_engine(engine) == "bivariate" else univariate.univariate_path
    return BeliefPath(tuple(float(b) for b in path(tables, theta, prior)), notes=univariate.notes(tables))


def beliefs(tables: Tables, theta: float, engine: str, prior: Prior) -> Floats:
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

    Returns
    -------
    ndarray, shape (n + 1,)
        As :func:`belief_path`; where "reml" is not identified yet, the prior's b_0.
    """
    path = belief_path(tables, theta, engine, prior).beliefs
    return np.array([prior.b_0 if b is None else b for b in path])
