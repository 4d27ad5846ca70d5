"""From what a person chose to a session, and on to its page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

import streamlit as st

from dashboard import documents, shell
from dashboard.documents import Documents
from dashboard.work import OPEN
from tarstop_core.calibration import Calibrator
from tarstop_core.prepare import Ranking
from tarstop_core.session import Event, Settings, plan_event, replay
from tarstop_core.store import Store


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that a session is created from."""

    name: str
    reviewer: str
    documents: Documents
    ranking: Ranking
    query: str
    calibrator: Calibrator
    settings: Settings
    register: bool = False
    events: tuple[Event, ...] = ()
    """What the log begins with: labels and families that came along with the documents."""


def create(store: Store, plan: Plan) -> str:
    """Store the session and what it needs; its id."""
    collection = documents.stored(store, plan.documents)
    store.save_calibrator(plan.calibrator)
    ranking = plan.ranking
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    events = [replace(event, seq=number, time=now) for number, event in enumerate(plan.events, start=1)]
    session = store.create_session(
        plan.name,
        collection,
        ranking.order,
        ranking.scores,
        plan.settings,
        plan.query,
        ranking.how,
        events=events,
    )
    if plan.register:
        row = store.session(session)
        event = plan_event(replay(row.settings, row.ids, events), row.digest)
        store.append(session, replace(event, reviewer=plan.reviewer), expected=len(events))
    return session


def go_to(session: str) -> None:
    """Open a session on the Screen page."""
    st.session_state[OPEN] = session
    st.switch_page(shell.SCREEN, query_params={"session": session})
