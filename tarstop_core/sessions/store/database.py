"""The database under the store: its tables, how it is opened, and what is said when that fails.

Statements elsewhere are the same for every kind of database; what only SQLite has to be told is here.
"""

import logging
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import takewhile
from pathlib import Path
from threading import Lock, local
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event as hooks
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError, DBAPIError, DisconnectionError, IntegrityError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

from tarstop_core.documents.records import LATER, TEXT_COLUMNS
from tarstop_core.errors import InputProblem, Outage
from tarstop_core.places import URL_VARIABLE
from tarstop_core.sessions.store import address
from tarstop_core.sessions.store.copies import copy_database, free_name
from tarstop_core.sessions.store.disk import reserved, settle, shrink

SCHEMA_VERSION = 1
"""Rises with a step that programmes of before must not write beside; they refuse a higher one than their own."""
REVISION = "0006"
"""The last step in `migrations/`: what these tables are."""
BUSY_SECONDS = 5.0
UPGRADE_SECONDS = 60.0
"""How long to wait for another server that is upgrading the same SQLite file."""
CONNECT_SECONDS = 10
"""How long a database server may take to answer."""

_LOG = logging.getLogger(__name__)


def _filled(**kinds: type[sa.types.TypeEngine[Any]]) -> list[sa.Column[Any]]:
    """Columns in which every row has something."""
    return [sa.Column(name, kind, nullable=False) for name, kind in kinds.items()]


METADATA = sa.MetaData()
VERSION = sa.Table(
    "tarstop_schema", METADATA, sa.Column("version", sa.Integer, primary_key=True, autoincrement=False)
)
COLLECTION = sa.Table(
    "collection",
    METADATA,
    sa.Column("id", sa.String, primary_key=True),
    *_filled(name=sa.Text, created=sa.String, documents=sa.Integer, files=sa.Text, duplicates=sa.Integer),
    # Every session needs all ids but few abstracts; reading them here spares a walk through all records.
    *_filled(simulated=sa.Boolean, query=sa.Text, digest=sa.String, ids=sa.LargeBinary),
)
RECORD = sa.Table(
    "record",
    METADATA,
    sa.Column("collection_id", sa.ForeignKey("collection.id"), primary_key=True),
    sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("doc_id", sa.Text, nullable=False),
    # With a default, so that programs that do not know a later column go on as they are.
    *(
        sa.Column(name, sa.Text, nullable=False, server_default="" if name in LATER else None)
        for name in TEXT_COLUMNS
        if name != "id"
    ),
    sa.Column("score", sa.Double),
)
SESSION = sa.Table(
    "session",
    METADATA,
    sa.Column("id", sa.String, primary_key=True),
    *_filled(name=sa.Text),
    sa.Column("collection_id", sa.ForeignKey("collection.id"), nullable=False, index=True),
    *_filled(created=sa.String, settings=sa.Text, documents=sa.Integer, positions=sa.LargeBinary),
    sa.Column("scores", sa.LargeBinary),
    *_filled(query=sa.Text, ranking=sa.Text, archived=sa.Boolean, digest=sa.String),
)
EVENT = sa.Table(
    "event",
    METADATA,
    sa.Column("session_id", sa.ForeignKey("session.id"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
    *_filled(time=sa.String, reviewer=sa.Text, kind=sa.String, payload=sa.Text),
)
DELETED = sa.Table(
    "deleted",
    METADATA,
    sa.Column("session_id", sa.ForeignKey("session.id"), primary_key=True),
    *_filled(time=sa.String),
)
CALIBRATOR = sa.Table(
    "calibrator",
    METADATA,
    sa.Column("digest", sa.String, primary_key=True),
    *_filled(json=sa.Text, created=sa.String),
)
SHELF = sa.Table(
    "calibrator_shelf",
    METADATA,
    sa.Column("digest", sa.ForeignKey("calibrator.digest"), primary_key=True),
    *_filled(name=sa.Text, deleted=sa.String),
)
DRAFT = sa.Table(
    "draft", METADATA, sa.Column("id", sa.String, primary_key=True), *_filled(saved=sa.String, json=sa.Text)
)
# Alembic's own table, which says the last step that was taken.
STAMP = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))


class Database:
    """Connections to one database whose tables are there and of this version.

    `url` is any SQLAlchemy URL; by default the environment variable ``TARSTOP_DATABASE_URL``, else a SQLite file in the
    person's data folder, which is created when it is missing. `busy_seconds` is how long to wait for another program
    that is writing to the same SQLite file. InputProblem when it cannot be opened, belongs to another program or was
    written by a newer version.
    """

    def __init__(self, url: str | None = None, busy_seconds: float = BUSY_SECONDS) -> None:
        self._url = address.read_url(url)
        self.name: str = address.public_name(self._url)
        """What it is called where everybody may read it: without folder, host and user."""
        self._engine = _engine(self._url, self.name, busy_seconds)
        self._joined = local()
        # Threads that write to a file queue here: SQLite lets them try again by chance, and some would never get a turn.
        self._turn: AbstractContextManager[Any] = Lock() if self.file else nullcontext()
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise
        if self.file is not None:
            _only_that_file(self._engine, self.file)

    @property
    def url(self) -> str:
        """All that another process needs to open it, its password too."""
        return self._url.render_as_string(hide_password=False)

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """A transaction that only reads; it does not wait for writers. Within one that writes, a part of it."""
        joined: sa.Connection | None = getattr(self._joined, "connection", None)
        with nullcontext(joined) if joined is not None else self._begun() as connection:
            yield connection

    def rows(self, statement: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        """All that one statement finds."""
        with self.read() as connection:
            return connection.execute(statement).all()

    def value(self, statement: sa.Select[Any]) -> Any:
        """What one statement finds first, None where that is nothing."""
        with self.read() as connection:
            return connection.execute(statement).scalar()

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """A transaction that is on disk when it ends, or has left nothing.

        Within another one of the same thread it is a part of that one, which can fail without it. What it means when
        the database refuses a row (IntegrityError) is for the caller to say.
        """
        joined: sa.Connection | None = getattr(self._joined, "connection", None)
        if joined is not None:
            with joined.begin_nested():
                yield joined
            return
        with self._turn, self._begun(tarstop_write=True) as connection:
            self._joined.connection = connection
            try:
                yield connection
            finally:
                del self._joined.connection

    def reserved(self) -> AbstractContextManager[None]:
        """Keep some of a file's disk free, so that what fails within can be taken back; a server sees to that itself."""
        return reserved(self.file, self.name) if self.file else nullcontext()

    def shrink(self, *, pages: bool = True) -> None:
        """Give the log of a file and, with `pages`, what was removed back to the disk; a server does so by itself."""
        if self.file is None:
            return
        with self._translated(), self._turn, self._engine.connect() as plain:
            raw = plain.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection)
            (shrink if pages else settle)(raw)

    def snapshot(self) -> AbstractContextManager[sa.Connection]:
        """A transaction that reads, in however many statements, what was there when it began."""
        return self._begun() if self.file else self._begun(isolation_level="REPEATABLE READ")

    @property
    def file(self) -> Path | None:
        """Where it lies, if it is a file."""
        if self._url.get_backend_name() != "sqlite":
            return None
        return Path(address.file_name(self._url)).absolute()

    @contextmanager
    def _begun(self, **options: Any) -> Iterator[sa.Connection]:
        with self._translated(), self._engine.connect() as plain:
            connection = plain.execution_options(**options)
            with connection.begin():
                yield connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Say in one sentence what is wrong with the database; the driver's own words stay as the cause."""
        try:
            yield
        except IntegrityError:
            raise
        # The last: what SQLite says of a damaged file may quote it, and then is no text.
        except (DBAPIError, PoolTimeout, UnicodeDecodeError) as problem:
            _LOG.warning("%s: %s", address.full_name(self._url), address.driver_words(problem, self._url))
            raise Outage(address.sentence(problem, self._url, self.name)) from problem

    def _prepare(self) -> None:
        """Create the tables in an empty database, or take those that are there to this revision."""
        with self.read() as connection:
            found, stamped = self._look(connection)
        if found == REVISION and stamped:
            return
        try:
            # One server does it, the others wait here and look again.
            with self._turn, self._begun(tarstop_write=True, tarstop_patience=UPGRADE_SECONDS) as connection:
                if not self.file:
                    connection.execute(sa.text("SELECT pg_advisory_xact_lock(hashtext('tarstop'))"))
                found, stamped = self._look(connection)
                if not found:
                    METADATA.create_all(connection)
                    connection.execute(sa.insert(VERSION), {"version": SCHEMA_VERSION})
                if not stamped:
                    STAMP.create(connection)
                    connection.execute(sa.insert(STAMP), {"version_num": found or REVISION})
                if found and found != REVISION:
                    self._upgrade(connection, found)
        except InputProblem:
            # One that lacks nothing but the stamp can be used as it is, be it read-only or busy.
            if found != REVISION:
                raise
        self._engine.dispose()  # connections that wait long

    def _upgrade(self, connection: sa.Connection, found: str) -> None:
        # Loaded here, because most openings need no step.
        from tarstop_core.sessions.store.migrations import upgrade

        copied = None
        if self.file is not None:
            copied = free_name(self.file, f"revision-{found}")
            with self._engine.connect() as beside:
                raw = beside.connection.driver_connection
                assert isinstance(raw, sqlite3.Connection)
                copy_database(raw, copied, like=self.file)
        try:
            upgrade(connection)
        except BaseException:
            # Nothing was changed, and every further attempt would leave another copy.
            if copied is not None:
                copied.unlink()
            raise

    def _look(self, connection: sa.Connection) -> tuple[str, bool]:
        """The revision of the tables, empty without tables, and whether the database itself says so."""
        tables = set(sa.inspect(connection).get_table_names())
        if VERSION.name not in tables:
            if foreign := [name for name in (*METADATA.tables, STAMP.name) if name in tables]:
                raise InputProblem(
                    f"The database {self.name} belongs to another program (it has a table '{foreign[0]}'); "
                    f"name another one in {URL_VARIABLE}."
                )
            return "", False
        revision, stamped = held_revision(
            connection, tables, f"The database {self.name}", f"name another database in {URL_VARIABLE}"
        )
        lacking = [name for name in METADATA.tables if name not in tables]
        if lacking and revision == REVISION:
            raise InputProblem(
                f"The database {self.name} lacks the table '{lacking[0]}'; restore it from a backup or name another "
                f"one in {URL_VARIABLE}."
            )
        return revision, stamped


def held_revision(connection: sa.Connection, tables: set[str], what: str, otherwise: str) -> tuple[str, bool]:
    """The revision of a database that TARstop wrote, and whether it is written in it.

    `tables` are those that are there, that of the version among them. A sentence on what is wrong calls the database
    `what`, and `otherwise` is what can be done instead of using it. InputProblem when a newer programme wrote it, or it
    does not say which one did.
    """
    version = connection.execute(sa.select(sa.func.max(VERSION.c.version))).scalar()
    stamped = STAMP.name in tables
    revision = (connection.execute(sa.select(STAMP.c.version_num)).scalar() if stamped else "") or ""
    if not isinstance(version, int) or version < SCHEMA_VERSION or (stamped and not revision):
        raise InputProblem(f"{what} does not say which version wrote it; restore a backup or {otherwise}.")
    newer = version > SCHEMA_VERSION
    if not newer and revision not in ("", REVISION):
        from tarstop_core.sessions.store.migrations import is_known  # most openings need no step

        newer = not is_known(revision)
    if newer:
        found = f"schema {version}, revision {revision}" if revision else f"schema {version}"
        raise InputProblem(
            f"{what} was written by a newer version of TARstop ({found}; this one reads schema {SCHEMA_VERSION}, "
            f"revision {REVISION}); update TARstop or {otherwise}."
        )
    return revision or _recognised(connection, tables), stamped


def _recognised(connection: sa.Connection, tables: set[str]) -> str:
    """The revision of a database from before there were any: the last one before something that it lacks."""
    columns = {column["name"] for column in sa.inspect(connection).get_columns(RECORD.name)}
    brought = {
        "0002": DELETED.name in tables,
        "0003": columns.issuperset(("family", "reason", "remark")),
        "0004": SHELF.name in tables,
        "0005": columns.issuperset(LATER),
        "0006": DRAFT.name in tables,
    }
    return max(("0001", *takewhile(brought.__getitem__, brought)))


def _engine(url: URL, name: str, busy_seconds: float) -> sa.Engine:
    is_sqlite = url.get_backend_name() == "sqlite"
    try:
        # A server may have been restarted since the last statement, or not answer at all; a file cannot.
        waits = url.get_driver_name().startswith("psycopg") and "connect_timeout" not in url.query
        asked = {"connect_timeout": CONNECT_SECONDS} if waits else {}
        engine = sa.create_engine(url, pool_pre_ping=not is_sqlite, connect_args=asked)
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
        _hook_sqlite(engine, busy_seconds)
    return engine


def _hook_sqlite(engine: sa.Engine, busy_seconds: float) -> None:
    """Durability and locking that only SQLite has to be asked for."""

    @hooks.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _: object) -> None:
        # The driver would begin transactions late and only before some statements; "begin" below does it.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {round(busy_seconds * 1000)}")
        if not connection.execute("PRAGMA page_count").fetchone()[0]:
            # A file that is new: what is removed goes back to the disk without a copy of all else.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        _switch_to_wal(connection, busy_seconds)
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        # After a large import the write-ahead log would keep its size for ever.
        connection.execute(f"PRAGMA journal_size_limit = {64 << 20}")

    @hooks.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # A writer takes its place at once: a lock asked for after reading may be refused without waiting.
        options = connection.get_execution_options()
        if "tarstop_patience" in options:
            patience = max(busy_seconds, options["tarstop_patience"])
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {round(patience * 1000)}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("tarstop_write") else "BEGIN")


def _only_that_file(engine: sa.Engine, path: Path) -> None:
    """Stay with the SQLite file that was opened: one moved away would take labels that nobody finds again.

    Nor is an empty one put in its place; once it is back, so are its sessions.
    """

    def file() -> tuple[int, int] | None:
        try:
            found = path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    if file() is None:
        return  # spelled in a way that only SQLite reads
    engine.dispose()

    @hooks.listens_for(engine, "do_connect")
    def refuse(*_: object) -> None:
        if file() is None:
            raise sqlite3.OperationalError("unable to open database file")

    @hooks.listens_for(engine, "connect")
    def note(_: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
        record.info["file"] = file()

    @hooks.listens_for(engine, "checkout")
    def compare(_: sqlite3.Connection, record: ConnectionPoolEntry, __: object) -> None:
        if record.info["file"] != file():
            raise DisconnectionError


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
