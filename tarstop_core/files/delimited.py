"""CSV and TSV: any of three delimiters, a preamble before the header, one bad row named."""

import contextlib
import csv
import io
import itertools
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from tarstop_core.errors import InputProblem
from tarstop_core.files.budget import check_columns
from tarstop_core.files.columns import (
    Progress,
    RecordTable,
    Row,
    collect,
    cut,
    find_header,
    finish,
    make_layout,
)
from tarstop_core.files.format import Format
from tarstop_core.files.source import Source, detect_encoding

_SAMPLE_CHARACTERS = 200_000
_SAMPLE_ROWS = 60
# Longest single cell. Patent descriptions reach some hundred thousand characters; the rest of a file
# swallowed by an unclosed quotation mark is longer.
_LONGEST_CELL = 5_000_000
_ROWS_AT_A_TIME = 256
_ONE_LIMIT = threading.RLock()
# A line that ends every file given to the csv module. A quotation mark left open swallows it.
_END = "\x1eend of file\x1e"


def read_delimited(
    source: Source, columns: Mapping[str, str] | None, progress: Progress | None
) -> RecordTable:
    """Read CSV or TSV (the delimiter is found, whatever the suffix)."""
    encoding, notes = detect_encoding(source)
    sample, complete = _sample(source, encoding)
    delimiter = _sniff(sample, complete, columns, source.suffix)
    read = partial(_read, source, encoding, delimiter, columns, progress, notes)
    try:
        return read(csv.QUOTE_MINIMAL)
    except _BrokenRows as problem:
        if delimiter != "\t":
            raise
        # Some tab-delimited exports write quotation marks as they are, and never quote a cell.
        try:
            return read(csv.QUOTE_NONE)
        except InputProblem:
            raise problem from None


class _BrokenRows(InputProblem):
    """Rows do not fit the header."""


def _read(
    source: Source,
    encoding: str,
    delimiter: str,
    columns: Mapping[str, str] | None,
    progress: Progress | None,
    of_encoding: Sequence[str],
    quoting: Literal[0, 3],
) -> RecordTable:
    unpaired = ["Quotation marks do not pair up, so they were read as part of the text."]
    notes = [*of_encoding, *(unpaired if quoting == csv.QUOTE_NONE else [])]
    with source.text(encoding, newline="") as stream:
        rows = _rows(source.name, stream, delimiter, quoting)
        first = list(itertools.islice(rows, _SAMPLE_ROWS))
        start, _ = find_header([cells for _, cells in first], columns)
        line, header = first[start]
        skipped = [cells for _, cells in first[:start] if any(cell.strip() for cell in cells)]
        if skipped:
            shown = cut(delimiter.join(skipped[0]))
            lines = "1 line" if len(skipped) == 1 else f"{len(skipped)} lines"
            notes.append(f'Skipped {lines} before the header, which is line {line}: "{shown}".')
        cells = (cells for _, cells in first[start + 1 :])
        layout = make_layout(source.name, header, f"line {line}", cells, columns)
        notes += layout.unused()
        body = _even(source.name, itertools.chain(first[start + 1 :], rows), layout.header)
        found, numbers = collect(source.name, body, layout, progress, source.fraction)
    kind = "tsv" if delimiter == "\t" else "csv"
    names = layout.header
    return finish(source.name, kind, found, numbers, layout.understood, notes, header=names, above=skipped)


def _sample(source: Source, encoding: str) -> tuple[list[str], bool]:
    """Return the first lines, and whether they are all there is."""
    with source.text(encoding, newline="") as stream:
        text = stream.read(_SAMPLE_CHARACTERS)
    lines = list(io.StringIO(text, newline=""))
    complete = len(text) < _SAMPLE_CHARACTERS
    return (lines if complete else lines[:-1] or lines), complete


def _sniff(lines: Sequence[str], complete: bool, columns: Mapping[str, str] | None, suffix: str) -> str:
    """Choose the delimiter under which a title is recognised and the rows are even."""

    def merit(delimiter: str) -> tuple[int, float, int, bool]:
        reader = csv.reader(iter(lines), delimiter=delimiter)
        rows: list[list[str]] = []
        with contextlib.suppress(csv.Error), _long_cells():  # the reader proper names the line
            rows.extend(itertools.islice(reader, _SAMPLE_ROWS))
        if not complete and len(rows) > 1 and len(rows) < _SAMPLE_ROWS:
            rows.pop()  # the sample ends inside it
        filled = [row for row in rows if row]
        if not filled:
            return 0, 0.0, 0, False
        start, recognised = find_header(filled, columns)
        width = len(filled[start])
        even = sum(len(row) == width for row in filled) / len(filled) if width > 1 else 0.0
        return recognised, even, width, (delimiter == "\t") == (suffix in (".tsv", ".tab"))

    return max(",;\t", key=merit)


def _rows(name: str, stream: Iterable[str], delimiter: str, quoting: Literal[0, 3]) -> Iterator[Row]:
    """Yield (line on which the row starts, cells); blank lines give no row."""
    ended = itertools.chain(stream, [_END + delimiter + _END])
    reader = csv.reader(ended, delimiter=delimiter, quoting=quoting)
    start, widest = 1, 0
    for cells, end in _parsed(reader):
        if cells is None:
            raise _BrokenRows(
                f"The row that begins on line {start} of {name} has a cell longer than {_LONGEST_CELL:,} "
                "characters; look for a quotation mark that is never closed."
            )
        if cells == [_END, _END]:
            return
        if cells and cells[-1].endswith(_END):
            raise _BrokenRows(
                f"The row that begins on line {start} of {name} opens a quotation mark that is never closed; "
                "close it, or double the marks that belong to the text."
            )
        if cells:
            if len(cells) > widest:
                widest = len(cells)
                check_columns(name, f"line {start}", widest)
            yield start, cells
        start = end + 1


@contextlib.contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be long: the csv module has one limit for the whole program, which others rely on."""
    with _ONE_LIMIT:
        before = csv.field_size_limit(_LONGEST_CELL)
        try:
            yield
        finally:
            csv.field_size_limit(before)


def _parsed(reader: Any) -> Iterator[tuple[list[str] | None, int]]:
    """Rows with the line on which each ends; None for one with too long a cell, which is the last.

    Whole handfuls at a time, so that the limit is not moved for every row, nor while others use a row.
    """
    while True:
        rows: list[tuple[list[str] | None, int]] = []
        try:
            with _long_cells():
                rows.extend((row, reader.line_num) for row in itertools.islice(reader, _ROWS_AT_A_TIME))
        except csv.Error:
            rows.append((None, reader.line_num))
        yield from rows
        if len(rows) < _ROWS_AT_A_TIME or rows[-1][0] is None:
            return


def _even(name: str, rows: Iterable[Row], header: Sequence[str]) -> Iterator[Row]:
    """Pass rows that fit the header, drop blank ones, refuse the first that does not fit."""
    width = len(header)
    # Cells that only close the line ("a,b,") may be missing from the rows, or be extra in them.
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
