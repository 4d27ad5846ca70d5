"""The questions of Set up for a search for prior art."""

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame.drawing import note
from dashboard.frame.shell import escape_label, term
from dashboard.frame.widgets import lasting, one_of, whole_percent
from dashboard.parts import application
from dashboard.parts.application import Answers
from dashboard.set_up.forms.base import PREFIX, ScenarioForm
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.coverage import (
    COMPLETE,
    COVERAGES,
    DEPTH,
    UNKNOWN,
    Coverage,
    capped,
    share_without_hit,
)
from tarstop_core.presentation.numbers import percent
from tarstop_core.ranking.order import Order, several_files
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.sessions.create import ChosenDocuments
from tarstop_core.value.stakes import SEARCH_EXAMPLE

OWN, PAST = "own", "past"
"""Answers on the search besides those of :data:`COVERAGES`: a chance that the person enters, and as in past cases."""


class PatentForm(ScenarioForm[PatentSettings]):
    """A search for prior art, in which one document decides."""

    def application(
        self, chosen: ChosenDocuments, problems: list[str], listing: DeltaGenerator
    ) -> Answers | None:
        """Ask for the application that documents are compared with."""
        return application.ask(chosen, problems, listing)

    def stakes(self, start: PatentSettings, simulated: bool, problems: list[str]) -> PatentSettings:
        """Ask for the stakes, whose consequences depend on an answer further down the page: must a document be cited?"""
        state = st.session_state
        cited = state.get(f"{PREFIX}/needs_citation", True) and not state.get(f"{PREFIX}/paper", False)
        start = replace(start, needs_citation=cited)
        return super().stakes(start.with_stakes(SEARCH_EXAMPLE) if simulated else start, simulated, problems)

    def more(self, settings: PatentSettings, simulated: bool) -> PatentSettings:
        """Ask for citation, confirmation and the sensitivity of reading."""
        paper = st.toggle(
            "Paper mode: none of these",
            **lasting(f"{PREFIX}/paper"),
            help=f"{term('paper-mode', 'As in the published experiments')}: no citation needed, every hit counts at once, "
            "the list is complete and every relevant document is recognised.",
        )
        left, right = st.columns(2, gap="large")

        def how(name: str) -> dict[str, Any]:
            return {**lasting(f"{PREFIX}/{name}"), "disabled": paper}

        cited = left.toggle(
            f"“{escape_label(settings.plus)}” needs a document to cite",
            value=True,
            **how("needs_citation"),
            help=f"Before such a document is found, only the other action is {term('citation', 'open to you')}.",
        )
        confirmed = right.toggle(
            "A hit counts only once you confirm it",
            value=True,
            **how("confirm_hits"),
            help=f"Until a hit is {term('confirmed', 'confirmed')} you see what follows if it holds and if it does not.",
        )
        s = whole_percent(
            "Chance that you recognise it on reading",
            100,
            low=5,
            high=100,
            step=5,
            help=f"{term('reading', 's (sensitivity of one reading)')}: would you recognise a relevant document? `tarstop readers` estimates this from "
            "a list that two people read.",
            **how("s"),
        )
        st.caption(f"s = {s / 100:.2f}: of 100 relevant documents that you read, you would recognise {s}.")
        if paper:
            return settings.paper_mode()
        return replace(settings, needs_citation=cited, confirm_hits=confirmed, s=s / 100)

    def coverage(
        self, settings: PatentSettings, calibrator: Calibrator | None, chosen: ChosenDocuments, count: int
    ) -> PatentSettings:
        """Ask how the list was searched."""
        paper = bool(st.session_state.get(f"{PREFIX}/paper", False))
        kappa = _searched(calibrator, chosen, count, disabled=paper)
        return settings if paper else replace(settings, kappa=kappa)

    def is_merged(self, chosen: ChosenDocuments, order: Order) -> bool:
        """Whether the list was merged, by its files or by the person's answers on the search."""
        return order != "text" and _merges(chosen)


# --- how the list was searched --------------------------------------------------------------------


def _merges(chosen: ChosenDocuments) -> bool:
    """Whether a list comes from several files, or from several searches by the person's answer."""
    answer = str(st.session_state.get(f"{PREFIX}/searched/{_kind(chosen, None)}"))
    merged = COVERAGES.get(answer, UNKNOWN).merged or several_files(chosen.frame)
    return merged and not chosen.simulated


def _searched(calibrator: Calibrator | None, chosen: ChosenDocuments, count: int, *, disabled: bool) -> float:
    """Ask how the list was searched, and return κ."""
    state, key = st.session_state, f"{PREFIX}/searched/{_kind(chosen, calibrator)}"
    options = {name: way.title for name, way in COVERAGES.items()} | {OWN: "I enter the chance myself"}
    first = "complete" if chosen.simulated else "unknown"
    if key.endswith(PAST):  # The calibrator's own lists already show how much such lists lack
        del options["complete"]
        options, first = {PAST: "As in my past cases"} | options, PAST
    if state.get(f"{PREFIX}/kappa", 100) != 100 and key not in state:  # A draft of an earlier version
        first = OWN
    answer = one_of(
        "How did you search?",
        options,
        first=state.get(key, first),
        disabled=disabled,
        help=f"{term('kappa', 'κ (coverage)')}: could it be missing from this list? None of these chances is measured.",
        **lasting(key),
    )
    coverage = COVERAGES.get(answer, COMPLETE)
    if answer == OWN:
        asked = "Chance that it is in this list, if it exists"
        how: dict[str, Any] = {"step": 5, "disabled": disabled, **lasting(f"{PREFIX}/kappa")}
        coverage = Coverage(asked, whole_percent(asked, 90, low=5, high=100, **how) / 100, UNKNOWN.sure)
    if calibrator is not None and not disabled:
        _explain(coverage, calibrator, min(DEPTH, count))
    return coverage.mean


def _kind(chosen: ChosenDocuments, calibrator: Calibrator | None) -> str:
    """Kind of list that the answer applies to: a sample, lists like those of the calibrator, or any list."""
    if chosen.simulated:
        return "sample"
    return PAST if calibrator is not None and calibrator.list_kinds and calibrator.fitted_on.own else "any"


def _explain(coverage: Coverage, calibrator: Calibrator, depth: int) -> None:
    """Say which chance the answer stands for, and how often a list shows nothing although something exists."""
    sentences = []
    if not calibrator.fitted_on.own or capped(coverage, calibrator) == coverage:
        low, high = map(percent, coverage.interval())
        between = "" if low == high else f", between {low} and {high}"
        sentences.append(f"The list contains it with a chance of {percent(coverage.mean)}{between}.")
    share = share_without_hit(calibrator, depth, coverage)
    if share is not None:
        sentences.append(
            f"If it exists, {percent(share.mean)} of such lists ({percent(share.low)} to {percent(share.high)}) show nothing "
            f"in the first {depth}."
        )
    note(" ".join(sentences))
