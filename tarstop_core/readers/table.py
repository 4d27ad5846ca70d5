"""Read files with the verdicts of several readers."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import BinaryIO

import numpy as np

from tarstop_core.documents.records import SAID_NOT_RELEVANT, SAID_RELEVANT
from tarstop_core.documents.reports import ELIGIBLE, OUTCOMES
from tarstop_core.documents.tables import Flags, Floats, Ints
from tarstop_core.errors import InputProblem
from tarstop_core.files.cells import Cells, cell_at, read_cells
from tarstop_core.files.values import normal_label
from tarstop_core.readers.verdicts import Verdicts

READER = re.compile(r"(reader|person|reviewer|screener|rater|model)[ _-]?\w+", re.IGNORECASE)
"""Titles of columns that hold the verdicts of one reader."""
RESOLVED = ("resolved", "final", "included", "relevant")
AUDIT = ("audit", "audited", "audit_draw")
NAMES = ("record", "id", "title")
_MEANINGS: dict[str, float] = {
    SAID_RELEVANT: 1.0,
    SAID_NOT_RELEVANT: 0.0,
    "": np.nan,
    **{outcome: ELIGIBLE.get(outcome, np.nan) for outcome in OUTCOMES},  # of full texts
}


@dataclass(frozen=True)
class Columns:
    """The columns of a readers' table; a column that is not given is recognised by its title."""

    readers: tuple[str, ...] = ()
    resolved: str | None = None
    """Column of the final verdicts."""
    audit: str | None = None
    """Column that marks or numbers the audit draws: records drawn at random among those that everybody excluded."""
    include_from: float | None = None
    """Score from which a verdict counts as included; None if verdicts are words or 0 and 1."""


@dataclass(frozen=True, eq=False)
class ReadersTable:
    """The verdicts of several readers on a list."""

    readers: tuple[str, ...]
    verdicts: Verdicts
    names: tuple[str, ...]
    """Names of the records."""
    taken_as_relevant: int
    """Records that everybody included and that have no final verdict."""
    notes: list[str] = field(default_factory=list)
    """Sentences on how the file was read."""

    @property
    def disagreements(self) -> list[int]:
        """Indices of records on which readers disagree and that have no final verdict, in the order of the list."""
        included = self.verdicts.included
        differ = (included == 1).any(axis=1) & (included == 0).any(axis=1)
        return np.flatnonzero(differ & np.isnan(self.verdicts.relevant)).tolist()


def read_readers(source: Path | str | BinaryIO, columns: Columns | None = None) -> ReadersTable:
    """Read the verdicts of two or more readers from a CSV, TSV or Excel file.

    Records without any verdict are left out. A record that everybody included counts as relevant if it has no final verdict.

    Parameters
    ----------
    source : path or file
        A table with a column for each reader.
    columns : Columns, optional
        Its columns; those not given are recognised by their titles.

    Returns
    -------
    ReadersTable
        Verdicts, final verdicts and audit draws of each record.

    Raises
    ------
    InputProblem
        When a column is missing, there is only one reader, or a cell cannot be read.
    """
    chosen = columns or Columns()
    cells = read_cells(source)
    readers = chosen.readers or tuple(title for title in cells.titles if READER.fullmatch(title))
    if len(readers) < 2:
        raise InputProblem(
            f"{cells.name} names {len(readers) or 'no'} reader{'' if len(readers) == 1 else 's'}; "
            f"name the columns of two or more with --reader (its columns are {', '.join(cells.titles)})."
        )
    if len(set(readers)) < len(readers):
        raise InputProblem("The same column is named for two readers; name each once.")
    included = np.stack([_verdicts(cells, name, chosen.include_from) for name in readers], axis=1)
    resolved = _column_of(cells, chosen.resolved, RESOLVED, taken=readers)
    relevant = _verdicts(cells, resolved) if resolved else np.full(len(cells.rows), np.nan)
    audit = _column_of(cells, chosen.audit, AUDIT, taken=readers)
    drawn, ordered = _draws(cells, audit) if audit else (np.zeros(len(cells.rows), dtype=np.int64), False)
    by_all = ~(included == 0).any(axis=1) & ((included == 1).sum(axis=1) >= 2) & np.isnan(relevant)
    relevant = np.where(by_all, 1.0, relevant)
    read: Flags = np.asarray(~np.isnan(included).all(axis=1))
    if not read.any():
        raise InputProblem(f"{cells.name} has no verdict in {' or '.join(readers)}; fill them in first.")
    name = _column_of(cells, None, NAMES, taken=readers)
    places = [f"line {line}" for line, _ in cells.rows]
    titles = places if name is None else _texts(cells, name)
    names = tuple(title or place for title, place in compress(zip(titles, places, strict=True), read))
    lines = tuple(f"Line {line} of {cells.name}" for line, _ in compress(cells.rows, read))
    notes = list(cells.notes)
    if without := int((~read).sum()):
        notes.append(f"{without:,} of {len(read):,} records have no verdict and are left out.")
    verdicts = Verdicts(included[read], relevant[read], drawn[read], ordered, lines)
    return ReadersTable(readers, verdicts, names, int(by_all.sum()), notes)


def columns_of(source: Path | str | BinaryIO) -> tuple[str, ...]:
    """Titles of the columns of a file; InputProblem when it is not a table."""
    return tuple(read_cells(source).titles)


def read_one(
    source: Path | str | BinaryIO, record: str, column: str, include_from: float | None = None
) -> dict[str, bool]:
    """Read the verdicts of one reader.

    Parameters
    ----------
    source : path or file
        A table with a line for each record.
    record : str
        Column with the names of the records.
    column : str
        Column with the verdicts or scores.
    include_from : float, optional
        Score from which a record is included; None if verdicts are words or 0 and 1.

    Returns
    -------
    dict of str to bool
        Whether each record with a verdict is included, by name.

    Raises
    ------
    InputProblem
        When a column is missing, a cell cannot be read, or a record has two lines.
    """
    cells = read_cells(source)
    names, verdicts = _texts(cells, record), _verdicts(cells, column, include_from)
    twice = next((name for name, times in Counter(names).items() if name and times > 1), None)
    if twice is not None:
        raise InputProblem(f"{cells.name} has several lines for the record '{twice[:80]}'; keep one.")
    return {
        name: verdict == 1
        for name, verdict in zip(names, verdicts.tolist(), strict=True)
        if name and not np.isnan(verdict)
    }


def _column_of(cells: Cells, chosen: str | None, usual: Sequence[str], taken: Sequence[str]) -> str | None:
    """The chosen column, or else the first with a usual title, or None."""
    if chosen is not None:
        return chosen
    return next((title for title in cells.titles if title.casefold() in usual and title not in taken), None)


def _texts(cells: Cells, column: str) -> list[str]:
    """The cells of a column; InputProblem when no column or several have this title."""
    number = cells.titles.count(column)
    if number != 1:
        many = "several columns" if number else "no column"
        raise InputProblem(f"{cells.name} has {many} '{column}'; its columns are {', '.join(cells.titles)}.")
    at = cells.titles.index(column)
    return [cell_at(row, at) for _, row in cells.rows]


def _verdicts(cells: Cells, column: str, include_from: float | None = None) -> Floats:
    """Parse a column of verdicts or scores: 1 included, 0 excluded, NaN none; shape (rows,)."""
    values = np.full(len(cells.rows), np.nan)
    for at, text in enumerate(_texts(cells, column)):
        if include_from is None:
            value = _MEANINGS.get(normal_label(text))
            wanted = "write included or excluded, 1 or 0, or give --include-from for scores"
        else:
            value = _score(text, include_from)
            wanted = "write a number or leave it empty"
        if value is None:
            line = cells.rows[at][0]
            raise InputProblem(f"Line {line} of {cells.name} has '{text}' in the column {column}; {wanted}.")
        values[at] = value
    return values


def _score(text: str, include_from: float) -> float | None:
    """1 if a score is high enough, else 0; NaN for an empty cell, None if the text is not a number."""
    if not text:
        return np.nan
    try:
        score = float(text)
    except ValueError:
        return None
    return float(score >= include_from) if np.isfinite(score) else None


def _draws(cells: Cells, column: str) -> tuple[Ints, bool]:
    """Place of each record among the draws (0 if not drawn), and whether the column gives the order of the draws."""
    texts = _texts(cells, column)
    numbers = [
        int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None for text in texts
    ]
    drawn = [number for number in numbers if number]
    if all(number is not None or not text for number, text in zip(numbers, texts, strict=True)) and (
        len(drawn) > 1 and len(set(drawn)) == len(drawn)
    ):
        return np.array([number or 0 for number in numbers], dtype=np.int64), True
    is_drawn = _verdicts(cells, column) == 1
    return np.where(is_drawn, np.cumsum(is_drawn), 0).astype(np.int64), False
