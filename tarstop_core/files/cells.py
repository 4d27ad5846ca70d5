"""Read tables of cells below a header from CSV, TSV or Excel, and studies from RevMan."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import HEADER_ROWS
from tarstop_core.files.delimited import filled_rows
from tarstop_core.files.record_tables import Row
from tarstop_core.files.revman import revman_rows
from tarstop_core.files.source import BUDGET, Source, check_count, open_source
from tarstop_core.files.xlsx import XLSX, first_sheet

TEXT_SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
SUFFIXES = (*TEXT_SUFFIXES, *XLSX.suffixes)
ColumnsOf = Callable[[Sequence[str]], dict[str, list[int]]]
"""Maps titles to the columns of each recognised field."""


class Cells(NamedTuple):
    """A table of cells."""

    name: str  # Name of the file for messages
    titles: list[str]
    rows: list[Row]
    notes: list[str]  # Sentences on how the file was read


def read_cells(source: Path | str | BinaryIO) -> Cells:
    """Read a table whose header may have two lines; InputProblem when there are no lines below it, or too many."""
    with open_source(source) as opened:
        rows, notes = _rows(opened)
    check_count(opened.name, len(rows), BUDGET.sheet_rows, "lines")
    if len(rows) < 2:
        raise InputProblem(f"{opened.name} contains no table; give a header and lines below it.")
    header = 2 if _groups_above(rows) else 1
    return Cells(opened.name, titles_at([row for _, row in rows[:header]]), rows[header:], notes)


def _groups_above(rows: Sequence[Row]) -> bool:
    """Whether the first line names groups of columns, such as “costs, , effects, ” above the names of options."""
    if len(rows) < 3:
        return False
    groups, titles, first = ([cell.strip() for cell in row] for _, row in rows[:3])
    named = [group for group, title in zip(groups, titles, strict=False) if title]
    are_titles = len(set(named)) == len(named) and all(named)
    return (
        not are_titles
        and len(set(filter(None, titles))) > 1
        and not any(map(_is_number, titles))
        and any(map(_is_number, first))
    )


def read_studies(
    source: Path | str | BinaryIO, name: str | None, wanted: str, columns_of: ColumnsOf
) -> Cells:
    """Read a table of studies from CSV, TSV, Excel or RevMan.

    Parameters
    ----------
    source : path or binary file
        The file.
    name : str, optional
        Its name, for messages.
    wanted : str
        Names of the expected columns, for messages.
    columns_of : callable
        Maps titles to the columns of each field, to find the header.

    Returns
    -------
    Cells
        One study per row. Titles above the table are left out; repeated titles get the name of their group above.

    Raises
    ------
    InputProblem
        When there are no studies, or too many.
    """
    with open_source(source, name) as opened:
        rows, notes = revman_rows(opened) or _rows(opened)
    check_count(opened.name, len(rows), BUDGET.studies, "studies")
    cells = [row for _, row in rows]
    at = header_at(cells, columns_of)
    if len(rows) < at + 2:
        raise InputProblem(
            f"{opened.name} contains no studies; give a header with {wanted} and one line per study."
        )
    return Cells(opened.name, titles_at(cells[: at + 1]), rows[at + 1 :], notes)


def header_at(rows: Sequence[Sequence[str]], columns_of: ColumnsOf) -> int:
    """Find the header: the row without numbers in which most fields are recognised.

    If no row has two recognised fields, it is the first row with more than one cell, because a title above the table has
    only one.

    Parameters
    ----------
    rows : sequence of sequences of str
        The first rows of a file.
    columns_of : callable
        Maps titles to the columns of each field.

    Returns
    -------
    int
        Index of the header.
    """
    first = rows[:HEADER_ROWS]
    recognised = [
        0 if any(map(_is_number, row)) else len(columns_of(titles_at(first[: at + 1])))
        for at, row in enumerate(first)
    ]
    if max(recognised, default=0) > 1:
        return recognised.index(max(recognised))
    return next((at for at, row in enumerate(first) if sum(map(bool, map(str.strip, row))) > 1), 0)


def _is_number(cell: str) -> bool:
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))


def titles_at(rows: Sequence[Sequence[str]]) -> list[str]:
    """Titles in the last of the rows; a repeated title is prefixed by its group in the row above.

    >>> titles_at([["", "Experimental", "", "Control", ""], ["Study", "Events", "Total", "Events", "Total"]])
    ['Study', 'Experimental Events', 'Experimental Total', 'Control Events', 'Control Total']
    """
    titles = [title.strip() for title in rows[-1]]
    above = [cell.strip() for cell in rows[-2]] if len(rows) > 1 else []
    if sum(map(bool, above)) < 2:
        return titles
    often, group = Counter(titles), ""
    for at, title in enumerate(titles):
        group = above[at] if at < len(above) and above[at] else group
        if title and often[title] > 1:
            titles[at] = f"{group} {title}".strip()
    return titles


def cell_at(cells: Sequence[str], at: int) -> str:
    """The text of a cell without white space around it; "" if the row is too short."""
    return cells[at].strip() if at < len(cells) else ""


def text_files(folder: Path) -> list[Path]:
    """The CSV and TSV files of a folder, sorted by name, or the file itself; InputProblem when there are none."""
    if not folder.is_dir():
        return [folder]
    paths = sorted(path for path in folder.iterdir() if path.name.lower().endswith(TEXT_SUFFIXES))
    if not paths:
        raise InputProblem(f"The folder {folder.name} contains no CSV or TSV; put the outcomes there.")
    return paths


def _rows(source: Source) -> tuple[list[Row], list[str]]:
    """Rows of the first sheet of a workbook, or of a text file, without blank ones."""
    return first_sheet(source) if source.suffix in XLSX.suffixes else filled_rows(source)
