"""Results of a few methods, one of which draws a sample."""

import pytest

from tarstop_core.evaluation.benchmarks.simulated import simulated_patents
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks.decisive import DecisiveTask

METHODS = ("greedy", "optimal", "budget", "qbcb", "decide-now", "oracle")


@pytest.fixture(scope="session")
def small() -> Results:
    benchmark = simulated_patents(20, seed=3)
    return run(benchmark, DecisiveTask(), parse_methods(METHODS, "patent"), costs=(0.001, 0.01))
