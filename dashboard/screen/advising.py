"""The advice as a verdict and as curves, the dialog that records a decision, and the recorded decision."""

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import radio
from dashboard.frame.work import Work, attempt, clock, nothing_edited
from dashboard.parts import jobs
from dashboard.parts.sessions import CHOSEN, save_export
from dashboard.screen.reading import block, document_names, reminder
from tarstop_core.presentation.numbers import amount, count_of, percent, unbroken
from tarstop_core.presentation.pictures import fluid
from tarstop_core.screening.advice import advice_figure
from tarstop_core.screening.advised import Advice, ReviewFacts
from tarstop_core.screening.audit import recall_sentence
from tarstop_core.screening.log import Event
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import RecordedDecision, State
from tarstop_core.screening.wording import (
    action,
    against_the_odds,
    chance_in_words,
    chosen_action,
    ending,
    explain,
    in_brief,
    question,
    verdict,
)
from tarstop_core.sessions.demo import sample_answer
from tarstop_core.value.payoffs import PLUS

WINDOW = "curve_window"
WINDOWS = {"near": "last 50", "all": "all", "log": "all, log"}
EDITING = "decision"
STOPPING_NOW = {False: " (advised)", True: " (advised if you stop now)"}


def line(work: Work, state: State, advice: Advice) -> str:
    """The verdict or the decision in one line, for a phone, as HTML."""
    if state.decision is None:
        return block("line", *in_brief(advice, state.settings))
    truth = sample_answer(work, state.settings, state.decision.option)
    mood, sign = ("ask", "⚠") if truth is not None and truth.wrong else ("stop", "✓")
    return block("line", f"Decided: {chosen_action(state.decision, state.settings)}", mood, sign, "")


def advice_panel(work: Work, state: State, advice: Advice, tried: Advice, what_if: Settings | None) -> None:
    """The verdict, with those of a registered plan and of tried settings, in one element that each label redraws."""
    past, verdicts, settings, former = [], [], state.settings, state.former
    if former is not None:
        past.append(
            f"Decided: {chosen_action(former, settings)}, {clock(former.time)}; reading on since then."
        )
    if state.stopped:
        past.append("Screening has stopped; the decision is not recorded yet.")
    documents = document_names(work, state.in_question) if advice.settled else []
    if state.plan is not None:
        verdicts.append(("Registered plan", verdict(work.advice(state.plan), state.plan, documents)))
    if state.plan != settings:
        whose = "Since the deviation" if state.plan else ""
        verdicts.append((whose, verdict(advice, settings, documents)))
    if what_if:
        verdicts.append(("What if", verdict(tried, what_if, documents)))
    st.html(block("advice", past, verdicts, reminder(work, state), state.depth))


def curves(work: Work, state: State, settings: Settings, advice: Advice) -> None:
    """Draw the belief and what the next documents are worth; if no decision is weighed, how many relevant ones were found."""
    extent = st.session_state.get(WINDOW) or "near"

    def drawn() -> str:
        figure = advice_figure(work.paths(settings).path, settings, state, advice, extent, shell.dark())
        return fluid(figure, curve_sentence(state, settings, advice))

    st.html(work.once(("curves", settings, extent, shell.dark()), drawn))
    if settings.weighs:
        shell.caption(chance_in_words(advice, settings))


def curve_sentence(state: State, settings: Settings, advice: Advice) -> str:
    """Sentence on what the curves show, with their numbers."""
    if not settings.weighs:
        return scenario_of(settings).message("found", advice=advice)
    unsettled = int(state.uninformative.sum())
    left_open = f" ({unsettled:,} of them unsure or to be confirmed)" if unsettled else ""
    read = scenario_of(settings).message("read", advice=advice)
    belief = chance_in_words(advice, settings)
    text = f"After {read}{left_open}: {belief[0].lower()}{belief[1:]}"
    if advice.worth is not None and advice.more > 0 and state.hit is None:
        text += f" Dotted: the way to document {state.depth + advice.more:,} {if_nothing(settings)}."
    if settings.reads_full_texts and len(state.evidence):
        text += (
            " A study changes the curve at its document’s place in the list, whenever its report was read."
        )
    if state.audit_every:
        text += (
            " The curves jump at a document drawn at random, because its chance differs from its neighbours’."
        )
    if unsettled:
        text += (
            " Solid: the way here as seen now, knowing which documents were no evidence; the export has "
            "the advice given before each document."
        )
    return text


def if_nothing(settings: Settings) -> str:
    """The condition under which a plan holds: "if nothing turns up"."""
    return f"if {scenario_of(settings).message('nothing_further')} turns up"


@st.dialog("Stop and decide", on_dismiss=nothing_edited)
def dialog(work: Work, state: State, advice: Advice) -> None:
    """Summarise the state of the session, ask for the decision and a reason, and store both."""
    settings, unit = state.settings, state.settings.payoffs.unit
    # Without a unit the cost of reading would only repeat the number of documents.
    spent = f", at a cost of {shell.escape_markdown(amount(state.spent, unit, exact=False))}" if unit else ""
    reports = sum(report.was_read for report in state.read_in_full.values())
    in_full = f", and {reports:,} report{'' if reports == 1 else 's'} in full" if settings.two_stages else ""
    scenario = scenario_of(settings)
    if settings.weighs:
        standing = f"The chance that {question(settings)} is {percent(advice.b)}"
    else:
        (name, value), *_ = scenario.rows(advice, settings)
        standing = f"{name}: {value}"
    st.write(
        f"You read {count_of(state.depth)} of {len(work.row.ids):,}{in_full}{spent}. {unbroken(standing)}."
    )
    facts = advice.facts if isinstance(advice.facts, ReviewFacts) else None
    waiting = bool(len(state.pending)) or (facts is not None and facts.reports_open)
    if len(state.pending):
        st.warning("A hit still needs confirmation: settle it first, or decide without it.")
    else:
        why = against_the_odds(advice, settings) or recall_sentence(state)
        st.write(shell.escape_markdown(unbroken(f"{explain(advice, settings).stopping} {why}".strip())))
    if second_opinion := scenario.second_opinion(settings, state):
        st.warning(shell.escape_markdown(second_opinion), icon=":material/balance:")
    if flagged := reminder(work, state):
        st.warning(shell.escape_markdown(flagged), icon=":material/flag:")
    if advice.headline == "continue":
        held = ": your minimum is not reached"
        st.warning(f"The advice is to go on{held if advice.held_by else ''}. You may stop anyway.")
    if facts is not None:
        if open_reports := scenario.message("waiting_reports", facts=facts):
            (st.warning if facts.reports_open else st.info)(unbroken(open_reports))
        st.write(unbroken(scenario.message("how_right", advice=advice, settings=settings)))
    if len(state.combination) > 1 and state.hit is None:
        st.info(
            f"{count_of(len(state.combination))} are graded Y: if two of them settle it together, mark "
            "that before you decide."
        )
    if len(state.unsure):
        st.info(f"Still to be settled: {count_of(len(state.unsure))} marked unsure.")
    # The advised option comes first, and a⁺ before a⁻.
    order = sorted(
        range(len(settings.actions)), key=lambda option: (option != advice.option, option != PLUS, option)
    )
    choices = {option: shell.escape_markdown(action(option, settings)) for option in order}
    if not waiting:
        choices[advice.option] += STOPPING_NOW[advice.go_on]
    option = radio("Your decision", choices, index=None if waiting else 0)
    if option == PLUS and settings.needs_citation and state.hit is None:
        st.warning("No document to cite has been confirmed.")
    reason = st.text_input("Reason, for the record (optional)")
    decided = st.button("Record the decision", type="primary", width="stretch", disabled=option is None)
    later = st.button("Stop, and decide later", width="stretch")
    if decided and option is not None:
        attempt(_record, work, state, advice, option, reason)
    elif later:
        attempt(work.record, _stopped(advice), state.seq)
    if decided or later:
        nothing_edited()
        st.rerun()


def _stopped(advice: Advice) -> Event:
    return Event("stopped", {"advice": advice.headline, "depth": advice.depth})


def _record(work: Work, state: State, advice: Advice, option: int, reason: str) -> None:
    several = {"option": option, "advised": advice.option} if state.settings.payoffs.others else {}
    basis = {
        "plus": option == PLUS,
        "action": action(option, state.settings),
        "advised": advice.plus,
        "advice": advice.headline,
        "depth": advice.depth,
        "reason": reason.strip(),
        **several,
    }
    basis |= scenario_of(state.settings).decision_basis(advice, state.settings, option, state.spent)
    with work.together():
        if not state.stopped:
            work.record(_stopped(advice), state.seq)
        work.record(Event("decided", basis), work.state.seq)


def decided(work: Work, state: State, decision: RecordedDecision) -> None:
    """The decision, shown instead of the advice; amber if it is wrong by the truth of a sample."""
    result = ending(decision, state.settings, document_names(work, state.settled_by))
    by = f" by {decision.by}" if decision.by else ""
    followed = result.overridden or ("It was followed." if result.advice else "")
    sentences = [
        f"{clock(decision.time)}{by}{', as the session file claims' if decision.claimed else ''}. {result.on}",
        f"{result.advice} {followed}".strip(),
        f"Reason: {result.reason}" if result.reason else "",
        result.settled,
        recall_sentence(state),
        "Verdicts or the list of documents have changed since then." if decision.outdated else "",
    ]
    truth = sample_answer(work, state.settings, decision.option)
    st.html(block("decided", result, sentences, truth, reminder(work, state), state.depth))
    with st.container(horizontal=True, gap="small", key="ending"):
        for words, end in (("Report (HTML)", "-report.html"), ("Flow diagram (SVG)", jobs.FLOW)):
            save_export(work.store, work.row, state.seq, end, words, icon=":material/download:")
        if st.button("Save more", key="end_exports", type="tertiary", icon=":material/folder_open:"):
            st.switch_page(shell.SESSIONS, query_params={CHOSEN: work.row.id})
        if st.button("Next session", key="end_next", type="tertiary", icon=":material/arrow_forward:"):
            st.switch_page(shell.SET_UP)
