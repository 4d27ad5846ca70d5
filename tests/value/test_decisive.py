"""Value of information against enumeration, and optimal stopping against backward induction."""

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tarstop_core.belief.decisive import HitCurve, hit_curve
from tarstop_core.policies import Optimal
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tests.reference import loops

CHANCES = st.one_of(st.sampled_from([0.0, 1e-12, 1.0]), st.floats(0, 1), st.floats(0, 0.05))
RANKINGS = st.lists(CHANCES, min_size=1, max_size=30)
PRIORS = st.floats(0.01, 0.99)
AMOUNTS = st.floats(0.05, 20)
PAYOFFS = st.one_of(
    st.builds(Payoffs, B=AMOUNTS, L_r=AMOUNTS, L_g=AMOUNTS, G=AMOUNTS),
    st.builds(Payoffs.from_q_star, st.sampled_from([0.2, 0.5, 0.8])),
)
COSTS = st.one_of(st.sampled_from([0.0, 0.0001, 0.001, 0.01, 0.05, 1.0]), st.floats(0, 2))
CITED = st.booleans()


def exact_plan_values(
    h: list[float], b_0: float, payoffs: Payoffs, c: float, cited: bool = False
) -> list[Fraction]:
    """J(0) … J(N) of framework's closed form in exact arithmetic."""
    prior, cost = Fraction(b_0), Fraction(c)
    B, L_r, L_g, G = (Fraction(x) for x in (payoffs.B, payoffs.L_r, payoffs.L_g, payoffs.G))
    M, spent, values = Fraction(1), Fraction(0), []
    for chance in [*h, 0.0]:
        S = prior * M + 1 - prior
        minus = -prior * M * L_g + (1 - prior) * G
        plus = prior * M * B - (1 - prior) * L_r
        act = minus if cited else max(plus, minus)
        values.append(B * prior * (1 - M) + act - spent)
        spent += cost * S
        M *= 1 - Fraction(chance)
    return values


@given(RANKINGS, PRIORS, PAYOFFS, COSTS, CITED)
def test_plan_value_is_the_closed_form(
    h: list[float], b_0: float, payoffs: Payoffs, c: float, cited: bool
) -> None:
    path = DecisivePath(hit_curve(h), b_0, payoffs, needs_citation=cited)
    exact = [float(value) for value in exact_plan_values(h, b_0, payoffs, c, cited)]
    np.testing.assert_allclose(path.plan_value(c), exact, rtol=0, atol=1e-12 * (payoffs.K + c * len(h)))


@given(RANKINGS, PRIORS, PAYOFFS, COSTS, CITED)
def test_best_plan_value_is_backward_induction(
    h: list[float], b_0: float, payoffs: Payoffs, c: float, cited: bool
) -> None:
    path = DecisivePath(hit_curve(h), b_0, payoffs, needs_citation=cited)
    stop = int(path.horizon_depths([c], None)[0])
    W_0, _ = loops.induction(h, b_0, payoffs, c, cited)
    assert path.plan_value(c)[stop] == pytest.approx(W_0, rel=0, abs=1e-12 * (payoffs.K + c))
    assert path.plan_value(c).max() == pytest.approx(W_0, rel=0, abs=1e-12 * (payoffs.K + c))


@given(RANKINGS, PRIORS, PAYOFFS, CITED)
def test_evsi_is_enumeration(h: list[float], b_0: float, payoffs: Payoffs, cited: bool) -> None:
    path = DecisivePath(hit_curve(h), b_0, payoffs, needs_citation=cited)
    expected = [
        loops.one_step_evsi(float(b), chance, payoffs, cited)
        for b, chance in zip(path.b[:-1], h, strict=True)
    ]
    np.testing.assert_allclose(path.evsi(), expected, rtol=0, atol=1e-12 * payoffs.K)


@given(RANKINGS, PRIORS, PAYOFFS, CITED)
def test_evsi_lies_between_nothing_and_its_bounds(
    h: list[float], b_0: float, payoffs: Payoffs, cited: bool
) -> None:
    path = DecisivePath(hit_curve(h), b_0, payoffs, needs_citation=cited)
    evsi, evpi, tiny = path.evsi(), path.evpi[:-1], 1e-12 * payoffs.K
    assert (evsi >= 0).all()
    assert (evsi <= evpi + tiny).all()
    assert (evsi <= np.array(h) * evpi + tiny).all()


@given(st.floats(1e-3, 0.999), st.floats(1e-3, 0.999), PAYOFFS)
def test_evsi_case_by_case(b: float, p: float, payoffs: Payoffs) -> None:
    path = DecisivePath(hit_curve([p]), b, payoffs)
    evsi, rho, q_star = float(path.evsi()[0]), b * p, payoffs.q_star
    after_miss = b * (1 - p) / (1 - rho)
    if b <= q_star:
        expected = p * float(payoffs.evpi(b))
    elif after_miss >= q_star:
        expected = 0.0
    else:
        expected = rho * (payoffs.B + payoffs.L_g) - payoffs.K * (b - q_star)
    assert evsi == pytest.approx(expected, rel=0, abs=1e-12 * payoffs.K)


def test_the_papers_bound_is_exceeded_and_the_one_step_value_can_be_nothing() -> None:
    below = DecisivePath(hit_curve([0.5]), 0.2, Payoffs.from_q_star(0.8))
    assert float(below.evsi()[0]) == pytest.approx(float(below.score()[0]) / 0.2)
    above = DecisivePath(hit_curve([0.1]), 0.9, Payoffs.from_q_star(0.2))
    assert float(above.evsi()[0]) == 0 < float(above.score()[0])
    for p, gains in ((0.7499, False), (0.7501, True)):
        path = DecisivePath(hit_curve([p]), 0.5, Payoffs.from_q_star(0.2))
        assert (float(path.evsi()[0]) > 0) is gains


@given(RANKINGS, PRIORS, PAYOFFS, CITED, st.one_of(st.none(), st.integers(1, 40)))
@example([0.1] * 9, 0.5, Payoffs.from_q_star(0.2), False, 2)
@example([0.1] * 9, 0.5, Payoffs.from_q_star(0.2), False, 8)
@example([0.1] * 9, 0.5, Payoffs.from_q_star(0.2), False, 9)
def test_worth_is_what_the_best_plan_gains_a_document(
    h: list[float], b_0: float, payoffs: Payoffs, cited: bool, m: int | None
) -> None:
    path = DecisivePath(hit_curve(h), b_0, payoffs, needs_citation=cited)
    expected = []
    for d, b in enumerate(loops.beliefs(h, b_0)[:-1]):
        documents, gained = path.rates_from(d)
        now, *plans = loops.plan_values(h[d:], b, payoffs, 0.0, cited, limit=m)
        read, alive, rates = 0.0, 1.0, [0.0]
        for value, chance in zip(plans, h[d:], strict=False):
            read += alive
            rates.append((value - now) / read)
            alive *= 1 - b * chance
            b = b * (1 - chance) / (1 - b * chance) if b * chance < 1 else 0.0
        expected.append(max(rates))
        upto = len(rates) - 1
        assert documents.tolist() == list(range(1, len(h) - d + 1))
        np.testing.assert_allclose(gained[:upto], rates[1:], rtol=0, atol=1e-11 * payoffs.K)
    np.testing.assert_allclose(path.value_rate(m), expected, rtol=0, atol=1e-11 * payoffs.K)


@given(RANKINGS, PRIORS, PAYOFFS, CITED, st.integers(1, 35))
def test_score_is_the_mean_chance_times_evpi(
    h: list[float], b_0: float, payoffs: Payoffs, cited: bool, K: int
) -> None:
    path = DecisivePath(hit_curve(h), b_0, payoffs, needs_citation=cited)
    expected = []
    for d, b in enumerate(loops.beliefs(h, b_0)[:-1]):
        window = [b * chance for chance in h[d : d + K]]
        expected.append(sum(window) / len(window) * loops.evpi(b, payoffs, cited))
    np.testing.assert_allclose(path.score(K), expected, rtol=1e-9, atol=1e-14 * payoffs.K)


@given(RANKINGS, PRIORS, PAYOFFS, COSTS, st.sampled_from([10.0**e for e in range(-6, 10)]))
def test_money_and_normalised_say_the_same(
    h: list[float], b_0: float, payoffs: Payoffs, c: float, factor: float
) -> None:
    one = DecisivePath(hit_curve(h), b_0, payoffs)
    other = DecisivePath(hit_curve(h), b_0, payoffs.scaled(factor))
    for name in ("evpi", "loss"):
        np.testing.assert_allclose(getattr(other, name), factor * getattr(one, name), rtol=1e-11)
    size = factor * (payoffs.K + c * len(h))
    np.testing.assert_allclose(other.evsi(), factor * one.evsi(), rtol=0, atol=1e-12 * size)
    np.testing.assert_allclose(
        other.plan_value(factor * c), factor * one.plan_value(c), rtol=0, atol=1e-12 * size
    )
    np.testing.assert_array_equal(other.b, one.b)


def test_belief_and_action_where_the_screening_stops() -> None:
    payoffs = Payoffs(B=5, L_r=2, L_g=3, G=4)
    path = DecisivePath(hit_curve([0.4, 0.4, 0.4]), 0.5, payoffs, hit=3)
    assert [path.belief_at(d) for d in range(4)] == pytest.approx([*loops.beliefs([0.4] * 3, 0.5)[:3], 1])
    assert [path.chooses_plus(d) for d in range(4)] == [True, False, False, True]


@given(RANKINGS, PRIORS, PAYOFFS, st.data())
def test_without_a_citation_only_minus_is_open_before_a_hit(
    h: list[float], b_0: float, payoffs: Payoffs, data: st.DataObject
) -> None:
    hit = data.draw(st.one_of(st.none(), st.integers(1, len(h))))
    path = DecisivePath(hit_curve(h), b_0, payoffs, hit=hit, needs_citation=True)
    for depth in range(len(h) + 1):
        found = hit is not None and depth >= hit
        assert path.chooses_plus(depth) is found


@pytest.mark.parametrize("looks_every", [None, 1, 2, 3, 7])
def test_who_looks_again_after_some_documents_pays_for_them_to_the_last(looks_every: int | None) -> None:
    h, start = [0.4, 0.3, 0.2, 0.1, 0.3, 0.05, 0.2], 2
    path, depths = DecisivePath(hit_curve(h), 0.5, Payoffs.from_q_star(0.5)), np.arange(start, 8)
    free, dear = (
        path.expected_utility(depths, np.full(6, cost), start, acts_on_belief=True, looks_every=looks_every)
        for cost in (0.0, 1.0)
    )
    every = looks_every or 100  # Who never looks reads on to the end.
    expected, alive, b = np.zeros(6), 1.0, float(path.b[start])
    for at in range(start, 7):
        hit = alive * (b * h[at])
        expected += hit * (np.minimum(-(-(at + 1) // every) * every, depths) - start)
        alive, b = alive - hit, b * (1 - h[at]) / (1 - b * h[at])
    assert free - dear == pytest.approx(expected + alive * (depths - start))


def test_who_stops_at_once_is_expected_to_gain_what_acting_now_brings() -> None:
    payoffs, now = Payoffs(B=5, L_r=2, L_g=3, G=4), np.array([2])
    path = DecisivePath(hit_curve([0.4, 0.3, 0.2]), 0.5, payoffs)
    utility = path.expected_utility(now, np.ones(1), 2, acts_on_belief=True, looks_every=1)
    assert utility == pytest.approx([float(payoffs.utility(path.b[2]))])


def test_at_the_threshold_the_action_is_minus_whatever_rounding_did() -> None:
    for b_0 in (0.5, 0.5000000000000001):
        assert not DecisivePath(hit_curve([0.1]), b_0, Payoffs.from_q_star(0.5)).chooses_plus(0)


def test_the_example_of_the_framework() -> None:
    chances = [0.25 / k**0.9 for k in range(1, 3001)]
    for cited, depth in ((False, 0), (True, 56)):
        path = DecisivePath(hit_curve(chances), 0.5, Payoffs.from_q_star(0.2), needs_citation=cited)
        assert path.horizon_depths([0.001], None).tolist() == [depth]


def random_cases(n: int, seed: int) -> Iterator[tuple[list[float], float, Payoffs, float]]:
    rng = np.random.default_rng(seed)
    for _ in range(n):
        length = int(rng.integers(1, 80))
        top, fall = rng.uniform(0.01, 0.9), rng.uniform(0, 1.5)
        p = np.clip(top / np.arange(1, length + 1) ** fall * rng.lognormal(0, 0.5, length), 0, 1)
        p[rng.random(length) < 0.05] = 0
        payoffs = Payoffs(*rng.uniform(0.05, 5, 4))
        yield p.tolist(), float(rng.uniform(0.02, 0.98)), payoffs, payoffs.K * 10 ** rng.uniform(-5, -1)


VARIANTS = [
    pytest.param({}, False, id="paper"),
    pytest.param({}, True, id="cited"),
    pytest.param({"kappa": 0.7}, False, id="coverage"),
    pytest.param({"s": 0.8}, False, id="sensitivity"),
    pytest.param({"frailty": 2.5}, False, id="frailty"),
    pytest.param({"kappa": 0.85, "s": 0.9, "frailty": 4.0}, True, id="all"),
]


@pytest.mark.parametrize("settings, cited", VARIANTS)
def test_optimal_depth_is_backward_induction_on_1000_curves(settings: dict[str, float], cited: bool) -> None:
    going_on = 0
    for p, b_0, payoffs, c in random_cases(1000, seed=11):
        path = DecisivePath(hit_curve(p, **settings), b_0, payoffs, needs_citation=cited)
        W_0, stop = loops.induction(loops.hazards(p, **settings), b_0, payoffs, c, cited)
        assert path.horizon_depths([c], None).tolist() == path.closed_depths([c]).tolist() == [stop]
        assert path.plan_value(c)[stop] == pytest.approx(W_0, rel=0, abs=1e-12 * (payoffs.K + c))
        going_on += 0 < stop < len(p)
    assert going_on > 200  # neither all at the start nor all to the end


def test_optimal_is_backward_induction_whatever_coverage_sensitivity_and_frailty_are() -> None:
    rng = np.random.default_rng(13)
    for p, b_0, payoffs, c in random_cases(500, seed=13):
        settings = {
            "kappa": float(rng.uniform(0.3, 1)),
            "s": float(rng.uniform(0.5, 1)),
            "frailty": float(rng.choice([np.inf, rng.uniform(0.3, 8)])),
        }
        cited = bool(rng.random() < 0.5)
        path = DecisivePath(hit_curve(p, **settings), b_0, payoffs, needs_citation=cited)
        W_0, stop = loops.induction(loops.hazards(p, **settings), b_0, payoffs, c, cited)
        assert Optimal().depths(path, [c]).tolist() == [stop]
        assert path.plan_value(c)[stop] == pytest.approx(W_0, rel=0, abs=1e-9 * (payoffs.K + c))


@pytest.mark.parametrize("m", [1, 2, 7, 20])
@pytest.mark.parametrize("cited", [False, True])
def test_look_ahead_depth_is_enumeration(m: int, cited: bool) -> None:
    for p, b_0, payoffs, c in random_cases(100, seed=12):
        path = DecisivePath(hit_curve(p), b_0, payoffs, needs_citation=cited)
        expected = loops.look_ahead_depth(p, b_0, payoffs, c, m, cited=cited)
        assert path.horizon_depths([c], m).tolist() == [expected]


def test_a_stall_far_down_the_list_is_found() -> None:
    # Worth reading for thousands of documents, then a gap longer than the horizon, then worth it again.
    p = [0.0005] * 5000 + [0.0] * 30 + [0.01] * 100
    for horizon, expected in ((20, 5000), (None, 5130)):
        path = DecisivePath(hit_curve(p), 0.5, Payoffs.from_q_star(0.5), needs_citation=True)
        assert path.horizon_depths([1e-6], horizon).tolist() == [expected]


@pytest.mark.parametrize("b_0", [1e-9, 0.01, 0.5, 0.99, 1 - 1e-9])
@pytest.mark.parametrize("horizon", [1, 20, None])
def test_what_is_behind_does_not_change_what_is_ahead(b_0: float, horizon: int | None) -> None:
    # After d misses the rest of the list is a new problem whose prior is the present belief.
    p = [0.5] * 30 + [0.01] * 50
    payoffs, costs = Payoffs.from_q_star(0.5), [0.0005, 0.002, 0.004]
    path = DecisivePath(hit_curve(p), b_0, payoffs)
    for d in (0, 10, 25, 29, 30, 31, 32, 40):
        rest = DecisivePath(hit_curve(p[d:]), float(path.b[d]), payoffs)
        ahead = d + rest.horizon_depths(costs, horizon)
        assert path.horizon_depths(costs, horizon, start=d).tolist() == ahead.tolist()


@pytest.mark.parametrize("horizon", [1, 20, None])
def test_reading_on_for_nothing_is_right_while_anything_can_be_gained(horizon: int | None) -> None:
    # c = 0 is legal: every document has some value, however little, down to the last.
    path = DecisivePath(hit_curve([0.5] * 100), 0.5, Payoffs.from_q_star(0.5))
    values = exact_plan_values([0.5] * 100, 0.5, Payoffs.from_q_star(0.5), 0.0)
    assert all(before < after for before, after in itertools.pairwise(values))
    assert path.horizon_depths([0.0], horizon).tolist() == [100]


@given(RANKINGS, PRIORS, PAYOFFS, COSTS, CITED)
def test_depth_and_worth_agree(h: list[float], b_0: float, payoffs: Payoffs, c: float, cited: bool) -> None:
    # What the page shows (worth against cost) and where the rule stops are one statement.
    path = DecisivePath(hit_curve(h), b_0, payoffs, needs_citation=cited)
    for m in (1, 3, None):
        gain, depth = path.value_rate(m) - c, int(path.horizon_depths([c], m)[0])
        tiny = 1e-9 * (payoffs.K + c)
        assert (gain[:depth] > -tiny).all()
        assert depth == len(h) or gain[depth] < tiny


def test_no_document_at_all() -> None:
    path = DecisivePath(HitCurve(np.zeros(1), np.zeros(0)), 0.3, Payoffs.from_q_star(0.5))
    for m in (1, 5, None):
        assert path.horizon_depths([0.0, 0.1], m).tolist() == [0, 0]
        assert path.value_rate(m).tolist() == []
    assert path.score().tolist() == path.score(5).tolist() == path.evsi().tolist() == []


@pytest.mark.parametrize("rest", [1e-9, 1e-13, 1e-15])
def test_worth_is_a_number_for_a_prior_that_is_almost_certain(rest: float) -> None:
    path = DecisivePath(hit_curve([0.001] * 3000 + [1.0, 0.5]), 1 - rest, Payoffs.from_q_star(0.5))
    for m in (1, 5, None):
        assert np.isfinite(path.value_rate(m)).all()


@given(PRIORS, PAYOFFS, st.lists(st.floats(0, 1), min_size=2, max_size=20))
def test_after_a_certain_hit_that_was_none_nothing_is_worth_anything(
    b_0: float, payoffs: Payoffs, p: list[float]
) -> None:
    path = DecisivePath(hit_curve([1.0, *p]), b_0, payoffs)
    assert (path.score(1)[1:] == 0).all()
    assert (path.score(3)[1:] == 0).all()
    assert path.evsi()[1:].max() == 0
    assert path.value_rate()[1:].max() <= 1e-12 * payoffs.K
    assert not math.isnan(path.plan_value(0.01).sum())


@pytest.mark.parametrize("horizon", [1, 2, 70])
def test_a_short_horizon_sees_beyond_the_part_that_is_looked_at_first(horizon: int) -> None:
    path = DecisivePath(hit_curve(np.full(700, 0.01)), 0.5, Payoffs.from_q_star(0.5))
    assert path.horizon_depths([1e-9], horizon).tolist() == [700]


def test_a_plan_that_was_just_sought_is_that_of_these_costs_from_here_on() -> None:
    path = DecisivePath(hit_curve(np.array([0.3, 0.2, 0.1, 0.05, 0.02])), 0.5, Payoffs.from_q_star(0.5))
    for costs, start in itertools.product(([0.001, 0.1], [0.1, 0.001], [0.01, 0.01]), (0, 2, 0)):
        for _ in range(2):
            found = path.closed_depths(costs, start)
            assert found.tolist() == path.horizon_depths(costs, None, start).tolist()
            found[:] = -1  # what was handed out is not what is kept
