"""Rows that cannot be are refused, and what is odd is said."""

import numpy as np
import pytest

from tarstop_core.effects.measures import Measure
from tarstop_core.effects.studies import Form, Studies
from tarstop_core.errors import InputProblem
from tests.effects.golden import studies_of


@pytest.mark.parametrize(
    "form, row, word",
    [
        (Form.EVENTS, (12, 10, 3, 10), "more events"),
        (Form.EVENTS, (0, 0, 3, 10), "no people"),
        (Form.MEANS, (1, 0, 10, 2, 1, 10), "deviation"),
        (Form.ERRORS, (0.2, -0.1), "error"),
        (Form.LOGRANK, (1.0, 0.0), "variance"),
        (Form.LIMITS, (0.5, 0.6, 0.9), "enclose"),
        (Form.LIMITS, (0.5, 0.5, 0.5), "equal"),
    ],
)
def test_a_row_that_cannot_be_is_refused_by_its_name(form: Form, row: tuple[float, ...], word: str) -> None:
    with pytest.raises(InputProblem, match=rf"^Ray 2001 .*{word}"):
        Studies(("Ray 2001",), form, np.array([row], dtype=float))


def test_ratios_are_known_by_their_limits() -> None:
    assert (
        studies_of("steurer2006_hr").looks_like_ratios() and studies_of("pignon2000_hr").looks_like_ratios()
    )
    differences = Studies(("a", "b"), Form.LIMITS, np.array([[2.0, 1.0, 3.0], [4.0, 1.0, 7.0]]))
    assert not differences.looks_like_ratios() and not studies_of("raudenbush1985").looks_like_ratios()


def test_what_is_odd_is_said() -> None:
    values = np.array([[3, 40, 9, 50], [0, 20, 0, 20], [np.nan, 20, 1, 20], [3, 40, 9, 50]], dtype=float)
    notes = Studies(("Ray", "Lee", "May", "Ray"), Form.EVENTS, values).notes(Measure.OR, False)
    assert [
        next(word for word in ("Read", "event in", "missing", "once") if word in note) for note in notes
    ] == [
        "Read",
        "missing",
        "once",
        "event in",
    ]
    odd = Studies(("Ray",), Form.LIMITS, np.array([[0.5, 0.4, 1.9]]))
    assert "Ray" in odd.notes(Measure.GENERIC, ratio=True)[0]


def test_ratios_are_above_0_and_measures_need_their_columns() -> None:
    with pytest.raises(InputProblem, match="no-ratio"):
        Studies(("Ray",), Form.ERRORS, np.array([[-0.5, 0.1]])).sizes(Measure.GENERIC, ratio=True)
    with pytest.raises(InputProblem, match="not MD"):
        studies_of("bcg").sizes(Measure.MD)
