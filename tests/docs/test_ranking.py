"""The page on the ranking holds what its table by list comes to, and what a rerun finds."""

import re
from pathlib import Path

import pandas as pd
import pytest

from scripts import report_ranking
from scripts.report_ranking import ABSTRACT, FIELDS, FULL, GROUPS, SETS
from tarstop_core.ranking.bm25 import PAPER, WORDS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "ranking.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """What is kept of every list."""
    return pd.read_csv(DOCS / "data" / "ranking_topics.csv")


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("measure", ["map", "recall_100"])
def test_the_tables_follow_from_the_lists(rows: pd.DataFrame, field: str, measure: str) -> None:
    for groups, count in zip(GROUPS.values(), (13, 13, 12, 25), strict=True):
        assert len(report_ranking.wide(rows, groups, field, measure)) == count
    below = PAGE.partition({FIELDS[0]: "## Titles and abstracts", FIELDS[1]: "## Titles alone"}[field])[2]
    told = [
        re.findall(r"[+−]?\d\.\d{3}", line) for line in below.splitlines() if line.startswith("| **the 25")
    ]
    line = [float(cell.replace("−", "-")) for cell in told[measure != "map"]]
    wide = report_ranking.wide(rows, (ABSTRACT, SETS), field, measure)
    assert line[:2] == pytest.approx([wide["paper"].mean(), wide["words"].mean()], abs=1e-3)
    assert line[2] == pytest.approx((wide["words"] - wide["paper"]).mean(), abs=1e-3)
    assert line[2] > line[3] > 0, "better on the 25 lists, with the whole interval"


def test_words_are_no_worse_in_any_group(rows: pd.DataFrame) -> None:
    for group in (ABSTRACT, FULL, SETS):
        for field in FIELDS:
            for measure in ("map", "recall_100"):
                wide = report_ranking.wide(rows, (group,), field, measure)
                assert wide["words"].mean() > wide["paper"].mean()


def test_a_rerun_finds_the_same(rows: pd.DataFrame, real_data: Path) -> None:
    small = [
        case for case in report_ranking.cases(real_data) if case.name in ("CD010705", "CD008760", "Triptans")
    ]
    again = report_ranking.measured(small, {"paper": PAPER, "words": WORDS})
    kept = rows[rows["list"].isin({case.name for case in small})]
    assert len(again) == len(kept) == 20
    keys = ["lists", "list", "text", "ranking"]
    both = again.merge(kept, on=keys, suffixes=("", "_kept"))
    for measure in ("map", "recall_100"):
        assert both[measure].tolist() == pytest.approx(both[f"{measure}_kept"].tolist(), abs=1e-4)
