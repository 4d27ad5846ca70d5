"""Depths of every policy against plain loops, on the live prefix, under scaling; and the registry."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.errors import InputProblem
from tarstop_core.policies import (
    POLICIES,
    Batch,
    Budget,
    Greedy,
    LookAhead,
    Optimal,
    Policy,
    Randomised,
    Smooth,
    parse_policy,
)
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tests.reference import baselines, loops

CHANCES = st.one_of(st.sampled_from([0.0, 1e-12, 1.0]), st.floats(0, 1), st.floats(0, 0.05))
RANKINGS = st.lists(CHANCES, min_size=1, max_size=30)
PRIORS = st.one_of(st.sampled_from([0.5, 0.2, 0.8]), st.floats(0.01, 0.99))
AMOUNTS = st.floats(0.05, 20)
PAYOFFS = st.one_of(
    st.builds(Payoffs, B=AMOUNTS, L_r=AMOUNTS, L_g=AMOUNTS, G=AMOUNTS),
    st.builds(Payoffs.from_q_star, st.sampled_from([0.2, 0.5, 0.8])),
)
COSTS = st.one_of(st.sampled_from([0.0, 0.0001, 0.001, 0.01, 0.05, 1.0]), st.floats(0, 1))
PAPER_COSTS = [0.0001, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 1.0]
WINDOWS = st.integers(1, 35)
RULES = st.one_of(
    st.just(Greedy()),
    st.just(Optimal()),
    st.builds(Smooth, WINDOWS),
    st.builds(Batch, WINDOWS),
    st.builds(LookAhead, WINDOWS),
)
VARIANTS = st.one_of(
    st.just({}),
    st.fixed_dictionaries(
        {"kappa": st.floats(0.1, 1), "s": st.floats(0.1, 1), "frailty": st.sampled_from([0.5, 3.0, math.inf])}
    ),
)

Loop = Callable[..., int]


@st.composite
def paths(draw: st.DrawFn) -> DecisivePath:
    p = draw(RANKINGS)
    return DecisivePath(
        hit_curve(p, **draw(VARIANTS)),
        draw(PRIORS),
        draw(PAYOFFS),
        hit=draw(st.one_of(st.none(), st.integers(1, len(p)))),
        needs_citation=draw(st.booleans()),
    )


def loop_depth(
    policy: Policy,
    h: Sequence[float],
    b_0: float,
    payoffs: Payoffs,
    c: float,
    hit: int | None = None,
    cited: bool = False,
) -> int:
    """Depth by the plain loop of this policy."""
    loop: dict[type[Policy], Loop] = {
        Greedy: loops.greedy_depth,
        Smooth: loops.smooth_depth,
        Batch: loops.batch_depth,
        LookAhead: loops.look_ahead_depth,
        Optimal: loops.optimal_depth,
    }
    return loop[type(policy)](h, b_0, payoffs, c, *policy.settings.values(), hit=hit, cited=cited)


def exact_gain(
    policy: Policy, h: Sequence[float], b_0: float, payoffs: Payoffs, c: float, cited: bool, d: int
) -> tuple[Fraction, Fraction]:
    """What the policy compares at depth d, in exact arithmetic: (gain of going on − cost, its size)."""
    chances = [Fraction(chance) for chance in h]
    B, L_r, L_g, G = (Fraction(x) for x in (payoffs.B, payoffs.L_r, payoffs.L_g, payoffs.G))
    cost, odds = Fraction(c), Fraction(b_0) / (1 - Fraction(b_0))
    for chance in chances[:d]:
        odds *= 1 - chance
    b = odds / (1 + odds)
    if isinstance(policy, Greedy | Smooth | Batch):
        window = chances[d : d + policy.settings.get("K", 1)]
        evpi = b * (B + L_g) if cited else min(b * (B + L_g), (1 - b) * (G + L_r))
        score = b * sum(window) / len(window) * evpi
        return score - cost, max(score, cost)
    alive, spent, best = 1 - b, Fraction(0), None
    present = b
    start = b * (B + L_g) if cited else min(b * (B + L_g), (1 - b) * (G + L_r))
    for chance in chances[d : d + policy.settings.get("m", len(h))]:
        spent += cost * (present + alive)
        present *= 1 - chance
        loss = present * (B + L_g) if cited else min(present * (B + L_g), alive * (G + L_r))
        gain = start - loss - spent
        best = gain if best is None else max(best, gain)
    assert best is not None
    return best, start + cost


def agree(
    policy: Policy,
    depth: int,
    h: Sequence[float],
    b_0: float,
    payoffs: Payoffs,
    c: float,
    hit: int | None = None,
    cited: bool = False,
) -> bool:
    """Same depth as the loop, or an exact tie (to rounding) where they part."""
    expected = loop_depth(policy, h, b_0, payoffs, c, hit, cited)
    if depth == expected:
        return True
    gain, size = exact_gain(policy, h, b_0, payoffs, c, cited, min(depth, expected))
    return abs(gain) <= Fraction(1e-11) * size + Fraction(3e-12 * payoffs.K)


@given(RULES, RANKINGS, PRIORS, PAYOFFS, st.lists(COSTS, min_size=1, max_size=4), st.booleans(), st.data())
def test_depths_equal_the_loops(
    policy: Policy,
    p: list[float],
    b_0: float,
    payoffs: Payoffs,
    costs: list[float],
    cited: bool,
    data: st.DataObject,
) -> None:
    hit = data.draw(st.one_of(st.none(), st.integers(1, len(p))))
    path = DecisivePath(hit_curve(p), b_0, payoffs, hit=hit, needs_citation=cited)
    depths = policy.depths(path, costs)
    assert depths.shape == (len(costs),)
    for c, depth in zip(costs, depths.tolist(), strict=True):
        assert agree(policy, depth, p, b_0, payoffs, c, hit, cited)


def random_curves(n: int, seed: int) -> list[list[float]]:
    rng = np.random.default_rng(seed)
    curves = []
    for _ in range(n):
        length = int(rng.choice([1, 2, 5, 13, 40, 150]))
        top, fall = 10 ** rng.uniform(-3, -0.05), rng.uniform(0, 1.5)
        p = np.clip(top / np.arange(1, length + 1) ** fall * rng.lognormal(0, 0.7, length), 0, 1)
        extreme = rng.random(length)
        p[extreme < 0.03], p[extreme > 0.98] = 0.0, 1e-12
        p[extreme > 0.995] = 1.0
        curves.append(p.tolist())
    return curves


@pytest.mark.parametrize(
    "policy",
    [Greedy(), Smooth(1), Smooth(10), Batch(1), Batch(10), LookAhead(1), LookAhead(20), Optimal()],
    ids=str,
)
@pytest.mark.parametrize("cited", [False, True], ids=["free", "cited"])
def test_depths_are_identical_to_the_loops_on_random_curves(policy: Policy, cited: bool) -> None:
    rng = np.random.default_rng(5)
    seen = set()
    for p in random_curves(60, seed=7):
        b_0, hit = float(rng.uniform(0.05, 0.95)), int(rng.integers(1, 2 * len(p) + 1))
        payoffs = Payoffs(*rng.uniform(0.05, 5, 4))
        found = hit if hit <= len(p) else None
        path = DecisivePath(hit_curve(p), b_0, payoffs, hit=found, needs_citation=cited)
        depths = policy.depths(path, PAPER_COSTS).tolist()
        assert depths == [loop_depth(policy, p, b_0, payoffs, c, found, cited) for c in PAPER_COSTS]
        seen.update(depths)
    assert len(seen) > 10


@given(RULES, RANKINGS, VARIANTS, PRIORS, PAYOFFS, COSTS, st.booleans())
def test_depths_equal_the_loops_with_coverage_sensitivity_and_frailty(
    policy: Policy,
    p: list[float],
    variant: dict[str, float],
    b_0: float,
    payoffs: Payoffs,
    c: float,
    cited: bool,
) -> None:
    p = [min(chance, 0.99) for chance in p]  # beyond a certain hit 1 − M_d / M_{d−1} has no digits
    path = DecisivePath(hit_curve(p, **variant), b_0, payoffs, needs_citation=cited)
    depth = int(policy.depths(path, [c])[0])
    assert agree(policy, depth, loops.hazards(p, **variant), b_0, payoffs, c, cited=cited)


@given(RULES, paths(), COSTS)
def test_the_live_page_is_told_what_the_experiment_measures(
    policy: Policy, path: DecisivePath, c: float
) -> None:
    stop = int(policy.depths(path, [c])[0])
    assert 0 <= stop <= len(path)
    assert policy.depths(path, [c], start=stop).tolist() == [stop]
    unknown = replace(path, hit=None)
    for d in range(stop):
        assert policy.depths(path, [c], start=d)[0] > d
        if path.hit is None or d < path.hit:
            assert policy.depths(unknown, [c], start=d)[0] > d
    if path.hit is None or stop < path.hit:
        assert policy.depths(unknown, [c], start=stop).tolist() == [stop]


@given(RULES, paths(), COSTS, st.data())
def test_projected_stop_lies_ahead_within_the_list(
    policy: Policy, path: DecisivePath, c: float, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(path)))
    ahead = int(policy.depths(path, [c], start=start)[0])
    assert start <= ahead <= len(path)
    # Going there without a stop on the way: from each depth in between the same end is announced.
    if not isinstance(policy, Batch):
        for d in range(start, ahead):
            assert policy.depths(path, [c], start=d).tolist() == [ahead]


@given(
    st.one_of(st.just(Greedy()), st.builds(Smooth, WINDOWS)), paths(), st.lists(COSTS, min_size=2, max_size=8)
)
def test_depth_falls_as_cost_rises(policy: Policy, path: DecisivePath, costs: list[float]) -> None:
    depths = policy.depths(path, sorted(costs))
    assert (np.diff(depths) <= 0).all()


@given(RULES, paths(), st.lists(COSTS, min_size=2, max_size=6))
def test_costs_do_not_see_each_other(policy: Policy, path: DecisivePath, costs: list[float]) -> None:
    together = policy.depths(path, costs).tolist()
    assert together == [int(policy.depths(path, [c])[0]) for c in costs]
    assert policy.depths(path, costs[0]).tolist() == together[:1]


@pytest.mark.parametrize("factor", [10.0**e for e in range(-6, 10)])
def test_scaling_payoffs_and_cost_together_changes_nothing(factor: float) -> None:
    rng = np.random.default_rng(3)
    policies = [Greedy(), Smooth(10), Batch(10), LookAhead(20), Optimal(), Budget(7)]
    for p in random_curves(25, seed=9):
        hit = int(rng.integers(1, 3 * len(p) + 1))
        one = DecisivePath(
            hit_curve(p),
            float(rng.uniform(0.05, 0.95)),
            Payoffs(*rng.uniform(0.05, 5, 4)),
            hit=hit if hit <= len(p) else None,
            needs_citation=bool(rng.random() < 0.5),
        )
        other = replace(one, payoffs=one.payoffs.scaled(factor, unit="£"))
        costs = np.array([0.0, *PAPER_COSTS])
        for policy in policies:
            depths = policy.depths(one, costs)
            assert policy.depths(other, costs * factor).tolist() == depths.tolist()
            for depth in depths:
                assert one.chooses_plus(depth) == other.chooses_plus(depth)


@pytest.mark.parametrize("policy", [Greedy(), Smooth(5), LookAhead(5), Optimal()], ids=str)
def test_a_hit_ends_the_screening(policy: Policy) -> None:
    path = DecisivePath(hit_curve([0.2] * 50), 0.5, Payoffs.from_q_star(0.5), hit=4)
    assert policy.depths(path, [0.001]).tolist() == [4]
    assert policy.depths(replace(path, hit=None), [0.001])[0] > 4
    assert policy.depths(path, [0.001], start=9).tolist() == [9]


def test_a_batch_is_finished_after_a_hit() -> None:
    p, payoffs = [0.2] * 48, Payoffs.from_q_star(0.5)
    for hit, depth in ((1, 10), (9, 10), (10, 10), (11, 20)):
        path = DecisivePath(hit_curve(p), 0.5, payoffs, hit=hit)
        assert Batch(10).depths(path, [0.0001]).tolist() == [depth]
    # The last batch holds what is left.
    late = DecisivePath(hit_curve([0.001] * 48), 0.5, payoffs, hit=47)
    assert Batch(10).depths(late, [1e-9]).tolist() == [48]
    assert Batch(100).depths(late, [1e-9]).tolist() == [48]


def test_in_the_middle_of_a_batch_one_goes_on_to_its_end() -> None:
    path = DecisivePath(hit_curve([0.3] * 10 + [0.0] * 30), 0.5, Payoffs.from_q_star(0.5))
    assert [int(Batch(10).depths(path, [0.001], start=d)[0]) for d in (0, 1, 9, 10, 11, 20)] == [
        10, 10, 10, 10, 11, 20,  # the batch from 10 on was refused, so nobody is inside it
    ]  # fmt: skip


def test_nothing_is_read_where_a_document_costs_more_than_anything_to_gain() -> None:
    path = DecisivePath(hit_curve([0.9, 0.9, 0.9]), 0.5, Payoffs.from_q_star(0.5))
    for policy in (Greedy(), Smooth(2), Batch(2), LookAhead(2), Optimal()):
        assert policy.depths(path, [1.0, 1e6]).tolist() == [0, 0]


def test_free_documents_are_all_read_while_they_can_matter() -> None:
    path = DecisivePath(hit_curve([0.3] * 20), 0.5, Payoffs.from_q_star(0.5))
    for policy in (Greedy(), Smooth(3), Batch(3), LookAhead(3), Optimal()):
        assert policy.depths(path, [0.0]).tolist() == [20]
    settled = replace(path, curve=hit_curve([0.3] * 5 + [0.0] * 5))
    for policy in (Greedy(), Smooth(1), Batch(1), LookAhead(3), Optimal()):
        assert policy.depths(settled, [0.0]).tolist() == [5]


def test_the_example_of_the_framework() -> None:
    curve = hit_curve([0.25 / k**0.9 for k in range(1, 3001)])
    path = DecisivePath(curve, 0.5, Payoffs.from_q_star(0.2))
    assert Optimal().depths(path, [0.001]).tolist() == [0]
    assert Optimal().depths(replace(path, needs_citation=True), [0.001]).tolist() == [56]
    # Where chances fall, one step is as good as all: continue iff rho(B + L_g) > c.
    assert LookAhead(1).depths(replace(path, needs_citation=True), [0.001]).tolist() == [56]


@pytest.mark.parametrize("p_1, depth", [(0.74, 0), (0.76, 1)])
def test_one_step_alone_is_a_trap(p_1: float, depth: int) -> None:
    path = DecisivePath(hit_curve([p_1]), 0.5, Payoffs.from_q_star(0.2))
    assert LookAhead(1).depths(path, [1e-6]).tolist() == [depth]


@given(paths(), COSTS)
def test_a_longer_horizon_never_stops_sooner(path: DecisivePath, c: float) -> None:
    depths = [int(LookAhead(m).depths(path, [c])[0]) for m in (1, 2, 5, 50)]
    assert depths == sorted(depths)
    assert depths[-1] == Optimal().depths(path, [c])[0]


@given(paths(), COSTS)
def test_windows_of_one_are_greedy(path: DecisivePath, c: float) -> None:
    greedy = Greedy().depths(path, [c]).tolist()
    assert Smooth(1).depths(path, [c]).tolist() == greedy == Batch(1).depths(path, [c]).tolist()


@given(paths(), st.integers(1, 60), st.integers(0, 30))
def test_budget(path: DecisivePath, d: int, start: int) -> None:
    start = min(start, len(path))
    assert Budget(d).depths(path, [0.0, 1.0], start).tolist() == [max(start, min(d, len(path)))] * 2
    assert Budget(d).value_rate(path) is None


@given(RULES, paths(), COSTS)
def test_what_is_shown_is_what_is_compared(policy: Policy, path: DecisivePath, c: float) -> None:
    path = replace(path, hit=None)
    worth = policy.value_rate(path)
    assert worth is not None
    assert worth.shape == (len(path),)
    depth = int(policy.depths(path, [c])[0])
    tiny = 1e-9 * (path.payoffs.K + c)
    step = policy.settings.get("K", 1) if isinstance(policy, Batch) else 1
    assert (worth[:depth:step] > c - tiny).all()
    assert depth == len(path) or worth[depth] < c + tiny


def cases(longest: int) -> list[loops.Case]:
    """Lists of many lengths with few, some and many relevant documents, mostly near the top."""
    rng = np.random.default_rng(11)
    found = []
    lengths = [length for length in (1, 2, 7, 40, 120, 300) if length <= longest]
    for N, top, fall in product(lengths, (0.05, 0.5, 0.95), (0.3, 1.5)):
        p = np.clip(top * np.arange(1, N + 1) ** (-fall * 8 / (8 + np.sqrt(N))), 0.0, 1.0)
        labels = (rng.random(N) < p * rng.choice([0.2, 1.0])).astype(int).tolist()
        stakes = Payoffs(*rng.uniform(0.05, 5, 4))
        c, cited = 10 ** rng.uniform(-4, -1), bool(rng.random() < 0.3)
        b_0, drawn = float(rng.uniform(0.05, 0.95)), rng.permutation(N).tolist()
        found.append(loops.Case(p.tolist(), labels, b_0, stakes, c, cited, drawn))
    return found


def settings_of(rule: type[Policy]) -> list[Policy]:
    """As it stands, and with every value that a grid search tries, one parameter at a time."""
    tried = [rule(**{each.name: value}) for each in rule.parameters for value in each.grid]
    return list(dict.fromkeys((rule(), *tried)))


def depth_of(policy: Policy, case: loops.Case) -> int:
    labels = np.array(case.labels, dtype=bool)
    if isinstance(policy, Randomised):
        return int(policy.runs(labels, np.array([loops.numbers_of(case.drawn)])).depth[0])
    path = DecisivePath(
        hit_curve(case.p),
        case.b_0,
        Payoffs(case.stakes.B, case.stakes.L_r, case.stakes.L_g, case.stakes.G),
        hit=case.hit,
        needs_citation=case.cited,
        labels=labels,
        p=np.array(case.p),
    )
    return int(policy.depths(path, [case.c])[0])


@pytest.mark.parametrize("name", POLICIES)
def test_every_rule_stops_where_its_plain_loop_does(name: str) -> None:
    assert name in loops.LOOPS, f"add a plain loop of {name} to LOOPS in tests/reference/loops.py"
    # The loop of the hypergeometric test looks at every draw: a list of 300 takes it seconds.
    every = cases(40 if name in ("hypergeometric", "anytime-test") else 300)
    for policy, case in product(settings_of(POLICIES[name]), every):
        expected = loops.LOOPS[name](case, *policy.settings.values())
        assert depth_of(policy, case) == expected, (policy, len(case.p))


def test_the_2399_rule_stops_in_a_list_that_is_long_enough() -> None:
    labels = [0, 0, 1, 0, 1, *[0] * 4000]
    path = DecisivePath(
        hit_curve(np.full(4005, 0.01)), 0.5, Payoffs.from_q_star(0.5), labels=np.array(labels) > 0
    )
    depth = int(POLICIES["rule-2399"]().depths(path, [0.01])[0])
    assert depth == baselines.rule_2399_depth(labels) == 2402


ALL = [
    Greedy(),
    Optimal(),
    Budget(250),
    *(rule(K) for rule in (Smooth, Batch, LookAhead) for K in (1, 5, 20)),
    *(rule() for rule in POLICIES.values() if rule not in {Greedy, Optimal}),
]


@pytest.mark.parametrize("policy", ALL, ids=str)
def test_specs_round_trip(policy: Policy) -> None:
    assert parse_policy(policy.spec) == policy
    assert parse_policy(f"  {policy.spec} ") == policy
    assert policy.spec.startswith(policy.name)
    assert str(policy).startswith(policy.title)
    assert parse_policy(policy.name) == type(policy)()


def test_the_registry_describes_itself() -> None:
    for name, rule in POLICIES.items():
        policy = rule()
        assert policy.name == name
        assert policy.title
        assert policy.rule.endswith(".")
        assert policy.source
        assert list(policy.settings) == [parameter.name for parameter in policy.parameters]
        for parameter in policy.parameters:
            assert parameter.checked(policy.settings[parameter.name], name) == policy.settings[parameter.name]
            assert parameter.grid
            for value in parameter.grid:
                assert rule(**{parameter.name: value}).settings[parameter.name] == value
    assert Smooth.parameters[0].grid == Batch.parameters[0].grid == (2, 5, 10, 20, 50, 100)


@pytest.mark.parametrize(
    "spec",
    [
        "",
        ":",
        "nonsense",
        "nonsense:K=3",
        "greedy:K=5",
        "smooth:m=5",
        "smooth:K",
        "smooth:K=",
        "smooth:K=five",
        "smooth:K=2.5",
        "smooth:K=0",
        "smooth:K=-3",
        "batch:K=100001",
        "look-ahead:m=0",
        "budget:d=0",
        "budget:d=1e3",
        "smooth:K=5:K=6",
        "smooth K=5",
        "smooth:=5",
        "smooth:5",
        "smooth:K=5,K=6",
    ],
)
def test_a_bad_spec_gives_one_sentence(spec: str) -> None:
    with pytest.raises(InputProblem) as problem:
        parse_policy(spec)
    message = str(problem.value)
    assert message.endswith(".")
    assert "\n" not in message
    assert ". " not in message


@pytest.mark.parametrize("value", [0, -1, 2.5, math.nan, math.inf])
def test_parameters_out_of_range_are_refused(value: float) -> None:
    for rule in (Smooth, Batch, LookAhead, Budget):
        with pytest.raises(InputProblem):
            rule(value)


def test_within_a_batch_it_is_finished_only_where_it_was_begun() -> None:
    # By start and hit; the batch from 5 on is not begun where a hit was found before it.
    depths = {(8, None): 20, (8, 12): 15, (8, 6): 10, (8, 5): 8, (8, 3): 8, (10, 3): 10, (19, 3): 19}
    for (start, hit), depth in depths.items():
        path = DecisivePath(hit_curve([0.05] * 20), 0.5, Payoffs.from_q_star(0.5), hit=hit)
        assert Batch(5).depths(path, [1e-9, 1.0], start).tolist() == [depth, start]
