"""The session a person works on: loaded once, recorded event by event."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dashboard.frame import shell
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.reports import Report
from tarstop_core.errors import InputProblem
from tarstop_core.screening.advice import Advice, advise
from tarstop_core.screening.events import label_event, plan_event, relabel_event, report_event, settings_event
from tarstop_core.screening.fold import replay
from tarstop_core.screening.labels import Label
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import Paths, PathsKey, paths_key, session_paths
from tarstop_core.screening.report_entry import Draft
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.sessions.store.rows import CollectionRow, Record, SessionRow
from tarstop_core.sessions.store.store import Store

Floats = NDArray[np.float64]
OPEN = "_open_session"
OPEN_WORK = "_work"
FLASH = "_flash"
SAID = "_said"
KEPT_PATHS = 4
REVIEWER = "reviewer"


@dataclass
class Work:
    """One session as this browser tab knows it, and where the person is on its page.

    The store is the truth: `events` is what this tab has seen of it, and every write says up to
    which event that was.
    """

    store: Store
    row: SessionRow
    collection: CollectionRow
    events: list[Event]
    looking_at: int | None = None
    """An earlier document being looked back at; None: the next one."""
    noting: str = ""
    """The document whose note is being written."""
    what_if: Settings | None = None
    """What is being tried beside a registered plan."""
    reporting: int | None = None
    """The included document whose report is being read in full; None: screening."""
    drafts: dict[str, Draft] = field(default_factory=dict)
    """By document: what was typed into the form of a report that is not stored yet."""
    stopping: bool = False
    """Whether the dialog that records the decision is up."""
    editing: str = ""
    """What the other dialog that is up changes; empty: none is."""
    asking: str = ""
    """A flagged document that is about to be called a hit."""
    shown: str = ""
    """The document on the page; a press on any other came from a page that was being replaced."""
    _mismatch: dict[str, list[str]] = field(default_factory=dict)
    _chances: dict[str, tuple[Calibrator, Floats]] = field(default_factory=dict)
    _paths: dict[PathsKey, Paths] = field(default_factory=dict)
    _included: dict[int, Record] = field(default_factory=dict)
    _state: State | None = None

    @property
    def busy(self) -> bool:
        """Whether a note or a dialog is open: a key meant for it must not reach the page behind."""
        return self.stopping or bool(self.noting) or bool(self.editing)

    def edit(self, what: str) -> None:
        """Open a dialog on the next run."""
        self.editing = what

    def look(self, at: int | None) -> None:
        """Show an earlier document on the next run, or the next one."""
        self.looking_at, self.asking = at, ""

    @property
    def state(self) -> State:
        """Where the session stands after the events seen."""
        if self._state is None:
            self._state = replay(self.row.settings, self.row.ids, self.events)
        return self._state

    def chances(self, settings: Settings) -> tuple[Calibrator, Floats]:
        """The calibrator of these settings and the chance of every document, computed once."""
        digest = settings.calibrator
        if digest not in self._chances:
            calibrator = self.store.calibrator(digest)
            p = calibrator.probabilities(self.row.scores, self.state.ranked)
            self._chances[digest] = (calibrator, p)
        return self._chances[digest]

    def mismatch(self, settings: Settings) -> list[str]:
        """What about this list looks unlike the lists that the calibrator was fitted on."""
        if settings.calibrator not in self._mismatch:
            calibrator, _ = self.chances(settings)
            found = calibrator.mismatch(self.row.scores, len(self.row.ids))
            self._mismatch[settings.calibrator] = found
        return self._mismatch[settings.calibrator]

    def paths(self, settings: Settings) -> Paths:
        """The paths under these settings; most labels leave them as they are."""
        key = paths_key(settings, self.state)
        if key not in self._paths:
            # The plan, what is in force and a what-if are looked at together; older ones are done with.
            while len(self._paths) >= KEPT_PATHS:
                self._paths.pop(next(iter(self._paths)))
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
        wanted = [int(at) for at in positions]
        new = [at for at in wanted if at not in self._included]
        found = self.store.record_texts(self.collection.id, [int(self.row.order[at]) for at in new])
        self._included.update(zip(new, found, strict=True))
        return [self._included[at] for at in wanted]

    def refresh(self) -> bool:
        """Take in what other tabs recorded; True when there was something."""
        news = self.store.events(self.row.id, after=self.events[-1].seq if self.events else 0)
        if news:
            self.events = [*self.events, *news]
            self._state = None
        return bool(news)

    def record(self, event: Event, seen: int) -> None:
        """Store an event, then show it.

        Parameters
        ----------
        event : Event
        seen : int
            The last event that the page showed when the person acted.

        Raises
        ------
        InputProblem
            When something was recorded since, here or in another tab; nothing is stored then.
        """
        since = [earlier for earlier in self.events if earlier.seq > seen]
        # A note is stored when its box loses the focus, which may be by the very click on a label.
        if any(earlier.kind != "note" for earlier in since):
            raise InputProblem(
                "That press came after something else had been recorded, so it was not counted; "
                "look at what is shown now."
            )
        try:
            stored = self.store.append(
                self.row.id, replace(event, reviewer=reviewer()), expected=self.state.seq
            )
        except InputProblem:
            self.refresh()
            raise
        self.events = [*self.events, stored]
        self._state = None

    def label(self, doc: str, label: Label, seen: int, **more: str) -> None:
        """Label the next document, or change the verdict on an earlier one that is being looked at.

        `more` is what :func:`~tarstop_core.screening.events.verdict` takes beside.

        Raises
        ------
        InputProblem
            When the document is not the one shown, or a hit rests on its verdict.
        """
        if doc != self.shown:
            raise InputProblem(
                "That press was meant for a document that is no longer shown, so it was not counted; "
                "look at the one shown now."
            )
        labelled = self.row.ids[: self.state.depth]
        if doc in labelled:
            self.record(relabel_event(self.state, self.row.ids, doc, label, **more), seen)
        else:
            self.record(label_event(self.state, self.row.ids, doc, label, **more), seen)

    def open_report(self, at: int) -> None:
        """Show the report of an included document, to be read in full, on the next run."""
        self.reporting, self.looking_at, self.noting = at, None, ""

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


def open_work() -> Work | None:
    """The session that the URL names, or the one this tab had open; None when there is neither.

    Raises
    ------
    InputProblem
        When the URL names a session that does not exist.
    """
    wanted = st.query_params.get("session") or st.session_state.get(OPEN)
    if not wanted:
        return None
    # A click in the sidebar drops URL parameters: put the session back, so that reloading finds it.
    if st.query_params.get("session") != wanted:
        st.query_params["session"] = wanted
    work: Work | None = st.session_state.get(OPEN_WORK)
    if work is None or work.row.id != wanted:
        store = shell.store()
        row = store.session(wanted)
        work = Work(store, row, store.collection(row.collection_id), store.events(wanted))
        st.session_state[OPEN_WORK] = work
    else:
        work.refresh()
    st.session_state[OPEN] = wanted
    return work


def go_to(session: str) -> None:
    """Open a session on the Screen page."""
    st.session_state[OPEN] = session
    st.switch_page(shell.SCREEN, query_params={"session": session})


def nothing_edited() -> None:
    """A dialog was dismissed."""
    work: Work | None = st.session_state.get(OPEN_WORK)
    if work is not None:
        work.editing = ""


def dialog_button(work: Work, label: str, key: str, what: str) -> None:
    """A button that opens the dialog which changes `what`."""
    st.button(label, key=key, width="stretch", disabled=work.busy, on_click=work.edit, args=(what,))


def reviewer() -> str:
    """The name given in this tab; never taken over from the log, which may be somebody else's."""
    return str(st.session_state.get(REVIEWER) or "").strip()


def last_reviewer(work: Work) -> str:
    """The name last recorded in the session."""
    return next((event.reviewer for event in reversed(work.events) if event.reviewer), "")


def attempt(action: Callable[[], None]) -> None:
    """Run a callback's work; what goes wrong is said on the page that is drawn next."""
    try:
        action()
    except InputProblem as problem:
        st.session_state[FLASH] = str(problem)


def say(message: str) -> None:
    """Confirm what a press did, on the page that is drawn next.

    A callback draws nothing itself: in a fragment that would take the place of the page's first element, which
    is its style sheet.
    """
    st.session_state[SAID] = message


def flash() -> None:
    """Say what the last press did or could not do, once."""
    done = st.session_state.pop(SAID, None)
    if done:
        st.toast(shell.escape_markdown(done))
    message = st.session_state.pop(FLASH, None)
    if message:
        st.warning(shell.escape_markdown(message), icon=":material/info:")


def clock(time: str) -> str:
    """A stored time as the person's clock shows it: '14:02', with the day when it is another day."""
    try:
        zone = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    moment = datetime.fromisoformat(time).astimezone(zone)
    today = datetime.now(zone).date() == moment.date()
    return moment.strftime("%H:%M") if today else f"{moment.day} {moment:%b %Y, %H:%M}"
