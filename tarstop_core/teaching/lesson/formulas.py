r"""The formulas of one step of a lesson, filled in: symbols = numbers = result, and a plain sentence before each.

In the symbols d is the number of documents read. Places are sections of the paper, Fletcher & Stevenson,
*Decision-Theoretic Stopping Rules for Document Screening*.
"""

from types import ModuleType

from tarstop_core.calibration.calibrator import z_scores
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.screening.explain import action
from tarstop_core.screening.scenarios.patent import PATENT
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.teaching.lesson import cumulative, decisive
from tarstop_core.teaching.lesson.formula import DERIVED, FilledFormula, tex
from tarstop_core.teaching.lesson.steps import Lesson, Step, topic_of
from tarstop_core.value.payoffs import exceeds

BY_SCENARIO: dict[str, ModuleType] = {PATENT.name: decisive, REVIEW.name: cumulative}
"""The formulas of each scenario: what only it has of belief, the next document and its worth."""


def filled(lesson: Lesson, step: Step) -> tuple[FilledFormula, ...]:
    """All formulas of a step, in the order of the argument: belief, next document, action, value, decision."""
    own = BY_SCENARIO[lesson.settings.scenario]
    found: list[FilledFormula] = own.belief(lesson, step)
    if step.p is not None:
        found += [_chance(lesson, step, step.p, own.PAST), own.rho(lesson, step)]
    found += [_actions(lesson, step), _evpi(lesson, step)]
    if step.p is not None:
        found += [_score(lesson, step), own.evsi(lesson, step), _worth(lesson, step, own)]
    return (*found, _decision(lesson, step))


def _chance(lesson: Lesson, step: Step, p: float, past: str) -> FilledFormula:
    scores = topic_of(lesson.explored).scores
    assert scores is not None  # samples are ranked by BM25
    score, mean, sd = float(scores[step.depth]), float(scores.mean()), float(scores.std())
    z = float(z_scores(scores)[step.depth])
    return FilledFormula(
        "chance",
        f"What about the next document, #{step.depth + 1:,}?",
        f"Its score lies {number(abs(z))} standard deviations {'above' if z >= 0 else 'below'} the mean of this "
        f"list. Of such documents {percent(p)} {past} in the lists it was learned from.",
        (
            r"p_{d+1} &= f(z_{d+1}) = f\!\left(\tfrac{v_{d+1} - \bar v}{s_v}\right)",
            rf"&= f\!\left(\tfrac{{{tex(score)} - {tex(mean)}}}{{{tex(sd)}}}\right) = f({tex(z)}) = {tex(p)}",
        ),
        p,
        "Calibration: z-score within the topic, isotonic regression f",
    )


def _actions(lesson: Lesson, step: Step) -> FilledFormula:
    settings, b, plus = lesson.settings, step.now.b, step.now.plus
    payoffs = settings.payoffs
    up, down = float(payoffs.utility_plus(b)), float(payoffs.utility_minus(b))
    sign = ">" if plus else r"\le"
    B, L_r, L_g, G = (tex(value) for value in (payoffs.B, payoffs.L_r, payoffs.L_g, payoffs.G))
    return FilledFormula(
        "actions",
        "What would you do if you stopped now?",
        f"“{settings.plus}” is expected to bring {amount(up, payoffs.unit)}, “{settings.minus}” "
        f"{amount(down, payoffs.unit)}: choose “{action(plus, settings)}”.",
        (
            r"EU(a^+|b) &= bB - (1-b)L_r",
            rf"&= {tex(b)} \times {B} - {tex(1 - b)} \times {L_r} = {tex(up)}",
            r"EU(a^-|b) &= -bL_g + (1-b)G",
            rf"&= -{tex(b)} \times {L_g} + {tex(1 - b)} \times {G} = {tex(down)}",
            rf"b &= {tex(b)} {sign} q^* = \tfrac{{G + L_r}}{{K}} = {tex(payoffs.q_star)}",
        ),
        max(up, down),
        "Methods → Framework: expected utility, threshold q*",
    )


def _evpi(lesson: Lesson, step: Step) -> FilledFormula:
    settings, b, plus = lesson.settings, step.now.b, step.now.plus
    payoffs, evpi = settings.payoffs, step.now.evpi
    found, spared = b * payoffs.wrong_minus, (1 - b) * payoffs.wrong_plus
    return FilledFormula(
        "evpi",
        "What is the most that certainty could be worth now?",
        f"“{action(plus, settings)}” is wrong with a chance of {percent(1 - b if plus else b)}. Knowing the truth would "
        f"save what that costs: {amount(evpi, payoffs.unit)}.",
        (
            r"\mathrm{EVPI}(b) &= \min\{b(B + L_g),\ (1-b)(G + L_r)\}",
            rf"&= \min\{{{tex(found)},\ {tex(spared)}\}} = {tex(evpi)}",
        ),
        evpi,
        "Methods → Framework: value of perfect information",
    )


def _score(lesson: Lesson, step: Step) -> FilledFormula:
    now, cost, unit = step.now, lesson.settings.cost, lesson.settings.payoffs.unit
    sign = ">" if now.go_on else r"\le"
    return FilledFormula(
        "score",
        "The paper’s score: is the next document worth its cost?",
        f"A find is this likely, certainty worth that much: {amount(now.value, unit)} against a cost of "
        f"{amount(cost, unit)}. The paper’s rule would {'go on' if now.go_on else 'stop'}.",
        (
            r"\rho_{d+1} \cdot \mathrm{EVPI}(b_d) &= " + rf"{tex(now.rho)} \times {tex(now.evpi)}",
            rf"&= {tex(now.value)} {sign} {tex(cost)} = c",
        ),
        now.value,
        "Policies: Greedy, the paper’s rule",
    )


def _worth(lesson: Lesson, step: Step, own: ModuleType) -> FilledFormula:
    m, unit = step.plan, lesson.settings.payoffs.unit
    heading = "And the next documents together?"
    if not m:
        said = "No plan, however long, could change the decision for the better."
        return FilledFormula("worth", heading, said, (r"w_d &= 0",), 0.0, DERIVED)
    pays = (
        "more than it costs" if bool(exceeds(step.worth, lesson.settings.cost)) else "no more than it costs"
    )
    said = f"The best plan reads up to {count_of(m)} more and is worth {amount(step.worth, unit)} a document, {pays}."
    found: FilledFormula = own.worth(lesson, step, heading, said)
    return found


def _decision(lesson: Lesson, step: Step) -> FilledFormula:
    settings, rule = lesson.settings, lesson.policy
    unit, cost = settings.payoffs.unit, settings.cost
    heading, place = f"{rule} says: {'go on' if step.go_on else 'stop'}", rule.source
    verdict = r"\text{go on}" if step.go_on else r"\text{stop}"
    choice = f"stop, and choose “{action(step.now.plus, settings)}”."
    if step.compared is None or step.settled or step.depth == step.documents:
        if step.go_on:
            said = f"{rule.rule} It has not yet."
        elif step.settled:
            said = f"Nothing further can change it: {choice}"
        else:
            said = f"{rule.rule} It has done so: {choice}"
        return FilledFormula(
            "decision", heading, said, (rf"d &= {step.depth}: {verdict}",), step.depth, place
        )
    above = bool(exceeds(step.compared, cost))
    said = f"{rule.worth_phrase} {amount(step.compared, unit)}, a document costs {amount(cost, unit)}: "
    said += "read on." if step.go_on and above else "but it finishes what it began." if step.go_on else choice
    sign = ">" if above else r"\le"
    lines = (rf"{tex(step.compared)} &{sign} {tex(cost)} = c \;\Rightarrow\; {verdict}",)
    return FilledFormula("decision", heading, said, lines, step.compared, place)
