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
"""Headlines under which the rest of the list is not compared with anything."""
COULD_CHANGE = 0.01
"""Chance from which waiting reports count as able to change the decision."""
LITTLE, LITTLE_STUDIES = 5, 3
"""Documents, and in a review studies, below which a stop says that it rests on little."""


class Floor(Enum):
    """What a person asks for before a rule may stop."""

    RIGHT = "a chance of the right decision"
    STUDIES = "a number of studies"


@dataclass(frozen=True)
class Outlook:
    """What is believed at a depth, and what the next document is worth there, in the payoffs' unit."""

    b: float  # belief on stopping there
    rho: float  # chance that the next document is a hit (brings data); 0 where none is left or the question is settled
    evpi: float  # what certainty would be worth; 0 where the question is settled
    score: float | None  # the paper's score of the next document; None where none is left


@dataclass(frozen=True)
class Assumption:
    """One assumption that is tried instead of the session's own."""

    chance_factor: float = 1.0  # by which every document's chance is multiplied
    cost_factor: float = 1.0  # by which all costs of reading are multiplied
    b_0: float | None = None  # the starting chance; None: the session's own


@dataclass(frozen=True)
class Variation:
    """The advice under one changed assumption."""

    assumption: Assumption
    go_on: bool
    more: int  # documents that would still be read if nothing turned up
    option: int  # that is taken on stopping now
    finds: bool = False  # Whether a further find is all but sure before that many are read
    reports: int = 0  # Waiting reports that would be read first, because they pay


MOST_LEFT, FEW = 4, 5
"""Times the documents found that may be left before their number is called open, and documents that count as found at least."""


def is_open(high: float, relevant: int) -> bool:
    """Whether more than four in five relevant documents may be unread, so that the interval of their number tells nobody anything.

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
    """What several readers overlooked among the documents that they have read; None where there is one reader."""

    @property
    def is_audited(self) -> bool:
        """Whether random draws say something of what several readers overlooked, so that it is counted."""
        return self.overlooked is not None and self.overlooked.is_audited

    @property
    def not_found(self) -> tuple[float, float, float]:
        """Relevant documents that are unread, or overlooked where that is counted: expected number, and an interval."""
        if self.overlooked is None or self.overlooked.remaining_estimate is None:
            return self.left
        mean, (low, high) = self.overlooked.remaining_estimate, self.overlooked.remaining
        return self.left[0] + mean, self.left[1] + low, self.left[2] + high

    @property
    def left_is_open(self) -> bool:
        """As :func:`is_open`, of the interval of what is not found."""
        return is_open(self.not_found[2], self.relevant)

    @property
    def none_left(self) -> bool:
        """Whether the interval of `left` ends below half a document."""
        return self.left[2] < 0.5

    @property
    def recall(self) -> tuple[float, float, float]:
        """Share of the relevant documents found so far: by the expected number that are not, and an interval of 90 %."""
        mean, low, high = (
            self.relevant / (self.relevant + missing) if self.relevant + missing else 1.0
            for missing in self.not_found
        )
        return mean, high, low

    def falls_short(self, target: float) -> bool:
        """Whether a recall is probably not reached because of what all readers overlooked."""
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
        """`sure` in whole per cent, rounded down: what is promised has to be kept."""
        return 100 * self.relevant // self.most if self.most else 100


@dataclass(frozen=True)
class ReviewFacts(ListFacts):
    """Facts beside every advice of a review of accuracy."""

    studies: int  # 2×2 tables that count
    waiting: int  # included reports that were not read in full yet
    reports_worth: float
    """What reading waiting reports in full is worth, in the payoffs' unit: those that pay, or all where none pays."""
    reports_cost: float  # of reading these, in the payoffs' unit
    reports_to_read: int  # how many of the waiting reports pay
    reports_may_change: float
    """Chance that the waiting reports, all bringing data, would lead to the other action."""
    otherwise: float
    """Chance that what is left, waiting reports and list, would lead to the other action, as often as in past reviews."""
    disagreement: float
    """Chance that the action on stopping now is not that of the truth the session is compared with."""
    plan: int
    """The m of "Screen about m more": the best plan; 0 where none gains."""
    share: tuple[float, float, float]
    """P(data | included): mean, and an interval of 90 %."""
    diseased: int = 0  # patients with the disease in the tables that count
    needed: int = 0  # further studies before a⁺ may be taken, as settings ask for a least number
    past: WrongStops | None = None  # what became of stopping on as many studies in past reviews
    pooled_range: tuple[float, float] | None = None
    """Where pooled sensitivity by all studies will be with a chance of 90 %; None before the first study."""
    otherwise_in_all: float | None = None
    """As `otherwise`, of what is left and what all readers overlooked; None unless random draws say something of the latter."""
    range_held: tuple[int, int] = (0, 0)  # In how many past stops such a range held, of how many

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
    """Facts beside every advice of a review of an intervention; estimates are in the unit of the measure."""

    estimate: tuple[float, float, float] | None = None
    """The average effect and where it lies with a chance of 95 %; None before the first study."""
    new_setting: float = 0.5  # Chance that the effect in a new setting is beyond the smallest that matters
    settings_beyond: tuple[float, float, float] = (0.5, 0.0, 1.0)
    """Share of settings in which it is: as likely more as less, and where it lies with a chance of 90 %."""
    may_end: tuple[float, float] | None = None
    """Where the average effect by all studies will be with a chance of 90 %; None before the first study."""


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
    the cost; in the payoffs' unit. None where the rule compares nothing, or nothing is left.
    """
    cost: float  # per document, in the payoffs' unit
    more: int  # documents that would still be read if nothing turned up
    option: int
    """That is taken on stopping now: :data:`~tarstop_core.value.payoffs.PLUS`, ``MINUS`` or one of the others."""
    utility: float
    """What that option is expected to bring, in the payoffs' unit, screening cost not subtracted."""
    gain: float = 0.0
    """What going on as advised is expected to gain over stopping now, in the payoffs' unit; below 0 where the rule or a floor
    goes on although no plan as long as that pays.
    """
    plan_pays: bool = False  # Whether some plan to read on gains
    next_find: tuple[int, int] | None = None
    """Where finds add up and following the advice is all but sure to bring one: documents within which it is more likely than not,
    and all but sure; else None.
    """
    variations: tuple[Variation, ...] = ()  # the advice under other assumptions
    if_fails: Advice | None = None  # while a hit waits for confirmation: the advice should it not hold
    held_by: Floor | None = None  # The floor but for which the rule would stop
    facts: ReviewFacts | RecallFacts | None = None  # in a review, what belongs to the advice

    @property
    def plus(self) -> bool:
        """Whether a⁺ is taken on stopping now."""
        return self.option == PLUS

    @property
    def finds(self) -> bool:
        """Whether a further find is all but sure before the rule stops."""
        return self.next_find is not None

    @property
    def reports(self) -> int:
        """Waiting reports that are read first, because they pay."""
        return self.facts.reports_to_read if isinstance(self.facts, ReviewFacts) else 0

    @property
    def says_stop(self) -> bool:
        """Whether what is advised is to stop and decide: not while a hit is to be confirmed first."""
        return not self.go_on and self.headline != "confirm"

    @property
    def settled(self) -> bool:
        """Whether the headline says more than a comparison of worth and cost."""
        return self.headline in SETTLED

    @property
    def right(self) -> float:
        """The chance that the action on stopping now is right: in a review, by the truth the session is compared with."""
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
        """Assumptions under which the advice would be another one.

        They do not change the headline: the rule taken at its word decides that, so that a number of documents which was
        named once is kept.
        """
        return tuple(
            other
            for other in self.variations
            if other.assumption.cost_factor == 1
            and (other.go_on != self.go_on or (not self.go_on and other.option != self.option))
        )

    @property
    def at_other_costs(self) -> tuple[Variation, ...]:
        """The advice if reading cost a tenth, and if it cost ten times as much; empty where it costs nothing."""
        return tuple(other for other in self.variations if other.assumption.cost_factor != 1)
