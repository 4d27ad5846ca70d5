"""What :mod:`scripts.report_reml` reports: every belief by REML, exactly, and on the steps between."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.special import logit, ndtr

from tarstop_core.belief.bivariate import bivariate_path
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.reitsma import IDENTIFIED_FROM, Correction, fit_prefixes, reml_belief
from tarstop_core.belief.univariate import Lattice, lattice_for, study_likelihood, univariate_path
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.files.tables import read_tables

Floats = NDArray[np.float64]
THETA = 0.75
THETAS = (0.6, THETA, 0.9)
FLAT = Prior(s=5, s_fpr=5)  # as flat as a prior may be
OTHER_PRIORS = {"exact_half_tau": Prior(tau=0.5), "exact_b0_7": Prior(b_0=0.7)}
ORDERS = 20
SEED = 1
FIRST, OUTCOMES = "first tests", "outcomes"
KEYS = ["set", "review", "outcome", "theta", "studies"]

# The staircase, from REML to exact: the belief on each step, and what was changed to get there.
STEPS = (
    ("reml_single", ""),
    ("reml_sensitivity", "sensitivity alone"),
    ("averaged", "heterogeneity averaged, not plugged in"),
    ("own_logits", "no ½ where TP and FN are not empty"),
    ("empty_exact", "studies with empty TP or FN counted exactly"),
    ("univariate_flat", "all other studies counted exactly"),
    ("univariate", "the default prior, centred at θ"),
    ("exact", "false positives again"),
)


@dataclass(frozen=True, eq=False)
class Reviewed:
    """The tables of one outcome of one review."""

    origin: str
    review: str
    outcome: str
    tables: Tables


def read_first_tests(data: Path) -> list[Reviewed]:
    """The first test of each review, in the order of the file."""
    return [
        Reviewed(FIRST, path.stem, path.stem, read_tables(path).tables)
        for path in sorted((data / "dta_reviews").glob("CD*.csv"))
    ]


def read_outcome_tables(data: Path) -> list[Reviewed]:
    """Every outcome with at least five studies, in the order of the file."""
    rows = pd.read_csv(data / "clef_dta" / "outcomes.csv", dtype={"study": str})
    return [
        Reviewed(
            OUTCOMES,
            str(review),
            str(outcome),
            Tables(tuple(part["study"]), *(part[cell].to_numpy(dtype=np.float64) for cell in CELLS)),
        )
        for (review, outcome), part in rows.groupby(["topic", "outcome"])
    ]


# --- measuring ----------------------------------------------------------------------------------


def reml_path(tables: Tables, theta: float, correction: Correction) -> Floats:
    """REML belief after 0 … n studies, shape (n + 1,); NaN before the third."""
    fits = fit_prefixes(tables, correction=correction)
    return np.array([reml_belief(fitted, theta) for fitted in fits], dtype=np.float64)


def with_empty_cell(tables: Tables) -> NDArray[np.bool_]:
    """Which studies have an empty cell, shape (n,)."""
    return np.asarray((np.stack([tables.TP, tables.FP, tables.FN, tables.TN]) == 0).any(axis=0))


def with_empty_sensitivity(tables: Tables) -> NDArray[np.bool_]:
    """Which studies found all of the diseased or none of them, shape (n,)."""
    return np.asarray((tables.TP == 0) | (tables.FN == 0))


def logits(tables: Tables, corrected: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Logit sensitivity and its variance, half a patient being added to the cells of some studies."""
    hits, misses = tables.TP + 0.5 * corrected, tables.FN + 0.5 * corrected
    return np.log(hits / misses), 1 / hits + 1 / misses


def reml_of_sensitivity(y: Floats, v: Floats, theta: float) -> Floats:
    """REML belief from sensitivity alone after 0 … n studies, the heterogeneity found on a fine grid."""
    w = 1 / (v + np.linspace(0, 6, 3001)[:, None] ** 2)
    total, first, second = (np.cumsum(w * power, axis=1) for power in (np.ones_like(y), y, y**2))
    restricted = np.cumsum(np.log(w), axis=1) - np.log(total) - second + first**2 / total
    best = restricted.argmax(axis=0), np.arange(len(y))
    mean, precision = (first / total)[best], total[best]
    return np.concatenate([[np.nan], ndtr((mean - logit(theta)) * np.sqrt(precision))])


def log_normal(y: Floats, v: Floats, theta: float, lattice: Lattice) -> Floats:
    """Log-likelihood of every (τ, μ) by each study whose logit is taken as normal, shape (n, T·M)."""
    variance = lattice.tau[:, None] ** 2 + v[:, None, None]
    distance = lattice.mu - (y - logit(theta))[:, None, None]
    return np.asarray(-0.5 * (distance**2 / variance + np.log(variance))).reshape(len(y), -1)


def averaged_path(log_rows: Floats, lattice: Lattice, prior: Prior) -> Floats:
    """Posterior belief after 0 … n studies, given each study's log-likelihood of every (τ, μ)."""
    start = np.outer(lattice.tau_prior(prior.tau), lattice.mu_prior(prior.shift, prior.s)).ravel()
    with np.errstate(divide="ignore"):
        logs = np.log(start) + np.concatenate([np.zeros((1, len(start))), np.cumsum(log_rows, axis=0)])
    below, above = lattice.halves(np.exp(logs - logs.max(axis=1, keepdims=True)))
    return np.asarray(above / (below + above))


def wald_path(log_rows: Floats, lattice: Lattice) -> Floats:
    """Φ(μ̂/se) of the maximum-likelihood fit, as mixed-model software reports it, after 0 … n studies.

    NaN where the likelihood has no maximum inside (nothing but hits, or nothing but misses).
    """
    beliefs = [np.nan]
    along = np.arange(0, len(lattice.tau) - 1 + 1e-9, 1 / 16)
    for row in np.cumsum(log_rows, axis=0).reshape(len(log_rows), len(lattice.tau), len(lattice.mu)):
        # The likelihood is even in τ: flat at 0.
        of_tau = CubicSpline(np.arange(len(lattice.tau)), row, bc_type=("clamped", "natural"))
        profile = CubicSpline(lattice.mu, of_tau(along).max(axis=0))
        tops = profile.derivative().roots(extrapolate=False)
        tops = tops[profile(tops, 2) < -1e-3]
        if not len(tops):
            beliefs.append(np.nan)
            continue
        top = tops[profile(tops).argmax()]
        beliefs.append(float(ndtr(top * np.sqrt(-profile(top, 2)))))
    return np.array(beliefs)


def staircase(tables: Tables, theta: float) -> dict[str, Floats]:
    """Beliefs between REML and exact, one change at a time, after 0 … n studies.

    Returns
    -------
    dict of str to ndarray, shape (n + 1,)
        `reml_sensitivity`: the REML belief without the false positives. `averaged`: the same corrected
        logits, but averaged over the heterogeneity and its prior, μ nearly flat. `own_logits`: half a
        patient added only where TP or FN is empty. `empty_exact`: studies with empty TP or FN by their
        binomial likelihood, the others by their logits. `others_exact`: the other way round.
        `univariate_flat`: all by their binomial likelihood. `univariate`: with the default prior.
        `wald`: maximum likelihood of the binomial model, instead of an average.
    """
    lattice = lattice_for(tables, theta, FLAT)
    needed = with_empty_sensitivity(tables)
    usual, sparing = logits(tables, with_empty_cell(tables)), logits(tables, needed)
    normal = log_normal(*sparing, theta, lattice)
    rows, log_scale = study_likelihood(tables, theta, lattice)
    binomial = np.log(np.maximum(rows, 1e-300)) + log_scale[:, None]
    at = needed[:, None]
    return {
        "reml_sensitivity": reml_of_sensitivity(*usual, theta),
        "averaged": averaged_path(log_normal(*usual, theta, lattice), lattice, FLAT),
        "own_logits": averaged_path(normal, lattice, FLAT),
        "empty_exact": averaged_path(np.where(at, binomial, normal), lattice, FLAT),
        "others_exact": averaged_path(np.where(at, normal, binomial), lattice, FLAT),
        "univariate_flat": univariate_path(tables, theta, FLAT),
        "univariate": univariate_path(tables, theta),
        "wald": wald_path(binomial, lattice),
    }


def beliefs(reviewed: Reviewed, theta: float) -> pd.DataFrame:
    """Every belief after each study from the third on, a row a prefix."""
    tables = reviewed.tables
    paths = {
        "reml_single": reml_path(tables, theta, "single"),
        "reml_all": reml_path(tables, theta, "all"),
        "exact": bivariate_path(tables, theta),
        "exact_flat": bivariate_path(tables, theta, FLAT),
    }
    if theta == THETA:
        paths |= {name: bivariate_path(tables, theta, prior) for name, prior in OTHER_PRIORS.items()}
        paths |= staircase(tables, theta)
    rows = pd.DataFrame(
        {
            "set": reviewed.origin,
            "review": reviewed.review,
            "outcome": reviewed.outcome,
            "theta": theta,
            "studies": np.arange(len(tables) + 1),
            "any_empty": np.concatenate([[0], np.cumsum(with_empty_cell(tables))]),
            "TP_or_FN_empty": np.concatenate([[0], np.cumsum(with_empty_sensitivity(tables))]),
            **paths,
        }
    )
    rows["final"] = rows["studies"] == len(tables)
    return rows[rows["studies"] >= IDENTIFIED_FROM]


def measure(data: Path) -> pd.DataFrame:
    """Beliefs of all prefixes of all outcomes, rounded as they are written."""
    everything = read_first_tests(data) + read_outcome_tables(data)
    found = pd.concat([beliefs(each, theta) for each in everything for theta in THETAS], ignore_index=True)
    return found.round(dict.fromkeys(belief_columns(found), DIGITS))


def belief_columns(rows: pd.DataFrame) -> list[str]:
    """The columns that hold beliefs."""
    return [name for name in rows.columns if name not in (*KEYS, "any_empty", "TP_or_FN_empty", "final")]


def other_orders(reviewed: Iterable[Reviewed], orders: int) -> Floats:
    """Share of differing actions, all q* and prefixes together, in each of several random orders."""
    rng = np.random.default_rng(SEED)
    differing, decisions = np.zeros(orders), 0
    for each in reviewed:
        for order in range(orders):
            at = rng.permutation(len(each.tables))
            names = tuple(each.tables.study[i] for i in at)
            shuffled = Tables(names, *(getattr(each.tables, cell)[at] for cell in CELLS))
            paths = [reml_path(shuffled, THETA, "single"), bivariate_path(shuffled, THETA)]
            pair = pd.DataFrame({"a": paths[0][IDENTIFIED_FROM:], "b": paths[1][IDENTIFIED_FROM:]})
            differing[order] += differs(pair, "a", "b").sum()
        decisions += (len(each.tables) + 1 - IDENTIFIED_FROM) * len(Q_STARS)
    return differing / decisions


Q_STARS = (0.2, 0.5, 0.8)
DIGITS = 6


# --- comparing ----------------------------------------------------------------------------------


def differs(rows: pd.DataFrame, first: str = "reml_single", second: str = "exact") -> NDArray[np.bool_]:
    """Whether two beliefs choose different actions, shape (rows, q*)."""
    a, b = rows[first].to_numpy()[:, None], rows[second].to_numpy()[:, None]
    return np.asarray((a > np.array(Q_STARS)) != (b > np.array(Q_STARS)))


def rate(rows: pd.DataFrame, first: str = "reml_single", second: str = "exact") -> float:
    """Share of actions that differ, all q* together, where both beliefs are known."""
    return float(differs(rows.dropna(subset=[first, second]), first, second).mean())


def settings_of(found: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The rows at the main θ, by set."""
    main = found[found["theta"] == THETA]
    return {str(origin): main[main["set"] == origin] for origin in found["set"].unique()}
