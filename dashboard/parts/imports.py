"""How files were read, for a person to check and change: columns, duplicates, patent families."""

from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from textwrap import shorten
from typing import Any, Literal

import pandas as pd
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import lasting, one_of
from dashboard.frame.work import attempt, button, kept
from tarstop_core.documents.duplicates import family_groups
from tarstop_core.documents.merging import Proposal
from tarstop_core.files import MAPPABLE, RecordTable, UnrecognisedColumns
from tarstop_core.presentation.numbers import count_of
from tarstop_core.sessions.store.store import Store
from tarstop_core.sessions.store.tables import Collection

PREFIX = "set_up/documents"
COLUMNS = f"{PREFIX}/columns"
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
    "record_number": "number in another tool",
    "read_order": "order in which it was read",
    "labelled_at": "time of the label",
}
NOT_READ = "not read"
NO_COLUMN = "–"
MOST_COLUMNS = 20
"""Most columns that are listed without scrolling."""
DATABASE: dict[str, Any] = {"max_chars": 80, "placeholder": "Its name"}
TABLES = "csv tsv txt gz xlsx xlsm rm5 zip"
"""Suffixes of files with tables of studies."""
CORRECTABLE = ("csv", "tsv", "xlsx", "jsonl")
"""Formats whose columns a person may choose; in others, the format defines them."""
MOST_MATCHES = 1_000
"""Most matches or families that are listed."""
COLUMN_WIDTH = 240
"""Pixels of a box for a column, wide enough to distinguish "Experimental Events" from "Experimental Total"."""
AUTHORS = 48
"""Characters of the authors in a list, so that date and file stay in sight after them."""
FOUR_LINES = 96
"""Height in pixels of a row in which titles wrap."""
MERGE, SAME, MAYBE = "merge", "the same", "perhaps the same"
ONCE = (
    "One invention published in several countries is one document: the member ranked first stands for the others, so a hit, and its "
    "chance, counts once."
)
STANDS, MEMBERS = "count once", "also published as"


def corrected(file_id: str) -> dict[str, str]:
    """The fields that a person gave to the columns of a file; "" for a column that is not to be read."""
    return dict(st.session_state.get(f"{COLUMNS}/{file_id}", {}))


def taken_back(file_id: str) -> dict[str, str]:
    """Undo the last correction, with which the file cannot be read, and return the one before it."""
    before = st.session_state.pop(f"{COLUMNS}/{file_id}/before", {})
    st.session_state[f"{COLUMNS}/{file_id}"] = before
    return dict(before)


def listed(files: Sequence[Mapping[str, Any]]) -> None:
    """Show every column of files described by the store, with its field, or that it was not read."""
    rows = [
        {"file": file["source"], "column in the file": theirs, "used as": FIELD_WORDS.get(ours, ours)}
        for file in files
        for theirs, ours in (*file["understood"].items(), *zip(file.get("unread", ()), repeat(NOT_READ)))
    ]
    table = pd.DataFrame(rows).drop(columns=["file"] if len(files) == 1 else [], errors="ignore")
    # Long lists scroll, so that they do not push everything else out of view.
    height: Literal["content", "auto"] = "content" if len(table) <= MOST_COLUMNS else "auto"
    st.dataframe(table, hide_index=True, width="stretch", height=height)


def correct(file_id: str, table: RecordTable) -> None:
    """Ask which column was misread."""
    read = {theirs: ours for theirs, ours in table.understood.items() if not theirs.startswith("notes, as ")}
    now = {**read, **dict.fromkeys(table.unread, "")}
    if table.format not in CORRECTABLE or not now:
        return
    st.caption(shell.escape_markdown(f"Is a column of {table.source} something else?"))
    left, middle, right = st.columns([3, 3, 2], vertical_alignment="bottom")
    theirs = left.selectbox("Column", list(now), key=f"{COLUMNS}/{file_id}/theirs")
    fields = {"": NOT_READ, **{field: FIELD_WORDS.get(field, field) for field in MAPPABLE}}
    key = f"{COLUMNS}/{file_id}/ours/{theirs}"
    ours = one_of("Read it as", fields, at=middle, first=now[theirs], key=key)
    key, same = f"{COLUMNS}/{file_id}/again", ours == now[theirs]
    button("Read again", _correct, file_id, theirs, ours, key=key, at=right, width="stretch", disabled=same)


def _correct(file_id: str, theirs: str, ours: str) -> None:
    # A field has one column, the one chosen last.
    before = corrected(file_id)
    others = {column: field for column, field in before.items() if not field or field != ours}
    st.session_state[f"{COLUMNS}/{file_id}/before"] = before
    st.session_state[f"{COLUMNS}/{file_id}"] = others | {theirs: ours}


def ask(
    problem: UnrecognisedColumns,
    fields: Mapping[str, str],
    enough: Callable[[set[str]], bool],
    read: Callable[[dict[str, str]], object],
    key: str,
) -> None:
    """Ask for the fields of columns if a file cannot be read otherwise; `enough` says whether these fields suffice."""
    with st.container(border=True):
        st.warning(shell.escape_markdown(str(problem)), icon=":material/help:")
        st.dataframe(problem.preview, hide_index=True, width="stretch")
        chosen: dict[str, str] = {}
        with st.container(horizontal=True):
            for field, words in fields.items():
                columns = [NO_COLUMN, *problem.columns]
                first = columns.index(problem.recognised.get(field, NO_COLUMN))
                theirs = st.selectbox(words, columns, first, key=f"{key}/{field}", width=COLUMN_WIDTH)
                if theirs != NO_COLUMN:
                    chosen[theirs] = field
        missing = not enough(set(chosen.values()))
        button("Read the file with these columns", read, chosen, key=key, disabled=missing)


def review(
    proposal: Proposal, frames: Sequence[pd.DataFrame], chosen: frozenset[int], key: str
) -> frozenset[int] | None:
    """Show every match with a tick; return the new choice when it is submitted, otherwise None.

    The proposal was made for these `frames`.
    """
    if not proposal.matches:
        return None
    # Matches that a person has to judge come first, all of them before any other.
    places = sorted(range(len(proposal.matches)), key=lambda at: proposal.matches[at].kind == "exact")
    offered = places[:MOST_MATCHES]
    # With a key it stays open when its heading changes.
    with st.expander(f"Look at duplicates: {_summary(proposal, chosen)}", key=f"merging/look/{key}"):
        st.caption(
            "Equal documents are merged unless you untick them; documents that are perhaps the same stay apart unless you tick them. "
            "The record kept takes over what it lacks from the other."
        )
        if len(places) > len(offered):
            st.caption(f"The first {len(offered):,} are shown; the others are treated as proposed.")
        matches = [proposal.matches[at] for at in offered]
        records = [row for match in matches for row in (match.kept, match.other)]
        names = kept("merging/names", key, lambda: _names(frames, records))
        rows = [
            {
                MERGE: at in chosen,
                "why": f"{SAME if match.kind == 'exact' else MAYBE}: {match.why}",
                "kept": first,
                "would be merged": other,
            }
            for at, match, first, other in zip(offered, matches, names[::2], names[1::2], strict=True)
        ]
        table = pd.DataFrame(rows)
        ticks = _ticks(table, MERGE, ("why", "kept", "would be merged"), f"{key}/table")
        ticked = {at for at, tick in zip(offered, ticks, strict=True) if tick}
        wanted = frozenset(ticked | (chosen - set(offered)))
        if st.button("Merge as ticked", disabled=wanted == chosen, key=f"{key}/apply"):
            return wanted
    return None


def _summary(proposal: Proposal, chosen: frozenset[int]) -> str:
    """Summarise the matches, or the choice that a person made.

    >>> from tarstop_core.documents.duplicates import Match, merge_records
    >>> matches = (Match(0, 1, "exact", "same DOI"), Match(0, 2, "near", "same title"), Match(0, 3, "near", "same title"))
    >>> proposal = Proposal(merge_records([]), matches)
    >>> _summary(proposal, proposal.by_default), _summary(proposal, frozenset({0, 2}))
    ('1 the same, 2 perhaps the same', '2 merged, 1 kept apart')
    """
    names = (SAME, MAYBE) if chosen == proposal.by_default else ("merged", "kept apart")
    counts = dict(zip(names, (len(chosen), len(proposal.matches) - len(chosen)), strict=True))
    return ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)


def _names(frames: Sequence[pd.DataFrame], rows: list[int]) -> list[str]:
    """Names of records by their rows in these tables, taken together."""
    records = pd.concat([frame[["title", "authors", "date", "source"]] for frame in frames]).iloc[rows]
    return [
        " · ".join(filter(None, (title or "Untitled", shorten(authors, AUTHORS, placeholder=" …"), *more)))
        for title, authors, *more in records.itertuples(index=False)
    ]


def families(frame: pd.DataFrame, key: str) -> list[list[int]]:
    """Ask which patent families count once; return their positions in the collection."""
    groups = kept("set_up/families", key, lambda: family_groups(frame))
    if not groups:
        return []
    others = count_of(sum(map(len, groups)) - len(groups))
    asked = (
        f"Count each patent family once (leaves out {others} of {len(groups):,} families)"
        if len(groups) > 1
        else f"Count each patent family once (leaves out {others} of one family)"
    )
    if not st.checkbox(asked, value=True, **lasting(f"set_up/families/{key}"), help=ONCE):
        return []
    offered = groups[:MOST_MATCHES]
    with st.expander("Look at the families"):
        table = pd.DataFrame([_family(frame, group) for group in offered])
        ticks = _ticks(table, STANDS, ("first in the list", MEMBERS), f"set_up/families/{key}/table")
    ticked = [group for group, tick in zip(offered, ticks, strict=True) if tick]
    return [*ticked, *groups[MOST_MATCHES:]]


def _ticks(table: pd.DataFrame, ticked: str, texts: Sequence[str], key: str) -> list[bool]:
    """Draw a table whose texts wrap, with a column of ticks, and return the ticks."""
    wide = {name: st.column_config.TextColumn(width="medium") for name in texts}
    edited = st.data_editor(
        table,
        hide_index=True,
        width="stretch",
        disabled=[name for name in table.columns if name != ticked],
        column_config={ticked: st.column_config.CheckboxColumn(width="small"), **wide},
        row_height=FOUR_LINES,
        key=key,
    )
    return edited[ticked].tolist()


def _family(frame: pd.DataFrame, group: Sequence[int]) -> dict[str, object]:
    names = [frame["publication_number"].iloc[row] or frame["id"].iloc[row] for row in group]
    title = str(frame["title"].iloc[group[0]])
    first, others = f"{title} · {names[0]}", ", ".join(names[1:])
    return {STANDS: True, "kind": "one family", "first in the list": first, MEMBERS: others}


def databases(store: Store, row: Collection) -> None:
    """Ask which database each file came from, for the flow diagram."""

    def name(source: str) -> None:
        typed = str(st.session_state[f"{PREFIX}/database/{row.id}/{source}"]).strip()
        attempt(store.name_databases, row.id, {source: typed})

    with st.container(horizontal=True):
        for file in [file for file in row.files if "source" in file]:
            source = file["source"]
            st.text_input(
                shell.escape_label(f"Database of {source}"),
                file.get("database", ""),
                key=f"{PREFIX}/database/{row.id}/{source}",
                **DATABASE,
                help="Shown in the flow diagram, the report and the protocol; without it, the file’s name is shown.",
                on_change=name,
                args=(source,),
            )


def preview(frame: pd.DataFrame) -> None:
    """Show the first records as they were read, without empty columns."""
    with st.expander("The first documents, as read"):
        head = frame.head(5).drop(columns=["source"])
        filled = [name for name in head.columns if head[name].astype("str").replace("nan", "").any()]
        st.dataframe(head[filled].rename(columns=FIELD_WORDS), hide_index=True, width="stretch")
