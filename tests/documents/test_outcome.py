"""Outcomes: studies lie in the list, in the order of their documents."""

import numpy as np
import pytest

from tarstop_core.documents.tables import Tables
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.errors import InputProblem


def outcome(positions: list[int], documents: int = 10) -> Outcome:
    n = len(positions)
    tables = Tables(tuple(f"S{i}" for i in range(n)), *np.ones((4, n)))
    topic = Topic("T/x", np.array([f"d{i}" for i in range(documents)]))
    return Outcome(topic, "T", tables, np.array(positions, dtype=np.int64))


@pytest.mark.parametrize("positions", [[3, 2], [-1, 4], [5, 11]])
def test_positions_out_of_order_or_outside_are_refused(positions: list[int]) -> None:
    with pytest.raises(InputProblem, match="not in the order of their documents"):
        outcome(positions)


def test_every_study_needs_a_position() -> None:
    good = outcome([1, 2])
    with pytest.raises(InputProblem, match="2 studies but 1 positions"):
        Outcome(good.topic, "T", good.tables, np.array([1]))
