"""With whom a session is shared."""

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import one_of
from dashboard.frame.work import button, say
from tarstop_core.sessions.snapshot import SessionSnapshot
from tarstop_core.sessions.store.permissions import Role
from tarstop_core.sessions.store.store import Store

PREFIX = "sharing"
NAME, ROLE = f"{PREFIX}/name", f"{PREFIX}/role"
MEANS: dict[Role, str] = {
    "reader": "reads, labels and exports",
    "adjudicator": "also settles disagreements",
    "guest": "looks",
    "owner": "may do everything",
}


def share_tab(store: Store, session: SessionSnapshot) -> None:
    """Draw who has which role in a session; an owner may change that."""
    key, owns = session.row.id, "manage" in store.actions("session", session.row.id)
    holders = dict(store.shares(key))
    for holder, role in holders.items():
        with st.container(horizontal=True, vertical_alignment="center", key=f"{PREFIX}/{key}/{holder}"):
            st.text(f"{holder}: {role}", width="content")
            if owns:
                button("Remove", _share, store, key, holder, None, key=f"{PREFIX}/remove/{key}/{holder}")
    if not owns:
        shell.caption("An owner may share this session with others.")
        return
    if (several := session.several) is not None:
        for name in several.readers.names:
            if name not in holders and name not in several.files:
                words = f"Share with {name}, who is to read it"
                button(words, _share, store, key, name, "reader", key=f"{PREFIX}/reader/{key}/{name}")
    left, right = st.columns([1.6, 1], vertical_alignment="bottom")
    left.text_input("Name with which they log in", key=NAME, max_chars=200)
    options = {each: f"{each}: {means}" for each, means in MEANS.items()}
    one_of("Role", options, at=right, key=ROLE)
    button("Share", _share_as_typed, store, key, key=f"{PREFIX}/share", type="primary")
    if projects := store.projects():
        shell.caption(f"You can also name your projects: {', '.join(projects)}.")


def _share_as_typed(store: Store, session: str) -> None:
    """Share by what stands in the fields when the button is pressed: the page may not have been drawn with it yet."""
    _share(store, session, st.session_state[NAME], st.session_state[ROLE])
    st.session_state[NAME] = ""


def _share(store: Store, session: str, holder: str, role: Role | None) -> None:
    store.share(session, holder, role)
    say(f"{holder} is {role} now." if role else f"{holder} no longer sees this session.")
