"""One invention, published in several countries: members of a patent family.

Files tell of families in two ways: by a number that all members carry (Espacenet, PatSeer), or by the publication
numbers of the members (The Lens). A hit in one member is a hit in all, and so is the chance of one.
"""

import re
from collections.abc import Iterator

import pandas as pd

from tarstop_core.documents.groups import first_of_each
from tarstop_core.documents.records import normal_publication_number


def family_groups(frame: pd.DataFrame) -> list[list[int]]:
    """Rows of each family of which a table of records holds more than one member, in order; families by their first row."""
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
