"""The reading side of Screen: the question on a line, the document below it, and pairs of documents that settle it."""

import textwrap
from collections.abc import Sequence

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.markup import Blocks
from dashboard.frame.widgets import one_of
from dashboard.frame.work import LABEL, Work, attempt, button
from dashboard.parts import document as shown
from tarstop_core.documents.application import Flag, claim_features
from tarstop_core.presentation.numbers import percent
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.events import together_event
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import document_name
from tarstop_core.sessions.demo import sample_criteria
from tarstop_core.sessions.lazy_session import LazySession

A_LINE = 160
"""Most characters of a claim on its line."""
LISTED = 16
"""Neighbours on the list that are named below a document, as far as there is room."""
LOOK = "look_at"
"""Key of the hidden field into which the page's script writes the number of a document whose link was pressed."""
REPORT = "report"
"""Word before the number of a document in a link to its report."""
TO_TOP = "_to_top"
"""State: whether the page scrolls to its top, because it shows another document."""
block = Blocks("screen/blocks.html")


def question(work: Work) -> None:
    """Draw what every document is compared with, on one line that a press opens."""
    sought = work.row.query or work.row.name
    # A longer text would be hidden, and screen readers would read it twice.
    begins = textwrap.shorten(sought, A_LINE, placeholder=" …")
    with st.container(key="claim"):
        st.html(block("claim", begins, sought, sample_criteria(work)))


def document(work: Work, at: int | None, advice: Advice) -> Flag | None:
    """Draw the document at a place in the person's own order; return its flag, if it has one to ask about before it settles the question."""
    own, state = work.own, work.own.state
    work.show(own.row.ids[at] if at is not None else "")
    with st.container(height=430, border=False, key="document"):
        nearby = _nearby(own, state, at)
        if at is None:
            several = work.several
            adjudicates = several is not None and "adjudicate" in work.may
            differ = len(several.waiting) + len(several.reports_waiting) if several and adjudicates else 0
            reports = len(work.in_full.waiting) if LABEL in work.may and work.reads_in_full else 0
            all_read = work.state.depth == len(work.row.ids) and not len(work.state.waiting)
            everything = several is None or all_read
            left = block("nothing_left", everything, disagreements=differ, reports=reports)
            st.html(block("reading", left, "", (), nearby))
            return None
        record = own.document(at)
        work.because = work.why_next(record) if work.state.fit and at == state.depth else []
        chance = ""
        if at >= state.depth and state.hit is None:
            # Of being included, while abstracts are judged; ρ would be the chance that its report brings data.
            p = float(work.paths(state.settings).path.p[work.row.ids.index(work.doc_on_page)])
            hope = scenario_of(state.settings).message("hope", settings=state.settings)
            chance = f"{percent(p if state.settings.judges_abstracts else advice.rho)} likely to {hope}"
        flags = shown.flagged(record, state)
        lead = shown.flags_html(flags, at in state.aside_read) if flags else ""
        lead += shown.block("noted", state.notes.get(work.doc_on_page, ""))
        if work.several is not None:
            lead += others_said(work, work.doc_on_page)
        text = shown.opened_html(own, at, lead, chance, work.because)
        features = claim_features(work.row.query) if state.settings.grades else ()
        st.html(block("reading", text, f"{work.row.id} {work.doc_on_page}", features, nearby))
    return next((flag for flag in flags if flag.asks), None)


def others_said(work: Work, doc: str) -> str:
    """The verdicts and notes of other readers on a document, as far as the person may see them, as HTML."""
    assert work.several is not None
    verdicts = work.several.verdicts_on(doc, work.reader)
    judged = work.several.judged.get(doc)
    notes = {} if judged is None else judged.notes
    resolution = None if judged is None else judged.check or judged.resolution
    return block("verdicts", verdicts, notes, resolution, work.reader) if {*verdicts} - {work.reader} else ""


def _nearby(work: LazySession, state: State, shown_at: int | None) -> list[tuple[int, str, str]]:
    """Return number, verdict and title of the documents read last, newest first, then of the next, whose verdict is empty."""
    depth, first = state.depth, max(0, state.depth - LISTED)
    ahead = range(depth + (shown_at == depth), min(first + 1 + LISTED, len(work.row.ids)))
    places = [*reversed(range(first, depth)), *ahead]
    return [
        (at + 1, shown.verdict_on(state, at) if at < depth else "", record.title or "Untitled")
        for at, record in zip(places, work.reports_of(places), strict=True)
    ]


def look(work: Work) -> None:
    """Show the document, or open the report, whose link was pressed."""
    kind, _, number = str(st.session_state[LOOK]).rpartition(" ")
    st.session_state[LOOK] = ""
    if not number.isdigit() or not 0 < int(number) <= len(work.row.ids):
        return
    at = int(number) - 1
    if kind == REPORT:
        attempt(work.open_report, at)
        st.session_state[TO_TOP] = True
    elif at < work.own.state.depth:
        work.look(at)


def looking_at(work: Work) -> int | None:
    """The place, in the person's own order, of the document on the page: an earlier one or the next; None at the end."""
    own = work.own
    if work.looking_at is not None and work.looking_at < own.state.depth:
        return work.looking_at
    return own.state.depth if own.state.depth < len(own.row.ids) else None


def reminder(work: Work, state: State) -> str:
    """Return a sentence if the hit that settles the question is flagged, else ""."""
    if state.hit is None or not state.settings.application.known:
        return ""
    despite = _despite(work, state, state.settled_by)
    return f"The hit is flagged: check it before you decide. {despite}." if despite else ""


def document_names(work: Work, places: Sequence[int]) -> list[str]:
    """Names of the documents at these places: place, publication number and title."""
    records = zip(places, work.reports_of(places), strict=True)
    return [document_name(at, record.publication_number, record.title) for at, record in records]


def _despite(work: Work, state: State, places: Sequence[int]) -> str:
    """Return what flags say against these documents as hits, after their numbers; "" without flags."""
    records = zip(places, work.reports_of(places), strict=True)
    asking = ((at, flag) for at, record in records for flag in shown.flagged(record, state) if flag.asks)
    return "; ".join(f"#{at + 1}: {flag.words}" for at, flag in asking)


def pair(work: Work, state: State) -> None:
    """Ask behind a button for two documents graded Y that settle the question together."""
    with st.popover(
        "Y + Y settle it together", key="together", disabled=work.busy or state.stopped, type="tertiary"
    ):
        candidates = [int(at) for at in state.combination]
        records = zip(candidates, work.reports_of(candidates), strict=True)
        titles = {at: f"Y · #{at + 1} · {record.title or 'Untitled'}" for at, record in records}
        st.caption(
            "For two documents that settle the question only together: the later one becomes "
            "X, with the other, and needs confirmation."
        )
        first = one_of("One is", titles, key="together_first")
        others = {at: title for at, title in titles.items() if at != first}
        second = one_of("the other is", others, index=len(others) - 1, key="together_second")
        if despite := _despite(work, state, (first, second)):
            st.warning(shell.escape_markdown(despite), icon=":material/flag:")
        st.text_input("Why a reader would combine them (kept as a note)", key="together_note", max_chars=300)
        what = (_together, work, min(first, second), max(first, second), despite, state.seq)
        button("They settle it together", *what, key="together_store", width="stretch")


def _together(work: Work, first: int, second: int, despite: str, seen: int) -> None:
    ids, why = work.row.ids, str(st.session_state["together_note"]).strip()

    def store() -> None:
        before = work.state.notes.get(ids[second], "")
        note = "\n".join(filter(None, (before, f"With #{first + 1}: {why}"))) if why else ""
        event = together_event(work.state, ids, ids[first], ids[second], despite=despite, note=note)
        work.record(event, seen)
        work.look(second)

    attempt(store)
    for key in ("together_first", "together_second", "together_note"):
        st.session_state.pop(key, None)
