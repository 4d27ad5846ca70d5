"""The published tables: everything in them that follows from the rest does."""

import math

import pandas as pd
import pytest

from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.findings.paper import omega_plus, published, recovered
from tarstop_core.value.payoffs import Payoffs
from tests.reference.recorded import GOLDEN, recorded

KEYS = ["scenario", "q_star", "approach"]


@pytest.fixture(scope="module")
def reference() -> pd.DataFrame:
    rows = pd.read_csv(GOLDEN / "paper_tables.csv", dtype={"icer": "str"})
    return rows.replace({"scenario": {"systematic_review": "review"}})


def test_all_published_rows_are_there(reference: pd.DataFrame) -> None:
    ours = published()
    both = ours.merge(reference, on=KEYS, suffixes=("", "_reference"), validate="one_to_one")
    assert len(both) == len(ours) == len(reference) == 42
    for column in ("cost", "topics", "screened", "decision_agreement", "recall", "net_utility", "icer"):
        assert (both[column] == both[f"{column}_reference"]).all(), column


def test_net_utility_follows_from_the_errors(reference: pd.DataFrame) -> None:
    for row in reference.itertuples():
        plus = 0 if math.isnan(row.omega_plus_topics) else row.omega_plus_topics
        adopts, rejects = row.false_adopt, row.false_reject
        if math.isnan(adopts):  # q* = .5: only their sum is known, and both cost the same
            adopts, rejects = 0, (1 - row.decision_agreement) * row.topics
        told = {"topics": row.topics, "screened": row.screened, "cost": row.cost}
        again = metrics.net_utility_of_errors(Payoffs.from_q_star(row.q_star), told, plus, adopts, rejects)
        assert again == pytest.approx(row.net_utility, abs=2e-4), row


def test_errors_follow_from_net_utility(reference: pd.DataFrame) -> None:
    both = recovered().merge(reference, on=KEYS, suffixes=("", "_reference"))
    known = both["q_star"] != 0.5
    assert known.sum() == 28 and both.loc[~known, "false_adopt"].isna().all()
    for column in ("false_adopt", "false_reject"):
        assert (both.loc[known, column] == both.loc[known, f"{column}_reference"]).all(), column
    known = both["omega_plus"].notna()
    assert (both.loc[known, "omega_plus"] == both.loc[known, "omega_plus_topics"]).all()


def test_every_icer_follows() -> None:
    table = recovered()
    assert len(table) == 42 and table["icer_agrees"].all()
    labels = table.loc[[isinstance(each, str) for each in table["icer_again"]]]
    assert (labels["icer"] == labels["icer_again"]).all()
    assert sorted(labels["icer_again"].unique()) == ["--", "Dominant", "Dominated", "Ref."]
    assert (table["net_utility"] - table["net_utility_again"]).abs().max() <= 2e-4


def test_a_changed_row_would_be_noticed() -> None:
    row, reference = published().iloc[3], published().iloc[0]
    value = metrics.icer(
        row["screened"] + 1,
        row["decision_agreement"],
        reference["screened"],
        reference["decision_agreement"],
    )
    assert value != pytest.approx(float(row["icer"]), rel=0.01)


def test_perfect_play_tells_how_many_reviews_are_true() -> None:
    panels = published().groupby(["scenario", "q_star"])
    found = {key: omega_plus(panel) for key, panel in panels}
    assert (found["review", 0.8], found["review", 0.2]) == (25, 45)
    assert math.isnan(found["review", 0.5])


def test_the_patent_table_as_it_was_rederived_elsewhere() -> None:
    golden = recorded("baselines/paper_patent_arithmetic")["rows"]
    ours = recovered().set_index(KEYS)
    assert len(golden) == 21
    for row in golden:
        name = {"Knee": "Kneedle"}.get(row["approach"], row["approach"])
        own = ours.loc[("patent", row["q_star"], name)]
        if row["implied_FN_rate"] is None:
            assert math.isnan(own["false_reject"])
            continue
        assert own["false_reject"] / 500 == pytest.approx(row["implied_FN_rate"], abs=1e-9)
        assert own["false_adopt"] / 500 == pytest.approx(row["implied_FP_rate"], abs=1e-9)
