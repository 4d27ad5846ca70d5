"""The database under the store: opening, transactions and upgrades.

Statements elsewhere are the same for SQLite and PostgreSQL; what only SQLite needs is in `sqlite_file.py`.
"""

import logging
import math
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Lock, local
from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.engine import URL
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, InvalidatePoolError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.orm import Session
from sqlalchemy.pool import ConnectionPoolEntry

from tarstop_core.errors import InputProblem, Outage
from tarstop_core.places import URL_VARIABLE
from tarstop_core.sessions.store import address
from tarstop_core.sessions.store.sqlite_file import (
    copy_database,
    free_name,
    reserved,
    set_up_sqlite,
    settle,
    shrink,
    stay_with_file,
)
from tarstop_core.sessions.store.tables import METADATA, STAMP, Record, SchemaVersion

SCHEMA_VERSION = 1
"""Version of the schema. It rises with a step after which earlier programs must not write: they refuse a higher one."""
REVISION = "0009"
"""The revision of these tables, the last step in `migrations/`."""
FIRST_REVISION = "0001"
"""Revision of tables from before revisions were stored in the database."""
BUSY_SECONDS = 5.0
"""How long to wait for another program that writes to the same SQLite file."""
UPGRADE_SECONDS = 60.0
"""How long to wait for another program that upgrades the same SQLite file."""
CONNECT_SECONDS = 10
"""How long a database server may take to answer."""
CONNECTIONS = 15
"""Most connections that a program keeps to a server; opening one takes longer than most queries."""
TRUSTED_SECONDS = 0.5
"""How long an unused connection to a server is trusted; later it is tested first."""

_LOG = logging.getLogger(__name__)


class Database:
    """Connections to a database with the tables of this version.

    Parameters
    ----------
    url
        SQLAlchemy's URL of a SQLite file or a PostgreSQL database; by default the environment variable
        ``TARSTOP_DATABASE_URL``, else a SQLite file in the person's data folder, which is created if it is missing.
    busy_seconds
        How long to wait for another program that writes to the same SQLite file.

    Raises
    ------
    InputProblem
        If it cannot be opened, belongs to another program, or was written by a newer version.
    """

    def __init__(self, url: str | None = None, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._url = address.read_url(url)
        self.name: str = address.public_name(self._url)
        """Name for pages and messages, without folder, host and user."""
        is_file = self._url.get_backend_name() == "sqlite"
        self.file: Path | None = Path(address.file_name(self._url)).absolute() if is_file else None
        """Path of the file; None for a database on a server."""
        self._engine = _engine(self._url, self.name, busy_seconds)
        self._writer = self._engine.execution_options(tarstop_write=True)
        # Each read sees what was committed before it. On a server, beginning and ending a transaction are two more requests.
        self._reader = self._engine
        if not is_file:
            self._reader = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._joined = local()
        # Threads that write to a file queue here, because SQLite lets them retry at random and some might never succeed.
        self._turn: AbstractContextManager[Any] = Lock() if is_file else nullcontext()
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise
        if self.file is not None:
            stay_with_file(self._engine, self.file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; everything written was committed before."""
        self._engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Begin a transaction that only reads and does not wait for writers; within another transaction, join it."""
        with self.at_once() as within:
            if isinstance(within, Session):
                yield within
                return
            # The end or failure of this session does not end the surrounding connection.
            with Session(within, expire_on_commit=False) as session:
                yield session

    def rows(
        self, statement: sa.Select[Any], values: Mapping[str, Any] | None = None
    ) -> Sequence[sa.Row[Any]]:
        """All rows that one statement selects; read without a Session, which would take longer and every press reads often."""
        with self.at_once() as within:
            return within.execute(statement, values).all()

    @contextmanager
    def at_once(self) -> Iterator[sa.Connection | Session]:
        """Run all reads within this context on one connection, which is much faster than one each; nothing may be written.

        Within a transaction that writes, the reads are a part of it: threads that each hold a connection and wait for a
        second one could wait for each other forever.
        """
        within: sa.Connection | Session | None = self._writing or getattr(self._joined, "connection", None)
        if within is not None:
            yield within
            return
        with self._translated(), self._reader.begin() as connection:
            self._joined.connection = connection
            try:
                yield connection
            finally:
                del self._joined.connection

    def value(self, statement: sa.Select[Any]) -> Any:
        """The first value that one statement selects; None if it selects nothing."""
        rows = self.rows(statement)
        return rows[0][0] if rows else None

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Begin a transaction that is on disk when it ends, or leaves nothing if it fails.

        Within another transaction of the same thread it is a part of that one, and can fail without ending it. If the
        database refuses a row, IntegrityError reaches the caller, who knows what that means.
        """
        writing = self._writing
        if writing is not None:
            with writing.begin_nested():
                yield writing
            return
        with self._turn, self._begun(self._writer) as session:
            self._joined.session = session
            try:
                yield session
            finally:
                del self._joined.session

    @contextmanager
    def together(self, *, large: bool = True) -> Iterator[Session]:
        """Begin a transaction that stores everything within it, or nothing; a `large` one reserves disk space first."""
        with self.reserved() if large else nullcontext(), self.write() as session:
            yield session

    def reserved(self) -> AbstractContextManager[None]:
        """Reserve some disk space beside a file, so that a failure can be rolled back; does nothing on a server."""
        if self.file is None or self._writing is not None:
            return nullcontext()
        return reserved(self.file, self.name)

    def shrink(self, *, pages: bool = True) -> None:
        """Empty the write-ahead log of a file and, with `pages`, return freed pages to the disk; does nothing on a server."""
        if self.file is None or self._writing is not None:
            return
        with self._translated(), self._turn, self._engine.connect() as connection:
            (shrink if pages else settle)(_driver(connection))

    @contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        """Begin a transaction whose reads all see the database as it was when it began."""
        engine = (
            self._engine if self.file else self._engine.execution_options(isolation_level="REPEATABLE READ")
        )
        with self._begun(engine) as session:
            yield session.connection()

    @property
    def _writing(self) -> Session | None:
        """The transaction in which this thread writes; None if there is none."""
        return getattr(self._joined, "session", None)

    @contextmanager
    def _begun(self, engine: sa.Engine) -> Iterator[Session]:
        """Begin a transaction on a connection of its own."""
        with self._translated(), Session(engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn an error of the database into an Outage with a sentence for people; the driver's error is its cause."""
        try:
            yield
        except IntegrityError:
            raise
        # UnicodeDecodeError: SQLite's message about a damaged file may quote its bytes.
        except (DBAPIError, PoolTimeout, UnicodeDecodeError) as problem:
            _LOG.warning("%s: %s", address.full_name(self._url), address.driver_words(problem, self._url))
            raise Outage(address.sentence(problem, self._url, self.name)) from problem

    def _prepare(self) -> None:
        """Create the tables in an empty database, or upgrade existing ones to this revision."""
        with self.read() as session:
            revision, stamped = self._revision(session.connection())
        if revision == REVISION and stamped:
            return
        try:
            # One program upgrades; others wait here and check again.
            patient = self._writer.execution_options(tarstop_patience=UPGRADE_SECONDS)
            with self._turn, self._begun(patient) as session:
                connection = session.connection()
                if not self.file:
                    connection.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext('tarstop'))"))
                revision, stamped = self._revision(connection)
                if not revision:
                    METADATA.create_all(connection)
                    session.add(SchemaVersion(version=SCHEMA_VERSION))
                if revision not in ("", REVISION):
                    self._upgrade(connection, revision)
                elif not stamped:
                    STAMP.create(connection)
                    connection.execute(sa.insert(STAMP), {"version_num": REVISION})
        except InputProblem:
            # A database that lacks only the stamp can be used as it is, even if it is read-only or busy.
            if revision != REVISION:
                raise
        self._engine.dispose()  # closes the connections that wait longer than usual

    def _upgrade(self, connection: sa.Connection, revision: str) -> None:
        """Upgrade tables from an earlier revision; a file is copied first."""
        # Imported here, because most openings need no upgrade.
        from tarstop_core.sessions.store.migrations import upgrade

        copy = None
        if self.file is not None:
            copy = free_name(self.file, f"revision-{revision}")
            with self._engine.connect() as beside:
                copy_database(_driver(beside), copy, like=self.file)
        try:
            upgrade(connection)
        except BaseException:
            # Nothing was changed; each further attempt would leave another copy.
            if copy is not None:
                copy.unlink()
            raise

    def _revision(self, connection: sa.Connection) -> tuple[str, bool]:
        """Revision of the tables, empty if there are none, and whether it is written in the database."""
        tables = sa.inspect(connection).get_table_names()
        if SchemaVersion.__tablename__ not in tables:
            if foreign := [name for name in (*METADATA.tables, STAMP.name) if name in tables]:
                raise InputProblem(
                    f"The database {self.name} belongs to another program (it has a table '{foreign[0]}'); "
                    f"name another one in {URL_VARIABLE}."
                )
            return "", False
        otherwise = f"name another database in {URL_VARIABLE}"
        revision, stamped = held_revision(connection, f"The database {self.name}", otherwise)
        if revision == REVISION and (lacking := lacking_tables(connection)):
            raise InputProblem(
                f"The database {self.name} lacks the table '{lacking[0]}'; restore it from a backup or name another "
                f"one in {URL_VARIABLE}."
            )
        return revision, stamped


def held_revision(connection: sa.Connection, what: str, otherwise: str) -> tuple[str, bool]:
    """Revision of a database that TARstop wrote, and whether it is written there.

    Parameters
    ----------
    connection
        Connection to a database that has the table of the version.
    what
        Name of the database at the beginning of a message.
    otherwise
        What to do instead of using it, as a clause of a message.

    Returns
    -------
    str, bool
        The revision, and whether it is written in the database; otherwise it is inferred from the tables.

    Raises
    ------
    InputProblem
        If a newer program wrote the database, or it does not say which version did.
    """
    version = connection.execute(sa.select(sa.func.max(SchemaVersion.version))).scalar()
    stamped = sa.inspect(connection).has_table(STAMP.name)
    revision = (connection.execute(sa.select(STAMP.c.version_num)).scalar() if stamped else "") or ""
    if not isinstance(version, int) or version < SCHEMA_VERSION or (stamped and not revision):
        raise InputProblem(f"{what} does not say which version wrote it; restore a backup or {otherwise}.")
    newer = version > SCHEMA_VERSION
    if not newer and revision not in ("", REVISION):
        from tarstop_core.sessions.store.migrations import is_known  # most openings need no upgrade

        newer = not is_known(revision)
    if newer:
        written = f"schema {version}, revision {revision}" if revision else f"schema {version}"
        raise InputProblem(
            f"{what} was written by a newer version of TARstop ({written}; this one reads schema {SCHEMA_VERSION}, "
            f"revision {REVISION}); update TARstop or {otherwise}."
        )
    if not stamped:  # from before there were revisions
        columns = {column["name"] for column in sa.inspect(connection).get_columns(Record.__tablename__)}
        complete = not lacking_tables(connection) and columns.issuperset(Record.__table__.columns.keys())
        revision = REVISION if complete else FIRST_REVISION
    return revision, stamped


def lacking_tables(connection: sa.Connection) -> list[str]:
    """Names of the tables that a database lacks."""
    tables = sa.inspect(connection).get_table_names()
    return [name for name in METADATA.tables if name not in tables]


def _engine(url: URL, name: str, busy_seconds: float) -> sa.Engine:
    """Engine for a database; InputProblem if its URL cannot be used or a package is missing."""
    is_sqlite = url.get_backend_name() == "sqlite"
    try:
        # Only a server may fail to answer at all.
        waits = url.get_driver_name().startswith("psycopg") and "connect_timeout" not in url.query
        options = {"connect_timeout": CONNECT_SECONDS} if waits else {}
        pool = {} if is_sqlite else {"pool_size": CONNECTIONS, "max_overflow": 0, "pool_use_lifo": True}
        engine = sa.create_engine(url, connect_args=options, **pool)
    except NoSuchModuleError:
        raise address.unknown_kind(url) from None
    except ImportError as problem:
        wanted = "tarstop[postgres]" if problem.name == "psycopg" else problem.name
        raise InputProblem(
            f"The database {name} needs the Python package {problem.name}; install it with "
            f"'pip install {wanted}'."
        ) from None
    except (ArgumentError, TypeError, ValueError):
        raise InputProblem(
            f"An option in the URL of the database {name} cannot be used; correct it."
        ) from None
    if is_sqlite:
        set_up_sqlite(engine, busy_seconds)
    else:
        _test_idle_connections(engine)
    return engine


def _test_idle_connections(engine: sa.Engine) -> None:
    """Test a connection that was idle before it is used, and replace all if the server was restarted meanwhile."""

    @sa.event.listens_for(engine, "checkin")
    def note_time(_: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        record.info["used"] = time.monotonic()

    @sa.event.listens_for(engine, "checkout")
    def test(connection: DBAPIConnection, record: ConnectionPoolEntry, _: object) -> None:
        if time.monotonic() - record.info.get("used", math.inf) <= TRUSTED_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as problem:
            raise InvalidatePoolError from problem


def _driver(connection: sa.Connection) -> sqlite3.Connection:
    """SQLite's own connection under one of SQLAlchemy."""
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw
