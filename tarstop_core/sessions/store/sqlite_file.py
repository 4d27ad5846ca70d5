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
"""Bytes of disk space to reserve, because SQLite writes even a removal to its log before it frees anything."""
FULL = (ENOSPC, EDQUOT)
"""Error codes of a full disk or quota."""
PIECE = 500
"""Pages that are freed at once."""
INCREMENTAL = 2
"""SQLite's mode for a file that can be shortened in place."""
SYNCHRONOUS = "FULL"
"""SQLite's mode in which a finished transaction is on the disk even if the machine loses power right afterwards."""


def set_up_sqlite(engine: sa.Engine, busy_seconds: float) -> None:
    """Set up durability and locking for every connection of an engine.

    A transaction has two options: ``tarstop_write`` takes the lock for writing at once, and ``tarstop_patience`` is the
    time in seconds that it waits for the lock.
    """

    @hooks.listens_for(engine, "connect")
    def set_up(connection: sqlite3.Connection, _: object) -> None:
        # Otherwise the driver begins transactions late, and only before some statements; `begin` below begins them.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout = {round(busy_seconds * 1000)}")
        if not connection.execute("PRAGMA page_count").fetchone()[0]:
            # A new file: space of removed data can be returned to the disk without copying all the rest.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        connection.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
        _switch_to_wal(connection, busy_seconds)
        connection.execute("PRAGMA foreign_keys = ON")
        # Otherwise the write-ahead log would keep its size after a large import.
        connection.execute(f"PRAGMA journal_size_limit = {64 << 20}")

    @hooks.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        # A writer takes its lock at once, because a lock that is requested after reading may be refused without waiting.
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
    """Refuse any other file under the path of the one that was opened, because labels written to a moved file would be lost.

    If the file is gone, no empty one is created in its place; once it is back, its sessions are too.
    """

    def identity() -> tuple[int, int] | None:
        try:
            status = path.stat()
        except OSError:
            return None
        return status.st_dev, status.st_ino

    if identity() is None:
        return  # the path is spelled in a way that only SQLite understands
    engine.dispose()

    @hooks.listens_for(engine, "do_connect")
    def refuse(*_: object) -> None:
        if identity() is None:
            raise sqlite3.OperationalError("unable to open database file")

    @hooks.listens_for(engine, "connect")
    def note_file(_: sqlite3.Connection, record: ConnectionPoolEntry) -> None:
        record.info["file"] = identity()

    @hooks.listens_for(engine, "checkout")
    def check_file(_: sqlite3.Connection, record: ConnectionPoolEntry, __: object) -> None:
        if record.info["file"] != identity():
            raise DisconnectionError


@contextmanager
def reserved(file: Path, name: str) -> Iterator[None]:
    """Reserve some disk space beside a file until the work within the context ends; Outage if there is none."""
    with ExitStack() as held:
        try:
            # A temporary file without a name, of which nothing is left if the process is killed.
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
    """Empty the write-ahead log into the file, as far as disk space allows."""
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def shrink(connection: sqlite3.Connection) -> None:
    """Return empty pages of the file to the disk, as far as disk space allows."""
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
    """Yield the path of a temporary file in the same folder, which gets the name `file` once it is on disk.

    InputProblem if there is such a file already, or it cannot be written.
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
    """Path beside `file` that no file has: store.revision-0001.db, then store.revision-0001-2.db."""
    names = (f"{file.stem}.{what}{again}{file.suffix}" for again in chain([""], (f"-{n}" for n in count(2))))
    return next(name for name in map(file.with_name, names) if not name.exists())


def copy_database(source: sqlite3.Connection, file: Path, like: Path) -> None:
    """Copy a SQLite database as it is now to a new file.

    Parameters
    ----------
    source : Connection
        Connection to the database.
    file : Path
        The new file.
    like : Path
        A file whose access rights the copy gets.
    """
    with written_whole(file) as part:
        with closing(sqlite3.connect(part)) as target:
            source.backup(target)
            # The copy is a single file, without a log beside it.
            target.execute("PRAGMA journal_mode = DELETE")
        shutil.copymode(like, part)


def _to_disk(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    if os.name != "posix" and path.is_dir():
        return  # only on POSIX does a folder have to be synchronized for the names in it
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
