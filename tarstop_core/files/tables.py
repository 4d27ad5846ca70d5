"""2×2 tables from CSV or TSV: TP, FP, FN and TN in any order and case, under the names people give them."""

import csv
import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.errors import InputProblem
from tarstop_core.files.budget import BUDGET, check_columns, check_count
from tarstop_core.files.source import detect_encoding, open_source
from tarstop_core.files.synonyms import names_of

DELIMITERS = ",;\t"
SYNONYMS = names_of("tables")
WANTED = "TP, FP, FN, TN"
MISSING = frozenset({"", "na", "n/a", "nan", "-", "–", "."})


@dataclass(frozen=True, eq=False)
class TableFile:
    """What a file of 2×2 tables holds."""

    tables: Tables
    notes: tuple[str, ...]
    """What a person should know of it: the same study twice, how the text was read."""


def read_tables(source: Path | str | BinaryIO, name: str | None = None) -> TableFile:
    """Read 2×2 tables from a CSV or TSV, gzipped or not, one study a line; `name` is for messages.

    Columns TP and FN are needed; FP and TN may be missing, in part or both; a study column names the studies, which
    are numbered without one. InputProblem when a column is missing or double, or a count is not a whole number from 0
    on.
    """
    file_name, header, rows, notes = read_rows(source, name, WANTED)
    columns = places_of(file_name, header, SYNONYMS, ("TP", "FN"), WANTED)
    counts: dict[str, list[float]] = {cell: [] for cell in CELLS}
    study: list[str] = []
    for number, cells in rows:
        if len(cells) > len(header):
            raise InputProblem(
                f"{file_name}, line {number} has {len(cells)} cells and the header {len(header)}; make them equal."
            )
        at = columns.get("study")
        study.append(cells[at].strip() if at is not None and at < len(cells) else f"study {len(study) + 1}")
        for cell in CELLS:
            place = columns.get(cell)
            text = cells[place].strip() if place is not None and place < len(cells) else ""
            counts[cell].append(count_of(file_name, number, cell, text))
    tables = Tables(tuple(study), *(np.array(counts[cell], dtype=float) for cell in CELLS))
    return TableFile(tables, (*notes, *same_studies(tables)))


def read_rows(
    source: Path | str | BinaryIO, name: str | None, wanted: str
) -> tuple[str, list[str], list[tuple[int, list[str]]], list[str]]:
    """Name of the file, its header, its rows with their lines, and what is to be said of its encoding."""
    with open_source(source, name) as opened:
        encoding, notes = detect_encoding(opened)
        with opened.text(encoding, newline="") as stream:
            lines = stream.read().splitlines()
    delimiter = max(DELIMITERS, key=lambda each: sum(line.count(each) for line in lines[:20]))
    numbered = []
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for number, cells in enumerate(reader, start=1):
            check_columns(opened.name, f"line {number}", len(cells))
            if any(cell.strip() for cell in cells):
                numbered.append((number, cells))
                check_count(opened.name, len(numbered), BUDGET.studies, "studies")
    except csv.Error:
        raise InputProblem(
            f"Line {reader.line_num + 1} of {opened.name} cannot be read as cells; look there for a quotation "
            "mark that is never closed."
        ) from None
    if len(numbered) < 2:
        raise InputProblem(f"{opened.name} holds no studies; give a header with {wanted} and a line a study.")
    return opened.name, numbered[0][1], numbered[1:], notes


def places_of(
    file_name: str,
    header: Sequence[str],
    synonyms: Mapping[str, Sequence[str]],
    needed: Sequence[str],
    wanted: str,
) -> dict[str, int]:
    """Column of each field, recognised by its letters alone."""
    plain = [plain_title(title) for title in header]
    places: dict[str, int] = {}
    for field, names in synonyms.items():
        at = [place for place, title in enumerate(plain) if title in names]
        if len(at) > 1:
            shown = " and ".join(f"'{header[place]}'" for place in at[:2])
            raise InputProblem(f"{file_name} has two columns for {field} ({shown}); keep one.")
        if at:
            places[field] = at[0]
    if missing := [field for field in needed if field not in places]:
        raise InputProblem(
            f"{file_name} has no column {' or '.join(missing)} (its columns are {', '.join(header)}); "
            f"name the columns {wanted}."
        )
    return places


def plain_title(title: str) -> str:
    """The letters of a column's title, as `SYNONYMS` has them."""
    return re.sub(r"[^a-z]", "", title.lower())


def count_of(file_name: str, number: int, cell: str, text: str) -> float:
    """What a cell says: a whole number, or NaN where FP or TN is missing."""
    if text.lower() in MISSING:
        if cell in ("TP", "FN"):
            raise InputProblem(f"{file_name}, line {number} has no {cell}; every study needs TP and FN.")
        return math.nan
    value = whole_count(text)
    if value is None:
        raise InputProblem(f"{file_name}, line {number}: {cell} is '{text}'; give a whole number from 0 on.")
    return value


def whole_count(text: str) -> float | None:
    """The whole number from 0 on that a text stands for, None where it is none.

    Examples
    --------
    >>> [whole_count(text) for text in ("7", "7.0", "-1", "7.5", "1_0")]
    [7.0, 7.0, None, None, None]
    """
    try:
        value = float(text)
    except ValueError:
        return None
    # Python reads "1_0" as 10, which nobody means.
    return (
        value if math.isfinite(value) and value >= 0 and value == round(value) and "_" not in text else None
    )


def same_studies(tables: Tables, rows: Sequence[int] | None = None) -> tuple[str, ...]:
    """Sentences on studies that stand in the list more than once: with the same counts, or with others.

    `rows` say where each stands before a person's eyes; else studies are counted from 1.
    """
    one, many = ("study", "studies") if rows is None else ("row", "rows")
    places: defaultdict[str, dict[tuple[str, ...], int]] = defaultdict(dict)
    notes = []
    for k, (at, name) in enumerate(zip(rows or range(1, len(tables) + 1), tables.study, strict=True)):
        counts = tuple(str(getattr(tables, cell)[k]) for cell in CELLS)
        first = places[name].setdefault(counts, at)
        if first != at:
            notes.append(
                f"{one.capitalize()} {at} ({name}) has the name and the counts of {one} {first}, and both count here; "
                "remove one if they are the same."
            )
    for name, different in places.items():
        if len(different) > 1:
            *others, last = different.values()
            notes.append(
                f"{many.capitalize()} {', '.join(map(str, others))} and {last} share the name {name or '(none)'} with different "
                "counts, and each counts here; keep one if they are of the same patients."
            )
    return tuple(notes)
