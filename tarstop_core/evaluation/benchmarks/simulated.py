"""The paper's two decisions on what was drawn: patent searches, and reviews of test accuracy with their 2×2 tables."""

from collections.abc import Callable

from tarstop_core.evaluation.benchmarks.base import Named, against
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.samples.simulate import rankings, reviews

TOPICS = 1000
"""Of either half; half of them ω⁺, as in the paper."""
PROVENANCE = (
    "tarstop_core.samples.simulate.{drawn}; matched to the paper's ranking statistics and to nothing else"
)


def simulated_patents(topics: int = TOPICS, seed: int = rankings.DEFAULT_SEED) -> Benchmark:
    """As many searches to train (drawn with the seed) as to test (with the next): the paper's 500 + 500 by default."""
    train, test = (rankings.simulate_patent_rankings(topics, seed + half) for half in (0, 1))
    return PATENTS.holding(
        folds=(Fold(*([Case(topic, topic.name) for topic in half] for half in (train, test))),),
        provenance=PROVENANCE.format(drawn=f"rankings, seeds {seed} (training) and {seed + 1} (test)"),
        simulated=True,
        statistics=against(rankings.ranking_statistics(test), rankings.TARGETS),
    )


def simulated_reviews(outcomes: int = reviews.OUTCOMES, seed: int = reviews.DEFAULT_SEED) -> Benchmark:
    """Simulated review outcomes: 67 to train and 68 to test by default, no review in both."""
    simulated = reviews.simulate_review_outcomes(outcomes, seed)
    train, test = simulated[: outcomes // 2], simulated[outcomes // 2 :]
    return REVIEWS.holding(
        folds=(Fold(*([Case(each.topic, each.review, each) for each in half] for half in (train, test))),),
        provenance=PROVENANCE.format(drawn=f"reviews, seed {seed}"),
        simulated=True,
        statistics=against(reviews.review_statistics(test), reviews.TARGETS),
    )


def _named(scenario: str, what: str, make: Callable[..., Benchmark]) -> Named:
    return Named(scenario, what.capitalize(), scenario, what, make)


PATENTS = _named(DecisiveTask.scenario, "simulated patent searches", simulated_patents)
REVIEWS = _named(ReviewTask.scenario, "simulated diagnostic-accuracy reviews", simulated_reviews)
NAMED = PATENTS, REVIEWS
