"""Further rules of the field: against their plain loops on small settings, what their samples come to, and their words."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tarstop_core.policies import (
    AnytimeTest,
    AutoStop,
    BaselineRate,
    BetaBinomial,
    Hypergeometric,
    PoissonProcess,
    Policy,
    Safe,
    Scal,
    TarKnee,
)
from tarstop_core.policies.runs import ByRuns, RunGrid
from tests.policies.test_baselines import path_of
from tests.reference import baselines, field

RARE = st.lists(st.sampled_from([False] * 9 + [True]), min_size=1, max_size=120)
FEWER = [True] * 9 + [False, True] * 5 + [False] * 20
TARGETS = st.sampled_from([0.5, 0.8, 1.0])

CASES: dict[str, tuple[st.SearchStrategy[Policy], Callable[..., int]]] = {
    "safe": (
        st.builds(Safe, st.sampled_from([0.0, 0.1, 0.75]), st.integers(1, 20), st.integers(0, 20)),
        field.safe_depth,
    ),
    "anytime-test": (
        st.builds(AnytimeTest, TARGETS, st.sampled_from([0.2, 0.8]), st.integers(10, 40)),
        field.anytime_depth,
    ),
    "beta-binomial": (
        st.builds(BetaBinomial, TARGETS, st.sampled_from([0.2, 0.8]), st.integers(1, 20)),
        field.beta_binomial_depth,
    ),
    "tar-knee": (st.builds(TarKnee, st.integers(0, 40)), field.tar_knee_depth),
}


@pytest.mark.parametrize("name", CASES)
def test_depths_equal_the_plain_loops(name: str) -> None:
    rules, loop = CASES[name]
    whole = set()

    @settings(max_examples=100, deadline=None)
    @given(rules, st.one_of(RARE, RARE.map(lambda labels: [True] * 20 + [False] * 150 + labels)))
    def compare(rule: Policy, labels: list[bool]) -> None:
        ours = rule.depths(path_of(labels), [0.0]).tolist()
        assert ours == [loop([int(label) for label in labels], *rule.settings.values())]
        whole.add(ours == [len(labels)])

    compare()
    # A knee needs more relevant documents than these lists hold.
    assert whole == {True, False} or name == "tar-knee"


DRAWING = st.one_of(
    st.tuples(st.builds(BaselineRate, TARGETS, st.integers(1, 40)), st.just(field.baseline_rate_depth)),
    st.tuples(st.builds(Scal, TARGETS, st.integers(1, 5)), st.just(field.scal_depth)),
)


@given(DRAWING, RARE, st.integers(0, 2**32))
@example((Scal(0.45, 5), field.scal_depth), [True, False, True], 0)
def test_samples_are_those_of_the_loops(
    drawing: tuple[ByRuns, Callable[..., int]], labels: list[bool], seed: int
) -> None:
    rule, loop = drawing
    permutation = np.random.default_rng(seed).permutation(len(labels))
    order = (np.argsort(permutation)[None] + 0.5) / len(labels)
    run = rule.runs(np.array(labels), order)
    assert run.depth.tolist() == [loop(labels, permutation.tolist(), *rule.settings.values())]
    assert run.seen[0, : run.depth[0]].all()


@settings(deadline=None)
@given(RARE, TARGETS, st.sampled_from(["loose", "strict"]), st.integers(0, 2**32))
@example(FEWER * 2, 0.5, "strict", 1)
@example(FEWER * 2, 0.5, "strict", 2)
@example(FEWER * 2, 0.8, "strict", 3)
def test_autostop_is_its_loop(labels: list[bool], tau: float, condition: str, seed: int) -> None:
    numbers = np.random.default_rng(seed).random(len(labels))
    run = AutoStop(tau, condition).runs(np.array(labels), numbers[None])
    assert run.depth.tolist() == [field.autostop_depth(labels, numbers.tolist(), tau, condition)]
    read = field.autostop_read(labels, numbers.tolist(), tau, condition)
    assert np.flatnonzero(run.seen[0]).tolist() == sorted(read)


def test_a_looser_goal_reads_less_and_caution_reads_more() -> None:
    rng = np.random.default_rng(5)
    labels = rng.random(2_000) < 0.3 * np.exp(-np.arange(2_000) / 200)
    for kind in (AutoStop, Scal, BaselineRate):
        read = [kind(tau).expected(labels).read for tau in (0.5, 0.9)]
        assert read[0] < read[1] < 2_000
    assert AutoStop(0.8, "strict").expected(labels).read > AutoStop(0.8).expected(labels).read
    # What it saves, it saves by knowing the total: the recall is near the goal.
    assert AutoStop(0.8).expected(labels).recall == pytest.approx(0.8, abs=0.1)
    assert Scal(0.8, 1000).expected(labels).recall >= 0.8


def test_without_anything_relevant_only_s_cal_stops() -> None:
    labels = np.zeros(300, dtype=bool)
    assert BaselineRate().expected(labels).read == AutoStop().expected(labels).read == 300
    assert Scal(0.8, 2).expected(labels).depth == 0 and Scal(0.8, 2).expected(labels).read < 60
    for kind in (BaselineRate, AutoStop, Scal):
        assert kind().expected(labels[:0]).read == 0


def test_a_grid_of_samples_is_its_rules_one_by_one() -> None:
    labels = np.random.default_rng(2).random(400) < 0.05
    rules = [AutoStop(0.7), AutoStop(0.9, "strict"), AutoStop(0.9)]
    grid = RunGrid(rules).replicates(labels, 10, np.random.default_rng(1))
    for row, rule in enumerate(rules):
        alone = rule.replicates(labels, 10, np.random.default_rng(1))
        assert grid.depth[grid.pair[row]].tolist() == alone.depth.tolist()
        assert grid.read[grid.pair[row]].tolist() == alone.seen.sum(axis=1).tolist()


def test_looking_often_costs_no_confidence() -> None:
    """On lists in random order the test at every look is wrong no more often than it may be; looking freely is."""
    rng, wrong = np.random.default_rng(9), {"spent": 0, "free": 0}
    for _ in range(200):
        labels = rng.permutation(np.arange(400) < 30)
        for name, rule in (("spent", AnytimeTest(0.8, 0.8, 10)), ("free", Hypergeometric(0.8, 0.8, 10))):
            depth = int(rule.depths(path_of(labels), [0.0])[0])
            wrong[name] += labels[:depth].sum() < 0.8 * 30
    assert wrong["spent"] <= 0.2 * 200 < wrong["free"]


def test_a_falling_gate_lets_poor_lists_be_forecast() -> None:
    rng = np.random.default_rng(4)
    labels = (rng.random(4_000) < 0.12 * np.exp(-np.arange(4_000) / 150)).astype(int).tolist()
    assert 10 < sum(labels) < 20
    for model in ("power", "exponential", "inverse"):
        fixed, falling = (PoissonProcess(model, 0.7, 0.8, 10.0, gate) for gate in ("fixed", "falling"))
        assert fixed.depths(path_of(labels), [0.0]).tolist() == [4_000]
        depth = int(falling.depths(path_of(labels), [0.0])[0])
        assert depth == baselines.poisson_depth(labels, *falling.settings.values()) < 4_000
