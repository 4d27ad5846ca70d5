"""Rows of a table that belong together: as one document, or as one patent family."""

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from tarstop_core.documents.records import normal_publication_number


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


def family_groups(frame: pd.DataFrame) -> list[list[int]]:
    """Rows of each family of which a table of records holds more than one member, in order; families by their first row.

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
