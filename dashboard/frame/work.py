"""The session that is open in a browser tab, and messages about what a press did."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar
from urllib.parse import unquote
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import streamlit as st

from dashboard.frame import people, shell
from tarstop_core.errors import InputProblem
from tarstop_core.screening.labels import Label
from tarstop_core.screening.log import Event
from tarstop_core.screening.report_entry import ReportDraft
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
"""Name that the browser keeps for a person who reads without a name."""
LABEL, MANAGE = "label", "manage"
"""Actions that a role may allow, by their names in the store."""
TURN = "_turn"
TURNS = 16
"""Number of documents after which the keys of buttons repeat, so a press may be this many documents late."""


@dataclass
class Work(OpenSession):
    """A session in this browser tab, and what the person is doing on its page."""

    may: frozenset[str] = frozenset()  # Actions that the person's role allowed at the last run of the page
    looking_at: int | None = None  # Place of an earlier document on the page; None for the next one
    noting: str = ""  # Id of the document whose note is being written
    what_if: Settings | None = None  # Settings that the person tries beside a registered plan
    reporting: int | None = None  # Place of the document whose report is on the page; None while screening
    settles_report: bool = False  # Whether that entry settles a report on which its readers differ
    settling: str = ""
    """What the person settles instead of reading on: disagreements or random draws (``screen.several``); "" if nothing."""
    passed_over: set[str] = field(default_factory=set)  # Disagreements that were left for later, by document
    drafts: dict[str, ReportDraft] = field(default_factory=dict)
    """By document, the entries in the form of a report that are not stored yet."""
    editing: str = ""  # What the open dialog changes; "" if no dialog is open
    jumping: bool = False  # Whether the box to jump to an earlier document is open
    asking: str = ""  # Id of a flagged document that the person is about to call a hit
    because: list[str] = field(default_factory=list)  # Words for which the document shown was ranked next
    # Id of the document on the page; a press for another one came from a page that was being replaced
    doc_on_page: str = ""
    turn: int = 0  # Part of the keys of the buttons for that document
    held: dict[tuple[str, str], Event] = field(default_factory=dict)
    """Events recorded while the session was deleted, the last of each kind about each document."""
    held_after: int = 0  # Number of the last event when these were recorded
    _others: dict[Hashable, tuple[Floats, ...]] = field(default_factory=dict)  # Ratios of other sessions

    def of_chances(self, find: Callable[..., T], *given: Any) -> T:
        """Result of a function such as :func:`live_check`, which compares the chances with the finds here and in other sessions.

        The finds of other sessions are read once for each source of chances, and cached while the tab has the session
        open. `given` are results from the same chances and finds that the function need not compute again.
        """
        settings = self.state.settings
        if settings.chances_from not in self._others:
            others = ratios_of_others(self.store, settings, self.stored.id)
            self._others[settings.chances_from] = others
        others = self._others[settings.chances_from]
        return self.once(
            (find, settings, tuple(of_session.tobytes() for of_session in others)),
            partial(find, settings, *self.chances(settings), self.state, others, *given),
        )

    @property
    def reads_in_full(self) -> bool:
        """Whether this person reads reports in full text; if some readers do so alone, only these do."""
        mine = self.several is None or self.reader in (self.several.alone_in_full or (self.reader,))
        return mine and self.state.settings.reads_full_texts

    @property
    def unsigned(self) -> bool:
        """Whether the reader has not given a name yet; for a sample no name is needed."""
        return not (kept_name() or self.collection.simulated)

    @property
    def busy(self) -> bool:
        """Whether a note or a dialog is open, whose keys must not reach the page behind it."""
        return bool(self.noting) or bool(self.editing)

    def show(self, doc: str) -> None:
        """Put a document on the page.

        Its buttons have other keys than those of the last documents, so that a late press never counts for this one.
        Keys repeat after `TURNS` documents, because Streamlit remembers every widget while a tab is open.
        """
        if doc != self.doc_on_page:
            self.doc_on_page = doc
            self.turn = st.session_state[TURN] = (st.session_state.get(TURN, 0) + 1) % TURNS

    def look(self, at: int | None) -> None:
        """Show the document at this place on the next run; None for the next unread one."""
        self.looking_at, self.asking, self.jumping = at, "", False

    def record(self, event: Event, seen: int) -> None:
        """Store an event under the person's name, or hold it while the session is deleted.

        Raises
        ------
        InputProblem
            When the person was not asked for a name yet.
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
        """Record the held events after the session was restored; InputProblem when others recorded something meanwhile."""
        held, self.held, seen = self.held, {}, self.held_after
        for event in held.values():
            super().record(event, seen)
            seen = self.state.seq
        say("The session is back, and what you pressed is recorded.")

    def label(self, doc: str, label: Label, seen: int, **more: str) -> None:
        """Label the document on the page, or change its verdict.

        Raises
        ------
        InputProblem
            When the press was for another document, or a hit depends on the verdict.
        """
        if doc != self.doc_on_page:
            raise InputProblem(
                "That press was for a document that is no longer shown, so it was not counted. Look at the document shown now."
            )
        super().label(doc, label, seen, **more)

    def open_report(self, at: int) -> None:
        """Show the form for the report of an included document on the next run."""
        self.reporting, self.looking_at, self.noting, self.jumping = at, None, "", False
        self.settling, self.settles_report = "", False


def open_work() -> Work | None:
    """Open the session in the URL, or else the one that this tab had open; None if there is neither.

    Raises
    ------
    InputProblem
        When there is no session with the id in the URL.
    """
    wanted = st.query_params.get("session") or st.session_state.get(OPEN)
    if not wanted:
        return None
    # A click in the sidebar drops URL parameters, and a reload needs the session there.
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
    """Record that no dialog is open, for example after one was dismissed."""
    if (work := st.session_state.get(OPEN_WORK)) is not None:
        work.editing = ""


def finish(action: Callable[..., object], *args: Any) -> None:
    """Run the action of a dialog and close it; if there is a problem, show it in the dialog, which stays open."""
    with shell.problems_shown():
        action(*args)
        nothing_edited()
        st.rerun()


def dialog_button(work: Work, label: str, key: str, what: str, **how: Any) -> None:
    """Draw a button that opens the dialog in which `what` can be changed."""
    st.button(label, key=key, disabled=work.busy, on_click=setattr, args=(work, "editing", what), **how)


def reviewer() -> str:
    """Name of the reader, from the login or else from this browser; "" for none.

    It never comes from the log, whose last reader may be somebody else.
    """
    return kept_name().strip()


def kept_name() -> str:
    """Name of the login, or else of this browser: `NAMELESS` if the person chose none, "" if nobody was asked."""
    if name := people.person():
        return name
    if REVIEWER not in st.session_state:
        st.session_state[REVIEWER] = unquote(st.context.cookies.get("tarstop_reviewer", ""))[:80]
    return str(st.session_state[REVIEWER] or "")


def attempt(action: Callable[..., object], *args: Any, **more: Any) -> None:
    """Run the work of a callback; any problem, expected or not, is shown when the page is drawn next."""
    try:
        action(*args, **more)
    except Exception as problem:
        st.session_state[FLASH] = shell.said_of(problem)


def button(
    label: str, action: Callable[..., object], *args: Any, key: str, at: Any = st, **more: Any
) -> None:
    """Draw a button with its action; a problem is shown when the page is drawn next."""
    at.button(label, key=key, on_click=attempt, args=(action, *args), **more)


def say(message: str) -> None:
    """Confirm what a press did when the page is drawn next.

    A callback must not draw: in a fragment its element would replace the page's first one, which is its style sheet.
    """
    st.session_state[SAID] = message


def flash() -> None:
    """Show once what the last press did or could not do."""
    if done := st.session_state.pop(SAID, None):
        st.toast(shell.escape_markdown(done))
    if message := st.session_state.pop(FLASH, None):
        st.warning(shell.escape_markdown(message), icon=":material/info:")


def kept(key: str, asked: Hashable, make: Callable[[], T], most: int = 1) -> T:
    """Return the result of `make`, cached in this tab.

    Parameters
    ----------
    key
        Key of the state with the cache.
    asked
        Everything that the result depends on.
    make
        Computes the result.
    most
        Results that are cached under this key; the oldest is dropped first.

    Returns
    -------
    object
        The result.
    """
    held: dict[Hashable, T] = st.session_state.setdefault(key, {})
    if asked not in held:
        while len(held) >= most:
            held.pop(next(iter(held)))
        held[asked] = make()
    return held[asked]


def clock(time: str, *, with_day: bool = False) -> str:
    """A stored time in the person's time zone: '14:02', with the day if it is not today or with `with_day`."""
    try:
        zone = ZoneInfo(st.context.timezone or "UTC")
    except (ZoneInfoNotFoundError, ValueError):
        zone = ZoneInfo("UTC")
    moment = datetime.fromisoformat(time).astimezone(zone)
    today = datetime.now(zone).date() == moment.date()
    return moment.strftime("%H:%M") if today and not with_day else f"{moment.day} {moment:%b %Y, %H:%M}"
