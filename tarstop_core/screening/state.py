"""The state of a session after its log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.documents.reports import Collected, Report, collect
from tarstop_core.readers.overlooked import Overlooked
from tarstop_core.screening import labels as verdicts
from tarstop_core.screening.log import Aside, Event, Fit
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Floats


@dataclass(frozen=True)
class DecisionBasis:
    """What a decision rested on when it was recorded; None or empty if a log of an earlier version does not say."""

    action: str = ""  # name of the option chosen
    advice: str = ""  # headline of the advice
    advised: int | None = None  # option that was advised on stopping
    depth: int | None = None  # documents read
    studies: int | None = None  # studies that counted
    belief: float | None = None
    recall: float | None = None  # recall probably reached, if no decision was weighed
    utility: float | None = None  # expected utility of the option chosen
    spent: float | None = None  # cost of reading until then
    reason: str = ""  # reason that the person gave


@dataclass(frozen=True)
class RecordedDecision:
    """A recorded decision, with the advice that it was based on."""

    plus: bool  # whether a⁺ was chosen
    time: str
    payload: Mapping[str, Any]  # of the event
    outdated: bool = False  # whether a verdict or the list was changed since
    by: str = ""  # name of the person who recorded it
    claimed: bool = False  # whether name and time are claims of a session file

    @property
    def option(self) -> int:
        """The option that was chosen."""
        return int(self.payload.get("option", self.plus))

    @property
    def basis(self) -> DecisionBasis:
        """What the decision rested on, as far as the log says it."""
        names = {field.name for field in fields(DecisionBasis)}
        return DecisionBasis(**{name: value for name, value in self.payload.items() if name in names})


@dataclass(frozen=True, eq=False)
class State:
    """The state of a session after its log."""

    settings: Settings  # those in force
    labels: NDArray[np.int8]
    """Label of each document in the order of reading: UNSEEN, or one of :data:`~tarstop_core.screening.labels.CODES`. Shape (N,)."""
    confirmed: NDArray[np.int8]
    """PENDING or CONFIRMED for relevant documents, REJECTED for hits that were not confirmed. Shape (N,)."""
    seq: int = 0  # number of the last event
    reports: Mapping[int, Report] = field(default_factory=dict)
    """Outcomes of reports, by position."""
    notes: Mapping[str, str] = field(default_factory=dict)  # by document
    reasons: tuple[str, ...] = ()  # reasons to exclude a document that the person defined, in their order
    excluded_for: Mapping[int, str] = field(default_factory=dict)  # reason given with a verdict, by position
    together: Mapping[int, int] = field(default_factory=dict)
    """By position: position of the other document, graded Y, with which this one settles the question."""
    plan: Settings | None = None  # settings that were registered before the first label
    plan_records: str = ""  # hash of the records that the plan was registered for
    imported: bool = False  # whether the session came in a file
    deviations: tuple[Event, ...] = ()  # changes of settings after a plan was registered
    stopped: bool = False
    advice_at_stop: str = ""  # headline of the advice when screening stopped, if the log has it
    decision: RecordedDecision | None = None  # the one in force
    former: RecordedDecision | None = None  # the last one before screening went on
    can_undo: bool = False  # whether there is an event to undo
    last_time: str = ""  # time of the last event
    spent: float = 0.0
    """Cost of the documents read, each at the cost in force at that time, in the payoffs' unit."""
    forecast_settings: tuple[tuple[int, Settings], ...] = ()
    """Settings that determine the forecasts of labels, each with the number of documents read when they came into force."""
    touched: bool = False  # whether a document was ever labelled here, even if that was undone
    kept: int = 0
    """Number of documents that came with labels; they have the first positions."""
    kept_from: str = ""  # where these labels come from
    ranks: NDArray[np.int64] | None = None
    """Rank of each document in the list, from 1 on, shape (N,). None if ranks follow from positions, because no documents
    were kept, drawn at random, put first by a fit, or read before others joined.
    """
    sequence: NDArray[np.intp] | None = None
    """Place of each document in the stored list, in the order of reading, shape (N,); None if that is the list's own order.
    Documents after those that the last fit named are in the order of the list; later fits will change that.
    """
    reordered: bool = False
    """Whether labels, or documents that joined, left or came back, changed the order of reading."""
    aside: Mapping[str, Aside] = field(default_factory=dict)
    """Documents set aside unread, by id; they are off the list and can be returned to it."""
    aside_read: Mapping[int, Aside] = field(default_factory=dict)
    """Documents set aside after they were read, by position; they keep their label but do not count as evidence."""
    fit: Fit | None = None  # payload of the last fit
    put_back: Mapping[str, int | None] = field(default_factory=dict)
    """Documents whose label was undone, in the order in which they come next, each with the number of the fit that placed it."""
    drawn: NDArray[np.bool_] | None = None
    """Which positions are audit draws, shape (N,); None if there are no draws."""
    audit_every: int = 0  # number of documents to one audit draw
    joined: tuple[Mapping[str, Any], ...] = ()
    """Payloads of the events that added documents later; in places, these follow the documents of the stored list."""
    other_family_members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Other members of the patent family of a document, which are not on the list, by document."""
    overlooked: Overlooked | None = None
    """What several readers overlooked among the documents that all have judged; None with one reader, or if there are none."""

    def joining(self, what: str) -> list[Any]:
        """The "docs", "positions" or "scores" of all documents added later."""
        return [value for content in self.joined for value in content.get(what, ())]

    def ids_as_read(self, stored: Sequence[str]) -> Sequence[str]:
        """Ids in the order of reading, N of them, given those of the list as it was stored."""
        if self.sequence is None:
            return stored
        ids = (*stored, *self.joining("docs"))
        return tuple([ids[place] for place in self.sequence.tolist()])

    def scores_as_read(self, stored: Floats | None) -> Floats | None:
        """Scores in the order of reading, shape (N,), given those of the list as it was stored; None if it has none."""
        if stored is None or self.sequence is None:
            return stored
        return np.append(stored, self.joining("scores"))[self.sequence]

    @property
    def alike(self) -> dict[str, str]:
        """Another document that is perhaps the same, by document that was added later."""
        return {doc: other for content in self.joined for doc, other in content.get("alike", {}).items()}

    @property
    def ranked(self) -> int | NDArray[np.int64]:
        """The rank of each document, shape (N,), or N if ranks follow from positions; for chances that go by rank."""
        return len(self.labels) if self.ranks is None else self.ranks

    @cached_property
    def depth(self) -> int:
        """Number of documents read; they have the first positions."""
        return int(np.count_nonzero(self.labels != verdicts.UNSEEN))

    @property
    def relevant(self) -> int:
        """Number of documents labelled relevant, confirmed or not."""
        return int(np.count_nonzero(self.labels == verdicts.RELEVANT))

    @cached_property
    def unsure(self) -> NDArray[np.intp]:
        """Positions of documents labelled unsure."""
        return np.flatnonzero(self.labels == verdicts.UNSURE)

    @cached_property
    def combination(self) -> NDArray[np.intp]:
        """Positions of documents graded Y, which settle the question only together with another one."""
        return np.flatnonzero(self.labels == verdicts.COMBINATION)

    @cached_property
    def background(self) -> NDArray[np.intp]:
        """Positions of documents graded A."""
        return np.flatnonzero(self.labels == verdicts.BACKGROUND)

    @cached_property
    def pending(self) -> NDArray[np.intp]:
        """Positions of hits that wait for confirmation."""
        if not self.settings.confirm_hits:
            return np.array([], dtype=np.intp)
        return np.flatnonzero((self.labels == verdicts.RELEVANT) & (self.confirmed == verdicts.PENDING))

    @cached_property
    def hit(self) -> int | None:
        """Number of documents read up to the first hit that counts, itself included; None without such a hit."""
        if not self.settings.one_decides:
            return None
        counts = self.labels == verdicts.RELEVANT
        if self.settings.confirm_hits:
            counts &= self.confirmed == verdicts.CONFIRMED
        return int(counts.argmax()) + 1 if counts.any() else None

    @property
    def settled_by(self) -> list[int]:
        """Positions of the documents that settle the question: the hit, after the one that it needs beside it, if any."""
        if self.hit is None:
            return []
        at = self.hit - 1
        return [self.together[at], at] if at in self.together else [at]

    @property
    def in_question(self) -> list[int]:
        """Positions of the documents that settle the question or, if none does, of those that may once they are confirmed."""
        return self.settled_by or self.pending.tolist()

    @cached_property
    def uninformative(self) -> NDArray[np.bool_]:
        """Flags of documents read without a verdict that counts, which do not move the belief; shape (N,)."""
        uninformative = np.asarray(self.labels == verdicts.UNSURE)
        uninformative[[*self.pending, *self.aside_read]] = True
        return uninformative

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Flags of the documents that count as evidence, read or not, shape (N,)."""
        counts = np.ones(len(self.labels), dtype=bool)
        counts[[*self.aside_read]] = False
        return counts

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Flags of documents of which it is known whether they are what their chance is a chance of; shape (N,)."""
        judged = np.asarray((self.labels != verdicts.UNSEEN) & (self.labels != verdicts.UNSURE))
        judged[[*self.pending, *self.aside_read]] = False
        if self._chance_of_data:
            judged[self.waiting] = False
        return judged

    @property
    def came_true(self) -> NDArray[np.bool_]:
        """Flags of documents that are what their chance is a chance of; shape (N,).

        That is relevant, included by title and abstract or, in a review in one stage, with data.
        """
        if not self._chance_of_data:
            return np.asarray((self.labels == verdicts.RELEVANT) & self.judged)
        with_data = np.zeros(len(self.labels), dtype=bool)
        with_data[self.evidence.positions] = True
        return with_data

    @property
    def _chance_of_data(self) -> bool:
        """Whether chances are those of bringing data, as in reviews in one stage."""
        return self.settings.reads_full_texts and not self.settings.two_stages

    @cached_property
    def read_in_full(self) -> dict[int, Report]:
        """Reports of documents that are still included, whose data answer the question, by position in ascending order."""
        included = sorted(at for at in self.reports if self.labels[at] == verdicts.RELEVANT)
        read = {at: self.reports[at] for at in included if self.reports[at].outcome != "waiting"}
        return {at: report for at, report in read.items() if self.settings.counts(report)}

    @property
    def waiting(self) -> NDArray[np.intp]:
        """Positions of included reports without an outcome that counts."""
        included = np.flatnonzero(self.labels == verdicts.RELEVANT)
        return np.asarray([at for at in included if int(at) not in self.read_in_full], dtype=np.intp)

    @cached_property
    def evidence(self) -> Collected:
        """The studies that count, in the order of reading."""
        return collect(self.read_in_full)
