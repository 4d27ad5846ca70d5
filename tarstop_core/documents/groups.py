"""Rows of a table that belong together: as one document, or as one patent family."""

from collections.abc import Iterable, Mapping

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components


def first_of_each(rows: int, links: Iterable[tuple[int, int]]) -> NDArray[np.int64]:
    """The first row that each row is linked with, directly or through others: shape (rows,).

    Examples
    --------
    >>> first_of_each(5, [(1, 3), (4, 3)]).tolist()
    [0, 1, 2, 1, 1]
    """
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
