"""Which columns of a file were read, as what, and which were not; a wrong recognition is corrected here."""

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any, Literal

import pandas as pd
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import one_of, press
from tarstop_core.files import MAPPABLE, RecordTable, UnrecognisedColumns

PREFIX = "set_up/documents/columns"
FIELD_WORDS = {
    "id": "identifier",
    "authors": "authors or inventors",
    "date": "date of publication",
    "doi": "DOI",
    "pmid": "PMID",
    "publication_number": "publication number",
    "url": "link",
    "family": "patent family",
    "reason": "reason for exclusion",
    "remark": "note of a reviewer",
    "assignee": "assignee or applicant",
    "priority_date": "priority date",
    "filing_date": "filing date",
    "grant_date": "grant date",
}
NOT_READ = "not read"
NO_COLUMN = "–"
MOST_SHOWN = 20  # columns
CORRECTABLE = ("csv", "tsv", "xlsx", "jsonl")
"""Formats whose columns a person may choose; those of the others mean what the format says."""


def corrected(file_id: str) -> dict[str, str]:
    """What a person said of a file's columns: theirs to our field, "" for one that is not to be read."""
    return dict(st.session_state.get(f"{PREFIX}/{file_id}", {}))


def taken_back(file_id: str) -> dict[str, str]:
    """The same before the last correction, with which the file cannot be read."""
    before = st.session_state.pop(f"{PREFIX}/{file_id}/before", {})
    st.session_state[f"{PREFIX}/{file_id}"] = before
    return dict(before)


def listed(files: Sequence[Mapping[str, Any]]) -> None:
    """Every column of files, as the store describes these: with what it was used as, or that it was not read."""
    rows = [
        {"file": file["source"], "column in the file": theirs, "used as": FIELD_WORDS.get(ours, ours)}
        for file in files
        for theirs, ours in (*file["understood"].items(), *zip(file.get("unread", ()), repeat(NOT_READ)))
    ]
    shown = pd.DataFrame(rows).drop(columns=["file"] if len(files) == 1 else [], errors="ignore")
    # All of them at once, where that does not push everything else away.
    height: Literal["content", "auto"] = "content" if len(shown) <= MOST_SHOWN else "auto"
    st.dataframe(shown, hide_index=True, width="stretch", height=height)


def correct(file_id: str, table: RecordTable) -> None:
    """Ask which column was taken for the wrong thing."""
    read = {theirs: ours for theirs, ours in table.understood.items() if not theirs.startswith("notes, as ")}
    now = {**read, **dict.fromkeys(table.unread, "")}
    if table.format not in CORRECTABLE or not now:
        return
    st.caption(shell.escape_markdown(f"Is a column of {table.source} something else?"))
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    theirs = left.selectbox("Column", list(now), key=f"{PREFIX}/{file_id}/theirs")
    fields = {"": NOT_READ, **{field: FIELD_WORDS.get(field, field) for field in MAPPABLE}}
    key = f"{PREFIX}/{file_id}/ours/{theirs}"
    ours = one_of("Read it as", fields, at=middle, first=now[theirs], key=key)
    what = (_correct, file_id, theirs, ours)
    press(
        "Read again",
        *what,
        key=f"{PREFIX}/{file_id}/again",
        at=right,
        width="stretch",
        disabled=ours == now[theirs],
    )


def _correct(file_id: str, theirs: str, ours: str) -> None:
    # A field has one column: the one that was said last.
    before = corrected(file_id)
    others = {column: field for column, field in before.items() if not field or field != ours}
    st.session_state[f"{PREFIX}/{file_id}/before"] = before
    st.session_state[f"{PREFIX}/{file_id}"] = others | {theirs: ours}


def ask(
    problem: UnrecognisedColumns,
    fields: Mapping[str, str],
    enough: Callable[[set[str]], bool],
    read: Callable[[dict[str, str]], object],
    key: str,
) -> None:
    """Ask which column is which, where a file cannot be read without; `enough` says of our fields whether it can be."""
    with st.container(border=True):
        st.warning(shell.escape_markdown(str(problem)), icon=":material/help:")
        st.dataframe(problem.preview, hide_index=True, width="stretch")
        chosen: dict[str, str] = {}
        with st.container(horizontal=True):
            for field, words in fields.items():
                theirs = st.selectbox(words, [NO_COLUMN, *problem.columns], key=f"{key}/{field}", width=150)
                if theirs != NO_COLUMN:
                    chosen[theirs] = field
        missing = not enough(set(chosen.values()))
        press("Read the file with these columns", read, chosen, key=key, disabled=missing)
