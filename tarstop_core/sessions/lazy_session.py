"""Sessions: what follows from a log is computed once, and documents are loaded from the store when they are needed."""

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
    """A cache of the last results, by everything that they depend on; results must not be changed.

    Parameters
    ----------
    most : int
        How many results are kept; the oldest is dropped.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def computed(self, key: Hashable, make: Callable[[], T]) -> T:
        """Result of `make` for this key, computed once; two threads at the same moment may both compute it."""
        result = self.get(key)
        if result is None:
            result = make()
            while len(self) >= self.most:
                self.popitem(last=False)
            self[key] = result
        return result


SHARED: RecentCache[Any] = RecentCache(256)
"""Results that are the same for all readers of a session, by session and event; computed once on this server."""
AHEAD = 16
"""How many of the documents that follow are loaded together with a document."""


@dataclass(eq=False)
class Session(ABC):
    """A session with its log; whatever follows from them is computed once, when it is needed."""

    stored: SessionRow  # As it was set up
    collection: Collection
    events: list[Event]  # The log; of several readers, the part that counts, or what one of them sees

    @abstractmethod
    def calibrator(self, digest: str) -> Calibrator:
        """A calibrator that the settings of this session named at some time, by its digest."""

    @cached_property
    def state(self) -> State:
        """The state of the session after its events."""
        return replay(self.stored.settings, self.stored.ids, self.events)

    @cached_property
    def row(self) -> SessionRow:
        """The session with its documents in the order of reading; that of unread documents may still change."""
        return self.stored.as_read(self.state)

    @property
    def last_reviewer(self) -> str:
        """The name under which an event was last recorded; empty if none has a name."""
        return next((event.reviewer for event in reversed(self.events) if event.reviewer), "")

    @cached_property
    def provenance(self) -> Provenance:
        """Which entries of the log came from a session file or another session."""
        return provenance(self.events)

    @cached_property
    def steps(self) -> list[dict[str, Any]]:
        """The trace: a row for each document read, from :func:`tarstop_core.screening.trace.trace`."""
        stored = self.stored
        calibrators = {
            digest: self.calibrator(digest) for digest in calibrators_named(stored.settings, self.events)
        }
        return trace(stored.settings, calibrators, stored.ids, stored.scores, self.events)

    def chances(self, settings: Settings, state: State | None = None) -> tuple[Calibrator, Floats]:
        """The calibrator of these settings, and the chance of each document in the order of reading, shape (N,).

        The chances are those of `state`, by default the present one.
        """
        calibrator = self.calibrator(settings.calibrator)
        return calibrator, chances(settings, calibrator, self.stored.scores, state or self.state)

    def advice(self, settings: Settings) -> Advice:
        """The advice under these settings, which may be a what-if."""
        return advise(settings, *self.chances(settings), self.state)


@dataclass(eq=False)
class LazySession(Session):
    """A session whose documents are loaded from the store when they are needed."""

    store: Store
    reader: str = ""  # Name of the person at the keyboard
    several: SeveralReaders | None = None
    """The log of all readers; None with one reader, and for the session as one of several reads it."""
    seq: int | None = None  # Number of the last event of all readers
    to_judge: Sequence[str] = ()
    """With several readers: the documents that this one has still to judge, in the order of reading."""
    _loaded: dict[int, Record] = field(default_factory=dict)
    _folded: tuple[LogReplay, list[Event]] | None = None

    @cached_property
    def state(self) -> State:
        """The state of the session after its events; events that were applied before are not applied again."""
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

    @property
    def in_full(self) -> State:
        """The state with the full texts that the person at the keyboard entered, also those that do not count yet."""
        several = self.several
        if several is None or self.reader not in several.alone_in_full:
            return self.state
        places = {doc: at for at, doc in enumerate(self.row.ids)}
        own = {
            places[doc]: report for doc, report in several.in_full.of(self.reader).items() if doc in places
        }
        return replace(self.state, reports={**own, **self.state.read_in_full})

    def once(self, what: Hashable, make: Callable[[], T]) -> T:
        """Result of `make`, computed once for all readers until a verdict that counts changes.

        `what` names the result and everything else that it depends on. With one reader, nothing is cached.
        """
        changed = self.several and self.several.changed
        if not changed:
            return make()
        key = self.stored.id, changed.seq, changed.time, what
        return cast(T, SHARED.computed(key, make))

    def _forget(self) -> None:
        """Drop everything computed from the log."""
        for computed in ("state", "row", "provenance", "steps"):
            self.__dict__.pop(computed, None)

    def document(self, at: int) -> Record:
        """The document at a position in the order of reading, from 0 on, with its text."""
        return self.reports_of([at])[0]

    def reports_of(self, positions: Iterable[int]) -> list[Record]:
        """The documents at some positions in the order of reading, with their texts; each is loaded once."""
        places = [*positions]
        wanted = self.row.order[places].tolist()
        if not self._loaded.keys() >= set(wanted):
            following = self.row.order[max(places) + 1 : max(places) + 1 + AHEAD].tolist()
            new = [at for at in dict.fromkeys([*wanted, *following]) if at not in self._loaded]
            self._loaded.update(zip(new, self.store.record_texts(self.collection.id, new), strict=True))
        return [self._loaded[at] for at in wanted]


@dataclass(eq=False)
class OwnReading(LazySession):
    """A session as one of several readers sees it: their own verdicts, and the documents that they judge next."""

    calibrator_of: Callable[[str], Calibrator] = field(kw_only=True)

    def calibrator(self, digest: str) -> Calibrator:
        return self.calibrator_of(digest)

    @cached_property
    def row(self) -> SessionRow:
        """The session with only the documents that the reader has read or still has to judge."""
        row = self.stored.as_read(self.state)
        end = self.state.depth + len(self.to_judge)
        scores = None if row.scores is None else row.scores[:end]
        return replace(row, ids=row.ids[:end], order=row.order[:end], scores=scores)
