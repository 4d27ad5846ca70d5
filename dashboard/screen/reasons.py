"""The reasons to exclude something: a person adds, renames and removes them in a dialog."""

import streamlit as st

from dashboard.frame.work import Work, dialog_button, finish, nothing_edited
from tarstop_core.screening.exclusions import KEYED, LONGEST, reasons_event, reasons_given
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.state import State

EDITING = "reasons"


def opener(work: Work, state: State) -> None:
    """The button that opens the dialog."""
    count = f" ({len(state.reasons)})" if state.reasons else ""
    dialog_button(work, f"Reasons to exclude{count}", "open_reasons", EDITING)


@st.dialog("Reasons to exclude", on_dismiss=nothing_edited)
def dialog(work: Work, state: State) -> None:
    """Name the reasons; what was excluded for one follows its new name."""
    given = reasons_given(state)
    st.caption(
        f"Each becomes a button under the document, the first {KEYED} with their number as key, and a line of the flow "
        "diagram. A new name also holds for what was excluded before; a reason whose name you empty is no longer offered, and what was excluded for it stays so."
    )
    with st.form("reasons", border=False):
        kept = {
            reason: st.text_input(
                f"Reason {at}" + (f", given {given[reason]:,}×" if given[reason] else ""),
                value=reason,
                max_chars=LONGEST,
                key=f"reason_kept_{state.seq}_{at}",
            )
            for at, reason in enumerate(state.reasons, start=1)
        }
        typed = st.text_area(
            "More reasons, one a line" if state.reasons else "Your reasons, one a line",
            height=140,
            placeholder="" if state.reasons else scenario_of(state.settings).reasons,
            key=f"reasons_new_{state.seq}",
        )
        pressed = st.form_submit_button("Save the reasons", type="primary", width="stretch")
    if pressed:
        finish(lambda: work.record(reasons_event(state, kept, typed.splitlines()), state.seq))
