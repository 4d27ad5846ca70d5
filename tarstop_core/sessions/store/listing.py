"""The list of sessions with their progress, computed from counts of events where these suffice, and in words."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from tarstop_core.envelope import check_time
from tarstop_core.errors import InputProblem
from tarstop_core.screening.fold import replay
from tarstop_core.screening.independent import counted_log
from tarstop_core.screening.log import Event, check_event, standing
from tarstop_core.screening.scenarios.named import FIRST, SCENARIOS, read_settings
from tarstop_core.sessions.store.calibrators import Damaged, readable
from tarstop_core.sessions.store.tables import METADATA, StoredEvent, intact

_SESSIONS, _EVENTS, _COLLECTIONS = (METADATA.tables[name] for name in ("session", "event", "collection"))
PLAIN = ("id", "name", "collection_id", "created", "documents", "archived", "query")
"""Columns of the table of sessions that a summary copies."""


@dataclass(frozen=True)
class SessionSummary:
    """One line of the list of sessions."""

    id: str
    name: str
    collection_id: str
    created: str
    last_activity: str
    """Time of the last event, or of creation."""
    documents: int
    labelled: int
    """Documents read, without undone labels; with several readers, those that all have judged."""
    stopped: bool
    decision: Mapping[str, Any] | None
    """Payload of the decision in force; None if none is."""
    simulated: bool
    archived: bool
    imported: bool
    """Whether it came in a session file."""
    scenario: str
    query: str


def summaries(session: Session, *chosen: ColumnElement[bool]) -> list[SessionSummary | Damaged]:
    """Summaries of the sessions that meet all conditions, and what is wrong with those that cannot be read."""
    columns = [_SESSIONS.c[name] for name in (*PLAIN, "settings")]
    listed = select(*columns, _COLLECTIONS.c.simulated).join_from(_SESSIONS, _COLLECTIONS)
    rows = session.execute(listed.where(*chosen)).all()
    last = (func.max(_EVENTS.c.seq).label("seq"), func.max(_EVENTS.c.time).label("time"))
    tally = select(_EVENTS.c.session_id, _EVENTS.c.kind, func.count().label("number"), *last)
    tally = tally.join_from(_EVENTS, _SESSIONS).where(*chosen)
    kinds: dict[str, dict[str, Any]] = {row.id: {} for row in rows}
    for line in session.execute(tally.group_by(_EVENTS.c.session_id, _EVENTS.c.kind)):
        # A session may have been created between the two statements.
        if line.session_id in kinds:
            kinds[line.session_id][line.kind] = line
    return [
        readable("session", row.id, row.name, partial(_summary, session, row, kinds[row.id])) for row in rows
    ]


def _summary(session: Session, row: Any, kinds: Mapping[str, Any]) -> SessionSummary:
    """Summary of a session from its counts of events by kind; the log is read only if these are not enough."""
    log = select(StoredEvent.kind).where(StoredEvent.session_id == row.id).order_by(StoredEvent.seq)
    payloads = select(StoredEvent.payload).where(StoredEvent.session_id == row.id)
    with intact(f"The session '{row.name}'"):
        last = {kind: int(line.seq) for kind, line in kinds.items()}
        settings = json.loads(row.settings)
        labelled = int(kinds["label"].number) if "label" in kinds else 0
        if settings.get("readers"):
            labelled = _judged_by_all(session, row.id, settings)
        elif "undo" in kinds:
            labelled = sum(event.kind == "label" for event in standing(map(Event, session.scalars(log))))
        if "kept" in kinds:
            came = session.scalars(payloads.where(StoredEvent.kind == "kept"))
            labelled += sum(len(json.loads(payload)["labels"]) for payload in came)
        resumed = last.get("continued", 0)
        decision = None
        if last.get("decided", 0) > resumed:
            payload = session.scalars(payloads.where(StoredEvent.seq == last["decided"])).one()
            decided = Event("decided", json.loads(payload), last["decided"], kinds["decided"].time)
            decision = check_event(decided).payload
        times = [row.created, *(line.time for line in kinds.values())]
        if "imported" in kinds:  # earlier times are claims of the file, and may lie in the future
            newest = log.with_only_columns(StoredEvent.time).order_by(None).order_by(StoredEvent.seq.desc())
            times = [session.scalars(newest.limit(1)).one()]
        return SessionSummary(
            **{name: row._mapping[name] for name in PLAIN},
            simulated=row.simulated,
            last_activity=max(map(check_time, times)),
            labelled=labelled,
            stopped=max(last.get("stopped", 0), last.get("decided", 0)) > resumed,
            decision=decision,
            imported="imported" in kinds,
            # Settings of sessions from before there were reviews name no scenario.
            scenario=str(settings.get("scenario", FIRST)),
        )


def _judged_by_all(session: Session, session_id: str, settings: Mapping[str, Any]) -> int:
    """Number of documents that all have judged; a list that shows more would reveal what others have read."""
    stored = select(StoredEvent).where(StoredEvent.session_id == session_id).order_by(StoredEvent.seq)
    log = [
        Event(row.kind, json.loads(row.payload), row.seq, row.time, row.reviewer)
        for row in session.scalars(stored)
    ]
    return sum(event.kind == "label" for event in counted_log(read_settings(settings).readers, log))


def progress(summary: SessionSummary, read_log: Callable[[str], list[Event]]) -> list[str]:
    """Progress and finds of a session, a phrase each; `read_log` returns the events of the session with an id."""
    parts = [f"{summary.labelled:,} of {summary.documents:,} screened"]
    # A damaged log must not hide the list: the page of that session says what is damaged.
    with suppress(InputProblem):
        events = read_log(summary.id)
        unsure = count_unsure(events)
        parts += [*counts_in_words(summary.scenario, events), f"{unsure:,} unsure" if unsure else ""]
    if summary.decision is not None:
        action = str(summary.decision.get("action", ""))
        parts.append(f"decided: {action}" if action else "decided")
    elif summary.stopped:
        parts.append("stopped, not decided")
    return list(filter(None, parts))


def counts_in_words(name: str, events: Sequence[Event]) -> list[str]:
    """Finds of a session of this scenario in words; none for scenarios in which no report is read in full."""
    scenario = SCENARIOS.get(name)
    if scenario is None or not scenario.settings_class.reads_full_texts:
        return []
    # Replayed as if the list contained only the documents read, because loading the ids of a long list takes long.
    log = [event for event in events if event.kind not in ("audited", "joined", "parted", "fit")]
    ids = list[str]()
    for at, event in enumerate(log):
        if event.kind == "kept":
            # Documents that came with labels get ranks among themselves.
            ids += event.payload["labels"]
            ranks = range(1, len(event.payload["labels"]) + 1)
            log[at] = replace(event, payload={**event.payload, "ranks": ranks})
    ids += [event.payload["doc"] for event in standing(log) if event.kind == "label"]
    state = replay(scenario.settings_class.beginning(), ids, log)
    return scenario.counted(state)


def count_unsure(events: Sequence[Event]) -> int:
    """Number of documents read whose verdict is unsure."""
    labels: dict[str, str] = {}
    for event in standing(events):
        if event.kind == "kept":
            labels |= event.payload["labels"]
        elif event.kind in ("label", "relabel"):
            labels[event.payload["doc"]] = event.payload["label"]
    return sum(label == "unsure" for label in labels.values())
