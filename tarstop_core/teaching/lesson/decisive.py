"""The formulas of a lesson in which one document decides: survival, belief, and what a hit is worth."""

import math
from typing import cast

from tarstop_core.presentation.numbers import amount, percent
from tarstop_core.teaching.lesson.formula import ALONE, DERIVED, FilledFormula, tex
from tarstop_core.teaching.lesson.steps import Lesson, Step
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import exceeds

PLACE = "Belief: decisive evidence"
PAST = "were relevant (where anything was)"
EXPLAINED = {
    "survival": "survival",
    "belief": "belief",
    "chance": "isotonic",
    "rho": "rho",
    "actions": "expected-utility",
    "evpi": "evpi",
    "score": "score",
    "evsi": "evsi",
    "worth": "worth",
}
"""By formula, its name in :mod:`tarstop_core.teaching.methods`; a decision is explained by its rule."""


def belief(lesson: Lesson, step: Step) -> list[FilledFormula]:
    """How likely prior art is now, and how often nothing would have shown by now."""
    path, d = _path(lesson), step.depth

    def believed(said: str, b: float, *lines: str) -> FilledFormula:
        return FilledFormula("belief", "How likely is prior art now?", said, lines, b, PLACE)

    if step.settled:
        said = f"Document {path.hit:,} discloses the claim: one such document settles the question."
        return [believed(said, 1.0, r"b_d &= 1")]
    b_0, b, M = path.b_0, float(path.b[d]), math.exp(float(path.curve.log_M[d]))
    if d == 0:
        said = f"Nothing has been read: {percent(b_0)} is what is believed beforehand."
        return [believed(said, b, rf"b_0 &= {tex(b_0)}")]
    before, h = math.exp(float(path.curve.log_M[d - 1])), float(path.curve.h[d - 1])
    missed = "document 1 is" if d == 1 else f"all of the first {d:,} are"
    return [
        FilledFormula(
            "survival",
            "How often would nothing have shown by now?",
            f"Document {d:,} was not it. Where prior art exists, {missed} a miss with a chance of {percent(M)}.",
            (r"M_d &= M_{d-1}\,(1 - p_d)", rf"&= {tex(before)} \times (1 - {tex(h)}) = {tex(M)}"),
            M,
            PLACE,
        ),
        believed(
            f"By Bayes’ rule the chance that prior art exists is now {percent(b)}.",
            b,
            r"b_d &= \frac{b_0 M_d}{b_0 M_d + 1 - b_0}",
            rf"&= \frac{{{tex(b_0)} \times {tex(M)}}}{{{tex(b_0)} \times {tex(M)} + {tex(1 - b_0)}}} = {tex(b)}",
        ),
    ]


def rho(lesson: Lesson, step: Step) -> FilledFormula:
    """How likely the next document is a hit."""
    assert step.p is not None
    b, rho = step.now.b, step.now.rho
    said = (
        f"Prior art has to exist ({percent(b)}) and to be this document ({percent(step.p)}): {percent(rho)}."
    )
    lines = (r"\rho_{d+1} &= b_d\,p_{d+1}", rf"&= {tex(b)} \times {tex(step.p)} = {tex(rho)}")
    return FilledFormula("rho", "So how likely is it a hit?", said, lines, rho, PLACE)


def evsi(lesson: Lesson, step: Step) -> FilledFormula:
    """What the next document alone is worth."""
    settings, now, payoffs = lesson.settings, step.now, lesson.settings.payoffs
    gain, surplus = now.rho * payoffs.wrong_minus, payoffs.K * max(0.0, now.b - payoffs.q_star)
    if step.evsi == 0:
        said = "Reading just one more cannot change the action for the better: nothing, taken alone."
    else:
        more = " That is more than the paper’s score." if bool(exceeds(step.evsi, now.value)) else ""
        said = f"A hit would show that “{settings.plus}” is right: {amount(step.evsi, payoffs.unit)}.{more}"
    return FilledFormula(
        "evsi",
        ALONE,
        said,
        (
            r"\mathrm{EVSI} &= \max\{0,\ \rho(B + L_g) - K\max(0,\, b - q^*)\}",
            rf"&= \max\{{0,\ {tex(gain)} - {tex(surplus)}\}} = {tex(step.evsi)}",
        ),
        step.evsi,
        "the paper takes ρ·EVPI for a bound of it; exact here",
    )


def worth(lesson: Lesson, step: Step, heading: str, said: str) -> FilledFormula:
    """What the best plan is worth a document."""
    path, d, m = _path(lesson), step.depth, step.plan
    now, then = float(path.loss[d]), float(path.loss[d + m])
    effort = float(path.effort_left[d] - path.effort_left[d + m])
    return FilledFormula(
        "worth",
        heading,
        said,
        (
            r"w_d &= \max_{D > d} \frac{V_d - V_D}{C_D - C_d}, \quad V_D = S_D\,\mathrm{EVPI}(b_D)",
            rf"&= \frac{{{tex(now)} - {tex(then)}}}{{{tex(effort)}}} = {tex(step.worth)} \quad (D = {d + m})",
        ),
        step.worth,
        f"{DERIVED}. S: chance of no hit by then, C: expected documents",
    )


def _path(lesson: Lesson) -> DecisivePath:
    return cast(DecisivePath, lesson.path)
