"""What further trials are worth: another program's figures, and what has to hold of any studies."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from tarstop_core.effects.beliefs import EffectTarget, belief_of_effect
from tarstop_core.effects.measures import Engine, Measure
from tarstop_core.effects.normal import EffectPrior, believe
from tarstop_core.effects.studies import Form, Studies
from tarstop_core.value.cumulative import CumulativePath, studies_after
from tarstop_core.value.effects import FINE, RESULTS, KnownEffect, effect_states, mixture_of
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.margins import beliefs_after
from tarstop_core.value.mixtures import chance_of_plus, worth_of_studies
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.preposterior import chance_plus, evsi_of_studies
from tarstop_core.value.states import Level
from tests.effects.golden import studies_of
from tests.value.actions.golden import name, rows

EVEN = Payoffs.from_q_star(0.5)
BENEFIT = EffectTarget(Measure.OR, 0.8, above=False, ratio=True)
ENGINES: tuple[Engine, ...] = ("exact", "normal")


def known(row: dict[str, Any]) -> Knowledge:
    """What the studies of a row make known."""
    of = row["inputs"]
    prior = EffectPrior(*of["mu_prior"], of["tau_prior_halfnormal"])
    belief = believe(np.array(of["y"]), np.array(of["v"]), prior)
    target = EffectTarget(Measure.GENERIC, of["delta"], of["adopt_if"] == "mu>delta", ratio=False)
    above = belief.above(of["delta"])[-1]
    b = float(above if target.above else 1 - above)
    return mixture_of(belief, len(of["y"]), target, of["var_new"], FINE, b)


@pytest.mark.parametrize("row", rows("threshold_unknown_tau"), ids=name)
def test_one_more_study_is_worth_what_another_program_says(row: dict[str, Any]) -> None:
    payoffs = Payoffs.from_q_star(row["inputs"]["q_star"])
    parts, value = known(row), row["value"]
    (worth,) = worth_of_studies(parts, np.ones(1), payoffs) / payoffs.K
    assert parts.b == pytest.approx(value["belief"], abs=1e-9)
    assert payoffs.evpi(parts.b) / payoffs.K == pytest.approx(value["evpi"], abs=1e-9)
    assert worth == pytest.approx(value["evsi"], rel=1e-7, abs=1e-11)


@pytest.mark.parametrize("row", rows("threshold_unknown_tau_k"), ids=name)
def test_more_studies_are_worth_what_simulation_says(row: dict[str, Any]) -> None:
    payoffs = Payoffs.from_q_star(row["inputs"]["q_star"])
    (worth,) = worth_of_studies(known(row), np.array([row["inputs"]["k_new"]]), payoffs) / payoffs.K
    # The simulation's own error: 40,000 sets of studies.
    assert worth == pytest.approx(row["value"]["evsi"], rel=0.01, abs=6e-5)


@pytest.mark.parametrize("rows", [
    ((0.55, -0.15, 1.4, 0.45), (0.45, -1.56, 1.0, 0.087)),
    ((0.36, 0.47, 1.08, 0.14), (0.49, -1.9, 0.08, 0.08), (0.15, -1.05, 0.07, 0.36)),
])  # fmt: skip
def test_one_more_study_is_worth_what_every_result_of_it_leads_to(
    rows: tuple[tuple[float, ...], ...],
) -> None:
    """Results far off on either side come from the part where studies differ most, and say little there."""
    parts, q_star = Knowledge(*np.array(rows).T), 0.2
    spread = np.sqrt(1 / parts.precision + 1 / parts.study)
    result = np.linspace(-40, 40, 40_001)[:, None]
    density = norm.pdf(result, parts.mean, spread) @ parts.weight
    after = parts.belief_after(1, 1, result[:, 0], np.zeros(len(result)))
    payoffs = Payoffs.from_q_star(q_star)
    exact = np.trapezoid(density * payoffs.utility(after), result[:, 0]) - payoffs.utility(parts.b)
    assert worth_of_studies(parts, np.ones(1), payoffs) == pytest.approx([exact], abs=1e-5)
    plus = np.trapezoid(density * (after > q_star), result[:, 0])
    assert chance_of_plus(parts, np.ones(1), q_star) == pytest.approx([plus], abs=1e-3)


MIXTURES = st.integers(0, 2**32 - 1).map(lambda seed: _mixture(np.random.default_rng(seed)))
Q_STARS = st.sampled_from([0.1, 0.35, 0.5, 0.8])


def _mixture(rng: np.random.Generator) -> Knowledge:
    tau2 = np.sort(rng.uniform(0, 2, 5))
    mean = rng.normal(0, 1) + rng.normal(0, 0.1, 5)
    return Knowledge(rng.dirichlet(np.full(5, 3.0)), mean, 1 / (0.05 + tau2 / 4), 1 / (0.2 + tau2))


@settings(max_examples=25, deadline=None)
@given(MIXTURES, Q_STARS)
def test_more_studies_are_worth_more_and_never_more_than_certainty(parts: Knowledge, q_star: float) -> None:
    payoffs = Payoffs.from_q_star(q_star)
    worth, evpi = worth_of_studies(parts, np.array([1, 2, 5, 30, 400]), payoffs), float(payoffs.evpi(parts.b))
    assert (worth >= 0).all() and (worth <= evpi).all() and (np.diff(worth) >= -1e-6 * evpi).all()


@settings(max_examples=25, deadline=None)
@given(MIXTURES, Q_STARS)
def test_seen_from_the_other_side_it_is_the_same(parts: Knowledge, q_star: float) -> None:
    other = Knowledge(parts.weight, -parts.mean, parts.precision, parts.study)
    studies = np.array([1, 3])
    here = worth_of_studies(parts, studies, Payoffs.from_q_star(q_star))
    there = worth_of_studies(other, studies, Payoffs.from_q_star(1 - q_star))
    np.testing.assert_allclose(here, there, rtol=1e-6, atol=1e-12)
    plus, minus = chance_of_plus(parts, studies, q_star), chance_of_plus(other, studies, 1 - q_star)
    np.testing.assert_allclose(plus, 1 - minus, atol=1e-6)


def test_without_heterogeneity_it_is_the_theory_of_one_normal_distribution() -> None:
    parts, studies = Knowledge(np.ones(1), np.array([0.4]), np.array([3.0]), np.array([1.5])), np.arange(1, 6)
    for q_star in (0.2, 0.5, 0.9):
        payoffs = Payoffs.from_q_star(q_star)
        of_normal = evsi_of_studies(parts.b, 2.0, studies, payoffs)
        np.testing.assert_allclose(worth_of_studies(parts, studies, payoffs), of_normal, rtol=1e-7)
        plus = chance_plus(parts.b, 2.0, studies, q_star)
        np.testing.assert_allclose(chance_of_plus(parts, studies, q_star), plus, rtol=1e-7)


def test_a_study_that_tells_everything_is_worth_certainty_where_settings_agree() -> None:
    parts = Knowledge(np.ones(1), np.array([0.4]), np.array([3.0]), np.array([1e12]))
    np.testing.assert_allclose(worth_of_studies(parts, np.ones(1), EVEN), EVEN.evpi(parts.b), rtol=1e-4)


@pytest.mark.parametrize("engine", ENGINES)
def test_beliefs_of_the_states_are_those_of_the_core(engine: Engine) -> None:
    studies = studies_of("bcg")
    states = effect_states(studies, BENEFIT, engine, 0.3)
    beliefs = belief_of_effect(studies, BENEFIT, engine, 0.3).beliefs
    assert [state.b for state in states] == pytest.approx(list(beliefs), abs=1e-12)
    assert states[0].b == 0.3
    for state in states:
        for parts in (state.fine, state.mixture):
            assert parts.b == pytest.approx(state.b, abs=1e-9)
        assert 0 <= state.evsi(EVEN) <= EVEN.evpi(state.b)
    assert all(earlier.n_0 > 0 for earlier in states)


@pytest.mark.parametrize("engine", ENGINES)
def test_other_arms_and_the_other_direction_are_the_same_question(engine: Engine) -> None:
    studies = studies_of("bcg").first(4)
    turned = Studies(studies.study, Form.EVENTS, studies.values[:, [2, 3, 0, 1]])
    here = effect_states(studies, BENEFIT, engine, 0.4)
    there = effect_states(turned, EffectTarget(Measure.OR, 1 / 0.8, above=True, ratio=True), engine, 0.4)
    assert [state.b for state in here] == pytest.approx([state.b for state in there], abs=1e-6)
    worth = [[state.evsi(EVEN) for state in states] for states in (here, there)]
    assert worth[0] == pytest.approx(worth[1], rel=1e-4, abs=1e-9)


def test_until_a_study_says_something_the_chance_is_exactly_the_starting_one() -> None:
    empty = Studies(("a", "b"), Form.EVENTS, np.array([[0.0, 30.0, 0.0, 40.0], [3.0, 30.0, 9.0, 40.0]]))
    before, silent, after = effect_states(empty, BENEFIT, "exact", 0.5)
    assert before.b == silent.b == 0.5 < after.b
    assert not EVEN.chooses_plus(silent.b)


def test_another_unit_changes_nothing() -> None:
    days = Studies(("a", "b"), Form.ERRORS, np.array([[-2.0, 1.0], [-3.5, 0.8]]))
    hours = Studies(days.study, days.form, 24 * days.values)
    one = effect_states(days, EffectTarget(Measure.GENERIC, -1.0, False, False), "normal", 0.5, 4.0)
    other = effect_states(hours, EffectTarget(Measure.GENERIC, -24.0, False, False), "normal", 0.5, 96.0)
    assert [state.b for state in one] == pytest.approx([state.b for state in other], abs=1e-9)
    assert [s.evsi(EVEN) for s in one] == pytest.approx([s.evsi(EVEN) for s in other], rel=1e-6)


def test_a_growing_review_keeps_what_it_knew() -> None:
    studies = studies_of("bcg")
    before = effect_states(studies.first(5), BENEFIT, "normal", 0.5)
    assert effect_states(studies.first(6), BENEFIT, "normal", 0.5)[:6] == before


def test_half_of_the_settings_lie_beyond_an_effect_at_the_threshold() -> None:
    state = effect_states(studies_of("bcg").first(0), BENEFIT, "normal", 0.5)[0]
    low, middle, high = state.share_of_settings(np.array([0.1, 0.5, 0.9]))
    assert low < middle < high and middle == pytest.approx(0.5, abs=1e-6)


def test_settings_are_spread_as_far_as_they_differ() -> None:
    tau, within = 0.3, 0.2  # Between settings, and the variance within a study
    known = Knowledge(np.ones(1), np.array([0.12]), np.array([25.0]), np.array([1 / (tau**2 + within)]))
    levels = np.array([0.05, 0.3, 0.9])
    averages = norm.ppf(levels, 0.12, 0.2)
    shares = KnownEffect(known.b, known, known, within, (0.12, 0.2)).share_of_settings(levels)
    assert shares == pytest.approx(norm.sf(0, averages, tau), abs=1e-9)


def test_between_nodes_of_a_level_mean_and_spread_are_interpolated_where_they_are() -> None:
    roots = np.array([0.0, 1.0, 2.0, 4.0])
    level = Level(3, 3, np.array([0.1, 0.3, 0.2, -0.1]), 0.5, (-2.0, 3.0), roots, 6)
    root = np.array([0.0, 0.4, 1.5, 2.2, 3.9, 4.0, 9.0])
    kink = np.interp(root, roots, level.kink)
    wanted = np.array([-1.9, -0.2, 0.1, 0.0, 1.4, 2.9, -2.0])
    nodes, weights = level.weights_at(kink + level.scale * np.sinh(wanted), root**2)
    assert (weights * roots[nodes // level.count]).sum(axis=0) == pytest.approx(np.minimum(root, 4.0))
    assert (weights * level.xi[nodes % level.count]).sum(axis=0) == pytest.approx(wanted)


@pytest.mark.parametrize("row", rows("threshold_unknown_tau"), ids=name)
def test_beliefs_after_the_next_study_are_worth_what_that_study_is(row: dict[str, Any]) -> None:
    payoffs = Payoffs.from_q_star(row["inputs"]["q_star"])
    parts = known(row)
    belief, chance = beliefs_after(parts, 1, RESULTS)
    assert belief @ chance == pytest.approx(parts.b, abs=1e-9)
    worth = payoffs.utility(belief) @ chance - payoffs.utility(np.array(parts.b))
    assert worth / payoffs.K == pytest.approx(row["value"]["evsi"], abs=1e-5)


def test_policies_go_by_the_states() -> None:
    states = effect_states(studies_of("bcg"), BENEFIT, "exact", 0.5)
    known_to = studies_after(np.arange(13) * 5 + 2, 90)
    path = CumulativePath(np.linspace(0.4, 0.05, 90), states, known_to, EVEN, np.zeros(90, dtype=bool))
    assert (path.evsi() <= path.evpi[:-1]).all()
    assert (path.value_rate() >= path.evsi() - 1e-12).all()
    assert path.closed_depths(np.array([1e-4]))[0] < 90
    assert path._worth.of_whole(np.array([3]))[0, 0] == pytest.approx(states[3].evsi(EVEN))


def test_beliefs_by_mean_and_sum_of_squares_are_those_of_each_pair() -> None:
    parts = Knowledge(
        np.array([0.2, 0.5, 0.3]),
        np.array([-0.4, 0.1, 0.3]),
        np.array([9.0, 30.0, 5.0]),
        np.array([500.0, 4.0, 0.1]),
    )
    means, squares = np.linspace(-30, 30, 41), np.geomspace(1e-6, 1e6, 30)
    for k in (1, 2, 7, 200):
        one_by_one = np.array([[float(parts.belief_after(k, k, y, S)) for y in means] for S in squares])
        assert parts.beliefs_after(k, k, means, squares) == pytest.approx(one_by_one, abs=1e-12)
    # Of 200 studies mean and squares may speak for different parts so strongly that their product is no number.
    likelihood = (
        parts.log_weight_by_mean(200, means)[None] + parts.log_likelihood_of_squares(200, squares)[:, None]
    )
    tops = (
        parts.log_weight_by_mean(200, means).max(-1)
        + parts.log_likelihood_of_squares(200, squares).max(-1)[:, None]
    )
    assert (likelihood.max(-1) - tops).min() < -800
