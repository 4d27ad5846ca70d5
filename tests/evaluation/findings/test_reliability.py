"""How often rules reach a recall, collection by collection: by hand on small lists, and what is shipped."""

import numpy as np
import pandas as pd
import pytest
from plotly.graph_objects import Figure

from tarstop_core.documents.topic import Topic
from tarstop_core.evaluation.findings.reliability import (
    TARGETS,
    aiming_at,
    by_rule,
    figure,
    least_read,
    shipped,
    stops_on,
)
from tarstop_core.policies import POLICIES, parse_policy


def topic(name: str, relevant: list[int], n: int = 200) -> Topic:
    labels = np.isin(np.arange(n), relevant)
    return Topic(name, np.array([f"{name}-{at}" for at in range(n)]), None, labels, len(relevant))


LEARNED = [topic(f"L{at}", list(range(0, 3 * at, 3))) for at in range(1, 13)]


def test_a_collection_is_played_rule_by_rule() -> None:
    # One more relevant document than is listed, and a list with none: recall is that of the list.
    tested = [topic("early", [0, 1, 2]), topic("late", [0, 150]), topic("none", [])]
    rows = stops_on("mine", tested, LEARNED).set_index(["rule", "target"])
    assert set(rows["lists"]) == {2} and set(rows["collection"]) == {"mine"}
    for target in TARGETS:
        budget, everything = rows.loc[("budget:d=100", target)], rows.loc[("screen-everything", target)]
        assert (budget["reached"], budget["read"]) == (0.5, 0.5)
        assert (everything["reached"], everything["read"]) == (1, 1)
    assert rows.loc[("share:share=0.5", 0.8), "promise"] == "heuristic"


def test_every_rule_about_recall_aims_at_the_target() -> None:
    for target in TARGETS:
        rules = aiming_at(target)
        about_recall = {name for name, kind in POLICIES.items() if not kind.acts_on_belief}
        assert {rule.name for rule in rules} == about_recall
        told = [rule.settings.get("tau", rule.settings.get("target")) for rule in rules]
        assert {tau for tau in told if tau is not None} == {target}
        (qbcb,) = (rule for rule in rules if rule.name == "qbcb")
        assert qbcb.pair[1] is not None  # It can stop before the end


def test_intervals_resample_collections_and_means_weigh_lists() -> None:
    row = {"rule": "budget:d=100", "promise": "heuristic", "target": 0.8}
    some = [row | {"collection": str(at), "lists": 10, "reached": at / 10, "read": 0.5} for at in range(10)]
    (one,) = by_rule(pd.DataFrame(some)).to_dict("records")
    assert one["reached"] == pytest.approx(0.45) and one["lists"] == 100 and one["rule"] == "Budget"
    assert one["reached_low"] == pytest.approx(0.45 - 1.96 * 0.287 / np.sqrt(10), abs=0.02)
    assert one["read_low"] == one["read_high"] == 0.5
    some[0] |= {"lists": 90}
    assert by_rule(pd.DataFrame(some))["reached"].item() == pytest.approx(4.5 / 18)


def test_what_is_shipped_holds_every_rule_at_either_target() -> None:
    measured = shipped()
    wanted = {rule.spec for target in TARGETS for rule in aiming_at(target)}
    assert set(measured["rule"]) == wanted, "run scripts/make_results.py --reliability"
    assert measured["collection"].nunique() == 8
    assert all(
        parse_policy(spec).promise.value == promise
        for spec, promise in set(zip(measured["rule"], measured["promise"], strict=True))
    )
    rows = by_rule(measured)
    assert (rows.groupby("rule")["target"].apply(set) == set(TARGETS)).all()
    certain = rows[rows["promise"] == "certificate"]
    # What they promise: 95 % of draws.
    assert (certain["reached"] >= 0.95).all()
    for target in TARGETS:
        least = least_read(rows, target)
        enough = rows[(rows["target"] == target) & (rows["reached"] >= 0.95)]
        assert least["read"] == enough["read"].min()


@pytest.mark.parametrize("dark", [False, True])
def test_the_figure_is_one_that_plotly_draws(dark: bool) -> None:
    rows = by_rule(shipped())
    drawn = figure(rows, dark)
    Figure(drawn)
    assert drawn["layout"]["yaxis"]["ticktext"] == rows["rule"].unique().tolist()
    assert [len(trace["x"]) for trace in drawn["data"]] == [len(rows) // 2] * 4
