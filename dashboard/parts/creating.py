"""From what a person chose to a session, and on to its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import chain, count

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.work import OPEN
from dashboard.parts import documents
from dashboard.parts.documents import Documents
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.topic import records_digest
from tarstop_core.ranking.order import Ranking
from tarstop_core.screening.events import plan_event
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.store import Store


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
    """Store the session, with the plan where one is registered, and what it needs; its id."""
    collection = documents.stored(store, plan.documents)
    store.save_calibrator(plan.calibrator)
    ranking = plan.ranking
    events = list(plan.events)
    if plan.register:
        ids = plan.documents.frame["id"].to_numpy()[ranking.order].tolist()
        digest = records_digest(ids, None if ranking.scores is None else ranking.scores.tolist())
        registered = plan_event(replay(plan.settings, ids, _numbered(events)), digest)
        events.append(replace(registered, reviewer=plan.reviewer))
    return store.create_session(
        _unused(store, plan.name),
        collection,
        ranking.order,
        ranking.scores,
        plan.settings,
        plan.query,
        ranking.how,
        events=_numbered(events),
    )


def _unused(store: Store, name: str) -> str:
    """The name, with a number where a session is called so already."""
    taken = {each.name for archived in (False, True) for each in store.sessions(archived)}
    names = chain([name], (f"{name} ({number})" for number in count(2)))
    return next(each for each in names if each not in taken)


def _numbered(events: Sequence[Event]) -> list[Event]:
    """What a log begins with."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    return [replace(event, seq=number, time=now) for number, event in enumerate(events, start=1)]


def go_to(session: str) -> None:
    """Open a session on the Screen page."""
    st.session_state[OPEN] = session
    st.switch_page(shell.SCREEN, query_params={"session": session})
