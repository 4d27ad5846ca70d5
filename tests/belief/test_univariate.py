"""The exact univariate belief: golden values, identities, and what must not break it."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.interpolate import CubicSpline
from scipy.special import expit, logit

from tarstop_core.belief.lattice import lattice_for
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.univariate import (
    CROWDED,
    STEP,
    _crowded,
    notes,
    posterior,
    univariate_path,
)
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tests.reference.recorded import counts, recorded

# AUDIT-C for unhealthy alcohol use: the counts (TP, FP, FN, TN) of the first five studies of Kriston et al.
# (2008, doi 10.7326/0003-4819-149-12-200812160-00011), as in the R package mada.
AUDIT_C = [
    (47, 101, 9, 738),
    (126, 272, 51, 1543),
    (19, 12, 10, 192),
    (36, 78, 3, 276),
    (130, 211, 19, 959),
]
# Belief at θ = .75 after 0 … 5 of them, on a lattice four times finer with 64 nodes of τ.
AUDIT_C_BELIEF = [0.5, 0.7759160687, 0.5898794533, 0.4443352778, 0.7363988695, 0.8649160755]


def tables(rows: ArrayLike) -> Tables:
    cells = np.asarray(rows, dtype=float).reshape(-1, 4).T
    return Tables(tuple(f"study {i + 1}" for i in range(cells.shape[1])), *cells)


def read_tables(rows: list[dict[str, object]]) -> Tables:
    return tables([[row[cell] for cell in ("TP", "FP", "FN", "TN")] for row in rows])


COUNTS = st.one_of(st.integers(0, 60), st.sampled_from([0, 1, 1000, 10**6]))
STUDIES = st.lists(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS), max_size=8)
THETAS = st.floats(0.05, 0.95)
EXTREME = st.floats(0, 1, exclude_min=True, exclude_max=True)
NONE = tables([])


def test_published_belief_after_each_study() -> None:
    np.testing.assert_allclose(univariate_path(tables(AUDIT_C), 0.75), AUDIT_C_BELIEF, atol=3e-4)


def test_golden_belief_after_each_study() -> None:
    beliefs = recorded("belief_univariate")["belief"]
    assert len(beliefs) == 10
    for name, belief in beliefs.items():
        np.testing.assert_allclose(
            univariate_path(tables(counts(name)), 0.75), belief, atol=3e-4, err_msg=name
        )


@given(EXTREME, EXTREME, st.floats(0.2, 5), st.floats(0.05, 3))
def test_no_studies_leave_the_starting_belief(theta: float, b_0: float, s: float, tau: float) -> None:
    assert univariate_path(NONE, theta, Prior(b_0=b_0, s=s, tau=tau)) == pytest.approx([b_0], abs=1e-12)


@given(STUDIES, THETAS, st.floats(0.05, 0.95))
def test_mirrored_tables_mirror_the_belief(rows: list[tuple[int, ...]], theta: float, b_0: float) -> None:
    mirrored = [(fn, fp, tp, tn) for tp, fp, fn, tn in rows]
    b = univariate_path(tables(rows), theta, Prior(b_0=b_0))
    other = univariate_path(tables(mirrored), 1 - theta, Prior(b_0=1 - b_0))
    np.testing.assert_allclose(other, 1 - b, atol=1e-9)


@given(STUDIES, THETAS, st.randoms(use_true_random=False))
def test_order_of_studies_does_not_matter(rows: list[tuple[int, ...]], theta: float, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(rows, len(rows))
    b, other = (univariate_path(tables(order), theta)[-1] for order in (rows, shuffled))
    assert other == pytest.approx(b, abs=1e-9)


@given(STUDIES, EXTREME)
def test_belief_is_always_a_probability(rows: list[tuple[int, ...]], theta: float) -> None:
    b = univariate_path(tables(rows), theta)
    assert b.shape == (len(rows) + 1,) and ((b >= 0) & (b <= 1)).all()


@pytest.mark.parametrize("b_0", [0.02, 0.5, 0.9])
def test_a_study_without_diseased_patients_is_ignored_with_a_note(b_0: float) -> None:
    rows = [*AUDIT_C[:2], (0, 3, 0, 7), *AUDIT_C[2:]]
    b = univariate_path(tables(rows), 0.75, Prior(b_0=b_0))
    np.testing.assert_allclose(
        np.delete(b, 3), univariate_path(tables(AUDIT_C), 0.75, Prior(b_0=b_0)), atol=1e-12
    )
    (note,) = notes(tables(rows))
    assert note.startswith("Study 3 (study 3) has no diseased patients")


def test_missing_healthy_patients_do_not_matter_but_are_said() -> None:
    rows = np.array(AUDIT_C, dtype=float)
    rows[1, [1, 3]] = np.nan
    np.testing.assert_array_equal(univariate_path(tables(rows), 0.75), univariate_path(tables(AUDIT_C), 0.75))
    assert notes(tables(rows)) == ("Study 2 (study 2) has no FP and TN, so it counts only for sensitivity.",)
    assert notes(tables(AUDIT_C)) == ()


def test_extreme_studies_move_the_belief_the_right_way() -> None:
    one_hit, one_miss = ([(1, 0, 0, 1)], [(0, 0, 1, 1)])
    assert univariate_path(tables(one_hit), 0.75)[1] > 0.5 > univariate_path(tables(one_miss), 0.75)[1]
    perfect = univariate_path(tables([(10, 0, 0, 10)] * 30), 0.75)
    assert (np.diff(perfect) > 0).all() and perfect[-1] > 0.9999
    # One study of a million says its own sensitivity exactly, the pooled one hardly better than fifty would.
    million = univariate_path(tables([(900_000, 0, 100_000, 10)]), 0.75)[1]
    assert million == pytest.approx(univariate_path(tables([(900, 0, 100, 10)]), 0.75)[1], abs=0.01)
    assert million < 0.9


def test_a_sharp_likelihood_continues_the_counted_one() -> None:
    # 801 and 799 diseased patients lie on either side of where counting in cells ends.
    below, above = ([(n // 2, 1, n - n // 2, 1)] * 2 for n in (798, 804))
    b = [univariate_path(tables(rows), 0.48)[-1] for rows in (below, above)]
    assert b[0] == pytest.approx(b[1], abs=2e-3)


def test_five_hundred_studies() -> None:
    """A posterior narrower than a cell, against plain integration where it lies."""
    rng = np.random.default_rng(3)
    theta, n1 = 0.755, 100
    TP = rng.binomial(n1, expit(rng.normal(1.12, 0.8, 500)))
    b = univariate_path(tables([(tp, n1, n1 - tp, n1) for tp in TP]), theta)
    assert len(b) == 501

    nodes, weight = np.polynomial.hermite_e.hermegauss(60)
    mu, tau = np.linspace(0.9, 1.35, 31), np.linspace(0.65, 0.95, 11)
    u = mu[:, None, None] + tau[:, None] * nodes
    values, times = np.unique(TP, return_counts=True)
    log_p, log_q = -np.logaddexp(0, -u)[..., None], -np.logaddexp(0, u)[..., None]
    likelihood = (np.exp(values * log_p + (n1 - values) * log_q + 50) * weight[:, None]).sum(axis=2)
    logs = np.log(likelihood) @ times - tau**2 / 2 - ((mu - logit(theta)) / 1.5)[:, None] ** 2 / 2
    of_mu = np.log(np.exp(logs - logs.max()).sum(axis=1))
    fine = np.linspace(mu[0], mu[-1], 4001)
    density = np.exp(CubicSpline(mu, of_mu)(fine))
    exact = density[fine > logit(theta)].sum() / density.sum()
    assert 0.05 < exact < 0.95
    assert b[-1] == pytest.approx(exact, abs=2e-3)


def test_impossible_thresholds_are_refused() -> None:
    for theta in (0.0, 1.0, -1.0, float("nan")):
        with pytest.raises(InputProblem, match="threshold θ"):
            univariate_path(tables(AUDIT_C), theta)


def test_posterior_density_carries_the_belief() -> None:
    studies = tables(AUDIT_C[:3])
    for belief in (None, 0.3):
        density = posterior(studies, 0.75, belief=belief)
        above = density.sensitivity > 0.75
        assert (np.diff(density.sensitivity) > 0).all()
        for curve, mass in (
            (density.prior, 0.5),
            (density.posterior, belief or univariate_path(studies, 0.75)[-1]),
        ):
            assert (curve >= 0).all()
            assert np.trapezoid(curve, density.sensitivity) == pytest.approx(1, abs=1e-9)
            assert np.trapezoid(curve * above, density.sensitivity) == pytest.approx(mass, abs=0.01)
        assert density.quantile(0.025) < density.quantile(0.5) < density.quantile(0.975)
        assert density.quantile(1.0) == density.sensitivity[-1]


def test_a_shifted_posterior_of_a_settled_question_stays_as_it_is() -> None:
    studies = tables([(1, 0, 99, 10)] * 30)
    settled = posterior(studies, 0.9, belief=1e-15)
    assert settled.quantile(0.999) < 0.1


def test_lattices_are_shared_between_thresholds() -> None:
    studies = tables(AUDIT_C)
    assert lattice_for(studies, 0.75, Prior()) is lattice_for(studies, 0.7, Prior(b_0=0.4))


def test_real_reviews_give_beliefs(real_data: Path) -> None:
    """Every prefix of every real outcome, and the value that the exact model has for the longest."""
    with (real_data / "dta_reviews" / "CD007394.csv").open(encoding="utf-8") as file:
        studies = read_tables(list(csv.DictReader(file)))
    b = univariate_path(studies, 0.75)
    assert len(b) == 51 and np.isfinite(b).all()
    assert b[-1] == pytest.approx(0.272, abs=0.002)


def test_a_narrow_posterior_beside_the_threshold_is_crowded_and_one_that_is_wide_or_far_is_not() -> None:
    """Its width is what counts, wherever it lies near the threshold."""
    lattice = lattice_for(Tables(("Lee",), *np.array([[9.0], [1.0], [2.0], [8.0]])), 0.5, Prior())
    width = CROWDED * STEP

    def crowded(mean: float, sd: float) -> bool:
        of_mu = np.exp(-0.5 * ((lattice.mu - mean) / sd) ** 2)
        weights = np.outer(np.ones(len(lattice.tau)) / len(lattice.tau), of_mu / of_mu.sum())
        return bool(_crowded(weights.reshape(1, -1), lattice)[0])

    assert crowded(0, width / 2) and crowded(4 * width, width / 2)
    assert not crowded(0, 2 * width) and not crowded(12 * width, width / 2)
