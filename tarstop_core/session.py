"""A screening session as a pure function of its settings and its log.

Nothing is ever changed or removed: undoing is an event too. Replaying the log gives the state,
here, on another machine, or up to any moment in the past.

Patent documents are graded as in a search report: X settles the question alone, Y in combination with another, A is
background. "relevant" is X. Y and A are stored and counted but decide nothing: to the engine they are documents that
were read and did not settle the question, as "irrelevant" is, until a person grades one of them X or says that two Y
settle it together.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from tarstop_core.belief.decisive import check_prior
from tarstop_core.belief.of_tables import check_engine
from tarstop_core.belief.prior import LearnedFrom, Prior, check_theta
from tarstop_core.calibration.data_share import DataShare
from tarstop_core.documents.application import NOTHING_SAID, Application
from tarstop_core.documents.reports import Collected, Report, collect
from tarstop_core.errors import InputProblem
from tarstop_core.policies import Policy, parse_policy
from tarstop_core.value.payoffs import Payoffs, check_cost

Label = Literal["relevant", "irrelevant", "unsure", "combination", "background"]
UNSEEN, IRRELEVANT, RELEVANT, UNSURE, COMBINATION, BACKGROUND = -1, 0, 1, 2, 3, 4
CODES: dict[str, int] = {
    "irrelevant": IRRELEVANT,
    "relevant": RELEVANT,
    "unsure": UNSURE,
    "combination": COMBINATION,
    "background": BACKGROUND,
}
NAMES: dict[int, str] = {
    UNSEEN: "",
    IRRELEVANT: "not relevant",
    RELEVANT: "relevant",
    UNSURE: "unsure",
    COMBINATION: "in combination",
    BACKGROUND: "background",
}
# What a search report calls them.
GRADES: dict[int, str] = {RELEVANT: "X", COMBINATION: "Y", BACKGROUND: "A"}
PENDING, CONFIRMED, REJECTED = 0, 1, 2
DEFAULT_PRIOR, NOTHING_KNOWN = Prior(), DataShare()
SCENARIOS, TRUTHS, STAGES = ("patent", "review"), ("pooled", "full_evidence"), (1, 2)

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
    """One line of the log.

    Parameters
    ----------
    kind : str
        One of :data:`KINDS`.
    payload : mapping
        JSON values; what they are is said beside each kind.
    seq : int
        Position in the log, from 1 on, without gaps; 0 before it is stored.
    time : str
        ISO 8601 with UTC offset; set when stored.
    reviewer : str
    """

    kind: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    seq: int = 0
    time: str = ""
    reviewer: str = ""


@dataclass(frozen=True)
class Settings:
    """Everything that changes advice, apart from the labels.

    Parameters
    ----------
    payoffs : Payoffs
    cost : float
        Per document, in the payoffs' unit.
    b_0 : float
        Belief before any document, in (0, 1).
    policy : str
        As :func:`tarstop_core.policies.parse_policy` reads it.
    calibrator : str
        Digest of the calibrator.
    needs_citation : bool
        a⁺ is open only with a confirmed document to cite.
    confirm_hits : bool
        A hit counts only once it is confirmed.
    kappa : float
        Chance that a deciding document, if it exists, is in this list.
    s : float
        Chance of recognising a relevant document on reading it.
    plus, minus : str
        What the two actions are called.
    scenario : {"patent", "review"}
        One relevant document decides, or 2×2 tables of a diagnostic-accuracy review accumulate.
    theta : float
        Reviews: ω⁺ is a pooled sensitivity above this, in (0, 1).
    engine : str
        Reviews: one of :data:`~tarstop_core.belief.of_tables.ENGINES`; the same for a whole session.
    prior : Prior
        Reviews: everything of it but its b_0, for which `b_0` stands.
    truth : {"pooled", "full_evidence"}
        Reviews: what the decision is held against: whether pooled sensitivity exceeds θ, or what all
        documents of the list would have led to.
    stages : {1, 2}
        Reviews: a document and its table are read at once (the paper's), or reports are included by title
        and abstract and read in full later.
    full_cost : float
        Reviews in two stages: cost of reading a report in full, in the payoffs' unit.
    data_share : DataShare
        Reviews: how many included reports bring data, before any was read in full.
    floor : float
        Reviews: no rule says stop while the chance of the right decision is below this; 0 for none.
    scale : float
        Every chance of the calibrator is multiplied by this (and is at most 1): what a live check found.
    application : Application
        Patents: what prior art is sought for; says which documents cannot be held against it.
    """

    payoffs: Payoffs
    cost: float
    b_0: float = 0.5
    policy: str = "optimal"
    calibrator: str = ""
    needs_citation: bool = True
    confirm_hits: bool = True
    kappa: float = 1.0
    s: float = 1.0
    plus: str = "Reject"
    minus: str = "Grant"
    scenario: str = "patent"
    theta: float = 0.75
    engine: str = "bivariate"
    prior: Prior = DEFAULT_PRIOR
    truth: str = "pooled"
    stages: int = 2
    full_cost: float = 0.0
    data_share: DataShare = NOTHING_KNOWN
    floor: float = 0.0
    scale: float = 1.0
    application: Application = NOTHING_SAID

    def __post_init__(self) -> None:
        check_cost(self.cost)
        check_prior(self.b_0)
        parse_policy(self.policy, files=False)
        for name, value in (("κ (coverage of the list)", self.kappa), ("s (reading sensitivity)", self.s)):
            if not 0 < value <= 1:
                raise InputProblem(f"{name} is {value:g}; give a number above 0, at most 1.")
        for what, chosen, known in (
            ("scenario", self.scenario, SCENARIOS),
            ("truth", self.truth, TRUTHS),
            ("number of stages", self.stages, STAGES),
        ):
            if chosen not in known:
                raise InputProblem(f"The {what} is '{chosen}'; choose {' or '.join(map(str, known))}.")
        check_theta(self.theta)
        check_engine(self.engine)
        if not (self.full_cost >= 0 and math.isfinite(self.full_cost)):
            raise InputProblem(
                f"The cost of a report in full is {self.full_cost:g}; give a number from 0 on."
            )
        if not (self.scale > 0 and math.isfinite(self.scale)):
            raise InputProblem(f"The chances are multiplied by {self.scale:g}; give a number above 0.")
        if not 0 <= self.floor < 1:
            raise InputProblem(
                f"The floor on the chance of the right decision is {self.floor:g}; give a number from 0 to below 1."
            )

    @property
    def review(self) -> bool:
        """Whether 2×2 tables accumulate."""
        return self.scenario == "review"

    @property
    def citation_needed(self) -> bool:
        """Whether a⁺ waits for a document to cite: in patents only."""
        return self.needs_citation and not self.review

    @property
    def belief_prior(self) -> Prior:
        """The prior with this session's b_0."""
        return replace(self.prior, b_0=self.b_0)

    @property
    def rule(self) -> Policy:
        """The policy as an object."""
        return parse_policy(self.policy, files=False)

    def paper_mode(self) -> Settings:
        """The paper's setting: everything that a person's session adds is off."""
        return replace(
            self,
            needs_citation=False,
            confirm_hits=False,
            kappa=1.0,
            s=1.0,
            stages=1,
            full_cost=0.0,
            floor=0.0,
            scale=1.0,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON values; :meth:`from_dict` reads them back."""
        content = asdict(self)
        # So that sessions older than these leave as they came.
        if self.scale == 1:
            del content["scale"]
        if self.application == NOTHING_SAID:
            del content["application"]
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Settings:
        """Settings from their JSON values.

        Raises
        ------
        InputProblem
            When a value is missing or unusable.
        """
        try:
            values = {**content, "payoffs": Payoffs(**content["payoffs"])}
            if "prior" in content:
                values["prior"] = _prior(content["prior"])
            if "data_share" in content:
                values["data_share"] = DataShare(**content["data_share"])
            if "application" in content:
                values["application"] = Application(**content["application"])
            return cls(**values)
        except (AttributeError, KeyError, TypeError) as problem:
            raise InputProblem(f"The saved settings cannot be read ({problem}).") from None


def _prior(content: Mapping[str, Any]) -> Prior:
    learned = content.get("learned_from")
    return Prior(**{**content, "learned_from": None if learned is None else LearnedFrom(**learned)})


@dataclass(frozen=True)
class Decision:
    """What was decided, and on what footing."""

    plus: bool
    time: str
    payload: Mapping[str, Any]
    outdated: bool = False
    """Whether a verdict was changed since."""


@dataclass(frozen=True, eq=False)
class State:
    """Where a session stands after its log.

    Parameters
    ----------
    settings : Settings
        In force now.
    labels : ndarray of int8, shape (N,)
        UNSEEN or one of :data:`CODES`, in screening order.
    confirmed : ndarray of int8, shape (N,)
        For relevant documents PENDING or CONFIRMED; REJECTED for hits that turned out not to be any.
    seq : int
        Number of events so far.
    reports : mapping of int to Report
        What became of the reports read in full, by position in the list.
    notes : mapping of str to str
        By document.
    reasons : tuple of str
        Reasons to exclude something that the person defined, in their order.
    excluded_for : mapping of int to str
        By position: the reason given with a verdict.
    together : mapping of int to int
        By position: the Y that a document settles the question together with.
    plan : Settings or None
        What was registered before the first label.
    plan_records : str
        Hash of the records that the plan was registered for.
    deviations : tuple of Event
        Settings changed, with a reason, after a plan was registered.
    stopped : bool
    decision : Decision or None
    former : Decision or None
        What had been decided before screening went on.
    can_undo : bool
        Whether a label, change or confirmation stands that could be taken back.
    last_time : str
        Time of the last event.
    spent : float
        What the documents read have cost, each at the cost then in force, in the payoffs' unit.
    touched : bool
        Whether a document was ever labelled here, even if that was taken back.
    kept : int
        How many documents came with their labels: the first of the list, whatever order they were read in.
    kept_from : str
        Where those labels come from.
    ranks : ndarray of int, shape (N,), or None
        Rank of each document by relevance, from 1 on, where documents that were kept stand before others; else None.
    also : mapping of str to tuple of str
        By document: the other members of its patent family, which are not in the list.
    """

    settings: Settings
    labels: NDArray[np.int8]
    confirmed: NDArray[np.int8]
    seq: int = 0
    reports: Mapping[int, Report] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    excluded_for: Mapping[int, str] = field(default_factory=dict)
    together: Mapping[int, int] = field(default_factory=dict)
    plan: Settings | None = None
    plan_records: str = ""
    deviations: tuple[Event, ...] = ()
    stopped: bool = False
    decision: Decision | None = None
    former: Decision | None = None
    can_undo: bool = False
    last_time: str = ""
    spent: float = 0.0
    touched: bool = False
    kept: int = 0
    kept_from: str = ""
    ranks: NDArray[np.int64] | None = None
    also: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def ranked(self) -> int | NDArray[np.int64]:
        """What chances by rank go by: how many documents there are, or the rank of each."""
        return len(self.labels) if self.ranks is None else self.ranks

    @property
    def depth(self) -> int:
        """Documents read: always the first of the list."""
        return int(np.count_nonzero(self.labels != UNSEEN))

    @property
    def relevant(self) -> int:
        """Documents labelled relevant, confirmed or not."""
        return int(np.count_nonzero(self.labels == RELEVANT))

    @property
    def unsure(self) -> NDArray[np.intp]:
        """Positions that wait to be settled."""
        return np.flatnonzero(self.labels == UNSURE)

    @property
    def combination(self) -> NDArray[np.intp]:
        """Positions graded Y: they count in combination, and decide nothing by themselves."""
        return np.flatnonzero(self.labels == COMBINATION)

    @property
    def background(self) -> NDArray[np.intp]:
        """Positions graded A."""
        return np.flatnonzero(self.labels == BACKGROUND)

    @property
    def pending(self) -> NDArray[np.intp]:
        """Positions of hits that wait for confirmation."""
        if not self.settings.confirm_hits or self.settings.review:
            return np.array([], dtype=np.intp)
        return np.flatnonzero((self.labels == RELEVANT) & (self.confirmed == PENDING))

    @property
    def hit(self) -> int | None:
        """Depth (1-based) of the first hit that counts; none in a review, where no document decides."""
        if self.settings.review:
            return None
        counts = self.labels == RELEVANT
        if self.settings.confirm_hits:
            counts &= self.confirmed == CONFIRMED
        found = np.flatnonzero(counts)
        return int(found[0]) + 1 if len(found) else None

    @property
    def silent(self) -> NDArray[np.bool_]:
        """Documents read without a verdict that counts: belief does not move there."""
        silent = np.asarray(self.labels == UNSURE)
        silent[self.pending] = True
        return silent

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Where it is known whether a document is what its chance is a chance of, shape (N,)."""
        known = np.asarray((self.labels != UNSEEN) & (self.labels != UNSURE))
        known[self.pending] = False
        if self._chance_of_data:
            known[self.waiting] = False
        return known

    @property
    def came_true(self) -> NDArray[np.bool_]:
        """Where it is that: relevant, included or, in a review in one stage, with a 2×2 table, shape (N,)."""
        if not self._chance_of_data:
            return np.asarray((self.labels == RELEVANT) & self.judged)
        found = np.zeros(len(self.labels), dtype=bool)
        found[self.evidence.positions] = True
        return found

    @property
    def _chance_of_data(self) -> bool:
        return self.settings.review and self.settings.stages == 1

    @cached_property
    def read_in_full(self) -> dict[int, Report]:
        """Reports of documents that are still included, in the order of the list."""
        standing = sorted(at for at in self.reports if self.labels[at] == RELEVANT)
        return {at: self.reports[at] for at in standing if self.reports[at].outcome != "waiting"}

    @property
    def waiting(self) -> NDArray[np.intp]:
        """Positions of included reports that nothing has been recorded of yet."""
        included = np.flatnonzero(self.labels == RELEVANT)
        return np.asarray([at for at in included if int(at) not in self.read_in_full], dtype=np.intp)

    @cached_property
    def evidence(self) -> Collected:
        """The 2×2 tables that count, in the order of the list."""
        return collect(self.read_in_full)


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


class Fold:
    """A log applied one standing event after the other; :func:`replay` is the whole of it.

    Taking back is last in, first out, so whatever stands at the end stood on the same footing when
    it was recorded: folding the standing events passes through the states a person saw.
    """

    def __init__(self, settings: Settings, ids: Sequence[str]) -> None:
        self._position = {doc: index for index, doc in enumerate(ids)}
        self._labels = np.full(len(ids), UNSEEN, dtype=np.int8)
        self._confirmed = np.full(len(ids), PENDING, dtype=np.int8)
        self._reports: dict[int, Report] = {}
        self._read_in_full: set[int] = set()
        self._notes: dict[str, str] = {}
        self._excluded_for: dict[int, str] = {}
        self._together: dict[int, int] = {}
        # What a hit was before, which it is again when it turns out not to be one.
        self._grades: dict[int, int] = {}
        self._depth = 0
        self._state = State(settings=settings, labels=self._labels, confirmed=self._confirmed)

    @property
    def state(self) -> State:
        """The state so far; later events do not change it."""
        return replace(
            self._state,
            labels=self._labels.copy(),
            confirmed=self._confirmed.copy(),
            notes=dict(self._notes),
            excluded_for=dict(self._excluded_for),
            together=dict(self._together),
        )

    def apply(self, event: Event) -> None:
        """Take one event in.

        Raises
        ------
        InputProblem
            When it names a document that is not in the list, skips one, or cannot be read.
        """
        try:
            self._state = self._after(event)
        except InputProblem:
            raise
        except (AttributeError, KeyError, OverflowError, TypeError, ValueError) as problem:
            raise InputProblem(f"Event {event.seq} ({event.kind}) cannot be read: {problem!r}.") from None

    def _after(self, event: Event) -> State:
        state, content = self._state, event.payload
        if event.kind in UNDOABLE:
            spent = self._judge(event)
            state = replace(state, can_undo=True, spent=state.spent + spent)
            if event.kind == "report":
                state = replace(state, reports=dict(self._reports))
            if state.decision is not None:
                state = replace(state, decision=replace(state.decision, outdated=True))
        elif event.kind == "kept":
            state = self._keep(event)
        elif event.kind == "families":
            members = {str(doc): tuple(map(str, others)) for doc, others in content["members"].items()}
            state = replace(state, also=members)
        elif event.kind == "note":
            self._at(event)
            doc, text = str(content["doc"]), str(content["text"])
            self._notes.pop(doc, None)
            if text:
                self._notes[doc] = text
        elif event.kind == "reasons":
            self._rename(content.get("renamed", {}))
            reasons = tuple(str(reason) for reason in content["reasons"])
            state = replace(state, reasons=reasons, reports=dict(self._reports))
        elif event.kind == "plan":
            registered = Settings.from_dict(content["settings"])
            state = replace(state, plan=registered, plan_records=str(content["records"]))
        elif event.kind == "settings":
            deviations = state.deviations if state.plan is None else (*state.deviations, event)
            settings = Settings.from_dict(content["settings"])
            state = replace(state, settings=settings, deviations=deviations)
        elif event.kind == "stopped":
            state = replace(state, stopped=True)
        elif event.kind == "decided":
            decision = Decision(plus=bool(content["plus"]), time=event.time, payload=content)
            state = replace(state, stopped=True, decision=decision)
        elif event.kind == "continued":
            state = replace(state, stopped=False, decision=None, former=state.decision or state.former)
        else:
            raise InputProblem(f"Event {event.seq} is of an unknown kind '{event.kind}'.")
        return state

    def _rename(self, renamed: Mapping[str, str]) -> None:
        """A reason by its new name, wherever it was given."""
        for at, reason in self._excluded_for.items():
            self._excluded_for[at] = str(renamed.get(reason, reason))
        for at, report in self._reports.items():
            if report.reason in renamed:
                self._reports[at] = replace(report, reason=str(renamed[report.reason]))

    def _at(self, event: Event, which: str = "doc") -> int:
        at = self._position.get(str(event.payload[which]))
        if at is None:
            doc = event.payload[which]
            raise InputProblem(f"Event {event.seq} names document '{doc}', which is not in the list.")
        return at

    def _keep(self, event: Event) -> State:
        """Take the labels in that a list came with; they cost nothing here and cannot be undone, only changed."""
        content = event.payload
        labels = [str(label) for label in content["labels"].values()]
        code = {label: CODES[as_label(label)] for label in set(labels)}
        positions = np.array([self._position.get(str(doc), -1) for doc in content["labels"]], dtype=np.intp)
        if self._depth or not np.array_equal(np.sort(positions), np.arange(len(positions))):
            raise InputProblem(
                f"Event {event.seq} keeps labels of documents that are not the first of the list."
            )
        self._labels[positions] = [code[label] for label in labels]
        self._depth = len(positions)
        ranks = np.array(content["ranks"], dtype=np.int64)
        taken = np.zeros(len(self._labels), dtype=bool)
        if ranks.shape == positions.shape and ((ranks >= 1) & (ranks <= len(taken))).all():
            taken[ranks - 1] = True
        if int(taken.sum()) != len(positions):
            raise InputProblem(f"Event {event.seq} does not say which rank each document had.")
        for doc, reason in content["reasons"].items():
            self._excluded_for[self._position[str(doc)]] = str(reason)
        self._notes |= {str(doc): str(text) for doc, text in content["notes"].items()}
        return replace(
            self._state,
            kept=len(positions),
            kept_from=str(content["source"]),
            ranks=np.concatenate([ranks, np.flatnonzero(~taken) + 1]),
        )

    def _judge(self, event: Event) -> float:
        """Take a verdict in; what it cost, in the payoffs' unit."""
        at, settings = self._at(event), self._state.settings
        if event.kind == "label":
            if at != self._depth:
                raise InputProblem(
                    f"Event {event.seq} labels document {at + 1} of the list, "
                    f"but document {self._depth + 1} comes next."
                )
            self._depth += 1
        elif at >= self._depth:
            raise InputProblem(f"Event {event.seq} changes document {at + 1}, which has not been read yet.")
        if event.kind == "report":
            report = Report.from_dict(event.payload)
            self._reports[at] = report
            first = report.was_read and at not in self._read_in_full
            if not first:
                return 0.0
            self._read_in_full.add(at)
            return settings.full_cost if settings.stages == 2 else 0.0
        if event.kind == "confirm":
            holds = bool(event.payload["holds"])
            self._labels[at] = RELEVANT if holds else self._grades.get(at, IRRELEVANT)
            self._confirmed[at] = CONFIRMED if holds else REJECTED
            if not holds:
                self._together.pop(at, None)
        else:
            self._verdict(event, at)
        return settings.cost if event.kind == "label" else 0.0

    def _verdict(self, event: Event, at: int) -> None:
        """Take a label or a relabel in, with what was said beside it."""
        said = event.payload
        code = CODES[as_label(str(said["label"]))]
        if self._state.settings.review and code in (COMBINATION, BACKGROUND):
            raise InputProblem(
                f"Event {event.seq} grades document {at + 1} {GRADES[code]}, which is for patents only."
            )
        self._labels[at], self._confirmed[at] = code, PENDING
        if code in (COMBINATION, BACKGROUND):
            self._grades[at] = code
        elif code != RELEVANT:
            self._grades.pop(at, None)
        self._excluded_for.pop(at, None)
        self._together.pop(at, None)
        if said.get("reason"):
            self._excluded_for[at] = str(said["reason"])
        if "with" in said:
            self._together[at] = self._at(event, "with")
        if said.get("note"):
            self._notes[str(said["doc"])] = str(said["note"])


def replay(settings: Settings, ids: Sequence[str], events: Sequence[Event]) -> State:
    """The state that a log leads to.

    Parameters
    ----------
    settings : Settings
        At the start.
    ids : sequence of str, length N
        Documents in screening order.
    events : sequence of Event
        The whole log, in order.

    Raises
    ------
    InputProblem
        When the log names a document that is not in the list, or skips one.

    Examples
    --------
    >>> start = Settings(Payoffs.from_q_star(0.5), cost=0.001)
    >>> log = [Event("label", {"doc": "a", "label": "irrelevant"}), Event("undo")]
    >>> replay(start, ["a", "b"], log[:1]).depth, replay(start, ["a", "b"], log).depth
    (1, 0)
    """
    fold = Fold(settings, ids)
    for event in standing(events):
        fold.apply(event)
    state = fold.state
    if not events:
        return state
    touched = any(event.kind == "label" for event in events)
    return replace(state, seq=events[-1].seq, last_time=events[-1].time, touched=touched)


def label_event(state: State, ids: Sequence[str], doc: str, label: Label, **more: str) -> Event:
    """The event that labels the document a person is looking at.

    Parameters
    ----------
    state : State
    ids : sequence of str
    doc, label : str
    **more : str
        What else :func:`verdict` takes.

    Raises
    ------
    InputProblem
        When that document is no longer the next one: a press that came too late or twice.
    """
    if state.depth >= len(ids):
        raise InputProblem("Every document has been read already.")
    if ids[state.depth] != doc:
        raise InputProblem(
            "That document had been labelled already, so the press was not counted; look at the one shown now."
        )
    if state.stopped:
        raise InputProblem("Screening has stopped; choose 'Keep screening' first.")
    return Event("label", verdict(doc, label, **more))


def relabel_event(state: State, ids: Sequence[str], doc: str, label: Label, **more: str) -> Event:
    """The event that changes an earlier verdict; parameters as for :func:`label_event`.

    Raises
    ------
    InputProblem
        When a hit rests on that document, as the Y that it settles the question together with, and would no longer.
    """
    resting = next((at for at, first in state.together.items() if ids[first] == doc), None)
    if resting is not None and label not in ("combination", "relevant"):
        raise InputProblem(
            f"Document #{resting + 1} is graded X together with this one, so nothing was recorded; change its verdict "
            "first."
        )
    return Event("relabel", verdict(doc, label, **more))


def verdict(doc: str, label: Label, **more: str) -> dict[str, str]:
    """The payload of a label or a relabel; what is empty is left out.

    Parameters
    ----------
    doc, label : str
    **more : str
        `reason` why it is excluded, `despite` which flag it is a hit, the Y `with` which it is one, the document's
        `note` from then on, which an undo takes back with the verdict.

    Examples
    --------
    >>> verdict("EP1", "irrelevant", reason="wrong field", despite="")
    {'doc': 'EP1', 'label': 'irrelevant', 'reason': 'wrong field'}
    """
    return {"doc": doc, "label": label, **{name: text for name, text in more.items() if text}}


def together_event(state: State, ids: Sequence[str], one: str, other: str, **more: str) -> Event:
    """The event that two documents graded Y settle the question together.

    The one further down the list becomes the hit, because only then was it known; `more` as for :func:`verdict`.

    Raises
    ------
    InputProblem
        When they are not two different documents graded Y.
    """
    chosen = [ids[int(at)] for at in state.combination if ids[int(at)] in (one, other)]
    if len(chosen) < 2:
        raise InputProblem("Choose two different documents graded Y; nothing was recorded.")
    first, second = chosen
    return Event("relabel", verdict(second, "relevant", **{"with": first}, **more))


def report_event(state: State, ids: Sequence[str], doc: str, report: Report) -> Event:
    """The event that records what became of an included report in full text.

    Raises
    ------
    InputProblem
        When the document is not an included one.
    """
    included = {ids[int(at)] for at in np.flatnonzero(state.labels == RELEVANT)}
    if doc not in included:
        raise InputProblem("That document is not included any more, so nothing was recorded for its report.")
    return Event("report", {"doc": doc, **report.to_dict()})


def plan_event(state: State, records: str) -> Event:
    """The event that freezes the settings in force, with a hash of the records.

    Raises
    ------
    InputProblem
        After the first label, or when a plan is registered already.
    """
    if state.plan is not None:
        raise InputProblem("A plan is registered already; changes to it are recorded as deviations.")
    if state.touched:
        raise InputProblem("A plan is registered before the first document is read, and one has been read.")
    return Event("plan", {"settings": state.settings.to_dict(), "records": records})


def settings_event(state: State, settings: Settings, reason: str = "") -> Event:
    """The event that puts other settings in force.

    Raises
    ------
    InputProblem
        When a plan is registered and no reason is given.
    """
    if state.plan is not None and not reason.strip():
        raise InputProblem("A plan is registered: say why you deviate from it.")
    return Event("settings", {"settings": settings.to_dict(), "reason": reason.strip()})


def records_digest(ids: Sequence[str], scores: Sequence[float] | None) -> str:
    """Hash of a ranked list: its documents, their order and their scores."""
    content = json.dumps([list(ids), None if scores is None else [float(v) for v in scores]])
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def as_label(text: str) -> Label:
    """A label by name.

    Raises
    ------
    InputProblem
        When there is no such label.
    """
    if text not in CODES:
        raise InputProblem(f"There is no label '{text}'; choose one of {', '.join(CODES)}.")
    return cast(Label, text)
