"""The table of records that a reader returns, and how it is built from rows."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
import pandas as pd

from tarstop_core.documents.duplicates import unique_ids
from tarstop_core.documents.records import as_records
from tarstop_core.errors import InputProblem
from tarstop_core.files.columns import (
    NUMBER,
    SAMPLE_ROWS,
    dialect_of,
    find_header,
    make_layout,
    normal_header,
)
from tarstop_core.files.dialects import DIALECTS
from tarstop_core.files.source import BUDGET, Source, check_count
from tarstop_core.files.values import decisions_of, scores_of, tidied, tool_of

Progress = Callable[[float, str], None]
Row = tuple[int, Sequence[str]]  # Line (or row) number in the file, and its cells
Reader = Callable[[Source, Mapping[str, str] | None, Progress | None], "RecordTable"]

CHUNK_ROWS = 2_000
LONGEST_LINE = 4_000  # Most characters that are kept of a line before the header
SHOWN_OF_LINE = 60  # Most characters of such a line in a sentence
_PATENT = re.compile(r"[A-Z]{2}[- ]?(?:\d{2,4}/)?[A-Z]{0,2}\d{4,}[- ]?[A-Z]\d{0,2}")


@dataclass(frozen=True)
class Format:
    """A file format for records; every reader's module ends with its own."""

    key: str  # Short name, as in `RecordTable.format`
    name: str  # Name for people
    suffixes: tuple[str, ...]  # Lower case, with the dot. Each may be followed by ".gz".
    reader: Reader
    looks: re.Pattern[str] | None = None
    """Matches the beginning of such a file; None if it cannot be distinguished from other text."""
    phrase: str = ""  # Name in a sentence, if not `name`


@dataclass(frozen=True, eq=False)
class RecordTable:
    """The records of one file, and how they were read."""

    frame: pd.DataFrame  # A table of records (`records.RECORD_COLUMNS`)
    source: str  # Name of the file
    format: str  # Key of the format it was read as
    understood: dict[str, str]  # Column (or tag) of the file to our field
    notes: tuple[str, ...]  # Sentences about what was skipped, assumed or missing
    unread: tuple[str, ...] = ()  # Columns (or tags) of the file that were not used
    repeated: int = 0  # Records left out because an earlier one is equal in every field
    first_lines: tuple[str, ...] = ()  # Lines before the header, where databases write the query

    def to_frame(self) -> pd.DataFrame:
        """Return the table of records."""
        return self.frame

    def _repr_html_(self) -> str:
        return str(self.frame._repr_html_())  # type: ignore[operator]

    @property
    def described(self) -> dict[str, Any]:
        """How the file was read, as the store keeps it."""
        return {
            "source": self.source,
            "format": self.format,
            "records": len(self.frame) + self.repeated,
            "understood": self.understood,
            "unread": list(self.unread),
            "notes": list(self.notes),
            **({"database": "PubMed"} if self.format == "nbib" else {}),
            **({"repeated": self.repeated} if self.repeated else {}),
            **({"first_lines": list(self.first_lines)} if self.first_lines else {}),
        }


@dataclass(frozen=True)
class Grid:
    """Rows of cells in a file, with the header among the first rows."""

    source: Source
    format: str  # Key of the format
    rows: Iterator[Row]  # With or without blank ones
    unit: str = "line"  # What row numbers count: "line" or "row"
    between: str = " "  # Text between two cells
    fraction: Callable[[], float] | None = None
    """Returns the share read so far, 0 to 1; by default that of the file's bytes."""


def read_grid(
    grid: Grid,
    chosen: Mapping[str, str] | None,
    notes: Sequence[str],
    progress: Progress | None,
    fitting: Callable[[Iterable[Row], Sequence[str]], Iterator[Row]] | None = None,
) -> RecordTable:
    """Find the header of a grid, and convert the rows below it to a table of records.

    Parameters
    ----------
    grid : Grid
        Rows of cells.
    chosen : mapping, optional
        A person's choice: column of the file to our field.
    notes : sequence of str
        Sentences on how the file was opened.
    progress : callable, optional
        Called with the share read so far, 0 to 1, and a few words.
    fitting : callable, optional
        Called with the rows below the header and the header; yields the rows that belong to the table.

    Returns
    -------
    RecordTable

    Raises
    ------
    InputProblem
        When columns or values are unusable; UnrecognisedColumns when no column holds the titles.
    """
    name, notes = grid.source.name, list(notes)
    first = list(islice(grid.rows, SAMPLE_ROWS))
    start, _ = find_header([cells for _, cells in first], chosen)
    number, header = first[start]
    above = [cells for _, cells in first[:start] if any(map(str.strip, cells))]
    if above:
        line = grid.between.join(above[0]).strip()
        count = f"1 {grid.unit}" if len(above) == 1 else f"{len(above)} {grid.unit}s"
        where = f"which is {grid.unit} {number}"
        excerpt = f"{line[:SHOWN_OF_LINE]}…" if len(line) > SHOWN_OF_LINE else line
        notes.append(f'Skipped {count} before the header, {where}: "{excerpt}".')
    below = first[start + 1 :]
    following: Iterable[Row] = chain(below, grid.rows)
    if tool := dialect_of(header):
        notes.append(f"Read as an export of {tool}.")
        added, rewritten = DIALECTS[tool]
        following, header = rewritten(name, header, following, notes), [*header, *added]
    layout = make_layout(name, header, f"{grid.unit} {number}", [cells for _, cells in below], chosen)
    notes += layout.unused()
    rows = fitting(following, layout.header) if fitting else following
    gathered = collect(name, rows, layout.at, progress, grid.fraction or grid.source.fraction)
    gathered.index.name = grid.unit
    lines = (" ".join(filter(None, map(str.strip, cells))) for cells in above)
    kept = tuple(text[:LONGEST_LINE] for text in lines)
    return finish(name, grid.format, gathered, layout.understood, notes, header=layout.header, above=kept)


def collect(
    name: str,
    rows: Iterable[Row],
    at: Mapping[str, tuple[int, ...]],
    progress: Progress | None,
    fraction: Callable[[], float],
) -> pd.DataFrame:
    """Gather the cells of recognised fields into columns, a few thousand rows at a time.

    Each chunk becomes compact columns before the next is read, so memory stays near the size of the text kept.

    Parameters
    ----------
    name : str
        The file, for messages.
    rows : iterable of Row
        Line numbers and cells.
    at : mapping
        Cells of each field in a row; a second cell is used if the first has no year.
    progress : callable, optional
        Called with the share read so far, 0 to 1, and a few words.
    fraction : callable
        Returns the share read so far.

    Returns
    -------
    DataFrame
        A column of text per field, with line numbers as index; rows without any text are left out.

    Raises
    ------
    InputProblem
        When there are too many records.
    """
    chunks = [pd.DataFrame({field: [] for field in at}, dtype="str", index=pd.Index([], dtype="int64"))]
    count, rows = 0, iter(rows)
    while part := list(islice(rows, CHUNK_ROWS)):
        numbers, cells = zip(*part, strict=True)
        columns = {field: _column(field, cells, places) for field, places in at.items()}
        filled = list(map(any, zip(*columns.values(), strict=True)))
        tidy = {field: tidied(field, texts) for field, texts in columns.items()}
        chunk = pd.DataFrame(tidy, index=np.array(numbers, dtype=np.int64), dtype="str")
        chunks.append(chunk if all(filled) else chunk[filled])
        count += len(chunks[-1])
        if len(part) == CHUNK_ROWS:
            check_count(name, count, BUDGET.records, "records")
            if progress:
                progress(0.9 * fraction(), f"Read {count:,} records of {name}")
    gathered = pd.concat(chunks)
    gathered.index.name = "line"
    return gathered


def _column(field: str, rows: Sequence[Sequence[str]], places: tuple[int, ...]) -> list[str]:
    """The texts of one field, without white space around them."""
    values, *others = ([row[place] if place < len(row) else "" for row in rows] for place in places)
    for alternatives in others:
        pairs = zip(values, alternatives, strict=True)
        values = [value if re.search(r"\d{4}", value) else other or value for value, other in pairs]
    if field in ("title", "id"):
        return [" ".join(value.split()) for value in values]
    return [value.strip() for value in values]


def finish(
    name: str,
    format_key: str,
    gathered: pd.DataFrame,
    understood: dict[str, str],
    notes: Sequence[str],
    *,
    given_ids: bool = True,
    header: Iterable[str] = (),
    above: tuple[str, ...] = (),
) -> RecordTable:
    """Convert gathered columns to a table of records.

    Parameters
    ----------
    name : str
        Name of the file.
    format_key : str
        Key of its format.
    gathered : DataFrame
        Columns named by our fields, and perhaps `notes`; the index is the line (or row) of each record.
    understood : dict of str
        Column (or tag) of the file to our field.
    notes : sequence of str
        Sentences on how the file was opened.
    given_ids : bool
        Whether ids come from a column of ids, in which no id should belong to two records (a PMID may).
    header : iterable of str
        All columns (or tags) of the file, used or not.
    above : tuple of str
        Lines before the header.

    Returns
    -------
    RecordTable
        Records that are equal in every field occur once.

    Raises
    ------
    InputProblem
        When there are no records, no titles and abstracts, or a score is no number.
    """
    if gathered.empty:
        raise InputProblem(f"{name} has a header but no records; export it again with its records.")
    if (gathered["title"] == "").all() and ("abstract" not in gathered or (gathered["abstract"] == "").all()):
        raise InputProblem(
            f"No record of {name} has a title or an abstract; check which column has the titles."
        )
    notes, names = list(notes), list(header)
    records = gathered.drop(columns="notes", errors="ignore").assign(**decisions_of(gathered))
    if "label" not in gathered and "notes" in gathered:
        tools = sorted(set(map(tool_of, gathered["notes"].unique().tolist())) - {""})
        understood |= {f"notes, as {tool} writes them": "label" for tool in tools}
    if "score" in gathered:
        records["score"] = scores_of(name, gathered["score"], notes)
    if "publication_number" not in gathered and "id" in gathered:
        ids = gathered["id"][gathered["id"] != ""]
        # The ids of a Google Patents export are always publication numbers.
        google = "result link" in map(normal_header, names)
        if len(ids) and (google or all(map(_PATENT.fullmatch, ids.head(200).tolist()))):
            records["publication_number"] = gathered["id"]
    records = _identified(name, records, given_ids, notes)
    frame = as_records(records.assign(source=pd.Series(name, records.index, dtype="str")))
    _note_gaps(frame, notes)
    repeated = len(gathered) - len(frame)
    unread = _unread(names, understood)
    return RecordTable(frame, name, format_key, understood, tuple(notes), unread, repeated, above)


def _unread(names: Iterable[str], understood: Iterable[str]) -> tuple[str, ...]:
    """Columns (or tags) that were not used; notes count as used only if a tool wrote decisions there."""
    read = {column.partition(", as ")[0].casefold() for column in understood} | set(understood) | {""}
    return tuple(dict.fromkeys(name for name in names if not read & {name, name.casefold()}))


def _identified(name: str, records: pd.DataFrame, given_ids: bool, notes: list[str]) -> pd.DataFrame:
    """Give each record a unique id, and leave out records that equal an earlier one in every field.

    If the file uses one id for different records, its ids do not identify records, so all records stay.
    """
    count = len(records)
    ids = records["id"] if "id" in records else pd.Series("", records.index, dtype="str")
    has_given_id = ids != ""
    for fallback in ("publication_number", "pmid", "doi"):
        if fallback in records:
            ids = ids.where(ids != "", records[fallback])
    unnamed = ids == ""
    if unnamed.any():
        some = f"{unnamed.sum():,} of {count:,} records have no identifier; they are named by their row."
        notes.append("No identifiers: records are named by their row." if unnamed.all() else some)
        rows = [f"row {number}" for number in range(1, count + 1)]
        ids = ids.where(~unnamed, pd.Series(rows, records.index, dtype="str"))
    records = records.assign(id=ids)
    if not ids.duplicated().any():
        return records
    sharing = ids.duplicated(keep=False).to_numpy()
    again = np.zeros(count, dtype=bool)
    again[sharing] = records[sharing].duplicated().to_numpy()
    different = records[sharing & ~again & has_given_id.to_numpy()]
    if given_ids and different["id"].duplicated().any():
        same_id = different["id"][different["id"].duplicated().to_numpy()].iloc[0]
        one, other = different.index[different["id"] == same_id][:2]
        again[:] = False
        notes.append(
            f"{name} uses the id {same_id} for different records ({records.index.name}s {one} and {other}), so its ids do not distinguish records. All records were kept; a record whose "
            "id was taken keeps it as record number."
        )
    if repeated := int(again.sum()):
        were = "1 record was" if repeated == 1 else f"{repeated:,} records were"
        notes.append(f"{were} listed more than once, identical in every field, and merged.")
        records, has_given_id = records[~again], has_given_id[~again]
    unique, renamed = unique_ids(records["id"].tolist())
    if renamed:
        old, new = renamed[0]
        more = f", and {len(renamed) - 1:,} more likewise" if len(renamed) > 1 else ""
        notes.append(f'The identifier {old} occurs more than once; the later record is called "{new}"{more}.')
        changed = has_given_id & (records["id"].to_numpy() != np.array(unique, dtype=object))
        blank = pd.Series("", records.index, dtype="str")
        number = records.get(NUMBER, blank)
        records = records.assign(**{NUMBER: number.where(~changed | (number != ""), records["id"])})
    return records.assign(id=pd.Series(unique, records.index, dtype="str"))


def _note_gaps(frame: pd.DataFrame, notes: list[str]) -> None:
    """Add sentences on missing titles and abstracts."""
    count = len(frame)
    untitled, bare = (int((frame[name] == "").sum()) for name in ("title", "abstract"))
    if untitled:
        notes.append(f"{untitled:,} of {count:,} records have no title.")
    if bare == count:
        notes.append("There are no abstracts, so you rank and read only titles.")
    elif bare:
        notes.append(f"{bare:,} of {count:,} records have no abstract.")
