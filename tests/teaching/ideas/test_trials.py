"""Trials that agree by luck: what is counted in simulated reviews is what theory says."""

import math
from itertools import product

import numpy as np
import pytest
from scipy.special import ndtr

from tarstop_core.teaching.ideas import trials


@pytest.mark.parametrize("tau", [0.2, 0.5])
def test_two_trials_look_alike_as_often_as_theory_says(tau: float) -> None:
    """Two estimates give τ = 0 where they lie no further apart than their own errors explain."""
    pairs = [sum(pair) for pair in product(trials.VARIANCES, repeat=2)]
    expected = np.mean([2 * ndtr(math.sqrt(v / (v + 2 * tau**2))) - 1 for v in pairs])
    error = math.sqrt(expected * (1 - expected) / trials.REVIEWS)
    assert abs(trials.agreement(tau).alike[0] - expected) < 3 * error


def test_who_takes_trials_for_alike_is_sure_more_often_and_wrong_more_often() -> None:
    found = trials.agreement(0.5)
    at = trials.REPORTED_AT - trials.FIRST
    sure, wrong = ([shares[engine][at] for engine in trials.LOOK] for shares in (found.sure, found.wrong))
    assert sure == sorted(sure, reverse=True) and wrong == sorted(wrong, reverse=True)
    assert wrong[0] > 2 * (1 - trials.SURE) and found.alike[-1] < found.alike[0] / 3


def test_where_trials_hardly_differ_nobody_is_too_sure() -> None:
    for shares in trials.agreement(0.1).wrong.values():
        assert (shares < 1 - trials.SURE).all()


def test_pictures_say_that_they_are_simulated_and_where_the_weighed_belief_fails() -> None:
    for tau, fails in ((0.2, False), (1.0, True)):
        picture = trials.wrong_picture(tau)
        assert ("its prior expects" in picture.sentence) == fails
        assert "simulated" in str(picture.drawing["layout"]["annotations"])
        assert len(picture.rows) == len(trials.alike_picture(tau).rows) == trials.TRIALS - trials.FIRST + 1
