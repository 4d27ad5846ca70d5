"""The sessions of a store as a list: their names, and how they are archived, deleted, restored and removed for good."""

from contextlib import suppress

from sqlalchemy import and_, delete, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session
from sqlalchemy.orm.interfaces import ORMOption

from tarstop_core.sessions.store.calibrators import Damaged
from tarstop_core.sessions.store.collections import Collections, let_go
from tarstop_core.sessions.store.listing import SessionSummary, summaries
from tarstop_core.sessions.store.permissions import asks, forget_shares, unknown
from tarstop_core.sessions.store.tables import (
    Deletion,
    StoredEvent,
    StoredSession,
    now,
    storable_text,
)


class SessionList(Collections):
    """Methods of the store for its list of sessions."""

    @asks("session", "see")
    def heading(self, session_id: str) -> tuple[str, int]:
        """Name of a session, and the number of documents on its list."""
        with self.read() as session:
            stored = held_session(session, session_id)
        return stored.name, stored.documents

    def sessions(self, archived: bool = False, deleted: bool = False) -> list[SessionSummary]:
        """Summaries of the sessions in use, of the archived or of all deleted ones; the one used last comes first."""
        gone = StoredSession.id.in_(select(Deletion.session_id))
        chosen = gone if deleted else and_(StoredSession.archived == archived, ~gone)
        with self.read() as session:
            visible = self.may("session", "see")
            rows = [row for row in summaries(session, chosen, visible) if isinstance(row, SessionSummary)]
        return sorted(rows, key=lambda summary: summary.last_activity, reverse=True)

    def damaged(self) -> list[Damaged]:
        """Everything stored that cannot be read, each with what is wrong."""
        with self.read() as session:
            stored = [
                *summaries(session, self.may("session", "manage")),
                *self._all_collections(),
                *self._all_calibrators(),
            ]
        return [row for row in stored if isinstance(row, Damaged)]

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
        """Delete something damaged permanently; InputProblem for a collection that a session uses."""
        delete_from = {"session": self.purge_session, "collection": self.delete_collection}
        delete_from.get(broken.kind, self.discard_calibrator)(broken.id)

    def rename(self, session_id: str, name: str) -> None:
        """Give a session another name."""
        with self.changing("session", session_id, "manage") as session:
            held_session(session, session_id).name = storable_text(name)

    def archive(self, session_id: str, archived: bool = True) -> None:
        """Archive a session, or bring it back."""
        with self.changing("session", session_id, "manage") as session:
            held_session(session, session_id).archived = archived

    def delete_session(self, session_id: str) -> None:
        """Take a session off every list; its log stays, so that :meth:`restore_session` can bring it back."""
        # IntegrityError: it is deleted already.
        with suppress(IntegrityError), self.changing("session", session_id, "manage") as session:
            held_session(session, session_id)
            session.add(Deletion(session_id=session_id, time=now()))
            self.note(session, "deleted", "session", session_id)

    def restore_session(self, session_id: str) -> None:
        """Undo a deletion; a session that was not deleted stays as it is."""
        with self.changing("session", session_id, "manage") as session:
            held_session(session, session_id)
            session.execute(delete(Deletion).where(Deletion.session_id == session_id))
            self.note(session, "restored", "session", session_id)


def held_session(session: Session, session_id: str, *options: ORMOption) -> StoredSession:
    """A session as it is stored, loaded with SQLAlchemy's options; InputProblem if there is none with this id."""
    stored = session.get(StoredSession, session_id, options=options)
    if stored is None:
        raise unknown("session", session_id, "")
    return stored
