"""Decisions between several actions: what the page shows is what the decisions compute, and every sentence reads."""

from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from markupsafe import escape
from scipy.special import logit, ndtr

from tarstop_core.belief.both import both_below
from tarstop_core.belief.question import Question
from tarstop_core.belief.reitsma import fit
from tarstop_core.errors import InputProblem
from tarstop_core.evidence.summary import evidence
from tarstop_core.explore import decision_figures as drawn
from tarstop_core.explore.decision_figures import message
from tarstop_core.explore.decision_report import (
    decision_report,
    options_in_words,
    rows_of_actions,
    rows_of_curves,
    rows_of_knowing,
    rows_of_sizes,
)
from tarstop_core.explore.decisions import (
    DecisionResults,
    ReadingOn,
    accuracy_believed,
    accuracy_of,
    answer,
    simulated_draws,
    studied,
    with_studies,
)
from tarstop_core.presentation.numbers import amount
from tarstop_core.samples.collections import published_sets
from tarstop_core.value.actions.joint import ActionTable
from tarstop_core.value.actions.linear import EffectNetBenefit
from tarstop_core.value.actions.population import Concerned
from tarstop_core.value.actions.sampling import Study
from tarstop_core.value.actions.schema import table_of_actions
from tarstop_core.value.actions.treat import ACCURACY, TreatByTest
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
READING = ReadingOn(studies=2, people=100, cost=3000)
DECISIONS = {"draws": simulated_draws(400), "test": TEST, "effect": EFFECT, "table": TABLE}


def studied_answer(name: str) -> DecisionResults:
    """The answer to a decision, with a study of what is most worth knowing where there is one."""
    result = answer(DECISIONS[name], EVERYONE)
    parameters = studied(result)
    if not parameters:
        return result
    measures, how = next(iter(parameters.items()))
    spread = None if how.counted else how.usual_spread(2)
    return with_studies(result, {replace(STUDY, measures=measures, sd=spread): True}, READING)


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
        with_studies(result, {STUDY: False})


@pytest.mark.parametrize(
    "fixed, reading_cost, step", [(1e9, 1e9, "decide"), (1e9, 10.0, "read"), (10.0, 1e9, "study")]
)
def test_the_next_step_is_what_brings_most(fixed: float, reading_cost: float, step: str) -> None:
    result = answer(EFFECT, EVERYONE)
    result = with_studies(
        result, {replace(STUDY, cost_fixed=fixed): False}, replace(READING, cost=reading_cost)
    )
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


@pytest.mark.parametrize("theta_sp", [None, 0.7])
def test_a_session_is_weighed_by_what_it_believes(theta_sp: float | None) -> None:
    """Its normal posterior gives its own chances of each margin and of both, as nearly as a normal can; few studies are enough."""
    tables = published_sets()[0].tables
    for n in (2, len(tables)):
        review = evidence(tables.first(n), Question(0.6, theta_sp=theta_sp))
        accuracy = accuracy_believed(review)
        sd = np.sqrt(np.diag(accuracy["cov"]))
        z = (accuracy["mu_logit_se"] - logit(0.6)) / sd[0], (accuracy["mu_logit_sp"] - logit(0.7)) / sd[1]
        r = accuracy["cov"][0][1] / sd.prod()
        assert review.belief is not None and abs(r) < 0.9
        if theta_sp is None:
            assert ndtr(z[0]) == pytest.approx(review.belief, abs=0.03)
        else:
            assert both_below(*z, r) == pytest.approx(review.belief, abs=0.03)
    by_itself = accuracy_believed(evidence(tables, Question(0.6, "univariate", theta_sp=theta_sp)))
    assert by_itself["cov"][0][1] == 0 and r * fit(tables).cov[0, 1] < 0  # type: ignore[union-attr]
    estimate = accuracy_believed(evidence(tables, Question(0.6, "reml")))
    assert estimate == accuracy_of(tables)
    with pytest.raises(InputProblem, match="do not say yet"):
        accuracy_believed(evidence(tables.first(2), Question(0.6, "reml")))
    with pytest.raises(InputProblem, match="do not say yet"):
        accuracy_believed(evidence(tables.first(0), Question(0.6)))


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


def test_curves_turn_where_lines_cross() -> None:
    # One in ten is treated from h on: w = t/(1−t) false positives outweigh a true one.
    test = replace(TEST, prevalence=0.1)
    p, se, sp, cost = 0.1, test.mean_se, test.mean_sp, 0.045
    from_all = (p * (1 - se) + cost) / ((1 - p) * sp)
    to_none = (p * se - cost) / ((1 - p) * (1 - sp))
    turns = answer(test).curves
    assert turns is not None
    wanted = [w / (1 + w) for w in (from_all, to_none)]
    assert [x for x, _ in turns.turns[1:]] == pytest.approx(wanted, rel=1e-6)
    # Of two options that cost 3,000 the second is as likely the best as the first at 3,000 per expected unit.
    effect = replace(EFFECT, gain=[0, 1], cost=[0, 3000])
    drawn_curves = answer(effect).curves
    assert drawn_curves is not None and drawn_curves.turns[1][0] == pytest.approx(3000 / 0.2, rel=1e-6)


def test_chances_to_be_the_best_are_those_of_draws() -> None:
    rng = np.random.default_rng(7)
    z = rng.multivariate_normal([TEST.mu_logit_se, TEST.mu_logit_sp], TEST.covariance, 200_000)
    for test in (TEST, replace(TEST, prevalence=0.15, cost_test=150, harm_treated_healthy=300)):
        p = rng.beta(9, 51, len(z)) if isinstance(test.prevalence, dict) else test.prevalence
        best = test.net_benefit(*(1 / (1 + np.exp(-z.T))), p).argmax(axis=1)
        shares = np.bincount(best, minlength=3) / len(z)
        assert answer(test).chances == pytest.approx(shares, abs=0.005)
    best = np.argmax([0 * (x := rng.normal(0.2, 0.1, 200_000)), 2e4 * x - 3000, 2.8e4 * x - 5200], axis=0)
    assert answer(EFFECT).chances == pytest.approx(np.bincount(best, minlength=3) / 200_000, abs=0.005)
    assert answer(TABLE).chances == pytest.approx([0.7, 0.3])


def test_the_advice_looks_at_every_study_whichever_is_asked_about() -> None:
    result = answer(TEST, Concerned(annual_population=30_000, years=10))
    studies = [replace(STUDY, measures=name, sd=None, arms=1) for name in studied(result)]
    answers = [
        with_studies(result, dict.fromkeys((one, *studies), False), replace(READING, cost=1e9))
        for one in studies
    ]
    assert {one.study.measures for one in answers if one.study} == {
        "sensitivity",
        "specificity",
        "prevalence",
        ACCURACY,
    }
    assert len({drawn.headline(one, "£")[-1] for one in answers}) == 1
    assert {one.step for one in answers} == {"study"}
    assert {one.best_study.study.measures for one in answers if one.best_study} == {"prevalence"}


def test_a_study_of_both_is_worth_what_its_counts_are() -> None:
    free = replace(TEST, prevalence=0.15, cost_test=0)
    test = replace(free, cost_test=float(free.net_benefit(free.mean_se, free.mean_sp, 0.15)[2]))  # a toss-up
    n, p, rng = 400, 0.15, np.random.default_rng(5)
    se, sp = (np.asarray((test.draws.parameters or {})[name]) for name in ("sensitivity", "specificity"))
    now = test.net_benefit(test.mean_se, test.mean_sp, p).max()
    after = []
    for at in rng.integers(len(se), size=1500):
        tp, tn = rng.binomial(60, se[at]), rng.binomial(340, sp[at])
        log = tp * np.log(se) + (60 - tp) * np.log1p(-se) + tn * np.log(sp) + (340 - tn) * np.log1p(-sp)
        weight = np.exp(log - log.max())
        after.append(test.net_benefit(weight @ se / weight.sum(), weight @ sp / weight.sum(), p).max())
    study = Study(measures=ACCURACY)
    worth = test.evsi_of(study, np.array([10.0, n, 1e9]))
    error = np.std(after) / np.sqrt(len(after))
    assert worth[1] == pytest.approx(np.mean(after) - now, abs=4 * error + 0.05 * worth[1])
    assert worth[2] == pytest.approx(test.evppi_of_accuracy(p), rel=0.02) and worth[0] < worth[1] < worth[2]


def test_rounding_is_no_money() -> None:
    sure = replace(EFFECT, post_var=1e-9)
    result = answer(sure, EVERYONE)
    assert 0 < sure.values()["evpi"] < 1e-300 or not sure.values()["evpi"]  # type: ignore[operator]
    assert result.evpi == 0 and result.evppi[0].value == 0
    noisy = replace(result, net=np.array([200_000.0, 200_000.0 + 3e-11, 0.0]))
    assert noisy.lead == 0


def test_no_size_is_marked_where_none_pays() -> None:
    result = with_studies(answer(EFFECT, EVERYONE), {replace(STUDY, cost_fixed=1e9): False})
    texts = [note["text"] for note in drawn.steps_figure(result, "£")["layout"]["annotations"]]
    assert texts and not any("study of" in text for text in texts)


def test_a_curve_that_never_pays_fills_its_figure() -> None:
    result = with_studies(answer(EFFECT, EVERYONE), {replace(STUDY, cost_fixed=1e9): False})
    deciding_now, curve = drawn.steps_figure(result, "£")["data"][:2]
    assert max(curve["x"]) >= 0.5 * max(deciding_now["x"])


def test_a_name_stands_where_its_line_ends() -> None:
    """That of treating everybody falls out of sight long before the others end."""
    figure = drawn.curves_figure(studied_answer("test"), "£")
    names = {note["text"]: note for note in figure["layout"]["annotations"]}
    curves = zip(names, figure["data"], strict=False)
    for name, curve in curves:
        last = [x for x, y in zip(curve["x"], curve["y"], strict=True) if y is not None][-1]
        assert names[name]["x"] == last, name
    assert names["Treat everybody"]["x"] < 0.6 * names["Treat nobody"]["x"]


@pytest.mark.parametrize("name", DECISIONS)
def test_a_report_has_what_the_page_has(name: str) -> None:
    result = studied_answer(name)
    text = decision_report(result, "£", name="Drug <or> none", at="today", about=["typed"], simulated=True)
    assert "Drug &lt;or&gt; none" in text and "<script" not in text and "Simulated" in text
    for row in options_in_words(result, "£"):
        assert all(escape(cell) in text for cell in row.values())
    assert all(amount(one.sizes.best_enbs, "£") in text for one in result.studies)
    assert text.count("<svg") == 2 + (result.sizes is not None) + (result.curves is not None)


def test_costs_and_effects_are_means_and_their_ratio() -> None:
    draws = simulated_draws(500)
    result = answer(draws)
    compared = result.costs_and_effects
    assert compared is not None and draws.effect and draws.cost
    net = draws.willingness_to_pay * compared.effect - compared.cost
    assert net == pytest.approx(result.net)
    assert answer(TABLE).costs_and_effects is None
    (usual, drug, _) = rows_of_actions(answer(EFFECT))
    assert (usual["icer"], drug["icer"]) == (0.0, pytest.approx(3000 / 0.2))


def sentences() -> Iterator[tuple[str, dict[str, Any]]]:
    """A macro and its values, for every branch."""
    result = studied_answer("effect")
    none = replace(result, evpi=0.0, evppi=())
    for one in (result, replace(result, net=np.zeros(3)), replace(result, people=0.0)):
        yield "now", {"result": one, "unit": "£"}
        yield "certainty", {"result": one, "unit": "£"}
        yield "knowing", {"result": one, "unit": "£"}
    yield "now", {"result": replace(result, chances=np.zeros(3)), "unit": "£"}
    yield "certainty", {"result": none, "unit": ""}
    yield "knowing", {"result": none, "unit": ""}
    yield "knowing", {"result": studied_answer("draws"), "unit": "£"}
    yield "knowing", {"result": replace(result, evppi=(SimpleNamespace(value=0.0),)), "unit": "£"}  # type: ignore[arg-type]
    for people in (0.0, 10.0):
        yield "study_of_table", {"result": replace(answer(TABLE), people=people), "unit": "£"}
    for study, reading in ((10.0, 1e9), (1e9, 10.0), (1e9, 1e9)):
        priced = with_studies(
            result, {replace(STUDY, cost_fixed=study): True}, replace(READING, cost=reading)
        )
        entered = with_studies(result, {replace(STUDY, cost_fixed=study): False})
        measured = replace(priced, studies=(replace(priced.studies[0], guessed=False),))
        for one in (priced, entered, measured):
            yield "step", {"result": one, "unit": "£"}
            yield "steps", {"result": one, "unit": "£"}
    yield "size", {"n": 1, "arms": 1}
    for ratio in (np.nan, 0.0, 10.0):
        yield "icer", {"ratio": ratio, "unit": "£"}
    for of_thresholds in (True, False):
        for turns in ([(0.0, "A")], [(0.0, "A"), (0.3, "B")]):
            drawn_curves = SimpleNamespace(of_thresholds=of_thresholds, turns=turns)
            yield "curves", {"result": SimpleNamespace(curves=drawn_curves), "unit": "£"}


def test_every_branch_reads_as_a_sentence() -> None:
    with every_branch(message):
        for name, values in sentences():
            assert message(name, **values)
