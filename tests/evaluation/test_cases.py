"""Cases, their weights, and folds over groups."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tarstop_core.documents.tables import Tables
from tarstop_core.documents.topic import Outcome, Topic
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.cases import Benchmark, Case, Fold, cross_validated, group_weights


def test_groups_can_weigh_the_same() -> None:
    weights = group_weights(["a", "b", "b", "b"], by_group=True)
    assert weights.sum() == pytest.approx(4) and weights[1:].sum() == pytest.approx(weights[0])
    assert group_weights(["a", "b", "b"], by_group=False).tolist() == [1, 1, 1]


def test_cases_need_judgments() -> None:
    with pytest.raises(InputProblem, match="no judgments"):
        Case(Topic("t", np.array(["d"])), "t")


def test_what_is_in_a_benchmark_is_said() -> None:
    found = Case(Topic("t", np.array(["d", "e"]), labels=np.array([True, False]), n_relevant=1), "t")
    empty = Case(Topic("u", np.array(["d"]), labels=np.array([False]), n_relevant=0), "u")
    once = Benchmark("x", "X", "patent", (Fold([found], [empty]),), "nowhere")
    assert [int(number) for number in re.findall(r"\d+", once.contents)] == [2, 1, 3, 1, 1]
    none = np.array([])
    tables = Tables((), none, none, none, none)
    one, two = (
        replace(each, outcome=Outcome(each.topic, "r", tables, none.astype(np.int64)))
        for each in (found, empty)
    )
    crossed = Benchmark("x", "X", "review", (Fold([one], [two]), Fold([two], [one])), "nowhere")
    assert [int(number) for number in re.findall(r"\d+", crossed.contents)] == [2, 3, 2]
    assert "outcomes" in crossed.contents and "topics" in once.contents


def test_cross_validation_needs_two_groups() -> None:
    topic = Topic("t", np.array(["d"]), labels=np.array([True]), n_relevant=1)
    with pytest.raises(InputProblem, match="at least two topics"):
        cross_validated([Case(topic, "a"), Case(topic, "a")])
