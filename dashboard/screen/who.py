"""Under which name labels and decisions are recorded: asked once, kept by the browser."""

import html

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.scripts import REVIEWER_SCRIPT
from dashboard.frame.work import NAMELESS, REVIEWER, Work, reviewer

FIELD = "_reviewer_field"
ASKED = "_reviewer_asked"


def named(work: Work) -> None:
    """The name, behind a button with it; the browser keeps it for the next time."""
    # Another name is another element, whose script runs.
    kept = f'<span hidden data-reviewer="{html.escape(reviewer(), quote=True)}"></span>'
    st.html(kept + REVIEWER_SCRIPT, unsafe_allow_javascript=True)
    with st.popover(shell.escape_label(reviewer() or "Your name"), key="who"):
        _field("Your name, recorded with every label from now on", work, FIELD)


def question(work: Work) -> None:
    """The question that stands in the place of the answers until it is answered."""
    with st.container(key="bar"), st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        _field("Your name, recorded with every label and decision", work, ASKED)
        st.button("Go on", key="whose_on", type="primary")
        st.button(
            "Without a name", key="nameless", on_click=st.session_state.update, args=({NAMELESS: True},)
        )


def _field(words: str, work: Work, key: str) -> None:
    st.text_input(
        words,
        value=reviewer(),
        placeholder=work.last_reviewer,
        max_chars=80,
        key=key,
        on_change=lambda: st.session_state.update({REVIEWER: str(st.session_state[key]).strip()}),
    )
