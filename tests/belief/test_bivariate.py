"""The bivariate belief against MCMC of the exact model, and its identities."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.special import expit
from scipy.stats import multivariate_normal, norm

from tarstop_core.belief.bivariate import _margin, _tau_quadrature, bivariate_belief, bivariate_path
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.univariate import univariate_path
from tarstop_core.documents.tables import Tables
from tarstop_core.files import read_tables
from tests.reference.recorded import counts, recorded

# The first five studies of AUDIT-C (Kriston et al. 2008, as in the R package mada): TP, FP, FN, TN.
AUDIT_C = [
    (47, 101, 9, 738),
    (126, 272, 51, 1543),
    (19, 12, 10, 192),
    (36, 78, 3, 276),
    (130, 211, 19, 959),
]
# MCMC of the exact bivariate model at θ = .75 (standard errors .002 and .001).
AUDIT_C_MCMC = {3: 0.438, 5: 0.862}

COUNTS = st.one_of(st.integers(0, 60), st.sampled_from([0, 1, 1000, 10**6]))
STUDIES = st.lists(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS), max_size=6)
THETAS = st.floats(0.05, 0.95)


def tables(rows: ArrayLike) -> Tables:
    cells = np.asarray(rows, dtype=float).reshape(-1, 4).T
    return Tables(tuple(f"study {i + 1}" for i in range(cells.shape[1])), *cells)


def test_published_beliefs_match_mcmc() -> None:
    b = bivariate_path(tables(AUDIT_C), 0.75)
    for n, belief in AUDIT_C_MCMC.items():
        assert b[n] == pytest.approx(belief, abs=0.005)


def mcmc_beliefs(*, of_reviews: bool) -> list[dict[str, Any]]:
    """Those of published sets, or those of reviews, whose tables are real collections."""
    rows = recorded("belief_mcmc")["rows"]
    return [row for row in rows if row["dataset"].startswith("dta_reviews/") == of_reviews]


def test_golden_beliefs_match_mcmc() -> None:
    rows = mcmc_beliefs(of_reviews=False)
    assert len(rows) == 8
    for row in rows:
        cells = counts(row["dataset"])[: row["n"]]
        assert bivariate_belief(tables(cells), 0.75) == pytest.approx(row["belief"], abs=0.008), row


def test_the_belief_after_a_whole_review_matches_mcmc(real_data: Path) -> None:
    (row,) = mcmc_beliefs(of_reviews=True)
    read = read_tables(real_data / f"{row['dataset']}.csv").tables
    assert len(read) == row["n"]
    assert bivariate_belief(read, 0.75) == pytest.approx(row["belief"], abs=0.008)


@settings(max_examples=25, deadline=None)
@given(STUDIES, THETAS, st.floats(0.05, 0.95))
def test_mirrored_tables_mirror_the_belief(rows: list[tuple[int, ...]], theta: float, b_0: float) -> None:
    """Both margins turn round: the prior of the false-positive rate is tied to θ."""
    mirrored = [(fn, tn, tp, fp) for tp, fp, fn, tn in rows]
    b = bivariate_belief(tables(rows), theta, Prior(b_0=b_0))
    assert bivariate_belief(tables(mirrored), 1 - theta, Prior(b_0=1 - b_0)) == pytest.approx(1 - b, abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(STUDIES, THETAS, st.randoms(use_true_random=False))
def test_order_of_studies_does_not_matter(rows: list[tuple[int, ...]], theta: float, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = random.sample(rows, len(rows))
    b = bivariate_belief(tables(rows), theta)
    assert 0 <= b <= 1
    assert bivariate_belief(tables(shuffled), theta) == pytest.approx(b, abs=1e-9)


@given(
    st.floats(0, 1, exclude_min=True, exclude_max=True), st.floats(0, 1, exclude_min=True, exclude_max=True)
)
def test_no_studies_leave_the_starting_belief(theta: float, b_0: float) -> None:
    assert bivariate_path(tables([]), theta, Prior(b_0=b_0)) == pytest.approx([b_0], abs=1e-12)


def test_path_ends_in_the_belief_of_all_studies() -> None:
    studies = tables(AUDIT_C)
    b = bivariate_path(studies, 0.8)
    assert [bivariate_belief(studies.first(n), 0.8) for n in range(6)] == pytest.approx(b.tolist(), abs=1e-9)


def test_studies_of_sensitivity_alone_add_no_correlation() -> None:
    rows = np.array(AUDIT_C, dtype=float)
    rows[:, [1, 3]] = np.nan
    np.testing.assert_allclose(
        bivariate_path(tables(rows), 0.75), univariate_path(tables(rows), 0.75), atol=1e-12
    )
    # Unknown and empty false-positive rates are the same; one known rate is not.
    rows[:, [1, 3]] = 0
    np.testing.assert_allclose(
        bivariate_path(tables(rows), 0.75), univariate_path(tables(rows), 0.75), atol=1e-12
    )
    rows[2:, [1, 3]] = np.array(AUDIT_C, dtype=float)[2:, [1, 3]]
    mixed = bivariate_belief(tables(rows), 0.75)
    assert mixed != pytest.approx(univariate_path(tables(rows), 0.75)[-1], abs=1e-4)
    # Between ignoring the rates of two studies and knowing them lies little.
    assert mixed == pytest.approx(bivariate_belief(tables(AUDIT_C), 0.75), abs=0.02)


def test_a_prior_without_correlation_gives_the_univariate_belief() -> None:
    b = bivariate_path(tables(AUDIT_C), 0.75, Prior(eta=100))
    np.testing.assert_allclose(b, univariate_path(tables(AUDIT_C), 0.75), atol=3e-3)


@pytest.mark.parametrize(
    "rows",
    [
        [(0, 0, 1, 1)],
        [(1, 1, 0, 0)],
        [(10, 0, 0, 10)] * 30,
        [(0, 10, 10, 0)] * 30,
        [(10**6, 1, 0, 1), (0, 1, 10**6, 1)],
        [(0, 3, 0, 5)],
        [(8, 2, 2, 9)] * 500,
    ],
)
def test_hard_tables_give_beliefs(rows: list[tuple[int, ...]]) -> None:
    studies = tables(rows)
    for theta in (1e-6, 0.75, 0.999):
        b = bivariate_belief(studies, theta)
        assert 0 <= b <= 1
        # Correlation is a correction, not a second opinion.
        assert b == pytest.approx(univariate_path(studies, theta)[-1], abs=0.15)


def test_each_study_is_replaced_by_the_normal_one_that_leaves_the_same_moments() -> None:
    """Expectation propagation by its definition: what the other studies say, times this one or what replaces it."""
    hits, misses = np.array([[47.0, 126.0, 19.0, 36.0], [9.0, 51.0, 10.0, 3.0]])
    centre, mean, s, prior = 1.1, 0.4, 1.5, Prior(tau=0.8)
    y, v, _ = _margin(hits, misses, centre, mean, s, prior, 9)
    tau, u = np.linspace(0, 5, 101), np.linspace(-8, 8, 1001)
    for i, others in enumerate(~np.eye(4, dtype=bool)):
        means, spread = np.full(3, mean), [np.diag(v[others] + t**2) + s**2 for t in tau]
        weight = [multivariate_normal.pdf(y[others], means, each) for each in spread] * norm.pdf(
            tau / prior.tau
        )
        weight[0] /= 2
        w = 1 / (v[others] + tau[:, None] ** 2)
        precision = 1 / s**2 + w.sum(axis=1)
        m = (mean / s**2 + w @ y[others]) / precision
        centre_of_others = np.average(m, weights=weight)
        variance = np.average(1 / precision + tau**2 + (m - centre_of_others) ** 2, weights=weight)
        moments = []
        for says in (
            expit(u + centre) ** hits[i] * expit(-u - centre) ** misses[i],
            norm.pdf(u, y[i], np.sqrt(v[i])),
        ):
            says = says * norm.pdf(u, centre_of_others, np.sqrt(variance))
            middle = np.average(u, weights=says)
            moments.append((middle, np.average((u - middle) ** 2, weights=says)))
        assert moments[1] == pytest.approx(moments[0], rel=1e-5)


# --- studies that count less --------------------------------------------------------------------------


def test_two_halves_of_a_study_are_one() -> None:
    """Two studies that count half each say as much as one of them."""
    twice = [row for row in AUDIT_C for _ in range(2)]
    for path in (univariate_path, bivariate_path):
        half = path(tables(twice), 0.75, Prior(weight=0.5))[::2]
        np.testing.assert_allclose(half, path(tables(AUDIT_C), 0.75, Prior()), atol=2e-3)


@settings(max_examples=20, deadline=None)
@given(STUDIES, THETAS, st.floats(0.05, 0.95), st.floats(0.1, 1))
def test_what_counts_less_keeps_the_identities(
    rows: list[tuple[int, ...]], theta: float, b_0: float, weight: float
) -> None:
    prior, mirror = Prior(b_0=b_0, weight=weight), Prior(b_0=1 - b_0, weight=weight)
    b = bivariate_path(tables(rows), theta, prior)
    assert b[0] == pytest.approx(b_0, abs=1e-12)
    mirrored = [(fn, tn, tp, fp) for tp, fp, fn, tn in rows]
    assert bivariate_belief(tables(mirrored), 1 - theta, mirror) == pytest.approx(1 - b[-1], abs=1e-6)
    assert bivariate_belief(tables(rows[::-1]), theta, prior) == pytest.approx(b[-1], abs=1e-6)


def test_less_that_counts_moves_the_belief_less() -> None:
    b = [bivariate_belief(tables(AUDIT_C), 0.75, Prior(weight=weight)) for weight in (0.1, 0.3, 0.6, 1.0)]
    assert (np.diff(b) > 0).all() and b[0] > 0.5


@pytest.mark.parametrize(("first", "last", "middle"), [(3, 6, 4.5), (8, 9, 8.0), (0, 1, 1.0)])
def test_nodes_lie_between_the_cells_around_all_that_is_plausible(
    first: int, last: int, middle: float
) -> None:
    """One node is the middle: of a cell before the first that counts, and of one behind the last."""
    tau = np.arange(10.0)
    log_weight = np.where((tau >= first) & (tau <= last), 0.0, -np.inf)
    at, _ = _tau_quadrature(tau, log_weight, 1.0, 1)
    assert at.tolist() == [middle]
