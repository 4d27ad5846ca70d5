"""Read studies of an intervention from CSV, TSV or Excel: events, means or estimates, one study per line."""

import math
import re
from collections.abc import Mapping, Sequence
from numbers import Real
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from tarstop_core.documents import totals
from tarstop_core.documents.tables import LONGEST_NUMBER
from tarstop_core.documents.topic import EffectOutcome, Topic, placed
from tarstop_core.effects.studies import Form, Studies, counted
from tarstop_core.errors import InputProblem
from tarstop_core.files.arms import EFFECTS, named_arms
from tarstop_core.files.cells import cell_at, header_at, read_studies, text_files, titles_at
from tarstop_core.files.columns import (
    UnrecognisedColumns,
    Vocabulary,
    distinct,
    names_of,
    only_columns,
    plain_title,
)
from tarstop_core.files.record_tables import Row
from tarstop_core.files.tables import MISSING, are_judgments, judgments, whole_count

_OUTCOMES = Vocabulary(names_of("outcomes"), plain_title)
WANTED = "study, events_treated, n_treated, events_control, n_control"
NEEDED = (
    "events and people of both arms (events_treated, n_treated, events_control, n_control, or Experimental Events, "
    "Experimental Total, Control Events, Control Total), means with standard deviations of both arms (m1, sd1, n1, m2, sd2, "
    "n2), or effects with limits or standard errors (effect, low, high, se)"
)
_PEOPLE = {"events_treated": "n_treated", "events_control": "n_control"}
# A count as reviews print it: 103, 103/1525, 103 (6.8 %). A "+" after a quantifier forbids backtracking,
# so that a long text is refused fast.
_EVENTS = re.compile(
    r"(\d[\d,]*+)\s*+(?:/\s*+(\d[\d,]*+)\s*+)?+(?:\(\s*+(\d++(?:[.,·]\d++)?+)\s*+%?+\s*+\))?+"
)

DOMAINS = {
    f"D{at}": domain
    for at, domain in enumerate(
        ("randomisation", "deviations", "missing outcomes", "measurement", "selective reporting"), 1
    )
}
"""Domains of RoB 2 by their titles in its tables."""

FIELDS = tuple(EFFECTS.names)
"""All fields that a column may hold."""


class EffectTable(NamedTuple):
    """A table of studies from a file."""

    studies: Studies
    rows: list[Row]  # The rows with studies
    notes: tuple[str, ...]  # Which rows were left out, and how columns without the name of an arm were read
    left_out: tuple[str, ...]  # Names of the rows that are not studies


def read_effects(
    source: Path | str | BinaryIO, name: str | None = None, columns: Mapping[str, str] | None = None
) -> tuple[Studies, tuple[str, ...]]:
    """Read studies of an intervention, in the first form of :class:`Form` for which the file has all columns.

    Parameters
    ----------
    source : path or binary file
        CSV, TSV or Excel, gzipped or not, with one study per line.
    name : str, optional
        Its name, for messages.
    columns : mapping, optional
        A person's choice: column of the file to one of `FIELDS`; other columns are ignored.

    Returns
    -------
    Studies
        Missing numbers (empty, "NA") are NaN. Rows of totals are left out.
    tuple of str
        Sentences on how the file was read.

    Raises
    ------
    InputProblem
        When a cell is not a number, a count is not whole, or the numbers of a row contradict each other;
        UnrecognisedColumns when no form's columns are there.
    """
    file_name, header, rows, notes = read_studies(source, name, WANTED, _known)
    fields = header if columns is None else [columns.get(title, "") for title in distinct(header)]
    try:
        table = effects_of_rows(file_name, fields, rows)
    except UnrecognisedColumns as problem:
        preview = [cells for _, cells in rows]
        raise UnrecognisedColumns(str(problem), header, preview, _known(header)) from None
    return table.studies, (*notes, *table.notes)


def holds_effects(source: Path) -> bool:
    """Whether a table has the columns of studies of an intervention; InputProblem when it is unreadable."""
    _, header, _, _ = read_studies(source, None, WANTED, _known)
    return _form(named_arms(header)[0]) is not None


def _known(titles: Sequence[str]) -> dict[str, list[int]]:
    """Columns of each field that the titles name."""
    return EFFECTS.columns(named_arms(titles)[0])


def _form(header: Sequence[str]) -> Form | None:
    """The first form whose columns are all in a header; None if there is none."""
    fields = EFFECTS.columns(header)
    return next((form for form in Form if all(column in fields for column in form.columns)), None)


def effects_of_cells(name: str, rows: Sequence[Sequence[str]]) -> EffectTable:
    """Parse studies from rows of cells with a header among the first rows, as in :func:`effects_of_rows`."""
    filled = [(at, row) for at, row in enumerate(rows) if any(map(str.strip, row))]
    cells = [row for _, row in filled]
    header = header_at(cells, _known)
    return effects_of_rows(name, titles_at(cells[: header + 1]), filled[header + 1 :])


def effects_of_rows(name: str, header: Sequence[str], rows: Sequence[Row]) -> EffectTable:
    """Parse studies from the rows below a header.

    Parameters
    ----------
    name : str
        Name of the table, for messages.
    header : sequence of str
        Titles of its columns.
    rows : sequence of (int, sequence of str)
        Line numbers and cells.

    Returns
    -------
    EffectTable

    Raises
    ------
    InputProblem
        As for :func:`read_effects`.
    """
    header = _without_domains(header, rows)
    titles, of_arms = (list(header), "") if _form(header) else named_arms(header)
    if _form(titles) is None:
        titles, rows = _with_people(titles, rows)
    form = _form(titles)
    if form is None:
        accuracy = ""
        if {"TP", "FN"} <= {title.strip().upper() for title in header}:
            accuracy = (
                " TP and FN are counts of a test’s accuracy: use that table where 2×2 tables are asked for."
            )
        columns = ", ".join(filter(None, header))
        raise UnrecognisedColumns(
            f"{name} needs {NEEDED}; its columns are {columns}.{accuracy}",
            header,
            [cells for _, cells in rows],
        )
    places = only_columns(name, titles, EFFECTS, form.columns, WANTED)
    names = [cell_at(cells, places["study"]) if "study" in places else "" for _, cells in rows]
    counts = [_counts(cells, places) for _, cells in rows] if form is Form.EVENTS else []
    out = totals.rows_left_out(names, np.array(counts or [[]] * len(rows), dtype=float))
    dropped = {row.at for row in out}
    kept = [at for at in range(len(rows)) if at not in dropped]
    if not kept:
        raise InputProblem(f"{name} contains no studies; give one line per study.")
    studies = [rows[at] for at in kept]
    values = [
        [_number(name, line, column, cells, places) for column in form.columns] for line, cells in studies
    ]
    named = tuple(names[at] if "study" in places else f"study {at + 1}" for at in kept)
    texts = {field: [cell_at(cells, at) for _, cells in studies] for field, at in places.items()}
    of_fields = {field: titles[at] for field, at in places.items()}
    judged = judgments(name, [line for line, _ in studies], texts, of_fields)
    notes = (of_arms, totals.sentence(out, [line for line, _ in rows]) if out else "")
    try:
        read = Studies(named, form, np.array(values, dtype=float).reshape(len(studies), -1), judged)
    except InputProblem as problem:
        raise InputProblem(f"{name}: {problem}") from None
    return EffectTable(read, studies, tuple(filter(None, notes)), tuple(row.name for row in out))


def _without_domains(header: Sequence[str], rows: Sequence[Row]) -> list[str]:
    """Rename columns D1 to D5 with judgments to the domains of RoB 2, because "D1" may also mean deaths in an arm."""
    titles = list(header)
    for at, title in enumerate(titles):
        domain = DOMAINS.get(title.strip().upper())
        if domain and are_judgments([cell_at(cells, at) for _, cells in rows]):
            titles[at] = domain
    return titles


def _with_people(titles: list[str], rows: Sequence[Row]) -> tuple[list[str], Sequence[Row]]:
    """Add columns of people where those of events give both, such as 103/1525; other tables are unchanged."""
    events = [EFFECTS.columns(titles).get(column, []) for column in _PEOPLE]
    if [len(columns) for columns in events] != [1, 1]:
        return titles, rows
    people = [
        [cell_at(cells, at).partition("/")[2].partition("(")[0] for (at,) in events] for _, cells in rows
    ]
    if not any(map(any, people)):
        return titles, rows
    return [*titles, *_PEOPLE.values()], [
        (line, [*cells, *[""] * (len(titles) - len(cells)), *of_row])
        for (line, cells), of_row in zip(rows, people, strict=True)
    ]


def as_effects(given: Any) -> Studies:
    """Convert a DataFrame with the columns of one form to studies; a column `position` is ignored.

    Raises
    ------
    InputProblem
        When it is no such DataFrame, or a number is missing or unusable.
    """
    if not len(given):
        return Studies((), Form.ERRORS, np.zeros((0, len(Form.ERRORS.columns))))
    if not hasattr(given, "columns"):
        raise InputProblem(
            f"tables is not a DataFrame; give one with columns such as {WANTED}, one row per study."
        )
    names = [name for name in given.columns if name != "position"]
    rows = [
        (at, [f"{cell:.15g}" if isinstance(cell, Real) else str(cell) for cell in row])
        for at, row in enumerate(given[names].itertuples(index=False, name=None), 1)
    ]
    studies, _, _, left_out = effects_of_rows("tables", [*map(str, names)], rows)
    if left_out:
        raise InputProblem(
            f"tables has a row that is not a study ({left_out[0] or 'without a name'}); leave it out."
        )
    missing = np.flatnonzero(~np.isfinite(studies.values).all(axis=1))
    if len(missing):
        raise InputProblem(
            f"tables, row {missing[0] + 1}: a number is missing; give all of them, or leave the row out."
        )
    return studies


def rows_of_effects(studies: Studies) -> list[tuple[str, ...]]:
    """Convert studies to rows of texts below a row of titles; missing numbers are empty."""
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
    """Read outcomes of reviews of interventions, and find their studies in a ranking.

    Parameters
    ----------
    source : Path
        A CSV or TSV with one study per line and the columns ``study``, ``docid`` and those of one form, or a folder of
        such files. Without a column ``topic`` the name of the file is the topic; without ``outcome`` a topic has one
        outcome.
    run : mapping of str to Topic
        The ranked topics.

    Returns
    -------
    list of EffectOutcome
        In the order of the files.
    tuple of str
        Sentences on what was left out.

    Raises
    ------
    InputProblem
        When a column is missing, a row cannot be used, or no topic is in the ranking.
    """
    outcomes, notes, missing = list[EffectOutcome](), list[str](), dict[str, None]()
    for path in text_files(source):
        name, header, table, of_file = read_studies(path, None, WANTED, _known)
        studies, rows, of_rows, _ = effects_of_rows(name, header, table)
        notes += [*of_file, *of_rows]
        places = only_columns(name, header, _OUTCOMES, ("docid",), WANTED)
        texts = {
            field: [cell_at(cells, places[field]) for _, cells in rows]
            if field in places
            else [path.name.split(".")[0] if field == "topic" else ""] * len(rows)
            for field in ("topic", "outcome", "docid")
        }
        groups: dict[tuple[str, str], list[int]] = {}
        for at, key in enumerate(zip(texts["topic"], texts["outcome"], strict=True)):
            groups.setdefault(key, []).append(at)
        for (topic, outcome), lines in groups.items():
            if topic not in run:
                missing[topic] = None
                continue
            outcome_name = f"{topic}/{outcome}" if outcome else topic
            documents = [texts["docid"][at] for at in lines]
            outcomes.append(_placed(run[topic], outcome_name, studies, lines, documents))
    if not outcomes:
        raise InputProblem(
            f"{source.name} and the run share no topic; give the outcomes that belong to this run."
        )
    if missing:
        notes.append(f"Left out because the run does not rank them: {', '.join(missing)}.")
    return outcomes, tuple(notes)


def _placed(
    topic: Topic, name: str, studies: Studies, lines: Sequence[int], documents: Sequence[str]
) -> EffectOutcome:
    """An outcome with the studies of some lines, in screening order."""
    labelled, positions = placed(topic, name, documents, [studies.study[line] for line in lines])
    order = np.argsort(positions, kind="stable")
    rows = np.array(lines)[order]
    ordered = Studies(tuple(studies.study[row] for row in rows.tolist()), studies.form, studies.values[rows])
    return EffectOutcome(labelled, topic.name, ordered, positions[order])


def _counts(cells: Sequence[str], places: Mapping[str, int]) -> list[float | None]:
    """Events and people of both arms; None where a cell is unreadable."""
    counts = []
    for column in Form.EVENTS.columns:
        text = cell_at(cells, places[column])
        written = _EVENTS.fullmatch(text[:LONGEST_NUMBER])
        counts.append(whole_count(written[1] if written else text))
    return counts


def _number(file_name: str, line: int, column: str, cells: Sequence[str], places: Mapping[str, int]) -> float:
    """The number in a column of a row, NaN if it is missing; InputProblem when the cell is no number."""
    text = cell_at(cells, places[column])
    where = f"{file_name}, line {line}: {column} is '{text}'"
    if text.lower() in MISSING:
        return math.nan
    if counted(column):
        count = whole_count(text)
        if count is None and column in _PEOPLE:
            count = _events(where, text, whole_count(cell_at(cells, places[_PEOPLE[column]])))
        if count is None:
            asked = (
                "give the count, not a percentage"
                if text.endswith("%")
                else "give a whole number, 0 or more, such as 1525"
            )
            raise InputProblem(f"{where}; {asked}.")
        return count
    try:
        value = float(text.replace("−", "-")) if len(text) <= LONGEST_NUMBER and "_" not in text else math.nan
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        asked = "give a number with a point for its decimals" if "," in text else "give a number"
        raise InputProblem(f"{where}; {asked}.")
    return value


def _events(where: str, text: str, n: float | None) -> float | None:
    """The events in 103/1525 or 103 (6.8 %), checked against the people; None if a text has another form."""
    written = _EVENTS.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    count = whole_count(written[1]) if written else None
    if written is None or count is None:
        return None
    if written[2] and whole_count(written[2]) != n:
        people = "missing" if n is None else f"{n:.0f}"
        raise InputProblem(f"{where}, and the number of people is {people}; give the count of events alone.")
    if written[3]:
        share = written[3].replace(",", ".").replace("·", ".")
        last_digit = 10.0 ** -len(share.partition(".")[2])
        if not n or abs(100 * count / n - float(share)) > last_digit:
            of_all = "the number of people is missing"
            if n:
                of_all = f"{count:.0f} of {n:.0f} is {100 * count / n:.1f} %"
            raise InputProblem(f"{where}, and {of_all}; give the count of events alone.")
    return count
