"""The database under the store: its tables, how it is opened, and what is said when that fails.

Statements elsewhere are the same for every kind of database; what only SQLite has to be told is here.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import local
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Double,
    Engine,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    func,
    insert,
    inspect,
    select,
)
from sqlalchemy import event as hooks
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.schema import CreateColumn

from tarstop_core.documents.records import TEXT_COLUMNS
from tarstop_core.errors import InputProblem
from tarstop_core.places import URL_VARIABLE, default_path

SCHEMA_VERSION = 1
BUSY_SECONDS = 5.0


METADATA = MetaData()
VERSION = Table("tarstop_schema", METADATA, Column("version", Integer, primary_key=True, autoincrement=False))
COLLECTION = Table(
    "collection",
    METADATA,
    Column("id", String, primary_key=True),
    Column("name", Text, nullable=False),
    Column("created", String, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("files", Text, nullable=False),
    Column("duplicates", Integer, nullable=False),
    Column("simulated", Boolean, nullable=False),
    Column("query", Text, nullable=False),
    Column("digest", String, nullable=False),
    # Every session needs all ids but few abstracts; reading them here spares a walk through all records.
    Column("ids", LargeBinary, nullable=False),
)
RECORD = Table(
    "record",
    METADATA,
    Column("collection_id", ForeignKey("collection.id"), primary_key=True),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("doc_id", Text, nullable=False),
    # With a default, so that databases and programs that do not know a later column go on as they are.
    *(Column(name, Text, nullable=False, server_default="") for name in TEXT_COLUMNS if name != "id"),
    Column("score", Double),
)
SESSION = Table(
    "session",
    METADATA,
    Column("id", String, primary_key=True),
    Column("name", Text, nullable=False),
    Column("collection_id", ForeignKey("collection.id"), nullable=False, index=True),
    Column("created", String, nullable=False),
    Column("settings", Text, nullable=False),
    Column("documents", Integer, nullable=False),
    Column("positions", LargeBinary, nullable=False),
    Column("scores", LargeBinary),
    Column("query", Text, nullable=False),
    Column("ranking", Text, nullable=False),
    Column("archived", Boolean, nullable=False),
    Column("digest", String, nullable=False),
)
EVENT = Table(
    "event",
    METADATA,
    Column("session_id", ForeignKey("session.id"), primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("time", String, nullable=False),
    Column("reviewer", Text, nullable=False),
    Column("kind", String, nullable=False),
    Column("payload", Text, nullable=False),
)
DELETED = Table(
    "deleted",
    METADATA,
    Column("session_id", ForeignKey("session.id"), primary_key=True),
    Column("time", String, nullable=False),
)
CALIBRATOR = Table(
    "calibrator",
    METADATA,
    Column("digest", String, primary_key=True),
    Column("json", Text, nullable=False),
    Column("created", String, nullable=False),
)

SHELF = Table(
    "calibrator_shelf",
    METADATA,
    Column("digest", ForeignKey("calibrator.digest"), primary_key=True),
    Column("name", Text, nullable=False),
    Column("deleted", String, nullable=False),
)

# Tables that databases of this version may lack, because it did not have them from the start. Programs that do
# not know them pass them over, so that they take no new version.
ADDED = (DELETED, SHELF)


class Database:
    """Connections to one database whose tables are there and of this version.

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
        When it cannot be opened, belongs to another program or was written by a newer version.

    Attributes
    ----------
    name : str
        File or URL as it may be shown.
    """

    def __init__(self, url: str | None = None, busy_seconds: float = BUSY_SECONDS) -> None:
        self._url = _read_url(url)
        self.name: str = _public_name(self._url)
        self._engine = _engine(self._url, self.name, busy_seconds)
        self._joined = local()
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    @property
    def url(self) -> str:
        """All that another process needs to open it, its password too."""
        return self._url.render_as_string(hide_password=False)

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads; it does not wait for writers. Within one that writes, a part of it."""
        joined: Connection | None = getattr(self._joined, "connection", None)
        if joined is not None:
            yield joined
            return
        with self._translated(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that is on disk when it ends, or has left nothing.

        Within another one of the same thread it is a part of that one, which can fail without it.

        Raises
        ------
        IntegrityError
            When the database refuses a row; what that means is for the caller to say.
        """
        joined: Connection | None = getattr(self._joined, "connection", None)
        if joined is not None:
            with joined.begin_nested():
                yield joined
            return
        with (
            self._translated(),
            self._engine.connect().execution_options(tarstop_write=True) as connection,
            connection.begin(),
        ):
            self._joined.connection = connection
            try:
                yield connection
            finally:
                del self._joined.connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Say in one sentence what is wrong with the database; the driver's own words stay as the cause."""
        try:
            yield
        except IntegrityError:
            raise
        except (DBAPIError, PoolTimeout) as problem:
            raise InputProblem(_sentence(problem, self._url, self.name)) from problem

    def _prepare(self) -> None:
        """Create the tables in an empty database, or check that they are of this version."""
        with self.read() as connection:
            ready = self._check_version(connection)
        # PostgreSQL lets two servers create the tables at once and refuses one of them, which looks again.
        for last_attempt in (False, False, True):
            if ready:
                return
            try:
                with self.write() as connection:
                    known = self._known_version(connection)
                    METADATA.create_all(connection, tables=ADDED if known else None)
                    for column in _missing_columns(connection):
                        spelled = CreateColumn(column).compile(dialect=connection.dialect)
                        connection.exec_driver_sql(f"ALTER TABLE {RECORD.name} ADD COLUMN {spelled}")
                    if not known:
                        connection.execute(insert(VERSION), {"version": SCHEMA_VERSION})
                return
            except (InputProblem, IntegrityError):
                if last_attempt or self._url.get_backend_name() == "sqlite":
                    raise
            time.sleep(0.1)
            with self.read() as connection:
                ready = self._check_version(connection)

    def _check_version(self, connection: Connection) -> bool:
        """Whether the tables are there, the later ones too, and of this version."""
        if not self._known_version(connection):
            return False
        tables = inspect(connection).get_table_names()
        return all(table.name in tables for table in ADDED) and not _missing_columns(connection)

    def _known_version(self, connection: Connection) -> bool:
        """Whether the tables are of this version; False for a database without them."""
        tables = inspect(connection).get_table_names()
        if VERSION.name not in tables:
            foreign = next((name for name in tables if name in METADATA.tables), None)
            if foreign is not None:
                raise InputProblem(
                    f"The database {self.name} belongs to another program (it has a table '{foreign}'); "
                    f"name another one in {URL_VARIABLE}."
                )
            return False
        found = connection.execute(select(func.max(VERSION.c.version))).scalar()
        if found is None or found < SCHEMA_VERSION:
            raise InputProblem(
                f"The database {self.name} does not say which version wrote it; "
                f"restore it from a backup or name another one in {URL_VARIABLE}."
            )
        if found > SCHEMA_VERSION:
            raise InputProblem(
                f"The database {self.name} was written by a newer version of TARstop (schema {found}, this one "
                f"reads {SCHEMA_VERSION}); update TARstop or name another database in {URL_VARIABLE}."
            )
        return True


def _missing_columns(connection: Connection) -> list[Column[Any]]:
    """Columns of records that a database from before them lacks."""
    found = {column["name"] for column in inspect(connection).get_columns(RECORD.name)}
    return [column for column in RECORD.c if column.name not in found]


def _read_url(url: str | None) -> URL:
    text = (url if url is not None else os.environ.get(URL_VARIABLE, "")).strip()
    if not text and url is None:
        path = default_path()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InputProblem(
                f"The folder {path.parent} cannot be created ({problem.strerror}); "
                f"name a database in {URL_VARIABLE}, such as sqlite:////home/me/tarstop.db."
            ) from None
        return URL.create("sqlite", database=str(path))
    try:
        parsed = make_url(text)
    except (ArgumentError, ValueError):
        # Not repeated here: a URL that cannot be read may hold a password anywhere.
        raise InputProblem(
            "The database URL cannot be read; write it as sqlite:////home/me/tarstop.db or "
            f"postgresql+psycopg://user:password@host/database (in {URL_VARIABLE})."
        ) from None
    if parsed.get_backend_name() == "sqlite":
        database = parsed.database or ":memory:"
        if ":memory:" in database or parsed.query.get("mode") == "memory":
            raise InputProblem(
                "A database in memory forgets everything when the program ends; "
                f"name a file, such as sqlite:////home/me/tarstop.db (in {URL_VARIABLE})."
            )
    return parsed


def _public_name(url: URL) -> str:
    """File or URL as it may be shown: without password, and without options that may hold one."""
    if url.get_backend_name() == "sqlite":
        return (url.database or "").removeprefix("file:")
    return url.set(password=None, query={}).render_as_string()


def _engine(url: URL, name: str, busy_seconds: float) -> Engine:
    is_sqlite = url.get_backend_name() == "sqlite"
    try:
        # A server may have been restarted since the last statement; a file cannot.
        engine = create_engine(url, pool_pre_ping=not is_sqlite)
    except NoSuchModuleError:
        raise InputProblem(
            f"There is no kind of database '{url.drivername}'; use sqlite or postgresql+psycopg in {URL_VARIABLE}."
        ) from None
    except ImportError as problem:
        raise InputProblem(
            f"The database {name} needs the Python package {problem.name}; install it with "
            f"'pip install {problem.name}'."
        ) from None
    except (ArgumentError, TypeError, ValueError):
        raise InputProblem(
            f"An option in the URL of the database {name} cannot be used; correct it."
        ) from None
    if is_sqlite:
        _hook_sqlite(engine, busy_seconds)
    return engine


def _hook_sqlite(engine: Engine, busy_seconds: float) -> None:
    """Durability and locking that only SQLite has to be asked for."""

    @hooks.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _: object) -> None:
        # The driver would begin transactions late and only before some statements; "begin" below does it.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {round(busy_seconds * 1000)}")
        _switch_to_wal(connection, busy_seconds)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        # After a large import the write-ahead log would keep its size for ever.
        connection.execute(f"PRAGMA journal_size_limit = {64 << 20}")

    @hooks.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A writer takes its place at once: a lock asked for after reading may be refused without waiting.
        writes = connection.get_execution_options().get("tarstop_write")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _switch_to_wal(connection: sqlite3.Connection, busy_seconds: float) -> None:
    """Turn on write-ahead logging; SQLite does not wait by itself when two programs do so at once."""
    deadline = time.monotonic() + busy_seconds
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem) or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _sentence(problem: Exception, url: URL, name: str) -> str:
    cause = getattr(problem, "orig", None) or problem
    said = str(cause)
    if url.get_backend_name() == "sqlite":
        if "unable to open" in said:
            folder = Path(name).absolute().parent
            if not folder.is_dir():
                return (
                    f"The database {name} cannot be opened, because there is no folder {folder}; create it."
                )
            return f"The database {name} cannot be opened; check that it is a file you may read and write."
        for words, sentence in _SQLITE_PROBLEMS.items():
            if words in said:
                return sentence.format(name=name, variable=URL_VARIABLE)
    if isinstance(problem, PoolTimeout):
        return f"The database {name} is busy; try again in a moment."
    first = (said.strip().splitlines() or ["no reason given"])[0].rstrip(".")
    for secret in (url.password, *(value for key, value in url.query.items() if "pass" in key)):
        if isinstance(secret, str) and secret:
            first = first.replace(secret, "***")
    return f"The database {name} cannot be used ({first}); check it and {URL_VARIABLE}."


_SQLITE_PROBLEMS = {
    "locked": "The database {name} is locked by another program; close that program or try again in a moment.",
    "readonly": "The database {name} is read-only; make the file and its folder writable.",
    "not a database": "The file {name} is not a database; name another one in {variable}.",
    "malformed": "The database {name} is damaged; restore it from a backup or name another one in {variable}.",
    "disk is full": "The disk that holds the database {name} is full; make room and try again.",
    "disk I/O error": "The disk that holds the database {name} reports an error; check it and try again.",
    "no such table": "The database {name} lacks a table; restore it from a backup or name another one in {variable}.",
}
