"""Quality of a ranking: average precision, NDCG and recall at 100, as trec_eval computes them."""

from collections.abc import Mapping

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP, R, nDCG

from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem

MEASURES = {"map": AP, "ndcg": nDCG, "recall_100": R @ 100}
Metrics = dict[str, float]
"""By name of :data:`MEASURES`, each between 0 and 1."""


def topic_metrics(run: Mapping[str, Topic], qrels: Mapping[str, Mapping[str, int]]) -> dict[str, Metrics]:
    """Average precision, NDCG and recall at 100 of each topic with a relevant document in the qrels, in the run's order.

    As in trec_eval the scores decide the order, in single precision and with ties in descending order of identifiers;
    a list without scores keeps its order. Judgments are by topic and document: 1 or more is relevant, and a document
    that is not listed is not relevant. A topic none of whose relevant documents is ranked has 0 for all measures.
    Recall divides by all relevant documents of the qrels, ranked or not.

    Raises
    ------
    InputProblem
        When a topic ranks a document twice or has a score that is not a number.
    """
    judged = {
        name: {document: max(relevance, 0) for document, relevance in qrels[name].items()}
        for name in run
        if any(relevance > 0 for relevance in qrels.get(name, {}).values())
    }
    ranked = {name: _scores_by_document(run[name]) for name in judged}
    values_of: dict[str, Metrics] = {name: {} for name in judged}
    key_of = {measure: key for key, measure in MEASURES.items()}
    if judged:
        for metric in ir_measures.pytrec_eval.iter_calc(list(key_of), judged, ranked):
            values_of[metric.query_id][key_of[metric.measure]] = float(metric.value)
    return {name: {key: values[key] for key in MEASURES} for name, values in values_of.items()}


def ranking_metrics(run: Mapping[str, Topic], qrels: Mapping[str, Mapping[str, int]]) -> Metrics:
    """Means of :func:`topic_metrics` over the topics of a run, with their number as ``topics``.

    Judged topics that are not in the run are left out (as trec_eval does without its option ``-c``).

    Raises
    ------
    InputProblem
        When no topic of the run is judged; otherwise as :func:`topic_metrics` does.
    """
    by_topic = topic_metrics(run, qrels)
    if not by_topic:
        raise InputProblem(
            f"None of the {len(run)} topics of the run has a relevant document in the qrels; "
            "check that both use the same topic names."
        )
    means = {key: float(np.mean([values[key] for values in by_topic.values()])) for key in MEASURES}
    return {**means, "topics": len(by_topic)}


def _scores_by_document(topic: Topic) -> dict[str, float]:
    scores = topic.scores if topic.scores is not None else -np.arange(len(topic), dtype=np.float64)
    if np.isnan(scores).any():
        place = int(np.argmax(np.isnan(scores))) + 1
        raise InputProblem(
            f"Topic {topic.name}: document {topic.ids[place - 1]} at rank {place} has no number as its score; "
            "give every ranked document a score."
        )
    by_document = dict(zip(topic.ids.tolist(), scores.tolist(), strict=True))
    if len(by_document) < len(topic):
        document = topic.ids[pd.Series(topic.ids).duplicated()][0]
        raise InputProblem(
            f"Topic {topic.name} ranks document {document} more than once; keep one line for each document."
        )
    return by_document
