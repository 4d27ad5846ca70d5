"""Verdicts of one of the readers from a file, of a machine or of a person, and what a report has to say of them."""

from typing import Any

import streamlit as st

from dashboard.frame.widgets import ask_for_files, one_of, press, switch
from dashboard.frame.work import Work, say
from tarstop_core.presentation.numbers import count_of
from tarstop_core.readers.table import columns_of, read_one
from tarstop_core.screening.events import file_event
from tarstop_core.screening.several_readers import MachineReader, ReadElsewhere

WHOSE = {True: "A machine’s", False: "A person’s, from elsewhere"}
KINDS = ["csv", "tsv", "txt", "xlsx"]
KEY = "machine"


def form(work: Work) -> None:
    """Ask for a file of verdicts; nothing is sent anywhere."""
    several = work.several
    assert several is not None
    without = {
        name: name for name in several.readers.names if name in several.files or not several.read_by(name)
    }
    if not without:
        return
    with st.popover("Verdicts from a file", type="tertiary", key=f"{KEY}/open"):
        st.caption(
            "From any tool, as a column of a file; the ids are those of an export. Nothing is sent anywhere."
        )
        of_machine = switch("Whose they are", WHOSE, key=f"{KEY}/whose")
        name = one_of("Which reader it is", without, key=f"{KEY}/name")
        file = next(iter(ask_for_files("A table (CSV, Excel)", type=KINDS, key=f"{KEY}/file") or ()), None)
        if file is None:
            return
        titles = {title: title for title in columns_of(file)}
        ids = one_of("Column of the ids", titles, key=f"{KEY}/ids")
        column = one_of("Column of what it says", titles, index=len(titles) - 1, key=f"{KEY}/column")
        scored = st.toggle("These are scores", key=f"{KEY}/scored")
        least = st.number_input("Included from", value=0.5, key=f"{KEY}/least") if scored else None
        more = _of_machine() if of_machine else {}
        seen = work.state.seq

        def take() -> None:
            kind = MachineReader if of_machine else ReadElsewhere
            about = kind(name, source=file.name, column=column, include_from=least, **more)
            included = read_one(file, ids, column, least)
            work.settle(file_event, seen, about, included, work.row.ids)
            say(f"Taken in: {count_of(several.read_by(name), 'verdict', 'verdicts')} of {name}.")

        press("Take these verdicts in", take, key=f"{KEY}/take", type="primary", width="stretch")


def _of_machine() -> dict[str, Any]:
    """What a report has to say of a machine."""
    left, middle, right = st.columns(3)
    how: dict[str, Any] = {"min_value": 0.0, "key": f"{KEY}/cost"}
    return {
        "model": left.text_input("Model", key=f"{KEY}/model"),
        "version": middle.text_input("Version", key=f"{KEY}/version"),
        "date": right.text_input("Run on", placeholder="2026-11-26", key=f"{KEY}/date"),
        "prompt": st.text_area("Prompt, or settings", key=f"{KEY}/prompt"),
        "cost_per_thousand": st.number_input("A thousand records cost (optional)", value=None, **how),
    }
