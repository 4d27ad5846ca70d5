"""Studies of an intervention from CSV, TSV or Excel: events, means, or estimates, one study a line."""

import math
from collections.abc import Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tarstop_core.documents.tables import LONGEST_NUMBER
from tarstop_core.documents.topic import EffectOutcome, Topic, placed
from tarstop_core.effects.studies import Form, Studies, counted
from tarstop_core.errors import InputProblem
from tarstop_core.files.cells import read_studies, text_files
from tarstop_core.files.columns import UnrecognisedColumns, Vocabulary, names_of, only_columns, plain_title
from tarstop_core.files.record_tables import Row
from tarstop_core.files.tables import JUDGED, MISSING, judgments, whole_count

_EFFECTS = Vocabulary(names_of("effects") | JUDGED, plain_title)
_OUTCOMES = Vocabulary(names_of("outcomes"), plain_title)
WANTED = "study, events_treated, n_treated, events_control, n_control"


FIELDS = tuple(_EFFECTS.names)
"""Everything that a column may be."""


def read_effects(
    source: Path | str | BinaryIO, name: str | None = None, columns: Mapping[str, str] | None = None
) -> tuple[Studies, tuple[str, ...]]:
    """Read studies of an intervention, one a line, in the first form of :class:`Form` whose columns are there.

    Parameters
    ----------
    source : path or binary file
        CSV, TSV or Excel, gzipped or not.
    name : str, optional
        Its name, for messages.
    columns : mapping, optional
        A person's choice: the file's column to one of `FIELDS`; the others are left alone.

    Returns
    -------
    tuple of Studies and tuple of str
        The studies, and notes on how the file was read. A missing number (empty, "NA") leaves its study out.

    Raises
    ------
    InputProblem
        When a cell is no number, a count is no whole one, or a row cannot be; UnrecognisedColumns when no form's columns
        are there.
    """
    file_name, header, rows, notes = read_studies(source, name, WANTED)
    fields = header if columns is None else [columns.get(title, "") for title in header]
    try:
        return effects_of_rows(file_name, fields, rows), tuple(notes)
    except UnrecognisedColumns as problem:
        raise UnrecognisedColumns(str(problem), header, [cells for _, cells in rows]) from None


def holds_effects(source: Path) -> bool:
    """Whether a table has the columns of studies of an intervention; InputProblem when it cannot be read."""
    _, header, _, _ = read_studies(source, None, WANTED)
    return _form(header) is not None


def _form(header: Sequence[str]) -> Form | None:
    """The first form whose columns are there."""
    there = _EFFECTS.columns(header)
    return next((form for form in Form if all(column in there for column in form.columns)), None)


def effects_of_rows(name: str, header: Sequence[str], rows: Sequence[Row]) -> Studies:
    """Studies from cells.

    Parameters
    ----------
    name : str
        What messages call the table.
    header : sequence of str
        Names of its columns.
    rows : sequence of (int, sequence of str)
        Lines with their cells.

    Returns
    -------
    Studies

    Raises
    ------
    InputProblem
        As for :func:`read_effects`.
    """
    form = _form(header)
    if form is None:
        forms = "; ".join(", ".join(each.columns) for each in Form)
        accuracy = ""
        if {"TP", "FN"} <= {title.strip().upper() for title in header}:
            accuracy = (
                " TP and FN are counts of a test’s accuracy: give that table where 2×2 tables are asked for."
            )
        raise UnrecognisedColumns(
            f"{name} has no columns of studies ({', '.join(header)}); one of these is needed: {forms}.{accuracy}",
            header,
            [cells for _, cells in rows],
        )
    places = only_columns(name, header, _EFFECTS, form.columns, WANTED)
    values = [
        [_number(name, line, column, _cell(cells, places[column])) for column in form.columns]
        for line, cells in rows
    ]
    names = tuple(
        _cell(cells, places["study"]) if "study" in places else f"study {at}"
        for at, (_, cells) in enumerate(rows, 1)
    )
    texts = {field: [_cell(cells, at) for _, cells in rows] for field, at in places.items()}
    judged = judgments(name, [line for line, _ in rows], texts)
    try:
        return Studies(names, form, np.array(values, dtype=float).reshape(len(rows), -1), judged)
    except InputProblem as problem:
        raise InputProblem(f"{name}: {problem}") from None


def as_effects(given: Any) -> Studies:
    """Return studies of an intervention from a DataFrame with the columns of one form; a column `position` is passed over.

    InputProblem when it is none, or a number is missing or cannot be used.
    """
    if not len(given):
        return Studies((), Form.ERRORS, np.zeros((0, len(Form.ERRORS.columns))))
    if not hasattr(given, "columns"):
        raise InputProblem(f"tables is no DataFrame; give one with columns such as {WANTED}, a row a study.")
    names = [name for name in given.columns if name != "position"]
    rows = [
        (at, [f"{cell:.15g}" if isinstance(cell, Real) else str(cell) for cell in row])
        for at, row in enumerate(given[names].itertuples(index=False, name=None), 1)
    ]
    studies = effects_of_rows("tables", [*map(str, names)], rows)
    missing = np.flatnonzero(~np.isfinite(studies.values).all(axis=1))
    if len(missing):
        raise InputProblem(
            f"tables, row {missing[0] + 1}: a number is missing; give all of them, or leave the row out."
        )
    return studies


def rows_of_effects(studies: Studies) -> list[tuple[str, ...]]:
    """Studies as rows of text below a row of column names; unknown numbers are empty."""
    header = ("study", *studies.form.columns, *(("bias",) if studies.bias else ()))
    rows = [
        (name, *("" if math.isnan(value) else f"{value:.12g}" for value in values))
        for name, values in zip(studies.study, studies.values, strict=True)
    ]
    if studies.bias:
        rows = [(*row, risk or "") for row, risk in zip(rows, studies.bias, strict=True)]
    return [header, *rows]


def read_effect_outcomes(
    source: Path, run: Mapping[str, Topic]
) -> tuple[list[EffectOutcome], tuple[str, ...]]:
    """Read outcomes of reviews of interventions and find their studies in a ranking.

    Parameters
    ----------
    source : Path
        A CSV or TSV, one study a line, with ``study``, ``docid`` and the columns of one form, or a folder of such files.
        Without a column ``topic`` the topic is the file's name; without ``outcome`` a topic is one outcome.
    run : mapping of str to Topic
        The ranked topics.

    Returns
    -------
    list of EffectOutcome, tuple of str
        In the order of the files, and notes.

    Raises
    ------
    InputProblem
        When a column is missing, a row cannot be, or no topic is in the ranking.
    """
    outcomes, notes, missing = list[EffectOutcome](), list[str](), dict[str, None]()
    for path in text_files(source):
        studies, of_file = read_effects(path)
        notes += of_file
        name, header, rows, _ = read_studies(path, None, WANTED)
        places = only_columns(name, header, _OUTCOMES, ("docid",), WANTED)
        texts = {
            field: [_cell(cells, places[field]) for _, cells in rows]
            if field in places
            else [path.name.split(".")[0] if field == "topic" else ""] * len(rows)
            for field in ("topic", "outcome", "docid")
        }
        groups: dict[tuple[str, str], list[int]] = {}
        for at, of in enumerate(zip(texts["topic"], texts["outcome"], strict=True)):
            groups.setdefault(of, []).append(at)
        for (topic, outcome), lines in groups.items():
            if topic not in run:
                missing[topic] = None
                continue
            called = f"{topic}/{outcome}" if outcome else topic
            documents = [texts["docid"][at] for at in lines]
            outcomes.append(_placed(run[topic], called, studies, lines, documents))
    if not outcomes:
        raise InputProblem(
            f"{source.name} and the run share no topic; give the outcomes that belong to this run."
        )
    if missing:
        notes.append(f"Left out, because the run does not rank them: {', '.join(missing)}.")
    return outcomes, tuple(notes)


def _placed(
    topic: Topic, name: str, studies: Studies, lines: Sequence[int], documents: Sequence[str]
) -> EffectOutcome:
    """Some lines of a file as an outcome, its studies in the order in which screening meets them."""
    labelled, at = placed(topic, name, documents, [studies.study[line] for line in lines])
    order = np.argsort(at, kind="stable")
    rows = np.array(lines)[order]
    met = Studies(tuple(studies.study[row] for row in rows.tolist()), studies.form, studies.values[rows])
    return EffectOutcome(labelled, topic.name, met, at[order])


def _cell(cells: Sequence[str], at: int) -> str:
    return cells[at].strip() if at < len(cells) else ""


def _number(file_name: str, line: int, column: str, text: str) -> float:
    if text.lower() in MISSING:
        return math.nan
    if counted(column):
        count = whole_count(text)
        if count is None:
            asked = (
                "give the count, not a percentage" if text.endswith("%") else "give a whole number from 0 on"
            )
            raise InputProblem(f"{file_name}, line {line}: {column} is '{text}'; {asked}.")
        return count
    try:
        value = float(text.replace("−", "-")) if len(text) <= LONGEST_NUMBER and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputProblem(f"{file_name}, line {line}: {column} is '{text}'; give a number.")
    return value
