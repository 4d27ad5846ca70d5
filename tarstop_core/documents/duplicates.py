"""Rows that belong together: duplicates by identifier or by title, author and year, and patent families."""

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from tarstop_core.documents import records
from tarstop_core.documents.records import (
    _WORDS,
    RECORD_COLUMNS,
    TEXT_COLUMNS,
    date_key,
    normal_publication_number,
)

Kind = Literal["exact", "near", "family"]


@dataclass(frozen=True)
class Match:
    """A record that would be merged into an earlier one."""

    kept: int
    other: int
    """`kept` and `other`: rows of the tables one after the other, from 0."""
    kind: Kind  # The same document; perhaps the same document; one patent family
    why: str  # What they share and, where something speaks against it, what not: a clause


@dataclass(frozen=True, eq=False)
class Merge:
    """Several tables of records made one."""

    frame: pd.DataFrame  # The merged table of records
    duplicates: int  # How many records were folded into an earlier one
    notes: tuple[str, ...]  # One sentence each about what was done
    matches: tuple[Match, ...]  # Each record that was folded, in order
    rows: NDArray[np.int64]
    """For each row of `frame`, which row of the tables one after the other it was. Shape (n,)."""


def first_of_each(rows: int, links: Iterable[tuple[int, int]]) -> NDArray[np.int64]:
    """The first row that each row is linked with, directly or through others: shape (rows,)."""
    ends = np.array(list(links), dtype=np.int64).reshape(-1, 2)
    table = sp.coo_array((np.ones(len(ends)), ends.T), shape=(rows, rows))
    _, group = connected_components(table, directed=False)
    _, firsts = np.unique(group, return_index=True)
    return np.asarray(firsts[group], dtype=np.int64)


class Documents:
    """Rows that become one document a pair at a time, where what is known of both may forbid it.

    Which rows are linked does not settle this: whether a pair is joined depends on what joined before it.

    `keys` are the identifiers of each row, and at the first row of a document those of all its rows.
    """

    def __init__(self, keys: Iterable[Mapping[str, str]]) -> None:
        self.keys = list(keys)
        self._earlier = list(range(len(self.keys)))

    def first(self, row: int) -> int:
        """The first row of the document that a row is of."""
        while self._earlier[row] != row:
            self._earlier[row] = self._earlier[self._earlier[row]]
            row = self._earlier[row]
        return row

    def join(self, one: int, other: int) -> None:
        """Make two documents, each named by its first row, one; `one` is the earlier."""
        self._earlier[other] = one
        self.keys[one] = {**self.keys[other], **self.keys[one]}


_IDENTIFIERS: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("doi", "DOI", records.normal_doi),
    ("pmid", "PMID", records.normal_pmid),
    ("publication_number", "publication number", records.normal_publication_number),
)
IDENTIFIER_NAMES = {column: name for column, name, _ in _IDENTIFIERS}


def identifiers(frame: pd.DataFrame) -> list[dict[str, str]]:
    """Return what identifies each record, in normal form: DOI, PMID and publication number, as far as known."""
    keys: list[dict[str, str]] = [{} for _ in range(len(frame))]
    for column, _, normal in _IDENTIFIERS:
        for row, value in enumerate(frame[column].tolist()):
            if value and (key := normal(value)):
                keys[row][column] = key
    return keys


def contradicting(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Return the columns of identifiers that two records have and that differ."""
    return [column for column, key in other.items() if one.get(column, key) != key]


# Titles of fewer words, and those that begin like these, name a kind of text and not one text.
SHORTEST_TITLE = 5
_GENERIC = re.compile(
    r"(re |reply|replies|response|author s? ?reply|authors reply|editorial|erratum|errata|corrigend|correction|retract"
    r"|comment|letter|in brief|news|abstracts?\b|book review|preface|foreword|introduction to the|poster|table of cont)"
)


def normal_title(title: str) -> str:
    """Return the words of a title in small letters, without accents, marks and tags."""
    text = re.sub(r"</?\w{1,6}>", "", title).casefold() if "<" in title else title.casefold()
    if not text.isascii():
        text = records._ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return " ".join(_WORDS.findall(text))


def telling(title: str) -> bool:
    """Whether a normal title names one text: "reply" and "editorial" do not."""
    return title.count(" ") >= SHORTEST_TITLE - 1 and not _GENERIC.match(title)


def first_author(authors: str) -> str:
    """Return the family name of the first author in normal form, as far as it can be told, or "".

    >>> first_author("Reimer, E J; Dunn, G S"), first_author("Lee A, Ray B"), first_author("A. M\u00fcller and B. Ray")
    ('reimer', 'lee', 'muller')
    """
    name = re.split(r";|\band\b|,", authors, maxsplit=1)[0]
    return max(normal_title(name).split(), key=len, default="")


def texts_agree(one: str, other: str) -> bool:
    """Whether two abstracts may be of one document: one is missing, or most of their words are the same."""
    if not one or not other:
        return True
    words, others = set(_WORDS.findall(one.casefold())), set(_WORDS.findall(other.casefold()))
    # One database may cut an abstract short: the shorter one decides.
    return 2 * len(words & others) >= min(len(words), len(others))


# What stands in for an id where a file has none, and what a table of records numbers its rows by.
_ROW_NUMBER = re.compile(r"(?:row )?\d+(?: \(\d+\))?")
SIGNED = "same title, first author and year"


def signed(
    frame: pd.DataFrame, titles: Sequence[str], rows: list[int]
) -> Iterator[tuple[int, tuple[object, ...]]]:
    """Yield the signature of each record whose first author and year are known.

    Parameters
    ----------
    frame : DataFrame
        Records.
    titles : sequence of str
        The normal title of each.
    rows : list of int
        Those that are looked at.

    Yields
    ------
    int, tuple
        The row, and its normal title, first author and year.
    """
    signatures = frame[["authors", "date"]].iloc[rows].itertuples(index=False, name=None)
    for row, (authors, date) in zip(rows, signatures, strict=True):
        author, year = first_author(authors), date_key(date)[:1]
        if author and year:
            yield row, (titles[row], author, *year)


def _repeated(values: Sequence[str]) -> list[int]:
    """Rows whose value is another's too."""
    rows: list[int] = np.flatnonzero(pd.Series(values, dtype="str").duplicated(keep=False)).tolist()
    return rows


def _shared(frame: pd.DataFrame, keys: Sequence[Mapping[str, str]]) -> Iterator[tuple[int, int, str]]:
    """In the order of rows: the first row that has something, a later one that has it too, and what it is.

    An id that only counts rows identifies nothing by itself: there an abstract has to be the same too or, where there
    is none, the rest of what tells one text from others.
    """
    marks: list[list[tuple[object, str]]] = [
        [((column, key), f"same {IDENTIFIER_NAMES[column]}") for column, key in own.items()] for own in keys
    ]
    rows = _repeated(frame["id"].tolist())
    texts = (
        frame[["id", "title", "abstract", "authors", "date"]].iloc[rows].itertuples(index=False, name=None)
    )
    for row, (name, title, abstract, authors, date) in zip(rows, texts, strict=True):
        text = (name, title, abstract)
        if title and not _ROW_NUMBER.fullmatch(name):
            why = "same identifier, title and abstract" if abstract else "same identifier and title"
            marks[row].append((text, why))
        elif title and abstract:
            marks[row].append((text, "same title and abstract"))
        elif telling(normal_title(title)) or (title and authors and date):
            marks[row].append(((*text, authors, date), "same row, title, authors and date"))
    titles = [normal_title(title) for title in frame["title"].tolist()]
    for row, work in signed(frame, titles, [row for row in _repeated(titles) if telling(titles[row])]):
        marks[row].append((("signed", *work), SIGNED))
    holder: dict[object, int] = {}
    for row, own_marks in enumerate(marks):
        for mark, why in own_marks:
            first = holder.setdefault(mark, row)
            if first != row:
                yield first, row, why


def _same_documents(frame: pd.DataFrame) -> tuple[NDArray[np.int64], tuple[Match, ...]]:
    """For every row, the number of the first row that is the same document (:func:`merge_records`), and why."""
    keys, abstracts = identifiers(frame), frame["abstract"]
    documents = Documents(keys)
    because: dict[int, str] = {}
    for earlier, row, why in _shared(frame, keys):
        first, last = sorted((documents.first(earlier), documents.first(row)))
        if first == last or contradicting(documents.keys[first], documents.keys[last]):
            continue
        if why != SIGNED or texts_agree(str(abstracts.iat[first]), str(abstracts.iat[last])):
            documents.join(first, last)
            because[last] = why
    firsts = [documents.first(row) for row in range(len(frame))]
    matches = tuple(Match(firsts[row], row, "exact", because[row]) for row in sorted(because))
    return np.array(firsts, dtype=np.int64), matches


def merge_records(frames: Iterable[pd.DataFrame], chosen: Sequence[Match] | None = None) -> Merge:
    """Make one table of several, folding duplicates into their first appearance.

    Two records are one document when none of their identifiers contradicts it (conference abstracts share their
    supplement's DOI but not its PMID) and they share a DOI, a PMID or a publication number (after normalisation), or id
    and title with the same or no abstract (a row's number is no id), or a telling title, first author and year with
    abstracts that agree. Where a person chose, those that are `chosen` are, and no others. The first one is kept, its
    blanks are filled from later ones, and `source` names every file. Different documents that carry the same id are both
    kept; the later one becomes "id (2)".
    """
    none = records.as_records({"id": []})
    frame = pd.concat([none, *frames], ignore_index=True)[list(RECORD_COLUMNS)]
    if chosen is None:
        first, matches = _same_documents(frame)
    else:
        first = first_of_each(len(frame), ((match.kept, match.other) for match in chosen))
        matches = tuple(chosen)
    standing = first == np.arange(len(frame))
    extra = np.flatnonzero(~standing)
    notes: list[str] = []
    if len(extra):
        frame, disagreeing = _fold(frame, first, extra)
        same = "same DOI, PMID, publication number or content"
        notes.append(f"{_counted(len(extra), 'duplicate')} merged into the first: {same}.")
        if disagreeing:
            carried = f"{_counted(disagreeing, 'merged')} carried different labels"
            notes.append(f"{carried}; the first label was kept.")
    ids, renamed = unique_ids(frame["id"].tolist())
    if renamed:
        frame["id"] = pd.Series(ids, dtype="str")
        old, new = renamed[0]
        others = "" if len(renamed) == 1 else f" and {len(renamed) - 1:,} more likewise"
        notes.append(f'Different documents share the id {old}; the later one is now "{new}"{others}.')
    return Merge(frame, len(extra), tuple(notes), matches, np.flatnonzero(standing))


def _fold(
    frame: pd.DataFrame, first: NDArray[np.int64], extra: NDArray[np.int64]
) -> tuple[pd.DataFrame, int]:
    """Fill the kept rows from the `extra` ones, drop these, and count labels that disagreed."""
    kept = np.unique(first[extra])
    position = {row: at for at, row in enumerate(kept.tolist())}
    # Plain lists of the few rows concerned: writing single cells of a large frame is slow.
    base = {column: frame[column].iloc[kept].tolist() for column in RECORD_COLUMNS}
    more = {column: frame[column].iloc[extra].tolist() for column in RECORD_COLUMNS}
    disagreeing = 0
    for at, row in enumerate(first[extra].tolist()):
        target = position[row]
        label, other = base["label"][target], more["label"][at]
        disagreeing += bool(label and other and label != other)
        sources = base["source"][target].split("; ")
        new = [name for name in more["source"][at].split("; ") if name not in sources]
        base["source"][target] = "; ".join([name for name in (*sources, *new) if name])
        # Of an application and its patent the first to be published makes it known.
        dates = (date_key(of["date"][place]) for of, place in ((base, target), (more, at)))
        if _one_number(base["publication_number"][target], more["publication_number"][at]) and _later(*dates):
            for column in ("publication_number", "date"):
                base[column][target] = more[column][at]
        for column in TEXT_COLUMNS:
            base[column][target] = base[column][target] or more[column][at]
        if math.isnan(base["score"][target]):
            base["score"][target] = more["score"][at]
    out = {}
    stays = np.ones(len(frame), dtype=bool)
    stays[extra] = False
    for column in RECORD_COLUMNS:
        values = frame[column].copy()
        values.iloc[kept] = pd.Series(base[column], dtype=values.dtype).to_numpy()
        out[column] = values[stays].reset_index(drop=True)
    return pd.DataFrame(out), disagreeing


def _one_number(one: str, other: str) -> bool:
    """Whether two publication numbers differ in their kind codes alone."""
    bare = records.without_kind_code(one)
    return bool(bare) and bare == records.without_kind_code(other)


def _later(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether both dates are known as far as each other, and the first is the later one."""
    return bool(other) and one[: len(other)] > other[: len(one)]


def unique_ids(ids: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Make identifiers unique: the second "a" becomes "a (2)", the third "a (3)"; and (old, new) of those changed."""
    if len(set(ids)) == len(ids):
        return list(ids), []
    taken, seen = set(ids), set[str]()
    numbers: dict[str, Iterator[int]] = defaultdict(lambda: count(2))
    out: list[str] = []
    renamed: list[tuple[str, str]] = []
    for old in ids:
        new = old
        if old in seen:
            names = (f"{old} ({number})" for number in numbers[old])
            new = next(name for name in names if name not in taken)
            taken.add(new)
            renamed.append((old, new))
        seen.add(new)
        out.append(new)
    return out, renamed


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what} record{'' if number == 1 else 's'}"


def family_groups(frame: pd.DataFrame) -> list[list[int]]:
    """Return the rows of each family with more than one member, families in order of their first row.

    Files tell of families in two ways: by a number that all members carry (Espacenet, PatSeer), or by the publication
    numbers of the members (The Lens). A hit in one member is a hit in all, and so is the chance of one.
    """
    if not any(frame["family"].tolist()):
        return []
    holder: dict[str, int] = {}
    written = zip(frame["family"].tolist(), frame["publication_number"].tolist(), strict=True)
    links = [
        (holder.setdefault(name, row), row)
        for row, (family, number) in enumerate(written)
        for name in _names(family, number)
    ]
    groups: dict[int, list[int]] = {}
    for row, first in enumerate(first_of_each(len(frame), links).tolist()):
        groups.setdefault(first, []).append(row)
    return [rows for rows in groups.values() if len(rows) > 1]


def _names(family: str, number: str) -> Iterator[str]:
    """What a member of a family is known by: the family's own name, and publication numbers."""
    own = normal_publication_number(number)
    if own:
        yield own
    parts = [part.strip() for part in re.split(r";+|,|\|", family) if part.strip()]
    for part in parts:
        yield normal_publication_number(part) or part.casefold()
