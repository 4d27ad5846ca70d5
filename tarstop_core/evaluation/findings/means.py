"""Means over cases and their intervals.

Means can be weighed to any share of ω⁺ cases, which is the choice of whoever built a benchmark. Intervals come from
resampling groups (a topic with its twin, a review with its outcomes), in patents within the share of ω⁺ cases.
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


@dataclass(frozen=True, eq=False)
class Mean:
    """A mean with its interval of 95 %, arrays of one shape."""

    value: Floats
    low: Floats
    high: Floats


def weighted_mean(results: Results, values: Floats, q: int, share: float | None = None) -> Floats:
    """Mean over cases of some values.

    Parameters
    ----------
    results : Results
        With the weights of the cases.
    values : ndarray, shape (T, …)
        Of each case.
    q : int
        Index of the q* whose truth counts.
    share : float, optional
        Means are taken as if this share of the cases were ω⁺; as they are unless given.

    Returns
    -------
    ndarray, shape (…)
    """
    weights = metrics.share_weights(results.omega[:, q], share, results.weights)
    return np.asarray(np.tensordot(weights, values, axes=1))


def mean_with_interval(
    results: Results, values: Floats, q: int, share: float | None = None, draws: int = DRAWS
) -> Mean:
    """Mean over cases with a percentile bootstrap interval over groups.

    The same groups are drawn whatever the values, so differences are paired.

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
    """Means of values of shape (T, …) over bootstrap samples, shape (draws, …); NaN where a sample lacks a state."""
    flat = values.reshape(len(values), -1)
    omega, weights = results.omega[:, q], results.weights
    _, of = np.unique(np.asarray(results.groups), return_inverse=True)
    groups = int(of.max()) + 1
    drawn = metrics.bootstrap_weights(groups, draws)
    if share is None and TASKS[results.scenario].fixed_share:
        share = float(weights[omega].sum() / weights.sum())
    parts = [(np.ones_like(omega), 1.0)] if share is None else [(omega, share), (~omega, 1 - share)]
    sampled = np.zeros((draws, flat.shape[1]))
    for state, part in ((state, part) for state, part in parts if part > 0):
        sums = np.zeros((groups, flat.shape[1]))
        np.add.at(sums, of[state], weights[state, None] * flat[state])
        total = drawn @ np.bincount(of[state], weights=weights[state], minlength=groups)
        with np.errstate(invalid="ignore", divide="ignore"):
            sampled += part * (drawn @ sums) / total[:, None]
    return sampled


def _interval(sampled: Floats) -> tuple[Floats, Floats]:
    # A sample without any case of a state says nothing of its mean.
    kept = sampled[np.isfinite(sampled).all(axis=1)]
    low, high = np.quantile(kept, LEVELS, axis=0) if len(kept) else np.full((2, sampled.shape[1]), np.nan)
    return low, high


def mean_gain(results: Results, one: str, other: str, share: float | None = None, draws: int = DRAWS) -> Mean:
    """Average over all q* and costs by how much one method's net utility exceeds another's.

    Parameters
    ----------
    results : Results
        With both.
    one, other : str
        Names of the methods.
    share, draws : float, int
        As of :func:`mean_with_interval`.

    Returns
    -------
    Mean
        Single numbers.
    """
    utility = results.net_utility
    gain = (utility[:, results.method(one)] - utility[:, results.method(other)]).mean(axis=2)
    q_at = range(len(results.q_stars))
    value = np.mean([weighted_mean(results, gain[:, q], q, share) for q in q_at])
    # The same groups are drawn for every q*, so its samples go together.
    sampled = np.mean([_resampled(results, gain[:, q], q, share, draws) for q in q_at], axis=0)
    low, high = _interval(sampled)
    return Mean(np.asarray(value), low[0], high[0])
