"""The result of asking for advice at one depth; :mod:`tarstop_core.screening.advice` computes it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from tarstop_core.readers.overlooked import Overlooked
from tarstop_core.samples.shipped import WrongStops
from tarstop_core.value.payoffs import PLUS

Headline = Literal["continue", "stop", "found", "confirm", "prior alone", "all read", "reports"]
SETTLED: tuple[Headline, ...] = ("found", "confirm", "all read")
"""Headlines under which reading on is not weighed."""
COULD_CHANGE = 0.01
"""Least chance at which waiting reports count as able to change the decision."""
LITTLE, LITTLE_STUDIES = 5, 3
"""Fewer documents or, in a review, studies than this, and a stop says that it rests on little."""


class Floor(Enum):
    """A condition that a person sets before any rule may stop."""

    RIGHT = "a chance of the right decision"
    STUDIES = "a number of studies"


@dataclass(frozen=True)
class Outlook:
    """The belief at a depth, and the worth of the next document there, in the payoffs' unit."""

    b: float  # belief on stopping there
    rho: float  # chance that the next document is a hit (brings data); 0 where none is left or the question is settled
    evpi: float  # what certainty would be worth; 0 where the question is settled
    score: float | None  # the paper's score of the next document; None where none is left


@dataclass(frozen=True)
class Assumption:
    """An assumption that replaces one of the session."""

    chance_factor: float = 1.0  # multiplies the chance of every document
    cost_factor: float = 1.0  # multiplies all costs of reading
    b_0: float | None = None  # the starting chance; None for the session's


@dataclass(frozen=True)
class Variation:
    """The advice under one changed assumption."""

    assumption: Assumption
    go_on: bool
    more: int  # documents that would still be read if nothing turned up
    option: int  # that is taken on stopping now
    finds: bool = False  # Whether a further find is almost sure before that many are read
    reports: int = 0  # Waiting reports that would be read first, because they pay


MOST_LEFT, FEW = 4, 5
"""If more than MOST_LEFT times the documents found may be unread, their number is called open; at least FEW count as found."""


def is_open(high: float, relevant: int) -> bool:
    """Whether more than four in five relevant documents may be unread, so that the interval of their number says nothing.

    `high` is its upper end, and `relevant` the number found.
    """
    return high > MOST_LEFT * max(relevant, FEW)


@dataclass(frozen=True, kw_only=True)
class ListFacts:
    """Facts beside the advice about the relevant documents of a list."""

    left: tuple[float, float, float]
    """Relevant documents probably still unread: expected number, and an interval of 90 %."""
    relevant: int  # Documents found so far, of those that `left` counts
    overlooked: Overlooked | None = None
    """What several readers overlooked among the documents that they have read; None with one reader."""

    @property
    def is_audited(self) -> bool:
        """Whether random draws estimate what several readers overlooked, so that it is counted."""
        return self.overlooked is not None and self.overlooked.is_audited

    @property
    def not_found(self) -> tuple[float, float, float]:
        """Relevant documents that are unread or, if that is counted, overlooked: expected number, and an interval."""
        if self.overlooked is None or self.overlooked.remaining_estimate is None:
            return self.left
        mean, (low, high) = self.overlooked.remaining_estimate, self.overlooked.remaining
        return self.left[0] + mean, self.left[1] + low, self.left[2] + high

    @property
    def left_is_open(self) -> bool:
        """Whether the number of relevant documents not found is open (:func:`is_open`)."""
        return is_open(self.not_found[2], self.relevant)

    @property
    def none_left(self) -> bool:
        """Whether the interval of `left` ends below half a document."""
        return self.left[2] < 0.5

    @property
    def recall(self) -> tuple[float, float, float]:
        """Share of the relevant documents found so far, from the expected number not found, and an interval of 90 %."""
        mean, low, high = (
            self.relevant / (self.relevant + missing) if self.relevant + missing else 1.0
            for missing in self.not_found
        )
        return mean, high, low

    def falls_short(self, target: float) -> bool:
        """Whether a target recall is probably missed because of what all readers overlooked."""
        return self.is_audited and self.recall[0] < target


@dataclass(frozen=True)
class RecallFacts(ListFacts):
    """Facts beside the advice when no decision is weighed."""

    most: int | None = None
    """The most relevant documents that the list can hold, with the confidence of the settings; None without documents drawn at random."""

    @property
    def sure(self) -> float | None:
        """Recall that is reached at least, with that confidence; 1 where nothing can be relevant."""
        if self.most is None:
            return None
        return self.relevant / self.most if self.most else 1.0

    @property
    def sure_percent(self) -> int:
        """`sure` in whole per cent, rounded down so that the promise holds."""
        return 100 * self.relevant // self.most if self.most else 100


@dataclass(frozen=True)
class ReviewFacts(ListFacts):
    """What every advice of a review of accuracy shows besides worth and cost."""

    studies: int  # 2×2 tables that count
    waiting: int  # included reports that were not read in full yet
    reports_worth: float
    """Worth of reading waiting reports in full, in the payoffs' unit: of those that pay, or of all if none pays."""
    reports_cost: float  # cost of reading these, in the payoffs' unit
    reports_to_read: int  # how many of the waiting reports pay
    reports_may_change: float
    """Chance that the waiting reports, all bringing data, would lead to the other action."""
    otherwise: float
    """Chance that everything unread, reports and list, would lead to the other action, calibrated on past reviews."""
    disagreement: float
    """Chance that the action on stopping now is wrong by the truth that the session chose."""
    plan: int
    """The length of the best plan, as in "Screen about m more"; 0 if no plan gains."""
    share: tuple[float, float, float]
    """P(data | included): mean, and an interval of 90 %."""
    diseased: int = 0  # patients with the disease in the tables that count
    needed: int = 0  # further studies before a⁺ may be taken, if the settings ask for a least number
    past: WrongStops | None = None  # how often past reviews that stopped on as many studies were wrong
    pooled_range: tuple[float, float] | None = None
    """Interval of 90 % for the pooled sensitivity given all studies; None before the first study."""
    otherwise_in_all: float | None = None
    """As `otherwise`, including what all readers overlooked; None unless random draws estimate that."""
    range_held: tuple[int, int] = (0, 0)  # Past stops in which such a range held, and all of them

    @property
    def reports_first(self) -> bool:
        """Whether reading waiting reports pays."""
        return self.reports_to_read > 0

    @property
    def reports_open(self) -> bool:
        """Whether waiting reports pay, or could change the decision although they cost more than they are worth."""
        return self.waiting > 0 and (self.reports_first or self.reports_may_change > COULD_CHANGE)


@dataclass(frozen=True)
class EffectFacts(ReviewFacts):
    """What every advice of a review of an intervention shows besides; estimates are in the unit of the measure."""

    estimate: tuple[float, float, float] | None = None
    """The average effect with an interval of 95 %; None before the first study."""
    new_setting: float = 0.5  # Chance that the effect in a new setting is beyond the smallest that matters
    settings_beyond: tuple[float, float, float] = (0.5, 0.0, 1.0)
    """Share of settings in which it is: median, and an interval of 90 %."""
    may_end: tuple[float, float] | None = None
    """Interval of 90 % for the average effect given all studies; None before the first study."""


@dataclass(frozen=True)
class Advice:
    """The advice at one depth."""

    headline: Headline
    go_on: bool  # Whether the chosen rule reads another document
    depth: int
    documents: int
    """Documents read, and in the list."""
    b: float  # belief now
    rho: float  # chance that the next document is a hit
    evpi: float  # EVPI now, in the payoffs' unit
    score: float | None
    worth: float | None
    """`score` and `worth`: the paper's score of the next document, and the figure that the chosen rule compares with
    the cost; in the payoffs' unit. None if the rule compares nothing or nothing is left.
    """
    cost: float  # per document, in the payoffs' unit
    more: int  # documents that would still be read if nothing turned up
    option: int
    """The option taken on stopping now: :data:`~tarstop_core.value.payoffs.PLUS`, ``MINUS`` or a further one."""
    utility: float
    """Expected utility of that option, in the payoffs' unit, without the screening cost."""
    gain: float = 0.0
    """Expected gain of going on as advised over stopping now, in the payoffs' unit; below 0 if the rule or a floor
    goes on although no plan as long as that pays.
    """
    plan_pays: bool = False  # Whether some plan to read on gains
    next_find: tuple[int, int] | None = None
    """If finds add up and following the advice will almost surely bring one: documents within which it is more likely than not,
    and almost sure; otherwise None.
    """
    variations: tuple[Variation, ...] = ()  # the advice under other assumptions
    if_fails: Advice | None = None  # while a hit waits for confirmation: the advice if it is rejected
    held_by: Floor | None = None  # The floor that alone keeps the rule from stopping
    facts: ReviewFacts | RecallFacts | None = None  # what the advice shows besides worth and cost

    @property
    def plus(self) -> bool:
        """Whether a⁺ is taken on stopping now."""
        return self.option == PLUS

    @property
    def finds(self) -> bool:
        """Whether a further find is almost sure before the rule stops."""
        return self.next_find is not None

    @property
    def reports(self) -> int:
        """Waiting reports that are read first, because they pay."""
        return self.facts.reports_to_read if isinstance(self.facts, ReviewFacts) else 0

    @property
    def says_stop(self) -> bool:
        """Whether the advice is to stop and decide; not while a hit waits for confirmation."""
        return not self.go_on and self.headline != "confirm"

    @property
    def settled(self) -> bool:
        """Whether the headline says more than a comparison of worth and cost."""
        return self.headline in SETTLED

    @property
    def right(self) -> float:
        """The chance that the action on stopping now is right; in a review, by the truth that the session chose."""
        if isinstance(self.facts, ReviewFacts):
            return 1 - self.facts.disagreement
        return self.b if self.option == PLUS else 1 - self.b

    @property
    def rests_on_little(self) -> bool:
        """Whether few documents, or in a review few studies, were read."""
        if isinstance(self.facts, ReviewFacts):
            return self.facts.studies < LITTLE_STUDIES
        return self.depth < LITTLE

    @property
    def contrary(self) -> tuple[Variation, ...]:
        """Assumptions under which the advice would be different.

        They do not change the headline, which the rule alone decides, so that a number of documents that was named once
        stays valid.
        """
        return tuple(
            other
            for other in self.variations
            if other.assumption.cost_factor == 1
            and (other.go_on != self.go_on or (not self.go_on and other.option != self.option))
        )

    @property
    def at_other_costs(self) -> tuple[Variation, ...]:
        """The advice if reading cost a tenth, and if it cost ten times as much; empty if it costs nothing."""
        return tuple(other for other in self.variations if other.assumption.cost_factor != 1)
