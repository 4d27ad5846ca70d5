"""Test accuracy is one decision among others, and its numbers are what they were when it was the only one."""

from typing import Any

import numpy as np
import pytest

from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.documents.tables import Tables
from tarstop_core.policies import parse_policy
from tarstop_core.value.cumulative import studies_after
from tarstop_core.value.outcomes import ReviewPath, states_of
from tarstop_core.value.payoffs import Option, Payoffs
from tests.reference.recorded import recorded

RECORDED = recorded("accuracy_paths")
ROWS = [(40, 8, 4, 70), (25, 9, 3, 74), (31, 5, 6, 80), (19, 6, 2, 45), (9, 2, 4, 31)]
N = 80


def path_of(case: dict[str, Any], others: tuple[Option, ...] = ()) -> ReviewPath:
    tables = Tables(tuple("abcde"), *np.array(ROWS, dtype=float).T)
    states = states_of(tables, Question(case["theta"], case["engine"], Prior(b_0=case["b_0"])))
    least = case["least"]
    return ReviewPath(
        0.5 / np.arange(1.0, N + 1) ** 0.7,
        states,
        studies_after([2, 9, 17, 30, 55], N),
        Payoffs(*case["payoffs"], others=others),
        np.zeros(N, dtype=bool),
        share=case["share"],
        full_cost=case["full_cost"],
        waiting=case["waiting"],
        needed=np.maximum(0, least - np.arange(len(states))) if least else None,
    )


@pytest.mark.parametrize("before", RECORDED, ids=["one stage", "two stages", "waiting", "held back"])
@pytest.mark.parametrize("others", [(), (Option("never the best", -1e6, -1e6),)], ids=["two", "three"])
def test_numbers_are_those_of_two_actions(before: dict[str, Any], others: tuple[Option, ...]) -> None:
    path, numbers = path_of(before["case"], others), before["numbers"]
    at, every = [0, 10, 20, 40, 80], slice(None, None, 20)
    for name, found in (
        ("belief", path.b[at]),
        ("evpi", path.evpi[at]),
        ("evsi", path.evsi()[every]),
        ("value_rate", path.value_rate()[every]),
        ("otherwise", path.otherwise[every]),
        ("disagreement", path.disagreement("pooled")[every]),
    ):
        np.testing.assert_allclose(found, numbers[name], rtol=1e-9, atol=1e-12, err_msg=name)
    costs = path.payoffs.K * np.geomspace(1e-6, 1e-2, 5)
    np.testing.assert_allclose(path.closed_gain(costs, 10), numbers["gain"], rtol=1e-9, atol=1e-12)
    assert [path.chooses_plus(d) for d in range(0, N + 1, 20)] == numbers["adopts"]
    for rule, depths in numbers["depths"].items():
        assert parse_policy(rule).depths(path, costs).tolist() == depths, rule
