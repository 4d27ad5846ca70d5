"""Files that are whole or not there: copies of a SQLite database under names that nothing else has."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

from tarstop_core.errors import InputProblem


@contextmanager
def written_whole(file: Path) -> Iterator[Path]:
    """A name in the same folder to write to, which becomes `file` once it is on disk.

    InputProblem when there is such a file already, or it cannot be written.
    """
    if file.exists():
        raise _taken(file)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{file.name}.", suffix=".part", dir=file.parent)
        os.close(handle)
    except OSError as problem:
        raise _unwritten(file, problem) from None
    part = Path(name)
    try:
        yield part
        _to_disk(part)
        _name(part, file)
        _to_disk(file.parent)
    except FileExistsError:
        raise _taken(file) from None
    except OSError as problem:
        raise _unwritten(file, problem) from None
    finally:
        for leftover in (part, Path(f"{part}-journal")):
            leftover.unlink(missing_ok=True)


def free_name(file: Path, what: str) -> Path:
    """A name beside `file` that says what it is and that no file has.

    Examples
    --------
    >>> free_name(Path("/nowhere/store.db"), "revision-0001").name
    'store.revision-0001.db'
    """
    for number in count(1):
        again = "" if number == 1 else f"-{number}"
        name = file.with_name(f"{file.stem}.{what}{again}{file.suffix}")
        if not name.exists():
            break
    return name


def copy_database(source: sqlite3.Connection, file: Path, like: Path) -> None:
    """All of a SQLite database as it is now, in a file that those may read who may read `like`."""
    with written_whole(file) as part:
        with closing(sqlite3.connect(part)) as target:
            source.backup(target)
            # A copy is one file, which needs no other beside it to be whole.
            target.execute("PRAGMA journal_mode = DELETE")
        shutil.copymode(like, part)


def _taken(file: Path) -> InputProblem:
    return InputProblem(f"There is a file {file} already, and it is not overwritten; name another one.")


def _unwritten(file: Path, problem: OSError) -> InputProblem:
    return InputProblem(
        f"{file} cannot be written: {problem.strerror}; name another place, or make room and give rights."
    )


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
