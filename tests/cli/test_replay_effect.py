"""``tarstop replay --scenario effect``: rules on labelled lists whose reports bring effects."""

from pathlib import Path

import numpy as np
import pytest

from tarstop_core.calibration.calibrator import REVIEW
from tarstop_core.calibration.fitting import fit
from tarstop_core.effects.beliefs import EffectTarget, belief_of_effect
from tarstop_core.effects.measures import Measure
from tarstop_core.files import label_topics, read_effect_outcomes, read_qrels, read_run
from tests.cli.shell import Run, refused
from tests.effects.golden import studies_of

BCG = studies_of("bcg")
PLACES = (0, 1, 3, 6, 8, 12, 15, 19, 24, 30, 37, 44, 60)
"""Ranks of the documents that bring a study, from 0 on."""


@pytest.fixture
def asked(tmp_path: Path) -> tuple[object, ...]:
    """The command but for its rule: a list of 80 documents, its judgments, its studies and a calibrator."""
    run, qrels, tables = (tmp_path / name for name in ("a.run", "a.qrels", "tables"))
    run.write_text("".join(f"T1 Q0 d{at} {at + 1} {80 - at} x\n" for at in range(80)), encoding="utf-8")
    qrels.write_text("".join(f"T1 0 d{at} 1\n" for at in PLACES), encoding="utf-8")
    tables.mkdir()
    lines = ["topic,outcome,study,docid,events_treated,n_treated,events_control,n_control"]
    for name, row, at in zip(BCG.study, BCG.values, PLACES, strict=True):
        lines.append(f"T1,tuberculosis,{name},d{at},{','.join(f'{value:g}' for value in row)}")
    (tables / "T1.csv").write_text("\n".join(lines), encoding="utf-8")
    topics, _ = label_topics(read_run(run), read_qrels(qrels))
    calibrator = tmp_path / "mine.json"
    calibrator.write_text(
        fit(list(topics.values()), scenario=REVIEW, name="a test").to_json(), encoding="utf-8"
    )
    return ("replay", run, qrels, "--scenario", "effect", "--calibrator", calibrator, "--tables", tables)


def test_a_rule_acts_on_the_belief_of_the_core(tarstop: Run, asked: tuple[object, ...]) -> None:
    how = ("--delta", "0.8", "--q-star", "0.5", "--cost", "0.001", "--json")
    target = EffectTarget(Measure.OR, 0.8, above=False, ratio=True)
    beliefs = belief_of_effect(BCG, target).beliefs
    assert beliefs[-1] is not None and beliefs[-1] > 0.5
    (row,) = tarstop(*asked, "--policy", "budget:d=5", *how).json["topics"]
    assert row["topic"] == "T1/tuberculosis" and row["depth"] == 5 and row["omega"] and row["action"] == "a+"
    assert row["net_utility"] == pytest.approx(0.25 - 0.005) and row["recall"] == pytest.approx(3 / 13)
    (row,) = tarstop(*asked, "--policy", "optimal", *how).json["topics"]
    assert 0 < row["depth"] < 80 and row["action"] == "a+"
    (row,) = tarstop(*asked, "--policy", "budget:d=1", *how, "--direction", "above").json["topics"]
    assert row["action"] == "a-" and not row["omega"]


def test_measure_and_engine_can_be_chosen(tarstop: Run, asked: tuple[object, ...]) -> None:
    common = (*asked, "--policy", "greedy", "--q-star", "0.5", "--cost", "0.0001", "--json")
    for more in (
        ("--measure", "RD", "--delta", "-0.01"),
        ("--engine", "normal"),
        ("--truth", "full_evidence"),
    ):
        assert tarstop(*common, *more).json["mean"]["topics"] == 1


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (("--theta", "0.7"), "--theta is for reviews of accuracy"),
        (("--engine", "reml"), "another kind of review"),
        (("--measure", "MD"), "give OR or RR or RD"),
        (("--policy", "qbcb"), "a different belief for every sample"),
    ],
)
def test_what_does_not_fit_is_refused(
    tarstop: Run, asked: tuple[object, ...], more: tuple[str, ...], word: str
) -> None:
    refused(tarstop(*asked, "--policy", "greedy", "--q-star", "0.5", "--cost", "0.001", *more), word)


def test_studies_stand_in_the_order_of_their_documents(asked: tuple[object, ...]) -> None:
    run = read_run(Path(str(asked[1])))
    ((outcome,), _) = read_effect_outcomes(Path(str(asked[-1])), run)
    assert outcome.positions.tolist() == list(PLACES) and outcome.review == "T1"
    np.testing.assert_array_equal(outcome.studies.values, BCG.values)


def test_several_options_are_weighed_by_what_each_brings(tarstop: Run, asked: tuple[object, ...]) -> None:
    """A trial that is nearly as good in both cases is chosen while little was read; the truth asks for one of the others."""
    how = "--q-star", "0.5", "--cost", "0.0001", "--json"
    trial = "--option", "Trial, small,0.24,0.24"
    [plain] = tarstop(*asked, *how, "--policy", "budget:d=1").json["topics"]
    [early] = tarstop(*asked, *how, *trial, "--policy", "budget:d=1").json["topics"]
    assert set(early) == {*plain, "best"}
    assert (early["action"], early["net_utility"]) == ("Trial, small", pytest.approx(0.24 - 0.0001))
    known = tarstop(*asked, *how, *trial, "--policy", "oracle").json
    [row] = known["topics"]
    assert (
        row["action"] == row["best"] == ("a+" if row["omega"] else "a-")
        and known["mean"]["decision_agreement"] == 1
    )
    assert tarstop(*asked, *how, *trial, "--policy", "budget:d=1").json["mean"]["decision_agreement"] == 0
    refused(
        tarstop(*asked, *how, *trial, "--policy", "greedy", "--truth", "full_evidence"),
        "which of two actions",
    )
    refused(tarstop(*asked, *how, "--option", "Trial", "--policy", "greedy"), "NAME,RIGHT,WRONG")
