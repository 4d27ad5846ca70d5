"""Special needs of a SQLite file: durability, locks, disk space, and copies that are complete or absent."""

import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from errno import EDQUOT, ENOSPC
from itertools import chain, count
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import event as hooks
from sqlalchemy.exc import DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry

from tarstop_core.errors import InputProblem, Outage

RESERVED = 16 << 20
"""Bytes. SQLite writes a removal before it frees anything, for which a full disk has no room."""
FULL = (ENOSPC, EDQUOT)
"""Error codes of a full disk or quota."""
PIECE = 500
"""Pages that are freed at once."""
INCREMENTAL = 2
"""SQLite's mode for a file that can be shortened in place."""
SYNCHRONOUS = "FULL"
"""A finished transaction is on the disk even if the machine loses power right afterwards."""


def set_up_sqlite(engine: sa.Engine, busy_seconds: float) -> None:
    """Ask SQLite for durability and locking; ``tarstop_write`` and ``tarstop_patience`` are options of a transaction."""

    @hooks.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _: object) -> None:
        # The driver would begin transactions late and only before some statements; "begin" below does it.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {round(busy_seconds * 1000)}")
        if not connection.execute("PRAGMA page_count").fetchone()[0]:
            # For a new file: removed data go back to the disk without copying all the rest.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
        _switch_to_wal(connection, busy_seconds)
        connection.execute("PRAGMA foreign_keys = ON")
        # Otherwise the write-ahead log would keep its size after a large import.
        connection.execute(f"PRAGMA journal_size_limit = {64 << 20}")

    @hooks.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # A writer takes its lock at once, because one requested after reading may be refused without waiting.
        options = connection.get_execution_options()
        if "tarstop_patience" in options:
            patience = max(busy_seconds, options["tarstop_patience"])
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {round(patience * 1000)}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("tarstop_write") else "BEGIN")


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


def stay_with_file(engine: sa.Engine, path: Path) -> None:
    """Refuse every file except the one that was opened: labels written to a moved file would be lost.

    Nor is an empty one put in its place; once it is back, so are its sessions.
    """

    def identity() -> tuple[int, int] | None:
        try:
            status = path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    if identity() is None:
        return  # spelled in a way that only SQLite reads
    engine.dispose()

    @hooks.listens_for(engine, "do_connect")
    def refuse(*_: object) -> None:
        if identity() is None:
            raise sqlite3.OperationalError("unable to open database file")

    @hooks.listens_for(engine, "connect")
    def note(_: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
        record.info["file"] = identity()

    @hooks.listens_for(engine, "checkout")
    def compare(_: sqlite3.Connection, record: ConnectionPoolEntry, __: object) -> None:
        if record.info["file"] != identity():
            raise DisconnectionError


@contextmanager
def reserved(file: Path, name: str) -> Iterator[None]:
    """Reserve some disk space for a file until the work within succeeds or fails; Outage if there is none."""
    with ExitStack() as held:
        try:
            # It has no name, so nothing is left of it if the process is killed.
            ballast = held.enter_context(tempfile.TemporaryFile(dir=file.parent, buffering=0))
            if ballast.write(bytes(RESERVED)) < RESERVED:  # a nearly full disk takes only a part
                raise OSError(ENOSPC, os.strerror(ENOSPC))
        except OSError as problem:
            if problem.errno in FULL:
                why = f"The disk that holds the database {name} is full; free some space and try again."
            else:
                why = (
                    f"Nothing can be written beside the database {name} ({problem.strerror}); let TARstop write into its folder "
                    "and try again."
                )
            raise Outage(why) from problem
        yield


def settle(connection: sqlite3.Connection) -> None:
    """Empty the write-ahead log into the file, as far as there is room to do so."""
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def shrink(connection: sqlite3.Connection) -> None:
    """Return empty pages to the disk as far as disk space allows; stored data stay."""
    with suppress(sqlite3.Error):
        if connection.execute("PRAGMA auto_vacuum").fetchone()[0] == INCREMENTAL:
            # In pieces, because every freed page is written to the log first.
            for _ in range(0, connection.execute("PRAGMA freelist_count").fetchone()[0], PIECE):
                connection.executescript(f"PRAGMA incremental_vacuum({PIECE});")  # execute() frees one page
                settle(connection)
        else:
            # A file of an earlier version; afterwards it can be shortened in place.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("VACUUM")
    settle(connection)


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """Yield a name in the same folder to write to, which becomes `file` once it is on disk.

    InputProblem when there is such a file already, or it cannot be written.
    """
    leftovers = list[Path]()
    try:
        if file.exists():
            raise FileExistsError
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
        os.close(handle)
        part = Path(name)
        leftovers += [part, Path(f"{part}-journal")]
        yield part
        _to_disk(part)
        _name(part, file)
        _to_disk(file.parent)
    except FileExistsError:
        raise InputProblem(
            f"The file {file} already exists and is not overwritten; name another one."
        ) from None
    except OSError as problem:
        raise InputProblem(
            f"{file} cannot be written: {problem.strerror}; name another place, or free space and give rights."
        ) from None
    finally:
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)


def free_name(file: Path, what: str) -> Path:
    """Return a name beside `file` that no file has: store.revision-0001.db, store.revision-0001-2.db."""
    names = (f"{file.stem}.{what}{again}{file.suffix}" for again in chain([""], (f"-{n}" for n in count(2))))
    return next(name for name in map(file.with_name, names) if not name.exists())


def copy_database(source: sqlite3.Connection, file: Path, like: Path) -> None:
    """Copy a SQLite database as it is now to a new file.

    Parameters
    ----------
    source : Connection
        To the database.
    file : Path
        The new file.
    like : Path
        Who may read this one may read the copy.
    """
    with written_whole(file) as part:
        with closing(sqlite3.connect(part)) as target:
            source.backup(target)
            # A copy is one file that needs no other file next to it.
            target.execute("PRAGMA journal_mode = DELETE")
        shutil.copymode(like, part)


def _to_disk(path: Path) -> None:
    if os.name != "posix" and path.is_dir():
        return  # only POSIX has names of files written out by their folder
    handle = os.open(path, os.O_RDONLY if os.name == "posix" else os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _name(part: Path, file: Path) -> None:
    """Give a file its name unless another one has it."""
    try:
        os.link(part, file)
    except FileExistsError:
        raise
    except OSError:  # this file system allows a file only one name
        if file.exists():
            raise FileExistsError from None
        part.rename(file)
