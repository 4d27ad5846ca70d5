"""The list of sessions, each with how far it is."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, func, select

from tarstop_core.envelope import check_time
from tarstop_core.screening.log import Event, check_event, standing
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.database import COLLECTION, EVENT, SESSION
from tarstop_core.sessions.store.rows import Damaged, SessionSummary
from tarstop_core.sessions.store.values import intact, readable


def all_sessions(connection: Connection, *chosen: ColumnElement[bool]) -> list[SessionSummary | Damaged]:
    """All sessions, or those chosen, and what is wrong with those that cannot be read."""
    s, e = SESSION.c, EVENT.c
    plain = (s.id, s.name, s.collection_id, s.created, s.documents, s.archived, s.settings, s.query)
    listed = select(*plain, COLLECTION.c.simulated).join_from(SESSION, COLLECTION)
    last = (func.max(e.seq).label("last_seq"), func.max(e.time).label("last_time"))
    tally = select(e.session_id, e.kind, func.count().label("number"), *last).join_from(EVENT, SESSION)
    rows = connection.execute(listed.where(*chosen)).all()
    kinds: dict[str, dict[str, Row[*tuple[Any, ...]]]] = {row.id: {} for row in rows}
    for line in connection.execute(tally.where(*chosen).group_by(e.session_id, e.kind)):
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
