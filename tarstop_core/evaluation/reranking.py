"""A session in which the list learns, played on a list whose labels are known, and how good the order read is."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.errors import InputProblem
from tarstop_core.ranking.bm25 import WORDS, build_index
from tarstop_core.ranking.features import Features, make_features
from tarstop_core.ranking.learning import (
    DEFAULT,
    RANKERS,
    Feedback,
    Floats,
    Label,
    Ranker,
    due,
    reading_order,
)

SHARES = (0.05, 0.1, 0.2, 0.5)
"""Of the list, for recall."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Reread:
    """A list as it was read while it learned."""

    order: NDArray[np.intp]  # Positions in the list given, first read first. Shape (N,).
    scores: Floats
    """What the fit that put a document there gave it; scores of different fits are no common scale. Shape (N,)."""
    fitted_at: NDArray[np.intp]  # Number of labels at each fit; the first is 0
    seconds: Floats  # How long each fit took, with the scores of every document

    @property
    def fit(self) -> NDArray[np.intp]:
        """Number, from 0, of the fit that put each document where it was read. Shape (N,)."""
        return np.searchsorted(self.fitted_at, np.arange(len(self.order)), side="right") - 1


def simulate(
    texts: list[str] | Features,
    question: str,
    labels: ArrayLike,
    *,
    ranker: Ranker | None = None,
    seed: int = 0,
    start: Floats | None = None,
    words_for: str = "",
    words_against: str = "",
    outside: Floats | None = None,
    to_the_end: bool = True,
    progress: Progress | None = None,
) -> Reread:
    """Read a labelled list to its end, the ranker (the default one unless given) being asked anew whenever that is due.

    `texts` are titles and abstracts, or features made of them; `labels` say whether each is relevant, or are a `Label`
    each, which is what its reading will teach, shape (N,). The list begins in the order of the scores `start`, BM25 on
    word stems by the question unless given; `words_for`, `words_against` and `outside`, scores from elsewhere, are those of
    :class:`~tarstop_core.ranking.learning.Feedback`. Unless it goes on `to_the_end` nothing is learned once everything
    relevant was read, which changes nothing that `quality` says.
    """
    given = np.asarray(labels)
    taught = np.where(given, Label.RELEVANT, Label.NOT_RELEVANT) if given.dtype == bool else given
    taught = taught.astype(np.int8)
    features = texts if isinstance(texts, Features) else make_features(texts)
    if start is None:
        if isinstance(texts, Features):
            raise ValueError("features do not hold the texts that BM25 would order: give start")
        start = build_index(texts, recipe=WORDS).scores(question)
    N, sought = len(taught), int(np.count_nonzero(taught >= Label.RELEVANT))
    told = Feedback(question, np.zeros(N, dtype=np.int8), start, words_for, words_against, outside)
    asked = RANKERS[DEFAULT] if ranker is None else ranker
    order, scores = np.empty(N, dtype=np.intp), np.empty(N)
    fitted_at: list[int] = []
    seconds: list[float] = []
    queue: NDArray[np.intp] = np.empty(0, dtype=np.intp)
    now = np.empty(0)
    for read in range(N):
        if not fitted_at or (due(read, fitted_at[-1]) and (to_the_end or sought)):
            begun = time.perf_counter()
            now = asked.scores(features, replace(told, labels=told.labels.copy()), seed)
            seconds.append(time.perf_counter() - begun)
            fitted_at.append(read)
            ordered = reading_order(now, seed)
            queue = ordered[told.labels[ordered] == Label.UNREAD]
            if progress is not None:
                progress(read, N)
        order[read] = position = queue[read - fitted_at[-1]]
        scores[read] = now[position]
        told.labels[position] = taught[position]
        sought -= int(taught[position] >= Label.RELEVANT)
    return Reread(order, scores, np.array(fitted_at), np.array(seconds))


def quality(relevant: ArrayLike) -> dict[str, Any]:
    """How good an order is, by whether each document is relevant, as read, shape (N,): `recall_at`, `wss_95` and `loss`.

    Of a share s of the list, the first ⌈sN⌉ documents count. WSS@95 is the share left unread when 95 % of the relevant ones
    are found, less 5 % (Cohen et al. 2006). Loss is the chance that a document that is not relevant was read before one
    that is: 0 at best, ½ by chance, as ``asreview.metrics.loss`` has it.
    InputProblem when all are relevant, or none.
    """
    hits = np.asarray(relevant, dtype=bool)
    N, R = len(hits), int(np.count_nonzero(hits))
    if R in (0, N):
        raise InputProblem(
            f"{'Every one' if R else 'None'} of the {N:,} documents is relevant, so no order is better than another; "
            "choose a column with labels of both kinds."
        )
    found = np.cumsum(hits)
    depth = int(np.searchsorted(found, np.ceil(0.95 * R - 1e-9))) + 1
    return {
        "recall_at": {f"{share:g}": float(found[int(np.ceil(share * N - 1e-9)) - 1] / R) for share in SHARES},
        "wss_95": float(1 - depth / N - 0.05),
        "loss": float((R * (N - (R - 1) / 2) - found.sum()) / (R * (N - R))),
    }
