"""The log of a session: what kinds of events there are, and which still stand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

KINDS = (
    "kept",  # source; labels, notes and reasons by doc; ranks: what the list came with, once, before anything is read
    "families",  # members by doc: what a document of a patent family stands for
    "label",  # doc, label: the next document of the list is read; reason: why not, despite: a flag passed over
    "relabel",  # the same of an earlier verdict (an unsure one settled); with: the Y it settles together with
    "confirm",  # doc, holds: a hit is confirmed, or turns out not to be one
    "report",  # doc, and a Report as JSON values: what became of an included report in full text
    "undo",  # takes back the last label, relabel, confirm or report that still stands
    "note",  # doc, text: replaces the document's note
    "reasons",  # reasons: those to choose from when something is excluded; renamed: old name to new
    "plan",  # settings, records: what was registered before the first label
    "settings",  # settings, reason: the settings in force from now on
    "stopped",  # what was advised when screening stopped
    "decided",  # action, utility: the decision
    "continued",  # screening goes on after stopping
)


@dataclass(frozen=True)
class Event:
    """One line of the log."""

    kind: str
    """One of :data:`KINDS`."""
    payload: Mapping[str, Any] = field(default_factory=dict)
    """JSON values; what they are is said beside each kind."""
    seq: int = 0
    """Position in the log, from 1 on, without gaps; 0 before it is stored."""
    time: str = ""
    """ISO 8601 with UTC offset; set when stored."""
    reviewer: str = ""


UNDOABLE = ("label", "relabel", "confirm", "report")


def last_undoable(events: Iterable[Event]) -> Event | None:
    """What an undo would take back."""
    return next((event for event in reversed(standing(events)) if event.kind in UNDOABLE), None)


def standing(events: Iterable[Event]) -> list[Event]:
    """The events that have not been taken back, in their order, without the undos themselves."""
    kept: list[Event] = []
    for event in events:
        if event.kind != "undo":
            kept.append(event)
            continue
        last = next((i for i in reversed(range(len(kept))) if kept[i].kind in UNDOABLE), None)
        if last is not None:
            del kept[last]
    return kept
