"""A table to type into, or to paste into from a spreadsheet.

Streamlit's own data editor loses the first keys of a cell while the page is drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

Row = tuple[str, ...]
_HERE = Path(__file__).parent
_mount = st.components.v2.component(
    "tarstop_typed_table",
    html="<table></table>",
    css=(_HERE / "typed_table.css").read_text(encoding="utf-8"),
    js=(_HERE / "typed_table.js").read_text(encoding="utf-8"),
)


def typed_table(label: str, columns: Sequence[str], first: Sequence[Row], *, key: str) -> list[Row]:
    """Draw the table; its cells as text, row by row, as far as a person has left them.

    Parameters
    ----------
    label : str
        What the table is, for those who do not see it.
    columns : sequence of str
        k names. The first column is for words and wide, the others are for numbers.
    first : sequence of Row
        At least one row of k cells: what the table begins with. Changed later, it is not looked at.
    key : str
        Keeps what was typed until another page is visited.

    Returns
    -------
    list of Row
        Rows of k cells, empty ones among them.
    """
    rows = [list(row) for row in first]
    typed = _mount(
        key=key,
        data={"label": label, "columns": list(columns), "rows": rows},
        default={"rows": rows},
        on_rows_change=lambda: None,
    )
    return [tuple(str(cell) for cell in row) for row in typed.rows]
