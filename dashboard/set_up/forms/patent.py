"""What Set up asks of a search for prior art."""

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame.shell import escape_label, term
from dashboard.frame.widgets import hundredths, lasting
from dashboard.parts import application
from dashboard.parts.application import Asked
from dashboard.set_up import coverage
from dashboard.set_up.forms.base import PREFIX, Form
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.ranking.order import Order
from tarstop_core.screening.settings import PatentSettings
from tarstop_core.sessions.create import Documents
from tarstop_core.value.stakes import SEARCH_EXAMPLE


class PatentForm(Form[PatentSettings]):
    """A search for prior art, in which one document decides."""

    def application(self, chosen: Documents, problems: list[str], listing: DeltaGenerator) -> Asked | None:
        """Ask for the application that documents are held against."""
        return application.ask(chosen, problems, listing)

    def stakes(self, start: PatentSettings, simulated: bool, problems: list[str]) -> PatentSettings:
        """Whether a document has to be cited stands further down the page, and changes what follows from the stakes."""
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
            help=f"Until a hit is {term('confirmed', 'confirmed')} you are shown what follows if it holds and if it does not.",
        )
        s = hundredths(
            "Chance that you recognise it on reading",
            100,
            low=5,
            high=100,
            step=5,
            help=f"{term('reading', 's (sensitivity of one reading)')}: would you recognise a relevant document? "
            "`tarstop readers` estimates it from a list that two have read.",
            **how("s"),
        )
        st.caption(f"s = {s / 100:.2f}: of 100 relevant documents that you read, you would recognise {s}.")
        if paper:
            return settings.paper_mode()
        return replace(settings, needs_citation=cited, confirm_hits=confirmed, s=s / 100)

    def coverage(
        self, settings: PatentSettings, calibrator: Calibrator | None, chosen: Documents
    ) -> PatentSettings:
        """Ask how the list was searched."""
        paper = bool(st.session_state.get(f"{PREFIX}/paper", False))
        kappa = coverage.ask(PREFIX, calibrator, chosen, disabled=paper)
        return settings if paper else replace(settings, kappa=kappa)

    def is_merged(self, chosen: Documents, order: Order) -> bool:
        """By its files, or by what the person said of the search."""
        return order != "text" and coverage.merges(PREFIX, chosen)
