"""Report of a decision between several actions as one static page, and the numbers of its figures as rows."""

import math
from collections.abc import Sequence
from typing import TypeAlias

from tarstop_core.evidence.report import sheets, written_with
from tarstop_core.explore import decision_figures as drawn
from tarstop_core.explore.decision_curves import Decision
from tarstop_core.explore.decisions import DecisionResults, ParameterValue
from tarstop_core.presentation.figures import Rows, rows_of
from tarstop_core.presentation.html import page
from tarstop_core.presentation.numbers import amount, count_of, listed, number, percent
from tarstop_core.presentation.pictures import still
from tarstop_core.value.actions.joint import ActionTable
from tarstop_core.value.actions.psa import ParameterDraws
from tarstop_core.value.actions.treat import TreatByTest

Texts: TypeAlias = list[dict[str, str]]


def options_in_words(result: DecisionResults, unit: str) -> Texts:
    """Tabulate the options as text.

    Parameters
    ----------
    result : DecisionResults
        The results for the decision.
    unit : str
        Unit of all amounts.

    Returns
    -------
    list of dict
        A row for each option: how far it is behind the best, its chance of being the best and, if the decision has
        them, its mean effect and cost and the cost of one more unit of effect.
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
    result: DecisionResults,
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
    result : DecisionResults
        The results for the decision.
    unit : str
        Unit of all amounts.
    name : str
        Name of the decision.
    at, by : str
        Date of the report, and its author.
    about : sequence of str
        Sources of the numbers.
    notes : sequence of str
        Warnings about the numbers.
    simulated : bool
        Whether the numbers are simulated.

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
            {"parameter": name, "worth": amount(value, unit), "standard error": amount(se, unit)}
            for name, value, se in result.evppi
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
    """The entries that the decision rests on: their names and values as text."""
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
    if isinstance(decision, ParameterDraws):
        return [("Draws", f"{len(decision.net()):,}"), *paid]
    se = math.sqrt(decision.post_var)
    return [("Effect expected", f"{number(decision.post_mean)} (standard error {number(se)})"), *paid]


def _studies(result: DecisionResults, unit: str) -> Texts:
    """A row of text for each study at its best size."""
    rows = []
    for priced in result.studies:
        study, size = priced.study, priced.sizes.best_n
        spread = "" if study.sd is None else f"{number(study.sd)}{' (a guess)' if priced.guessed else ''}"
        rows.append(
            {
                "measures": study.measures,
                "people": drawn.message("size", n=size, arms=study.arms),
                "SD between people": spread,
                "price": amount(float(study.price(size)), unit),
                "worth more than it costs": amount(priced.sizes.best_enbs, unit),
            }
        )
    return rows


# --- the numbers of each figure -------------------------------------------------------------------


def rows_of_actions(result: DecisionResults) -> Rows:
    """Return for each action its expected net benefit, its distance from the best, and its chance of being the best."""
    compared = result.costs_and_effects
    return rows_of(
        action=result.actions,
        net_benefit=result.net,
        behind=result.behind,
        chance_best=result.chances,
        **(compared._asdict() if compared else {}),
    )


def rows_of_knowing(result: DecisionResults) -> Rows:
    """Return the worth of certainty and of knowing each parameter, per person and for everyone."""
    parameters = (ParameterValue("everything", result.evpi, result.evpi_se), *result.evppi)
    return [
        {
            "parameter": name,
            "per_person": value,
            "standard_error": se,
            "for_everyone": value * result.people if result.people else None,
        }
        for name, value, se in parameters
    ]


def rows_of_sizes(result: DecisionResults) -> Rows:
    """Return the value, price and net benefit of a study by its size, and those of reading on."""
    if result.sizes is None or result.study is None:
        return []
    n, price = result.sizes.n, result.study.price(result.sizes.n)
    value = result.sizes.enbs + price
    people = "people_per_arm" if result.study.arms > 1 else "people"
    rows = rows_of(**{people: n, "value": value, "price": price, "net_benefit": result.sizes.enbs})
    if result.reading is not None and result.reading_gain is not None:
        reading = {people: result.reading.studies * result.reading.people, "price": result.reading.cost}
        reading |= {"value": result.reading_gain + result.reading.cost, "net_benefit": result.reading_gain}
        rows = [row | {"how": "a new study"} for row in rows] + [reading | {"how": "reading on"}]
    return rows


def rows_of_curves(result: DecisionResults) -> Rows:
    """Return the curves' numbers, one column per action."""
    drawn = result.curves
    if drawn is None:
        return []
    axis = "threshold" if drawn.of_thresholds else "willingness_to_pay"
    return [
        {axis: float(x), **dict(zip(drawn.names, y.tolist(), strict=True))}
        for x, y in zip(drawn.x, drawn.y, strict=True)
    ]
