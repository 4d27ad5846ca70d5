"""The formulas of a lesson in which one document decides: survival, belief, and what a hit is worth."""

import math
from typing import cast

from tarstop_core.teaching.lesson.formula import FilledFormula, made
from tarstop_core.teaching.lesson.steps import Lesson, Step
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import exceeds

PAST = "were relevant (where anything was)"


def belief(lesson: Lesson, step: Step) -> list[FilledFormula]:
    """How likely prior art is now, and how often nothing would have shown by now."""
    path, d = cast(DecisivePath, lesson.path), step.depth
    if step.settled:
        return [made("decisive.settled", lesson, step, 1.0, hit=path.hit)]
    b_0, b, M = path.b_0, float(path.b[d]), math.exp(float(path.curve.log_M[d]))
    if d == 0:
        return [made("decisive.begun", lesson, step, b, b_0=b_0)]
    before, h = math.exp(float(path.curve.log_M[d - 1])), float(path.curve.h[d - 1])
    return [
        made("decisive.survival", lesson, step, M, M=M, before=before, h=h),
        made("decisive.belief", lesson, step, b, M=M, b_0=b_0),
    ]


def rho(lesson: Lesson, step: Step) -> FilledFormula:
    """How likely the next document is a hit."""
    return made("decisive.rho", lesson, step, step.now.rho)


def evsi(lesson: Lesson, step: Step) -> FilledFormula:
    """What the next document alone is worth."""
    now, payoffs = step.now, lesson.settings.payoffs
    gain, surplus = now.rho * payoffs.wrong_minus, payoffs.K * max(0.0, now.b - payoffs.q_star)
    more = bool(exceeds(step.evsi, now.value))
    return made("decisive.evsi", lesson, step, step.evsi, gain=gain, surplus=surplus, more=more)


def worth(lesson: Lesson, step: Step, pays: bool) -> FilledFormula:
    """What the best plan is worth a document."""
    path, d, end = cast(DecisivePath, lesson.path), step.depth, step.depth + step.plan
    effort = float(path.effort_left[d] - path.effort_left[end])
    losses = {"loss": float(path.loss[d]), "then": float(path.loss[end])}
    return made("decisive.worth", lesson, step, step.worth, pays=pays, effort=effort, **losses)
