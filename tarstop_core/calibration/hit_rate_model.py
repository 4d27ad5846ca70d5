"""The model of where the hits of a list are, and of how many are still unread.

A list is one of many kinds. In a list of kind j this many relevant documents are expected among the first k as Λ_j(k) says, times
a gamma factor by which lists of the kind vary; a document is a point of a Poisson process. What was read says which kind it
probably is and how rich (:mod:`tarstop_core.belief.mixture`). HitRates are nodes of a grid over the parameters of a family of
curves Λ:

``beta``
    R·Beta((k − ½)/n; α, β): α below 1 where they crowd at the head, β above 1 where the tail holds few. Lists in a given order.
``stretched``
    R·(1 − exp(−(k/s)^c)), brought to R at the end of the list. Lists that learn (:mod:`tarstop_core.calibration.reranked`).
``power``
    e^v·(k/10)^w, without an end. First hits of patent lists (:mod:`tarstop_core.calibration.rank_frailty`), where κ
    stands beside the grid.

Of the first two, over lists (two parameters, log R) is normal, its mean linear in log n, and R varies by a gamma factor beside
that. In a given order, nodes of lists whose ranking is nearly perfect stand beside the others.

What a few lists taught is not trusted to the letter on lists of another collection: the spread is widened, the evidence
of one list about its own shape is tempered, and what is left varies by a further factor. How much so (WIDER, TEMPER, AHEAD)
was chosen on collections that were not learned from, which docs/still_unread.md says.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betainc, betaln, expm1, logsumexp

from tarstop_core.belief.mixture import (
    Mixture,
    Remaining,
    log_passed,
    mixture,
    remaining_from_forecasts,
    updated,
)
from tarstop_core.documents.tables import Flags, Floats, Ints

Family = Literal["beta", "stretched"]
Pair = tuple[float, float]
Triple = tuple[float, float, float]

TOTAL_SHAPE = 4.0  # Shape of the gamma factor on R, in addition to its nodes
WIDER = 1.2  # Factor on the spread between the training lists, because a person's list comes from elsewhere
TEMPER = 0.5
"""Power of the evidence about the shape: hits come in clumps, and no list follows a curve exactly."""
AHEAD = 10.0  # Shape of a further gamma factor on the number left
SHAPES = 7  # Nodes of α, and of β
TOTALS = 9  # Nodes of R
REACH = 2.7  # Standard deviations that nodes reach
LEAST_TOTAL = 0.2  # Smallest number of hits in a list that is computed with
MOST = 20.0  # Largest mean or covariance of logs in a file
EXACT = 60  # First ranks that are blocks of their own
GROWTH = 1.03  # Growth of the blocks after these
TYPICAL = 1000.0  # Documents of the list for which means are reported
LEAST_SHARE = 1e-15  # Smallest share of a document, so that a hit where no node expects one decides nothing
LEAST = 1e-12  # Smallest exposure of a hit, so that a hit thought impossible decides nothing


@dataclass(frozen=True)
class Thinning:
    """How hits thin out along a list, learned from labelled lists; small enough to read."""

    mean: tuple[Pair, Pair, Pair]
    """For log α, log β and log R: the mean in a list of 1,000 documents, and its change per unit of log length."""
    spread: tuple[Triple, Triple, Triple]  # Their covariance over lists
    lists: int = 0  # Number of lists it was learned from; 0 if it was not learned

    @property
    def usable(self) -> bool:
        """Whether it is a valid distribution: finite means, and a symmetric, positive definite covariance."""
        mean, spread = np.array(self.mean), np.array(self.spread)
        sound = (np.abs(mean) < MOST).all() and (np.abs(spread) < MOST).all() and (spread == spread.T).all()
        return bool(sound and np.linalg.eigvalsh(spread).min() > 0)


PRIOR = Thinning(
    mean=((math.log(0.7), 0.0), (math.log(1.4), 0.0), (math.log(25.0), 0.5)),
    spread=((0.12, 0.0, 0.0), (0.0, 0.15, 0.0), (0.0, 0.0, 0.8)),
)
"""The prior before any list is seen; it weighs as much as a few lists."""


SHARP = Thinning(
    mean=((0.086, -0.222), (2.329, 0.062), (0.0, 0.0)),
    spread=((0.143, 0.286, 0.0), (0.286, 1.035, 0.0), (0.0, 0.0, 1.0)),
    lists=47,
)
"""Lists whose ranking is nearly perfect, so that little is left behind the head: α and β as in sessions that learned from their
labels (docs/reranked_chances.md). How many are relevant has nothing to do with the ranking, and is as in other lists.
"""
SHARP_SHARE = 0.2  # Prior share of lists of that kind


def thinning_of(chances: Floats) -> Thinning:
    """Return the default for a calibrator without one: as wide as the prior, centred on what its chances by rank forecast."""
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


@dataclass(frozen=True)
class Curve:
    """A family of curves with the distribution of its parameters over lists."""

    scenario: str
    """What labels say in these lists, as in a :class:`~tarstop_core.calibration.calibrator.Calibrator`; "" for any."""
    family: Family  # As at the top of this module; its parameters are log α and log β, or log s and log c
    weight: float  # Share of such lists; weights need not add up to 1
    prior: Thinning  # Distribution of the two parameters and log R over lists


@lru_cache(maxsize=16)
def in_given_order(thinning: Thinning, sharp: Thinning = SHARP) -> tuple[Curve, Curve]:
    """Return two curves for lists in their given order: those learned, and nearly perfect rankings with as many hits."""
    (alpha, beta, _), (of_alpha, of_beta, _) = sharp.mean, sharp.spread
    of_total = (0.0, 0.0, thinning.spread[2][2])
    sharp = replace(sharp, mean=(alpha, beta, thinning.mean[2]), spread=(of_alpha, of_beta, of_total))
    return Curve("", "beta", 1 - SHARP_SHARE, thinning), Curve("", "beta", SHARP_SHARE, sharp)


def share_of(family: Family, parameters: Floats, ranks: ArrayLike, length: int) -> Floats:
    """Share of a list's hits among its first k documents.

    Parameters
    ----------
    family : {"beta", "stretched"}
        Family of the curves.
    parameters : ndarray, shape (S, 2)
        Logs of the two parameters of each curve.
    ranks : array_like, shape (K,)
        Values of k.
    length : int
        Number of documents of the list.

    Returns
    -------
    ndarray, shape (S, K)
        Shares in [0, 1], for each curve and k.
    """
    k, (a, b) = np.asarray(ranks), np.exp(parameters.T)[..., None]
    if family == "beta":
        return np.asarray(betainc(a, b, k / length))
    return np.asarray(expm1(-((k / a) ** b)) / expm1(-((length / a) ** b)))


@dataclass(frozen=True, eq=False)
class HitRates:
    """Kinds of lists of one length: S shapes of curves with T numbers of hits each, which makes J = S·T kinds."""

    length: int  # Number of documents
    families: tuple[tuple[Family, int], ...]  # Each with its number of shapes, in their order
    parameters: Floats  # Logs of the two parameters of each shape, shape (S, 2)
    log_weight: Floats  # Log weight of each shape, shape (S,)
    log_total: Floats  # Mean of log R given each shape, shape (S,)
    deviation: Floats  # Standard deviation of log R given each shape, shape (S,)

    @cached_property
    def total(self) -> Floats:
        """R of each kind, shape (J,); the kinds of one shape follow each other."""
        z, _ = grid((TOTALS,))
        return np.exp(self.log_total[:, None] + self.deviation[:, None] * z[:, 0]).ravel()

    @cached_property
    def start(self) -> Mixture:
        """The mixture of kinds before anything is read."""
        _, log_chance = grid((TOTALS,))
        weight = np.exp(self.log_weight[:, None] + log_chance).ravel()
        return mixture(weight, np.full(len(weight), TOTAL_SHAPE))

    def share(self, ranks: ArrayLike) -> Floats:
        """Share of the hits expected among the first k documents by each shape, shape (S, K)."""
        parts, begin = [], 0
        for family, shapes in self.families:
            parts.append(share_of(family, self.parameters[begin : begin + shapes], ranks, self.length))
            begin += shapes
        return np.vstack(parts)

    @cached_property
    def edges(self) -> Ints:
        """Edges of the blocks of ranks: numbers of documents before each block and in the whole list, shape (B + 1,)."""
        return edges(self.length)

    @cached_property
    def at_edges(self) -> Floats:
        """Share of the hits expected before each edge, shape (S, B + 1)."""
        return self.share(self.edges)

    @cached_property
    def density(self) -> Floats:
        """Share of the hits expected at one document of each block, shape (S, B)."""
        return np.asarray(np.diff(self.at_edges) / np.diff(self.edges))

    @cached_property
    def log_density(self) -> Floats:
        """Log of :attr:`density`, bounded below, shape (S, B)."""
        return np.log(np.maximum(self.density, LEAST_SHARE))

    def expected(self, share: Floats, kinds: Ints | slice = slice(None)) -> Floats:
        """Expected hits in each of these kinds, shape (J, …), from the share of the hits in each shape, (S, …)."""
        shape_of = np.repeat(np.arange(len(share)), TOTALS)[kinds]
        return np.asarray(self.total[kinds][(..., *(None,) * (share.ndim - 1))] * share[shape_of])

    def exposure(self, documents: Flags) -> Floats:
        """Hits expected among these documents in each kind, shape (J,)."""
        return self.expected(share_among(self.share, documents))

    def after(self, judged: Flags, relevant: Flags) -> Mixture:
        """Return the mixture after reading some documents of a list of family "beta"; flags as for :func:`still_unread`."""
        if not judged.any():
            return self.start
        hits = np.flatnonzero(relevant)
        at_hits = self.expected(share_at(hits, self.length, *np.exp(self.parameters.T)))
        logs = np.log(np.maximum(at_hits, LEAST)).sum(axis=1)
        return updated(self.start, self.exposure(judged), len(hits), logs, TEMPER)


@lru_cache(maxsize=64)
def hit_rates(curves: tuple[Curve, ...], length: int) -> HitRates:
    """Return the kinds that lists of this length may be of, before anything is read."""
    nodes = [shape_nodes(curve.prior, length) for curve in curves]
    shapes, log_weight, log_total, deviation = zip(*nodes, strict=True)
    sizes = [len(each) for each in shapes]
    logs = [math.log(curve.weight) + own for curve, own in zip(curves, log_weight, strict=True)]
    return HitRates(
        length,
        tuple((curve.family, size) for curve, size in zip(curves, sizes, strict=True)),
        np.vstack(shapes),
        np.concatenate(logs),
        np.concatenate(log_total),
        np.repeat(deviation, sizes),
    )


def shape_nodes(thinning: Thinning, length: int) -> tuple[Floats, Floats, Floats, float]:
    """Nodes of both parameters, shape (S, 2), their log weights and means of log R, (S,), and the deviation of log R, ()."""
    z, log_weight = grid((SHAPES, SHAPES))
    mean = np.array(thinning.mean) @ (1.0, math.log(length / TYPICAL))
    root = np.linalg.cholesky(WIDER * np.array(thinning.spread))
    return mean[:2] + z @ root[:2, :2].T, log_weight, mean[2] + z @ root[2, :2], float(root[2, 2])


def less_sure(shape: float, ahead: float) -> float:
    """Shape of a gamma factor with the variance of the product of two independent ones of mean 1 and these shapes."""
    return shape * ahead / (shape + ahead + 1)


def still_unread(
    thinning: Thinning, judged: Flags, relevant: Flags, unread: Flags, sharp: Thinning = SHARP
) -> Remaining:
    """Distribution of the number of relevant documents among the unread ones.

    Parameters
    ----------
    thinning, sharp : Thinning
        How hits thin out along lists, and along those whose ranking is nearly perfect.
    judged, relevant, unread : ndarray of bool, shape (n,)
        By rank, which documents have a label, which of these are relevant, and which nobody read.

    Returns
    -------
    Remaining
        Number of relevant documents that nobody read.
    """
    documents = int(unread.sum())
    if not documents:
        return Remaining(np.ones(1), np.ones(1), np.zeros(1), 0)
    rates = hit_rates(in_given_order(thinning, sharp), len(unread))
    now = rates.after(judged, relevant)
    expected = now.shape / now.rate * rates.exposure(unread)
    return remaining_from_forecasts(now.weight, less_sure(float(now.shape[0]), AHEAD), expected, documents)


def chances_as_read(thinning: Thinning, judged: Flags, relevant: Flags, unread: Flags) -> Floats:
    """Chance of each document by rank: given all labels if it is unread, otherwise as it was when the document came up.

    A document that was read gets the chance that the labels of the blocks of ranks before its own give it.

    Parameters
    ----------
    thinning : Thinning
        How hits thin out along lists.
    judged, relevant, unread : ndarray of bool, shape (n,)
        By rank, which documents have a label, which of these are relevant, and which nobody read.

    Returns
    -------
    ndarray, shape (n,)
        Chances below 1.
    """
    rates = hit_rates(in_given_order(thinning), len(unread))
    at, width = rates.edges, np.diff(rates.edges)
    hits = np.append(0, np.cumsum(judged & relevant))[at]
    # The mixture at the beginning of each block, as by `HitRates.after`, which gives that at the end.
    read = rates.density * np.diff(np.append(0, np.cumsum(judged))[at])
    at_hits = rates.log_density * np.diff(hits)
    exposure, log_at_hits = (
        np.cumsum(np.pad(part, ((0, 0), (1, 0))), axis=1)[:, :-1] for part in (read, at_hits)
    )
    log_at_hits = np.repeat(log_at_hits, TOTALS, axis=0) + hits[:-1] * np.log(rates.total)[:, None]
    then = updated(rates.start, rates.expected(exposure), hits[:-1], log_at_hits, TEMPER)
    now, expected = rates.after(judged, relevant), rates.expected(rates.density)
    behind, ahead = (
        (mix.weight * -expm1(log_passed(mix, expected))).sum(axis=0) for mix in (then, now.for_many(2))
    )
    return np.where(unread, np.repeat(ahead, width), np.repeat(behind, width))


@lru_cache(maxsize=64)
def edges(length: int) -> Ints:
    """Edges of blocks of ranks, from 0 to the length: blocks of one rank at first, then ever longer ones; shape (B + 1,)."""
    late = EXACT * GROWTH ** np.arange(math.ceil(math.log(max(length / EXACT, 1), GROWTH)) + 1)
    every = np.concatenate((np.arange(EXACT), late.astype(int)))
    return np.unique(np.append(every[every < length], length))


def share_among(share: Callable[[Ints], Floats], documents: Flags) -> Floats:
    """Share of the hits expected among flagged documents, shape (S,), from the function for the first k documents."""
    ends = np.flatnonzero(np.diff(documents.astype(np.int8), prepend=0, append=0))
    signs = np.where(np.arange(len(ends)) % 2, 1.0, -1.0)
    return np.asarray(share(ends) @ signs)


def share_at(hits: NDArray[np.intp], length: int, alpha: Floats, beta: Floats) -> Floats:
    """Share of the hits expected at single positions, by the density of family "beta".

    Parameters
    ----------
    hits : ndarray of int, shape (h,)
        Positions, from 0.
    length : int
        Number of documents of the list.
    alpha, beta : ndarray, shape (J,)
        Parameters of each curve.

    Returns
    -------
    ndarray, shape (J, h)
        Shares, for each curve and position.
    """
    r, a, b = (hits + 0.5) / length, alpha[:, None], beta[:, None]
    return np.asarray(np.exp((a - 1) * np.log(r) + (b - 1) * np.log1p(-r) - betaln(a, b)) / length)


def grid(sizes: Sequence[int]) -> tuple[Floats, Floats]:
    """Nodes of independent standard normal variables, as many as sizes, the last varying fastest; and their log weights."""
    z = np.array(list(product(*(np.linspace(-REACH, REACH, size) for size in sizes))))
    log_weight = -0.5 * (z**2).sum(axis=1)
    return z, np.asarray(log_weight - logsumexp(log_weight))
