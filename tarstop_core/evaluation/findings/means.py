"""Means over cases, and their intervals.

The share of ω⁺ cases was chosen by the author of a benchmark, so means can be weighed to any other share. Intervals
come from resampling groups (a topic with its twin, a review with its outcomes); in patents the share of ω⁺ cases is
kept.
"""

from dataclasses import dataclass

import numpy as np

from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks import TASKS
from tarstop_core.value.payoffs import Floats

DRAWS = 1000
"""Bootstrap samples."""
LEVELS = (0.025, 0.975)
"""Quantiles at the ends of an interval."""


@dataclass(frozen=True, eq=False)
class Mean:
    """A mean with its 95 % interval, in arrays of one shape."""

    value: Floats
    low: Floats
    high: Floats


def weighted_mean(results: Results, values: Floats, q: int, share: float | None = None) -> Floats:
    """Weighted mean of values over cases.

    Parameters
    ----------
    results : Results
        Results of an experiment, with the weights of its cases.
    values : ndarray, shape (T, …)
        Values of each case.
    q : int
        Index of the q* whose truth says which cases are ω⁺.
    share : float, optional
        If given, ω⁺ cases are weighed to this share.

    Returns
    -------
    ndarray, shape (…)
    """
    weights = metrics.share_weights(results.omega[:, q], share, results.weights)
    return np.asarray(np.tensordot(weights, values, axes=1))


def mean_with_interval(
    results: Results, values: Floats, q: int, share: float | None = None, draws: int = DRAWS
) -> Mean:
    """Weighted mean of values over cases, with a percentile bootstrap interval over groups.

    All values are resampled with the same groups, so intervals of differences are paired.

    Parameters
    ----------
    results, values, q, share
        As of :func:`weighted_mean`.
    draws : int
        Bootstrap samples.

    Returns
    -------
    Mean
    """
    value = weighted_mean(results, values, q, share)
    low, high = _interval(_resampled(results, values, q, share, draws))
    return Mean(value, low.reshape(value.shape), high.reshape(value.shape))


def _resampled(results: Results, values: Floats, q: int, share: float | None, draws: int) -> Floats:
    """Means of values, shape (T, …), in bootstrap samples, shape (draws, K); NaN if a sample lacks ω⁺ or ω⁻ cases."""
    flat = values.reshape(len(values), -1)
    omega, weights = results.omega[:, q], results.weights
    _, group_of = np.unique(np.asarray(results.groups), return_inverse=True)
    groups = int(group_of.max()) + 1
    drawn = metrics.bootstrap_weights(groups, draws)
    if share is None and TASKS[results.scenario].fixed_share:
        share = float(weights[omega].sum() / weights.sum())
    parts = [(np.ones_like(omega), 1.0)] if share is None else [(omega, share), (~omega, 1 - share)]
    sampled = np.zeros((draws, flat.shape[1]))
    for state, part in parts:
        if part <= 0:
            continue
        sums = np.zeros((groups, flat.shape[1]))
        np.add.at(sums, group_of[state], weights[state, None] * flat[state])
        total = drawn @ np.bincount(group_of[state], weights=weights[state], minlength=groups)
        with np.errstate(invalid="ignore", divide="ignore"):
            sampled += part * (drawn @ sums) / total[:, None]
    return sampled


def _interval(sampled: Floats) -> tuple[Floats, Floats]:
    """Ends of the 95 % interval of bootstrap means, shape (K,) each; NaN if no sample has all means."""
    kept = sampled[np.isfinite(sampled).all(axis=1)]
    low, high = np.quantile(kept, LEVELS, axis=0) if len(kept) else np.full((2, sampled.shape[1]), np.nan)
    return low, high


def mean_gain(results: Results, one: str, other: str, share: float | None = None) -> Mean:
    """Mean difference in net utility between two methods, over all cases, q* and costs.

    Parameters
    ----------
    results : Results
        Results of an experiment in which both were run.
    one, other : str
        Names of the methods.
    share : float, optional
        Share of ω⁺ cases to weigh to.

    Returns
    -------
    Mean
        Scalars.
    """
    utility = results.net_utility
    gain = (utility[:, results.method(one)] - utility[:, results.method(other)]).mean(axis=2)
    q_at = range(len(results.q_stars))
    value = np.mean([weighted_mean(results, gain[:, q], q, share) for q in q_at])
    # Every q* is resampled with the same groups, so sample i of one q* belongs to sample i of the others.
    sampled = np.mean([_resampled(results, gain[:, q], q, share, DRAWS) for q in q_at], axis=0)
    low, high = _interval(sampled)
    return Mean(np.asarray(value), low[0], high[0])
