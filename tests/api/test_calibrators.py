"""The calibrator behaves as scikit-learn's own estimators of one column do."""

import pytest
from sklearn.exceptions import NotFittedError
from sklearn.isotonic import IsotonicRegression
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags

import tarstop_core as ts


@pytest.mark.parametrize(
    "check",
    [
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_get_params_invariance",
        "check_no_attributes_set_in_init",
        "check_set_params",
    ],
)
def test_scikit_learn_finds_no_fault(check: str) -> None:
    # All of scikit-learn comes with it, which every process would wait for that collects.
    from sklearn.utils import estimator_checks

    getattr(estimator_checks, check)("Calibrator", ts.Calibrator())


def test_it_takes_what_isotonic_regression_takes() -> None:
    assert get_tags(ts.Calibrator()).input_tags.one_d_array
    assert not get_tags(ts.Calibrator()).input_tags.two_d_array
    assert get_tags(ts.Calibrator()).estimator_type == get_tags(IsotonicRegression()).estimator_type


def test_unfitted_is_what_scikit_learn_calls_unfitted() -> None:
    with pytest.raises(NotFittedError, match="was not fitted"):
        ts.Calibrator().predict([2, 1])
    with pytest.raises(ts.InputProblem, match="was not fitted"):
        ts.Calibrator().save("nowhere.json")


def test_it_ends_a_pipeline() -> None:
    scores, labels = [[5], [4], [3], [2], [1]], [1, 1, 0, 1, 0]
    alone = ts.Calibrator(pseudo=1).fit(scores, labels).predict([4.5, 1.5])
    assert (
        make_pipeline(ts.Calibrator(pseudo=1)).fit(scores, labels).predict([4.5, 1.5]).tolist()
        == alone.tolist()
    )


@pytest.mark.parametrize(("scenario", "chance"), [("review", "review"), ("enough", "inclusion")])
def test_a_wrong_calibrator_is_answered_with_one_that_fits(scenario: str, chance: str) -> None:
    stakes = None if scenario == "enough" else ts.Stakes.from_q_star(0.5, cost=0.001)
    with pytest.raises(ts.InputProblem) as problem:
        ts.advise([0.1] * 4, [0], stakes, scenario=scenario, calibrator="some")
    named = str(problem.value).split("'")[-2]
    assert ts.Calibrator.load(named).scenario == chance
