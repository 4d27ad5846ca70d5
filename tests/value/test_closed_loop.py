"""Plans in a closed loop against backward induction by brute force, and what is taken together against what is not."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from numpy.random import Generator

from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tarstop_core.policies import OpenLoop, Optimal
from tarstop_core.value import closed_loop
from tarstop_core.value.closed_loop import SAME, ClosedLoop, Richness
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.mixtures import worth_of_studies
from tarstop_core.value.payoffs import Option, Payoffs
from tarstop_core.value.preposterior import evsi_of_studies
from tarstop_core.value.states import states_ahead
from tarstop_core.value.studies import NextStudy, next_studies
from tests.reference.reviews import ByScore, Review

NEAR, OF_STAKES = 1e-3, 1e-3
"""Of the value, with a benefit of 1, which few cases with several τ are beyond; and of all that is at stake, which none is."""
KINDS = {
    "one stage": (1, 1, False, False),
    "unknown tau": (3, 1, False, False),
    "frailty": (1, 3, False, False),
    "two stages": (1, 1, True, False),
    "waiting reports": (2, 1, True, True),
    "all of it": (2, 2, True, True),
    "three options": (1, 1, False, False, 1),
    "four options, waiting reports": (2, 1, True, True, 2),
}
"""Parts of what is known, kinds of lists, whether there are two stages, whether reports wait, and options beside a⁺ and a⁻."""
EVEN = Payoffs.from_q_star(0.5)
KINDS_OF_LISTS = Richness(np.array([0.5, 2.0]), np.array([0.5, 0.5]))
FREE = np.zeros(1)


def parts_of(rng: Generator, parts: int) -> Knowledge:
    if parts == 1:
        return Knowledge.plain(rng.uniform(0.05, 0.95), 10 ** rng.uniform(-0.7, 1.2))
    tau = rng.uniform(0.1, 2.0, parts)
    mean = rng.normal(0, 1) + rng.normal(0, 0.2, parts)
    precision = 1 / (rng.uniform(0.4, 1.5) ** 2 + rng.choice([0, 0.3]) * tau**2)
    weight = rng.dirichlet(np.full(parts, 3.0))
    return Knowledge(weight, mean, precision, 1 / (tau**2 + rng.uniform(0.05, 0.6)))


def with_others(payoffs: Payoffs, rng: Generator, count: int) -> Payoffs:
    """Options some of which are the best ones between a⁻ and a⁺, or beyond one of them."""
    right, wrong = rng.uniform(-0.3, 1.1, count), rng.uniform(-0.3, 1.1, count)
    others = [
        Option(str(at), -payoffs.L_g + x * payoffs.wrong_minus, -payoffs.L_r + y * payoffs.wrong_plus)
        for at, (x, y) in enumerate(zip(right, wrong, strict=True))
    ]
    try:
        return replace(payoffs, others=tuple(others))
    except InputProblem:  # one of them is always the best
        return with_others(payoffs, rng, count)


def a_plan(
    rng: Generator, parts: int, kinds: int, stages: bool, wait: bool, others: int, studies: int
) -> ClosedLoop:
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
        with_others(payoffs.scaled(1 / payoffs.B), rng, others),
        10 ** rng.uniform(-5, -1.5, 1),
        rng.uniform(0.3, 0.9) if stages else 1.0,
        10 ** rng.uniform(-5, -1.5) if stages else 0.0,
        int(rng.integers(1, 4)) if wait else 0,
        richness,
        most=studies,
    )


def brute(plan: ClosedLoop, outcomes: tuple[int, ...]) -> Review:
    return (ByScore if plan.by_score else Review)(
        plan.p.tolist(), plan.knowledge, plan.payoffs, float(plan.costs[0]), plan.share, plan.full_cost, plan.waiting,
        plan.richness.factor.tolist(), plan.richness.weight.tolist(), outcomes,
    )  # fmt: skip


def agrees(plan: ClosedLoop, review: Review, near: float = NEAR) -> None:
    """Values this near; nothing that gains more is left, and nothing is read on that loses more."""
    assert plan.value[0] == pytest.approx(float(review.value(0, (), 0, plan.waiting)), abs=near)
    gains, stop = review.gains(), int(plan.stop()[0])
    assert all(gain > -near for gain in gains[:stop])
    assert stop == len(gains) or gains[stop] < near


def cases(seed: int, n: int, kind: str, studies: int) -> Iterator[ClosedLoop]:
    for each in range(n):
        parts, kinds, stages, wait, *others = KINDS[kind]
        yield a_plan(np.random.default_rng([seed, each]), parts, kinds, stages, wait, sum(others), studies)


@pytest.mark.parametrize("kind", KINDS)
def test_value_is_that_of_backward_induction(kind: str) -> None:
    for plan in cases(1, 50, kind, 2):
        agrees(plan, brute(plan, (91, 201)))


@pytest.mark.parametrize("kind", ["one stage", "unknown tau", "frailty", "two stages"])
def test_who_goes_on_by_the_score_gains_what_backward_induction_says(kind: str) -> None:
    for plan in cases(3, 50, kind, 2):
        short = replace(plan, p=plan.p[:2], by_score=True)
        gain = float(short.gain_to(np.array([len(short.p)]))[0])
        assert gain == pytest.approx(brute(short, (91, 201)).gains()[0], abs=NEAR)


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
def test_value_is_that_of_backward_induction_with_three_studies(kind: str) -> None:
    off = 0
    for plan in cases(2, 334, kind, 3):
        review = brute(plan, (71, 71, 161))
        agrees(plan, review, NEAR if KINDS[kind][0] == 1 else max(NEAR, OF_STAKES * plan.payoffs.K))
        off += abs(plan.value[0] - float(review.value(0, (), 0, plan.waiting))) > NEAR
    assert off <= 3


@pytest.mark.parametrize(
    ("b", "n_0", "cost", "share", "full_cost"),
    [
        (0.3, 0.8, 1e-5, 1.0, 0.0),
        (0.7, 4.0, 3e-4, 0.6, 0.002),
        (0.85, 15.0, 1e-4, 1.0, 0.0),
        (0.5, 2.0, 4e-3, 0.6, 0.01),
    ],
)
def test_documents_in_blocks_are_worth_what_each_by_itself_is(
    monkeypatch: pytest.MonkeyPatch, b: float, n_0: float, cost: float, share: float, full_cost: float
) -> None:
    p = 0.35 / np.arange(1.0, 701) ** 0.6
    kinds = Richness(np.array([0.5, 1.0, 2.0]), np.array([0.3, 0.4, 0.3]))
    for richness in (SAME, kinds) if share == 1 else (SAME,):
        blocks = ClosedLoop(
            p, Knowledge.plain(b, n_0), EVEN.scaled(4.0), np.array([cost]), share, full_cost, 0, richness
        )
        single = replace(blocks)
        with monkeypatch.context() as patched:
            patched.setattr(closed_loop, "BLOCK", 0.0)
            assert len(single.nodes) == single.length + 1
        assert len(blocks.nodes) < 0.6 * len(single.nodes)
        for start in (0, 1, 40, 300):
            assert blocks.gain(start) == pytest.approx(single.gain(start), abs=NEAR)
        assert blocks.stop() == pytest.approx(single.stop(), rel=0.02, abs=1)


@pytest.mark.parametrize("needed", [0, 5])
@pytest.mark.parametrize("richness", [SAME, KINDS_OF_LISTS])
def test_plans_far_down_a_rich_list_are_worth_what_each_document_by_itself_is(
    monkeypatch: pytest.MonkeyPatch, richness: Richness, needed: int
) -> None:
    def plan() -> ClosedLoop:
        known, costs = Knowledge.plain(0.7, 4.0), np.array([1e-5, 1e-4])
        return ClosedLoop(np.full(400, 0.2), known, EVEN, costs, richness=richness, needed=needed)

    blocks, single = plan(), plan()
    assert len(blocks.nodes) < 150
    monkeypatch.setattr(closed_loop, "BLOCK", 0.0)
    assert len(single.nodes) == 401
    for start in (0, 100, 300):
        assert blocks.gain(start) == pytest.approx(single.gain(start), abs=4e-3 * EVEN.K)


def test_one_study_left_is_worth_what_the_closed_form_says() -> None:
    for b, n_0 in ((0.2, 0.5), (0.5, 2.0), (0.8, 7.0)):
        plan = ClosedLoop(np.array([0.4]), Knowledge.plain(b, n_0), EVEN, FREE, most=1)
        assert plan.gain()[0] == pytest.approx(0.4 * float(evsi_of_studies(b, n_0, 1, EVEN)), abs=1e-4)


@pytest.mark.parametrize(
    ("parts", "centre", "precision", "q_star", "below"),
    [
        (1, 1.1, 3.0, 0.2, 2e-5),
        (1, 0.9, 6.0, 0.5, 5e-6),
        (1, -1.1, 6.0, 0.2, 2e-5),
        (3, 0.9, 3.0, 0.5, 2e-5),
        (3, -0.9, 3.0, 0.5, 2e-5),
        (3, -0.9, 6.0, 0.2, 5e-7),
    ],
)
def test_a_study_that_hardly_ever_changes_the_action_is_worth_as_little_in_a_plan(
    parts: int, centre: float, precision: float, q_star: float, below: float
) -> None:
    tau = np.array([0.2, 0.5, 0.9])[:parts]
    known = Knowledge(
        np.full(parts, 1 / parts), np.full(parts, centre), np.full(parts, precision), 1 / (tau**2 + 0.3)
    )
    payoffs = Payoffs.from_q_star(q_star)
    (exact,) = worth_of_studies(known, np.ones(1), payoffs)
    plan = ClosedLoop(np.ones(1), known, payoffs, FREE, most=1)
    assert exact < below and plan.gain()[0] == pytest.approx(exact, rel=0.05)


def after(found: tuple[int, ...], theta: float) -> NextStudy:
    """The study after some that found so many of 8 diseased patients each."""
    TP = np.array(found, dtype=float)
    tables = Tables(
        tuple(map(str, range(len(TP)))), TP, np.full(len(TP), 2.0), 8 - TP, np.full(len(TP), 40.0)
    )
    (study,) = next_studies(tables, theta, n1=8, last_only=True)
    return study


def value_by_counts(
    p: list[float], cost: float, payoffs: Payoffs, theta: float, found: tuple[int, ...]
) -> float:
    """Value of the best plan by dynamic programming: every count that a study may find is pooled with those before it."""
    study = after(found, theta)
    now = float(payoffs.utility(np.array(study.b)))
    if not p:
        return now
    chance = study.b * study.given_plus + (1 - study.b) * study.given_minus
    if len(p) == 1:
        found_next = float(payoffs.utility(study.b * study.given_plus / chance) @ chance)
    else:
        found_next = sum(
            float(chance[TP]) * value_by_counts(p[1:], cost, payoffs, theta, (*found, TP)) for TP in range(9)
        )
    missed = value_by_counts(p[1:], cost, payoffs, theta, found)
    return max(now, p[0] * found_next + (1 - p[0]) * missed - cost)


@pytest.mark.parametrize("seed", range(12))
def test_a_plan_is_worth_what_pooling_every_possible_count_says(seed: int) -> None:
    rng = np.random.default_rng([4, seed])
    theta, payoffs = float(rng.uniform(0.6, 0.9)), Payoffs.from_q_star(float(rng.choice([0.2, 0.5, 0.8])))
    found = tuple(int(TP) for TP in rng.binomial(8, theta, seed % 3))
    p, cost = np.sort(rng.uniform(0.05, 0.8, 2))[::-1], payoffs.K * 10 ** rng.uniform(-4, -1.8)
    study = after(found, theta)
    known = Knowledge.plain(study.b, study.n_0)
    plan = ClosedLoop(p, known, payoffs, np.array([cost]), most=2, after_one=study.beliefs_after_one())
    value = value_by_counts(p.tolist(), cost, payoffs, theta, found)
    assert plan.value[0] == pytest.approx(value, abs=2e-3 * payoffs.K)


@pytest.mark.parametrize("both", [None, 0.8], ids=["sensitivity", "both"])
def test_no_rule_that_looks_again_stops_where_the_next_study_alone_pays(both: float | None) -> None:
    rng = np.random.default_rng(11)
    for _ in range(6):
        TP, TN = (
            rng.binomial(25, rng.uniform(0.6, 0.9), 4).astype(float),
            rng.binomial(60, 0.85, 4).astype(float),
        )
        states = next_studies(Tables(("a", "b", "c", "d"), TP, 60 - TN, 25 - TP, TN), 0.75, theta_sp=both)
        payoffs = Payoffs.from_q_star(float(rng.choice([0.2, 0.5, 0.8])))
        none = np.zeros(60, dtype=bool)
        path = CumulativePath(
            0.5 / np.arange(1.0, 61) ** 0.7, states, studies_after([2, 9, 20, 40], 60), payoffs, none
        )
        for cost in payoffs.K * np.geomspace(1e-5, 1e-2, 7):
            stop = int(Optimal().depths(path, [cost])[0])
            assert stop == 60 or path.evsi()[stop] <= cost + 1e-6 * payoffs.K


def test_beliefs_after_the_next_study_keep_their_mean() -> None:
    for belief, chance in (
        (np.array([0.1, 0.35, 0.5, 0.8]), np.array([0.3, 0.3, 0.2, 0.2])),
        # One study in a thousand turns a belief that the normal model takes for almost sure.
        (np.array([0.0, 0.2, 0.99, 0.9999, 1.0]), np.array([1e-4, 1e-3, 0.01, 0.5, 0.4889])),
    ):
        b = float(belief @ chance)
        own = states_ahead(Knowledge.plain(b, 20.0), EVEN, 3, (belief, chance))
        assert own.after_first(own.b) == pytest.approx(b, abs=1e-12)
        assert own.after_first(own.utility) == pytest.approx(EVEN.utility(belief) @ chance, abs=1e-12)
        assert own.first.sum() == pytest.approx(1.0) and (own.first >= 0).all()


def test_who_looks_again_gains_at_least_as_much_as_who_does_not() -> None:
    p = np.array([0.5, 0.4, 0.3, 0.3, 0.2, 0.1])
    for b, n_0, cost in ((0.4, 1.0, 0.01), (0.75, 2.0, 0.003), (0.15, 0.6, 0.02)):
        state = NextStudy(40, b, np.ones(1), np.ones(1), n_0)
        turn_up = np.ones(1)
        plans = []
        for m, chance in enumerate(p, 1):
            turn_up = np.convolve(turn_up, [1 - chance, chance])
            plans.append(turn_up[1:] @ evsi_of_studies(b, state.n_0, np.arange(1, m + 1), EVEN) - cost * m)
        assert (
            ClosedLoop(p, Knowledge.plain(b, n_0), EVEN, np.array([cost])).gain()[0] >= max(0, *plans) - 1e-4
        )


@pytest.mark.parametrize("more", [{}, {"share": 0.6, "full_cost": 1e-5, "waiting": 2}])
def test_it_goes_on_where_hardly_anybody_comes_without_a_study(more: dict[str, float]) -> None:
    """A depth is weighed by what going on gains there, not by how seldom nothing turns up so far."""
    p, state = np.repeat([0.6, 0.3, 0.002], [40, 60, 200]), Knowledge.plain(0.5, 1.0)
    for cost in (1e-6, 1e-4):
        plan = ClosedLoop(p, state, EVEN, np.array([cost]), **more)  # type: ignore[arg-type]
        stop = int(plan.stop()[0])
        assert stop > 60, "nothing turns up so far once in 10⁸ lists"
        for depth in (60, 100, stop - 1, stop):
            there = replace(plan, p=p[depth:])
            assert (there.stop()[0] > 0) == (depth < stop)
        both = ClosedLoop(p, state, EVEN, np.array([cost, 0.01]), **more)  # type: ignore[arg-type]
        assert both.stop()[0] == pytest.approx(stop, rel=0.02) and both.stop()[1] in (40, 100)


def test_a_poor_yield_says_that_the_list_is_poor() -> None:
    kinds = Richness(np.array([0.3, 3.0]), np.array([0.5, 0.5]))
    p = np.full(40, 0.1)
    after = kinds.after(p[:20], 0)
    assert after.weight[after.factor == 0.3] > 0.9
    assert kinds.after(p[:20], 6).weight[-1] > 0.9
    assert kinds.after(np.full(9_000, 0.1), 0).factor.tolist() == [0.3]
    assert kinds.after(np.full(9_000, 0.1), 2_000).factor.tolist() == [3.0]
    chances = kinds.mean_chances(p, np.array([0.0, 5.0]))
    assert chances[0, -1] < chances[0, 0] < chances[1, 0]
    plan = ClosedLoop(p, Knowledge.plain(0.5, 2.0), EVEN, np.array([0.004]), richness=kinds)
    assert plan.stop()[0] < replace(plan, richness=SAME).stop()[0]


@pytest.mark.parametrize("richness", [SAME, Richness(np.array([0.3, 3.0]), np.array([0.5, 0.5]))])
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_costs_that_are_asked_together_have_the_plans_of_each_alone(richness: Richness, share: float) -> None:
    costs = np.array([0.004, 0.0, 1e-5, 0.02, 0.3])
    p = 0.3 / np.arange(1.0, 61)
    together = ClosedLoop(p, Knowledge.plain(0.4, 2.0), EVEN, costs, share, 0.001, 1, richness)
    for at, cost in enumerate(costs):
        alone = replace(together, costs=np.array([cost]))
        assert together.gain(3)[at] == pytest.approx(alone.gain(3)[0], abs=NEAR / 10)
        assert together.stop()[at] == pytest.approx(alone.stop()[0], abs=1)
    path = a_path(richness, share=share)
    apart = [int(Optimal().depths(a_path(richness, share=share), [cost])[0]) for cost in costs]
    assert Optimal().depths(path, costs).tolist() == pytest.approx(apart, abs=1)
    gained = Optimal().expected_utility(path, np.full(5, 80), costs, 3)
    one_by_one = [
        Optimal().expected_utility(path, np.array([80]), costs[at : at + 1], 3)[0] for at in range(5)
    ]
    assert gained == pytest.approx(one_by_one, abs=NEAR)


def a_path(richness: Richness = SAME, **more: float) -> CumulativePath:
    rng = np.random.default_rng(3)
    states = [NextStudy(40, b, np.ones(1), np.ones(1), n) for n, b in ((1.5, 0.5), (2.5, 0.62), (3.5, 0.55))]
    p = np.sort(rng.uniform(0, 0.4, 80))[::-1]
    known = studies_after([4, 20], 80)
    labels = np.zeros(80, dtype=bool)
    labels[[4, 9, 20]] = True
    return CumulativePath(p, states, known, EVEN, labels, richness=richness, **more)


@pytest.mark.parametrize("more", [{}, {"share": 0.6, "full_cost": 0.002}, {"share": 0.6, "waiting": 1.2}])
@pytest.mark.parametrize("richness", [SAME, KINDS_OF_LISTS])
def test_going_on_from_anywhere_leads_to_the_same_stop(richness: Richness, more: dict[str, float]) -> None:
    for cost in (0.0, 1e-4, 0.002, 0.01, 0.5):
        path = a_path(richness, **more)
        stop = int(Optimal().depths(path, [cost])[0])
        assert 0 <= stop <= len(path)
        for start in range(0, stop, 7):
            assert int(Optimal().depths(path, [cost], start)[0]) == stop
            later = a_path(richness, **more)  # of somebody who asks there for the first time
            assert int(Optimal().depths(later, [cost], start)[0]) == pytest.approx(stop, abs=1)


def test_a_miss_asks_for_nothing_anew() -> None:
    path = a_path()
    Optimal().depths(path, [0.001], 21)
    plan, begin = path.closed_plan(np.array([0.001]), 21)
    assert begin == 21 and path.closed_plan(np.array([0.001]), 30)[0] is plan
    assert path.closed_plan(np.array([0.001]), 2)[0] is not plan


def test_where_nothing_can_change_nothing_is_read() -> None:
    path = a_path()
    certain = replace(path, states=[NextStudy(40, 1.0, np.ones(1), np.ones(1), np.inf)] * 3)
    assert Optimal().depths(certain, [0.0, 0.1]).tolist() == [0, 0]
    empty = replace(path, p=np.empty(0), studies=np.zeros(1, dtype=int), labels=np.zeros(0, dtype=bool))
    assert Optimal().depths(empty, [0.1]).tolist() == [0]
    assert OpenLoop().value_rate(path).shape == (80,)
    assert Optimal().value_rate(path) is None


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputProblem, match="add up to 1"):
        Richness(np.array([1.0, 2.0]), np.array([0.5, 0.4]))
    for weight, precision in (([1.0], [0.0]), ([1.0, 0.0], [1.0, 1.0])):
        with pytest.raises(InputProblem, match="add up to 1"):
            Knowledge(np.array(weight), np.zeros(len(weight)), np.array(precision), np.ones(len(weight)))


@pytest.mark.parametrize("needed", [0, 1, 3])
def test_what_is_closed_until_enough_studies_are_in_is_planned_for(needed: int) -> None:
    # So much is known that no study changes the belief: reading only opens the action that is better.
    known = Knowledge.plain(0.9, 1e9)
    plan = ClosedLoop(np.ones(5), known, EVEN, np.array([0.01]), needed=needed)
    opened = EVEN.utility_plus(np.array(0.9)) - EVEN.utility_minus(np.array(0.9)) if needed else 0.0
    assert plan.gain()[0] == pytest.approx(max(0.0, float(opened) - needed * 0.01), abs=1e-6)
    assert (plan.stop()[0] > 0) == (needed > 0)
    dear = replace(plan, p=np.full(5, 0.5), needed=1, costs=np.array([0.9 * EVEN.K * 0.5 * 0.4]))
    assert dear.gain()[0] > 0, "it is worth more than certainty, but less than what the study opens"
    further = Payoffs(0.9, 0.0, 0.0, 0.1, others=(Option("best of all where a⁺ is right", 1.0, -0.9),))
    opens = replace(
        dear, payoffs=further, knowledge=Knowledge.plain(0.5, 1e9), p=np.array([0.9]), costs=np.array([0.2])
    )
    assert opens.gain()[0] == pytest.approx(0.9 * 0.4 - 0.2, abs=1e-3)
    beyond = replace(plan, p=np.ones(2), needed=3)
    assert beyond.gain() == 0 and beyond.stop() == 0
