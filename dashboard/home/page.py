"""The Home page: continue, bring documents, or try the demo."""

import base64
import html
from functools import partial
from typing import Any

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.drawing import picture
from dashboard.frame.markup import Blocks, badges
from dashboard.frame.waiting import LARGE_LIST
from dashboard.frame.work import button, flash, go_to, kept, reviewer
from dashboard.parts.documents import OWN, SOURCE
from dashboard.parts.sessions import first, line, rename_box, resume
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.curves import small_curve
from tarstop_core.presentation.figures import stroke
from tarstop_core.presentation.numbers import amount, count_of
from tarstop_core.presentation.palette import BELIEF
from tarstop_core.screening.wording import chance_in_words, in_brief
from tarstop_core.sessions.demo import start_demo, start_review_demo, start_trials_demo
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.listing import SessionSummary, progress
from tarstop_core.sessions.store.store import Store
from tarstop_core.teaching.overview import COSTS, MISTAKES, UNIT, Overview
from tarstop_core.value.stakes import SEARCH_EXAMPLE

RECENT = 6
block = Blocks("home/blocks.html")
READ, PLAYING, TICKING = "idea/read", "idea/playing", "idea/ticking"
PACE = 0.6  # Seconds a document while the picture of the idea plays
LEAD = "After each document, TARstop says how sure you can be and whether reading on still pays."


def home_page() -> None:
    store = shell.store()
    sessions = store.sessions()
    st.title("Know when to stop reading")
    flash()
    shell.show_lead(LEAD)
    if broken := len(store.damaged()):
        entries = count_of(broken, "entry", "entries")
        st.warning(f"{entries} in the database cannot be read; the end of the Sessions page lists them.")
    if sessions:
        _recent(store, sessions)
        st.subheader("Begin another")
    else:
        _idea()
    _beginnings(store, demo_first=not sessions)
    st.markdown(
        f"[The first five minutes]({shell.guide(place=shell.CHAPTERS['Home'])}) · "
        f"[Which files?]({shell.guide('own_data')})"
    )
    _archived(store)


def _beginnings(store: Store, demo_first: bool) -> None:
    demo, review, trials, own = st.columns(4, gap="medium")
    named = reviewer()
    with demo.container(border=True, height="stretch", key="begin-patents"):
        st.subheader("Patents")
        st.write("Is there prior art?")
        if st.button("Start the demo", key="demo", type="primary" if demo_first else "secondary"):
            with shell.problems_shown():
                go_to(start_demo(store, named))
    with review.container(border=True, height="stretch", key="begin-review"):
        st.subheader("Diagnostic accuracy")
        st.write("Is a test sensitive enough?")
        if st.button("Start the review demo", key="review_demo"):
            with shell.problems_shown():
                go_to(start_review_demo(store, named))
    with trials.container(border=True, height="stretch", key="begin-trials"):
        st.subheader("Interventions")
        st.write("Does a treatment help?")
        if st.button("Start the trials demo", key="trials_demo"):
            with shell.problems_shown():
                go_to(start_trials_demo(store, named))
    with own.container(border=True, height="stretch", key="begin-own"):
        st.subheader("Your documents")
        st.write("CSV, Excel, RIS, BibTeX, PubMed or JSON.")
        if st.button("Set up a session", key="set_up"):
            st.session_state[SOURCE] = OWN
            st.switch_page(shell.SET_UP)


def _recent(store: Store, sessions: list[SessionSummary]) -> None:
    st.subheader("Your sessions")
    place, listed = first(sessions, RECENT, f"Show all {len(sessions)} sessions", "all_sessions")
    for session in listed:
        key = f"session-{session.id}{'-decided' if session.decision else ''}"
        with place.container(key=key, border=True, horizontal=True, vertical_alignment="center"):
            st.html(_standing(store, session, line(store, session)), width="stretch")
            allowed = store.actions("session", session.id)
            word = "Continue" if "label" in allowed else "Open"
            resume(session, word, "continue", primary=session is sessions[0])
            if "manage" not in allowed:
                continue
            with st.popover("More", key=f"more-{session.id}"):
                rename_box(store, session)
                button("Archive", store.archive, session.id, key=f"archive-{session.id}")


def _standing(store: Store, session: SessionSummary, line: str) -> str:
    """A session's line with where it stands, as HTML; the line alone for a long list, which takes too long to open."""
    if session.documents > LARGE_LIST:
        return line
    try:
        asked = session.id, line, len(store.events(session.id)), shell.dark()
        return kept("home/standing", asked, partial(_opened, store, session.id, line), RECENT)
    except InputProblem:  # the page that opens the session says what is damaged
        return line


def _opened(store: Store, session_id: str, line: str) -> str:
    """Open a session: its verdict, what is left to do, and a small curve of the belief so far."""
    work = OpenSession.load(store, session_id)
    state, settings = work.state, work.state.settings
    advice, curve, chance = work.advice(settings), "", ""
    if settings.weighs:
        path, end = work.paths(settings).path, state.depth + max(0, advice.more)
        # The path is that before a hit, which settles the question.
        settled = len(path) + 1 if state.hit is None else state.hit
        beliefs = [1.0 if depth >= settled else float(b) for depth, b in enumerate(path.b[: end + 1])]
        chance = chance_in_words(advice, settings)
        drawn = small_curve(
            beliefs,
            state.depth,
            settings.payoffs.ranges().ends,
            stroke(BELIEF, shell.dark()),
            in_steps=path.in_steps,
            description=chance,
        )
        curve = base64.b64encode(drawn.encode()).decode()
    brief = None if state.decision else in_brief(advice, settings)
    return block("standing", line, brief, curve, chance)


def _archived(store: Store) -> None:
    away = [each for each in store.sessions(archived=True) if "manage" in store.actions("session", each.id)]
    if not away:
        return
    with st.expander(f"Archived sessions ({len(away)})"):
        for session in away:
            words, beside = st.columns([5, 1.4], vertical_alignment="center")
            so_far = html.escape(" · ".join(progress(session, store.events)))
            words.html(
                f'<div class="tar-name">{html.escape(session.name)}</div><div class="tar-meta">{so_far}</div>'
            )
            key = f"restore-{session.id}"
            button("Bring back", store.archive, session.id, False, key=key, at=beside, width="stretch")


def _idea() -> None:
    """Draw the idea of the program in a picture; it moves only once somebody presses *Play*."""
    playing = st.session_state[TICKING] = st.session_state.get(PLAYING, False)
    with st.container(key="idea"):
        # A fragment's clock is set when the whole page runs.
        st.fragment(_picture, run_every=PACE if playing else None)()


def _picture() -> None:
    controls, curves = st.columns([1, 1.6], gap="large", vertical_alignment="center")
    with controls:
        mistake = _amount("A wrong decision costs", MISTAKES, SEARCH_EXAMPLE.payoffs.K / 2)
        idea = Overview(mistake, _amount("Reading a document costs", COSTS, SEARCH_EXAMPLE.cost))
        depth = _depth(idea.stop)
        playing = st.session_state.get(PLAYING, False)
        name, icon = ("Pause", "pause") if playing else ("Play", "play_arrow")
        with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
            how: dict[str, Any] = {
                "key": "idea/play",
                "icon": f":material/{icon}:",
                "disabled": not idea.stop,
            }
            button(name, _play, not playing, idea.stop, **how)
            if idea.stop:
                st.slider("Documents read", 0, idea.stop, key=READ, disabled=playing)
        st.html(f"<p>{idea.sentence(depth)}&nbsp;{badges('simulated')}</p>")
    with curves:
        picture(idea.figure(depth, dark=shell.dark()), idea.sentence(depth))
    if st.session_state.get(PLAYING, False) != st.session_state[TICKING]:
        st.rerun()


def _amount(label: str, amounts: tuple[float, ...], first: float) -> float:
    words = {value: amount(value, UNIT) for value in amounts}
    return st.select_slider(label, amounts, first, format_func=words.__getitem__, key=f"idea/{label}")


def _depth(stop: int) -> int:
    """Documents read: one more where the picture plays, which it does up to the stop."""
    depth = int(st.session_state.get(READ, 0))
    if st.session_state.get(PLAYING) and st.session_state[TICKING]:
        depth += 1
    depth = min(depth, stop)
    if depth == stop:
        st.session_state[PLAYING] = False
    st.session_state[READ] = depth
    return depth


def _play(wanted: bool, stop: int) -> None:
    """Play or pause; at the stop it begins again."""
    if wanted and st.session_state.get(READ) == stop:
        st.session_state[READ] = 0
    st.session_state[PLAYING] = wanted
