"""Two calibrators on lists that neither was fitted on: whose chances come true, and what it does to decisions."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from tarstop_core.calibration.calibrator import INCLUSION, PATENT, REVIEW, Calibrator, Quality
from tarstop_core.calibration.fitting import predicted, usable
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import message
from tarstop_core.evaluation.cases import without_relevant
from tarstop_core.evaluation.metrics import bootstrap_weights
from tarstop_core.evaluation.reliability_counts import binned, quality
from tarstop_core.evaluation.replay import Played, replay, replay_reviews
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.files.labelled_lists import list_digest, seen_before
from tarstop_core.policies import Policy
from tarstop_core.samples import collections as samples
from tarstop_core.samples.simulate.rankings import simulate_patent_rankings
from tarstop_core.samples.simulate.reviews import simulate_review_outcomes
from tarstop_core.value.payoffs import Flags, Floats, Payoffs

DRAWS, LEVEL = 2000, 0.95
FLOOR = 1e-6
"""Least chance that log-loss reckons with: a document said to be impossible costs 13.8, not infinity."""
PATENTS, OUTCOMES, HELD_OUT_SEED = 400, 60, 2
ENGINE = "univariate"


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Labelled lists to judge on."""

    title: str
    topics: tuple[Topic, ...]
    outcomes: tuple[Outcome, ...] = ()  # Of reviews whose 2×2 tables are known
    simulated: bool = False


_SEARCHES = {"sample searches": "sample searches (simulated)"}
_REVIEWS = {"sample reviews": "sample reviews (simulated)"}
SHIPPED = {
    PATENT: {"simulated rankings": "simulated rankings", **_SEARCHES},
    REVIEW: {"simulated outcomes": "simulated outcomes", **_REVIEWS},
    INCLUSION: _REVIEWS,
}
"""Simulated lists to judge on that come with the program, by scenario: what each is called, and its title on pages."""


@lru_cache(maxsize=8)
def shipped(scenario: str, name: str) -> HeldOut:
    """Simulated lists that no shipped calibrator was fitted on."""
    there = samples.sample_topics() if scenario == PATENT else samples.sample_reviews()
    names = [str(topic) for topic in there["topic"]]
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


# --- do the chances come true? ------------------------------------------------------------------------


@dataclass(frozen=True)
class Measure:
    """One figure for both, and their difference."""

    name: str
    a: float
    b: float
    difference: float  # b − a
    low: float
    high: float
    """`low` and `high`: its interval of 95 % by a paired bootstrap over lists; NaN for a single list."""
    lower_is_better: bool | None = True  # None: neither is better for being lower

    @property
    def clear(self) -> bool:
        """Whether the interval leaves out no difference at all."""
        return bool(self.low > 0 or self.high < 0)

    @property
    def better(self) -> str:
        """Return which is clearly better by its interval, "a" or "b"; "" if neither."""
        if not self.clear or self.lower_is_better is None:
            return ""
        return "b" if (self.difference < 0) == self.lower_is_better else "a"


@dataclass(frozen=True)
class Comparison:
    """Both calibrators on the same documents."""

    first_hits: bool
    """Whether they were judged by the first hit of each list, because one knows of nothing else; else by all of it."""
    lists: int
    documents: int
    a: Quality
    b: Quality
    measures: tuple[Measure, ...]  # Brier score, ECE and log-loss


def compare(a: Calibrator, b: Calibrator, topics: Sequence[Topic]) -> Comparison:
    """Judge two calibrators by the same event on the same labelled documents; of patents only ω⁺ topics count.

    Parameters
    ----------
    a, b : Calibrator
        The two.
    topics : sequence of Topic
        Labelled lists.

    Returns
    -------
    Comparison

    Raises
    ------
    InputProblem
        When they are chances of different things, or the lists cannot judge one of them.
    """
    if a.scenario != b.scenario:
        raise InputProblem(
            f"One gives chances for {a.scenario}, the other for {b.scenario}; choose two of one kind."
        )
    used = usable(topics, a.scenario, a.kind)
    usable(topics, b.scenario, b.kind)
    first_hits = a.first_hits or b.first_hits
    sums, losses = [], []
    for calibrator in (a, b):
        predictions = [predicted(calibrator, topic, first_hits) for topic in used]
        sums.append(np.stack([binned(p, y) for p, y in predictions]))
        losses.append(np.array([log_loss(p, y) for p, y in predictions]))
    count = sums[0][:, :, 2].sum(axis=1)
    of_a, of_b = (quality(one.sum(axis=0), len(used), "lists chosen here") for one in sums)
    assert of_a is not None and of_b is not None
    weights = bootstrap_weights(len(used), DRAWS)
    measures = (
        _measure("Brier score", [one[:, :, 3].sum(axis=1) for one in sums], count, weights),
        _ece(sums, weights),
        _measure("Log-loss", losses, count, weights),
    )
    return Comparison(first_hits, len(used), int(count.sum()), of_a, of_b, measures)


def log_loss(p: Floats, relevant: Flags) -> float:
    """−Σ log of the chance of what happened, in nats; no chance counts as less than :data:`FLOOR`."""
    return float(-np.log(np.clip(np.where(relevant, p, 1 - p), FLOOR, 1.0)).sum())


def _measure(name: str, pair: Sequence[Floats], count: Floats, weights: Floats) -> Measure:
    """A mean over documents of sums by list, of both."""
    a, b = pair
    with np.errstate(invalid="ignore", divide="ignore"):
        differences = (weights @ (b - a)) / (weights @ count)
    return _with_interval(
        name, (float(a.sum() / count.sum()), float(b.sum() / count.sum())), differences, len(count)
    )


def _ece(sums: Sequence[Floats], weights: Floats) -> Measure:
    weights = np.vstack((np.ones(weights.shape[1]), weights))  # before the samples the lists themselves

    def eces(one: Floats) -> Floats:
        totals = np.tensordot(weights, one, axes=1)
        gaps = np.abs(totals[:, :, 0] - totals[:, :, 1]).sum(axis=1)
        return np.asarray(gaps / np.maximum(totals[:, :, 2].sum(axis=1), 1))

    a, b = map(eces, sums)
    return _with_interval("Calibration error (ECE)", (float(a[0]), float(b[0])), (b - a)[1:], len(sums[0]))


def _with_interval(name: str, pair: tuple[float, float], differences: Floats, groups: int) -> Measure:
    low, high = math.nan, math.nan
    finite = differences[np.isfinite(differences)]
    if groups > 1 and len(finite):
        low, high = (float(end) for end in np.quantile(finite, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
    return Measure(name, *pair, pair[1] - pair[0], low, high)


def comparison_sentence(comparison: Comparison, a: str, b: str) -> str:
    """Word whose chances come true better.

    Parameters
    ----------
    comparison
        Both calibrators on the same documents.
    a, b
        What the two are called.

    Returns
    -------
    str
        A sentence or two.
    """
    brier, _, loss = comparison.measures
    clear = [measure for measure in (brier, loss) if measure.better]
    return message("comparison", comparison=comparison, brier=brier, clear=clear, names={"a": a, "b": b})


# --- what does it do to decisions? --------------------------------------------------------------------


@dataclass(frozen=True)
class Decisions:
    """One rule with the chances of each, on the same cases in paper mode."""

    cases: int
    empty: int
    """`cases` and `empty`: all, and those in which there is nothing to find (0 in reviews, where that is not asked)."""
    measures: tuple[Measure, ...]  # Net utility, documents read, and share of right decisions


def decisions(
    a: Calibrator, b: Calibrator, held_out: HeldOut, policy: Policy, payoffs: Payoffs, cost: float, b_0: float
) -> Decisions | None:
    """Measure the results of a rule with the chances of each of two calibrators.

    In patents, where every list has something to find, each gets a twin with its relevant documents taken out, as in
    the paper: half of the cases are then empty. Lists of both kinds are taken as they are.

    Parameters
    ----------
    a, b : Calibrator
        The two.
    held_out : HeldOut
        Lists to judge on.
    policy, payoffs, cost, b_0
        As of :func:`~tarstop_core.evaluation.replay.replay`.

    Returns
    -------
    Decisions or None
        None where labels, or in reviews 2×2 tables, are not all known.
    """
    if a.scenario == INCLUSION or (a.scenario == REVIEW and not held_out.outcomes):
        return None
    empty = 0
    if a.scenario == REVIEW:
        groups = [outcome.review for outcome in held_out.outcomes]
        played = [
            replay_reviews(held_out.outcomes, calibrator, policy, payoffs, cost, ReviewTask(engine=ENGINE))
            for calibrator in (a, b)
        ]
    else:
        topics = [topic for topic in held_out.topics if topic.known is None]
        if not any(topic.omega for topic in topics):
            return None
        groups = [topic.name for topic in topics]
        if all(topic.omega for topic in topics):
            topics, groups = [*topics, *map(without_relevant, topics)], groups * 2
        empty = sum(not topic.omega for topic in topics)
        played = [replay(topics, calibrator, policy, payoffs, cost, b_0) for calibrator in (a, b)]
    names, of = np.unique(groups, return_inverse=True)
    count = np.bincount(of).astype(float)
    weights = bootstrap_weights(len(names), DRAWS)

    def measure(name: str, value: Callable[[Played], float], lower_is_better: bool | None) -> Measure:
        values = [np.array([value(outcome) for outcome in outcomes], dtype=float) for outcomes in played]
        pair = [np.bincount(of, weights=by_case).astype(float) for by_case in values]
        return replace(_measure(name, pair, count, weights), lower_is_better=lower_is_better)

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
        One rule with the chances of both.
    policy
        What the rule is called.
    a, b
        What the two calibrators are called.

    Returns
    -------
    str
        A sentence.
    """
    utility, read, right = decisions.measures
    measures = {"utility": utility, "interval": np.isfinite(utility.low), "read": read, "right": right}
    return message("decisions", **measures, policy=policy, a=a, b=b)


def warnings(names: Sequence[str], calibrators: Sequence[Calibrator], topics: Sequence[Topic]) -> list[str]:
    """Warn where a calibrator is judged on lists it was fitted on.

    Parameters
    ----------
    names, calibrators : sequences
        Calibrators, and what they are called.
    topics : sequence of Topic
        Lists that they are judged on.

    Returns
    -------
    list of str
        A sentence each.
    """
    if not any(calibrator.fitted_on.lists for calibrator in calibrators):
        return []  # to hash many lists takes a while
    digests = [list_digest(topic) for topic in topics]
    return [
        message("seen", name=name, seen=seen, lists=len(topics))
        for name, calibrator in zip(names, calibrators, strict=True)
        if (seen := seen_before(digests, calibrator.fitted_on.lists))
    ]
