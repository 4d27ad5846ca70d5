"""The page on how calibrators travel holds what a rerun finds."""

import csv
import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scripts import report_travel, travel_measured
from tarstop_core.calibration.fitting import assess, fit
from tarstop_core.cli import commands as cli
from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.replay import replay, summary
from tarstop_core.files import label_topics, read_qrels, read_run
from tarstop_core.policies import LookAhead
from tarstop_core.value.payoffs import Payoffs

DOCS = Path(__file__).resolve().parents[2] / "docs"
DTA = ("clef_dta/bm25.run", "clef_dta/content.qrels")
CLEF_2019 = ("clef2019/bm25_dta.run", "clef2019/full.test.dta.content.2019.qrels")


def row(heading: str, first_cell: str, last: bool = False) -> dict[str, str]:
    """A row of the first (or last) table below a heading of the page, by column."""
    text = (DOCS / "calibrators_travel.md").read_text(encoding="utf-8")
    part = (text.rpartition if last else text.partition)(heading)[2]
    lines = [
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in part.splitlines()
        if line.startswith("|")
    ]
    found = next(line for line in lines if line[0] == first_cell)
    return dict(zip(lines[0], found, strict=True))


def topics(data: Path, run: str, qrels: str) -> list[Topic]:
    return list(label_topics(read_run(data / run), read_qrels(data / qrels))[0].values())


def test_brier_and_ece_from_the_command_line(
    real_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One cell of chances and one of decisions, by `tarstop calibrate` and `tarstop replay`."""

    def tarstop(*arguments: object) -> dict[str, object]:
        monkeypatch.setattr(sys, "argv", ["tarstop", *map(str, arguments), "--json"])
        with pytest.raises(SystemExit) as left:
            cli.main()
        assert left.value.code == 0
        content: dict[str, object] = json.loads(capsys.readouterr().out)
        return content

    train, test = ([real_data / path for path in paths] for paths in (DTA, CLEF_2019))
    fitted = tmp_path / "cal.json"
    quality = tarstop(
        *("calibrate", *train, "--scenario", "patent", "--out", fitted),
        *("--test-run", test[0], "--test-qrels", test[1]),
    )
    told = row("## Chances", "clef2019, marginal")
    assert told["Brier away"] == f"{quality['brier']:.4f}" and told["ECE away"] == f"{quality['ece']:.4f}"
    assert told["documents judged"] == f"{quality['documents']:,}"
    at_home = tarstop("calibrate", *test, "--scenario", "patent", "--out", tmp_path / "home.json")
    assert told["Brier home"] == f"{at_home['brier']:.4f}" and told["ECE home"] == f"{at_home['ece']:.4f}"

    told = row("### The two directions apart", "clef2019, q* = 0.5", last=True)
    for policy, name in (("optimal", "Optimal"), ("greedy", "Greedy"), ("batch:K=10", "Batch(10)")):
        mean = tarstop(
            *(
                "replay",
                *test,
                "--calibrator",
                fitted,
                "--policy",
                policy,
                "--q-star",
                "0.5",
                "--cost",
                "0.001",
            )
        )["mean"]
        assert isinstance(mean, dict)
        expected = f"{mean['depth']:.1f} / {mean['net_utility']:.4f} / {mean['decision_agreement']:.3f}"
        assert told[name] == expected


def test_a_cell_with_twins(real_data: Path) -> None:
    """Both directions together, worked out without the script."""
    outcomes = []
    for train, test in ((DTA, CLEF_2019), (CLEF_2019, DTA)):
        calibrator = fit(topics(real_data, *train))
        for topic in topics(real_data, *test):
            assert topic.labels is not None and topic.scores is not None
            kept = np.flatnonzero(~topic.labels)
            twin = replace(
                topic, ids=topic.ids[kept], scores=topic.scores[kept], labels=topic.labels[kept], n_relevant=0
            )
            outcomes += replay([topic, twin], calibrator, LookAhead(20), Payoffs.from_q_star(0.8), 0.0005)
    mean = summary(outcomes)
    assert mean["topics"] == 64
    text = (DOCS / "calibrators_travel.md").read_text(encoding="utf-8")
    section = text.partition("## Decisions with ω⁻ twins")[2].partition("### ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| 0.8, 0.0005 ")]
    column = [part.strip() for part in section.partition("| q*, cost")[2].splitlines()[0].split("|")].index(
        "Look-ahead(20)"
    )
    found = [line.split("| ")[column + 1].strip(" |") for line in lines]
    assert found == [
        f"{mean['depth']:.1f}",
        f"{mean['net_utility']:.4f}",
        f"{mean['decision_agreement']:.3f}",
    ]


def test_the_findings_agree_with_the_tables() -> None:
    """How often Optimal beats Greedy, counted in the page's own table."""
    text = (DOCS / "calibrators_travel.md").read_text(encoding="utf-8")
    part = text.partition("### Optimal minus Greedy")[2].partition("### ")[0]
    marginal = [line.split("|")[2].strip() for line in part.splitlines() if re.match(r"\| 0\.\d", line)]
    assert len(marginal) == 9
    above = sum(cell.strip("*").startswith("+") for cell in marginal)
    clear = sum(cell.startswith("**+") for cell in marginal)
    sentence = next(line for line in text.splitlines() if "Does Optimal beat the paper's Greedy" in line)
    assert f"in {above} of the 9 cells" in sentence and f"lies above 0 in {clear} " in sentence


def test_results_by_topic_add_up_to_the_page() -> None:
    with (DOCS / "data" / "calibrators_travel_topics.csv").open(encoding="utf-8", newline="") as lines:
        rows = [
            each
            for each in csv.DictReader(lines)
            if each["kind"] == "marginal" and each["policy"] == "Optimal"
        ]
    chosen = [each for each in rows if each["q_star"] == "0.5"]
    assert len(chosen) == 64
    for each in chosen:
        plus, omega = each["action_at_0.001"] == "a+", each["truth"] == "ω+"
        utility = (0.25 if plus == omega else -0.25) - 0.001 * int(each["read_at_0.001"])
        assert float(each["utility_at_0.001"]) == pytest.approx(utility, abs=1e-4)
    told = row("Mean net utility:", "0.5, 0.001")
    mean = np.mean([float(each["utility_at_0.001"]) for each in chosen])
    assert float(told["Optimal"]) == pytest.approx(mean, abs=1e-4)


# --- the arithmetic of the page -----------------------------------------------------------------------


def test_a_difference_is_paired_by_review_and_its_interval_is_seeded() -> None:
    rows = [
        {
            "tested": tested,
            "review": f"{tested}{i}",
            "q_star": 0.5,
            "cost": 0.001,
            "policy": policy,
            "utility": u,
        }
        for tested in ("one", "two")
        for i in range(4)
        for twin in (0, 1)
        for policy, u in (("Optimal", i + 0.5 + twin), ("Greedy", i + twin))
    ]
    found = travel_measured.difference(pd.DataFrame(rows), {"policy": "Optimal"}, {"policy": "Greedy"})
    assert found.loc[(0.5, 0.001)].tolist() == pytest.approx([0.5, 0.5, 0.5])
    for each in rows:
        if each["tested"] == "two" and each["policy"] == "Optimal":
            each["utility"] -= 1.0 if each["review"].endswith("0") else 0.0
    first, second = (
        travel_measured.difference(pd.DataFrame(rows), {"policy": "Optimal"}, {"policy": "Greedy"})
        for _ in range(2)
    )
    assert first.equals(second)
    mean, low, high = first.loc[(0.5, 0.001)]
    assert mean == pytest.approx(0.375) and low < mean < high and high == pytest.approx(0.5)


def test_twins_lose_their_relevant_documents_and_nothing_else() -> None:
    topic = Topic(
        "T", np.array(["a", "b", "c"]), np.array([3.0, 2.0, 1.0]), np.array([False, True, False]), 2
    )
    twin = travel_measured.without_relevant(topic)
    assert twin.ids.tolist() == ["a", "c"] and twin.scores is not None and twin.scores.tolist() == [3.0, 1.0]
    assert not twin.omega and twin.first_hit is None


def test_home_calibrators_have_not_seen_their_topic(real_data: Path) -> None:
    read = topics(real_data, *CLEF_2019)
    for topic, calibrator in zip(read, travel_measured.home_calibrators(read, "marginal"), strict=True):
        assert calibrator.fitted_on.topics in (6, 7)
        assert any(calibrator == fit(_without(read, gone), name="home") for gone in _folds_with(read, topic))
        assert assess(calibrator, [topic], "").documents == len(topic)


def _folds_with(read: list[Topic], topic: Topic) -> list[set[str]]:
    """All ways to leave out this topic, alone or with one other."""
    return [{topic.name, other.name} for other in read]


def _without(read: list[Topic], gone: set[str]) -> list[Topic]:
    return [topic for topic in read if topic.name not in gone]


def test_differences_are_written_with_their_sign() -> None:
    assert report_travel.signed(0.0123) == "+0.012" and report_travel.signed(-0.0123) == "−0.012"
    assert report_travel.signed(0.0004) == "0" and report_travel.signed(-0.0004) == "0"
    assert report_travel.with_interval((0.1, 0.05, 0.2)) == "**+0.100 [+0.050, +0.200]**"
    assert report_travel.with_interval((0.1, -0.05, 0.2)) == "+0.100 [−0.050, +0.200]"
