"""The Screen page: the document and the verdict, reasons on request, and the answers in a bar that stays in sight."""

from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from dashboard.frame import people, shell
from dashboard.frame.drawing import save_menu
from dashboard.frame.scripts import ARRIVAL_SCRIPT, KEYS_SCRIPT, PASTING_SCRIPT, REVIEWER_SCRIPT
from dashboard.frame.widgets import save_button
from dashboard.frame.work import (
    LABEL,
    MANAGE,
    NAMELESS,
    REVIEWER,
    Work,
    attempt,
    button,
    clock,
    dialog_button,
    finish,
    flash,
    go_to,
    kept_name,
    nothing_edited,
    open_work,
    reviewer,
)
from dashboard.parts import application as own_application
from dashboard.parts import learning
from dashboard.parts.evidence import panel
from dashboard.parts.sessions import CHOSEN, file_stem, imported
from dashboard.screen import advising, at_stake, full_text, reading, several, verdicts, why
from dashboard.screen.full_text import EVIDENCE
from dashboard.screen.reading import block
from tarstop_core.errors import InputProblem
from tarstop_core.evidence.report import About
from tarstop_core.evidence.words import Actions
from tarstop_core.screening.events import KEYED, LONGEST_REASON, reasons_event, reasons_given
from tarstop_core.screening.labels import RELEVANT
from tarstop_core.screening.provenance import provenance
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.setting_aside import after_plan
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import about_documents
from tarstop_core.sessions.demo import start_demo
from tarstop_core.sessions.export import full_texts_csv, tables_csv, trace_csv

AT_STAKE = "at_stake"
MORE = "more"
REASONS = "reasons"
"""Value of `Work.editing` while reasons to exclude are entered."""
ASKED_NAME = "_reviewer_asked"
NOTHING_OPEN = "No session is open here. Continue one from Home, try the demo, or bring your own documents."


def screen_page() -> None:
    """Draw the page for the session in the URL."""
    try:
        work = open_work()
    except InputProblem as problem:
        shell.problem_box(problem)
        work = None
    if work is None:
        _nothing_open()
        return
    # The scripts ignore a held key, which would label documents that nobody saw, and take keys back from sliders.
    # They run once, when the page is opened; a label redraws only the fragment below.
    shell.apart(KEYS_SCRIPT + PASTING_SCRIPT + ARRIVAL_SCRIPT, "scripts")
    screening(work)


def _nothing_open() -> None:
    """A preview of the page, and links to a session, if none is open."""
    shell.opening("Screen", NOTHING_OPEN)
    with st.container(horizontal=True, gap="small", key="nothing-open"):
        if st.button("Start the demo", type="primary"):
            with shell.problems_shown():
                go_to(start_demo(shell.store(), reviewer()))
        for words, page in (("Go to Home", shell.HOME), ("Set up a session", shell.SET_UP)):
            if st.button(words):
                st.switch_page(page)
    st.html(Path(__file__).with_name("preview.html"))


@st.fragment
@shell.problems_shown()
@shell.in_one_piece()
def screening(work: Work) -> None:
    """The part of the page that a label redraws."""
    work.reader = reviewer()
    with work.store.at_once():
        work.refresh()
        work.may = work.store.actions("session", work.stored.id)
    if work.held and not work.deleted:
        attempt(work.record_held)
    learns = LABEL in work.may and work.state.settings.learns
    if learns:
        learning.learn(work)
    state = work.state
    what_if = at_stake.what_if(state, work.what_if) if state.plan and work.what_if else None
    settings = what_if or state.settings
    advice = work.advice(state.settings)
    tried = work.advice(what_if) if what_if else advice

    _header(work, state)
    if state.imported:
        imported(provenance(work.events))
    reading.question(work)
    flash()
    if work.reporting is not None and state.labels[work.reporting] != RELEVANT:
        work.reporting = None  # Another tab took its inclusion back
    reporting = work.reporting
    resolving = several.on_show(work) if work.settling else None
    at, flag = reading.looking_at(work), None
    document_side, advice_side = st.columns([1.25, 1], gap="large")
    with document_side:
        if reporting is not None:
            full_text.report(work, work.in_full, reporting)
        elif resolving is not None:
            several.document(work, resolving)
        else:
            flag = reading.document(work, at, advice)
        # Hidden; the page's script writes the number of the document of a pressed link into it.
        st.text_input("Document to look at", key=reading.LOOK, on_change=reading.look, args=(work,))
        if settings.reads_full_texts:
            place = None if at is None else work.row.ids.index(work.own.row.ids[at])
            full_text.to_table(work, state, place if reporting is None else reporting)
        if st.session_state.pop(reading.TO_TOP, False):
            # The form is longer than the next document, whose title would otherwise be above the window.
            shell.apart(ARRIVAL_SCRIPT, "arrival")
    with advice_side, st.container(key="advised"):
        if state.decision is not None and what_if is None:
            advising.decided(work, state, state.decision)
        else:
            advising.advice_panel(work, state, advice, tried, what_if)
        why.panel(work, state, settings, tried)
        reading_on = reporting is None and resolving is None and at == work.own.state.depth
        advising.curves(work, state, settings, tried)
        if state.settings.learns or state.fit or state.put_back:
            learning.line(work, state, reading_on=reading_on and not state.stopped)
    _below(work, state, settings, what_if)
    if work.deleted:
        _deleted(work)
    elif reporting is None:
        if work.unsigned:
            _whose(work)
        elif resolving is not None:
            several.bar(work, resolving)
        else:
            verdicts.bar(work, work.own.state, at, advice, flag)
    if learns:
        work.prefetch()
    if work.editing == advising.EDITING:
        advising.dialog(work, state, advice)
    elif work.editing == REASONS:
        _reasons_dialog(work, state)
    elif work.editing == own_application.EDITING:
        own_application.dialog(work, state)


def _header(work: Work, state: State) -> None:
    saved = f"saved {clock(state.last_time)}" if state.last_time else "saved at once"
    about = about_documents(work.collection.simulated, state.settings)
    if state.plan is not None:
        deviated = state.deviations or after_plan(work.events)
        about.append("plan registered, deviated from" if deviated else "plan registered")
    with st.container(horizontal=True, vertical_alignment="bottom", key="header"):
        st.html(block("header", work.row.name, about, saved, _counted(work, state)), width="stretch")
        if (aside := len(state.aside) + len(state.aside_read)) and MANAGE in work.may:
            own_application.opener(work, f"{aside:,} set aside", "open_aside", type="tertiary")
        _name(work)


def _counted(work: Work, state: State) -> str:
    """Progress of the session: '17 of 312 screened · 5 included · 3 with data · 2 reports waiting'."""
    parts = [f"{state.depth:,} of {len(work.row.ids):,} screened"]
    if work.several is not None:
        parts[0] += " by all"
        parts += [f"{work.several.read_by(name):,} by {name}" for name in state.settings.readers.names]
    parts += scenario_of(state.settings).counted(state)
    if len(state.unsure):
        parts.append(f"{len(state.unsure)} {'to resolve' if work.several else 'unsure'}")
    if state.kept:
        parts.append(f"{state.kept:,} came with labels")
    # No line breaks within a part or before the dot that follows it.
    short = " ·\n".join(parts[1:]).replace(" ", "\u00a0").replace("\n", " ")
    return f"{parts[0]}\u00a0· {short}" if short else parts[0]


def _evidence(work: Work, state: State, settings: Settings) -> None:
    """The fold with what the studies so far show together."""
    scenario = scenario_of(settings)
    summary = scenario.evidence(settings, state)
    with st.container(key="evidence"), _folded("Evidence", EVIDENCE) as folded:
        if not folded.open:
            return
        if not len(state.evidence):
            st.caption(
                f"No report has brought {scenario.find} yet. This page will show what they say together."
            )
            return
        full_text.tables(work, state)
        if summary is None:
            return
        if st.button("Open in Evidence", key="open_in_evidence", icon=":material/lab_profile:"):
            st.switch_page(shell.EVIDENCE, query_params={CHOSEN: work.row.id})
        how: dict[str, Any] = {"key": f"evidence_{work.row.id}", "file_stem": file_stem(work.row.name)}
        lacking = scenario.lacking(settings, state)
        actions = Actions(settings.plus, settings.minus, lacking, settings.actions[2:])
        about = About(work.row.name, actions=actions, simulated=work.collection.simulated)
        panel(summary, settings.payoffs, about, **how)


def _below(work: Work, state: State, settings: Settings, what_if: Settings | None) -> None:
    """Folds below the document, whose contents are drawn only if they are open, because drawing them takes long."""
    if settings.reads_full_texts:
        if work.reporting is None:
            full_text.queue(work, work.in_full)
        _evidence(work, state, settings)
    if work.several is not None:
        several.panel(work)
    if MANAGE in work.may:
        with _folded("What is at stake" if settings.weighs else "When to stop", AT_STAKE) as folded:
            if folded.open:
                at_stake.panel(work, state, settings, what_if)
    with _folded("Save, reasons to exclude", MORE) as folded:
        if folded.open:
            _more(work, state, settings)


def _folded(label: str, key: str) -> Any:
    return st.expander(label, key=key, on_change="rerun", type="compact")


def _more(work: Work, state: State, settings: Settings) -> None:
    """The contents of the fold for files, the application and reasons to exclude."""
    with st.container(horizontal=True, gap="small"):
        if "export" in work.may:
            with save_menu():
                _files(work, state, settings)
        if settings.grades and MANAGE in work.may:
            own_application.opener(
                work, "Your application: number and date", "open_application", width="stretch"
            )
        if LABEL in work.may:
            count = f" ({len(state.reasons)})" if state.reasons else ""
            dialog_button(work, f"Reasons to exclude{count}", "open_reasons", REASONS, width="stretch")


@st.dialog("Reasons to exclude", on_dismiss=nothing_edited)
def _reasons_dialog(work: Work, state: State) -> None:
    """Ask for reasons and their names; a new name also applies to earlier exclusions."""
    given = reasons_given(state)
    renamed = "A new name also applies to earlier exclusions. If you empty a name, the reason is no longer offered; earlier exclusions stay."
    words = (
        f"Each becomes a button and a line of the flow diagram; the first {KEYED} have their number as key."
    )
    st.caption(f"{words} {renamed}" if state.reasons else words)
    with st.form("reasons", border=False):
        kept = {
            reason: st.text_input(
                f"Reason {at}" + (f", given {given[reason]:,}×" if given[reason] else ""),
                value=reason,
                max_chars=LONGEST_REASON,
                key=f"reason_kept_{state.seq}_{at}",
            )
            for at, reason in enumerate(state.reasons, start=1)
        }
        asked = f"{'More' if state.reasons else 'Your'} reasons, one a line"
        hint = "" if state.reasons else scenario_of(state.settings).reasons
        typed = st.text_area(asked, height=140, placeholder=hint, key=f"reasons_new_{state.seq}")
        pressed = st.form_submit_button("Save the reasons", type="primary", width="stretch")
    if pressed:
        finish(lambda: work.record(reasons_event(state, kept, typed.splitlines()), state.seq))


def _files(work: Work, state: State, settings: Settings) -> None:
    exports = [("Every document read (CSV)", "trace", trace_csv, state.depth == 0)]
    if settings.reads_full_texts:
        exports += [
            ("The studies (CSV)", "tables", tables_csv, not len(state.evidence)),
            ("The full-text log (CSV)", "full-texts", full_texts_csv, not state.relevant),
        ]
    for words, name, rows, empty in exports:
        file, how = f"{file_stem(work.row.name)}-{name}.csv", {"disabled": empty, "width": "stretch"}
        save_button(words, partial(rows, work), file, key=f"export_{name}", **how)


def _name(work: Work) -> None:
    """The reader's name on a button that changes it, which the browser remembers; a login's name is fixed."""
    if people.person():
        return
    # A changed name makes a new element, so its script runs again.
    st.html(f"{block('reviewer', kept_name())}{REVIEWER_SCRIPT}", unsafe_allow_javascript=True)
    with st.popover(shell.escape_label(reviewer() or "Your name"), type="tertiary", key="who"):
        _name_field("Your name, recorded with every label from now on", work, "_reviewer_field")


def _deleted(work: Work) -> None:
    """Say, in place of the answers, that the session was deleted."""
    kept = "What you pressed is kept in this window and will count then." if work.held else ""
    with st.container(key="bar"), st.container(horizontal=True, gap="small", vertical_alignment="center"):
        words = "This session was deleted, by somebody else or in another window."
        st.html(block("alert", words, f"Nothing is recorded until you bring it back. {kept}"))
        back = (work.store.restore_session, work.stored.id)
        if MANAGE in work.may:
            button("Bring it back", *back, key="bring_back", type="primary")


def _whose(work: Work) -> None:
    """Ask for the reader's name in place of the answers."""
    with st.container(key="bar"), st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        _name_field("Your name, recorded with every label and decision", work, ASKED_NAME)
        st.button("OK", key="whose_on", type="primary")
        button("Without a name", st.session_state.update, {REVIEWER: NAMELESS}, key="nameless")


def _name_field(words: str, work: Work, key: str) -> None:
    def named() -> None:
        st.session_state[REVIEWER] = str(st.session_state[key]).strip()

    st.text_input(
        words, value=reviewer(), key=key, placeholder=work.last_reviewer, max_chars=80, on_change=named
    )
