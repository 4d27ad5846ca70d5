"""Backup of a whole store to a SQLite file, and its restoration, for safety or to move it to another kind of database.

A backup is written completely or not at all; the same holds for a restore.
"""

import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Table, create_engine, delete, func, insert, inspect, select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, StatementError
from sqlalchemy.pool import NullPool

from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import count_of
from tarstop_core.sessions.store.address import file_name, read_url
from tarstop_core.sessions.store.database import REVISION, Database, held_revision, lacking_tables
from tarstop_core.sessions.store.sqlite_file import free_name, written_whole
from tarstop_core.sessions.store.tables import METADATA, STAMP, SchemaVersion

Progress = Callable[[float], None]
"""Function that is called with the share that is done."""
VERSION = SchemaVersion.metadata.tables[SchemaVersion.__tablename__]
TABLES = tuple(table for table in METADATA.sorted_tables if table is not VERSION)
"""All tables but that of the version, each after the tables that it refers to."""
AT_ONCE = {"record": 2_000, "event": 2_000}
"""How many rows are in memory at once, for tables with short rows."""
A_FEW = 10
"""How many rows are in memory at once, for other tables, whose rows may hold a long list."""
STORED_AS = {str: ["text"], bytes: ["blob"], int: ["integer"], bool: ["integer"], float: ["real", "integer"]}
"""How SQLite may store the values of each Python type."""


class Held(NamedTuple):
    """Numbers of sessions, collections, records and rows in a store or a backup."""

    sessions: int
    collections: int
    records: int
    rows: int  # In all tables

    def __str__(self) -> str:
        sessions = count_of(self.sessions, "session", "sessions")
        collections = count_of(self.collections, "collection", "collections")
        return f"{sessions}, {collections} and {count_of(self.records, 'record', 'records')}"


class Restored(NamedTuple):
    """What a restore put into the store, and the backup of what it replaced."""

    held: Held
    before: Path | None  # None if the store was empty


def backup(file: Path, url: str | None = None, progress: Progress | None = None) -> Held:
    """Write everything in a store, as it is at one moment, to a new file; people may go on labelling meanwhile.

    The file is a SQLite database with the same tables, even if the store is on PostgreSQL.

    Parameters
    ----------
    file
        The new file.
    url
        The store, as :class:`~tarstop_core.sessions.store.database.Database` takes it.
    progress
        Called with the share that is done.

    Returns
    -------
    Held
        How much was written.

    Raises
    ------
    InputProblem
        If there is no store, the file exists already, or one of them cannot be used.
    """
    address = read_url(url)
    if address.get_backend_name() == "sqlite" and not Path(file_name(address)).exists():
        raise InputProblem(
            "There is no store to back up yet; it is created when you first use the dashboard."
        )
    with Database(url) as database, database.snapshot() as source:
        return _write(source, file, progress)


def restore(
    file: Path, url: str | None = None, *, replace: bool = False, progress: Progress | None = None
) -> Restored:
    """Copy everything in a backup into a store, all of it or nothing.

    Parameters
    ----------
    file
        A backup, or a SQLite store, of this or an earlier version; it is only read.
    url
        The store, as :class:`~tarstop_core.sessions.store.database.Database` takes it.
    replace
        Whether a store that is not empty may be replaced; it is backed up first, beside its file or, on a server, beside
        `file`.
    progress
        Called with the share that is done.

    Returns
    -------
    Restored
        What was restored, and the backup of what it replaced.

    Raises
    ------
    InputProblem
        If the file is no backup, is damaged or of a newer version, if the store is not empty and `replace` is not set,
        or if one of them cannot be used.
    """
    with _checked(file) as source, Database(url) as database:
        if database.file is not None and database.file.exists() and file.samefile(database.file):
            raise InputProblem(f"{file} is the store itself; name a backup of it.")
        before = None
        with database.write() as session:
            target = session.connection()
            if database.file is None:
                names = ", ".join(table.name for table in TABLES)
                # Readers go on; writers wait, and are told that the session changed.
                target.execute(text(f"LOCK TABLE {names} IN SHARE ROW EXCLUSIVE MODE"))
            there = _held(target)
            if there.rows and not replace:
                raise InputProblem(
                    f"The store holds {there}; use --replace to back them up and put "
                    "the backup in their place."
                )
            if there.rows:
                before = free_name(database.file or file.absolute(), "before-restore")
                _write(target, before, None)
            for table in reversed(TABLES):
                target.execute(delete(table))
            held = _held(source)
            _copy(source, held, target, _backup_damaged(file), progress)
    return Restored(held, before)


def _write(source: Connection, file: Path, progress: Progress | None) -> Held:
    """Write what a transaction sees to a backup."""
    version = [row._asdict() for row in source.execute(select(VERSION))]
    held = _held(source)
    with written_whole(file) as part:
        engine = create_engine(URL.create("sqlite", database=str(part)), poolclass=NullPool)
        try:
            with engine.connect() as target:
                # An unfinished file has no name yet, so it needs no journal.
                target.exec_driver_sql("PRAGMA journal_mode = OFF")
                target.exec_driver_sql("PRAGMA synchronous = OFF")
                METADATA.create_all(target)
                STAMP.create(target)
                target.execute(insert(VERSION), version)
                target.execute(insert(STAMP), {"version_num": REVISION})
                damaged = "The store is damaged, so it cannot be backed up; restore an earlier backup."
                _copy(source, held, target, damaged, progress)
                target.commit()
        except DBAPIError as problem:
            raise InputProblem(f"{file} cannot be written: {problem.orig}.") from problem
    return held


def _copy(
    source: Connection, held: Held, target: Connection, damaged: str, progress: Progress | None
) -> None:
    """Copy every row, a piece at a time; InputProblem with the text `damaged` if a row cannot be read or does not fit."""
    done = 0
    for table in TABLES:
        for rows in _pieces(source, table, damaged):
            try:
                target.execute(insert(table), [row._asdict() for row in rows])
            except (IntegrityError, DataError) as problem:
                raise InputProblem(damaged) from problem
            except StatementError as problem:
                if isinstance(problem, DBAPIError):
                    raise
                raise InputProblem(damaged) from problem
            done += len(rows)
            if progress is not None:
                progress(done / held.rows)
    if done != held.rows:
        raise InputProblem(damaged)


def _pieces(source: Connection, table: Table, damaged: str) -> Iterator[Sequence[Row[Any]]]:
    """Rows of a table in pieces that fit into memory."""
    size = AT_ONCE.get(table.name, A_FEW)
    statement = select(table).order_by(*table.primary_key.columns)
    try:
        yield from source.execute(statement, execution_options={"yield_per": size}).partitions()
    except DBAPIError as problem:
        if problem.connection_invalidated:
            raise
        raise InputProblem(damaged) from problem


def _fits(connection: Connection) -> bool:
    """Whether every value of a SQLite file has its column's type, which SQLite itself does not check."""
    for table in METADATA.sorted_tables:
        for column in table.columns:
            stored = ["null"] * bool(column.nullable) + STORED_AS[column.type.python_type]
            odd = func.typeof(column).not_in(stored)
            if connection.execute(select(column).where(odd).limit(1)).first() is not None:
                return False
    return True


def holdings(store: Database) -> Held:
    """How much a store holds."""
    with store.snapshot() as connection:
        return _held(connection)


def _held(connection: Connection) -> Held:
    sizes = {table.name: select(func.count()).select_from(table) for table in TABLES}
    counts = {name: connection.execute(size).scalar_one() for name, size in sizes.items()}
    return Held(counts["session"], counts["collection"], counts["record"], sum(counts.values()))


def _backup_damaged(file: Path) -> str:
    return f"The backup {file} is damaged and nothing was changed; use another one."


@contextmanager
def _checked(file: Path) -> Iterator[Connection]:
    """Open a backup after checking that it is complete and intact; an older one is copied and upgraded first."""
    if not file.is_file():
        raise InputProblem(f"There is no file {file}; name a backup that 'tarstop backup' wrote.")
    try:
        file.open("rb").close()
    except OSError as problem:
        raise InputProblem(f"{file} cannot be read: {problem.strerror}.") from None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        current = file
        try:
            with _reading(file) as connection:
                revision, stamped = _revision_of(connection, file)
            if revision != REVISION or not stamped:
                current = Path(folder) / "backup.db"
                with closing(_connect(file)) as old, closing(sqlite3.connect(current)) as copied:
                    old.backup(copied)
                Database(str(URL.create("sqlite", database=str(current)))).close()
            with _reading(current) as connection:
                if not _fits(connection):
                    raise InputProblem(_backup_damaged(file))
                yield connection
        except (DBAPIError, sqlite3.Error, UnicodeDecodeError) as problem:
            raise InputProblem(_backup_damaged(file)) from problem


def _revision_of(connection: Connection, file: Path) -> tuple[str, bool]:
    """Revision of a backup, and whether that is written in it; InputProblem if the file is damaged or no backup."""
    foreign = InputProblem(f"{file} is not a backup of TARstop; name one that it wrote.")
    damaged = InputProblem(_backup_damaged(file))
    try:
        has_version = inspect(connection).has_table(VERSION.name)
    except DBAPIError as problem:
        if "not a database" in str(problem):
            raise foreign from None
        raise
    if connection.exec_driver_sql("PRAGMA integrity_check").scalar() != "ok":
        raise damaged
    if not has_version:
        raise foreign
    if connection.exec_driver_sql("PRAGMA foreign_key_check").first() is not None:
        raise damaged
    revision, stamped = held_revision(connection, f"The backup {file}", "use another backup")
    if revision == REVISION and lacking_tables(connection):
        raise damaged
    return revision, stamped


@contextmanager
def _reading(file: Path) -> Iterator[Connection]:
    """Open a SQLite file and read it as it is at one moment."""
    engine = create_engine("sqlite://", creator=lambda: _connect(file), poolclass=NullPool)
    with engine.connect() as connection:
        connection.exec_driver_sql("BEGIN")
        yield connection


def _connect(file: Path) -> sqlite3.Connection:
    """Open a SQLite file that is only read."""
    # A file that no other program has open needs no lock, so it can also be read on a read-only disk.
    is_open = any(file.with_name(f"{file.name}-{suffix}").exists() for suffix in ("wal", "journal"))
    options = "mode=ro" if is_open else "mode=ro&immutable=1"
    connection = sqlite3.connect(f"{file.absolute().as_uri()}?{options}", uri=True)
    connection.isolation_level = None
    return connection
