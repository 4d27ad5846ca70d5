"""Stopping on labelled rankings in paper mode, played as an experiment plays them: depths, actions, net utility."""

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
from tarstop_core.evaluation.tasks.base import Learned, PlayedGrid, Task, Trial
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
"""What makes them; or, by review or topic, each document's chance as it stood when it was next."""


@dataclass(frozen=True)
class StillUnread:
    """Forecast and true number of the relevant documents below a depth."""

    mean: float
    low: int
    high: int
    """`low` and `high`: central interval of 90 %."""
    true: int


@dataclass(frozen=True)
class Played:
    """The result of a policy on one topic."""

    topic: str
    depth: float  # Documents read; of a rule that draws a random sample, the expected number
    action: str  # One of "a+" or "a-", or the name of another option
    omega: bool
    """ω⁺: the qrels hold a relevant document, ranked or not; in reviews, the truth that was asked for."""
    net_utility: float  # Payoff of the action under the truth, minus cost times depth, in the payoffs' unit
    recall: float  # Relevant documents read over the qrels' R; 0 when R = 0, as in the paper
    best: str = field(default="", kw_only=True)
    """Among several options: the one that brings most under the truth."""

    @property
    def right(self) -> bool:
        """Whether the truth asks for that action."""
        return self.action == self.best if self.best else (self.action == "a+") == self.omega


@dataclass(frozen=True)
class PlayedReview(Played):
    """The result of a policy on an outcome of a review."""

    left: dict[str, StillUnread]
    """At "stop" and with a share of the list read, rounded up: "0.02", "0.05", "0.1", "0.2", "0.5"."""
    turned: float  # Forecast at the stop: the chance that everything unread would lead to the other action


def replay(
    topics: Iterable[Topic],
    calibrator: Calibrator,
    policy: Policy,
    payoffs: Payoffs,
    cost: float,
    b_0: float = 0.5,
    scale: float = 1.0,
) -> list[Played]:
    """Stop on each labelled topic as the policy says and act.

    Documents that the run does not rank are not appended; a topic without a ranked hit has no first hit. Policies act
    on the belief where they stop; baselines choose a⁺ iff they have seen a relevant document, which is what reproduces
    the paper's Table 1; an Oracle acts as the truth would where it can.

    Parameters
    ----------
    topics : iterable of Topic
        With labels.
    calibrator : Calibrator
        Gives the chances.
    policy : Policy
        Stops.
    payoffs, cost : Payoffs, float
        Stakes, and cost of a document in their unit.
    b_0 : float
        Belief before any document.
    scale : float
        Every chance is taken times this, at most 1.

    Returns
    -------
    list of Played

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
    return [_played(task, case, Learned(calibrator), policy, payoffs, cost) for case in cases]


def replay_reviews(
    outcomes: Iterable[Outcome | EffectOutcome],
    calibrator: Chances,
    policy: Policy,
    payoffs: Payoffs,
    cost: float,
    task: Task = BIVARIATE,
    prior: Prior | None = None,
) -> list[Played]:
    """Stop on outcomes of reviews, as :func:`replay` does; every rule but an Oracle acts on the belief reached.

    Parameters
    ----------
    outcomes : iterable of Outcome or EffectOutcome
        With labels and studies.
    calibrator : Calibrator or mapping of str to ndarray
        Of "brings data"; or, by review, each document's chance as it stood when it was next.
    policy, payoffs, cost
        As of :func:`replay`.
    task : ReviewTask or EffectTask
        What is to be exceeded, by which engine, and how the truth is told.
    prior : Prior, optional
        Of the belief that a test is accurate; the weak one unless given.

    Returns
    -------
    list of Played

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
    cases = (
        Case(outcome.topic, outcome.review, outcome, adaptive.get(outcome.review)) for outcome in outcomes
    )
    return [_played(task, case, Learned(fitted, prior), policy, payoffs, cost) for case in cases]


def _by_kind(chances: Chances) -> tuple[Calibrator | None, Mapping[str, Floats]]:
    """Tell a calibrator from chances that are given by case; the other one is empty."""
    return (chances, {}) if isinstance(chances, Calibrator) else (None, chances)


@dataclass(frozen=True)
class PlayedEnough:
    """How much a policy found on one topic, and how much it read for it."""

    topic: str
    depth: float  # Documents read; of a rule that draws a random sample, the mean number
    share: float  # Share of the list that was read
    recall: float  # Relevant documents read over the qrels' R; 1 when R = 0
    reached: float  # Whether that is the recall that was wanted; of a rule that draws, how often


def replay_enough(
    topics: Iterable[Topic], calibrator: Chances, policy: Policy, target: float, scale: float = 1.0
) -> list[PlayedEnough]:
    """Stop on each labelled topic as the policy says, and see how much was found.

    Parameters
    ----------
    topics : iterable of Topic
        With labels.
    calibrator : Calibrator or mapping of str to ndarray
        Of inclusion; or, by topic, each document's chance as it stood when it was next.
    policy : Policy
        Stops.
    target : float
        Recall that is wanted, in (0, 1].
    scale : float
        Every chance is taken times this, at most 1.

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
        case, learned = Case(topic, topic.name, None, adaptive.get(topic.name)), Learned(fitted)
        grid = task.play(task.trial(case, learned, [NOTHING_AT_STAKE], [0.0]), [policy])
        depth = grid.screened.item()
        share = depth / len(topic) if len(topic) else 0.0
        played.append(PlayedEnough(case.name, depth, share, grid.recall.item(), grid.plus.item()))
    return played


def reliability(played: Sequence[PlayedEnough]) -> dict[str, Any]:
    """Means over topics: documents and share read, recall, and on how many topics the recall was reached."""
    means = _means(played, "depth", "share", "recall")
    return {**means, "reliability": float(np.mean([one.reached for one in played]))}


def _means(played: Sequence[Played | PlayedEnough], *names: str) -> dict[str, Any]:
    """The number of topics, and means over them."""
    if not played:
        raise InputProblem(
            "No topic is both ranked and judged; check that run and qrels name the same topics."
        )
    means = {name: float(np.mean([getattr(one, name) for one in played])) for name in names}
    return {"topics": len(played), **means}


def with_left(
    played: Sequence[Played],
    outcomes: Sequence[Outcome],
    calibrator: Chances,
    payoffs: Payoffs,
    question: Question,
) -> list[PlayedReview]:
    """Add the forecast of unread relevant documents at the stop to replayed reviews.

    Parameters
    ----------
    played, outcomes
        The results of :func:`replay_reviews`, and their outcomes.
    calibrator
        As of :func:`replay_reviews`.
    payoffs : Payoffs
        What the options bring.
    question : Question
        What is asked of their tables.

    Returns
    -------
    list of PlayedReview
    """
    by_list: dict[tuple[str, int], StillUnread] = {}
    reviews = []
    for outcome_played, outcome in zip(played, outcomes, strict=True):
        depth, left = int(outcome_played.depth), {}
        by = calibrator[outcome.review] if isinstance(calibrator, Mapping) else calibrator
        depths = {"stop": depth} | {f"{share:g}": math.ceil(share * len(outcome.topic)) for share in SHARES}
        for name, at in depths.items():
            # Outcomes of one review share its list.
            key = outcome.review, at
            left[name] = by_list[key] = by_list.get(key) or still_unread(outcome.topic, by, at)
        states = states_of(outcome.tables, question)
        now = states[studies_after(outcome.positions, len(outcome.topic))[depth]]
        to_come = studies_to_come(_left(outcome.topic, by, depth).chance)
        turned = chance_turned(now, to_come, payoffs, tempering=past_stops().tempering)
        reviews.append(PlayedReview(**vars(outcome_played), left=left, turned=turned))
    return reviews


def still_unread(topic: Topic, by: Calibrator | Floats, depth: int) -> StillUnread:
    """Compare the forecast of relevant documents below a depth with their true number.

    Parameters
    ----------
    topic, depth : Topic, int
        A labelled list, and how many of its documents were read.
    by : Calibrator or ndarray
        What chances come from.

    Returns
    -------
    StillUnread
    """
    assert topic.labels is not None
    left = _left(topic, by, depth)
    low, high = left.interval()
    return StillUnread(left.mean, low, high, int(topic.labels[depth:].sum()))


def _left(topic: Topic, by: Calibrator | Floats, depth: int) -> Remaining:
    if not isinstance(by, Calibrator):
        return prequential_ahead(by, np.asarray(topic.labels), depth).left()
    p = by.probabilities(topic.scores, len(topic))
    read = np.arange(len(topic)) < depth
    return by.left(p, read, read & np.asarray(topic.labels), ~read)


def summary(outcomes: Sequence[Played]) -> dict[str, Any]:
    """Means over topics: screened, net utility, recall, share of right actions."""
    return {
        **_means(outcomes, "depth", "net_utility", "recall"),
        "decision_agreement": float(np.mean([outcome.right for outcome in outcomes])),
        "false_adopt": sum(outcome.action == "a+" and not outcome.omega for outcome in outcomes),
        "false_reject": sum(outcome.action == "a-" and outcome.omega for outcome in outcomes),
    }


def _expected(case: Case, policy: Randomised, payoffs: Payoffs, cost: float) -> Played:
    topic = case.topic
    # A reader who has found a relevant document chooses a⁺, and every sample finds one if the topic has one.
    drawn = policy.expected(case.labels)
    plus = drawn.found > 0.5
    utility = payoffs.outcome(plus, topic.omega) - cost * drawn.read
    recall = drawn.recall * int(case.labels.sum()) / case.n_relevant if case.n_relevant else 0.0
    return Played(topic.name, drawn.read, "a+" if plus else "a-", topic.omega, utility, recall)


def _played(
    task: Task, case: Case, learned: Learned, policy: Policy, payoffs: Payoffs, cost: float
) -> Played:
    """One rule with a depth on one case, as an experiment plays it."""
    trial = task.trial(case, learned, [payoffs], [cost])
    grid = task.play(trial, [policy])
    if payoffs.others:
        return _among_several(trial, case, policy, grid, payoffs)
    utility = metrics.net_utility(payoffs, grid.plus, trial.truth[0], grid.screened, cost)
    return Played(
        topic=case.name,
        depth=int(grid.screened.item()),
        action="a+" if grid.plus.item() else "a-",
        omega=bool(trial.truth[0]),
        net_utility=utility.item(),
        recall=grid.recall.item(),
    )


def _among_several(trial: Trial, case: Case, policy: Policy, grid: PlayedGrid, payoffs: Payoffs) -> Played:
    """One rule on one case where the best of several options is chosen: by the belief reached, or by the truth."""
    depth, omega, options = int(grid.screened.item()), bool(trial.truth[0]), payoffs.ranges().options
    best, (cost,) = options[-1 if omega else 0], trial.costs
    option = best if policy.is_oracle else trial.paths[0].action_at(depth)
    names = "a-", "a+", *(other.name for other in payoffs.others)
    utility = payoffs.outcome(option, omega) - cost * depth
    return Played(case.name, depth, names[option], omega, utility, grid.recall.item(), best=names[best])
