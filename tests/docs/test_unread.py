"""The page on what is still unread says what its data says, and the data what the code computes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scripts.report_unread import (
    COLLECTIONS,
    JUDGMENTS,
    NEW,
    OLD,
    calibrated,
    of_judgments,
    of_rules,
    others,
    read_collections,
    said,
)
from scripts.unread_engine import foreseen, moving
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.thinning import PRIOR, after_reading, curves
from tarstop_core.policies import Greedy, LookAhead, OpenLoop
from tarstop_core.samples.simulate.reviews import simulate_review_outcomes
from tarstop_core.value.outcomes import outcome_path
from tarstop_core.value.payoffs import Payoffs

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "still_unread.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return pd.read_csv(ROOT / "docs" / "data" / "still_unread.csv")


@pytest.mark.parametrize("judgments", JUDGMENTS)
def test_the_page_holds_the_tables_of_its_data(rows: pd.DataFrame, judgments: str) -> None:
    assert of_judgments(rows, judgments) in PAGE


@pytest.mark.parametrize("judgments", JUDGMENTS)
def test_what_the_guide_claims(rows: pd.DataFrame, judgments: str) -> None:
    """Coverage, few above, not rejected, and a better score than what it replaces."""
    frame = rows[rows["judgments"] == judgments]
    new, old = (frame[frame["method"] == method] for method in (NEW, OLD))
    assert ((new["low"] <= new["true"]) & (new["true"] <= new["high"])).mean() >= 0.85
    assert (new["true"] > new["high"]).mean() <= 0.07
    assert calibrated(new)[1] > 0.05
    assert ((old["low"] <= old["true"]) & (old["true"] <= old["high"])).mean() < 0.8


def test_a_rerun_finds_what_the_data_says(real_data: Path, rows: pd.DataFrame) -> None:
    """The smallest of the collections."""
    collections = read_collections(real_data, "content")
    taught = others(collections, "clef2019 DTA")
    names = {topic.name for topic in collections["clef2019 DTA"]}
    assert len(collections) == len(COLLECTIONS) and not names & {topic.name for topic in taught}
    calibrator = fit(taught, kind="marginal", scenario="review", pseudo=1.0)
    there = rows[
        (rows["collection"] == "clef2019 DTA") & (rows["judgments"] == "content") & (rows["method"] == NEW)
    ]
    for topic in collections["clef2019 DTA"]:
        row = there[(there["review"] == topic.name) & (there["at"] == "10 %")].iloc[0]
        mean, low, high, *_ = said(topic, calibrator, taught, int(row["read"]))[NEW]
        assert topic.labels is not None and row["true"] == topic.labels[row["read"] :].sum()
        assert np.allclose((mean, low, high), (row["mean"], row["low"], row["high"]), rtol=1e-3, atol=1.01)


# --- what rules would gain ------------------------------------------------------------------------


def test_the_page_says_what_rules_came_to() -> None:
    assert of_rules(pd.read_csv(ROOT / "docs" / "data" / "unread_engine.csv")) in PAGE


def test_chances_foreseen_add_up_to_what_is_still_unread() -> None:
    labels = np.zeros(300, dtype=bool)
    labels[[0, 1, 4, 5, 11, 30, 31, 90]] = True
    ahead, of = foreseen(PRIOR, labels), curves(PRIOR, len(labels))
    for depth in (0, 1, 12, 200, 300):
        read = np.arange(len(labels)) < depth
        now = after_reading(of, read, labels & read)
        expected = float(now.weight @ (now.shape / now.rate * of.exposure(~read)))
        assert ahead[depth, -1] - ahead[depth, depth] == pytest.approx(expected)


def test_rules_play_chances_that_do_not_move_as_they_play_the_path() -> None:
    outcome, costs = simulate_review_outcomes(seed=1)[0], (1e-5, 1e-4, 5e-4, 1e-3, 5e-3)
    p = np.linspace(0.3, 0.01, len(outcome.topic))
    path = outcome_path(outcome, p, Payoffs.from_q_star(0.5), engine="univariate")
    same = moving(path, np.tile(np.append(0.0, np.cumsum(p)), (len(p) + 1, 1)))
    for rule in (Greedy(), LookAhead(2000), OpenLoop()):
        assert rule.depths(same, costs).tolist() == rule.depths(path, costs).tolist()
