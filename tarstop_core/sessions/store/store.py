"""Sessions and their logs in a database: SQLite, or any that SQLAlchemy speaks to.

What is acknowledged is on disk: :meth:`Store.append` returns after the commit, and SQLite is told
to wait for the disk. A log only ever grows, and each event carries its number, so two windows on one
session cannot overwrite each other.
"""

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Self

import pandas as pd
from numpy.typing import ArrayLike
from sqlalchemy import and_, bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, undefer_group

from tarstop_core.documents.topic import records_digest
from tarstop_core.errors import InputProblem
from tarstop_core.screening.independent import counted_log
from tarstop_core.screening.log import KINDS, Event, calibrators_in, check_event
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.setting_aside import list_length
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.collections import Collections, held_collection, let_go
from tarstop_core.sessions.store.listing import SessionSummary, summaries
from tarstop_core.sessions.store.permissions import EVENTS, asks, check_name, forget_shares, unknown
from tarstop_core.sessions.store.tables import (
    METADATA,
    Collection,
    Damaged,
    Deletion,
    SessionRow,
    StoredEvent,
    StoredSession,
    check_order,
    check_scores,
    dump,
    intact,
    new_id,
    now,
    storable_text,
)

# Frequent queries use the tables directly, which is faster than their classes.
_SESSIONS, _EVENTS, _DELETED = (METADATA.tables[name] for name in ("session", "event", "deleted"))

_OF_SESSION = _SESSIONS.c.id == bindparam("key")
_LOGGED = _SESSIONS.outerjoin(_DELETED).outerjoin(
    _EVENTS, (_EVENTS.c.session_id == _SESSIONS.c.id) & (_EVENTS.c.seq > bindparam("after"))
)
_NEWS = (
    select(_EVENTS, _DELETED.c.time.label("deleted"))
    .select_from(_LOGGED)
    .where(_OF_SESSION)
    .order_by(_EVENTS.c.seq)
)
_SEQS = select(func.max(_EVENTS.c.seq)).where(_EVENTS.c.session_id == _SESSIONS.c.id).scalar_subquery()
_LAST = (
    select(_SEQS.label("seq"), _DELETED.c.time.label("deleted"))
    .select_from(_SESSIONS.outerjoin(_DELETED))
    .where(_OF_SESSION)
)

READERS = "readers"
"""Names of several readers in stored settings, if any."""


class Conflict(InputProblem):
    """Another tab or window recorded something first."""


class Deleted(InputProblem):
    """The session was deleted; nothing can be recorded until it is restored."""


class Store(Collections):
    """Sessions and their logs, with their collections and calibrators, and drafts, in one database.

    Usable from several threads; several processes may open the same one. Every method raises InputProblem when the
    database is locked, read-only, full, damaged or out of reach, or when it holds nothing under an id that is given.
    """

    def for_person(self, person: str) -> Self:
        """Return the store with this person's rights, on the same connections."""
        opened = copy.copy(self)
        opened.person = check_name(person)
        return opened

    def check(self) -> None:
        """Check that the database answers; Outage if it does not."""
        self.value(select(func.count()).select_from(Deletion))

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
        """Create a session on a collection, or import one from another store.

        Parameters
        ----------
        name
            What the session is called.
        collection_id
            Of its documents.
        order
            Positions in the collection, none twice; shape (N,).
        scores
            In the same order, None for a list that has only its order; shape (N,).
        settings
            At the start.
        query
            The question that the list answers.
        ranking
            Where the order comes from, in words.
        created
            When it was created in another store, from which it comes; else now.
        events
            Its log there, with numbers and times.

        Returns
        -------
        str
            Its id.

        Raises
        ------
        InputProblem
            When order or scores do not fit the collection.
        """
        ids = self.document_ids(collection_id)
        positions = check_order(order, len(ids))
        scored = None if scores is None else check_scores(scores, len(positions))
        ordered = [ids[position] for position in positions.tolist()]
        stored = StoredSession(
            id=new_id(),
            name=storable_text(name),
            collection_id=collection_id,
            created=created or now(),
            settings=dump(settings.to_dict()),
            documents=list_length(settings, ordered, events),
            positions=positions.astype("<i4").tobytes(),
            scores=None if scored is None else scored.astype("<f8").tobytes(),
            query=storable_text(query),
            ranking=storable_text(ranking),
            archived=False,
            digest=records_digest(ordered, None if scored is None else scored.tolist()),
        )
        log = [_row(stored.id, event) for event in events]
        with self.changing("collection", collection_id, "use") as session:
            for digest in {settings.calibrator, *calibrators_in(events)} - {""}:
                self.require("calibrator", digest, "use")
            # it may have been deleted since its ids were read
            held_collection(session, collection_id, lock=True)
            session.add(stored)
            session.flush()
            self.take(session, "session", stored.id)
            if log:
                session.execute(insert(StoredEvent), log)
        return stored.id

    @asks("session", "see")
    def session(self, session_id: str) -> SessionRow:
        """Return a session as it was set up."""
        with self.read() as session:
            return held_session(session, session_id, options=[undefer_group("list")]).row()

    @asks("session", "see")
    def heading(self, session_id: str) -> tuple[str, int]:
        """Return the name of a session and its number of documents."""
        with self.read() as session:
            stored = held_session(session, session_id)
        return stored.name, stored.documents

    def sessions(self, archived: bool = False, deleted: bool = False) -> list[SessionSummary]:
        """Return the sessions in use, the archived ones or all deleted ones; the most recent comes first."""
        gone = StoredSession.id.in_(select(Deletion.session_id))
        chosen = gone if deleted else and_(StoredSession.archived == archived, ~gone)
        with self.read() as session:
            visible = self.may("session", "see")
            rows = [row for row in summaries(session, chosen, visible) if isinstance(row, SessionSummary)]
        return sorted(rows, key=lambda summary: summary.last_activity, reverse=True)

    def damaged(self) -> list[Damaged]:
        """Return everything stored that cannot be read, each with what is wrong."""
        with self.read() as session:
            stored = [
                *summaries(session, self.may("session", "manage")),
                *self._all_collections(),
                *self._all_calibrators(),
            ]
        return [row for row in stored if isinstance(row, Damaged)]

    @asks("session", "manage")
    def purge_counts(self, session_id: str) -> tuple[int, int]:
        """Count what :meth:`purge_session` would delete: entries of the log, and records, 0 where another session uses them."""
        with self.read() as session:
            collection = held_session(session, session_id).collection
            users = select(func.count()).where(StoredSession.collection_id == collection.id)
            documents = collection.documents if session.scalar(users) == 1 else 0
            return _last_seq(session, session_id)[0], documents

    def purge_session(self, session_id: str) -> None:
        """Delete a session permanently: its log, and its documents unless another session uses them."""
        with self.changing("session", session_id, "manage") as session:
            collection_id = held_session(session, session_id).collection_id
            for table in (StoredEvent, Deletion):
                session.execute(delete(table).where(table.session_id == session_id))
            session.execute(delete(StoredSession).where(StoredSession.id == session_id))
            forget_shares(session, "session", session_id)
            self.note(session, "deleted for good", "session", session_id)
            user = let_go(session, collection_id)
        if user is None:
            self.remove_unfinished(collection_id)

    def discard(self, broken: Damaged) -> None:
        """Delete permanently what cannot be read; InputProblem while a session uses it."""
        away = {"session": self.purge_session, "collection": self.delete_collection}
        away.get(broken.kind, self.discard_calibrator)(broken.id)

    def rename(self, session_id: str, name: str) -> None:
        """Give a session another name."""
        with self.changing("session", session_id, "manage") as session:
            held_session(session, session_id, lock=True).name = storable_text(name)

    def archive(self, session_id: str, archived: bool = True) -> None:
        """Archive a session, or bring it back."""
        with self.changing("session", session_id, "manage") as session:
            held_session(session, session_id, lock=True).archived = archived

    def delete_session(self, session_id: str) -> None:
        """Take a session off every list; its log stays, so that :meth:`restore_session` brings all of it back."""
        # It may be deleted already.
        with suppress(IntegrityError), self.changing("session", session_id, "manage") as session:
            # Waits for an event that is being stored, and the other way round.
            held_session(session, session_id, lock=True)
            session.add(Deletion(session_id=session_id, time=now()))
            self.note(session, "deleted", "session", session_id)

    def restore_session(self, session_id: str) -> None:
        """Undo a deletion; a session that was not deleted stays as it is."""
        with self.changing("session", session_id, "manage") as session:
            held_session(session, session_id)
            session.execute(delete(Deletion).where(Deletion.session_id == session_id))
            self.note(session, "restored", "session", session_id)

    def events(self, session_id: str) -> list[Event]:
        """Return the part of a session's log that counts, in order, without anything that a reader may not see yet."""
        log = self.log(session_id)
        if not any(event.reviewer for event in log):
            return log
        text = str(self.value(select(_SESSIONS.c.settings).where(_SESSIONS.c.id == session_id)))
        with intact("The setup of this session"):
            settings = json.loads(text)
            return [*counted_log(read_settings(settings).readers, log)] if READERS in settings else log

    def log(self, session_id: str) -> list[Event]:
        """Return the whole log of a session, in order.

        Of several readers it holds what some may not see yet: nothing of it is shown but by
        :class:`~tarstop_core.screening.independent.SeveralReaders`.
        """
        return self.news(session_id)[0]

    @asks("session", "see")
    def news(self, session_id: str, after: int = 0) -> tuple[list[Event], bool]:
        """Return the log of a session from the event that follows number `after`, in order, and whether the session is deleted."""
        rows = self.rows(_NEWS, {"key": session_id, "after": after})
        if not rows:
            raise unknown("session", session_id, "")
        with intact("The log of this session"):
            events = [
                check_event(Event(row.kind, json.loads(row.payload), row.seq, row.time, row.reviewer))
                for row in rows
                if row.seq is not None
            ]
        return events, rows[0].deleted is not None

    def append(self, session_id: str, event: Event, expected: int, documents: int | None = None) -> Event:
        """Add an event to the log, with the next number and the time now; when it is returned, it is on disk.

        Parameters
        ----------
        session_id
            Of the session.
        event
            What to add.
        expected
            The number of the last event that the caller has seen, 0 for none.
        documents
            How many documents the list then holds, where that changes.

        Returns
        -------
        Event
            As it was stored.

        Raises
        ------
        Conflict
            When somebody else recorded something.
        Deleted
            While the session is deleted.
        InputProblem
            When the event cannot be stored.
        """
        if event.kind not in KINDS:
            raise InputProblem(f"There is no event '{event.kind}'; use one of {', '.join(KINDS)}.")
        payload = json.loads(dump(dict(event.payload)))
        # Nobody who logged in signs with another's name; what the page itself records has none.
        by = storable_text(event.reviewer) if self.person is None else self.person
        if event.kind == "fit":
            by = ""
        stored = replace(event, payload=payload, seq=expected + 1, time=now(), reviewer=by)
        row = _row(session_id, check_event(stored))
        conflict = Conflict(
            "Something was recorded for this session in another tab or window; your last press was not recorded; look again before you go on."
        )
        try:
            with self.changing("session", session_id, EVENTS.get(event.kind, "manage")) as session:
                for digest in calibrators_in([stored]):
                    self.require("calibrator", digest, "use")
                last, gone = _last_seq(session, session_id)
                if last != expected:
                    raise conflict
                session.execute(insert(_EVENTS), row)
                if documents is not None:
                    held_session(session, session_id).documents = documents
                if gone:
                    raise Deleted(
                        "This session was deleted by somebody else or in another window, so nothing was recorded; bring "
                        "it back under “Deleted” on the Sessions page."
                    )
        except IntegrityError:
            # Databases that let two writers read at the same time refuse the second number here.
            raise conflict from None
        return stored

    @asks("session", "manage")
    def grow(
        self,
        session_id: str,
        event: Event,
        after: Collection,
        frame: pd.DataFrame,
        files: Sequence[Mapping[str, Any]],
        duplicates: int,
        progress: Callable[[int, int], None] | None = None,
    ) -> Event:
        """Add documents to a session or remove them, and store the event that names them, with the time now.

        Parameters
        ----------
        session_id
            Of the session.
        event
            Which documents join or go. Where it has a number, that of the last event that was seen, nothing may have been
            recorded since; else what was recorded meanwhile stands.
        after
            The collection of the session, which goes unless another session uses it.
        frame, files, duplicates, progress
            Of the collection that takes its place, as for :meth:`arriving`.

        Returns
        -------
        Event
            As it was stored.

        Raises
        ------
        Conflict
            When others were recorded, when the session rests on a third collection by now, or another writer, where the
            database lets two in, is quicker by a moment; nothing is changed then.
        """
        about = (after.name, frame, files, duplicates)
        arriving = self.arriving(*about, query=after.query, progress=progress)
        # The roles first, in the same order as for deleting a session.
        with arriving as key, self.changing("session", session_id, "manage") as session:
            seen = event.seq or _last_seq(session, session_id)[0]
            mine = (StoredSession.id == session_id) & (StoredSession.collection_id == after.id)
            moved = session.connection().execute(update(_SESSIONS).where(mine).values(collection_id=key))
            if not moved.rowcount:
                raise Conflict(
                    "Other documents joined this session meanwhile, so these were not added; add them again."
                )
            stored, user = self.append(session_id, event, seen), let_go(session, after.id)
            row = self.session(session_id)
            # Some of the documents that joined or left may have been set aside.
            documents = list_length(row.settings, row.ids, self.log(session_id))
            held_session(session, session_id).documents = documents
        if user is None:
            self.remove_unfinished(after.id)
        return stored


def held_session(
    session: Session, session_id: str, lock: bool = False, options: Sequence[Any] = ()
) -> StoredSession:
    """Return a session as stored; with `lock` nobody else can change it until the end of the transaction.

    Parameters
    ----------
    session
        The transaction.
    session_id
        Of the session.
    lock
        Whether others that lock it wait.
    options
        How columns are loaded.

    Returns
    -------
    StoredSession
        As it is stored.

    Raises
    ------
    InputProblem
        When there is none with this id.
    """
    stored = session.get(StoredSession, session_id, with_for_update=True if lock else None, options=options)
    if stored is None:
        raise unknown("session", session_id, "")
    return stored


def _last_seq(session: Session, session_id: str) -> tuple[int, bool]:
    """Return the number of the last event, 0 for none, and whether the session is deleted; InputProblem when there is no such session."""
    row = session.execute(_LAST, {"key": session_id}).one_or_none()
    if row is None:
        raise unknown("session", session_id, "")
    with intact("The log of this session"):
        return int(row.seq or 0), row.deleted is not None


def event_row(event: Event) -> dict[str, Any]:
    """Return an event as it is sent."""
    plain = {name: getattr(event, name) for name in ("seq", "time", "reviewer", "kind")}
    return plain | {"payload": dict(event.payload)}


def _row(session_id: str, event: Event) -> dict[str, Any]:
    row = event_row(event)
    return {**row, "session_id": session_id, "payload": dump(row["payload"])}
