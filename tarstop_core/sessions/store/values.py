"""What goes into a column: text and JSON that every database takes, and orders and scores that fit."""

import json
import re
import secrets
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from tarstop_core.documents.duplicates import unique_ids
from tarstop_core.documents.records import TEXT_COLUMNS
from tarstop_core.envelope import validated
from tarstop_core.errors import InputProblem
from tarstop_core.sessions.store.rows import Damaged, FileRow, Kind

T = TypeVar("T")


def new_id() -> str:
    """An id that fits into an address."""
    return secrets.token_urlsafe(6)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@contextmanager
def intact(what: str) -> Iterator[None]:
    """Say of what is stored and cannot be read that it is damaged: InputProblem in place of whatever reading it raises."""
    try:
        yield
    except InputProblem as problem:
        raise InputProblem(f"{what} cannot be read: {problem}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, zlib.error) as problem:
        said = f"{type(problem).__name__}: {problem}"[:200].rstrip(".")
        raise InputProblem(
            f"{what} is damaged in the database ({said}); restore it from a backup, or delete it."
        ) from None


def readable(kind: Kind, key: str, name: object, read: Callable[[], T]) -> T | Damaged:
    """What is read, or what is wrong with it."""
    try:
        return read()
    except InputProblem as problem:
        return Damaged(kind, key, str(name), str(problem))


def check_files(files: Sequence[Any], what: str) -> None:
    """Refuse what was understood of a collection's files, where it cannot be computed with."""
    for file in files:
        validated(FileRow, file, what, "import the documents again", strict=True, open_ended=True)


def dump(value: object) -> str:
    """JSON that any program can read: plain characters, numpy's numbers as Python's, no NaN."""
    try:
        return json.dumps(value, allow_nan=False, default=np.generic.item)
    except ValueError:
        raise InputProblem("A number to be saved is missing or infinite; give a finite one.") from None


def storable_text(text: str) -> str:
    """Text without what databases refuse: NUL, and halves of surrogate pairs."""
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text)


def storable_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The same records without NUL, which some databases refuse; ids stay unique."""
    for column in TEXT_COLUMNS:
        values = frame[column].tolist()
        if any("\0" in value for value in values):
            values = [storable_text(value) for value in values]
            frame[column] = pd.Series(unique_ids(values)[0] if column == "id" else values, dtype="str")
    return frame


def check_order(order: ArrayLike, documents: int) -> NDArray[np.int64]:
    positions = np.asarray(order)
    if positions.ndim != 1 or not len(positions):
        raise InputProblem("A session needs at least one document; choose a list that has some.")
    if not np.issubdtype(positions.dtype, np.integer):
        raise InputProblem(
            "The screening order is not a list of whole numbers; give positions in the collection."
        )
    positions = positions.astype(np.int64)
    first, last = positions.min(), positions.max()
    if first < 0 or last >= documents:
        raise InputProblem(
            f"The screening order names position {last if first >= 0 else first}; "
            f"the collection has positions 0 to {documents - 1}."
        )
    if np.bincount(positions).max() > 1:
        raise InputProblem("The screening order names a document twice; name each once.")
    return positions


def check_scores(scores: ArrayLike, documents: int) -> NDArray[np.float64]:
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (documents,):
        raise InputProblem(
            f"There are {values.size} scores for {documents} documents; give one for every document."
        )
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0]) + 1
        raise InputProblem(f"The score of document {at} is missing or infinite; give each document a number.")
    return values
