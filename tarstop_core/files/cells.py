"""A table as it stands in a file: a header and lines of cells, from CSV, TSV or Excel, and studies from RevMan too."""

from pathlib import Path
from typing import BinaryIO, NamedTuple

from tarstop_core.errors import InputProblem
from tarstop_core.files.delimited import filled_rows
from tarstop_core.files.record_tables import Row
from tarstop_core.files.revman import revman_rows
from tarstop_core.files.source import BUDGET, Source, check_count, open_source
from tarstop_core.files.xlsx import XLSX, first_sheet

TEXT_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
SUFFIXES = (*TEXT_SUFFIXES, *XLSX.suffixes)


class Cells(NamedTuple):
    """What a table says."""

    name: str  # Of the file, for messages
    titles: list[str]
    rows: list[Row]
    notes: list[str]  # How the text was read


def read_cells(source: Path | str | BinaryIO) -> Cells:
    """The cells of a table. InputProblem when it has no line below its header, or too many."""
    with open_source(source) as opened:
        rows, notes = _rows(opened)
    check_count(opened.name, len(rows), BUDGET.sheet_rows, "lines")
    if len(rows) < 2:
        raise InputProblem(f"{opened.name} holds no table; give a header and lines below it.")
    return _below(opened.name, rows, notes)


def read_studies(source: Path | str | BinaryIO, name: str | None, wanted: str) -> Cells:
    """Read the cells of a table of studies.

    Parameters
    ----------
    source : path or binary file
        The file.
    name : str, optional
        Its name, for messages.
    wanted : str
        Its columns, for messages.

    Returns
    -------
    Cells
        A study a row; a title above the table is left out.

    Raises
    ------
    InputProblem
        When there is no study in it, or too many.
    """
    with open_source(source, name) as opened:
        rows, notes = revman_rows(opened) or _rows(opened)
    check_count(opened.name, len(rows), BUDGET.studies, "studies")
    # A title above the table has one cell.
    filled = (sum(bool(cell.strip()) for cell in cells) for _, cells in rows)
    start = next((at for at, cells in enumerate(filled) if cells > 1), 0)
    if len(rows) < start + 2:
        raise InputProblem(f"{opened.name} holds no studies; give a header with {wanted} and a line a study.")
    return _below(opened.name, rows[start:], notes)


def text_files(folder: Path) -> list[Path]:
    """The tables of outcomes in a folder, by name; a file stands for itself. InputProblem when there is none."""
    if not folder.is_dir():
        return [folder]
    paths = sorted(path for path in folder.iterdir() if path.name.lower().endswith(TEXT_SUFFIXES))
    if not paths:
        raise InputProblem(f"The folder {folder.name} holds no CSV or TSV; put the outcomes there.")
    return paths


def _rows(source: Source) -> tuple[list[Row], list[str]]:
    """The rows that are not blank, of the first sheet or of a text."""
    return first_sheet(source) if source.suffix in XLSX.suffixes else filled_rows(source)


def _below(name: str, rows: list[Row], notes: list[str]) -> Cells:
    """The first row as header of the others."""
    return Cells(name, [title.strip() for title in rows[0][1]], rows[1:], notes)
