"""Mixtures of kinds of lists: against what they reduce to, against each other, and against a simulation."""

import math

import numpy as np
import pytest
from scipy.stats import nbinom, poisson

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.belief.mixture import log_no_hit, mixture, remaining, updated

P = np.array([0.3, 0.1, 0.05, 0.02, 0.001])


@pytest.mark.parametrize("shape", [math.inf, 0.4, 3.0])
def test_one_kind_is_the_papers_curve_or_the_frailty(shape):
    exposure = np.append(0.0, np.cumsum(-np.log1p(-P)))[None]
    expected = hit_curve(P, frailty=shape).log_M
    assert np.array_equal(log_no_hit(mixture([1.0], [shape]), exposure), expected)


@pytest.mark.parametrize(("shape", "found"), [(math.inf, 0), (2.0, 0), (2.0, 3)])
def test_one_kind_leaves_what_the_negative_binomial_leaves(shape, found):
    read, unread = 4.0, 10.0
    after = updated(mixture([1.0], [shape]), [read], found, [found * np.log(0.1)])
    number = remaining(after, [unread], 1000)
    if math.isinf(shape):
        told = poisson(unread)
    else:
        told = nbinom(shape + found, (shape + read) / (shape + read + unread))
    assert number.mean == pytest.approx(told.mean(), rel=1e-9)
    assert number.interval() == tuple(told.ppf([0.05, 0.95]))
    assert np.allclose(number.chance, told.pmf(np.arange(len(number.chance))), atol=1e-9)
    assert [number.chance_of_at_most(k) for k in (0, 5)] == pytest.approx(told.cdf([0, 5]), rel=1e-6)
    assert number.times(2.0).mean == pytest.approx(2 * told.mean(), rel=1e-6)


def test_misses_one_by_one_are_misses_together():
    exposure = np.array([[0.3, 0.2, 0.1], [0.05, 0.06, 0.07], [0.5, 0.0, 0.0]])
    before = mixture([2, 1, 1], [1.5, math.inf, 0.5])
    stepwise = before
    for at in exposure.T:
        stepwise = updated(stepwise, at)
    once = updated(before, exposure.sum(axis=1))
    for name in ("log_weight", "shape", "rate"):
        assert np.allclose(getattr(stepwise, name), getattr(once, name))
    # The chance of passing all is the product of passing each, given those before.
    total = np.append(np.zeros((3, 1)), np.cumsum(exposure, axis=1), axis=1)
    log_M = log_no_hit(before, total)
    step, passed = before, 0.0
    for d, at in enumerate(exposure.T):
        passed += log_no_hit(step, at[:, None])[0]
        assert passed == pytest.approx(log_M[d + 1])
        step = updated(step, at)


def test_what_is_left_agrees_with_lists_that_were_drawn():
    rng = np.random.default_rng(4)
    draws, weight, shape = 400_000, np.array([0.5, 0.3, 0.2]), np.array([1.0, 4.0, math.inf])
    read, unread = np.array([1.0, 0.2, 2.0]), np.array([2.0, 3.0, 0.5])
    kind = rng.choice(3, size=draws, p=weight)
    u = np.where(kind == 2, 1.0, rng.gamma(np.array([1.0, 4.0, 1.0])[kind]) / np.array([1.0, 4.0, 1.0])[kind])
    found, rest = rng.poisson(u * read[kind]), rng.poisson(u * unread[kind])
    for h in (0, 2):
        # Two hits, each at a document whose share of what was read is the same in all kinds.
        after = updated(mixture(weight, shape), read, h, h * np.log(read / 10))
        seen = rest[found == h]
        number = remaining(after, unread, 10_000)
        assert number.mean == pytest.approx(seen.mean(), abs=5 * seen.std() / math.sqrt(len(seen)))
        assert np.allclose(number.chance[:4], [np.mean(seen == k) for k in range(4)], atol=0.01)
        assert np.allclose(after.weight, np.bincount(kind[found == h], minlength=3) / len(seen), atol=0.01)


def test_never_more_than_documents_and_nothing_where_nothing_is_exposed():
    few = remaining(mixture([1, 1], [0.5, math.inf]), [50.0, 80.0], 7)
    assert len(few.chance) == 8 and few.chance.sum() == pytest.approx(1)
    assert few.mean == pytest.approx(few.chance @ np.arange(8), rel=1e-9)
    none = remaining(mixture([1, 1], [0.5, math.inf]), [0.0, 0.0], 7)
    assert none.mean == 0 and none.interval() == (0, 0)
    assert remaining(mixture([1], [2.0]), [3.0], 0).mean == 0


def test_no_hit_among_none_is_certain():
    known = mixture(np.random.default_rng(1).random(300), np.full(300, 1.5))
    assert log_no_hit(known, np.append(np.zeros((300, 1)), np.ones((300, 1)), axis=1))[0] == 0
