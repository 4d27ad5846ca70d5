"""A review of diagnostic accuracy: 2×2 tables of many studies add up."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO, ClassVar, cast

import numpy as np

from tarstop_core.belief.bivariate import bivariate_belief
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.reports import AccuracyRow, Collected, StudyRow, rows_of_tables
from tarstop_core.documents.tables import Tables, as_tables
from tarstop_core.evidence.report import drawn_studies
from tarstop_core.evidence.summary import Evidence, evidence
from tarstop_core.evidence.words import Actions, pooled_sentence, rival_sentence
from tarstop_core.evidence.words import studies as studies_of
from tarstop_core.files.tables import read_tables
from tarstop_core.presentation.messages import Messages
from tarstop_core.presentation.numbers import number, percent
from tarstop_core.samples.shipped import WIDTH, past_stops, priors, wrong_stops
from tarstop_core.screening.advised import Advice, ReviewFacts
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.studies import StudyScenario
from tarstop_core.screening.state import State
from tarstop_core.value.outcomes import ReviewPath, pooled_range, states_of
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Depths, Floats
from tarstop_core.value.studies import EvidenceState, NextStudy


def needed_studies(
    settings: ReviewSettings, tables: Tables, states: Sequence[EvidenceState]
) -> Depths | None:
    """Number of further studies before a⁺ may be taken.

    Missing patients are converted into studies as large as the next one is expected to be (:attr:`~tarstop_core.value.studies.NextStudy.n1`).

    Parameters
    ----------
    settings : ReviewSettings
        Settings with the least numbers of studies and of patients with the condition.
    tables : Tables
        2×2 tables of n studies.
    states : sequence of EvidenceState
        What is known after 0, 1, …, n studies, or only after all n.

    Returns
    -------
    ndarray of int or None
        Number of studies in each state; None if the settings require no least number.
    """
    if not (settings.least_studies or settings.least_patients):
        return None
    after = np.arange(len(tables) + 1)[-len(states) :]
    seen = np.append(0, np.cumsum(tables.diseased))[-len(states) :]
    like_next = np.array([cast(NextStudy, state).n1 for state in states])
    studies = settings.least_studies - after
    patients = np.ceil((settings.least_patients - seen) / like_next).astype(int)
    return np.asarray(np.maximum(0, np.maximum(studies, patients)), dtype=np.intp)


class Review(StudyScenario[ReviewSettings]):
    """Whether a test is sensitive enough, by the 2×2 tables that reports bring."""

    message = Messages("screening/messages/review.jinja", method_of=lambda engine: ENGINES[engine].method)
    settings_class = ReviewSettings
    title = "How accurate a test is"
    short = "Diagnostic accuracy"
    actions: ClassVar[Mapping[str, tuple[str, str]]] = {"Adopt or Don’t adopt": ("Adopt", "Don’t adopt")}
    when = ("if sensitivity is high enough", "if it is not")
    sample = "review"
    belief_title = "chance it is sensitive"
    frozen = (
        "rule, θ, q\\*, costs, starting chance, prior, calibrator",
        "rule, q*, cost, θ, engine, prior, truth, cost of a report, floor, starting chance, calibrator",
    )
    reasons = "for example:\nwrong index test\nwrong reference standard\nno patients"
    example = "If about two in three tests like this are this sensitive, say 67 %."
    first_because = (
        "It is the default in reviews because its net utility was highest at every cost measured. It reads less than "
        "Greedy; the minimum keeps it from deciding on very few studies."
    )
    find = "a 2×2 table"
    finds = ("2×2 table", "tables")
    sheet = "2x2 tables"

    def beginning(self, **own: Any) -> ReviewSettings:
        # By default the prior is as uncertain as past reviews show.
        return super().beginning(prior=priors()[WIDTH], **own)

    # --- chances and path

    def states(
        self, settings: ReviewSettings, studies: Collected, *, last_only: bool = False
    ) -> tuple[NextStudy, ...]:
        return states_of(studies.tables, settings.question, last_only=last_only)

    def needed(
        self, settings: ReviewSettings, studies: Collected, states: Sequence[EvidenceState]
    ) -> Depths | None:
        return needed_studies(settings, studies.tables, states)

    def has_starting_chance(self, settings: ReviewSettings) -> bool:
        # REML, for example, uses no prior.
        return ENGINES[settings.engine].knows_prior

    def threshold_in_words(self, settings: ReviewSettings) -> str:
        return self.message("thresholds", settings=settings)

    def badges(self, settings: ReviewSettings) -> list[str]:
        engine, learned = ENGINES[settings.engine], settings.prior.learned_from
        if not engine.knows_prior:
            prior = f"no prior: {percent(settings.b_0)} until {engine.needs} studies are in"
        elif learned is not None and learned.keeps_b_0:
            prior = (
                f"prior as uncertain as {learned.reviews:,} past reviews show, b₀ = {number(settings.b_0)}"
            )
        elif learned is not None:
            prior = f"prior learned from {learned.source or f'{learned.reviews:,} reviews'}, b₀ = {number(settings.b_0)}"
        elif settings.prior == replace(Prior(), b_0=settings.prior.b_0):
            prior = f"weak prior, b₀ = {number(settings.b_0)}"
        else:
            prior = f"a prior of your own, b₀ = {number(settings.b_0)}"
        return [engine.badge, prior, *super().badges(settings)]

    # --- beside the advice

    def facts(
        self, settings: ReviewSettings, calibrator: Calibrator, path: ListPath, p: Floats, state: State
    ) -> ReviewFacts:
        own, tables, past = cast(ReviewPath, path), state.evidence.tables, past_stops()
        shared, to_come = self.shared_facts(settings, calibrator, own, p, state, past.tempering)
        now = cast(NextStudy, own.states[-1])
        return ReviewFacts(
            **shared,
            # The past questions were about sensitivity alone.
            past=None
            if settings.theta_sp
            else wrong_stops(len(tables), settings.theta, settings.payoffs.q_star, settings.truth),
            pooled_range=pooled_range(now, to_come, past.widening) if len(tables) else None,
            range_held=past.held,
        )

    def own_rows(self, facts: ReviewFacts, settings: ReviewSettings) -> list[tuple[str, str]]:
        rows = []
        if facts.pooled_range is not None:
            name = "Pooled sensitivity after reading all that is left"
            rows.append((name, " to ".join(percent(end, settings.theta) for end in facts.pooled_range)))
        if (past := facts.past) is not None:
            name = f"Past questions decided wrongly after {studies_of(facts.studies)}"
            rows.append((name, f"{past.wrong:,} of {past.questions:,}, {past.reviews:,} reviews"))
        return rows

    def decision_basis(
        self, advice: Advice, settings: ReviewSettings, option: int, spent: float
    ) -> dict[str, Any]:
        return super().decision_basis(advice, settings, option, spent) | {
            "theta": settings.theta,
            "engine": settings.engine,
            "prior": settings.belief_prior.digest,
            **({} if settings.theta_sp is None else {"theta_sp": settings.theta_sp}),
        }

    # --- rows and names

    def pooled(self, settings: ReviewSettings, state: State) -> str:
        """Sentences on the pooled sensitivity, and on another engine that would decide otherwise."""
        summary = self.evidence(settings, state)
        return f"{pooled_sentence(summary)} {self.second_opinion(settings, state)}".strip()

    def notes(self, settings: ReviewSettings, state: State) -> Sequence[str]:
        return self.evidence(settings, state).notes

    def lacking(self, settings: ReviewSettings, state: State) -> str:
        """Clause on the least numbers of studies and patients that the settings require; empty if there are as many."""
        tables = state.evidence.tables
        enough = len(tables) >= settings.least_studies and tables.diseased.sum() >= settings.least_patients
        return "" if enough else self.message("least", settings=settings)

    def evidence(self, settings: ReviewSettings, state: State) -> Evidence:
        """What the studies show by the thresholds, engine and prior of the session."""
        return evidence(state.evidence.tables, settings.question)

    def rows_of_file(
        self, settings: ReviewSettings, source: BinaryIO, name: str
    ) -> tuple[Sequence[AccuracyRow], Sequence[str]]:
        read = read_tables(source, name)
        return rows_of_tables(read.tables), read.notes

    def rows_given(self, given: Any, settings: ReviewSettings) -> list[StudyRow]:
        return [*rows_of_tables(as_tables(given))]

    def true_belief(self, settings: ReviewSettings, studies: Collected) -> float:
        # Computed with the weak prior, whatever prior the session uses.
        return bivariate_belief(studies.tables, settings.theta, theta_sp=settings.theta_sp)

    def drawn(self, settings: ReviewSettings, state: State, simulated: bool) -> list[tuple[str, str]]:
        return drawn_studies(self.evidence(settings, state), simulated)

    def second_opinion(self, settings: ReviewSettings, state: State) -> str:
        """Sentence on what REML would decide if the session uses exact counts, or the reverse; empty if nothing else."""
        summary = self.evidence(settings, state)
        return rival_sentence(
            summary, settings.payoffs, Actions(settings.plus, settings.minus, others=settings.actions[2:])
        )

    def settings_rows(self, settings: ReviewSettings) -> list[tuple[str, str]]:
        return [
            ("Sensitivity to exceed (θ)", percent(settings.theta)),
            *([] if settings.theta_sp is None else [("Specificity to exceed", percent(settings.theta_sp))]),
            ("Belief computed by", f"{settings.engine}: {ENGINES[settings.engine].method}"),
            ("Prior", self.message("prior", prior=settings.belief_prior)),
            *super().settings_rows(settings),
        ]

    def adjustable(self, settings: ReviewSettings) -> dict[str, str]:
        specificity = {} if settings.theta_sp is None else {"specificity": number(settings.theta_sp)}
        return {"θ": number(settings.theta), **specificity, **super().adjustable(settings)}


REVIEW = Review()
