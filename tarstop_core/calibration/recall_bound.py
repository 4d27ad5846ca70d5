"""A lower bound on recall that holds at every stop at once, on every list, from documents drawn at random.

Every n-th document offered is drawn uniformly from those still unread, all others come in the list's order. If
the list had R relevant documents, f of them read, the next draw would be relevant with chance θ = (R − f) / unread, whatever
ranked the others. A bet that there are fewer, γθ, multiplies a stake by (1 − γθ)/(1 − θ) at a miss and by γ at a hit: a
fair game if R is true, so that its stake ever reaches 1/α with a chance of at most α (Ville). Bets are mixed over
γ and over the draw at which they begin, because what a ranking finds early does not say what is left later. R is ruled out
once its mixed stake has reached 1/α.

Every factor rises with R and falls when a label becomes relevant. So the totals ruled out are all those above the one
that :func:`largest_total` finds by bisection, and counting what is unsure as relevant can only raise it.

Notes
-----
Likelihood ratios for draws without replacement: I. Waudby-Smith and A. Ramdas (2020), Confidence sequences for sampling
without replacement, NeurIPS 33; J. Ville (1939), Étude critique de la notion de collectif. The mixture is this program's.
"""

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from tarstop_core.documents.tables import Flags, Floats

Ranks = NDArray[np.intp]

ALPHA = 0.05  # Chance that the bound is ever wrong, at most
BETS = (0.02, 0.3)
"""γ: share of the relevant documents left under R that a bet assumes to be left. Chosen on simulated lists
(docs/recall_statement.md); the bound holds with any choice, but others read more."""


def draws_at(documents: int, every: int) -> Flags:
    """Flags of the positions that are random draws: every n-th, shape (documents,).

    >>> draws_at(7, 3).tolist()
    [False, False, True, False, False, True, False]
    """
    return np.asarray(np.arange(1, documents + 1) % every == 0)


def interleaved(every: int, shuffled: Ranks) -> Ranks:
    """Documents in the order in which they are offered, draws at the places of :func:`draws_at`; shape (documents,).

    A draw is the first document of a random order (`shuffled`) that is still unread: every unread document has the
    same chance.

    >>> interleaved(3, np.array([1, 4, 0, 5, 2, 3])).tolist()
    [0, 1, 4, 2, 3, 5]
    """
    documents = len(shuffled)
    offered, read = [], bytearray(documents)
    sources = iter(range(documents)), iter(shuffled.tolist())
    for draw in draws_at(documents, every).tolist():
        at = next(sources[draw])
        while read[at]:
            at = next(sources[draw])
        read[at] = True
        offered.append(at)
    return np.array(offered, dtype=np.intp)


def log_stakes(hits: Flags, chance: Floats, draws: int) -> Floats:
    """Logarithm of the mixed stake after each draw.

    Parameters
    ----------
    hits : ndarray of bool, shape (..., K)
        Whether each draw was relevant.
    chance : ndarray, shape (..., K)
        θ of each draw under the total that is tested; above 1 where that total is impossible.
    draws : int
        Draws in the whole list, at least K: the weights of the beginnings are shared among them.

    Returns
    -------
    ndarray, shape (..., K)
        Natural logarithms.
    """
    begins = 1.0 / np.arange(1, draws + 1)
    begins = begins[: hits.shape[-1]] / begins.sum()
    chance, stakes = np.minimum(chance, 1.0), []
    # Stakes on bets that have not begun are still whole.
    waits = np.log(np.maximum(1 - np.cumsum(begins), 1e-300))
    for gamma in BETS:
        miss = np.log1p(-gamma * chance) - np.log(np.maximum(1 - chance, 1e-300))
        # A hit that R makes certain changes no stake.
        factor = np.where(hits, np.log(gamma) * (chance < 1), miss)
        so_far = np.cumsum(factor, axis=-1)
        begun = np.logaddexp.accumulate(np.log(begins) - so_far + factor, axis=-1) + so_far
        stakes.append(np.logaddexp(begun, waits))
    return np.asarray(np.logaddexp.reduce(stakes, axis=0) - np.log(len(BETS)))


def largest_total(relevant: Flags, drawn: Flags, documents: int, alpha: float = ALPHA, draws: int = 0) -> int:
    """Upper bound on the list's relevant documents, with confidence 1 − α at all depths at once.

    Parameters
    ----------
    relevant, drawn : ndarray of bool, shape (n,)
        Of the documents read, in the order read: which count as relevant, and which were draws.
    documents : int
        Documents in the whole list.
    alpha : float
        Chance that the bound is ever wrong.
    draws : int
        Draws in the whole list; 0: those of `drawn`.

    Returns
    -------
    int
        At least the relevant documents read.

    Examples
    --------
    >>> relevant, drawn = np.arange(600) < 40, draws_at(600, 2)
    >>> largest_total(relevant, drawn, 1000, draws=500)
    51
    """
    hits = int(relevant.sum())
    more = range(hits + 1, hits + documents - len(relevant) + 1)

    def ruled_out(total: int) -> bool:
        return _ruled_out(total, relevant, drawn, documents, alpha, draws)

    return hits + bisect_left(more, True, key=ruled_out)


def first_bounded(
    relevant: Flags,
    drawn: Flags,
    recall: float,
    alpha: float = ALPHA,
    start: int = 0,
    unsure: Flags | None = None,
) -> int:
    """First depth at which the bound on recall is high enough, in a list that was read to its end.

    Parameters
    ----------
    relevant, drawn : ndarray of bool, shape (N,)
        Of all documents, in the order read: which count as relevant, and which were draws.
    recall : float
        Recall that the bound has to reach, in (0, 1].
    alpha : float
        Chance that the bound is ever wrong.
    start : int
        Depth to begin at.
    unsure : ndarray of bool, shape (N,), optional
        Documents that wait for a verdict: they count as relevant, but not as found.

    Returns
    -------
    int
        N if there is none before. The bound never falls while labels are only added, so bisection finds the depth.
    """
    documents = len(relevant)
    counts = relevant if unsure is None else relevant | unsure
    total_found, hits = (np.concatenate([[0], np.cumsum(flags)]) for flags in (relevant, counts))

    def bounded(depth: int) -> bool:
        least = int(np.floor(total_found[depth] / recall + 1e-9)) + 1
        if not hits[depth] < least <= hits[depth] + documents - depth:
            return bool(least > hits[depth])
        return _ruled_out(least, counts[:depth], drawn[:depth], documents, alpha, int(drawn.sum()))

    return bisect_left(range(documents), True, lo=min(start, documents), key=bounded)


def price(documents: int, every: int, relevant: int, recall: float) -> int:
    """Number of documents to read until the bound on recall is high enough, if all relevant documents come first.

    Parameters
    ----------
    documents, relevant : int
        Documents of the list, and relevant ones among them.
    every : int
        Documents to one draw.
    recall : float
        Recall that the bound has to reach, in (0, 1].

    Returns
    -------
    int
        At most `documents`.

    Examples
    --------
    >>> price(2000, 10, 50, 0.95), price(2000, 2, 50, 0.95)
    (1998, 1776)
    """
    drawn = draws_at(documents, every)
    labels = np.zeros(documents, dtype=bool)
    labels[np.flatnonzero(~drawn)[:relevant]] = True
    return first_bounded(labels, drawn, recall)


def _ruled_out(total: int, relevant: Flags, drawn: Flags, documents: int, alpha: float, draws: int) -> bool:
    """Whether the test martingale against this total ever reached 1/α in the documents read."""
    at = np.flatnonzero(drawn)
    if not len(at):
        return False
    hits_before: Ranks = np.cumsum(relevant)[at] - relevant[at]
    chance = (total - hits_before) / (documents - at)
    stakes = log_stakes(relevant[at], chance, draws or len(at))
    return bool(stakes.max() >= -np.log(alpha))
