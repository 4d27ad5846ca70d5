"""The 2×2 tables that Evidence shows, and the settings that its widgets start with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import address, shell
from dashboard.frame.widgets import lasting, one_of, save_button, switch, upload
from dashboard.frame.work import OPEN, kept
from dashboard.parts import imports
from dashboard.parts.sessions import CHOSEN, newly_chosen
from tarstop_core.belief.prior import Prior
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tarstop_core.evidence.everyone import Everyone
from tarstop_core.evidence.manual_tables import MOST_ROWS, Row, rows_of
from tarstop_core.evidence.report import About
from tarstop_core.evidence.summary import Evidence
from tarstop_core.evidence.words import TWO, Actions
from tarstop_core.files import UnrecognisedColumns
from tarstop_core.screening.fold import replay
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.scenarios.review import REVIEW
from tarstop_core.screening.state import State
from tarstop_core.sessions.store.tables import SessionRow
from tarstop_core.value.payoffs import Payoffs

PREFIX = "evidence"
SESSION, START, SEEN, HELD = (f"{PREFIX}/{name}" for name in ("session", "start", "seen", "held"))
"""Keys of the tab's state: the chosen session, the values to start with, what was open in the last run, loaded studies."""
T = TypeVar("T")
SOURCES = {"published": "A published set", "file": "A file", "typed": "Type or paste"}
OF_SESSION = {"session": "A session"}
WEAK, EVEN = Prior(), Payoffs.from_q_star(0.5)


@dataclass(frozen=True)
class Start:
    """The values that the widgets of the page start with, and can be reset to."""

    theta: float = 0.75
    engine: str = "bivariate"
    prior: Prior = WEAK
    payoffs: Payoffs = EVEN
    theta_sp: float | None = None


@dataclass(frozen=True)
class OnSession:
    """The session whose tables are shown."""

    settings: ReviewSettings
    evidence: Evidence  # by these settings, as on Screen

    @property
    def start(self) -> Start:
        """The values that the page starts with for this session."""
        own = self.settings
        return Start(own.theta, own.engine, own.belief_prior, own.payoffs, own.theta_sp)

    def tried(self, summary: Evidence, payoffs: Payoffs) -> ReviewSettings:
        """Return the session's settings, changed to those of the page."""
        own = self.settings.prior
        # A session keeps its starting chance beside its prior, so the prior's b_0 and source change no number.
        prior = replace(summary.prior, b_0=own.b_0, learned_from=own.learned_from)
        tried = replace(self.settings, theta=summary.theta, theta_sp=summary.theta_sp)
        tried = replace(tried, engine=summary.engine, payoffs=payoffs)
        return replace(tried, prior=prior, b_0=summary.prior.b_0)


@dataclass(frozen=True, eq=False)
class ChosenStudies:
    """The studies that the page is about, of a test or of an intervention."""

    name: str
    notes: tuple[str, ...] = ()  # What was noted while they were read
    source: str = ""  # Where they come from, for a published set
    actions: Actions = TWO
    simulated: bool = False

    def about(self, title: str, everyone: Everyone, notes: Sequence[str]) -> About:
        """Return what figures and report say about them apart from the numbers, under a title."""
        about = About(title, source=self.source, notes=notes, actions=self.actions, everyone=everyone)
        return replace(about, simulated=self.simulated)


@dataclass(frozen=True, eq=False, kw_only=True)
class Chosen(ChosenStudies):
    """The tables that the page is about."""

    tables: Tables
    places: tuple[int, ...] | None = None  # The row that each study was typed in
    session: OnSession | None = None  # Where they are those of a session
    accuracy: str = ""  # Name under which Decisions offers the same tables, so that a link can choose them

    @property
    def title(self) -> str:
        """The name without the suffixes of a file."""
        parts = self.name.split(".")
        while len(parts) > 1 and parts[-1] in imports.TABLES.split():
            parts.pop()
        return ".".join(parts).replace("_", " ").strip()

    @cached_property
    def rows(self) -> list[Row]:
        """The tables as text."""
        return rows_of(self.tables.first(MOST_ROWS + 1))

    @property
    def start(self) -> Start:
        """The values that the page starts with."""
        return Start() if self.session is None else self.session.start


def newly_opened(sessions: dict[str, str]) -> str:
    """Return the session that the address has named, or this tab has opened, since the last run; "" if there is none."""
    named = newly_chosen(SEEN, st.query_params.get(CHOSEN, ""), st.session_state.get(OPEN, ""), sessions)
    if named and named not in sessions:
        shell.problem_box(f"There is no review session {named}; published tables are shown instead.")
        return ""
    return named


def choose(
    prefix: str,
    asked: str,
    sessions: dict[str, str],
    load: Callable[[SessionRow, State, bool], T],
    others: Mapping[str, Callable[[], T | None]],
    beside: DeltaGenerator,
    below: DeltaGenerator,
) -> T | None:
    """Ask where the studies come from, then for a set or session beside it, or for a file or typed table below it.

    Parameters
    ----------
    prefix
        Of the widgets' keys.
    asked
        Label of the choice of a source.
    sessions
        Names of the sessions that hold such studies, by id.
    load
        Returns the studies of a session, given its row, its state and whether it is simulated.
    others
        Asks for studies from another source and returns them, by the names in :data:`SOURCES`.
    beside, below
        The containers for the questions.
    """
    state, key = st.session_state, f"{prefix}/source"
    offered = SOURCES | (OF_SESSION if sessions else {})
    if opened := newly_opened(sessions):
        state[key], state[SESSION] = "session", opened
    named = "session" if opened else st.query_params.get("source", "published")
    if state.get(key, named) not in offered:
        state[key] = "published"
    how = lasting(key) | {"label_visibility": "collapsed"}
    first = named if named in offered else "published"
    source = switch(asked, offered, at=beside, default=first, **how)
    if source != named:  # the address still holds tables of the source before
        address.write({"tables": "", "name": ""})
    of_session = source == "session"
    address.write({"source": "" if source == "published" or of_session else source})
    if not of_session:
        address.write({CHOSEN: ""})
    with beside if source in ("published", "session") else below:
        chosen = _of_session(sessions, load) if of_session else others[source]()
    # The next run must not take this session for a newly chosen one.
    state[SEEN] = {st.query_params.get(CHOSEN, "")}, state.get(OPEN, "")
    return chosen


def from_file(
    prefix: str,
    label: str,
    example: tuple[str, str],
    fields: Mapping[str, str],
    enough: Callable[[set[str]], bool],
    read: Callable[[bytes, str, Mapping[str, str] | None], T],
) -> T | None:
    """Ask for a file of studies, and for the meaning of its columns if their titles are not recognised.

    Parameters
    ----------
    prefix
        Of the widgets' keys.
    label
        Says which files are meant.
    example
        Name and text of a file to fill in.
    fields
        Titles of the fields that a column may hold.
    enough
        Whether these fields are enough to read a file.
    read
        Returns the studies of a file, given its content, its name and the fields of its columns.
    """
    state, chosen, kept_back = st.session_state, f"{prefix}/chosen", f"{prefix}/unread"

    def take(content: bytes, name: str, columns: Mapping[str, str] | None = None) -> None:
        state[chosen] = None
        unread = state.pop(kept_back, None)
        try:
            state[chosen] = read(content, name, columns)
        except UnrecognisedColumns as problem:
            state[kept_back] = problem, content, name
        except InputProblem:
            if columns is not None:  # the person may choose other columns
                state[kept_back] = unread
            raise

    asked, at = st.columns([2.5, 1], gap="large", vertical_alignment="bottom")
    with asked:
        how: dict[str, Any] = {"key": f"{prefix}/upload", "kinds": imports.TABLES}
        upload(label, lambda file: take(file.getvalue(), file.name), **how)
    name, text = example
    how = {"key": f"{prefix}/example", "width": "stretch", "icon": ":material/download:"}
    save_button("Example to fill in", text, name, at=at, **how)
    if unread := state.get(kept_back):
        problem, content, name = unread
        imports.ask(problem, fields, enough, partial(take, content, name), f"{prefix}/map")
    studies: T | None = state.get(chosen)
    return studies


def _of_session(sessions: dict[str, str], load: Callable[[SessionRow, State, bool], T]) -> T:
    """Ask for one of the sessions, and return its studies as `load` reads them."""
    titles = {key: shell.escape_label(name) for key, name in sessions.items()}
    how: dict[str, Any] = {**lasting(SESSION), "label_visibility": "collapsed"}
    if st.session_state.get(SESSION) not in sessions:
        st.session_state.pop(SESSION, None)
    chosen = one_of("Session", titles, **how)
    address.write({CHOSEN: chosen})
    store = shell.store()
    row, events = store.session(chosen), store.events(chosen)

    def loaded() -> T:
        simulated = store.collection(row.collection_id).simulated
        return load(row, replay(row.settings, row.ids, events), simulated)

    return kept(HELD, (chosen, row.name, events[-1].seq if events else 0), loaded)


def with_tables(row: SessionRow, state: State, simulated: bool) -> Chosen:
    """Return the 2×2 tables of a session with its settings."""
    settings, collected = state.settings, state.evidence
    assert isinstance(settings, ReviewSettings), "only reviews are listed"
    return Chosen(
        row.name,
        collected.notes,
        tables=collected.tables,
        session=OnSession(settings, REVIEW.evidence(settings, state)),
        actions=Actions(settings.plus, settings.minus, REVIEW.lacking(settings, state), settings.actions[2:]),
        simulated=simulated,
        accuracy=f"session:{row.id}",
    )
