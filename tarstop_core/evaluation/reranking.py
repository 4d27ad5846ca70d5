"""Simulate active learning on labelled lists: reading order, forecasts, and tests of a ranker."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tarstop_core.calibration.quality import ece, reliability
from tarstop_core.calibration.reranked import RerankedChances, ahead, forecasts
from tarstop_core.errors import InputProblem
from tarstop_core.policies.check import ENOUGH, CheckResult
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
from tarstop_core.value.payoffs import Flags

SHARES = (0.05, 0.1, 0.2, 0.5)
"""Shares of the list at which recall is reported."""
READ = (20, 50, 100, 500)
"""Numbers of documents read at which the number of unread relevant documents is forecast."""
LEAST = 1e-12
"""Least chance whose log is taken."""
LENGTHS = (1, 2, 7, 40)
"""Lengths of the random lists on which a ranker is tested."""
TRIAL_WORDS = 30
"""Different words in the random documents of one class."""


@dataclass(frozen=True, eq=False)
class Reread:
    """A list in the order in which active learning had it read."""

    order: NDArray[np.intp]  # Positions in the given list in reading order, shape (N,)
    scores: Floats
    """Score of each document in the fit that placed it, in reading order, shape (N,); fits are not comparable."""
    fitted_at: NDArray[np.intp]  # Number of labels at each fit; the first is 0. Shape (F,)
    seconds: Floats  # Duration of each fit, with the scores of every document. Shape (F,)

    @property
    def fit(self) -> NDArray[np.intp]:
        """Index of the fit that placed each document, in reading order; shape (N,)."""
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
    progress: Callable[[int, int], None] | None = None,
) -> Reread:
    """Read a labelled list to its end, and fit the ranker again whenever that is due.

    Parameters
    ----------
    texts : list of str or Features
        Titles and abstracts, or features made of them.
    question : str
        The question of the search.
    labels : array of bool or Label, shape (N,)
        Whether each document is relevant, or the label that its reader gives it.
    ranker : Ranker, optional
        :data:`~tarstop_core.ranking.learning.DEFAULT` if not given.
    seed : int
        Seed of the ranker's random draws.
    start : ndarray, shape (N,), optional
        Scores of the first order; if not given, BM25 scores of the question on word stems.
    words_for, words_against, outside : str, str, ndarray
        As of :class:`~tarstop_core.ranking.learning.Feedback`.
    to_the_end : bool
        Whether learning goes on after the last relevant document; :func:`order_quality` does not depend on it.
    progress : callable, optional
        Takes the number of documents read and the number of all documents.

    Returns
    -------
    Reread
    """
    given = np.asarray(labels)
    taught = np.where(given, Label.RELEVANT, Label.NOT_RELEVANT) if given.dtype == bool else given
    taught = taught.astype(np.int8)
    features = texts if isinstance(texts, Features) else make_features(texts)
    if start is None:
        if isinstance(texts, Features):
            raise ValueError("features do not hold the texts that BM25 would order: give start")
        start = build_index(texts, recipe=WORDS).scores(question)
    N, unread_relevant = len(taught), int(np.count_nonzero(taught >= Label.RELEVANT))
    feedback = Feedback(question, np.zeros(N, dtype=np.int8), start, words_for, words_against, outside)
    ranker = RANKERS[DEFAULT] if ranker is None else ranker
    order, scores = np.empty(N, dtype=np.intp), np.empty(N)
    fitted_at: list[int] = []
    seconds: list[float] = []
    queue: NDArray[np.intp] = np.empty(0, dtype=np.intp)
    now = np.empty(0)
    for read in range(N):
        if not fitted_at or (due(read, fitted_at[-1]) and (to_the_end or unread_relevant)):
            begun = time.perf_counter()
            now = ranker.scores(features, replace(feedback, labels=feedback.labels.copy()), seed)
            seconds.append(time.perf_counter() - begun)
            fitted_at.append(read)
            ordered = reading_order(now, seed)
            queue = ordered[feedback.labels[ordered] == Label.UNREAD]
            if progress is not None:
                progress(read, N)
        order[read] = position = queue[read - fitted_at[-1]]
        scores[read] = now[position]
        feedback.labels[position] = taught[position]
        unread_relevant -= int(taught[position] >= Label.RELEVANT)
    return Reread(order, scores, np.array(fitted_at), np.array(seconds))


def order_quality(relevant: ArrayLike) -> dict[str, Any]:
    """Measure the quality of a reading order from the labels in that order, shape (N,).

    Recall at a share s counts the first ⌈sN⌉ documents. WSS@95 is the share left unread when 95 % of the relevant
    documents are found, minus 5 % (Cohen et al. 2006). Loss is the chance that a document that is not relevant comes
    before one that is: 0 at best, ½ at random, as in ``asreview.metrics.loss``.

    Returns
    -------
    dict
        `recall_at`, `wss_95` and `loss`.

    Raises
    ------
    InputProblem
        When all documents are relevant, or none.
    """
    hits = np.asarray(relevant, dtype=bool)
    N, R = len(hits), int(np.count_nonzero(hits))
    if R in (0, N):
        raise InputProblem(
            f"{'Every one' if R else 'None'} of the {N:,} documents is relevant, so no order is better than another; "
            "choose a column with labels of both kinds."
        )
    hits_so_far = np.cumsum(hits)
    depth = int(np.searchsorted(hits_so_far, np.ceil(0.95 * R - 1e-9))) + 1
    return {
        "recall_at": {
            f"{share:g}": float(hits_so_far[int(np.ceil(share * N - 1e-9)) - 1] / R) for share in SHARES
        },
        "wss_95": float(1 - depth / N - 0.05),
        "loss": float((R * (N - (R - 1) / 2) - hits_so_far.sum()) / (R * (N - R))),
    }


# --- quality of forecasts -------------------------------------------------------------------------


def mean_log_loss(p: Floats, relevant: Flags) -> float:
    """Mean log-loss of chances, in nats; no chance counts as less than :data:`LEAST`."""
    return float(-np.log(np.maximum(np.where(relevant, p, 1 - p), LEAST)).mean())


def forecast_quality(model: RerankedChances, relevant: Flags) -> dict[str, Any]:
    """Measure forecasts along a labelled list.

    `relevant` holds the labels in reading order, shape (N,). A forecast at a depth uses only the labels before it.

    Returns
    -------
    dict
        `log_loss` and `ece` of the next document's chance, and `left`: at each of :data:`READ` the forecast and the
        true number of unread relevant documents.
    """
    p, length = forecasts(model, relevant, len(relevant))[:-1], len(relevant)
    left = {}
    for read in READ:
        if read < length:
            forecast = ahead(model, relevant[:read], length).left()
            low, high = forecast.interval()
            true = int(relevant[read:].sum())
            left[str(read)] = {"mean": forecast.mean, "low": low, "high": high, "true": true}
    return {"log_loss": mean_log_loss(p, relevant), "ece": ece(reliability(p, relevant)), "left": left}


def adaptive_chances(model: RerankedChances, ids: NDArray[np.str_], relevant: Flags) -> pd.DataFrame:
    """Tabulate the chance of each document when it was the next one.

    Parameters
    ----------
    model : RerankedChances
        Model of the chances.
    ids : ndarray of str, shape (N,)
        Identifiers in reading order.
    relevant : ndarray of bool, shape (N,)
        Labels in reading order.

    Returns
    -------
    DataFrame
        ``rank, id, chance, relevant``, one row per document.
    """
    p = forecasts(model, relevant, len(relevant))[:-1]
    return pd.DataFrame({"rank": np.arange(1, len(ids) + 1), "id": ids, "chance": p, "relevant": relevant})


# --- does a ranker look ahead? --------------------------------------------------------------------


def check_ranker(ranker: Ranker, lists: int = 8) -> CheckResult:
    """Test a ranker on random lists of 1 to 40 documents: does its order use only the labels given so far?

    The same input must give the same scores, one finite score for each document, and the ranker must not change its
    input. Each list is also read to its end twice, with different labels from some document on. Up to and including
    that document, whose position was fixed before these labels, the order must be the same.
    """
    rng = np.random.default_rng(0)
    findings: list[str] = []
    for trial in range(lists):
        faults = _faults(ranker, LENGTHS[trial % len(LENGTHS)], rng)
        findings += [fault for fault in faults if fault not in findings]
        if len(findings) >= ENOUGH:
            return CheckResult(ranker.name, trial + 1, tuple(findings[:ENOUGH]))
    return CheckResult(ranker.name, lists, tuple(findings))


def _faults(ranker: Ranker, N: int, rng: np.random.Generator) -> list[str]:
    """The first fault on a random list, if any."""
    try:
        return [*islice(_trial(ranker, N, rng), 1)]
    except Exception as problem:
        reason = " ".join(str(problem).split()).rstrip(".")
        return [f"On a list of {N} documents it fails: {type(problem).__name__}: {reason}."]


def _trial(ranker: Ranker, N: int, rng: np.random.Generator) -> Iterator[str]:
    relevant = rng.random(N) < 0.3
    words = [rng.integers(10 * label, 10 * label + TRIAL_WORDS, 8) for label in relevant]
    features = make_features([" ".join(f"word{number}" for number in numbers) for numbers in words])
    start = rng.random(N)
    labels = rng.choice([*Label], N, p=[0.4, 0.3, 0.15, 0.1, 0.05]).astype(np.int8)
    outside = np.where(rng.random(N) < 0.2, np.nan, rng.random(N))
    feedback = Feedback("word12 word13", labels, start, "word14", "word1", outside)
    untouched = replace(feedback, labels=labels.copy(), start=start.copy(), outside=outside.copy())
    first, again = (np.asarray(ranker.scores(features, feedback, 1)) for _ in range(2))
    where = f"On a list of {N} documents it"
    if first.shape != (N,) or not np.isfinite(first.astype(float)).all():
        yield f"{where} gives scores of shape {first.shape}, or not finite; one number for each document is needed."
    if not np.array_equal(first, again):
        yield f"{where} gives other scores for the same input; make its random draws depend only on the seed."
    for name in ("labels", "start", "outside"):
        if not np.array_equal(getattr(feedback, name), getattr(untouched, name), equal_nan=name == "outside"):
            yield f"{where} changes the {name} it was given; work on a copy."
    order = simulate(features, "word12", relevant, ranker=ranker, seed=1, start=start).order
    for read in sorted({0, 1, N // 3}):
        other = relevant.copy()
        other[order[read:]] = rng.random(N - read) < 0.5
        changed = simulate(features, "word12", other, ranker=ranker, seed=1, start=start).order
        if not np.array_equal(changed[: read + 1], order[: read + 1]):
            yield f"{where} changes the first {read + 1} when only labels after {read} change: it looks ahead."
