"""2×2 tables from CSV, TSV or Excel: TP, FP, FN and TN, or rates with group sizes, in any order, as people name them."""

import csv
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pandas as pd

from tarstop_core.documents.rates import LONGEST_NUMBER, from_rates, rate_and_size
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.errors import InputProblem
from tarstop_core.files.budget import BUDGET, check_columns, check_count
from tarstop_core.files.columns import UnrecognisedColumns
from tarstop_core.files.source import detect_encoding, open_source
from tarstop_core.files.synonyms import names_of
from tarstop_core.files.xlsx import XLSX, first_sheet

DELIMITERS = ",;\t"
SYNONYMS = names_of("tables")
RATES = names_of("rates")
FIELDS = (*SYNONYMS, *RATES)  # What a column of a file may be taken for
WANTED = "TP, FP, FN, TN"
SHOWN = 5  # rows beside a question
MISSING = frozenset({"", "na", "n/a", "nan", "-", "–", "."})


@dataclass(frozen=True, eq=False)
class TableFile:
    """What a file of 2×2 tables holds."""

    tables: Tables
    notes: tuple[str, ...]  # What a person should know of it: the same study twice, how the text was read


def read_tables(
    source: Path | str | BinaryIO, name: str | None = None, columns: Mapping[str, str] | None = None
) -> TableFile:
    """Read 2×2 tables from a CSV, TSV or Excel file, gzipped or not, one study a line; `name` is for messages.

    Columns TP and FN are needed; FP and TN may be missing, in part or both; a study column names the studies, which
    are numbered without one. In place of counts there may be sensitivity and specificity (also in per cent, and with
    their intervals) and how many were diseased and healthy: counts are the whole numbers that round to them, which a
    note says. `columns` are a person's choice: the file's column to one of `FIELDS`; the others are left alone.
    UnrecognisedColumns when one is missing or double, InputProblem when a count is not a whole number from 0 on, or no
    whole number gives a rate.
    """
    file_name, titles, rows, notes = read_rows(source, name, WANTED)
    often = Counter(titles)
    header = [title if often[title] == 1 else f"{title} (column {at})" for at, title in enumerate(titles, 1)]
    try:
        places = _places(file_name, header if columns is None else [columns.get(each, "") for each in header])
    except InputProblem as problem:
        width = len(header)
        head = [[*cells, *[""] * width][:width] for _, cells in rows[:SHOWN]]
        raise UnrecognisedColumns(str(problem), header, pd.DataFrame(head, columns=header)) from None
    for number, cells in rows:
        if len(cells) > len(header):
            raise InputProblem(
                f"{file_name}, line {number} has {len(cells)} cells and the header {len(header)}; make them equal."
            )
    lines = [number for number, _ in rows]
    cells_of: dict[str, list[str]] = dict.fromkeys(FIELDS, [""] * len(rows))
    for field, at in places.items():
        cells_of[field] = [cells[at].strip() if at < len(cells) else "" for _, cells in rows]
    if "study" not in places:
        cells_of["study"] = [f"study {at}" for at in range(1, len(rows) + 1)]
    if "TP" in places:
        counts = [
            [count_of(file_name, at, cell, text) for at, text in zip(lines, cells_of[cell], strict=True)]
            for cell in CELLS
        ]
    else:
        counts = _from_rates(file_name, lines, cells_of, notes)
    tables = Tables(tuple(cells_of["study"]), *np.array(counts, dtype=float))
    return TableFile(tables, (*notes, *same_studies(tables)))


def _places(file_name: str, header: Sequence[str]) -> dict[str, int]:
    """Column of each field: of the counts, or of rates where a file has no counts."""
    plain = set(map(plain_title, header))
    counted = not plain.isdisjoint(SYNONYMS["TP"] + SYNONYMS["FN"])
    if not counted and not plain.isdisjoint(RATES["sensitivity"]):
        return places_of(file_name, header, {"study": SYNONYMS["study"], **RATES}, ("sensitivity",), WANTED)
    return places_of(file_name, header, SYNONYMS, ("TP", "FN"), WANTED)


def _from_rates(
    file_name: str, lines: Sequence[int], cells_of: Mapping[str, Sequence[str]], notes: list[str]
) -> list[list[float]]:
    """TP, FP, FN and TN, recovered from rates and group sizes; what had to be chosen goes into the notes."""
    notes.append("Counts were recovered by rounding: the whole numbers of patients that give these rates.")
    said: dict[str, list[tuple[str, int | None]]] = {}
    for rate in ("sensitivity", "specificity"):
        said[rate] = []
        for number, text in zip(lines, cells_of[rate], strict=True):
            with _at_line(file_name, number):
                said[rate].append(("", None) if text.lower() in MISSING else rate_and_size(text))
        # A column of per cents often leaves out the sign.
        plain = {text for text, size in said[rate] if text and size is None and "%" not in text}
        if any(float(text.replace(",", ".")) > 1 for text in plain):
            said[rate] = [
                (f"{text} %" if text in plain and size is None else text, size) for text, size in said[rate]
            ]
    counts: list[list[float]] = [[] for _ in CELLS]
    for at, number in enumerate(lines):
        with _at_line(file_name, number):
            (sensitivity, diseased), (specificity, healthy) = said["sensitivity"][at], said["specificity"][at]
            diseased = diseased or _size("diseased", cells_of["diseased"][at])
            healthy = healthy or _size("healthy", cells_of["healthy"][at])
            if diseased is None:
                raise InputProblem("There is no number of diseased patients; give it in a column of its own.")
            found = from_rates(sensitivity, diseased, specificity, healthy)
        notes += [f"{cells_of['study'][at]}: {note}" for note in found.notes]
        for column, count in zip(counts, (found.TP, found.FP, found.FN, found.TN), strict=True):
            column.append(math.nan if count is None else float(count))
    return counts


def _size(group: str, text: str) -> int | None:
    value = whole_count(text)
    if value is None and text.lower() not in MISSING:
        raise InputProblem(f"The number of {group} patients is '{text}'; give a whole number from 1 on.")
    return None if value is None else int(value)


@contextmanager
def _at_line(file_name: str, number: int) -> Iterator[None]:
    """Says of a problem where it is."""
    try:
        yield
    except InputProblem as problem:
        raise InputProblem(f"{file_name}, line {number}: {problem}") from None


def read_rows(
    source: Path | str | BinaryIO, name: str | None, wanted: str
) -> tuple[str, list[str], list[tuple[int, list[str]]], list[str]]:
    """Name of the file, its header, its rows with their lines, and what is to be said of its encoding."""
    with open_source(source, name) as opened:
        if opened.suffix in XLSX.suffixes:
            sheet, notes = first_sheet(opened)
            numbered = [(number, list(cells)) for number, cells in sheet]
        else:
            encoding, notes = detect_encoding(opened)
            with opened.text(encoding, newline="") as stream:
                numbered = _cells(opened.name, stream.read().splitlines())
    check_count(opened.name, len(numbered), BUDGET.studies, "studies")
    # A title above the table has one cell.
    filled = (sum(bool(cell.strip()) for cell in cells) for _, cells in numbered)
    start = next((at for at, cells in enumerate(filled) if cells > 1), 0)
    if len(numbered) < start + 2:
        raise InputProblem(f"{opened.name} holds no studies; give a header with {wanted} and a line a study.")
    return opened.name, [cell.strip() for cell in numbered[start][1]], numbered[start + 1 :], notes


def _cells(name: str, lines: list[str]) -> list[tuple[int, list[str]]]:
    """The cells of each line that has any, with its number."""
    delimiter = max(DELIMITERS, key=lambda each: sum(line.count(each) for line in lines[:20]))
    numbered = []
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for number, cells in enumerate(reader, start=1):
            check_columns(name, f"line {number}", len(cells))
            if any(cell.strip() for cell in cells):
                numbered.append((number, cells))
                check_count(name, len(numbered), BUDGET.studies, "studies")
    except csv.Error:
        raise InputProblem(
            f"Line {reader.line_num + 1} of {name} cannot be read as cells; look there for a quotation "
            "mark that is never closed."
        ) from None
    return numbered


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
    """The whole number from 0 on that a text stands for, None where it is none."""
    try:
        value = float(text) if len(text) <= LONGEST_NUMBER else math.nan
    except ValueError:
        return None
    # Python reads "1_0" as 10, which nobody means.
    return value if value.is_integer() and value >= 0 and "_" not in text else None


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
