"""The list of sessions, each with how far it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, Row, and_, func, select

from tarstop_core.screening.log import Event, standing
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.database import COLLECTION, DELETED, EVENT, SESSION
from tarstop_core.sessions.store.rows import SessionSummary


def summaries(connection: Connection, archived: bool, deleted: bool) -> list[SessionSummary]:
    """Sessions in use, the archived or (archived or not) the deleted ones; the last worked on comes first."""
    s, e = SESSION.c, EVENT.c
    gone = s.id.in_(select(DELETED.c.session_id))
    chosen = gone if deleted else and_(s.archived == archived, ~gone)
    listed = (
        select(s.id, s.name, s.collection_id, s.created, s.documents, s.archived, s.settings, s.query)
        .add_columns(COLLECTION.c.simulated)
        .join_from(SESSION, COLLECTION)
        .where(chosen)
    )
    tally = (
        select(e.session_id, e.kind, func.count().label("number"), func.max(e.seq).label("last_seq"))
        .add_columns(func.max(e.time).label("last_time"))
        .join_from(EVENT, SESSION)
        .where(chosen)
        .group_by(e.session_id, e.kind)
    )
    rows = connection.execute(listed).all()
    kinds: dict[str, dict[str, Row[*tuple[Any, ...]]]] = {row.id: {} for row in rows}
    for line in connection.execute(tally):
        # A session may have been created between the two statements.
        if line.session_id in kinds:
            kinds[line.session_id][line.kind] = line
    found = [_summary(connection, row, kinds[row.id]) for row in rows]
    return sorted(found, key=lambda summary: summary.last_activity, reverse=True)


def _summary(
    connection: Connection, row: Row[*tuple[Any, ...]], kinds: Mapping[str, Row[*tuple[Any, ...]]]
) -> SessionSummary:
    """Read from counts by kind where that is enough, from the log only where something was undone."""
    last = {kind: int(line.last_seq) for kind, line in kinds.items()}
    labelled = int(kinds["label"].number) if "label" in kinds else 0
    if "undo" in kinds:
        log = select(EVENT.c.kind).where(EVENT.c.session_id == row.id).order_by(EVENT.c.seq)
        kept = standing(Event(kind) for kind in connection.execute(log).scalars())
        labelled = sum(event.kind == "label" for event in kept)
    if "kept" in kinds:
        at = select(EVENT.c.payload).where(EVENT.c.session_id == row.id, EVENT.c.kind == "kept")
        labelled += sum(len(json.loads(payload)["labels"]) for payload in connection.execute(at).scalars())
    resumed = last.get("continued", 0)
    decision = None
    if last.get("decided", 0) > resumed:
        at = select(EVENT.c.payload).where(EVENT.c.session_id == row.id, EVENT.c.seq == last["decided"])
        decision = json.loads(connection.execute(at).scalar_one())
    plain = {name: value for name, value in row._mapping.items() if name != "settings"}
    return SessionSummary(
        **plain,
        last_activity=max([row.created, *(line.last_time for line in kinds.values())]),
        labelled=labelled,
        stopped=max(last.get("stopped", 0), last.get("decided", 0)) > resumed,
        decision=decision,
        # Sessions of before there were reviews do not say.
        scenario=str(json.loads(row.settings).get("scenario", Settings.scenario)),
    )
