"""The page on lists that learn holds what its table by list comes to, and what a rerun finds."""

import re
from pathlib import Path

import pandas as pd
import pytest

from scripts.compare_rankers import BASE, BM25, MEASURES, SOFTWARE, THEIRS, compared, listed, played
from scripts.ranker_ideas import IDEAS

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """What is kept of every list."""
    return pd.read_csv(DOCS / "data" / "reranking_lists.csv")


def test_the_table_follows_from_the_lists(rows: pd.DataFrame) -> None:
    page = (DOCS / "reranking.md").read_text(encoding="utf-8")
    for name in (BM25, THEIRS, BASE):
        (line,) = re.findall(rf"^\| {re.escape(name)} \|(.*\d\.\d{{4}}.*)\|$", page, flags=re.MULTILINE)
        means = rows[rows["ranker"] == name][[*MEASURES]].mean()
        assert [float(cell) for cell in line.split("|")] == pytest.approx(means.tolist(), abs=1e-4)


def test_it_is_no_worse_than_asreview(rows: pd.DataFrame) -> None:
    groups = {
        name: SOFTWARE if name.startswith(("Radjenovic", "Wahono")) else name
        for name in rows["list"].unique()
    }
    found = compared(rows, BASE, THEIRS, groups)
    assert found["loss"][5] == 24
    assert found["loss"][4] <= 0.005 and found["recall_10"][2] >= 0


def test_a_rerun_finds_the_same(rows: pd.DataFrame, real_data: Path) -> None:
    (shipped,) = (idea for idea in IDEAS if idea.name == BASE)
    small = listed(real_data, ("CD008760", "CD010705"))
    again = pd.DataFrame(
        [played(shipped, given, 0) for given in small], columns=["ranker", "list", "seed", *MEASURES]
    )
    both = again.merge(rows, on=["ranker", "list"], suffixes=("", "_kept"))
    assert len(both) == 2
    for measure in MEASURES:
        assert both[measure].tolist() == pytest.approx(both[f"{measure}_kept"].tolist(), abs=1e-4)
