"""What a second person is worth: the next stretch read by one, by two, or by a second who reads what the first excluded.

Of the relevant documents that either of two readers included, some were included by one alone. These shares say how much less one
finds than both, whatever the two have in common, and need no audit. What both overlook is another matter: without random draws
among what both excluded it is left out, so that what a way overlooks is the least that it may be.
"""

from dataclasses import dataclass
from enum import Enum

import numpy as np

from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.readers.strategies import SENSITIVITY, Option, Prices
from tarstop_core.readers.verdicts import Verdicts

PAIR = 0.975
"""Share of relevant records that one of two people includes (Gartlehner et al. 2020, as :data:`SENSITIVITY`)."""
WEIGHT = 5.0
"""Relevant records that what is known of people in general counts for."""


class Pairing(Enum):
    """A way in which one or two people read a stretch."""

    FIRST = "the first reader alone"
    BOTH = "both, disagreements resolved"
    AFTER = "the first, and the second what the first excludes"


@dataclass(frozen=True)
class Pair:
    """Shares of the relevant records that two readers include, and of the others."""

    first: float
    second: float
    """`first` and `second`: shares of the relevant records that either of them includes."""
    wrong_first: float
    wrong_second: float
    """`wrong_first` and `wrong_second`: shares of the other records that one of them alone includes, to be resolved by somebody."""
    hits: int
    """Relevant records that either included, which teach this."""


def learned_pair(verdicts: Verdicts, first_column: int = 0, second_column: int = 1) -> Pair:
    """What verdicts of two people teach of them.

    Parameters
    ----------
    verdicts : Verdicts
        Of all readers.
    first_column, second_column : int
        Which of them are the two.

    Returns
    -------
    Pair
        By records that both have read, with what is known of people in general.
    """
    first, second = verdicts.included[:, [first_column, second_column]].T
    both_read = ~(np.isnan(first) | np.isnan(second))
    relevant = (verdicts.relevant == 1) & both_read & ((first == 1) | (second == 1))
    number = int(relevant.sum())
    others = int(both_read.sum()) - number

    def share(of: Flags) -> float:
        return (int((of & relevant).sum()) + WEIGHT * SENSITIVITY / PAIR) / (number + WEIGHT)

    def wrong(by: Floats, not_by: Floats) -> float:
        return int(((by == 1) & (not_by == 0) & (verdicts.relevant == 0)).sum()) / max(others, 1)

    return Pair(share(first == 1), share(second == 1), wrong(first, second), wrong(second, first), number)


def compare_pairings(
    pair: Pair, documents: int, hits: float, share_found: float, prices: Prices, worth: float
) -> tuple[Option[Pairing], ...]:
    """All ways of reading the next stretch, the best first.

    Parameters
    ----------
    pair : Pair
        How the two read.
    documents : int
        Of the stretch.
    hits : float
        Relevant ones among these that both together are expected to include.
    share_found : float
        Share of the relevant records that one of the two includes; 1 where nobody knows.
    prices : Prices
        Of a record that a person reads, and of one that is included.
    worth : float
        Of a relevant record found.

    Returns
    -------
    tuple of Option
        By falling value.

    Examples
    --------
    >>> pair = Pair(0.9, 0.8, 0.02, 0.01, hits=40)
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
        options.append(Option(way, finds[way], relevant - finds[way], cost, gain, 0.0))
    return tuple(sorted(options, key=lambda option: -option.value))
