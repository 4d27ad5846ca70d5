"""Sentences on claims say what the numbers say."""

import re
from dataclasses import replace

import numpy as np

from tarstop_core.evaluation.cases import Benchmark
from tarstop_core.evaluation.findings.aggregate import compare
from tarstop_core.evaluation.findings.claims import (
    FEW_GROUPS,
    PAIRS,
    caution,
    differences,
    ordering_sentences,
    pair_sentence,
    verdicts,
)
from tarstop_core.evaluation.methods import DEFAULT, parse_methods
from tarstop_core.evaluation.protocol import run
from tarstop_core.evaluation.results import Results
from tarstop_core.evaluation.tasks.decisive import DecisiveTask


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
    sure, surely_worse = (table["difference_low"] > 0).sum(), (table["difference_high"] < 0).sum()
    assert (
        f"(in {sure} the 95 % interval excludes 0), lower in {worse} (in {surely_worse} it does)" in sentence
    )
    assert f"equal in {24 - better - worse};" in sentence


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
    turned = ordering_sentences(replace(results, screened=free))
    # Documents for nothing put Budget before Smooth; in the paper it is last of these four.
    for sentence in turned:
        order = re.search(r"the order is ([\w, ]+); of 6 pairs [1-6] ", sentence)
        assert order and order[1].index("Budget") < order[1].index("Smooth")
        assert "most clearly Budget, ahead of" in sentence


def test_differences_name_what_was_run(patents: Benchmark) -> None:
    found = run(patents, DecisiveTask(), parse_methods(["greedy", "qbcb"], "patent"), costs=(0.001,))
    said = " ".join(differences(found))
    assert "simulated" in said and "QBCB" in said and "GRLStop" not in said
