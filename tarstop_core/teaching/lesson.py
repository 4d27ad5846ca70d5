"""A lesson: a stopping rule followed one document at a time, on the path that a replay plays.

Each step fills in the formulas of the paper: a plain sentence, then symbols = numbers = result. In formulas d is the
number of documents read; places are sections of the paper.
"""

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np

from tarstop_core.calibration.scores import z_scores
from tarstop_core.documents.topic import Outcome
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.replay import Played
from tarstop_core.explore.lists import LabelledList, sample
from tarstop_core.explore.maps import COMPARED
from tarstop_core.explore.plans import Now, decide
from tarstop_core.policies import Policy
from tarstop_core.presentation.messages import Messages
from tarstop_core.presentation.numbers import digits_and_power
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action, question
from tarstop_core.teaching import message
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import exceeds
from tarstop_core.value.studies import NextStudy


@dataclass(frozen=True)
class Step:
    """The state of a lesson after some documents."""

    depth: int  # Documents read
    documents: int  # Documents in the list
    now: Now  # The paper's decision, as ``tarstop decide`` prints it
    settled: bool  # Whether a document read so far has settled the question
    brought: int  # Studies of the last document; in patents 1 if it is a hit
    studies: int  # Studies with data so far; in patents hits, 0 or 1
    p: float | None
    """Chance that the next document settles the question if there is something to find, or in reviews that it brings
    data. None if no document is left or none can change anything.
    """
    evsi: float  # Exact value of reading the next document and then acting
    value_rate: float  # Value per document of the best plan of any length
    plan: int  # Documents of that plan; 0 if no document has a value
    compared: float | None  # Value that the rule compares with the cost; None if it compares none
    go_on: bool  # Whether the rule reads another document, as in a replay
    more: int  # Documents that it would still read if nothing (more) turned up


@dataclass(frozen=True, eq=False)
class Lesson:
    """One rule on one labelled list."""

    listing: LabelledList
    settings: Settings
    policy: Policy  # A rule that needs no labels of unread documents and draws no sample

    @cached_property
    def path(self) -> ListPath:
        """The path of a replay, with all labels."""
        return self.listing.played(self.settings)

    @cached_property
    def stop(self) -> int:
        """Depth at which the rule stops on this list."""
        return int(self.policy.depths(self.path, [self.settings.cost])[0])

    @cached_property
    def played(self) -> Played:
        """The result of the rule, as in ``tarstop replay``."""
        return self.listing.replayed(self.policy, self.settings)

    @cached_property
    def compared(self) -> tuple[tuple[Policy, Played], ...]:
        """The rule and those that it is compared with, each with its result; the rule itself comes first."""
        others = [policy for policy in COMPARED if policy != self.policy]
        replayed = [(policy, self.listing.replayed(policy, self.settings)) for policy in others]
        return (self.policy, self.played), *replayed

    @cached_property
    def regret(self) -> float:
        """Net utility given up against the best of :attr:`compared`."""
        return float(metrics.regret([[played.net_utility for _, played in self.compared]])[0, 0])

    def step(self, depth: int) -> Step:
        """Return the state of the lesson after this many documents, at most :attr:`stop`."""
        depth = min(max(depth, 0), self.stop)
        path, cost = self.path, self.settings.cost
        settled = path.hit is not None and depth >= path.hit
        left = depth < len(path) and not settled
        value_rate, plan = best_plan(path, depth) if left else (0.0, 0)
        compared = self.policy.value_rate(path)
        projected = int(self.policy.depths(path.without_later_finds(depth), [cost], depth)[0])
        return Step(
            depth=depth,
            documents=len(path),
            now=decide(path, depth, cost),
            settled=settled,
            brought=self.brought_by(depth),
            studies=path.finds_until(depth),
            p=float(path.chances[depth]) if left else None,
            evsi=float(path.evsi()[depth]) if left else 0.0,
            value_rate=value_rate,
            plan=plan,
            compared=None if compared is None else float(compared[depth]) if left else 0.0,
            go_on=depth < self.stop,
            more=max(projected - depth, 1) if depth < self.stop else 0,
        )

    def brought_by(self, depth: int) -> int:
        """Return the studies of the document at this rank; in patents 1 if it is the first hit."""
        return self.path.finds_until(depth) - self.path.finds_until(depth - 1) if depth else 0


@lru_cache(maxsize=16)
def lesson(key: str, settings: Settings, policy: Policy) -> Lesson:
    """Return the lesson on a sample, which is cached because a page asks for every step.

    Parameters
    ----------
    key
        Key of the sample, such as "search:antenna-mount".
    settings, policy
        The stakes, and the rule.

    Returns
    -------
    Lesson
    """
    return Lesson(sample(key), settings, policy)


def best_plan(path: ListPath, depth: int) -> tuple[float, int]:
    """Return the value per document of the best plan after `depth` < N documents, and the number of its documents.

    Both are 0 if no document has a value.
    """
    value_rate = float(path.value_rate()[depth])
    if value_rate <= 0:
        return 0.0, 0
    plans, rates = path.rates_from(depth)
    return value_rate, int(plans[int(rates.argmax())])


def words(lesson: Lesson, step: Step) -> str:
    """Say in a sentence what the curves show at this step."""
    settings = lesson.settings
    return message("step", step=step, question=question(settings), plus=settings.plus, rule=lesson.policy)


def truth(lesson: Lesson) -> str:
    """Say the truth of the list, and what the rule decided."""
    played, settings, outcome = lesson.played, lesson.settings, lesson.listing.truth
    if isinstance(outcome, Outcome):
        hidden = message(
            "truth_of_review",
            omega=played.omega,
            studies=len(outcome.tables),
            question=question(settings),
            b=float(lesson.path.belief_at(len(lesson.path))),
            last=int(outcome.positions[-1]) + 1,
        )
    else:
        hidden = message("truth", first_hit=lesson.path.hit)
    chosen = action(played.action == "a+", settings)
    return message("stopped", truth=hidden, rule=lesson.policy, played=played, action=chosen)


def came_of(lesson: Lesson) -> str:
    """Say the net utility of the rule, and that of the best of the rules compared on the same list."""
    played, plus = lesson.played, lesson.played.action == "a+"
    names = {(True, True): "B", (True, False): "L_r", (False, True): "G", (False, False): "L_g"}
    best_rule, best = max(lesson.compared, key=lambda pair: pair[1].net_utility)
    return message(
        "came_of",
        lesson=lesson,
        played=played,
        action=action(plus, lesson.settings),
        consequence=getattr(lesson.settings.payoffs, names[plus, played.right]),
        best_rule=best_rule,
        best=best,
    )


def log(lesson: Lesson, depth: int, first: int = 1) -> list[dict[str, Any]]:
    """Tabulate the documents read so far: what each brought, the belief after it, and the worth of the next ones.

    Parameters
    ----------
    lesson, depth
        The lesson, and the number of documents read.
    first
        Rank of the first row; 0 for a row with the belief before any document.

    Returns
    -------
    list of dict
        A row for each rank.
    """
    path, ids, value_rates = lesson.path, lesson.listing.topic.ids, lesson.policy.value_rate(lesson.path)
    rows = []
    for k in range(first, min(depth, lesson.stop) + 1):
        now = decide(path, k, lesson.settings.cost)
        weighs = value_rates is not None and k < len(path) and now.rho > 0
        rows.append(
            {
                "rank": k,
                "id": str(ids[k - 1]) if k else "",
                "p": float(path.chances[k - 1]) if k else None,
                "found": lesson.brought_by(k),
                "b": now.b,
                "evpi": now.evpi,
                "rho_evpi": now.value,
                "worth": float(value_rates[k]) if value_rates is not None and weighs else None,
                "advice": "continue" if k < lesson.stop else "stop",
            }
        )
    return rows


# --- formulas with the numbers of a step ---------------------------------------------------------------------


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
    explained: (
        str  # Key of its explanation in :mod:`tarstop_core.teaching.reference`; for a decision, of the rule
    )

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
