"""A session with what follows from its log: open to be worked on, recorded event by event, or as it stands, with all documents."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from threading import Timer
from typing import Any, Self

import pandas as pd

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.application import Flag, flagged
from tarstop_core.documents.reports import Report
from tarstop_core.errors import InputProblem
from tarstop_core.ranking.features import Features
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.events import label_event, plan_event, relabel_event, report_event, settings_event
from tarstop_core.screening.fold import Replay, replay
from tarstop_core.screening.labels import Label
from tarstop_core.screening.log import Event, standing
from tarstop_core.screening.paths import Paths, PathsKey, chances, paths_key, read_so, session_paths
from tarstop_core.screening.provenance import Provenance, provenance
from tarstop_core.screening.setting_aside import listed
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import settings_rows
from tarstop_core.screening.state import State
from tarstop_core.screening.trace import calibrators_named, trace
from tarstop_core.sessions.chances_evidence import ratios_of_others
from tarstop_core.sessions.learning import Fitted, basis, features_of, fit, foresee, is_due, taught, why_next
from tarstop_core.sessions.prisma import Prisma, prisma
from tarstop_core.sessions.store.store import Conflict, Deleted, Store
from tarstop_core.sessions.store.tables import Collection, Record, SessionRow
from tarstop_core.value.payoffs import Floats

TO_DRAW = 0.1  # Seconds that a page has to itself after a label, before both answers to the next document are fitted
KEPT_PATHS = 4


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
        """Where the session stands after these events."""
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
class SessionSnapshot(Session):
    """A session as it stands, with its documents and calibrators: nothing of it is asked for again."""

    documents: pd.DataFrame  # Its records in the order in which the collection holds them
    calibrators: Mapping[str, Calibrator]  # By digest: every one that its settings ever named
    others: tuple[Floats, ...] = ()  # What other sessions of its store say against the chances in force

    def calibrator(self, digest: str) -> Calibrator:
        """Return a calibrator that the settings named at some time."""
        return self.calibrators[digest]

    @cached_property
    def advice_now(self) -> Advice:
        """The advice under the settings in force."""
        return self.advice(self.state.settings)

    @cached_property
    def records(self) -> pd.DataFrame:
        """Its records in the order of reading."""
        return self.documents.iloc[self.row.order].reset_index(drop=True)

    @cached_property
    def records_aside(self) -> pd.DataFrame:
        """The documents that were set aside unread, in the order in which that was done."""
        aside = list(self.state.aside)
        return self.documents[self.documents["id"].isin(aside)].set_index("id").loc[aside].reset_index()

    @property
    def files(self) -> list[Mapping[str, Any]]:
        """The files that say how many records they held."""
        return [file for file in self.collection.files if "source" in file and "records" in file]

    @cached_property
    def prisma(self) -> Prisma:
        """The counts of its flow diagram."""
        left_out = self.row.settings.held_against.left_out + len(self.state.aside)
        return prisma(self.files, self.collection.duplicates, self.state, left_out, self.family_members)

    @property
    def family_members(self) -> int:
        """Documents of the collection for which another member of their patent family stands."""
        on_list = len(self.row.ids) + len(self.state.aside)
        return self.collection.documents - on_list - self.row.settings.held_against.left_out

    @cached_property
    def flags(self) -> list[tuple[Flag, ...]]:
        """What speaks against each document of a patent session, in screening order."""
        return flagged(self.state.settings.held_against, self.records, self.state.also)

    def in_words(self, settings: Settings) -> list[tuple[str, str]]:
        """Return settings of this session as rows: name and value."""
        return settings_rows(settings, self.calibrators[settings.calibrator])


def session_snapshot(store: Store, session_id: str) -> SessionSnapshot:
    """Load a session with its documents; InputProblem when there is none with this id."""
    # In this order: documents may join meanwhile, and those of a shorter log are among those of a longer list.
    events = store.events(session_id)
    stored = store.session(session_id)
    calibrators = {
        digest: store.calibrator(digest) for digest in sorted(calibrators_named(stored.settings, events))
    }
    collection, documents = store.collection(stored.collection_id), store.records(stored.collection_id)
    snapshot = SessionSnapshot(stored, collection, events, documents, calibrators)
    snapshot.others = ratios_of_others(store, snapshot.state.settings, session_id)
    return snapshot


@dataclass(eq=False)
class OpenSession(Session):
    """A session as somebody who has it open knows it.

    The store is the truth: `events` is what was seen of it here, and every write says up to which event that was.
    """

    store: Store
    deleted: bool = False  # Whether the session was deleted, so that nothing is recorded until it is restored
    _chances: dict[tuple[str, bool, bytes], tuple[Calibrator, Floats]] = field(default_factory=dict)
    _paths: dict[PathsKey, Paths] = field(default_factory=dict)
    _included: dict[int, Record] = field(default_factory=dict)
    _features: Features | None = None
    _scores: Floats | None = None
    _foreseeing: Timer | None = None
    _foreseen: list[Fitted] = field(default_factory=list)
    _because: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    _folded: tuple[Replay, list[Event]] | None = None

    @classmethod
    def load(cls, store: Store, session_id: str) -> Self:
        """Open a session as it stands in the store; InputProblem when there is none with this id."""
        events, stored = store.events(session_id), store.session(session_id)
        collection = store.collection(stored.collection_id)
        return cls(stored, collection, events, store, store.is_deleted(session_id))

    @cached_property
    def state(self) -> State:
        """Where the session stands after the events seen."""
        fold, folded = self._folded or (None, list[Event]())
        new, self._folded = self.events[len(folded) :], None
        grown = folded[-1:] == self.events[: len(folded)][-1:] and all(event.kind != "undo" for event in new)
        if fold is None or not grown:
            fold, new = Replay(self.stored.settings, self.stored.ids), standing(self.events)
        for event in new:
            fold.apply(event)
        state = fold.after(self.events)
        self._folded = fold, self.events
        return state

    def _see(self, events: list[Event]) -> None:
        self.events = events
        for computed in ("state", "row", "came", "steps"):
            self.__dict__.pop(computed, None)

    @property
    def last_reviewer(self) -> str:
        """The name last recorded in the session."""
        return next((event.reviewer for event in reversed(self.events) if event.reviewer), "")

    def calibrator(self, digest: str) -> Calibrator:
        """Return a calibrator, read from the store unless it gives the chances of late."""
        held = {key: calibrator for (key, *_), (calibrator, _) in self._chances.items()}
        return held.get(digest) or self.store.calibrator(digest)

    def chances(self, settings: Settings, state: State | None = None) -> tuple[Calibrator, Floats]:
        """Return the calibrator of these settings and the chance of every document, computed once for an order of reading."""
        state = state or self.state
        key = settings.calibrator, settings.adapts_chances, read_so(settings, state)
        if key not in self._chances:
            computed = super().chances(settings, state)
            _make_room(self._chances)
            self._chances[key] = computed
        return self._chances[key]

    def mismatch(self, settings: Settings) -> list[str]:
        """Return what about this list looks unlike the lists that the calibrator was fitted on, where it gives the chances."""
        if settings.adapts_chances:
            return []
        scores = None if settings.chances_follow else self.row.scores
        return self.calibrator(settings.calibrator).mismatch(scores, len(self.row.ids))

    def paths(self, settings: Settings) -> Paths:
        """Return the paths under these settings; most labels leave them as they are."""
        key = paths_key(settings, self.state)
        if key not in self._paths:
            _make_room(self._paths)
            self._paths[key] = session_paths(settings, *self.chances(settings), self.state)
        return self._paths[key]

    def advice(self, settings: Settings) -> Advice:
        """Return the advice under these settings, which may be a what-if."""
        return advise(settings, *self.chances(settings), self.state, self.paths(settings))

    def document(self, at: int) -> Record:
        """The document at this place of the screening order, with its text."""
        return self.store.record_texts(self.collection.id, [int(self.row.order[at])])[0]

    def reports_of(self, positions: Iterable[int]) -> list[Record]:
        """Included documents by their places in the screening order, loaded once."""
        wanted = self.row.order[[int(at) for at in positions]].tolist()
        new = [at for at in wanted if at not in self._included]
        self._included.update(zip(new, self.store.record_texts(self.collection.id, new), strict=True))
        return [self._included[at] for at in wanted]

    def refresh(self) -> bool:
        """Take in what was recorded elsewhere; True when there was something."""
        self.deleted = self.store.is_deleted(self.stored.id)
        # From the last one seen on: where it is not the same, a backup was restored and the log is another one.
        last = self.events[-1:]
        news = self.store.events(self.stored.id, after=last[0].seq - 1 if last else 0)
        if news[:1] == last:
            fresh = [*self.events, *news[1:]]
        else:
            fresh = self.store.events(self.stored.id) if last else news
        if fresh == self.events:
            return False
        self._see(fresh)
        if any(event.kind in ("joined", "parted") for event in news):
            again = self.load(self.store, self.stored.id)
            self.stored, self.collection = again.stored, again.collection
            self._see(again.events)
            if self._foreseeing is not None:
                self._foreseeing.join()
            self._features, self._scores, self._because = None, None, {}
        return True

    def record(self, event: Event, seen: int) -> None:
        """Store an event with the name of the person who acted, then count it in.

        InputProblem, and nothing stored, when something was recorded, here or elsewhere, since the event `seen`, the
        last that they had been shown.
        """
        # A note is stored when its box loses the focus, which may be by the very click on a label; a fit by the page itself.
        if any(earlier.kind not in ("note", "fit") for earlier in self.events if earlier.seq > seen):
            raise InputProblem(
                "That press came after something else had been recorded, so it was not counted; "
                "look at what is shown now."
            )
        self._append(event)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Record all of what is recorded within, or nothing where one of it is refused."""
        try:
            with self.store.together(large=False):
                yield
        except BaseException:
            self.refresh()  # what was recorded before it is gone again
            raise

    def _append(self, event: Event) -> None:
        changed = event.kind in ("set_aside", "returned")
        log = [*self.events, event]
        documents = listed(self.stored.settings, self.stored.ids, log) if changed else None
        try:
            stored = self.store.append(self.stored.id, event, self.state.seq, documents)
        except InputProblem:
            self.refresh()
            raise
        self._see([*self.events, stored])

    def learn(self) -> None:
        """Put what comes next in order by the labels and record that, where it is due and can be done here."""
        if self.deleted or not is_due(self.events, self.state) or self.features is None:
            return
        if self._foreseeing is not None:
            self._foreseeing.join()
        labels = basis(taught(self.row, self.state, len(self.features), self._outside))
        foreseen = next((fitted for fitted in self._foreseen if fitted.basis == labels), None)
        fitted = foreseen or fit(self.features, self.row, self.state, self._outside)
        with suppress(Conflict, Deleted):  # another tab did it first, or the session went meanwhile
            self._append(fitted.event)

    @property
    def features(self) -> Features | None:
        """What a ranker learns from in these documents; None until that was made here."""
        if self._features is None:
            self._features = features_of(self.collection)
        return self._features

    @property
    def scores_in_file(self) -> Floats:
        """Scores that the documents came with, by position in the collection; NaN where there is none."""
        if self._scores is None:
            self._scores = self.store.scores(self.collection.id)
        return self._scores

    @property
    def _outside(self) -> Floats | None:
        return self.scores_in_file if self.state.settings.weighs_scores else None

    def foresee(self) -> None:
        """Begin to fit both answers to the next document, so that nobody waits for it once one is given."""
        if self.state.depth < len(self.row.ids) and self.state.settings.learns and self.features is not None:
            self._foreseeing = Timer(TO_DRAW, self._foresee, (self.state, self.row, self.events))
            self._foreseeing.daemon = True
            self._foreseeing.start()

    def _foresee(self, state: State, row: SessionRow, events: list[Event]) -> None:
        assert self.features is not None
        self._foreseen, self._because = foresee(
            self.features, row, state, events, self._outside, self.document
        )

    def why_next(self, record: Record) -> list[str]:
        """Words that put the next document there, the weightiest first, and its score as `ITS_SCORE`; none where they did not."""
        fitted, doc = self.state.fit, record.id
        if not fitted or doc not in fitted["next"] or doc in self.state.put_back or self.features is None:
            return []
        key = doc, fitted["number"]
        if key not in self._because:
            self._because = {key: why_next(self.features, self.row, self.state, record, self._outside)}
        return self._because[key]

    def label(self, doc: str, label: Label, seen: int, **more: str) -> None:
        """Label the next document, or change the verdict on an earlier one.

        Parameters
        ----------
        doc
            The document.
        label
            The verdict.
        seen
            The last event that the person had been shown.
        **more
            What :func:`~tarstop_core.screening.events.verdict` takes beside.

        Raises
        ------
        InputProblem
            When a hit rests on it, or as :meth:`record` raises it.
        """
        event_of = relabel_event if doc in self.row.ids[: self.state.depth] else label_event
        self.record(event_of(self.state, self.row.ids, doc, label, **more), seen)

    def report(self, doc: str, report: Report, seen: int) -> None:
        """Store what became of an included report in full text."""
        self.record(report_event(self.state, self.row.ids, doc, report), seen)

    def register_plan(self, seen: int) -> None:
        """Freeze the settings in force as the plan."""
        self.record(plan_event(self.state, self.row.digest), seen)

    def change_settings(self, settings: Settings, seen: int, reason: str = "") -> None:
        """Put other settings in force; with a plan registered this is a deviation and needs a reason."""
        if settings != self.state.settings:
            self.record(settings_event(self.state, settings, reason), seen)


def _make_room(kept: dict[Any, Any]) -> None:
    """The plan, what is in force and a what-if are looked at together; older ones are done with."""
    while len(kept) >= KEPT_PATHS:
        kept.pop(next(iter(kept)))
