"""Effect sizes equal those of metafor."""

import numpy as np
import pytest

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.sizes import of_events, of_means
from tarstop_core.errors import InputProblem
from tests.effects.golden import cases, numbers, sets, sizes_of


@pytest.mark.parametrize("name, measure", cases())
def test_sizes_are_those_of_another_program(name: str, measure: str) -> None:
    here, there = sizes_of(name, measure), sets()[name]["measures"][measure]
    np.testing.assert_allclose(here.y, numbers(there["yi"]), rtol=1e-8, atol=1e-11)
    np.testing.assert_allclose(here.v, numbers(there["vi"]), rtol=1e-8)


def test_arms_exchanged_turn_the_sign() -> None:
    a, m, c, n = (np.array([each]) for each in (3.0, 40.0, 9.0, 50.0))
    for measure in (Measure.OR, Measure.RR, Measure.RD):
        one, other = of_events(measure, a, m, c, n), of_events(measure, c, n, a, m)
        np.testing.assert_allclose(one.y, -other.y)
        np.testing.assert_allclose(one.v, other.v)


def test_a_change_of_unit_scales_a_difference_and_not_a_standardised_one() -> None:
    means = [np.array([each]) for each in (5.0, 2.0, 30.0, 4.0, 3.0, 20.0)]
    in_days = [value * (24 if at in (0, 1, 3, 4) else 1) for at, value in enumerate(means)]
    assert of_means(Measure.MD, *in_days).y == pytest.approx(24 * of_means(Measure.MD, *means).y)
    assert of_means(Measure.SMD, *in_days).y == pytest.approx(of_means(Measure.SMD, *means).y)


def test_a_measure_needs_its_columns() -> None:
    one = np.ones(1)
    with pytest.raises(InputProblem, match="RD"):
        of_events(Measure.MD, one, one, one, one)
    with pytest.raises(InputProblem, match="SMD"):
        of_means(Measure.OR, one, one, one, one, one, one)
