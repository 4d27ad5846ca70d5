"""What is said of a session that was read to its end: looking at nothing that came later."""

import numpy as np
import pytest

from tarstop_core.evaluation.reranked_chances import log_loss, said, table
from tarstop_core.samples.shipped import reranked_chances

RELEVANT = np.random.default_rng(1).random(300) < 0.6 * np.exp(-np.arange(300) / 30)


def test_what_is_said_of_a_session() -> None:
    found = said(reranked_chances(), RELEVANT)
    assert 0 < found["log_loss"] < 0.3 and 0 <= found["ece"] < 0.1
    assert list(found["left"]) == ["20", "50", "100"]
    for read, left in found["left"].items():
        assert 0 <= left["low"] <= left["mean"] <= left["high"] <= 300 - int(read)
        assert left["true"] == RELEVANT[int(read) :].sum()


def test_chances_know_nothing_of_what_comes() -> None:
    other = RELEVANT.copy()
    other[100:] = ~other[100:]
    one, two = (table(reranked_chances(), np.arange(300), each)["chance"] for each in (RELEVANT, other))
    assert one[:101].tolist() == pytest.approx(two[:101].tolist())
    assert one[101] != pytest.approx(two[101])


def test_log_loss_by_example() -> None:
    assert (round(log_loss(np.array([0.5, 0.9]), np.array([True, True])), 3)) == 0.399
