"""Collections, sessions and their logs in a database: SQLite, or any that SQLAlchemy speaks to.

What is acknowledged is on disk: :meth:`Store.append` returns after the commit, and SQLite is told
to wait for the disk. A log only ever grows, and each event carries its number, so two windows on one
session cannot overwrite each other.
"""

from __future__ import annotations

import json
import re
import secrets
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sqlalchemy import Connection, Row, Select, and_, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from tarstop_core.calibration.calibrator import Calibrator, from_json
from tarstop_core.documents.duplicates import unique_ids
from tarstop_core.documents.records import RECORD_COLUMNS, TEXT_COLUMNS, as_records, records_hash
from tarstop_core.documents.topic import records_digest
from tarstop_core.errors import InputProblem
from tarstop_core.screening.log import KINDS, Event, standing
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.store.database import (
    BUSY_SECONDS,
    CALIBRATOR,
    COLLECTION,
    DELETED,
    EVENT,
    RECORD,
    SESSION,
    SHELF,
    Database,
)

CHUNK = 5_000
# Well below the number of parameters that any database takes in one statement.
ROWS_AT_ONCE = 500

# Columns of `record` in the order of RECORD_COLUMNS.
_RECORD_FIELDS = tuple(RECORD.c["doc_id" if name == "id" else name] for name in RECORD_COLUMNS)


class Conflict(InputProblem):
    """Another tab or window recorded something first."""


@dataclass(frozen=True)
class CollectionRow:
    """Documents that were brought together, without their texts.

    Parameters
    ----------
    id : str
    name : str
    created : str
        ISO 8601, UTC.
    documents : int
        Number of records.
    files : tuple of mapping
        What was understood of each file, as given.
    duplicates : int
        Records that were folded into another.
    simulated : bool
        Whether the documents are invented.
    query : str
        What is asked, where the documents came with a question; else empty.
    digest : str
        Hash of the records and their order.
    """

    id: str
    name: str
    created: str
    documents: int
    files: tuple[Mapping[str, Any], ...]
    duplicates: int
    simulated: bool
    query: str
    digest: str


@dataclass(frozen=True)
class Record:
    """One document in full; `score` is None where the file had none."""

    position: int
    id: str
    title: str
    abstract: str
    authors: str
    date: str
    doi: str
    pmid: str
    publication_number: str
    url: str
    label: str
    source: str
    family: str
    reason: str
    remark: str
    score: float | None


@dataclass(frozen=True, eq=False)
class SessionRow:
    """A session as it was set up; what happened since is in its events.

    Parameters
    ----------
    id, name, collection_id, created : str
    settings : Settings
        At the start.
    ids : tuple of str, length N
        Documents in screening order.
    order : ndarray of int, shape (N,)
        Position of each in the collection.
    scores : ndarray of float, shape (N,), or None
        None where the list has only its order.
    query : str
    ranking : str
        Where the order comes from, in words.
    archived : bool
    digest : str
        Hash of documents, order and scores.
    """

    id: str
    name: str
    collection_id: str
    created: str
    settings: Settings
    ids: tuple[str, ...]
    order: NDArray[np.intp]
    scores: NDArray[np.float64] | None
    query: str
    ranking: str
    archived: bool
    digest: str


@dataclass(frozen=True)
class KeptCalibrator:
    """A calibrator with what a person calls it.

    Parameters
    ----------
    digest : str
    calibrator : Calibrator
    name : str
        As given by the person, else the calibrator's own.
    created : str
        When it was stored here: ISO 8601, UTC.
    deleted : bool
        Whether it was taken off the list.
    """

    digest: str
    calibrator: Calibrator
    name: str
    created: str
    deleted: bool


@dataclass(frozen=True)
class SessionSummary:
    """One line of the list of sessions.

    Parameters
    ----------
    id, name, collection_id, created : str
    last_activity : str
        Time of the last event, or of creation.
    documents : int
        N.
    labelled : int
        Documents read; labels taken back do not count.
    stopped : bool
    decision : mapping or None
        Payload of the decision that stands.
    simulated : bool
        Whether the documents are invented.
    archived : bool
    scenario : str
        As in :class:`~tarstop_core.screening.settings.Settings`.
    query : str
        What was searched for.
    """

    id: str
    name: str
    collection_id: str
    created: str
    last_activity: str
    documents: int
    labelled: int
    stopped: bool
    decision: Mapping[str, Any] | None
    simulated: bool
    archived: bool
    scenario: str
    query: str

    @property
    def decided(self) -> bool:
        """Whether a decision stands."""
        return self.decision is not None


class Store:
    """One database. Usable from several threads; several processes may open the same one.

    Parameters
    ----------
    url : str, optional
        Any SQLAlchemy URL. Default: the environment variable ``TARSTOP_DATABASE_URL``, else a SQLite
        file in the person's data folder, which is created when it is missing.
    busy_seconds : float
        How long to wait for another program that is writing to the same SQLite file.

    Raises
    ------
    InputProblem
        When the database cannot be opened, or was written by a newer version. Every method raises it
        when the database is locked, read-only, full, damaged or out of reach.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
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

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give all connections back; nothing is pending, because everything was committed."""
        self._database.close()

    # --- collections ------------------------------------------------------------------------------

    def save_collection(
        self,
        name: str,
        frame: pd.DataFrame,
        files: Sequence[Mapping[str, Any]],
        duplicates: int,
        simulated: bool = False,
        query: str = "",
        progress: Callable[[int, int], None] | None = None,
        created: str = "",
    ) -> str:
        """Store a table of records whole, or not at all.

        Parameters
        ----------
        name : str
        frame : DataFrame, n rows
            A table of records.
        files : sequence of mapping
            What was understood of each file, as JSON values.
        duplicates : int
            How many records were folded into others before.
        simulated : bool
        query : str
        progress : callable, optional
            Called with (records written, n) after every chunk; whatever it raises cancels the import.
        created : str
            When it was first stored, where it comes from another store; else now.

        Returns
        -------
        str
            Id of the collection.

        Raises
        ------
        InputProblem
            When there are no records, or the table is not one of records.
        """
        frame = _storable_frame(as_records(frame))
        total = len(frame)
        if not total:
            raise InputProblem("There are no records to save; choose a file that holds some.")
        ids: list[str] = frame["id"].tolist()
        row = {
            "id": secrets.token_urlsafe(6),
            "name": _storable_text(name),
            "created": created or _now(),
            "documents": total,
            "files": _dump(list(files)),
            "duplicates": duplicates,
            "simulated": simulated,
            "query": _storable_text(query),
            "digest": records_hash(frame),
            "ids": zlib.compress(json.dumps(ids).encode(), 1),
        }
        names = ("collection_id", "position", *(column.name for column in _RECORD_FIELDS))
        with self._database.write() as connection:
            connection.execute(insert(COLLECTION), row)
            for start in range(0, total, CHUNK):
                part = frame.iloc[start : start + CHUNK]
                columns = [part[name].tolist() for name in TEXT_COLUMNS]
                scores = part["score"].astype(object).where(part["score"].notna(), None).tolist()
                positions = range(start, start + len(part))
                rows = zip([row["id"]] * len(part), positions, *columns, scores, strict=True)
                connection.execute(insert(RECORD), [dict(zip(names, values, strict=True)) for values in rows])
                if progress is not None:
                    progress(start + len(part), total)
        return str(row["id"])

    def collections(self) -> list[CollectionRow]:
        """All collections, newest first."""
        with self._database.read() as connection:
            rows = connection.execute(_collections().order_by(COLLECTION.c.created.desc())).all()
        return [_collection_row(row) for row in rows]

    def collection(self, collection_id: str) -> CollectionRow:
        """One collection, without its texts.

        Raises
        ------
        InputProblem
            When there is none with this id.
        """
        with self._database.read() as connection:
            row = connection.execute(_collections().where(COLLECTION.c.id == collection_id)).one_or_none()
        if row is None:
            raise _unknown_collection(collection_id)
        return _collection_row(row)

    def records(self, collection_id: str) -> pd.DataFrame:
        """The table of records of a collection, as it was saved.

        Raises
        ------
        InputProblem
            When there is no such collection.
        """
        statement = select(*_RECORD_FIELDS).where(RECORD.c.collection_id == collection_id)
        with self._database.read() as connection:
            rows = connection.execute(statement.order_by(RECORD.c.position)).all()
        if not rows:
            raise _unknown_collection(collection_id)
        return as_records(dict(zip(RECORD_COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))

    def record_texts(
        self, collection_id: str, positions: Sequence[int] | NDArray[np.integer]
    ) -> list[Record]:
        """A few documents in full, without loading the others.

        Parameters
        ----------
        collection_id : str
        positions : sequence of int
            Positions in the collection.

        Returns
        -------
        list of Record
            In the order of `positions`.

        Raises
        ------
        InputProblem
            When the collection or a position does not exist.
        """
        wanted = [int(position) for position in positions]
        found: dict[int, Record] = {}
        base = select(RECORD.c.position, *_RECORD_FIELDS).where(RECORD.c.collection_id == collection_id)
        with self._database.read() as connection:
            for start in range(0, len(wanted), ROWS_AT_ONCE):
                some = RECORD.c.position.in_(wanted[start : start + ROWS_AT_ONCE])
                for row in connection.execute(base.where(some)):
                    found[row.position] = Record(*row)
        missing = next((position for position in wanted if position not in found), None)
        if missing is not None:
            documents = self.collection(collection_id).documents
            raise InputProblem(
                f"The collection {collection_id} has no document at position {missing}; "
                f"positions run from 0 to {documents - 1}."
            )
        return [found[position] for position in wanted]

    def delete_collection(self, collection_id: str) -> None:
        """Remove a collection that no session uses.

        Raises
        ------
        InputProblem
            When a session uses it, archived or not, or when there is no such collection.
        """
        used = select(SESSION.c.name).where(SESSION.c.collection_id == collection_id).limit(1)
        try:
            with self._database.write() as connection:
                session = connection.execute(used).scalar()
                if session is not None:
                    raise InputProblem(
                        f"These documents cannot be deleted, because the session '{session}' uses them."
                    )
                connection.execute(delete(RECORD).where(RECORD.c.collection_id == collection_id))
                gone = connection.execute(delete(COLLECTION).where(COLLECTION.c.id == collection_id))
                if not gone.rowcount:
                    raise _unknown_collection(collection_id)
        except IntegrityError:
            raise InputProblem(
                "These documents cannot be deleted, because a session that uses them was just created."
            ) from None

    # --- calibrators ------------------------------------------------------------------------------

    def save_calibrator(self, calibrator: Calibrator) -> str:
        """Keep a calibrator and return its digest; saving it again changes nothing."""
        row = {"digest": calibrator.digest, "json": calibrator.to_json(), "created": _now()}
        known = select(CALIBRATOR.c.digest).where(CALIBRATOR.c.digest == row["digest"])
        with self._database.read() as connection:
            if connection.execute(known).scalar() is not None:
                return row["digest"]
        try:
            with self._database.write() as connection:
                connection.execute(insert(CALIBRATOR), row)
        except IntegrityError:
            pass  # Another process saved the same one in the meantime.
        return row["digest"]

    def calibrator(self, digest: str) -> Calibrator:
        """The calibrator with this digest.

        Raises
        ------
        InputProblem
            When it was never saved here.
        """
        with self._database.read() as connection:
            text = connection.execute(
                select(CALIBRATOR.c.json).where(CALIBRATOR.c.digest == digest)
            ).scalar_one_or_none()
        if text is None:
            raise InputProblem(
                f"There is no calibrator '{digest}' in {self.name}; choose another calibrator."
            )
        return from_json(text, f"The calibrator {digest} in {self.name}")

    def kept_calibrators(self) -> list[KeptCalibrator]:
        """All calibrators with their names, oldest first, those taken off the list too."""
        columns = (
            CALIBRATOR.c.digest,
            CALIBRATOR.c.json,
            CALIBRATOR.c.created,
            SHELF.c.name,
            SHELF.c.deleted,
        )
        statement = select(*columns).join_from(CALIBRATOR, SHELF, isouter=True)
        with self._database.read() as connection:
            rows = connection.execute(statement.order_by(CALIBRATOR.c.created, CALIBRATOR.c.digest)).all()
        kept = []
        for row in rows:
            calibrator = from_json(row.json, f"The calibrator {row.digest} in {self.name}")
            name = row.name or calibrator.fitted_on.name
            kept.append(KeptCalibrator(row.digest, calibrator, name, row.created, bool(row.deleted)))
        return kept

    def rename_calibrator(self, digest: str, name: str) -> None:
        """Call a calibrator otherwise; what it was fitted on, and its digest, stay."""
        self._shelve(digest, name=_storable_text(name))

    def delete_calibrator(self, digest: str) -> None:
        """Take a calibrator off the list; sessions that use it keep it, and it can be restored."""
        self._shelve(digest, deleted=_now())

    def restore_calibrator(self, digest: str) -> None:
        """Put a calibrator back on the list."""
        self._shelve(digest, deleted="")

    def _shelve(self, digest: str, **values: str) -> None:
        with self._database.write() as connection:
            known = select(CALIBRATOR.c.digest).where(CALIBRATOR.c.digest == digest)
            if connection.execute(known).scalar() is None:
                raise InputProblem(f"There is no calibrator '{digest}' in {self.name}.")
            changed = connection.execute(update(SHELF).where(SHELF.c.digest == digest).values(**values))
            if not changed.rowcount:
                connection.execute(insert(SHELF), {"digest": digest, "name": "", "deleted": "", **values})

    # --- sessions ---------------------------------------------------------------------------------

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
        """Begin a session on a collection, or take one over from another store.

        Parameters
        ----------
        name : str
        collection_id : str
        order : array_like of int, shape (N,)
            Positions in the collection, in screening order, none twice.
        scores : array_like of float, shape (N,), or None
            In the same order; None for a list that has only its order.
        settings : Settings
        query : str
        ranking : str
            Where the order comes from, in words.
        created : str
            When it was begun, where it comes from another store; else now.
        events : sequence of Event
            Its log there, with numbers and times; stored together with the session.

        Returns
        -------
        str
            Id of the session.

        Raises
        ------
        InputProblem
            When the collection does not exist, or order or scores do not fit it.
        """
        ids = self._ids(collection_id)
        positions = _check_order(order, len(ids))
        values = None if scores is None else _check_scores(scores, len(positions))
        ordered = [ids[position] for position in positions.tolist()]
        row = {
            "id": secrets.token_urlsafe(6),
            "name": _storable_text(name),
            "collection_id": collection_id,
            "created": created or _now(),
            "settings": _dump(settings.to_dict()),
            "documents": len(positions),
            "positions": positions.astype("<i4").tobytes(),
            "scores": None if values is None else values.astype("<f8").tobytes(),
            "query": _storable_text(query),
            "ranking": _storable_text(ranking),
            "archived": False,
            "digest": records_digest(ordered, None if values is None else values.tolist()),
        }
        try:
            with self._database.write() as connection:
                connection.execute(insert(SESSION), row)
                if events:
                    connection.execute(insert(EVENT), [_event_row(str(row["id"]), event) for event in events])
        except IntegrityError:
            # The collection was deleted after its ids were read.
            raise _unknown_collection(collection_id) from None
        return str(row["id"])

    def session(self, session_id: str) -> SessionRow:
        """A session as it was set up.

        Raises
        ------
        InputProblem
            When there is none with this id.
        """
        with self._database.read() as connection:
            row = connection.execute(select(SESSION).where(SESSION.c.id == session_id)).one_or_none()
        if row is None:
            raise self._unknown_session(session_id)
        ids = self._ids(row.collection_id)
        order = np.frombuffer(row.positions, dtype="<i4").astype(np.intp)
        return SessionRow(
            id=row.id,
            name=row.name,
            collection_id=row.collection_id,
            created=row.created,
            settings=Settings.from_dict(json.loads(row.settings)),
            ids=tuple([ids[position] for position in order.tolist()]),
            order=order,
            scores=None if row.scores is None else np.frombuffer(row.scores, dtype="<f8").astype(np.float64),
            query=row.query,
            ranking=row.ranking,
            archived=row.archived,
            digest=row.digest,
        )

    def sessions(self, archived: bool = False, deleted: bool = False) -> list[SessionSummary]:
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
        with self._database.read() as connection:
            rows = connection.execute(listed).all()
            kinds: dict[str, dict[str, Row[*tuple[Any, ...]]]] = {row.id: {} for row in rows}
            for line in connection.execute(tally):
                # A session may have been created between the two statements.
                if line.session_id in kinds:
                    kinds[line.session_id][line.kind] = line
            summaries = [self._summary(connection, row, kinds[row.id]) for row in rows]
        return sorted(summaries, key=lambda summary: summary.last_activity, reverse=True)

    def _summary(
        self, connection: Connection, row: Row[*tuple[Any, ...]], kinds: Mapping[str, Row[*tuple[Any, ...]]]
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
            labelled += sum(
                len(json.loads(payload)["labels"]) for payload in connection.execute(at).scalars()
            )
        resumed = last.get("continued", 0)
        decision = None
        if last.get("decided", 0) > resumed:
            at = select(EVENT.c.payload).where(EVENT.c.session_id == row.id, EVENT.c.seq == last["decided"])
            decision = json.loads(connection.execute(at).scalar_one())
        return SessionSummary(
            id=row.id,
            name=row.name,
            collection_id=row.collection_id,
            created=row.created,
            last_activity=max([row.created, *(line.last_time for line in kinds.values())]),
            documents=row.documents,
            labelled=labelled,
            stopped=max(last.get("stopped", 0), last.get("decided", 0)) > resumed,
            decision=decision,
            simulated=row.simulated,
            archived=row.archived,
            # Sessions of before there were reviews do not say.
            scenario=str(json.loads(row.settings).get("scenario", "patent")),
            query=row.query,
        )

    def rename(self, session_id: str, name: str) -> None:
        """Give a session another name."""
        self._change(session_id, name=_storable_text(name))

    def archive(self, session_id: str, archived: bool = True) -> None:
        """Put a session away, or bring it back."""
        self._change(session_id, archived=archived)

    def delete_session(self, session_id: str) -> None:
        """Take a session off every list; its log stays, so that :meth:`restore_session` brings all of it back."""
        try:
            with self._database.write() as connection:
                if self._last_seq(connection, session_id) is None:
                    raise self._unknown_session(session_id)
                connection.execute(insert(DELETED), {"session_id": session_id, "time": _now()})
        except IntegrityError:
            pass  # It was deleted already.

    def restore_session(self, session_id: str) -> None:
        """Undo a deletion; a session that was not deleted stays as it is."""
        with self._database.write() as connection:
            if self._last_seq(connection, session_id) is None:
                raise self._unknown_session(session_id)
            connection.execute(delete(DELETED).where(DELETED.c.session_id == session_id))

    def _change(self, session_id: str, **values: Any) -> None:
        with self._database.write() as connection:
            changed = connection.execute(update(SESSION).where(SESSION.c.id == session_id).values(**values))
            if not changed.rowcount:
                raise self._unknown_session(session_id)

    # --- events -----------------------------------------------------------------------------------

    def events(self, session_id: str, after: int = 0) -> list[Event]:
        """The log of a session, in order, from the event that follows number `after`.

        Raises
        ------
        InputProblem
            When there is no such session.
        """
        statement = (
            select(EVENT).where(EVENT.c.session_id == session_id, EVENT.c.seq > after).order_by(EVENT.c.seq)
        )
        with self._database.read() as connection:
            rows = connection.execute(statement).all()
            if not rows and self._last_seq(connection, session_id) is None:
                raise self._unknown_session(session_id)
        return [
            Event(
                kind=row.kind,
                payload=json.loads(row.payload),
                seq=row.seq,
                time=row.time,
                reviewer=row.reviewer,
            )
            for row in rows
        ]

    def append(self, session_id: str, event: Event, expected: int) -> Event:
        """Add an event to the log; when this returns, it is on disk.

        Parameters
        ----------
        session_id : str
        event : Event
            Its `seq` and `time` are set here.
        expected : int
            Number of the last event that the caller has seen, 0 for none.

        Returns
        -------
        Event
            As stored: number expected + 1, time now.

        Raises
        ------
        Conflict
            When the log does not end at `expected`: somebody else recorded something.
        InputProblem
            When there is no such session, or the event cannot be stored.
        """
        if event.kind not in KINDS:
            raise InputProblem(f"There is no event '{event.kind}'; use one of {', '.join(KINDS)}.")
        payload = _dump(dict(event.payload))
        stored = replace(
            event,
            payload=json.loads(payload),
            seq=expected + 1,
            time=_now(),
            reviewer=_storable_text(event.reviewer),
        )
        row = _event_row(session_id, stored)
        conflict = Conflict(
            "Something was recorded for this session in another tab or window; your last press was not recorded; look again before you go on."
        )
        try:
            with self._database.write() as connection:
                last = self._last_seq(connection, session_id)
                if last is None:
                    raise self._unknown_session(session_id)
                if last != expected:
                    raise conflict
                connection.execute(insert(EVENT), row)
        except IntegrityError:
            # Databases that let two writers look at once refuse the second number here.
            raise conflict from None
        return stored

    # --- inside -----------------------------------------------------------------------------------

    def _last_seq(self, connection: Connection, session_id: str) -> int | None:
        """Number of the last event, 0 for none; None when there is no such session."""
        statement = (
            select(func.coalesce(func.max(EVENT.c.seq), 0))
            .select_from(SESSION.outerjoin(EVENT))
            .where(SESSION.c.id == session_id)
            .group_by(SESSION.c.id)
        )
        last = connection.execute(statement).scalar_one_or_none()
        return None if last is None else int(last)

    def _ids(self, collection_id: str) -> list[str]:
        """Ids of all documents of a collection, in its own order."""
        with self._database.read() as connection:
            packed = connection.execute(
                select(COLLECTION.c.ids).where(COLLECTION.c.id == collection_id)
            ).scalar_one_or_none()
        if packed is None:
            raise _unknown_collection(collection_id)
        ids: list[str] = json.loads(zlib.decompress(packed))
        return ids

    def _unknown_session(self, session_id: str) -> InputProblem:
        return InputProblem(
            f"There is no session '{session_id}' here; choose one from the list on the Home page."
        )


# --- values ---------------------------------------------------------------------------------------


def _event_row(session_id: str, event: Event) -> dict[str, Any]:
    return {
        "session_id": session_id,
        "seq": event.seq,
        "time": event.time,
        "reviewer": event.reviewer,
        "kind": event.kind,
        "payload": _dump(dict(event.payload)),
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _collections() -> Select[Any]:
    return select(*(column for column in COLLECTION.c if column.name != "ids"))


def _collection_row(row: Row[*tuple[Any, ...]]) -> CollectionRow:
    return CollectionRow(**{**row._mapping, "files": tuple(json.loads(row.files))})


def _unknown_collection(collection_id: str) -> InputProblem:
    return InputProblem(
        f"There is no collection '{collection_id}'; choose or upload documents on the Set up page."
    )


def _dump(value: object) -> str:
    """JSON that any program can read: plain characters, no NaN."""
    try:
        return json.dumps(value, allow_nan=False, default=_plain)
    except ValueError:
        raise InputProblem("A number to be saved is missing or infinite; give a finite one.") from None


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _storable_text(text: str) -> str:
    """Text without what databases refuse: NUL, and halves of surrogate pairs."""
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text)


def _storable_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The same records without NUL, which some databases refuse; ids stay unique."""
    for column in TEXT_COLUMNS:
        values = frame[column].tolist()
        if any("\0" in value for value in values):
            values = [_storable_text(value) for value in values]
            frame[column] = pd.Series(unique_ids(values)[0] if column == "id" else values, dtype="str")
    return frame


def _check_order(order: ArrayLike, documents: int) -> NDArray[np.int64]:
    positions = np.asarray(order)
    if positions.ndim != 1 or not len(positions):
        raise InputProblem("A session needs at least one document; choose a list that has some.")
    if not np.issubdtype(positions.dtype, np.integer):
        raise InputProblem(
            "The screening order is not a list of whole numbers; give positions in the collection."
        )
    positions = positions.astype(np.int64)
    if positions.min() < 0 or positions.max() >= documents:
        raise InputProblem(
            f"The screening order names position {positions.max() if positions.min() >= 0 else positions.min()}; "
            f"the collection has positions 0 to {documents - 1}."
        )
    if len(np.unique(positions)) < len(positions):
        raise InputProblem("The screening order names a document twice; name each once.")
    return positions


def _check_scores(scores: ArrayLike, documents: int) -> NDArray[np.float64]:
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (documents,):
        raise InputProblem(
            f"There are {values.size} scores for {documents} documents; give one for every document."
        )
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0]) + 1
        raise InputProblem(
            f"The score of document {at} is missing or infinite; give every document a number."
        )
    return values
