"""The session that somebody works on: loaded once, recorded event by event."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from threading import Timer
from typing import Any, Self

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.reports import Report
from tarstop_core.errors import InputProblem
from tarstop_core.ranking.features import Features
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.events import label_event, plan_event, relabel_event, report_event, settings_event
from tarstop_core.screening.fold import Replay
from tarstop_core.screening.foretold import foretold
from tarstop_core.screening.labels import IRRELEVANT, RELEVANT, Label
from tarstop_core.screening.log import Event, standing
from tarstop_core.screening.paths import Paths, PathsKey, chances, paths_key, read_so, session_paths
from tarstop_core.screening.setting_aside import listed
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.sessions.learning import Fitted, basis, features_of, fit, is_due, taught, why_next
from tarstop_core.sessions.store.rows import CollectionRow, Record, SessionRow
from tarstop_core.sessions.store.store import Conflict, Deleted, Store
from tarstop_core.value.payoffs import Floats

TO_DRAW = 0.1
"""Seconds that a page has to itself after a label, before both answers to the next document are fitted."""
KEPT_PATHS = 4


@dataclass
class OpenSession:
    """One session as somebody who has it open knows it, with what follows from its log computed once.

    The store is the truth: `events` is what was seen of it here, and every write says up to which event that was.
    """

    store: Store
    stored: SessionRow
    collection: CollectionRow
    events: list[Event]
    deleted: bool = False
    """Whether the session was deleted, so that nothing is recorded until it is restored."""
    _mismatch: dict[str, list[str]] = field(default_factory=dict)
    _chances: dict[tuple[str, bool, bytes], tuple[Calibrator, Floats]] = field(default_factory=dict)
    _paths: dict[PathsKey, Paths] = field(default_factory=dict)
    _included: dict[int, Record] = field(default_factory=dict)
    _features: Features | None = None
    _scores: Floats | None = None
    _foreseeing: Timer | None = None
    _foreseen: list[Fitted] = field(default_factory=list)
    _because: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    _folded: tuple[Replay, list[Event]] | None = None
    _standing: tuple[State, SessionRow] | None = None

    @classmethod
    def load(cls, store: Store, session_id: str) -> Self:
        """The session as it stands in the store; InputProblem when there is none with this id."""
        events, row = store.events(session_id), store.session(session_id)
        collection = store.collection(row.collection_id)
        return cls(store, row, collection, events, store.is_deleted(session_id))

    @property
    def state(self) -> State:
        """Where the session stands after the events seen."""
        return self._stands[0]

    @property
    def row(self) -> SessionRow:
        """The session with its documents in the order of reading, as far as that is settled."""
        return self._stands[1]

    @property
    def _stands(self) -> tuple[State, SessionRow]:
        if self._standing is None:
            fold, taken = self._folded or (None, list[Event]())
            new, self._folded = self.events[len(taken) :], None
            grown = taken[-1:] == self.events[: len(taken)][-1:] and all(each.kind != "undo" for each in new)
            if fold is None or not grown:
                fold, new = Replay(self.stored.settings, self.stored.ids), standing(self.events)
            for event in new:
                fold.apply(event)
            state = fold.after(self.events)
            self._folded = fold, self.events
            self._standing = state, self.stored.as_read(state)
        return self._standing

    @property
    def last_reviewer(self) -> str:
        """The name last recorded in the session."""
        return next((event.reviewer for event in reversed(self.events) if event.reviewer), "")

    def chances(self, settings: Settings) -> tuple[Calibrator, Floats]:
        """The calibrator of these settings and the chance of every document, computed once for an order of reading."""
        key = settings.calibrator, settings.adapts_chances, read_so(settings, self.state)
        if key not in self._chances:
            held = {digest: calibrator for (digest, *_), (calibrator, _) in self._chances.items()}
            calibrator = held.get(key[0]) or self.store.calibrator(key[0])
            _make_room(self._chances)
            self._chances[key] = calibrator, chances(settings, calibrator, self.stored.scores, self.state)
        return self._chances[key]

    def mismatch(self, settings: Settings) -> list[str]:
        """What about this list looks unlike the lists that the calibrator was fitted on, where it is asked for chances."""
        if settings.adapts_chances:
            return []
        key = settings.calibrator
        if key not in self._mismatch:
            self._mismatch[key] = self.chances(settings)[0].mismatch(self.row.scores, len(self.row.ids))
        return self._mismatch[key]

    def paths(self, settings: Settings) -> Paths:
        """The paths under these settings; most labels leave them as they are."""
        key = paths_key(settings, self.state)
        if key not in self._paths:
            _make_room(self._paths)
            self._paths[key] = session_paths(settings, *self.chances(settings), self.state)
        return self._paths[key]

    def advice(self, settings: Settings) -> Advice:
        """Advice under these settings, which may be a what-if."""
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
        # From the last one known on: where it is not the same, a backup was restored and the log is another one.
        known = self.events[-1:]
        news = self.store.events(self.row.id, after=known[0].seq - 1 if known else 0)
        if news[:1] == known:
            fresh = [*self.events, *news[1:]]
        else:
            fresh = self.store.events(self.row.id) if known else news
        if fresh == self.events:
            return False
        self.events, self._standing = fresh, None
        if any(each.kind in ("joined", "parted") for each in news):
            again = self.load(self.store, self.stored.id)
            self.stored, self.collection, self.events = again.stored, again.collection, again.events
            if self._foreseeing is not None:
                self._foreseeing.join()
            self._features, self._scores, self._because, self._mismatch = None, None, {}, {}
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
        self.events = [*self.events, stored]
        self._standing = None

    def learn(self) -> None:
        """Put what comes next in order by the labels and record that, where it is due and can be done here."""
        if self.deleted or not is_due(self.events, self.state) or self.features is None:
            return
        if self._foreseeing is not None:
            self._foreseeing.join()
        told = basis(taught(self.row, self.state, len(self.features), self._outside))
        known = next((each for each in self._foreseen if each.told == told), None)
        fitted = known or fit(self.features, self.row, self.state, self._outside)
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
        found, because = list[Fitted](), dict[tuple[str, int], list[str]]()
        for verdict in (IRRELEVANT, RELEVANT):
            labels = state.labels.copy()
            labels[state.depth] = verdict
            later, number = replace(state, labels=labels), state.fit["number"] if state.fit else 0
            following = [*row.ids[later.depth : later.depth + 1]]
            if is_due([*events, Event("label")], later):
                found.append(fit(self.features, row, later, self._outside))
                number, following = number + 1, found[-1].event.payload["next"]
            if later.settings.adapts_chances:
                _ = foretold(later.settings, later)[1].chance  # kept by what was found
            for doc in following[:1]:
                because[doc, number] = why_next(
                    self.features, row, later, self.document(row.ids.index(doc)), self._outside
                )
        self._foreseen, self._because = found, because

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
        """Label the next document, or change the verdict on an earlier one; InputProblem when a hit rests on it.

        `more` is what :func:`~tarstop_core.screening.events.verdict` takes beside.
        """
        labelled = self.row.ids[: self.state.depth]
        judged = relabel_event if doc in labelled else label_event
        self.record(judged(self.state, self.row.ids, doc, label, **more), seen)

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
