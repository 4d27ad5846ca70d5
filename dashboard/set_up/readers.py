"""Questions on who screens: one reader or several, and columns of a file with verdicts from elsewhere."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from dashboard.frame import people, shell
from dashboard.frame.widgets import ask_for_files, lasting, one_of, share, switch
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import count_of, listed
from tarstop_core.readers.table import NAMES, columns_of, read_one
from tarstop_core.screening.events import file_event
from tarstop_core.screening.independent import SeveralReaders
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.several_readers import SECOND, SHARE, ReadElsewhere, Readers
from tarstop_core.sessions.store.accounts import check_name

BLIND = "Each reader opens this session under their own name and sees no other verdict on a document before all have judged it."
FULL_TEXTS = (
    "Each reads every included report and enters what it holds, unseen by the others until all have. What differs, number by "
    "number, is shown side by side and settled by an owner or adjudicator."
)
WAYS = {False: "One reader", True: "Several, independently"}
KINDS = ["csv", "tsv", "txt", "xlsx"]
LOGGED_IN = (
    "Whoever is named here reads only under that login; share the session with them under Sessions, Details."
)
NO_COLUMN = ""
ELSEWHERE = "Have some already read? A table with their verdicts, one column each (optional)"
DRAWN = (
    "Random draws between other documents work only for one reader. Switch them "
    "off, and audit later what everybody excluded."
)


def ask(
    settings: Settings, key: str, drawn: bool, ids: Sequence[str], problems: list[str]
) -> tuple[Settings, tuple[Event, ...]]:
    """Ask who screens.

    Parameters
    ----------
    settings
        The settings so far.
    key
        Prefix of the keys of the widgets.
    drawn
        Whether documents are drawn at random between others.
    ids
        Identifiers of the documents on the list.
    problems
        Problems with the answers are appended.

    Returns
    -------
    Settings, tuple of Event
        The settings with the readers, and events with verdicts from elsewhere.
    """
    if settings.one_decides or not switch("Who screens", WAYS, help=BLIND, **lasting(f"{key}/several")):
        return settings, ()
    person = people.person()
    typed = st.text_input(
        "Names with which the readers log in" if person else "Names of the readers",
        placeholder=f"{person}, …" if person else "Rita, Sam",
        help=f"Name the first reader first. {LOGGED_IN if person else ''}",
        **lasting(f"{key}/names"),
    )
    second = one_of("Everybody except the first reads", SECOND, **lasting(f"{key}/second"))
    part = share("Share of the documents", 0.2, **lasting(f"{key}/share")) if second == SHARE else 1.0
    full_texts = settings.reads_full_texts and st.toggle(
        "Full texts as well", help=FULL_TEXTS, **lasting(f"{key}/full_texts")
    )
    names = tuple(" ".join(name.split()) for name in typed.split(",") if name.strip())
    if person:
        names = tuple(map(check_name, names))
    if drawn:
        problems.append(DRAWN)
    if len(names) < 2:
        problems.append("Give the names of two or more readers, with commas between them.")
        return settings, ()
    try:
        readers = Readers(names, second, part, full_texts=full_texts)
    except InputProblem as problem:
        problems.append(str(problem))
        return settings, ()
    try:
        elsewhere = _elsewhere(readers, f"{key}/elsewhere", ids)
    except InputProblem as problem:
        shell.problem_box(problem)
        problems.append(str(problem))
        elsewhere = ()
    return replace(settings, readers=readers), elsewhere


def _elsewhere(readers: Readers, key: str, ids: Sequence[str]) -> tuple[Event, ...]:
    """Ask for a table with a column of verdicts for each reader who read elsewhere, and return an event for each."""
    files = ask_for_files(ELSEWHERE, type=KINDS, key=f"{key}/file")
    if not files:
        return ()
    file = files[0]
    titles = columns_of(file)
    folded = [title.casefold() for title in titles]
    usual = next((folded.index(name) for name in ("id", *NAMES) if name in folded), 0)
    named = {title: title for title in titles}
    record = one_of("Column of the ids", named, index=usual, key=f"{key}/ids")
    options = {NO_COLUMN: "none: reads here"} | named
    columns = {
        name: one_of(
            f"Column of {name}",
            options,
            first=titles[folded.index(name.casefold())] if name.casefold() in folded else NO_COLUMN,
            key=f"{key}/of/{name}",
        )
        for name in readers.names
    }
    least = None
    if st.toggle("These are scores", key=f"{key}/scored"):
        least = st.number_input("Included from", value=0.5, key=f"{key}/least")
    return _events(readers, file, record, columns, least, ids)


def _events(
    readers: Readers,
    file: UploadedFile,
    record: str,
    columns: dict[str, str],
    least: float | None,
    ids: Sequence[str],
) -> tuple[Event, ...]:
    chosen = {name: column for name, column in columns.items() if column}
    for column in chosen.values():
        if len(whose := [name for name, other in chosen.items() if other == column]) > 1:
            raise InputProblem(f"The column {column} is that of {listed(whose)}; choose one for each.")
    several, events = SeveralReaders(readers), list[Event]()
    for name, column in chosen.items():
        about = ReadElsewhere(name, file.name, column, least)
        event = file_event(several, about, read_one(file, record, column, least), ids)
        events.append(event)
        judged = count_of(len(event.payload["verdicts"]), "document", "documents")
        shell.caption(f"{name}: {judged} of {len(ids):,} on this list.")
    return tuple(events)
