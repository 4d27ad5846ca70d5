"""A PostgreSQL server of the tests' own: one for a run, in a temporary folder, with a database for every test.

It listens on a socket in its folder only, so that no port is taken and nobody else can reach it.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from tarstop_core.sessions.store.database import SCHEMA_VERSION
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import METADATA, STAMP, SchemaVersion

FOLDER = "TARSTOP_POSTGRES_FOLDER"
"""Environment variable with the folder of this run's server, which the first process of the run sets."""
REQUIRED = os.environ.get("TARSTOP_POSTGRES_TESTS") == "required"
NO_SERVER = "no PostgreSQL server is installed (on Debian: apt-get install postgresql)"
# What a test stores need not survive the machine, but a stop of the server it must.
CARELESS = "-c fsync=off -c full_page_writes=off"
MOST_CONNECTIONS = 200
_numbers = count()
_free: dict[Path, list[str]] = {}
"""Databases that a test has left empty, by the folder of their server."""
_with_tables: dict[str, str] = {}
"""Databases of the shared server that hold a store's tables without a row, and how these are laid out (:data:`LAYOUT`)."""
LAYOUT = """SELECT md5(string_agg(concat_ws(' ', each.*), ',' ORDER BY each.*)) FROM (
    SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
    WHERE table_schema = 'public' UNION ALL SELECT indexname, indexdef, '', '', '' FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT version_num, '', '', '', '' FROM alembic_version) AS each"""


def programs() -> Path | None:
    """The folder of initdb and pg_ctl, the newest if there are several."""
    if os.name != "posix":
        return None
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda each: float(each.parts[4]), reverse=True
    )
    named = shutil.which("initdb")
    places = [*found, *([Path(named).resolve()] if named else [])]
    return next((each.parent for each in places if (each.parent / "pg_ctl").exists()), None)


def begin_run() -> None:
    """Say where the server of this run will be; called in the first process, before there are others."""
    if programs() is not None:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="tarstop-pg-")


def end_run() -> None:
    """Stop the server, if a test needed it, and take its folder away."""
    folder = os.environ.pop(FOLDER, "")
    if folder:
        Server(Path(folder)).stop("immediate")
        shutil.rmtree(folder, ignore_errors=True)


class Server:
    """A PostgreSQL server.

    Parameters
    ----------
    folder : Path
        Holds its files and its socket.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"

    def make(self) -> None:
        """Set it up and start it, unless another process of this run has."""
        import fcntl  # only POSIX has it

        with (self.folder / "lock").open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self.data.exists():
                owner = _owner()
                if owner:
                    shutil.chown(self.folder, owner)
                self._run("initdb", "--no-sync", "--auth=trust", "--username=tester", "--encoding=UTF8")
                self.start()

    def start(self) -> None:
        options = f"{CARELESS} -c listen_addresses= -c unix_socket_directories={self.folder}"
        options += f" -c max_connections={MOST_CONNECTIONS}"
        self._run("pg_ctl", "start", "-w", "-l", str(self.folder / "log"), "-o", options)

    def stop(self, mode: str = "fast") -> None:
        if (self.data / "postmaster.pid").exists():
            self._run("pg_ctl", "stop", "-w", "-m", mode)

    def url(self, database: str) -> str:
        return f"postgresql+psycopg://tester@/{database}?host={self.folder}"

    def _run(self, program: str, *arguments: str) -> None:
        where = programs()
        assert where is not None
        # Without an output of ours: the server would keep it open after pg_ctl has ended.
        with (self.folder / f"{program}.log").open("ab") as said:
            subprocess.run(
                [where / program, "-D", self.data, *arguments],
                check=True,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                cwd=self.folder,
                user=_owner(),
                extra_groups=[] if _owner() else None,
            )


def _owner() -> str | None:
    """Whom the server runs as: it refuses to run as root."""
    if os.geteuid():
        return None
    import pwd

    known = {each.pw_name for each in pwd.getpwall()}
    return "postgres" if "postgres" in known else "nobody"


@cache
def shared() -> Server:
    """The server of this run; skips the test, or fails it where it is required, when there is none."""
    folder = os.environ.get(FOLDER)
    if not folder:
        if REQUIRED:
            pytest.fail(f"{NO_SERVER}, and TARSTOP_POSTGRES_TESTS=required asks for it", pytrace=False)
        pytest.skip(NO_SERVER)
    server = Server(Path(folder))
    server.make()
    return server


@contextmanager
def database(server: Server | None = None) -> Iterator[str]:
    """The URL of an empty database, nobody else's as long as it is needed.

    Making one takes the server longer than most tests take, so it is emptied and used again.
    """
    server = server or shared()
    free = _free.setdefault(server.folder, [])
    name = free.pop() if free else _new(server)
    yield server.url(name)
    _empty(server, name)


@contextmanager
def store_database() -> Iterator[str]:
    """The URL of a store that holds nothing, on the shared server: its tables are made once for many tests."""
    server = shared()
    if _with_tables:
        name, layout = _with_tables.popitem()
    else:
        free = _free.setdefault(server.folder, [])
        name = free.pop() if free else _new(server)
        Store(server.url(name)).close()
        with _statements(server.url(name)) as say:
            layout = str(say(LAYOUT))
    yield server.url(name)
    with _statements(server.url(name)) as say:
        say(DISCONNECT)
        if say(f"SELECT to_regclass('{STAMP.name}')") is not None and say(LAYOUT) == layout:
            for table in reversed(METADATA.sorted_tables):
                if table is not SchemaVersion.__table__:
                    say(f"DELETE FROM {table.name}")
            if say(
                f"SELECT min(version) = {SCHEMA_VERSION} AND count(*) = 1 FROM {SchemaVersion.__tablename__}"
            ):
                _with_tables[name] = layout
                return
    _empty(server, name)


DISCONNECT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"


def _empty(server: Server, name: str) -> None:
    with _statements(server.url(name)) as say:
        say(DISCONNECT)
        say("DROP SCHEMA public CASCADE")
        say("CREATE SCHEMA public")
    _free[server.folder].append(name)


def _new(server: Server) -> str:
    name = f"t{os.getpid()}_{next(_numbers)}"
    with _statements(server.url("postgres")) as say:
        say(f"CREATE DATABASE {name}")
    return name


@contextmanager
def _statements(url: str) -> Iterator[Callable[[str], Any]]:
    """Run statements one by one, each returning the first value of its rows, None where it has none."""
    engine = create_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)

    def say(statement: str) -> Any:
        rows = connection.execute(text(statement))
        return rows.scalar() if rows.returns_rows else None

    with engine.connect() as connection:
        yield say


@contextmanager
def own_server() -> Iterator[Server]:
    """A server that nobody else uses, so that it may be stopped."""
    shared()  # skips where there is none
    with tempfile.TemporaryDirectory(prefix="tarstop-pg-") as folder:
        server = Server(Path(folder))
        server.make()
        yield server
        server.stop("immediate")
