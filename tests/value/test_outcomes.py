"""What reading everything would still change: against simulation, and against every number of studies."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri
from scipy.stats import betabinom

from tarstop_core.belief.mixture import mixture, remaining
from tarstop_core.value.outcomes import ROWS, chance_turned, studies_to_come, tempered
from tarstop_core.value.payoffs import Floats, Payoffs
from tarstop_core.value.preposterior import chance_plus
from tarstop_core.value.studies import NextStudy

Q_STARS = st.sampled_from([0.2, 0.5, 0.8])


def turned(
    b: float,
    n_0: float,
    to_come: Sequence[float] | Floats,
    q_star: float,
    needed: int = 0,
    tempering: float = 1.0,
) -> float:
    known = NextStudy(40, b, np.ones(1), np.ones(1), n_0)
    return chance_turned(known, to_come, Payoffs.from_q_star(q_star), needed, tempering)


@pytest.mark.parametrize("needed", [0, 3])
@pytest.mark.parametrize(("b", "q_star"), [(0.3, 0.5), (0.6, 0.5), (0.9, 0.8), (0.1, 0.2)])
def test_decisions_turn_as_often_as_said(b: float, q_star: float, needed: int) -> None:
    """μ is normal, n studies of variance n_0 are to come, and somebody decides before and after them."""
    rng, draws, n_0 = np.random.default_rng(1), 200_000, 2.5
    to_come = studies_to_come(remaining(mixture([1], [1.5]), [4.0], 60).chance)
    mean = float(ndtri(b))  # prior: variance 1, so that P(μ > 0) = b
    mu = rng.normal(mean, 1, draws)
    k = rng.choice(len(to_come), draws, p=to_come)
    seen = rng.normal(mu, np.sqrt(n_0 / np.maximum(k, 1)))
    weight = k / (k + n_0)
    after = ndtr(((1 - weight) * mean + weight * seen) / np.sqrt(n_0 / (k + n_0)))
    first, last = b > q_star and not needed, (after > q_star) & (k >= needed)
    said = turned(b, n_0, to_come, q_star, needed)
    assert said == pytest.approx(np.mean(last != first), abs=0.005)


@given(st.floats(0.01, 0.99), st.floats(0.1, 40), Q_STARS, st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_it_is_the_mean_over_numbers_of_studies(
    b: float, n_0: float, q_star: float, weights: list[float]
) -> None:
    chance = (np.array(weights) + 0.01) / (np.array(weights) + 0.01).sum()
    plus = [float(chance_plus(b, n_0, k, q_star)) for k in range(len(chance))]
    expected = sum(p * (1 - of if b > q_star else of) for p, of in zip(chance[1:], plus[1:], strict=True))
    assert turned(b, n_0, chance, q_star) == pytest.approx(expected, abs=1e-12)
    held = sum(p * float(chance_plus(b, n_0, k, q_star)) for k, p in enumerate(chance) if k >= 2)
    assert turned(b, n_0, chance, q_star, needed=2) == pytest.approx(held, abs=1e-12)


@given(st.floats(0, 1), st.floats(0.05, 1))
def test_a_tempered_chance_is_nearer_to_one_half_and_not_beyond(chance: float, power: float) -> None:
    found = float(tempered(chance, power))
    assert abs(found - 0.5) <= abs(chance - 0.5) + 1e-12
    assert (found - 0.5) * (chance - 0.5) >= -1e-12
    assert float(tempered(1 - chance, power)) == pytest.approx(1 - found, abs=1e-9)
    assert (float(tempered(0, power)), float(tempered(1, power))) == (0, 1)


@given(
    st.floats(0.01, 0.99), st.floats(0.1, 40), Q_STARS, st.lists(st.floats(0, 1), min_size=1, max_size=9),
    st.integers(0, 4), st.floats(0.1, 1),
)  # fmt: skip
def test_what_is_tempered_says_neither_more_than_that_studies_come_nor_another_action(
    b: float, n_0: float, q_star: float, weights: list[float], needed: int, power: float
) -> None:
    chance = (np.array(weights) + 0.01) / (np.array(weights) + 0.01).sum()
    plain = turned(b, n_0, chance, q_star, needed)
    found = turned(b, n_0, chance, q_star, needed, power)
    assert 0 <= found <= chance[max(needed, 1) :].sum() + 1e-12
    assert found <= max(0.5, plain) + 1e-12
    assert turned(b, n_0, chance, q_star, needed, 1.0) == plain


@given(st.floats(0.01, 0.99), st.floats(0.1, 40), st.floats(0.05, 0.95), st.integers(1, 60))
def test_a_turn_is_likelier_than_not_only_where_the_mistake_that_may_be_made_is_the_cheaper_one(
    b: float, n_0: float, q_star: float, come: int
) -> None:
    """As *Why?* says it: a⁺ where missing costs more, a⁻ where a⁺ in error costs more."""
    to_come = np.append(np.zeros(come), 1.0)
    if turned(b, n_0, to_come, q_star, tempering=0.46) > 0.5 + 1e-9:
        assert q_star < 0.5 if b > q_star else q_star > 0.5


@pytest.mark.parametrize("n_0", [1.0, 5.0, 20.0])
def test_where_either_decision_is_as_good_nothing_changes(n_0: float) -> None:
    """At belief = q* = ½, before the first study as after it: it turns or does not."""
    to_come = [0.02, 0.18, 0.8]
    plain = turned(0.5, n_0, to_come, 0.5)
    assert plain == pytest.approx(0.49)
    assert turned(0.5, n_0, to_come, 0.5, tempering=0.46) == pytest.approx(plain)


def test_nothing_left_changes_nothing() -> None:
    assert turned(0.4, 1.0, studies_to_come([1.0]), 0.5) == 0
    assert turned(0.9, 1.0, [1.0], 0.5, needed=1) == 0
    assert turned(0.4, np.inf, [0.0, 0.0, 1.0], 0.5) == 0


def test_reports_bring_data_as_their_share_is_known() -> None:
    chance = np.array([0.2, 0.0, 0.8])
    found = studies_to_come(chance, waiting=1, shapes=(2.0, 3.0))
    expected = 0.2 * betabinom.pmf(np.arange(4), 1, 2, 3) + 0.8 * betabinom.pmf(np.arange(4), 3, 2, 3)
    assert found == pytest.approx(expected)
    assert found.sum() == pytest.approx(1)


def test_many_reports_are_taken_together() -> None:
    chance = remaining(mixture([1, 2], [1.0, 4.0]), [30.0, 80.0], 2000).chance
    assert len(chance) > 4 * ROWS
    bring = np.arange(len(chance))
    exact = chance @ betabinom.pmf(bring, bring[:, None], 3.0, 5.0)
    found = studies_to_come(chance, shapes=(3.0, 5.0))
    assert found.sum() == pytest.approx(1)
    for b, n_0 in ((0.3, 5.0), (0.1, 20.0), (0.8, 1.0)):
        assert turned(b, n_0, found, 0.5) == pytest.approx(turned(b, n_0, exact, 0.5), abs=0.002)
