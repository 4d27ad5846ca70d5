"""The application under examination, and the documents that cannot be prior art against it.

Both are asked for when a session is set up, and can be changed later in a dialog.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.frame import shell
from dashboard.frame.markup import bullets
from dashboard.frame.widgets import lasting
from dashboard.frame.work import Work, dialog_button, finish, kept, nothing_edited
from tarstop_core.documents.application import Application, Flag, barring, flagged, with_family
from tarstop_core.documents.records import date_words, read_date
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import count_of
from tarstop_core.screening import record_message
from tarstop_core.screening.log import Aside
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.setting_aside import (
    all_aside,
    as_aside,
    aside_in_words,
    may_leave,
    return_event,
    set_aside_event,
)
from tarstop_core.screening.state import State
from tarstop_core.sessions.create import ChosenDocuments

PREFIX = "set_up/application"
EDITING = "application"
WHY = (
    "May stay empty. Documents that are too late or of your own family cannot be prior art and are set aside."
)
MAY_BE_EARLIER = (
    "The file does not give the priority dates of these, so any of them may be "
    "an earlier filing published later, which counts for novelty."
)


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers about the application, and the flags of the collection's documents that follow."""

    application: Application
    flags: Sequence[Sequence[Flag]]
    """The flags of each document, by its position in the collection."""
    aside: Mapping[int, Flag]
    """The reason for each document that is set aside, by its position in the collection."""


def ask(chosen: ChosenDocuments, problems: list[str], listing: DeltaGenerator) -> Answers:
    """Ask for number and date, and in `listing` which of the documents that these set aside should stay in the list."""
    st.markdown("**Your application**")
    application = Application()
    try:
        application = _fields(application, PREFIX)
    except InputProblem as problem:
        shell.problem_box(problem)
        problems.append(str(problem))
    st.caption(WHY)
    flags: Sequence[Sequence[Flag]] = [()] * len(chosen.frame)
    bars = dict[int, Flag]()
    if application.known:
        application, flags = _flagged(chosen, application)
        _show_counts(application, flags)
        bars = {row: flag for row, of_row in enumerate(flags) if (flag := barring(of_row)) is not None}
    with listing:
        aside = frozenset(_set_aside(chosen, application, bars)) if bars else frozenset[int]()
    if len(aside) == len(chosen.frame):
        problems.append("Every document in the list would be set aside; keep some, or check the date.")
        shell.problem_box(problems[-1])
        aside = frozenset[int]()
    answers = partial(Answers, application, flags, {row: bars[row] for row in sorted(aside)})
    return kept(f"{PREFIX}/held", (chosen.key, application, aside), answers)


def _set_aside(chosen: ChosenDocuments, application: Application, bars: Mapping[int, Flag]) -> list[int]:
    """Show what would be set aside, ask which documents to keep in the list, and return the positions of the others."""
    key = f"{PREFIX}/{chosen.key}/{application.number}/{application.priority}"
    unsure = [row for row, flag in bars.items() if not flag.certain]
    also = bool(unsure) and st.toggle(
        f"Also set aside {count_of(len(unsure))} that may have an earlier date",
        **lasting(f"{key}/unsure"),
        help=MAY_BE_EARLIER,
    )
    offered = [row for row, flag in bars.items() if flag.certain or also]
    if not offered:
        return []
    names = _names(chosen.frame.iloc[offered])
    keep = st.session_state.get(f"{key}/keep", [])
    aside = [row for row, doc in zip(offered, names, strict=True) if doc not in keep]
    st.markdown(
        f"**Set aside before reading**: {aside_in_words(as_aside(str(row), bars[row]) for row in aside)}"
    )
    with st.expander("Look at them, or keep some"):
        st.multiselect(
            "Keep in the list anyway",
            list(names),
            format_func=lambda doc: names.get(doc, doc),
            placeholder="Number or words of a title",
            help="What you keep is read at its place and counts as evidence. On *Screen* you can set "
            "it aside later, and return what is set aside.",
            **lasting(f"{key}/keep"),
        )
        st.html(bullets(_listed(names, aside, bars, chosen.frame), testid="aside"))
    return aside


def _listed(
    names: Mapping[str, str], rows: Sequence[int], bars: Mapping[int, Flag], frame: pd.DataFrame
) -> list[str]:
    ids = frame["id"].iloc[list(rows)].tolist()
    return [f"{names[doc]}: {bars[row].words}" for doc, row in zip(ids, rows, strict=True)]


def _names(frame: pd.DataFrame) -> dict[str, str]:
    """Names of documents by id."""
    rows = frame[["id", "publication_number", "title"]].itertuples(index=False, name=None)
    return {doc: f"{number or doc} · {title or 'Untitled'}" for doc, number, title in rows}


def _fields(start: Application, key: str) -> Application:
    left, right = st.columns(2, gap="medium")
    number = left.text_input(
        "Its number",
        start.number,
        max_chars=60,
        placeholder="EP3456789",
        help="Its publication number, present or future. TARstop finds its family by this number.",
        **lasting(f"{key}/number"),
    ).strip()
    typed = right.text_input(
        "Priority date",
        date_words(start.priority),
        max_chars=40,
        placeholder="3 March 2018",
        help="Prior art must be earlier than this date: the date of the first filing, or of this one.",
        **lasting(f"{key}/priority"),
    )
    priority = read_date(typed)
    if priority:
        more = " An exact day settles more documents." if len(priority) < len("2018-03-03") else ""
        right.caption(f"Understood as {date_words(priority)}.{more}")
    return Application(number=number, priority=priority)


def _flagged(
    chosen: ChosenDocuments, application: Application
) -> tuple[Application, Sequence[Sequence[Flag]]]:
    """The application with its family, and the flags of every document."""

    def with_flags() -> tuple[Application, Sequence[Sequence[Flag]]]:
        ours = with_family(application, chosen.frame)
        return ours, flagged(ours, chosen.frame)

    return kept(f"{PREFIX}/flags", (chosen.key, application), with_flags)


def _show_counts(application: Application, flags: Sequence[Sequence[Flag]]) -> None:
    """Show the number of documents for each reason; a document counts for its first reason, as when it is set aside."""
    first = [of_document[0] for of_document in flags if of_document]
    counts = Counter(flag.kind for flag in first if flag.certain)
    lines = record_message.paragraphs(
        "flagged",
        own=counts["own"],
        own_unknown=bool(application.number) and not (application.family or counts["own"]),
        late=counts["late"],
        unsure=sum(not flag.certain for flag in first),
        earlier=counts["earlier"],
        unclear=counts["unclear"],
    )
    st.html(bullets(lines, "tar-meta tar-notes", "flagged"))


def opener(work: Work, words: str, key: str, **how: Any) -> None:
    """A button that opens the dialog."""
    dialog_button(work, words, key, EDITING, **how)


@st.dialog("Your application", on_dismiss=nothing_edited)
def dialog(work: Work, state: State) -> None:
    """Change number and date, set documents aside and return them; with a registered plan that needs a reason."""
    before, key = state.settings.application, f"application/{work.row.id}/{state.seq}"
    try:
        typed = _fields(before, key)
    except InputProblem as problem:
        shell.problem_box(problem)
        return
    st.caption(WHY)
    frame = work.store.records(work.collection.id)
    after = replace(with_family(typed, frame), left_out=before.left_out)
    listed = frame.iloc[work.row.order].reset_index(drop=True)
    flags = flagged(after, listed, state.other_family_members)
    bars = {at: flag for at, of_document in enumerate(flags) if (flag := barring(of_document)) is not None}
    leave = {
        listed["id"].iloc[at]: flag
        for at, flag in bars.items()
        if flag.certain and at not in state.aside_read and may_leave(state, at)
    }
    if before.left_out:
        st.caption(
            f"{count_of(before.left_out)} were left out when the list was set up; that does not change."
        )
    if leave and state.drawn is None:
        read = len(set(leave) & set(work.row.ids[: state.depth]))
        of_these = f" ({read:,} read already)" if read else ""
        asked = f"Set aside {count_of(len(leave))} of the list{of_these}"
        # Documents are set aside by default only if number or date were changed.
        leave = leave if st.toggle(asked, after != before, key=f"{key}/leave/{after}") else {}
    else:
        leave = {}
    returned = _ask_returns(frame, all_aside(state), key) if state.drawn is None else []
    reason = "" if state.plan is None else st.text_input("Why do you deviate from the plan?")
    lacking = state.plan is not None and not reason.strip()

    def save() -> None:
        assert isinstance(state.settings, PatentSettings), "only patents are compared with an application"
        with work.together():
            work.change_settings(replace(state.settings, application=after), state.seq, reason)
            if leave:
                work.record(set_aside_event(work.state, work.row.ids, leave, reason), work.state.seq)
            if returned:
                work.record(return_event(work.state, returned, reason), work.state.seq)

    if st.button("Save", type="primary", width="stretch", disabled=lacking):
        finish(save)


def _ask_returns(frame: pd.DataFrame, aside: Mapping[str, Aside], key: str) -> list[str]:
    """Show what is set aside, and ask what to return."""
    if not aside:
        return []
    names = _names(frame[frame["id"].isin(list(aside))])
    st.markdown(f"**Set aside**: {aside_in_words(aside.values())}")
    chosen = st.multiselect(
        "Return to the list",
        list(aside),
        format_func=lambda doc: names.get(doc, doc),
        placeholder="Number or words of a title",
        help="It is read at its rank, or next if you are past it, and counts as evidence again.",
        key=f"{key}/returned",
    )
    with st.expander("Look at them"):
        st.html(bullets(f"{names[doc]}: {reason['words']}" for doc, reason in aside.items()))
    return chosen
