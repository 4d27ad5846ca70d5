"""The log of a session: the kinds of events, and which events are in force."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NotRequired, cast

from typing_extensions import TypedDict  # below Python 3.12, pydantic accepts only this one

from tarstop_core.effects.studies import Form
from tarstop_core.envelope import check_time, validated
from tarstop_core.errors import InputProblem
from tarstop_core.screening.labels import CODES, Label

_Bias = Literal["low", "some", "high"]
"""Risk of bias of a study, as an entry on a report has it."""


class Nothing(TypedDict):
    """An empty payload."""


class Kept(TypedDict):
    """Labels, notes and reasons that came with a list, by document, and the ranks of these documents; before anything is read."""

    source: str
    labels: dict[str, Label]
    notes: dict[str, str]
    reasons: dict[str, str]
    ranks: list[int]


class Audited(TypedDict):
    """Audit draws: one document in `every` after those kept, with their ranks in the list, in the order of drawing."""

    every: int
    seed: int
    ranks: list[int]


class Joined(TypedDict):
    """Documents added later, with their positions in the collection and their ranks in the longer list."""

    source: str  # name of the file that they come from
    docs: list[str]
    positions: list[int]
    ranks: list[int]
    scores: NotRequired[list[float]]  # if the list has scores
    duplicates: int  # records of that file that were in the collection already, or more than once in the file
    alike: NotRequired[dict[str, str]]  # by document that joined: another document that may be the same


class Parted(TypedDict):
    """Documents that leave the list again: those that joined last, none of which was read."""

    source: str
    docs: list[str]


class Aside(TypedDict):
    """A document that cannot be prior art against the application, and why, as known when it was set aside."""

    doc: str
    kind: Literal["late", "own"]
    words: str


class SetAside(TypedDict):
    """Documents that are set aside and do not count as evidence.

    Those set aside before reading began are the last of the stored list, and `ranks` are those that they would have.
    """

    documents: list[Aside]
    ranks: NotRequired[list[int]]
    reason: NotRequired[str]  # why this departs from the plan


class Returned(TypedDict):
    """Documents that are no longer set aside."""

    docs: list[str]
    reason: NotRequired[str]  # why this departs from the plan


class Families(TypedDict):
    """The other members of the patent family that each document represents."""

    members: dict[str, list[str]]


Verdict = TypedDict(
    "Verdict",
    {
        "doc": str,
        "label": Label,
        "reason": NotRequired[str],  # why it is excluded
        "despite": NotRequired[str],  # a flag that was overruled
        "with": NotRequired[str],  # the other document, graded Y, with which it settles the question
        "note": NotRequired[str],
        "fit": NotRequired[int],  # number of the fit that put it next; 0 before any fit
    },
)
"""A verdict on a document, with what was recorded with it."""


class Fit(TypedDict):
    """A fit of a ranker to the labels so far, and the documents that it put next."""

    number: int  # from 1 on
    after: int  # number of labels that it learned from
    ranker: str  # its name and version
    seed: int
    settings: dict[str, Any]  # of the ranker
    next: list[str]
    words: NotRequired[list[str]]  # words typed for documents, and words typed against
    scores: NotRequired[bool]  # whether the documents' own scores were used


class Confirm(TypedDict):
    """Confirmation or rejection of a hit."""

    doc: str
    holds: bool


class TableRow(TypedDict):
    """A 2×2 table of a report."""

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
    """The verdict that counts on a document, after readers differed or it was drawn."""

    doc: str
    label: Label
    reason: NotRequired[str]  # why it is excluded
    note: NotRequired[str]  # how this was decided


class Machine(TypedDict):
    """Verdicts from a file of a machine that is one of several readers, with a description of the machine."""

    name: str  # name of the reader
    model: str
    version: str
    prompt: str  # or its settings, if it takes no prompt
    date: str  # when it ran
    source: str  # name of the file
    column: str  # the column with verdicts or scores
    include_from: NotRequired[float]  # the score from which it includes, if the column has scores
    cost_per_thousand: NotRequired[float]  # cost of a thousand records, in the session's unit
    verdicts: dict[str, Label]


class Brought(TypedDict):
    """Verdicts from a file of a person who is one of several readers and judged elsewhere."""

    name: str  # name of the reader
    source: str  # name of the file
    column: str  # the column with verdicts or scores
    include_from: NotRequired[float]  # the score from which documents are included, if the column has scores
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
    """The new note on a document; an empty text removes it."""

    doc: str
    text: str


class Reasons(TypedDict):
    """The new list of reasons to exclude a document, and new names of renamed ones, by the old name."""

    reasons: list[str]
    renamed: NotRequired[dict[str, str]]


class Plan(TypedDict):
    """The plan that is registered before the first label: settings, and a hash of the records."""

    settings: dict[str, Any]
    records: str


class Changed(TypedDict):
    """The settings in force from now on."""

    settings: dict[str, Any]
    reason: NotRequired[str]


class Imported(TypedDict):
    """The import of a session from a file, which all entries before this one come from."""

    source: str


class Duplicated(TypedDict):
    """The other session that all entries before this one were copied from."""

    session: str  # its name
    rule: str  # its stopping rule
    decided: NotRequired[str]  # its decision


class Stopped(TypedDict):
    """The end of screening, with the advice at that time."""

    advice: NotRequired[str]
    depth: NotRequired[int]


class Decided(TypedDict):
    """The decision, with the advice that it rests on."""

    plus: bool
    option: NotRequired[int]  # if there are other options than a⁺ and a⁻
    action: NotRequired[str]
    advised: NotRequired[bool | int]  # whether a⁺ was advised, or which option
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
    "label": Verdict,  # the next document is read
    "relabel": Verdict,  # an earlier verdict is changed
    "confirm": Confirm,
    "report": ReportRead,
    "resolved": Resolved,  # several readers: a difference between verdicts is resolved
    "resolved_report": ReportRead,  # several readers: a difference between entries on a full text is resolved
    "checked": Resolved,  # several readers: a document that all excluded was drawn at random and judged again
    "machine": Machine,  # several readers: all verdicts of a machine
    "brought": Brought,  # several readers: all verdicts that one of them gave elsewhere
    "opened": Nothing,  # several readers: everybody may see all verdicts from now on
    # Takes back the last event in force of a kind in UNDOABLE; with several readers, the reader's own last verdict.
    "undo": Nothing,
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
"""Payload of each kind of event; an event may have more entries, which scenarios add."""
KINDS = tuple(PAYLOADS)


@dataclass(frozen=True)
class Event:
    """An entry of the log."""

    kind: str  # one of :data:`KINDS`
    payload: Mapping[str, Any] = field(default_factory=dict)
    """JSON values, as :data:`PAYLOADS` describes them."""
    seq: int = 0  # number in the log, from 1 on, without gaps; 0 before it is stored
    time: str = ""  # ISO 8601 with UTC offset; empty before it is stored
    reviewer: str = ""  # name of the person who acted


def check_event(event: Event) -> Event:
    """The event itself, checked after it was read from a file or a database.

    InputProblem if its kind is unknown, its time is invalid, or an entry of its payload is missing or of a wrong type.
    """
    if event.kind not in PAYLOADS:
        raise InputProblem(f"Event {event.seq} is of an unknown kind '{event.kind[:40]}'.")
    check_time(event.time)
    name, mend = f"Event {event.seq} ({event.kind})", "restore the session from a file or a backup"
    validated(PAYLOADS[event.kind], event.payload, name, mend, strict=True, open_ended=True)
    return event


def as_label(text: str) -> Label:
    """The text itself as a label; InputProblem if there is no such label."""
    if text not in CODES:
        raise InputProblem(f"There is no label '{text}'; choose one of {', '.join(CODES)}.")
    return cast(Label, text)


def calibrators_in(events: Iterable[Event]) -> set[str]:
    """Digests of the calibrators that the settings and plans in these events name."""
    changes = ("settings", "plan")
    return {str(event.payload["settings"]["calibrator"]) for event in events if event.kind in changes}


UNDOABLE = ("label", "relabel", "confirm", "report")
"""Kinds of events that an undo can take back."""
CHANGES_LIST = ("joined", "parted", "set_aside", "returned")
"""Kinds of events that make the list longer or shorter."""


def last_undoable(events: Iterable[Event]) -> Event | None:
    """The event that an undo would take back; None if there is none."""
    return next((event for event in reversed(standing(events)) if event.kind in UNDOABLE), None)


def standing(events: Iterable[Event]) -> list[Event]:
    """The events in force, in order: without undone ones and without the undos."""
    return standing_and_back(events)[0]


def standing_and_back(events: Iterable[Event]) -> tuple[list[Event], list[Event]]:
    """The events in force, and undone labels of documents that were not labelled again, each in the order of recording."""
    in_force: list[Event] = []
    back: list[Event] = []
    for event in events:
        if event.kind != "undo":
            in_force.append(event)
            if event.kind == "label" and back:
                back = [undone for undone in back if undone.payload.get("doc") != event.payload.get("doc")]
            continue
        last = next((i for i in reversed(range(len(in_force))) if in_force[i].kind in UNDOABLE), None)
        if last is not None:
            taken = in_force.pop(last)
            back[:0] = [taken] if taken.kind == "label" else []
    return in_force, back
