"""A review of diagnostic accuracy: 2×2 tables of many studies add up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, cast

import numpy as np

from tarstop_core.belief.engines import ENGINES
from tarstop_core.calibration import calibrator as calibration
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.documents.reports import Row
from tarstop_core.documents.tables import Tables
from tarstop_core.evidence.summary import Evidence, evidence
from tarstop_core.evidence.words import rival_sentence
from tarstop_core.evidence.words import studies as studies_of
from tarstop_core.policies.floors import enough_studies
from tarstop_core.presentation.messages import Messages
from tarstop_core.presentation.numbers import amount, number, percent
from tarstop_core.samples.shipped import past_stops, wrong_stops
from tarstop_core.screening.advised import Advice, Floor, RecallFacts, ReviewFacts
from tarstop_core.screening.foretold import still_unread
from tarstop_core.screening.labels import RELEVANT, Label
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.settings import ReviewSettings
from tarstop_core.screening.state import State
from tarstop_core.value.cumulative import studies_after
from tarstop_core.value.outcomes import ReviewPath, chance_turned, pooled_range, states_of, studies_to_come
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Depths, Flags, Floats
from tarstop_core.value.studies import NextStudy

TRUTHS = {
    "pooled": "whether pooled sensitivity exceeds θ",
    "full_evidence": "what all documents of the list would have led to",
}
STAGES = {
    1: "a document and its table at once",
    2: "titles and abstracts first, included reports in full later",
}


def extraction_rate(settings: ReviewSettings, state: State) -> ExtractionRate:
    """P(data | included) after the reports that were read in full."""
    read, brought = sum(report.was_read for report in state.read_in_full.values()), _with_data(state)
    return settings.data_share.updated(brought, read - brought)


def _with_data(state: State) -> int:
    return sum(report.outcome == "data" for report in state.read_in_full.values())


def needed_studies(settings: ReviewSettings, tables: Tables, states: Sequence[NextStudy]) -> Depths | None:
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


def _in_a_line(row: Row) -> str:
    FP, TN = ("" if count is None else count for count in (row.FP, row.TN))
    return f"{row.study}: TP {row.TP}, FP {FP}, FN {row.FN}, TN {TN}"


def _facts(advice: Advice) -> ReviewFacts:
    assert isinstance(advice.facts, ReviewFacts), "advice of a review has its facts"
    return advice.facts


def _with_interval(share: float, low: float, high: float) -> str:
    return f"{percent(share)} ({percent(low)} to {percent(high)})"


class Review(Scenario[ReviewSettings]):
    """Whether a test is sensitive enough, by the 2×2 tables that reports bring."""

    message = Messages("screening/messages/review.jinja", method_of=lambda engine: ENGINES[engine].method)
    settings_class = ReviewSettings
    title = "How accurate a test is"
    caption = "2×2 tables of many studies add up."
    decides = "2×2 tables add up."
    short = "Diagnostic accuracy"
    belongs = "A review of an intervention belongs under “Have I seen enough?”."
    actions: ClassVar[Mapping[str, tuple[str, str]]] = {"Adopt or Don’t adopt": ("Adopt", "Don’t adopt")}
    when = ("if sensitivity is high enough", "if it is not")
    asked = ("What does the review ask?", "Its title, or its question in a sentence")
    sample = "review"
    belief_title = "chance it is sensitive"
    frozen = (
        "rule, θ, q\\*, costs, starting chance, prior, calibrator",
        "rule, q*, cost, θ, engine, prior, truth, cost of a report, floor, starting chance, calibrator",
    )
    reasons = "for example:\nwrong index test\nwrong reference standard\nno patients"
    example = "If about two tests in three like this one are as sensitive as that, say 67 %."
    plans_approximately = True
    first_because = (
        "It comes first in reviews because its net utility was the highest at every cost that was measured. It reads less "
        "than Greedy; the minimum keeps it from deciding on very few studies."
    )
    in_steps = True
    verdicts_tell = False

    # --- chances and path

    def chance_of(self, settings: ReviewSettings) -> str:
        """Included by title and abstract, or with data where both are read at once."""
        return calibration.INCLUSION if settings.two_stages else calibration.REVIEW

    def path(
        self, settings: ReviewSettings, calibrator: Calibrator, chances: Floats, state: State
    ) -> ReviewPath:
        """In two stages `chances` are those of being included by title and abstract, in one those of bringing data."""
        evidence = state.evidence
        share = extraction_rate(settings, state).mean if settings.two_stages else 1.0
        states = states_of(evidence.tables, settings.theta, settings.engine, settings.belief_prior)
        return ReviewPath(
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

    def key(self, settings: ReviewSettings, state: State) -> str:
        """The reports that were read in full, and the share of them that brought data."""
        return repr((sorted(state.read_in_full.items()), extraction_rate(settings, state)))

    def has_starting_chance(self, settings: ReviewSettings) -> bool:
        """REML knows no prior."""
        return ENGINES[settings.engine].knows_prior

    def with_b_0(
        self, path: ListPath, settings: ReviewSettings, calibrator: Calibrator, chances: Floats, state: State
    ) -> ListPath:
        """Only the present belief is computed anew: the depths behind are not asked for."""
        tables, whole = state.evidence.tables, cast(ReviewPath, path)
        now = states_of(tables, settings.theta, settings.engine, settings.belief_prior, last_only=True)
        needed = needed_studies(settings, tables, now)
        none = np.zeros_like(whole.studies)
        return replace(whole, states=now, studies=none, behind=len(tables), needed=needed)

    # --- beside the advice

    def floors(self, settings: ReviewSettings, path: ListPath) -> Mapping[Floor, Flags]:
        """A chance of the right decision, and a number of studies."""
        own, allowed = cast(ReviewPath, path), dict[Floor, Flags]()
        if settings.floor:
            allowed[Floor.RIGHT] = np.asarray(1 - own.disagreement(settings.truth) >= settings.floor)
        if settings.floor_studies:
            allowed[Floor.STUDIES] = enough_studies(own, settings.floor_studies, settings.cost)
        return allowed

    def facts(
        self, settings: ReviewSettings, calibrator: Calibrator, path: ListPath, p: Floats, state: State
    ) -> ReviewFacts:
        """As :class:`ReviewFacts` says them.

        `p` as the calibrator gives it: what was found already corrects the number still unread, and a scale that came
        from the same documents would count them twice.
        """
        path = cast(ReviewPath, path)
        depth, waiting = state.depth, len(state.waiting)
        now, share = path.states[-1], extraction_rate(settings, state)
        to_read, plan = path.best_reports(waiting)[0], path.best_plan(depth, settings.cost)[0]
        worth_of_reports = path.worth_of_reports(waiting)
        left = still_unread(settings, calibrator, p, state)
        q_star, needed = settings.payoffs.q_star, 0 if path.needed is None else int(path.needed[-1])
        shapes = (share.alpha, share.beta) if settings.two_stages else None
        tables = state.evidence.tables
        to_come = studies_to_come(left.chance, waiting, shapes)
        past = past_stops()
        return ReviewFacts(
            studies=len(tables),
            waiting=waiting,
            reports_worth=float(worth_of_reports[to_read or waiting]),
            reports_cost=path.full_cost * (to_read or waiting),
            reports_to_read=to_read,
            reports_may_change=chance_turned(now.b, now.n_0, np.eye(waiting + 1)[-1], q_star, needed),
            otherwise=chance_turned(now.b, now.n_0, to_come, q_star, needed, past.tempering),
            disagreement=float(path.disagreement(settings.truth)[depth]),
            plan=plan,
            left=(left.mean, *left.interval()),
            share=(share.mean, *share.interval()),
            diseased=int(tables.diseased.sum()),
            relevant=int(state.came_true.sum()),
            needed=needed,
            past=wrong_stops(len(tables), settings.theta, q_star, settings.truth),
            pooled_range=pooled_range(now, to_come, past.widening) if len(tables) else None,
            range_held=past.held,
        )

    def reports_first(self, advice: Advice) -> bool:
        return _facts(advice).reports_first

    def rows(self, advice: Advice, settings: ReviewSettings) -> list[tuple[str, str]]:
        facts = _facts(advice)
        rows = [
            *super().rows(advice, settings),
            ("Chance of the right decision, stopping now", percent(1 - facts.disagreement)),
            ("Chance that all that is left would choose otherwise", percent(facts.otherwise)),
            ("Relevant documents probably still unread", self.message("unread", facts=facts)),
        ]
        if facts.pooled_range is not None:
            rows.append(
                (
                    "Pooled sensitivity, if all that is left is read",
                    " to ".join(map(percent, facts.pooled_range)),
                )
            )
        if (past := facts.past) is not None:
            name = f"Past questions decided wrongly after {studies_of(facts.studies)}"
            rows.append((name, f"{past.wrong:,} of {past.questions:,}, {past.reviews:,} reviews"))
        if settings.two_stages:
            rows.append(("Included reports that bring data", _with_interval(*facts.share)))
        return rows

    def footing(self, advice: Advice, settings: ReviewSettings, plus: bool, spent: float) -> dict[str, Any]:
        facts = _facts(advice)
        return super().footing(advice, settings, plus, spent) | {
            "theta": settings.theta,
            "engine": settings.engine,
            "prior": settings.belief_prior.digest,
            "truth": settings.truth,
            "studies": facts.studies,
            "reports_waiting": facts.waiting,
            "chance_otherwise": facts.otherwise,
            "chance_right": 1 - facts.disagreement,
        }

    # --- rows and names

    def evidence(self, settings: ReviewSettings, state: State) -> Evidence:
        """By the session's own θ, engine and prior."""
        return evidence(state.evidence.tables, settings.theta, settings.engine, settings.belief_prior)

    def lacking(self, settings: ReviewSettings, state: State) -> str:
        """The least number of studies, or of patients, that the settings ask for."""
        tables = state.evidence.tables
        enough = len(tables) >= settings.least_studies and tables.diseased.sum() >= settings.least_patients
        return "" if enough else self.message("least", settings=settings)

    def rival(self, settings: ReviewSettings, state: State) -> str:
        """Exact counts beside REML, and REML beside exact counts."""
        summary = self.evidence(settings, state)
        return rival_sentence(summary, settings.payoffs.q_star, settings.plus, settings.minus)

    def incomplete(self, advice: Advice, settings: ReviewSettings) -> str:
        return self.message("incomplete", advice=advice, settings=settings)

    def counted(self, state: State) -> list[str]:
        waiting = len(state.waiting)
        return [
            f"{state.relevant:,} {'included' if state.settings.two_stages else 'relevant'}",
            f"{_with_data(state):,} with data",
            "1 report waiting" if waiting == 1 else f"{waiting:,} reports waiting",
        ]

    def counted_in_log(self, state: State) -> str:
        waiting = len(state.waiting)
        words = f"{state.relevant:,} included, {_with_data(state):,} with a 2×2 table"
        return f"{words}, {waiting:,} to be read in full" if waiting else words

    def verdicts(self, settings: ReviewSettings) -> dict[Label, tuple[str, str]]:
        """By title and abstract, where reports are read later."""
        if not settings.two_stages:
            return super().verdicts(settings)
        return {"relevant": ("Include", ""), "irrelevant": ("Exclude", ""), "unsure": ("Unsure", "")}

    def settings_rows(self, settings: ReviewSettings) -> list[tuple[str, str]]:
        share, reports = settings.data_share, list[tuple[str, str]]()
        if settings.two_stages:
            reports = [
                ("Cost of a report in full", amount(settings.full_cost, settings.payoffs.unit)),
                (
                    "Included reports expected to bring data, before any was read",
                    _with_interval(share.mean, *share.interval()),
                ),
            ]
        return [
            ("Sensitivity to exceed (θ)", percent(settings.theta)),
            ("Belief computed by", f"{settings.engine}: {ENGINES[settings.engine].method}"),
            ("Prior", self.message("prior", prior=settings.belief_prior)),
            ("The decision is judged by", TRUTHS[settings.truth]),
            ("Reading", STAGES[settings.stages]),
            *reports,
            (
                "Chance of the right decision before any rule may stop",
                percent(settings.floor) if settings.floor else "none",
            ),
            (
                "Studies before any rule may stop",
                number(settings.floor_studies) if settings.floor_studies else "none",
            ),
            (f"Least evidence for “{settings.plus}”", self.message("least", settings=settings)),
        ]

    def adjustable(self, settings: ReviewSettings) -> dict[str, str]:
        return {
            "θ": number(settings.theta),
            "starting chance": percent(settings.b_0),
            "cost of a report": amount(settings.full_cost, settings.payoffs.unit),
            "least chance of the right decision": percent(settings.floor),
            "least number of studies": number(settings.floor_studies),
        }

    # --- what leaves

    def columns(
        self, facts: ReviewFacts | RecallFacts | None, final: State, ids: Sequence[str], depth: int
    ) -> dict[str, Any]:
        """What was known at the time, and what became of the report."""
        assert isinstance(facts, ReviewFacts), "advice of a review has its facts"
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
            "tables": "; ".join(map(_in_a_line, report.rows if report else ())),
        }


REVIEW = Review()
