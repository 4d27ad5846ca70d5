"""Sessions on samples, to try the programme on at once."""

from dataclasses import replace

import pandas as pd

from tarstop_core.calibration.calibrator import INCLUSION, Calibrator
from tarstop_core.policies import OpenLoop
from tarstop_core.ranking.order import prepare
from tarstop_core.samples.collections import load_review_sample, load_sample, sample_reviews, sample_topics
from tarstop_core.samples.shipped import calibrators, default_calibrator, extraction_rate
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.settings import PatentSettings, ReviewSettings, Settings
from tarstop_core.sessions.create import Documents, Plan, create
from tarstop_core.sessions.store.store import Store
from tarstop_core.value.stakes import REVIEW_EXAMPLE, SEARCH_EXAMPLE

DEMO_TOPIC = "antenna-mount"  # its first prior art lies neither at the top nor out of reach
DEMO_REVIEW = "hollow-hip"  # it takes some documents and more than one table until its advice is to stop


def sample(topic: str) -> Documents:
    """A sample search as documents."""
    return _documents(topic, sample_topics(), "claim", load_sample(topic))


def sample_review(topic: str) -> Documents:
    """A sample review as documents."""
    return _documents(topic, sample_reviews(), "question", load_review_sample(topic))


def _documents(topic: str, there: pd.DataFrame, asked: str, frame: pd.DataFrame) -> Documents:
    row = there.set_index("topic").loc[topic]
    return Documents(f"sample-{topic}", str(row["title"]), frame, str(row[asked]), True, "")


def start_demo(store: Store, reviewer: str = "") -> str:
    """A session on a simulated search, ready to be screened; its id."""
    calibrator = calibrators()[default_calibrator(has_scores=True, sample=True)]
    return _demo(
        store,
        sample(DEMO_TOPIC),
        calibrator,
        PatentSettings(SEARCH_EXAMPLE.payoffs, SEARCH_EXAMPLE.cost),
        reviewer,
    )


def start_review_demo(store: Store, reviewer: str = "") -> str:
    """A session on a simulated review, in two stages, ready to be screened; its id."""
    calibrator = calibrators()[default_calibrator(has_scores=True, sample=True, scenario=INCLUSION)]
    plus, minus = REVIEW.first_actions
    settings = ReviewSettings(
        REVIEW_EXAMPLE.payoffs,
        REVIEW_EXAMPLE.cost,
        full_cost=REVIEW_EXAMPLE.full_cost,
        policy=OpenLoop().spec,  # stops within a sitting; Greedy reads more
        plus=plus,
        minus=minus,
        data_share=extraction_rate(simulated=True),
    )
    return _demo(store, sample_review(DEMO_REVIEW), calibrator, settings, reviewer)


def _demo(store: Store, chosen: Documents, calibrator: Calibrator, settings: Settings, reviewer: str) -> str:
    ranking = prepare(chosen.frame, "text", chosen.query)
    settings = replace(settings, calibrator=calibrator.digest)
    plan = Plan(f"Demo: {chosen.name}", reviewer, chosen, ranking, chosen.query, calibrator, settings)
    return create(store, plan)
