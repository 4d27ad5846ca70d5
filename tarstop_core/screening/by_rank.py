"""The documents of a session by rank, those that are set aside among them."""

import numpy as np
from numpy.typing import NDArray


class ByRank:
    """Places of a list in the order of their ranks, and which of them are on the list now.

    A place is where a document stands in the list as it was stored, or after it where the document joined later; it never
    changes. Ranks are counted from 1 among the documents on the list, as if there were no others.
    """

    def __init__(self, documents: int) -> None:
        self.order = np.arange(documents)
        """Every place by rank, whether its document is on the list or not."""
        self.on = np.ones(documents, dtype=bool)
        """By place: whether the document is on the list."""
        self.ranked = False
        """Whether ranks say more than places do."""
        self._passed = 0  # so many of the first in `order` are read, or off the list

    def ranks(self, without: list[int]) -> NDArray[np.int64]:
        """Rank by place, where the documents at some places do not count: each has the rank of the one that follows."""
        counts = self.on.copy()
        counts[without] = False
        ranks, in_order = np.zeros(len(self.order), dtype=np.int64), counts[self.order]
        ranks[self.order] = np.cumsum(in_order) + ~in_order
        return ranks

    def put_in_order(self, ranks: NDArray[np.int64]) -> None:
        """Take new ranks of the documents on the list, by place; the others keep theirs among all."""
        self.order[self.on[self.order]] = np.flatnonzero(self.on)[np.argsort(ranks)]
        self.ranked, self._passed = True, 0

    def insert_last(self, ranks: NDArray[np.int64]) -> bool:
        """Give the last places ranks among all; False, and nothing is changed, where these are not ranks of theirs."""
        places = len(self.order)
        others = np.setdiff1d(np.arange(1, places + 1), ranks)
        if len(others) + len(ranks) != places:
            return False
        self.order[np.append(others, ranks) - 1] = np.arange(places)
        return True

    def add(self, ranks: NDArray[np.int64]) -> None:
        """Make the list longer by documents with these ranks in the longer list."""
        on, more = self.on[self.order], np.arange(len(self.order), len(self.order) + len(ranks))
        longer = np.setdiff1d(np.arange(1, np.count_nonzero(on) + len(ranks) + 1), ranks)
        # One off the list stays behind the one that it follows.
        keys = np.append(0, longer)[np.cumsum(on)] + np.where(on, 0.0, 0.5)
        by_rank = np.argsort(np.append(keys, ranks), kind="stable")
        self.order, self.on = (
            np.append(self.order, more)[by_rank],
            np.append(self.on, np.ones(len(more), dtype=bool)),
        )
        self.ranked, self._passed = True, 0

    def cut(self, places: int) -> None:
        """Drop all but so many places."""
        self.on, self.order = self.on[:places], self.order[self.order < places]
        self._passed = 0

    def switch(self, place: int, on: bool) -> None:
        """Take a document off the list, or put it back at its rank."""
        self.on[place], self._passed = on, 0

    def first(self, read: NDArray[np.intp]) -> int:
        """The first place on the list that was not read, -1 where all were; `read` says by place where, -1 for not at all."""
        while self._passed < len(self.order):
            place = int(self.order[self._passed])
            if self.on[place] and read[place] < 0:
                return place
            self._passed += 1
        return -1
