"""The ways between a document and its 2×2 table in the session's list of tables."""

from functools import partial

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.scripts import TABLES_SCRIPT
from dashboard.frame.widgets import press
from dashboard.frame.work import Work
from dashboard.parts.sessions import first
from dashboard.screen import full_text
from tarstop_core.documents.tables import CELLS
from tarstop_core.screening.report_entry import table_rows
from tarstop_core.screening.state import State

EVIDENCE = "evidence_drawn"
"""Whether the part of the page is open that holds the tables."""
LOOKED_FOR = "_table_looked_for"
MOST = 12
"""Tables that are listed before somebody asks for all."""


def to_table(work: Work, state: State, at: int | None) -> None:
    """A button with the table of a document, which leads to the list of tables; nothing where it brought none."""
    read = state.read_in_full.get(-1 if at is None else at)
    if read is None or not read.rows:
        return
    (row, *more) = read.rows
    counts = ", ".join(
        f"{cell} {count}" for cell, count in zip(CELLS, row.counts, strict=True) if count is not None
    )
    words = f"Its 2×2 table: {counts}" if not more else f"Its {len(read.rows)} 2×2 tables"
    how = {"key": f"to_table_{work.turn}", "type": "tertiary", "icon": ":material/table_chart:"}
    press(
        words,
        st.session_state.update,
        {EVIDENCE: True, LOOKED_FOR: at},
        **how,
        help="Shows it among all tables",
    )


def listed(work: Work, state: State) -> None:
    """Every table that counts, a button each, which leads to the document that brought it."""
    rows = table_rows(state, work.row.ids)
    sought = st.session_state.pop(LOOKED_FOR, None)
    with st.container(key="tables", gap=None):
        st.caption("Tables that count; each leads to its document.")
        shown = rows if sought is not None else first(rows, MOST, f"All {len(rows):,} tables", "every_table")
        for place, row in enumerate(shown):
            at, counts = row["rank"] - 1, ", ".join(f"{c} {row[c]}" for c in CELLS if row[c] is not None)
            name = shell.escape_label(f"#{row['rank']} {row['study']}")
            words = f"**{name}: {counts}**" if at == sought else f"{name}: {counts}"
            press(words, partial(_to_document, work, at), key=f"table_{place}", type="tertiary")
    if sought is not None:
        st.html(TABLES_SCRIPT, unsafe_allow_javascript=True)


def _to_document(work: Work, at: int) -> None:
    work.open_report(at)
    st.session_state[full_text.TO_TOP] = True
