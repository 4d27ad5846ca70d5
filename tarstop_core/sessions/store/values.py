"""What goes into the columns of the store and comes out of them, checked; what is damaged is named."""

import json
import re
import secrets
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from typing_extensions import TypedDict

from tarstop_core.documents.duplicates import unique_ids
from tarstop_core.documents.records import TEXT_COLUMNS
from tarstop_core.envelope import validated
from tarstop_core.errors import InputProblem

T = TypeVar("T")


class FileRow(TypedDict, total=False):
    """What is computed with of the description of a file; the rest is for people to read."""

    source: str
    records: int
    database: str
    merging: dict[str, int]
    repeated: int
    first_lines: list[str]


@dataclass(frozen=True)
class Damaged:
    """Something stored that cannot be read."""

    kind: Literal["session", "collection", "calibrator"]
    id: str
    name: str
    problem: str
    """What is wrong, a sentence."""


def new_id() -> str:
    """Return an id that fits into an address."""
    return secrets.token_urlsafe(6)


def now(ago: timedelta = timedelta(0)) -> str:
    """Return the time now, or so long ago, as the store writes it."""
    return (datetime.now(UTC) - ago).isoformat(timespec="milliseconds")


@contextmanager
def intact(what: str) -> Iterator[None]:
    """Turn whatever reading something damaged raises into an InputProblem that names it."""
    try:
        yield
    except InputProblem as problem:
        raise InputProblem(f"{what} cannot be read: {problem}") from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, zlib.error) as problem:
        reason = f"{type(problem).__name__}: {problem}"[:200].rstrip(".")
        raise InputProblem(
            f"{what} is damaged in the database ({reason}); restore it from a backup, or delete it."
        ) from None


def readable(
    kind: Literal["session", "collection", "calibrator"], key: str, name: object, read: Callable[[], T]
) -> T | Damaged:
    """Read something stored, or describe what is wrong with it.

    Parameters
    ----------
    kind, key, name
        What is read, for the description.
    read
        Reads it; raises InputProblem when that cannot be done.

    Returns
    -------
    object or Damaged
        What `read` returns, or what is wrong.
    """
    try:
        return read()
    except InputProblem as problem:
        return Damaged(kind, key, str(name), str(problem))


def check_files(files: Sequence[Any], what: str) -> None:
    """Raise InputProblem unless the descriptions of a collection's files can be computed with."""
    for file in files:
        validated(FileRow, file, what, "import the documents again", strict=True, open_ended=True)


def dump(value: object) -> str:
    """Return JSON that any program can read: plain characters, numpy's numbers as Python's, no NaN."""
    try:
        return json.dumps(value, allow_nan=False, default=np.generic.item)
    except ValueError:
        raise InputProblem("A number to be saved is missing or infinite; give a finite one.") from None


def storable_text(text: str) -> str:
    """Replace what databases refuse in a text: NUL, and halves of surrogate pairs."""
    return re.sub("[\0\ud800-\udfff]", "\ufffd", text)


def storable_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Replace NUL, which some databases refuse, in a table of records; ids stay unique."""
    for column in TEXT_COLUMNS:
        values = frame[column].tolist()
        if any("\0" in value for value in values):
            values = [storable_text(value) for value in values]
            frame[column] = pd.Series(unique_ids(values)[0] if column == "id" else values, dtype="str")
    return frame


def check_order(order: ArrayLike, documents: int) -> NDArray[np.int64]:
    """Return the order as an array; InputProblem unless it names positions below `documents`, each at most once."""
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
    """Return the scores as an array; InputProblem unless there is a finite one for every document."""
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (documents,):
        raise InputProblem(
            f"There are {values.size} scores for {documents} documents; give one for every document."
        )
    if not np.isfinite(values).all():
        at = int(np.flatnonzero(~np.isfinite(values))[0]) + 1
        raise InputProblem(f"The score of document {at} is missing or infinite; give each document a number.")
    return values
