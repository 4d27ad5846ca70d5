"""Replay a rule on labelled rankings in paper mode, as an experiment does: depths, actions, net utility."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tarstop_core.belief.mixture import Remaining
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.topic import EffectOutcome, Outcome, Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.cases import Case
from tarstop_core.evaluation.tasks.base import LearnedFromFold, PlayedGrid, Task, Trial
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.enough import EnoughTask
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.evaluation.tasks.stepwise import prequential_ahead
from tarstop_core.policies import Policy
from tarstop_core.policies.base import Randomised
from tarstop_core.samples.shipped import past_stops
from tarstop_core.value.cumulative import studies_after
from tarstop_core.value.outcomes import chance_turned, states_of, studies_to_come
from tarstop_core.value.payoffs import Floats, Payoffs, check_cost
from tarstop_core.value.unweighed import NOTHING_AT_STAKE

SHARES = (0.02, 0.05, 0.1, 0.2, 0.5)
"""Shares of the list read at which the number of unread relevant documents is reported."""
BIVARIATE = ReviewTask(engine="bivariate")
Chances = Calibrator | Mapping[str, Floats]
"""A calibrator; or, by review or topic, the chance of each document when it was the next one, shape (N,)."""


@dataclass(frozen=True)
class StillUnread:
    """Forecast and true number of the relevant documents that are unread at a depth."""

    mean: float
    low: int
    high: int
    """`low` and `high`: central 90 % interval of the forecast."""
    true: int


@dataclass(frozen=True)
class TopicResult:
    """The result of a policy on one topic."""

    topic: str
    depth: float  # Documents read; if the rule draws a random sample, the expected number
    action: str  # One of "a+" or "a-", or the name of another option
    omega: bool
    """Whether ω⁺ holds: the qrels have a relevant document, ranked or not; in reviews, the truth of the task."""
    net_utility: float  # Payoff of the action under the truth, minus cost times depth, in the payoffs' unit
    recall: float  # Relevant documents read over the qrels' R; 0 when R = 0, as in the paper
    best: str = field(default="", kw_only=True)
    """With several options, the one with the highest payoff under the truth."""

    @property
    def right(self) -> bool:
        """Whether the action is the best one under the truth."""
        return self.action == self.best if self.best else (self.action == "a+") == self.omega


@dataclass(frozen=True)
class PlayedReview(TopicResult):
    """The result of a policy on an outcome of a review."""

    left: dict[str, StillUnread]
    """Unread relevant documents at "stop" and at each of :data:`SHARES` of the list ("0.02", …), rounded up."""
    turned: float  # Chance, forecast at the stop, that reading everything would change the action


def replay(
    topics: Iterable[Topic],
    calibrator: Calibrator,
    policy: Policy,
    payoffs: Payoffs,
    cost: float,
    b_0: float = 0.5,
    scale: float = 1.0,
) -> list[TopicResult]:
    """Stop on each labelled topic by the policy, and act.

    Only ranked documents are read, so a topic without a ranked relevant document has no first hit. Policies act on the
    belief where they stop. Baselines choose a⁺ iff they have seen a relevant document, which reproduces the paper's
    Table 1. An Oracle chooses the right action if it can.

    Parameters
    ----------
    topics : iterable of Topic
        Labelled topics.
    calibrator : Calibrator
        Source of the chances.
    policy : Policy
        The rule.
    payoffs, cost : Payoffs, float
        Stakes, and cost of a document in their unit.
    b_0 : float
        Belief before any document.
    scale : float
        Factor on every chance; the product is at most 1.

    Returns
    -------
    list of TopicResult

    Raises
    ------
    InputProblem
        When a topic has no labels or the cost is negative.
    """
    check_cost(cost)
    task = DecisiveTask(b_0=b_0, scale=scale)
    cases = (Case(topic, topic.name) for topic in topics)
    if isinstance(policy, Randomised):
        return [_expected(case, policy, payoffs, cost) for case in cases]
    return [_played(task, case, LearnedFromFold(calibrator), policy, payoffs, cost) for case in cases]


def replay_reviews(
    outcomes: Iterable[Outcome | EffectOutcome],
    calibrator: Chances,
    policy: Policy,
    payoffs: Payoffs,
    cost: float,
    task: Task = BIVARIATE,
    prior: Prior | None = None,
) -> list[TopicResult]:
    """Stop on outcomes of reviews, as :func:`replay` does; every rule except an Oracle acts on its belief.

    Parameters
    ----------
    outcomes : iterable of Outcome or EffectOutcome
        Outcomes with labels and studies.
    calibrator : Calibrator or mapping of str to ndarray
        Source of the chances that a document brings data; or, by review, the chance of each document when it was the
        next one, shape (N,).
    policy, payoffs, cost
        As of :func:`replay`.
    task : ReviewTask or EffectTask
        Threshold, engine and definition of the truth.
    prior : Prior, optional
        Prior of the belief that a test is accurate; the weak one by default.

    Returns
    -------
    list of TopicResult

    Raises
    ------
    InputProblem
        When a topic has no labels, the cost is negative, or the rule draws a random sample.
    """
    check_cost(cost)
    if isinstance(policy, Randomised) and isinstance(task, ReviewTask):
        raise InputProblem(
            f"In reviews {policy.title} ends with a different belief for every sample; measure it with 'tarstop experiment'."
        )
    if payoffs.others and getattr(task, "truth_is", "") == "full_evidence":
        raise InputProblem(
            "The truth full_evidence says which of two actions all studies would choose; leave out the other options, or take the truth pooled."
        )
    fitted, adaptive = _by_kind(calibrator)
    cases = (Case(each.topic, each.review, each, adaptive.get(each.review)) for each in outcomes)
    return [_played(task, case, LearnedFromFold(fitted, prior), policy, payoffs, cost) for case in cases]


def _by_kind(chances: Chances) -> tuple[Calibrator | None, Mapping[str, Floats]]:
    """The calibrator if it is one, and the chances by case if they are given; the other one is empty."""
    return (chances, {}) if isinstance(chances, Calibrator) else (None, chances)


@dataclass(frozen=True)
class PlayedEnough:
    """Recall and effort of a policy on one topic."""

    topic: str
    depth: float  # Documents read; if the rule draws a random sample, the mean number
    share: float  # Share of the list that was read
    recall: float  # Relevant documents read over the qrels' R; 1 when R = 0
    reached: float  # Whether recall reached the target; if the rule draws a random sample, how often


def replay_enough(
    topics: Iterable[Topic], calibrator: Chances, policy: Policy, target: float, scale: float = 1.0
) -> list[PlayedEnough]:
    """Stop on each labelled topic by the policy, and measure recall.

    Parameters
    ----------
    topics : iterable of Topic
        Labelled topics.
    calibrator : Calibrator or mapping of str to ndarray
        Source of the chances of inclusion; or, by topic, the chance of each document when it was the next one,
        shape (N,).
    policy : Policy
        The rule.
    target : float
        Recall to reach, in (0, 1].
    scale : float
        Factor on every chance; the product is at most 1.

    Returns
    -------
    list of PlayedEnough

    Raises
    ------
    InputProblem
        When the rule weighs a decision.
    """
    EnoughTask.check_rule(policy)
    task, played = EnoughTask(target=target, scale=scale), []
    fitted, adaptive = _by_kind(calibrator)
    for topic in topics:
        case, learned = Case(topic, topic.name, None, adaptive.get(topic.name)), LearnedFromFold(fitted)
        grid = task.play(task.trial(case, learned, [NOTHING_AT_STAKE], [0.0]), [policy])
        depth = grid.screened.item()
        share = depth / len(topic) if len(topic) else 0.0
        played.append(PlayedEnough(case.name, depth, share, grid.recall.item(), grid.plus.item()))
    return played


def reliability(played: Sequence[PlayedEnough]) -> dict[str, Any]:
    """Means over topics of depth, share read and recall; `reliability` is the share that reached the target."""
    means = _means(played, "depth", "share", "recall")
    return {**means, "reliability": float(np.mean([result.reached for result in played]))}


def _means(played: Sequence[TopicResult | PlayedEnough], *names: str) -> dict[str, Any]:
    """The number of topics, and the mean of each named attribute."""
    if not played:
        raise InputProblem(
            "No topic is both ranked and judged; check that run and qrels name the same topics."
        )
    means = {name: float(np.mean([getattr(result, name) for result in played])) for name in names}
    return {"topics": len(played), **means}


def with_left(
    played: Sequence[TopicResult],
    outcomes: Sequence[Outcome],
    calibrator: Chances,
    payoffs: Payoffs,
    question: Question,
) -> list[PlayedReview]:
    """Add forecasts of unread relevant documents to replayed reviews.

    Parameters
    ----------
    played, outcomes
        The results of :func:`replay_reviews`, and their outcomes.
    calibrator
        As of :func:`replay_reviews`.
    payoffs : Payoffs
        Payoffs of the options.
    question : Question
        Threshold, engine and prior of the belief.

    Returns
    -------
    list of PlayedReview
    """
    by_list: dict[tuple[str, int], StillUnread] = {}  # Outcomes of one review share its list
    reviews = []
    for result, outcome in zip(played, outcomes, strict=True):
        depth, left = int(result.depth), {}
        chances = calibrator[outcome.review] if isinstance(calibrator, Mapping) else calibrator
        depths = {"stop": depth} | {f"{share:g}": math.ceil(share * len(outcome.topic)) for share in SHARES}
        for name, at in depths.items():
            key = outcome.review, at
            left[name] = by_list[key] = by_list.get(key) or still_unread(outcome.topic, chances, at)
        states = states_of(outcome.tables, question)
        now = states[studies_after(outcome.positions, len(outcome.topic))[depth]]
        to_come = studies_to_come(_left(outcome.topic, chances, depth).chance)
        turned = chance_turned(now, to_come, payoffs, tempering=past_stops().tempering)
        reviews.append(PlayedReview(**vars(result), left=left, turned=turned))
    return reviews


def still_unread(topic: Topic, chances: Calibrator | Floats, depth: int) -> StillUnread:
    """Compare the forecast of unread relevant documents with their true number.

    Parameters
    ----------
    topic : Topic
        A labelled list.
    chances : Calibrator or ndarray, shape (N,)
        Source of the chances, or the chance of each document when it was the next one.
    depth : int
        Documents read.

    Returns
    -------
    StillUnread
    """
    assert topic.labels is not None
    left = _left(topic, chances, depth)
    low, high = left.interval()
    return StillUnread(left.mean, low, high, int(topic.labels[depth:].sum()))


def _left(topic: Topic, chances: Calibrator | Floats, depth: int) -> Remaining:
    if not isinstance(chances, Calibrator):
        return prequential_ahead(chances, np.asarray(topic.labels), depth).left()
    p = chances.probabilities(topic.scores, len(topic))
    read = np.arange(len(topic)) < depth
    return chances.left(p, read, read & np.asarray(topic.labels), ~read)


def summary(played: Sequence[TopicResult]) -> dict[str, Any]:
    """Means over topics of depth, net utility, recall and right actions, and the number of errors of each kind."""
    return {
        **_means(played, "depth", "net_utility", "recall"),
        "decision_agreement": float(np.mean([result.right for result in played])),
        "false_adopt": sum(result.action == "a+" and not result.omega for result in played),
        "false_reject": sum(result.action == "a-" and result.omega for result in played),
    }


def _expected(case: Case, policy: Randomised, payoffs: Payoffs, cost: float) -> TopicResult:
    """Expected result of a rule that draws a random sample."""
    topic = case.topic
    # A reader who has found a relevant document chooses a⁺, and every sample finds one if the topic has one.
    drawn = policy.expected(case.labels)
    plus = drawn.found > 0.5
    utility = payoffs.outcome(plus, topic.omega) - cost * drawn.read
    recall = drawn.recall * int(case.labels.sum()) / case.n_relevant if case.n_relevant else 0.0
    return TopicResult(topic.name, drawn.read, "a+" if plus else "a-", topic.omega, utility, recall)


def _played(
    task: Task, case: Case, learned: LearnedFromFold, policy: Policy, payoffs: Payoffs, cost: float
) -> TopicResult:
    """The result on one case of a rule that draws no sample."""
    trial = task.trial(case, learned, [payoffs], [cost])
    grid = task.play(trial, [policy])
    if payoffs.others:
        return _among_several(trial, case, policy, grid, payoffs)
    utility = metrics.net_utility(payoffs, grid.plus, trial.truth[0], grid.screened, cost)
    depth, action = int(grid.screened.item()), "a+" if grid.plus.item() else "a-"
    omega, recall = bool(trial.truth[0]), grid.recall.item()
    return TopicResult(case.name, depth, action, omega, utility.item(), recall)


def _among_several(
    trial: Trial, case: Case, policy: Policy, grid: PlayedGrid, payoffs: Payoffs
) -> TopicResult:
    """The result of a rule on one case with several options; an Oracle chooses by the truth, others by their belief."""
    depth, omega, options = int(grid.screened.item()), bool(trial.truth[0]), payoffs.ranges().options
    best, (cost,) = options[-1 if omega else 0], trial.costs
    option = best if policy.is_oracle else trial.paths[0].action_at(depth)
    names = "a-", "a+", *(other.name for other in payoffs.others)
    utility = payoffs.outcome(option, omega) - cost * depth
    return TopicResult(case.name, depth, names[option], omega, utility, grid.recall.item(), best=names[best])
