"""What a search for prior art asks of its own: the application, citation, confirmation, and what may be missed."""

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import shell
from dashboard.frame.widgets import hundredths, lasting
from dashboard.parts import application
from dashboard.parts.application import Asked
from dashboard.set_up.forms.base import PREFIX, Form
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.create import Documents


class PatentForm(Form):
    """One document decides."""

    def application(self, chosen: Documents, problems: list[str], listing: DeltaGenerator) -> Asked | None:
        """Ask for the application that documents are held against."""
        return application.ask(chosen, problems, listing)

    def stakes(self, start: Settings, problems: list[str]) -> Settings:
        """Whether a document has to be cited stands further down the page, and changes what follows from the stakes."""
        state = st.session_state
        cited = state.get(f"{PREFIX}/needs_citation", True) and not state.get(f"{PREFIX}/paper", False)
        settings = super().stakes(replace(start, needs_citation=cited), problems)
        return replace(settings, needs_citation=start.needs_citation)

    def more(self, settings: Settings, simulated: bool) -> Settings:
        """Ask for citation, confirmation, coverage and the sensitivity of reading."""
        said = (
            f"{shell.term('paper-mode', 'As in the published experiments')}: no citation needed, every hit counts at once, the list is "
            "complete and every relevant document is recognised."
        )
        paper = st.toggle("Paper mode: none of these", **lasting(f"{PREFIX}/paper"), help=said)
        plus = shell.escape_label(settings.plus)
        left, right = st.columns(2, gap="large")

        def how(name: str) -> dict[str, Any]:
            return {**lasting(f"{PREFIX}/{name}"), "disabled": paper}

        asked = f"“{plus}” needs a document to cite"
        said = f"Before such a document is found, only the other action is {shell.term('citation', 'open to you')}."
        needs_citation = left.toggle(asked, value=True, **how("needs_citation"), help=said)
        asked = "A hit counts only once you confirm it"
        said = f"Until a hit is {shell.term('confirmed', 'confirmed')} you are shown what follows if it holds and if it does not."
        confirm_hits = right.toggle(asked, value=True, **how("confirm_hits"), help=said)
        most: dict[str, Any] = {"low": 5, "high": 100, "step": 5}
        said = f"{shell.term('kappa', 'κ (coverage)')}: could the prior art be missing from this list?"
        asked = "Chance that it is in this list, if it exists"
        kappa = hundredths(asked, 100, at=left, help=said, **most, **how("kappa"))
        left.caption(
            f"κ = {kappa / 100:.2f}: of 100 existing documents of this kind the list would hold {kappa}."
        )
        said = f"{shell.term('reading', 's (sensitivity of one reading)')}: would you recognise a relevant document?"
        asked = "Chance that you recognise it on reading"
        s = hundredths(asked, 100, at=right, help=said, **most, **how("s"))
        right.caption(f"s = {s / 100:.2f}: of 100 relevant documents that you read, you would recognise {s}.")
        if paper:
            return settings.paper_mode()
        return replace(
            settings, needs_citation=needs_citation, confirm_hits=confirm_hits, kappa=kappa / 100, s=s / 100
        )
