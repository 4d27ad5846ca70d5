"""Tables as they are in files: a header and lines of cells, from CSV, TSV or Excel, and studies from RevMan."""

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
"""Returns the columns of each field that the titles name."""


class Cells(NamedTuple):
    """The contents of a table."""

    name: str  # Of the file, for messages
    titles: list[str]
    rows: list[Row]
    notes: list[str]  # How the text was read


def read_cells(source: Path | str | BinaryIO) -> Cells:
    """The cells of a table, whose header may have two lines. InputProblem when there is no line below it, or too many."""
    with open_source(source) as opened:
        rows, notes = _rows(opened)
    check_count(opened.name, len(rows), BUDGET.sheet_rows, "lines")
    if len(rows) < 2:
        raise InputProblem(f"{opened.name} contains no table; give a header and lines below it.")
    header = 2 if _groups_above(rows) else 1
    return Cells(opened.name, titles_at([row for _, row in rows[:header]]), rows[header:], notes)


def _groups_above(rows: Sequence[Row]) -> bool:
    """Whether the first line names groups of columns, as “costs, , effects, ” above the names of the options."""
    if len(rows) < 3:
        return False
    groups, titles, first = ([cell.strip() for cell in row] for _, row in rows[:3])
    named = [group for group, title in zip(groups, titles, strict=False) if title]
    once = len(set(named)) == len(named) and all(named)
    return (
        not once
        and len(set(filter(None, titles))) > 1
        and not any(map(_is_number, titles))
        and any(map(_is_number, first))
    )


def read_studies(
    source: Path | str | BinaryIO, name: str | None, wanted: str, columns_of: ColumnsOf
) -> Cells:
    """Read the cells of a table of studies.

    Parameters
    ----------
    source : path or binary file
        The file.
    name : str, optional
        Its name, for messages.
    wanted : str
        Its columns, for messages.
    columns_of : callable
        Columns of each field that titles name, by which the header is found.

    Returns
    -------
    Cells
        A study a row; a title above the table is left out, and a line of groups above the header names what it has twice.

    Raises
    ------
    InputProblem
        When there is no study in it, or too many.
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
    """Find the header: the first of the rows without numbers in which most columns are known.

    Where fewer than two are known in each, it is the first with more than one cell: a title above the table has one.

    Parameters
    ----------
    rows : sequence of sequences of str
        The first rows of a file.
    columns_of : callable
        Columns of each field that titles name.

    Returns
    -------
    int
    """
    first = rows[:HEADER_ROWS]
    columns = [
        0 if any(map(_is_number, row)) else len(columns_of(titles_at(first[: at + 1])))
        for at, row in enumerate(first)
    ]
    if max(columns, default=0) > 1:
        return columns.index(max(columns))
    return next((at for at, row in enumerate(first) if sum(map(bool, map(str.strip, row))) > 1), 0)


def _is_number(cell: str) -> bool:
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))


def titles_at(rows: Sequence[Sequence[str]]) -> list[str]:
    """The titles in the last of the rows; repeated ones get the name of their group in the row above as prefix.

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


def text_files(folder: Path) -> list[Path]:
    """Return the tables of outcomes in a folder, by name, or of one file; raise InputProblem if there are none."""
    if not folder.is_dir():
        return [folder]
    paths = sorted(path for path in folder.iterdir() if path.name.lower().endswith(TEXT_SUFFIXES))
    if not paths:
        raise InputProblem(f"The folder {folder.name} contains no CSV or TSV; put the outcomes there.")
    return paths


def _rows(source: Source) -> tuple[list[Row], list[str]]:
    """The rows that are not blank, of the first sheet or of a text."""
    return first_sheet(source) if source.suffix in XLSX.suffixes else filled_rows(source)
