"""Stopping: the dialog that records the decision."""

from __future__ import annotations

import streamlit as st

from dashboard import shell
from dashboard.work import OPEN_WORK, Work, attempt
from tarstop_core.advice import Advice
from tarstop_core.explain import action, amount, documents, explain, percent
from tarstop_core.session import Event, State


def open_dialog(work: Work) -> None:
    """Show the dialog on the next run; the page's shortcut keys are off while it is up."""
    work.stopping = True


def close_dialog() -> None:
    """Nothing was decided."""
    work: Work | None = st.session_state.get(OPEN_WORK)
    if work is not None:
        work.stopping = False


@st.dialog("Stop and decide", on_dismiss=close_dialog)
def stop_dialog(work: Work, state: State, advice: Advice) -> None:
    """Say what is known, ask for the decision and a reason, store both."""
    settings = state.settings
    st.write(
        f"You read {documents(state.depth)} of {len(work.row.ids):,}, at a cost of "
        f"{shell.escape_markdown(amount(state.spent, settings.payoffs.unit))}. "
        f"The chance that prior art exists is {percent(advice.b)}."
    )
    waiting = bool(len(state.pending))
    if waiting:
        st.warning("A hit still waits for confirmation: settle it first, or decide without it.")
    else:
        st.write(shell.escape_markdown(explain(advice, settings).stopping))
    if len(state.unsure):
        st.info(f"Still to be settled: {documents(len(state.unsure))} marked unsure.")
    plus = st.radio(
        "Your decision",
        [advice.plus, not advice.plus],
        index=None if waiting else 0,
        format_func=lambda choice: (
            shell.escape_markdown(action(choice, settings))
            + (" (advised)" if choice == advice.plus and not waiting else "")
        ),
    )
    if plus and settings.needs_citation and state.hit is None:
        st.warning("No document that could be cited has been confirmed.")
    reason = st.text_input("Reason, for the record (optional)")
    if st.button("Record the decision", type="primary", width="stretch", disabled=plus is None):
        attempt(lambda: _record(work, state, advice, bool(plus), reason))
        close_dialog()
        st.rerun()
    if st.button("Stop, and decide later", width="stretch"):
        attempt(lambda: work.record(_stopped(advice), state.seq))
        close_dialog()
        st.rerun()


def _stopped(advice: Advice) -> Event:
    return Event("stopped", {"advice": advice.headline, "depth": advice.depth})


def _record(work: Work, state: State, advice: Advice, plus: bool, reason: str) -> None:
    payoffs = state.settings.payoffs
    utility = (payoffs.utility_plus if plus else payoffs.utility_minus)(advice.b)
    footing = {
        "plus": plus,
        "action": action(plus, state.settings),
        "advised": advice.plus,
        "advice": advice.headline,
        "depth": advice.depth,
        "belief": advice.b,
        "utility": float(utility),
        "spent": state.spent,
        "reason": reason.strip(),
    }
    if not state.stopped:
        work.record(_stopped(advice), state.seq)
    work.record(Event("decided", footing), work.state.seq)
