"""2×2 tables from CSV, TSV or Excel: TP, FP, FN and TN, or rates with group sizes, in any order, as people name them."""

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
from tarstop_core.files.cells import read_studies
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
FIELDS = (*SYNONYMS, *RATES, *JUDGED)  # What a column of a file may be taken for
BIAS = next(iter(JUDGED))  # The overall risk of bias
TYPED = SYNONYMS | {BIAS: (*JUDGED[BIAS], *JUDGED["overall"])}
"""Names of the columns of a typed or pasted table."""
_COUNTS = Vocabulary(SYNONYMS | JUDGED, plain_title)
_RATES = Vocabulary({"study": SYNONYMS["study"], **RATES, **JUDGED}, plain_title)
WANTED = "TP, FP, FN, TN"
MISSING = frozenset({"", "na", "n/a", "nan", "-", "–", "."})
# As spreadsheets write them; a point is left out, because "1.020" may be a fraction.
THOUSANDS = re.compile(r"[1-9]\d{0,2}([, \u00a0\u2009\u202f])\d{3}(\1\d{3})*")


@dataclass(frozen=True, eq=False)
class TableFile:
    """What a file of 2×2 tables holds."""

    tables: Tables
    notes: tuple[str, ...]  # Remarks for a person: the same study twice, how the text was read


def read_tables(
    source: Path | str | BinaryIO, name: str | None = None, columns: Mapping[str, str] | None = None
) -> TableFile:
    """Read 2×2 tables from a CSV, TSV or Excel file, gzipped or not, one study a line, or from RevMan.

    Columns TP and FN are needed; FP and TN may be missing, in part or both; a study column names the studies, which
    are numbered without one. Instead of counts there may be sensitivity and specificity (also in per cent, and with
    their intervals) and how many were diseased and healthy: counts are the whole numbers that round to them, which a
    note says.

    Parameters
    ----------
    source : path or binary file
        The file.
    name : str, optional
        Its name, for messages.
    columns : mapping, optional
        A person's choice: the file's column to one of `FIELDS`; the others are left alone.

    Returns
    -------
    TableFile
        The tables, and what a person should know of them.

    Raises
    ------
    InputProblem
        When a count is not a whole number, 0 or more, or no whole number gives a rate; UnrecognisedColumns when a column is
        missing or double.
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
        texts[field] = [cells[at].strip() if at < len(cells) else "" for _, cells in rows]
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
    """Column of each field: of the counts, or of rates where a file has no counts."""
    counted = {"TP", "FN"} & _COUNTS.columns(header).keys()
    if not counted and "sensitivity" in _RATES.columns(header):
        return only_columns(file_name, header, _RATES, ("sensitivity",), WANTED)
    return only_columns(file_name, header, _COUNTS, ("TP", "FN"), WANTED)


def _known(titles: Sequence[str]) -> dict[str, list[int]]:
    """Columns of each field that titles name."""
    return _RATES.columns(titles) | _COUNTS.columns(titles)


def without_totals(rows: list[Row], places: Mapping[str, int]) -> tuple[list[Row], list[str]]:
    """The rows that are studies, and a sentence on those that are not."""

    def cell(cells: Sequence[str], field: str) -> str:
        at = places.get(field, len(cells))
        return cells[at].strip() if at < len(cells) else ""

    names = [cell(cells, "study") or cell(cells, "docid") for _, cells in rows]
    counted = [field for field in CELLS if field in places]
    counts = [[_or_nan(whole_count(cell(cells, field))) for field in counted] for _, cells in rows]
    out = totals.rows_left_out(names, np.array(counts, dtype=float).reshape(len(rows), -1))
    if not out:
        return rows, []
    left = {row.at for row in out}
    kept = [row for at, row in enumerate(rows) if at not in left]
    return kept, [totals.sentence(out, [number for number, _ in rows])]


def _or_nan(count: float | None) -> float:
    return math.nan if count is None else count


def uneven(file_name: str, number: int, cells: int, titles: int) -> InputProblem:
    return InputProblem(
        f"{file_name}, line {number} has {cells} cells and the header {titles}; make them equal."
    )


def counts_of(file_name: str, lines: Sequence[int], texts: Mapping[str, Sequence[str]]) -> list[list[float]]:
    """Parse TP, FP, FN and TN of each line as written.

    Parameters
    ----------
    file_name, lines : str, sequence of int
        File, and line of each study, for messages.
    texts : mapping of str to sequence of str
        Cells by field.

    Returns
    -------
    list of list of float
        The four counts, each of all lines; NaN where FP or TN is missing.

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
    """Recover TP, FP, FN and TN from rates and group sizes; choices are added to `notes`."""
    notes.append("Counts were recovered by rounding: the whole numbers of patients that give these rates.")
    written: dict[str, list[tuple[str, int | None]]] = {}
    for rate in ("sensitivity", "specificity"):
        written[rate] = []
        for number, text in zip(lines, cells_of[rate], strict=True):
            with _at_line(file_name, number):
                written[rate].append(("", None) if text.lower() in MISSING else rate_and_size(text))
        # A column in per cent often has no % sign.
        plain = {text for text, size in written[rate] if text and size is None and "%" not in text}
        if any(float(text.replace(",", ".")) > 1 for text in plain):
            written[rate] = [
                (f"{text} %" if text in plain and size is None else text, size)
                for text, size in written[rate]
            ]
    counts: list[list[float]] = [[] for _ in CELLS]
    for at, number in enumerate(lines):
        with _at_line(file_name, number):
            (sensitivity, diseased), (specificity, healthy) = (
                written["sensitivity"][at],
                written["specificity"][at],
            )
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
    value = whole_count(text)
    if value is None and text.lower() not in MISSING:
        raise InputProblem(f"The number of {group} patients is '{text}'; give a whole number, 1 or more.")
    return None if value is None else int(value)


@contextmanager
def _at_line(file_name: str, number: int) -> Iterator[None]:
    """Add the name of the line to a problem."""
    try:
        yield
    except InputProblem as problem:
        raise InputProblem(f"{file_name}, line {number}: {problem}") from None


def count_of(file_name: str, number: int, cell: str, text: str) -> float:
    """Parse a count of a 2×2 table.

    Parameters
    ----------
    file_name, number : str, int
        File and line, for messages.
    cell : str
        TP, FP, FN or TN.
    text : str
        What the file has there.

    Returns
    -------
    float
        A whole number, or NaN where FP or TN is missing.

    Raises
    ------
    InputProblem
        When it is something else, or TP or FN is missing.
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
    """Read the risk of bias of each study from its column, or as the worst of the domains of QUADAS-2 or RoB 2.

    Parameters
    ----------
    file_name, lines : str, sequence of int
        File, and line of each study, for messages.
    texts : mapping of str to sequence of str
        Cells by field; an overall judgment counts where there is one.
    titles : mapping of str to str
        Title of the column of each field. One that may be about something else ("index test") is passed over unless all its
        cells are judgments and one of them is a word.

    Returns
    -------
    tuple of Bias or None
        A judgment for each study, or () where nobody judged any.

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
    """Whether all cells that are not empty are judgments, at least one of more than a sign or letter."""
    given = {text.strip().lower() for text in cells} - (MISSING - BIAS_WORDS.keys())
    return given <= BIAS_WORDS.keys() and any(len(text) > 1 for text in given)


def risk_of_bias(place: str, text: str) -> Bias | None:
    """Read one judgment of the risk of bias; None for an empty cell, InputProblem with the place if it is not a judgment."""
    plain = text.strip().lower()
    if plain in BIAS_WORDS:
        return BIAS_WORDS[plain]
    if plain in MISSING:
        return None
    raise InputProblem(f"{place}: the risk of bias is '{text}'; give low, some or high.")


def whole_count(text: str) -> float | None:
    """The non-negative integer in a text; None if it is not one."""
    if len(text) <= LONGEST_NUMBER and THOUSANDS.fullmatch(text):
        text = re.sub(r"\D", "", text)
    try:
        value = float(text) if len(text) <= LONGEST_NUMBER else math.nan
    except ValueError:
        return None
    # Python reads "1_0" as 10, which is never meant.
    return value if value.is_integer() and value >= 0 and "_" not in text else None


def same_studies(tables: Tables, rows: Sequence[int] | None = None) -> tuple[str, ...]:
    """Sentences on studies that occur more than once, with the same counts or with others.

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
                f"{many.capitalize()} {', '.join(map(str, others))} and {last} share the name {name or '(none)'} with different counts, and each counts here; keep one if "
                "they have the same patients."
            )
    return tuple(notes)
