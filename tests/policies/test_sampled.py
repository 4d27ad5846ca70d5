"""Rules that draw a random sample: closed form against every permutation, single runs and grids."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.methods import grid
from tarstop_core.policies import QBCB, Randomised, SampleGrid, Target
from tarstop_core.policies.sampled import order_statistic
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tests.reference import baselines

RULES = st.one_of(
    st.builds(QBCB, st.sampled_from([0.3, 0.5, 0.8]), st.integers(1, 4), st.sampled_from([0.1, 0.5, 0.9])),
    st.builds(Target, st.sampled_from([0.5, 0.1]), st.sampled_from([0.3, 0.5, 0.8])),
)
FEW = st.lists(st.booleans(), min_size=1, max_size=6)
MANY = st.lists(st.sampled_from([False, False, True]), min_size=1, max_size=60)


@given(RULES, FEW)
def test_the_closed_form_is_the_mean_over_all_permutations(rule: QBCB | Target, labels: list[bool]) -> None:
    plain, R = [int(label) for label in labels], max(1, sum(labels))
    runs = [
        baselines.sampled_run(plain, permutation, *rule.pair)
        for permutation in itertools.permutations(range(len(labels)))
    ]
    mean = rule.expected(np.array(labels))
    assert mean.depth == pytest.approx(np.mean([depth for depth, _ in runs]))
    assert mean.read == pytest.approx(np.mean([len(read) for _, read in runs]))
    assert mean.recall == pytest.approx(np.mean([sum(plain[:depth]) / R for depth, _ in runs]))
    assert mean.recall_read == pytest.approx(np.mean([sum(plain[i] for i in read) / R for _, read in runs]))
    assert mean.found == pytest.approx(np.mean([any(plain[i] for i in read) for _, read in runs]))


@given(RULES, MANY, st.integers(0, 2**32))
def test_runs_are_those_of_the_loop(rule: QBCB | Target, labels: list[bool], seed: int) -> None:
    permutations = [np.random.default_rng(seed + k).permutation(len(labels)) for k in range(3)]
    runs = rule.runs(np.array(labels), np.argsort(permutations, axis=1))
    for k, permutation in enumerate(permutations):
        depth, read = baselines.sampled_run(
            [int(label) for label in labels], permutation.tolist(), *rule.pair
        )
        assert int(runs.depth[k]) == depth
        assert set(np.flatnonzero(runs.seen[k]).tolist()) == read


def test_single_runs_average_to_the_closed_form() -> None:
    labels = np.random.default_rng(0).random(200) < 0.1
    for rule in (QBCB(0.7, 5, 0.2), Target(0.5, 0.8)):
        runs = rule.replicates(labels, 6_000, np.random.default_rng(1))
        mean = rule.expected(labels)
        found = (runs.seen & labels).sum(axis=1)
        within = ((np.arange(200) < runs.depth[:, None]) & labels).sum(axis=1)
        error = runs.seen.sum(axis=1).std() / np.sqrt(6_000)
        assert runs.seen.sum(axis=1).mean() == pytest.approx(mean.read, abs=4 * error)
        assert runs.depth.mean() == pytest.approx(mean.depth, abs=4 * runs.depth.std() / np.sqrt(6_000))
        assert within.mean() / labels.sum() == pytest.approx(mean.recall, abs=0.01)
        assert found.mean() / labels.sum() == pytest.approx(mean.recall_read, abs=0.01)
        assert (found > 0).mean() == mean.found == 1


def test_runs_are_seeded() -> None:
    labels = np.arange(300) % 17 == 3
    one, same, other = (QBCB().replicates(labels, 50, np.random.default_rng(seed)) for seed in (5, 5, 6))
    assert (one.seen == same.seen).all() and (one.depth == same.depth).all()
    assert (one.seen != other.seen).any()


def test_a_grid_is_its_rules_one_by_one() -> None:
    rules = grid(QBCB)
    assert len(rules) == 500
    cells = SampleGrid(rules)
    assert len(cells.pairs) <= 39
    rng = np.random.default_rng(3)
    for labels in (rng.random(400) < 0.04, np.zeros(50, dtype=bool), np.ones(3, dtype=bool)):
        whole = cells.expected(labels)
        runs = cells.replicates(labels, 40, np.random.default_rng(9))
        for index in range(0, 500, 37):
            alone = rules[index].expected(labels)
            figures = (whole.depth, whole.read, whole.recall, whole.recall_read, whole.found)
            assert [float(figure[index]) for figure in figures] == pytest.approx(
                [alone.depth, alone.read, alone.recall, alone.recall_read, alone.found], rel=1e-12
            )
            single = rules[index].replicates(labels, 40, np.random.default_rng(9))
            row = runs.pair[index]
            assert runs.depth[row].tolist() == single.depth.tolist()
            assert runs.read[row].tolist() == single.seen.sum(axis=1).tolist()
            assert runs.seen[row].tolist() == single.seen[:, labels].tolist()


def test_the_grid_of_the_paper_is_made_of_tenths() -> None:
    tau, n_min, alpha = (parameter.grid for parameter in QBCB.parameters)
    assert tau == alpha == (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    assert n_min == (1, 3, 5, 10, 15)
    infeasible = [(r, a) for r in n_min for t in tau for a in alpha if order_statistic(t, r, a) is None]
    assert len(infeasible) == 114
    assert order_statistic(0.5, 1, 0.5) == 1  # an exact tie
    assert all(order_statistic(t, r, 1.0) == 1 for t in tau for r in n_min)


@given(st.integers(1, 99), st.integers(1, 25), st.integers(1, 99))
def test_the_order_statistic_is_exact(tau: int, r: int, alpha: int) -> None:
    expected = baselines.order_statistic(tau / 100, r, alpha / 100)
    assert order_statistic(tau / 100, r, alpha / 100) == expected


@pytest.mark.parametrize("rule", [QBCB(), Target()], ids=str)
def test_one_path_gives_them_no_depth(rule: Randomised) -> None:
    path = DecisivePath(hit_curve([0.1] * 5), 0.5, Payoffs.from_q_star(0.5))
    with pytest.raises(InputProblem, match="random sample"):
        rule.depths(path, [0.1])
