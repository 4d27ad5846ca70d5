"""The README of the sample data: what is simulated and how, what was matched, and the answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.documents.tables import Tables
from tarstop_core.presentation.html import TEMPLATES
from tarstop_core.ranking.bm25 import rank_documents
from tarstop_core.samples.simulate import rankings, reviews
from tarstop_core.samples.simulate.diagnostic import Review
from tarstop_core.samples.simulate.patents import PatentTopic

THETA = 0.75
NAMES = {
    "n_relevant": "relevant documents",
    "map": "MAP",
    "ndcg": "NDCG",
    "recall_100": "Recall@100",
    "hit_within_31": "first relevant within 31",
    "hit_within_100": "first relevant within 100",
}


def first_hits(topic: PatentTopic) -> list[int]:
    """Depths (1-based) of the prior art when the pool is ranked by BM25 with the claim as query."""
    texts = [f"{document.title} {document.abstract}" for document in topic.documents]
    order, _ = rank_documents(texts, topic.invention.claim)
    return [depth for depth, i in enumerate(order, start=1) if topic.documents[i].relevant]


def study_depths(review: Review) -> list[int]:
    """Depths (1-based) of the studies when the pool is ranked by BM25 with the question as query."""
    texts = [f"{report.title} {report.abstract}" for report in review.reports]
    order, _ = rank_documents(texts, review.question.question)
    return [depth for depth, i in enumerate(order, start=1) if review.reports[i].counts is not None]


def tables_of(review: Review) -> Tables:
    """The 2×2 tables of a simulated review, in order of its documents."""
    counts = np.array([report.counts for report in review.studies], dtype=float).T
    return Tables(tuple(report.study for report in review.studies), *counts)


def readme(topics: Sequence[PatentTopic], written: Sequence[Review], seed: int, review_seed: int) -> str:
    """The text of the file."""
    seeds = rankings.DEFAULT_SEED, rankings.DEFAULT_SEED + 1
    patents = [rankings.ranking_statistics(rankings.simulate_patent_rankings(seed=each)) for each in seeds]
    outcomes = reviews.simulate_review_outcomes()
    half = len(outcomes) // 2
    parts = [reviews.review_statistics(part) for part in (outcomes, outcomes[:half], outcomes[half:])]
    beliefs = np.array([bivariate_belief(outcome.tables, THETA) for outcome in outcomes])
    return (
        TEMPLATES.overlay(autoescape=False)
        .get_template("samples/simulate/readme.md")
        .render(
            seed=seed,
            review_seed=review_seed,
            seeds=seeds,
            rankings=rankings,
            reviews=reviews,
            names=NAMES,
            patents=patents,
            outcomes=outcomes,
            half=half,
            parts=parts,
            theta=THETA,
            above=beliefs > 0.5,
            documents=np.mean([len(outcome.topic) for outcome in outcomes]),
            studies=np.array([len(outcome.tables) for outcome in outcomes]),
            searches=[_search(topic) for topic in topics],
            answers=[_answer(review) for review in written],
        )
    )


def _search(topic: PatentTopic) -> dict[str, object]:
    near = sum(document.kind == "near miss" for document in topic.documents)
    hits = first_hits(topic)
    return {"topic": topic.invention.topic, "documents": len(topic.documents), "near": near, "hits": hits}


def _answer(review: Review) -> dict[str, object]:
    return {
        "topic": review.question.topic,
        "documents": len(review.reports),
        "included": sum(report.included for report in review.reports),
        "depths": study_depths(review),
        "belief": bivariate_belief(tables_of(review), THETA),
    }
