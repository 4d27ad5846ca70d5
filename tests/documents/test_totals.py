"""Rows of a table of studies that are no studies."""

import time

import numpy as np
import pytest

from tarstop_core.documents.totals import LeftOut, message, rows_left_out, sentence
from tests.branches import every_branch

COUNTS = np.array([[9.0, 1, 2, 40], [7, 2, 3, 30], [3, 3, 4, 27]])
TOGETHER = COUNTS.sum(axis=0)


def is_left_out(name: str, counts: np.ndarray = TOGETHER + 1) -> bool:
    """Whether a row of this name below three studies is no study."""
    out = rows_left_out(["A 2001", "B 2002", "C 2003", name], np.vstack([COUNTS, counts]))
    assert {row.at for row in out} <= {3}
    return bool(out)


@pytest.mark.parametrize(
    "name",
    [
        "Test for troponin 2010",
        "Test of Memory Malingering 2004",
        "Test of Memory Malingering",
        "TOTAL (Jolly 2015)",
        "TOTAL, 2015",
        "Overall: Smith 2004a",
        "Summary2004",
        "Heterogeneity in sepsis (Lee, 1998)",
        "Random-effects model trial 2011",
    ],
)
def test_a_name_with_a_year_or_of_a_trial_is_that_of_a_study(name: str) -> None:
    assert not is_left_out(name)


@pytest.mark.parametrize(
    "name",
    [
        "Total (95% CI)",
        "Total (n = 2004)",
        "Test for overall effect: Z = 3.30 (P = 0.001)",
        "Test for overall effect: Z = 1.27 (P = 0.2013)",
        "Test for subgroup differences: Chi² = 2004.5, df = 1 (P<0.1987)",
        "Tests for heterogeneity: p = .2004",
        "Test for effect in subgroup (random effect)",
        "Test for Residual Heterogeneity:",
        "Test of θ = 0: z = 4.2",
        "Heterogeneity: Tau² = 0.2011; Chi² = 15.1, df = 11 (P = 0.18)",
    ],
)
def test_what_a_meta_analysis_prints_is_no_study_whatever_its_decimals(name: str) -> None:
    assert is_left_out(name)


def test_a_row_without_a_name_is_no_study_only_as_the_sum_of_rows_above() -> None:
    assert is_left_out("", TOGETHER)
    assert not is_left_out("")
    assert not is_left_out("", np.array([5, np.nan, 6, np.nan]))


def test_sums_are_those_of_a_loop_over_all_rows_above() -> None:
    draws = np.random.default_rng(4)
    found = 0
    for _ in range(300):
        counts = draws.integers(0, 3, (12, 3)).astype(float)
        counts[draws.random((12, 3)) < 0.05] = np.nan
        for at in draws.integers(3, 12, 3):
            counts[at] = np.nansum(counts[draws.integers(0, at) : at], axis=0)
        expected, kept, since = [], [], []
        for at, row in enumerate(counts):
            is_sum = False
            for rows in (kept, since):
                above = np.nan_to_num(counts[rows])
                is_sum |= (
                    len(rows) > 1 and (row == above.sum(axis=0)).all() and (row > above.max(axis=0)).all()
                )
            if is_sum:
                expected, since = [*expected, at], []
            else:
                kept, since = [*kept, at], [*since, at]
        assert [row.at for row in rows_left_out([""] * 12, counts)] == expected
        found += len(expected)
    assert found > 50


def test_a_hundred_thousand_rows_take_no_time_to_speak_of() -> None:
    counts = np.tile([[1.0, 2, 3, 4], [2, 3, 4, 5], [3, 5, 7, 9]], (33_333, 1))
    begun = time.process_time()
    assert len(rows_left_out([""] * len(counts), counts)) == 33_333
    assert time.process_time() - begun < 2


def test_every_branch_reads_as_a_sentence() -> None:
    with every_branch(message):
        one = sentence([LeftOut(1, "Total", True)], [2, 5])
        several = sentence([LeftOut(0, "", True), LeftOut(1, "Overall " * 9, False)], [2, 5], "row")
    assert "“Total” (line 5, " in one and ";" not in one
    assert "(row 2, " in several and several.count(";") == 1
    assert f"“{'Overall ' * 5}".strip() + "…” (row 5)." in several
