"""With whom a session is shared; and, for administrators, who there is, what is kept about them, and what they did."""

from functools import partial

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.markup import grid
from dashboard.frame.uploads import PER_SERVER, PER_TAB
from dashboard.frame.widgets import one_of, press
from dashboard.frame.work import clock, say
from tarstop_core.presentation.numbers import count_of
from tarstop_core.sessions.snapshot import SessionSnapshot
from tarstop_core.sessions.store.accounts import Kept
from tarstop_core.sessions.store.permissions import PROJECT, Role
from tarstop_core.sessions.store.store import Store

PREFIX = "sharing"
MEANS: dict[Role, str] = {
    "reader": "reads, labels and exports",
    "adjudicator": "does so, and settles disagreements",
    "guest": "looks",
    "owner": "may do everything",
}
LINES = 50
"""Of the audit log, that are shown."""


def share_tab(store: Store, session: SessionSnapshot) -> None:
    """Draw who has which role in a session; an owner may change that."""
    key, owns = session.row.id, "manage" in store.actions("session", session.row.id)
    for holder, role in store.shares(key):
        with st.container(horizontal=True, vertical_alignment="center", key=f"{PREFIX}/{key}/{holder}"):
            st.text(f"{holder}: {role}", width="content")
            if owns:
                press("Remove", _share, store, key, holder, None, key=f"{PREFIX}/remove/{key}/{holder}")
    if not owns:
        shell.caption("An owner may share this session with others.")
        return
    left, right = st.columns([1.6, 1], vertical_alignment="bottom")
    typed = left.text_input("Name with which they log in", key=f"{PREFIX}/name", max_chars=200)
    options = {each: f"{each}: {means}" for each, means in MEANS.items()}
    chosen = one_of("Role", options, at=right, key=f"{PREFIX}/role")
    press("Share", _share, store, key, typed, chosen, key=f"{PREFIX}/share", type="primary")
    if projects := store.projects():
        shell.caption(f"Your projects may be named too: {', '.join(projects)}.")


def _share(store: Store, session: str, holder: str, role: Role | None) -> None:
    store.share(session, holder, role)
    say(f"{holder} is {role} now." if role else f"{holder} sees this session no more.")


def administration(store: Store) -> None:
    """Draw what administrators look after."""
    with st.expander("Administration", icon=":material/admin_panel_settings:"):
        accounts = store.accounts()
        st.html(f'<div class="tar-others">{grid(_HEAD, map(_row, accounts))}</div>')
        others = {account.name: account.name for account in accounts if account.name != store.person}
        if others:
            chosen = one_of("About", others, key=f"{PREFIX}/about")
            _about(store, next(account for account in accounts if account.name == chosen))
        _projects(store)
        st.subheader("Audit log")
        lines = store.audit(LINES)
        head = ("When", "Who", "What", "Which", "About")
        rows = [
            (clock(line.time, with_day=True), line.person, line.what, line.object_id, line.about)
            for line in lines
        ]
        st.html(f'<div class="tar-others">{grid(head, rows)}</div>')
        shell.caption(
            f"Back up with “tarstop backup FILE” on the server. A browser tab may hold {PER_TAB / 1e9:.1f} GB of uploads, all "
            f"together {PER_SERVER / 1e9:.1f} GB."
        )


_HEAD = ("Name", "Came last", "Roles", "Entries in logs", "Drafts", "Audit lines", "")


def _row(account: Kept) -> tuple[str, ...]:
    standing = ("administers" if account.administers else "") + (" · locked out" if account.locked else "")
    seen = clock(account.seen, with_day=True) if account.seen else ""
    numbers = (account.shares, account.events, account.drafts, account.audit)
    return account.name, seen, *(f"{number:,}" for number in numbers), standing.strip(" ·")


def _about(store: Store, account: Kept) -> None:
    name = account.name
    with st.container(horizontal=True):
        lock = "Let in again" if account.locked else "Lock out"
        press(lock, store.lock_out, name, not account.locked, key=f"{PREFIX}/lock")
        appoint = "End administration" if account.administers else "Let administer"
        press(appoint, store.appoint, name, not account.administers, key=f"{PREFIX}/appoint")
        with st.popover("Erase", key=f"{PREFIX}/erase"):
            entries = count_of(account.events, "entry", "entries")
            st.write(
                f"Account, roles and drafts of {shell.escape_markdown(name)} go; {entries} in logs get another name. "
                "What they alone owned becomes administrators’. Nothing brings that back."
            )
            press("Erase", partial(_erase, store, name), key=f"{PREFIX}/erased", type="primary")


def _erase(store: Store, name: str) -> None:
    other = store.erase(name)
    say(f"Logs now say “{other}”.")


def _projects(store: Store) -> None:
    st.subheader("Projects")
    for project, members in store.projects().items():
        st.write(f"{shell.escape_markdown(project)}: {shell.escape_markdown(', '.join(members))}")
    left, right = st.columns(2)
    project = left.text_input("Project", key=f"{PREFIX}/project", max_chars=100).removeprefix(PROJECT)
    person = right.text_input("Person", key=f"{PREFIX}/person", max_chars=200)
    with st.container(horizontal=True):
        press("Add to the project", store.set_member, project, person, True, key=f"{PREFIX}/join")
        press("Remove from the project", store.set_member, project, person, False, key=f"{PREFIX}/leave")
