"""Files that are whole or not there: copies of a SQLite database under names that nothing else has."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import chain, count
from pathlib import Path

from tarstop_core.errors import InputProblem


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """A name in the same folder to write to, which becomes `file` once it is on disk.

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
            f"There is a file {file} already, and it is not overwritten; name another one."
        ) from None
    except OSError as problem:
        raise InputProblem(
            f"{file} cannot be written: {problem.strerror}; name another place, or make room and give rights."
        ) from None
    finally:
        for leftover in leftovers:
            leftover.unlink(missing_ok=True)


def free_name(file: Path, what: str) -> Path:
    """A name beside `file` that says what it is and that no file has: store.revision-0001.db, …-2.db."""
    names = (f"{file.stem}.{what}{again}{file.suffix}" for again in chain([""], (f"-{n}" for n in count(2))))
    return next(name for name in map(file.with_name, names) if not name.exists())


def copy_database(source: sqlite3.Connection, file: Path, like: Path) -> None:
    """All of a SQLite database as it is now, in a file that those may read who may read `like`."""
    with written_whole(file) as part:
        with closing(sqlite3.connect(part)) as target:
            source.backup(target)
            # A copy is one file, which needs no other beside it to be whole.
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
    except OSError:  # this file system gives a file one name only
        if file.exists():
            raise FileExistsError from None
        part.rename(file)
