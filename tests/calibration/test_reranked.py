"""Chances of a list that is put in order anew: one distribution, from the history of hits alone."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

from tarstop_core.calibration.calibrator import FittedOn
from tarstop_core.calibration.reranked import (
    RerankedChances,
    _shares,
    ahead,
    edges,
    fit_reranked,
    forecasts,
    from_json,
    path_chances,
)
from tarstop_core.errors import InputProblem

NOBODY = FittedOn("drawn sessions", 20, 11_000, 700, simulated=True)


def drawn(sessions: int, seed: int) -> list[np.ndarray]:
    """Histories whose hits thin out exponentially, some lists four times as rich as others."""
    rng = np.random.default_rng(seed)
    found = []
    for length in rng.integers(200, 900, sessions):
        rank, reach = np.arange(length), rng.uniform(20, 150)
        found.append(rng.random(length) < rng.uniform(0.2, 0.8) * np.exp(-rank / reach))
    return found


@pytest.fixture(scope="module")
def model() -> RerankedChances:
    """Learned from sessions that were drawn."""
    return fit_reranked({"inclusion": drawn(16, 1), "review": drawn(4, 5)}, NOBODY)


@given(
    history=st.lists(st.booleans(), max_size=80),
    unread=st.integers(0, 300) | st.sampled_from([10_000, 200_000]),
)
def test_there_is_one_distribution(model: RerankedChances, history: list[bool], unread: int) -> None:
    read, length = len(history), len(history) + unread
    flags = np.array(history, dtype=bool)
    p, left = path_chances(model, flags, length)
    assert p.shape == (length,) and ((p >= 0) & (p <= 1)).all()
    assert left.mean == pytest.approx(p[read:].sum(), rel=1e-3, abs=1e-6)
    low, high = left.interval()
    assert 0 <= low <= high <= unread
    np.testing.assert_array_equal(p, path_chances(model, flags, length)[0])
    rest = ahead(model, flags, length)
    for more in (1, 20, 100):
        assert rest.left(more).mean == pytest.approx(p[read : read + more].sum(), rel=1e-3, abs=1e-6)
    if unread:
        assert p[read] == pytest.approx(forecasts(model, flags, length)[-1])


@pytest.mark.parametrize("read", [1, 12, 80])
def test_forecasts_are_a_newton_step_from_what_was_learned(model: RerankedChances, read: int) -> None:
    history, length = drawn(1, 7)[0][:read], 500
    unshifted = logit(forecasts(replace(model, shift=0.0), history, length))

    def log_posterior(shift: float) -> float:
        chance = expit(unshifted[:-1] + shift)
        return float(np.log(np.where(history, chance, 1 - chance)).sum() - shift**2 / (2 * model.shift))

    low, middle, high = (log_posterior(shift) for shift in (-1e-3, 0.0, 1e-3))
    step = (high - low) / 2e-3 / ((2 * middle - low - high) / 1e-6)
    assert forecasts(model, history, length)[-1] == pytest.approx(expit(unshifted[-1] + step), rel=1e-4)


def test_what_the_next_document_is_given_fades_along_the_list(model: RerankedChances) -> None:
    history, near = drawn(1, 3)[0][:60], replace(model, reach=20.0)
    low, high = (ahead(near, history, 2_000, following).p for following in (0.05, 0.06))
    further = np.arange(1, 40)
    assert high[0] / low[0] == pytest.approx(1.2)
    assert (high / low)[further] == pytest.approx(1.2 ** np.exp(-further / 20))


def test_what_was_said_stays_said(model: RerankedChances) -> None:
    history = drawn(1, 3)[0]
    p, _ = path_chances(model, history[:200], len(history))
    for read in (0, 7, 199):
        assert path_chances(model, history[:read], len(history))[0][read] == pytest.approx(p[read])


def test_intervals_cover_on_sessions_that_were_drawn(model: RerankedChances) -> None:
    inside = []
    for history in drawn(24, 2):
        for read in (20, 50, 100):
            rest = ahead(model, history[:read], len(history))
            for more in (20, 100, len(history) - read):
                low, high = rest.left(more).interval()
                inside.append(low <= history[read : read + more].sum() <= high)
    assert np.mean(inside) > 0.85


def test_hits_raise_what_is_ahead_and_misses_lower_it(model: RerankedChances) -> None:
    some = np.arange(60) % 6 == 0
    rich = path_chances(model, some | (np.arange(60) % 6 == 3), 1000)[1].mean
    assert rich > path_chances(model, some, 1000)[1].mean > path_chances(model, some & False, 1000)[1].mean


def test_blocks_reach_the_end() -> None:
    for length in (1, 2, 59, 60, 61, 1000, 200_000):
        at = edges(length)
        assert at[0] == 0 and at[-1] == length and (np.diff(at) > 0).all() and len(at) < 400


def test_who_knows_what_labels_say_has_the_curves_of_such_sessions_alone(model: RerankedChances) -> None:
    assert {each.scenario for each in model.curves} == {"inclusion", "review"}
    assert sum(each.weight for each in model.curves) == pytest.approx(1)
    assert {each.scenario for each in model.for_scenario("review").curves} == {"review"}
    assert model.for_scenario("") == model


def test_a_family_is_as_frequent_as_its_sessions_and_an_imagined_one() -> None:
    sure = np.array([[90.0, 90.0, 0.0, 90.0], [0.0, 0.0, 90.0, 0.0]])
    assert _shares(sure) == pytest.approx([(3 + 1) / 6, (1 + 1) / 6])
    assert _shares(np.zeros((2, 5))) == pytest.approx([0.5, 0.5])


def test_it_is_read_back(model: RerankedChances) -> None:
    assert from_json(model.to_json()) == model


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"weights": [1.0, 2.0]}, "it needs 9 weights"),
        ({"temper": 0.0}, "'temper'"),
        ({"curves": []}, "its curves have no weights"),
        ({"reach": "far"}, "reach: .far. is not a number"),
        ({"family": "x"}, "family: unknown"),
        ({"version": 9}, "version 9"),
        ({"format": "other"}, "is not a file of chances"),
    ],
)
def test_a_damaged_file_is_refused(model: RerankedChances, change: dict[str, object], said: str) -> None:
    with pytest.raises(InputProblem, match=said):
        from_json(json.dumps(json.loads(model.to_json()) | change), "a.json")


def test_a_prior_that_is_no_distribution_is_refused(model: RerankedChances) -> None:
    content = json.loads(model.to_json())
    content["curves"][0]["prior"]["spread"][0][0] = -1.0
    with pytest.raises(InputProblem, match="is not a distribution"):
        from_json(json.dumps(content))
