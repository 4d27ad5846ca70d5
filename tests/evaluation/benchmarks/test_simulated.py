"""The simulated benchmarks."""

import numpy as np

from tarstop_core.evaluation.benchmarks.simulated import simulated_patents, simulated_reviews


def test_simulated_patents_have_two_halves_that_share_nothing() -> None:
    made = simulated_patents(topics=20, seed=3)
    (fold,) = made.folds
    assert made.simulated and len(fold.train) == len(fold.test) == 20
    assert sum(case.topic.omega for case in fold.test) == 10
    assert not np.array_equal(fold.train[0].topic.scores, fold.test[0].topic.scores)
    achieved, aimed = made.statistics["map"]
    assert 0 < achieved < 1 and aimed == 0.353


def test_simulated_reviews_share_no_review() -> None:
    made = simulated_reviews(outcomes=9, seed=3)
    (fold,) = made.folds
    assert (len(fold.train), len(fold.test)) == (4, 5)
    assert not {case.group for case in fold.train} & {case.group for case in fold.test}
    assert made.statistics["recall_100"][1] == 0.304
