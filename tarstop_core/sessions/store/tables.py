"""The tables of the store, one class each, and checks of what is stored in their columns."""

import json
import re
import secrets
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Annotated, Any, ClassVar, Self

import numpy as np
import sqlalchemy as sa
from numpy.typing import ArrayLike, NDArray
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship
from typing_extensions import TypedDict

from tarstop_core.envelope import check_time, validated
from tarstop_core.errors import InputProblem
from tarstop_core.screening.scenarios.named import read_settings
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State

UNFINISHED = 0
"""Number of documents that marks a collection which is still being stored, or already being removed."""
AS_STORED = ("id", "name", "collection_id", "query", "ranking", "recipe", "archived", "digest")
"""Columns of a session that :class:`SessionRow` holds unchanged."""

Id = Annotated[str, mapped_column(sa.String, primary_key=True)]
Short = Annotated[str, mapped_column(sa.String)]
Position = Annotated[int, mapped_column(primary_key=True, autoincrement=False)]
# Columns added later have a default, so that earlier programs, which do not know them, can still write rows.
Later = Annotated[str, mapped_column(server_default="")]
Whose = Annotated[str, mapped_column(sa.String, primary_key=True, server_default="")]


class FileRow(TypedDict, total=False):
    """Entries of a file's description that are computed with; other entries are only shown to people."""

    source: str
    records: int
    database: str
    merging: dict[str, int]
    repeated: int
    first_lines: list[str]


class Table(DeclarativeBase):
    """Base class of the tables; an object of a subclass is a row."""

    type_annotation_map: ClassVar = {str: sa.Text, float: sa.Double}


class SchemaVersion(Table):
    """Version of the schema, which earlier programs compare with their own."""

    __tablename__ = "tarstop_schema"
    version: Mapped[Position]


class Collection(Table):
    """A collection of documents, without their texts."""

    __tablename__ = "collection"
    id: Mapped[Id]
    name: Mapped[str]
    created: Mapped[Short]
    documents: Mapped[int]
    """Number of documents; :data:`UNFINISHED` for a collection that is not to be seen."""
    files_json: Mapped[str] = mapped_column("files")
    duplicates: Mapped[int]
    """Number of records that were merged into others."""
    simulated: Mapped[bool]
    query: Mapped[str]
    """Question that the documents came with; empty if none."""
    digest: Mapped[Short]
    """Hash of the records and their order."""
    # Every session needs all ids but few abstracts, and reading the ids from here is faster than from all records.
    packed_ids: Mapped[bytes] = mapped_column("ids", deferred=True)

    @cached_property
    def files(self) -> tuple[Mapping[str, Any], ...]:
        """Descriptions of the files that the documents come from."""
        return tuple(json.loads(self.files_json))

    def checked(self) -> Self:
        """The collection itself; InputProblem if it is damaged."""
        with intact(f"The collection '{self.name}'"):
            check_time(self.created)
            if not (isinstance(self.documents, int) and isinstance(self.duplicates, int)):
                raise TypeError("counts are whole numbers")
            check_files(self.files, "The description of its files")
        return self

    def document_ids(self) -> list[str]:
        """Ids of all documents, in the order of the collection; InputProblem if they are damaged."""
        with intact("The list of documents"):
            ids = json.loads(zlib.decompress(self.packed_ids))
            if not (isinstance(ids, list) and all(isinstance(doc, str) for doc in ids)):
                raise TypeError("ids are texts")
            return ids


class Record(Table):
    """A document in full; `score` is None if its file had none."""

    __tablename__ = "record"
    collection_id: Mapped[str] = mapped_column(sa.ForeignKey("collection.id"), primary_key=True)
    position: Mapped[Position]
    id: Mapped[str] = mapped_column("doc_id")
    title: Mapped[str]
    abstract: Mapped[str]
    authors: Mapped[str]
    date: Mapped[str]
    doi: Mapped[str]
    pmid: Mapped[str]
    publication_number: Mapped[str]
    url: Mapped[str]
    label: Mapped[str]
    source: Mapped[str]
    family: Mapped[Later]
    reason: Mapped[Later]
    remark: Mapped[Later]
    assignee: Mapped[Later]
    priority_date: Mapped[Later]
    filing_date: Mapped[Later]
    grant_date: Mapped[Later]
    record_number: Mapped[Later]
    read_order: Mapped[Later]
    labelled_at: Mapped[Later]
    score: Mapped[float | None]


class StoredSession(Table):
    """A session as it was set up."""

    __tablename__ = "session"
    id: Mapped[Id]
    name: Mapped[str]
    collection_id: Mapped[str] = mapped_column(sa.ForeignKey("collection.id"), index=True)
    created: Mapped[Short]
    settings: Mapped[str]
    documents: Mapped[int]
    positions: Mapped[bytes] = mapped_column(deferred=True, deferred_group="list")
    scores: Mapped[bytes | None] = mapped_column(deferred=True, deferred_group="list")
    query: Mapped[str]
    ranking: Mapped[str]
    recipe: Mapped[Later]
    archived: Mapped[bool]
    digest: Mapped[Short]
    collection: Mapped[Collection] = relationship()

    def row(self) -> "SessionRow":
        """The session with its list unpacked; InputProblem if it is damaged."""
        ids = self.collection.document_ids()
        with intact(f"The session '{self.name}'"):
            order = check_order(np.frombuffer(self.positions, dtype="<i4"), len(ids)).astype(np.intp)
            scores = None if self.scores is None else np.frombuffer(self.scores, dtype="<f8")
            return SessionRow(
                **{name: getattr(self, name) for name in AS_STORED},
                created=check_time(self.created),
                settings=read_settings(json.loads(self.settings)),
                ids=tuple([ids[position] for position in order.tolist()]),
                order=order,
                scores=None if scores is None else check_scores(scores, len(order)),
            )


class StoredEvent(Table):
    """An event in the log of a session."""

    __tablename__ = "event"
    session_id: Mapped[str] = mapped_column(sa.ForeignKey("session.id"), primary_key=True)
    seq: Mapped[Position]
    time: Mapped[Short]
    reviewer: Mapped[str]
    kind: Mapped[Short]
    payload: Mapped[str]


class Deletion(Table):
    """A session that was deleted, and when."""

    __tablename__ = "deleted"
    session_id: Mapped[str] = mapped_column(sa.ForeignKey("session.id"), primary_key=True)
    time: Mapped[Short]


class StoredCalibrator(Table):
    """A calibrator, by its digest."""

    __tablename__ = "calibrator"
    digest: Mapped[Id]
    json: Mapped[str]
    created: Mapped[Short]


class CalibratorLabel(Table):
    """Name that a person gave a calibrator, and when they took it off their list; empty if they did not."""

    __tablename__ = "calibrator_shelf"
    digest: Mapped[str] = mapped_column(sa.ForeignKey("calibrator.digest"), primary_key=True)
    person: Mapped[Whose]
    name: Mapped[str]
    deleted: Mapped[Short]


class Draft(Table):
    """What a person entered for a session that is not started yet."""

    __tablename__ = "draft"
    id: Mapped[Id]
    saved: Mapped[Short]
    json: Mapped[str]
    person: Mapped[Later]
    """Name of that person; empty on one's own machine."""


class Account(Table):
    """A person who logged in."""

    __tablename__ = "account"
    name: Mapped[Id]
    administers: Mapped[bool]
    locked: Mapped[bool]
    """Whether they may no longer log in."""
    created: Mapped[Short]
    seen: Mapped[Short]
    """Time of their last visit."""


class Member(Table):
    """Membership of a person in a project."""

    __tablename__ = "member"
    project: Mapped[Id]
    person: Mapped[Id]


class GrantedRole(Table):
    """Role of a person, or of all members of a project, in something stored."""

    __tablename__ = "share"
    kind: Mapped[Id]
    object_id: Mapped[Id]
    holder: Mapped[Id]
    role: Mapped[Short]


class AuditLine(Table):
    """A line of the audit log, for the administrators: person, time and object, without contents."""

    __tablename__ = "audit"
    id: Mapped[Id]
    time: Mapped[Short]
    person: Mapped[Short]
    what: Mapped[Short]
    kind: Mapped[Short]
    object_id: Mapped[Short]
    about: Mapped[str]
    """The other person that it concerns, or the kind of a file."""


METADATA = Table.metadata
# Alembic's own table, with the revision of the last step that was applied.
STAMP = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))


@dataclass(frozen=True, eq=False)
class SessionRow:
    """A session as it was set up; everything since is in its events."""

    id: str
    name: str
    collection_id: str
    created: str
    settings: Settings
    """Settings at the start."""
    ids: tuple[str, ...]
    """Documents of the list as it was stored or, in a row from :meth:`as_read`, in the order of reading; shape (N,)."""
    order: NDArray[np.intp]
    """Position of each document in the collection; shape (N,)."""
    scores: NDArray[np.float64] | None
    """Score of each document, shape (N,); None for a list without scores."""
    query: str
    ranking: str
    """Where the order comes from, in words."""
    recipe: str
    """Name of the BM25 recipe that the scores come from; empty if they come from elsewhere."""
    archived: bool
    digest: str
    """Hash of documents, order and scores of the list as it was stored."""

    def as_read(self, state: State) -> Self:
        """The session with its documents in the order of reading, in which positions of `state` are counted."""
        sequence = state.sequence
        if sequence is None:
            return self
        order = np.append(self.order, state.joining("positions"))[sequence].astype(np.intp)
        ids, scores = tuple(state.ids_as_read(self.ids)), state.scores_as_read(self.scores)
        return replace(self, ids=ids, order=order, scores=scores)


def new_id() -> str:
    """A new random id, which fits into an address."""
    return secrets.token_urlsafe(6)


def now(ago: timedelta = timedelta(0)) -> str:
    """The time now, or so long ago, as the store writes it: ISO 8601, UTC, to the millisecond."""
    return (datetime.now(UTC) - ago).isoformat(timespec="milliseconds")


@contextmanager
def intact(what: str) -> Iterator[None]:
    """Turn any error in reading something damaged into an InputProblem that names it."""
    try:
        yield
    except InputProblem as problem:
        raise InputProblem(f"{what} cannot be read: {problem}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, zlib.error) as problem:
        reason = f"{type(problem).__name__}: {problem}"[:200].rstrip(".")
        raise InputProblem(
            f"{what} is damaged in the database ({reason}); restore it from a backup, or delete it."
        ) from None


def check_files(files: Sequence[Any], what: str) -> None:
    """Raise InputProblem if the description of a collection's files has an entry that cannot be computed with."""
    for file in files:
        validated(FileRow, file, what, "import the documents again", strict=True, open_ended=True)


def dump(value: object) -> str:
    """JSON that any program can read: ASCII, with numpy's numbers as Python's; InputProblem for NaN or infinity."""
    try:
        return json.dumps(value, allow_nan=False, default=np.generic.item)
    except ValueError:
        raise InputProblem("A number to be saved is missing or infinite; give a finite one.") from None


def storable_text(text: str) -> str:
    """A text without what databases refuse: NUL, and halves of surrogate pairs; U+FFFD replaces them."""
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text)


def check_order(order: ArrayLike, documents: int) -> NDArray[np.int64]:
    """The order as an array; InputProblem unless it has positions below `documents`, each at most once, and is not empty."""
    positions = np.asarray(order)
    if positions.ndim != 1 or not len(positions):
        raise InputProblem("A session needs at least one document; choose a list that has some.")
    if not np.issubdtype(positions.dtype, np.integer):
        raise InputProblem(
            "The screening order is not a list of whole numbers; give positions in the collection."
        )
    positions = positions.astype(np.int64)
    first, last = positions.min(), positions.max()
    if first < 0 or last >= documents:
        raise InputProblem(
            f"The screening order names position {last if first >= 0 else first}; "
            f"the collection has positions 0 to {documents - 1}."
        )
    if np.bincount(positions).max() > 1:
        raise InputProblem("The screening order names a document twice; name each once.")
    return positions


def check_scores(scores: ArrayLike, documents: int) -> NDArray[np.float64]:
    """The scores as an array; InputProblem unless every document has a finite one."""
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (documents,):
        raise InputProblem(
            f"There are {values.size} scores for {documents} documents; give one for every document."
        )
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0]) + 1
        raise InputProblem(f"The score of document {at} is missing or infinite; give each document a number.")
    return values
