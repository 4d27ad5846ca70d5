"""How probable it is that a list holds what decides: against simulation, the curve of one list, and real patent lists."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from scripts.study import DATA
from tarstop_core.belief.decisive import belief
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.coverage import (
    COMPLETE,
    COVERAGES,
    UNKNOWN,
    Coverage,
    capped,
    share_without_hit,
)
from tarstop_core.calibration.first_hit import PastCase, read_cases
from tarstop_core.calibration.rank_frailty import (
    LACKING,
    _lacking,
    for_merged_lists,
    from_cases,
    grid,
    learned_by,
    log_likelihood,
    survival,
    updated,
)
from tarstop_core.documents.topic import Topic
from tarstop_core.files import label_topics, read_qrels, read_run
from tarstop_core.samples.shipped import FOR_MERGED_LISTS, calibrators

START, MERGED = calibrators()["clef-reviews-rank-frailty"], calibrators()[FOR_MERGED_LISTS]
PATENTS = {f"CLEF-IP 2011, {run}": f"clefip11_{run}" for run in ("fused", "safe", "cori", "gmrf", "gmlr")}
PATENTS |= {"BioPAT": "biopat"}
"""Rankings that nothing was learned from, by the names of their files."""
OWN = from_cases(START, read_cases("4, 17, missed in 60, none in 40"), "mine")


@pytest.mark.parametrize("calibrator", [START, MERGED, OWN], ids=["one ranking", "merged", "own cases"])
@pytest.mark.parametrize("searched", COVERAGES)
def test_the_mean_share_is_the_chance_for_one_list(calibrator: Calibrator, searched: str) -> None:
    coverage = COVERAGES[searched]
    curve = calibrator.curve(calibrator.probabilities(None, 300), kappa=coverage.mean)
    for depth in (1, 10, 100, 300):
        share = share_without_hit(calibrator, depth, coverage)
        assert share is not None and share.low < share.mean < share.high
        assert share.mean == pytest.approx(math.exp(curve.log_M[depth]), rel=0.01)


def test_the_interval_is_that_of_simulated_ways_to_search() -> None:
    rng = np.random.default_rng(1)
    weight, rich, slope, variance = np.array(START.list_kinds).T
    drawn = rng.choice(len(weight), 20_000, p=weight / weight.sum())
    exposure = np.exp(rich[drawn]) * (100 / 10) ** slope[drawn]
    varies = variance[drawn] > 0
    a = 1 / np.where(varies, variance[drawn], 1)
    passed = np.where(varies, (1 + exposure / a) ** -a, np.exp(-exposure))
    kappa = rng.beta(0.9 * UNKNOWN.sure, 0.1 * UNKNOWN.sure, len(drawn))
    low, high = np.quantile(1 - kappa * (1 - passed), [0.05, 0.95])
    share = share_without_hit(START, 100, UNKNOWN)
    assert share is not None
    assert (share.low, share.high) == pytest.approx((low, high), abs=0.015)
    assert UNKNOWN.interval() == pytest.approx(np.quantile(kappa, [0.05, 0.95]), abs=0.01)


def test_the_spread_of_coverage_widens_the_share_and_leaves_one_list_as_it_is() -> None:
    vague, sure = (share_without_hit(START, 100, replace(UNKNOWN, sure=lists)) for lists in (2, 200))
    assert vague is not None and sure is not None
    assert vague.high - vague.low > 1.2 * (sure.high - sure.low)
    assert vague.mean == pytest.approx(sure.mean, rel=0.02)


def test_no_answer_claims_more_than_past_cases_left_possible() -> None:
    poor = from_cases(START, [PastCase("hit", 2)] * 6 + [PastCase("missed", 5000)] * 6, "mine")
    assert capped(COMPLETE, poor).mean == 1 - poor.lacking < 0.8
    doubt = Coverage("", 0.5, 10)
    assert capped(doubt, poor) == doubt
    for coverage in (COMPLETE, COVERAGES["databases"]):
        assert share_without_hit(poor, 100, coverage) == share_without_hit(poor, 100, COMPLETE)


def test_chances_that_do_not_say_how_collections_differ_say_nothing_of_a_share() -> None:
    assert share_without_hit(calibrators()["clef-reviews-rank"], 100, UNKNOWN) is None


def test_cases_move_coverage_and_kind_together() -> None:
    start, cases = learned_by(START), read_cases("4, 17, missed in 60, missed in 100, 2, none in 40")
    prior = start.weight[:, None] * _lacking(start.lacking, start.sure)
    posterior = prior * np.exp(log_likelihood(cases))
    posterior /= posterior.sum()
    after = updated(start, cases)
    for depth in (1, 10, 100, 5000):
        share = 1 - (1 - LACKING) * (1 - survival(depth)[:, None])
        said = after.lacking + (1 - after.lacking) * float(after.weight @ survival(depth))
        assert said == pytest.approx(float((posterior * share).sum()), rel=1e-9)


def test_a_persons_coverage_is_not_that_of_the_reviews_that_taught_the_kinds() -> None:
    assert START.lacking < 0.02
    first = from_cases(START, [PastCase("hit", 3)], "mine")
    assert first.lacking == pytest.approx(1 - UNKNOWN.mean, abs=0.03)
    more = from_cases(first, [PastCase("hit", 3)] * 50, "mine")
    assert more.lacking < 0.05
    again = from_cases(more, [PastCase("hit", 3)], "mine")
    assert again.lacking < 0.05, "what a person's own cases taught is gone on from"


def patents_with_an_answer(real_data: Path, name: str) -> list[Topic]:
    """Topics of one of `PATENTS` that have something to find."""
    run = PATENTS[name]
    qrels = read_qrels(real_data / "patents_real" / f"{run.partition('_')[0]}.qrels.gz")
    topics, _ = label_topics(read_run(real_data / "patents_real" / f"{run}.run.gz"), qrels)
    return [topic for topic in topics.values() if topic.omega]


def test_patent_lists_without_a_hit_lie_within_what_is_predicted(real_data: Path) -> None:
    rows = pd.read_csv(DATA / "calibrators_travel_patents.csv")
    unknown = rows[rows["chances"] == "κ unknown"].set_index("lists_of")
    assert set(unknown.index) == set(PATENTS)
    for name in PATENTS:
        lists = patents_with_an_answer(real_data, name)
        for depth in (10, 20, 50, 100):
            share = share_without_hit(START, depth, UNKNOWN)
            nothing = np.mean([topic.first_hit is None or topic.first_hit > depth for topic in lists])
            assert share is not None and share.low <= nothing <= share.high
            kept = unknown.loc[name, [f"nothing_{depth}", f"mean_{depth}", f"low_{depth}"]].tolist()
            assert kept == pytest.approx([nothing, share.mean, share.low], abs=1e-5)


@pytest.mark.parametrize("name", ["CLEF-IP 2011, fused", "BioPAT"])
def test_twenty_own_cases_narrow_the_interval_and_it_still_holds(real_data: Path, name: str) -> None:
    lists = patents_with_an_answer(real_data, name)
    rng, held = np.random.default_rng(1), []
    for _ in range(20):
        order = [lists[at] for at in rng.permutation(len(lists))]
        hits = [topic.first_hit or len(topic) + 1 for topic in order]
        cases = [PastCase("hit", hit) if hit <= 100 else PastCase("missed", 100) for hit in hits[:20]]
        own = from_cases(START, cases, "mine")
        for depth in (10, 20, 50, 100):
            before, after = share_without_hit(START, depth, UNKNOWN), share_without_hit(own, depth, COMPLETE)
            assert before is not None and after is not None
            assert after.high - after.low < 0.8 * (before.high - before.low)
            held.append(after.low <= np.mean(np.array(hits[20:]) > depth) <= after.high)
    assert np.mean(held) > 0.8


@pytest.mark.parametrize("rankings", [2, 5])
def test_a_merged_list_goes_as_deep_as_each_of_its_rankings(rankings: int) -> None:
    merged = for_merged_lists(START, rankings)
    curve = merged.curve(merged.probabilities(None, 100 * rankings))
    one = START.curve(START.probabilities(None, 100))
    for depth in (1, 10, 100):
        assert curve.log_M[rankings * depth] == pytest.approx(one.log_M[depth], rel=1e-3)
    assert belief(curve, 0.5)[50] > belief(one, 0.5)[50]


def test_the_kinds_of_merged_lists_are_those_of_two_rankings_taken_in_turn() -> None:
    """A hit in either ranking, at the rank that a kind gives it, stands about twice as deep in both together."""
    rng = np.random.default_rng(2)
    v, w = 0.0, 0.9
    first = np.ceil(10 * (rng.exponential(size=40_000) / math.exp(v)) ** (1 / w))
    together = 2 * first - rng.integers(0, 2, len(first))
    one = Calibrator(
        "rank-frailty", "patent", START.x, START.y, START.fitted_on, list_kinds=((1.0, v, w, 0.0),)
    )
    curve = for_merged_lists(one).curve(for_merged_lists(one).probabilities(None, 200))
    for depth in (10, 50, 200):
        assert math.exp(curve.log_M[depth]) == pytest.approx(np.mean(together > depth), abs=0.025)


def test_the_shipped_one_for_merged_lists_is_made_from_the_default() -> None:
    again = for_merged_lists(START)
    for name in ("x", "y", "band", "list_kinds", "lacking"):
        np.testing.assert_allclose(getattr(MERGED, name), getattr(again, name), rtol=1e-4, atol=1e-5)
    assert len(grid()[0]) >= len(MERGED.list_kinds) > 100


@pytest.mark.parametrize(("mean", "sure"), [(0.9, math.inf), (1.0, 5.0)])
def test_what_is_certain_has_one_value(mean: float, sure: float) -> None:
    known = Coverage("known", mean, sure)
    assert set(known.points()) == {mean} and known.interval() == (mean, mean)
