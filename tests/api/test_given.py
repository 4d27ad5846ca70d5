"""What cannot be used is refused with a sentence that names the argument."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tarstop_core as ts
from tarstop_core.screening.scenarios.named import SCENARIOS
from tests.api.cases import FOUND_AT, RELEVANT, STAKES, TABLES, N

P = np.linspace(0.5, 0.01, N)
REVIEW: dict[str, Any] = {"scenario": "review"}
RANKS = ts.Calibrator.load("clef-reviews-rank-frailty")


def frame(**columns: Any) -> pd.DataFrame:
    return TABLES[:1].assign(**columns)


@pytest.mark.parametrize(
    "ask, named",
    [
        (lambda: ts.advise([0.2, 1.2], [], STAKES), r"chances\[1\] is 1\.2"),
        (lambda: ts.advise([0.2, math.nan], [], STAKES), r"chances\[1\] is nan"),
        (lambda: ts.advise(["a"], [], STAKES), "chances contains"),
        (lambda: ts.advise([[0.1], [0.2]], [], STAKES), r"chances has the shape \(2, 1\)"),
        (lambda: ts.advise([], [], STAKES), "chances has the shape"),
        (lambda: ts.advise(10, [], STAKES), "chances is a number of documents"),
        (lambda: ts.advise(0, [], scenario="enough"), "chances is 0"),
        (lambda: ts.advise(P, 3, STAKES), "labels is 3"),
        (lambda: ts.advise(P, "01", STAKES), "labels is '01'"),
        (lambda: ts.advise(P, [], STAKES, calibrator="clef-reviews"), "calibrator is 'clef-reviews'"),
        (lambda: ts.advise(P, [], STAKES, calibrator=ts.Calibrator()), "give a fitted one"),
        (lambda: ts.evsi(P, [0], STAKES, 5), "documents is 5"),  # type: ignore[arg-type]
        (lambda: ts.evsi(P, [0], STAKES, ["a"]), "documents is"),  # type: ignore[list-item]
        (lambda: ts.advise(P, ["maybe"], STAKES), r"labels\[0\] is 'maybe'"),
        (lambda: ts.advise(P, [0, 2], STAKES), r"labels\[1\] is 2"),
        (lambda: ts.advise(P[:2], [0, 0, 1], STAKES), "labels has 3 labels for 2 documents"),
        (lambda: ts.advise(P, []), "stakes is None"),
        (lambda: ts.advise(P, [], 0.5), "stakes is 0.5"),
        (lambda: ts.advise(P, [], STAKES, scenario="enough"), "stakes is given"),
        (lambda: ts.advise(P, [], STAKES, scenario="court"), f"one of {', '.join(SCENARIOS)}"),
        (lambda: ts.advise(P, [1], STAKES, scenario="effect", tables=TABLES[:1]), "test’s accuracy"),
        (lambda: ts.advise(P, [], STAKES, theta=0.7), "no setting theta"),
        (lambda: ts.advise(P, [], STAKES, needs_citations=True), "needs_citation is one"),
        (
            lambda: ts.advise(P, [], STAKES, calibrator=RANKS),
            r"chances are not those .* calibrator.predict\(60\)",
        ),
        (lambda: ts.advise(P, [], STAKES, cost=3.0), "no setting cost"),
        (lambda: ts.advise(P, [], STAKES, kappa="much"), "kappa is 'much'"),
        (lambda: ts.advise(P, [], STAKES, b_0=2), "belief b_0|b_0"),
        (lambda: ts.advise(P, [], STAKES, policy="magic"), "no policy 'magic'"),
        (lambda: ts.advise(P, [1], STAKES, tables=TABLES[:1]), "tables is for the scenario review"),
        (lambda: ts.advise(P, [0], STAKES, tables=TABLES[:1], **REVIEW), "tables has 1 rows"),
        (lambda: ts.advise(P, [1, 0], STAKES, tables=frame(position=1), **REVIEW), "tables names position 1"),
        (lambda: ts.advise(P, [1], STAKES, tables=frame(position=0.5), **REVIEW), "tables has a position"),
        (
            lambda: ts.advise(P, [1], STAKES, tables=frame()[["TP", "FN"]], **REVIEW),
            "tables has no column FP",
        ),
        (
            lambda: ts.advise(P, [1], STAKES, calibrator=ts.Calibrator.load("review-data")),
            "chances of 'patent' are needed; use .*clef-reviews-rank",
        ),
        (lambda: ts.replay(P, RELEVANT[:5], STAKES), "labels has 5 labels for 60 documents"),
        (lambda: ts.replay(P, [0, None, 1], STAKES), r"labels\[1\] is missing"),
        (lambda: ts.replay(P, RELEVANT, STAKES, kappa=0.9), "kappa is not a setting of a replay"),
        (lambda: ts.replay(P, RELEVANT, scenario="enough", target=2), "target is 2"),
        (lambda: ts.evsi(P, [0], STAKES, [0, 4]), "documents has 0 to 4"),
        (lambda: ts.evsi(P, [0], None, scenario="enough"), "weighs no decision"),  # type: ignore[arg-type]
        (lambda: ts.decide(1.5, 0.1, STAKES), "belief is 1.5"),
        (lambda: ts.decide(0.5, -0.1, STAKES), "rho is -0.1"),
        (lambda: ts.decide(0.5, 0.1, 3), "stakes is 3"),  # type: ignore[arg-type]
        (lambda: ts.belief([[1, 2, 3]]), "tables is not a table of counts"),
        (lambda: ts.belief([[1, 2, 3, -4]]), "TN = -4"),
        (lambda: ts.belief(TABLES, theta=2), "θ|theta"),
        (lambda: ts.belief(TABLES, engine="reml", b_0=0.3), "reml uses no prior"),
        (lambda: ts.rank("a door", "door"), "records is one text"),
        (lambda: ts.rank(pd.DataFrame({"text": ["a door"]}), "door"), "records has neither"),
        (lambda: ts.rank(["a door"], "door", tokens="letters"), "tokens is 'letters'"),
        (lambda: ts.Calibrator().fit([1, 2], [1]), "y has the shape"),
        (lambda: ts.Calibrator().fit([1, 2], [1, 3]), "y contains values other"),
        (lambda: ts.Calibrator().fit(["a"], [1]), "X contains something"),
        (lambda: ts.Calibrator().fit([1, math.inf], [1, 0]), "X is not a column of finite scores"),
        (lambda: ts.Calibrator(kind="odd").fit([1, 2], [1, 0]), "odd"),
        (lambda: ts.Calibrator().predict([1, 2]), "was not fitted"),
        (lambda: ts.Calibrator.load("none"), "no calibrator none"),
        (lambda: ts.experiment("patent", ["greedy"], share=2), "share is 2"),
        (lambda: ts.experiment("patent", ["greedy"], target_recall=0), "target_recall is 0"),
        (lambda: ts.experiment("nowhere"), "nowhere"),
        (lambda: ts.Calibrator.load("clef-reviews-rank-frailty").predict([1, 2]), r"X\[1\] is higher"),
        (lambda: ts.Stakes.from_q_star(2, cost=1), "q\\* is 2"),
        (lambda: ts.Stakes.from_q_star(0.5, cost=2), "`cost` is 2, more than `K` = 1"),
    ],
)
def test_it_is_refused_by_name(ask: Callable[[], object], named: str) -> None:
    with pytest.raises(ts.InputProblem, match=named):
        ask()


def test_labels_come_in_many_forms() -> None:
    """Missing values behind the last label were not read; those before it were, without a verdict."""
    plain = ts.advise(P, [0, math.nan, 0], STAKES)
    for labels in (
        np.array([0, math.nan, 0]),
        [False, None, False, None, None],
        pd.Series([0, pd.NA, 0, pd.NA], dtype="Int64"),
        pd.array([False, pd.NA, False], dtype="boolean"),
    ):
        assert ts.advise(P, labels, STAKES).details == plain.details
    assert plain.read == 3
    assert plain.belief > ts.advise(P, [0, 0, 0], STAKES).belief  # type: ignore[operator]


def test_tables_of_documents_not_read_yet_do_not_count() -> None:
    """All of them may be given after each label: nothing is seen before it was read."""
    every = TABLES.assign(position=FOUND_AT)
    for depth in range(0, N, 5):
        labels = RELEVANT[:depth]
        given = TABLES[: int(labels.sum())]
        assert (
            ts.advise(P, labels, STAKES, tables=every, **REVIEW).details
            == ts.advise(P, labels, STAKES, tables=given, **REVIEW).details
        )


def test_labels_that_seem_to_stand_elsewhere_are_taken_aloud() -> None:
    with pytest.warns(UserWarning, match="labels has 9 missing ones before its last"):
        assert ts.advise(P, [None] * 9 + [0], STAKES).read == 10
    with pytest.warns(UserWarning, match=r"X\[1\] is higher"):
        ts.Calibrator(pseudo=1).fit([2, 1], [1, 0]).predict([1, 2])


def test_forgotten_tables_are_missed_aloud() -> None:
    with pytest.warns(UserWarning, match="the 1 relevant documents count as without data"):
        silent = ts.advise(P, [1], STAKES, **REVIEW)
    assert silent.details == ts.advise(P, [1], STAKES, tables=[], **REVIEW).details


def test_tables_come_in_many_forms() -> None:
    plain = ts.belief(TABLES)
    assert ts.belief(TABLES[["TP", "FP", "FN", "TN"]].to_numpy()).after == plain.after
    assert ts.belief(TABLES[["TP", "FP", "FN", "TN"]].to_numpy().tolist()).after == plain.after
    assert ts.belief(plain.tables).after == plain.after
    assert ts.belief([]).belief == 0.5
    alone = TABLES.assign(FP=math.nan, TN=math.nan)
    assert ts.belief(alone, engine="univariate").after == ts.belief(TABLES, engine="univariate").after
    assert ts.belief(
        TABLES.assign(FP=pd.array([4, pd.NA, 2, 2], "Int64"), TN=pd.array([60, pd.NA, 70, 9], "Int64"))
    ).belief


def test_a_document_may_bring_two_tables_and_another_none() -> None:
    labels, two = [1, 0, 1], TABLES[:2].assign(position=[2, 2])
    advice = ts.advise(P, labels, STAKES, tables=two, **REVIEW)
    assert advice.belief == ts.belief(TABLES[:2]).belief
    assert not advice.details.facts.waiting  # type: ignore[union-attr]
    later = ts.advise(P, labels, STAKES, tables=two, stages=2, **REVIEW)
    assert later.details.facts.waiting == 1  # type: ignore[union-attr]


def test_actions_are_called_as_the_question_calls_them() -> None:
    assert "Adopt" in str(ts.advise(P, [1, 1], STAKES, tables=TABLES[:2], **REVIEW))
    assert "Reject" in str(ts.advise(P, [1], STAKES))
