"""A session with what follows from its log: open to be worked on, recorded event by event, or as it stands, with all documents."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
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
from tarstop_core.screening.events import (
    label_event,
    plan_event,
    relabel_event,
    report_event,
    settings_event,
    verdict,
)
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.labels import Label
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import Paths, PathsKey, paths_key, read_so, session_paths
from tarstop_core.screening.setting_aside import listed
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.settings_words import settings_rows
from tarstop_core.screening.state import State
from tarstop_core.screening.trace import calibrators_named
from tarstop_core.sessions.chances_evidence import ratios_of_others
from tarstop_core.sessions.learning import Fitted, basis, features_of, fit, foresee, is_due, taught, why_next
from tarstop_core.sessions.prisma import Prisma, prisma
from tarstop_core.sessions.readable import OwnReading, Readable, Session
from tarstop_core.sessions.store.permissions import Forbidden
from tarstop_core.sessions.store.store import Conflict, Deleted, Store
from tarstop_core.sessions.store.tables import Record, SessionRow
from tarstop_core.value.payoffs import Floats

TO_DRAW = 0.1  # Seconds that a page has to itself after a label, before both answers to the next document are fitted
KEPT_PATHS = 4


@dataclass(eq=False)
class SessionSnapshot(Session):
    """A session as it stands, with its documents and calibrators: nothing of it is asked for again."""

    documents: pd.DataFrame  # Its records in the order in which the collection holds them
    calibrators: Mapping[str, Calibrator]  # By digest: every one that its settings ever named
    others: tuple[Floats, ...] = ()  # What other sessions of its store say against the chances in force
    several: SeveralReaders | None = None  # What several readers have said

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
    log = store.log(session_id)
    stored = store.session(session_id)
    several = SeveralReaders(stored.settings.readers, log) if stored.settings.readers else None
    events = log if several is None else several.common
    calibrators = {
        digest: store.calibrator(digest) for digest in sorted(calibrators_named(stored.settings, events))
    }
    collection, documents = store.collection(stored.collection_id), store.records(stored.collection_id)
    snapshot = SessionSnapshot(stored, collection, events, documents, calibrators, several=several)
    snapshot.others = ratios_of_others(store, snapshot.state.settings, session_id)
    return snapshot


@dataclass(eq=False)
class OpenSession(Readable):
    """A session as somebody who has it open knows it.

    The store is the truth: what was seen of it here is known, and every write says up to which event that was. Of
    several readers `events` is what counts, and :attr:`own` where the person at the keyboard stands.
    """

    deleted: bool = False  # Whether the session was deleted, so that nothing is recorded until it is restored
    reader: str = ""  # Name of the person at the keyboard
    several: SeveralReaders | None = None  # What several readers have said
    _log: list[Event] = field(default_factory=list)
    _chances: dict[tuple[str, bool, bytes], tuple[Calibrator, Floats]] = field(default_factory=dict)
    _paths: dict[PathsKey, Paths] = field(default_factory=dict)
    _features: Features | None = None
    _scores: Floats | None = None
    _foreseeing: Timer | None = None
    _foreseen: list[Fitted] = field(default_factory=list)
    _because: dict[tuple[str, int], list[str]] = field(default_factory=dict)

    @classmethod
    def load(cls, store: Store, session_id: str, reader: str = "") -> Self:
        """Open a session as it stands in the store; InputProblem when there is none with this id."""
        log, stored = store.log(session_id), store.session(session_id)
        collection = store.collection(stored.collection_id)
        opened = cls(stored, collection, [], store, deleted=store.is_deleted(session_id), reader=reader)
        opened._see(log)
        return opened

    @cached_property
    def state(self) -> State:
        """Where the session stands after the events seen; of several readers, by what counts."""
        state = self._fold()
        return state if self.several is None else replace(state, seq=self._seen)

    @property
    def _seen(self) -> int:
        """The number of the last event seen, whoever recorded it."""
        return self._log[-1].seq if self._log else 0

    @cached_property
    def _own(self) -> OwnReading:
        assert self.several is not None
        stored, collection, reader = self.stored, self.collection, self.reader
        return OwnReading(
            stored,
            collection,
            self.several.own(reader),
            self.store,
            calibrator_of=self.calibrator,
            reader=reader,
            to_judge=self.several.to_judge(reader, self.row.ids),
            seq=self._seen,
        )

    @property
    def own(self) -> Self | OwnReading:
        """The session as the person at the keyboard reads it: itself where there is one reader."""
        return self if self.several is None else self._own

    @property
    def left(self) -> int:
        """Documents of the list that are not read."""
        return len(self.row.ids) - self.state.depth

    def read_as(self, reader: str) -> None:
        """Note who is at the keyboard."""
        if reader != self.reader:
            self.reader = reader
            self.__dict__.pop("_own", None)

    def _see(self, log: list[Event]) -> None:
        before, self._log = self._log, log
        self.events = log
        if readers := self.stored.settings.readers:
            several = self.several
            grown = several is not None and before[-1:] == log[: len(before)][-1:]
            if several is None or not grown:
                self.several = several = SeveralReaders(readers)
                before = []
            undone = several.undone
            several.take(log[len(before) :])
            if several.undone != undone or not grown:
                self._folded = None
            self.events = [*several.common]
        for computed in ("state", "row", "came", "steps", "_own"):
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

    def refresh(self) -> bool:
        """Take in what was recorded elsewhere; True when there was something."""
        self.deleted = self.store.is_deleted(self.stored.id)
        # From the last one seen on: where it is not the same, a backup was restored and the log is another one.
        last = self._log[-1:]
        news = self.store.log(self.stored.id, after=last[0].seq - 1 if last else 0)
        if news[:1] == last:
            fresh = [*self._log, *news[1:]]
        else:
            fresh = self.store.log(self.stored.id) if last else news
        if fresh == self._log:
            return False
        self._see(fresh)
        if any(event.kind in ("joined", "parted") for event in news):
            again = self.load(self.store, self.stored.id)
            self.stored, self.collection = again.stored, again.collection
            self._see(again._log)
            if self._foreseeing is not None:
                self._foreseeing.join()
            self._features, self._scores, self._because = None, None, {}
        return True

    def record(self, event: Event, seen: int) -> None:
        """Store an event with the name of the person who acted, then count it in.

        InputProblem, and nothing stored, when something was recorded, here or elsewhere, since the event `seen`, the
        last that they had been shown.
        """
        if self.several is not None:
            event = replace(event, reviewer=self.reader)
        if self._came_first(event, seen):
            raise InputProblem(
                "That press came after something else had been recorded, so it was not counted; "
                "look at what is shown now."
            )
        self._append(event)

    def _came_first(self, event: Event, seen: int) -> bool:
        """Whether something was recorded since the event `seen` that an event should have waited for.

        What other readers say of other documents is nothing to wait for.
        """
        since = [earlier for earlier in self.own.events if earlier.seq > seen]
        if self.several is not None and event.kind in ("report", "resolved"):
            doc = event.payload["doc"]
            since += [later for later in self._log if later.seq > seen and later.payload.get("doc") == doc]
        # A note is stored when its box loses the focus, which may be by the very click on a label; a fit by the page itself.
        return any(earlier.kind not in ("note", "fit") for earlier in since)

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
        while True:
            seen, log = self._seen, [*self._log, event]
            documents = listed(self.stored.settings, self.stored.ids, log) if changed else None
            try:
                stored = self.store.append(self.stored.id, event, seen, documents)
            except InputProblem as problem:
                self.refresh()
                others = isinstance(problem, Conflict) and self.several is not None and event.kind != "fit"
                if not others or self._came_first(event, seen):
                    raise
            else:
                self._see([*self._log, stored])
                return

    def learn(self) -> None:
        """Put what comes next in order by the labels and record that, where it is due and can be done here."""
        if self.deleted or not is_due(self.events, self.state) or self.features is None:
            return
        if self._foreseeing is not None:
            self._foreseeing.join()
        labels = basis(taught(self.row, self.state, len(self.features), self._outside))
        foreseen = next((fitted for fitted in self._foreseen if fitted.basis == labels), None)
        beyond = 0 if self.several is None else self.several.beyond
        fitted = foreseen or fit(self.features, self.row, self.state, self._outside, beyond=beyond)
        # Another tab did it first, the session went meanwhile, or this person only looks on.
        with suppress(Conflict, Deleted, Forbidden):
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
        if self.several is not None:
            return  # only what all have judged teaches, and nobody knows when another does so
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
        own = self.own
        state, ids = own.state, own.row.ids
        if doc in ids[: state.depth]:
            self.record(relabel_event(state, ids, doc, label, **more), seen)
            return
        if isinstance(own, OwnReading):
            state.settings.readers.check_reader(self.reader)
        event = label_event(state, ids, doc, label, **more)
        if isinstance(own, OwnReading):
            if doc not in own.to_judge:
                raise InputProblem(
                    "Others judge that document, so nothing was recorded; look at what is shown now."
                )
            event = replace(event, payload={"fit": 0, **event.payload})
        self.record(event, seen)

    def resolve(self, doc: str, label: Label, seen: int, **more: str) -> None:
        """Settle what readers differ on.

        Parameters
        ----------
        doc
            The document.
        label
            The verdict that counts from now on.
        seen
            The last event that the person had been shown.
        **more
            A `reason` why it is excluded, and a `note` on how that was settled.

        Raises
        ------
        InputProblem
            When nobody has signed, readers do not differ on it, the verdict settles nothing, or as :meth:`record` raises it.
        """
        if self.several is None or doc not in self.several.judged or not self.several.judged[doc].differ:
            raise InputProblem("Readers do not differ on that document, so nothing was recorded.")
        if label not in ("relevant", "irrelevant"):
            raise InputProblem("A disagreement is resolved by including the document or excluding it.")
        if not self.reader:
            raise InputProblem("Say first under which name the disagreement is resolved.")
        self.record(Event("resolved", verdict(doc, label, **more)), seen)

    def open_verdicts(self, seen: int) -> None:
        """Let everybody see all verdicts from now on."""
        if self.several is None or not self.reader:
            raise InputProblem("Verdicts of several readers are opened under a name; give yours first.")
        self.record(Event("opened"), seen)

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
