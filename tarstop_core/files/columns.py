"""Map the columns of any table to our fields; all readers of tables use it.

``synonyms.toml`` lists how databases and tools name the columns of their exports.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice

import pandas as pd

from tarstop_core.documents.duplicates import unique_ids
from tarstop_core.documents.records import RECORD_COLUMNS
from tarstop_core.errors import InputProblem
from tarstop_core.files.source import check_columns

SAMPLE_ROWS = 60  # First rows of a file, which show its layout
HEADER_ROWS = 25  # The header is searched in this many rows
LONGEST = 200  # Most characters of a title in a header; a longer cell is text
LISTED = 12  # Most names of columns in a sentence
NUMBER = "record_number"

MAPPABLE: tuple[str, ...] = tuple(column for column in RECORD_COLUMNS if column != "source")
"""Fields a person may map a column to."""

_NAMES = tomllib.loads((files(__package__) / "synonyms.toml").read_text(encoding="utf-8"))


def names_of(kind: str) -> dict[str, tuple[str, ...]]:
    """The names of each field, by preference, for one kind of files: a section of ``synonyms.toml``."""
    return {field: tuple(names) for field, names in _NAMES[kind].items()}


def normal_header(name: str) -> str:
    """Return a column's name as in `SYNONYMS`: in lower case, with single spaces."""
    if len(name) > LONGEST:
        return ""
    return re.sub(r"[\s_.\-/]+", " ", name.strip().strip('"').casefold()).strip(" :")


def plain_title(title: str) -> str:
    """Return only the letters of a column's name, as in the lists for 2×2 tables."""
    return re.sub(r"[^a-z]", "", title.lower())


@dataclass(frozen=True)
class Vocabulary:
    """Names of each field, by preference, in the form that `normal` gives a header."""

    names: Mapping[str, Sequence[str]]
    normal: Callable[[str], str] = normal_header

    def columns(self, header: Iterable[str]) -> dict[str, list[int]]:
        """Columns of each field that a header names, the preferred one first."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for column, name in enumerate(header):
            places[self.normal(name)].append(column)
        columns = {
            field: [column for name in names for column in places.get(name, ())]
            for field, names in self.names.items()
        }
        return {field: at for field, at in columns.items() if at}


def distinct(titles: Sequence[str]) -> list[str]:
    """Titles of columns with the numbers of those that share one, or have none: "Total (column 3)".

    >>> distinct(["Study", "", "Total", "Total"])
    ['Study', '(column 2)', 'Total (column 3)', 'Total (column 4)']
    """
    often = Counter(titles)
    numbered = [f"{title} (column {at})".strip() for at, title in enumerate(titles, 1)]
    named = [
        title if title and often[title] == 1 else other for title, other in zip(titles, numbered, strict=True)
    ]
    return named if len(set(named)) == len(named) else numbered


SYNONYMS, TAG_SYNONYMS, DIALECTS = names_of("records"), names_of("tags"), names_of("dialects")
RECORDS = Vocabulary(SYNONYMS)
LABELS = ("study", "bias")
"""Fields that are not numbers: if several columns hold one, the first counts."""
TAGGED = Vocabulary({field: (*names, *TAG_SYNONYMS.get(field, ())) for field, names in SYNONYMS.items()})


def only_columns(
    name: str, header: Sequence[str], vocabulary: Vocabulary, needed: Iterable[str], wanted: str
) -> dict[str, int]:
    """Find the one column of each field.

    Parameters
    ----------
    name : str
        The file, for messages.
    header : sequence of str
        Names of its columns.
    vocabulary : Vocabulary
        The fields and their names.
    needed : iterable of str
        Fields without which the file is of no use.
    wanted : str
        The columns that a file should have, for messages.

    Returns
    -------
    dict of int
        Column of each field that there is.

    Raises
    ------
    InputProblem
        When a field of numbers has two columns, or a needed one none.
    """
    columns = vocabulary.columns(header)
    for field, at in columns.items():
        if len(at) > 1 and field not in LABELS:
            both = " and ".join(f"'{header[column]}'" for column in sorted(at)[:2])
            raise InputProblem(f"{name} has two columns for {field} ({both}); keep one.")
    if missing := [field for field in needed if field not in columns]:
        raise InputProblem(
            f"{name} has no column {' or '.join(missing)} (its columns are {', '.join(header)}); "
            f"name the columns {wanted}."
        )
    return {field: at[0] for field, at in columns.items()}


def dialect_of(header: Iterable[str]) -> str:
    """Return the tool whose tables are rewritten row by row and have these columns; "" for tables read as they are."""
    names = set(map(normal_header, header))
    return next((tool for tool, needed in DIALECTS.items() if names.issuperset(needed)), "")


# --- records --------------------------------------------------------------------------------------


class UnrecognisedColumns(InputProblem):
    """No column looks like titles, so the person has to say which one holds them.

    It has the header's names as in the file (`columns`), distinguished by :func:`distinct`, and the first five rows under them
    (`preview`), and the column of each field that one name alone stands for (`recognised`).
    """

    def __init__(
        self,
        message: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[str]],
        recognised: Mapping[str, Sequence[int]] | None = None,
    ) -> None:
        super().__init__(message)
        self.columns = distinct(columns)
        self.recognised = {
            field: self.columns[at[0]] for field, at in (recognised or {}).items() if len(at) == 1
        }
        width = len(self.columns)
        filled = (row for row in rows if any(cell.strip() for cell in row))
        preview = [[*row, *[""] * width][:width] for row in islice(filled, 5)]
        self.preview = pd.DataFrame(preview, columns=self.columns, dtype="str")

    def __reduce__(self) -> tuple[type[UnrecognisedColumns], tuple[object, ...]]:
        """Return the arguments that rebuild it when it comes from another process."""
        recognised = {field: [self.columns.index(name)] for field, name in self.recognised.items()}
        return type(self), (str(self), self.columns, self.preview.to_numpy().tolist(), recognised)


@dataclass(frozen=True)
class Layout:
    """The field of each cell of a row."""

    header: tuple[str, ...]  # Their names, stripped; "" for a column without one
    at: dict[str, tuple[int, ...]]  # Field to column numbers. Only `date` may have two: full date, then year.
    passed_over: tuple[tuple[str, str, str], ...] = ()
    """Ignored columns, each with its field and the column used for that instead."""
    renamed: tuple[tuple[str, str], ...] = ()  # Names that occur twice, and the name of the later column here

    @property
    def understood(self) -> dict[str, str]:
        """Their column to our field."""
        columns = ((field, column) for field, at in self.at.items() for column in at if field != "notes")
        return {self.header[column]: field for field, column in columns}

    def unused(self, what: str = "Column") -> list[str]:
        """Return a sentence on each ignored column and each duplicate name."""
        return [
            *(
                f'{what} {name} appears twice; the later one is called "{new}" here.'
                for name, new in self.renamed
            ),
            *(
                f"{what} {column} was not used: {taken} already gives the {field}."
                for column, field, taken in self.passed_over
            ),
        ]


def recognise(header: Sequence[str], chosen: Mapping[str, str] | None = None) -> Layout:
    """Find our fields among the column names of a table.

    `chosen` has their column to our field, as a person chose; "" leaves a column out. Columns not named there are
    still recognised, for fields not named there.
    """
    written, chosen = [name.strip() for name in header], chosen or {}
    unique = unique_ids(written)[0] if len(set(written)) < len(written) else written
    names = tuple(new if old else "" for old, new in zip(written, unique, strict=True))
    renamed = tuple((old, new) for old, new in zip(written, names, strict=True) if old != new)
    at: dict[str, tuple[int, ...]] = {}
    for column, name in enumerate(names):
        if field := chosen.get(name):
            at[field] = (*at.get(field, ()), column)
    normal = [normal_header(name) for name in names]
    vocabulary = TAGGED if "ti" in normal and "title" not in normal else RECORDS
    passed_over: list[tuple[str, str, str]] = []
    for field, columns in vocabulary.columns("" if name in chosen else name for name in names).items():
        # The column of the id does not count as a second number of the record.
        columns = [column for column in columns if field != NUMBER or column not in at.get("id", ())]
        if field in at or not columns:
            continue
        first, *others = columns
        # "MAR 5" in one column and 2020 in another: the year column completes dates row by row.
        years = [column for column in others if "year" in normal[column]] if field == "date" else []
        at[field] = (first, *years[:1])
        passed_over += [
            (names[column], field, names[first])
            for column in others
            if field in ("label", "abstract", "score") or normal[column] == normal[first]
        ]
    return Layout(names, at, tuple(passed_over), renamed)


def find_header(rows: Sequence[Sequence[str]], chosen: Mapping[str, str] | None = None) -> tuple[int, int]:
    """Find the header among a file's first rows, blank ones included: its number, and how many fields it has.

    It is the row in which most fields are recognised (:func:`recognise`), a title among them; without any, the first row
    of the commonest width, which has 0.
    """
    best, most = 0, 0
    for number, row in enumerate(rows[:HEADER_ROWS]):
        at = recognise(row, chosen).at
        named = sum(cell.strip() in chosen for cell in row) if chosen else 0
        fields = len(at) + 100 * named if "title" in at else 0
        if fields > most:
            best, most = number, fields
    if most:
        return best, most
    widths = [len(row) for row in rows if any(cell.strip() for cell in row)]
    if not widths:
        return 0, 0
    usual = max(sorted(set(widths), reverse=True), key=widths.count)
    return next(number for number, row in enumerate(rows) if len(row) == usual and any(row)), 0


def make_layout(
    name: str,
    header: Sequence[str],
    where: str,
    preview: Iterable[Sequence[str]],
    chosen: Mapping[str, str] | None,
) -> Layout:
    """Check a header and recognise its columns.

    Parameters
    ----------
    name : str
        The file, for messages.
    header : sequence of str
        Names of its columns.
    where : str
        Where the header stands ("line 3").
    preview : iterable of sequences of str
        The rows below it.
    chosen : mapping, optional
        Their column to our field, as a person chose.

    Returns
    -------
    Layout
        Which cell of a row holds which field.

    Raises
    ------
    InputProblem
        When the choice does not fit; UnrecognisedColumns when no column holds the titles.
    """
    check_columns(name, where, len(header))
    layout, chosen = recognise(header, chosen), chosen or {}
    for theirs, ours in chosen.items():
        if theirs not in layout.header:
            raise InputProblem(f"{name} has no column named {theirs}; choose among {_listed(layout.header)}.")
        if ours and ours not in MAPPABLE:
            raise InputProblem(
                f"There is no field named {ours} for column {theirs}; use {_listed(MAPPABLE)}."
            )
        if ours and list(chosen.values()).count(ours) > 1:
            raise InputProblem(f"Two columns of {name} are both mapped to {ours}; choose one of them.")
    if "title" not in layout.at:
        titles = [cell or f"column {number}" for number, cell in enumerate(layout.header, start=1)]
        raise UnrecognisedColumns(
            f"No column of {name} looks like a title among {_listed(titles)} ({where}); "
            "say which column has the titles, or name it title.",
            titles,
            preview,
        )
    return layout


def _listed(names: Sequence[str]) -> str:
    short = [name if len(name) <= 40 else name[:39] + "…" for name in names if name]
    return ", ".join(short[:LISTED]) + (f" and {len(short) - LISTED} more" if len(short) > LISTED else "")
