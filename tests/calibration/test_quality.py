"""Reliability curves and their errors, by hand and by plain loops; intervals of shares."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.calibration.quality import ece, reliability, resampled_intervals, wilson


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_reliability_and_ece_by_a_plain_loop(pairs: list[tuple[float, bool]]) -> None:
    bins: dict[int, list[tuple[float, bool]]] = {}
    for p, hit in pairs:
        bins.setdefault(min(int(p * 10), 9), []).append((p, hit))
    curve = reliability([p for p, _ in pairs], [hit for _, hit in pairs])
    assert [count for _, _, count in curve] == [len(bins[key]) for key in sorted(bins)]
    expected = 0.0
    for (mean_p, share, count), key in zip(curve, sorted(bins), strict=True):
        assert mean_p == pytest.approx(sum(p for p, _ in bins[key]) / count)
        assert share == pytest.approx(sum(hit for _, hit in bins[key]) / count)
        expected += abs(sum(p - hit for p, hit in bins[key])) / len(pairs)
    assert ece(curve) == pytest.approx(expected, abs=1e-12)


def test_ece_by_hand() -> None:
    # .05 and .09 share a bin: mean .07, none relevant; 1.0 belongs to the last one.
    assert ece(reliability([0.05, 0.09, 1.0, 0.95], [0, 0, 1, 0])) == pytest.approx(
        (2 * 0.07 + 2 * abs(0.975 - 0.5)) / 4
    )


def test_intervals_by_lists_are_wider_where_documents_of_a_list_go_together() -> None:
    p = np.full(100, 0.25)
    alike = [(p, np.arange(100) % 4 == 0)] * 20
    apart = [(p, np.full(100, i % 4 == 0)) for i in range(20)]
    for lists, least, most in ((alike, 0.0, 0.05), (apart, 0.3, 0.5)):
        ((low, high),) = resampled_intervals(lists)
        assert low <= 0.25 <= high and least < high - low < most
    assert resampled_intervals(apart) == resampled_intervals(apart)


@given(st.integers(0, 500), st.integers(1, 500))
def test_intervals_hold_the_share_and_narrow_with_more_documents(found: int, more: int) -> None:
    count = found + more
    low, high = wilson(np.array([found / count]), np.array([float(count)]))
    assert 0 <= low[0] <= found / count + 1e-12 and found / count - 1e-12 <= high[0] <= 1
    low_4, high_4 = wilson(np.array([found / count]), np.array([4.0 * count]))
    assert high_4[0] - low_4[0] < high[0] - low[0]


def test_wilsons_own_formula() -> None:
    # The interval's ends solve (share − p)² = z²·p(1 − p)/n.
    low, high = wilson(np.array([0.3]), np.array([40.0]))
    for p in (low[0], high[0]):
        assert (0.3 - p) ** 2 == pytest.approx(1.959964**2 * p * (1 - p) / 40)
