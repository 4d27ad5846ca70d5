"""From somebody's columns to ours: recognising headers, labels, scores and identifiers."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tarstop_core.documents.duplicates import unique_ids
from tarstop_core.documents.records import RECORD_COLUMNS, as_records
from tarstop_core.errors import InputProblem
from tarstop_core.files.budget import BUDGET, check_columns, check_count
from tarstop_core.files.synonyms import SYNONYMS, TAG_SYNONYMS
from tarstop_core.files.values import decisions_of, scores_of, tool_of

Progress = Callable[[float, str], None]
Row = tuple[int, Sequence[str]]  # line (or row) number in the file, and its cells

CHUNK_ROWS = 2_000
HEADER_ROWS = 25  # how far down the header may be
LONGEST_HEADER = 200  # characters of what may be a header: a cell of text is none
LONGEST_LINE = 4_000  # characters kept of a line before it
SHOWN_OF_LINE = 60  # of these, characters in a sentence
LISTED = 12  # names of columns in a sentence

# Fields a person may map a column to.
MAPPABLE: tuple[str, ...] = tuple(column for column in RECORD_COLUMNS if column != "source")

_PATENT = re.compile(r"[A-Z]{2}[- ]?(?:\d{2,4}/)?[A-Z]{0,2}\d{4,}[- ]?[A-Z]\d{0,2}")


class UnrecognisedColumns(InputProblem):
    """No column looks like a title; the person has to say which one it is.

    It has the header's names as in the file (`columns`) and the first five rows under them (`preview`).
    """

    def __init__(self, message: str, columns: Sequence[str], preview: pd.DataFrame) -> None:
        super().__init__(message)
        self.columns = list(columns)
        self.preview = preview

    def __reduce__(self) -> tuple[type[UnrecognisedColumns], tuple[str, list[str], pd.DataFrame]]:
        """What it is made of again where it comes out of another process."""
        return type(self), (str(self), self.columns, self.preview)


@dataclass(frozen=True, eq=False)
class RecordTable:
    """What was read from one file."""

    frame: pd.DataFrame  # A table of records (`records.RECORD_COLUMNS`)
    source: str  # Name of the file
    format: str  # Key of the format it was read as
    understood: dict[str, str]  # Their column (or tag) to our field
    notes: tuple[str, ...]  # One sentence each about what was skipped, assumed or missing
    unread: tuple[str, ...] = ()  # Their columns (or tags) of which nothing was read
    repeated: int = 0  # Records left out because an earlier one of the file has the same in every field
    first_lines: tuple[str, ...] = ()  # Lines before the header, as the query that a database puts there

    @property
    def described(self) -> dict[str, Any]:
        """What was understood of the file, as the store keeps it."""
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
class Layout:
    """Which cell of a row holds which field."""

    header: tuple[str, ...]  # Their names, stripped; "" for a column without one
    at: dict[str, tuple[int, ...]]  # Field to column numbers. Only `date` may have two: full date, then year.
    passed_over: tuple[tuple[str, str, str], ...] = ()
    """Column, field and the column that was taken for it instead."""

    @property
    def understood(self) -> dict[str, str]:
        given = ((field, at) for field, columns in self.at.items() for at in columns if field != "notes")
        return {self.header[at]: field for field, at in given}

    def unused(self, what: str = "Column") -> list[str]:
        """A sentence on each column that was passed over."""
        said = "{} {} was not used: {} already gives the {}."
        return [said.format(what, column, taken, field) for column, field, taken in self.passed_over]


def normal_header(name: str) -> str:
    """Return a header in the form in which `SYNONYMS` lists it."""
    if len(name) > LONGEST_HEADER:
        return ""
    return re.sub(r"[\s_.\-/]+", " ", name.strip().strip('"').casefold()).strip(" :")


def recognise(header: Sequence[str], columns: Mapping[str, str] | None = None) -> Layout:
    """Find our fields among somebody's column names.

    `columns` has their column to our field, as a person chose; "" leaves a column out. Columns not named there are
    still recognised, for fields not named there.
    """
    names, chosen = tuple(name.strip() for name in header), columns or {}
    normal = [normal_header(name) for name in names]
    at: dict[str, tuple[int, ...]] = {}
    places: dict[str, list[int]] = defaultdict(list)
    for column, name in enumerate(names):
        if name not in chosen:
            places[normal[column]].append(column)
        elif chosen[name]:
            at[chosen[name]] = (*at.get(chosen[name], ()), column)
    tagged = "ti" in normal and "title" not in normal
    passed_over: list[tuple[str, str, str]] = []
    for field, synonyms in SYNONYMS.items():
        wanted = (*synonyms, *(TAG_SYNONYMS.get(field, ()) if tagged else ()))
        found = [column for synonym in wanted for column in places.get(synonym, ())]
        if field in at or not found:
            continue
        first, *others = found
        # "MAR 5" in one column and 2020 in another: the year column helps out row by row.
        years = [column for column in others if "year" in normal[column]] if field == "date" else []
        at[field] = (first, *years[:1])
        if field in ("label", "abstract", "score"):
            passed_over += [(names[column], field, names[first]) for column in others]
    return Layout(names, at, tuple(passed_over))


def find_header(rows: Sequence[Sequence[str]], columns: Mapping[str, str] | None = None) -> tuple[int, int]:
    """Find the header among a file's first rows, blank ones included: its number, and how many fields it has.

    It is the row in which most fields are recognised (:func:`recognise`), a title among them; without any, the first row
    of the commonest width, which has 0.
    """
    best, most = 0, 0
    for number, row in enumerate(rows[:HEADER_ROWS]):
        at = recognise(row, columns).at
        named = sum(cell.strip() in columns for cell in row) if columns else 0
        found = len(at) + 100 * named if "title" in at else 0
        if found > most:
            best, most = number, found
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
    columns: Mapping[str, str] | None,
) -> Layout:
    """Check a header, which stands `where` ("line 3"), and recognise its columns.

    InputProblem for repeated names or a mapping that does not fit; UnrecognisedColumns, with the first five rows of the
    `preview`, when no column holds the titles.
    """
    check_columns(name, where, len(header))
    layout, chosen = recognise(header, columns), columns or {}
    often = Counter(map(str.casefold, layout.header))
    repeated = sorted({cell for cell in layout.header if cell and often[cell.casefold()] > 1})
    if repeated:
        raise InputProblem(
            f"{name} has more than one column named {' and '.join(repeated[:3])} ({where}); "
            "rename or remove the extra ones."
        )
    for theirs, ours in chosen.items():
        if theirs not in layout.header:
            raise InputProblem(f"{name} has no column named {theirs}; choose among {_listed(layout.header)}.")
        if ours and ours not in MAPPABLE:
            raise InputProblem(
                f"There is no field named {ours} for column {theirs}; use {_listed(MAPPABLE)}."
            )
        if ours and len(layout.at[ours]) > 1 and list(chosen.values()).count(ours) > 1:
            raise InputProblem(f"Two columns of {name} are both mapped to {ours}; choose one of them.")
    if "title" not in layout.at:
        shown = [cell or f"column {number}" for number, cell in enumerate(layout.header, start=1)]
        full = (row for row in preview if any(cell.strip() for cell in row))
        rows = [[*row, *[""] * len(shown)][: len(shown)] for row in itertools.islice(full, 5)]
        raise UnrecognisedColumns(
            f"No column of {name} looks like a title among {_listed(shown)} ({where}); "
            "say which column holds the titles or name it title.",
            shown,
            pd.DataFrame(rows, columns=shown, dtype="str"),
        )
    return layout


def cut(line: str) -> str:
    """The beginning of a line before the header, for a sentence about it."""
    return f"{line[:SHOWN_OF_LINE]}…" if len(line) > SHOWN_OF_LINE else line


def _listed(names: Sequence[str]) -> str:
    shown = [name if len(name) <= 40 else name[:39] + "…" for name in names if name]
    return ", ".join(shown[:LISTED]) + (f" and {len(shown) - LISTED} more" if len(shown) > LISTED else "")


def collect(
    name: str, rows: Iterable[Row], layout: Layout, progress: Progress | None, fraction: Callable[[], float]
) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Gather the cells we understand into columns, a few thousand rows at a time.

    Python strings of one chunk are turned into a compact column before the next chunk is read, so
    memory stays near the size of the text that is kept. Returned are a column for each field of `layout`, and
    the line number of each row, shape (n,).
    """
    chunks: list[pd.DataFrame] = []
    numbers: list[int] = []
    fields = list(layout.at.items())
    kept = ((number, [_cell(field, cells, at) for field, at in fields]) for number, cells in rows)
    full = ((number, values) for number, values in kept if any(values))
    while part := list(itertools.islice(full, CHUNK_ROWS)):
        numbers += [number for number, _ in part]
        columns = zip(*(values for _, values in part), strict=True)
        chunks.append(_compact(dict(zip(layout.at, columns, strict=True))))
        if len(part) == CHUNK_ROWS:
            check_count(name, len(numbers), BUDGET.records, "records")
            if progress:
                progress(0.9 * fraction(), f"Read {len(numbers):,} records of {name}")
    chunks.append(_compact(dict.fromkeys(layout.at, ())))
    return pd.concat(chunks, ignore_index=True), np.array(numbers, dtype=np.int64)


def _cell(field: str, cells: Sequence[str], columns: tuple[int, ...]) -> str:
    value = cells[columns[0]] if columns[0] < len(cells) else ""
    if len(columns) > 1 and not re.search(r"\d{4}", value):
        value = cells[columns[1]] or value
    return " ".join(value.split()) if field in ("title", "id") else value.strip()


def _compact(columns: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    try:
        return pd.DataFrame({field: pd.Series(values, dtype="str") for field, values in columns.items()})
    except UnicodeEncodeError:
        # Half of a surrogate pair, which JSON can spell out, is no character.
        return _compact({field: list(map(_whole, values)) for field, values in columns.items()})


def _whole(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def finish(
    name: str,
    format_key: str,
    found: pd.DataFrame,
    lines: NDArray[np.int64],
    understood: dict[str, str],
    notes: Sequence[str],
    *,
    unit: str = "line",
    given_ids: bool = True,
    header: Iterable[str] = (),
    above: Iterable[Sequence[str]] = (),
) -> RecordTable:
    """Turn gathered columns into a table of records, or refuse with the line that is at fault.

    `found` has columns named by our fields, and perhaps `notes`; `lines`, shape (n,), says which line (or other `unit`)
    each row is. With `given_ids` a repeated id is an error of the file (a column of ids), else it may occur (a PMID).
    `header` are all their columns (or tags), read or not, and `above` the cells of the rows before it.
    """
    if found.empty:
        raise InputProblem(f"{name} has a header but no records; export it again with its records.")
    said, names = list(notes), list(header)
    columns: dict[str, pd.Series] = {field: found[field] for field in found.columns if field != "notes"}
    if (found["title"] == "").all() and ("abstract" not in found or (found["abstract"] == "").all()):
        raise InputProblem(
            f"No record of {name} has a title or an abstract; check which column holds the titles."
        )
    columns |= decisions_of(found)
    if "label" not in found and "notes" in found:
        tools = sorted(set(map(tool_of, found["notes"].unique().tolist())) - {""})
        understood |= {f"notes, as {tool} writes them": "label" for tool in tools}
    if "score" in found:
        columns["score"] = scores_of(name, found["score"], lines, unit, said)
    if "publication_number" not in found and "id" in found:
        given = found["id"][found["id"] != ""]
        # The ids of a Google Patents export are publication numbers, whatever they look like.
        known = "result link" in map(normal_header, names)
        if len(given) and (known or all(map(_PATENT.fullmatch, given.head(200).tolist()))):
            columns["publication_number"] = found["id"]
    keep = _identify(name, columns, lines, unit, given_ids, said)
    columns["source"] = pd.Series([name] * len(found), dtype="str")
    frame = as_records({field: values[keep] for field, values in columns.items()})
    _note_gaps(frame, said)
    repeated, unread = int(np.count_nonzero(~keep)), _unread(names, understood)
    return RecordTable(
        frame, name, format_key, understood, tuple(said), unread, repeated, _first_lines(above)
    )


def _first_lines(rows: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Rows before a header as lines; cells that only close a line are left out."""
    lines = (" ".join(filter(None, map(str.strip, cells))) for cells in rows)
    return tuple(line[:LONGEST_LINE] for line in lines if line)


def _unread(names: Iterable[str], understood: Iterable[str]) -> tuple[str, ...]:
    """Columns (or tags) that nothing was read from; of notes, only what a tool wrote is."""
    read = {column.partition(", as ")[0].casefold() for column in understood} | set(understood) | {""}
    return tuple(dict.fromkeys(name for name in names if not read & {name, name.casefold()}))


def _identify(
    name: str,
    columns: dict[str, pd.Series],
    lines: NDArray[np.int64],
    unit: str,
    given_ids: bool,
    notes: list[str],
) -> NDArray[np.bool_]:
    """Give every row an id (in place) and return which rows stay."""
    count = len(lines)
    given = ids = columns["id"].tolist() if "id" in columns else [""] * count
    for fallback in ("publication_number", "pmid", "doi"):
        if fallback in columns and not all(ids):
            ids = [own or value for own, value in zip(ids, columns[fallback].tolist(), strict=True)]
    if not all(ids):
        some = f"{ids.count(''):,} of {count:,} records have no identifier; they are called by their row."
        notes.append(some if any(ids) else "No identifiers: records are called by their row.")
        ids = [own or f"row {number}" for number, own in enumerate(ids, start=1)]
    codes = pd.factorize(np.array(ids, dtype=object))[0]
    first = np.unique(codes, return_index=True)[1][codes]
    again = np.flatnonzero(first != np.arange(count))
    frame = pd.DataFrame(columns)
    one, other = (frame.iloc[rows].reset_index(drop=True) for rows in (first[again], again))
    same = ((one == other) | (one.isna() & other.isna())).all(axis=1).to_numpy()
    for row in again[~same].tolist():
        if given_ids and given[row] and given[first[row]]:
            raise InputProblem(
                f"{name} uses the id {ids[row]} for two different records "
                f"({unit}s {lines[first[row]]} and {lines[row]}); give each its own id or remove one."
            )
    keep = np.ones(count, dtype=bool)
    keep[again[same]] = False
    if dropped := int(same.sum()):
        were = "1 record was" if dropped == 1 else f"{dropped:,} records were"
        notes.append(f"{were} listed more than once, identical in every field, and merged.")
    staying = np.flatnonzero(keep)
    unique, renamed = unique_ids([ids[row] for row in staying.tolist()])
    if renamed:
        old, new = renamed[0]
        more = f", and {len(renamed) - 1:,} more likewise" if len(renamed) > 1 else ""
        notes.append(f'The identifier {old} occurs more than once; the later record is called "{new}"{more}.')
    full = np.array(ids, dtype=object)
    full[staying] = unique
    columns["id"] = pd.Series(full, dtype="str")
    return keep


def _note_gaps(frame: pd.DataFrame, notes: list[str]) -> None:
    count = len(frame)
    untitled, bare = (int((frame[name] == "").sum()) for name in ("title", "abstract"))
    if untitled:
        notes.append(f"{untitled:,} of {count:,} records have no title.")
    if bare == count:
        notes.append("There are no abstracts, so ranking and reading have only the titles.")
    elif bare:
        notes.append(f"{bare:,} of {count:,} records have no abstract.")
