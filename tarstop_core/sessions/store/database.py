"""The database under the store: opening, upgrades, and the messages when these fail.

Statements elsewhere are the same for every kind of database; what only SQLite needs is in `sqlite_file.py`.
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
"""Rises with a step after which earlier programs must not write; they refuse a higher version than their own."""
REVISION = "0008"
"""The revision of these tables, the last step in `migrations/`."""
FIRST_REVISION = "0001"
BUSY_SECONDS = 5.0
UPGRADE_SECONDS = 60.0
"""How long to wait for another server that is upgrading the same SQLite file."""
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
        Any SQLAlchemy URL; by default the environment variable ``TARSTOP_DATABASE_URL``, else a SQLite file in the
        person's data folder, which is created when it is missing.
    busy_seconds
        How long to wait for another program that is writing to the same SQLite file.

    Raises
    ------
    InputProblem
        When it cannot be opened, belongs to another program or was written by a newer version.
    """

    def __init__(self, url: str | None = None, *, busy_seconds: float = BUSY_SECONDS) -> None:
        self._url = address.read_url(url)
        self.name: str = address.public_name(self._url)
        """Its public name, without folder, host and user."""
        is_file = self._url.get_backend_name() == "sqlite"
        self.file: Path | None = Path(address.file_name(self._url)).absolute() if is_file else None
        """Its path, if it is a file."""
        self._engine = _engine(self._url, self.name, busy_seconds)
        self._writer = self._engine.execution_options(tarstop_write=True)
        # A read sees what is committed when it asks; on a server, beginning and ending would be two more requests.
        self._reader = self._engine
        if not is_file:
            self._reader = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._joined = local()
        # Threads that write to a file queue here, because SQLite lets them retry at random and some would never get a turn.
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
        """Close all connections; nothing is pending, because everything was committed."""
        self._engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Begin a transaction that only reads, which does not wait for writers; within another one, join it."""
        with self.at_once() as within:
            if isinstance(within, Session):
                yield within
                return
            # Its end, or its failure, does not end the surrounding connection.
            with Session(within, expire_on_commit=False) as session:
                yield session

    def rows(
        self, statement: sa.Select[Any], values: Mapping[str, Any] | None = None
    ) -> Sequence[sa.Row[Any]]:
        """Return all rows that one statement selects; without a Session, because every press asks often."""
        with self.at_once() as within:
            return within.execute(statement, values).all()

    @contextmanager
    def at_once(self) -> Iterator[sa.Connection | Session]:
        """Run all reads within this context on one connection, which is much faster than one each; nothing may be written.

        A thread that waits for a second connection while it holds one can wait for others that do the same: within a
        transaction that writes, this is a part of it.
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
        """Return the first value that one statement selects, None where there is none."""
        rows = self.rows(statement)
        return rows[0][0] if rows else None

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Begin a transaction that is on disk when it ends, or leaves nothing.

        Within another one of the same thread it is a part of that one, which can fail without it. What it means when
        the database refuses a row (IntegrityError) is for the caller to say.
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
        """Store everything within this context, or nothing; a few events are not `large` and need no reserved disk space."""
        with self.reserved() if large else nullcontext(), self.write() as session:
            yield session

    def reserved(self) -> AbstractContextManager[None]:
        """Reserve some disk space for a file, so that a failure can be rolled back; a server does so itself."""
        if self.file is None or self._writing is not None:
            return nullcontext()
        return reserved(self.file, self.name)

    def shrink(self, *, pages: bool = True) -> None:
        """Return the log of a file and, with `pages`, freed pages to the disk; a server does so itself."""
        if self.file is None or self._writing is not None:
            return
        with self._translated(), self._turn, self._engine.connect() as connection:
            (shrink if pages else settle)(_driver(connection))

    @contextmanager
    def snapshot(self) -> Iterator[sa.Connection]:
        """Begin a transaction whose reads all see the moment when it began."""
        same = (
            self._engine if self.file else self._engine.execution_options(isolation_level="REPEATABLE READ")
        )
        with self._begun(same) as session:
            yield session.connection()

    @property
    def _writing(self) -> Session | None:
        """The transaction in which this thread writes, if there is one."""
        return getattr(self._joined, "session", None)

    @contextmanager
    def _begun(self, engine: sa.Engine) -> Iterator[Session]:
        with self._translated(), Session(engine, expire_on_commit=False) as session, session.begin():
            yield session

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn an error of the database into one sentence, with the driver's error as its cause."""
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
            # One server upgrades; the others wait here and check again.
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
        self._engine.dispose()  # connections that wait long

    def _upgrade(self, connection: sa.Connection, revision: str) -> None:
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
        """Return the revision of the tables, empty without tables, and whether the database itself says so."""
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
    """Read the revision of a database that TARstop wrote.

    Parameters
    ----------
    connection
        To a database with the table of the version.
    what
        What messages call the database.
    otherwise
        What can be done instead of using it.

    Returns
    -------
    str, bool
        The revision, and whether it is written in the database.

    Raises
    ------
    InputProblem
        When a newer program wrote it, or it does not say which one did.
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
    """Return the names of the missing tables."""
    tables = sa.inspect(connection).get_table_names()
    return [name for name in METADATA.tables if name not in tables]


def _engine(url: URL, name: str, busy_seconds: float) -> sa.Engine:
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
        _see_that_it_is_there(engine)
    return engine


def _see_that_it_is_there(engine: sa.Engine) -> None:
    """Replace connections that were idle while a server was restarted."""

    @sa.event.listens_for(engine, "checkin")
    def note(_: DBAPIConnection | None, record: ConnectionPoolEntry) -> None:
        record.info["used"] = time.monotonic()

    @sa.event.listens_for(engine, "checkout")
    def ask(connection: DBAPIConnection, record: ConnectionPoolEntry, _: object) -> None:
        if time.monotonic() - record.info.get("used", math.inf) <= TRUSTED_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except engine.dialect.loaded_dbapi.Error as problem:
            raise InvalidatePoolError from problem


def _driver(connection: sa.Connection) -> sqlite3.Connection:
    raw = connection.connection.driver_connection
    assert isinstance(raw, sqlite3.Connection)
    return raw
