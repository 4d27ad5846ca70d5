"""The Home page: continue, bring documents, or try the demo."""

from __future__ import annotations

import html
from dataclasses import replace

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.scripts import FRAME
from dashboard.frame.work import REVIEWER, attempt, flash
from dashboard.parts import documents
from dashboard.parts.creating import Plan, create, go_to
from dashboard.parts.documents import Documents
from dashboard.parts.review_settings import FULL_TIMES
from dashboard.parts.session_line import line, told
from dashboard.parts.stakes import START
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.ranking.order import prepare
from tarstop_core.samples.shipped import calibrators, data_share, default_calibrator
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.rows import SessionSummary
from tarstop_core.sessions.store.store import Store

DEMO_TOPIC = "antenna-mount"  # its first prior art lies neither at the top nor out of reach
DEMO_REVIEW = "hollow-hip"  # it takes some documents and more than one table until its advice is to stop
RECENT = 6
THREE_SENTENCES = (
    "You read ranked documents one by one to settle a question: does prior art exist, is a test sensitive enough?",
    "After each, TARstop says how sure you may be, what the next document is worth and what it costs.",
    "It tells you when reading on no longer pays, and what to decide then.",
)


def home_page() -> None:
    """Draw the page."""
    store = shell.store()
    sessions = store.sessions()
    st.html(FRAME / "forms.css")
    st.title("Know when to stop reading")
    flash()
    st.html(f'<p class="tar-lead">{" ".join(map(html.escape, THREE_SENTENCES))}</p>')
    st.markdown(
        f"New here? [The first five minutes]({shell.guide(place=shell.CHAPTERS['Home'])}) lead from the demo to why it "
        f"says stop. [Bring your own data]({shell.guide('own_data')}) says which files can be read."
    )
    if not sessions:
        st.html('<p class="tar-meta">There are no sessions here yet. The demo takes a few minutes.</p>')
    if sessions:
        _recent(store, sessions)
        st.subheader("Begin another")
    _beginnings(store, demo_first=not sessions)
    _archived(store)


def start_demo(store: Store, reviewer: str = "") -> str:
    """A session on a simulated search, ready to be screened; its id."""
    calibrator = calibrators()[default_calibrator(has_scores=True, sample=True)]
    return _demo(
        store, documents.sample(DEMO_TOPIC), calibrator, Settings(START.payoffs, START.cost), reviewer
    )


def start_review_demo(store: Store, reviewer: str = "") -> str:
    """A session on a simulated review, in two stages, ready to be screened; its id."""
    calibrator = calibrators()[default_calibrator(has_scores=True, sample=True, scenario="inclusion")]
    settings = Settings(
        START.payoffs,
        START.cost,
        scenario="review",
        plus="Adopt",
        minus="Don’t adopt",
        needs_citation=False,
        confirm_hits=False,
        full_cost=FULL_TIMES * START.cost,
        data_share=data_share(simulated=True),
    )
    return _demo(store, documents.sample_review(DEMO_REVIEW), calibrator, settings, reviewer)


def _demo(store: Store, sample: Documents, calibrator: Calibrator, settings: Settings, reviewer: str) -> str:
    ranking = prepare(sample.frame, "text", sample.query)
    settings = replace(settings, calibrator=calibrator.digest)
    plan = Plan(f"Demo: {sample.name}", reviewer, sample, ranking, sample.query, calibrator, settings)
    return create(store, plan)


def _beginnings(store: Store, demo_first: bool) -> None:
    demo, review, own = st.columns(3, gap="medium")
    with demo.container(border=True, height="stretch"):
        st.subheader("Patents")
        st.write("A simulated search among invented patents. One click, and you read the first document.")
        if st.button("Start the demo", key="demo", type="primary" if demo_first else "secondary"):
            with shell.problems_shown():
                go_to(start_demo(store, str(st.session_state.get(REVIEWER, ""))))
    with review.container(border=True, height="stretch"):
        st.subheader("Diagnostic accuracy")
        st.write("A simulated review of a test. Its 2×2 tables add up until you would adopt it, or not.")
        if st.button("Start the review demo", key="review_demo"):
            with shell.problems_shown():
                go_to(start_review_demo(store, str(st.session_state.get(REVIEWER, ""))))
    with own.container(border=True, height="stretch"):
        st.subheader("Your documents")
        st.write(
            "A search result as CSV, Excel, RIS, BibTeX, PubMed or JSON lines, ranked or not, labelled or not."
        )
        if st.button("Set up a session", key="set_up"):
            st.switch_page(shell.SET_UP)


def _recent(store: Store, sessions: list[SessionSummary]) -> None:
    st.subheader("Your sessions")
    shown = sessions
    if len(sessions) > RECENT:
        everything = st.toggle(f"Show all {len(sessions)} sessions", key="all_sessions")
        shown = sessions if everything else sessions[:RECENT]
    for session in shown:
        with st.container(
            border=True, horizontal=True, vertical_alignment="center", key=f"session-{session.id}"
        ):
            st.html(line(store, session), width="stretch")
            if st.button(
                "Continue" if session.decision is None else "Open",
                key=f"continue-{session.id}",
                type="primary" if session is sessions[0] else "secondary",
            ):
                go_to(session.id)
            with st.popover("More", key=f"more-{session.id}"):
                _menu(store, session)


def _menu(store: Store, session: SessionSummary) -> None:
    st.text_input(
        "Name",
        session.name,
        max_chars=120,
        key=f"name-{session.id}",
        on_change=_rename,
        args=(store, session.id),
    )
    st.button("Archive", key=f"archive-{session.id}", on_click=_archive, args=(store, session.id, True))


def _archived(store: Store) -> None:
    away = store.sessions(archived=True)
    if not away:
        return
    with st.expander(f"Archived sessions ({len(away)})"):
        for session in away:
            words, button = st.columns([5, 1.4], vertical_alignment="center")
            words.html(
                f'<div class="tar-name">{html.escape(session.name)}</div>'
                f'<div class="tar-meta">{html.escape(told(store, session))}</div>'
            )
            button.button(
                "Bring back",
                key=f"restore-{session.id}",
                on_click=_archive,
                args=(store, session.id, False),
                width="stretch",
            )


def _rename(store: Store, session: str) -> None:
    name = str(st.session_state[f"name-{session}"]).strip()
    if name:
        attempt(lambda: store.rename(session, name))


def _archive(store: Store, session: str, archived: bool) -> None:
    attempt(lambda: store.archive(session, archived))
