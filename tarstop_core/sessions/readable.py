"""What follows from the log of a session, and the session as somebody reads it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.fold import Replay, replay
from tarstop_core.screening.log import Event, standing
from tarstop_core.screening.paths import chances
from tarstop_core.screening.provenance import Provenance, provenance
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.trace import calibrators_named, trace
from tarstop_core.sessions.learning import AHEAD
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import Collection, Record, SessionRow
from tarstop_core.value.payoffs import Floats


@dataclass(eq=False)
class Session(ABC):
    """A session and its log; what follows from these is computed once, when it is asked for."""

    stored: SessionRow
    collection: Collection
    events: list[Event]

    @abstractmethod
    def calibrator(self, digest: str) -> Calibrator:
        """Return a calibrator that the settings named at some time."""

    @cached_property
    def state(self) -> State:
        """Where the session stands after these events; of several readers, what counts."""
        return replay(self.stored.settings, self.stored.ids, self.events)

    @cached_property
    def row(self) -> SessionRow:
        """The session with its documents in the order of reading, as far as that is settled."""
        return self.stored.as_read(self.state)

    @cached_property
    def came(self) -> Provenance:
        """What of its log came in a session file."""
        return provenance(self.events)

    @cached_property
    def steps(self) -> list[dict[str, Any]]:
        """The advice at each document read, as :func:`tarstop_core.screening.trace.trace` gives it."""
        stored = self.stored
        calibrators = {
            digest: self.calibrator(digest) for digest in calibrators_named(stored.settings, self.events)
        }
        return trace(stored.settings, calibrators, stored.ids, stored.scores, self.events)

    def chances(self, settings: Settings, state: State | None = None) -> tuple[Calibrator, Floats]:
        """Return the calibrator of these settings and the chance of every document, now or in another state."""
        calibrator = self.calibrator(settings.calibrator)
        return calibrator, chances(settings, calibrator, self.stored.scores, state or self.state)

    def advice(self, settings: Settings) -> Advice:
        """Return the advice under these settings, which may be a what-if."""
        return advise(settings, *self.chances(settings), self.state)


@dataclass(eq=False)
class Readable(Session):
    """A session whose documents are looked up in the store as they are needed."""

    store: Store
    _included: dict[int, Record] = field(default_factory=dict)
    _folded: tuple[Replay, list[Event]] | None = None

    def document(self, at: int) -> Record:
        """The document at this place of the screening order, with its text."""
        return self.store.record_texts(self.collection.id, [int(self.row.order[at])])[0]

    def reports_of(self, positions: Iterable[int]) -> list[Record]:
        """Documents by their places in the screening order, loaded once."""
        wanted = self.row.order[[int(at) for at in positions]].tolist()
        new = [at for at in wanted if at not in self._included]
        self._included.update(zip(new, self.store.record_texts(self.collection.id, new), strict=True))
        return [self._included[at] for at in wanted]

    def _fold(self, first: Sequence[str] = ()) -> State:
        """The state after the events, of which those known before are folded already."""
        fold, folded = self._folded or (None, list[Event]())
        new, self._folded = self.events[len(folded) :], None
        grown = folded[-1:] == self.events[: len(folded)][-1:] and all(event.kind != "undo" for event in new)
        if fold is None or not grown:
            fold, new = Replay(self.stored.settings, self.stored.ids), standing(self.events)
        for event in new:
            fold.apply(event)
        state = fold.after(self.events, first)
        self._folded = fold, self.events
        return state


@dataclass(eq=False)
class OwnReading(Readable):
    """A session as one of several readers reads it: his own verdicts, and what comes next for him."""

    calibrator_of: Callable[[str], Calibrator] = field(kw_only=True)
    reader: str = field(kw_only=True)
    to_judge: Sequence[str] = field(kw_only=True)
    """Documents that are his to judge and that he has not read, in the order in which he reads them."""
    seq: int = field(kw_only=True)  # Of the last event, whoever recorded it

    def calibrator(self, digest: str) -> Calibrator:
        """Return a calibrator that the settings named at some time."""
        return self.calibrator_of(digest)

    @cached_property
    def state(self) -> State:
        """Where the reader stands."""
        return replace(self._fold(self.to_judge[:AHEAD]), seq=self.seq)

    @property
    def left(self) -> int:
        """Documents that there are for him to read now."""
        return len(self.to_judge)
