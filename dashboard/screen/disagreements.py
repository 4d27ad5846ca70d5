"""What readers differ on, one document after the other: both verdicts, reasons and notes, and the answer that settles it."""

from functools import partial

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import press
from dashboard.frame.work import Work, attempt
from dashboard.parts import document as shown
from dashboard.screen.reading import block, others_said
from tarstop_core.screening.independent import Judged
from tarstop_core.screening.labels import Label

NOTE = "resolution_note"
ANSWERS: dict[Label, tuple[str, str]] = {"irrelevant": ("Exclude", "e"), "relevant": ("Include", "i")}


def opener(work: Work) -> None:
    """The button that opens the queue; nothing where readers differ on nothing."""
    assert work.several is not None
    if not work.several.waiting:
        return
    count = len(work.several.waiting)
    words = f"Resolve {count:,} {'disagreement' if count == 1 else 'disagreements'}"
    press(words, _open, work, key="disagreements", type="tertiary", shortcut="d", disabled=work.busy)


def on_show(work: Work) -> Judged | None:
    """The disagreement on the page: the first that was not left for later; None where there is none."""
    assert work.several is not None
    waiting = [judged for judged in work.several.waiting if judged.doc not in work.passed_over]
    if not waiting:
        work.resolving = False
        return None
    return waiting[0]


def document(work: Work, judged: Judged) -> None:
    """The document that readers differ on, below what each said of it."""
    work.show(judged.doc)
    at = work.row.ids.index(judged.doc)
    with st.container(height=430, border=False, key="document"):
        text = shown.opened_html(work, at, others_said(work, judged.doc))
        st.html(block("reading", text, f"{work.row.id} {judged.doc}", (), ()))


def bar(work: Work, judged: Judged) -> None:
    """The answers, in the place where they are when a document is read."""
    waiting = len(work.several.waiting) if work.several is not None else 0
    seen = work.state.seq
    with st.container(key="bar", gap="small"):
        st.html(
            block(
                "alert",
                f"Readers differ: {waiting:,} to resolve.",
                "Your answer is recorded under your name.",
            )
        )
        note = st.text_input(
            "How it was resolved (optional)",
            key=f"{NOTE}_{work.turn}",
            max_chars=300,
            label_visibility="collapsed",
            placeholder="How it was resolved (optional)",
        )
        with st.container(horizontal=True, key="answers", gap="small", vertical_alignment="center"):
            with st.container(horizontal=True, key="labels", gap="small"):
                for label, (words, key) in ANSWERS.items():
                    what = partial(_resolve, work, judged.doc, label, seen, note)
                    press(words, what, key=f"resolve_{label}_{work.turn}", shortcut=key, width="stretch")
            with st.container(horizontal=True, key="helpers", gap="small", vertical_alignment="center"):
                if reasons := work.state.reasons:
                    with st.popover("Exclude, because", type="tertiary", key="resolve_reasons"):
                        for at, reason in enumerate(reasons):
                            what = partial(_resolve, work, judged.doc, "irrelevant", seen, note, reason)
                            press(
                                shell.escape_label(reason),
                                what,
                                key=f"resolve_{at}_{work.turn}",
                                type="tertiary",
                            )
                later = {"key": f"resolve_later_{work.turn}", "type": "tertiary", "shortcut": "l"}
                press("Later", work.passed_over.add, judged.doc, **later)
                press("Back to reading", _close, work, key="resolve_close", type="tertiary", shortcut="Esc")


def _resolve(work: Work, doc: str, label: Label, seen: int, note: str, reason: str = "") -> None:
    attempt(work.resolve, doc, label, seen, note=" ".join(note.split()), reason=reason)


def _open(work: Work) -> None:
    work.resolving, work.looking_at, work.noting = True, None, ""
    work.passed_over.clear()


def _close(work: Work) -> None:
    work.resolving = False
