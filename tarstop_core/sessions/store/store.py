"""Collections, sessions and their logs in a database: SQLite, or any that SQLAlchemy speaks to.

What is acknowledged is on disk: :meth:`Store.append` returns after the commit, and SQLite is told
to wait for the disk. A log only ever grows, and each event carries its number, so two windows on one
session cannot overwrite each other.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sqlalchemy import ColumnElement, Connection, Row, and_, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from tarstop_core.documents.topic import records_digest
from tarstop_core.envelope import check_time
from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import KINDS, Event, check_event, standing
from tarstop_core.screening.scenarios.named import FIRST, read_settings
from tarstop_core.screening.setting_aside import listed
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store import values
from tarstop_core.sessions.store.calibrators import Calibrators
from tarstop_core.sessions.store.collections import Collections, hold, let_go
from tarstop_core.sessions.store.database import (
    BUSY_SECONDS,
    COLLECTION,
    DELETED,
    EVENT,
    SESSION,
    Database,
)
from tarstop_core.sessions.store.drafts import Drafts
from tarstop_core.sessions.store.rows import CollectionRow, Damaged, SessionRow, SessionSummary, event_row


class Conflict(InputProblem):
    """Another tab or window recorded something first."""


class Deleted(InputProblem):
    """The session was deleted and takes nothing in until it is restored."""


class Store(Collections, Calibrators, Drafts):
    """Sessions and their logs, with the collections and calibrators that they rest on, and drafts of them, in one database.

    Usable from several threads; several processes may open the same one. `url` and `busy_seconds` are those of
    :class:`~tarstop_core.sessions.store.database.Database`. InputProblem when that cannot be opened, or was written by a
    newer version; from every method when it is locked, read-only, full, damaged or out of reach, or when it holds
    nothing under an id that is given.
    """

    def __init__(self, url: str | None = None, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._database = Database(url, busy_seconds)
        self.name: str = self._database.name
        """File or URL of the database, as it may be shown."""
        self.url: str = self._database.url
        """All that another process needs to open it, its password too; never to be shown."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give all connections back; nothing is pending, because everything was committed."""
        self._database.close()

    def check(self) -> None:
        """Ask the database for something; Outage when it does not answer."""
        self._database.value(select(func.count()).select_from(DELETED))

    def create_session(
        self,
        name: str,
        collection_id: str,
        order: ArrayLike,
        scores: ArrayLike | None,
        settings: Settings,
        query: str,
        ranking: str,
        created: str = "",
        events: Sequence[Event] = (),
    ) -> str:
        """Begin a session on a collection, or take one over from another store; its id.

        `order`, shape (N,), has positions in the collection, none twice; `scores`, shape (N,), are in the same order,
        None for a list that has only its order. What comes from another store brings when it was `created` there, and its
        log (`events`, with numbers and times). InputProblem when order or scores do not fit the collection.
        """
        ids = self.document_ids(collection_id)
        positions = values.check_order(order, len(ids))
        scored = None if scores is None else values.check_scores(scores, len(positions))
        ordered = [ids[position] for position in positions.tolist()]
        row = {
            "id": values.new_id(),
            "name": values.storable_text(name),
            "collection_id": collection_id,
            "created": created or values.now(),
            "settings": values.dump(settings.to_dict()),
            "documents": listed(settings, ordered, events),
            "positions": positions.astype("<i4").tobytes(),
            "scores": None if scored is None else scored.astype("<f8").tobytes(),
            "query": values.storable_text(query),
            "ranking": values.storable_text(ranking),
            "archived": False,
            "digest": records_digest(ordered, None if scored is None else scored.tolist()),
        }
        with self._database.write() as connection:
            hold(connection, collection_id)  # it may have been deleted after its ids were read
            connection.execute(insert(SESSION), row)
            if events:
                connection.execute(insert(EVENT), [_stored(str(row["id"]), event) for event in events])
        return str(row["id"])

    def session(self, session_id: str) -> SessionRow:
        """A session as it was set up."""
        rows = self._database.rows(select(SESSION).where(SESSION.c.id == session_id))
        if not rows:
            raise _unknown_session(session_id)
        row = rows[0]
        ids = self.document_ids(row.collection_id)
        plain = ("id", "name", "collection_id", "created", "query", "ranking", "archived", "digest")
        with values.intact(f"The session '{row.name}'"):
            check_time(row.created)
            order = values.check_order(np.frombuffer(row.positions, dtype="<i4"), len(ids)).astype(np.intp)
            scores = None if row.scores is None else np.frombuffer(row.scores, dtype="<f8").astype(np.float64)
            return SessionRow(
                **{name: row._mapping[name] for name in plain},
                settings=read_settings(json.loads(row.settings)),
                ids=tuple([ids[position] for position in order.tolist()]),
                order=order,
                scores=None if scores is None else values.check_scores(scores, len(order)),
            )

    def heading(self, session_id: str) -> tuple[str, int]:
        """What a session is called, and how many documents it has."""
        of = select(SESSION.c.name, SESSION.c.documents)
        rows = self._database.rows(of.where(SESSION.c.id == session_id))
        if not rows:
            raise _unknown_session(session_id)
        return rows[0].name, rows[0].documents

    def sessions(self, archived: bool = False, deleted: bool = False) -> list[SessionSummary]:
        """Sessions in use, the archived or (archived or not) the deleted ones; the last worked on comes first."""
        gone = SESSION.c.id.in_(select(DELETED.c.session_id))
        with self._database.read() as connection:
            found = _all_sessions(
                connection, gone if deleted else and_(SESSION.c.archived == archived, ~gone)
            )
        fine = [row for row in found if isinstance(row, SessionSummary)]
        return sorted(fine, key=lambda summary: summary.last_activity, reverse=True)

    def damaged(self) -> list[Damaged]:
        """Everything stored that cannot be read, each with what is wrong."""
        with self._database.read() as connection:
            found = [*_all_sessions(connection), *self._all_collections(), *self._all_calibrators()]
        return [each for each in found if isinstance(each, Damaged)]

    def going(self, session_id: str) -> tuple[int, int]:
        """What :meth:`purge_session` would delete: entries of the log, and records, 0 where another session uses them."""
        beside = SESSION.alias()
        users = select(func.count()).where(beside.c.collection_id == COLLECTION.c.id).scalar_subquery()
        of = select(COLLECTION.c.documents, users).join_from(SESSION, COLLECTION)
        with self._database.read() as connection:
            found = connection.execute(of.where(SESSION.c.id == session_id)).one_or_none()
            if found is None:
                raise _unknown_session(session_id)
            documents, sessions = found
            return _last_seq(connection, session_id), documents if sessions == 1 else 0

    def purge_session(self, session_id: str) -> None:
        """Delete a session for good: its log, and its documents unless another session uses them."""
        with self._database.write() as connection:
            of = select(SESSION.c.collection_id).where(SESSION.c.id == session_id)
            collection = connection.execute(of).scalar_one_or_none()
            if collection is None:
                raise _unknown_session(session_id)
            for table in (EVENT, DELETED):
                connection.execute(delete(table).where(table.c.session_id == session_id))
            connection.execute(delete(SESSION).where(SESSION.c.id == session_id))
            used = let_go(connection, collection)
        if used is None:
            self.remove_unfinished(collection)

    def discard(self, broken: Damaged) -> None:
        """Delete for good what cannot be read; InputProblem while a session uses it."""
        away = {"session": self.purge_session, "collection": self.delete_collection}
        away.get(broken.kind, self.discard_calibrator)(broken.id)

    @contextmanager
    def together(self, *, large: bool = True) -> Iterator[None]:
        """Store what is stored within whole, or not at all; a few events are not `large` and need no room kept free."""
        with self._database.reserved() if large else nullcontext(), self._database.write():
            yield

    def rename(self, session_id: str, name: str) -> None:
        """Give a session another name."""
        self._change(session_id, name=values.storable_text(name))

    def archive(self, session_id: str, archived: bool = True) -> None:
        """Put a session away, or bring it back."""
        self._change(session_id, archived=archived)

    def is_deleted(self, session_id: str) -> bool:
        """Whether a session was deleted, and not restored since."""
        gone = select(DELETED.c.session_id).where(DELETED.c.session_id == session_id)
        return self._database.value(gone) is not None

    def delete_session(self, session_id: str) -> None:
        """Take a session off every list; its log stays, so that :meth:`restore_session` brings all of it back."""
        # It may be deleted already.
        with suppress(IntegrityError), self._database.write() as connection:
            # Waits for an event that is being stored, as that waits for this.
            connection.execute(select(SESSION.c.id).where(SESSION.c.id == session_id).with_for_update())
            _last_seq(connection, session_id)
            connection.execute(insert(DELETED), {"session_id": session_id, "time": values.now()})

    def restore_session(self, session_id: str) -> None:
        """Undo a deletion; a session that was not deleted stays as it is."""
        with self._database.write() as connection:
            _last_seq(connection, session_id)
            connection.execute(delete(DELETED).where(DELETED.c.session_id == session_id))

    def _change(self, session_id: str, **columns: Any) -> None:
        with self._database.write() as connection:
            changed = connection.execute(update(SESSION).where(SESSION.c.id == session_id).values(**columns))
            if not changed.rowcount:
                raise _unknown_session(session_id)

    def events(self, session_id: str, after: int = 0) -> list[Event]:
        """The log of a session, in order, from the event that follows number `after`."""
        log = select(EVENT).where(EVENT.c.session_id == session_id, EVENT.c.seq > after)
        with self._database.read() as connection:
            rows = connection.execute(log.order_by(EVENT.c.seq)).all()
            if not rows:
                _last_seq(connection, session_id)
        with values.intact("The log of this session"):
            return [
                check_event(Event(row.kind, json.loads(row.payload), row.seq, row.time, row.reviewer))
                for row in rows
            ]

    def append(self, session_id: str, event: Event, expected: int, documents: int | None = None) -> Event:
        """Add an event to the log, with the next number and the time now; when it is returned, it is on disk.

        The caller has seen the events up to number `expected`, 0 for none, and says how many `documents` the list then
        holds where that changes. Conflict when somebody else recorded something. Deleted while the session is deleted.
        InputProblem when the event cannot be stored.
        """
        if event.kind not in KINDS:
            raise InputProblem(f"There is no event '{event.kind}'; use one of {', '.join(KINDS)}.")
        payload, by = json.loads(values.dump(dict(event.payload))), values.storable_text(event.reviewer)
        stored = replace(event, payload=payload, seq=expected + 1, time=values.now(), reviewer=by)
        row = _stored(session_id, check_event(stored))
        conflict = Conflict(
            "Something was recorded for this session in another tab or window; your last press was not recorded; look again before you go on."
        )
        try:
            with self._database.write() as connection:
                if _last_seq(connection, session_id) != expected:
                    raise conflict
                connection.execute(insert(EVENT), row)
                if documents is not None:
                    self._change(session_id, documents=documents)
                # Last: on a server, the insert waits for whoever is deleting the session.
                if self.is_deleted(session_id):
                    raise Deleted(
                        "This session was deleted, by somebody else or in another window, so nothing was recorded in it; "
                        "bring it back under “Deleted” on the Sessions page."
                    )
        except IntegrityError:
            # Databases that let two writers look at once refuse the second number here.
            raise conflict from None
        return stored

    def grow(
        self,
        session_id: str,
        event: Event,
        after: CollectionRow,
        frame: pd.DataFrame,
        files: Sequence[Mapping[str, Any]],
        duplicates: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> Event:
        """Let documents join a session, or go: add the event that says which, with the time now; it, as it was stored.

        The session then has another collection, as :meth:`save_collection` takes it, in the place of the one `after`, which
        goes unless another session uses it. What was recorded meanwhile stands, but where the event has a number, that of
        the last that was seen. Conflict, and nothing is changed, when others were recorded then, when the session rests on
        a third collection by now, or another writer, where the database lets two in, is quicker by a moment.
        """
        about = (after.name, frame, files, duplicates)
        key = self.save_collection(*about, query=after.query, progress=progress, finished=False)
        try:
            with self._database.reserved(), self._database.write() as connection:
                seen = event.seq or _last_seq(connection, session_id)
                self.finish_collection(key, len(frame), values.now())
                mine = (SESSION.c.id == session_id) & (SESSION.c.collection_id == after.id)
                if not connection.execute(update(SESSION).where(mine).values(collection_id=key)).rowcount:
                    raise Conflict(
                        "Other documents joined this session meanwhile, so these did not; add them again."
                    )
                stored, used = self.append(session_id, event, seen), let_go(connection, after.id)
                row = self.session(session_id)
                # Of what joined or went, some may have been set aside.
                self._change(session_id, documents=listed(row.settings, row.ids, self.events(session_id)))
        except BaseException:
            self.take_back(key)
            raise
        if used is None:
            self.remove_unfinished(after.id)
        return stored


def _last_seq(connection: Connection, session_id: str) -> int:
    """Number of the last event, 0 for none; raises InputProblem when there is no such session."""
    found = select(func.coalesce(func.max(EVENT.c.seq), 0)).select_from(SESSION.outerjoin(EVENT))
    statement = found.where(SESSION.c.id == session_id).group_by(SESSION.c.id)
    last = connection.execute(statement).scalar_one_or_none()
    if last is None:
        raise _unknown_session(session_id)
    with values.intact("The log of this session"):
        return int(last)


def _unknown_session(session_id: str) -> InputProblem:
    return InputProblem(f"There is no session '{session_id}' here; choose one listed on the Home page.")


def _stored(session_id: str, event: Event) -> dict[str, Any]:
    row = event_row(event)
    return {**row, "session_id": session_id, "payload": values.dump(row["payload"])}


def _all_sessions(connection: Connection, *chosen: ColumnElement[bool]) -> list[SessionSummary | Damaged]:
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
        values.readable("session", row.id, row.name, partial(_summary, connection, row, kinds[row.id]))
        for row in rows
    ]


def _summary(
    connection: Connection, row: Row[*tuple[Any, ...]], kinds: Mapping[str, Row[*tuple[Any, ...]]]
) -> SessionSummary:
    """Read from counts by kind where that is enough, from the log only where something was undone."""
    with values.intact(f"The session '{row.name}'"):
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
        if "imported" in kinds:  # earlier times are what the file says, and may lie in the future
            newest = select(EVENT.c.time).where(EVENT.c.session_id == row.id).order_by(EVENT.c.seq.desc())
            times = [connection.execute(newest.limit(1)).scalar_one()]
        return SessionSummary(
            **plain,
            last_activity=max(map(check_time, times)),
            labelled=labelled,
            stopped=max(last.get("stopped", 0), last.get("decided", 0)) > resumed,
            decision=decision,
            imported="imported" in kinds,
            # Sessions of before there were reviews do not say.
            scenario=str(json.loads(row.settings).get("scenario", FIRST)),
        )
