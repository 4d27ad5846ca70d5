"""A table as it stands in a file: a header and lines of cells, from CSV, TSV or Excel."""

from pathlib import Path
from typing import BinaryIO, NamedTuple

from tarstop_core.errors import InputProblem
from tarstop_core.files.delimited import filled_rows
from tarstop_core.files.record_tables import Row
from tarstop_core.files.source import BUDGET, check_count, open_source
from tarstop_core.files.xlsx import XLSX, first_sheet

SUFFIXES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", *XLSX.suffixes)


class Cells(NamedTuple):
    """What a table says."""

    name: str  # Of the file, for messages
    titles: list[str]
    rows: list[Row]
    notes: list[str]  # How the text was read


def read_cells(source: Path | str | BinaryIO) -> Cells:
    """The cells of a table. InputProblem when it has no line below its header, or too many."""
    with open_source(source) as opened:
        rows, notes = (first_sheet if opened.suffix in XLSX.suffixes else filled_rows)(opened)
    check_count(opened.name, len(rows), BUDGET.sheet_rows, "lines")
    if len(rows) < 2:
        raise InputProblem(f"{opened.name} holds no table; give a header and lines below it.")
    return Cells(opened.name, [title.strip() for title in rows[0][1]], rows[1:], notes)
