"""Collections: documents that were brought together, and their texts."""

import json
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sqlalchemy import Connection, Row, delete, insert, select, update

from tarstop_core.documents.records import RECORD_COLUMNS, TEXT_COLUMNS, as_records, records_hash
from tarstop_core.envelope import check_time
from tarstop_core.errors import InputProblem
from tarstop_core.sessions.store import values
from tarstop_core.sessions.store.database import COLLECTION, RECORD, SESSION, Database
from tarstop_core.sessions.store.rows import CollectionRow, Damaged, Record

CHUNK = 500
"""Documents that are written in one transaction: nobody who labels waits longer than for these."""
PAUSE = 0.015
"""Seconds between two, in which those who wait get their turn."""
REMOVED = 2_000
"""Documents that are removed in one."""
UNFINISHED = 0
"""The number of documents that a collection is said to have until it has them all, and while it is removed."""
ABANDONED = timedelta(days=1)
"""After which one that is not finished is removed: whoever was storing it was stopped."""
# Well below the number of parameters that any database takes in one statement.
ROWS_AT_ONCE = 500

# Columns of `record` in the order of RECORD_COLUMNS.
_RECORD_FIELDS = tuple(RECORD.c["doc_id" if name == "id" else name] for name in RECORD_COLUMNS)
# Those that are stored whole.
_COLLECTIONS = select(*(column for column in COLLECTION.c if column.name != "ids")).where(
    COLLECTION.c.documents != UNFINISHED
)


class Collections:
    """What is done with collections and their records; InputProblem where there is no such collection or document."""

    _database: Database

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
        finished: bool = True,
    ) -> str:
        """Store a table of n records whole, or not at all; its id.

        `files` is what was understood of each file, as JSON values. `progress` is called with (records written, n) after
        every chunk; whatever it raises cancels the import. `created` is when it was first stored, where it comes from
        another store; else now. One that is not `finished` stays unseen until :meth:`finish_collection`. InputProblem when
        there are no records, or the table is not one of records.
        """
        frame = values.storable_frame(as_records(frame))
        key, total = values.new_id(), len(frame)
        if not total:
            raise InputProblem("There are no records to save; choose a file that holds some.")
        ids: list[str] = frame["id"].tolist()
        row = {
            "id": key,
            "name": values.storable_text(name),
            "created": created or values.now(),
            "documents": total,
            "files": values.dump(list(files)),
            "duplicates": duplicates,
            "simulated": simulated,
            "query": values.storable_text(query),
            "digest": records_hash(frame),
            "ids": zlib.compress(json.dumps(ids).encode(), 1),
        }
        first, *others = range(0, total, CHUNK)
        if not others and finished:
            with self._database.write() as connection:
                connection.execute(insert(COLLECTION), row)
                connection.execute(insert(RECORD), _rows(key, frame, first))
                if progress is not None:
                    progress(total, total)
            return key
        self._remove_abandoned()
        with self._database.write() as connection:
            connection.execute(insert(COLLECTION), row | {"documents": UNFINISHED, "created": values.now()})
        try:
            with self._database.reserved():
                for start in (first, *others):
                    rows = _rows(key, frame, start)
                    with self._database.write() as connection:
                        connection.execute(insert(RECORD), rows)
                    if progress is not None:
                        progress(start + len(rows), total)
                    time.sleep(PAUSE)
                if finished:
                    self.finish_collection(key, total, row["created"])
        except BaseException:
            self.take_back(key)
            raise
        return key

    def finish_collection(self, collection_id: str, documents: int, created: object) -> None:
        """Say of a collection that was stored in parts that it is all there."""
        found = update(COLLECTION).where(COLLECTION.c.id == collection_id)
        with self._database.write() as connection:
            connection.execute(found.values(documents=documents, created=created))

    def _remove_abandoned(self) -> None:
        """Remove what was being stored when its process was ended."""
        before = (datetime.now(UTC) - ABANDONED).isoformat(timespec="milliseconds")
        left = (COLLECTION.c.documents == UNFINISHED) & (COLLECTION.c.created < before)
        for row in self._database.rows(select(COLLECTION.c.id).where(left)):
            self.remove_unfinished(row.id)

    def take_back(self, collection_id: str) -> None:
        """Remove a collection that could not be stored whole, and give the disk back what it took."""
        # A log that could not be emptied while the disk was full would only grow by what is removed.
        self._database.shrink(pages=False)
        self.remove_unfinished(collection_id)
        self._database.shrink()

    def remove_unfinished(self, collection_id: str) -> None:
        """Remove a collection that nothing refers to, a part at a time."""
        of_it = RECORD.c.collection_id == collection_id
        some = select(RECORD.c.position).where(of_it).limit(REMOVED)
        while True:
            with self._database.write() as connection:
                gone = connection.execute(delete(RECORD).where(of_it & RECORD.c.position.in_(some))).rowcount
            if gone < REMOVED:
                break
            time.sleep(PAUSE)
        with self._database.write() as connection:
            connection.execute(delete(COLLECTION).where(COLLECTION.c.id == collection_id))

    def collections(self) -> list[CollectionRow]:
        """All collections that can be read, newest first."""
        return [row for row in self._all_collections() if isinstance(row, CollectionRow)]

    def _all_collections(self) -> list[CollectionRow | Damaged]:
        rows = self._database.rows(_COLLECTIONS.order_by(COLLECTION.c.created.desc()))
        return [
            values.readable("collection", row.id, row.name, partial(_collection_row, row)) for row in rows
        ]

    def same_collection(
        self, name: str, frame: pd.DataFrame, files: Sequence[Mapping[str, Any]]
    ) -> str | None:
        """Id of a collection that holds the same records in the same order, from the same files; None: there is none."""
        digest = records_hash(values.storable_frame(as_records(frame)))
        wanted = (digest, name, "", _unnamed(json.loads(values.dump(list(files)))))
        held = (
            (row.id, (row.digest, row.name, row.query, _unnamed(row.files))) for row in self.collections()
        )
        return next((key for key, found in held if found == wanted), None)

    def collection(self, collection_id: str) -> CollectionRow:
        """One collection, without its texts."""
        rows = self._database.rows(_COLLECTIONS.where(COLLECTION.c.id == collection_id))
        if not rows:
            raise unknown_collection(collection_id)
        return _collection_row(rows[0])

    def records(self, collection_id: str) -> pd.DataFrame:
        """The table of records of a collection, as it was saved."""
        statement = select(*_RECORD_FIELDS).where(RECORD.c.collection_id == collection_id)
        whole = COLLECTION.c.documents != UNFINISHED
        count = select(COLLECTION.c.documents).where(COLLECTION.c.id == collection_id, whole)
        with self._database.read() as connection:
            documents = connection.execute(count).scalar_one_or_none()
            rows = connection.execute(statement.order_by(RECORD.c.position)).all()
        if documents is None:
            raise unknown_collection(collection_id)
        with values.intact("The documents of this session"):
            if len(rows) != documents:
                raise ValueError(f"{len(rows):,} of {documents:,} are there")
            return as_records(dict(zip(RECORD_COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))

    def scores(self, collection_id: str) -> NDArray[np.float64]:
        """The scores that the documents of a collection came with, NaN where there is none. Shape (N,)."""
        statement = select(RECORD.c.score).where(RECORD.c.collection_id == collection_id)
        rows = self._database.rows(statement.order_by(RECORD.c.position))
        return np.array([row.score for row in rows], dtype=np.float64)

    def record_texts(
        self, collection_id: str, positions: Sequence[int] | NDArray[np.integer]
    ) -> list[Record]:
        """A few documents in full, by positions in the collection and in their order, without loading the others."""
        wanted = [int(position) for position in positions]
        found: dict[int, Record] = {}
        base = select(RECORD.c.position, *_RECORD_FIELDS).where(RECORD.c.collection_id == collection_id)
        with self._database.read() as connection:
            for start in range(0, len(wanted), ROWS_AT_ONCE):
                some = RECORD.c.position.in_(wanted[start : start + ROWS_AT_ONCE])
                for row in connection.execute(base.where(some)):
                    found[row.position] = Record(*row)
        if missing := [position for position in wanted if position not in found]:
            documents = self.collection(collection_id).documents
            raise InputProblem(
                f"The collection {collection_id} has no document at position {missing[0]}; "
                f"positions run from 0 to {documents - 1}."
            )
        return [found[position] for position in wanted]

    def name_databases(self, collection_id: str, names: Mapping[str, str]) -> None:
        """Say which database each file came from, by the file's name; "" for one that is not to be named."""
        there = COLLECTION.c.id == collection_id
        with self._database.write() as connection:
            row = connection.execute(select(COLLECTION.c.files).where(there).with_for_update()).first()
            if row is None:
                raise unknown_collection(collection_id)
            files = json.loads(row.files)
            for file in files:
                if file.get("source") in names:
                    file["database"] = values.storable_text(names[file["source"]])
            connection.execute(update(COLLECTION).where(there).values(files=values.dump(files)))

    def delete_collection(self, collection_id: str) -> None:
        """Remove a collection; InputProblem when a session uses it, archived or not."""
        with self._database.write() as connection:
            session = let_go(connection, collection_id)
            if session is not None:
                raise InputProblem(
                    f"These documents cannot be deleted, because the session '{session}' uses them."
                )
        self.remove_unfinished(collection_id)

    def document_ids(self, collection_id: str) -> list[str]:
        """Ids of all documents of a collection, in its own order."""
        packed = self._database.value(select(COLLECTION.c.ids).where(COLLECTION.c.id == collection_id))
        if packed is None:
            raise unknown_collection(collection_id)
        with values.intact("The list of documents"):
            ids = json.loads(zlib.decompress(packed))
            if not (isinstance(ids, list) and all(isinstance(each, str) for each in ids)):
                raise TypeError("ids are texts")
            return ids


def let_go(connection: Connection, collection_id: str) -> str | None:
    """Hide a collection, to be removed a part at a time; or the name of a session that uses it. InputProblem when there is none."""
    there = COLLECTION.c.id == collection_id
    # Locked before one looks who uses it.
    if connection.execute(select(COLLECTION.c.id).where(there).with_for_update()).first() is None:
        raise unknown_collection(collection_id)
    used = select(SESSION.c.name).where(SESSION.c.collection_id == collection_id).limit(1)
    session: str | None = connection.execute(used).scalar()
    if session is None:
        connection.execute(update(COLLECTION).where(there).values(documents=UNFINISHED))
    return session


def hold(connection: Connection, collection_id: str) -> None:
    """See that a collection is there, else InputProblem, and stays whole until the end of this transaction."""
    there = _COLLECTIONS.where(COLLECTION.c.id == collection_id).with_for_update(read=True)
    if connection.execute(there).first() is None:
        raise unknown_collection(collection_id)


def _unnamed(files: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Files without the databases that a person may name later."""
    return [{name: said for name, said in file.items() if name != "database"} for file in files]


def _rows(collection_id: str, frame: pd.DataFrame, start: int) -> list[dict[str, Any]]:
    """Records from a position on, as they are stored."""
    names = ("collection_id", "position", *(column.name for column in _RECORD_FIELDS))
    part = frame.iloc[start : start + CHUNK]
    columns = [part[name].tolist() for name in TEXT_COLUMNS]
    scores = part["score"].astype(object).where(part["score"].notna(), None).tolist()
    rows = zip([collection_id] * len(part), range(start, start + len(part)), *columns, scores, strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _collection_row(row: Row[*tuple[Any, ...]]) -> CollectionRow:
    with values.intact(f"The collection '{row.name}'"):
        check_time(row.created)
        if not (isinstance(row.documents, int) and isinstance(row.duplicates, int)):
            raise TypeError("counts are whole numbers")
        files = tuple(json.loads(row.files))
        values.check_files(files, "What is said of its files")
        return CollectionRow(**{**row._mapping, "files": files})


def unknown_collection(collection_id: str) -> InputProblem:
    return InputProblem(
        f"There is no collection '{collection_id}'; choose or upload documents on the Set up page."
    )
