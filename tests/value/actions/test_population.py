"""Everyone concerned, and the price of a study: reference figures, limits and units."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.population import Population, StudyPrice
from tests.value.actions.golden import differing, name, rows

TRIAL = rows("enbs_normal")[0]["inputs"]


@pytest.mark.parametrize("row", rows("population", "enbs_normal"), ids=name)
def test_reference_figures_are_met(row: dict[str, Any]) -> None:
    kind = Population if row["kind"] == "population" else StudyPrice
    assert differing(kind(**row["inputs"]).values(), row, 1e-8, 1e-5) == {}  # type: ignore[arg-type]


@given(st.floats(0.1, 60), st.floats(0, 0.2))
def test_whoever_counts_later_counts_less(years: float, rate: float) -> None:
    values = Population(value_per_person=1, annual_population=1, years=years, rate=rate).values()
    start, end, continuous = (
        float(values[key])
        for key in ("start_of_year", "end_of_year", "continuous_exp")  # type: ignore[arg-type]
    )
    assert 0 < end <= start * (1 + 1e-12) and end * (1 + rate) == pytest.approx(start)
    assert start <= years * (1 + 1e-12) and continuous <= years * (1 + 1e-12)


def test_part_of_a_year_counts_as_its_fraction() -> None:
    values = Population(value_per_person=1, annual_population=100, years=1.5, rate=0.25).values()
    assert values["start_of_year"] == pytest.approx(140) and values["end_of_year"] == pytest.approx(112)


def test_the_best_size_is_the_best_of_all() -> None:
    trial = StudyPrice(**TRIAL)
    every = trial.enbs(np.arange(2, 4001.0))
    assert trial.values()["best_enbs"] == every.max() and trial.values()["commission"] is True
    assert trial.evsi(np.array([1e12]))[0] <= trial.values()["evpi"]
    certain = StudyPrice(**TRIAL | {"tau2": 0})
    assert certain.evsi(np.array([1e12]))[0] == pytest.approx(certain.values()["evpi"], rel=1e-6)


def test_a_dear_study_is_not_commissioned() -> None:
    assert StudyPrice(**TRIAL | {"cost_fixed": 1e9}).values()["commission"] is False


def test_pence_change_nothing() -> None:
    pounds, pence = (
        StudyPrice(
            **TRIAL
            | {key: TRIAL[key] * factor for key in ("value_per_unit", "cost_fixed", "cost_per_person")}
        )
        for factor in (1, 100)
    )
    assert pence.values()["best_n_per_arm"] == pounds.values()["best_n_per_arm"]
    assert pence.values()["best_enbs"] == pytest.approx(100 * float(pounds.values()["best_enbs"]))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changed",
    [
        {"years": 0},
        {"years": 1e9},
        {"rate": -0.1},
        {"n_per_arm": [0]},
        {"most_per_arm": 1},
        {"sd_individual": 0},
    ],
)
def test_what_cannot_be_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(InputProblem):
        StudyPrice(**TRIAL | changed)
