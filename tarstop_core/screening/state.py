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
class Footing:
    """What a decision rested on when it was recorded; None or empty where a log of an earlier version does not say."""

    action: str = ""  # as the person called it
    advice: str = ""  # the headline
    advised: int | None = None  # the option that was advised on stopping
    depth: int | None = None  # documents read
    studies: int | None = None  # 2×2 tables
    belief: float | None = None
    recall: float | None = None  # probably reached, where nothing was weighed
    utility: float | None = None  # what the action was expected to bring
    spent: float | None = None  # what reading had cost
    reason: str = ""  # given by the person


@dataclass(frozen=True)
class RecordedDecision:
    """A recorded decision, with the advice that it was based on."""

    plus: bool
    time: str
    payload: Mapping[str, Any]
    outdated: bool = False  # whether a verdict, or the list of documents, was changed since
    by: str = ""  # the name given when it was recorded
    claimed: bool = False  # whether name and time come from a session file

    @property
    def option(self) -> int:
        """The option that was chosen."""
        return int(self.payload.get("option", self.plus))

    @property
    def footing(self) -> Footing:
        """What the log keeps of the decision."""
        names = {field.name for field in fields(Footing)}
        return Footing(**{name: value for name, value in self.payload.items() if name in names})


@dataclass(frozen=True, eq=False)
class State:
    """The state of a session after its log."""

    settings: Settings  # in force now
    labels: NDArray[np.int8]
    """UNSEEN or one of :data:`~tarstop_core.screening.labels.CODES`, in the order of reading. Shape (N,)."""
    confirmed: NDArray[np.int8]
    """For relevant documents PENDING or CONFIRMED; REJECTED for hits that turned out not to be hits. Shape (N,)."""
    seq: int = 0  # number of events so far
    reports: Mapping[int, Report] = field(default_factory=dict)
    """The outcomes of the reports read in full, by position in the list."""
    notes: Mapping[str, str] = field(default_factory=dict)  # by document
    reasons: tuple[str, ...] = ()  # reasons to exclude a document that the person defined, in their order
    # by position: the reason given with a verdict
    excluded_for: Mapping[int, str] = field(default_factory=dict)
    together: Mapping[int, int] = field(default_factory=dict)
    """By position: the other document, graded Y, together with which this one settles the question."""
    plan: Settings | None = None  # what was registered before the first label
    plan_records: str = ""  # hash of the records that the plan was registered for
    imported: bool = False  # whether the session came in a file
    deviations: tuple[Event, ...] = ()  # settings changed, with a reason, after a plan was registered
    stopped: bool = False
    advice_at_stop: str = ""  # headline of the advice when screening stopped, where the log has it
    decision: RecordedDecision | None = None
    former: RecordedDecision | None = None  # what had been decided before screening went on
    can_undo: bool = False  # whether there is a label, change or confirmation to undo
    last_time: str = ""  # of the last event
    spent: float = 0.0
    """Cost of the documents read, each at the cost in force at that time, in the payoffs' unit."""
    forecast_settings: tuple[tuple[int, Settings], ...] = ()
    """Settings that determined the forecasts, each with the number of documents read when they came into force."""
    touched: bool = False  # whether a document was ever labelled here, even if that was taken back
    kept: int = 0
    """How many documents came with their labels; they are the first of the list, in whatever order they were read."""
    kept_from: str = ""  # where those labels come from
    ranks: NDArray[np.int64] | None = None
    """Rank of each document by relevance, from 1 on, where documents that were kept, drawn at random, put first by a
    fit or read before others joined stand before others; else None. Shape (N,).
    """
    sequence: NDArray[np.intp] | None = None
    """Place in the list of each document in the order of reading, what was read first, where that is not the list's own;
    else None. What comes after those that the last fit named is in the list's order: later fits decide on it. Shape (N,).
    """
    reordered: bool = False
    """Whether labels, or documents that joined, left or came back, changed the order of reading."""
    aside: Mapping[str, Aside] = field(default_factory=dict)
    """By document: documents set aside unread; they are off the list and can be returned to it."""
    aside_read: Mapping[int, Aside] = field(default_factory=dict)
    """By position: documents set aside after they were read; they keep their verdict but do not count as evidence."""
    fit: Fit | None = None  # the last one that put documents in order
    put_back: Mapping[str, int | None] = field(default_factory=dict)
    """Documents whose label was undone, which come next in this order, each with the fit that had placed it."""
    drawn: NDArray[np.bool_] | None = None
    """Which places of the list are audit draws, shape (N,); None if there are no draws."""
    audit_every: int = 0  # how many documents to one audit draw
    joined: tuple[Mapping[str, Any], ...] = ()
    """The events that added documents later; these follow the documents of the stored list."""
    other_family_members: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By document: the other members of its patent family, which are not in the list."""
    overlooked: Overlooked | None = None
    """What several readers overlooked among the documents that all have judged; None with one reader, or before any is judged."""

    def joining(self, what: str) -> list[Any]:
        """Return the "docs", "positions" or "scores" of documents added later."""
        return [said for each in self.joined for said in each.get(what, ())]

    def ids_as_read(self, stored: Sequence[str]) -> Sequence[str]:
        """Documents in the order of reading, N of them, given those of the list as it was stored."""
        if self.sequence is None:
            return stored
        listed = (*stored, *self.joining("docs"))
        return tuple([listed[at] for at in self.sequence.tolist()])

    def scores_as_read(self, stored: Floats | None) -> Floats | None:
        """Their scores in that order, shape (N,); None where the list has none."""
        if stored is None or self.sequence is None:
            return stored
        return np.append(stored, self.joining("scores"))[self.sequence]

    @property
    def alike(self) -> dict[str, str]:
        """By document that was added later: another one that is perhaps the same."""
        return {doc: other for each in self.joined for doc, other in each.get("alike", {}).items()}

    @property
    def ranked(self) -> int | NDArray[np.int64]:
        """What chances by rank go by: how many documents there are, or the rank of each."""
        return len(self.labels) if self.ranks is None else self.ranks

    @property
    def depth(self) -> int:
        """Documents read: always the first of the list."""
        return int(np.count_nonzero(self.labels != verdicts.UNSEEN))

    @property
    def relevant(self) -> int:
        """Documents labelled relevant, confirmed or not."""
        return int(np.count_nonzero(self.labels == verdicts.RELEVANT))

    @property
    def unsure(self) -> NDArray[np.intp]:
        """Positions that wait to be settled."""
        return np.flatnonzero(self.labels == verdicts.UNSURE)

    @property
    def combination(self) -> NDArray[np.intp]:
        """Positions graded Y: they count in combination, and decide nothing by themselves."""
        return np.flatnonzero(self.labels == verdicts.COMBINATION)

    @property
    def background(self) -> NDArray[np.intp]:
        """Positions graded A."""
        return np.flatnonzero(self.labels == verdicts.BACKGROUND)

    @property
    def pending(self) -> NDArray[np.intp]:
        """Positions of hits that wait for confirmation."""
        if not self.settings.confirm_hits:
            return np.array([], dtype=np.intp)
        return np.flatnonzero((self.labels == verdicts.RELEVANT) & (self.confirmed == verdicts.PENDING))

    @property
    def hit(self) -> int | None:
        """Depth (1-based) of the first hit that counts; none where no document decides."""
        if not self.settings.one_decides:
            return None
        counts = self.labels == verdicts.RELEVANT
        if self.settings.confirm_hits:
            counts &= self.confirmed == verdicts.CONFIRMED
        return int(counts.argmax()) + 1 if counts.any() else None

    @property
    def settled_by(self) -> list[int]:
        """Positions of the documents that settle the question: the Y that a hit needs beside it, and the hit."""
        if self.hit is None:
            return []
        at = self.hit - 1
        return [self.together[at], at] if at in self.together else [at]

    @property
    def in_question(self) -> list[int]:
        """Positions of the documents that settle the question, else of those that may, once they are confirmed."""
        return self.settled_by or self.pending.tolist()

    @property
    def silent(self) -> NDArray[np.bool_]:
        """Documents read without a verdict that counts: belief does not move there."""
        silent = np.asarray(self.labels == verdicts.UNSURE)
        silent[[*self.pending, *self.aside_read]] = True
        return silent

    @property
    def counts(self) -> NDArray[np.bool_]:
        """Flags of the documents that count as evidence, read or not, shape (N,)."""
        counts = np.ones(len(self.labels), dtype=bool)
        counts[[*self.aside_read]] = False
        return counts

    @property
    def judged(self) -> NDArray[np.bool_]:
        """Where it is known whether a document is what its chance is a chance of, shape (N,)."""
        judged = np.asarray((self.labels != verdicts.UNSEEN) & (self.labels != verdicts.UNSURE))
        judged[[*self.pending, *self.aside_read]] = False
        if self._chance_of_data:
            judged[self.waiting] = False
        return judged

    @property
    def came_true(self) -> NDArray[np.bool_]:
        """Where it is that: relevant, included or, in a review in one stage, with a 2×2 table, shape (N,)."""
        if not self._chance_of_data:
            return np.asarray((self.labels == verdicts.RELEVANT) & self.judged)
        with_data = np.zeros(len(self.labels), dtype=bool)
        with_data[self.evidence.positions] = True
        return with_data

    @property
    def _chance_of_data(self) -> bool:
        return self.settings.reads_full_texts and not self.settings.two_stages

    @cached_property
    def read_in_full(self) -> dict[int, Report]:
        """Reports of documents that are still included, in the order of the list."""
        standing = sorted(at for at in self.reports if self.labels[at] == verdicts.RELEVANT)
        read = {at: self.reports[at] for at in standing if self.reports[at].outcome != "waiting"}
        return {at: report for at, report in read.items() if self.settings.counts(report)}

    @property
    def waiting(self) -> NDArray[np.intp]:
        """Positions of included reports that nothing has been recorded of yet."""
        included = np.flatnonzero(self.labels == verdicts.RELEVANT)
        return np.asarray([at for at in included if int(at) not in self.read_in_full], dtype=np.intp)

    @cached_property
    def evidence(self) -> Collected:
        """The 2×2 tables that count, in the order of the list."""
        return collect(self.read_in_full)
