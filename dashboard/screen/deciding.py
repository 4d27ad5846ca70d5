"""Stopping: the dialog that records the decision, and what stands in the place of the advice when it is taken."""

import html

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import radio
from dashboard.frame.work import Work, attempt, clock, nothing_edited
from dashboard.parts import jobs
from dashboard.parts.at_a_glance import chip
from dashboard.parts.sessions import CHOSEN, save_export
from dashboard.screen import grading
from tarstop_core.presentation.html import unbroken
from tarstop_core.presentation.numbers import amount, count_of, percent
from tarstop_core.screening.advised import Advice, ReviewFacts
from tarstop_core.screening.log import Event
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.state import Decision, State
from tarstop_core.screening.wording import action, against_the_odds, ending, explain, question
from tarstop_core.sessions.answers import sample_answer

EDITING = "decision"
STOPPING_NOW = {False: " (advised)", True: " (advised if you stop now)"}


@st.dialog("Stop and decide", on_dismiss=nothing_edited)
def dialog(work: Work, state: State, advice: Advice) -> None:
    """Say what is known, ask for the decision and a reason, store both."""
    settings, unit = state.settings, state.settings.payoffs.unit
    # Without a unit the cost of reading is only the number of documents said again.
    spent = f", at a cost of {shell.escape_markdown(amount(state.spent, unit))}" if unit else ""
    reports = sum(report.was_read for report in state.read_in_full.values())
    in_full = f", and {reports:,} report{'' if reports == 1 else 's'} in full" if settings.two_stages else ""
    st.write(
        f"You read {count_of(state.depth)} of {len(work.row.ids):,}{in_full}{spent}. "
        f"The chance that {unbroken(f'{question(settings)} is {percent(advice.b)}')}."
    )
    scenario = scenario_of(settings)
    waiting = bool(len(state.pending)) or (advice.facts is not None and advice.facts.reports_open)
    if len(state.pending):
        st.warning("A hit still waits for confirmation: settle it first, or decide without it.")
    else:
        why = against_the_odds(advice, settings)
        st.write(shell.escape_markdown(unbroken(f"{explain(advice, settings).stopping} {why}".strip())))
    if rival := scenario.rival(settings, state):
        st.warning(shell.escape_markdown(rival), icon=":material/balance:")
    if flagged := grading.reminder(work, state):
        st.warning(shell.escape_markdown(flagged), icon=":material/flag:")
    if advice.headline == "continue":
        held = ": the floor you set on the chance of the right decision is not reached"
        st.warning(f"The advice is to go on{held if advice.floor_holds else ''}. You may stop all the same.")
    if advice.facts is not None:
        _reports(advice.facts)
    if len(state.combination) > 1 and state.hit is None:
        st.info(
            f"{count_of(len(state.combination))} are graded Y: if two of them settle it together, say so before you "
            "decide."
        )
    if len(state.unsure):
        st.info(f"Still to be settled: {count_of(len(state.unsure))} marked unsure.")
    names = {each: shell.escape_markdown(action(each, settings)) for each in (advice.plus, not advice.plus)}
    if not waiting:
        names[advice.plus] += STOPPING_NOW[advice.go_on]
    plus = radio("Your decision", names, index=None if waiting else 0)
    if plus and settings.citation_needed and state.hit is None:
        st.warning("No document that could be cited has been confirmed.")
    reason = st.text_input("Reason, for the record (optional)")
    decided = st.button("Record the decision", type="primary", width="stretch", disabled=plus is None)
    later = st.button("Stop, and decide later", width="stretch")
    if decided:
        attempt(_record, work, state, advice, bool(plus), reason)
    elif later:
        attempt(work.record, _stopped(advice), state.seq)
    if decided or later:
        nothing_edited()
        st.rerun()


def _reports(facts: ReviewFacts) -> None:
    """What is still open, and how sure the decision would be."""
    if facts.reports_open:
        count, bring, them, they = f"{facts.waiting:,} reports still wait", "all bring", "them", "they"
        if facts.waiting == 1:
            count, bring, them, they = "1 report still waits", "it brings", "it", "it"
        may = unbroken(percent(facts.reports_may_change))
        st.warning(
            f"{count} to be read in full and could change the decision (a chance of {may} if {bring} data): read {them}, "
            f"record why {they} cannot be had, or decide without."
        )
    elif facts.waiting:
        count = "1 report waits" if facts.waiting == 1 else f"{facts.waiting:,} reports wait"
        st.info(f"{count} to be read in full; it is unlikely that this changes the decision.")
    st.write(
        unbroken(
            f"The chance that this is the right decision is {percent(1 - facts.disagreement)} by the belief alone; all that is left "
            f"would lead to the other one with a chance of {percent(facts.otherwise)}, as often as in past reviews."
        )
    )


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
    footing |= scenario_of(state.settings).footing(advice, state.settings)
    if not state.stopped:
        work.record(_stopped(advice), state.seq)
    work.record(Event("decided", footing), work.state.seq)


def decided(work: Work, state: State, decision: Decision) -> None:
    """The decision in the place of the advice; amber where the truth of a sample is otherwise."""
    said = ending(decision, state.settings, grading.names(work, state.settled_by))
    truth = sample_answer(work, state.settings, decision.plus)
    wrong = truth is not None and truth.wrong
    by = f" by {decision.by}" if decision.by else ""
    lines = [
        f"{clock(decision.time)}{by}{', as the session file claims' if decision.claimed else ''}. {said.on}",
        f"{said.advice} {said.overridden or ('It was followed.' if said.advice else '')}".strip(),
        f"Reason: {said.reason}" if said.reason else "",
        said.settled,
        "Verdicts, or the list of documents, have been changed since." if decision.outdated else "",
    ]
    told = "".join(f'<p class="tar-rest">{html.escape(unbroken(each))}</p>' for each in lines if each)
    if truth is not None:
        about = html.escape(unbroken(f"{'⚠ ' if wrong else ''}{truth.said} {truth.overlooked}".strip()))
        told += f'<p class="tar-say tar-truth{" tar-wrong" if wrong else ""}">{about}</p>'
    if flagged := grading.reminder(work, state):
        told += f'<div class="tar-flag">⚑ {html.escape(flagged)}</div>'
    word = chip(f"Decided: {said.action}", *(("ask", "⚠") if wrong else ("stop", "✓")))
    st.html(f'<div class="tar-told tar-end" role="status">{word}{told}</div>')
    with st.container(horizontal=True, gap="small", key="ending"):
        for words, end in (("Report (HTML)", "-report.html"), ("Flow diagram (SVG)", jobs.FLOW)):
            save_export(work.store, work.row, state.seq, end, words, icon=":material/download:")
        if st.button("All exports", key="end_exports", type="tertiary"):
            st.switch_page(shell.SESSIONS, query_params={CHOSEN: work.row.id})
        if st.button("Next session", key="end_next", type="tertiary"):
            st.switch_page(shell.SET_UP)
