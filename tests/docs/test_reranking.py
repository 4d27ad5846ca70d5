"""The page on lists that learn holds what its table by list comes to, and what a rerun finds."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scripts.compare_rankers import (
    BASE,
    BM25,
    MEASURES,
    SOFTWARE,
    THEIRS,
    by_file,
    compared,
    in_file,
    listed,
    played,
    side_by_side,
    standing,
)
from scripts.ranker_ideas import FILES, IDEAS, Listed
from tarstop_core.ranking.features import make_features

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    """What is kept of every list."""
    return pd.read_csv(DOCS / "data" / "reranking_lists.csv")


def test_the_table_follows_from_the_lists(rows: pd.DataFrame) -> None:
    page = (DOCS / "reranking.md").read_text(encoding="utf-8")
    for name in (BM25, THEIRS, BASE):
        (line,) = re.findall(rf"^\| {re.escape(name)} \|(.*\d\.\d{{4}}.*)\|$", page, flags=re.MULTILINE)
        held = rows[rows["ranker"] == name]
        assert set(held.groupby("list")["file"].nunique()) == {FILES}
        means = held[[*MEASURES]].mean()
        assert [float(cell) for cell in line.split("|")] == pytest.approx(means.tolist(), abs=1e-4)


def test_it_is_no_worse_than_asreview(rows: pd.DataFrame) -> None:
    groups = {
        name: SOFTWARE if name.startswith(("Radjenovic", "Wahono")) else name
        for name in rows["list"].unique()
    }
    found = compared(rows, BASE, THEIRS, groups)
    assert found["loss"][5] == 24
    assert found["loss"][4] <= 0.005 and found["recall_10"][3] >= -0.005


@pytest.mark.parametrize("file", [0, 3])
def test_a_rerun_finds_the_same(rows: pd.DataFrame, real_data: Path, file: int) -> None:
    (shipped,) = (idea for idea in IDEAS if idea.name == BASE)
    small = listed(real_data, ("CD008760", "CD010705"))
    again = pd.DataFrame(
        [played(shipped, given, file) for given in small], columns=["ranker", "list", "file", *MEASURES]
    )
    both = again.merge(rows, on=["ranker", "list", "file"], suffixes=("", "_kept"))
    assert len(both) == 2
    for measure in MEASURES:
        assert both[measure].tolist() == pytest.approx(both[f"{measure}_kept"].tolist(), abs=1e-4)


def test_files_hold_the_same_documents_otherwise_ordered() -> None:
    assert standing(5, 0).tolist() == [0, 1, 2, 3, 4]
    orders = {tuple(standing(50, file).tolist()) for file in range(FILES)}
    assert len(orders) == FILES and all(sorted(each) == [*range(50)] for each in orders)
    titles = [f"steel mast {number}" for number in range(12)]
    final = np.arange(12) % 3 == 0
    given = Listed(
        "a", "a", "masts", titles, ["of steel"] * 12, final, ~final, np.arange(12.0), make_features(titles)
    )
    assert in_file(given, 0) is given
    moved = in_file(given, 4)
    assert moved.titles == [titles[each] for each in standing(12, 4)] != titles
    for title, is_final, by_abstract, score in zip(
        moved.titles, moved.final, moved.by_abstract, moved.start, strict=True
    ):
        at = titles.index(title)
        assert (is_final, by_abstract, score) == (final[at], not final[at], at)
    assert len(moved.features) == 12


def test_two_are_compared_on_files_that_both_read() -> None:
    rows = pd.DataFrame(
        [("one", "a", 0, 0.1), ("one", "a", 1, 0.3), ("one", "b", 0, 0.5), ("other", "a", 1, 0.2)],
        columns=["ranker", "list", "file", "loss"],
    )
    found = side_by_side(rows, ("other", "one"), "loss")
    assert found.columns.tolist() == ["other", "one"] and found.loc["a"].tolist() == [0.2, 0.3]
    assert "b" not in found.index
    assert side_by_side(rows, ["one"], "loss")["one"].tolist() == pytest.approx([0.2, 0.5])


def test_luck_of_the_file_is_what_differs_within_lists() -> None:
    rows = pd.DataFrame(
        [(BASE, "a", 0, 0.2), (BASE, "a", 1, 0.4), (BASE, "b", 0, 0.9), (BASE, "b", 1, 0.9)],
        columns=["ranker", "list", "file", "recall_10"],
    )
    found = by_file(rows, BASE)
    assert found.loc["a"].tolist() == pytest.approx([0.2, 0.3, 0.1, 0.2, 0.4])
    assert found["std"].tolist() == pytest.approx([0.1, 0])
