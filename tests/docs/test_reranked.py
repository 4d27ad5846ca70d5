"""The page on chances of a list that learns says what its data says, and the data what the code computes."""

from pathlib import Path

import pandas as pd
import pytest

from scripts import reranking_prize as prize
from scripts.measure_reranked_chances import METHODS, MIXTURE, PLAIN, by_set, of_parts, of_statements
from scripts.report_unread import calibrated, interval_score, table
from tarstop_core.samples.shipped import reranked_came_out, reranked_chances

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "reranked_chances.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return pd.read_csv(DOCS / "data" / "reranked_chances.csv")


def test_the_page_holds_the_tables_of_its_data(rows: pd.DataFrame) -> None:
    assert of_statements(rows) in PAGE and of_parts(rows) in PAGE
    decided = pd.read_csv(DOCS / "data" / "reranking_prize.csv")
    for stages in (prize.TWO, prize.ONE):
        assert table(prize.HEADER, prize.lines(decided, stages)) in PAGE


def test_intervals_cover_and_are_better_than_the_curve_that_they_are_held_against(rows: pd.DataFrame) -> None:
    at_depths = rows["at"].str.endswith(" read")
    mixture, plain = (rows[at_depths & (rows["method"] == name)] for name in (MIXTURE, PLAIN))
    assert set(rows["method"]) == set(METHODS)
    for part in (mixture, rows[rows["method"] == MIXTURE]):
        assert ((part["low"] <= part["true"]) & (part["true"] <= part["high"])).mean() >= 0.85
    assert calibrated(mixture)[1] > 0.05
    assert interval_score(mixture).mean() < interval_score(plain).mean()


def test_the_next_document_is_shipped_with_how_well_it_came_out() -> None:
    quality = reranked_chances().quality
    assert quality is not None and quality.topics == 47 and quality.ece < 0.02


def test_what_ships_for_the_calibration_page_is_what_was_measured(rows: pd.DataFrame) -> None:
    kept = by_set(rows).reset_index(drop=True)
    pd.testing.assert_frame_equal(reranked_came_out(), kept)
    assert kept["set"].nunique() == 25 and not kept.duplicated(["judged", "set", "read", "what"]).any()
