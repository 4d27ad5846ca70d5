"""Sessions and their logs in a database: SQLite or PostgreSQL.

An event is on disk once :meth:`Store.append` returns: it returns after the commit, and SQLite waits for the disk. A log
only grows, and each event has its number, so two windows on one session cannot overwrite each other.
"""

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import pandas as pd
from numpy.typing import ArrayLike
from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session, undefer_group

from tarstop_core.documents.topic import records_digest
from tarstop_core.errors import InputProblem
from tarstop_core.screening.independent import counted_log
from tarstop_core.screening.log import KINDS, Event, calibrators_in, check_event
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.setting_aside import list_length
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.accounts import check_name
from tarstop_core.sessions.store.collections import held_collection, let_go
from tarstop_core.sessions.store.permissions import EVENTS, asks, unknown
from tarstop_core.sessions.store.session_list import SessionList, held_session
from tarstop_core.sessions.store.tables import (
    METADATA,
    Collection,
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
"""Key of stored settings that is there only if a session has several readers."""
OVERTAKEN = "Something was recorded for this session in another tab or window; your last press was not recorded; look again before you go on."


class Conflict(InputProblem):
    """Somebody else, or another window, recorded something first."""


class Deleted(InputProblem):
    """A session is deleted, so nothing can be recorded until it is restored."""


class Store(SessionList):
    """Sessions and their logs, with their collections and calibrators, and drafts, in one database.

    It can be used from several threads, and several processes may open the same database. Every method raises
    InputProblem if the database is locked, read-only, full, damaged or out of reach, or if there is nothing with a given id.
    """

    def for_person(self, person: str) -> Self:
        """The store with this person's rights, on the same connections."""
        opened = copy.copy(self)
        opened.person = check_name(person)
        return opened

    def check(self) -> None:
        """Raise Outage if the database does not answer."""
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
        recipe: str = "",
    ) -> str:
        """Create a session on a collection, or import one from another store, and return its id.

        Parameters
        ----------
        name
            Name of the session.
        collection_id
            Id of the collection of its documents.
        order
            Position of each document of the list in the collection, none twice; shape (N,).
        scores
            Scores of these documents, in the same order, shape (N,); None for a list without scores.
        settings
            Settings at the start.
        query
            The question that the list answers.
        ranking
            Where the order comes from, in words.
        created
            Time when it was created, if it comes from another store; by default now.
        events
            Its log so far, with numbers and times.
        recipe
            Name of the BM25 recipe that the scores come from; empty if they come from elsewhere.

        Returns
        -------
        str
            Id of the session.

        Raises
        ------
        InputProblem
            If order or scores do not fit the collection.
        Forbidden
            If the person may not use the collection or a calibrator.
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
            recipe=recipe,
            archived=False,
            digest=records_digest(ordered, None if scored is None else scored.tolist()),
        )
        log = [_row(stored.id, event) for event in events]
        with self.changing("collection", collection_id, "use") as session:
            for digest in {settings.calibrator, *calibrators_in(events)} - {""}:
                self.require("calibrator", digest, "use")
            # The collection may have been deleted since its ids were read.
            held_collection(session, collection_id, lock=True)
            session.add(stored)
            session.flush()
            self.take(session, "session", stored.id)
            if log:
                session.execute(insert(StoredEvent), log)
        return stored.id

    @asks("session", "see")
    def session(self, session_id: str) -> SessionRow:
        """A session as it was set up."""
        with self.read() as session:
            return held_session(session, session_id, undefer_group("list")).row()

    @asks("session", "manage")
    def purge_counts(self, session_id: str) -> tuple[int, int]:
        """Numbers of log entries and of records that :meth:`purge_session` would delete; records that another session uses stay."""
        with self.read() as session:
            collection = held_session(session, session_id).collection
            users = select(func.count()).where(StoredSession.collection_id == collection.id)
            documents = collection.documents if session.scalar(users) == 1 else 0
            return _last_seq(session, session_id)[0], documents

    def events(self, session_id: str) -> list[Event]:
        """The part of a session's log that counts, in order, without anything that a reader may not see yet."""
        log = self.log(session_id)
        if not any(event.reviewer for event in log):
            return log
        text = str(self.value(select(_SESSIONS.c.settings).where(_SESSIONS.c.id == session_id)))
        with intact("The setup of this session"):
            settings = json.loads(text)
            return [*counted_log(read_settings(settings).readers, log)] if READERS in settings else log

    def log(self, session_id: str) -> list[Event]:
        """The whole log of a session, in order.

        With several readers it contains what some of them may not see yet. Show of it only what
        :class:`~tarstop_core.screening.independent.SeveralReaders` gives out.
        """
        return self.news(session_id)[0]

    @asks("session", "see")
    def news(self, session_id: str, after: int = 0) -> tuple[list[Event], bool]:
        """The events of a session with numbers above `after`, in order, and whether the session is deleted."""
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
        """Add an event to the log, with the next number and the time now, and return it once it is on disk.

        Parameters
        ----------
        session_id
            Id of the session.
        event
            The event to add.
        expected
            Number of the last event that the caller has seen, 0 for none.
        documents
            Number of documents on the list after the event; None if that does not change.

        Returns
        -------
        Event
            The event as it was stored.

        Raises
        ------
        Conflict
            If something else was recorded since.
        Deleted
            While the session is deleted.
        Forbidden
            If the person's role does not allow the event.
        InputProblem
            If the event cannot be stored.
        """
        if event.kind not in KINDS:
            raise InputProblem(f"There is no event '{event.kind}'; use one of {', '.join(KINDS)}.")
        payload = json.loads(dump(dict(event.payload)))
        # A person who logged in cannot sign with another name; a fit, which the page itself records, has none.
        by = storable_text(event.reviewer) if self.person is None else self.person
        if event.kind == "fit":
            by = ""
        stored = replace(event, payload=payload, seq=expected + 1, time=now(), reviewer=by)
        row = _row(session_id, check_event(stored))
        try:
            with self.changing("session", session_id, EVENTS.get(event.kind, "manage")) as session:
                for digest in calibrators_in([stored]):
                    self.require("calibrator", digest, "use")
                last, gone = _last_seq(session, session_id)
                if last != expected:
                    raise Conflict(OVERTAKEN)
                session.execute(insert(_EVENTS), row)
                if documents is not None:
                    held_session(session, session_id).documents = documents
                if gone:
                    raise Deleted(
                        "This session was deleted by somebody else or in another window, so nothing was recorded; bring "
                        "it back under “Deleted” on the Sessions page."
                    )
        except IntegrityError:
            # Two writers read the log at the same time; the database refuses the second event with the same number.
            raise Conflict(OVERTAKEN) from None
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
        """Add documents to a session or remove them, store the event that names them, and return it.

        Parameters
        ----------
        session_id
            Id of the session.
        event
            The event that names the documents. If its number is that of the last event seen, nothing may have been
            recorded since; if it is 0, anything recorded meanwhile stays.
        after
            The present collection of the session; it is removed unless another session uses it.
        frame, files, duplicates, progress
            Content of the collection that replaces it, as for :meth:`arriving`.

        Returns
        -------
        Event
            The event as it was stored.

        Raises
        ------
        Conflict
            If something was recorded since, or the session has another collection by now; nothing is changed then.
        """
        arriving = self.arriving(after.name, frame, files, duplicates, query=after.query, progress=progress)
        # Roles are locked first, in the same order as for deleting a session, so that the two cannot block each other.
        with arriving as key, self.changing("session", session_id, "manage") as session:
            seen = event.seq or _last_seq(session, session_id)[0]
            unchanged = (StoredSession.id == session_id) & (StoredSession.collection_id == after.id)
            moved = session.connection().execute(update(_SESSIONS).where(unchanged).values(collection_id=key))
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


def _last_seq(session: Session, session_id: str) -> tuple[int, bool]:
    """Number of a session's last event, 0 for none, and whether it is deleted; InputProblem if there is no such session."""
    row = session.execute(_LAST, {"key": session_id}).one_or_none()
    if row is None:
        raise unknown("session", session_id, "")
    with intact("The log of this session"):
        return int(row.seq or 0), row.deleted is not None


def event_row(event: Event) -> dict[str, Any]:
    """An event as JSON values, for files and the database."""
    named = {"seq": event.seq, "time": event.time, "reviewer": event.reviewer, "kind": event.kind}
    return named | {"payload": dict(event.payload)}


def _row(session_id: str, event: Event) -> dict[str, Any]:
    """An event as a row of the database."""
    row = event_row(event)
    return {**row, "session_id": session_id, "payload": dump(row["payload"])}
