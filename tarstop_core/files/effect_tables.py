"""Studies of an intervention from CSV, TSV or Excel: events, means, or estimates, one study a line."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from tarstop_core.documents.tables import LONGEST_NUMBER
from tarstop_core.effects.studies import Form, Studies
from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import Vocabulary, names_of, only_columns, plain_title
from tarstop_core.files.tables import MISSING, read_rows, whole_count

_EFFECTS = Vocabulary(names_of("effects"), plain_title)
WANTED = "study, events_treated, n_treated, events_control, n_control"
COUNTED = ("events", "n")
"""Columns that begin so hold whole numbers."""


def read_effects(source: Path | str | BinaryIO, name: str | None = None) -> tuple[Studies, tuple[str, ...]]:
    """Read studies of an intervention, one a line, in the first form of :class:`Form` whose columns are there.

    Parameters
    ----------
    source : path or binary file
        CSV, TSV or Excel, gzipped or not.
    name : str, optional
        Its name, for messages.

    Returns
    -------
    tuple of Studies and tuple of str
        The studies, and notes on how the file was read. A missing number (empty, "NA") leaves its study out.

    Raises
    ------
    InputProblem
        When no form's columns are there, a cell is no number or a count is no whole one, or a row cannot be.
    """
    file_name, header, rows, notes = read_rows(source, name, WANTED)
    there = _EFFECTS.columns(header)
    form = next((each for each in Form if all(column in there for column in each.columns)), None)
    if form is None:
        forms = "; ".join(", ".join(each.columns) for each in Form)
        raise InputProblem(
            f"{file_name} has no columns of studies ({', '.join(header)}); one of these is needed: {forms}."
        )
    places = only_columns(file_name, header, _EFFECTS, form.columns, WANTED)
    values = [
        [_number(file_name, line, column, _cell(cells, places[column])) for column in form.columns]
        for line, cells in rows
    ]
    names = tuple(
        _cell(cells, places["study"]) if "study" in places else f"study {at}"
        for at, (_, cells) in enumerate(rows, 1)
    )
    try:
        return Studies(names, form, np.array(values, dtype=float)), tuple(notes)
    except InputProblem as problem:
        raise InputProblem(f"{file_name}: {problem}") from None


def _cell(cells: Sequence[str], at: int) -> str:
    return cells[at].strip() if at < len(cells) else ""


def _number(file_name: str, line: int, column: str, text: str) -> float:
    if text.lower() in MISSING:
        return math.nan
    if column.split("_")[0] in COUNTED:
        count = whole_count(text)
        if count is None:
            asked = (
                "give the count, not a percentage" if text.endswith("%") else "give a whole number from 0 on"
            )
            raise InputProblem(f"{file_name}, line {line}: {column} is '{text}'; {asked}.")
        return count
    try:
        value = float(text.replace("−", "-")) if len(text) <= LONGEST_NUMBER else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputProblem(f"{file_name}, line {line}: {column} is '{text}'; give a number.")
    return value
