"""The samples as labelled lists, ranked by BM25: what an experiment, a map or a lesson plays."""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.documents.outcome import Outcome
from tarstop_core.documents.reports import Report, Row, collect
from tarstop_core.documents.topic import Topic
from tarstop_core.ranking.order import Ranking, prepare
from tarstop_core.samples.collections import (
    load_review_sample,
    load_sample,
    sample_full_texts,
    sample_qrels,
    sample_reviews,
    sample_topics,
)


@lru_cache(maxsize=32)
def labelled_search(topic: str) -> Topic:
    """A simulated search with its judgments."""
    ids, ranking = _ranked(load_sample(topic), sample_topics, topic, "claim")
    judged = sample_qrels()[topic]
    labels = np.array([bool(judged.get(each)) for each in ids])
    return Topic(topic, ids, ranking.scores, labels, sum(map(bool, judged.values())))


@lru_cache(maxsize=32)
def labelled_review(topic: str) -> Outcome:
    """A simulated review with its 2×2 tables; a study's table is counted where the first report brings it."""
    ids, ranking = _ranked(load_review_sample(topic), sample_reviews, topic, "question")
    texts = sample_full_texts(topic)
    reports = {}
    for at, each in enumerate(ids):
        text = texts.get(str(each))
        if text is not None and text.TP is not None and text.FN is not None:
            table = Row(text.study, text.TP, text.FP, text.FN, text.TN)
            reports[at] = Report("data", study=text.study, rows=(table,))
    evidence = collect(reports)
    labels = np.zeros(len(ids), dtype=bool)
    labels[evidence.positions] = True
    found = Topic(topic, ids, ranking.scores, labels, int(labels.sum()))
    return Outcome(found, topic, evidence.tables, evidence.positions)


def labelled_inclusions(topic: str) -> Topic:
    """A simulated review with what title and abstract let through."""
    ids, ranking = _ranked(load_review_sample(topic), sample_reviews, topic, "question")
    labels = np.isin(ids, list(sample_full_texts(topic)))
    return Topic(topic, ids, ranking.scores, labels, int(labels.sum()))


def _ranked(
    frame: pd.DataFrame, listed: Callable[[], pd.DataFrame], topic: str, query: str
) -> tuple[NDArray[np.str_], Ranking]:
    """Identifiers in ranking order, and the ranking by the topic's own query."""
    ranking = prepare(frame, "text", str(listed().set_index("topic").at[topic, query]))
    return frame["id"].to_numpy(dtype=str)[ranking.order], ranking
