"""Propose records to merge on import: duplicates, and pairs that may be the same document.

Pairs that may be the same have equal or nearly equal titles but differ in something else; only a person merges them.
Different titles are compared only if they share two of their four rarest words, so that the time grows linearly with the
number of records. Titles are nearly equal if they differ in the spelling of a few words, but not in a number.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from rapidfuzz.distance import Indel

from tarstop_core.documents import duplicates
from tarstop_core.documents.duplicates import SIGNED, Documents, Match, Merge, is_distinctive, merge_records
from tarstop_core.documents.records import date_key, normal_publication_number, without_kind_code

RAREST = 4  # Titles are compared if they share two of this many rarest words
MOST_ALIKE = 20  # In a larger group, titles share a common phrase rather than a document
LEAST_SHARED = 0.6  # Least share of common words (Dice's coefficient)
MOST_DIFFERENT = 0.1  # Largest share of a title's letters that may differ
_NUMBER = re.compile(r"[^\d\n]*\d.*|[ivx]+|one|two|three|four|first|second|third|without|non|not")

Pairs = NDArray[np.int64]
_About = tuple[int, str, str, str]  # row, authors, date, abstract


def near_duplicates(frame: pd.DataFrame) -> tuple[Match, ...]:
    """Find records that may be the same document as an earlier one, after exact duplicates were merged; in row order.

    Different PMIDs or publication numbers mean different documents, unless the numbers differ in their kind codes alone,
    as those of an application (A1) and its patent (B1). Different DOIs may belong to a preprint and its article; such
    records need equal titles, and neither first authors nor abstracts that differ. Titles that name a kind of text
    ("Editorial", "Reply") need agreeing abstracts, or equal first author and year.
    """
    titles = [duplicates.normal_title(title) for title in frame["title"].tolist()]
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, title in enumerate(titles):
        if title:
            rows_of[title].append(row)
    generic = [
        row for title, rows in rows_of.items() if len(rows) > 1 and not is_distinctive(title) for row in rows
    ]
    works: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for row, work in duplicates.signatures(frame, titles, generic):
        works[work].append(row)
    pairs = [
        (rows[0], row, alike)
        for alike, groups in ((SIGNED, works.values()), ("same title", rows_of.values()))
        for rows in groups
        if len(rows) <= MOST_ALIKE
        for row in rows[1:]
    ]
    firsts = [rows[0] for rows in rows_of.values()]
    nearly = _nearly_equal(list(rows_of))
    pairs += [(firsts[one], firsts[other], "nearly the same title") for one, other in nearly]
    matches = list(_other_kind_codes(frame["publication_number"].tolist()))
    rows = sorted(
        {match.kept for match in matches} | {row for one, other, _ in pairs for row in (one, other)}
    )
    texts = frame[["authors", "date", "abstract"]].iloc[rows].itertuples(name=None)
    about = dict(zip(rows, texts, strict=True))
    documents = Documents(duplicates.identifiers(frame))
    for match in matches:
        documents.join(match.kept, match.other)
    for one, other, alike in pairs:
        first, last = sorted((documents.first(one), documents.first(other)))
        if first == last:
            continue
        differ = duplicates.contradicting(documents.keys[first], documents.keys[last])
        distinctive = is_distinctive(titles[first]) and is_distinctive(titles[last])
        if why := _why(about[first], about[last], differ, alike, distinctive):
            documents.join(first, last)
            matches.append(Match(first, last, "near", why))
    return tuple(sorted(matches, key=lambda match: (match.other, match.kept)))


def _other_kind_codes(numbers: Sequence[str]) -> Iterator[Match]:
    """Yield records whose publication number differs from that of an earlier one in its kind code alone."""
    first: dict[str, int] = {}
    for row, number in enumerate(numbers):
        bare = without_kind_code(number)
        earlier = first.setdefault(bare, row) if bare else row
        if earlier != row:
            one, other = (normal_publication_number(numbers[at]) for at in (earlier, row))
            yield Match(earlier, row, "near", f"same publication number, other kind code: {one} and {other}")


def _why(one: _About, other: _About, differ: Sequence[str], alike: str, distinctive: bool) -> str:
    """A clause on why two records may be the same, and on doubts; "" if they are different."""
    if any(column != "doi" for column in differ):
        return ""
    authors = {duplicates.first_author(record[1]) for record in (one, other)} - {""}
    years = [date_key(record[2])[:1] for record in (one, other)]
    texts = (one[3], other[3])
    agree = duplicates.texts_agree(*texts)
    same = alike in ("same title", SIGNED)
    doubtful = len(authors) > 1 or not agree
    if (differ and not same) or ((differ or not same) and doubtful):
        return ""
    if not distinctive and not (agree and (all(texts) or alike == SIGNED)):
        return ""
    against = [f"{duplicates.IDENTIFIER_NAMES[column]}s differ" for column in differ]
    if all(years) and years[0] != years[1]:
        against.append(f"year {years[0][0]} and {years[1][0]}")
    if len(authors) > 1:
        against.append("first authors differ")
    if not agree:
        against.append("abstracts differ")
    return "; ".join((alike, *against))


def _nearly_equal(titles: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of indices of normal titles that differ in the spelling of a few words."""
    split = [title.split() for title in titles]
    lengths = np.array([len(words) for words in split], dtype=np.int64)
    numbers: dict[str, int] = {}
    numbered = [numbers.setdefault(word, len(numbers)) for words in split for word in words]
    if not numbered:
        return []
    flat = np.array(numbered, dtype=np.int64)
    pairs = _sharing_rare_words(flat, lengths, len(numbers))
    pairs = pairs[_mostly_shared(pairs, flat, lengths, len(numbers))]
    return [(one, other) for one, other in pairs.tolist() if _spelled_alike(split[one], split[other])]


def _sharing_rare_words(flat: Pairs, lengths: Pairs, words: int) -> Pairs:
    """Pairs of titles that share two of their rarest words, shape (m, 2).

    `flat` holds the word numbers of all titles one after the other, `lengths` the number of words of each title.
    """
    title = np.repeat(np.arange(len(lengths)), lengths)
    at = np.lexsort((flat, np.bincount(flat, minlength=words)[flat], title))
    rarest_first = flat[at]
    starts = np.cumsum(lengths) - lengths
    long = np.flatnonzero(lengths >= RAREST)
    if not len(long):
        return np.empty((0, 2), dtype=np.int64)
    rare = np.sort(rarest_first[starts[long][:, None] + np.arange(RAREST)], axis=1)
    columns = list(combinations(range(RAREST), 2))
    keys = np.concatenate([rare[:, one] * words + rare[:, other] for one, other in columns])
    owners = np.tile(long, len(columns))
    by_key = np.lexsort((owners, keys))
    keys, owners = keys[by_key], owners[by_key]
    begins = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    sizes = np.diff(np.r_[begins, len(keys)])
    within = []
    for size in range(2, MOST_ALIKE + 1):
        group = owners[begins[sizes == size][:, None] + np.arange(size)]
        within += [group[:, [one, other]] for one, other in combinations(range(size), 2)]
    pairs = np.concatenate(within)
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return np.unique(pairs, axis=0) if len(pairs) else pairs


def _mostly_shared(pairs: Pairs, flat: Pairs, lengths: Pairs, words: int) -> NDArray[np.bool_]:
    """Whether each pair of titles shares most of its words (Dice's coefficient), shape (m,)."""
    starts = np.r_[0, np.cumsum(lengths)]
    table = sp.csr_array((np.ones(len(flat), dtype=np.int32), flat, starts), shape=(len(lengths), words))
    table.sum_duplicates()
    table.data[:] = 1
    different = np.diff(table.indptr)
    shared = np.zeros(len(pairs), dtype=np.int64)
    for begin in range(0, len(pairs), 100_000):
        part = pairs[begin : begin + 100_000]
        shared[begin : begin + len(part)] = table[part[:, 0]].multiply(table[part[:, 1]]).sum(axis=1)
    return np.asarray(2 * shared >= LEAST_SHARED * different[pairs].sum(axis=1))


def _spelled_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two titles differ in few letters, and in no number or negation."""
    left, right = Counter(one), Counter(other)
    rest, more = left - right, right - left
    if any(_NUMBER.fullmatch(word) for word in (*rest, *more)):
        return False
    ours = " ".join(word for word in one if word in rest)
    theirs = " ".join(word for word in other if word in more)
    differing = max(len(ours), len(theirs)) * Indel.normalized_distance(ours, theirs)
    return differing <= MOST_DIFFERENT * max(sum(map(len, one)), sum(map(len, other)))


# --- proposals for a person -----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Proposal:
    """Records of several files that are, or may be, the same document."""

    merge: Merge  # The merge of exact duplicates only, without choices of a person
    matches: tuple[Match, ...]
    """Exact duplicates, then pairs that may be the same; rows are those of the concatenated tables."""

    @property
    def by_default(self) -> frozenset[int]:
        """Indices of `matches` that are merged unless a person chooses otherwise."""
        return frozenset(at for at, match in enumerate(self.matches) if match.kind == "exact")


def propose(frames: Sequence[pd.DataFrame]) -> Proposal:
    """Find records of several tables, in this order, that are or may be the same document."""
    merge = merge_records(frames)
    rows = merge.rows.tolist()
    near = [
        replace(match, kept=rows[match.kept], other=rows[match.other])
        for match in near_duplicates(merge.frame)
    ]
    return Proposal(merge, (*merge.matches, *near))


def merge_as_chosen(frames: Sequence[pd.DataFrame], proposal: Proposal, chosen: Collection[int]) -> Merge:
    """Merge the matches that a person chose, and no others.

    Parameters
    ----------
    frames : sequence of DataFrame
        The tables of the proposal.
    proposal : Proposal
        The possible matches.
    chosen : collection of int
        Indices of `proposal.matches`.

    Returns
    -------
    Merge
    """
    if frozenset(chosen) == proposal.by_default:
        return proposal.merge
    return merge_records(frames, [proposal.matches[at] for at in sorted(chosen)])


def as_stored(proposal: Proposal, chosen: Collection[int]) -> dict[str, Any]:
    """Counts of merged and separate matches as JSON values, stored with the files of a collection."""
    names = {
        "same": ("exact", True),
        "apart": ("exact", False),
        "together": ("near", True),
        "near": ("near", False),
    }
    kinds: list[tuple[str, bool]] = [(match.kind, at in chosen) for at, match in enumerate(proposal.matches)]
    return {"merging": {name: kinds.count(kind) for name, kind in names.items()}}


def merging_counts(files: Iterable[Mapping[str, Any]]) -> Counter[str]:
    """Count the records of these files that were merged or kept apart, by how this was decided.

    Keys are those of :func:`as_stored`, and "repeated" for records that were equal in every field.
    """
    counts = Counter[str]()
    for file in files:
        counts.update(file.get("merging", {}))
        counts["repeated"] += file.get("repeated", 0)
    return counts
