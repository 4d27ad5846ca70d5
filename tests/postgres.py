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

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

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
    with _statements(server.url(name)) as say:
        say(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        say("DROP SCHEMA public CASCADE")
        say("CREATE SCHEMA public")
    free.append(name)


def _new(server: Server) -> str:
    name = f"t{os.getpid()}_{next(_numbers)}"
    with _statements(server.url("postgres")) as say:
        say(f"CREATE DATABASE {name}")
    return name


@contextmanager
def _statements(url: str) -> Iterator[Callable[[str], object]]:
    engine = create_engine(url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with engine.connect() as connection:
        yield lambda statement: connection.execute(text(statement))


@contextmanager
def own_server() -> Iterator[Server]:
    """A server that nobody else uses, so that it may be stopped."""
    shared()  # skips where there is none
    with tempfile.TemporaryDirectory(prefix="tarstop-pg-") as folder:
        server = Server(Path(folder))
        server.make()
        yield server
        server.stop("immediate")
