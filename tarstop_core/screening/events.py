"""What a person may do: each function checks it against the state and returns the event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tarstop_core.session import Event


def families_event(members: Mapping[str, Sequence[str]]) -> Event:
    """The event that says which documents stand for a patent family, and for which other members."""
    return Event("families", {"members": {doc: list(others) for doc, others in members.items()}})
