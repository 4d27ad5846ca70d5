"""The benchmarks on real collections."""

import pytest

from tarstop_core.evaluation.benchmarks.named import named

pytestmark = pytest.mark.usefixtures("real_data")


def test_real_rankings_become_a_decisive_task() -> None:
    made = named("clef")
    cases = [case for fold in made.folds for case in fold.test]
    assert len(cases) == 48 and sum(case.topic.omega for case in cases) == 24 and not made.simulated
    whole = {case.name: case for case in cases}
    for case in cases:
        if case.topic.omega:
            twin = whole[f"{case.name}, relevant removed"]
            assert len(twin.topic) == len(case.topic) - case.labels.sum()
    assert made.statistics["map"][0] == pytest.approx(0.128, abs=5e-4)
    assert made.statistics["recall_100"][0] == pytest.approx(0.458, abs=5e-4)


def test_travelling_tests_no_review_that_was_trained_on() -> None:
    made = named("clef-travel")
    (fold,) = made.folds
    train, test = ({case.group for case in half} for half in (fold.train, fold.test))
    assert len(train) == 24 and not train & test and len(test) > 8
    assert len({case.name for case in fold.test}) == len(fold.test)


def test_real_tables_become_a_review_task() -> None:
    made = named("clef-review")
    cases = [case for fold in made.folds for case in fold.test]
    assert len(cases) == 63 and len({case.group for case in cases}) == 16 and made.weigh_by_group
    assert "invented" in made.provenance
