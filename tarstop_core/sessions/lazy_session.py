"""A session with what follows from its log, computed once, and its documents, loaded when they are needed."""

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Generic, TypeVar, cast

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.fold import LogReplay, replay
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.log import Event, standing
from tarstop_core.screening.paths import chances
from tarstop_core.screening.provenance import Provenance, provenance
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.trace import calibrators_named, trace
from tarstop_core.sessions.agreeing import missed
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import Collection, Record, SessionRow
from tarstop_core.value.payoffs import Floats

T = TypeVar("T")


class RecentCache(OrderedDict[Hashable, T], Generic[T]):
    """A cache of the last answers, by everything that they depend on; answers must not be changed.

    Parameters
    ----------
    most : int
        How many are kept.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def computed(self, asked: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` computes for this key, once; two threads at the same moment may both compute it."""
        kept = self.get(asked)
        if kept is None:
            kept = make()
            while len(self) >= self.most:
                self.popitem(last=False)
            self[asked] = kept
        return kept


SHARED: RecentCache[Any] = RecentCache(256)
"""What all readers of a session look at, by session and event; computed once on this server."""
AHEAD = 16
"""How many of the following documents are loaded together with one."""


@dataclass(eq=False)
class Session(ABC):
    """A session and its log; what follows from these is computed once, when it is needed."""

    stored: SessionRow
    collection: Collection
    events: list[Event]

    @abstractmethod
    def calibrator(self, digest: str) -> Calibrator:
        """Return a calibrator that the settings named at some time."""

    @cached_property
    def state(self) -> State:
        """The state after these events; with several readers, of what counts."""
        return replay(self.stored.settings, self.stored.ids, self.events)

    @cached_property
    def row(self) -> SessionRow:
        """The session with its documents in the order of reading, as far as that is known."""
        return self.stored.as_read(self.state)

    @cached_property
    def came(self) -> Provenance:
        """The part of its log that came in a session file."""
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
class LazySession(Session):
    """A session whose documents are loaded from the store when they are needed."""

    store: Store
    reader: str = ""  # Name of the person who reads
    several: SeveralReaders | None = None
    """The log of several readers; None for a session as one of them reads it."""
    seq: int | None = None  # Number of the last event of all readers
    to_judge: Sequence[str] = ()
    """With several readers: the unread documents that this one has to judge, in the order of reading."""
    _loaded: dict[int, Record] = field(default_factory=dict)
    _folded: tuple[LogReplay, list[Event]] | None = None

    @cached_property
    def state(self) -> State:
        """The state after the events seen; events that were folded before are not folded again."""
        fold, folded = self._folded or (None, list[Event]())
        new, self._folded = self.events[len(folded) :], None
        grown = folded[-1:] == self.events[: len(folded)][-1:] and all(event.kind != "undo" for event in new)
        if fold is None or not grown:
            fold, new = LogReplay(self.stored.settings, self.stored.ids), standing(self.events)
        for event in new:
            fold.apply(event)
        state = fold.after(self.events, self.to_judge)
        self._folded = fold, self.events
        state = state if self.seq is None else replace(state, seq=self.seq)
        if self.several is None:
            return state
        return replace(state, overlooked=self.once("overlooked", partial(missed, self.several)))

    def once(self, what: Hashable, make: Callable[[], T]) -> T:
        """Return what `make` computes from what counts, once for all readers; `what` is everything else that it depends on."""
        changed = self.several and self.several.changed
        if not changed:
            return make()
        asked = self.stored.id, changed.seq, changed.time, what
        return cast(T, SHARED.computed(asked, make))

    def _forget(self) -> None:
        """Drop everything computed from the log."""
        for computed in ("state", "row", "came", "steps"):
            self.__dict__.pop(computed, None)

    def document(self, at: int) -> Record:
        """Return the document at this place of the screening order, with its text."""
        return self.reports_of([at])[0]

    def reports_of(self, positions: Iterable[int]) -> list[Record]:
        """Return documents by their places in the screening order, loaded once."""
        places = [int(at) for at in positions]
        wanted = self.row.order[places].tolist()
        if not self._loaded.keys() >= set(wanted):
            following = self.row.order[max(places) + 1 : max(places) + 1 + AHEAD].tolist()
            new = [at for at in dict.fromkeys([*wanted, *following]) if at not in self._loaded]
            self._loaded.update(zip(new, self.store.record_texts(self.collection.id, new), strict=True))
        return [self._loaded[at] for at in wanted]


@dataclass(eq=False)
class OwnReading(LazySession):
    """A session as one of several readers reads it: the reader's own verdicts, and what comes next."""

    calibrator_of: Callable[[str], Calibrator] = field(kw_only=True)

    def calibrator(self, digest: str) -> Calibrator:
        """Return a calibrator that the settings named at some time."""
        return self.calibrator_of(digest)

    @cached_property
    def row(self) -> SessionRow:
        """The session with the documents that the reader has read or is to judge."""
        row = self.stored.as_read(self.state)
        end = self.state.depth + len(self.to_judge)
        scores = None if row.scores is None else row.scores[:end]
        return replace(row, ids=row.ids[:end], order=row.order[:end], scores=scores)
