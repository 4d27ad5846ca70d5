"""The formulas of a lesson in which 2×2 tables add up: the belief they make, and what studies are worth."""

from typing import cast

import numpy as np

from tarstop_core.documents.topic import Outcome
from tarstop_core.teaching.lesson.formula import FilledFormula, made
from tarstop_core.teaching.lesson.steps import Lesson, Step
from tarstop_core.value.cumulative import CumulativePath

PAST = "brought data"


def belief(lesson: Lesson, step: Step) -> list[FilledFormula]:
    """How likely it is now that the test is sensitive enough."""
    d, b = step.depth, step.now.b
    if step.found == 0:
        return [made("cumulative.same" if d else "cumulative.belief", lesson, step, b)]
    outcome, earlier = lesson.explored.truth, float(lesson.path.b[d - 1])
    assert isinstance(outcome, Outcome)  # only those have a cumulative path
    new = slice(step.studies - step.found, step.studies)
    seen = list(zip(outcome.tables.TP[new], outcome.tables.FN[new], strict=True))
    if not (0 < earlier < 1 and 0 < b < 1):
        return [made("cumulative.certain", lesson, step, b, seen=seen)]
    ratio = b / (1 - b) / (earlier / (1 - earlier))
    return [made("cumulative.moved", lesson, step, b, seen=seen, earlier=earlier, ratio=ratio)]


def rho(lesson: Lesson, step: Step) -> FilledFormula:
    """How likely the next document brings a table."""
    return made("cumulative.rho", lesson, step, step.now.rho)


def evsi(lesson: Lesson, step: Step) -> FilledFormula:
    """What the next document alone is worth."""
    path = cast(CumulativePath, lesson.path)
    study = path.states[int(path.studies[step.depth])]
    one = study.evsi(lesson.settings.payoffs)
    return made("cumulative.evsi", lesson, step, step.evsi, one=one, n1=study.n1)


def worth(lesson: Lesson, step: Step, pays: bool) -> FilledFormula:
    """What the best plan is worth a document."""
    path, d, end = cast(CumulativePath, lesson.path), step.depth, step.depth + step.plan
    expected = float(path.included_to[end] - path.included_to[d])
    together = float(path.worth_of_reading(np.array([end]), d)[0])
    return made("cumulative.worth", lesson, step, step.worth, pays=pays, expected=expected, together=together)
