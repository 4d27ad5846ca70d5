"""Places for jobs: a few for large ones and one for a small one, shared fairly among visitors."""

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

BEAT = 0.2
"""Seconds between two checks on a caller who waits."""


class Place(Enum):
    """Where a job is done."""

    LARGE = auto()
    QUICK = auto()


@dataclass(eq=False)
class Ticket:
    """A job that is done, or that waits for its place."""

    visitor: str
    small: bool
    place: Place | None = None


class Places:
    """Places for this many large jobs and for one small one, shared fairly among visitors."""

    def __init__(self, large: int) -> None:
        self.large = large
        self._tickets: list[Ticket] = []  # in the order in which they came
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def taken(self, ticket: Ticket, beat: Callable[[bool], None] | None) -> Iterator[None]:
        """Wait for a place, and have it; `beat` is called with True while waiting, and may raise to give up."""
        with self._changed:
            self._tickets.append(ticket)
            self._grant()
        try:
            while True:
                with self._changed:
                    if self._changed.wait_for(lambda: ticket.place, BEAT):
                        break
                if beat is not None:
                    beat(True)
            yield
        finally:
            with self._changed:
                self._tickets.remove(ticket)
                self._grant()

    def others_wait(self, of: Ticket) -> bool:
        """Whether another visitor waits for the place of a small job."""
        return of.place is Place.QUICK and any(
            ticket.small and ticket.place is None and ticket.visitor != of.visitor
            for ticket in list(self._tickets)
        )

    def _grant(self) -> None:
        """Give free places to those who wait: to the visitors with the fewest jobs first, then in turn."""
        granted = True
        while granted:
            jobs = Counter(ticket.visitor for ticket in self._tickets if ticket.place is not None)
            waiting = [ticket for ticket in self._tickets if ticket.place is None]
            granted = False
            for ticket in sorted(waiting, key=lambda ticket: jobs[ticket.visitor]):
                ticket.place = self._free(ticket)
                if granted := ticket.place is not None:
                    break
        self._changed.notify_all()

    def _free(self, ticket: Ticket) -> Place | None:
        large = [other.visitor for other in self._tickets if other.place is Place.LARGE]
        # One visitor never has them all.
        if len(large) < self.large and large.count(ticket.visitor) < max(1, self.large - 1):
            return Place.LARGE
        taken = any(other.place is Place.QUICK for other in self._tickets)
        return Place.QUICK if ticket.small and not taken else None
