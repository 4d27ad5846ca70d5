"""What is read: the claim or question on a line, and the document below it."""

import html
import textwrap

import streamlit as st

from dashboard.frame.work import Work
from dashboard.parts import document as shown
from tarstop_core.documents.application import Flag
from tarstop_core.presentation.numbers import percent
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.state import State
from tarstop_core.sessions.answers import sample_criteria

A_LINE = 160
"""Characters of a claim that one line may hold."""


def question(work: Work) -> None:
    """What every document is held against, on one line that a press opens; in every order of reading."""
    criteria = sample_criteria(work)
    included = f"<p>Included: {html.escape(criteria)}</p>" if criteria else ""
    sought = work.row.query or work.row.name
    # More than a line holds would only be hidden, and read aloud twice.
    begins = textwrap.shorten(sought, A_LINE, placeholder=" …")
    st.html(
        f'<details class="tar-claim"><summary><b>Looking for</b> <span>{html.escape(begins)}</span></summary>'
        f'<div class="tar-literal">{html.escape(sought)}</div>{included}</details>'
    )


def document(work: Work, state: State, at: int | None, advice: Advice) -> Flag | None:
    """The document on the page; the flag, if one keeps it from settling the question."""
    work.show(work.row.ids[at] if at is not None else "")
    with st.container(height=430, border=False, key="document"):
        if at is None:
            said = '<div class="tar-word">You have read every document.</div><p>Stop and decide, or look back.</p>'
            st.html(said)
            return None
        record = work.document(at)
        work.because = work.why_next(record) if at == state.depth else []
        chance = ""
        if at >= state.depth and state.hit is None:
            p = float(work.paths(state.settings).path.p[at])
            hope = scenario_of(state.settings).message("hope", settings=state.settings)
            chance = f"chance to {hope} {percent(p if state.settings.two_stages else advice.rho)}"
        found = shown.flagged(record, state)
        note = state.notes.get(work.shown, "")
        noted = f'<div class="tar-literal"><em>Note:</em> {html.escape(note)}</div>' if note else ""
        lead = f"{shown.flags_html(found, at in state.aside_read)}{noted}"
        st.html(shown.opened_html(work, at, lead, chance, work.because))
    return next((flag for flag in found if flag.asks), None)


def looking_at(work: Work, state: State) -> int | None:
    """The document on show: an earlier one being looked back at, else the next; None at the end."""
    if work.looking_at is not None and work.looking_at < state.depth:
        return work.looking_at
    return state.depth if state.depth < len(work.row.ids) else None
