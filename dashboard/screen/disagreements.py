"""What readers leave open, one document after the other: what they differ on, and draws among what all of them excluded."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.markup import bullets
from dashboard.frame.widgets import press
from dashboard.frame.work import MANAGE, Work, attempt
from dashboard.parts import document as shown
from dashboard.screen import verdict_files, who_next
from dashboard.screen.reading import block, others_said
from tarstop_core.presentation.numbers import count_of
from tarstop_core.screening.events import checked_event, opened_event, resolved_event
from tarstop_core.screening.independent import Judged, SeveralReaders
from tarstop_core.screening.labels import Label
from tarstop_core.sessions.agreeing import in_words

NOTE = "resolution_note"
ANSWERS: dict[Label, tuple[str, str]] = {"irrelevant": ("Exclude", "e"), "relevant": ("Include", "i")}
DIFFER, DRAWS = "differ", "draws"
"""What is settled: what readers differ on, or what was drawn at random among what all excluded."""
FOLDED = "readers"
AUDIT = (
    "Readers who agree may be wrong together. Some of what all excluded, drawn at random and judged again, says how much they "
    "missed, whatever they have in common."
)
OPENING = "Everybody then sees all verdicts at once; the report says who opened them, and when."


def opener(work: Work) -> None:
    """The button that opens the queue; nothing where readers differ on nothing."""
    assert work.several is not None
    if (waiting := len(work.several.waiting)) and "adjudicate" in work.may:
        words = f"Resolve {count_of(waiting, 'disagreement', 'disagreements')}"
        how: dict[str, Any] = {"type": "tertiary", "shortcut": "d", "disabled": work.busy}
        press(words, _open, work, DIFFER, key="disagreements", **how)


def panel(work: Work) -> None:
    """How far readers agree, what all may have overlooked, and the draws that would say so; drawn when somebody looks."""
    several, seen = work.several, work.state.seq
    assert several is not None
    with st.expander("Readers", key=FOLDED, on_change="rerun", type="compact") as folded:
        if not folded.open:
            return
        st.html(bullets(in_words(several) or ["Nothing has been judged by two readers yet."]))
        who_next.panel(work)
        with st.container(horizontal=True, gap="small"):
            if undrawn(several) and "adjudicate" in work.may:
                words = "Judge a random one that all excluded"
                press(words, _open, work, DRAWS, key="audit_next", help=AUDIT)
            if MANAGE not in work.may:
                return
            if several.opened is None:
                how: dict[str, Any] = {"key": "open_verdicts", "type": "tertiary", "help": OPENING}
                press("Open all verdicts", work.settle, opened_event, seen, work.reader, **how)
            verdict_files.form(work)


def undrawn(several: SeveralReaders) -> Sequence[str]:
    """The documents that are drawn next, in their order."""
    return several.excluded_by_all[len(several.drawn) :]


def on_show(work: Work) -> Judged | None:
    """The document that is settled on the page: the first that was not left for later; None where there is none."""
    several = work.several
    assert several is not None
    if work.settling == DRAWS:
        waiting = [several.judged[doc] for doc in undrawn(several)[:1]]
    else:
        waiting = [judged for judged in several.waiting if judged.doc not in work.passed_over]
    if not waiting:
        work.settling = ""
        return None
    return waiting[0]


def document(work: Work, judged: Judged) -> None:
    """The document that is settled, below what each said of it."""
    work.show(judged.doc)
    at = work.row.ids.index(judged.doc)
    with st.container(height=430, border=False, key="document"):
        text = shown.opened_html(work, at, others_said(work, judged.doc))
        st.html(block("reading", text, f"{work.row.id} {judged.doc}", (), ()))


def bar(work: Work, judged: Judged) -> None:
    """The answers, in the place where they are when a document is read."""
    several, seen, differ = work.several, work.state.seq, work.settling == DIFFER
    assert several is not None
    words = (
        f"Readers differ: {len(several.waiting):,} to resolve." if differ else "Everybody excluded this one."
    )
    more = "Your answer is recorded under your name." if differ else f"{len(several.drawn):,} drawn so far."
    with st.container(key="bar", gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.html(block("alert", words, more), width="content")
            note = _note(work) if differ else ""
        with st.container(horizontal=True, key="answers", gap="small", vertical_alignment="center"):
            with st.container(horizontal=True, key="labels", gap="small"):
                for label, (answer, key) in ANSWERS.items():
                    what = partial(_settle, work, judged.doc, label, seen, note)
                    press(answer, what, key=f"settle_{label}_{work.turn}", shortcut=key, width="stretch")
            with st.container(horizontal=True, key="helpers", gap="small", vertical_alignment="center"):
                if reasons := work.state.reasons:
                    with st.popover("Exclude, because", type="tertiary", key="settle_reasons"):
                        for at, reason in enumerate(reasons):
                            what = partial(_settle, work, judged.doc, "irrelevant", seen, note, reason)
                            how: dict[str, Any] = {"key": f"settle_{at}_{work.turn}", "type": "tertiary"}
                            press(shell.escape_label(reason), what, **how)
                quiet = partial(press, type="tertiary")
                if differ:
                    key = f"settle_later_{work.turn}"
                    quiet("Later", work.passed_over.add, judged.doc, key=key, shortcut="l")
                quiet("Back to reading", _open, work, "", key="settle_close", shortcut="Esc")


def _note(work: Work) -> str:
    words = "How it was resolved (optional)"
    key = f"{NOTE}_{work.turn}"
    return st.text_input(words, key=key, placeholder=words, max_chars=300, label_visibility="collapsed")


def _settle(work: Work, doc: str, label: Label, seen: int, note: str, reason: str = "") -> None:
    event_of = checked_event if work.settling == DRAWS else resolved_event
    attempt(work.settle, event_of, seen, work.reader, doc, label, note=" ".join(note.split()), reason=reason)


def _open(work: Work, what: str) -> None:
    work.settling, work.looking_at, work.noting = what, None, ""
    work.passed_over.clear()
