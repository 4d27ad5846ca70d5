"""A session as a line in a list of them."""

import html
from collections.abc import Sequence
from functools import partial

import streamlit as st

from dashboard.frame.markup import badges
from dashboard.frame.widgets import name_box
from dashboard.frame.work import clock, go_to
from tarstop_core.sessions.progress import told
from tarstop_core.sessions.store.rows import SessionSummary
from tarstop_core.sessions.store.store import Store


def line(store: Store, session: SessionSummary) -> str:
    """Name, badges, how far it is and when it was touched last, as HTML."""
    marks = [session.scenario, *["simulated"] * session.simulated, *["archived"] * session.archived]
    return (
        f'<div class="tar-row"><strong class="tar-name">{html.escape(session.name)}</strong> {badges(*marks)}</div>'
        f'<div class="tar-meta">{html.escape(told(store, session))} · {html.escape(clock(session.last_activity))}</div>'
    )


def first(sessions: Sequence[SessionSummary], most: int, words: str, key: str) -> Sequence[SessionSummary]:
    """The first ones of a long list, or all of it once somebody asks for them."""
    everything = len(sessions) <= most or st.toggle(words, key=key)
    return sessions if everything else sessions[:most]


def resume(session: SessionSummary, word: str, key: str, *, primary: bool) -> None:
    """The button that opens a session on the Screen page; `word` is what it says before a decision."""
    said = word if session.decision is None else "Open"
    if st.button(said, key=f"{key}-{session.id}", type="primary" if primary else "secondary"):
        go_to(session.id)


def rename_box(store: Store, session: SessionSummary) -> None:
    """The name of a session, to be changed where it stands."""
    name_box(session.name, partial(store.rename, session.id), key=f"name-{session.id}")
