"""A lower bound on recall that holds at every stop at once, on every list, from documents drawn at random.

Of the documents offered every n-th is drawn uniformly from those still unread, all others come in the list's order. Had
the list R relevant documents, f of them found, the next draw would be one with the chance θ = (R − f) / unread, whatever
ranked the others. A bet that there are fewer, γθ, multiplies a stake by (1 − γθ)/(1 − θ) at a miss and by γ at a hit: a
fair game if R is true, so that its stake exceeds 1/α at any time with a chance of at most α (Ville). Bets are mixed over
γ and over the draw at which they begin, for what ranking finds early tells nothing of what is left later. R is ruled out
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

ALPHA = 0.05
BETS = (0.02, 0.3)
"""γ: how many are bet to be left, as a share of those that R says. Chosen among mixtures on simulated lists, which
docs/recall_statement.md tells; any choice holds, others read more."""


def draws_at(documents: int, every: int) -> Flags:
    """Which places of an order are draws: every n-th, shape (documents,).

    >>> draws_at(7, 3).tolist()
    [False, False, True, False, False, True, False]
    """
    return np.asarray(np.arange(1, documents + 1) % every == 0)


def interleaved(every: int, shuffled: Ranks) -> Ranks:
    """The list's documents in the order they are offered, draws at the places of :func:`draws_at`; shape (documents,).

    A draw is the first document of a random order (`shuffled`) that is still unread, which is any unread one with the
    same chance.

    >>> interleaved(3, np.array([1, 4, 0, 5, 2, 3])).tolist()
    [0, 1, 4, 2, 3, 5]
    """
    documents = len(shuffled)
    offered, read = [], bytearray(documents)
    in_order, drawn = iter(range(documents)), iter(shuffled.tolist())
    for draw in draws_at(documents, every).tolist():
        at = next(at for at in (drawn if draw else in_order) if not read[at])
        read[at] = True
        offered.append(at)
    return np.array(offered, dtype=np.intp)


def log_stakes(hits: Flags, chance: Floats, draws: int) -> Floats:
    """Logarithm of the mixed stake after each draw, of the shape of `hits` and `chance`, (..., K).

    `chance` is θ of each draw under the total that is tested, above 1 where that total is impossible. `draws` is how many
    there are in the whole list, K or more: what the weights of the beginnings are shared among.
    """
    begins = 1.0 / np.arange(1, draws + 1)
    begins = begins[: hits.shape[-1]] / begins.sum()
    chance, stakes = np.minimum(chance, 1.0), []
    # What is put on bets that have not begun is still whole.
    waits = np.log(np.maximum(1 - np.cumsum(begins), 1e-300))
    for gamma in BETS:
        miss = np.log1p(-gamma * chance) - np.log(np.maximum(1 - chance, 1e-300))
        # A hit that was certain was no bet.
        factor = np.where(hits, np.log(gamma) * (chance < 1), miss)
        so_far = np.cumsum(factor, axis=-1)
        begun = np.logaddexp.accumulate(np.log(begins) - so_far + factor, axis=-1) + so_far
        stakes.append(np.logaddexp(begun, waits))
    return np.asarray(np.logaddexp.reduce(stakes, axis=0) - np.log(len(BETS)))


def largest_total(relevant: Flags, drawn: Flags, documents: int, alpha: float = ALPHA, draws: int = 0) -> int:
    """The most relevant documents that the list can hold, at confidence 1 − α at every depth at once.

    `relevant` and `drawn` say of the documents read, in the order read, what counts as relevant, and which were draws,
    shape (n,). The list has so many `documents` and `draws`; 0: those of `drawn`.

    >>> relevant, drawn = np.arange(600) < 40, draws_at(600, 2)
    >>> largest_total(relevant, drawn, 1000, draws=500)
    51
    """
    found = int(relevant.sum())
    more = range(found + 1, found + documents - len(relevant) + 1)

    def ruled_out(total: int) -> bool:
        return _ruled_out(total, relevant, drawn, documents, alpha, draws)

    return found + bisect_left(more, True, key=ruled_out)


def first_bounded(relevant: Flags, drawn: Flags, recall: float, alpha: float = ALPHA) -> int:
    """First depth of a list read to its end where the bound is at least `recall`; its length where none is before.

    `relevant` and `drawn` as for :func:`largest_total`, of the whole list. The bound never falls while labels are only
    added, so the depth is found by bisection.
    """
    documents = len(relevant)
    found = np.concatenate([[0], np.cumsum(relevant)])

    def bounded(depth: int) -> bool:
        least = int(np.floor(found[depth] / recall + 1e-9)) + 1
        if least > found[depth] + documents - depth:
            return True
        return _ruled_out(least, relevant[:depth], drawn[:depth], documents, alpha, int(drawn.sum()))

    return bisect_left(range(documents), True, key=bounded)


def price(documents: int, every: int, relevant: int, recall: float) -> int:
    """Documents read until the bound is `recall`, were all relevant ones to come first.

    >>> price(2000, 10, 50, 0.95), price(2000, 2, 50, 0.95)
    (1998, 1776)
    """
    drawn = draws_at(documents, every)
    labels = np.zeros(documents, dtype=bool)
    labels[np.flatnonzero(~drawn)[:relevant]] = True
    return first_bounded(labels, drawn, recall)


def _ruled_out(
    total: int, relevant: Flags, drawn: Flags, documents: int, alpha: float, draws: int = 0
) -> bool:
    """Whether the stake against so many in all ever reached 1/α in the documents read."""
    at = np.flatnonzero(drawn)
    if not len(at):
        return False
    found: Ranks = np.cumsum(relevant)[at] - relevant[at]
    chance = (total - found) / (documents - at)
    stakes = log_stakes(relevant[at], chance, draws or len(at))
    return bool(stakes.max() >= -np.log(alpha))
