"""What would be merged on import, for a person to look at: the same documents, and perhaps the same ones."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from tarstop_core.documents.duplicates import Match, Merge, merge_records
from tarstop_core.documents.near_duplicates import near_duplicates


@dataclass(frozen=True, eq=False)
class Proposal:
    """Matches among the records of several files."""

    merge: Merge  # With nothing said by a person: the same documents are merged, others not
    matches: tuple[Match, ...]
    """The same ones, then those that are perhaps the same; rows are those of the tables one after the other."""

    @property
    def by_default(self) -> frozenset[int]:
        """Which matches (by place in `matches`) are merged unless a person says otherwise."""
        return frozenset(at for at, match in enumerate(self.matches) if match.kind == "exact")


def propose(frames: Sequence[pd.DataFrame]) -> Proposal:
    """Find what is, and what may be, the same document among tables of records, given in this order."""
    merge = merge_records(frames)
    rows = merge.rows.tolist()
    near = [
        replace(match, kept=rows[match.kept], other=rows[match.other])
        for match in near_duplicates(merge.frame)
    ]
    return Proposal(merge, (*merge.matches, *near))


def merge_as_chosen(frames: Sequence[pd.DataFrame], proposal: Proposal, chosen: Collection[int]) -> Merge:
    """Merge the matches that a person chose (places in `proposal.matches`), and no others.

    `frames` are those that the proposal was made for.
    """
    if frozenset(chosen) == proposal.by_default:
        return proposal.merge
    return merge_records(frames, [proposal.matches[at] for at in sorted(chosen)])


def as_stored(proposal: Proposal, chosen: Collection[int]) -> dict[str, Any]:
    """The choice in JSON values, to stand beside the files of a collection."""
    names = {
        "same": ("exact", True),
        "apart": ("exact", False),
        "together": ("near", True),
        "near": ("near", False),
    }
    kinds: list[tuple[str, bool]] = [(match.kind, at in chosen) for at, match in enumerate(proposal.matches)]
    return {"merging": {name: kinds.count(kind) for name, kind in names.items()}}


def said(files: Iterable[Mapping[str, Any]]) -> str:
    """What was merged on import and what a person chose otherwise, as a clause; "" where nothing was to choose."""
    counts = {"repeated": 0}
    for file in files:
        counts |= file.get("merging", {})
        counts["repeated"] += file.get("repeated", 0)
    words = {
        "repeated": "the same in every field",
        "same": "the same document",
        "together": "merged by hand",
        "apart": "kept apart by hand",
        "near": "nearly the same, kept apart",
    }
    return "; ".join(f"{counts[kind]:,} {what}" for kind, what in words.items() if counts.get(kind))
