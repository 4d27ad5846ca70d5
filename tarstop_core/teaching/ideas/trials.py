"""First trials that agree by luck: how often pooling methods are sure and wrong, in simulated reviews."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.normal import believe, prior_for
from tarstop_core.effects.pooling import prefixes
from tarstop_core.presentation.figures import MARKS, Chart, Figure, rows_of
from tarstop_core.presentation.palette import BELIEF, COST, POOLED, STUDY
from tarstop_core.teaching.ideas import Idea, Picture, message

IDEA = Idea("Trials", message("trials_title"), message("trials_lead"))
REVIEWS, FIRST, TRIALS = 600, 2, 8
"""Simulated reviews, and the smallest and largest number of trials after which each is pooled."""
SPREAD, VARIANCES = 0.5, (0.05, 0.1, 0.2, 0.4)
"""Standard deviation of the average log odds ratio over reviews, and the sampling variances of trials."""
SURE = 0.95  # Chance of one side from which an engine counts as sure
REPORTED_AT = 3  # Number of trials for which the sentences give figures
LOOK = {
    "FE": ("every trial alike (τ = 0)", COST, "dot", 2.5),
    "REML": ("τ estimated (REML)", POOLED, "dash", 2.5),
    "normal": ("every τ weighed, as in a session", BELIEF, "solid", 3.5),
}
"""Name, colour, dash and width of each engine's line."""


@dataclass(frozen=True, eq=False)
class TrialResults:
    """Results after k trials of simulated reviews, in arrays of shape (K,) for k from FIRST to TRIALS."""

    sure: dict[str, np.ndarray]  # By engine, the share of reviews in which it is sure
    wrong: dict[str, np.ndarray]  # By engine, the share of these in which the effect has the other sign
    alike: np.ndarray  # Share of reviews in which τ is estimated as 0


@lru_cache(maxsize=16)
def agreement(tau: float) -> TrialResults:
    """Simulate reviews whose trials differ by τ, and count how often sure beliefs are wrong.

    Parameters
    ----------
    tau
        Standard deviation of the trials' true log odds ratios within a review.

    Returns
    -------
    TrialResults
        From the same random numbers for every τ.
    """
    rng = np.random.default_rng(7)
    prior, ks = prior_for(Measure.OR, 0.0), TRIALS - FIRST + 1
    harmful = np.empty((REVIEWS, 1), dtype=bool)
    above = {engine: np.empty((REVIEWS, ks)) for engine in LOOK}
    alike = np.empty((REVIEWS, ks), dtype=bool)
    for at, mu in enumerate(rng.normal(0, SPREAD, REVIEWS)):
        v = rng.choice(VARIANCES, TRIALS)
        y = rng.normal(mu, np.sqrt(v + tau**2))
        fixed, random = prefixes(y, v, "FE", FIRST), prefixes(y, v, "REML", FIRST)
        above["FE"][at], above["REML"][at] = ndtr(fixed.est / fixed.se), ndtr(random.est / random.se)
        above["normal"][at] = believe(y, v, prior).above(0.0)[FIRST:]
        alike[at], harmful[at] = random.tau2 == 0, mu > 0
    sure = {engine: np.abs(b - 0.5) > SURE - 0.5 for engine, b in above.items()}
    wrong = {engine: sure[engine] & ((b > 0.5) != harmful) for engine, b in above.items()}
    return TrialResults(
        {engine: flags.mean(0) for engine, flags in sure.items()},
        {engine: flags.sum(0) / sure[engine].sum(0) for engine, flags in wrong.items()},
        alike.mean(0),
    )


def wrong_picture(tau: float, *, dark: bool = False) -> Picture:
    """Show how often engines that are sure are wrong, by the number of trials."""
    counts, k = agreement(tau), np.arange(FIRST, TRIALS + 1)
    now = {engine: float(shares[REPORTED_AT - FIRST]) for engine, shares in counts.wrong.items()}
    sure = {engine: float(shares[REPORTED_AT - FIRST]) for engine, shares in counts.sure.items()}
    values = {
        "trials": REPORTED_AT,
        "sure_from": SURE,
        "wrong": now,
        "sure": sure,
        "tau": tau,
        "reviews": REVIEWS,
    }
    return Picture(
        "idea-trials",
        message("trials_heading", **values),
        _wrong_figure(k, counts, dark),
        message("trials", **values),
        rows_of(trials=k, **{f"wrong_{engine}": shares for engine, shares in counts.wrong.items()}),
    )


def _wrong_figure(k: np.ndarray, counts: TrialResults, dark: bool) -> Figure:
    chart = Chart(300, dark=dark, simulated=True)
    for row, (engine, (title, colour, dash, width)) in enumerate(LOOK.items()):
        chart.line(
            k, counts.wrong[engine], colour, width=width, dash=dash, hovertemplate="%{y:.1%}<extra></extra>"
        )
        chart.name(f"{MARKS[dash]} {title}", colour, 0.98 - 0.09 * row)
    chart.line(k[[0, -1]], [1 - SURE] * 2, STUDY, width=1.5)
    chart.axis("xaxis", "trials", range=[FIRST - 0.1, TRIALS + 0.1], nticks=TRIALS, tickformat="d")
    top = max(shares.max() for shares in counts.wrong.values())
    chart.axis("yaxis", f"wrong, where {SURE:.0%} sure", range=[0, 1.5 * max(top, 0.1)], tickformat=".0%")
    return chart.figure()


def alike_picture(tau: float, *, dark: bool = False) -> Picture:
    """Show how often τ is estimated as 0 although trials differ, by the number of trials."""
    counts, k = agreement(tau), np.arange(FIRST, TRIALS + 1)
    first, last = float(counts.alike[REPORTED_AT - FIRST]), float(counts.alike[-1])
    values = {"trials": REPORTED_AT, "share": first, "many": TRIALS, "later": last, "tau": tau}
    chart = Chart(240, dark=dark, simulated=True)
    chart.line(k, counts.alike, POOLED, width=3, hovertemplate="%{y:.0%}<extra></extra>")
    chart.axis("xaxis", "trials", range=[FIRST - 0.1, TRIALS + 0.1], nticks=TRIALS, tickformat="d")
    chart.axis("yaxis", "reviews with τ estimated as 0", range=[0, 1], tickformat=".0%")
    return Picture(
        "idea-alike",
        message("alike_heading", **values),
        chart.figure(),
        message("alike", **values),
        rows_of(trials=k, estimated_as_0=counts.alike),
    )
