"""Learn from labelled lists how hits thin out along a list."""

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

ROUNDS, LEARNED, DIGITS = 12, 7, 6  # Rounds of learning, nodes in each dimension, digits that are kept
LIKE_LISTS, LIKE_SLOPES, LIKE_MEAN = 6.0, 3.0, 0.5
"""Weight of the prior: in lists for the spread, and in pseudo-observations for slopes and for means."""


def fit_thinning(lists: Sequence[tuple[Flags, Flags]]) -> Thinning:
    """Learn how hits thin out along lists in a given order, and how much lists differ in it.

    Each list says by rank which labels are known, and which documents are relevant; one in which nothing is relevant counts
    too.
    """
    labelled = [(known, known & relevant) for known, relevant in lists if known.any()]
    lengths = [len(known) for known, _ in labelled]
    return learned(partial(_by_rank, labelled), lengths, PRIOR, LIKE_LISTS)[0] if labelled else PRIOR


def fit_curve(
    family: Family, histories: Sequence[Flags], prior: Thinning, like_lists: float
) -> tuple[Thinning, Floats]:
    """Learn the curves of one family from lists of which every label is known.

    Parameters
    ----------
    family : str
        Of the curves.
    histories : sequence of ndarray of bool
        The labels of each list, in its order.
    prior, like_lists
        As of :func:`learned`.

    Returns
    -------
    Thinning, ndarray of shape (L,)
        What was learned, and the log evidence of each list.
    """
    blocks = [edges(len(history)) for history in histories]
    counts = [
        np.add.reduceat(history, at[:-1], dtype=float) for history, at in zip(histories, blocks, strict=True)
    ]
    return learned(partial(_by_block, family, blocks, counts), [len(y) for y in histories], prior, like_lists)


def learned(
    evidence: Callable[[Floats], tuple[Floats, Floats, ArrayLike]],
    lengths: Sequence[int],
    prior: Thinning,
    like_lists: float,
) -> tuple[Thinning, Floats]:
    """Two parameters and log R over lists of these lengths.

    Empirical Bayes: expectation and maximisation over the normal distribution of the lists' curves, on a grid.

    Parameters
    ----------
    evidence : callable
        Of nodes of each list, shape (L, J, 3), gives the number of hits, shape (L, 1), the sum of the logs of their shares, shape
        (L, J), and the share of the hits that is expected among documents with a label, 1 or shape (L, J).
    lengths : sequence of int
        Documents of each list.
    prior : Thinning
        Before any list was seen.
    like_lists : float
        How many lists it is worth for the spread.

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
    z, log_weight = grid((LEARNED,) * 3)
    for _ in range(ROUNDS):
        # Expectation: the chance that each list follows each node. Maximisation: a regression of the lists' means on log n.
        theta = (x @ mean)[:, None] + z @ np.linalg.cholesky(spread).T
        hits, log_shares, share = evidence(theta)
        passed = (TOTAL_SHAPE + hits) * np.log(TOTAL_SHAPE + np.exp(theta[..., 2]) * share)
        log = log_weight + hits * theta[..., 2] + log_shares - passed
        log_evidence = logsumexp(log, axis=1)
        weight = np.exp(log - log_evidence[:, None])
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


def _by_rank(labelled: Sequence[tuple[Flags, Flags]], theta: Floats) -> tuple[Floats, Floats, Floats]:
    """Evidence of lists of which some labels are known, by the density of family "beta" at each hit."""
    alpha, beta = np.moveaxis(np.exp(theta[..., :2]), -1, 0)
    hits, head, tail = np.empty((3, len(labelled), 1))
    share = np.ones(theta.shape[:2])
    for i, (labels_known, relevant) in enumerate(labelled):
        r = (np.flatnonzero(relevant) + 0.5) / len(labels_known)
        hits[i], head[i], tail[i] = len(r), np.log(r).sum(), np.log1p(-r).sum()
        if not labels_known.all():
            share[i] = share_among(
                partial(share_of, "beta", theta[i, :, :2], length=len(labels_known)), labels_known
            )
    return hits, (alpha - 1) * head + (beta - 1) * tail - hits * betaln(alpha, beta), share


def _by_block(
    family: Family, blocks: Sequence[Ints], counts: Sequence[Floats], theta: Floats
) -> tuple[Floats, Floats, float]:
    """Evidence of lists that were read to the end, by the share of a document in the blocks that hold hits."""
    hits = np.array([[count.sum()] for count in counts])
    log_shares = []
    for own, at, count in zip(theta, blocks, counts, strict=True):
        share = share_of(family, own[::LEARNED, :2], at, int(at[-1]))
        by_shape = np.log(np.maximum(np.diff(share) / np.diff(at), LEAST_SHARE)) @ count
        log_shares.append(np.repeat(by_shape, LEARNED))
    return hits, np.array(log_shares), 1.0
