"""The log of a session: the kinds of events, and which are still in force."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # below Python 3.12, pydantic accepts only this one

from tarstop_core.effects.studies import Form
from tarstop_core.envelope import check_time, validated
from tarstop_core.errors import InputProblem
from tarstop_core.screening.labels import Label

_Bias = Literal["low", "some", "high"]
"""The risk of bias in an entry of a report."""


class Nothing(TypedDict):
    """No payload."""


class Kept(TypedDict):
    """Labels, notes and reasons that came with the list, by document, and the documents' ranks; before anything is read."""

    source: str
    labels: dict[str, Label]
    notes: dict[str, str]
    reasons: dict[str, str]
    ranks: list[int]


class Audited(TypedDict):
    """Every n-th document offered after those kept is drawn at random; their ranks in the list, in the order drawn."""

    every: int
    seed: int
    ranks: list[int]


class Joined(TypedDict):
    """Documents that were added later, with their positions in the collection and their ranks in the longer list."""

    source: str  # the file that they came in
    docs: list[str]
    positions: list[int]
    ranks: list[int]
    scores: NotRequired[list[float]]  # if the list has scores
    duplicates: int  # records of that file that were in the collection already, or twice in the file
    alike: NotRequired[dict[str, str]]  # by document that joined: one that may be the same


class Parted(TypedDict):
    """The documents that joined last, none of which was read, leave the list again."""

    source: str
    docs: list[str]


class Aside(TypedDict):
    """A document that cannot be prior art against the application, as known when it was set aside."""

    doc: str
    kind: Literal["late", "own"]
    words: str


class SetAside(TypedDict):
    """Documents that do not count as evidence. Those set aside before the list began are its last, with the ranks they would have."""

    documents: list[Aside]
    ranks: NotRequired[list[int]]
    reason: NotRequired[str]  # why the plan was left


class Returned(TypedDict):
    """Documents that are no longer set aside."""

    docs: list[str]
    reason: NotRequired[str]  # why the plan was left


class Families(TypedDict):
    """The patent family that a document represents."""

    members: dict[str, list[str]]


Verdict = TypedDict(
    "Verdict",
    {
        "doc": str,
        "label": Label,
        "reason": NotRequired[str],  # why not
        "despite": NotRequired[str],  # a flag that was overruled
        "with": NotRequired[str],  # the other Y, together with which it settles the question
        "note": NotRequired[str],
        "fit": NotRequired[int],  # number of the fit that put it next; 0 before any fit
    },
)


class Fit(TypedDict):
    """A ranker that learned from the labels so far, and which documents it put first."""

    number: int
    after: int
    ranker: str
    seed: int
    settings: dict[str, Any]
    next: list[str]
    words: NotRequired[list[str]]  # words typed for and against documents
    scores: NotRequired[bool]  # whether scores of the file were used


class Confirm(TypedDict):
    """Whether a hit is confirmed or rejected."""

    doc: str
    holds: bool


class TableRow(TypedDict):
    """One 2×2 table of a report."""

    study: str
    TP: float
    FP: float | None
    FN: float
    TN: float | None
    bias: NotRequired[_Bias]


_NUMBERS: Any = {column: NotRequired[float] for form in Form for column in form.columns}
EffectNumbers = TypedDict("EffectNumbers", {"study": str, **_NUMBERS, "bias": NotRequired[_Bias]})  # type: ignore[misc]
"""The numbers of a report on the effect of an intervention, in the columns of one form."""


class Resolved(TypedDict):
    """The verdict that counts on a document on which readers differed."""

    doc: str
    label: Label
    reason: NotRequired[str]  # why not
    note: NotRequired[str]  # how it was resolved


class Machine(TypedDict):
    """Verdicts of a machine that is one of several readers, from a file, with a description of the machine."""

    name: str  # of the reader
    model: str
    version: str
    prompt: str  # or its settings, if it takes no prompt
    date: str  # when it ran
    source: str  # the file
    column: str
    include_from: NotRequired[float]  # the score from which it includes, where the column holds scores
    cost_per_thousand: NotRequired[float]  # cost of a thousand records, in the session's unit
    verdicts: dict[str, Label]


class Brought(TypedDict):
    """Verdicts that one of several readers, a person, gave elsewhere, from a file."""

    name: str  # of the reader
    source: str  # the file
    column: str
    include_from: NotRequired[float]  # the score from which it includes, where the column holds scores
    verdicts: dict[str, Label]


class ReportRead(TypedDict):
    """The outcome of an included report in full text."""

    doc: str
    outcome: str
    reason: NotRequired[str]
    study: NotRequired[str]
    tables: NotRequired[list[TableRow]]
    effects: NotRequired[list[EffectNumbers]]


class Note(TypedDict):
    """Replaces the document's note."""

    doc: str
    text: str


class Reasons(TypedDict):
    """The reasons to exclude a document, and those that were renamed, old name to new."""

    reasons: list[str]
    renamed: NotRequired[dict[str, str]]


class Plan(TypedDict):
    """The plan registered before the first label: settings, and a hash of the records."""

    settings: dict[str, Any]
    records: str


class Changed(TypedDict):
    """The settings in force from now on."""

    settings: dict[str, Any]
    reason: NotRequired[str]


class Imported(TypedDict):
    """The session came in a file, and everything before this entry with it."""

    source: str


class Duplicated(TypedDict):
    """The verdicts so far come from another session, under its rule."""

    session: str  # its name
    rule: str
    decided: NotRequired[str]  # the decision there


class Stopped(TypedDict):
    """The advice when screening stopped."""

    advice: NotRequired[str]
    depth: NotRequired[int]


class Decided(TypedDict):
    """The decision, with the advice that it was based on."""

    plus: bool
    option: NotRequired[int]  # if there are other options than a⁺ and a⁻
    action: NotRequired[str]
    advised: NotRequired[bool | int]  # whether a⁺ was, or which option
    advice: NotRequired[str]
    depth: NotRequired[int]
    studies: NotRequired[int]
    belief: NotRequired[float]
    recall: NotRequired[float | None]
    utility: NotRequired[float]
    spent: NotRequired[float]
    reason: NotRequired[str]


PAYLOADS: dict[str, Any] = {
    "kept": Kept,
    "audited": Audited,
    "families": Families,
    "joined": Joined,
    "parted": Parted,
    "set_aside": SetAside,
    "returned": Returned,
    "label": Verdict,  # the next document is read: of the list, or the one that a fit had put there
    "relabel": Verdict,  # an earlier verdict is changed, or an unsure one settled
    "confirm": Confirm,
    "report": ReportRead,
    "resolved": Resolved,  # of several readers: what they differed on is settled
    "resolved_report": ReportRead,  # of several readers: what they differed on in full text is settled
    "checked": Resolved,  # of several readers: one of those documents that all excluded was drawn at random and judged again
    "machine": Machine,  # of several readers: what a machine says of the documents, all at once
    "brought": Brought,  # of several readers: what a person among them has judged elsewhere, all at once
    "opened": Nothing,  # of several readers: everybody may see all verdicts from now on
    "undo": Nothing,  # takes back the last label, relabel, confirm or report that still stands; of several readers, the reader's own verdict
    "note": Note,
    "reasons": Reasons,
    "fit": Fit,
    "plan": Plan,
    "settings": Changed,
    "imported": Imported,
    "duplicated": Duplicated,
    "stopped": Stopped,
    "decided": Decided,
    "continued": Nothing,  # screening goes on after stopping
}
"""What each kind of event holds, at least: scenarios may add to it."""
KINDS = tuple(PAYLOADS)


@dataclass(frozen=True)
class Event:
    """One line of the log."""

    kind: str  # one of :data:`KINDS`
    payload: Mapping[str, Any] = field(default_factory=dict)
    """JSON values; each kind of event has a type for them."""
    seq: int = 0  # position in the log, from 1 on, without gaps; 0 before it is stored
    time: str = ""  # ISO 8601 with UTC offset; set when stored
    reviewer: str = ""


def check_event(event: Event) -> Event:
    """Read an event from a file or a database.

    InputProblem when its kind is unknown, its time is none, or something in it is missing or not of its type.
    """
    if event.kind not in PAYLOADS:
        raise InputProblem(f"Event {event.seq} is of an unknown kind '{event.kind[:40]}'.")
    check_time(event.time)
    name, mend = f"Event {event.seq} ({event.kind})", "restore the session from a file or a backup"
    validated(PAYLOADS[event.kind], event.payload, name, mend, strict=True, open_ended=True)
    return event


def calibrators_in(events: Iterable[Event]) -> set[str]:
    """Return the digests of the calibrators that these events began to use."""
    changes = ("settings", "plan")
    return {str(event.payload["settings"]["calibrator"]) for event in events if event.kind in changes}


UNDOABLE = ("label", "relabel", "confirm", "report")
CHANGES_LIST = ("joined", "parted", "set_aside", "returned")
"""Kinds of events that make the list longer or shorter."""


def last_undoable(events: Iterable[Event]) -> Event | None:
    """The event that an undo would undo."""
    return next((event for event in reversed(standing(events)) if event.kind in UNDOABLE), None)


def standing(events: Iterable[Event]) -> list[Event]:
    """The events in force, in their order: without undone ones and without the undos."""
    return standing_and_back(events)[0]


def standing_and_back(events: Iterable[Event]) -> tuple[list[Event], list[Event]]:
    """The events in force, and labels that were undone and not given again since, in the order in which they were given."""
    kept: list[Event] = []
    back: list[Event] = []
    for event in events:
        if event.kind != "undo":
            kept.append(event)
            if event.kind == "label":
                back = [each for each in back if each.payload.get("doc") != event.payload.get("doc")]
            continue
        last = next((i for i in reversed(range(len(kept))) if kept[i].kind in UNDOABLE), None)
        if last is not None:
            taken = kept.pop(last)
            back[:0] = [taken] if taken.kind == "label" else []
    return kept, back
