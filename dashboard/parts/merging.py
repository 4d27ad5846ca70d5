"""Set-up, step 1: what is merged on import, for a person to look at and to change."""

from collections.abc import Sequence
from textwrap import shorten

import pandas as pd
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import lasting
from dashboard.frame.work import kept
from tarstop_core.documents.groups import family_groups
from tarstop_core.documents.merging import Proposal
from tarstop_core.presentation.numbers import count_of

MOST_SHOWN = 1_000
AUTHORS = 48  # characters: the date and the file stay in sight after them
FOUR_LINES = 96  # pixels of a row in which titles wrap
MERGE, SAME, MAYBE = "merge", "the same", "perhaps the same"
ONCE = (
    "One invention published in several countries is one document: the member ranked first stands for the others, so that "
    "a hit, and the chance of one, counts once."
)
STANDS, MEMBERS = "count once", "also published as"


def review(
    proposal: Proposal, frames: Sequence[pd.DataFrame], chosen: frozenset[int], key: str
) -> frozenset[int] | None:
    """Show every match with a tick; the new choice once it is asked for, else None.

    The proposal was made for these `frames`.
    """
    if not proposal.matches:
        return None
    # Those that a person has to judge come first, and all of them are shown before others.
    places = sorted(range(len(proposal.matches)), key=lambda at: proposal.matches[at].kind == "exact")
    shown = places[:MOST_SHOWN]
    # Keyed, so that it stays open when its heading changes.
    with st.expander(f"Look at what is merged: {_summary(proposal, chosen)}", key=f"merging/look/{key}"):
        st.caption(
            "The same documents are merged unless you untick them; those that are perhaps the same stay apart unless "
            "you tick them. The record kept takes over what it lacks from the other."
        )
        if len(places) > len(shown):
            st.caption(f"The first {len(shown):,} are shown; the others are treated as proposed.")
        matches = [proposal.matches[at] for at in shown]
        of = [row for match in matches for row in (match.kept, match.other)]
        names = kept("merging/names", key, lambda: _names(frames, of))
        rows = [
            {
                MERGE: at in chosen,
                "why": f"{SAME if match.kind == 'exact' else MAYBE}: {match.why}",
                "kept": first,
                "would be merged": other,
            }
            for at, match, first, other in zip(shown, matches, names[::2], names[1::2], strict=True)
        ]
        table = pd.DataFrame(rows)
        ticks = _ticks(table, MERGE, ("why", "kept", "would be merged"), f"{key}/table")
        ticked = {at for at, tick in zip(shown, ticks, strict=True) if tick}
        wanted = frozenset(ticked | (chosen - set(shown)))
        if st.button("Merge as ticked", disabled=wanted == chosen, key=f"{key}/apply"):
            return wanted
    return None


def _summary(proposal: Proposal, chosen: frozenset[int]) -> str:
    """What there is to look at, or what became of it once a person chose.

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
    """What records are called, by their rows in these tables, one after the other."""
    told = pd.concat([each[["title", "authors", "date", "source"]] for each in frames]).iloc[rows]
    return [
        " · ".join(filter(None, (title or "Untitled", shorten(authors, AUTHORS, placeholder=" …"), *more)))
        for title, authors, *more in told.itertuples(index=False)
    ]


def families(frame: pd.DataFrame, key: str) -> list[list[int]]:
    """Patent families that are to count once, as positions in the collection; a person may untick any."""
    groups = kept("set_up/families", key, lambda: family_groups(frame))
    if not groups:
        return []
    others = sum(map(len, groups)) - len(groups)
    many = f"{len(groups):,} {'families' if len(groups) > 1 else 'family'} with {count_of(others)} beside the first"
    asked = shell.escape_label(f"Count each patent family once: {many}")
    if not st.checkbox(asked, value=True, **lasting(f"set_up/families/{key}"), help=ONCE):
        return []
    shown = groups[:MOST_SHOWN]
    with st.expander("Look at the families"):
        table = pd.DataFrame([_family(frame, group) for group in shown])
        ticks = _ticks(table, STANDS, ("first in the list", MEMBERS), f"set_up/families/{key}/table")
    ticked = [group for group, tick in zip(shown, ticks, strict=True) if tick]
    return [*ticked, *groups[MOST_SHOWN:]]


def _ticks(table: pd.DataFrame, ticked: str, texts: Sequence[str], key: str) -> list[bool]:
    """A table in which one column can be ticked, and what it then holds; its texts wrap."""
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
