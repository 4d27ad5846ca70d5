"""The formulas of a lesson in which 2×2 tables add up: the belief they make, and what studies are worth."""

from typing import cast

import numpy as np

from tarstop_core.documents.outcome import Outcome
from tarstop_core.presentation.numbers import amount, number, percent
from tarstop_core.screening.explain import question
from tarstop_core.teaching.lesson.formula import ALONE, DERIVED, FilledFormula, tex
from tarstop_core.teaching.lesson.steps import Lesson, Step
from tarstop_core.value.cumulative import CumulativePath

PLACE = "Belief: cumulative evidence"
PAST = "brought data"
EXPLAINED = {
    "belief": "model",
    "chance": "isotonic",
    "rho": "review-score",
    "actions": "expected-utility",
    "evpi": "evpi",
    "score": "review-score",
    "evsi": "evsi-study",
    "worth": "review-plan",
}
"""By formula, its name in :mod:`tarstop_core.teaching.methods`; a decision is explained by its rule."""


def belief(lesson: Lesson, step: Step) -> list[FilledFormula]:
    """How likely it is now that the test is sensitive enough."""
    d, b = step.depth, step.now.b

    def filled(said: str, *lines: str, place: str = PLACE) -> list[FilledFormula]:
        heading = f"How likely is it that {question(lesson.settings)} now?"
        posterior = r"b_d &= \Pr(\mathrm{Se} > \theta \mid \text{tables so far})"
        return [FilledFormula("belief", heading, said, (posterior, *lines), b, place)]

    if d == 0:
        return filled(f"Nothing has been read: {percent(b)} is what is believed beforehand.", rf"&= {tex(b)}")
    if step.found == 0:
        said = f"Document {d:,} brought no 2×2 table, so the belief stays where it was."
        return filled(said, rf"&= b_{{d-1}} = {tex(b)}")
    outcome, earlier = lesson.explored.truth, float(lesson.path.b[d - 1])
    assert isinstance(outcome, Outcome)  # only those have a cumulative path
    new = slice(step.studies - step.found, step.studies)
    pairs = zip(outcome.tables.TP[new], outcome.tables.FN[new], strict=True)
    seen = " and ".join(f"the test found {TP:,.0f} of {TP + FN:,.0f} diseased" for TP, FN in pairs)
    said = f"Document {d:,} brought {'a 2×2 table' if step.found == 1 else f'{step.found} tables'}: {seen}."
    if not (0 < earlier < 1 and 0 < b < 1):
        return filled(said, rf"&= {tex(b)}")
    ratio = b / (1 - b) / (earlier / (1 - earlier))
    odds = "for" if ratio >= 1 else "against"
    said += f" That is evidence {odds} it: a factor of {number(max(ratio, 1 / ratio))} on the odds."
    for_it = rf"{tex(earlier)} \times {tex(ratio)}"
    return filled(
        said,
        r"&= \frac{b_{d-1}\,\Lambda}{b_{d-1}\,\Lambda + 1 - b_{d-1}}",
        rf"&= \frac{{{for_it}}}{{{for_it} + {tex(1 - earlier)}}} = {tex(b)}",
        place=f"{PLACE}; Λ is the factor on the odds",
    )


def rho(lesson: Lesson, step: Step) -> FilledFormula:
    """How likely the next document brings a table."""
    rho = step.now.rho
    said = f"{percent(rho)}, whether the test is sensitive enough or not."
    lines = (rf"\rho_{{d+1}} &= p_{{d+1}} = {tex(rho)}",)
    return FilledFormula("rho", "So how likely does it bring data?", said, lines, rho, PLACE)


def evsi(lesson: Lesson, step: Step) -> FilledFormula:
    """What the next document alone is worth."""
    path, now, payoffs = _path(lesson), step.now, lesson.settings.payoffs
    study = path.states[int(path.known[step.depth])]
    one = study.evsi(payoffs)
    return FilledFormula(
        "evsi",
        ALONE,
        f"Over all tables that a study with {study.n1:,} diseased may bring, it is worth {amount(one, payoffs.unit)}; "
        f"times the chance that the document brings one, {amount(step.evsi, payoffs.unit)}.",
        (
            r"\mathrm{EVSI}_1 &= \mathrm{EVPI} - \textstyle\sum_t \min\{b f^+_t (B + L_g),",
            r"&\qquad (1-b) f^-_t (G + L_r)\}",
            rf"&= {tex(now.evpi)} - {tex(now.evpi - one)} = {tex(one)}",
            rf"\rho \cdot \mathrm{{EVSI}}_1 &= {tex(now.rho)} \times {tex(one)} = {tex(step.evsi)}",
        ),
        step.evsi,
        "the paper bounds it by ρ·EVPI; exact here, f: chance of each table",
    )


def worth(lesson: Lesson, step: Step, heading: str, said: str) -> FilledFormula:
    """What the best plan is worth a document."""
    path, d, m = _path(lesson), step.depth, step.plan
    expected = float(path.included_to[d + m] - path.included_to[d])
    together = float(path.worth_of_reading(np.array([d + m]), d)[0])
    return FilledFormula(
        "worth",
        heading,
        said,
        (
            r"w_d &= \max_m \frac{V(H(m))}{m}, \quad H(m) = \textstyle\sum_{j \le m} \rho_{d+j}",
            rf"&= \frac{{V({tex(expected)})}}{{{m}}} = \frac{{{tex(together)}}}{{{m}}} = {tex(step.worth)}",
        ),
        step.worth,
        f"{DERIVED}. H: expected studies, V: what so many are worth",
    )


def _path(lesson: Lesson) -> CumulativePath:
    return cast(CumulativePath, lesson.path)
