"""Read Excel workbooks: the first sheet with records."""

import datetime
import io
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import openpyxl

from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import SAMPLE_ROWS, find_header
from tarstop_core.files.record_tables import Format, Grid, Progress, RecordTable, Row, read_grid
from tarstop_core.files.source import BUDGET, Source, check_columns, check_workbook


def read_xlsx(source: Source, columns: Mapping[str, str] | None, progress: Progress | None) -> RecordTable:
    """Read the first sheet with a recognised column of titles, or else the first one that is not empty.

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
        One record per row; a note names the sheet if there are several.

    Raises
    ------
    InputProblem
        When the workbook is empty or damaged; UnrecognisedColumns when no column holds the titles.
    """
    sheets = _sheets(source)
    chosen: Any = None
    rows_in_all = 1
    for sheet in sheets:
        # The size that a sheet claims serves only for the progress, because programs get it wrong.
        size = sheet.max_row or 1
        sheet.reset_dimensions()
        first = [cells for _, cells in itertools.islice(_rows(source.name, sheet), SAMPLE_ROWS)]
        recognised = find_header(first, columns)[1]
        if first and (chosen is None or recognised):
            chosen, rows_in_all = sheet, size
        if recognised:
            break
    if chosen is None:
        raise InputProblem(f"{source.name} is empty; save it again with its records.")
    row = 0

    def rows() -> Iterator[Row]:
        nonlocal row
        for number, cells in _rows(source.name, chosen):
            row = number
            yield number, cells

    grid = Grid(source, "xlsx", rows(), unit="row", fraction=lambda: min(1.0, row / rows_in_all))
    table = read_grid(grid, columns, _which(chosen, sheets), progress)
    chosen.parent.close()
    return table


def first_sheet(source: Source) -> tuple[list[Row], list[str]]:
    """Rows of the first sheet that is not empty, and a sentence that names it if there are several."""
    sheets = _sheets(source)
    for sheet in sheets:
        sheet.reset_dimensions()
        if rows := list(_rows(source.name, sheet)):
            return rows, _which(sheet, sheets)
    raise InputProblem(f"{source.name} is empty; save it again with its studies.")


def _which(sheet: Any, sheets: list[Any]) -> list[str]:
    """A sentence that names the sheet, if there are several."""
    return [f'Read the sheet "{sheet.title}" of {len(sheets)}.'] if len(sheets) > 1 else []


def _sheets(source: Source) -> list[Any]:
    """Open the sheets with cells of a workbook."""
    with source.binary() as stream:
        content = io.BytesIO(stream.read())
    try:
        check_workbook(source.name, content, source.size)
        # openpyxl raises many kinds of exceptions for damaged or foreign archives.
        book = openpyxl.load_workbook(content, read_only=True, data_only=True)
        return [sheet for sheet in book.worksheets if hasattr(sheet, "iter_rows")]
    except InputProblem:
        raise
    except Exception as problem:
        raise InputProblem(
            f"{source.name} is not a readable Excel workbook; save it again as .xlsx or export it as CSV."
        ) from problem


def _rows(name: str, sheet: Any) -> Iterator[Row]:
    """Yield number and texts of each row that is not blank."""
    seen = 0
    try:
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
            seen += len(row)
            if number > BUDGET.sheet_rows or seen > BUDGET.cells:
                end = f"{BUDGET.cells:,} cells (row {number:,})"
                if number > BUDGET.sheet_rows:
                    end = f"row {BUDGET.sheet_rows:,}, where Excel ends"
                raise InputProblem(
                    f'The sheet "{sheet.title}" of {name} continues beyond {end}; copy the records into a new '
                    "workbook, or export them as CSV."
                )
            if row.count(None) == len(row):
                continue
            if len(row) > BUDGET.columns:
                check_columns(name, f"row {number:,}", len(row))
            cells = ["" if cell is None else _text(cell) for cell in row]
            if any(cells):
                yield number, cells
    except InputProblem:
        raise
    except Exception as problem:  # as in _sheets
        raise InputProblem(
            f'The sheet "{sheet.title}" of {name} is damaged; save the workbook again or export it as CSV.'
        ) from problem


def _text(cell: object) -> str:
    if isinstance(cell, datetime.datetime):
        return cell.date().isoformat() if cell.time() == datetime.time() else cell.isoformat(" ")
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
        return str(int(cell))  # a PMID of 123456.0
    return str(cell).replace("_x000D_", "")


XLSX = Format("xlsx", "Excel", (".xlsx", ".xlsm"), read_xlsx)
