"""How far a run is: the share done and the seconds left, told to whoever asks."""

import time
from collections.abc import Callable

Progress = Callable[[float, str, float | None], None]


class Cancelled(Exception):
    """Somebody asked for an end; what is finished is kept where there is a place for it."""


class Clock:
    """Share done and seconds left, from the pace of what was computed and not found finished.

    `total` is the effort of the whole run, in any unit. `progress` is told share, what is done, and seconds (None while
    unknown); `cancelled` is asked whenever something is told.
    """

    def __init__(self, total: float, progress: Progress | None, cancelled: Callable[[], bool] | None) -> None:
        self.total, self.progress, self.cancelled = total, progress, cancelled
        self.so_far = self.computed = 0.0
        self.begun = time.monotonic()

    def say(self, what: str) -> None:
        """Tell what is being done. Cancelled when an end was asked for."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled
        if self.progress is None:
            return
        spent = time.monotonic() - self.begun
        left = spent * (self.total - self.so_far) / self.computed if self.computed else None
        self.progress(min(1.0, self.so_far / self.total), what, left)

    def done(self, effort: float, what: str, *, computed: bool) -> None:
        """Count what was done, and tell."""
        self.so_far += effort
        if computed:
            self.computed += effort
        self.say(what)
