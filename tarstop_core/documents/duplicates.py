"""Find records that belong together: duplicates by identifier or by title, author and year, and patent families."""

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
    """A record that matches an earlier one."""

    kept: int  # Row of the earlier record in the concatenated tables, from 0
    other: int  # Row of this record
    kind: Kind  # The same document; perhaps the same document; the same patent family
    why: str  # A clause on what they share and, if they differ in something, on what


@dataclass(frozen=True, eq=False)
class Merge:
    """The result of merging several tables of records."""

    frame: pd.DataFrame  # The merged table of records
    duplicates: int  # Number of records that were merged into an earlier one
    notes: tuple[str, ...]  # Sentences about what was done
    matches: tuple[Match, ...]  # One per merged record, in order
    rows: NDArray[np.int64]  # Row in the concatenated tables of each row of `frame`, shape (n,)


def first_of_each(rows: int, links: Iterable[tuple[int, int]]) -> NDArray[np.int64]:
    """The first row of the group of linked rows that each row belongs to, shape (rows,)."""
    ends = np.array(list(links), dtype=np.int64).reshape(-1, 2)
    table = sp.coo_array((np.ones(len(ends)), ends.T), shape=(rows, rows))
    _, group = connected_components(table, directed=False)
    _, firsts = np.unique(group, return_index=True)
    return np.asarray(firsts[group], dtype=np.int64)


class Documents:
    """Disjoint sets of rows that are joined pair by pair (union–find), with the identifiers of each set.

    Plain connected components would not do, because contradicting identifiers of earlier pairs may forbid a later one.

    Parameters
    ----------
    keys
        The identifiers of each row. The attribute `keys` collects those of a whole document at its first row.
    """

    def __init__(self, keys: Iterable[Mapping[str, str]]) -> None:
        self.keys = list(keys)
        self._earlier = list(range(len(self.keys)))

    def first(self, row: int) -> int:
        """The first row of the document that a row belongs to."""
        while self._earlier[row] != row:
            self._earlier[row] = self._earlier[self._earlier[row]]
            row = self._earlier[row]
        return row

    def join(self, one: int, other: int) -> None:
        """Join two documents, given by their first rows; `one` is the earlier."""
        self._earlier[other] = one
        self.keys[one] = {**self.keys[other], **self.keys[one]}


_IDENTIFIERS: tuple[tuple[str, str, Callable[[str], str]], ...] = (
    ("doi", "DOI", records.normal_doi),
    ("pmid", "PMID", records.normal_pmid),
    ("publication_number", "publication number", records.normal_publication_number),
)
IDENTIFIER_NAMES = {column: name for column, name, _ in _IDENTIFIERS}


def identifiers(frame: pd.DataFrame) -> list[dict[str, str]]:
    """DOI, PMID and publication number of each record in normal form, as far as it has them."""
    keys: list[dict[str, str]] = [{} for _ in range(len(frame))]
    for column, _, normal in _IDENTIFIERS:
        for row, value in enumerate(frame[column].tolist()):
            if value and (key := normal(value)):
                keys[row][column] = key
    return keys


def contradicting(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Columns of the identifiers that both records have and that differ."""
    return [column for column, key in other.items() if one.get(column, key) != key]


# Titles with fewer words, and titles that begin as below, name a kind of text and not one text.
SHORTEST_TITLE = 5
_GENERIC = re.compile(
    r"(re |reply|replies|response|author s? ?reply|authors reply|editorial|erratum|errata|corrigend|correction|retract"
    r"|comment|letter|in brief|news|abstracts?\b|book review|preface|foreword|introduction to the|poster|table of cont)"
)


def normal_title(title: str) -> str:
    """The words of a title in lower case, without accents, punctuation and tags."""
    text = re.sub(r"</?\w{1,6}>", "", title).casefold() if "<" in title else title.casefold()
    if not text.isascii():
        text = records._ACCENTS.sub("", unicodedata.normalize("NFKD", text))
    return " ".join(_WORDS.findall(text))


def is_distinctive(title: str) -> bool:
    """Whether a normal title names one text, unlike "reply" or "editorial"."""
    return title.count(" ") >= SHORTEST_TITLE - 1 and not _GENERIC.match(title)


def first_author(authors: str) -> str:
    """The family name of the first author in normal form, by the longest word of the name; "" without authors.

    >>> first_author("Reimer, E J; Dunn, G S"), first_author("Lee A, Ray B"), first_author("A. M\u00fcller and B. Ray")
    ('reimer', 'lee', 'muller')
    """
    name = re.split(r";|\band\b|,", authors, maxsplit=1)[0]
    return max(normal_title(name).split(), key=len, default="")


def texts_agree(one: str, other: str) -> bool:
    """Whether two abstracts may belong to one document: one is missing, or they share most of their words."""
    if not one or not other:
        return True
    words, others = set(_WORDS.findall(one.casefold())), set(_WORDS.findall(other.casefold()))
    # Databases may cut an abstract short, so the shared words are compared with the shorter one.
    return 2 * len(words & others) >= min(len(words), len(others))


# An id that only counts rows identifies nothing by itself.
_ROW_NUMBER = re.compile(r"(?:row )?\d+(?: \(\d+\))?")
SIGNED = "same title, first author and year"


def signatures(
    frame: pd.DataFrame, titles: Sequence[str], rows: list[int]
) -> Iterator[tuple[int, tuple[object, ...]]]:
    """Yield the signature of each record whose first author and year are known.

    Parameters
    ----------
    frame : DataFrame
        The records.
    titles : sequence of str
        Their normal titles.
    rows : list of int
        The rows to look at.

    Yields
    ------
    int, tuple
        A row, and its normal title, first author and year.
    """
    authors_and_dates = frame[["authors", "date"]].iloc[rows].itertuples(index=False, name=None)
    for row, (authors, date) in zip(rows, authors_and_dates, strict=True):
        author, year = first_author(authors), date_key(date)[:1]
        if author and year:
            yield row, (titles[row], author, *year)


def _repeated(values: Sequence[str]) -> list[int]:
    """Rows whose value occurs more than once."""
    rows: list[int] = np.flatnonzero(pd.Series(values, dtype="str").duplicated(keep=False)).tolist()
    return rows


def _shared(frame: pd.DataFrame, keys: Sequence[Mapping[str, str]]) -> Iterator[tuple[int, int, str]]:
    """Yield pairs of an earlier and a later row that share a mark, with a clause on what they share.

    Marks are identifiers, equal contents and signatures. If an id only counts rows, the abstracts must be equal too; if
    there are none, authors and date must be.
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
        elif is_distinctive(normal_title(title)) or (title and authors and date):
            marks[row].append(((*text, authors, date), "same row, title, authors and date"))
    titles = [normal_title(title) for title in frame["title"].tolist()]
    candidates = [row for row in _repeated(titles) if is_distinctive(titles[row])]
    for row, work in signatures(frame, titles, candidates):
        marks[row].append((("signed", *work), SIGNED))
    first_with: dict[object, int] = {}
    for row, own_marks in enumerate(marks):
        for mark, why in own_marks:
            first = first_with.setdefault(mark, row)
            if first != row:
                yield first, row, why


def _same_documents(frame: pd.DataFrame) -> tuple[NDArray[np.int64], tuple[Match, ...]]:
    """The first row of the same document for each row, shape (rows,), and one match per later row; see :func:`merge_records`."""
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
    """Merge several tables into one, in which every duplicate is merged into its first occurrence.

    Two records are one document if no identifiers contradict each other and they share one of these:

    - DOI, PMID or publication number (conference abstracts share a DOI, but their PMIDs differ),
    - id, title and abstract (an id that only counts rows does not suffice without an abstract),
    - a distinctive title, first author and year, with abstracts that agree.

    The first record is kept, its empty fields are filled from later ones, and `source` names every file. Of different
    documents with the same id the later one becomes "id (2)".

    Parameters
    ----------
    frames : iterable of DataFrame
        Tables of records, in this order.
    chosen : sequence of Match, optional
        Merge these pairs only, instead of all duplicates.

    Returns
    -------
    Merge
    """
    empty = records.as_records({"id": []})
    frame = pd.concat([empty, *frames], ignore_index=True)[list(RECORD_COLUMNS)]
    if chosen is None:
        first, matches = _same_documents(frame)
    else:
        first = first_of_each(len(frame), ((match.kept, match.other) for match in chosen))
        matches = tuple(chosen)
    is_first = first == np.arange(len(frame))
    extra = np.flatnonzero(~is_first)
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
    return Merge(frame, len(extra), tuple(notes), matches, np.flatnonzero(is_first))


def _fold(
    frame: pd.DataFrame, first: NDArray[np.int64], extra: NDArray[np.int64]
) -> tuple[pd.DataFrame, int]:
    """Fill the kept rows from the `extra` ones, drop these, and count how many had a different label."""
    kept = np.unique(first[extra])
    position = {row: at for at, row in enumerate(kept.tolist())}
    # Plain lists of the rows concerned, because writing single cells of a large frame is slow.
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
        # An application and its patent count with the number and date that were published first.
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
    """Whether two publication numbers differ at most in their kind codes."""
    bare = records.without_kind_code(one)
    return bool(bare) and bare == records.without_kind_code(other)


def _later(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the first date is later, as far as both are known."""
    return bool(other) and one[: len(other)] > other[: len(one)]


def unique_ids(ids: Sequence[str]) -> tuple[list[str], list[tuple[str, str]]]:
    """Make identifiers unique: a second "a" becomes "a (2)". Return all identifiers, and (old, new) of the changed ones."""
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
    """Rows of each patent family with more than one member, families in the order of their first rows.

    Files give a family by a number that all members carry (Espacenet, PatSeer), or by the publication numbers of the
    members (The Lens).
    """
    if not any(frame["family"].tolist()):
        return []
    first_with: dict[str, int] = {}
    columns = zip(frame["family"].tolist(), frame["publication_number"].tolist(), strict=True)
    links = [
        (first_with.setdefault(name, row), row)
        for row, (family, number) in enumerate(columns)
        for name in _names(family, number)
    ]
    groups: dict[int, list[int]] = {}
    for row, first in enumerate(first_of_each(len(frame), links).tolist()):
        groups.setdefault(first, []).append(row)
    return [rows for rows in groups.values() if len(rows) > 1]


def _names(family: str, number: str) -> Iterator[str]:
    """Yield the names that link a record to its family: its own number, and the family's identifier or members."""
    own = normal_publication_number(number)
    if own:
        yield own
    for part in re.split(r"[;,|]", family):
        if name := part.strip():
            yield normal_publication_number(name) or name.casefold()
