"""A session that is open in a browser tab: its log, what follows from it, and what the person records."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Timer
from typing import Any, Self, TypeVar

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.reports import Report
from tarstop_core.errors import InputProblem
from tarstop_core.ranking.features import Features
from tarstop_core.screening.advice import advise
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.events import label_event, plan_event, relabel_event, report_event, settings_event
from tarstop_core.screening.independent import SETTLING, SeveralReaders
from tarstop_core.screening.labels import Label
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import Paths, chances_key, paths_key, session_paths
from tarstop_core.screening.reports_apart import RESOLVED_REPORT
from tarstop_core.screening.setting_aside import list_length
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.sessions.lazy_session import LazySession, OwnReading, RecentCache
from tarstop_core.sessions.learning import RankerFit, features_of, fit, is_due, prefetch, why_next
from tarstop_core.sessions.store.permissions import Forbidden
from tarstop_core.sessions.store.store import Conflict, Deleted, Store
from tarstop_core.sessions.store.tables import Record
from tarstop_core.value.payoffs import Floats

T = TypeVar("T")

TO_DRAW = 0.1
"""Seconds in which the page is drawn after a label, before the ranker is fitted for both verdicts on the next document."""
KEPT_PATHS = 4
"""How many results are cached, because a page shows the plan, the settings in force and a what-if together."""


@dataclass(eq=False)
class OpenSession(LazySession):
    """A session that is open in a browser tab.

    Other tabs and people may write to the same session, so every write says which event was the last that this tab
    had seen. With several readers, `events` is the part of the log that counts.
    """

    deleted: bool = False  # Whether the session was deleted; nothing is recorded until it is restored
    own: LazySession = field(init=False)
    """The session as the person at the keyboard sees it; this object itself with one reader."""
    _log: list[Event] = field(default_factory=list)
    _chances: RecentCache[tuple[Calibrator, Floats]] = field(default_factory=lambda: RecentCache(KEPT_PATHS))
    _paths: RecentCache[Paths] = field(default_factory=lambda: RecentCache(KEPT_PATHS))
    _mismatches: RecentCache[list[str]] = field(default_factory=lambda: RecentCache(KEPT_PATHS))
    _features: Features | None = None
    _scores: Floats | None = None
    _prefetching: Timer | None = None
    _prefetched: list[RankerFit] = field(default_factory=list)
    _because: dict[tuple[str, int], list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.own = self

    @classmethod
    def load(cls, store: Store, session_id: str, reader: str = "") -> Self:
        """Open a session as it is in the store.

        Parameters
        ----------
        store
            Holds the session.
        session_id
            Id of the session.
        reader
            Name of the person at the keyboard.

        Returns
        -------
        OpenSession
            With everything that was recorded so far.

        Raises
        ------
        InputProblem
            If there is no session with this id.
        """
        (log, deleted), stored = store.news(session_id), store.session(session_id)
        collection = store.collection(stored.collection_id)
        opened = cls(stored, collection, [], store, deleted=deleted, reader=reader)
        opened._see(log)
        return opened

    def _see(self, log: list[Event]) -> None:
        """Take over a log, and drop only what its new events change."""
        before, self._log = self._log, log
        if (readers := self.stored.settings.readers).names:
            several = self.several
            if several is None or before[-1:] != log[: len(before)][-1:]:
                several, before = SeveralReaders(readers), []
            undone, changed = several.undone, several.changed
            several.take(log[len(before) :])
            if self.several is not several or several.undone != undone:
                self._folded = None
            self.seq = log[-1].seq if log else 0
            if before and several is self.several and several.changed is changed:
                # Some reader went on, and what counts has not changed.
                self.__dict__["state"] = replace(self.state, seq=self.seq)
            else:
                self._forget()
            self.several, self.events = several, [*several.common]
            self._see_own(several)
        else:
            self.events = log
            self._forget()

    def _see_own(self, several: SeveralReaders) -> None:
        """Update the session as the person at the keyboard sees it."""
        own = self.own
        if not (isinstance(own, OwnReading) and own.reader == self.reader and own.stored is self.stored):
            own = OwnReading(
                self.stored, self.collection, [], self.store, self.reader, calibrator_of=self.calibrator
            )
            own._loaded = self._loaded
        own.events, own.seq = several.own(self.reader), self.seq
        own.to_judge = several.to_judge(self.reader, self.row.ids)
        own._forget()
        self.own = own

    def calibrator(self, digest: str) -> Calibrator:
        """A calibrator by its digest, from the store unless it was used recently."""
        held = {calibrator.digest: calibrator for calibrator, _ in self._chances.values()}
        return held.get(digest) or self.store.calibrator(digest)

    def chances(self, settings: Settings, state: State | None = None) -> tuple[Calibrator, Floats]:
        """The calibrator of these settings and the chance of each document, cached until what they depend on changes."""
        state = state or self.state
        key = settings.calibrator, settings.adapts_chances, chances_key(settings, state)
        return self._chances.computed(key, partial(super().chances, settings, state))

    def mismatch(self, settings: Settings) -> list[str]:
        """Sentences on how this list differs from those that the calibrator was fitted on; none if chances adapt to labels."""
        if settings.adapts_chances:
            return []
        scores = None if settings.chances_follow else self.row.scores
        order = None if self.state.sequence is None else self.state.sequence.tobytes()
        return self._mismatches.computed(
            (settings.calibrator, settings.chances_follow, order),
            lambda: self.calibrator(settings.calibrator).mismatch(scores, len(self.row.ids)),
        )

    def paths(self, settings: Settings) -> Paths:
        """The paths under these settings, cached until what they depend on changes."""
        key = paths_key(settings, self.state)
        return self._paths.computed(key, lambda: session_paths(settings, *self.chances(settings), self.state))

    def advice(self, settings: Settings, *, at_other_costs: bool = False) -> Advice:
        """The advice under these settings, which may be a what-if; `at_other_costs` as of :func:`advise`."""
        return self.once(
            ("advice", settings, at_other_costs),
            lambda: advise(
                settings,
                *self.chances(settings),
                self.state,
                self.paths(settings),
                at_other_costs=at_other_costs,
            ),
        )

    def refresh(self) -> bool:
        """Load what was recorded elsewhere, and return whether there was anything new."""
        # Loaded from the last event seen on. If that event is a different one now, a backup was restored: the log is new.
        last = self._log[-1:]
        with self.store.at_once():
            news, self.deleted = self.store.news(self.stored.id, after=last[0].seq - 1 if last else 0)
        if news[:1] == last:
            fresh = [*self._log, *news[1:]]
        else:
            fresh = self.store.log(self.stored.id) if last else news
        if fresh == self._log:
            if self.own.reader != self.reader:
                self._see(self._log)
            return False
        self._see(fresh)
        if any(event.kind in ("joined", "parted") for event in news):
            again = self.load(self.store, self.stored.id)
            self.stored, self.collection = again.stored, again.collection
            self._see(again._log)
            if self._prefetching is not None:
                self._prefetching.join()
            self._features, self._scores, self._because = None, None, {}
            self._loaded.clear()  # Positions in the collection may belong to other documents now
        return True

    def record(self, event: Event, seen: int) -> None:
        """Store an event with the name of the person who acted, then apply it.

        The last event that the person had been shown has the number `seen`. If something was recorded since, here or
        elsewhere, nothing is stored and InputProblem is raised; a note or a fit is no obstacle.
        """
        if self.several is not None:
            event = replace(event, reviewer=self.reader)
            self.refresh()  # others have nearly always recorded something
        # A note is stored when its box loses the focus, perhaps by the click on a label; a fit is stored by the page itself.
        waits = any(earlier.kind not in ("note", "fit") for earlier in self.own.events if earlier.seq > seen)
        if waits or (self.several and self._settled(event, seen)):
            raise InputProblem(
                "Something else was recorded before your press, so it was not counted; "
                "look at what is shown now."
            )
        self._append(event)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Record everything within this context, or nothing if part of it is refused."""
        try:
            with self.store.together(large=False):
                yield
        except BaseException:
            self.refresh()  # what was recorded before the refusal is gone from the store
            raise

    def _settled(self, event: Event, seen: int) -> bool:
        """Whether somebody has settled what an event would settle since the event with number `seen`."""
        doc = event.payload.get("doc")
        since = (later for later in self._log if later.seq > seen and later.kind == event.kind)
        if event.kind == "report" and self.several and self.several.alone_in_full:
            since = (later for later in since if later.reviewer == event.reviewer)
        return event.kind in ("report", *SETTLING, RESOLVED_REPORT) and any(
            later.payload["doc"] == doc for later in since
        )

    def _append(self, event: Event) -> None:
        """Store an event and apply it; where others recorded something unrelated meanwhile, try again after that."""
        changed = event.kind in ("set_aside", "returned")
        log = [*self._log, event]
        documents = list_length(self.stored.settings, self.stored.ids, log) if changed else None
        try:
            stored = self.store.append(self.stored.id, event, self.state.seq, documents)
        except InputProblem as problem:
            seen, own = self.state.seq, len(self.own.events)
            self.refresh()
            # Entries of other readers on other documents are no conflict.
            waits = self.several is None or event.kind == "fit" or len(self.own.events) > own
            if not isinstance(problem, Conflict) or waits or self._settled(event, seen):
                raise
            self._append(event)
        else:
            self._see([*self._log, stored])

    def learn(self) -> None:
        """Fit the ranker to the labels and record the fit, if one is due and the features are computed."""
        if self.deleted or not is_due(self.events, self.state) or self.features is None:
            return
        if self._prefetching is not None:
            self._prefetching.join()
        beyond = 0 if self.several is None else self.several.beyond
        fitted = fit(self.features, self.row, self.state, self._outside, beyond, self._prefetched)
        # Another tab recorded it first, the session was deleted meanwhile, or this person may only look.
        with suppress(Conflict, Deleted, Forbidden):
            self._append(fitted.event)

    @property
    def features(self) -> Features | None:
        """Features of the documents of the collection; None until they are computed on this machine."""
        if self._features is None:
            self._features = features_of(self.collection)
        return self._features

    @property
    def scores_in_file(self) -> Floats:
        """Scores that the documents came with, by position in the collection, NaN where there is none; shape (documents,)."""
        if self._scores is None:
            self._scores = self.store.scores(self.collection.id)
        return self._scores

    @property
    def _outside(self) -> Floats | None:
        """Scores of the documents for the ranker; None if these are not weighed."""
        return self.scores_in_file if self.state.settings.weighs_scores else None

    def prefetch(self) -> None:
        """Start to fit the ranker for both verdicts on the next document, so that nobody waits after the label."""
        if self.several is not None:
            return  # a fit follows once all have judged a document, and this press does not tell when
        if self.state.depth < len(self.row.ids) and self.state.settings.learns and self.features is not None:
            of_now = (self.features, self.row, self.state, self.events)

            def fit_both() -> None:
                self._prefetched, self._because = prefetch(*of_now, self._outside, self.document)

            self._prefetching = Timer(TO_DRAW, fit_both)
            self._prefetching.daemon = True
            self._prefetching.start()

    def why_next(self, record: Record) -> list[str]:
        """Words that put the next document there, the most important first, with `ITS_SCORE` for its score; none if no fit did."""
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
            Id of the document.
        label
            The verdict.
        seen
            Number of the last event that the person had been shown.
        **more
            Reason, note and more, as for :func:`~tarstop_core.screening.events.verdict`.

        Raises
        ------
        InputProblem
            If a hit depends on the earlier verdict, the person is none of several readers, or as for :meth:`record`.
        """
        own = self.own
        state, ids = own.state, own.row.ids
        if doc in ids[: state.depth]:
            self.record(relabel_event(state, ids, doc, label, **more), seen)
            return
        if self.several is not None:
            state.settings.readers.check_reader(self.reader)
        event = label_event(state, ids, doc, label, **more)
        if self.several is not None:
            event = replace(event, payload={"fit": 0, **event.payload})
        self.record(event, seen)

    def settle(self, event_of: Callable[..., Event], seen: int, *about: Any, **more: str) -> None:
        """Record an event about several readers: how a disagreement was settled, or a file of verdicts of one of them.

        The event comes from a function of :mod:`tarstop_core.screening.events` that takes the log of all readers first,
        then `about` and `more`, and checks the action; `seen` is as for :meth:`record`.
        """
        self.record(event_of(self.several, *about, **more), seen)

    def report(self, doc: str, report: Report, seen: int) -> None:
        """Record the outcome of reading an included report in full.

        Parameters
        ----------
        doc
            Id of the document.
        report
            The outcome.
        seen
            Number of the last event that the person had been shown.

        Raises
        ------
        InputProblem
            If the document is not included, the person is none of several readers who read these alone, or as for
            :meth:`record`.
        """
        if self.several is not None and self.several.alone_in_full:
            self.state.settings.readers.check_reader(self.reader)
        self.record(report_event(self.state, self.row.ids, doc, report), seen)

    def register_plan(self, seen: int) -> None:
        """Register the settings in force as the plan; InputProblem as for :func:`~tarstop_core.screening.events.plan_event`."""
        self.record(plan_event(self.state, self.row.digest), seen)

    def change_settings(self, settings: Settings, seen: int, reason: str = "") -> None:
        """Put other settings in force.

        Parameters
        ----------
        settings
            The new settings; nothing is recorded if they are those in force.
        seen
            Number of the last event that the person had been shown.
        reason
            Why they change; needed if a plan is registered, because the change is a deviation from it.

        Raises
        ------
        InputProblem
            If a reason is missing, the readers would change, or as for :meth:`record`.
        """
        if settings != self.state.settings:
            self.record(settings_event(self.state, settings, reason), seen)
