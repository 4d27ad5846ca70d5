"""With whom a session is shared."""

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import button, one_of
from dashboard.frame.work import say
from tarstop_core.sessions.snapshot import SessionSnapshot
from tarstop_core.sessions.store.permissions import Role
from tarstop_core.sessions.store.store import Store

PREFIX = "sharing"
MEANS: dict[Role, str] = {
    "reader": "reads, labels and exports",
    "adjudicator": "does so, and settles disagreements",
    "guest": "looks",
    "owner": "may do everything",
}


def share_tab(store: Store, session: SessionSnapshot) -> None:
    """Draw who has which role in a session; an owner may change that."""
    key, owns = session.row.id, "manage" in store.actions("session", session.row.id)
    for holder, role in store.shares(key):
        with st.container(horizontal=True, vertical_alignment="center", key=f"{PREFIX}/{key}/{holder}"):
            st.text(f"{holder}: {role}", width="content")
            if owns:
                button("Remove", _share, store, key, holder, None, key=f"{PREFIX}/remove/{key}/{holder}")
    if not owns:
        shell.caption("An owner may share this session with others.")
        return
    left, right = st.columns([1.6, 1], vertical_alignment="bottom")
    typed = left.text_input("Name with which they log in", key=f"{PREFIX}/name", max_chars=200)
    options = {each: f"{each}: {means}" for each, means in MEANS.items()}
    chosen = one_of("Role", options, at=right, key=f"{PREFIX}/role")
    button("Share", _share, store, key, typed, chosen, key=f"{PREFIX}/share", type="primary")
    if projects := store.projects():
        shell.caption(f"Your projects may be named too: {', '.join(projects)}.")


def _share(store: Store, session: str, holder: str, role: Role | None) -> None:
    store.share(session, holder, role)
    say(f"{holder} is {role} now." if role else f"{holder} sees this session no more.")
