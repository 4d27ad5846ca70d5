"""Compare two calibrators on lists that neither was fitted on: by their chances, and by the decisions that follow."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tarstop_core.calibration.calibrator import INCLUSION, PATENT, REVIEW, Calibrator
from tarstop_core.calibration.fitting import predicted, usable
from tarstop_core.calibration.quality import Quality
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import message
from tarstop_core.evaluation.cases import without_relevant
from tarstop_core.evaluation.metrics import bootstrap_weights
from tarstop_core.evaluation.reliability_counts import binned, quality
from tarstop_core.evaluation.replay import TopicResult, replay, replay_reviews
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.files.labelled_lists import list_digest, seen_before
from tarstop_core.policies import Policy
from tarstop_core.samples import collections as samples
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings
from tarstop_core.samples.simulate.reviews import simulate_review_outcomes
from tarstop_core.value.payoffs import Flags, Floats, Payoffs

DRAWS = 2000
"""Bootstrap samples."""
LEVEL = 0.95
"""Level of intervals."""
FLOOR = 1e-6
"""Least chance in a log-loss: a relevant document with the chance 0 costs 13.8, not infinity."""
PATENTS = 400
"""Simulated rankings to compare on."""
OUTCOMES = 60
"""Simulated review outcomes to compare on."""
HELD_OUT_SEED = 2
"""Seed of the simulated rankings; no shipped calibrator was fitted on it."""


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Labelled lists on which calibrators are compared."""

    title: str
    topics: tuple[Topic, ...]
    outcomes: tuple[Outcome, ...] = ()  # Only in reviews whose 2×2 tables are known
    simulated: bool = False


_SEARCHES = {"sample searches": "sample searches (simulated)"}
_REVIEWS = {"sample reviews": "sample reviews (simulated)"}
SHIPPED = {
    PATENT: {"simulated rankings": "simulated rankings", **_SEARCHES},
    REVIEW: {"simulated outcomes": "simulated outcomes", **_REVIEWS},
    INCLUSION: _REVIEWS,
}
"""Simulated lists that come with the program: by scenario, then by name, the title on pages."""


@lru_cache(maxsize=8)
def shipped(scenario: str, name: str) -> HeldOut:
    """Load or simulate lists of :data:`SHIPPED`, on which no shipped calibrator was fitted."""
    collection = samples.sample_topics() if scenario == PATENT else samples.sample_reviews()
    names = [str(topic) for topic in collection["topic"]]
    title = f"the {len(names)} {name}"
    topics: tuple[Topic, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    if name == "simulated rankings":
        topics = tuple(simulate_patent_rankings(topics=PATENTS, seed=HELD_OUT_SEED))
        title = f"{PATENTS} simulated patent rankings"
    elif name == "simulated outcomes":
        outcomes = tuple(simulate_review_outcomes(seed=HELD_OUT_SEED)[:OUTCOMES])
        title = f"{OUTCOMES} simulated review outcomes"
    elif scenario == REVIEW:
        outcomes = tuple(map(samples.labelled_review, names))
    else:
        labelled = samples.labelled_search if scenario == PATENT else samples.labelled_inclusions
        topics = tuple(map(labelled, names))
    return HeldOut(title, topics or tuple(outcome.topic for outcome in outcomes), outcomes, simulated=True)


# --- are the chances right? ---------------------------------------------------------------------------


@dataclass(frozen=True)
class ComparedMeasure:
    """One measure of both calibrators, and their difference."""

    name: str
    a: float
    b: float
    difference: float  # b − a
    low: float
    high: float
    """`low` and `high`: 95 % interval of the difference by a paired bootstrap over lists; NaN for a single list."""
    lower_is_better: bool | None = True  # None if neither lower nor higher is better

    @property
    def clear(self) -> bool:
        """Whether the interval excludes 0."""
        return bool(self.low > 0 or self.high < 0)

    @property
    def better(self) -> str:
        """Return the calibrator that is clearly better, "a" or "b"; "" if neither is."""
        if not self.clear or self.lower_is_better is None:
            return ""
        return "b" if (self.difference < 0) == self.lower_is_better else "a"


@dataclass(frozen=True)
class Comparison:
    """Chances of two calibrators for the same documents."""

    first_hits: bool
    """Whether lists count up to their first hit, because one calibrator predicts only that; else they count whole."""
    lists: int
    documents: int
    a: Quality
    b: Quality
    measures: tuple[ComparedMeasure, ...]  # Brier score, ECE and log-loss


def compare(a: Calibrator, b: Calibrator, topics: Sequence[Topic]) -> Comparison:
    """Compare the chances of two calibrators on the same labelled documents; in patents only ω⁺ topics count.

    Parameters
    ----------
    a, b : Calibrator
        Calibrators of one scenario.
    topics : sequence of Topic
        Labelled lists.

    Returns
    -------
    Comparison

    Raises
    ------
    InputProblem
        When their chances mean different things, or one of them cannot be judged on these lists.
    """
    if a.scenario != b.scenario:
        raise InputProblem(
            f"One gives chances for {a.scenario}, the other for {b.scenario}; choose two of one kind."
        )
    used = usable(topics, a.scenario, a.kind)
    usable(topics, b.scenario, b.kind)
    first_hits = a.first_hits or b.first_hits
    counts, losses = [], []
    for calibrator in (a, b):
        predictions = [predicted(calibrator, topic, first_hits) for topic in used]
        counts.append(np.stack([binned(p, y) for p, y in predictions]))
        losses.append(np.array([log_loss(p, y) for p, y in predictions]))
    documents = counts[0][:, :, 2].sum(axis=1)
    of_a, of_b = (quality(lists.sum(axis=0), len(used), "lists chosen here") for lists in counts)
    assert of_a is not None and of_b is not None
    weights = bootstrap_weights(len(used), DRAWS)
    measures = (
        _measure("Brier score", [lists[:, :, 3].sum(axis=1) for lists in counts], documents, weights),
        _ece(counts, weights),
        _measure("Log-loss", losses, documents, weights),
    )
    return Comparison(first_hits, len(used), int(documents.sum()), of_a, of_b, measures)


def log_loss(p: Floats, relevant: Flags) -> float:
    """Sum of the log-losses of chances, in nats: −Σ log P(label), with no chance below :data:`FLOOR`."""
    return float(-np.log(np.clip(np.where(relevant, p, 1 - p), FLOOR, 1.0)).sum())


def _measure(name: str, sums: Sequence[Floats], count: Floats, weights: Floats) -> ComparedMeasure:
    """Compare two means, each the sums over lists, shape (L,), divided by their `count`; `weights` has shape (draws, L)."""
    a, b = sums
    with np.errstate(invalid="ignore", divide="ignore"):
        differences = (weights @ (b - a)) / (weights @ count)
    means = float(a.sum() / count.sum()), float(b.sum() / count.sum())
    return _with_interval(name, means, differences, len(count))


def _ece(counts: Sequence[Floats], weights: Floats) -> ComparedMeasure:
    """Compare the calibration errors of two reliability counts, shape (L, BINS, 4)."""
    weights = np.vstack((np.ones(weights.shape[1]), weights))  # The first row is the lists as they are

    def eces(lists: Floats) -> Floats:
        totals = np.tensordot(weights, lists, axes=1)
        gaps = np.abs(totals[:, :, 0] - totals[:, :, 1]).sum(axis=1)
        return np.asarray(gaps / np.maximum(totals[:, :, 2].sum(axis=1), 1))

    a, b = map(eces, counts)
    return _with_interval("Calibration error (ECE)", (float(a[0]), float(b[0])), (b - a)[1:], len(counts[0]))


def _with_interval(name: str, pair: tuple[float, float], differences: Floats, groups: int) -> ComparedMeasure:
    low, high = math.nan, math.nan
    finite = differences[np.isfinite(differences)]
    if groups > 1 and len(finite):
        low, high = (float(end) for end in np.quantile(finite, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    return ComparedMeasure(name, *pair, pair[1] - pair[0], low, high)


def comparison_sentence(comparison: Comparison, a: str, b: str) -> str:
    """Word which calibrator has the better chances.

    Parameters
    ----------
    comparison
        Chances of both on the same documents.
    a, b
        Names of the calibrators.

    Returns
    -------
    str
        A sentence or two.
    """
    brier, _, loss = comparison.measures
    clear = [measure for measure in (brier, loss) if measure.better]
    return message("comparison", comparison=comparison, brier=brier, clear=clear, names={"a": a, "b": b})


# --- how do decisions change? -------------------------------------------------------------------------


@dataclass(frozen=True)
class Decisions:
    """Results of one rule with the chances of each calibrator, on the same cases in paper mode."""

    cases: int
    empty: int  # Cases without a relevant document; 0 in reviews, where they are not counted
    measures: tuple[ComparedMeasure, ...]  # Net utility, documents read, and share of right decisions


def decisions(
    a: Calibrator, b: Calibrator, held_out: HeldOut, policy: Policy, payoffs: Payoffs, cost: float, b_0: float
) -> Decisions | None:
    """Measure the results of a rule with the chances of each of two calibrators.

    In patents where every list has relevant documents, each list gets a twin without them, as in the paper, so that
    half of the cases are empty. If some lists are empty already, no twins are added.

    Parameters
    ----------
    a, b : Calibrator
        Calibrators of one scenario.
    held_out : HeldOut
        Lists on which the rule stops.
    policy, payoffs, cost, b_0
        As of :func:`~tarstop_core.evaluation.replay.replay`.

    Returns
    -------
    Decisions or None
        None if the lists have no full labels with a relevant document among them, or in reviews no 2×2 tables.
    """
    if a.scenario == INCLUSION or (a.scenario == REVIEW and not held_out.outcomes):
        return None
    empty = 0
    if a.scenario == REVIEW:
        groups = [outcome.review for outcome in held_out.outcomes]
        played = [
            replay_reviews(held_out.outcomes, calibrator, policy, payoffs, cost, ReviewTask())
            for calibrator in (a, b)
        ]
    else:
        topics = [topic for topic in held_out.topics if topic.labelled is None]
        if not any(topic.omega for topic in topics):
            return None
        groups = [topic.name for topic in topics]
        if all(topic.omega for topic in topics):
            topics, groups = [*topics, *map(without_relevant, topics)], groups * 2
        empty = sum(not topic.omega for topic in topics)
        played = [replay(topics, calibrator, policy, payoffs, cost, b_0) for calibrator in (a, b)]
    names, group_of = np.unique(groups, return_inverse=True)
    count = np.bincount(group_of).astype(float)
    weights = bootstrap_weights(len(names), DRAWS)

    def measure(
        name: str, value: Callable[[TopicResult], float], lower_is_better: bool | None
    ) -> ComparedMeasure:
        values = [np.array([value(outcome) for outcome in outcomes], dtype=float) for outcomes in played]
        sums = [np.bincount(group_of, weights=by_case).astype(float) for by_case in values]
        return replace(_measure(name, sums, count, weights), lower_is_better=lower_is_better)

    measures = (
        measure("Net utility", lambda outcome: outcome.net_utility, False),
        measure("Documents read", lambda outcome: outcome.depth, None),
        measure("Same decision as the truth", lambda outcome: outcome.right, False),
    )
    return Decisions(len(groups), empty, measures)


def decisions_sentence(decisions: Decisions, policy: str, a: str, b: str) -> str:
    """Word what switching from a to b does to decisions.

    Parameters
    ----------
    decisions
        Results of one rule with the chances of both.
    policy
        Name of the rule.
    a, b
        Names of the calibrators.

    Returns
    -------
    str
        A sentence.
    """
    utility, read, right = decisions.measures
    measures = {"utility": utility, "interval": np.isfinite(utility.low), "read": read, "right": right}
    return message("decisions", **measures, policy=policy, a=a, b=b)


def warnings(names: Sequence[str], calibrators: Sequence[Calibrator], topics: Sequence[Topic]) -> list[str]:
    """Warn of calibrators that are compared on lists they were fitted on.

    Parameters
    ----------
    names, calibrators : sequences
        Calibrators and their names.
    topics : sequence of Topic
        Lists on which they are compared.

    Returns
    -------
    list of str
        A sentence for each such calibrator.
    """
    if not any(calibrator.fitted_on.lists for calibrator in calibrators):
        return []  # Hashing many lists takes a while
    digests = [list_digest(topic) for topic in topics]
    return [
        message("seen", name=name, seen=seen, lists=len(topics))
        for name, calibrator in zip(names, calibrators, strict=True)
        if (seen := seen_before(digests, calibrator.fitted_on.lists))
    ]
