"""The session that is open in a browser tab, and the messages about its presses."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar
from urllib.parse import unquote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from dashboard.frame import people, shell
from tarstop_core.calibration.calibration_monitor import Check
from tarstop_core.errors import InputProblem
from tarstop_core.screening.labels import Label
from tarstop_core.screening.live_check import live_check
from tarstop_core.screening.log import Event
from tarstop_core.screening.report_entry import Draft
from tarstop_core.screening.settings import Settings
from tarstop_core.sessions.calibrator_library import ratios_of_others
from tarstop_core.sessions.session import OpenSession
from tarstop_core.sessions.store.store import Deleted
from tarstop_core.value.payoffs import Floats

T = TypeVar("T")

OPEN, OPEN_WORK = "_open_session", "_work"
"""Keys of a tab's state: the id of its session, and the session."""
FLASH, SAID = "_flash", "_said"
"""Messages that the next page shows once: problems, and confirmations."""
REVIEWER = "reviewer"
NAMELESS = " "
"""What the browser keeps for a person who reads without a name."""
LABEL, MANAGE = "label", "manage"
"""What a role may allow, by the names of the store."""
TURN = "_turn"
TURNS = 16
"""After how many documents the keys of buttons repeat; a late press may be this many documents behind."""


@dataclass
class Work(OpenSession):
    """A session as this browser tab has it, and what the person is doing on its page."""

    may: frozenset[str] = frozenset()  # What the person's role allows, as of the last run of the page
    looking_at: int | None = None  # An earlier document being looked back at; None: the next one
    noting: str = ""  # The document whose note is being written
    what_if: Settings | None = None  # What is being tried beside a registered plan
    reporting: int | None = None  # The included document whose report is being read in full; None: screening
    settles_report: bool = False  # Whether the entry settles a report on which its readers differ
    settling: str = ""
    """Which document or report that several readers left open is on the page, instead of the next one; empty: none."""
    passed_over: set[str] = field(default_factory=set)  # Documents among these that were left for later
    drafts: dict[str, Draft] = field(default_factory=dict)
    """By document: what was typed into the form of a report and is not stored yet."""
    editing: str = ""  # What the open dialog changes; empty: no dialog is open
    jumping: bool = False  # Whether the box to jump to an earlier document is open
    asking: str = ""  # A flagged document that the person is about to call a hit
    because: list[str] = field(default_factory=list)  # Words for which the document shown was ranked next
    # The document on the page; a press on another one came from a page that was being replaced
    doc_on_page: str = ""
    turn: int = 0  # Part of the keys of the buttons for it
    held: dict[tuple[str, str], Event] = field(default_factory=dict)
    """Events recorded while the session was deleted, the last of each kind about each document."""
    held_after: int = 0  # The last event that was seen when these were held
    _others: dict[Hashable, tuple[Floats, ...]] = field(default_factory=dict)

    @property
    def check(self) -> Check | None:
        """Whether the chances fit what is found, here and in other sessions.

        What others found is asked once for each source of chances, and kept while this tab has the session open.
        """
        settings = self.state.settings
        if settings.chances_from not in self._others:
            others = ratios_of_others(self.store, settings, self.stored.id)
            self._others[settings.chances_from] = others
        others = self._others[settings.chances_from]
        return self.once(
            ("check", settings, tuple(of_session.tobytes() for of_session in others)),
            partial(live_check, settings, *self.chances(settings), self.state, others),
        )

    @property
    def reads_in_full(self) -> bool:
        """Whether this person reads reports in full text; if some readers do so alone, only these do."""
        return self.several is None or self.reader in (self.several.alone_in_full or (self.reader,))

    @property
    def unsigned(self) -> bool:
        """Whether the reader has not given a name yet; for a sample no name is needed."""
        return not (kept_name() or self.collection.simulated)

    @property
    def busy(self) -> bool:
        """Whether a note or a dialog is open: a key meant for it must not reach the page behind."""
        return bool(self.noting) or bool(self.editing)

    def show(self, doc: str) -> None:
        """Put a document on the page.

        Its buttons are others than those of the last ones, so that a late press finds what it was meant for; they come
        again after `TURNS`, for Streamlit knows every widget while a tab is open, however many documents it showed.
        """
        if doc != self.doc_on_page:
            self.doc_on_page = doc
            self.turn = st.session_state[TURN] = (st.session_state.get(TURN, 0) + 1) % TURNS

    def look(self, at: int | None) -> None:
        """Show an earlier document on the next run, or the next one."""
        self.looking_at, self.asking, self.jumping = at, "", False

    def record(self, event: Event, seen: int) -> None:
        """Store an event under the name given in this browser, or hold it while the session is deleted.

        InputProblem while no name was asked for.
        """
        if self.unsigned:
            raise InputProblem("First say under which name this is recorded, or press “Without a name”.")
        signed = replace(event, reviewer=reviewer())
        try:
            super().record(signed, seen)
        except Deleted:
            self.held[event.kind, str(event.payload.get("doc", ""))] = signed
            self.held_after = self.state.seq

    def record_held(self) -> None:
        """Record the held events when the session is restored; InputProblem if others have recorded something meanwhile."""
        held, self.held, seen = self.held, {}, self.held_after
        for event in held.values():
            super().record(event, seen)
            seen = self.state.seq
        say("The session is back, and what you pressed is recorded.")

    def label(self, doc: str, label: Label, seen: int, **more: str) -> None:
        """Label the document shown, or change its verdict; InputProblem for another document, or if a hit depends on it."""
        if doc != self.doc_on_page:
            raise InputProblem(
                "That press was for a document that is no longer shown, so it was not counted. Look at the document shown now."
            )
        super().label(doc, label, seen, **more)

    def open_report(self, at: int) -> None:
        """Show the report of an included document, to be read in full, on the next run."""
        self.reporting, self.looking_at, self.noting, self.jumping = at, None, "", False
        self.settling, self.settles_report = "", False


def open_work() -> Work | None:
    """The session that the URL names, or the one this tab had open; None when there is neither.

    InputProblem when the URL names a session that does not exist.
    """
    wanted = st.query_params.get("session") or st.session_state.get(OPEN)
    if not wanted:
        return None
    # A click in the sidebar drops URL parameters: put the session back, so that reloading finds it.
    if st.query_params.get("session") != wanted:
        st.query_params["session"] = wanted
    work: Work | None = st.session_state.get(OPEN_WORK)
    if work is None or work.row.id != wanted:
        work = Work.load(shell.store(), wanted)
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
    """Note that no dialog is open, as when one was dismissed."""
    if (work := st.session_state.get(OPEN_WORK)) is not None:
        work.editing = ""


def finish(action: Callable[..., object], *args: Any) -> None:
    """Do what a dialog is for and close it; a problem is shown in the dialog, which then stays open."""
    with shell.problems_shown():
        action(*args)
        nothing_edited()
        st.rerun()


def dialog_button(work: Work, label: str, key: str, what: str, **how: Any) -> None:
    """A button that opens the dialog which changes `what`."""
    st.button(label, key=key, disabled=work.busy, on_click=setattr, args=(work, "editing", what), **how)


def reviewer() -> str:
    """The name of whoever reads: that of their login, else the one given in this browser, empty for none.

    It is never taken over from the log, which may be somebody else's.
    """
    return kept_name().strip()


def kept_name() -> str:
    """The name as the browser keeps it, unless a login gives one: `NAMELESS` where a person chose none, empty where nobody was asked."""
    if name := people.person():
        return name
    if REVIEWER not in st.session_state:
        st.session_state[REVIEWER] = unquote(st.context.cookies.get("tarstop_reviewer", ""))[:80]
    return str(st.session_state[REVIEWER] or "")


def attempt(action: Callable[..., object], *args: Any, **more: Any) -> None:
    """Run a callback's work; any problem, expected or not, is shown on the page that is drawn next."""
    try:
        action(*args, **more)
    except Exception as problem:
        st.session_state[FLASH] = shell.said_of(problem)


def say(message: str) -> None:
    """Confirm what a press did, on the page that is drawn next.

    A callback draws nothing itself: in a fragment that would take the place of the page's first element, which
    is its style sheet.
    """
    st.session_state[SAID] = message


def flash() -> None:
    """Say what the last press did or could not do, once."""
    if done := st.session_state.pop(SAID, None):
        st.toast(shell.escape_markdown(done))
    if message := st.session_state.pop(FLASH, None):
        st.warning(shell.escape_markdown(message), icon=":material/info:")


def kept(key: str, asked: Hashable, make: Callable[[], T], most: int = 1) -> T:
    """Return what `make` computes for a key, cached in this tab until another key is needed.

    `asked` holds everything that it depends on; `most` answers are remembered under the key.
    """
    held: dict[Hashable, T] = st.session_state.setdefault(key, {})
    if asked not in held:
        while len(held) >= most:
            held.pop(next(iter(held)))
        held[asked] = make()
    return held[asked]


def clock(time: str, *, with_day: bool = False) -> str:
    """A stored time as the person's clock shows it: '14:02', with the day when it is another day or that is asked for."""
    try:
        zone = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    moment = datetime.fromisoformat(time).astimezone(zone)
    today = datetime.now(zone).date() == moment.date()
    return moment.strftime("%H:%M") if today and not with_day else f"{moment.day} {moment:%b %Y, %H:%M}"
