"""What the store gives out: a collection, a document, a session, a calibrator, a line of the list of sessions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypedDict

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.screening.log import Event
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State

Kind = Literal["session", "collection", "calibrator"]


class FileRow(TypedDict, total=False):
    """What was understood of a file, as far as anything is computed from it; the rest is for people to read."""

    source: str
    records: int
    database: str
    merging: dict[str, int]
    repeated: int
    first_lines: list[str]


@dataclass(frozen=True)
class CollectionRow:
    """Documents that were brought together, without their texts."""

    id: str
    name: str
    created: str
    """ISO 8601, UTC."""
    documents: int
    files: tuple[Mapping[str, Any], ...]
    """What was understood of each file, as given."""
    duplicates: int
    """Records that were folded into another."""
    simulated: bool
    query: str
    """What is asked, where the documents came with a question; else empty."""
    digest: str
    """Hash of the records and their order."""


@dataclass(frozen=True)
class Record:
    """One document in full; `score` is None where the file had none."""

    position: int
    id: str
    title: str
    abstract: str
    authors: str
    date: str
    doi: str
    pmid: str
    publication_number: str
    url: str
    label: str
    source: str
    family: str
    reason: str
    remark: str
    assignee: str
    priority_date: str
    filing_date: str
    grant_date: str
    score: float | None


@dataclass(frozen=True, eq=False)
class SessionRow:
    """A session as it was set up; what happened since is in its events."""

    id: str
    name: str
    collection_id: str
    created: str
    settings: Settings
    """At the start."""
    ids: tuple[str, ...]
    """Documents in screening order: as the list was stored, or, in a row :meth:`as_read`, in the order of reading."""
    order: NDArray[np.intp]
    """Position of each in the collection; shape (N,)."""
    scores: NDArray[np.float64] | None
    """None where the list has only its order; shape (N,)."""
    query: str
    ranking: str
    """Where the order comes from, in words."""
    archived: bool
    digest: str
    """Hash of documents, order and scores, as the list was stored."""

    def as_read(self, state: State) -> Self:
        """The stored row with its documents in the order of reading, as positions in the state count."""
        to = state.sequence
        if to is None:
            return self
        order = np.append(self.order, state.joining("positions"))[to].astype(np.intp)
        ids, scores = tuple(state.ids_as_read(self.ids)), state.scores_as_read(self.scores)
        return replace(self, ids=ids, order=order, scores=scores)


def event_row(event: Event) -> dict[str, Any]:
    """An event as it is stored and sent."""
    plain = {name: getattr(event, name) for name in ("seq", "time", "reviewer", "kind")}
    return plain | {"payload": dict(event.payload)}


@dataclass(frozen=True)
class KeptCalibrator:
    """A calibrator with what a person calls it."""

    digest: str
    calibrator: Calibrator
    name: str
    """As given by the person, else the calibrator's own."""
    created: str
    """When it was stored here: ISO 8601, UTC."""
    deleted: bool
    """Whether it was taken off the list."""


@dataclass(frozen=True)
class Damaged:
    """What is stored and cannot be read."""

    kind: Kind
    id: str
    name: str
    problem: str
    """What is wrong, a sentence."""


@dataclass(frozen=True)
class SessionSummary:
    """One line of the list of sessions."""

    id: str
    name: str
    collection_id: str
    created: str
    last_activity: str
    """Time of the last event, or of creation."""
    documents: int
    labelled: int
    """Documents read; labels taken back do not count."""
    stopped: bool
    decision: Mapping[str, Any] | None
    """Payload of the decision that stands."""
    simulated: bool
    archived: bool
    imported: bool
    """Whether it came in a session file."""
    scenario: str
    query: str

    @property
    def decided(self) -> bool:
        """Whether a decision stands."""
        return self.decision is not None
