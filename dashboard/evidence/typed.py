"""The table on Evidence that a person types into, and the parts of the address that hold tables."""

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import streamlit as st

from dashboard.evidence.chosen import PREFIX
from dashboard.frame import address
from dashboard.frame.scripts import PASTING
from dashboard.frame.widgets import lasting, one_of
from tarstop_core.errors import InputProblem
from tarstop_core.evidence.manual_tables import TITLES, WIDTHS, Row, pack, unpack
from tarstop_core.files.tables import BIAS, JUDGED

T = TypeVar("T")
JUDGED_TITLES = {field: f"Risk of bias, {field.replace('_', ' ')}" for field in JUDGED} | {BIAS: TITLES[BIAS]}
"""Titles of the columns for the risk of bias."""


def keep_rows(rows: Sequence[Row], remedy: str, name: str = "") -> None:
    """Put tables into the address, so that a reload brings them back; if they are too long, say the remedy."""
    packed = pack(rows)
    address.write({"tables": packed or "", "name": name if packed else ""})
    if packed is None:
        address.lacks("these tables")
        st.caption(f"These tables are too long for the page’s address: after a reload, {remedy} again.")
    elif packed:
        st.caption("The page’s address contains these tables, so a reload or a bookmark brings them back.")


def tables_in_address(
    problem_key: str, read: Callable[[list[Row]], T], widths: Collection[int] | None = WIDTHS
) -> T | None:
    """Read the tables in the address of a reloaded page; keep what is wrong with them under `problem_key`."""
    st.session_state[f"{PREFIX}/{problem_key}"] = ""
    try:
        return read(unpack(st.query_params["tables"], widths)) if "tables" in st.query_params else None
    except InputProblem as problem:
        st.session_state[f"{PREFIX}/{problem_key}"] = str(problem)
        return None


def choice_in_address(name: str, label: str, options: dict[str, str], usual: str = "", **how: Any) -> str:
    """Ask for a choice whose key the address keeps; a bound widget would put its label there."""
    usual = usual or next(iter(options))
    named = st.query_params.get(name, usual)
    first = named if named in options else usual
    chosen = one_of(label, options, first=first, **lasting(f"{PREFIX}/{name}"), **how)
    address.write({name: "" if chosen == usual else chosen})
    return chosen


_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "tarstop_typed_table",
    html="<table></table>",
    css=(_HERE / "typed_table.css").read_text(encoding="utf-8"),
    js=PASTING + (_HERE / "typed_table.js").read_text(encoding="utf-8"),
)


def typed_table(
    label: str, first: Sequence[Row], *, key: str, titles: Mapping[str, str] = TITLES
) -> list[Row]:
    """Draw the table and return its rows of text, with those that are still empty.

    `titles` names the columns by field. `first` fills the table when it is first drawn (at least one row); later it has no effect.
    """
    rows = [list(row) for row in first]
    data = {"label": label, "columns": [*titles.values()], "fields": [*titles], "rows": rows}
    typed = _mount(key=key, data=data, default={"rows": rows}, on_rows_change=lambda: None)
    return [tuple(str(cell) for cell in row) for row in typed.rows]
