"""Sentences on claims say what the numbers say."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tarstop_core.evaluation.benchmarks.named import simulated_reviews
from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.findings.aggregate import Order, beside_paper, compare, mean_gain, pairs
from tarstop_core.evaluation.findings.claims import (
    FEW_GROUPS,
    PAIRS,
    caution,
    differences,
    ordering_sentences,
    pair_sentence,
    reasons,
    verdicts,
)
from tarstop_core.evaluation.methods import DEFAULT, parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks.decisive import DecisiveTask
from tarstop_core.evaluation.tasks.review import ReviewTask


def test_claims_are_those_that_the_methods_allow(results: Results) -> None:
    found = verdicts(results, draws=50)
    assert [each.claim for each in found] == [
        "Utility-aware rules beat recall-centred ones (the paper's claim)",
        "Reading pays: Greedy beats deciding at once",
        "Reading pays: optimal stopping beats deciding at once",
        "Optimal stopping beats the paper's Greedy",
    ]
    assert not verdicts(results.only(["greedy", "batch"]), draws=50)


def test_a_pair_counts_cells(results: Results) -> None:
    sentence = pair_sentence(results, "optimal", "greedy", draws=100)
    table = compare(results.only(["optimal", "greedy"]), "greedy", draws=100)
    better, worse = (table["difference"] > 1e-12).sum(), (table["difference"] < -1e-12).sum()
    assert f"higher net utility in {better} of 24 cells" in sentence
    sure, surely_worse = table[table["difference_low"] > 0], table[table["difference_high"] < 0]
    told = re.search(
        r"\(in (\d+) the 95 % interval excludes 0(.*?)\), lower in (\d+) \(in (\d+) it does(.*?)\), equal",
        sentence,
    )
    assert told and [int(told[i]) for i in (1, 3, 4)] == [len(sure), worse, len(surely_worse)]
    for said, cells in ((told[2], sure), (told[5], surely_worse)):
        told_cells = [
            [side.count(",") + 1 for side in part.split(" at ")] for part in said.split(";") if part
        ]
        assert sum(q_stars * costs for q_stars, costs in told_cells) == len(cells)
    assert f"equal in {24 - better - worse};" in sentence
    gain = mean_gain(results, "optimal", "greedy", draws=100)
    assert gain.low <= gain.value <= gain.high
    assert gain.value == pytest.approx(table["difference"].mean())
    assert f"{abs(gain.value):.4f} (" in sentence


def test_rules_that_read_are_set_against_reading_nothing_with_the_same_prior() -> None:
    against = {one: other for one, other, _ in PAIRS if other.startswith("decide-now")}
    assert against == {
        rule + prior: f"decide-now{prior}"
        for rule in ("greedy", "look-ahead", "optimal")
        for prior in ("", "@learned")
    }
    known = {method.name for method in parse_methods(DEFAULT["review"], "review")}
    assert known.issuperset(against) and known.issuperset(against.values())


def test_few_groups_are_a_reason_for_caution(results: Results) -> None:
    groups = len(set(results.groups))
    assert groups < FEW_GROUPS and f"resampling {groups} topics" in caution(results)
    many = tuple(f"g{i}" for i in range(len(results.cases)))
    more = replace(results, cases=results.cases * 2, groups=many + tuple(f"h{name}" for name in many))
    assert len(set(more.groups)) >= FEW_GROUPS and not caution(more)


def test_a_claim_that_fails_is_said_to_fail(results: Results) -> None:
    holds = verdicts(results, draws=50)[0].found
    # Documents for nothing: Budget reads none.
    m = results.method("budget")
    free = np.array(results.screened)
    free[:, m] = 0
    turned = verdicts(replace(results, screened=free), draws=50)[0].found
    assert turned.startswith("It does not hold in every cell")
    count = re.search(r"Greedy beats every baseline in (\d+) of 24", holds)
    worse = re.search(r"Greedy beats every baseline in (\d+) of 24", turned)
    assert count and worse and int(worse[1]) < int(count[1])


def test_turned_orders_are_named_with_their_gaps(results: Results) -> None:
    said = ordering_sentences(results)
    assert len(said) == 3 and all(sentence.startswith("At q* = ") for sentence in said)
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
        assert "most clearly Budget, ahead of" in sentence


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
    found = pairs(results, draws=100)
    assert len(found) == 3 * 6 and (found["gap_paper"] >= 0).all()
    utility = beside_paper(results).set_index(["q_star", "approach"])["net_utility"]
    for pair in found.to_dict("records"):
        gap = utility[pair["q_star"], pair["ahead"]] - utility[pair["q_star"], pair["behind"]]
        assert pair["gap"] == pytest.approx(gap) and pair["gap_low"] <= gap <= pair["gap_high"]
        assert (pair["order"] in (Order.SAME, Order.SURELY_SAME)) == (gap > 0) or pair["order"] == Order.EQUAL
