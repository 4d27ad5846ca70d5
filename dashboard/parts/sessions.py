"""List a session on a page, load all of it, and save it."""

import re
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import shell
from dashboard.frame.drawing import note
from dashboard.frame.markup import Blocks
from dashboard.frame.waiting import LARGE_LIST, shown, take_in, taken_in
from dashboard.frame.widgets import name_box, save_button
from dashboard.frame.work import OPEN, button, clock, go_to, kept
from dashboard.parts import jobs
from tarstop_core.screening.provenance import Provenance
from tarstop_core.screening.scenarios.named import SCENARIOS
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.snapshot import SessionSnapshot, session_snapshot
from tarstop_core.sessions.store.listing import SessionSummary, progress
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import SessionRow

T = TypeVar("T")

OF = "of"
"""Parameter of the address with the list on Explore."""

PREFIX = "session_detail"
CHOSEN = "session"
KEPT = 6
WRITTEN = f"{PREFIX}/written"
LONG_LOG = 300
"""Number of events above which the report, which repeats the advice at each event, takes seconds."""
block = Blocks("parts/blocks.html")


def loaded(store: Store, session_id: str) -> SessionSnapshot:
    """Return a session with its documents, cached in this browser tab until something is recorded in it."""
    name, documents = store.heading(session_id)

    def opened() -> SessionSnapshot:
        if documents <= LARGE_LIST:
            return session_snapshot(store, session_id)
        return shown(name, f"Opening {name}", jobs.in_store, store.reach, session_snapshot, session_id)

    asked = (session_id, name, len(store.events(session_id)))
    return kept(f"{PREFIX}/kept", asked, opened, KEPT if documents <= LARGE_LIST else 1)


def save_export(store: Store, row: SessionRow, seq: int, end: str, label: str, **how: Any) -> None:
    """Draw a button that saves a session after `seq` events as a file with the suffix `end`.

    For a large session, or the report of a long one, the first press writes the file, with a bar and Cancel, and the
    next press saves it.
    """
    key, file = f"{PREFIX}/{row.id}{end}", f"{file_stem(row.name)}{end}"
    job = partial(jobs.exported, store.reach, row.id, end)
    asked = (key, row.name, seq)
    written, content = st.session_state.get(WRITTEN, (None, None))

    def write() -> None:
        st.session_state.pop(WRITTEN, None)  # A tab holds only one file
        st.session_state[WRITTEN] = asked, shown(row.name, f"Writing {file}", job)

    if len(row.ids) <= LARGE_LIST and (end != jobs.REPORT or seq <= LONG_LOG):
        save_button(label, job, file, key=key, **how)
    elif written == asked:
        # No longer than the names of the files, so that the buttons beside it keep their places.
        save_button("Now save it", lambda: content, file, key=f"{key}/written", **how)
    else:
        button(label, partial(take_in, key, write, large=True), key=f"{key}/write", **how)
        taken_in(key)


def file_stem(name: str) -> str:
    """Name an exported file.

    >>> file_stem("Demo: <hinge> $5/2")
    'Demo-hinge-5-2'
    """
    return re.sub(r"[^\w-]+", "-", name).strip("-")[:60] or "session"


def line(store: Store, session: SessionSummary) -> str:
    """Name, badges, progress and last change of a session, as HTML."""
    states = {"simulated": session.simulated, "imported": session.imported, "archived": session.archived}
    marks = [SCENARIOS[session.scenario].short, *(mark for mark, holds in states.items() if holds)]
    return block(
        "session", session.name, marks, progress(session, store.events), clock(session.last_activity)
    )


def imported(came: Provenance) -> None:
    """Say where an imported session came from."""
    st.html(block("imported", came.sentence(partial(clock, with_day=True))))


def newly_chosen(seen_at: str, named: str, opened: str, offered: Container[str]) -> str:
    """Return the name in the address, or the open session of this tab, if it is new since the last run; otherwise "".

    Parameters
    ----------
    seen_at
        Key of the state with the names and the open session that the page has seen.
    named
        Name in the address, "" for none.
    opened
        Open session of the tab.
    offered
        Options of the page, to which the open session must belong.

    Returns
    -------
    str
        The name that the page should turn to.
    """
    seen, seen_open = st.session_state.get(seen_at, (set(), ""))
    if named:
        return "" if named in seen else named
    return opened if opened != seen_open and opened in offered else ""


def sessions_with(kind: type[Settings], sessions: Iterable[SessionSummary]) -> dict[str, str]:
    """Return the names of those of the sessions that have such settings, by id."""
    return {
        session.id: session.name
        for session in sessions
        if issubclass(SCENARIOS[session.scenario].settings_class, kind)
    }


def not_weighed(sessions: Sequence[SessionSummary], what: str) -> None:
    """Say why a page about decisions cannot show the open session, if that weighs none."""
    opened = st.session_state.get(OPEN)
    session = next((session for session in sessions if session.id == opened), None)
    if session is not None and not SCENARIOS[session.scenario].settings_class.weighs:
        shell.caption(f"“{session.name}” asks only whether enough was found: {what}")


def offer_reset(differs: str, reset: Callable[..., object], *arguments: Any, prefix: str) -> None:
    """Say which settings differ from those of the session, if any do, and offer to reset them."""
    if differs:
        with st.container(horizontal=True, vertical_alignment="center"):
            note(differs)
            button("As in the session", reset, *arguments, key=f"{prefix}/as_in_session")


def first(
    listed: Sequence[T], most: int, words: str, key: str, **how: Any
) -> tuple[DeltaGenerator, Sequence[T]]:
    """Return a place for the first entries of a long list, and them, or all after a person asks for these below."""
    place = st.container(**how)
    everything = len(listed) <= most or st.toggle(words, key=key)
    return place, listed if everything else listed[:most]


def resume(session: SessionSummary, word: str, key: str, *, primary: bool) -> None:
    """Draw the button that opens a session on Screen; before a decision is recorded it says `word`."""
    decided = session.decision is not None
    kind: Any = "primary" if primary and not decided else "secondary"
    if st.button("Open" if decided else word, key=f"{key}-{session.id}", type=kind):
        go_to(session.id)


def rename_box(store: Store, session: SessionSummary) -> None:
    """Draw the name of a session, to be edited in place."""
    name_box(session.name, partial(store.rename, session.id), key=f"name-{session.id}")
