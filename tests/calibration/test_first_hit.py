"""The model of the first hit: likelihoods by hand, what few cases say, recovery and coverage in simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.belief.mixture import weighted_quantiles
from tarstop_core.calibration.calibrator import from_json
from tarstop_core.calibration.first_hit import (
    SHORT,
    PastCase,
    come_by,
    first_hit_calibrator,
    fit_first_hits,
    log_likelihood,
    ranks,
    read_cases,
)
from tarstop_core.errors import InputProblem

CASES = st.lists(
    st.one_of(
        st.builds(PastCase, st.sampled_from(["hit", "stopped", "missed"]), st.integers(1, 500)),
        st.just(PastCase("none")),
    ),
    max_size=12,
)


def one(case: PastCase, a: float, w: float, b: float) -> float:
    return math.exp(float(log_likelihood([case], *(np.array([value]) for value in (a, w, b)))[0]))


def test_likelihoods_by_hand() -> None:
    # a = log 2, w = 1: S(k) = 2^−k.
    a, w, b = math.log(2), 1.0, 0.8
    assert one(PastCase("hit", 1), a, w, b) == pytest.approx(0.8 * 0.5)
    assert one(PastCase("hit", 3), a, w, b) == pytest.approx(0.8 * (0.25 - 0.125))
    assert one(PastCase("missed", 2), a, w, b) == pytest.approx(0.8 * 0.25)
    assert one(PastCase("stopped", 2), a, w, b) == pytest.approx(0.8 * 0.25 + 0.2)
    assert one(PastCase("none"), a, w, b) == pytest.approx(0.2)
    # w = ½: S(4) = 2^−2, S(9) = 2^−3.
    assert one(PastCase("missed", 9), a, 0.5, 1.0) == pytest.approx(1 / 8)
    both = log_likelihood([PastCase("hit", 1), PastCase("none")], *map(np.array, ([a], [w], [b])))
    assert float(both[0]) == pytest.approx(math.log(0.4) + math.log(0.2))


@given(st.floats(0.01, 3), st.floats(0.05, 1), st.floats(0.05, 0.95), st.integers(1, 60))
def test_what_can_happen_adds_up_to_one(a: float, w: float, b: float, n: int) -> None:
    hits = sum(one(PastCase("hit", k), a, w, b) for k in range(1, n + 1))
    assert hits + one(PastCase("stopped", n), a, w, b) == pytest.approx(1)
    assert hits + one(PastCase("missed", n), a, w, b) + one(PastCase("none"), a, w, b) == pytest.approx(1)


def test_a_case_without_anything_to_find_says_nothing_of_ranks() -> None:
    """ω⁻ and censoring are told apart: only the second can be a hit that comes late."""
    few = [PastCase("hit", 3), PastCase("hit", 8)]
    alone = fit_first_hits(few)
    none = fit_first_hits([*few, PastCase("none"), PastCase("none")])
    stopped = fit_first_hits([*few, PastCase("stopped", 60), PastCase("stopped", 60)])
    missed = fit_first_hits([*few, PastCase("missed", 60), PastCase("missed", 60)])
    at = [60]
    assert none.come_by(at)[0] == pytest.approx(alone.come_by(at)[0])
    assert missed.come_by(at)[0] < stopped.come_by(at)[0] < alone.come_by(at)[0]
    assert none.share[0] < stopped.share[0] < alone.share[0] < missed.share[0]


def test_a_rank_is_a_whole_number_up_to_a_hundred_thousand() -> None:
    assert PastCase("hit", 100_000).at == 100_000
    for at in (0, 100_001):
        with pytest.raises(InputProblem, match="from 1 to 100,000"):
            PastCase("hit", at)


def test_one_case_leaves_most_open() -> None:
    found = fit_first_hits([PastCase("hit", 4)])
    low, high = found.interval([10])
    assert low[0] < 0.3 and high[0] > 0.9
    more = fit_first_hits([PastCase("hit", 4)] * 30)
    narrow = more.interval([10])
    assert narrow[1][0] - narrow[0][0] < 0.3 * (high[0] - low[0])


def drawn(rng: np.random.Generator, a: float, w: float, b: float, n: int) -> list[PastCase]:
    """Cases as they happen: a search is stopped somewhere; now and then it is learned what there was."""
    cases = []
    for _ in range(n):
        stop = int(rng.integers(20, 200))
        learned = rng.random() < 0.3
        if rng.random() > b:
            cases.append(PastCase("none") if learned else PastCase("stopped", stop))
            continue
        # S⁻¹ of a uniform number, rounded up to a rank.
        k = max(1, math.ceil(math.exp(min(50.0, math.log(rng.exponential() / a) / w))))
        without = PastCase("missed" if learned else "stopped", stop)
        cases.append(PastCase("hit", k) if k <= stop else without)
    return cases


def test_many_cases_recover_the_parameters() -> None:
    m, w, b = 0.7, 0.4, 0.6
    a = -math.log1p(-m) / 10**w
    found = fit_first_hits(drawn(np.random.default_rng(3), a, w, b, 2000))
    at = np.array([1, 10, 100])
    assert found.come_by(at) == pytest.approx(come_by(at, a, w), abs=0.03)
    assert found.share[1] < b < found.share[2] and found.share[0] == pytest.approx(b, abs=0.05)


def test_intervals_cover() -> None:
    """Parameters drawn from the prior, 25 cases each: 95 % intervals hold the truth in about 95 %."""
    rng = np.random.default_rng(5)
    held = []
    while len(held) < 200:
        m, w, b = rng.random(3)
        a = -math.log1p(-m) / 10**w
        cases = drawn(rng, a, w, b, 25)
        if any(case.outcome == "hit" for case in cases):
            low, high = fit_first_hits(cases).interval([10])
            held.append(low[0] <= m <= high[0])
    assert 0.9 <= np.mean(held) <= 0.985


def test_the_calibrator_has_the_curve_and_travels_as_json() -> None:
    found = fit_first_hits(read_cases("1, 3, 4, 17, none in 60, none at all"))
    calibrator = first_hit_calibrator(found, "mine")
    p = calibrator.probabilities(None, 3000)
    at = np.array([1, 5, 50, 199, 1000, 3000])
    come = -np.expm1(hit_curve(p).log_M[at])
    assert come == pytest.approx(found.come_by(at), abs=1e-4)
    assert (np.diff(p) <= 0).all()
    assert from_json(calibrator.to_json()) == calibrator
    assert calibrator.fitted_on.badge == "fitted on your 6 cases (mine)"
    assert calibrator.by_rank and calibrator.first_hits and math.isinf(calibrator.dispersion)
    assert len(calibrator.band) == len(ranks())
    assert calibrator.mismatch(None, 60) == []
    assert "beyond rank 60" in calibrator.mismatch(None, 61)[0]


@given(CASES)
def test_any_cases_give_a_falling_curve_within_its_interval(cases: list[PastCase]) -> None:
    if not any(case.outcome == "hit" for case in cases):
        with pytest.raises(InputProblem, match="at which rank"):
            fit_first_hits(cases)
        return
    found = fit_first_hits(cases)
    calibrator = first_hit_calibrator(found, "x")
    assert from_json(calibrator.to_json()) == calibrator
    low, high = np.array(calibrator.band).T
    come = found.come_by(ranks())
    assert ((low <= come) & (come <= high)).all() and (np.diff(come) >= -1e-12).all()


@given(CASES)
def test_cases_are_read_back_as_they_are_written(cases: list[PastCase]) -> None:
    assert read_cases("\n".join(map(str, cases))) == cases
    assert read_cases(", ".join(map(str, cases))) == cases


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("4\nsoon", "Line 2: “soon” is not a case"),
        ("0", "Line 1: Rank 0 cannot be used"),
        ("none in 999999999", "Line 1: Rank 999,999,999"),
        ("4 17", "is not a case"),
    ],
)
def test_what_cannot_be_read_is_named(text: str, said: str) -> None:
    with pytest.raises(InputProblem, match=said):
        read_cases(text)


@given(st.text(max_size=40))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        cases = read_cases(text)
    except InputProblem:
        return
    assert all(case.outcome in SHORT for case in cases)


def test_quantiles_of_weighted_points() -> None:
    assert weighted_quantiles(np.array([3.0, 1.0, 2.0]), np.array([0.25, 0.5, 0.25]), 0.0) == pytest.approx(
        (5 / 3, 5 / 3)
    )
