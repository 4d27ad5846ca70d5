"""The list of sessions, each with how far it is."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, func, select

from tarstop_core.envelope import check_time
from tarstop_core.screening.log import Event, check_event, standing
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.database import COLLECTION, DELETED, EVENT, SESSION
from tarstop_core.sessions.store.rows import Damaged, SessionSummary
from tarstop_core.sessions.store.values import intact, readable


def summaries(connection: Connection, archived: bool, deleted: bool) -> list[SessionSummary]:
    """Sessions in use, the archived or (archived or not) the deleted ones; the last worked on comes first."""
    gone = SESSION.c.id.in_(select(DELETED.c.session_id))
    found = all_sessions(connection, gone if deleted else and_(SESSION.c.archived == archived, ~gone))
    fine = [row for row in found if isinstance(row, SessionSummary)]
    return sorted(fine, key=lambda summary: summary.last_activity, reverse=True)


def all_sessions(connection: Connection, *chosen: ColumnElement[bool]) -> list[SessionSummary | Damaged]:
    """All sessions, or those chosen, and what is wrong with those that cannot be read."""
    s, e = SESSION.c, EVENT.c
    listed = (
        select(s.id, s.name, s.collection_id, s.created, s.documents, s.archived, s.settings, s.query)
        .add_columns(COLLECTION.c.simulated)
        .join_from(SESSION, COLLECTION)
        .where(*chosen)
    )
    tally = (
        select(e.session_id, e.kind, func.count().label("number"), func.max(e.seq).label("last_seq"))
        .add_columns(func.max(e.time).label("last_time"))
        .join_from(EVENT, SESSION)
        .where(*chosen)
        .group_by(e.session_id, e.kind)
    )
    rows = connection.execute(listed).all()
    kinds: dict[str, dict[str, Row[*tuple[Any, ...]]]] = {row.id: {} for row in rows}
    for line in connection.execute(tally):
        # A session may have been created between the two statements.
        if line.session_id in kinds:
            kinds[line.session_id][line.kind] = line
    return [
        readable("session", row.id, row.name, partial(_summary, connection, row, kinds[row.id]))
        for row in rows
    ]


def _summary(
    connection: Connection, row: Row[*tuple[Any, ...]], kinds: Mapping[str, Row[*tuple[Any, ...]]]
) -> SessionSummary:
    """Read from counts by kind where that is enough, from the log only where something was undone."""
    with intact(f"The session '{row.name}'"):
        last = {kind: int(line.last_seq) for kind, line in kinds.items()}
        labelled = int(kinds["label"].number) if "label" in kinds else 0
        if "undo" in kinds:
            log = select(EVENT.c.kind).where(EVENT.c.session_id == row.id).order_by(EVENT.c.seq)
            kept = standing(Event(kind) for kind in connection.execute(log).scalars())
            labelled = sum(event.kind == "label" for event in kept)
        if "kept" in kinds:
            at = select(EVENT.c.payload).where(EVENT.c.session_id == row.id, EVENT.c.kind == "kept")
            labelled += sum(len(json.loads(each)["labels"]) for each in connection.execute(at).scalars())
        resumed = last.get("continued", 0)
        decision = None
        if last.get("decided", 0) > resumed:
            at = select(EVENT.c.payload).where(EVENT.c.session_id == row.id, EVENT.c.seq == last["decided"])
            payload = json.loads(connection.execute(at).scalar_one())
            decided = Event("decided", payload, last["decided"], kinds["decided"].last_time)
            decision = check_event(decided).payload
        plain = {name: value for name, value in row._mapping.items() if name != "settings"}
        times = [row.created, *(line.last_time for line in kinds.values())]
        return SessionSummary(
            **plain,
            last_activity=max(map(check_time, times)),
            labelled=labelled,
            stopped=max(last.get("stopped", 0), last.get("decided", 0)) > resumed,
            decision=decision,
            # Sessions of before there were reviews do not say.
            scenario=str(json.loads(row.settings).get("scenario", Settings.scenario)),
        )
