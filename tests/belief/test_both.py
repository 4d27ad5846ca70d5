"""Whether sensitivity and specificity both exceed their thresholds: against brute force, and by identities."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.special import logit, ndtri
from scipy.stats import beta, multivariate_normal, qmc

from tarstop_core.belief.after import belief
from tarstop_core.belief.bivariate import bivariate_belief, bivariate_path
from tarstop_core.belief.both import both_below
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.of_tables import belief_path, beliefs, beliefs_of_each, last_belief
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.belief.univariate import univariate_path
from tarstop_core.cli.commands import tarstop
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.errors import InputProblem

COUNT = st.integers(0, 60)
STUDIES = st.lists(st.tuples(COUNT, COUNT, COUNT, COUNT), max_size=5)
THETAS = st.floats(0.3, 0.95)
ROWS = [(18, 2, 4, 20), (9, 1, 1, 12), (22, 6, 3, 25), (11, 5, 4, 14)]
TRADE_OFF = [(19, 9, 1, 11), (10, 1, 10, 19), (18, 10, 2, 10)]
"""A test whose cut-off differs: sensitive where it is not specific."""
POINTS, NODES = 2**13, 14  # of the prior, and of a study's own sensitivity and specificity


def tables(rows: ArrayLike) -> Tables:
    cells = np.array(rows, dtype=float).reshape(-1, 4).T
    return Tables(tuple(f"s{i}" for i in range(cells.shape[1])), *cells)


def by_brute_force(studies: Tables, thetas: tuple[float, float], prior: Prior) -> list[float]:
    """P(sensitivity enough), P(specificity enough) and P(both): points of the prior, weighed by every study's likelihood."""
    u = qmc.Sobol(5, seed=5).random(POINTS)
    alone = prior.b_0**0.5
    lam = logit(thetas[0]), -logit(thetas[1])
    mu = np.stack(
        [
            lam[0] + prior.s * (ndtri(alone) + ndtri(u[:, 0])),
            lam[1] - prior.s_fpr * (ndtri(alone) + ndtri(u[:, 1])),
        ]
    )
    tau = prior.tau * np.abs(ndtri(u[:, 2:4])).T
    rho = 2 * beta.ppf(u[:, 4], prior.eta, prior.eta) - 1
    x, weight = np.polynomial.hermite_e.hermegauss(NODES)
    x1, x2 = (grid.ravel() for grid in np.meshgrid(x, x))
    joint = np.outer(weight, weight).ravel()
    own = mu[0, :, None] + tau[0, :, None] * x1
    other = mu[1, :, None] + tau[1, :, None] * (rho[:, None] * x1 + np.sqrt(1 - rho**2)[:, None] * x2)
    total = np.ones(POINTS)
    for TP, FP, FN, TN in zip(studies.TP, studies.FP, studies.FN, studies.TN, strict=True):
        log = -TP * np.logaddexp(0, -own) - FN * np.logaddexp(0, own)
        log -= FP * np.logaddexp(0, -other) + TN * np.logaddexp(0, other)
        total *= np.exp(log) @ joint
        total /= total.max()
    enough = mu[0] > lam[0], mu[1] < lam[1]
    return [float(total @ event / total.sum()) for event in (*enough, enough[0] & enough[1])]


@pytest.mark.parametrize(
    ("rows", "thetas"), [(ROWS[:2], (0.75, 0.8)), (ROWS, (0.85, 0.7)), (TRADE_OFF, (0.75, 0.8))]
)
def test_the_joint_posterior_is_that_of_brute_force(
    rows: list[tuple[int, ...]], thetas: tuple[float, float]
) -> None:
    studies, prior = tables(rows), Prior(b_0=0.4)
    of_each = beliefs_of_each(studies, Question(thetas[0], "bivariate", prior, thetas[1]))
    assert of_each is not None
    ours = [*of_each, bivariate_belief(studies, thetas[0], prior, thetas[1])]
    assert ours == pytest.approx(by_brute_force(studies, thetas, prior), abs=0.01)


def test_a_trade_off_between_both_is_seen() -> None:
    """Where one margin is good because the other is bad, both are good less often than if they were independent."""
    studies = tables(TRADE_OFF)
    both = bivariate_belief(studies, 0.75, Prior(), 0.75)
    assert both < last_belief(studies, Question(0.75, "univariate", Prior(), 0.75)) - 0.01


@given(
    st.lists(st.tuples(*[st.floats(-4, 4)] * 2, st.floats(-0.99, 0.99)), min_size=1, max_size=5),
)
@settings(max_examples=30, deadline=None)
def test_the_normal_chance_of_both_is_scipys(cases: list[tuple[float, float, float]]) -> None:
    h, k, r = np.array(cases).T
    by_scipy = [multivariate_normal.cdf([a, b], cov=[[1, c], [c, 1]]) for a, b, c in cases]
    np.testing.assert_allclose(both_below(h, k, r), by_scipy, atol=1e-6)


@settings(max_examples=20, deadline=None)
@given(STUDIES, THETAS, THETAS, st.floats(0.05, 0.95), st.sampled_from(list(ENGINES)))
def test_both_is_no_likelier_than_either_and_no_rarer_than_they_allow(
    rows: list[tuple[int, ...]], theta: float, theta_sp: float, b_0: float, engine: str
) -> None:
    studies, prior = tables(rows), Prior(b_0=b_0)
    both = last_belief(studies, Question(theta, engine, prior, theta_sp))
    of_each = beliefs_of_each(studies, Question(theta, engine, prior, theta_sp))
    assert (both is None) == (of_each is None)
    if both is not None and of_each is not None:
        assert max(0.0, sum(of_each) - 1) - 2e-3 <= both <= min(of_each) + 2e-3


@settings(max_examples=15, deadline=None)
@given(STUDIES, THETAS, THETAS, st.sampled_from(("bivariate", "univariate")), st.floats(0.3, 1))
def test_what_is_diseased_and_what_is_healthy_may_change_places(
    rows: list[tuple[int, ...]], theta: float, theta_sp: float, engine: str, weight: float
) -> None:
    turned = [(tn, fn, fp, tp) for tp, fp, fn, tn in rows]
    prior = Prior(b_0=0.4, weight=weight)
    b = last_belief(tables(rows), Question(theta, engine, prior, theta_sp))
    assert last_belief(tables(turned), Question(theta_sp, engine, prior, theta)) == pytest.approx(b, abs=2e-4)


@settings(max_examples=15, deadline=None)
@given(STUDIES, THETAS, st.randoms(use_true_random=False))
def test_order_of_studies_does_not_matter(rows: list[tuple[int, ...]], theta: float, random) -> None:  # type: ignore[no-untyped-def]
    b = bivariate_belief(tables(rows), theta, Prior(), 0.8)
    shuffled = tables(random.sample(rows, len(rows)))
    assert bivariate_belief(shuffled, theta, Prior(), 0.8) == pytest.approx(b, abs=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_path_begins_with_the_starting_belief_and_ends_in_that_of_all_studies(engine: str) -> None:
    studies, prior = tables(ROWS), Prior(b_0=0.3)
    path = belief_path(studies, Question(0.7, engine, prior, 0.8)).beliefs
    assert path[0] == (None if engine == "reml" else pytest.approx(0.3, abs=1e-12))
    each = [last_belief(studies.first(n), Question(0.7, engine, prior, 0.8)) for n in range(len(ROWS) + 1)]
    assert path[-1] == pytest.approx(each[-1], abs=1e-9)
    assert [b is None for b in path] == [b is None for b in each]
    assert beliefs(studies, Question(0.7, engine, prior, 0.8))[-1] == pytest.approx(path[-1])


def test_a_specificity_that_is_surely_exceeded_leaves_what_sensitivity_says() -> None:
    """With b_0 near 1 for specificity the criterion is that of sensitivity alone."""
    studies = tables([(tp, 0, fn, 3000) for tp, _, fn, _ in ROWS])
    of_each = beliefs_of_each(studies, Question(0.7, "univariate", Prior(b_0=0.25), 0.5))
    assert of_each is not None and of_each[1] == pytest.approx(1, abs=1e-3)
    both = last_belief(studies, Question(0.7, "univariate", Prior(b_0=0.25), 0.5))
    assert both == pytest.approx(univariate_path(studies, 0.7, Prior(b_0=0.5))[-1], abs=1e-3)


def test_studies_of_one_group_count_towards_it_alone() -> None:
    unknown = np.array([(tp, np.nan, fn, np.nan) for tp, _, fn, _ in ROWS], dtype=float)
    of_each = beliefs_of_each(tables(unknown), Question(0.75, "bivariate", Prior(b_0=0.36), 0.8))
    assert of_each is not None and of_each[1] == pytest.approx(0.6, abs=1e-9)
    healthy = tables([(0, fp, 0, tn) for _, fp, _, tn in ROWS])
    of_each = beliefs_of_each(healthy, Question(0.75, "bivariate", Prior(b_0=0.36), 0.8))
    assert of_each is not None and of_each[0] == pytest.approx(0.6, abs=1e-9)
    mixed = [*ROWS, (0, 3, 0, 40)]
    assert bivariate_path(tables(mixed), 0.75, Prior(), 0.8)[-1] != pytest.approx(
        bivariate_path(tables(ROWS), 0.75, Prior(), 0.8)[-1], abs=1e-4
    )


def test_the_command_the_function_and_the_engine_say_the_same(tmp_path: Path) -> None:
    studies, file = tables(ROWS), tmp_path / "tables.csv"
    lines = [",".join(("study", *CELLS)), *(f"s,{','.join(map(str, row))}" for row in ROWS)]
    file.write_text("\n".join(lines), encoding="utf-8")
    asked = ["belief", str(file), "--theta", "0.7", "--theta-sp", "0.8"]
    said = json.loads(CliRunner().invoke(tarstop, [*asked, "--json"]).stdout)
    expected = bivariate_belief(studies, 0.7, Prior(), 0.8)
    assert said["belief"] == pytest.approx(expected) and said["theta_sp"] == 0.8
    assert said["belief_of_each"] == pytest.approx(
        beliefs_of_each(studies, Question(0.7, "bivariate", Prior(), 0.8))
    )
    spoken = CliRunner().invoke(tarstop, asked).output
    assert "and specificity 80 %" in spoken
    assert float(belief(studies, 0.7, theta_sp=0.8)) == pytest.approx(expected)
    assert "and specificity 80 %" in str(belief(studies, 0.7, theta_sp=0.8))
    with pytest.raises(InputProblem):
        belief(studies, 0.7, theta_sp=1.0)
