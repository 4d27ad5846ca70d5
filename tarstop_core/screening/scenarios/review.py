"""A review of diagnostic accuracy: 2×2 tables of many studies add up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, cast

import numpy as np

from tarstop_core.belief.engines import ENGINES
from tarstop_core.calibration import calibrator as calibration
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.documents.tables import Tables
from tarstop_core.evidence.summary import evidence
from tarstop_core.evidence.words import rival_sentence
from tarstop_core.evidence.words import studies as studies_of
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.presentation.words import say
from tarstop_core.samples.past_stops import WrongStops, shipped, wrong_stops
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.foretold import still_unread
from tarstop_core.screening.labels import RELEVANT, Label
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.exhaustive import chance_turned, studies_to_come
from tarstop_core.value.outcomes import states_of
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import Depths, Flags, Floats
from tarstop_core.value.studies import NextStudy

COULD_CHANGE = 0.01
"""Chance from which waiting reports count as able to change the decision."""
CLOSE, OFTEN = 0.1, 0.2
"""How near q* a chance, and how likely a turn, for it to be said why."""
LITTLE_STUDIES = 3
"""Studies below which a stop says that it rests on little."""
TRUTHS = {
    "pooled": "whether pooled sensitivity exceeds θ",
    "full_evidence": "what all documents of the list would have led to",
}
STAGES = {
    1: "a document and its table at once",
    2: "titles and abstracts first, included reports in full later",
}
_said = partial(say, __name__)


@dataclass(frozen=True)
class ReviewFacts:
    """What a reviewer sees beside every advice."""

    studies: int  # 2×2 tables that count
    waiting: int  # included reports that were not read in full yet
    report_worth: float  # of one waiting report, now, in the payoffs' unit
    report_cost: float  # of reading it in full, in the payoffs' unit
    reports_to_read: int  # how many of the waiting reports pay
    reports_may_change: float
    """Chance that the waiting reports, all bringing data, would lead to the other action."""
    otherwise: float
    """Chance that what is left, waiting reports and list, would lead to the other action, as often as in past reviews."""
    disagreement: float
    """Chance that the action on stopping now is not that of the truth the session is held against."""
    plan: int
    """The m of "Screen about m more": the best plan; 0 where none gains."""
    left: tuple[float, float, float]
    """Relevant documents probably still unread: expected number, and an interval of 90 %."""
    share: tuple[float, float, float]
    """P(data | included): mean, and an interval of 90 %."""
    diseased: int = 0  # patients with the disease in the tables that count
    needed: int = 0  # further studies before a⁺ may be taken, as settings ask for a least number

    @property
    def reports_first(self) -> bool:
        """Whether reading waiting reports pays."""
        return self.reports_to_read > 0

    @property
    def reports_open(self) -> bool:
        """Whether waiting reports could change the decision: no rule says stop meanwhile."""
        return self.waiting > 0 and (self.reports_first or self.reports_may_change > COULD_CHANGE)


def extraction_rate(settings: Settings, state: State) -> ExtractionRate:
    """P(data | included) after the reports that were read in full."""
    read, brought = sum(report.was_read for report in state.read_in_full.values()), _with_data(state)
    return settings.data_share.updated(brought, read - brought)


def _with_data(state: State) -> int:
    return sum(report.outcome == "data" for report in state.read_in_full.values())


def needed_studies(settings: Settings, tables: Tables, states: Sequence[NextStudy]) -> Depths | None:
    """Further studies before a⁺ may be taken in each state: after 0 … n studies, or after all n alone.

    Patients still lacking are counted in studies like the next one (:attr:`~tarstop_core.value.studies.NextStudy.n1`).
    """
    if not (settings.least_studies or settings.least_patients):
        return None
    after = np.arange(len(tables) + 1)[-len(states) :]
    seen = np.append(0, np.cumsum(tables.diseased))[-len(states) :]
    like_next = np.array([state.n1 for state in states])
    studies = settings.least_studies - after
    patients = np.ceil((settings.least_patients - seen) / like_next).astype(int)
    return np.asarray(np.maximum(0, np.maximum(studies, patients)), dtype=np.intp)


def least_words(settings: Settings) -> str:
    """'5 studies', '5 studies with 100 patients who have the condition', or 'none'."""
    patients = f"{settings.least_patients:,} patients who have the condition"
    if not settings.least_studies:
        return patients if settings.least_patients else "none"
    return studies_of(settings.least_studies) + (f" with {patients}" if settings.least_patients else "")


def _past(advice: Advice, settings: Settings) -> WrongStops | None:
    """What came of stopping on as many studies in past reviews."""
    return wrong_stops(advice.facts.studies, settings.theta, settings.payoffs.q_star, settings.truth)


def _with_interval(share: float, low: float, high: float) -> str:
    return f"{percent(share)} ({percent(low)} to {percent(high)})"


class Review(Scenario):
    """Whether a test is sensitive enough, by the 2×2 tables that reports bring."""

    name = "review"
    first_rule = "greedy"
    learns = True
    reads_full_texts = True
    title = "Diagnostic-accuracy review"
    caption = "2×2 tables of many studies add up."
    decides = "2×2 tables add up."
    short = "Diagnostic accuracy"
    actions: ClassVar[Mapping[str, tuple[str, str]]] = {"Adopt or Don’t adopt": ("Adopt", "Don’t adopt")}
    when = ("if sensitivity is high enough", "if it is not")
    asked = ("What does the review ask?", "Its title, or its question in a sentence")
    sample = "review"
    belief_title = "chance it is sensitive"
    likely = find = settling = "bring data"
    nothing = "no study with data"
    nothing_further = "no further study with data"
    finds = "tables"
    one_find = "a 2×2 table"
    thought = "chance to bring data"
    observed = "study"
    frozen = (
        "rule, θ, q\\*, costs, starting chance, prior, calibrator",
        "θ, engine, prior, truth, cost of a report, floor, ",
    )
    reasons = "for example:\nwrong index test\nwrong reference standard\nno patients"
    example = "If about two tests in three like this one are as sensitive as that, say 67 %."
    waits_for = "a report"
    plans_approximately = True
    first_because = (
        "It comes first in reviews because at no cost that was measured was another rule both never clearly worse and right "
        "as often."
    )
    in_steps = True
    verdicts_tell = False

    def question(self, settings: Settings) -> str:
        return f"sensitivity exceeds {percent(settings.theta)}"

    def belief_on_list(self, settings: Settings) -> str:
        """Which sensitivity is enough stands beside it."""
        return f"chance it exceeds {percent(settings.theta)}"

    def not_so(self, settings: Settings) -> str:
        return f"sensitivity does not exceed {percent(settings.theta)}"

    def otherwise(self, settings: Settings) -> str:
        return "it does not"

    def mistakes(self, settings: Settings) -> tuple[str, str]:
        """Of which test each action would be a mistake."""
        return f"a test whose {self.not_so(settings)}", f"a test whose {self.question(settings)}"

    def starting_chance(self, share: int, settings: Settings) -> str:
        said = f"of 100 tests like this one, about {share} are more sensitive than {percent(settings.theta)}."
        return f"{said} The paper starts from there." if share == 50 else said

    # --- chances and path

    def chance_of(self, settings: Settings) -> str:
        """Included by title and abstract, or with data where both are read at once."""
        return calibration.INCLUSION if settings.two_stages else calibration.REVIEW

    def chance_words(self, settings: Settings, rho: float, p: float) -> tuple[str, float]:
        """In two stages, of being included."""
        return ("be included", p) if settings.two_stages else (self.find, rho)

    def chance_column(self, settings: Settings) -> str:
        return "Its chance to be included" if settings.two_stages else "Its chance to bring data"

    def path(
        self, settings: Settings, calibrator: Calibrator, chances: Floats, state: State
    ) -> CumulativePath:
        """In two stages `chances` are those of being included by title and abstract, in one those of bringing data."""
        evidence = state.evidence
        share = extraction_rate(settings, state).mean if settings.two_stages else 1.0
        states = states_of(evidence.tables, settings.theta, settings.engine, settings.belief_prior)
        return CumulativePath(
            p=chances,
            states=states,
            needed=needed_studies(settings, evidence.tables, states),
            studies=studies_after(evidence.positions, len(chances)),
            payoffs=settings.payoffs,
            labels=np.asarray(state.labels == RELEVANT),
            share=share,
            full_cost=settings.full_cost if settings.two_stages else 0.0,
            waiting=share * len(state.waiting),
        )

    def key(self, settings: Settings, state: State) -> str:
        """The reports that were read in full, and the share of them that brought data."""
        return repr((sorted(state.read_in_full.items()), extraction_rate(settings, state)))

    def has_starting_chance(self, settings: Settings) -> bool:
        """REML knows no prior."""
        return ENGINES[settings.engine].knows_prior

    def with_b_0(
        self, path: Path, settings: Settings, calibrator: Calibrator, chances: Floats, state: State
    ) -> Path:
        """Only the present belief is computed anew: the depths behind are not asked for."""
        tables, whole = state.evidence.tables, cast(CumulativePath, path)
        now = states_of(tables, settings.theta, settings.engine, settings.belief_prior, last_only=True)
        needed = needed_studies(settings, tables, now)
        return replace(whole, states=now, studies=np.zeros_like(whole.studies), needed=needed)

    # --- beside the advice

    def sure_enough(self, settings: Settings, path: Path) -> Flags | None:
        """Where the action is right with the chance that the floor asks for."""
        if not settings.floor:
            return None
        return np.asarray(1 - cast(CumulativePath, path).disagreement(settings.truth) >= settings.floor)

    def facts(
        self, settings: Settings, calibrator: Calibrator, path: Path, p: Floats, state: State
    ) -> ReviewFacts:
        """As :class:`ReviewFacts` says them.

        `p` as the calibrator gives it: what was found already corrects the number still unread, and a scale that came
        from the same documents would count them twice.
        """
        path = cast(CumulativePath, path)
        depth, waiting = state.depth, len(state.waiting)
        now, share = path.states[-1], extraction_rate(settings, state)
        to_read, plan = path.best_reports(waiting)[0], path.best_plan(depth, settings.cost)[0]
        left = still_unread(settings, calibrator, p, state)
        q_star, needed = settings.payoffs.q_star, 0 if path.needed is None else int(path.needed[-1])
        shapes = (share.alpha, share.beta) if settings.two_stages else None
        to_come = studies_to_come(left.chance, waiting, shapes)
        return ReviewFacts(
            studies=len(state.evidence.tables),
            waiting=waiting,
            report_worth=path.one_report(),
            report_cost=path.full_cost,
            reports_to_read=to_read,
            reports_may_change=chance_turned(now.b, now.n_0, np.eye(waiting + 1)[-1], q_star, needed),
            otherwise=chance_turned(now.b, now.n_0, to_come, q_star, needed, shipped().tempering),
            disagreement=float(path.disagreement(settings.truth)[depth]),
            plan=plan,
            left=(left.mean, *left.interval()),
            share=(share.mean, *share.interval()),
            diseased=int(state.evidence.tables.diseased.sum()),
            needed=needed,
        )

    def reports_first(self, facts: ReviewFacts, advice: Advice) -> bool:
        """Where reading one that waits pays, or could still change the decision to stop."""
        return facts.reports_first or (facts.reports_open and not advice.go_on)

    def facts_rows(self, advice: Advice, settings: Settings) -> list[tuple[str, str]]:
        told: ReviewFacts = advice.facts
        mean, low, high = told.left
        rows = [
            ("Chance of the right decision, stopping now", percent(1 - told.disagreement)),
            ("Chance that all that is left would choose otherwise", percent(told.otherwise)),
            (
                "Relevant documents probably still unread",
                f"{number(round(mean))} ({low:,.0f} to {high:,.0f})",
            ),
        ]
        past = _past(advice, settings)
        if past is not None:
            name = f"Past questions decided wrongly after {studies_of(told.studies)}"
            rows.append((name, f"{past.wrong:,} of {past.questions:,}, {past.reviews:,} reviews"))
        if settings.two_stages:
            rows.append(("Included reports that bring data", _with_interval(*told.share)))
        return rows

    def footing(self, advice: Advice, settings: Settings) -> dict[str, Any]:
        told: ReviewFacts = advice.facts
        return {
            "theta": settings.theta,
            "engine": settings.engine,
            "prior": settings.belief_prior.digest,
            "truth": settings.truth,
            "studies": told.studies,
            "reports_waiting": told.waiting,
            "chance_otherwise": told.otherwise,
            "chance_right": 1 - told.disagreement,
        }

    def open_question(self, advice: Advice) -> bool:
        return bool(advice.facts.reports_open)

    # --- in words

    def first_in_words(self, advice: Advice, settings: Settings, comparison: str) -> str:
        return _said(
            "first", told=advice.facts, advice=advice, comparison=comparison, unit=settings.payoffs.unit
        )

    def first_in_brief(self, advice: Advice, settings: Settings) -> str:
        told = advice.facts
        pays = float(f"{told.report_worth / told.report_cost:.2g}") if told.report_cost else 0.0
        return _said("first_in_brief", told=told, pays=pays, unit=settings.payoffs.unit)

    def still_changes(self, advice: Advice, settings: Settings, why: bool = False) -> str:
        """Nothing where nothing is left."""
        told = advice.facts
        if advice.depth >= advice.documents and not told.waiting:
            return ""
        why = why and not self.held_back(advice, settings)
        near = why and abs(advice.b - settings.payoffs.q_star) <= CLOSE and told.otherwise >= OFTEN
        share = 100 * told.otherwise
        known = {"share": share, "wrong": 100 * told.disagreement, "near": near, "why": why}
        return _said("still_changes", **known, advice=advice, settings=settings)

    def so_few(self, advice: Advice, settings: Settings) -> str:
        """Counted in past reviews; nothing where too few were asked."""
        past = _past(advice, settings)
        return "" if past is None else _said("so_few", studies=advice.facts.studies, past=past)

    def plan_stops(self, advice: Advice, settings: Settings) -> str:
        """Of a rule by the paper's score, which does not count what reading on leads to."""
        by_score = settings.rule.criterion.is_score and advice.worth is not None
        none_pays = not (advice.facts.plan or advice.facts.reports_first)
        return _said("plan_stops") if by_score and none_pays and not advice.floor_holds else ""

    def held_back(self, advice: Advice, settings: Settings) -> str:
        """The least number that the settings ask for."""
        if not advice.facts.needed or not bool(settings.payoffs.chooses_plus(advice.b)):
            return ""
        return f"“{settings.plus}” is not open before {least_words(settings)} are in."

    def held_up(self, advice: Advice, settings: Settings) -> str:
        """A floor on the chance of the right decision."""
        return _said("held_up", floor=settings.floor) if advice.floor_holds else ""

    def right(self, advice: Advice) -> float:
        """By the truth that the session is held against."""
        return 1 - float(advice.facts.disagreement)

    def rests_on(self, advice: Advice) -> str:
        """Studies, patients, and what is probably still unread."""
        return _said("rests_on", told=advice.facts, left=advice.facts.left)

    def little(self, advice: Advice) -> bool:
        return bool(advice.facts.studies < LITTLE_STUDIES)

    def going_on(self, advice: Advice, settings: Settings) -> str:
        plan = 0 if settings.rule.criterion.is_score else advice.facts.plan
        best = f"The best plan is to screen about {plan:,} more and look again." if plan else ""
        return self.held_up(advice, settings) or best

    def worth_nothing(self, settings: Settings) -> str:
        """Where what follows from documents costs more than they are worth."""
        costs = "The next documents are worth less than reading their reports would cost."
        return costs if settings.full_cost else ""

    def rival(self, settings: Settings, state: State) -> str:
        """Exact counts beside REML, and REML beside exact counts."""
        found = evidence(state.evidence.tables, settings.theta, settings.engine, settings.belief_prior)
        return rival_sentence(found, settings.payoffs.q_star, settings.plus, settings.minus)

    def not_worth_it(self, settings: Settings) -> str:
        """The same in two stages, on stopping."""
        in_full = settings.two_stages and settings.full_cost
        return _said("not_worth_it") if in_full else super().not_worth_it(settings)

    def read_in_words(self, advice: Advice) -> str:
        return f"{count_of(advice.depth)} and {studies_of(advice.facts.studies)} with data"

    def found_in_words(self, state: State) -> list[str]:
        waiting = len(state.waiting)
        return [
            f"{state.relevant:,} {'included' if state.settings.two_stages else 'relevant'}",
            f"{_with_data(state):,} with data",
            "1 report waiting" if waiting == 1 else f"{waiting:,} reports waiting",
        ]

    def listed_in_words(self, state: State) -> str:
        waiting = len(state.waiting)
        words = f"{state.relevant:,} included, {_with_data(state):,} with a 2×2 table"
        return f"{words}, {waiting:,} to be read in full" if waiting else words

    def verdicts(self, settings: Settings) -> dict[Label, tuple[str, str]]:
        """By title and abstract, where reports are read later."""
        if not settings.two_stages:
            return super().verdicts(settings)
        return {"relevant": ("Include", ""), "irrelevant": ("Exclude", ""), "unsure": ("Unsure", "")}

    def settings_rows(self, settings: Settings) -> list[tuple[str, str]]:
        share = settings.data_share
        return [
            ("Sensitivity to exceed (θ)", percent(settings.theta)),
            ("Belief computed by", f"{settings.engine}: {ENGINES[settings.engine].method}"),
            ("Prior", _said("prior", prior=settings.belief_prior)),
            ("Held against", TRUTHS[settings.truth]),
            ("Reading", STAGES[settings.stages]),
            ("Cost of a report in full", amount(settings.full_cost, settings.payoffs.unit)),
            ("Included reports expected to bring data", _with_interval(share.mean, *share.interval())),
            (
                "Least chance of the right decision (floor)",
                percent(settings.floor) if settings.floor else "none",
            ),
            (f"Least evidence for “{settings.plus}”", least_words(settings)),
        ]

    def adjustable(self, settings: Settings) -> dict[str, str]:
        return {
            "θ": number(settings.theta),
            "starting chance": percent(settings.b_0),
            "cost of a report": amount(settings.full_cost, settings.payoffs.unit),
            "floor": percent(settings.floor),
        }

    def protocol(self, settings: Settings) -> list[str]:
        prior, how = _said("prior", prior=settings.belief_prior), ENGINES[settings.engine].method
        return [_said("protocol", settings=settings, how=how, prior=prior)]

    def protocol_stop(self, settings: Settings) -> list[str]:
        said = [_said("floor", settings=settings)] if settings.floor else []
        asked = settings.least_studies or settings.least_patients
        return said + ([_said("least", settings=settings, least=least_words(settings))] if asked else [])

    def moved_by(self, settings: Settings) -> str:
        return "report read in full" if settings.two_stages else "2×2 table"

    # --- what leaves

    def columns(self, facts: ReviewFacts, final: State, ids: Sequence[str], depth: int) -> dict[str, Any]:
        """What was known at the time, and what became of the report."""
        return {
            "studies": facts.studies,
            "reports_waiting": facts.waiting,
            "chance_otherwise": facts.otherwise,
            "unseen_expected": facts.left[0],
            **self.kept_columns(final, ids, depth),
        }

    def kept_columns(self, final: State, ids: Sequence[str], depth: int) -> dict[str, Any]:
        """What became of the report, as it stands."""
        report = final.read_in_full.get(depth)
        return {
            "report": report.outcome if report else "waiting" if depth in final.waiting else "",
            "report_reason": report.reason if report else "",
            "tables": _said("tables", rows=report.rows if report else ()),
        }


REVIEW = Review()
