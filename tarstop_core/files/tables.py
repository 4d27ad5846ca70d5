"""Read 2×2 tables from CSV, TSV, Excel or RevMan: counts, or rates with group sizes."""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from tarstop_core.documents import totals
from tarstop_core.documents.tables import CELLS, LONGEST_NUMBER, Tables, from_rates, rate_and_size
from tarstop_core.effects.bias import BIAS_WORDS, Bias, worst
from tarstop_core.errors import InputProblem
from tarstop_core.files.cells import cell_at, read_studies
from tarstop_core.files.columns import (
    UnrecognisedColumns,
    Vocabulary,
    distinct,
    names_of,
    only_columns,
    plain_title,
)
from tarstop_core.files.record_tables import Row

SYNONYMS, RATES, JUDGED = names_of("tables"), names_of("rates"), names_of("bias")
FIELDS = (*SYNONYMS, *RATES, *JUDGED)  # Fields that a person may choose for a column
BIAS = next(iter(JUDGED))  # Field of the overall risk of bias
TYPED = SYNONYMS | {BIAS: (*JUDGED[BIAS], *JUDGED["overall"])}
"""Names of the fields of a typed or pasted table."""
_COUNTS = Vocabulary(SYNONYMS | JUDGED, plain_title)
_RATES = Vocabulary({"study": SYNONYMS["study"], **RATES, **JUDGED}, plain_title)
WANTED = "TP, FP, FN, TN"
MISSING = frozenset({"", "na", "n/a", "nan", "-", "–", "."})
# Numbers with separators of thousands. A point is not one of them, because "1.020" may be a fraction.
THOUSANDS = re.compile(r"[1-9]\d{0,2}([, \u00a0\u2009\u202f])\d{3}(\1\d{3})*")


@dataclass(frozen=True, eq=False)
class TableFile:
    """The 2×2 tables of a file."""

    tables: Tables
    notes: tuple[str, ...]  # Sentences on how the file was read and on repeated studies


def read_tables(
    source: Path | str | BinaryIO, name: str | None = None, columns: Mapping[str, str] | None = None
) -> TableFile:
    """Read 2×2 tables from a CSV, TSV or Excel file with one study per line, gzipped or not, or from RevMan.

    Columns TP and FN are required; FP and TN may be missing or incomplete. Without a column of names, studies are
    numbered. Instead of counts there may be sensitivity, specificity (also in per cent, with intervals) and the numbers
    of diseased and healthy patients; counts are then the whole numbers that round to these rates.

    Parameters
    ----------
    source : path or binary file
        The file.
    name : str, optional
        Its name, for messages.
    columns : mapping, optional
        A person's choice: column of the file to one of `FIELDS`; other columns are ignored.

    Returns
    -------
    TableFile

    Raises
    ------
    InputProblem
        When a count is not a whole number ≥ 0, or no whole number gives a rate; UnrecognisedColumns when a column is
        missing or repeated.
    """
    file_name, titles, rows, notes = read_studies(source, name, WANTED, _known)
    header = distinct(titles)
    fields = header if columns is None else [columns.get(title, "") for title in header]
    try:
        places = _places(file_name, fields)
    except InputProblem as problem:
        preview = [cells for _, cells in rows]
        raise UnrecognisedColumns(str(problem), header, preview, _known(header)) from None
    for number, cells in rows:
        if len(cells) > len(header):
            raise uneven(file_name, number, len(cells), len(header))
    rows, left_out = without_totals(rows, places)
    notes += left_out
    if not rows:
        raise InputProblem(
            f"{file_name} contains no studies; give a header with {WANTED} and one line per study."
        )
    lines = [number for number, _ in rows]
    texts: dict[str, list[str]] = dict.fromkeys(FIELDS, [""] * len(rows))
    for field, at in places.items():
        texts[field] = [cell_at(cells, at) for _, cells in rows]
    if "study" in places and "year" in places:
        # MetaDTA has the author and the year of a study in two columns.
        pairs = zip(texts["study"], texts["year"], strict=True)
        texts["study"] = [f"{study} {year}" if year not in study else study for study, year in pairs]
    elif "study" not in places:
        texts["study"] = [f"study {at}" for at in range(1, len(rows) + 1)]
    counts = (
        counts_of(file_name, lines, texts) if "TP" in places else _from_rates(file_name, lines, texts, notes)
    )
    bias = judgments(file_name, lines, texts, {field: fields[at] for field, at in places.items()})
    tables = Tables(tuple(texts["study"]), *np.array(counts, dtype=float), bias=bias)
    return TableFile(tables, (*notes, *same_studies(tables)))


def _places(file_name: str, header: Sequence[str]) -> dict[str, int]:
    """Column of each field: of the counts, or of the rates if the file has no counts."""
    counted = {"TP", "FN"} & _COUNTS.columns(header).keys()
    if not counted and "sensitivity" in _RATES.columns(header):
        return only_columns(file_name, header, _RATES, ("sensitivity",), WANTED)
    return only_columns(file_name, header, _COUNTS, ("TP", "FN"), WANTED)


def _known(titles: Sequence[str]) -> dict[str, list[int]]:
    """Columns of each field that the titles name."""
    return _RATES.columns(titles) | _COUNTS.columns(titles)


def without_totals(rows: list[Row], places: Mapping[str, int]) -> tuple[list[Row], list[str]]:
    """Leave out rows that are not studies; return the others, and a sentence on those left out."""

    def cell(cells: Sequence[str], field: str) -> str:
        return cell_at(cells, places.get(field, len(cells)))

    names = [cell(cells, "study") or cell(cells, "docid") for _, cells in rows]
    counted = [field for field in CELLS if field in places]
    counts = [[whole_count(cell(cells, field)) for field in counted] for _, cells in rows]
    out = totals.rows_left_out(names, np.array(counts, dtype=float).reshape(len(rows), -1))
    if not out:
        return rows, []
    dropped = {row.at for row in out}
    kept = [row for at, row in enumerate(rows) if at not in dropped]
    return kept, [totals.sentence(out, [number for number, _ in rows])]


def uneven(file_name: str, number: int, cells: int, titles: int) -> InputProblem:
    """The problem of a line that is longer or shorter than the header.

    Parameters
    ----------
    file_name : str
        Name of the file.
    number : int
        Number of the line.
    cells, titles : int
        Numbers of cells of the line and of the header.

    Returns
    -------
    InputProblem
    """
    return InputProblem(
        f"{file_name}, line {number} has {cells} cells and the header {titles}; make them equal."
    )


def counts_of(file_name: str, lines: Sequence[int], texts: Mapping[str, Sequence[str]]) -> list[list[float]]:
    """Parse the counts of all lines.

    Parameters
    ----------
    file_name : str
        Name of the file, for messages.
    lines : sequence of int
        Line number of each study, for messages.
    texts : mapping of str to sequence of str
        Cells by field.

    Returns
    -------
    list of list of float
        TP, FP, FN and TN, each of all lines; NaN where FP or TN is missing.

    Raises
    ------
    InputProblem
        As for :func:`count_of`.
    """
    return [
        [count_of(file_name, line, cell, text) for line, text in zip(lines, texts[cell], strict=True)]
        for cell in CELLS
    ]


def _from_rates(
    file_name: str, lines: Sequence[int], cells_of: Mapping[str, Sequence[str]], notes: list[str]
) -> list[list[float]]:
    """Recover TP, FP, FN and TN of all lines from rates and group sizes; add sentences on rounding to `notes`."""
    notes.append("Counts were recovered by rounding: the whole numbers of patients that give these rates.")
    written: dict[str, list[tuple[str, int | None]]] = {}
    for rate in ("sensitivity", "specificity"):
        written[rate] = []
        for number, text in zip(lines, cells_of[rate], strict=True):
            with _at_line(file_name, number):
                written[rate].append(("", None) if text.lower() in MISSING else rate_and_size(text))
        # Columns in per cent often have no % sign.
        plain = {text for text, size in written[rate] if text and size is None and "%" not in text}
        if any(float(text.replace(",", ".")) > 1 for text in plain):
            written[rate] = [
                (f"{text} %" if text in plain and size is None else text, size)
                for text, size in written[rate]
            ]
    counts: list[list[float]] = [[] for _ in CELLS]
    for at, number in enumerate(lines):
        with _at_line(file_name, number):
            sensitivity, diseased = written["sensitivity"][at]
            specificity, healthy = written["specificity"][at]
            diseased = diseased or _size("diseased", cells_of["diseased"][at])
            healthy = healthy or _size("healthy", cells_of["healthy"][at])
            if diseased is None:
                raise InputProblem("There is no number of diseased patients; give it in a column of its own.")
            table = from_rates(sensitivity, diseased, specificity, healthy)
        notes += [f"{cells_of['study'][at]}: {note}" for note in table.notes]
        for column, count in zip(counts, (table.TP, table.FP, table.FN, table.TN), strict=True):
            column.append(math.nan if count is None else float(count))
    return counts


def _size(group: str, text: str) -> int | None:
    """The number of patients of a group; None if it is missing."""
    value = whole_count(text)
    if value is None and text.lower() not in MISSING:
        raise InputProblem(f"The number of {group} patients is '{text}'; give a whole number, 1 or more.")
    return None if value is None else int(value)


@contextmanager
def _at_line(file_name: str, number: int) -> Iterator[None]:
    """Add file and line to the message of a problem."""
    try:
        yield
    except InputProblem as problem:
        raise InputProblem(f"{file_name}, line {number}: {problem}") from None


def count_of(file_name: str, number: int, cell: str, text: str) -> float:
    """Parse one count of a 2×2 table.

    Parameters
    ----------
    file_name : str
        Name of the file, for messages.
    number : int
        Number of the line, for messages.
    cell : {"TP", "FP", "FN", "TN"}
        Which count.
    text : str
        The text in the file.

    Returns
    -------
    float
        A whole number; NaN if FP or TN is missing.

    Raises
    ------
    InputProblem
        When the text is no whole number ≥ 0, or TP or FN is missing.
    """
    if text.lower() in MISSING:
        if cell in ("TP", "FN"):
            raise InputProblem(f"{file_name}, line {number} has no {cell}; every study needs TP and FN.")
        return math.nan
    value = whole_count(text)
    if value is None:
        raise InputProblem(f"{file_name}, line {number}: {cell} is '{text}'; give a whole number, 0 or more.")
    return value


def judgments(
    file_name: str, lines: Sequence[int], texts: Mapping[str, Sequence[str]], titles: Mapping[str, str]
) -> tuple[Bias | None, ...]:
    """Parse the risk of bias of each study: the overall judgment, or else the worst domain of QUADAS-2 or RoB 2.

    Parameters
    ----------
    file_name : str
        Name of the file, for messages.
    lines : sequence of int
        Line number of each study, for messages.
    texts : mapping of str to sequence of str
        Cells by field.
    titles : mapping of str to str
        Title of the column of each field. A column whose title may mean something else ("index test") is ignored unless
        all its cells are judgments and at least one is a word.

    Returns
    -------
    tuple of Bias or None
        One entry per study, or () if no study was judged.

    Raises
    ------
    InputProblem
        When a cell is no judgment.
    """
    columns = []
    for field in JUDGED:
        cells = texts.get(field, ())
        judges = field == BIAS or "bias" in titles.get(field, "").lower() or are_judgments(cells)
        columns.append(cells if cells and judges else [""] * len(lines))
    stated, overall, *domains = (
        [risk_of_bias(f"{file_name}, line {line}", text) for line, text in zip(lines, cells, strict=True)]
        for cells in columns
    )
    bias = tuple(
        risk or of_all or worst(others)
        for risk, of_all, *others in zip(stated, overall, *domains, strict=True)
    )
    return bias if any(bias) else ()


def are_judgments(cells: Sequence[str]) -> bool:
    """Whether all filled cells are judgments, and at least one is longer than a sign or letter."""
    given = {text.strip().lower() for text in cells} - (MISSING - BIAS_WORDS.keys())
    return given <= BIAS_WORDS.keys() and any(len(text) > 1 for text in given)


def risk_of_bias(place: str, text: str) -> Bias | None:
    """Parse one judgment of the risk of bias; None for an empty cell, InputProblem when the text is no judgment."""
    plain = text.strip().lower()
    if plain in BIAS_WORDS:
        return BIAS_WORDS[plain]
    if plain in MISSING:
        return None
    raise InputProblem(f"{place}: the risk of bias is '{text}'; give low, some or high.")


def whole_count(text: str) -> float | None:
    """Parse a whole number ≥ 0, with or without separators of thousands; None if the text is none."""
    if len(text) <= LONGEST_NUMBER and THOUSANDS.fullmatch(text):
        text = re.sub(r"\D", "", text)
    try:
        value = float(text) if len(text) <= LONGEST_NUMBER else math.nan
    except ValueError:
        return None
    # Python reads "1_0" as 10, but nobody means that.
    return value if value.is_integer() and value >= 0 and "_" not in text else None


def same_studies(tables: Tables, rows: Sequence[int] | None = None) -> tuple[str, ...]:
    """Sentences on studies that occur more than once, with equal or different counts.

    `rows` are the row numbers that the person sees; without them, studies are numbered from 1.
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
                f"{many.capitalize()} {', '.join(map(str, others))} and {last} share the name {name or '(none)'} with different counts, and each counts here; keep one if "
                "they have the same patients."
            )
    return tuple(notes)
