"""Lists of a collection that was not learned from: on two levels, against plain loops, simulations and what is shipped."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import halfnorm

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.calibration.calibrator import Calibrator, from_json
from tarstop_core.calibration.first_hit import DEEPEST, PastCase, read_cases
from tarstop_core.calibration.fitting import fit
from tarstop_core.calibration.rank_frailty import (
    LACKING,
    SLOPES,
    STEPS,
    _between,
    cases_of,
    from_cases,
    grid,
    learn,
    learned_by,
    log_likelihood,
    survival,
    updated,
    with_learned,
)
from tarstop_core.documents.topic import Topic
from tarstop_core.errors import InputProblem
from tests.calibration.cases import simulated, topic


def drawn(
    level: float, slope: float, variance: float, lists: int, seed: int, lacking: float = 0.0
) -> list[PastCase]:
    """First hits of lists of 2,000 documents of one collection."""
    rng = np.random.default_rng(seed)
    factor = rng.gamma(1 / variance, variance, lists) if variance else np.ones(lists)
    first = np.ceil(10 * (rng.exponential(size=lists) / factor / math.exp(level)) ** (1 / slope))
    first[rng.random(lists) < lacking] = 10**6
    return [PastCase("hit", int(k)) if k <= 2000 else PastCase("missed", 2000) for k in first]


@pytest.fixture(scope="module")
def start() -> Calibrator:
    """Learned on four collections."""
    cases = [drawn(level, 0.9, 1.0, 25, seed) for seed, level in enumerate((-0.5, 0.3, 0.8, 1.5))]
    empty = from_cases(
        with_learned(fit(simulated(5, 30, seed=1), kind="rank-frailty"), learn([])), cases[0], "x"
    )
    return with_learned(empty, learn(cases))


def passed(k: int, level: float, slope: float, variance: float) -> float:
    """Chance of no hit among the first k."""
    exposure = math.exp(level) * (k / 10) ** slope
    return (1 + variance * exposure) ** (-1 / variance) if variance else math.exp(-exposure)


def test_the_likelihood_is_that_of_a_plain_loop() -> None:
    cases = read_cases("3, missed in 40, 3")
    found = log_likelihood(cases)
    for at in (0, 100, 333):
        point = [float(each[at]) for each in grid()]
        for number, lacking in enumerate(LACKING):
            hit = (1 - lacking) * (passed(2, *point) - passed(3, *point))
            missed = lacking + (1 - lacking) * passed(40, *point)
            assert found[at, number] == pytest.approx(2 * math.log(hit) + math.log(missed))


def test_stopping_early_says_less_than_missing_and_nothing_at_all_says_nothing_of_ranks() -> None:
    before = learn([])
    by_ten = {}
    for words in ("stopped", "missed", "none"):
        after = updated(before, [PastCase("hit", 4), *[PastCase(words, 60 if words != "none" else 0)] * 4])
        by_ten[words] = float(after.weight @ survival(10))
    alone = float(updated(before, [PastCase("hit", 4)]).weight @ survival(10))
    assert by_ten["none"] == pytest.approx(alone, abs=1e-9)
    assert alone < by_ten["stopped"] < by_ten["missed"]


def test_many_lists_of_ones_own_override_what_was_learned(start: Calibrator) -> None:
    told = drawn(-1.5, 0.5, 0.5, 400, seed=9)
    mine = from_cases(start, told, "mine")
    for k in (1, 10, 100):
        share = np.mean([case.outcome != "hit" or case.at > k for case in told])
        learned = learned_by(mine)
        passed = learned.lacking + (1 - learned.lacking) * float(learned.weight @ survival(k))
        assert passed == pytest.approx(share, abs=0.06)


def test_a_few_lists_of_ones_own_move_it_part_of_the_way(start: Calibrator) -> None:
    told = drawn(-1.5, 0.9, 1.0, 5, seed=3)
    at = [float(learned_by(each).weight @ survival(10)) for each in (start, from_cases(start, told, "mine"))]
    alone = float(updated(learn([]), told).weight @ survival(10))
    assert min(at[0], alone) < at[1] < max(at[0], alone)


def test_a_new_collection_is_less_certain_than_the_pooled_lists() -> None:
    collections = [drawn(level, 0.9, 0.0, 60, seed) for seed, level in enumerate((-1.0, 0.5, 2.0))]
    lists = [case for each in collections for case in each]
    apart = learn(collections)
    level = grid()[0]

    def deviation(weight: np.ndarray) -> float:
        return math.sqrt(weight @ level**2 - (weight @ level) ** 2)

    own = updated(learn([]), lists)
    assert deviation(apart.weight) > 2 * deviation(own.weight)


def test_lists_that_lack_it_are_not_counted_as_misses_too() -> None:
    full = learn([drawn(0.5, 0.9, 0.5, 200, seed=1), drawn(0.7, 0.9, 0.5, 200, seed=2)])
    some = learn(
        [drawn(0.5, 0.9, 0.5, 200, seed=1, lacking=0.2), drawn(0.7, 0.9, 0.5, 200, seed=2, lacking=0.2)]
    )
    assert full.lacking < 0.03 and some.lacking == pytest.approx(0.2, abs=0.07)
    assert some.weight @ survival(50) == pytest.approx(float(full.weight @ survival(50)), abs=0.05)


def test_the_curve_is_that_of_the_kinds(start: Calibrator) -> None:
    curve = start.curve(start.probabilities(None, 3000))
    learned = learned_by(start)
    for d in (0, 1, 7, 150, 1000, 3000):
        passed = start.lacking + (1 - start.lacking) * float(learned.weight @ survival(d))
        assert math.exp(curve.log_M[d]) == pytest.approx(passed, rel=2e-4)
    np.testing.assert_allclose(np.exp(curve.log_M[:-1]) * curve.h, -np.diff(np.exp(curve.log_M)), atol=1e-12)
    # A person who holds the list for less complete than was learned is taken at their word.
    doubted = start.curve(start.probabilities(None, 50), kappa=0.5)
    assert math.exp(doubted.log_M[-1]) == pytest.approx(
        0.5 + 0.5 * (math.exp(curve.log_M[50]) - start.lacking) / (1 - start.lacking)
    )


def test_one_kind_is_the_frailty_and_the_paper() -> None:
    p = np.array([0.5, 0.2, 0.1, 0.05])
    for variance, shape in ((0.0, math.inf), (0.5, 2.0)):
        seen = fit([topic([2, 1], [1, 0])], kind="rank").fitted_on
        x = tuple(np.log(np.arange(1, 5)).tolist())
        one = Calibrator(
            "rank-frailty", "patent", x, tuple(p.tolist()), seen, list_kinds=((1.0, 0.0, 1.0, variance),)
        )
        kinds = one.kinds_at(np.arange(1, 5))
        same = replace(kinds, ratio=np.ones((1, 4)))
        np.testing.assert_allclose(
            hit_curve(p, kinds=same).log_M, hit_curve(p, frailty=shape).log_M, atol=1e-15
        )
        np.testing.assert_allclose(hit_curve(p, kinds=same).h, hit_curve(p, frailty=shape).h, atol=1e-15)


def test_collections_that_hardly_differ_lie_where_they_do_though_points_are_coarse() -> None:
    means = np.linspace(0.4, 1.3, 19)
    weight, prior = _between(SLOPES, means, 0.25)
    assert np.ptp(prior[: len(STEPS)] - halfnorm.logpdf(STEPS) - np.log(np.gradient(STEPS))) < 1e-12
    alike = weight[:: len(STEPS)]  # Of each mean the smallest spread
    assert alike @ SLOPES == pytest.approx(means, abs=0.03 * (SLOPES[1] - SLOPES[0]))


def test_unsure_documents_do_not_count_as_misses(start: Calibrator) -> None:
    p = start.probabilities(None, 600)
    uninformative = np.zeros(600, dtype=bool)
    uninformative[[3, 500]] = True
    curve, full = start.curve(p, uninformative=uninformative), start.curve(p)
    assert curve.log_M[4] == curve.log_M[3] and curve.log_M[501] == pytest.approx(curve.log_M[500])
    assert curve.h[3] == pytest.approx(full.h[3]) and curve.h[500] == pytest.approx(full.h[500], rel=0.05)


def test_documents_out_of_order_keep_the_chances_of_their_ranks(start: Calibrator) -> None:
    ranks = np.array([5, 1, 2, 3, 4])
    curve = start.curve(start.probabilities(None, ranks), ranks)
    straight = start.curve(start.probabilities(None, 5))
    assert curve.log_M[-1] == pytest.approx(straight.log_M[-1])
    assert curve.h[0] < straight.h[0]


def test_a_file_is_read_back_and_gone_on_from(start: Calibrator) -> None:
    again = from_json(start.to_json())
    assert again == start and again.digest == start.digest
    np.testing.assert_allclose(learned_by(again).weight, learned_by(start).weight)
    strange = replace(start, list_kinds=((1.0, 0.123, 0.9, 1.0),))
    with pytest.raises(InputProblem, match="cannot be updated"):
        from_cases(strange, [PastCase("hit", 1)], "x")
    with pytest.raises(InputProblem, match="not a calibrator of kind 'rank-frailty'"):
        from_cases(fit(simulated(5, 30, seed=1)), [PastCase("hit", 1)], "x")
    with pytest.raises(InputProblem, match="no case"):
        from_cases(start, [], "x")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kinds": []}, "its kinds of lists"),
        ({"kinds": [[1.0, 0.0, 0.0, 1.0]]}, "its kinds of lists"),
        ({"kinds": [[0.0, 0.0, 1.0, 1.0]]}, "its kinds of lists"),
        ({"lacking": 1.0}, "lacking"),
    ],
)
def test_a_damaged_file_is_refused(start: Calibrator, change: dict[str, object], words: str) -> None:
    import json

    content = json.loads(start.to_json()) | change
    with pytest.raises(InputProblem, match=words):
        from_json(json.dumps(content))


def test_cases_of_lists_that_were_read_in_part() -> None:
    ids = np.array(["a", "b", "c", "d"])
    labels = np.array([False, False, True, False])

    def of(labelled: list[bool]) -> list[PastCase]:
        return cases_of([Topic("t", ids, None, labels, 1, np.array(labelled))])

    assert of([True] * 4) == [PastCase("hit", 3)] == of([True, True, True, False])
    assert of([True, True, False, False]) == [PastCase("missed", 2)]
    # What was found beyond a document that nobody read is not known to be the first.
    assert of([True, False, True, True]) == [PastCase("missed", 1)]
    assert of([False, True, True, True]) == []
    long = np.zeros(DEEPEST + 5, dtype=bool)
    long[-1] = True
    assert cases_of([Topic("t", long.astype(str), None, long, 1)]) == [PastCase("missed", DEEPEST)]
