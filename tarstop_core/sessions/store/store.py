"""Collections, sessions and their logs in a database: SQLite, or any that SQLAlchemy speaks to.

What is acknowledged is on disk: :meth:`Store.append` returns after the commit, and SQLite is told
to wait for the disk. A log only ever grows, and each event carries its number, so two windows on one
session cannot overwrite each other.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sqlalchemy import Connection, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from tarstop_core.documents.topic import records_digest
from tarstop_core.envelope import check_time
from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import KINDS, Event, check_event
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.calibrators import Calibrators
from tarstop_core.sessions.store.collections import Collections, hold, let_go
from tarstop_core.sessions.store.database import BUSY_SECONDS, COLLECTION, DELETED, EVENT, SESSION, Database
from tarstop_core.sessions.store.drafts import Drafts
from tarstop_core.sessions.store.listing import all_sessions, summaries
from tarstop_core.sessions.store.rows import Damaged, Going, SessionRow, SessionSummary, event_row
from tarstop_core.sessions.store.values import (
    check_order,
    check_scores,
    dump,
    intact,
    new_id,
    now,
    storable_text,
)


class Conflict(InputProblem):
    """Another tab or window recorded something first."""


class Store(Collections, Calibrators, Drafts):
    """Sessions and their logs, with the collections and calibrators that they rest on, and drafts of them, in one database.

    Usable from several threads; several processes may open the same one. `url` and `busy_seconds` are those of
    :class:`~tarstop_core.sessions.store.database.Database`.

    Raises
    ------
    InputProblem
        When the database cannot be opened, or was written by a newer version. Every method raises it when the database
        is locked, read-only, full, damaged or out of reach, or when it holds nothing under an id that is given.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from tarstop_core.documents.records import as_records
    >>> from tarstop_core.value.payoffs import Payoffs
    >>> records = as_records({"id": ["a", "b"], "title": ["Hinge", "Mast"]})
    >>> settings = Settings(Payoffs.from_q_star(0.5), cost=0.001)
    >>> with TemporaryDirectory() as folder, Store(f"sqlite:///{folder}/t.db") as store:
    ...     collection = store.save_collection("Masts", records, files=[], duplicates=0)
    ...     session = store.create_session("Mine", collection, [1, 0], None, settings, "", "own order")
    ...     event = store.append(session, Event("label", {"doc": "b", "label": "unsure"}), expected=0)
    ...     (event.seq, store.session(session).ids, store.sessions()[0].labelled)
    (1, ('b', 'a'), 1)
    """

    def __init__(self, url: str | None = None, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._database = Database(url, busy_seconds)

    @property
    def name(self) -> str:
        """File or URL of the database, as it may be shown."""
        return self._database.name

    @property
    def url(self) -> str:
        """All that another process needs to open it, its password too; never to be shown."""
        return self._database.url

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

        Parameters
        ----------
        order : array_like of int, shape (N,)
            Positions in the collection, in screening order, none twice.
        scores : array_like of float, shape (N,), or None
            In the same order; None for a list that has only its order.
        created : str
            When it was begun, where it comes from another store; else now.
        events : sequence of Event
            Its log there, with numbers and times; stored together with the session.

        Raises
        ------
        InputProblem
            When order or scores do not fit the collection.
        """
        ids = self.document_ids(collection_id)
        positions = check_order(order, len(ids))
        values = None if scores is None else check_scores(scores, len(positions))
        ordered = [ids[position] for position in positions.tolist()]
        row = {
            "id": new_id(),
            "name": storable_text(name),
            "collection_id": collection_id,
            "created": created or now(),
            "settings": dump(settings.to_dict()),
            "documents": len(positions),
            "positions": positions.astype("<i4").tobytes(),
            "scores": None if values is None else values.astype("<f8").tobytes(),
            "query": storable_text(query),
            "ranking": storable_text(ranking),
            "archived": False,
            "digest": records_digest(ordered, None if values is None else values.tolist()),
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
        with intact(f"The session '{row.name}'"):
            check_time(row.created)
            order = check_order(np.frombuffer(row.positions, dtype="<i4"), len(ids)).astype(np.intp)
            scores = None if row.scores is None else np.frombuffer(row.scores, dtype="<f8").astype(np.float64)
            return SessionRow(
                **{name: row._mapping[name] for name in plain},
                settings=Settings.from_dict(json.loads(row.settings)),
                ids=tuple([ids[position] for position in order.tolist()]),
                order=order,
                scores=None if scores is None else check_scores(scores, len(order)),
            )

    def sessions(self, archived: bool = False, deleted: bool = False) -> list[SessionSummary]:
        """Sessions in use, the archived or (archived or not) the deleted ones; the last worked on comes first."""
        with self._database.read() as connection:
            return summaries(connection, archived, deleted)

    def damaged(self) -> list[Damaged]:
        """Everything stored that cannot be read, each with what is wrong."""
        with self._database.read() as connection:
            found = [*all_sessions(connection), *self._all_collections(), *self._all_calibrators()]
        return [each for each in found if isinstance(each, Damaged)]

    def going(self, session_id: str) -> Going:
        """What :meth:`purge_session` would delete."""
        beside = SESSION.alias()
        users = select(func.count()).where(beside.c.collection_id == COLLECTION.c.id).scalar_subquery()
        of = select(COLLECTION.c.documents, users).join_from(SESSION, COLLECTION)
        with self._database.read() as connection:
            found = connection.execute(of.where(SESSION.c.id == session_id)).one_or_none()
            if found is None:
                raise _unknown_session(session_id)
            events = select(func.count()).select_from(EVENT).where(EVENT.c.session_id == session_id)
            documents, sessions = found
            return Going(connection.execute(events).scalar_one(), documents if sessions == 1 else 0)

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
        if broken.kind == "session":
            self.purge_session(broken.id)
        elif broken.kind == "collection":
            self.delete_collection(broken.id)
        else:
            self.discard_calibrator(broken.id)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Whatever is stored within is stored whole, or not at all."""
        with self._database.write():
            yield

    def rename(self, session_id: str, name: str) -> None:
        """Give a session another name."""
        self._change(session_id, name=storable_text(name))

    def archive(self, session_id: str, archived: bool = True) -> None:
        """Put a session away, or bring it back."""
        self._change(session_id, archived=archived)

    def delete_session(self, session_id: str) -> None:
        """Take a session off every list; its log stays, so that :meth:`restore_session` brings all of it back."""
        # It may be deleted already.
        with suppress(IntegrityError), self._database.write() as connection:
            _last_seq(connection, session_id)
            connection.execute(insert(DELETED), {"session_id": session_id, "time": now()})

    def restore_session(self, session_id: str) -> None:
        """Undo a deletion; a session that was not deleted stays as it is."""
        with self._database.write() as connection:
            _last_seq(connection, session_id)
            connection.execute(delete(DELETED).where(DELETED.c.session_id == session_id))

    def _change(self, session_id: str, **values: Any) -> None:
        with self._database.write() as connection:
            changed = connection.execute(update(SESSION).where(SESSION.c.id == session_id).values(**values))
            if not changed.rowcount:
                raise _unknown_session(session_id)

    def events(self, session_id: str, after: int = 0) -> list[Event]:
        """The log of a session, in order, from the event that follows number `after`."""
        statement = (
            select(EVENT).where(EVENT.c.session_id == session_id, EVENT.c.seq > after).order_by(EVENT.c.seq)
        )
        with self._database.read() as connection:
            rows = connection.execute(statement).all()
            if not rows:
                _last_seq(connection, session_id)
        with intact("The log of this session"):
            return [
                check_event(Event(row.kind, json.loads(row.payload), row.seq, row.time, row.reviewer))
                for row in rows
            ]

    def append(self, session_id: str, event: Event, expected: int) -> Event:
        """Add an event to the log, with the next number and the time now; when it is returned, it is on disk.

        The caller has seen the events up to number `expected`, 0 for none.

        Raises
        ------
        Conflict
            When the log does not end at `expected`: somebody else recorded something.
        InputProblem
            When the event cannot be stored.
        """
        if event.kind not in KINDS:
            raise InputProblem(f"There is no event '{event.kind}'; use one of {', '.join(KINDS)}.")
        payload = dump(dict(event.payload))
        stored = replace(
            event,
            payload=json.loads(payload),
            seq=expected + 1,
            time=now(),
            reviewer=storable_text(event.reviewer),
        )
        row = _stored(session_id, check_event(stored))
        conflict = Conflict(
            "Something was recorded for this session in another tab or window; your last press was not recorded; look again before you go on."
        )
        try:
            with self._database.write() as connection:
                if _last_seq(connection, session_id) != expected:
                    raise conflict
                connection.execute(insert(EVENT), row)
        except IntegrityError:
            # Databases that let two writers look at once refuse the second number here.
            raise conflict from None
        return stored


def _last_seq(connection: Connection, session_id: str) -> int:
    """Number of the last event, 0 for none; raises InputProblem when there is no such session."""
    statement = (
        select(func.coalesce(func.max(EVENT.c.seq), 0))
        .select_from(SESSION.outerjoin(EVENT))
        .where(SESSION.c.id == session_id)
        .group_by(SESSION.c.id)
    )
    last = connection.execute(statement).scalar_one_or_none()
    if last is None:
        raise _unknown_session(session_id)
    return int(last)


def _unknown_session(session_id: str) -> InputProblem:
    return InputProblem(f"There is no session '{session_id}' here; choose one listed on the Home page.")


def _stored(session_id: str, event: Event) -> dict[str, Any]:
    row = event_row(event)
    return {**row, "session_id": session_id, "payload": dump(row["payload"])}
