"""Small benchmarks and quick runs."""

import pytest

from tarstop_core.evaluation.benchmarks.named import simulated_patents
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks.decisive import DecisiveTask

QUICK = ("greedy", "smooth", "batch", "budget", "optimal", "decide-now", "oracle")


@pytest.fixture(scope="session")
def patents() -> Benchmark:
    return simulated_patents(topics=24, seed=5)


@pytest.fixture(scope="session")
def results(patents: Benchmark) -> Results:
    return run(patents, DecisiveTask(), parse_methods(QUICK, "patent"))


@pytest.fixture(scope="session")
def small() -> Results:
    """Results of a few methods, one of which draws a sample."""
    benchmark = simulated_patents(20, seed=3)
    methods = parse_methods(("greedy", "optimal", "budget", "qbcb", "decide-now", "oracle"), "patent")
    return run(benchmark, DecisiveTask(), methods, costs=(0.001, 0.01))
