"""A patent family counted as one document: its first member in the ranking stands for it."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from tarstop_core.ranking.order import Ranking, leave_out


def one_of_each(ranking: Ranking, groups: Sequence[Sequence[int]]) -> Ranking:
    """Leave out all members of a family but the one ranked first; the same ranking where there is nothing to leave out.

    `groups` hold positions in the collection, one group a family; some may be missing from the ranking.
    """
    size = 1 + max([int(ranking.order.max()), *(max(group) for group in groups)])
    rank = np.full(size, size, dtype=np.int64)
    rank[ranking.order] = np.arange(len(ranking))
    gone = np.zeros(size, dtype=bool)
    for group in groups:
        members = np.asarray(group)
        gone[members[np.arange(len(members)) != rank[members].argmin()]] = True
    if not gone[ranking.order].any():
        return ranking
    return leave_out(ranking, gone, "of a patent family that another one stands for")


def also_published(
    frame: pd.DataFrame, ranking: Ranking, groups: Iterable[Sequence[int]]
) -> dict[str, list[str]]:
    """List the other members of each family, by the document that stands for it.

    Parameters
    ----------
    frame : DataFrame
        Records of the collection.
    ranking : Ranking
        The list, with one member of a family at most.
    groups : iterable of sequences of int
        Positions in the collection, one group a family.

    Returns
    -------
    dict of list of str
        Publication numbers, or identifiers where there are none, by the identifier of the document in the list.

    Examples
    --------
    >>> from tarstop_core.ranking.order import prepare
    >>> from tarstop_core.documents.records import as_records
    >>> table = as_records({"id": ["a", "b"], "publication_number": ["EP1", "US 1234567 B2"], "family": ["7", "7"]})
    >>> ranking = one_of_each(prepare(table, "own"), [[0, 1]])
    >>> also_published(table, ranking, [[0, 1]])
    {'a': ['US 1234567 B2']}
    """
    listed = set(ranking.order.tolist())
    ids, numbers = frame["id"].tolist(), frame["publication_number"].tolist()
    others = {}
    for group in groups:
        stands = [row for row in group if row in listed]
        if len(stands) == 1:
            others[ids[stands[0]]] = [numbers[row] or ids[row] for row in group if row != stands[0]]
    return others
