"""``tarstop experiment`` from the outside."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner, Result

from tarstop_core.cli import experiment as cli_experiment
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.benchmarks.named import BENCHMARKS, simulated_reviews
from tarstop_core.policies import POLICIES
from tests.evaluation.own_benchmark import CONTRACT, own_rules
from tests.reading_pages import read

RUN = "".join(f"{t} Q0 d{i} {i} {99 - i}.5 x\n" for t in ("T1", "T2", "T3") for i in range(1, 40))
WEIGHED = re.compile(
    r"belief|q\*|q_star|payoff|utility|\bworth|\bcosts?\b|regret|ICER|decision|\bnan\b|a⁺",
    re.IGNORECASE,
)
"""Words of a decision that is weighed."""
QRELS = "T1 0 d2 1\nT2 0 d1 1\nT2 0 d5 1\nT3 0 d9 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "mine"
    made.mkdir()
    (made / "a.run").write_text(RUN, encoding="utf-8")
    (made / "a.qrels").write_text(QRELS, encoding="utf-8")
    return made


def tarstop(*arguments: str) -> Result:
    return CliRunner().invoke(
        cli_experiment.experiment, [*arguments, "--workers", "1", "--no-pictures"], catch_exceptions=False
    )


def test_rows_are_those_of_the_contract(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    answer = tarstop(str(folder), "--out", str(out), "--methods", "greedy,budget:d=10,oracle", "--json")
    assert answer.exit_code == 0
    found = json.loads(answer.stdout)
    assert set(found) == {"rows", "seconds"} and found["seconds"] > 0
    assert len(found["rows"]) == 3 * 3 * 8
    for row in found["rows"]:
        assert set(CONTRACT) <= set(row) and row["topics"] == 6
        assert isinstance(row["icer"], str | float)
    assert {row["regret"] for row in found["rows"] if row["approach"] == "Oracle"} == {None}
    assert "ω⁻ twin" in answer.stderr
    assert (out / "report.html").is_file() and (out / "topics.csv.gz").is_file()


def test_where_nothing_is_weighed_rules_are_judged_by_recall_alone(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    asked = (str(folder), "--scenario", "enough", "--out", str(out), "--target-recall", "0.9")
    answer = tarstop(*asked, "--methods", "few-left,audit:every=2,budget:d=5,screen-everything", "--json")
    assert answer.exit_code == 0
    rows = {row["method"]: row for row in json.loads(answer.stdout)["rows"]}
    everything, five = rows["screen-everything"], rows["budget:d=5"]
    assert (everything["recall"], everything["reached"], everything["effort_saved"]) == (1, 1, 0)
    # Documents 2; 1 and 5; 9 are relevant.
    assert five["screened"] == 5 and five["topics"] == 3
    assert five["reached"] == pytest.approx(2 / 3) == five["recall"]
    columns = {*pd.read_csv(out / "rows.csv").columns, *pd.read_csv(out / "topics.csv.gz").columns}
    assert not columns & {"q_star", "cost", "net_utility", "plus", "regret", "icer", "decide_now"}
    assert set(json.loads((out / "settings.json").read_text(encoding="utf-8"))).isdisjoint({"b_0", "beliefs"})
    printed = tarstop(*asked, "--methods", "few-left,audit:every=2,budget:d=5,screen-everything").stdout
    tables = (out / "tables.tex").read_text(encoding="utf-8")
    page = (out / "report.html").read_text(encoding="utf-8")
    report = read(re.sub(r"<(style|script).*?</\1>", " ", page, flags=re.DOTALL))[1]
    for said in (report, printed, tables):
        assert "Few left" in said and not WEIGHED.search(said), WEIGHED.search(said)


def test_recall_centred_figures_stand_beside_net_utility(folder: Path, tmp_path: Path) -> None:
    out, methods = tmp_path / "out", ("--methods", "greedy,budget:d=5")
    rows = json.loads(
        tarstop(str(folder), "--out", str(out), *methods, "--target-recall", "0.5", "--json").stdout
    )["rows"]
    topics = pd.read_csv(out / "topics.csv.gz")
    for row in rows:
        same = (
            (topics["method"] == row["method"])
            & (topics["q_star"] == row["q_star"])
            & (topics["cost"] == row["cost"])
        )
        some = topics[same & topics["omega"]]
        assert row["topics_with_relevant"] == len(some) == 3 and row["target_recall"] == 0.5
        assert row["reliability"] == pytest.approx((some["recall"] >= 0.5).mean())
        saved = 1 - some["screened"] / some["documents"] - (1 - some["recall"])
        assert row["wss"] == pytest.approx(saved.mean())
        assert row["reliability_low"] < row["reliability_high"]
        assert bool(row["icer_note"]) == (row["icer"] == "--")
    assert all(row["reliability"] == pytest.approx(2 / 3) for row in rows if row["method"] == "budget:d=5")
    written = pd.read_csv(out / "rows.csv")
    assert written["reliability"].tolist() == pytest.approx([row["reliability"] for row in rows])
    said = tarstop(str(folder), "--out", str(out), *methods).stdout
    page = read((out / "report.html").read_text(encoding="utf-8"))[1]
    for text in (said, page):
        assert "recall reaches 95 %" in text and "ICER “--”" in text


def test_a_rule_that_looks_ahead_is_refused_before_anything_is_measured(folder: Path, tmp_path: Path) -> None:
    out, file = tmp_path / "out", own_rules(tmp_path)
    for spec in (f"{file}:LastHit", f"either(greedy;{file}:LastHit)"):
        with pytest.raises(
            InputProblem, match=r"LastHit.* cannot be measured\. On a list .* it looks ahead\. Fix it"
        ):
            tarstop(str(folder), "--out", str(out), "--methods", f"greedy,{spec}")
    assert not out.exists()
    assert tarstop(str(folder), "--out", str(out), "--methods", f"greedy,{file}:NIrrelevant").exit_code == 0


def test_a_review_may_ask_for_specificity_too(folder: Path, tmp_path: Path) -> None:
    reviews, out = tmp_path / "reviews", tmp_path / "out"
    reviews.mkdir()
    (reviews / "all.run").write_text(
        "".join(f"{t} Q0 {t}{i} {i + 1} {9 - i} x\n" for t in "AB" for i in range(8)), encoding="utf-8"
    )
    tables = "".join(f"{t},x,{t} {i},{t}{i},{20 + i},{9 + i},4,30\n" for t in "AB" for i in (1, 3, 6))
    (reviews / "tables.csv").write_text(f"topic,outcome,study,docid,TP,FP,FN,TN\n{tables}", encoding="utf-8")
    asked = (str(reviews), "--out", str(out), "--methods", "budget:d=8", "--json", "--no-pictures")
    for more, adopted in (
        ((), True),
        (("--theta-sp", "0.95"), False),
    ):  # sensitivity is high, specificity is not
        rows = json.loads(tarstop(*asked, *more).stdout)["rows"]
        topics = pd.read_csv(out / "topics.csv.gz")
        assert rows and set(topics["omega"]) == {adopted}
    with pytest.raises(InputProblem, match=r"1\.2; give a specificity"):
        tarstop(*asked, "--theta-sp", "1.2")
    with pytest.raises(InputProblem, match="theta_sp is for reviews of tests"):
        tarstop(str(folder), "--out", str(out), "--theta-sp", "0.9")


def test_a_second_run_takes_what_the_first_finished(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = tarstop(str(folder), "--out", str(out), "--methods", "greedy,batch", "--json")
    kept = {path: path.stat().st_mtime_ns for path in (out / cli_experiment.CACHE).rglob("*.npy")}
    second = tarstop(str(folder), "--out", str(out), "--methods", "greedy,batch", "--json")
    assert kept and kept == {
        path: path.stat().st_mtime_ns for path in (out / cli_experiment.CACHE).rglob("*.npy")
    }
    assert json.loads(first.stdout)["rows"] == json.loads(second.stdout)["rows"]
    tarstop(str(folder), "--out", str(out), "--methods", "greedy,batch", "--fresh")
    assert all(path.stat().st_mtime_ns > kept[path] for path in (out / cli_experiment.CACHE).rglob("*.npy"))


def test_words_for_people(folder: Path, tmp_path: Path) -> None:
    answer = tarstop(
        str(folder), "--out", str(tmp_path / "out"), "--methods", "greedy,budget:d=10", "--share", "0.1"
    )
    assert (
        "q* = 0.8" in answer.stdout and "Budget(10)" in answer.stdout and "weighed to 10% ω⁺" in answer.stdout
    )
    assert "report.html" in answer.stdout.splitlines()[-1]


def test_reviews_say_which_truth_and_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = replace(BENCHMARKS["review"], make=lambda: simulated_reviews(outcomes=6, seed=2))
    monkeypatch.setitem(BENCHMARKS, "review", few)
    answer = tarstop(
        "review",
        "--out",
        str(tmp_path / "out"),
        "--methods",
        "greedy,budget",
        "--truth",
        "full_evidence",
        "--json",
    )
    rows = json.loads(answer.stdout)["rows"]
    assert {row["truth"] for row in rows} == {"full_evidence"} and {row["engine"] for row in rows} == {
        "univariate"
    }
    assert all(0 <= row["engine_changes"] <= 1 for row in rows)
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert all(part in page for part in ("truth: full_evidence", "engine: univariate", "bivariate one would"))


def test_help_names_benchmarks_and_ways_to_name_a_method() -> None:
    said = " ".join(CliRunner().invoke(cli_experiment.experiment, ["--help"]).stdout.split())
    for name in (*BENCHMARKS, "TARSTOP_REAL_DATA"):
        assert f" {name} " in said
    assert "either(a;b)" in said and "both(a;b)" in said and "file.py:Name" in said
    for name, kind in POLICIES.items():
        needs = ", ".join(need.value for need in kind.needs) or "nothing"
        assert f" {name} {kind.promise.value} {needs} " in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["FOLDER", "--out", "OUT", "--delta", "0.8"], "delta is for reviews of interventions"),
        (["nowhere", "--out", "OUT"], "no benchmark 'nowhere'"),
        (["FOLDER", "--out", "OUT", "--methods", "nobody"], "no policy 'nobody'"),
        (["FOLDER", "--out", "OUT", "--share", "2"], "share is 2"),
        (["FOLDER", "--out", "OUT", "--target-recall", "95"], "target_recall is 95; give a number above 0"),
        (["FOLDER", "--out", "OUT", "--b0", "1"], "b_0 is 1"),
        (["FOLDER", "--out", "FOLDER/a.run"], "a.run is a file"),
    ],
)
def test_what_cannot_be_run_is_one_clear_line(
    folder: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    given = [each.replace("FOLDER", str(folder)).replace("OUT", str(tmp_path / "out")) for each in arguments]
    with pytest.raises(InputProblem, match=message) as problem:
        tarstop(*given)
    assert "\n" not in str(problem.value)
    assert not (tmp_path / "out").exists()
