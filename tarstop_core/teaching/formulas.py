"""The formulas of the paper with the numbers of a step of a lesson: a plain sentence, then symbols = numbers = result.

In formulas d is the number of documents read; places are sections of the paper.
"""

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from tarstop_core.calibration.scores import z_scores
from tarstop_core.documents.topic import Outcome
from tarstop_core.presentation.messages import Messages
from tarstop_core.presentation.numbers import digits_and_power
from tarstop_core.screening.wording import action, question
from tarstop_core.teaching.lesson import Lesson, Step
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import exceeds
from tarstop_core.value.studies import NextStudy


@dataclass(frozen=True)
class FilledFormula:
    """A formula with the numbers of a step."""

    name: str
    """One of "chance", "survival", "belief", "rho", "actions", "evpi", "score", "evsi", "worth" or "decision"."""
    heading: str  # The question that it answers
    words: str  # Its meaning at this step, in plain words
    lines: tuple[str, ...]
    """LaTeX lines: the symbols, the numbers, the result; aligned at their first relation."""
    value: float  # The result
    place: str  # Its section in the paper, or a note that it has none
    # Key of its explanation in :mod:`tarstop_core.teaching.reference`; for a decision, of the rule
    explained: str

    @property
    def latex(self) -> str:
        """All lines as one formula."""
        # Fractions in neighbouring lines would touch.
        gap = "0.9em" if any("frac" in line for line in self.lines) else "0.35em"
        return r"\begin{aligned} " + rf" \\[{gap}] ".join(self.lines) + r" \end{aligned}"


def tex(value: float) -> str:
    r"""Return a number for a formula, with three significant digits, and never rounded up to 1."""
    if 0.99 < value < 1:
        return f"{value:.{1 - math.floor(math.log10(1 - value))}f}"
    digits, power = digits_and_power(value)
    return rf"{digits} \times 10^{{{power}}}" if power else digits.replace(",", "{,}")


formula_message = Messages("teaching/formulas.jinja", tex=tex)


def _filled(name: str, macro: str, value: float, explained: str, **values: Any) -> FilledFormula:
    """Return the formula of a macro of the template, which has heading, words, lines and place."""
    heading, words, lines, place = formula_message.paragraphs(macro, **values)
    return FilledFormula(
        name,
        " ".join(heading.split()),
        " ".join(words.split()),
        tuple(lines.split("\n")),
        value,
        place,
        explained,
    )


def filled(lesson: Lesson, step: Step) -> tuple[FilledFormula, ...]:
    """Return the formulas of a step in the order of the argument: belief, next document, action, value, decision."""
    settings, payoffs, now = lesson.settings, lesson.settings.payoffs, step.now
    decisive = settings.one_decides
    formulas = _belief(lesson, step) if decisive else [_belief_of_tables(lesson, step)]
    if step.p is not None:
        formulas.append(_chance(lesson, step, step.p))
        if decisive:
            formulas.append(_filled("rho", "rho", now.rho, "rho", step=step))
        else:
            formulas.append(_filled("rho", "rho_of_tables", now.rho, "review-score", step=step))
    up, down = float(payoffs.utility_plus(now.b)), float(payoffs.utility_minus(now.b))
    chosen = action(now.option, settings)
    utilities = {"settings": settings, "action": chosen, "up": up, "down": down}
    formulas.append(_filled("actions", "actions", max(up, down), "expected-utility", step=step, **utilities))
    formulas.append(_filled("evpi", "evpi", now.evpi, "evpi", step=step, payoffs=payoffs, action=chosen))
    if step.p is not None:
        explained = "score" if decisive else "review-score"
        price = {"cost": settings.cost, "unit": payoffs.unit}
        formulas.append(_filled("score", "score", now.value, explained, step=step, **price))
        formulas += [_evsi(lesson, step), _value_rate(lesson, step)]
    return (*formulas, _decision(lesson, step))


def _belief(lesson: Lesson, step: Step) -> list[FilledFormula]:
    """Return the formulas of survival and belief in patents; of belief alone if there is a hit or nothing was read."""
    path, d = cast(DecisivePath, lesson.path), step.depth
    M = math.exp(float(path.curve.log_M[d]))
    belief = _filled("belief", "belief", step.now.b, "belief", step=step, hit=path.hit, b_0=path.b_0, M=M)
    if step.settled or d == 0:
        return [belief]
    before, h = math.exp(float(path.curve.log_M[d - 1])), float(path.curve.h[d - 1])
    return [_filled("survival", "survival", M, "survival", step=step, M=M, before=before, h=h), belief]


def _belief_of_tables(lesson: Lesson, step: Step) -> FilledFormula:
    """Return the formula of the belief in reviews."""
    outcome, b = lesson.listing.truth, step.now.b
    assert isinstance(outcome, Outcome)  # Only these have a cumulative path
    new = slice(step.studies - step.brought, step.studies)
    tables = list(zip(outcome.tables.TP[new], outcome.tables.FN[new], strict=True))
    earlier = float(lesson.path.b[step.depth - 1]) if step.depth else b
    ratio = None
    if step.brought and 0 < earlier < 1 and 0 < b < 1:
        ratio = b / (1 - b) / (earlier / (1 - earlier))
    asked = question(lesson.settings)
    evidence = {"question": asked, "tables": tables, "earlier": earlier, "ratio": ratio}
    return _filled("belief", "belief_of_tables", b, "model", step=step, **evidence)


def _chance(lesson: Lesson, step: Step, p: float) -> FilledFormula:
    scores = lesson.listing.topic.scores
    assert scores is not None  # Samples are ranked by BM25
    return _filled(
        "chance",
        "chance",
        p,
        "isotonic",
        step=step,
        score=float(scores[step.depth]),
        mean=float(scores.mean()),
        sd=float(scores.std()),
        z=float(z_scores(scores)[step.depth]),
        reviews=not lesson.settings.one_decides,
    )


def _evsi(lesson: Lesson, step: Step) -> FilledFormula:
    """Return the formula of the exact value of the next document alone."""
    now, payoffs = step.now, lesson.settings.payoffs
    if not lesson.settings.one_decides:
        path = cast(CumulativePath, lesson.path)
        study = cast(NextStudy, path.states[int(path.studies[step.depth])])
        worth = {"n1": study.n1, "one": study.evsi(payoffs)}
        return _filled(
            "evsi", "evsi_of_tables", step.evsi, "evsi-study", step=step, unit=payoffs.unit, **worth
        )
    return _filled(
        "evsi",
        "evsi",
        step.evsi,
        "evsi",
        step=step,
        plus=lesson.settings.plus,
        unit=payoffs.unit,
        gain=now.rho * payoffs.wrong_minus,
        surplus=payoffs.K * max(0.0, now.b - payoffs.q_star),
        above_score=bool(exceeds(step.evsi, now.value)),
    )


def _value_rate(lesson: Lesson, step: Step) -> FilledFormula:
    """Return the formula of the best plan's value per document."""
    d, end = step.depth, step.depth + step.plan
    decisive = lesson.settings.one_decides
    explained = "worth" if decisive else "review-plan"
    if not step.plan:
        return _filled("worth", "no_plan", 0.0, explained)
    pays = bool(exceeds(step.value_rate, lesson.settings.cost))
    plan = {"step": step, "unit": lesson.settings.payoffs.unit, "pays": pays}
    if decisive:
        path = cast(DecisivePath, lesson.path)
        effort = float(path.effort_left[d] - path.effort_left[end])
        losses = {"loss": float(path.loss[d]), "then": float(path.loss[end])}
        return _filled("worth", "plan", step.value_rate, explained, **plan, effort=effort, **losses)
    review = cast(CumulativePath, lesson.path)
    expected = float(review.included_to[end] - review.included_to[d])
    together = float(review.worth_of_reading(np.array([end]), d)[0])
    studies = {"expected": expected, "together": together}
    return _filled("worth", "plan_of_tables", step.value_rate, explained, **plan, **studies)


def _decision(lesson: Lesson, step: Step) -> FilledFormula:
    settings, rule = lesson.settings, lesson.policy
    above = None
    if step.compared is not None and not step.settled and step.depth < step.documents:
        above = bool(exceeds(step.compared, settings.cost))
    return _filled(
        "decision",
        "decision",
        step.depth if above is None or step.compared is None else step.compared,
        rule.name,
        step=step,
        rule=rule,
        action=action(step.now.option, settings),
        above=above,
        cost=settings.cost,
        unit=settings.payoffs.unit,
    )
