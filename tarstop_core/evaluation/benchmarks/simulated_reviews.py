"""Simulated reviews of test accuracy: the paper's second decision on rankings and 2×2 tables that were drawn."""

from tarstop_core.evaluation.benchmarks.base import Named, against
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.samples.simulate import reviews


def simulated_reviews(outcomes: int = reviews.OUTCOMES, seed: int = reviews.DEFAULT_SEED) -> Benchmark:
    """Simulated review outcomes: 67 to train and 68 to test by default, no review in both."""
    simulated = reviews.simulate_review_outcomes(outcomes, seed)
    train, test = simulated[: outcomes // 2], simulated[outcomes // 2 :]
    return NAMED.holding(
        folds=(Fold(*([Case(each.topic, each.review, each) for each in half] for half in (train, test))),),
        provenance=(
            f"tarstop_core.samples.simulate.reviews, seed {seed}; matched to the paper's ranking statistics and to "
            "nothing else"
        ),
        simulated=True,
        statistics=against(reviews.review_statistics(test), reviews.TARGETS),
    )


NAMED = Named(
    "review",
    "Simulated diagnostic-accuracy reviews",
    ReviewTask.scenario,
    "simulated diagnostic-accuracy reviews",
    make=simulated_reviews,
)
