"""The published tables, in which everything follows that should, and a run beside them."""

import math
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tarstop_core.evaluation import metrics
from tarstop_core.evaluation.benchmarks.named import simulated_reviews
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.findings.aggregate import rows
from tarstop_core.evaluation.findings.paper import (
    OrderCheck,
    beside_paper,
    differences,
    omega_plus,
    ordering_sentences,
    pairs,
    published,
    reasons,
    recovered,
)
from tarstop_core.evaluation.methods import parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.review import ReviewTask
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


def test_beside_the_paper(results: Results) -> None:
    table = beside_paper(results)
    assert set(table["approach"]) == {"Greedy", "Smooth", "Batch", "Budget"} and set(table["cost"]) == {0.001}
    row = table[(table["q_star"] == 0.8) & (table["approach"] == "Budget")].iloc[0]
    assert (row["net_utility_paper"], row["screened_paper"], row["rank_paper"]) == (0.1416, 100.0, 4)
    own = rows(results, draws=0).set_index(["method", "q_star", "cost"]).loc[("budget", 0.8, 0.001)]
    assert row["net_utility"] == own["net_utility"] and row["icer"] == own["icer"]
    assert row["icer_paper"] == "1441.8"
    assert (row["false_adopt_paper"], row["false_reject_paper"]) == (0, 0.042)
    assert row["false_reject"] == own["false_reject"] / 24
    assert table[table["q_star"] == 0.5]["false_reject_paper"].isna().all()
    assert beside_paper(results.only(["optimal"])).empty


def test_turned_orders_are_named_with_their_gaps(results: Results) -> None:
    said = ordering_sentences(results)
    assert len(said) == 3 and all(sentence.startswith("Where ") for sentence in said)
    m = results.method("budget")
    free = np.array(results.screened)
    free[:, m] = 0
    cheap = replace(results, screened=free)
    turned = ordering_sentences(cheap)
    surely = pairs(cheap).query("order.str.startswith('other') and (gap_low > 0 or gap_high < 0)")
    counted = re.findall(r"\((\d) with a 95 % interval that excludes 0\)", " ".join(turned))
    assert sum(map(int, counted)) == len(surely) > 0
    # Documents for nothing put Budget before Smooth; in the paper it is last of these four.
    for sentence in turned:
        order = re.search(r"the order is ([\w, ]+); of 6 pairs [1-6] ", sentence)
        assert order and order[1].index("Budget") < order[1].index("Smooth")
        assert "most clearly Budget, which is ahead of" in sentence


def test_differences_name_what_was_run(patents: Benchmark) -> None:
    found = run(patents, DecisiveTask(), parse_methods(["greedy", "qbcb"], "patent"), costs=(0.001,))
    said = " ".join(differences(found))
    assert "simulated" in said and "QBCB" in said and "GRLStop" not in said
    beside = beside_paper(found).assign(why=reasons(found)).set_index(["q_star", "method"])["why"]
    assert beside[0.8, "qbcb"].startswith("arithmetic, data") and beside[0.8, "greedy"].startswith("data")


def test_reasons_are_of_the_truth_and_the_agent_too() -> None:
    reviews = simulated_reviews(outcomes=12, seed=2)
    methods = parse_methods(["greedy", "grlstop", "knee"], "review")
    for truth, first in (("pooled", "truth, "), ("full_evidence", "")):
        found = run(reviews, ReviewTask(truth_is=truth), methods, costs=(0.0001,))
        why = dict(zip(beside_paper(found)["method"], reasons(found), strict=True))
        assert why["greedy"].startswith(f"{first}data")
        assert why["grlstop"].startswith(f"{first}agent, arithmetic, data")
        assert why["knee"].startswith(f"{first}definition, data")


def test_pairs_stand_as_there_or_the_other_way_round(results: Results) -> None:
    found = pairs(results)
    assert len(found) == 3 * 6 and (found["gap_paper"] >= 0).all()
    utility = beside_paper(results).set_index(["q_star", "approach"])["net_utility"]
    for pair in found.to_dict("records"):
        gap = utility[pair["q_star"], pair["ahead"]] - utility[pair["q_star"], pair["behind"]]
        assert pair["gap"] == pytest.approx(gap) and pair["gap_low"] <= gap <= pair["gap_high"]
        assert (pair["order"] in (OrderCheck.SAME, OrderCheck.SURELY_SAME)) == (gap > 0) or pair[
            "order"
        ] == OrderCheck.EQUAL
