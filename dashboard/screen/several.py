"""Several readers of one list: resolving disagreements, verdicts from files, and who should read next."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.markup import bullets, grid, scrolling
from dashboard.frame.widgets import ask_for_files, lasting, one_of, switch
from dashboard.frame.work import MANAGE, Work, attempt, button, say
from dashboard.parts import document as shown
from dashboard.screen.reading import TO_TOP, block, others_said
from tarstop_core.presentation.numbers import count_of, number
from tarstop_core.readers.table import columns_of, read_one
from tarstop_core.screening.adaptive_chances import still_unread
from tarstop_core.screening.events import file_event, opened_event, settled_event
from tarstop_core.screening.independent import JudgedDocument, SeveralReaders
from tarstop_core.screening.labels import Label
from tarstop_core.screening.reports_apart import ReadApart
from tarstop_core.screening.several_readers import MachineReader, ReadElsewhere
from tarstop_core.screening.typed_numbers import COLUMN_WORDS
from tarstop_core.sessions.agreeing import in_words
from tarstop_core.sessions.who_next import compare_ways, worth_of_one

NOTE = "resolution_note"
ANSWERS: dict[Label, tuple[str, str]] = {"irrelevant": ("Exclude", "e"), "relevant": ("Include", "i")}
DIFFER, DRAWS = "differ", "draws"
"""What a person settles: documents on which readers differ, or random draws of those that all excluded."""
FOLDED = "readers"
AUDIT = (
    "Readers who agree may be wrong together. Judging again a random draw of what "
    "all excluded shows how much they missed."
)
OPENING = "Then everybody sees all verdicts; the report says who opened them, and when."
OUTCOMES = {"data": "eligible, with data", "no data": "eligible, without data"}
PLACES = {"outcome": "Outcome", "reason": "Reason", "study": "Study", "part": "About", "bias": "Risk of bias"}
WORTH = "One more relevant document is worth, in {unit}"
HELP_WORTH = "What you would pay for it. If empty, the value that the advice gives it."
WHOSE = {True: "A machine’s", False: "A person’s, from elsewhere"}
KINDS_OF_FILES = ["csv", "tsv", "txt", "xlsx"]
MACHINE = "machine"


def opener(work: Work) -> None:
    """A button that opens disagreements, first on documents and then on reports; nothing if there are none."""
    several = work.several
    assert several is not None
    how: dict[str, Any] = {"type": "tertiary", "shortcut": "d", "disabled": work.busy}
    if "adjudicate" not in work.may:
        return
    if waiting := len(several.waiting):
        words = f"Resolve {count_of(waiting, 'disagreement', 'disagreements')}"
        button(words, _open, work, DIFFER, key="disagreements", **how)
    elif reports := several.reports_waiting:
        words = f"Resolve {count_of(len(reports), 'differing report', 'differing reports')}"
        button(words, _settle_next, work, reports[0].doc, key="reports_differ", **how)


def _settle_next(work: Work, doc: str) -> None:
    work.open_report(work.row.ids.index(doc))
    work.drafts.pop(doc, None)
    work.settles_report = st.session_state[TO_TOP] = True


def panel(work: Work) -> None:
    """The fold on readers: their agreement, what all may have overlooked, random draws to check that, and files."""
    several, seen = work.several, work.state.seq
    assert several is not None
    with st.expander("Readers", key=FOLDED, on_change="rerun", type="compact") as folded:
        if not folded.open:
            return
        st.html(bullets(in_words(several) or ["Nothing has been judged by two readers yet."]))
        _who_next(work)
        with st.container(horizontal=True, gap="small"):
            if undrawn(several) and "adjudicate" in work.may:
                words = "Judge a random one of those all excluded"
                button(words, _open, work, DRAWS, key="audit_next", help=AUDIT)
            if MANAGE not in work.may:
                return
            if several.opened is None:
                how: dict[str, Any] = {"key": "open_verdicts", "type": "tertiary", "help": OPENING}
                button("Open all verdicts", work.settle, opened_event, seen, work.reader, **how)
            _verdicts_from_file(work)


def undrawn(several: SeveralReaders) -> Sequence[str]:
    """Documents that everybody excluded and that are still to be drawn, in the order of drawing."""
    return several.excluded_by_all[len(several.drawn) :]


def on_show(work: Work) -> JudgedDocument | None:
    """The document to settle: the first one that was not left for later; None, which ends settling, if there is none."""
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


def document(work: Work, judged: JudgedDocument) -> None:
    """Draw the document to settle below the verdicts of the readers."""
    work.show(judged.doc)
    at = work.row.ids.index(judged.doc)
    with st.container(height=430, border=False, key="document"):
        text = shown.opened_html(work, at, others_said(work, judged.doc))
        st.html(block("reading", text, f"{work.row.id} {judged.doc}", (), ()))


def bar(work: Work, judged: JudgedDocument) -> None:
    """The bar with the answers for a document to settle."""
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
                    button(answer, what, key=f"settle_{label}_{work.turn}", shortcut=key, width="stretch")
            with st.container(horizontal=True, key="helpers", gap="small", vertical_alignment="center"):
                if reasons := work.state.reasons:
                    with st.popover("Exclude, because", type="tertiary", key="settle_reasons"):
                        for at, reason in enumerate(reasons):
                            what = partial(_settle, work, judged.doc, "irrelevant", seen, note, reason)
                            how: dict[str, Any] = {"key": f"settle_{at}_{work.turn}", "type": "tertiary"}
                            button(shell.escape_label(reason), what, **how)
                quiet = partial(button, type="tertiary")
                if differ:
                    key = f"settle_later_{work.turn}"
                    quiet("Later", work.passed_over.add, judged.doc, key=key, shortcut="l")
                quiet("Back to reading", _open, work, "", key="settle_close", shortcut="Esc")


def _note(work: Work) -> str:
    words = "How it was resolved (optional)"
    key = f"{NOTE}_{work.turn}"
    return st.text_input(words, key=key, placeholder=words, max_chars=300, label_visibility="collapsed")


def _settle(work: Work, doc: str, label: Label, seen: int, note: str, reason: str = "") -> None:
    attempt(
        work.settle, settled_event, seen, work.reader, doc, label, note=" ".join(note.split()), reason=reason
    )


def _open(work: Work, what: str) -> None:
    work.settling, work.looking_at, work.noting = what, None, ""
    work.passed_over.clear()


# --- full texts read independently ----------------------------------------------------------------


def read_apart(work: Work, doc: str) -> ReadApart | None:
    """The readings of a report by all readers if they differ or differed; None otherwise or before all have read it."""
    apart = None if work.several is None else work.several.in_full.read.get(doc)
    return apart if apart is not None and apart.differ else None


def side_by_side(apart: ReadApart) -> str:
    """The readings of a report beside each other, entry by entry, as HTML."""
    several = max(compared.place.table for compared in apart.compared) > 1
    rows = []
    for compared in apart.compared:
        table, name = compared.place
        words = PLACES.get(name) or COLUMN_WORDS.get(name, (name, ""))[0]
        where = f"{words}, {table}" if several and table else words
        values = [OUTCOMES.get(str(value), value) for value in compared.values]
        rows.append((where, ["–" if value in (None, "") else value for value in values], compared.differ))
    return block("read_apart", [*apart.reports], rows, apart.resolution)


# --- who reads next -------------------------------------------------------------------------------


def _who_next(work: Work) -> None:
    """Ask what one more find is worth, and compare the ways of reading on, the best one first."""
    several, settings = work.several, work.state.settings
    assert several is not None
    if not (several.judged or several.machines):
        return
    calibrator, p = work.chances(settings)
    unread = still_unread(settings, calibrator, p, work.state).mean
    compare = partial(compare_ways, several, work.row.ids, p, unread, settings)
    if compare(1.0) is None:
        return
    by_advice = worth_of_one(work.advice(settings), settings)
    unit = settings.payoffs.unit or "units of the stakes"
    label = WORTH.format(unit=unit if settings.weighs else "documents that you would read")
    placeholder = "" if by_advice is None else number(by_advice)
    how: dict[str, Any] = {"min_value": 0.0, "help": HELP_WORTH, "width": 420, "placeholder": placeholder}
    given = st.number_input(label, value=None, **how, **lasting(f"who_next/{work.row.id}"))
    worth = by_advice if given is None else given
    if worth and (compared := compare(worth)):
        st.html(scrolling(compared.head[0], grid(compared.head, compared.rows)))
        st.caption(shell.escape_markdown(compared.because))


# --- verdicts from files --------------------------------------------------------------------------


def _verdicts_from_file(work: Work) -> None:
    """Ask for a file with the verdicts of one reader."""
    several = work.several
    assert several is not None
    without = {
        name: name for name in several.readers.names if name in several.files or not several.read_by(name)
    }
    if not without:
        return
    with st.popover("Verdicts from a file", type="tertiary", key=f"{MACHINE}/open"):
        st.caption(
            "From any tool, as a column of a file, with the ids of an export. Nothing is sent anywhere."
        )
        of_machine = switch("Whose they are", WHOSE, key=f"{MACHINE}/whose")
        name = one_of("Which reader it is", without, key=f"{MACHINE}/name")
        files = ask_for_files("A table (CSV, Excel)", type=KINDS_OF_FILES, key=f"{MACHINE}/file")
        if not files:
            return
        file = files[0]
        titles = {title: title for title in columns_of(file)}
        ids = one_of("Column of the ids", titles, key=f"{MACHINE}/ids")
        column = one_of("Column of its verdicts", titles, index=len(titles) - 1, key=f"{MACHINE}/column")
        scored = st.toggle("These are scores", key=f"{MACHINE}/scored")
        least = st.number_input("Included from", value=0.5, key=f"{MACHINE}/least") if scored else None
        more = _of_machine() if of_machine else {}
        seen = work.state.seq

        def take() -> None:
            kind = MachineReader if of_machine else ReadElsewhere
            about = kind(name, source=file.name, column=column, include_from=least, **more)
            included = read_one(file, ids, column, least)
            work.settle(file_event, seen, about, included, work.row.ids)
            say(f"Imported: {count_of(several.read_by(name), 'verdict', 'verdicts')} of {name}.")

        button("Import these verdicts", take, key=f"{MACHINE}/take", type="primary", width="stretch")


def _of_machine() -> dict[str, Any]:
    """Ask for the description of a machine that a report needs."""
    left, middle, right = st.columns(3)
    how: dict[str, Any] = {"min_value": 0.0, "key": f"{MACHINE}/cost"}
    return {
        "model": left.text_input("Model", key=f"{MACHINE}/model"),
        "version": middle.text_input("Version", key=f"{MACHINE}/version"),
        "date": right.text_input("Run on", placeholder="2026-11-26", key=f"{MACHINE}/date"),
        "prompt": st.text_area("Prompt, or settings", key=f"{MACHINE}/prompt"),
        "cost_per_thousand": st.number_input("A thousand records cost (optional)", value=None, **how),
    }
