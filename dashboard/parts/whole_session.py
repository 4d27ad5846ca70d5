"""A whole session, as the pages that look back at one ask for it."""

from __future__ import annotations

import re

import streamlit as st

from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.whole import WholeSession, whole_session

OF = "of"
"""The parameter of the address that names what is explored; the others belong to it."""

PREFIX = "session_detail"
CHOSEN = "session"
KEPT = 6


def loaded(store: Store, session_id: str) -> WholeSession:
    """A session with its documents, kept for this browser tab until something is recorded in it."""
    kept: dict[str, tuple[tuple[str, int], WholeSession]] = st.session_state.setdefault(f"{PREFIX}/kept", {})
    row, events = store.session(session_id), store.events(session_id)
    stamp = (row.name, len(events))
    if session_id not in kept or kept[session_id][0] != stamp:
        while len(kept) >= KEPT:
            kept.pop(next(iter(kept)))
        kept[session_id] = (stamp, whole_session(store, session_id))
    return kept[session_id][1]


def file_stem(name: str) -> str:
    """What an exported file is called.

    Examples
    --------
    >>> file_stem("Demo: <hinge> $5/2")
    'Demo-hinge-5-2'
    """
    return re.sub(r"[^\w-]+", "-", name).strip("-")[:60] or "session"
