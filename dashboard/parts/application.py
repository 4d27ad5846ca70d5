"""The application that prior art is sought for: asked for when a session is set up, or later in a dialog."""

from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from dashboard.frame import shell
from dashboard.frame.markup import bullets
from dashboard.frame.widgets import lasting
from dashboard.frame.work import Work, dialog_button, finish, kept, nothing_edited
from tarstop_core.documents.application import Application, cannot_settle, flagged, with_family
from tarstop_core.documents.dates import date_words, read_date
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import count_of
from tarstop_core.ranking.order import Ranking, leave_out
from tarstop_core.screening.state import State
from tarstop_core.sessions.create import Documents

PREFIX = "set_up/application"
EDITING = "application"
WHY = (
    "May stay empty. Documents that are too late, earlier filings that were published later, and those of the "
    "application's own family are then flagged before they can become a false hit."
)


@dataclass(frozen=True, eq=False)
class Asked:
    """What was said of the application, and which documents of the collection it leaves out."""

    application: Application
    left_out: NDArray[np.bool_]

    def kept(self, ranking: Ranking) -> Ranking:
        """The ranking without what is left out; the same object for as long as nothing changes."""
        if not self.left_out.any():
            return ranking
        until = date_words(self.application.priority)
        what = f"too late for {until} or of the application's family" if until else "of the family"
        return kept(f"{PREFIX}/kept", (ranking, self), lambda: leave_out(ranking, self.left_out, what))


def ask(chosen: Documents, problems: list[str]) -> Asked:
    """Ask for number and date, and say which documents they flag."""
    with st.container(key=f"{PREFIX}/open"):
        st.markdown("**Your application**")
        st.caption(WHY)
        application = Application()
        try:
            application = _fields(application, PREFIX)
        except InputProblem as problem:
            shell.problem_box(problem)
            problems.append(str(problem))
        if not application.known:
            return _nothing(chosen)
        application, bars, counts = _flagged(chosen, application)
        _told(application, counts)
        out = bool(bars.any()) and st.toggle(
            f"Leave the {count_of(int(bars.sum()))} out of the list",
            **lasting(f"{PREFIX}/left_out"),
            help="Recorded with the session. Off: they stay in the list with their chance, are flagged, and are asked "
            "about before they can become a hit. Earlier filings that were published later always stay; where the file "
            "gives neither date of filing nor priority, there may be some among the late ones.",
        )
        if out and bars.all():
            problems.append("Every document of the list would be left out; keep them, or look at the date.")
            shell.problem_box(problems[-1])
            return _nothing(chosen)
        return _held(chosen, replace(application, left_out=int(bars.sum()) if out else 0), bars & out)


def _fields(start: Application, key: str) -> Application:
    left, right = st.columns(2, gap="medium")
    number = left.text_input(
        "Its number",
        start.number,
        max_chars=60,
        placeholder="EP3456789",
        help="The number it was, or will be, published under: its own family is found by it.",
        **lasting(f"{key}/number"),
    ).strip()
    typed = right.text_input(
        "Priority date",
        date_words(start.priority),
        max_chars=40,
        placeholder="3 March 2018",
        help="The date that prior art must precede: of the first filing, else of this one.",
        **lasting(f"{key}/priority"),
    )
    priority = read_date(typed)
    if priority:
        more = " A day makes more documents certain." if len(priority) < len("2018-03-03") else ""
        right.caption(f"Understood as {date_words(priority)}.{more}")
    return Application(number=number, priority=priority)


def _nothing(chosen: Documents) -> Asked:
    return _held(chosen, Application(), np.zeros(len(chosen.frame), dtype=bool))


def _held(chosen: Documents, application: Application, left_out: NDArray[np.bool_]) -> Asked:
    """The same answer as one object, so that what follows from it is kept."""
    return kept(f"{PREFIX}/held", (chosen.key, application), lambda: Asked(application, left_out))


def _flagged(
    chosen: Documents, application: Application
) -> tuple[Application, NDArray[np.bool_], Counter[str]]:
    """The application with its family, which documents it leaves nothing to settle, and how many each flag concerns."""

    def held_against() -> tuple[Application, NDArray[np.bool_], Counter[str]]:
        known = with_family(application, chosen.frame)
        found = flagged(known, chosen.frame)
        return known, cannot_settle(found), Counter(flag.kind for each in found for flag in each)

    return kept(f"{PREFIX}/flags", (chosen.key, application), held_against)


def _told(application: Application, counts: Counter[str]) -> None:
    """How many documents each reason concerns."""
    lines = []
    if application.number:
        known = application.family or counts["own"]
        lacking = "" if known else ": the list holds neither its number nor its family"
        lines.append(f"{count_of(counts['own'])} of the application's own family{lacking}")
    if application.priority:
        lines += [
            f"{count_of(counts['late'])} published on or after the priority date, and not filed before it",
            f"{count_of(counts['earlier'])} filed before it and published later: count for novelty, never left out",
            f"{count_of(counts['unclear'])} whose dates do not tell: flagged, never left out",
        ]
    st.html(bullets(lines, ' class="tar-meta tar-notes" data-testid="flagged"'))


def opener(work: Work) -> None:
    """The button that opens the dialog."""
    dialog_button(work, "Your application: number and date", "open_application", EDITING)


@st.dialog("Your application", on_dismiss=nothing_edited)
def dialog(work: Work, state: State) -> None:
    """Change number and date; with a registered plan that is a deviation and needs a reason."""
    before = state.settings.application
    st.caption(WHY)
    try:
        typed = _fields(before, f"application/{work.row.id}/{state.seq}")
    except InputProblem as problem:
        shell.problem_box(problem)
        return
    reason = "" if state.plan is None else st.text_input("Why do you deviate from the plan?")
    if before.left_out:
        st.caption(f"{count_of(before.left_out)} were left out of the list when it was set up; that stays.")
    lacking = state.plan is not None and not reason.strip()
    if st.button("Save", type="primary", width="stretch", disabled=lacking):
        frame = work.store.records(work.collection.id)
        known = replace(with_family(typed, frame), left_out=before.left_out)
        finish(work.change_settings, replace(state.settings, application=known), state.seq, reason)
