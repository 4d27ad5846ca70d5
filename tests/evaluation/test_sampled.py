"""Rules that draw a random sample, in both scenarios."""

import numpy as np
import pytest

from tarstop_core.belief.of_tables import beliefs, last_belief
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.belief.univariate import univariate_path
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.documents.topic import Outcome
from tarstop_core.evaluation.benchmarks.named import simulated_reviews
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.tasks.base import generator
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.review import ReviewTask, subset_beliefs
from tarstop_core.policies import QBCB, SampleGrid

TABLES = Tables(
    tuple("abcde"),
    *(
        np.array(cells, dtype=float)
        for cells in ([40, 9, 55, 3, 0], [5, 1, 9, 0, 4], [8, 4, 6, 2, 0], [50, 30, 99, 12, 7])
    ),
)


def masks(n: int) -> np.ndarray:
    return np.array([[bool(i >> j & 1) for j in range(n)] for i in range(2**n)])


@pytest.mark.parametrize("prior", [Prior(), Prior(b_0=0.7, s=0.8, tau=0.5)])
def test_beliefs_of_subsets_are_those_of_the_engine(prior: Prior) -> None:
    every = masks(5)
    got = subset_beliefs(TABLES, every, Question(0.75, "univariate", prior))
    for mask, b in zip(every, got, strict=True):
        part = Tables(
            tuple(np.array(TABLES.study)[mask]), *(getattr(TABLES, c)[mask] for c in ("TP", "FP", "FN", "TN"))
        )
        assert b == pytest.approx(univariate_path(part, 0.75, prior)[-1], abs=1e-9)
    assert got[0] == pytest.approx(prior.b_0, abs=1e-12)


def test_beliefs_of_subsets_in_both_groups_are_those_of_the_engine() -> None:
    every, prior = masks(5)[[0, 3, 21, 31]], Prior(b_0=0.4)
    got = subset_beliefs(TABLES, every, Question(0.75, "univariate", prior, 0.8))
    for mask, b in zip(every, got, strict=True):
        part = Tables(
            tuple(np.array(TABLES.study)[mask]), *(getattr(TABLES, c)[mask] for c in ("TP", "FP", "FN", "TN"))
        )
        assert b == pytest.approx(last_belief(part, Question(0.75, "univariate", prior, 0.8)), abs=1e-9)


def test_beliefs_of_subsets_by_a_slower_engine() -> None:
    every = masks(5)[[0, 3, 31]]
    got = subset_beliefs(TABLES, every, Question(0.75, "bivariate", Prior()))
    assert got[-1] == pytest.approx(beliefs(TABLES, Question(0.75, "bivariate", Prior()))[-1])


def test_expectation_by_default_and_replications_as_in_the_paper(patents: Benchmark) -> None:
    methods = parse_methods(["qbcb:tau=0.5,n_min=3,alpha=0.5"], "patent")
    exact = run(patents, DecisiveTask(), methods, costs=(0.001,))
    (fold,) = patents.folds
    rule = QBCB(tau=0.5, n_min=3, alpha=0.5)
    for at, case in enumerate(fold.test):
        mean = rule.expected(case.labels)
        assert exact.screened[at, 0, 0, 0] == pytest.approx(mean.read)
        assert exact.recall[at, 0, 1, 0] == pytest.approx(mean.recall)
        assert exact.plus[at, 0, 2, 0] == case.topic.omega
    drawn = run(patents, DecisiveTask(replications=50), methods, costs=(0.001,))
    again = run(patents, DecisiveTask(replications=50), methods, costs=(0.001,))
    other = run(patents, DecisiveTask(replications=50, seed=2), methods, costs=(0.001,))
    assert np.array_equal(drawn.screened, again.screened)
    assert not np.array_equal(drawn.screened, other.screened)
    # On ω⁻ topics everything is read, whatever is drawn.
    empty = ~exact.omega[:, 0]
    assert np.array_equal(drawn.screened[empty], exact.screened[empty])
    assert drawn.screened.mean() == pytest.approx(exact.screened.mean(), rel=0.03)


def test_in_reviews_the_belief_of_what_was_drawn_decides() -> None:
    reviews = simulated_reviews(outcomes=8, seed=3)
    rule = QBCB(tau=0.3, n_min=3, alpha=0.5)
    methods = parse_methods([rule.spec], "review")
    found = run(reviews, ReviewTask(replications=40), methods, costs=(0.001,))
    ways = set()
    for at, case in enumerate(reviews.folds[0].test):
        assert isinstance(case.outcome, Outcome)
        runs = SampleGrid((rule,)).replicates(case.labels, 40, generator(1, case))
        b = []
        for seen in runs.seen[0]:
            known = seen[np.searchsorted(np.flatnonzero(case.labels), case.outcome.positions)]
            tables = case.outcome.tables
            cells = (getattr(tables, cell)[known] for cell in CELLS)
            b.append(univariate_path(Tables(("",) * int(known.sum()), *cells), 0.75)[-1])
        for q, q_star in enumerate((0.2, 0.5, 0.8)):
            assert found.plus[at, 0, q, 0] == pytest.approx(np.mean(np.array(b) > q_star))
        ways |= set(found.plus[at, 0, :, 0].tolist())
        assert found.screened[at, 0, 0, 0] == pytest.approx(runs.read[0].mean())
    assert any(0 < chance < 1 for chance in ways)
