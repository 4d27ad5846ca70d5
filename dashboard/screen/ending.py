"""The end of a session: what was decided, on what, what the advice was then, and what comes next."""

import html

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.markup import unbroken
from dashboard.frame.work import Work, clock
from dashboard.parts import jobs
from dashboard.parts.at_a_glance import chip
from dashboard.parts.whole_session import CHOSEN, save_export
from dashboard.screen import grading
from tarstop_core.screening.ending import ending
from tarstop_core.screening.state import Decision, State
from tarstop_core.sessions.answers import sample_answer


def panel(work: Work, state: State, decision: Decision) -> None:
    """The decision in the place of the advice; amber where the truth of a sample is otherwise."""
    said, truth = ending(decision, state.settings), sample_answer(work, state.settings, decision.plus)
    wrong = truth is not None and truth.wrong
    by = f" by {decision.by}" if decision.by else ""
    lines = [
        f"{clock(decision.time)}{by}. {said.on}",
        f"{said.advice} {said.overridden or ('It was followed.' if said.advice else '')}".strip(),
        f"Reason: {said.reason}" if said.reason else "",
        f"What settles it: {grading.settling(work, state)}."
        if decision.plus and state.hit is not None
        else "",
        "Verdicts have been changed since." if decision.outdated else "",
    ]
    flagged = grading.reminder(work, state)
    told = "".join(f'<p class="tar-rest">{html.escape(unbroken(each))}</p>' for each in lines if each)
    if truth is not None:
        about = f"{'⚠ ' if wrong else ''}{truth.said} {truth.overlooked}".strip()
        told += (
            f'<p class="tar-say tar-truth{" tar-wrong" if wrong else ""}">{html.escape(unbroken(about))}</p>'
        )
    if flagged:
        told += f'<div class="tar-flag">⚑ {html.escape(flagged)}</div>'
    st.html(
        f'<div class="tar-told tar-end" role="status">{chip(f"Decided: {said.action}", *(("ask", "⚠") if wrong else ("stop", "✓")))}'
        f"{told}</div>"
    )
    _next(work, state)


def _next(work: Work, state: State) -> None:
    """The report and the flow diagram, one press away, and the next session."""
    with st.container(horizontal=True, gap="small", key="ending"):
        for words, end in (("Report (HTML)", "-report.html"), ("Flow diagram (SVG)", jobs.FLOW)):
            save_export(work.store, work.row, state.seq, end, words, icon=":material/download:")
        if st.button("All exports", key="end_exports", type="tertiary"):
            st.switch_page(shell.SESSIONS, query_params={CHOSEN: work.row.id})
        if st.button("Next session", key="end_next", type="tertiary"):
            st.switch_page(shell.SET_UP)
