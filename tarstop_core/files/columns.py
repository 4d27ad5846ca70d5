"""Map the columns of any table to our fields.

``synonyms.toml`` lists the names that databases and tools give the columns of their exports.
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

SAMPLE_ROWS = 60  # The layout is recognised from this many first rows
HEADER_ROWS = 25  # The header is searched in this many rows
LONGEST = 200  # Most characters of a title in a header; a longer cell is text
LISTED = 12  # A sentence names at most this many columns
NUMBER = "record_number"

MAPPABLE: tuple[str, ...] = tuple(column for column in RECORD_COLUMNS if column != "source")
"""Fields to which a person may map a column."""

_NAMES = tomllib.loads((files(__package__) / "synonyms.toml").read_text(encoding="utf-8"))


def names_of(kind: str) -> dict[str, tuple[str, ...]]:
    """Names of each field, the preferred one first, in a section of ``synonyms.toml``."""
    return {field: tuple(names) for field, names in _NAMES[kind].items()}


def normal_header(name: str) -> str:
    """Normalise a column title as in `SYNONYMS`: lower case, single spaces; "" for a text too long for a title."""
    if len(name) > LONGEST:
        return ""
    return re.sub(r"[\s_.\-/]+", " ", name.strip().strip('"').casefold()).strip(" :")


def plain_title(title: str) -> str:
    """Reduce a column title to its letters a to z, as in the lists for 2×2 tables."""
    return re.sub(r"[^a-z]", "", title.lower())


@dataclass(frozen=True)
class Vocabulary:
    """Names of each field, the preferred one first, as `normal` writes titles."""

    names: Mapping[str, Sequence[str]]
    normal: Callable[[str], str] = normal_header

    def columns(self, header: Iterable[str]) -> dict[str, list[int]]:
        """Columns of each field in a header, the preferred one first; fields without a column are left out."""
        places: defaultdict[str, list[int]] = defaultdict(list)
        for column, name in enumerate(header):
            places[self.normal(name)].append(column)
        columns = {
            field: [column for name in names for column in places.get(name, ())]
            for field, names in self.names.items()
        }
        return {field: numbers for field, numbers in columns.items() if numbers}


def distinct(titles: Sequence[str]) -> list[str]:
    """Make titles unique by adding the number of the column if a title is empty or repeated: "Total (column 3)".

    >>> distinct(["Study", "", "Total", "Total"])
    ['Study', '(column 2)', 'Total (column 3)', 'Total (column 4)']
    """
    counts = Counter(titles)
    numbered = [f"{title} (column {at})".strip() for at, title in enumerate(titles, 1)]
    named = [
        title if title and counts[title] == 1 else other
        for title, other in zip(titles, numbered, strict=True)
    ]
    return named if len(set(named)) == len(named) else numbered


SYNONYMS, TAG_SYNONYMS, DIALECTS = names_of("records"), names_of("tags"), names_of("dialects")
RECORDS = Vocabulary(SYNONYMS)
LABELS = ("study", "bias")
"""Fields of which several columns are allowed, because they are no numbers; the first counts."""
TAGGED = Vocabulary({field: (*names, *TAG_SYNONYMS.get(field, ())) for field, names in SYNONYMS.items()})


def only_columns(
    name: str, header: Sequence[str], vocabulary: Vocabulary, needed: Iterable[str], wanted: str
) -> dict[str, int]:
    """Find the column of each field, which must be unique.

    Parameters
    ----------
    name : str
        The file, for messages.
    header : sequence of str
        Names of its columns.
    vocabulary : Vocabulary
        The fields and their names.
    needed : iterable of str
        Fields that the file must have.
    wanted : str
        Names of the expected columns, for messages.

    Returns
    -------
    dict of str to int
        Column of each field in the file.

    Raises
    ------
    InputProblem
        When a numeric field has two columns, or a needed field none.
    """
    columns = vocabulary.columns(header)
    for field, numbers in columns.items():
        if len(numbers) > 1 and field not in LABELS:
            both = " and ".join(f"'{header[column]}'" for column in sorted(numbers)[:2])
            raise InputProblem(f"{name} has two columns for {field} ({both}); keep one.")
    if missing := [field for field in needed if field not in columns]:
        raise InputProblem(
            f"{name} has no column {' or '.join(missing)} (its columns are {', '.join(header)}); "
            f"name the columns {wanted}."
        )
    return {field: numbers[0] for field, numbers in columns.items()}


def dialect_of(header: Iterable[str]) -> str:
    """Name of the tool whose exports have these columns and need rewriting (`dialects.DIALECTS`); "" for other tables."""
    names = set(map(normal_header, header))
    return next((tool for tool, needed in DIALECTS.items() if names.issuperset(needed)), "")


# --- records --------------------------------------------------------------------------------------


class UnrecognisedColumns(InputProblem):
    """No column holds the required field, so a person has to choose it.

    Attributes
    ----------
    columns : list of str
        Titles in the file, made unique by :func:`distinct`.
    preview : DataFrame
        The first five rows below them.
    recognised : dict of str to str
        Title of the column of each field that has exactly one.
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
            field: self.columns[numbers[0]]
            for field, numbers in (recognised or {}).items()
            if len(numbers) == 1
        }
        width = len(self.columns)
        filled = (row for row in rows if any(cell.strip() for cell in row))
        preview = [[*row, *[""] * width][:width] for row in islice(filled, 5)]
        self.preview = pd.DataFrame(preview, columns=self.columns, dtype="str")

    def __reduce__(self) -> tuple[type[UnrecognisedColumns], tuple[object, ...]]:
        """Return the arguments that rebuild the exception in another process."""
        recognised = {field: [self.columns.index(name)] for field, name in self.recognised.items()}
        return type(self), (str(self), self.columns, self.preview.to_numpy().tolist(), recognised)


@dataclass(frozen=True)
class Layout:
    """The columns of a table and their fields."""

    header: tuple[str, ...]  # Titles without white space around them; "" for a column without one
    at: dict[str, tuple[int, ...]]  # Field to column numbers. Only `date` may have two: full date, then year.
    passed_over: tuple[tuple[str, str, str], ...] = ()
    """Ignored columns: title, field, and title of the column that is used instead."""
    renamed: tuple[tuple[str, str], ...] = ()  # Repeated titles, and the new title of the later column

    @property
    def understood(self) -> dict[str, str]:
        """Our field by title of the column."""
        columns = ((field, column) for field, at in self.at.items() for column in at if field != "notes")
        return {self.header[column]: field for field, column in columns}

    def unused(self, what: str = "Column") -> list[str]:
        """Sentences on ignored columns and on repeated titles."""
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
    """Find our fields among the column titles of a table.

    `chosen` maps titles to our fields as a person chose; "" leaves a column out. Other columns are recognised for fields
    that are not chosen.
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
        # The column of the id is not also the record number.
        columns = [column for column in columns if field != NUMBER or column not in at.get("id", ())]
        if field in at or not columns:
            continue
        first, *others = columns
        # If one column has "MAR 5" and another 2020, the year is used where the date has none.
        years = [column for column in others if "year" in normal[column]] if field == "date" else []
        at[field] = (first, *years[:1])
        passed_over += [
            (names[column], field, names[first])
            for column in others
            if field in ("label", "abstract", "score") or normal[column] == normal[first]
        ]
    return Layout(names, at, tuple(passed_over), renamed)


def find_header(rows: Sequence[Sequence[str]], chosen: Mapping[str, str] | None = None) -> tuple[int, int]:
    """Find the header among the first rows of a file, blank ones included; return its index and a score.

    The header is the row with most recognised fields (:func:`recognise`), among them the title; chosen columns count 100
    each. If no row has a title, it is the first row of the most common width, with score 0.
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
    commonest = max(sorted(set(widths), reverse=True), key=widths.count)
    return next(number for number, row in enumerate(rows) if len(row) == commonest and any(row)), 0


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
        Place of the header for messages ("line 3").
    preview : iterable of sequences of str
        The rows below it.
    chosen : mapping, optional
        A person's choice: column of the file to our field.

    Returns
    -------
    Layout
        The columns and their fields.

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
