"""Collections of documents with their texts."""

import json
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sqlalchemy import delete, insert, select
from sqlalchemy.orm import Session

from tarstop_core.documents.duplicates import unique_ids
from tarstop_core.documents.records import RECORD_COLUMNS, TEXT_COLUMNS, as_records, records_hash
from tarstop_core.errors import InputProblem
from tarstop_core.sessions.store.calibrators import Calibrators, Damaged, readable
from tarstop_core.sessions.store.permissions import asks, forget_shares, unknown
from tarstop_core.sessions.store.tables import (
    METADATA,
    UNFINISHED,
    Collection,
    Record,
    StoredSession,
    dump,
    intact,
    new_id,
    now,
    storable_text,
)

CHUNK = 500
"""Documents written in one transaction; a label waits at most for one transaction."""
PAUSE = 0.015
"""Seconds between two transactions, in which waiting writers get their turn."""
REMOVED = 2_000
"""Documents deleted in one transaction."""
ABANDONED = timedelta(days=1)
"""Age at which an unfinished collection is removed, because the process that stored it must have ended."""
ROWS_AT_ONCE = 500
"""Rows read by one statement, well below the number of parameters that a database allows in it."""

# For many rows the table is faster than the class; columns in the order of RECORD_COLUMNS.
_RECORDS = METADATA.tables["record"]
_FIELDS = [_RECORDS.c["doc_id" if name == "id" else name] for name in RECORD_COLUMNS]


class Collections(Calibrators):
    """Methods of the store for collections and their records; they raise InputProblem for one that does not exist."""

    def save_collection(
        self,
        name: str,
        frame: pd.DataFrame,
        files: Sequence[Mapping[str, Any]],
        duplicates: int,
        simulated: bool = False,
        query: str = "",
        progress: Callable[[int, int], None] | None = None,
    ) -> str:
        """Store a table of records as a collection, completely or not at all, and return its id.

        Parameters
        ----------
        name, frame, files, duplicates, simulated, query, progress
            As for :meth:`arriving`.

        Returns
        -------
        str
            Id of the collection.
        """
        with self.arriving(name, frame, files, duplicates, simulated, query, progress) as key:
            return key

    @contextmanager
    def arriving(
        self,
        name: str,
        frame: pd.DataFrame,
        files: Sequence[Mapping[str, Any]],
        duplicates: int,
        simulated: bool = False,
        query: str = "",
        progress: Callable[[int, int], None] | None = None,
        created: str = "",
    ) -> Iterator[str]:
        """Store a table of n records in parts, so that others can label meanwhile, and yield the id of the collection.

        Everything within the context is one transaction: when it ends, the collection becomes visible; if it fails, the
        collection is removed.

        Parameters
        ----------
        name
            Name of the collection.
        frame
            A table of records.
        files
            Descriptions of the files that they come from, as JSON values.
        duplicates
            Number of records that were merged into others.
        simulated
            Whether the documents are invented.
        query
            The question that they came with; empty if they came with none.
        progress
            Called with (records written, n) after every part; whatever it raises cancels the import.
        created
            Time when it was first stored, if it comes from another store; by default now.

        Yields
        ------
        str
            Id of the collection.

        Raises
        ------
        InputProblem
            If there are no records, or the table is no table of records.
        """
        frame = _storable(frame)
        key, total = new_id(), len(frame)
        if not total:
            raise InputProblem("There are no records to save; choose a file with records.")
        collection = Collection(
            id=key,
            name=storable_text(name),
            created=now(),
            documents=UNFINISHED,
            files_json=dump(list(files)),
            duplicates=duplicates,
            simulated=simulated,
            query=storable_text(query),
            digest=records_hash(frame),
            packed_ids=zlib.compress(json.dumps(frame["id"].tolist()).encode(), 1),
        )
        self._remove_abandoned()
        with self.write() as session:
            session.add(collection)
            self.take(session, "collection", key)
        try:
            with self.reserved():
                for start in range(0, total, CHUNK):
                    if start:
                        time.sleep(PAUSE)
                    rows = _rows(key, frame.iloc[start : start + CHUNK], start)
                    with self.write() as session:
                        session.execute(insert(_RECORDS), rows)
                    if progress is not None:
                        progress(start + len(rows), total)
                with self.write() as session:
                    finished = session.get_one(Collection, key)
                    finished.documents, finished.created = total, created or now()
                    session.flush()
                    yield key
        except BaseException:
            # On a full disk, removals would only make the write-ahead log longer, so it is emptied first.
            self.shrink(pages=False)
            self.remove_unfinished(key)
            self.shrink()
            raise

    def _remove_abandoned(self) -> None:
        """Remove collections whose storing began long ago and never ended."""
        unfinished = select(Collection.id).where(Collection.documents == UNFINISHED)
        for row in self.rows(unfinished.where(Collection.created < now(ABANDONED))):
            self.remove_unfinished(row.id)

    def remove_unfinished(self, collection_id: str) -> None:
        """Remove an unfinished or hidden collection, a part at a time; InputProblem if it is in use."""
        documents = self.value(select(Collection.documents).where(Collection.id == collection_id))
        if documents not in (UNFINISHED, None):
            raise InputProblem("These documents are in use and cannot be removed.")
        in_it = _RECORDS.c.collection_id == collection_id
        part = select(_RECORDS.c.position).where(in_it).limit(REMOVED)
        while True:
            with self.write() as session:
                removed = session.connection().execute(
                    delete(_RECORDS).where(in_it & _RECORDS.c.position.in_(part))
                )
            if removed.rowcount < REMOVED:
                break
            time.sleep(PAUSE)
        with self.write() as session:
            session.execute(delete(Collection).where(Collection.id == collection_id))
            forget_shares(session, "collection", collection_id)

    def collections(self) -> list[Collection]:
        """All collections that can be read, the newest first."""
        return [row for row in self._all_collections() if isinstance(row, Collection)]

    def _all_collections(self) -> list[Collection | Damaged]:
        """All collections of the person, and those that cannot be read."""
        there = Collection.documents != UNFINISHED
        statement = select(Collection).where(there, self.may("collection", "see"))
        with self.read() as session:
            stored = session.scalars(statement.order_by(Collection.created.desc())).all()
        return [readable("collection", row.id, row.name, row.checked) for row in stored]

    def record_digests(self) -> set[str]:
        """Hashes of all collections of all owners; files beside the store are named after them."""
        return {row.digest for row in self.rows(select(Collection.digest))}

    def same_collection(
        self, name: str, frame: pd.DataFrame, files: Sequence[Mapping[str, Any]]
    ) -> str | None:
        """Id of a collection with the same records in the same order, from the same files, with no question of its own.

        Parameters
        ----------
        name, frame, files
            As for :meth:`arriving`. The databases that a person named for the files make no difference.

        Returns
        -------
        str or None
            Id of the newest such collection; None if there is none.
        """
        wanted = _without_databases(json.loads(dump(list(files))))
        alike = self.of_same_records(frame, name=name, query="")
        return next((row.id for row in alike if _without_databases(row.files) == wanted), None)

    def of_same_records(self, frame: pd.DataFrame, **about: object) -> list[Collection]:
        """Collections with the same records in the same order and with these attributes, the newest first."""
        alike = [
            row
            for row in self.collections()
            if row.documents == len(frame)
            and all(getattr(row, name) == value for name, value in about.items())
        ]
        # The hash takes its time, and of a new list nothing is stored yet that could be the same.
        digest = records_hash(_storable(frame)) if alike else ""
        return [row for row in alike if row.digest == digest]

    @asks("collection", "see")
    def collection(self, collection_id: str) -> Collection:
        """A collection without its records."""
        with self.read() as session:
            return held_collection(session, collection_id).checked()

    @asks("collection", "see")
    def records(self, collection_id: str) -> pd.DataFrame:
        """The table of records of a collection, as it was stored; InputProblem if records are missing."""
        statement = select(*_FIELDS).where(_RECORDS.c.collection_id == collection_id)
        with self.read() as session:
            documents = held_collection(session, collection_id).documents
            rows = session.execute(statement.order_by(_RECORDS.c.position)).all()
        with intact("The documents of this session"):
            if len(rows) != documents:
                raise ValueError(f"{len(rows):,} of {documents:,} are there")
            return as_records(dict(zip(RECORD_COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))

    @asks("collection", "see")
    def scores(self, collection_id: str) -> NDArray[np.float64]:
        """Scores that the documents of a collection came with, in its own order, NaN where there is none; shape (N,)."""
        statement = select(_RECORDS.c.score).where(_RECORDS.c.collection_id == collection_id)
        rows = self.rows(statement.order_by(_RECORDS.c.position))
        return np.array([row.score for row in rows], dtype=np.float64)

    @asks("collection", "see")
    def record_texts(
        self, collection_id: str, positions: Sequence[int] | NDArray[np.integer]
    ) -> list[Record]:
        """Documents of a collection in full, in the order of the given positions; the others are not loaded."""
        wanted = [int(position) for position in positions]
        columns = select(_RECORDS.c.position, *_FIELDS).where(_RECORDS.c.collection_id == collection_id)
        records: dict[int, Record] = {}
        for start in range(0, len(wanted), ROWS_AT_ONCE):
            part = _RECORDS.c.position.in_(wanted[start : start + ROWS_AT_ONCE])
            for row in self.rows(columns.where(part)):
                texts: dict[str, Any] = dict(zip(RECORD_COLUMNS, row[1:], strict=True))
                records[row.position] = Record(position=row.position, **texts)
        if missing := [position for position in wanted if position not in records]:
            documents = self.collection(collection_id).documents
            raise InputProblem(
                f"The collection {collection_id} has no document at position {missing[0]}; "
                f"positions run from 0 to {documents - 1}."
            )
        return [records[position] for position in wanted]

    def name_databases(self, collection_id: str, names: Mapping[str, str]) -> None:
        """Record the database that each file came from, by the file's name; "" removes the name of a database."""
        with self.changing("collection", collection_id, "manage") as session:
            collection = held_collection(session, collection_id, lock=True)
            files = json.loads(collection.files_json)
            for file in files:
                if file.get("source") in names:
                    file["database"] = storable_text(names[file["source"]])
            collection.files_json = dump(files)

    def delete_collection(self, collection_id: str) -> None:
        """Remove a collection; InputProblem if a session uses it, also an archived or deleted one."""
        with self.changing("collection", collection_id, "manage") as session:
            user = let_go(session, collection_id)
            if user is not None:
                raise InputProblem(
                    f"These documents cannot be deleted, because the session '{user}' uses them."
                )
        self.remove_unfinished(collection_id)

    @asks("collection", "see")
    def document_ids(self, collection_id: str) -> list[str]:
        """Ids of all documents of a collection, in its own order."""
        with self.read() as session:
            return held_collection(session, collection_id).document_ids()


def held_collection(session: Session, collection_id: str, lock: bool = False) -> Collection:
    """A completely stored collection.

    Parameters
    ----------
    session
        The transaction.
    collection_id
        Id of the collection.
    lock
        Whether nobody else can change it until the end of the transaction.

    Returns
    -------
    Collection
        The collection as it is stored.

    Raises
    ------
    InputProblem
        If there is no collection with this id, or it is not completely stored.
    """
    collection = session.get(Collection, collection_id, with_for_update=True if lock else None)
    if collection is None or collection.documents == UNFINISHED:
        raise unknown("collection", collection_id, "")
    return collection


def let_go(session: Session, collection_id: str) -> str | None:
    """Hide a collection that no session uses, to be removed later; otherwise return the name of a session that uses it."""
    # Locked first, so that no session can begin to use it after the check.
    collection = held_collection(session, collection_id, lock=True)
    users = select(StoredSession.name).where(StoredSession.collection_id == collection_id).limit(1)
    user = session.scalar(users)
    if user is None:
        collection.documents = UNFINISHED
    return user


def _without_databases(files: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Descriptions of files without the databases that a person named."""
    return [{name: value for name, value in file.items() if name != "database"} for file in files]


def _rows(collection_id: str, part: pd.DataFrame, start: int) -> list[dict[str, Any]]:
    """Records as rows of the database, the first at position `start`."""
    names = ("collection_id", "position", *(column.name for column in _FIELDS))
    columns = [part[name].tolist() for name in TEXT_COLUMNS]
    scores = part["score"].astype(object).where(part["score"].notna(), None).tolist()
    rows = zip([collection_id] * len(part), range(start, start + len(part)), *columns, scores, strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _storable(frame: pd.DataFrame) -> pd.DataFrame:
    """A table of records without NUL, which some databases refuse; ids stay unique."""
    frame = as_records(frame)
    for column in TEXT_COLUMNS:
        values = frame[column].tolist()
        if any("\0" in value for value in values):
            values = [storable_text(value) for value in values]
            frame[column] = pd.Series(unique_ids(values)[0] if column == "id" else values, dtype="str")
    return frame
