"""Stopping on labelled rankings in paper mode: depths, actions, net utility."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tarstop_core.calibration import Calibrator
from tarstop_core.errors import InputProblem
from tarstop_core.payoffs import Payoffs, check_cost
from tarstop_core.policies import Policy
from tarstop_core.topic import Topic
from tarstop_core.value import DecisivePath


@dataclass(frozen=True)
class Outcome:
    """What a policy came to on one topic.

    Parameters
    ----------
    topic : str
    depth : int
        Documents read.
    action : str
        "a+" or "a-".
    omega : bool
        ω⁺: the qrels hold a relevant document, ranked or not.
    net_utility : float
        Payoff of the action under the truth, minus cost times depth, in the payoffs' unit.
    recall : float
        Relevant documents read over the qrels' R; 0 when R = 0, as in the paper.
    """

    topic: str
    depth: int
    action: str
    omega: bool
    net_utility: float
    recall: float


def replay(
    topics: Iterable[Topic],
    calibrator: Calibrator,
    policy: Policy,
    payoffs: Payoffs,
    cost: float,
    b_0: float = 0.5,
) -> list[Outcome]:
    """Stop on each topic as the policy says and act.

    Documents that the run does not rank are not appended; a topic without a ranked hit has no first
    hit. Policies act on the belief where they stop; baselines (here: Budget) choose a⁺ iff they have
    seen a relevant document, which is what reproduces the paper's Table 1.

    Parameters
    ----------
    topics : iterable of Topic
        With labels and the qrels' R.
    calibrator : Calibrator
    policy : Policy
    payoffs : Payoffs
    cost : float
        Per document, in the payoffs' unit.
    b_0 : float

    Raises
    ------
    InputProblem
        When a topic has no labels or the cost is negative.
    """
    check_cost(cost)
    return [_outcome(topic, calibrator, policy, payoffs, cost, b_0) for topic in topics]


def summary(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Means over topics: screened, net utility, recall, share of right actions."""
    if not outcomes:
        raise InputProblem(
            "No topic is both ranked and judged; check that run and qrels name the same topics."
        )
    right = [(outcome.action == "a+") == outcome.omega for outcome in outcomes]
    return {
        "topics": len(outcomes),
        "depth": float(np.mean([outcome.depth for outcome in outcomes])),
        "net_utility": float(np.mean([outcome.net_utility for outcome in outcomes])),
        "recall": float(np.mean([outcome.recall for outcome in outcomes])),
        "decision_agreement": float(np.mean(right)),
        "false_adopt": sum(outcome.action == "a+" and not outcome.omega for outcome in outcomes),
        "false_reject": sum(outcome.action == "a-" and outcome.omega for outcome in outcomes),
    }


def rows(outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Outcomes as plain rows for JSON and tables."""
    return [asdict(outcome) for outcome in outcomes]


def _outcome(
    topic: Topic, calibrator: Calibrator, policy: Policy, payoffs: Payoffs, cost: float, b_0: float
) -> Outcome:
    if topic.labels is None or topic.n_relevant is None:
        raise InputProblem(f"Topic {topic.name} has no judgments; replaying needs them.")
    curve = calibrator.curve(calibrator.probabilities(topic.scores, len(topic)))
    path = DecisivePath(curve=curve, b_0=b_0, payoffs=payoffs, hit=topic.first_hit)
    depth = int(policy.depths(path, [cost])[0])
    found = int(topic.labels[:depth].sum())
    plus = path.chooses_plus(depth) if policy.acts_on_belief else found > 0
    return Outcome(
        topic=topic.name,
        depth=depth,
        action="a+" if plus else "a-",
        omega=topic.omega,
        net_utility=payoffs.outcome(plus, topic.omega) - cost * depth,
        recall=found / topic.n_relevant if topic.n_relevant else 0.0,
    )
