"""Plans in a closed loop against backward induction by brute force, and what is taken together against what is not."""

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.random import Generator

from tarstop_core.value.closed_loop import SAME, ClosedLoop, Richness
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.payoffs import Payoffs
from tests.reference.reviews import Review

NEAR = 1e-3
"""Of the value, with a benefit of 1."""
KINDS = {
    "one stage": (1, 1, False, False),
    "unknown tau": (3, 1, False, False),
    "frailty": (1, 3, False, False),
    "two stages": (1, 1, True, False),
    "waiting reports": (2, 1, True, True),
    "all of it": (2, 2, True, True),
}
"""Parts of what is known, kinds of lists, whether there are two stages, and whether reports wait."""


def parts_of(rng: Generator, parts: int) -> Knowledge:
    if parts == 1:
        return Knowledge.plain(rng.uniform(0.05, 0.95), 10 ** rng.uniform(-0.7, 1.2))
    tau = rng.uniform(0.1, 2.0, parts)
    mean = rng.normal(0, 1) + rng.normal(0, 0.2, parts)
    precision = 1 / (rng.uniform(0.4, 1.5) ** 2 + rng.choice([0, 0.3]) * tau**2)
    return Knowledge(
        rng.dirichlet(np.full(parts, 3.0)), mean, precision, 1 / (tau**2 + rng.uniform(0.05, 0.6))
    )


def a_plan(rng: Generator, parts: int, kinds: int, stages: bool, wait: bool, studies: int) -> ClosedLoop:
    documents = int(rng.integers(1, 7 if kinds > 1 and stages else 13))
    p = rng.uniform(0, 0.6, documents) * rng.uniform(0.02, 1)
    payoffs = Payoffs.from_q_star(float(rng.choice([0.2, 0.5, 0.8, rng.uniform(0.1, 0.85)])))
    richness = SAME
    if kinds > 1:
        weight = rng.dirichlet(np.full(kinds, 3.0))
        richness = Richness(np.exp(rng.normal(0, 0.8, kinds)), weight)
    return ClosedLoop(
        np.sort(p)[::-1] if rng.random() < 0.7 else p,
        parts_of(rng, parts),
        payoffs.scaled(1 / payoffs.B),
        10 ** rng.uniform(-5, -1.5),
        rng.uniform(0.3, 0.9) if stages else 1.0,
        10 ** rng.uniform(-5, -1.5) if stages else 0.0,
        int(rng.integers(1, 4)) if wait else 0,
        richness,
        most=studies,
    )


def brute(plan: ClosedLoop, outcomes: tuple[int, ...]) -> Review:
    return Review(
        plan.p.tolist(), plan.knowledge, plan.payoffs, plan.cost, plan.share, plan.full_cost, plan.waiting,
        plan.richness.factor.tolist(), plan.richness.weight.tolist(), outcomes,
    )  # fmt: skip


def agrees(plan: ClosedLoop, review: Review) -> None:
    """Values within .001, and it stops where going on gains nothing, but for plans that gain less than that."""
    acting = float(plan.acting[0])
    restricted = float(review.value(0, (), 0, plan.waiting, False))
    assert acting + plan.gain() == pytest.approx(restricted, abs=NEAR)
    assert plan.value == pytest.approx(float(review.value(0, (), 0, plan.waiting, True)), abs=NEAR)
    gains, stop = review.gains(), plan.stop()
    assert all(gain > -NEAR for gain in gains[:stop])
    assert stop == len(gains) or gains[stop] < NEAR


def cases(seed: int, n: int, kind: str, studies: int) -> Iterator[ClosedLoop]:
    for each in range(n):
        yield a_plan(np.random.default_rng([seed, each]), *KINDS[kind], studies)


@pytest.mark.parametrize("kind", KINDS)
def test_value_is_that_of_backward_induction(kind: str) -> None:
    for plan in cases(1, 50, kind, 2):
        agrees(plan, brute(plan, (91, 201)))


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
def test_value_is_that_of_backward_induction_with_three_studies(kind: str) -> None:
    for plan in cases(2, 334, kind, 3):
        agrees(plan, brute(plan, (71, 71, 161)))
