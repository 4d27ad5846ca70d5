"""The Sessions page: find, resume, compare and take elsewhere what was screened."""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import partial

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.scripts import FRAME
from dashboard.frame.work import attempt, clock, flash, go_to, say
from dashboard.parts.session_line import line
from dashboard.parts.whole_session import CHOSEN, loaded
from dashboard.sessions import detail as session_detail
from tarstop_core.errors import InputProblem
from tarstop_core.sessions.compare import comparison, comparison_sentence
from tarstop_core.sessions.figures import MOST, belief_figure
from tarstop_core.sessions.file import import_session
from tarstop_core.sessions.store.rows import SessionSummary
from tarstop_core.sessions.store.store import Store

PREFIX = "sessions"
UNDO = f"{PREFIX}/undo"
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
    st.html(FRAME / "forms.css")
    chosen = st.query_params.get(CHOSEN)
    if chosen:
        try:
            session_detail.detail(store, chosen)
            return
        except InputProblem as problem:
            shell.problem_box(problem)
    st.title("Sessions")
    st.html(
        '<p class="tar-lead">Everything that was screened here. Resume a session, try it with other settings, '
        "compare sessions, or take one elsewhere.</p>"
    )
    flash()
    _undo(store)
    _list(store)
    _compare(store)
    _import(store)


def matching(sessions: list[SessionSummary], words: str) -> list[SessionSummary]:
    """The sessions that have every one of these words in their name, question or scenario.

    Examples
    --------
    >>> from types import SimpleNamespace as S
    >>> some = [S(name="Hip scan", query="ultrasound", scenario="review", decision=None)]
    >>> len(matching(some, "ULTRA hip")), len(matching(some, "mast"))
    (1, 0)
    """
    wanted = words.casefold().split()

    def text(session: SessionSummary) -> str:
        decided = str((session.decision or {}).get("action", ""))
        return " ".join((session.name, session.query, session.scenario, decided)).casefold()

    return [session for session in sessions if all(word in text(session) for word in wanted)]


def _chosen(store: Store, state: str) -> list[SessionSummary]:
    if state == "deleted":
        return store.sessions(deleted=True)
    if state == "archived":
        return store.sessions(archived=True)
    sessions = store.sessions()
    if state == "all":
        return sessions
    return [session for session in sessions if session.stopped == (state == "stopped")]


def _list(store: Store) -> None:
    left, right = st.columns([1, 1.35], gap="medium", vertical_alignment="bottom")
    words = left.text_input(
        "Search",
        key=f"{PREFIX}/search",
        placeholder="Words of the name, the question or the decision",
        icon=":material/search:",
        persist_state="session",
    )
    state = right.segmented_control(
        "Which sessions",
        list(FILTERS),
        default="all",
        required=True,
        format_func=FILTERS.__getitem__,
        key=f"{PREFIX}/state",
        persist_state="session",
    )
    sessions = _chosen(store, state)
    fit = matching(sessions, words or "")
    if not fit:
        _nothing(store, state, bool(sessions))
        return
    shown = fit
    if len(fit) > SHOWN:
        everything = st.toggle(f"Show all {len(fit):,} sessions", key=f"{PREFIX}/everything")
        shown = fit if everything else fit[:SHOWN]
    for session in shown:
        _row(store, session, deleted=state == "deleted", first=session is shown[0])


def _nothing(store: Store, state: str, filtered: bool) -> None:
    if filtered:
        st.info("No session has these words; search for others.", icon=":material/search_off:")
    elif state == "all" and not store.sessions(archived=True):
        st.info("There are no sessions here yet.", icon=":material/info:")
        if st.button("Start the demo or set up a session", key=f"{PREFIX}/home"):
            st.switch_page(shell.HOME)
    else:
        st.info(f"No session here: {FILTERS[state].lower()}.", icon=":material/info:")


def _row(store: Store, session: SessionSummary, deleted: bool, first: bool) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"row-{session.id}"):
        st.html(line(store, session), width="stretch")
        if deleted or session.archived:
            back = store.restore_session if deleted else partial(store.archive, archived=False)
            st.button("Bring back", key=f"back-{session.id}", on_click=_bring_back, args=(back, session))
            if deleted:
                return
        elif st.button(
            "Resume" if session.decision is None else "Open",
            key=f"resume-{session.id}",
            type="primary" if first else "secondary",
        ):
            go_to(session.id)
        st.button("Details", key=f"details-{session.id}", on_click=_choose, args=(session.id,))
        with st.popover("More", key=f"more-{session.id}"):
            _menu(store, session)


def _menu(store: Store, session: SessionSummary) -> None:
    st.text_input(
        "Name",
        session.name,
        max_chars=120,
        key=f"name-{session.id}",
        on_change=_rename,
        args=(store, session),
    )
    if not session.archived:
        st.button("Archive", key=f"archive-{session.id}", on_click=_archive, args=(store, session))
    st.button(
        "Delete",
        key=f"delete-{session.id}",
        icon=":material/delete:",
        on_click=_delete,
        args=(store, session),
        help="Takes it off the list. It can be brought back at once, and later from “Deleted”.",
    )


# --- what a press does --------------------------------------------------------------------------


def _choose(session: str) -> None:
    st.query_params[CHOSEN] = session


def _rename(store: Store, session: SessionSummary) -> None:
    name = str(st.session_state[f"name-{session.id}"]).strip()
    if name:
        attempt(lambda: store.rename(session.id, name))


def _archive(store: Store, session: SessionSummary) -> None:
    attempt(lambda: store.archive(session.id))
    st.session_state[UNDO] = ("archived", session.id, session.name)


def _delete(store: Store, session: SessionSummary) -> None:
    attempt(lambda: store.delete_session(session.id))
    st.session_state[UNDO] = ("deleted", session.id, session.name)


def _bring_back(back: Callable[[str], None], session: SessionSummary) -> None:
    attempt(lambda: back(session.id))
    st.session_state.pop(UNDO, None)
    say(f"{session.name} is back.")


def _undo(store: Store) -> None:
    """The last session that was put away, to be brought back with one press."""
    last: tuple[str, str, str] | None = st.session_state.get(UNDO)
    if last is None:
        return
    what, session, name = last
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="undo-row"):
        st.html(
            f'<div role="status">“{html.escape(name)}” was {what}. Nothing of it is lost.</div>',
            width="stretch",
        )
        st.button("Undo", key=f"{PREFIX}/take_back", on_click=_take_back, args=(store, what, session))


def _take_back(store: Store, what: str, session: str) -> None:
    back = store.restore_session if what == "deleted" else partial(store.archive, archived=False)
    attempt(lambda: back(session))
    st.session_state.pop(UNDO, None)


# --- several sessions ---------------------------------------------------------------------------


def _compare(store: Store) -> None:
    sessions = {session.id: session for session in (*store.sessions(), *store.sessions(archived=True))}
    if len(sessions) < 2:
        return
    st.subheader("Compare")
    # Same names are common; the time tells them apart. It is shown as text by the widget.
    chosen = st.multiselect(
        f"Sessions to compare, up to {MOST}",
        list(sessions),
        format_func=lambda each: f"{sessions[each].name} · {clock(sessions[each].created)}",
        max_selections=MOST,
        key=f"{PREFIX}/compared",
        persist_state="session",
        placeholder="Choose two or more",
    )
    if len(chosen) < 2:
        return
    with shell.problems_shown():
        compared = [loaded(store, each) for each in chosen]
        head = "".join(f'<th scope="col">{html.escape(each.row.name)}</th>' for each in compared)
        body = "".join(
            f'<tr><th scope="row">{html.escape(name)}</th>'
            + "".join(f"<td>{html.escape(value)}</td>" for value in values)
            + "</tr>"
            for name, values in comparison(compared)
        )
        st.html(
            '<div class="tar-others" style="overflow-x:auto" tabindex="0" role="region" '
            f'aria-label="Sessions compared"><table><thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody>'
            "</table></div>"
        )
        said = comparison_sentence(compared)
        st.plotly_chart(
            belief_figure(compared, st.context.theme.type == "dark"),
            config={"staticPlot": True},
            key=f"{PREFIX}/beliefs",
            alt=said,
        )
        st.caption(shell.escape_markdown(said))


def _import(store: Store) -> None:
    with st.expander("Import a session", icon=":material/upload:"):
        st.file_uploader(
            "A session file (JSON) that TARstop wrote, here or on another machine",
            type=["json"],
            key=f"{PREFIX}/import",
            on_change=_take_in,
            args=(store,),
        )
        problem = st.session_state.get(f"{PREFIX}/import_problem")
        if problem:
            shell.problem_box(problem)


def _take_in(store: Store) -> None:
    state = st.session_state
    state[f"{PREFIX}/import_problem"] = ""
    upload = state[f"{PREFIX}/import"]
    if upload is None:
        return
    try:
        try:
            text = upload.getvalue().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputProblem(
                f"{upload.name} is not text; choose the session file (JSON) that was exported."
            ) from None
        session = import_session(store, text, upload.name)
        say(f"Imported: {store.session(session).name}.")
    except InputProblem as problem:
        state[f"{PREFIX}/import_problem"] = str(problem)
