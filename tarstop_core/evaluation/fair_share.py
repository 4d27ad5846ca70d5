"""Share the places for jobs fairly among visitors: a few places for large jobs, and one for a small job."""

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum, auto

BEAT = 0.2
"""Seconds between two checks whether a waiting caller has given up."""


class Place(Enum):
    """Kind of place that a job has."""

    LARGE = auto()
    QUICK = auto()


@dataclass(eq=False)
class Ticket:
    """A job that is running, or that waits for a place."""

    visitor: str
    small: bool
    place: Place | None = None


class Places:
    """Places for `large` large jobs and one small job, shared fairly among visitors."""

    def __init__(self, large: int) -> None:
        self.large = large
        self._tickets: list[Ticket] = []  # In order of arrival
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def taken(self, ticket: Ticket, beat: Callable[[bool], None] | None) -> Iterator[None]:
        """Wait for a place and hold it; while waiting, `beat` is called with True and may raise to give up."""
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

    def others_wait(self, ticket: Ticket) -> bool:
        """Whether this job holds the place for small jobs while another visitor waits for that."""
        return ticket.place is Place.QUICK and any(
            other.small and other.place is None and other.visitor != ticket.visitor
            for other in list(self._tickets)
        )

    def _grant(self) -> None:
        """Give free places to waiting jobs: first to the visitors with the fewest jobs, then in order of arrival."""
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
        """The place that this job may take now, if any."""
        large = [other.visitor for other in self._tickets if other.place is Place.LARGE]
        # No visitor takes all places for large jobs, unless there is only one.
        if len(large) < self.large and large.count(ticket.visitor) < max(1, self.large - 1):
            return Place.LARGE
        taken = any(other.place is Place.QUICK for other in self._tickets)
        return Place.QUICK if ticket.small and not taken else None
