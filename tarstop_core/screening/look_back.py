"""Where each rule would have stopped in a project that was screened elsewhere, in the order of its labels.

The order comes from what the other tool exports: a number for each label (`read_order`), or the time when it was given
(`labelled_at`). Labels that were known before reading, as ASReview's prior knowledge, are left out. Chances go by rank,
because another tool's order has no scores.
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
AFTER_ALL_LABELS = 10**12  # Larger than every number of a label
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d")  # Times of this form sort like their texts


@dataclass(frozen=True)
class LookBackStop:
    """Where a rule would have stopped, and what stopping there would have spared and missed."""

    policy: Policy
    depth: int | None  # documents read by then; None if it would have gone on beyond the labels
    relevant_read: int  # relevant documents among them
    spared: int  # documents that were read after the stop
    missed: int  # relevant documents among these
    worth: float | None
    """What finding one of the documents missed must be worth for reading on to have paid, in the unit of the cost; None if
    none was missed, or no decision is weighed.
    """

    @property
    def spared_per_missed(self) -> float | None:
        """Number of documents read after the stop for each relevant one among them; None if none was missed."""
        return self.spared / self.missed if self.missed else None


@dataclass(frozen=True, eq=False)
class LookBack:
    """Results of replaying the labels of a project in the order in which they were given."""

    documents: int
    relevant_in_order: Flags
    """Whether each document labelled while reading is relevant, in the order of reading, shape (read,)."""
    prior: int  # documents whose label was known before reading
    stops: tuple[LookBackStop, ...]  # one for each rule
    forecast: tuple[int, int] | None
    """What the chances forecast before reading for the number of relevant documents among those read, an interval of
    :data:`CONFIDENCE`; None if one document decides.
    """
    left: tuple[float, int, int] | None
    """Relevant documents among the unread: expected number, and an interval of :data:`CONFIDENCE`; None if one decides."""

    @property
    def read(self) -> int:
        """Number of documents that were labelled while reading."""
        return len(self.relevant_in_order)

    @property
    def relevant(self) -> int:
        """Number of relevant documents among those read."""
        return int(self.relevant_in_order.sum())

    @property
    def unread(self) -> int:
        """Number of documents without a label."""
        return self.documents - self.read - self.prior

    @property
    def left_shown(self) -> tuple[float, int, int] | None:
        """`left`, if its interval is narrow enough to say anything; otherwise None."""
        return None if self.left is None or is_open(self.left[2], self.relevant) else self.left

    @property
    def fits(self) -> bool:
        """Whether the number of relevant documents found lies in the forecast interval."""
        return self.forecast is not None and self.forecast[0] <= self.relevant <= self.forecast[1]


def order_read(frame: pd.DataFrame, labels: FileLabels) -> Ranking | None:
    """Ranking of documents in the order in which they were labelled, followed by those without a label.

    Parameters
    ----------
    frame : DataFrame
        A table of records.
    labels : FileLabels
        Their labels.

    Returns
    -------
    Ranking or None
        Without documents whose label was known before reading; None unless the order of all other labels is known.
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
        place = np.array(
            [int(number) if number else AFTER_ALL_LABELS for number in np.where(counted, numbers, "")]
        )
    elif all(_MOMENT.match(str(time)) for time in times[counted]):
        # "~" sorts after every time.
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
    """Results of replaying rules on the labels of a project in the order in which they were given.

    Parameters
    ----------
    ranking : Ranking
        Result of :func:`order_read`.
    labels : FileLabels
        The labels.
    settings : Settings
        Scenario, stakes and cost.
    calibrator : Calibrator
        Where the chances come from; it must go by rank.
    policies : sequence of Policy
        The rules.

    Returns
    -------
    LookBack
        Where each rule would have stopped, and whether the chances fit.

    Raises
    ------
    InputProblem
        If the calibrator needs scores, or a rule cannot be replayed.
    """
    codes = labels.codes[ranking.order]
    judged, relevant = codes != UNSEEN, codes == RELEVANT
    read, relevant_in_all = int(judged.sum()), int(relevant.sum())
    stops = []
    for stop in replayed(ranking, labels, settings, calibrator, policies, whole=True):
        stopped = stop.depth <= read and stop.depth < len(ranking)
        spared = read - stop.depth if stopped else 0
        missed = relevant_in_all - stop.relevant_read if stopped else 0
        has_price = missed and settings.weighs
        worth = settings.read_at_once().cost * spared / missed if has_price else None
        stops.append(
            LookBackStop(
                stop.policy, stop.depth if stopped else None, stop.relevant_read, spared, missed, worth
            )
        )
    forecast, left = None, None
    if not settings.one_decides:
        p, nowhere = calibrator.probabilities(None, len(ranking)), np.zeros_like(judged)
        # Before reading nothing was judged; the forecast is for the documents that were.
        forecast = calibrator.left(p, nowhere, nowhere, judged).interval(CONFIDENCE)
        remaining = calibrator.left(p, judged, relevant, ~judged)
        left = (remaining.mean, *remaining.interval(CONFIDENCE))
    prior = int(np.count_nonzero(labels.codes != UNSEEN)) - read
    return LookBack(len(labels.codes), relevant[judged], prior, tuple(stops), forecast, left)


def rules_for(settings: Settings) -> list[Policy]:
    """The rule of a session, then all other rules that can be replayed on labels alone, without data of studies."""
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
