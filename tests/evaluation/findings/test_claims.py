"""Sentences on claims say what the numbers say."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tarstop_core.evaluation.findings.aggregate import compare
from tarstop_core.evaluation.findings.claims import FEW_GROUPS, PAIRS, caution, check_claims, lead, pair
from tarstop_core.evaluation.methods import DEFAULT, parse_methods
from tarstop_core.evaluation.results import Results


def test_claims_are_those_that_the_methods_allow(results: Results) -> None:
    allowed = [claim for one, other, claim in PAIRS if {one, other} <= {"greedy", "optimal", "decide-now"}]
    assert check_claims(results)["claim"].tolist()[1:] == allowed and len(allowed) == 3
    assert check_claims(results.only(["greedy", "batch"])).empty


def test_a_pair_counts_cells(results: Results) -> None:
    found = pair(results, "optimal", "greedy")
    table = compare(results.only(["optimal", "greedy"]), "greedy")
    assert len(found.better) == (table["difference"] > 1e-12).sum()
    assert len(found.worse) == (table["difference"] < -1e-12).sum()
    assert len(found.surely_better) == (table["difference_low"] > 0).sum() <= len(found.better)
    assert len(found.surely_worse) == (table["difference_high"] < 0).sum() <= len(found.worse)
    assert abs(found.furthest["difference"]) == table["difference"].abs().max()
    gain = found.average
    assert gain.low <= gain.value <= gain.high
    assert gain.value == pytest.approx(table["difference"].mean())
    counts = (len(found.better), len(found.cells), len(found.surely_better))
    sentence = check_claims(results).set_index("claim")["result"].iloc[-1]
    assert tuple(map(int, re.findall(r"in (\d+)(?: of (\d+))?", sentence)[0])) == counts[:2]
    answer = check_claims(results).set_index("claim")["answer"].iloc[-1]
    assert answer.startswith("Yes") == (gain.low > 0 and not len(found.surely_worse))


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
    # Documents for nothing: Budget reads none.
    m = results.method("budget")
    screened = np.array(results.screened)
    screened[:, m] = 0
    free = replace(results, screened=screened)
    ahead, behind = (lead(each, "greedy", ["budget"]) for each in (results, free))
    assert behind["ahead"].sum() < ahead["ahead"].sum() and not (behind["surely"] & ~behind["ahead"]).any()
    claim, answer, found = check_claims(free).iloc[0]
    assert "paper's claim" in claim and f"in {behind['ahead'].sum()} of {len(behind)}" in found
    assert f"Greedy in {behind['ahead'].sum()}" in answer
