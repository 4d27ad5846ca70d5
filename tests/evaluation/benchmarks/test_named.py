"""Benchmarks by name: simulated ones, those of real collections, and what the documents say of them."""

import re
from pathlib import Path

import numpy as np
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.named import (
    BENCHMARKS,
    named,
    simulated_patents,
    simulated_reviews,
)

PAGE = Path(__file__).resolve().parents[3] / "docs" / "benchmarks_of_your_own.md"


def test_names_of_benchmarks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TARSTOP_REAL_DATA", raising=False)
    with pytest.raises(
        InputProblem, match=r"no benchmark 'nothing' and no folder.*review, clef,.* or a folder"
    ):
        named("nothing")
    with pytest.raises(InputProblem, match="TARSTOP_REAL_DATA"):
        named("clef")
    (tmp_path / "a.run").write_text("T1 Q0 d1 1 2.5 x\nT2 Q0 d1 1 2.5 x\n", encoding="utf-8")
    (tmp_path / "a.qrels").write_text("T1 0 d1 1\nT2 0 d1 1\n", encoding="utf-8")
    assert named(str(tmp_path)).name == tmp_path.name


@pytest.mark.parametrize("name", [each.name for each in BENCHMARKS.values() if not each.real])
def test_what_is_said_before_it_is_made_holds_afterwards(name: str) -> None:
    made = named(name)
    about = BENCHMARKS[name]
    assert (made.name, made.title, made.scenario) == (about.name, about.title, about.scenario)
    assert made.simulated and made.provenance


def test_the_document_names_them_all() -> None:
    told = set(re.findall(r"`([a-z-]+)`", PAGE.read_text(encoding="utf-8").split("## The real ones")[0]))
    assert set(BENCHMARKS) <= told


def test_simulated_patents_have_two_halves_that_share_nothing() -> None:
    made = simulated_patents(topics=20, seed=3)
    (fold,) = made.folds
    assert made.simulated and len(fold.train) == len(fold.test) == 20
    assert sum(case.topic.omega for case in fold.test) == 10
    assert not np.array_equal(fold.train[0].topic.scores, fold.test[0].topic.scores)
    achieved, aimed = made.statistics["map"]
    assert 0 < achieved < 1 and aimed == 0.353


def test_simulated_reviews_share_no_review() -> None:
    made = simulated_reviews(outcomes=9, seed=3)
    (fold,) = made.folds
    assert (len(fold.train), len(fold.test)) == (4, 5)
    assert not {case.group for case in fold.train} & {case.group for case in fold.test}
    assert made.statistics["recall_100"][1] == 0.304


@pytest.mark.usefixtures("real_data")
def test_real_rankings_become_a_decisive_task() -> None:
    made = named("clef")
    cases = [case for fold in made.folds for case in fold.test]
    assert len(cases) == 48 and sum(case.topic.omega for case in cases) == 24 and not made.simulated
    whole = {case.name: case for case in cases}
    for case in cases:
        if case.topic.omega:
            twin = whole[f"{case.name}, relevant removed"]
            assert len(twin.topic) == len(case.topic) - case.labels.sum()
    assert made.statistics["map"][0] == pytest.approx(0.128, abs=5e-4)
    assert made.statistics["recall_100"][0] == pytest.approx(0.458, abs=5e-4)


@pytest.mark.usefixtures("real_data")
def test_travelling_tests_no_review_that_was_trained_on() -> None:
    made = named("clef-travel")
    (fold,) = made.folds
    train, test = ({case.group for case in half} for half in (fold.train, fold.test))
    assert len(train) == 24 and not train & test and len(test) > 8
    assert len({case.name for case in fold.test}) == len(fold.test)


@pytest.mark.usefixtures("real_data")
def test_real_tables_become_a_review_task() -> None:
    made = named("clef-review")
    cases = [case for fold in made.folds for case in fold.test]
    assert len(cases) == 63 and len({case.group for case in cases}) == 16 and made.weigh_by_group
    assert "invented" in made.provenance
