"""The README of the sample data: what is simulated and how, what was matched, and the answers."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from scripts.make_samples import diagnostic, patents
from scripts.make_samples.diagnostic import Review
from scripts.make_samples.patents import PatentTopic
from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.documents.tables import Tables
from tarstop_core.documents.topic import Topic
from tarstop_core.presentation.html import TEMPLATES
from tarstop_core.samples.simulate import rankings, reviews

THETA = 0.75
NAMES = {
    "n_relevant": "relevant documents",
    "map": "MAP",
    "ndcg": "NDCG",
    "recall_100": "Recall@100",
    "hit_within_31": "first relevant within 31",
    "hit_within_100": "first relevant within 100",
}


def depths(ranked: Topic) -> list[int]:
    """Depths (1-based) of what is relevant."""
    return (np.flatnonzero(np.asarray(ranked.labels)) + 1).tolist()


def tables_of(review: Review) -> Tables:
    """The 2×2 tables of a simulated review, in order of its documents."""
    counts = np.array([report.counts for report in review.studies], dtype=float).T
    return Tables(tuple(report.study for report in review.studies), *counts)


def readme(topics: Sequence[PatentTopic], written: Sequence[Review]) -> str:
    """The text of the file."""
    seeds = rankings.DEFAULT_SEED, rankings.DEFAULT_SEED + 1
    measured = [rankings.ranking_statistics(rankings.simulate_patent_rankings(seed=each)) for each in seeds]
    outcomes = reviews.simulate_review_outcomes()
    half = len(outcomes) // 2
    parts = [reviews.review_statistics(part) for part in (outcomes, outcomes[:half], outcomes[half:])]
    beliefs = np.array([bivariate_belief(outcome.tables, THETA) for outcome in outcomes])
    return (
        TEMPLATES.overlay(autoescape=False)
        .from_string(Path(__file__).with_suffix(".md").read_text(encoding="utf-8"))
        .render(
            seed=patents.DEFAULT_SEED,
            review_seed=diagnostic.DEFAULT_SEED,
            seeds=seeds,
            rankings=rankings,
            reviews=reviews,
            names=NAMES,
            patents=measured,
            outcomes=outcomes,
            half=half,
            parts=parts,
            theta=THETA,
            above=beliefs > 0.5,
            documents=np.mean([len(outcome.topic) for outcome in outcomes]),
            studies=np.array([len(outcome.tables) for outcome in outcomes]),
            searches=[(topic, depths(topic.ranked())) for topic in topics],
            answers=[
                (review, depths(review.ranked()), bivariate_belief(tables_of(review), THETA))
                for review in written
            ],
        )
    )
