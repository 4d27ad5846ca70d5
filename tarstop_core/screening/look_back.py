"""Where each rule would have stopped in a project that was screened elsewhere, in the order of its labels.

Labels say what their tool wrote: a number each (`read_order`), or when each was given (`labelled_at`). What was known
before anybody read, as prior knowledge of ASReview, is left out. Chances go by rank, for another tool's order has no scores.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tarstop_core.calibration.calibration_monitor import CONFIDENCE
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.records import PRIOR
from tarstop_core.policies import Policy
from tarstop_core.policies.registry import POLICIES, with_same_target
from tarstop_core.presentation.messages import Messages
from tarstop_core.ranking.order import Ranking
from tarstop_core.screening.advised import is_open
from tarstop_core.screening.kept_labels import FileLabels, replayed
from tarstop_core.screening.labels import RELEVANT, UNSEEN
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Flags

message = Messages("screening/look_back.jinja")
LATE = 10**12  # Larger than every number in a column of the order
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d")  # Times of this form sort like their texts


@dataclass(frozen=True)
class LookBackStop:
    """Where a rule would have stopped, and what that would have spared and missed."""

    policy: Policy
    depth: int | None  # Documents read by then; None if it would have gone on beyond the labels
    relevant_read: int  # Relevant ones among them
    spared: int  # Documents that were read after it
    missed: int  # Relevant ones among them
    worth: float | None
    """What finding one of these must be worth for reading on to have paid, in the unit of the cost; None where none was
    missed or nothing is weighed.
    """

    @property
    def spared_per_missed(self) -> float | None:
        """Documents read after the stop for each relevant one among them; None if none was missed."""
        return self.spared / self.missed if self.missed else None


@dataclass(frozen=True, eq=False)
class LookBack:
    """The results of replaying the labels of a project in their order."""

    documents: int
    course: Flags  # Which of those labelled while reading are relevant, in their order, shape (read,)
    prior: int  # Documents whose label was known before
    stops: tuple[LookBackStop, ...]  # One a rule
    expected: tuple[int, int] | None
    """Forecast interval of :data:`CONFIDENCE`, before any was read, for the relevant ones among those read; None where one decides."""
    left: tuple[float, int, int] | None  # Relevant ones among the unread: expected number, and its interval

    @property
    def read(self) -> int:
        """Documents with a label that was given while reading."""
        return len(self.course)

    @property
    def relevant(self) -> int:
        """Relevant ones among those read."""
        return int(self.course.sum())

    @property
    def unread(self) -> int:
        """Documents without a label."""
        return self.documents - self.read - self.prior

    @property
    def left_shown(self) -> tuple[float, int, int] | None:
        """`left`, if its interval is narrow enough to say anything."""
        return None if self.left is None or is_open(self.left[2], self.relevant) else self.left

    @property
    def fits(self) -> bool:
        """Whether as many were found as the chances forecast."""
        return self.expected is not None and self.expected[0] <= self.relevant <= self.expected[1]


def order_read(frame: pd.DataFrame, labels: FileLabels) -> Ranking | None:
    """Put documents in the order in which they were labelled, followed by those without a label.

    Parameters
    ----------
    frame : DataFrame
        A table of records.
    labels : FileLabels
        What they were labelled as.

    Returns
    -------
    Ranking or None
        Without documents that were known before; None where an order is not known of every other label.
    """
    labelled = labels.codes != UNSEEN
    numbers, times = frame["read_order"].to_numpy(dtype=object), frame["labelled_at"].to_numpy(dtype=object)
    counted = labelled & (numbers != PRIOR)
    if not counted.any():
        return None
    if all(
        str(number).isascii() and str(number).isdecimal() and len(str(number)) < 12
        for number in numbers[counted]
    ):
        place = np.array([int(number) if number else LATE for number in np.where(counted, numbers, "")])
    elif all(_MOMENT.match(str(time)) for time in times[counted]):
        place = pd.Series(np.where(counted, times, "~")).rank(method="first").to_numpy()
    else:
        return None
    order = np.lexsort((np.arange(len(frame)), place, ~counted))
    rest = order[counted[order] | ~labelled[order]]
    return Ranking(rest.astype(np.intp), None, "In the order they were labelled elsewhere.")


def look_back(
    ranking: Ranking,
    labels: FileLabels,
    settings: Settings,
    calibrator: Calibrator,
    policies: Sequence[Policy],
) -> LookBack:
    """Replay rules on the labels of a project in the order in which they were given.

    Parameters
    ----------
    ranking : Ranking
        As :func:`order_read` gives it.
    labels : FileLabels
        The labels.
    settings : Settings
        Stakes and cost, and what is screened for.
    calibrator : Calibrator
        Gives the chances; one that goes by rank.
    policies : sequence of Policy
        The rules.

    Returns
    -------
    LookBack

    Raises
    ------
    InputProblem
        When the calibrator reads scores, or a rule cannot be replayed.
    """
    codes = labels.codes[ranking.order]
    judged, relevant = codes != UNSEEN, codes == RELEVANT
    read, found_in_all = int(judged.sum()), int(relevant.sum())
    stops = []
    for stop in replayed(ranking, labels, settings, calibrator, policies, whole=True):
        stopped = stop.depth <= read and stop.depth < len(ranking)
        spared = read - stop.depth if stopped else 0
        missed = found_in_all - stop.found if stopped else 0
        priced = missed and settings.weighs
        worth = settings.read_at_once().cost * spared / missed if priced else None
        stops.append(
            LookBackStop(stop.policy, stop.depth if stopped else None, stop.found, spared, missed, worth)
        )
    expected, left = None, None
    if not settings.one_decides:
        p, nothing = calibrator.probabilities(None, len(ranking)), np.zeros_like(judged)
        expected = calibrator.left(p, nothing, nothing, judged).interval(CONFIDENCE)
        remaining = calibrator.left(p, judged, relevant, ~judged)
        left = (remaining.mean, *remaining.interval(CONFIDENCE))
    prior = int(np.count_nonzero(labels.codes != UNSEEN)) - read
    return LookBack(len(labels.codes), relevant[judged], prior, tuple(stops), expected, left)


def rules_for(settings: Settings) -> list[Policy]:
    """Return the rule of a session, then all others, as far as labels without 2×2 tables suffice."""
    others = (
        with_same_target(kind, settings.rule) for kind in POLICIES.values() if kind is not type(settings.rule)
    )
    rules = [
        rule
        for rule in (settings.rule, *others)
        if settings.may_follow(type(rule)) and not (rule.is_oracle or rule.needs_draws)
    ]
    if not scenario_of(settings).verdicts_tell:
        rules = [rule for rule in rules if not rule.acts_on_belief]
    return rules
