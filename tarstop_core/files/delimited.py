"""Read CSV and TSV with any of three delimiters and lines before the header; write CSV that runs nothing in a spreadsheet."""

import contextlib
import csv
import io
import itertools
import re
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import pandas as pd

from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import SAMPLE_ROWS, find_header
from tarstop_core.files.record_tables import Format, Grid, Progress, RecordTable, Row, read_grid
from tarstop_core.files.source import BUDGET, Source, check_columns, detect_encoding

DELIMITERS = ",;\t"
_SAMPLE_CHARACTERS = 200_000
# Patent descriptions have some hundred thousand characters; a longer cell comes from an unclosed quotation mark.
_LONGEST_CELL = 5_000_000
_ROWS_AT_A_TIME = 256
_ONE_LIMIT = threading.RLock()
# A line appended to every file: if it is not read as a row, an unclosed quotation mark has swallowed it.
_END = "\x1eend of file\x1e"


class _BrokenRows(InputProblem):
    """Rows do not fit the header."""


def read_delimited(
    source: Source, columns: Mapping[str, str] | None, progress: Progress | None
) -> RecordTable:
    """Read CSV or TSV; the delimiter is detected, whatever the suffix.

    Parameters
    ----------
    source : Source
        The file.
    columns : mapping, optional
        A person's choice: column of the file to our field.
    progress : callable, optional
        Called with the share read so far, 0 to 1, and a few words.

    Returns
    -------
    RecordTable
        One record per row.

    Raises
    ------
    InputProblem
        When a row does not fit the header; UnrecognisedColumns when no column holds the titles.
    """
    encoding, notes = detect_encoding(source)
    sample, complete = _sample(source, encoding)
    delimiter = _sniff(sample, complete, columns, source.suffix)
    kind = "tsv" if delimiter == "\t" else "csv"

    def read(quoting: Literal[0, 3], notes: Sequence[str]) -> RecordTable:
        with source.text(encoding, newline="") as stream:
            rows = _rows(source.name, stream, delimiter, quoting)
            grid = Grid(source, kind, rows, between=delimiter)
            return read_grid(grid, columns, notes, progress, fitting=partial(_even, source.name))

    try:
        return read(csv.QUOTE_MINIMAL, notes)
    except _BrokenRows as problem:
        if delimiter != "\t":
            raise
        # Some tab-delimited exports contain quotation marks but never quote a cell.
        try:
            unpaired = "Quotation marks do not pair up, so they were read as part of the text."
            return read(csv.QUOTE_NONE, [*notes, unpaired])
        except InputProblem:
            raise problem from None


def filled_rows(source: Source) -> tuple[list[Row], list[str]]:
    """Rows of a file without blank ones, and a sentence if its encoding was guessed."""
    encoding, notes = detect_encoding(source)
    first = _sample(source, encoding)[0][:20]

    def merit(mark: str) -> tuple[int, int]:
        """Number of lines with the mark, then of all marks; a decimal comma, however frequent, is not in the header."""
        return sum(mark in line for line in first), sum(line.count(mark) for line in first)

    delimiter = max(DELIMITERS, key=merit)
    with source.text(encoding, newline="") as stream:
        rows = _rows(source.name, stream, delimiter, csv.QUOTE_MINIMAL)
        return [(number, cells) for number, cells in rows if any(map(str.strip, cells))], notes


def _sample(source: Source, encoding: str) -> tuple[list[str], bool]:
    """The first lines of a file, and whether it has no more."""
    with source.text(encoding, newline="") as stream:
        text = stream.read(_SAMPLE_CHARACTERS)
    lines = list(io.StringIO(text, newline=""))
    complete = len(text) < _SAMPLE_CHARACTERS
    return (lines if complete else lines[:-1] or lines), complete


def _sniff(lines: Sequence[str], complete: bool, columns: Mapping[str, str] | None, suffix: str) -> str:
    """Choose the delimiter with most recognised fields, then with most rows as long as the header."""

    def merit(delimiter: str) -> tuple[int, float, int, bool]:
        reader = csv.reader(iter(lines), delimiter=delimiter)
        rows: list[list[str]] = []
        with contextlib.suppress(csv.Error), _long_cells():  # _rows reports such a file, with its line
            rows.extend(itertools.islice(reader, SAMPLE_ROWS))
        if not complete and len(rows) > 1 and len(rows) < SAMPLE_ROWS:
            rows.pop()  # the sample may end inside the last row
        filled = [row for row in rows if row]
        if not filled:
            return 0, 0.0, 0, False
        start, recognised = find_header(filled, columns)
        width = len(filled[start])
        even = sum(len(row) == width for row in filled) / len(filled) if width > 1 else 0.0
        return recognised, even, width, (delimiter == "\t") == (suffix in (".tsv", ".tab"))

    return max(DELIMITERS, key=merit)


def _rows(name: str, stream: Iterable[str], delimiter: str, quoting: Literal[0, 3]) -> Iterator[Row]:
    """Yield the first line and the cells of each row, without blank lines."""
    ended = itertools.chain(stream, [_END + delimiter + _END])
    reader = csv.reader(ended, delimiter=delimiter, quoting=quoting)
    start, too_long = 1, False
    while not too_long:
        # Many rows at a time: the limit is changed seldom, and never while the caller works on a row.
        rows: list[tuple[list[str], int]] = []
        try:
            with _long_cells():
                rows.extend((cells, reader.line_num) for cells in itertools.islice(reader, _ROWS_AT_A_TIME))
        except csv.Error:
            too_long = True
        for cells, end in rows:
            if cells == [_END, _END]:
                return
            if cells and cells[-1].endswith(_END):
                raise _BrokenRows(
                    f"The row that begins on line {start} of {name} opens a quotation mark that is never closed; "
                    "close it, or double the marks that belong to the text."
                )
            if len(cells) > BUDGET.columns:
                check_columns(name, f"line {start}", len(cells))
            if cells:
                yield start, cells
            start = end + 1
    raise _BrokenRows(
        f"The row that begins on line {start} of {name} has a cell longer than {_LONGEST_CELL:,} "
        "characters; look for a quotation mark that is never closed."
    )


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    """Allow long cells for a moment; the limit of the csv module is global, and other code relies on it."""
    with _ONE_LIMIT:
        before = csv.field_size_limit(_LONGEST_CELL)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _even(name: str, rows: Iterable[Row], header: Sequence[str]) -> Iterator[Row]:
    """Yield rows that fit the header, without blank ones; InputProblem at the first that does not fit."""
    width = len(header)
    # Empty cells at the end of a line ("a,b,") may be missing from rows or be extra in them.
    needed = max((n for n, cell in enumerate(header, start=1) if cell), default=width)
    for number, cells in rows:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) < needed or any(cell.strip() for cell in cells[width:]):
            raise _BrokenRows(
                f"Line {number} of {name} has {len(cells)} {'cell' if len(cells) == 1 else 'cells'} where "
                f"the header has {width}; look there for a missing or extra delimiter or an unclosed "
                "quotation mark."
            )
        yield number, cells


CSV = Format("csv", "CSV", (".csv",), read_delimited)
TSV = Format("tsv", "TSV", (".tsv", ".tab"), read_delimited)


# --- writing --------------------------------------------------------------------------------------

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
NO_NUMBER = "--"
"""Written in place of a missing number; spreadsheets do not take it for a formula."""
# Where the comma is a decimal sign, spreadsheets split lines at semicolons or tabs and ignore our quotation marks, so
# text behind a semicolon, tab or line break begins a cell.
# Each stretch of white space is matched once, from its beginning, so that long ones take no longer.
_BEFORE_A_FORMULA = re.compile(r"(?:;\s*+|(?<![\s;])\s++)(?=[=+\-@＝＋－＠])")
_BEGINS_A_CELL = re.compile(r"([;\t\r\n])")


def trace_to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write rows of :func:`tarstop_core.screening.trace.trace` as CSV, numbers in full precision.

    Text that a spreadsheet would run as a formula gets an apostrophe in front, also behind a semicolon or line break.

    >>> print(trace_to_csv([{"id": "a", "title": "=1+1", "b": 0.5}, {"id": "b; @c", "b": -1}]), end="")
    id,title,b
    a,'=1+1,0.5
    b;' @c,,-1.0
    """
    return table_to_csv(pd.DataFrame([dict(row) for row in rows]))


def table_to_csv(frame: pd.DataFrame) -> str:
    """Write a table as CSV, with texts and titles made safe as in :func:`trace_to_csv`."""
    return str(without_formulas(frame).to_csv(index=False))


def without_formulas(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with texts that no spreadsheet runs as formulas, to be written to a file."""
    texts = [at for at, kind in enumerate(frame.dtypes) if not pd.api.types.is_numeric_dtype(kind)]
    safe = frame.copy(deep=False)
    for at in texts:
        safe.isetitem(at, list(map(_safe, frame.iloc[:, at])))
    return safe.set_axis([_safe(name) for name in frame.columns], axis="columns")


def _safe(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = _BEFORE_A_FORMULA.sub(lambda before: _BEGINS_A_CELL.sub(r"\1'", before[0]), value)
    if value.lstrip(" ").startswith(FORMULA_STARTS) and value != NO_NUMBER:
        text = f"'{text}"
    # A carriage return without a line feed would not be quoted, and would end the row.
    return text.replace("\r\n", "\n").replace("\r", "\n")
