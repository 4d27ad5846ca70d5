"""The bar at the bottom: two large answers, other verdicts and reasons, and buttons to move, undo and decide."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import go_to_one
from dashboard.frame.work import (
    LABEL,
    MANAGE,
    Work,
    attempt,
    button,
    finish,
    nothing_edited,
    reviewer,
    say,
)
from dashboard.parts.document import settled_with, shortened, verdict_on
from dashboard.screen import advising, several
from dashboard.screen.reading import block, pair
from tarstop_core.documents.application import Flag
from tarstop_core.presentation.numbers import listed
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.events import KEYED
from tarstop_core.screening.labels import (
    BACKGROUND,
    CODES,
    COMBINATION,
    IRRELEVANT,
    RELEVANT,
    UNSEEN,
    UNSURE,
    Label,
)
from tarstop_core.screening.log import Event, last_undoable
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.setting_aside import may_leave, return_event, set_aside_event
from tarstop_core.screening.state import State

KEYS: dict[Label, str] = {
    "relevant": "i",
    "irrelevant": "e",
    "unsure": "u",
    "combination": "y",
    "background": "a",
}
SETTLES = "x"
"""Shortcut of the grade X, for which I works as well."""
LARGE: tuple[Label, ...] = ("irrelevant", "relevant")
SMALL: tuple[Label, ...] = ("unsure", "combination", "background")
"""`LARGE` and `SMALL`: verdicts with large and with small buttons."""
UNDONE = {
    "label": "verdict on",
    "relabel": "changed verdict on",
    "confirm": "answer about",
    "report": "report of",
}
FIRST = (RELEVANT, UNSURE, COMBINATION, BACKGROUND, IRRELEVANT)
"""Order of verdicts in the list of documents to jump to, after hits that wait for confirmation."""
SET_ASIDE = (
    "It cannot be prior art, so it is no evidence: the chance is as if it had never been "
    "in the list. You can return it under “Your application”."
)
STRANGER = "You can resolve their disagreements. To read it yourself, choose your name as written here."
LOOKS_ON = "An owner of it can let you label."
ASIDE, RETURN = "Set aside", "Return to the evidence"
DEVIATION = "deviation"
"""Value of `Work.editing` while a person gives a reason for setting aside or returning a document after a plan."""
WHY_DEVIATE = "Why do you deviate from the plan?"
ASKED = {
    "own": "of your own family",
    "late": "published too late",
    "earlier": "an earlier filing that was published later",
}


def bar(work: Work, state: State, at: int | None, advice: Advice, flag: Flag | None) -> None:
    """Draw the bar; with a `flag`, a reason why the document cannot settle the question, a hit must be confirmed."""
    doc = work.own.row.ids[at] if at is not None else ""
    back = at is not None and at < state.depth
    stranger = work.several is not None and work.reader not in state.settings.readers.names
    looks_on = LABEL not in work.may
    blocked = at is None or work.busy or (state.stopped and not back) or stranger
    waits = at is not None and at in state.pending and not looks_on
    asking = flag is not None and work.asking == doc
    given = int(state.labels[at]) if back and at is not None else UNSEEN
    with st.container(key="bar", gap="small"):
        st.html(advising.line(work, work.state, advice))
        if looks_on:
            st.html(block("alert", "You may look at this session.", LOOKS_ON))
        elif stranger:
            st.html(block("alert", f"This list is read by {listed(state.settings.readers.names)}.", STRANGER))
        if doc and work.noting == doc:
            _note(work, state, doc)
        if work.jumping:
            _jump(work, state)
        if state.reasons and not (waits or looks_on):
            excluded, _ = scenario_of(state.settings).verdicts(state.settings)["irrelevant"]

            def exclude(reason: str) -> None:
                judge(work, doc, "irrelevant", state.seq, reason=reason)

            key = f"because_{{}}_{work.turn}"
            reason_row(state, f"{excluded}, because:", exclude, key=key, disabled=blocked)
        with st.container(horizontal=True, key="answers", gap="small", vertical_alignment="center"):
            if waits and at is not None:
                _confirm(work, state, at)
            elif asking and flag is not None:
                _asked_first(work, state, doc, flag)
            elif not looks_on:
                with st.container(horizontal=True, key="labels", gap="small"):
                    _verdicts(work, state, doc, blocked, LARGE, given, asks=flag is not None)
            with st.container(horizontal=True, key="helpers", gap="small", vertical_alignment="center"):
                if not (waits or asking or looks_on):
                    _verdicts(work, state, doc, blocked, SMALL, given, asks=False)
                _helpers(work, state, at, doc, advice, None if waits or asking else flag)
                if not looks_on:
                    st.html(block("more", state.seq))


def _verdicts(
    work: Work, state: State, doc: str, blocked: bool, which: Sequence[Label], given: int, *, asks: bool
) -> None:
    """A button for each of these verdicts, with a mark on the given one; with `asks` the one for a hit asks first."""
    settings = state.settings
    offered = scenario_of(settings).verdicts(settings)
    for verdict in which:
        if verdict not in offered:
            continue
        name, hint = offered[verdict]
        hit, mine = verdict == "relevant", CODES[verdict] == given
        button(
            f"✓ {name}" if mine else name,
            *((_ask, work, doc) if asks and hit else (judge, work, doc, verdict, state.seq)),
            # Each document has its own keys, so that a late press never labels the next document.
            key=f"label_{verdict}_{work.turn}",
            shortcut=SETTLES if hit and settings.grades else KEYS[verdict],
            width="stretch" if verdict in LARGE else "content",
            type="secondary" if mine or verdict in LARGE else "tertiary",
            help=hint or None,
            disabled=blocked,
        )


def _helpers(work: Work, state: State, at: int | None, doc: str, advice: Advice, flag: Flag | None) -> None:
    """Buttons for notes, undo, looking back, setting aside and deciding, as far as the person's role allows them."""
    quiet = partial(button, type="tertiary")
    shut, back = work.busy, at is not None and at < state.depth
    if (labels := LABEL in work.may) and work.noting:
        # It has another key than the button that opens the note, or a late second press would open it again.
        quiet("Close the note", setattr, work, "noting", "", key="close_note", shortcut="Esc")
    elif labels:
        blocked = bool(work.editing) or at is None
        quiet("Note", setattr, work, "noting", doc, key="note", shortcut="n", disabled=blocked)
    if labels:
        final = shut or not state.can_undo or state.stopped
        quiet("Undo", _undo, work, state.seq, key="undo", shortcut="z", disabled=final)
    asked = at in state.pending or bool(doc and work.asking == doc)
    before = (at if at is not None else state.depth) - 1
    none = shut or before < 0
    if not asked:
        quiet("Earlier", work.look, before, key="earlier", shortcut="Left", disabled=none)
    if back and at is not None and not asked:
        after = at + 1 if at + 1 < state.depth else None
        quiet("Later", work.look, after, key="later", shortcut="Right", disabled=shut)
    if work.jumping:
        quiet("Close the list", setattr, work, "jumping", False, key="close_jump", shortcut="Esc")
    elif not asked:
        jump = (setattr, work, "jumping", True)
        quiet("Jump to", *jump, key="jump", shortcut="j", disabled=shut or not state.depth)
    if back and not work.jumping:
        shut_by = None if work.asking or work.noting else "Esc"
        words = "Confirm later" if at in state.pending else "Next unread"
        quiet(words, work.look, None, key="front", shortcut=shut_by)
    if labels and (waiting := [int(place) for place in state.pending if place != at]):
        by, first = None if at in state.pending else "h", waiting[0]
        loud = "primary" if advice.headline == "confirm" and at not in state.pending else "tertiary"
        what = (f"Confirm #{first + 1}", work.look, first)
        button(*what, key="to_confirm", type=loud, shortcut=by, disabled=shut)
    if len(state.combination) > 1 and labels:
        pair(work, state)
    if work.several is not None:
        several.opener(work)
    if state.settings.reads_full_texts and labels:
        reports = [int(place) for place in work.in_full.waiting] if work.reads_in_full else []
        button(
            "Read the next report",
            work.open_report,
            *reports[:1],
            key="next_report",
            type="primary" if advice.headline == "reports" and reports and not state.stopped else "tertiary",
            shortcut="f",
            disabled=not reports or shut,
        )
    if labels:
        _set_aside(work, state, at, doc, flag)
    if MANAGE not in work.may:
        return
    decide = (setattr, work, "editing", advising.EDITING)
    if not state.stopped:
        loud = "primary" if advice.says_stop else "tertiary"
        button("Stop and decide", *decide, key="stop", type=loud)
    elif state.decision is None:
        button("Decide", *decide, key="decide", type="primary")
    if state.stopped:
        button("Keep screening", work.record, Event("continued"), state.seq, key="continue")


def _set_aside(work: Work, state: State, at: int | None, doc: str, flag: Flag | None) -> None:
    """The button that sets the document on the page aside as no evidence, or returns it."""
    how: dict[str, Any] = {"key": f"aside_{work.turn}", "type": "tertiary", "disabled": work.busy}
    if state.drawn is not None or at is None:
        return
    if at in state.aside_read:
        change, words = partial(return_event, state, [doc]), RETURN
        done = f"Returned: #{at + 1} counts again."
    elif flag is not None and flag.bars and may_leave(state, at):
        change, words = partial(set_aside_event, state, work.row.ids, {doc: flag}), ASIDE
        done, how["help"] = "Set aside: it is no evidence.", SET_ASIDE
    else:
        return

    def record(reason: str = "") -> None:
        work.record(change(reason=reason), state.seq)
        if not work.held:
            say(done)

    if state.plan is None:
        button(words, record, **how)
    else:
        button(words, setattr, work, "editing", DEVIATION, **how)
        if work.editing == DEVIATION:
            _deviation(words, record)


def _deviation(words: str, record: Callable[[str], None]) -> None:
    """Ask why a document is set aside or returned after a plan was registered."""

    @st.dialog(words, on_dismiss=nothing_edited)
    def dialog() -> None:
        reason = st.text_input(WHY_DEVIATE)
        if st.button("Save", type="primary", width="stretch", disabled=not reason.strip()):
            finish(record, reason)

    dialog()


def _note(work: Work, state: State, doc: str) -> None:
    """The field for the note on the document on the page."""

    def store() -> None:
        text = str(st.session_state[f"note_text_{doc}"])
        attempt(work.record, Event("note", {"doc": doc, "text": text}), state.seq)
        work.noting = ""

    name = shell.escape_label(reviewer() or "you")
    st.text_area(
        f"Note on this document, by {name}",
        value=state.notes.get(doc, ""),
        key=f"note_text_{doc}",
        height=100,
        on_change=store,
    )


def _jump(work: Work, state: State) -> None:
    """A box with every document read, in the order of :data:`FIRST`."""
    read = list(range(state.depth))
    pending = set(map(int, state.pending))
    read.sort(key=lambda at: (at not in pending, FIRST.index(int(state.labels[at]))))
    names = {
        at: f"#{at + 1} · {verdict_on(state, at)} · {record.title or 'Untitled'} · {record.publication_number or record.id}"
        for at, record in zip(read, work.own.reports_of(read), strict=True)
    }
    words = "Jump to a document: its number, its publication number or id, or words of its title"
    hint = "Its number, publication number or id, or words of its title …"
    go_to_one(words, names, work.look, key="jump_to", placeholder=hint)


def _confirm(work: Work, state: State, at: int) -> None:
    """The question, in place of the answers, whether a hit is confirmed."""
    doc = work.row.ids[at]

    def confirmed(event: Event) -> None:
        work.record(event, state.seq)
        work.look(None)

    with st.container(horizontal=True, key=f"confirm_{at}", gap="small", vertical_alignment="center"):
        sought = f"Does document #{at + 1}{settled_with(state, at)} settle the question?"
        st.html(block("alert", sought, "It counts once you confirm it."))
        for words, holds, by in (("It does not", False, "d"), ("It holds", True, "h")):
            loud, event = ("secondary", "primary")[holds], Event("confirm", {"doc": doc, "holds": holds})
            button(
                words,
                confirmed,
                event,
                key=f"holds_{holds}_{work.turn}",
                shortcut=by,
                type=loud,
                width="stretch",
                disabled=work.busy or state.stopped,
            )


def reason_row(state: State, words: str, choose: Callable[[str], None], *, key: str, disabled: bool) -> None:
    """A button for each reason to exclude a document or report; the first ones have their number as shortcut."""
    with st.container(horizontal=True, key="reasons_row", gap="small", vertical_alignment="center"):
        st.caption(words, width="content")
        for at, reason in enumerate(state.reasons, start=1):
            button(
                shell.escape_label(shortened(reason)),
                choose,
                reason,
                key=key.format(at),
                shortcut=str(at) if at <= KEYED else None,
                disabled=disabled,
            )


def judge(work: Work, doc: str, verdict: Label, seen: int, **more: str) -> None:
    """Record a verdict and go on to the next document.

    A hit that needs confirmation stays on the page, where it can also get a note. A review in one stage opens the form
    for the table at once.
    """
    attempt(work.label, doc, verdict, seen, **more)
    work.look(None)
    if verdict != "relevant":
        return
    settings, at = work.state.settings, work.row.ids.index(doc)
    if at in work.state.pending:
        work.look(at)
    elif settings.reads_full_texts and not settings.two_stages and at in work.in_full.waiting:
        work.open_report(at)


def _undo(work: Work, seen: int) -> None:
    last = last_undoable(work.own.events)
    attempt(work.record, Event("undo"), seen)
    work.look(None)
    if last is not None and work.state.seq > seen and work.own.events[-1].kind == "undo":
        at = work.own.row.ids.index(str(last.payload["doc"]))
        say(f"Undone: the {UNDONE[last.kind]} #{at + 1}.")
        if at in work.state.pending:
            work.look(at)


def _ask(work: Work, doc: str) -> None:
    work.asking = doc if doc == work.doc_on_page else ""


def _asked_first(work: Work, state: State, doc: str, flag: Flag) -> None:
    """The question, in place of the answers, whether a flagged document is a hit nevertheless."""
    with st.container(horizontal=True, key="labels_asked", gap="small", vertical_alignment="center"):
        sought = f"This document is {ASKED[flag.kind]}; does it settle the question anyway?"
        st.html(block("alert", sought, ""))
        answer = partial(button, width="stretch", disabled=work.busy)
        background = partial(judge, work, doc, "background", state.seq)
        answer("Background", background, key=f"asked_background_{work.turn}", shortcut="a")
        anyway = partial(judge, work, doc, "relevant", state.seq, despite=flag.words)
        answer("It is X anyway", anyway, key=f"asked_relevant_{work.turn}")
        answer("Back", _ask, work, "", key=f"asked_back_{work.turn}", shortcut="Esc")
