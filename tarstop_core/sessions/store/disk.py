"""The disk that a SQLite file lies on: room to take an import back with, and pages that go back to it."""

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from errno import EDQUOT, ENOSPC
from os import strerror
from pathlib import Path
from tempfile import TemporaryFile

from tarstop_core.errors import Outage

RESERVED = 16 << 20
"""Bytes. SQLite writes a removal before it frees anything, which a full disk has no room for."""
FULL = (ENOSPC, EDQUOT)
"""What the system calls a disk, or the share of somebody in it, that has no room."""
PIECE = 500
"""Pages that go at once."""
INCREMENTAL = 2
"""What SQLite calls a file that can be shortened in place."""


@contextmanager
def reserved(file: Path, name: str) -> Iterator[None]:
    """Keep some of the disk of a file free until what is done within succeeds or fails; Outage when there is none."""
    with ExitStack() as held:
        try:
            # It has no name: of a process that is killed nothing is left.
            ballast = held.enter_context(TemporaryFile(dir=file.parent, buffering=0))
            if ballast.write(bytes(RESERVED)) < RESERVED:  # a disk that is nearly full takes a part
                raise OSError(ENOSPC, strerror(ENOSPC))
        except OSError as problem:
            if problem.errno in FULL:
                why = f"The disk that holds the database {name} is full; make room and try again."
            else:
                why = (
                    f"Nothing can be written beside the database {name} ({problem.strerror}); let this programme write "
                    "into its folder and try again."
                )
            raise Outage(why) from problem
        yield


def settle(connection: sqlite3.Connection) -> None:
    """Empty the write-ahead log into the file, as far as there is room to do so."""
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def shrink(connection: sqlite3.Connection) -> None:
    """Give pages that hold nothing back to the disk, as far as there is room to do so; what is stored stays."""
    with suppress(sqlite3.Error):
        if connection.execute("PRAGMA auto_vacuum").fetchone()[0] == INCREMENTAL:
            # In pieces, because every page that goes is written to the log first.
            for _ in range(0, connection.execute("PRAGMA freelist_count").fetchone()[0], PIECE):
                connection.executescript(f"PRAGMA incremental_vacuum({PIECE});")  # execute() frees one page
                settle(connection)
        else:
            # A file of an earlier version; afterwards it is one that can be shortened in place.
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("VACUUM")
    settle(connection)
