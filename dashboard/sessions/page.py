"""The Sessions page: find, resume, compare and take elsewhere what was screened."""

from collections.abc import Callable
from functools import partial
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import shell
from dashboard.frame.drawing import captioned
from dashboard.frame.markup import Blocks
from dashboard.frame.waiting import LARGE_FILE, shown
from dashboard.frame.widgets import bring_back, lasting, put_away, some_of, switch, text_of, undo_row, upload
from dashboard.frame.work import button, clock, flash, go_to, reviewer, say
from dashboard.parts import jobs
from dashboard.parts.sessions import CHOSEN, first, line, loaded, rename_box, resume
from dashboard.sessions import detail as session_detail
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import count_of
from tarstop_core.sessions.compare import MOST, belief_figure, comparison, comparison_sentence
from tarstop_core.sessions.demo import start_demo
from tarstop_core.sessions.file import import_session
from tarstop_core.sessions.learning import forget_features
from tarstop_core.sessions.store.listing import SessionSummary
from tarstop_core.sessions.store.store import Store

block = Blocks("sessions/blocks.html")
PREFIX = "sessions"
UNDO = f"{PREFIX}/undo"
LEAD = "Continue a session, try other settings, compare sessions, or export one."
SHOWN = 20
FILTERS = {
    "all": "All",
    "open": "In progress",
    "stopped": "Stopped",
    "archived": "Archived",
    "deleted": "Deleted",
}


def sessions_page() -> None:
    """Draw the list, or the session that was chosen from it."""
    store = shell.store()
    if chosen := st.query_params.get(CHOSEN):
        try:
            session_detail.detail(store, chosen)
            return
        except InputProblem as problem:
            shell.problem_box(problem)
    shell.opening("Sessions", LEAD)
    flash()
    undo_row(UNDO)
    _list(store)
    _damaged(store)
    _compare(store)
    _import(store)


def matching(sessions: list[SessionSummary], words: str) -> list[SessionSummary]:
    """The sessions that have every one of these words in their name, question or scenario.

    >>> from types import SimpleNamespace as S
    >>> some = [S(name="Hip scan", query="ultrasound", scenario="review", decision=None)]
    >>> len(matching(some, "ULTRA hip")), len(matching(some, "mast"))
    (1, 0)
    """

    def text(session: SessionSummary) -> str:
        decided = str((session.decision or {}).get("action", ""))
        return " ".join((session.name, session.query, session.scenario, decided)).casefold()

    wanted = words.casefold().split()
    return [session for session in sessions if all(word in text(session) for word in wanted)]


def _chosen(store: Store, state: str) -> list[SessionSummary]:
    sessions = store.sessions(archived=state == "archived", deleted=state == "deleted")
    if state in ("open", "stopped"):
        return [session for session in sessions if session.stopped == (state == "stopped")]
    return sessions


def _list(store: Store) -> None:
    left, right = st.columns([1, 1.35], gap="medium", vertical_alignment="bottom")
    box: dict[str, Any] = {"icon": ":material/search:", "persist_state": "session"}
    box["placeholder"] = "Words of the name, the question or the decision"
    words = left.text_input("Search", key=f"{PREFIX}/search", **box)
    state = switch("Which sessions", FILTERS, at=right, **lasting(f"{PREFIX}/state"))
    sessions = _chosen(store, state)
    fit = matching(sessions, words or "")
    if not fit:
        _nothing(store, state, bool(sessions))
    place, listed = first(fit, SHOWN, f"Show all {len(fit):,} sessions", f"{PREFIX}/everything")
    with place:
        for session in listed:
            _row(store, session, deleted=state == "deleted", primary=session is fit[0])


def _nothing(store: Store, state: str, filtered: bool) -> None:
    if filtered:
        st.info("No session contains these words; try others.", icon=":material/search_off:")
    elif state == "all" and not store.sessions(archived=True):
        st.info("There are no sessions here yet.", icon=":material/info:")
        with st.container(horizontal=True, gap="small"):
            if st.button("Start the demo", type="primary", key=f"{PREFIX}/demo"):
                with shell.problems_shown():
                    go_to(start_demo(store, reviewer()))
            if st.button("Set up a session", key=f"{PREFIX}/set_up"):
                st.switch_page(shell.SET_UP)
    else:
        st.info(f"No session is {FILTERS[state].lower()}.", icon=":material/info:")


def _row(store: Store, session: SessionSummary, deleted: bool, primary: bool) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"row-{session.id}"):
        st.html(line(store, session), width="stretch")
        allowed = store.actions("session", session.id)
        owns = "manage" in allowed
        if deleted and not owns:
            return
        if deleted or (session.archived and owns):
            back = _way_back(store, session.id, deleted)
            button("Bring back", bring_back, UNDO, back, session.name, key=f"back-{session.id}")
            if deleted:
                _for_good(store, session)
                return
        else:
            resume(session, "Continue" if "label" in allowed else "Open", "resume", primary=primary)
        button("Details", st.query_params.update, {CHOSEN: session.id}, key=f"details-{session.id}")
        if owns:
            with st.popover("More", key=f"more-{session.id}"):
                _menu(store, session)


def _for_good(store: Store, session: SessionSummary) -> None:
    with st.popover("Delete for good", key=f"purge-{session.id}"):
        entries, records = store.purge_counts(session.id)
        gone = f"its {count_of(records)}" if records else "not its documents, which other sessions use"
        st.write(f"This deletes the log of {entries:,} entries and {gone}. You cannot undo it.")

        def purge() -> None:
            store.purge_session(session.id)
            forget_features(store)
            st.session_state.pop(UNDO, None)
            say(f"{session.name} is deleted.")

        button("Delete for good", purge, key=f"purged-{session.id}", type="primary")


def _damaged(store: Store) -> None:
    """What is stored and cannot be read, each with a way to delete it."""
    for broken in store.damaged():
        with st.container(border=True, key=f"damaged-{broken.id}"):
            shell.problem_box(broken.problem)
            with st.popover("Delete for good", key=f"broken-{broken.id}"):
                st.write(f"This {broken.kind} is then gone, even for somebody who could have repaired it.")
                button("Delete for good", store.discard, broken, key=f"discard-{broken.id}", type="primary")


def _menu(store: Store, session: SessionSummary) -> None:
    rename_box(store, session)
    if not session.archived:
        away, back = partial(store.archive, session.id), _way_back(store, session.id, deleted=False)
        button("Archive", put_away, UNDO, session.name, "archived", away, back, key=f"archive-{session.id}")
    away, back = partial(store.delete_session, session.id), _way_back(store, session.id, deleted=True)
    what = (put_away, UNDO, session.name, "deleted", away, back)
    about = "Takes it off the list. You can bring it back at once, or later from “Deleted”."
    button("Delete", *what, key=f"delete-{session.id}", icon=":material/delete:", help=about)


def _way_back(store: Store, session: str, deleted: bool) -> Callable[[], None]:
    return partial(store.restore_session, session) if deleted else partial(store.archive, session, False)


def _compare(store: Store) -> None:
    sessions = {session.id: session for session in (*store.sessions(), *store.sessions(archived=True))}
    if len(sessions) < 2:
        return
    st.subheader("Compare")
    # Same names are common; the time tells them apart. It is shown as text by the widget.
    titles = {key: f"{session.name} · {clock(session.created)}" for key, session in sessions.items()}
    how = lasting(f"{PREFIX}/compared") | {"max_selections": MOST, "placeholder": "Choose two or more"}
    chosen = some_of(f"Sessions to compare, up to {MOST}", titles, (), **how)
    if len(chosen) < 2:
        return
    with shell.problems_shown():
        compared = [loaded(store, session) for session in chosen]
        names = [session.row.name for session in compared]
        st.html(block("compared", names, [(name, *values) for name, values in comparison(compared)]))
        if weighing := [session for session in compared if session.state.settings.weighs]:
            captioned(belief_figure(weighing, shell.dark()), comparison_sentence(weighing))


def _import(store: Store) -> None:
    with st.expander("Import a session", icon=":material/upload:"):
        words = "A session file (JSON) that TARstop wrote, here or on another machine"
        upload(words, partial(_take_in, store), key=f"{PREFIX}/import")


def _take_in(store: Store, file: UploadedFile) -> None:
    text = text_of(file, "choose the session file (JSON) that was exported")
    large = file.size > LARGE_FILE
    job = (jobs.in_store, jobs.reached(store, large), import_session, text, file.name, reviewer())
    session = shown(file.name, f"Importing {file.name}", *job, large=large)
    say(f"Imported: {store.session(session).name}.")
