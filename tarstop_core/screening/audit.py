"""Audit draws of a session: the order of reading with them, and the bound on recall that follows.

Documents that are unsure or wait for confirmation count as relevant in the list but not as found, which can only make
the bound weaker. A changed verdict counts as if it had been given from the start; the draws stay. Documents that came
with labels count as read before the first draw.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from tarstop_core.calibration.recall_bound import ALPHA, draws_at, interleaved, largest_total, price
from tarstop_core.presentation.numbers import percent
from tarstop_core.ranking.order import Ranking
from tarstop_core.screening import record_message
from tarstop_core.screening.advised import ListFacts
from tarstop_core.screening.labels import RELEVANT
from tarstop_core.screening.log import Event
from tarstop_core.screening.state import State

SHARES = (20, 10, 5, 2)
"""Choices of how many documents there are to one draw."""


def with_draws(ranking: Ranking, kept: Sequence[int], every: int, seed: int) -> tuple[Ranking, Event]:
    """Draw one document in `every` at random, and return the list with the draws in their positions.

    Parameters
    ----------
    ranking : Ranking
        The list in the order of reading.
    kept : sequence of int
        Ranks, from 1 on, of its first documents: those that came with labels.
    every : int
        Number of documents to one draw.
    seed : int
        Seed of the random order that draws are taken from.

    Returns
    -------
    tuple of Ranking and Event
        The list in its new order of reading, and the event that records the draws.
    """
    left = len(ranking) - len(kept)
    offered = interleaved(every, np.random.default_rng(seed).permutation(left))
    rank = np.setdiff1d(np.arange(1, len(ranking) + 1), kept)[offered]
    at = np.append(np.arange(len(kept)), len(kept) + offered)
    scores = None if ranking.scores is None else ranking.scores[at]
    how = f"{ranking.how} One document in {every} is drawn at random."
    drawn = rank[draws_at(left, every)].tolist()
    event = Event("audited", {"every": every, "seed": seed, "ranks": drawn})
    return replace(ranking, order=ranking.order[at], scores=scores, how=how), event


def relevant_at_most(state: State, confidence: float = 1 - ALPHA) -> int | None:
    """Upper bound on the number of relevant documents in the list, with this confidence; None without audit draws."""
    if state.drawn is None:
        return None
    read, kept = state.depth, state.kept
    counts = state.labels[:read] == RELEVANT
    counts[state.unsure] = True
    fresh = largest_total(
        counts[kept:],
        state.drawn[kept:read],
        len(state.labels) - kept,
        alpha=1 - confidence,
        draws=int(state.drawn.sum()),
    )
    return int(counts[:kept].sum()) + fresh


def recall_sentence(state: State) -> str:
    """Sentences on the bound on recall, which holds at every stop, and on what several readers overlooked; may be empty."""
    confidence = state.settings.recall_confidence
    most, sentences = relevant_at_most(state, confidence), []
    if most is not None:
        settled = state.relevant - len(state.pending)
        sentences.append(record_message("recall", sure=percent(confidence), relevant=settled, most=most))
    if state.overlooked is not None and state.overlooked.remaining.high:
        sentences.append(record_message("overlooked", found=state.overlooked, weighs=state.settings.weighs))
    return " ".join(filter(None, sentences))


def overlooked_row(facts: ListFacts) -> list[tuple[str, str]]:
    """Row beside the advice on what several readers overlooked; no row with one reader."""
    if facts.overlooked is None:
        return []
    name = "Relevant documents that all readers excluded, not found yet"
    return [(name, record_message("not_found", found=facts.overlooked))]


def drawn_in_words(state: State) -> str:
    """Clause on how many documents were drawn so far, and how many of them are relevant."""
    assert state.drawn is not None
    drawn = state.drawn[: state.depth]
    hits = int((state.labels[: state.depth][drawn] == RELEVANT).sum())
    return record_message("drawn", every=state.audit_every, documents=int(drawn.sum()), hits=hits)


def audit_protocol(every: int, confidence: float = 1 - ALPHA) -> str:
    """Sentences for a protocol on audit draws."""
    return record_message("audit", every=every, sure=percent(confidence))


@lru_cache(maxsize=8)
def price_sentence(documents: int, every: int = 0) -> str:
    """Sentences on how much must be read at best before audit draws show a recall.

    Parameters
    ----------
    documents
        Length of the list.
    every
        One document in how many is drawn; it stands beside the fewest draws. Without it, or for these, the most draws do.

    Examples
    --------
    >>> price_sentence(2000).partition(', ')[2]
    'if there are 50 relevant documents and all come first, one draw in 20 shows that 80 % are found once 1,980 of 2,000 documents are read, and 95 % after 1,998. One draw in 2 shows this after 820 and 1,776.'
    """
    relevant = max(1, min(50, documents // 10))
    fewest = SHARES[0]
    other = every if every not in (0, fewest) else SHARES[-1]
    first, last = (
        {recall: price(documents, share, relevant, recall) for recall in (0.8, 0.95)}
        for share in (fewest, other)
    )
    how = {"fewest": fewest, "first": first, "most": other, "last": last}
    return record_message("price", relevant=relevant, documents=documents, **how)
