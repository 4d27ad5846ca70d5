"""The document on the page: its text, its verdict, and what waits for a second look."""

import html

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import lasting, press
from dashboard.frame.work import Work, attempt, reviewer, say
from dashboard.parts import document as shown
from dashboard.parts.document import document_html, query_to_mark
from dashboard.screen import grading, verdicts
from dashboard.screen.deciding import EDITING
from tarstop_core.documents.application import Flag
from tarstop_core.presentation.numbers import percent
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.log import Event, last_undoable
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.state import State
from tarstop_core.sessions.answers import sample_criteria

UNDONE = {
    "label": "verdict on",
    "relabel": "changed verdict on",
    "confirm": "answer about",
    "report": "report of",
}


def document(work: Work, state: State, at: int | None, advice: Advice) -> None:
    back = at is not None and at < state.depth
    found: tuple[Flag, ...] = ()
    # A row of reasons leaves less room; what asks to confirm a hit stays on the screen.
    height = 310 if state.reasons and state.settings.kind.grades else 430
    with st.container(height=height, border=False, key="document"):
        if at is None:
            st.html('<div class="tar-word">You have read every document.</div>')
            st.write("Stop and decide below, or look back with the arrow.")
        else:
            record = work.document(at)
            chance = "" if back or state.hit is not None else _chance(work, state, at, advice)
            score = None if work.row.scores is None else float(work.row.scores[at])
            found = shown.flagged(record, state)
            lead = shown.flags_html(found)
            st.html(document_html(record, at, state, query_to_mark(work), score, chance, lead))
    doc = work.shown = work.row.ids[at] if at is not None else ""
    blocked = at is None or work.busy or (state.stopped and not back)
    verdicts.bar(work, state, doc, blocked, next((flag for flag in found if flag.asks), None))
    _helpers(work, state, at, doc, advice)
    if doc and work.noting == doc:
        name = shell.escape_label(reviewer() or "you")
        st.text_area(
            f"Note on this document, by {name} (Ctrl+Enter stores it)",
            value=state.notes.get(doc, ""),
            key=f"note_text_{doc}",
            on_change=_store_note,
            args=(work, doc, state.seq),
        )
    elif doc and doc in state.notes:
        st.html(f'<div class="tar-literal"><em>Note:</em> {html.escape(state.notes[doc])}</div>')
    to_settle(work, state)


def _helpers(work: Work, state: State, at: int | None, doc: str, advice: Advice) -> None:
    """Undo, note, looking back, and the way out."""
    back = at is not None and at < state.depth
    with st.container(horizontal=True, key="helpers", gap="small"):
        shut = work.busy
        final = shut or not state.can_undo or state.stopped
        press("Undo", _undo, work, state.seq, key="undo", shortcut="z", disabled=final)
        blocked = bool(work.editing) or at is None
        words, to, by = ("Close the note", "", None) if work.noting else ("Note", doc, "n")
        press(words, setattr, work, "noting", to, key="note", shortcut=by, disabled=blocked)
        before = (at if at is not None else state.depth) - 1
        press("Earlier", work.look, before, key="earlier", shortcut="Left", disabled=shut or before < 0)
        if back and at is not None:
            after = None if at + 1 >= state.depth else at + 1
            press("Later", work.look, after, key="later", shortcut="Right", disabled=shut)
            press("Back to the next document", work.look, None, key="front", shortcut="Esc")
        decide = (setattr, work, "editing", EDITING)
        if not state.stopped:
            loud = "primary" if advice.says_stop else "secondary"
            press("Stop and decide", *decide, key="stop", type=loud)
        elif state.decision is None:
            press("Decide", *decide, key="decide", type="primary")
        if state.stopped:
            press("Keep screening", work.record, Event("continued"), state.seq, key="continue")


def to_settle(work: Work, state: State) -> None:
    """Hits to confirm and unsure documents: what waits for a second look."""
    for at in state.pending[:3]:
        doc = work.row.ids[at]
        with st.container(border=True, key=f"confirm_{at}"):
            title = shell.escape_markdown(work.document(int(at)).title or "Untitled")
            st.markdown(
                f"**Does document #{at + 1}{shown.settled_with(state, int(at))} settle the question?** “{title}” counts only once "
                "you confirm it."
            )
            yes, no, look = st.columns(3)
            for column, words, holds, by in ((yes, "It holds", True, "h"), (no, "It does not", False, "d")):
                said = Event("confirm", {"doc": doc, "holds": holds})
                how = {"at": column, "width": "stretch", "disabled": work.busy}
                how["shortcut"] = by if at == state.pending[0] else None
                press(words, work.record, said, state.seq, key=f"holds_{at}_{holds}", **how)
            press("Read it again", work.look, int(at), key=f"again_{at}", at=look, width="stretch")
    if len(state.unsure):
        with st.container(horizontal=True, key="unsure", gap="small", vertical_alignment="center"):
            st.caption("Unsure, to be settled:", width="content")
            for at in state.unsure[:8]:
                press(f"#{at + 1}", work.look, int(at), key=f"unsure_{at}")
            if len(state.unsure) > 8:
                st.caption(f"and {len(state.unsure) - 8} more", width="content")
    if state.settings.kind.grades:
        grading.graded(work, state)


def _chance(work: Work, state: State, at: int, advice: Advice) -> str:
    """How likely the next document is to be what is looked for."""
    settings = state.settings
    p = float(work.paths(settings).path.p[at])
    hope, chance = scenario_of(settings).chance_words(settings, advice.rho, p)
    return f"chance to {hope} {percent(chance)}"


def _undo(work: Work, seen: int) -> None:
    last = last_undoable(work.events)
    attempt(work.record, Event("undo"), seen)
    if last is not None and work.events[-1].kind == "undo":
        at = work.row.ids.index(str(last.payload["doc"])) + 1
        say(f"Undone: the {UNDONE[last.kind]} #{at}.")
    work.look(None)


def _store_note(work: Work, doc: str, seen: int) -> None:
    text = str(st.session_state[f"note_text_{doc}"])
    attempt(work.record, Event("note", {"doc": doc, "text": text}), seen)
    work.noting = ""


def looking_at(work: Work, state: State) -> int | None:
    """The document on show: an earlier one being looked back at, else the next; None at the end."""
    if work.looking_at is not None and work.looking_at < state.depth:
        return work.looking_at
    return state.depth if state.depth < len(work.row.ids) else None


def question(work: Work) -> None:
    """What every document is held against."""
    criteria = sample_criteria(work)
    included = f'<div class="tar-literal">Included: {html.escape(criteria)}</div>' if criteria else ""
    if work.row.query:
        with st.container(border=True, key="question"):
            st.html(
                '<div class="tar-meta">You are looking for</div>'
                f'<div class="tar-literal">{html.escape(work.row.query)}</div>{included}'
            )
            st.toggle(
                "Underline its words in the documents",
                value=True,
                **lasting(shown.MARKING),
                help="Other forms of a word count too: folded for fold, Gerät for Gerat.",
            )
