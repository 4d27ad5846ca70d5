"""The page on how chances travel holds what a rerun finds."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scripts import report_travel, travel_measured
from scripts.travel_measured import COLLECTIONS, COSTS, JUDGED, NEW, Q_STARS, TODAY
from tarstop_core.calibration.fitting import fit
from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.benchmarks.sources import without_relevant
from tarstop_core.evaluation.replay import replay, summary
from tarstop_core.policies import Optimal
from tarstop_core.samples.shipped import calibrators
from tarstop_core.value.payoffs import Payoffs

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "calibrators_travel.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """What is kept of every list."""
    return pd.read_csv(DOCS / "data" / "calibrators_travel_topics.csv")


def cells(heading: str, first: str) -> list[str]:
    """A row of the first table below a heading."""
    lines = PAGE.partition(heading)[2].splitlines()
    return next(
        [cell.strip() for cell in line.strip("| ").split("|")]
        for line in lines
        if line.startswith(f"| {first}")
    )


def number(text: str) -> float:
    """The first number of a cell."""
    return float(re.sub(r"[*−]", lambda sign: "-" if sign[0] == "−" else "", text).split()[0])


def test_the_difference_by_list_is_that_of_the_page(rows: pd.DataFrame) -> None:
    medical = rows[rows["collection"].isin(COLLECTIONS) & (rows["policy"] == "Optimal")]
    wide = medical.pivot(index=["collection", "judged", "review"], columns="chances", values="utility")
    assert len(wide) == 161
    difference = wide[NEW] - wide[TODAY]
    told = cells("## Net utility under Optimal", "the default before")[1]
    assert number(told) == pytest.approx(difference.mean(), abs=2e-4)
    low, high = (float(end.replace("−", "-")) for end in re.findall(r"[+−]\.?\d\.\d+", told)[1:])
    assert low < difference.mean() < high and told in PAGE.partition("## What came out")[2]
    for name in COLLECTIONS:
        for judged in JUDGED:
            row = cells("By collection:", f"{name}, {judged}")
            assert number(row[4]) == pytest.approx(difference[name, judged].mean(), abs=2e-4)


def test_lists_without_a_hit_are_counted_as_the_page_says(rows: pd.DataFrame) -> None:
    medical = rows[rows["collection"].isin(COLLECTIONS)].drop_duplicates(["collection", "judged", "review"])
    part = PAGE.partition("Medical reviews, said by")[2]
    for depth in (10, 20, 50, 100):
        line = next(line for line in part.splitlines() if line.startswith(f"| {depth} |"))
        assert f"| {medical[f'nothing_in_{depth}'].mean():.3f} [" in line and "| 161 |" in line


def test_a_list_is_played_as_replay_plays_it(real_data: Path) -> None:
    calibrator = calibrators()["clef-reviews-rank-frailty"]
    lists = [topic for topic in travel_measured.medical(real_data, "clef2019 dta", "content") if topic.omega][
        :2
    ]
    for topic in lists:
        utility, depth, right = travel_measured.played(topic, travel_measured.by(calibrator), Optimal())
        for q, c in ((0, 1), (1, 2), (2, 0)):
            both = [topic, without_relevant(topic)]
            mean = summary(replay(both, calibrator, Optimal(), Payoffs.from_q_star(Q_STARS[q]), COSTS[c]))
            assert utility[q, c] == pytest.approx(mean["net_utility"], abs=1e-9)
            assert depth[q, c] == pytest.approx(mean["depth"])
            assert right[q, c] == pytest.approx(mean["decision_agreement"])


def test_no_review_is_on_both_sides(real_data: Path) -> None:
    for tested in COLLECTIONS:
        topics, names = travel_measured.elsewhere(real_data, tested)
        here = {
            topic.name for judged in JUDGED for topic in travel_measured.medical(real_data, tested, judged)
        }
        assert not here & {topic.name for topic in topics}
        assert not any(name.startswith(f"{tested},") for name in names) and len(set(names)) == 6
        before = travel_measured.today(real_data, tested)
        seen = {topic.name for topic in travel_measured.medical(real_data, "clef_dta", "content")}
        for topic in travel_measured.medical(real_data, tested, "abs"):
            shipped = before(topic) == calibrators()["clef-reviews"]
            assert shipped == (topic.name not in seen)
    assert len(seen & {topic.name for topic in travel_measured.medical(real_data, "clef2017", "abs")}) == 12


def test_home_calibrators_have_not_seen_their_list(real_data: Path) -> None:
    lists = [topic for topic in travel_measured.medical(real_data, "clef2019 dta", "content") if topic.omega]
    found = travel_measured.at_home(lists, "marginal")
    assert set(found) == {topic.name for topic in lists}
    for topic in lists:
        ways = [
            fit(
                [each for each in lists if each.name not in (topic.name, other.name)],
                pseudo=travel_measured.PSEUDO,
            )
            for other in lists
        ]
        assert found[topic.name] in ways


# --- the arithmetic of the page -----------------------------------------------------------------------


def outcomes(shift: float) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "collection": collection,
                "judged": judged,
                "review": f"R{i}",
                "q_star": q_star,
                "cost": 0.001,
                "utility": i + q_star + (shift if i == 0 else 0),
            }
            for collection in ("one", "two")
            for judged in JUDGED
            for i in range(4)
            for q_star in (0.2, 0.8)
        ]
    )


def test_a_difference_is_paired_and_its_interval_draws_whole_reviews() -> None:
    same = travel_measured.paired(outcomes(0.0), outcomes(0.0))
    assert same == (0.0, 0.0, 0.0)
    mean, low, high = travel_measured.paired(outcomes(1.0), outcomes(0.0))
    # One review of four carries all of it, in all of its four lists.
    assert mean == pytest.approx(0.25) and low == 0 and high == pytest.approx(0.75)
    by_cell = travel_measured.by_cell(outcomes(1.0), outcomes(0.0))
    assert by_cell["mean"].tolist() == pytest.approx([0.25, 0.25]) and by_cell["high"].tolist() == [
        0.75,
        0.75,
    ]


def test_how_surprising_a_share_is() -> None:
    here = pd.DataFrame(
        {"collection": ["a"] * 50 + ["b"] * 50, "judged": "abs", "said": 0.5, "so": [True, False] * 50}
    )
    difference, p, apart = report_travel.surprise(here)
    assert (difference, p, apart) == (0.0, 1.0, 0.0)
    here["so"] = [True] * 60 + [False] * 40
    difference, p, apart = report_travel.surprise(here)
    assert difference == pytest.approx(0.1) and p == pytest.approx(0.0455, abs=1e-4) and apart > 0.1


def test_twins_are_cut_where_their_list_ends() -> None:
    calibrator = calibrators()["clef-reviews-rank-frailty"]
    topic = Topic("T", np.array(["a", "b", "c"]), None, np.array([False, True, False]), 1)
    curve = travel_measured.by(calibrator)(topic)
    straight = calibrator.curve(calibrator.probabilities(None, 3))
    np.testing.assert_allclose(curve.log_M, straight.log_M, rtol=1e-9)
    np.testing.assert_allclose(curve.h, straight.h, rtol=1e-6)


def test_differences_are_written_with_their_sign() -> None:
    assert report_travel.signed(0.0123) == "+0.0123" and report_travel.signed(-0.0123) == "−0.0123"
    assert report_travel.signed(0.00004) == "0"
    assert report_travel.with_interval((0.1, 0.05, 0.2)) == "**+0.1000 [+0.0500, +0.2000]**"
    assert report_travel.with_interval((0.1, -0.05, 0.2)) == "+0.1000 [−0.0500, +0.2000]"
