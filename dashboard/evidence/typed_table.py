"""A table to type into, or to paste into from a spreadsheet.

Streamlit's own data editor loses the first keys of a cell while the page is drawn again.
"""

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
    """Draw the table; its cells as text, row by row, as far as a person has left them, empty ones among them.

    The first of the k columns is for words and wide, the others are for numbers. `first` is what the table begins with
    (at least one row of k cells): changed later, it is not looked at.
    """
    rows = [list(row) for row in first]
    typed = _mount(
        key=key,
        data={"label": label, "columns": list(columns), "rows": rows},
        default={"rows": rows},
        on_rows_change=lambda: None,
    )
    return [tuple(str(cell) for cell in row) for row in typed.rows]
