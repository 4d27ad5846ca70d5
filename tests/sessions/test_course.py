"""In the figures of a report the name of a limit stands where the curve does not cross it."""

import numpy as np
import pytest

from tarstop_core.sessions.course import free_side

X = np.linspace(0.0, 1.0, 17)
FALLS = np.linspace(0.5, 0.06, 17)
FOUND = np.append(FALLS[:-1], 1.0)


@pytest.mark.parametrize(
    ("y", "limit", "side"),
    [
        (FALLS, 0.5, (False, False)),  # above the limit, at its right end
        (FOUND, 0.5, (True, False)),  # a find at the end crosses the right end, so the left one
        (1 - FALLS, 0.5, (False, True)),  # below it, where the curve is above
        (FALLS, 0.0, (True, False)),  # never below the axis, where its numbers are
        (np.full(17, np.nan), 0.5, (False, False)),  # no curve
    ],
)
def test_the_name_of_a_limit_stands_clear_of_the_curve(y, limit: float, side: tuple[bool, bool]) -> None:
    assert free_side(X, y, limit, "act above") == side
