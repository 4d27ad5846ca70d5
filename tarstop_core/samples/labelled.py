"""The samples as labelled lists, ranked by BM25, for experiments, maps and lessons."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.documents.reports import Report, Row, collect
from tarstop_core.documents.tables import Floats
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.ranking.order import Ranking, prepare
from tarstop_core.samples import collections as samples


@lru_cache(maxsize=32)
def labelled_search(topic: str) -> Topic:
    """A simulated search with its judgments."""
    ids, ranking = _ranked(samples.load_sample(topic), samples.sample_topics, topic, "claim")
    judged = samples.sample_qrels()[topic]
    labels = np.array([bool(judged.get(name)) for name in ids])
    return Topic(topic, ids, ranking.scores, labels, sum(map(bool, judged.values())))


@lru_cache(maxsize=32)
def labelled_review(topic: str) -> Outcome:
    """A simulated review with its 2×2 tables; a study's table is counted where the first report brings it."""
    ids, ranking = _ranked(samples.load_review_sample(topic), samples.sample_reviews, topic, "question")
    return review_in_order(topic, ids, ranking.scores)


def review_in_order(topic: str, ids: NDArray[np.str_], scores: Floats | None = None) -> Outcome:
    """A simulated review with its 2×2 tables, its documents read in a given order.

    Parameters
    ----------
    topic : str
        Name of the review.
    ids : ndarray of str, shape (N,)
        Identifiers in reading order.
    scores : ndarray, shape (N,), optional
        Scores in that order.

    Returns
    -------
    Outcome
        A study's table is counted where the first report brings it.
    """
    evidence = collect(reports_with_data(samples.sample_full_texts(topic), ids.tolist()))
    labels = np.zeros(len(ids), dtype=bool)
    labels[evidence.positions] = True
    labelled = Topic(topic, ids, scores, labels, int(labels.sum()))
    return Outcome(labelled, topic, evidence.tables, evidence.positions)


def reports_with_data(texts: Mapping[str, samples.FullText], ids: Sequence[str]) -> dict[int, Report]:
    """The reports that bring a table, by their positions in a list of documents."""
    reports = {}
    for at, report in enumerate(map(texts.get, ids)):
        if report is not None and report.TP is not None and report.FN is not None:
            row = Row(report.study, report.TP, report.FP, report.FN, report.TN)
            reports[at] = Report("data", study=report.study, rows=(row,))
    return reports


def labelled_inclusions(topic: str) -> Topic:
    """A simulated review with what title and abstract let through."""
    ids, ranking = _ranked(samples.load_review_sample(topic), samples.sample_reviews, topic, "question")
    labels = np.isin(ids, list(samples.sample_full_texts(topic)))
    return Topic(topic, ids, ranking.scores, labels, int(labels.sum()))


def _ranked(
    frame: pd.DataFrame, listed: Callable[[], pd.DataFrame], topic: str, query: str
) -> tuple[NDArray[np.str_], Ranking]:
    """Identifiers in ranking order, and the ranking by the topic's own query."""
    ranking = prepare(frame, "text", str(listed().set_index("topic").at[topic, query]))
    return frame["id"].to_numpy(dtype=str)[ranking.order], ranking
