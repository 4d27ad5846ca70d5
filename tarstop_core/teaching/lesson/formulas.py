r"""The formulas of one step of a lesson, filled in: symbols = numbers = result, and a plain sentence before each.

In the symbols d is the number of documents read. Places are sections of the paper, Fletcher & Stevenson,
*Decision-Theoretic Stopping Rules for Document Screening*.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tarstop_core.documents.outcome import Outcome
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.screening.explain import action, question
from tarstop_core.teaching.lesson.steps import Lesson, Standing, Step
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import exceeds

DERIVED = "not in the paper; derived from its framework"
DECISIVE, CUMULATIVE = "Belief: decisive evidence", "Belief: cumulative evidence"

EXPLAINED = {
    "survival": ("survival", "survival"),
    "belief": ("belief", "model"),
    "chance": ("isotonic", "isotonic"),
    "rho": ("rho", "review-score"),
    "actions": ("expected-utility", "expected-utility"),
    "evpi": ("evpi", "evpi"),
    "score": ("score", "review-score"),
    "evsi": ("evsi", "evsi-study"),
    "worth": ("worth", "review-plan"),
}
"""By formula, its name in :mod:`tarstop_core.teaching.methods` for patents and for reviews; a decision is explained by its rule."""


@dataclass(frozen=True)
class FilledFormula:
    """One formula with a step's numbers.

    Parameters
    ----------
    name : str
        "chance", "survival", "belief", "rho", "actions", "evpi", "score", "evsi", "worth" or "decision".
    heading : str
        The question that it answers.
    words : str
        What it says here, in plain words.
    lines : tuple of str
        LaTeX: symbols, the same with numbers, the result; aligned at their first relation.
    value : float
        The result.
    place : str
        Where it stands in the paper, or that it does not.
    """

    name: str
    heading: str
    words: str
    lines: tuple[str, ...]
    value: float
    place: str

    @property
    def latex(self) -> str:
        """All lines as one formula."""
        # Fractions on top of each other would touch.
        gap = "0.9em" if any("frac" in line for line in self.lines) else "0.35em"
        return r"\begin{aligned} " + rf" \\[{gap}] ".join(self.lines) + r" \end{aligned}"


def filled(lesson: Lesson, step: Step) -> tuple[FilledFormula, ...]:
    """All formulas of a step, in the order of the argument: belief, next document, action, value, decision.

    Parameters
    ----------
    lesson : Lesson
    step : Step

    Examples
    --------
    >>> from tarstop_core.explore.lists import sample
    >>> from tarstop_core.policies import Greedy
    >>> explored = sample("search:antenna-mount")
    >>> lesson = Lesson(explored, explored.settings, Greedy())
    >>> [formula.name for formula in filled(lesson, lesson.step(3))][:4]
    ['survival', 'belief', 'chance', 'rho']
    """
    path, standing = lesson.path, lesson.standing(step)
    found = [_tables(lesson, step, path)] if isinstance(path, CumulativePath) else _survival(step, path)
    if standing is not None:
        found += [_chance(lesson, step, standing), _rho(lesson, step)]
    found += [_actions(lesson, step), _evpi(lesson, step)]
    if standing is not None:
        found += [_score(lesson, step), _evsi(lesson, step), _worth(lesson, step)]
    return (*found, _decision(lesson, step))


def _survival(step: Step, path: DecisivePath) -> list[FilledFormula]:
    d, heading = step.depth, "How likely is prior art now?"
    if step.settled:
        said = f"Document {path.hit:,} discloses the claim: one such document settles the question."
        return [FilledFormula("belief", heading, said, (r"b_d &= 1",), 1.0, DECISIVE)]
    b_0, b, M = path.b_0, float(path.b[d]), math.exp(float(path.curve.log_M[d]))
    if d == 0:
        said = f"Nothing has been read: {percent(b_0)} is what is believed beforehand."
        return [FilledFormula("belief", heading, said, (rf"b_0 &= {tex(b_0)}",), b, DECISIVE)]
    before, h = math.exp(float(path.curve.log_M[d - 1])), float(path.curve.h[d - 1])
    missed = "document 1 is" if d == 1 else f"all of the first {d:,} are"
    return [
        FilledFormula(
            "survival",
            "How often would nothing have shown by now?",
            f"Document {d:,} was not it. Where prior art exists, {missed} a miss with a chance of {percent(M)}.",
            (r"M_d &= M_{d-1}\,(1 - p_d)", rf"&= {tex(before)} \times (1 - {tex(h)}) = {tex(M)}"),
            M,
            DECISIVE,
        ),
        FilledFormula(
            "belief",
            heading,
            f"By Bayes’ rule the chance that prior art exists is now {percent(b)}.",
            (
                r"b_d &= \frac{b_0 M_d}{b_0 M_d + 1 - b_0}",
                rf"&= \frac{{{tex(b_0)} \times {tex(M)}}}{{{tex(b_0)} \times {tex(M)} + {tex(1 - b_0)}}} = {tex(b)}",
            ),
            b,
            DECISIVE,
        ),
    ]


def _tables(lesson: Lesson, step: Step, path: CumulativePath) -> FilledFormula:
    d, b, asked = step.depth, step.now.b, question(lesson.settings)
    heading = f"How likely is it that {asked} now?"
    posterior = r"b_d &= \Pr(\mathrm{Se} > \theta \mid \text{tables so far})"
    if step.found == 0:
        said = (
            f"Document {d:,} brought no 2×2 table, so the belief stays where it was."
            if d
            else f"Nothing has been read: {percent(b)} is what is believed beforehand."
        )
        same = "b_{d-1} = " if d else ""
        return FilledFormula("belief", heading, said, (posterior, rf"&= {same}{tex(b)}"), b, CUMULATIVE)
    outcome, earlier = lesson.explored.truth, float(path.b[d - 1])
    assert isinstance(outcome, Outcome)  # only those have a cumulative path
    new = slice(step.studies - step.found, step.studies)
    pairs = zip(outcome.tables.TP[new], outcome.tables.FN[new], strict=True)
    seen = " and ".join(f"the test found {TP:,.0f} of {TP + FN:,.0f} diseased" for TP, FN in pairs)
    said = f"Document {d:,} brought {'a 2×2 table' if step.found == 1 else f'{step.found} tables'}: {seen}."
    if not (0 < earlier < 1 and 0 < b < 1):
        return FilledFormula("belief", heading, said, (posterior, rf"&= {tex(b)}"), b, CUMULATIVE)
    ratio = b / (1 - b) / (earlier / (1 - earlier))
    odds = "for" if ratio >= 1 else "against"
    said += f" That is evidence {odds} it: a factor of {number(max(ratio, 1 / ratio))} on the odds."
    return FilledFormula(
        "belief",
        heading,
        said,
        (
            posterior,
            r"&= \frac{b_{d-1}\,\Lambda}{b_{d-1}\,\Lambda + 1 - b_{d-1}}",
            rf"&= \frac{{{tex(earlier)} \times {tex(ratio)}}}{{{tex(earlier)} \times {tex(ratio)} + {tex(1 - earlier)}}}"
            rf" = {tex(b)}",
        ),
        b,
        f"{CUMULATIVE}; Λ is the factor on the odds",
    )


def _chance(lesson: Lesson, step: Step, at: Standing) -> FilledFormula:
    assert step.p is not None  # where a score stands, a document is left
    past = "brought data" if lesson.settings.review else "were relevant (where anything was)"
    return FilledFormula(
        "chance",
        f"What about the next document, #{step.depth + 1:,}?",
        f"Its score lies {number(abs(at.z))} standard deviations {'above' if at.z >= 0 else 'below'} the mean of this "
        f"list. Of such documents {percent(step.p)} {past} in the lists it was learned from.",
        (
            r"p_{d+1} &= f(z_{d+1}) = f\!\left(\tfrac{v_{d+1} - \bar v}{s_v}\right)",
            rf"&= f\!\left(\tfrac{{{tex(at.score)} - {tex(at.mean)}}}{{{tex(at.sd)}}}\right) = f({tex(at.z)}) = {tex(step.p)}",
        ),
        step.p,
        "Calibration: z-score within the topic, isotonic regression f",
    )


def _rho(lesson: Lesson, step: Step) -> FilledFormula:
    assert step.p is not None
    b, rho = step.now.b, step.now.rho
    if lesson.settings.review:
        said = f"{percent(rho)}, whether the test is sensitive enough or not."
        lines: tuple[str, ...] = (rf"\rho_{{d+1}} &= p_{{d+1}} = {tex(rho)}",)
        return FilledFormula("rho", "So how likely does it bring data?", said, lines, rho, CUMULATIVE)
    said = (
        f"Prior art has to exist ({percent(b)}) and to be this document ({percent(step.p)}): {percent(rho)}."
    )
    lines = (r"\rho_{d+1} &= b_d\,p_{d+1}", rf"&= {tex(b)} \times {tex(step.p)} = {tex(rho)}")
    return FilledFormula("rho", "So how likely is it a hit?", said, lines, rho, DECISIVE)


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


def _evsi(lesson: Lesson, step: Step) -> FilledFormula:
    settings, now, path = lesson.settings, step.now, lesson.path
    payoffs = settings.payoffs
    heading, gained = "What is the next document alone exactly worth?", amount(step.evsi, payoffs.unit)
    if isinstance(path, CumulativePath):
        study = path.states[int(path.known[step.depth])]
        one = study.evsi(payoffs)
        return FilledFormula(
            "evsi",
            heading,
            f"Over all tables that a study with {study.n1:,} diseased may bring, it is worth {amount(one, payoffs.unit)}; "
            f"times the chance that the document brings one, {gained}.",
            (
                r"\mathrm{EVSI}_1 &= \mathrm{EVPI} - \textstyle\sum_t \min\{b f^+_t (B + L_g),",
                r"&\qquad (1-b) f^-_t (G + L_r)\}",
                rf"&= {tex(now.evpi)} - {tex(now.evpi - one)} = {tex(one)}",
                rf"\rho \cdot \mathrm{{EVSI}}_1 &= {tex(now.rho)} \times {tex(one)} = {tex(step.evsi)}",
            ),
            step.evsi,
            "the paper bounds it by ρ·EVPI; exact here, f: chance of each table",
        )
    gain, surplus = now.rho * payoffs.wrong_minus, payoffs.K * max(0.0, now.b - payoffs.q_star)
    if step.evsi == 0:
        said = "Reading just one more cannot change the action for the better: nothing, taken alone."
    else:
        more = " That is more than the paper’s score." if bool(exceeds(step.evsi, now.value)) else ""
        said = f"A hit would show that “{settings.plus}” is right: {gained}.{more}"
    return FilledFormula(
        "evsi",
        heading,
        said,
        (
            r"\mathrm{EVSI} &= \max\{0,\ \rho(B + L_g) - K\max(0,\, b - q^*)\}",
            rf"&= \max\{{0,\ {tex(gain)} - {tex(surplus)}\}} = {tex(step.evsi)}",
        ),
        step.evsi,
        "the paper takes ρ·EVPI for a bound of it; exact here",
    )


def _worth(lesson: Lesson, step: Step) -> FilledFormula:
    path, d, m, unit = lesson.path, step.depth, step.plan, lesson.settings.payoffs.unit
    heading = "And the next documents together?"
    if not m:
        said = "No plan, however long, could change the decision for the better."
        return FilledFormula("worth", heading, said, (r"w_d &= 0",), 0.0, DERIVED)
    pays = (
        "more than it costs" if bool(exceeds(step.worth, lesson.settings.cost)) else "no more than it costs"
    )
    said = f"The best plan reads up to {count_of(m)} more and is worth {amount(step.worth, unit)} a document, {pays}."
    if isinstance(path, CumulativePath):
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


def tex(value: float) -> str:
    r"""A number for a formula: three significant digits, never rounded to certainty.

    Examples
    --------
    >>> tex(0.04312), tex(1234.0), tex(-0.25), tex(1.2e-7), tex(0.99962)
    ('0.0431', '1{,}230', '-0.25', '1.2 \\times 10^{-7}', '0.99962')
    """
    if 0.99 < value < 1:
        return f"{value:.{1 - math.floor(math.log10(1 - value))}f}"
    text = number(value)
    if "e" in text:
        mantissa, power = text.split("e")
        return rf"{mantissa} \times 10^{{{int(power)}}}"
    return text.replace(",", "{,}")
