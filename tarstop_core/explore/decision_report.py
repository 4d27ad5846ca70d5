"""Report of a decision between several actions, a page that loads and runs nothing, and the numbers of each figure as rows."""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from tarstop_core.evidence.report import sheets, written_with
from tarstop_core.explore import decision_figures as drawn
from tarstop_core.explore.decision_curves import Decision
from tarstop_core.explore.decisions import Answer, ParameterValue
from tarstop_core.presentation.figures import Rows, rows_of
from tarstop_core.presentation.html import page
from tarstop_core.presentation.numbers import amount, count_of, listed, number, percent
from tarstop_core.presentation.pictures import still
from tarstop_core.value.actions.joint import ActionTable
from tarstop_core.value.actions.psa import Draws
from tarstop_core.value.actions.treat import TreatByTest

Texts: TypeAlias = list[dict[str, str]]


def options_in_words(result: Answer, unit: str) -> Texts:
    """For each option: how far it is behind the best, its mean effect and cost, the chance that it is the best, and its cost per further unit of effect.

    Parameters
    ----------
    result : Answer
        What follows from the decision.
    unit : str
        Of all amounts.

    Returns
    -------
    list of dict
        A row an option; costs and effects where the decision has them.
    """
    rows = [
        {"option": name, "behind": amount(less, unit) if less else "best", "best with": percent(chance)}
        for name, less, chance in zip(
            result.actions, result.behind.tolist(), result.chances.tolist(), strict=True
        )
    ]
    compared = result.costs_and_effects
    if compared is None:
        return rows
    ratios = (drawn.message("icer", ratio=ratio, unit=unit) for ratio in compared.icer.tolist())
    columns = zip(rows, compared.effect.tolist(), compared.cost.tolist(), ratios, strict=True)
    return [
        row | {"effect": number(effect), "cost": amount(cost, unit), "one more unit of effect": ratio}
        for row, effect, cost, ratio in columns
    ]


def decision_report(
    result: Answer,
    unit: str,
    *,
    name: str,
    at: str,
    by: str = "",
    about: Sequence[str] = (),
    notes: Sequence[str] = (),
    simulated: bool = False,
) -> str:
    """Write a decision as one HTML page.

    Parameters
    ----------
    result : Answer
        What follows from it.
    unit : str
        Of all amounts.
    name : str
        What the decision is called.
    at, by : str
        When somebody looked at it, and who.
    about : sequence of str
        Where its numbers come from.
    notes : sequence of str
        Warnings about them.
    simulated : bool
        Whether they are made up.

    Returns
    -------
    str
        A page that loads nothing and runs nothing.
    """
    assumed = [("From", ", ".join(about)), *_assumed(result.decision, unit)]
    if result.people:
        assumed.append(("Everyone concerned", f"{count_of(result.people, 'person', 'people')}, discounted"))
    figures = [(drawn.knowing_figure, "knowing"), (drawn.actions_figure, "now")]
    if result.sizes is not None:
        figures.append((drawn.steps_figure, "steps"))
    if result.curves is not None:
        figures.append((drawn.curves_figure, "curves"))
    pictures = []
    for figure, macro in figures:
        sentence = drawn.message(macro, result=result, unit=unit)
        pictures.append((still(figure(result, unit, simulated=simulated), sentence), sentence))
    tables = {
        "Options": options_in_words(result, unit),
        "Worth knowing, per person": [
            {"parameter": one.name, "worth": amount(one.value, unit), "standard error": amount(one.se, unit)}
            for one in result.evppi
        ],
        "Studies at their best size": _studies(result, unit),
    }
    return page(
        __name__,
        title=f"{name} · TARstop report",
        name=name,
        at=at,
        by=by,
        headline=drawn.headline(result, unit),
        assumed=[(title, text) for title, text in assumed if text],
        notes=[*(["Simulated numbers."] if simulated else []), *notes],
        tables=sheets(tables),
        figures=pictures,
        versions=written_with(),
    )


def _assumed(decision: Decision, unit: str) -> list[tuple[str, str]]:
    """What was entered, by name."""
    if isinstance(decision, TreatByTest):
        return [
            ("Sensitivity expected", percent(decision.mean_se)),
            ("Specificity expected", percent(decision.mean_sp)),
            ("With the disease, expected", percent(decision.mean_prevalence)),
            ("Gain: a diseased one treated", amount(decision.benefit_treated_diseased, unit)),
            ("Harm: a healthy one treated", amount(decision.harm_treated_healthy, unit)),
            ("Cost and harm of the test", amount(decision.cost_test, unit)),
        ]
    if isinstance(decision, ActionTable):
        chances = zip(decision.states, decision.chances, strict=True)
        return [("States", listed([f"{state} ({percent(chance)})" for state, chance in chances]))]
    worth = decision.willingness_to_pay
    paid = [] if worth is None else [("One unit of effect is worth", amount(worth, unit))]
    if isinstance(decision, Draws):
        return [("Draws", f"{len(decision.net()):,}"), *paid]
    se = math.sqrt(decision.post_var)
    return [("Effect expected", f"{number(decision.post_mean)} (standard error {number(se)})"), *paid]


def _studies(result: Answer, unit: str) -> Texts:
    """Each study at its best size."""
    return [
        {
            "measures": one.study.measures,
            "people": drawn.message("size", n=one.sizes.best_n, arms=one.study.arms),
            "SD between people": ""
            if one.study.sd is None
            else f"{number(one.study.sd)}{' (a guess)' if one.guessed else ''}",
            "price": amount(float(one.study.price(one.sizes.best_n)), unit),
            "worth more than it costs": amount(one.sizes.best_enbs, unit),
        }
        for one in result.studies
    ]


# --- the numbers of each figure -------------------------------------------------------------------


def rows_of_actions(result: Answer) -> Rows:
    """Return the expected net benefit of each action, how far it is behind the best, and how likely it is the best."""
    compared = result.costs_and_effects
    return rows_of(
        action=result.actions,
        net_benefit=result.net,
        behind=result.behind,
        chance_best=result.chances,
        **(compared._asdict() if compared else {}),
    )


def rows_of_knowing(result: Answer) -> Rows:
    """Return what certainty and each parameter are worth, per person and for everyone."""
    parameters = (ParameterValue("everything", result.evpi, result.evpi_se), *result.evppi)
    per_person = np.array([one.value for one in parameters])
    everyone: Sequence[float | None] = [None] * len(parameters)
    if result.people:
        everyone = (per_person * result.people).tolist()
    return [
        {"parameter": one.name, "per_person": one.value, "standard_error": one.se, "for_everyone": whole}
        for one, whole in zip(parameters, everyone, strict=True)
    ]


def rows_of_sizes(result: Answer) -> Rows:
    """Return the net benefit of studies by size, and of reading on."""
    if result.sizes is None or result.study is None:
        return []
    n, price = result.sizes.n, result.study.price(result.sizes.n)
    value = result.sizes.enbs + price
    people = "people_per_arm" if result.study.arms > 1 else "people"
    rows = rows_of(**{people: n, "value": value, "price": price, "net_benefit": result.sizes.enbs})
    if result.reading is not None and result.reading_gain is not None:
        read = {people: result.reading.studies * result.reading.people, "price": result.reading.cost}
        read |= {"value": result.reading_gain + result.reading.cost, "net_benefit": result.reading_gain}
        rows = [row | {"how": "a new study"} for row in rows] + [read | {"how": "reading on"}]
    return rows


def rows_of_curves(result: Answer) -> Rows:
    """Return the curves' numbers, one column per action."""
    drawn = result.curves
    if drawn is None:
        return []
    axis = "threshold" if drawn.of_thresholds else "willingness_to_pay"
    return [
        {axis: float(x), **dict(zip(drawn.names, y.tolist(), strict=True))}
        for x, y in zip(drawn.x, drawn.y, strict=True)
    ]
