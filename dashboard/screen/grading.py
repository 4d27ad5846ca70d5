"""What was graded in a patent session: to be looked at again, and two Y that settle the question together."""

from collections.abc import Sequence

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import one_of, press
from dashboard.frame.work import Work, attempt
from dashboard.parts.document import flagged
from tarstop_core.screening.events import together_event
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import document_name


def reminder(work: Work, state: State) -> str:
    """That the hit which settles the question is flagged, in a sentence; empty where it is not."""
    if not state.settings.application.known:
        return ""
    despite = _despite(work, state, state.settled_by)
    return f"The hit is flagged: make sure of it before you decide. {despite}." if despite else ""


def names(work: Work, places: Sequence[int]) -> list[str]:
    """Documents that were read, by place, number and title."""
    read = zip(places, work.reports_of(places), strict=True)
    return [document_name(at, record.publication_number, record.title) for at, record in read]


def _despite(work: Work, state: State, places: Sequence[int]) -> str:
    """Why documents cannot settle the question."""
    read = zip(places, work.reports_of(places), strict=True)
    found = ((at, flag) for at, record in read for flag in flagged(record, state) if flag.asks)
    return "; ".join(f"#{at + 1}: {flag.words}" for at, flag in found)


def pair_opener(work: Work, state: State) -> None:
    """Where two Y can be combined."""
    with st.popover(
        "Y + Y settle it together", key="together", disabled=work.busy or state.stopped, type="tertiary"
    ):
        _pair(work, state)


def _pair(work: Work, state: State) -> None:
    candidates = [int(at) for at in state.combination]
    titles = dict(zip(candidates, work.reports_of(candidates), strict=True))
    names = {at: f"Y · #{at + 1} · {record.title or 'Untitled'}" for at, record in titles.items()}
    st.caption(
        "Two documents that settle the question only together: the later one becomes X, with the other, and is to be "
        "confirmed."
    )
    first = one_of("One is", names, key="together_first")
    others = {at: name for at, name in names.items() if at != first}
    second = one_of("the other is", others, index=len(others) - 1, key="together_second")
    if despite := _despite(work, state, (first, second)):
        st.warning(shell.escape_markdown(despite), icon=":material/flag:")
    st.text_input("Why a reader would combine them (kept as a note)", key="together_note", max_chars=300)
    what = (_together, work, first, second, despite, state.seq)
    press("They settle it together", *what, key="together_store", width="stretch")


def _together(work: Work, one: int, other: int, despite: str, seen: int) -> None:
    ids = work.row.ids
    first, second = sorted((one, other))
    why = str(st.session_state["together_note"]).strip()

    def store() -> None:
        before = work.state.notes.get(ids[second], "")
        note = "\n".join(filter(None, (before, f"With #{first + 1}: {why}"))) if why else ""
        event = together_event(work.state, ids, ids[first], ids[second], despite=despite, note=note)
        work.record(event, seen)
        work.look(second)

    attempt(store)
    for key in ("together_first", "together_second", "together_note"):
        st.session_state.pop(key, None)
