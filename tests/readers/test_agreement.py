"""Agreement between readers equals the worked examples of those who proposed each measure."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tarstop_core.errors import InputProblem
from tarstop_core.readers.agreement import agreement, in_stretches

FLEISS_1971 = """
444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445
333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555
"""
"""What six psychiatrists called each of 30 patients (Fleiss 1971, Table 1)."""
GWET_2014 = "11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 ..3."
"""Twelve subjects, four raters, five categories (Gwet, Handbook of Inter-Rater Reliability, 4th edition)."""


def written(text: str) -> NDArray[np.float64]:
    """Verdicts written as a word a record, categories from 1 on, a point for a missing one."""
    return np.array([[np.nan if mark == "." else int(mark) - 1 for mark in word] for word in text.split()])


def crossed(table: list[list[int]]) -> NDArray[np.float64]:
    """Verdicts of two readers from the table of their counts."""
    rows = [[i, j] for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return np.array(rows, dtype=float)


def test_cohen_1960() -> None:
    found = agreement(crossed([[88, 14, 18], [10, 40, 10], [2, 6, 12]]), categories=3).cohen
    assert found is not None and found.value == pytest.approx(0.492, abs=5e-4)
    # The interval by the large-sample variance of 1969, as R's psych prints it.
    assert (found.low, found.high) == pytest.approx((0.39, 0.59), abs=5e-3)


def test_fleiss_cohen_and_everitt_1969() -> None:
    table = np.array([[106, 10, 4], [22, 28, 10], [2, 12, 6]])
    found = agreement(crossed(table.tolist()), categories=3).cohen
    p = table / 200
    rows, columns, diagonal = p.sum(axis=1), p.sum(axis=0), np.diag(p)
    observed, chance = diagonal.sum(), rows @ columns
    kappa = (observed - chance) / (1 - chance)
    # Equation 13 of the paper.
    on = sum(diagonal * (1 - (rows + columns) * (1 - kappa)) ** 2)
    off = sum(p[i, j] * (columns[i] + rows[j]) ** 2 for i in range(3) for j in range(3) if i != j)
    variance = on + (1 - kappa) ** 2 * off - (kappa - chance * (1 - kappa)) ** 2
    error = (variance / 200) ** 0.5 / (1 - chance)
    assert found is not None and found.value == pytest.approx(0.429, abs=5e-4) == kappa
    assert found.high is not None and found.high - kappa == pytest.approx(
        1.972 * error * (200 / 199) ** 0.5, rel=1e-3
    )


def test_fleiss_1971() -> None:
    found = agreement(written(FLEISS_1971), categories=5)
    assert found.records == 30 and found.cohen is None
    assert found.fleiss.value == pytest.approx(0.430, abs=5e-4)
    assert found.per_cent.value == pytest.approx(0.556, abs=5e-4)


def test_gwet_2014_with_missing_verdicts() -> None:
    found = agreement(written(GWET_2014), categories=5)
    assert found.records == 11
    assert found.per_cent.value == pytest.approx(0.81818, abs=5e-6)
    assert found.ac1.value == pytest.approx(0.77544, abs=5e-6)
    assert (found.ac1.low, found.ac1.high) == (pytest.approx(0.46081, abs=5e-6), 1.0)
    assert found.fleiss.value == pytest.approx(0.76117, abs=5e-6)
    assert (found.fleiss.low, found.fleiss.high) == (pytest.approx(0.42438, abs=5e-6), 1.0)


def test_the_paradox_of_kappa() -> None:
    """Nearly all records excluded by both: no agreement beyond chance by kappa, a high one by AC1 (Gwet 2002)."""
    found = agreement(crossed([[118, 5], [2, 0]]))
    assert found.cohen is not None and found.cohen.value == pytest.approx(-0.0234, abs=5e-5)
    assert found.ac1.value == pytest.approx(0.9408, abs=5e-5)
    assert found.per_cent.value == pytest.approx(0.944)
    # Clopper and Pearson for 118 of 125.
    assert (found.per_cent.low, found.per_cent.high) == pytest.approx((0.8880, 0.9772), abs=5e-5)


def test_intervals_cover() -> None:
    """By simulation of readers who depend on each other."""
    rng, shares = np.random.default_rng(1), np.array([0.62, 0.08, 0.06, 0.24])
    true_ac1 = (0.86 - 2 * 0.69 * 0.31) / (1 - 2 * 0.69 * 0.31)
    true_kappa = (0.86 - 0.70 * 0.68 - 0.30 * 0.32) / (1 - 0.70 * 0.68 - 0.30 * 0.32)
    held, samples = np.zeros(2), 400
    for _ in range(samples):
        kind = rng.choice(4, size=150, p=shares)
        found = agreement(np.stack([kind // 2, kind % 2], axis=1).astype(float))
        for at, (one, true) in enumerate(((found.ac1, true_ac1), (found.cohen, true_kappa))):
            assert one is not None and one.low is not None and one.high is not None
            held[at] += one.low <= true <= one.high
    assert (np.abs(held / samples - 0.95) < 0.035).all()


def test_verdicts_that_are_all_the_same_have_no_kappa() -> None:
    found = agreement(np.zeros((40, 2)))
    assert found.cohen is not None and found.cohen.value is found.fleiss.value is None
    assert (found.ac1.value, found.ac1.low) == (1.0, None)
    assert found.per_cent.low == pytest.approx(0.9119, abs=5e-5) and found.per_cent.high == 1


def test_stretches_follow_the_list() -> None:
    verdicts = np.array([[1, 1]] * 5 + [[1, 0]] * 5 + [[np.nan, 0]] * 5)
    first, second, third = in_stretches(verdicts, 3)
    assert first is not None and second is not None and third is None
    assert (first.per_cent.value, second.per_cent.value) == (1, 0)


def test_one_reader_is_refused() -> None:
    with pytest.raises(InputProblem, match="two readers"):
        agreement(np.array([[1.0, np.nan], [np.nan, 0.0]]))
