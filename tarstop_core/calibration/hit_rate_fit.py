"""Learn how hits thin out along lists, from labelled lists."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaln, logsumexp

from tarstop_core.calibration.hit_rate_model import (
    LEAST_SHARE,
    PRIOR,
    TOTAL_SHAPE,
    TYPICAL,
    Family,
    Thinning,
    edges,
    grid,
    share_among,
    share_of,
)
from tarstop_core.documents.tables import Flags, Floats, Ints

ROUNDS = 12  # Rounds of expectation and maximisation
NODES = 7  # Nodes in each of three dimensions
DIGITS = 6  # Decimals to which results are rounded
LIKE_LISTS = 6.0  # Weight of the prior of the spread, in lists
LIKE_SLOPES = 3.0  # Weight of the prior of slopes, in observations
LIKE_MEAN = 0.5  # Weight of the prior of means, in observations


def fit_thinning(lists: Sequence[tuple[Flags, Flags]]) -> Thinning:
    """Learn how hits thin out along lists in a given order, and how much lists differ in it.

    Each list is a pair of flags by rank: which documents have a label, and which are relevant. Lists without anything
    relevant count too.
    """
    labelled = [(has_label, has_label & relevant) for has_label, relevant in lists if has_label.any()]
    if not labelled:
        return PRIOR
    lengths = [len(has_label) for has_label, _ in labelled]
    thinning, _ = fit_distribution(partial(_evidence_by_rank, labelled), lengths, PRIOR, LIKE_LISTS)
    return thinning


def fit_curve(
    family: Family, histories: Sequence[Flags], prior: Thinning, like_lists: float
) -> tuple[Thinning, Floats]:
    """Learn the curves of one family from fully labelled lists.

    Parameters
    ----------
    family : {"beta", "stretched"}
        Family of the curves.
    histories : sequence of ndarray of bool
        The labels of each list, in its order.
    prior, like_lists
        As for :func:`fit_distribution`.

    Returns
    -------
    thinning : Thinning
        Distribution of the curves.
    log_evidence : ndarray, shape (L,)
        Log of the chance of each list, up to a constant of the list.
    """
    blocks = [edges(len(history)) for history in histories]
    counts = [
        np.add.reduceat(history, at[:-1], dtype=float) for history, at in zip(histories, blocks, strict=True)
    ]
    return fit_distribution(
        partial(_evidence_by_block, family, blocks, counts), [len(y) for y in histories], prior, like_lists
    )


def fit_distribution(
    evidence: Callable[[Floats], tuple[Floats, Floats, ArrayLike]],
    lengths: Sequence[int],
    prior: Thinning,
    like_lists: float,
) -> tuple[Thinning, Floats]:
    """Learn how two parameters and log R of the curves are distributed over lists.

    Empirical Bayes: expectation and maximisation over a normal distribution, whose mean is linear in log n, on a grid.

    Parameters
    ----------
    evidence : callable
        From nodes of each list, shape (L, J, 3), it returns the number of hits, shape (L, 1), the sum of the logs of their
        shares, shape (L, J), and the share of the hits expected among documents with a label, 1 or shape (L, J).
    lengths : sequence of int
        Number of documents of each list.
    prior : Thinning
        Distribution before any list is seen.
    like_lists : float
        Weight of the prior of the spread, in lists.

    Returns
    -------
    thinning : Thinning
        Rounded, so that every machine writes the same.
    log_evidence : ndarray, shape (L,)
        Log of the chance of each list, up to a constant of the list.
    """
    x = np.column_stack((np.ones(len(lengths)), np.log(np.array(lengths) / TYPICAL)))
    prior_mean, prior_worth = np.array(prior.mean).T, np.diag([LIKE_MEAN, LIKE_SLOPES])
    mean, spread = prior_mean, np.array(prior.spread)
    z, log_weight = grid((NODES,) * 3)
    for _ in range(ROUNDS):
        # Expectation: the chance that each list follows each node.
        theta = (x @ mean)[:, None] + z @ np.linalg.cholesky(spread).T
        hits, log_shares, share = evidence(theta)
        passed = (TOTAL_SHAPE + hits) * np.log(TOTAL_SHAPE + np.exp(theta[..., 2]) * share)
        log = log_weight + hits * theta[..., 2] + log_shares - passed
        log_evidence = logsumexp(log, axis=1)
        weight = np.exp(log - log_evidence[:, None])
        # Maximisation: a regression of the means of lists on log n.
        middle = np.einsum("lj,ljk->lk", weight, theta)
        around = (theta - middle[:, None]).reshape(-1, 3)
        within = (weight.reshape(-1, 1) * around).T @ around
        mean = np.linalg.solve(x.T @ x + prior_worth, x.T @ middle + prior_worth @ prior_mean)
        residual = middle - x @ mean
        spread = residual.T @ residual + within + like_lists * np.array(prior.spread)
        spread /= len(lengths) + like_lists
    pairs, triples = mean.T.round(DIGITS).tolist(), spread.round(DIGITS).tolist()
    thinning = Thinning(tuple(map(tuple, pairs)), tuple(map(tuple, triples)), len(lengths))  # type: ignore[arg-type]
    return thinning, log_evidence


def _evidence_by_rank(
    labelled: Sequence[tuple[Flags, Flags]], theta: Floats
) -> tuple[Floats, Floats, Floats]:
    """Evidence of partly labelled lists, from the density of family "beta" at each hit; see :func:`fit_distribution`."""
    alpha, beta = np.moveaxis(np.exp(theta[..., :2]), -1, 0)
    hits, head, tail = np.empty((3, len(labelled), 1))
    share = np.ones(theta.shape[:2])
    for i, (has_label, relevant) in enumerate(labelled):
        r = (np.flatnonzero(relevant) + 0.5) / len(has_label)
        hits[i], head[i], tail[i] = len(r), np.log(r).sum(), np.log1p(-r).sum()
        if not has_label.all():
            share[i] = share_among(
                partial(share_of, "beta", theta[i, :, :2], length=len(has_label)), has_label
            )
    return hits, (alpha - 1) * head + (beta - 1) * tail - hits * betaln(alpha, beta), share


def _evidence_by_block(
    family: Family, blocks: Sequence[Ints], counts: Sequence[Floats], theta: Floats
) -> tuple[Floats, Floats, float]:
    """Evidence of fully labelled lists, from the share of one document in each block of ranks; see :func:`fit_distribution`."""
    hits = np.array([[count.sum()] for count in counts])
    log_shares = []
    for own, at, count in zip(theta, blocks, counts, strict=True):
        share = share_of(family, own[::NODES, :2], at, int(at[-1]))
        by_shape = np.log(np.maximum(np.diff(share) / np.diff(at), LEAST_SHARE)) @ count
        log_shares.append(np.repeat(by_shape, NODES))
    return hits, np.array(log_shares), 1.0
