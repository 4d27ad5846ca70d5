"""Simulated patent searches: the paper's first decision on rankings that were drawn."""

from tarstop_core.evaluation.benchmarks.base import Named, against
from tarstop_core.evaluation.cases import Benchmark, Case, Fold
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.samples.simulate import rankings

TOPICS = 1000
"""Of either half; half of them ω⁺, as in the paper."""


def simulated_patents(topics: int = TOPICS, seed: int = rankings.DEFAULT_SEED) -> Benchmark:
    """As many searches to train (drawn with the seed) as to test (with the next): the paper's 500 + 500 by default."""
    train, test = (rankings.simulate_patent_rankings(topics, seed + half) for half in (0, 1))
    return NAMED.holding(
        folds=(Fold(*([Case(topic, topic.name) for topic in half] for half in (train, test))),),
        provenance=(
            f"tarstop_core.samples.simulate.rankings, seeds {seed} (training) and {seed + 1} (test); matched to the "
            "paper's ranking statistics and to nothing else"
        ),
        simulated=True,
        statistics=against(rankings.ranking_statistics(test), rankings.TARGETS),
    )


NAMED = Named(
    "patent",
    "Simulated patent searches",
    DecisiveTask.scenario,
    "simulated patent searches",
    make=simulated_patents,
)
