"""How the relevant documents of a list thin out along it, and how many are probably still unread.

In a list of n documents the relevant ones are expected at relative ranks r = (k − ½)/n with density R·Beta(r; α, β): R
of them in all, α below 1 where they crowd at the head, β above 1 where the tail holds few. Over lists (log α, log β,
log R) is normal, its mean linear in log n; R varies by a gamma factor beside that. That normal distribution is reckoned
with at nodes, each of which is a kind of list to :mod:`tarstop_core.belief.mixture`: what was read says which, so that
head and tail are not tied by one factor. Nodes of lists whose ranking is nearly perfect stand beside them.

What a few lists taught is not trusted to the letter on lists of another collection: the spread is widened, the evidence
of one list about its own shape is tempered, and what is left varies by a further factor. How much so (WIDER, TEMPER, AHEAD)
was chosen on collections that were not learned from, which docs/still_unread.md says.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaln, logsumexp

from tarstop_core.belief.mixture import Left, Mixture, foreseen, mixture, updated
from tarstop_core.documents.tables import Flags, Floats, Ints

Pair = tuple[float, float]
Triple = tuple[float, float, float]

TOTAL_SHAPE = 4.0  # Of the gamma factor on R beside its nodes
WIDER = 1.2  # Times the spread between the training lists: a list of one's own comes from elsewhere
TEMPER = 0.5
"""Power of the evidence about the shape: hits come in clumps, and no list follows a curve exactly."""
AHEAD = 10.0  # Shape of the gamma factor by which what is left varies beside that
SHAPES, TOTALS, REACH = 7, 9, 2.7  # Nodes of α, of β, of R, and how many standard deviations they reach
LEAST_TOTAL, MOST = 0.2, 20.0
"""Hits in a list that are reckoned with at least, and the largest mean or covariance (of logs) that a file may hold."""
EXACT, GROWTH = 60, 1.03
"""Ranks that are told apart one by one, and by how much blocks of ranks grow from there on."""
TYPICAL = 1000.0  # Documents of the list that means are told of
LEAST_SHARE = 1e-15  # Of a document at least, so that a hit where no node has any decides nothing
ROUNDS, LEARNED, DIGITS = 12, 7, 6  # Of learning: rounds, nodes each way, digits that are kept


@dataclass(frozen=True)
class Thinning:
    """What lists taught of how hits thin out, small enough to read."""

    mean: tuple[Pair, Pair, Pair]
    """Of log α, log β and log R: in a list of 1,000 documents, and per unit of log length."""
    spread: tuple[Triple, Triple, Triple]  # Their covariance over lists
    lists: int = 0  # How many it was learned from; 0 for one that nobody learned

    @property
    def usable(self) -> bool:
        """Whether it is a distribution, of curves that a list could follow."""
        mean, spread = np.array(self.mean), np.array(self.spread)
        sound = (np.abs(mean) < MOST).all() and (np.abs(spread) < MOST).all() and (spread == spread.T).all()
        return bool(sound and np.linalg.eigvalsh(spread).min() > 0)


PRIOR = Thinning(
    mean=((math.log(0.7), 0.0), (math.log(1.4), 0.0), (math.log(25.0), 0.5)),
    spread=((0.12, 0.0, 0.0), (0.0, 0.15, 0.0), (0.0, 0.0, 0.8)),
)
"""Before any list was seen; a few imagined lists of it are learned from beside the real ones."""
LIKE_LISTS, LIKE_SLOPES, LIKE_MEAN = 6.0, 3.0, 0.5
"""What it is worth: lists (spread), and pseudo-observations of slopes and of means."""

SHARP = Thinning(
    mean=((0.086, -0.222), (2.329, 0.062), (0.0, 0.0)),
    spread=((0.143, 0.286, 0.0), (0.286, 1.035, 0.0), (0.0, 0.0, 1.0)),
    lists=47,
)
"""Lists whose ranking is nearly perfect, so that little is left behind the head: α and β as in sessions that learned from their
labels (docs/reranked_chances.md). How many are relevant has nothing to do with the ranking, and is as in other lists.
"""
SHARP_SHARE = 0.2  # How many lists are of that kind, before anything is read


def thinning_of(chances: Floats) -> Thinning:
    """Where nobody learned it: as wide as the prior, around the number and the place that chances by rank foresee."""
    length, total = len(chances), max(float(chances.sum()), LEAST_TOTAL)
    r = (np.arange(length) + 0.5) / length
    weight = chances / total
    middle = float(np.clip(weight @ r, 0.02, 0.98))
    size = middle * (1 - middle) / max(float(weight @ (r - middle) ** 2), 1e-6) - 1
    alpha, beta = np.clip((middle * size, (1 - middle) * size), 0.3, 3.0)
    # A log-normal number has its mean above its median.
    log_total, slope = math.log(total) - WIDER * PRIOR.spread[2][2] / 2, PRIOR.mean[2][1]
    typical = log_total - slope * math.log(length / TYPICAL)
    return replace(PRIOR, mean=((math.log(alpha), 0.0), (math.log(beta), 0.0), (typical, slope)))


@dataclass(frozen=True, eq=False)
class Curves:
    """The nodes for lists of one length."""

    length: int
    alpha: Floats
    beta: Floats
    """`alpha` and `beta`: α and β of each shape, shape (S,)."""
    total: Floats  # R of each node, those of one shape after the other, shape (J,)
    known: Mixture  # Before anything was read

    def exposure(self, documents: Flags) -> Floats:
        """Hits expected among these documents by each node, shape (J,)."""
        return self.total * np.repeat(expected_share(documents, self.alpha, self.beta), TOTALS)

    def at(self, hits: NDArray[np.intp]) -> Floats:
        """Hits expected at these positions, shape (J, h)."""
        share = share_at(hits, self.length, self.alpha, self.beta)
        return np.asarray(self.total[:, None] * np.repeat(share, TOTALS, axis=0))


@lru_cache(maxsize=64)
def curves(thinning: Thinning, length: int) -> Curves:
    """The nodes that lists of this length may be one of."""
    shapes, log_weight, log_total, spread = kinds(thinning, length)
    z, log_chance = grid((TOTALS,))
    alpha, beta = np.exp(shapes).T
    total = np.exp(log_total[:, None] + spread[:, None] * z[:, 0]).ravel()
    weight = np.exp(log_weight[:, None] + log_chance).ravel()
    return Curves(length, alpha, beta, total, mixture(weight, np.full(len(weight), TOTAL_SHAPE)))


def kinds(thinning: Thinning, length: int) -> tuple[Floats, Floats, Floats, Floats]:
    """As :func:`shape_nodes`, of lists as they were learned from and of those that are :data:`SHARP`; all but the first (S,)."""
    usual = shape_nodes(thinning, length)
    shapes, log_weight, *_ = shape_nodes(SHARP, length)
    total, slope = thinning.mean[2]
    sharp = np.full(len(shapes), total + slope * math.log(length / TYPICAL))
    deviation = math.sqrt(WIDER * thinning.spread[2][2])
    return (
        np.vstack((usual[0], shapes)),
        np.append(usual[1] + math.log1p(-SHARP_SHARE), log_weight + math.log(SHARP_SHARE)),
        np.append(usual[2], sharp),
        np.append(np.full(len(usual[0]), usual[3]), np.full(len(shapes), deviation)),
    )


def shape_nodes(thinning: Thinning, length: int) -> tuple[Floats, Floats, Floats, float]:
    """(log α, log β) of each node, shape (S, 2), log of its weight, mean of log R given it, (S,), and its deviation, ()."""
    z, log_weight = grid((SHAPES, SHAPES))
    mean = np.array(thinning.mean) @ (1.0, math.log(length / TYPICAL))
    root = np.linalg.cholesky(WIDER * np.array(thinning.spread))
    return mean[:2] + z @ root[:2, :2].T, log_weight, mean[2] + z @ root[2, :2], float(root[2, 2])


def after_reading(of: Curves, judged: Flags, relevant: Flags) -> Mixture:
    """What is known of a list once some of its documents were read; flags as of :func:`still_unread`."""
    if not judged.any():
        return of.known
    after = updated(of.known, of.exposure(judged), of.at(np.flatnonzero(relevant)))
    log = of.known.log_weight + TEMPER * (after.log_weight - of.known.log_weight)
    return replace(after, log_weight=log - logsumexp(log))


def still_unread(thinning: Thinning, judged: Flags, relevant: Flags, unread: Flags) -> Left:
    """Relevant documents among those not read yet: their number's distribution.

    The flags say by rank, shape (n,), which labels are known, which of these documents are relevant, and what nobody read.
    """
    documents = int(unread.sum())
    if not documents:
        return Left(np.ones(1), np.ones(1), np.zeros(1), 0)
    of = curves(thinning, len(unread))
    now = after_reading(of, judged, relevant)
    expected = now.shape / now.rate * of.exposure(unread)
    # As if what is left were multiplied by one more gamma factor: the same mean, a smaller shape.
    shape = float(now.shape[0]) * AHEAD / (float(now.shape[0]) + AHEAD + 1)
    return foreseen(now.weight, shape, expected, documents)


def chances_as_read(thinning: Thinning, judged: Flags, relevant: Flags, unread: Flags) -> Floats:
    """Chance of each document by rank: of those nobody read after all labels, of the others as they came up.

    A document that was read has the chance that the labels of better ranks give it, those of its own block of ranks left
    out.

    Parameters
    ----------
    thinning : Thinning
        How hits thin out along lists.
    judged, relevant, unread : ndarray of bool, shape (n,)
        By rank, which labels are known, which of these documents are relevant, and what nobody read.

    Returns
    -------
    ndarray, shape (n,)
        Chances below 1.
    """
    of, at = curves(thinning, len(unread)), edges(len(unread))
    width = np.diff(at)
    density = np.diff(betainc(of.alpha[:, None], of.beta[:, None], at / of.length)) / width
    hits = np.append(0, np.cumsum(judged & relevant))[at]
    # What was known where each block begins: as `after_reading`, whose outcome stands for the end.
    read = density * np.diff(np.append(0, np.cumsum(judged))[at])
    at_hits = np.log(np.maximum(density, LEAST_SHARE)) * np.diff(hits)
    exposure, log_density = (
        np.repeat(np.cumsum(np.pad(part, ((0, 0), (1, 0))), axis=1)[:, :-1], TOTALS, axis=0)
        for part in (read, at_hits)
    )
    total, shape = of.total[:, None], TOTAL_SHAPE + hits[:-1]
    rate = TOTAL_SHAPE + total * exposure
    log = of.known.log_weight[:, None] + TEMPER * (
        log_density + hits[:-1] * np.log(total) - shape * np.log(rate / TOTAL_SHAPE)
    )
    now = after_reading(of, judged, relevant)
    then = Mixture(log - logsumexp(log, axis=0), shape, rate)
    at_once = Mixture(*(part[:, None] for part in (now.log_weight, now.shape, now.rate)))
    expected = total * np.repeat(density, TOTALS, axis=0)
    behind, ahead = (
        (known.weight * -np.expm1(-known.shape * np.log1p(expected / known.rate))).sum(axis=0)
        for known in (then, at_once)
    )
    return np.where(unread, np.repeat(ahead, width), np.repeat(behind, width))


@lru_cache(maxsize=64)
def edges(length: int) -> Ints:
    """Where blocks of ranks begin, and the end of the list: one by one at first, then ever farther apart."""
    late = EXACT * GROWTH ** np.arange(math.ceil(math.log(max(length / EXACT, 1), GROWTH)) + 1)
    every = np.concatenate((np.arange(EXACT), late.astype(int)))
    return np.unique(np.append(every[every < length], length))


def fit_thinning(lists: Sequence[tuple[Flags, Flags]]) -> Thinning:
    """Learn how hits thin out, and how much lists differ in it.

    Each list says by rank which labels are known, and which documents are relevant; one in which nothing is relevant counts
    too. Empirical Bayes: expectation and maximisation over the normal distribution of the lists' curves, on a grid,
    with :data:`PRIOR` worth a few lists.
    """
    labelled = [(known, known & relevant) for known, relevant in lists if known.any()]
    lengths = [len(known) for known, _ in labelled]
    return learned(partial(_log_likelihood, labelled), lengths, PRIOR, LIKE_LISTS)[0] if labelled else PRIOR


def learned(
    log_likelihood: Callable[[Floats], Floats], lengths: Sequence[int], prior: Thinning, like_lists: float
) -> tuple[Thinning, Floats]:
    """Two parameters and log R over lists of these lengths, and log of the chance of each list, shape (L,).

    `log_likelihood` says how likely each list is by each of its nodes, shape (L, J), given them, shape (L, J, 3).
    """
    x = np.column_stack((np.ones(len(lengths)), np.log(np.array(lengths) / TYPICAL)))
    prior_mean, prior_worth = np.array(prior.mean).T, np.diag([LIKE_MEAN, LIKE_SLOPES])
    mean, spread = prior_mean, np.array(prior.spread)
    z, log_weight = grid((LEARNED,) * 3)
    for _ in range(ROUNDS):
        # Expectation: how likely each list follows each node. Maximisation: a regression of the lists' middles on log n.
        theta = (x @ mean)[:, None] + z @ np.linalg.cholesky(spread).T
        log = log_weight + log_likelihood(theta)
        evidence = logsumexp(log, axis=1)
        weight = np.exp(log - evidence[:, None])
        middle = np.einsum("lj,ljk->lk", weight, theta)
        around = (theta - middle[:, None]).reshape(-1, 3)
        within = (weight.reshape(-1, 1) * around).T @ around
        mean = np.linalg.solve(x.T @ x + prior_worth, x.T @ middle + prior_worth @ prior_mean)
        residual = middle - x @ mean
        spread = residual.T @ residual + within + like_lists * np.array(prior.spread)
        spread /= len(lengths) + like_lists
    pairs, triples = mean.T.round(DIGITS).tolist(), spread.round(DIGITS).tolist()
    found = Thinning(tuple(map(tuple, pairs)), tuple(map(tuple, triples)), len(lengths))  # type: ignore[arg-type]
    return found, evidence


def _log_likelihood(labelled: Sequence[tuple[Flags, Flags]], theta: Floats) -> Floats:
    """Log-likelihood of each list by node, shape (L, J), without terms that do not depend on the node."""
    alpha, beta, total = np.moveaxis(np.exp(theta), -1, 0)
    hits, head, tail = np.empty((3, len(labelled), 1))
    share = np.ones(theta.shape[:2])
    for i, (known, relevant) in enumerate(labelled):
        r = (np.flatnonzero(relevant) + 0.5) / len(known)
        hits[i], head[i], tail[i] = len(r), np.log(r).sum(), np.log1p(-r).sum()
        if not known.all():
            share[i] = expected_share(known, alpha[i], beta[i])
    shape = (alpha - 1) * head + (beta - 1) * tail - hits * betaln(alpha, beta)
    passed = (TOTAL_SHAPE + hits) * np.log(TOTAL_SHAPE + total * share)
    return np.asarray(hits * theta[..., 2] + shape - passed)


def expected_share(documents: Flags, alpha: Floats, beta: Floats) -> Floats:
    """Share of a list's hits that is expected among some of its documents, shape (J,)."""
    edges = np.flatnonzero(np.diff(documents.astype(np.int8), prepend=0, append=0)) / len(documents)
    signs = np.where(np.arange(len(edges)) % 2, 1.0, -1.0)
    return np.asarray(betainc(alpha[:, None], beta[:, None], edges) @ signs)


def share_at(hits: NDArray[np.intp], length: int, alpha: Floats, beta: Floats) -> Floats:
    """Share that is expected at these positions, shape (J, h)."""
    r, a, b = (hits + 0.5) / length, alpha[:, None], beta[:, None]
    return np.asarray(np.exp((a - 1) * np.log(r) + (b - 1) * np.log1p(-r) - betaln(a, b)) / length)


def grid(sizes: Sequence[int]) -> tuple[Floats, Floats]:
    """Nodes of three independent standard normal variables, the last varying fastest, and logs of their weights."""
    z = np.array(list(product(*(np.linspace(-REACH, REACH, size) for size in sizes))))
    log_weight = -0.5 * (z**2).sum(axis=1)
    return z, np.asarray(log_weight - logsumexp(log_weight))
