"""A whole session, as the pages that look back at one ask for it."""

import re

from dashboard.frame.waiting import LARGE_LIST, shown
from dashboard.frame.work import kept
from dashboard.parts import jobs
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.whole import WholeSession, whole_session

OF = "of"
"""The parameter of the address that names what is explored; the others belong to it."""

PREFIX = "session_detail"
CHOSEN = "session"
KEPT = 6


def loaded(store: Store, session_id: str) -> WholeSession:
    """A session with its documents, kept for this browser tab until something is recorded in it."""
    row = store.session(session_id)
    asked = (session_id, row.name, len(store.events(session_id)))

    def opened() -> WholeSession:
        if len(row.ids) <= LARGE_LIST:
            return whole_session(store, session_id)
        return shown(row.name, f"Opening {row.name}", jobs.in_store, store.url, whole_session, session_id)

    return kept(f"{PREFIX}/kept", asked, opened, KEPT if len(row.ids) <= LARGE_LIST else 1)


def file_stem(name: str) -> str:
    """What an exported file is called.

    >>> file_stem("Demo: <hinge> $5/2")
    'Demo-hinge-5-2'
    """
    return re.sub(r"[^\w-]+", "-", name).strip("-")[:60] or "session"
