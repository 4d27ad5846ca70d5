"""The formulas of one step of a lesson, filled in: symbols = numbers = result, and a plain sentence before each.

In the symbols d is the number of documents read; places are sections of the paper.
"""

from types import ModuleType

from tarstop_core.calibration.calibrator import z_scores
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.teaching.lesson import cumulative, decisive
from tarstop_core.teaching.lesson.formula import FilledFormula, made
from tarstop_core.teaching.lesson.steps import Lesson, Step, topic_of
from tarstop_core.value.payoffs import exceeds

BY_SCENARIO: dict[str, ModuleType] = {PATENT.name: decisive, REVIEW.name: cumulative}
"""The formulas of each scenario: what only it has of belief, the next document and its worth."""


def filled(lesson: Lesson, step: Step) -> tuple[FilledFormula, ...]:
    """All formulas of a step, in the order of the argument: belief, next document, action, value, decision."""
    own, payoffs, b = BY_SCENARIO[lesson.settings.scenario], lesson.settings.payoffs, step.now.b
    found: list[FilledFormula] = own.belief(lesson, step)
    if step.p is not None:
        found += [_chance(lesson, step, step.p, own.PAST), own.rho(lesson, step)]
    up, down = float(payoffs.utility_plus(b)), float(payoffs.utility_minus(b))
    found += [made("actions", lesson, step, max(up, down), up=up, down=down)]
    found += [made("evpi", lesson, step, step.now.evpi)]
    if step.p is not None:
        found += [made("score", lesson, step, step.now.value), own.evsi(lesson, step), _worth(lesson, step)]
    return (*found, _decision(lesson, step))


def _chance(lesson: Lesson, step: Step, p: float, past: str) -> FilledFormula:
    scores = topic_of(lesson.explored).scores
    assert scores is not None  # samples are ranked by BM25
    told = {"score": float(scores[step.depth]), "mean": float(scores.mean()), "sd": float(scores.std())}
    return made("chance", lesson, step, p, past=past, z=float(z_scores(scores)[step.depth]), **told)


def _worth(lesson: Lesson, step: Step) -> FilledFormula:
    if not step.plan:
        return made("worth", lesson, step, 0.0)
    pays = bool(exceeds(step.worth, lesson.settings.cost))
    found: FilledFormula = BY_SCENARIO[lesson.settings.scenario].worth(lesson, step, pays)
    return found


def _decision(lesson: Lesson, step: Step) -> FilledFormula:
    if step.compared is None or step.settled or step.depth == step.documents:
        return made("decision", lesson, step, step.depth)
    above = bool(exceeds(step.compared, lesson.settings.cost))
    return made("weighed", lesson, step, step.compared, above=above)
