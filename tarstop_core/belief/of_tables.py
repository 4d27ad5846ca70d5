"""One way to a belief from 2×2 tables, whichever engine is chosen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from tarstop_core.belief import bayes, bivariate, prior, reitsma
from tarstop_core.errors import InputProblem
from tarstop_core.tables import Tables

ENGINES = ("bivariate", "univariate", "reml")


@dataclass(frozen=True)
class BeliefPath:
    """Belief after each study.

    Parameters
    ----------
    beliefs : tuple of float or None, length n + 1
        From 0 studies on; None where the engine has no answer yet.
    mu, se : tuple of float or None
        "reml": logit sensitivity and logit false-positive rate after all studies, and their standard
        errors; else None.
    notes : tuple of str
        Studies that count only in part or not at all.
    """

    beliefs: tuple[float | None, ...]
    mu: tuple[float, float] | None = None
    se: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()


def belief_path(
    tables: Tables,
    theta: float,
    engine: str = "bivariate",
    *,
    b_0: float | None = None,
    prior_file: Path | None = None,
    correction: str = "single",
) -> BeliefPath:
    """Belief that pooled sensitivity exceeds θ, after each study.

    Parameters
    ----------
    tables : Tables
        n studies.
    theta : float
        In (0, 1).
    engine : {"bivariate", "univariate", "reml"}
        Exact binomial likelihood on both groups (the default) or on the diseased alone, or the Reitsma
        model by REML, which knows no prior.
    b_0 : float, optional
        Belief before any study; replaces that of the prior.
    prior_file : path, optional
        A saved prior; the default one without it.
    correction : {"single", "all", "none"}
        Continuity correction of "reml".

    Raises
    ------
    InputProblem
        When an argument cannot be used.
    """
    prior.check_theta(theta)
    if engine == "reml":
        if b_0 is not None or prior_file is not None:
            raise InputProblem("The engine reml knows no prior; leave out --b0 and --prior.")
        fits = reitsma.fit_prefixes(tables, correction=cast(reitsma.Correction, correction))
        last = fits[-1]
        mu = se = None
        if last is not None and last.identified:
            mu = (float(last.mu[0]), float(last.mu[1]))
            se = (float(last.se[0]), float(last.se[1]))
        beliefs = tuple(reitsma.reml_belief(fit, theta) for fit in fits)
        left_out = tuple(
            f"Study {at + 1} ({tables.study[at]}) lacks a count or a group of patients, so reml leaves it out."
            for at, used in enumerate(reitsma.usable(tables))
            if not used
        )
        return BeliefPath(beliefs, mu, se, left_out)
    if engine not in ENGINES:
        raise InputProblem(f"There is no engine '{engine}'; choose one of {', '.join(ENGINES)}.")
    chosen = prior.load(prior_file) if prior_file is not None else prior.Prior()
    if b_0 is not None:
        chosen = replace(chosen, b_0=b_0)
    path = bivariate.bivariate_path if engine == "bivariate" else bayes.univariate_path
    beliefs = tuple(float(b) for b in path(tables, theta, chosen))
    return BeliefPath(beliefs, notes=bayes.notes(tables))
