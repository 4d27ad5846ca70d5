"""A session as a line in a list of them."""

from __future__ import annotations

import html

from dashboard.frame.work import clock
from tarstop_core.sessions.progress import told
from tarstop_core.sessions.store.rows import SessionSummary
from tarstop_core.sessions.store.store import Store


def line(store: Store, session: SessionSummary) -> str:
    """Name, badges, how far it is and when it was touched last, as HTML."""
    marks = [session.scenario, *["simulated"] * session.simulated, *["archived"] * session.archived]
    badges = "".join(f' <span class="tar-badge">{mark}</span>' for mark in marks)
    return (
        f'<div class="tar-row"><strong class="tar-name">{html.escape(session.name)}</strong>{badges}</div>'
        f'<div class="tar-meta">{html.escape(told(store, session))} · {html.escape(clock(session.last_activity))}</div>'
    )
