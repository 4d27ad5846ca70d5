"""Folders of one's own."""

import json
from pathlib import Path

import pytest

from tarstop_core.effects.beliefs import EffectTarget, belief_of_effect
from tarstop_core.effects.measures import Measure
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.folder import from_folder
from tarstop_core.evaluation.findings.conduct import conduct
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.ranking_metrics import ranking_metrics
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.effect import EffectTask
from tarstop_core.evaluation.tasks.review import ReviewTask
from tarstop_core.files import read_qrels, read_run
from tests.effects.golden import studies_of

RUN = "".join(f"{t} Q0 d{i} {i} {9 - i}.5 x\n" for t in ("T1", "T2", "T3") for i in range(1, 7))
QRELS = "T1 0 d2 1\nT2 0 d1 1\nT2 0 d5 1\nT3 0 d9 1\n"
TABLES = "topic,outcome,study,docid,TP,FP,FN,TN\n" + "".join(
    f"{t},{o},S{i},d{i},{9 + i},2,{i},30\n" for t in ("T1", "T2", "T3") for o in ("A", "B") for i in (1, 2, 4)
)


def fill(folder: Path, run: str = RUN, qrels: str | None = QRELS, tables: str | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.run").write_text(run, encoding="utf-8")
    if qrels is not None:
        (folder / "a.qrels").write_text(qrels, encoding="utf-8")
    if tables is not None:
        (folder / "outcomes.csv").write_text(tables, encoding="utf-8")
    return folder


def test_a_folder_is_cross_validated_with_twins(tmp_path: Path) -> None:
    made = from_folder(fill(tmp_path / "mine"))
    assert (made.name, made.scenario, made.simulated, len(made.folds)) == ("mine", "patent", False, 3)
    cases = [case for fold in made.folds for case in fold.test]
    assert sum(case.topic.omega for case in cases) == 3 and len(cases) == 6
    twin = next(case for case in cases if case.name == "T2, relevant removed")
    assert twin.group == "T2" and len(twin.topic) == 4 and not twin.topic.omega
    assert any("ω⁻ twin" in note for note in made.notes)
    for fold in made.folds:
        assert not {case.group for case in fold.train} & {case.group for case in fold.test}
    found = run(made, DecisiveTask(), parse_methods(["greedy", "budget:d=2"], "patent"))
    # T3's relevant document is not ranked: ω⁺, and nothing can be found.
    lost = found.cases.index("T3")
    assert found.omega[lost].all() and not found.recall[lost].any()


def test_judgments_in_a_tsv_are_no_tables_and_their_grades_count(tmp_path: Path) -> None:
    folder = fill(tmp_path / "beir", qrels=None)
    rows = "".join(f"{line.split()[0]}\t{line.split()[2]}\t2\n" for line in QRELS.splitlines())
    (folder / "test.tsv").write_text("query-id\tcorpus-id\tscore\nT1\td3\t1\n" + rows, encoding="utf-8")
    made = from_folder(folder)
    judged = ranking_metrics(read_run(folder / "a.run"), read_qrels(folder / "test.tsv"))
    assert made.scenario == "patent" and made.statistics["ndcg"][0] == judged["ndcg"]
    (folder / "a.qrels").write_text(QRELS, encoding="utf-8")
    with pytest.raises(InputProblem, match=r"2 files of judgments \(a\.qrels, test\.tsv\)"):
        from_folder(folder)


def test_topics_without_relevant_documents_are_omega_minus_as_they_are(tmp_path: Path) -> None:
    made = from_folder(fill(tmp_path, qrels=QRELS.replace("T3 0 d9 1", "T3 0 d1 0")))
    cases = [case for fold in made.folds for case in fold.test]
    assert sorted((case.name, case.topic.omega) for case in cases) == [
        ("T1", True),
        ("T2", True),
        ("T3", False),
    ]
    (tmp_path / "benchmark.json").write_text(
        json.dumps({"twins": True, "title": "Mine", "folds": 2}), encoding="utf-8"
    )
    again = from_folder(tmp_path)
    assert again.title == "Mine" and len(again.folds) == 2
    assert sum(len(fold.test) for fold in again.folds) == 5


def test_train_and_test_folders(tmp_path: Path) -> None:
    fill(tmp_path / "train")
    fill(tmp_path / "test", RUN.replace("T", "U"), QRELS.replace("T", "U"))
    made = from_folder(tmp_path)
    (fold,) = made.folds
    assert {case.group[0] for case in fold.train} == {"T"} and {case.group[0] for case in fold.test} == {"U"}
    fill(tmp_path / "test", RUN.replace("T2", "U2"), QRELS.replace("T2", "U2"))
    with pytest.raises(InputProblem, match="T1 is in both train and test"):
        from_folder(tmp_path)


def test_tables_make_it_reviews(tmp_path: Path) -> None:
    made = from_folder(fill(tmp_path, qrels=None, tables=TABLES))
    assert made.scenario == "review" and made.weigh_by_group and len(made.folds) == 3
    cases = [case for fold in made.folds for case in fold.test]
    assert sorted({case.group for case in cases}) == ["T1", "T2", "T3"] and len(cases) == 6
    found = run(made, ReviewTask(), parse_methods(["greedy", "budget"], "review"), costs=(0.001,))
    assert found.settings["weighed"] == "by group"
    assert not any("judgments" in note for note in made.notes)


def test_judgments_beside_tables_are_said_to_be_unused(tmp_path: Path) -> None:
    made = from_folder(fill(tmp_path, tables=TABLES))
    said = "a.qrels: judgments are not used: a document counts as relevant when it brings a table."
    assert said in made.notes


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda folder: (folder / "a.run").unlink(), "contains no run; put a TREC run"),
        (lambda folder: (folder / "a.qrels").unlink(), "contains no file of judgments"),
        (
            lambda folder: (folder / "b.run").write_text(RUN, encoding="utf-8"),
            r"holds 2 runs \(a.run, b.run\); keep one",
        ),
        (lambda folder: (folder / "train").mkdir(), "only one of train and test"),
        (
            lambda folder: (folder / "benchmark.json").write_text("{", encoding="utf-8"),
            "benchmark.json is not readable JSON",
        ),
        (lambda folder: (folder / "benchmark.json").write_text("[1]", encoding="utf-8"), "not a JSON object"),
        (
            lambda folder: (folder / "benchmark.json").write_text('{"name": "x"}', encoding="utf-8"),
            "has 'name'; it may have title",
        ),
        (
            lambda folder: (folder / "benchmark.json").write_text('{"folds": 1}', encoding="utf-8"),
            "whole number, 2 or more",
        ),
        (
            lambda folder: (folder / "benchmark.json").write_text('{"twins": 1}', encoding="utf-8"),
            "give true or false",
        ),
        (lambda folder: (folder / "a.run").write_text("T1 Q0 d1 1 x\n", encoding="utf-8"), "a.run"),
    ],
)
def test_broken_folders_are_named(tmp_path: Path, spoil: object, message: str) -> None:
    fill(tmp_path)
    spoil(tmp_path)  # type: ignore[operator]
    with pytest.raises(InputProblem, match=message):
        from_folder(tmp_path)


def test_one_half_with_tables_is_refused(tmp_path: Path) -> None:
    fill(tmp_path / "train")
    fill(tmp_path / "test", RUN.replace("T", "U"), None, TABLES.replace("T1", "U1").replace("T2", "U2"))
    with pytest.raises(InputProblem, match="Only one of train and test"):
        from_folder(tmp_path)


# --- reviews of interventions ---------------------------------------------------------------------


def of_effects(folder: Path) -> Path:
    """Two published sets of trials, each in a list of 60 documents."""
    run, tables = "", "topic,outcome,study,docid,events_treated,n_treated,events_control,n_control\n"
    for name in ("bcg", "hine1989"):
        studies = studies_of(name)
        run += "".join(f"{name} Q0 {name}{i} {i + 1} {60 - i}.5 x\n" for i in range(60))
        for at, (study, row) in enumerate(zip(studies.study, studies.values, strict=True)):
            tables += f"{name},all,{study},{name}{3 * at + 1},{','.join(f'{count:g}' for count in row)}\n"
    return fill(folder, run=run, qrels=None, tables=tables)


def test_tables_of_an_intervention_make_a_benchmark_of_effects(tmp_path: Path) -> None:
    made = from_folder(of_effects(tmp_path / "mine"))
    assert (made.scenario, len(made.folds), made.weigh_by_group) == ("effect", 2, True)
    assert "2 outcomes of" in made.contents and "120 ranked" in made.contents
    task = EffectTask.asked({"measure": "RR", "delta": 0.8, "engine": "univariate"})
    assert task.engine is None
    methods = parse_methods(["greedy", "budget:d=5", "oracle"], "effect")
    results = run(made, task, methods, q_stars=(0.5,), costs=(0.001,))
    target = EffectTarget(Measure.RR, 0.8, above=False, ratio=True)
    last = {name: belief_of_effect(studies_of(name), target).beliefs[-1] for name in ("bcg", "hine1989")}
    assert {case: bool(omega) for case, (omega,) in zip(results.cases, results.omega, strict=True)} == {
        f"{name}/all": b is not None and b > 0.5 for name, b in last.items()
    }
    budget = [method.name for method in results.methods].index("budget:d=5")
    assert results.screened[:, budget].ravel().tolist() == [5.0, 5.0]
    # Documents 1 and 4 of five bring a study each.
    assert sorted(results.recall[:, budget].ravel()) == pytest.approx(sorted((2 / 13, 2 / 6)))
    _, asked = conduct(str(tmp_path / "mine"), ["decide-now"], measure="RR", delta=0.8)
    assert EffectTask.asked(asked.results.settings).target == target
    assert EffectTask.asked(results.settings).target == target


def test_one_half_with_effects_and_one_with_accuracy_is_refused(tmp_path: Path) -> None:
    of_effects(tmp_path / "train")
    fill(tmp_path / "test", tables=TABLES)
    with pytest.raises(InputProblem, match="tables of its kind"):
        from_folder(tmp_path)
