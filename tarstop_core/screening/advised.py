"""The advice at one depth, as :mod:`tarstop_core.screening.advice` computes it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from tarstop_core.readers.overlooked import Overlooked
from tarstop_core.samples.shipped import WrongStops
from tarstop_core.value.payoffs import PLUS

Headline = Literal["continue", "stop", "found", "confirm", "prior alone", "all read", "reports"]
SETTLED: tuple[Headline, ...] = ("found", "confirm", "all read")
"""Headlines of advice that does not compare worth and cost of reading on."""
COULD_CHANGE = 0.01
"""Least chance at which waiting reports count as able to change the decision."""
LITTLE, LITTLE_STUDIES = 5, 3
"""The advice rests on little with fewer documents read than this or, in a review, fewer studies."""


class Floor(Enum):
    """A condition set by the person, without which no rule may stop."""

    RIGHT = "a chance of the right decision"
    STUDIES = "a number of studies"


@dataclass(frozen=True)
class Outlook:
    """The belief at a depth, and the worth of the next document; amounts are in the payoffs' unit."""

    b: float  # belief on stopping at this depth
    rho: float  # chance that the next document is a hit, or brings data; 0 if none is left or the question is settled
    evpi: float  # expected value of perfect information; 0 if the question is settled
    score: float | None  # the paper's score of the next document; None if none is left


@dataclass(frozen=True)
class Assumption:
    """Assumptions to vary: factors on those of the session, and another starting chance."""

    chance_factor: float = 1.0  # multiplies the chance of every document
    cost_factor: float = 1.0  # multiplies all costs of reading
    b_0: float | None = None  # another starting chance; None for that of the session


@dataclass(frozen=True)
class Variation:
    """The advice under one changed assumption."""

    assumption: Assumption
    go_on: bool
    more: int  # documents that would still be read if nothing more is found
    option: int  # option taken on stopping now
    finds: bool = False  # whether a further find is almost sure before that many are read
    reports: int = 0  # waiting reports that would be read first, because they pay


MOST_LEFT, FEW = 4, 5
"""The number of unread relevant documents is open if it may exceed MOST_LEFT times those found, or FEW if that is more."""


def is_open(high: float, relevant: int) -> bool:
    """Whether more than four in five relevant documents may be unread, so that an interval for their number says nothing.

    `high` is the upper end of that interval, and `relevant` the number of relevant documents found.
    """
    return high > MOST_LEFT * max(relevant, FEW)


@dataclass(frozen=True, kw_only=True)
class ListFacts:
    """Facts about the relevant documents of a list, shown beside the advice."""

    left: tuple[float, float, float]
    """Unread relevant documents: expected number, and an interval of 90 %."""
    relevant: int  # documents found so far of the kind that `left` counts
    overlooked: Overlooked | None = None
    """What several readers overlooked among the documents that all have judged; None with one reader."""

    @property
    def is_audited(self) -> bool:
        """Whether audit draws estimate what several readers overlooked; only then is it counted."""
        return self.overlooked is not None and self.overlooked.is_audited

    @property
    def not_found(self) -> tuple[float, float, float]:
        """Relevant documents that are unread or, if that is estimated, overlooked: expected number, and an interval."""
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
        """Share of the relevant documents that was found, and an interval of 90 %."""
        mean, low, high = (
            self.relevant / (self.relevant + missing) if self.relevant + missing else 1.0
            for missing in self.not_found
        )
        return mean, high, low

    def falls_short(self, target: float) -> bool:
        """Whether recall is probably below a target because of what all readers overlooked."""
        return self.is_audited and self.recall[0] < target


@dataclass(frozen=True)
class RecallFacts(ListFacts):
    """Facts beside the advice if no decision is weighed."""

    most: int | None = None
    """Upper bound on the relevant documents of the list, with the confidence of the settings; None without audit draws."""

    @property
    def sure(self) -> float | None:
        """Lower bound on recall with that confidence, 1 if nothing can be relevant; None without audit draws."""
        if self.most is None:
            return None
        return self.relevant / self.most if self.most else 1.0

    @property
    def sure_percent(self) -> int:
        """`sure` in whole per cent, rounded down so that it remains a lower bound."""
        return 100 * self.relevant // self.most if self.most else 100


@dataclass(frozen=True)
class ReviewFacts(ListFacts):
    """Facts beside the advice in a review whose studies add up; some fields are for diagnostic accuracy only."""

    studies: int  # studies that count
    waiting: int  # included reports that were not read in full yet
    reports_worth: float
    """Worth of reading in full the waiting reports that pay, or all if none pays, in the payoffs' unit."""
    reports_cost: float  # cost of reading these reports, in the payoffs' unit
    reports_to_read: int  # how many of the waiting reports pay
    reports_may_change: float
    """Chance that the waiting reports would lead to the other action if all of them brought data."""
    otherwise: float
    """Chance that all unread reports and documents would lead to the other action, calibrated on past reviews."""
    disagreement: float
    """Chance that the action on stopping now is wrong, judged by the truth that the settings name."""
    plan: int
    """Number of documents of the best plan, as in "Screen about m more"; 0 if no plan gains."""
    share: tuple[float, float, float]
    """Chance that an included report brings data: mean, and an interval of 90 %."""
    needed: int = 0  # further studies before a⁺ may be taken, if the settings require a least number
    past: WrongStops | None = None  # how often past reviews that stopped after as many studies were wrong
    pooled_range: tuple[float, float] | None = None
    """Interval of 90 % for the pooled sensitivity after all unread studies; None before the first study."""
    otherwise_in_all: float | None = None
    """As `otherwise`, with what all readers overlooked; None unless audit draws estimate that."""
    range_held: tuple[int, int] = (0, 0)  # past stops in which such an interval held, and all past stops

    @property
    def reports_first(self) -> bool:
        """Whether reading waiting reports pays."""
        return self.reports_to_read > 0

    @property
    def reports_open(self) -> bool:
        """Whether waiting reports pay, or could at least change the decision."""
        return self.waiting > 0 and (self.reports_first or self.reports_may_change > COULD_CHANGE)


@dataclass(frozen=True)
class EffectFacts(ReviewFacts):
    """Facts beside the advice in a review of an intervention; estimates are in the unit of the measure."""

    estimate: tuple[float, float, float] | None = None
    """Average effect, and an interval of 95 %; None before the first study."""
    new_setting: float = 0.5  # chance that the effect in a new setting is beyond the smallest that matters
    settings_beyond: tuple[float, float, float] = (0.5, 0.0, 1.0)
    """Share of settings in which the effect is beyond that: median, and an interval of 90 %."""
    may_end: tuple[float, float] | None = None
    """Interval of 90 % for the average effect after all unread studies; None before the first study."""


@dataclass(frozen=True)
class Advice:
    """The advice at one depth."""

    headline: Headline
    go_on: bool  # whether to read on: another document, or waiting reports
    depth: int  # documents read
    documents: int  # documents in the list
    b: float  # belief now
    rho: float  # chance that the next document is a hit
    evpi: float  # EVPI now, in the payoffs' unit
    score: float | None
    worth: float | None
    """`score` and `worth`: the paper's score of the next document, and the value that the chosen rule compares with the
    cost, in the payoffs' unit. `score` is None if no document is left; `worth` also if the rule compares nothing.
    """
    cost: float  # per document, in the payoffs' unit
    more: int  # documents that would still be read if nothing more is found
    option: int
    """The option taken on stopping now: :data:`~tarstop_core.value.payoffs.PLUS`, ``MINUS`` or a further one."""
    utility: float
    """Expected utility of that option, without the cost of screening, in the payoffs' unit."""
    gain: float = 0.0
    """Expected gain of going on as advised over stopping now, in the payoffs' unit; below 0 if the rule or a floor goes
    on although a plan of that length does not pay.
    """
    plan_pays: bool = False  # whether some plan to read on gains
    next_find: tuple[int, int] | None = None
    """If studies add up and following the advice will almost surely bring one: within how many documents that is more
    likely than not, and within how many it is almost sure; otherwise None.
    """
    variations: tuple[Variation, ...] = ()  # the advice under other assumptions
    if_fails: Advice | None = None  # while a hit waits for confirmation: the advice if it is rejected
    held_by: Floor | None = None  # the floor that alone keeps the rule from stopping
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
        """Number of waiting reports that are to be read first, because they pay."""
        return self.facts.reports_to_read if isinstance(self.facts, ReviewFacts) else 0

    @property
    def says_stop(self) -> bool:
        """Whether the advice is to stop and decide; not while a hit waits for confirmation."""
        return not self.go_on and self.headline != "confirm"

    @property
    def settled(self) -> bool:
        """Whether the headline does not come from a comparison of worth and cost."""
        return self.headline in SETTLED

    @property
    def right(self) -> float:
        """Chance that the action on stopping now is right; in a review, judged by the truth that the settings name."""
        if isinstance(self.facts, ReviewFacts):
            return 1 - self.facts.disagreement
        return self.b if self.option == PLUS else 1 - self.b

    @property
    def rests_on_little(self) -> bool:
        """Whether the advice rests on few documents read or, in a review, few studies."""
        if isinstance(self.facts, ReviewFacts):
            return self.facts.studies < LITTLE_STUDIES
        return self.depth < LITTLE

    @property
    def contrary(self) -> tuple[Variation, ...]:
        """The variations in which the advice would be different, apart from those of the cost.

        They do not change the headline: the rule alone decides it, so that a number of documents once named stays valid.
        """
        return tuple(
            other
            for other in self.variations
            if other.assumption.cost_factor == 1
            and (other.go_on != self.go_on or (not self.go_on and other.option != self.option))
        )

    @property
    def at_other_costs(self) -> tuple[Variation, ...]:
        """The variations in which reading costs a tenth, and ten times as much; none if it costs nothing."""
        return tuple(other for other in self.variations if other.assumption.cost_factor != 1)
