"""Decisions between several actions: what the page shows is what the decisions compute, and every sentence reads."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from tarstop_core.belief.reitsma import fit
from tarstop_core.errors import InputProblem
from tarstop_core.explore import decision_figures as drawn
from tarstop_core.explore.decision_figures import message
from tarstop_core.explore.decisions import (
    Answer,
    Reading,
    accuracy_of,
    answer,
    rows_of_actions,
    rows_of_curves,
    rows_of_knowing,
    rows_of_sizes,
    simulated_draws,
    studied,
    with_study,
)
from tarstop_core.samples.collections import published_sets
from tarstop_core.value.actions.joint import ActionTable
from tarstop_core.value.actions.linear import EffectNetBenefit
from tarstop_core.value.actions.population import Concerned
from tarstop_core.value.actions.sampling import Study
from tarstop_core.value.actions.schema import table_of_actions
from tarstop_core.value.actions.treat import TreatByTest
from tests.branches import every_branch

EVERYONE = Concerned(annual_population=1000, years=10, rate=0.035)
EFFECT = EffectNetBenefit(
    post_mean=0.2, post_var=0.01, willingness_to_pay=20_000, gain=[0, 1, 1.4], cost=[0, 3000, 5200]
)
TEST = TreatByTest(
    **accuracy_of(published_sets()[0].tables),
    prevalence={"beta": (9, 51)},
    benefit_treated_diseased=1000,
    harm_treated_healthy=180,
    cost_test=45,
)
TABLE = table_of_actions(
    "t.csv",
    ["", "mild", "severe"],
    [
        (2, ["chance", "0.7", "0.3"]),
        (3, ["Wait", "0", "-300"]),
        (4, ["Treat", "-90", "-90"]),
        (5, ["know severity", "mild", "severe"]),
        (6, ["result positive", "0.2", "0.9"]),
        (7, ["result negative", "0.8", "0.1"]),
    ],
)
STUDY = Study(measures="effect", sd=1.0, arms=2, cost_fixed=50_000, cost_per_person=400)
READING = Reading(studies=2, people=100, cost=3000)
DECISIONS = {"draws": simulated_draws(400), "test": TEST, "effect": EFFECT, "table": TABLE}


def studied_answer(name: str) -> Answer:
    """The answer to a decision, with a study of what is most worth knowing where there is one."""
    result = answer(DECISIONS[name], EVERYONE)
    parameters = studied(result)
    if not parameters:
        return result
    measures, how = next(iter(parameters.items()))
    spread = None if how.counted else how.usual_spread(2)
    return with_study(result, replace(STUDY, measures=measures, sd=spread), READING)


@pytest.mark.parametrize("name", DECISIONS)
def test_the_answer_is_what_the_decision_computes(name: str) -> None:
    decision = DECISIONS[name]
    result, values = studied_answer(name), decision.values()
    assert result.evpi == pytest.approx(values["evpi"]) and result.evpi > 0
    assert all(0 <= one.value <= result.evpi + 1e-9 for one in result.evppi)
    assert [one.value for one in result.evppi] == sorted((one.value for one in result.evppi), reverse=True)
    assert result.lead >= 0 and result.best != result.second
    everything = rows_of_knowing(result)[0]
    assert everything["for_everyone"] == pytest.approx(result.evpi * EVERYONE.people("start_of_year"))
    assert max(row["net_benefit"] for row in rows_of_actions(result)) == result.net.max()


def test_a_table_says_what_parameters_and_results_are_worth() -> None:
    result = answer(TABLE)
    assert isinstance(result.decision, ActionTable) and not result.people
    # Knowing severity, one waits where it is mild: 90 × 0.7 are saved; now both actions bring −90.
    assert result.evppi[0].value == pytest.approx(63) and result.evpi == pytest.approx(63)
    after = max(0.14 * 0 - 0.27 * 300, -90 * 0.41) + max(0.56 * 0 - 0.03 * 300, -90 * 0.59)
    assert result.evsi == pytest.approx(after + 90)
    with pytest.raises(InputProblem):
        with_study(result, STUDY)


@pytest.mark.parametrize(
    "fixed, reading_cost, step", [(1e9, 1e9, "decide"), (1e9, 10.0, "read"), (10.0, 1e9, "study")]
)
def test_the_next_step_is_what_brings_most(fixed: float, reading_cost: float, step: str) -> None:
    result = answer(EFFECT, EVERYONE)
    result = with_study(result, replace(STUDY, cost_fixed=fixed), replace(READING, cost=reading_cost))
    assert result.step == step and result.reading_gain is not None
    read = EFFECT.evsi_of(STUDY, np.array([100.0]), 2)[0] * result.people - reading_cost
    assert result.reading_gain == pytest.approx(read)
    assert rows_of_sizes(result)[-1]["net_benefit"] == result.reading_gain


def test_accuracy_is_that_of_the_bivariate_model() -> None:
    tables = published_sets()[0].tables
    fitted, accuracy = fit(tables), accuracy_of(tables)
    assert fitted is not None and accuracy["mu_logit_sp"] == pytest.approx(-fitted.mu[1])
    assert accuracy["cov"][0][1] == pytest.approx(-fitted.cov[0, 1])
    with pytest.raises(InputProblem, match="three studies"):
        accuracy_of(tables.first(2))


@pytest.mark.parametrize("name", DECISIONS)
@pytest.mark.parametrize("unit", ["£", ""])
def test_figures_and_their_sentences_can_be_drawn(name: str, unit: str) -> None:
    result = studied_answer(name)
    for figure, macro, needed in (
        (drawn.steps_figure, "steps", result.sizes),
        (drawn.knowing_figure, "knowing", result.evppi),
        (drawn.actions_figure, "now", result.actions),
        (drawn.curves_figure, "curves", result.curves),
    ):
        if needed is not None:
            go.Figure(
                figure(result, unit, simulated=True)
            )  # raises on any property or value it does not know
            assert message(macro, result=result, unit=unit)
    assert all(drawn.headline(result, unit))


def test_acceptability_adds_up_to_one() -> None:
    for name in ("draws", "effect"):
        rows = rows_of_curves(studied_answer(name))
        assert all(sum(row.values()) - row["willingness_to_pay"] == pytest.approx(1) for row in rows)
    assert not rows_of_curves(answer(TABLE))


def sentences() -> Iterator[tuple[str, dict[str, Any]]]:
    """A macro and its values, for every branch."""
    result = studied_answer("effect")
    none = replace(result, evpi=0.0, evppi=())
    for one in (result, replace(result, net=np.zeros(3)), replace(result, people=0.0)):
        yield "now", {"result": one, "unit": "£"}
        yield "certainty", {"result": one, "unit": "£"}
        yield "knowing", {"result": one, "unit": "£"}
    yield "certainty", {"result": none, "unit": ""}
    yield "knowing", {"result": none, "unit": ""}
    yield "knowing", {"result": studied_answer("draws"), "unit": "£"}
    yield "knowing", {"result": replace(result, evppi=(SimpleNamespace(value=0.0),)), "unit": "£"}  # type: ignore[arg-type]
    for people in (0.0, 10.0):
        yield "study_of_table", {"result": replace(answer(TABLE), people=people), "unit": "£"}
    for study, reading in ((10.0, 1e9), (1e9, 10.0), (1e9, 1e9)):
        priced = with_study(result, replace(STUDY, cost_fixed=study), replace(READING, cost=reading))
        for one in (priced, replace(priced, reading=None, reading_gain=None)):
            yield "step", {"result": one, "unit": "£"}
            yield "steps", {"result": one, "unit": "£"}
    yield "size", {"n": 1, "arms": 1}
    for of_thresholds in (True, False):
        for turns in ([(0.0, "A")], [(0.0, "A"), (0.3, "B")]):
            drawn_curves = SimpleNamespace(of_thresholds=of_thresholds, turns=turns)
            yield "curves", {"result": SimpleNamespace(curves=drawn_curves), "unit": "£"}


def test_every_branch_reads_as_a_sentence() -> None:
    with every_branch(message):
        for name, values in sentences():
            assert message(name, **values)
