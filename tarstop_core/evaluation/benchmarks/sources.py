"""Cases from the files of a collection: rankings with judgments, or with 2×2 tables."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.cases import Case
from tarstop_core.files import label_topics, read_chances, read_outcomes, read_qrels, read_run


@dataclass(frozen=True)
class Source:
    """Files of one collection."""

    run: Path
    qrels: Path | None
    outcomes: Path | None = None  # 2×2 tables with the documents they come from (reviews)
    chances: Path | None = None  # What each document's chance was when it was next (reviews)


def without_relevant(topic: Topic) -> Topic:
    """The ω⁻ twin of a topic: the same ranking with its relevant documents taken out, as in the paper."""
    assert topic.labels is not None
    kept = ~topic.labels
    return replace(
        topic,
        name=f"{topic.name}, relevant removed",
        ids=topic.ids[kept],
        scores=None if topic.scores is None else topic.scores[kept],
        labels=np.zeros(int(kept.sum()), dtype=bool),
        n_relevant=0,
        known=None if topic.known is None else topic.known[kept],
    )


def decisive_cases(source: Source, *, twins: bool = True) -> tuple[list[Case], tuple[str, ...]]:
    """Patent-like cases of a labelled ranking, with an ω⁻ twin for every ω⁺ topic or none; and what is to be said."""
    assert source.qrels is not None
    run, qrels = read_run(source.run), read_qrels(source.qrels)
    topics, notes = label_topics(run, qrels)
    cases = []
    for topic in topics.values():
        cases.append(Case(topic, topic.name))
        if twins and topic.omega:
            cases.append(Case(without_relevant(topic), topic.name))
    return cases, (*run.notes, *qrels.notes, *notes)


def review_cases(source: Source) -> tuple[list[Case], tuple[str, ...]]:
    """Cases of a ranking and its 2×2 tables, and what is to be said of the files."""
    assert source.outcomes is not None
    run = read_run(source.run)
    found = read_outcomes(source.outcomes, run)
    reviews = {each.review: run[each.review] for each in found.outcomes}
    told = read_chances(source.chances, reviews) if source.chances else {}
    cases = [Case(each.topic, each.review, each, told.get(each.review)) for each in found.outcomes]
    return cases, (*run.notes, *found.notes)
