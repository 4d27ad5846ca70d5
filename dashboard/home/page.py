"""The Home page: continue, bring documents, or try the demo."""

import html

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import press
from dashboard.frame.work import flash, go_to, reviewer
from dashboard.home import idea
from dashboard.home.standing import standing
from dashboard.parts.documents import OWN, SOURCE
from dashboard.parts.sessions import first, line, rename_box, resume
from tarstop_core.presentation.numbers import count_of
from tarstop_core.sessions.demo import start_demo, start_review_demo
from tarstop_core.sessions.store.listing import SessionSummary, progress
from tarstop_core.sessions.store.store import Store

RECENT = 6
LEAD = "After each document you read, TARstop says how sure you may be, and whether reading on still pays."


def home_page() -> None:
    store = shell.store()
    sessions = store.sessions()
    st.title("Know when to stop reading")
    flash()
    shell.show_lead(LEAD)
    if broken := len(store.damaged()):
        entries = count_of(broken, "entry", "entries")
        st.warning(
            f"{entries} of the database cannot be read; the Sessions page says which, at the end of its list."
        )
    if sessions:
        _recent(store, sessions)
        st.subheader("Begin another")
    else:
        idea.show()
    _beginnings(store, demo_first=not sessions)
    st.markdown(
        f"[The first five minutes]({shell.guide(place=shell.CHAPTERS['Home'])}) · "
        f"[Which files can be read]({shell.guide('own_data')})"
    )
    _archived(store)


def _beginnings(store: Store, demo_first: bool) -> None:
    demo, review, own = st.columns(3, gap="medium")
    named = reviewer()
    with demo.container(border=True, height="stretch", key="begin-patents"):
        st.subheader("Patents")
        st.write("Is there prior art? A simulated search.")
        if st.button("Start the demo", key="demo", type="primary" if demo_first else "secondary"):
            with shell.problems_shown():
                go_to(start_demo(store, named))
    with review.container(border=True, height="stretch", key="begin-review"):
        st.subheader("Diagnostic accuracy")
        st.write("Is a test sensitive enough? A simulated review.")
        if st.button("Start the review demo", key="review_demo"):
            with shell.problems_shown():
                go_to(start_review_demo(store, named))
    with own.container(border=True, height="stretch", key="begin-own"):
        st.subheader("Your documents")
        st.write("CSV, Excel, RIS, BibTeX, PubMed or JSON.")
        if st.button("Set up a session", key="set_up"):
            st.session_state[SOURCE] = OWN
            st.switch_page(shell.SET_UP)


def _recent(store: Store, sessions: list[SessionSummary]) -> None:
    st.subheader("Your sessions")
    for session in first(sessions, RECENT, f"Show all {len(sessions)} sessions", "all_sessions"):
        with st.container(
            key=f"session-{session.id}", border=True, horizontal=True, vertical_alignment="center"
        ):
            st.html(standing(store, session, line(store, session), RECENT), width="stretch")
            allowed = store.actions("session", session.id)
            word = "Continue" if "label" in allowed else "Open"
            resume(session, word, "continue", primary=session is sessions[0])
            if "manage" not in allowed:
                continue
            with st.popover("More", key=f"more-{session.id}"):
                rename_box(store, session)
                press("Archive", store.archive, session.id, key=f"archive-{session.id}")


def _archived(store: Store) -> None:
    away = [each for each in store.sessions(archived=True) if "manage" in store.actions("session", each.id)]
    if not away:
        return
    with st.expander(f"Archived sessions ({len(away)})"):
        for session in away:
            words, button = st.columns([5, 1.4], vertical_alignment="center")
            how_far = f'<div class="tar-meta">{html.escape(progress(session, store.events))}</div>'
            words.html(f'<div class="tar-name">{html.escape(session.name)}</div>{how_far}')
            key = f"restore-{session.id}"
            press("Bring back", store.archive, session.id, False, key=key, at=button, width="stretch")
