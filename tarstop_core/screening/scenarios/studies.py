"""Base class of reviews in which reports bring studies that add up."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, TypeVar, cast

import numpy as np

from tarstop_core.calibration import calibrator as calibration
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.documents.reports import Collected, Report, StudyRow
from tarstop_core.policies.floors import enough_studies
from tarstop_core.presentation.numbers import amount, number, percent
from tarstop_core.screening.adaptive_chances import list_facts, not_found, still_unread
from tarstop_core.screening.advised import Advice, Floor, RecallFacts, ReviewFacts
from tarstop_core.screening.audit import overlooked_row
from tarstop_core.screening.labels import RELEVANT, Label
from tarstop_core.screening.scenarios.base import Scenario
from tarstop_core.screening.settings import StudySettings
from tarstop_core.screening.state import State
from tarstop_core.value.cumulative import studies_after
from tarstop_core.value.outcomes import ReviewPath, chance_turned, studies_to_come
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Depths, Flags, Floats
from tarstop_core.value.studies import EvidenceState

T = TypeVar("T", bound=StudySettings)
STAGES = {
    1: "a document and its table at once",
    2: "titles and abstracts first, included reports in full later",
}
"""How documents are read, by the number of stages."""


def extraction_rate(settings: StudySettings, state: State) -> ExtractionRate:
    """Chance that an included report brings data, updated by the reports that were read in full."""
    read, brought = sum(report.was_read for report in state.read_in_full.values()), _with_data(state)
    return settings.data_share.updated(brought, read - brought)


def _missed(settings: StudySettings, state: State) -> tuple[float, float]:
    """Expected number of documents that all readers overlooked, and the share that they recognise, by audit draws.

    Nothing and 1 without draws, or if a decision is judged by the pooled result and not by the whole list.
    """
    overlooked = state.overlooked
    if settings.truth != "full_evidence" or overlooked is None or not overlooked.is_audited:
        return 0.0, 1.0
    missed, included = overlooked.expected_remaining, overlooked.relevant_found
    return missed, included / (included + missed) if included else 1.0


def _with_data(state: State) -> int:
    """Number of reports that brought data."""
    return sum(report.outcome == "data" for report in state.read_in_full.values())


def study_facts(advice: Advice) -> ReviewFacts:
    """Facts of the advice in a review."""
    assert isinstance(advice.facts, ReviewFacts), "advice of a review has its facts"
    return advice.facts


def with_interval(share: float, ends: tuple[float, float]) -> str:
    """A share and its interval of 90 %, in words."""
    return f"{percent(share)} ({percent(ends[0])} to {percent(ends[1])})"


class StudyScenario(Scenario[T]):
    """A review in which studies add up; a subclass computes what is known after some of them."""

    asked = ("What does the review ask?", "Its title, or its question in a sentence")
    plans_approximately = True
    in_steps = True
    verdicts_tell = False

    # --- chances and path

    @abstractmethod
    def states(self, settings: T, studies: Collected, *, last_only: bool = False) -> Sequence[EvidenceState]:
        """What is known after each number of studies.

        Parameters
        ----------
        settings : StudySettings
            Settings in force, or those of a what-if.
        studies : Collected
            The n studies that reports have brought.
        last_only : bool
            Whether only the state after all of them is computed.

        Returns
        -------
        sequence of EvidenceState
            States after 0, 1, …, n studies, or only the last one.
        """

    def badges(self, settings: T) -> list[str]:
        pooled = self.message("pooled_what", settings=settings)
        return [
            f"right decision: by {pooled if settings.truth == 'pooled' else 'what the whole list would lead to'}"
        ]

    def true_belief(self, settings: T, studies: Collected) -> float:
        return float(self.states(settings, studies, last_only=True)[-1].b)

    def needed(self, settings: T, studies: Collected, states: Sequence[EvidenceState]) -> Depths | None:
        """Number of further studies before a⁺ may be taken.

        Parameters
        ----------
        settings, studies
            As for :meth:`states`.
        states : sequence of EvidenceState
            States after 0, 1, …, n studies, or only the last one.

        Returns
        -------
        ndarray of int or None
            Number of studies in each state; None if a⁺ may always be taken.
        """
        if not settings.least_studies:
            return None
        after = np.arange(len(studies) + 1)[-len(states) :]
        return np.asarray(np.maximum(0, settings.least_studies - after), dtype=np.intp)

    @abstractmethod
    def rows_of_file(
        self, settings: T, source: BinaryIO, name: str
    ) -> tuple[Sequence[StudyRow], Sequence[str]]:
        """Studies from a file with a table, one in each row.

        Parameters
        ----------
        settings : StudySettings
            Settings in force.
        source, name : binary file, str
            A CSV, TSV or Excel file, and its name, for messages.

        Returns
        -------
        rows, notes : sequence of StudyRow, sequence of str
            The studies, and remarks on how the file was read.

        Raises
        ------
        InputProblem
            If the file has no such studies.
        """

    @abstractmethod
    def rows_given(self, given: Any, settings: T) -> list[StudyRow]:
        """Studies from a table that a Python user passes, one in each row; InputProblem if one cannot be used."""

    def chance_of(self, settings: T) -> str:
        """The chance of being included by title and abstract, or of bringing data if both are read at once."""
        return calibration.INCLUSION if settings.two_stages else calibration.REVIEW

    def path(self, settings: T, calibrator: Calibrator, chances: Floats, state: State) -> ReviewPath:
        # In two stages, `chances` are those of being included by title and abstract; in one, those of bringing data.
        studies = state.evidence
        share = extraction_rate(settings, state).mean if settings.two_stages else 1.0
        states = self.states(settings, studies)
        missed, recognised = _missed(settings, state)
        return ReviewPath(
            p=chances,
            states=states,
            needed=self.needed(settings, studies, states),
            studies=studies_after(studies.positions, len(chances)),
            payoffs=settings.payoffs,
            labels=np.asarray(state.labels == RELEVANT),
            share=share,
            full_cost=settings.full_cost if settings.two_stages else 0.0,
            waiting=share * len(state.waiting),
            overlooked=missed,
            recognised=recognised,
        )

    def key(self, settings: T, state: State) -> str:
        """Key of the reports that were read in full, the chance that others bring data, and what readers overlooked."""
        reports = sorted(state.read_in_full.items())
        return repr((reports, extraction_rate(settings, state), _missed(settings, state)))

    def with_b_0(
        self, path: ListPath, settings: T, calibrator: Calibrator, chances: Floats, state: State
    ) -> ListPath:
        # Only the present belief is computed again, because earlier depths are not needed.
        studies, old = state.evidence, cast(ReviewPath, path)
        now = self.states(settings, studies, last_only=True)
        needed = self.needed(settings, studies, now)
        none = np.zeros_like(old.studies)
        return replace(old, states=now, studies=none, behind=len(studies), needed=needed)

    # --- beside the advice

    def floors(self, settings: T, path: ListPath) -> Mapping[Floor, Flags]:
        """Depths allowed by the floors on the chance of the right decision and on the number of studies."""
        own, allowed = cast(ReviewPath, path), dict[Floor, Flags]()
        if settings.floor and not settings.payoffs.others:
            allowed[Floor.RIGHT] = np.asarray(1 - own.disagreement(settings.truth) >= settings.floor)
        if settings.floor_studies:
            allowed[Floor.STUDIES] = enough_studies(own, settings.floor_studies, settings.cost)
        return allowed

    def shared_facts(
        self, settings: T, calibrator: Calibrator, path: ReviewPath, p: Floats, state: State, tempering: float
    ) -> tuple[dict[str, Any], Floats]:
        """Facts that all reviews share, and the chances of 0, 1, 2 … further studies.

        Parameters
        ----------
        settings, calibrator, path, state
            As for :meth:`facts`.
        p : array of shape (N,)
            Chances from the calibrator, without the scale of the settings: the finds already correct the number still
            unread, and a scale that was chosen from the same documents would count them twice.
        tempering : float
            Power applied to the odds that further studies change the decision, learned from past reviews.

        Returns
        -------
        dict, ndarray
            Fields of :class:`ReviewFacts`, and the chances.
        """
        depth, waiting = state.depth, len(state.waiting)
        now, share = path.states[-1], extraction_rate(settings, state)
        to_read, plan = path.best_reports(waiting)[0], path.best_plan(depth, settings.cost)[0]
        worth_of_reports = path.worth_of_reports(waiting)
        left = still_unread(settings, calibrator, p, state)
        needed = 0 if path.needed is None else int(path.needed[-1])
        shapes = (share.alpha, share.beta) if settings.two_stages else None
        to_come = studies_to_come(left.chance, waiting, shapes)
        in_all, overlooked = None, state.overlooked
        if overlooked is not None and overlooked.is_audited:
            to_find = studies_to_come(not_found(left, overlooked), waiting, shapes)
            in_all = chance_turned(now, to_find, settings.payoffs, needed, tempering)
        facts = {
            "studies": len(state.evidence),
            "waiting": waiting,
            "reports_worth": float(worth_of_reports[to_read or waiting]),
            "reports_cost": path.full_cost * (to_read or waiting),
            "reports_to_read": to_read,
            "reports_may_change": chance_turned(now, np.eye(waiting + 1)[-1], settings.payoffs, needed),
            "otherwise": chance_turned(now, to_come, settings.payoffs, needed, tempering),
            "otherwise_in_all": in_all,
            "disagreement": float(path.disagreement(settings.truth)[depth]),
            "plan": plan,
            **list_facts(left, state),
            "share": (share.mean, *share.interval()),
            "needed": needed,
        }
        return facts, to_come

    def rows(self, advice: Advice, settings: T) -> list[tuple[str, str]]:
        facts = study_facts(advice)
        right = [("Chance of the right decision, stopping now", percent(1 - facts.disagreement))]
        if settings.payoffs.others:
            right = [
                (
                    "What the best option now is expected to bring",
                    amount(advice.utility, settings.payoffs.unit, exact=False),
                )
            ]
        rows = [
            *super().rows(advice, settings),
            *right,
            ("Chance that all that is left would choose otherwise", percent(facts.otherwise)),
            ("Relevant documents probably still unread", self.message("unread", facts=facts)),
            *overlooked_row(facts),
            *(
                [
                    (
                        "Chance that these and all that is left would choose otherwise",
                        percent(facts.otherwise_in_all),
                    )
                ]
                if facts.otherwise_in_all is not None
                else []
            ),
            *self.own_rows(facts, settings),
        ]
        if settings.two_stages:
            bring_data = with_interval(facts.share[0], facts.share[1:])
            rows.append(("Included reports that bring data, estimated from these and past ones", bring_data))
        return rows

    def own_rows(self, facts: ReviewFacts, settings: T) -> list[tuple[str, str]]:
        """Rows of name and value beside the advice that only this kind of review has."""
        return []

    def decision_basis(self, advice: Advice, settings: T, option: int, spent: float) -> dict[str, Any]:
        facts = study_facts(advice)
        return super().decision_basis(advice, settings, option, spent) | {
            "truth": settings.truth,
            "studies": facts.studies,
            "reports_waiting": facts.waiting,
            "chance_otherwise": facts.otherwise,
            "chance_right": 1 - facts.disagreement,
        }

    def incomplete(self, advice: Advice, settings: T) -> str:
        return self.message("incomplete", advice=advice, settings=settings)

    # --- rows and names

    def counted(self, state: State) -> list[str]:
        waiting = len(state.waiting)
        return [
            f"{state.relevant:,} {'included' if state.settings.two_stages else 'relevant'}",
            f"{_with_data(state):,} with data",
            "1 report waiting" if waiting == 1 else f"{waiting:,} reports waiting",
        ]

    def verdicts(self, settings: T) -> dict[Label, tuple[str, str]]:
        """Verdicts by title and abstract, if reports are read later."""
        if not settings.two_stages:
            return super().verdicts(settings)
        return {"relevant": ("Include", ""), "irrelevant": ("Exclude", ""), "unsure": ("Unsure", "")}

    def settings_rows(self, settings: T) -> list[tuple[str, str]]:
        share, reports = settings.data_share, list[tuple[str, str]]()
        if settings.two_stages:
            reports = [
                ("Cost of a report in full", amount(settings.full_cost, settings.payoffs.unit)),
                (
                    "Included reports expected to bring data, before any was read",
                    with_interval(share.mean, share.interval()),
                ),
            ]
        return [
            ("The decision is judged by", self.message("judged_by", settings=settings)),
            ("Reading", STAGES[settings.stages]),
            *reports,
            (
                "Chance of the right decision before any rule may stop",
                percent(settings.floor) if settings.floor and not settings.payoffs.others else "none",
            ),
            (
                "Studies before any rule may stop",
                number(settings.floor_studies) if settings.floor_studies else "none",
            ),
            (f"Least evidence for “{settings.plus}”", self.message("least", settings=settings)),
        ]

    def adjustable(self, settings: T) -> dict[str, str]:
        return {
            "starting chance": percent(settings.b_0),
            "cost of a report": amount(settings.full_cost, settings.payoffs.unit),
            "least chance of the right decision": percent(settings.floor),
            "least number of studies": number(settings.floor_studies),
        }

    # --- exports

    def columns(
        self, facts: ReviewFacts | RecallFacts | None, final: State, ids: Sequence[str], depth: int
    ) -> dict[str, Any]:
        report = final.read_in_full.get(depth)
        of_report = report_columns(report or (Report("waiting") if depth in final.waiting else None))
        if facts is None:
            return dict[str, Any](of_report)
        assert isinstance(facts, ReviewFacts), "advice of a review has its facts"
        return {
            "studies": facts.studies,
            "reports_waiting": facts.waiting,
            "chance_otherwise": facts.otherwise,
            "unseen_expected": None if facts.left_is_open else facts.left[0],
            **of_report,
        }


def report_columns(report: Report | None) -> dict[str, str]:
    """Outcome, reason, numbers and risk of bias of a report, by column of a table of documents; empty without a report."""
    rows = report.rows if report else ()
    return {
        "report": report.outcome if report else "",
        "report_reason": report.reason if report else "",
        "tables": "; ".join(f"{row.study}: {in_a_line(row.numbers)}" for row in rows),
        "risk_of_bias": "; ".join(dict.fromkeys(row.bias.value for row in rows if row.bias)),
    }


def in_a_line(numbers: Mapping[str, Any]) -> str:
    """Numbers of a study with the names of their columns: "TP 9, FP 1"; an unknown number is left empty."""
    return ", ".join(f"{name} {'' if value is None else value}" for name, value in numbers.items())
