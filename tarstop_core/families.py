"""One invention, published in several countries: members of a patent family counted as one document.

Files tell of families in two ways: by a number that all members carry (Espacenet, PatSeer), or by the publication
numbers of the members (The Lens). A hit in one member is a hit in all, and so is the chance of one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from tarstop_core.groups import first_of_each
from tarstop_core.prepare import Ranking, leave_out
from tarstop_core.records import normal_publication_number
from tarstop_core.session import Event


def family_groups(frame: pd.DataFrame) -> list[list[int]]:
    """Find the families of which a table holds more than one member.

    Parameters
    ----------
    frame : DataFrame, n rows
        A table of records.

    Returns
    -------
    list of list of int
        Rows of each family in order; families by their first row.

    Examples
    --------
    >>> from tarstop_core.records import as_records
    >>> table = as_records({"id": ["a", "b", "c"], "publication_number": ["EP 1234567 A1", "US 1234567 B2", ""],
    ...                     "family": ["EP 1234567 A1;;US 1234567 B2", "", "66001"]})
    >>> family_groups(table)
    [[0, 1]]
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


def one_of_each(ranking: Ranking, groups: Sequence[Sequence[int]]) -> Ranking:
    """Leave only the member of each family that is ranked first.

    Parameters
    ----------
    ranking : Ranking
    groups : sequence of sequences of int
        Positions in the collection that are one family. Some may be missing from the ranking.

    Returns
    -------
    Ranking
        The same one where nothing is to be left out.
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
    """The other members of each family, by the document that stands for it.

    Examples
    --------
    >>> from tarstop_core.prepare import prepare
    >>> from tarstop_core.records import as_records
    >>> table = as_records({"id": ["a", "b"], "publication_number": ["EP1", "US 1234567 B2"], "family": ["7", "7"]})
    >>> ranking = one_of_each(prepare(table, "own"), [[0, 1]])
    >>> also_published(table, ranking, [[0, 1]])
    {'a': ['US 1234567 B2']}
    """
    listed = set(ranking.order.tolist())
    ids, numbers = frame["id"].tolist(), frame["publication_number"].tolist()
    found = {}
    for group in groups:
        stands = [row for row in group if row in listed]
        if len(stands) == 1:
            found[ids[stands[0]]] = [numbers[row] or ids[row] for row in group if row != stands[0]]
    return found


def families_event(members: Mapping[str, Sequence[str]]) -> Event:
    """The event that says which documents stand for a patent family, and for which other members."""
    return Event("families", {"members": {doc: list(others) for doc, others in members.items()}})
