"""Cases and their weights."""

from __future__ import annotations

import numpy as np
import pytest

from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.cases import Case, group_weights


def test_groups_can_weigh_the_same() -> None:
    weights = group_weights(["a", "b", "b", "b"], by_group=True)
    assert weights.sum() == pytest.approx(4) and weights[1:].sum() == pytest.approx(weights[0])
    assert group_weights(["a", "b", "b"], by_group=False).tolist() == [1, 1, 1]


def test_cases_need_judgments() -> None:
    with pytest.raises(InputProblem, match="no judgments"):
        Case(Topic("t", np.array(["d"])), "t")
