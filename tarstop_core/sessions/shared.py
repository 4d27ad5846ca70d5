"""What was computed last, and is asked for again: in one tab, or by all who have a session of several readers open."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Last(OrderedDict[Hashable, T], Generic[T]):
    """The answers that were asked for last, by all that they depend on; nobody changes them.

    Parameters
    ----------
    most : int
        How many are kept.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def computed(self, asked: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` gives for what is asked, computed once; two threads at the same moment may both do so."""
        kept = self.get(asked)
        if kept is None:
            kept = make()
            while len(self) >= self.most:
                self.popitem(last=False)
            self[asked] = kept
        return kept
