"""Value of a second person: read the next stretch with one person, with two, or with two in sequence.

Some of the relevant documents that either of two readers included were included by one alone. These shares tell how much
less one reader finds than both, whatever the two have in common, without an audit. What both miss is left out unless
random draws among what both excluded are available; the number of missed documents is then a lower bound.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from tarstop_core.documents.tables import Floats
from tarstop_core.readers.strategies import SENSITIVITY, Prices, ReadingOption
from tarstop_core.readers.verdicts import Verdicts

PAIR = 0.975
"""Share of relevant records that at least one of two people includes (Gartlehner et al. 2020, as :data:`SENSITIVITY`)."""
WEIGHT = 5.0  # The prior from people in general counts for as many relevant records


class Pairing(Enum):
    """How one or two people read a stretch."""

    FIRST = "the first reader alone"
    BOTH = "both, disagreements resolved"
    AFTER = "the first, and the second what the first excludes"


@dataclass(frozen=True)
class ReaderPair:
    """Shares of relevant and of other records that each of two readers includes."""

    first: float
    """Share that the first includes of the relevant records that at least one of the two includes."""
    second: float
    """Share that the second includes of the same records."""
    wrong_first: float
    """Share of the other records that the first alone includes, so that the disagreement must be resolved."""
    wrong_second: float
    """Share of the other records that the second alone includes."""
    hits: int
    """Relevant records that at least one included, on which these shares rest."""


def learned_pair(verdicts: Verdicts, first_column: int = 0, second_column: int = 1) -> ReaderPair:
    """Estimate the shares of two people from records that both have read, with a prior from people in general.

    Parameters
    ----------
    verdicts : Verdicts
        Verdicts of all readers.
    first_column, second_column : int
        Columns of the two people.

    Returns
    -------
    ReaderPair
    """
    first, second = verdicts.included[:, [first_column, second_column]].T
    both_read = ~(np.isnan(first) | np.isnan(second))
    relevant = (verdicts.relevant == 1) & both_read & ((first == 1) | (second == 1))
    number = int(relevant.sum())
    others = int(both_read.sum()) - number

    def share(reader: Floats) -> float:
        return (int(((reader == 1) & relevant).sum()) + WEIGHT * SENSITIVITY / PAIR) / (number + WEIGHT)

    def wrong(reader: Floats, other: Floats) -> float:
        return int(((reader == 1) & (other == 0) & (verdicts.relevant == 0)).sum()) / max(others, 1)

    return ReaderPair(share(first), share(second), wrong(first, second), wrong(second, first), number)


def compare_pairings(
    pair: ReaderPair, documents: int, hits: float, share_found: float, prices: Prices, worth: float
) -> tuple[ReadingOption[Pairing], ...]:
    """Compare the ways in which one or two people can read the next stretch.

    Parameters
    ----------
    pair : ReaderPair
        Shares that the two people include.
    documents : int
        Length of the stretch.
    hits : float
        Expected number of relevant documents in it that at least one of the two includes.
    share_found : float
        Share of the relevant documents that at least one of the two includes; 1 if unknown.
    prices : Prices
        Prices of reading a document and of following up an included one.
    worth : float
        Value of a relevant document found.

    Returns
    -------
    tuple of ReadingOption
        Sorted by falling value.

    Examples
    --------
    >>> pair = ReaderPair(0.9, 0.8, 0.02, 0.01, hits=40)
    >>> [(way.way.name, round(way.hits, 1), round(way.cost, 1)) for way in compare_pairings(pair, 100, 10, 1.0, Prices(1, 0), 150)]
    [('AFTER', 10, 191.1), ('BOTH', 10, 205.7), ('FIRST', 9.0, 100.0)]
    """
    relevant = min(hits / share_found, documents)
    others = documents - relevant
    only_first, only_second = hits * (1 - pair.second), hits * (1 - pair.first)
    wrong_first, wrong_second = others * pair.wrong_first, others * pair.wrong_second
    by_first = hits * pair.first
    included = by_first + wrong_first
    finds = {Pairing.FIRST: by_first, Pairing.BOTH: hits, Pairing.AFTER: hits}
    reads = {
        Pairing.FIRST: documents,
        Pairing.BOTH: 2 * documents + only_first + only_second + wrong_first + wrong_second,
        Pairing.AFTER: 2 * documents - included + only_second + wrong_second,
    }
    wrong = {Pairing.FIRST: wrong_first, Pairing.BOTH: 0.0, Pairing.AFTER: wrong_first}
    options = []
    for way in Pairing:
        cost = reads[way] * prices.person + (finds[way] + wrong[way]) * prices.follow_up
        gain = worth * finds[way] - cost
        options.append(ReadingOption(way, finds[way], relevant - finds[way], cost, gain, 0.0))
    return tuple(sorted(options, key=lambda option: -option.value))
