"""Effect sizes of single studies: estimates and sampling variances on the scale of analysis."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from tarstop_core.effects.measures import Measure
from tarstop_core.errors import InputProblem

Floats: TypeAlias = npt.NDArray[np.float64]
Z = 1.959963984540054
"""Standard normal quantile at .975."""


@dataclass(frozen=True)
class Sizes:
    """Effect sizes of k studies, arm 1 (treatment) minus arm 0 (control); NaN where a study carries no information."""

    y: Floats  # estimates, shape (k,)
    v: Floats  # sampling variances, shape (k,)

    def __len__(self) -> int:
        return len(self.y)

    @property
    def says_something(self) -> npt.NDArray[np.bool_]:
        """Whether each study carries information, shape (k,)."""
        return np.isfinite(self.y)


def of_events(
    measure: Measure,
    events_1: Floats,
    n_1: Floats,
    events_0: Floats,
    n_0: Floats,
    *,
    to: Literal["only0", "all"] = "only0",
    drop00: bool = True,
) -> Sizes:
    """Log odds ratios, log risk ratios or risk differences of 2×2 tables, with a half added to empty cells.

    Parameters
    ----------
    measure : Measure
        OR, RR or RD.
    events_1, n_1 : array of shape (k,)
        Events and people in the treated arm.
    events_0, n_0 : array of shape (k,)
        Events and people in the control arm.
    to : {"only0", "all"}
        Whether a half is added to all four cells of studies with an empty cell, or of every study.
    drop00 : bool
        Whether an OR or RR is NaN for a study in which nobody or everybody had the event.

    Returns
    -------
    Sizes
        With y and v on the scale of analysis.

    Raises
    ------
    InputProblem
        When the measure is not OR, RR or RD.
    """
    a, c = (np.asarray(events, dtype=float) for events in (events_1, events_0))
    b, d = np.asarray(n_1, dtype=float) - a, np.asarray(n_0, dtype=float) - c
    no_information = (drop00 and measure is not Measure.RD) & ((a + c == 0) | (b + d == 0))
    add = 0.5 * ((to == "all") | (a == 0) | (b == 0) | (c == 0) | (d == 0))
    a, b, c, d = a + add, b + add, c + add, d + add
    m, n = a + b, c + d
    if measure is Measure.OR:
        y, v = np.log(a * d / (b * c)), 1 / a + 1 / b + 1 / c + 1 / d
    elif measure is Measure.RR:
        y, v = np.log(a * n / (c * m)), 1 / a - 1 / m + 1 / c - 1 / n
    elif measure is Measure.RD:
        y, v = a / m - c / n, a * b / m**3 + c * d / n**3
    else:
        raise InputProblem(f"{measure} is not a measure of events; choose OR, RR or RD.")
    return Sizes(np.where(no_information, np.nan, y), np.where(no_information, np.nan, v))


def of_means(
    measure: Measure,
    mean_1: Floats,
    sd_1: Floats,
    n_1: Floats,
    mean_0: Floats,
    sd_0: Floats,
    n_0: Floats,
    *,
    vtype: Literal["LS", "UB"] = "LS",
) -> Sizes:
    """Mean differences, or standardised mean differences: Hedges' g with the exact factor J (Hedges 1981).

    Parameters
    ----------
    measure : Measure
        MD or SMD.
    mean_1, sd_1, n_1 : array of shape (k,)
        Mean, standard deviation and people in the treated arm.
    mean_0, sd_0, n_0 : array of shape (k,)
        Mean, standard deviation and people in the control arm.
    vtype : {"LS", "UB"}
        Sampling variance of an SMD: for large samples, or unbiased.

    Returns
    -------
    Sizes
        In the unit of the means, or in standard deviations.

    Raises
    ------
    InputProblem
        When the measure is not MD or SMD.
    """
    difference = mean_1 - mean_0
    if measure is Measure.MD:
        return Sizes(difference, sd_1**2 / n_1 + sd_0**2 / n_0)
    if measure is not Measure.SMD:
        raise InputProblem(f"{measure} is not a measure of means; choose MD or SMD.")
    freedom = n_1 + n_0 - 2
    pooled = np.sqrt(((n_1 - 1) * sd_1**2 + (n_0 - 1) * sd_0**2) / freedom)
    J = np.exp(gammaln(freedom / 2) - gammaln((freedom - 1) / 2)) / np.sqrt(freedom / 2)
    g = J * difference / pooled
    factor = 1 / (2 * (n_1 + n_0)) if vtype == "LS" else 1 - (freedom - 2) / (freedom * J**2)
    return Sizes(g, 1 / n_1 + 1 / n_0 + factor * g**2)


def of_limits(estimate: Floats, low: Floats, high: Floats, ratio: bool) -> Sizes:
    """Effect sizes from published estimates with 95 % limits; ratios are taken to the log scale.

    Parameters
    ----------
    estimate, low, high : array of shape (k,)
        As published.
    ratio : bool
        Whether they are ratios (HR, OR, rate ratio).

    Returns
    -------
    Sizes
        The standard error is the distance between the limits divided by 2 · 1.96.
    """
    y, below, above = (np.log(x) if ratio else x for x in (estimate, low, high))
    return Sizes(np.asarray(y), ((above - below) / (2 * Z)) ** 2)


def of_observed_minus_expected(o_minus_e: Floats, variance: Floats) -> Sizes:
    """Log hazard ratios from log-rank statistics, O − E and V: y = (O − E) / V with variance 1 / V (Peto)."""
    return Sizes(o_minus_e / variance, 1 / variance)
