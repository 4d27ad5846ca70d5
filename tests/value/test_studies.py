"""Value of the next studies against plain enumeration and nested simulation, and the document rule."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike
from scipy.stats import multivariate_normal, norm

from tarstop_core.belief.of_tables import last_belief
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.belief.univariate import univariate_path
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.preposterior import chance_plus, evsi_of_studies
from tarstop_core.value.studies import NextStudy, NextStudyOfBoth, n1_next, next_studies
from tests.reference.integrals import log_evidences

# Two studies of AUDIT-C (Kriston et al. 2008, as in the R package mada): TP, FP, FN, TN.
AUDIT_C = [(47, 101, 9, 738), (126, 272, 51, 1543)]
SMALL = [(7, 3, 2, 30), (9, 1, 6, 20)]
EVEN = Payoffs.from_q_star(0.5)

COUNTS = st.integers(0, 60)
STUDIES = st.lists(st.tuples(COUNTS, COUNTS, COUNTS, COUNTS), max_size=5)
Q_STARS = st.sampled_from([0.2, 0.5, 0.8])


def tables(rows: ArrayLike) -> Tables:
    cells = np.asarray(rows, dtype=float).reshape(-1, 4).T
    return Tables(tuple(f"study {i + 1}" for i in range(cells.shape[1])), *cells)


def chance_of(study: NextStudy) -> np.ndarray:
    """Of each number of true positives, all told."""
    return study.b * study.given_plus + (1 - study.b) * study.given_minus


def test_size_of_a_study_not_yet_seen() -> None:
    assert n1_next(tables([(1, 0, 0, 9), (0, 1, 0, 1)])) == 1
    assert n1_next(tables([])) == n1_next(tables([(0, 1, 0, 1)])) == 40
    assert n1_next(tables([(3, 0, 1, 0), (0, 1, 0, 1), (5, 0, 5, 0), (50, 0, 50, 0)])) == 10


def test_enumeration_is_adding_each_possible_study() -> None:
    n1 = 12
    study = next_studies(tables(SMALL), 0.7, n1=n1)[-1]
    grown = [tables([*SMALL, (tp, 0, n1 - tp, 0)]) for tp in range(n1 + 1)]
    chance = np.exp(log_evidences(grown, 0.7, Prior()) - log_evidences([tables(SMALL)], 0.7, Prior()))
    after = [univariate_path(t, 0.7)[-1] for t in grown]
    np.testing.assert_allclose(chance_of(study), chance, atol=1e-4)
    np.testing.assert_allclose(study.b * study.given_plus / chance_of(study), after, atol=1e-3)
    for q_star in (0.2, 0.5, 0.8):
        payoffs = Payoffs.from_q_star(q_star)
        gain = np.dot(chance, payoffs.utility(after)) - payoffs.utility(study.b)
        assert study.evsi(payoffs) == pytest.approx(max(0.0, float(gain)), abs=1e-3)


@given(
    STUDIES, st.floats(0.1, 0.9), Q_STARS, st.floats(0.01, 0.99), st.one_of(st.none(), st.integers(1, 300))
)
def test_one_study_is_worth_something_between_nothing_and_everything(
    rows: list[tuple[int, ...]], theta: float, q_star: float, belief: float, n1: int | None
) -> None:
    payoffs = Payoffs.from_q_star(q_star)
    beliefs = np.full(len(rows) + 1, belief)
    for given_beliefs in (None, beliefs):
        studies = next_studies(tables(rows), theta, beliefs=given_beliefs, n1=n1)
        assert len(studies) == len(rows) + 1
        for study in studies:
            for chances in (study.given_plus, study.given_minus):
                assert chances.sum() == pytest.approx(1, abs=1e-9)
            assert 0 <= study.evsi(payoffs) <= payoffs.evpi(study.b)
            assert study.n_0 >= 0


def test_beliefs_of_another_engine_are_taken_over() -> None:
    study = next_studies(tables(AUDIT_C), 0.75, beliefs=[0.5, 0.7, 0.123])[-1]
    assert study.b == 0.123
    with pytest.raises(InputProblem, match="2 beliefs for 2 studies"):
        next_studies(tables(AUDIT_C), 0.75, beliefs=[0.5, 0.7])


@pytest.mark.parametrize("q_star", [0.2, 0.5, 0.8])
def test_closed_form_against_enumeration(q_star: float) -> None:
    payoffs = Payoffs.from_q_star(q_star)
    for rows in (AUDIT_C, SMALL):
        for study in next_studies(tables(rows), 0.75):
            assert evsi_of_studies(study.b, study.n_0, 1, payoffs) == pytest.approx(
                study.evsi(payoffs), abs=0.018
            )


def test_closed_form_against_nested_simulation() -> None:
    """Five more studies, drawn from the posterior and added to those there are."""
    rng = np.random.default_rng(5)
    theta, n1, k = 0.75, 40, 5
    start = next_studies(tables(SMALL), theta, n1=n1)[-1]
    after = []
    # From the prior, kept with the chance of the seen counts: importance sampling without the lattice.
    draws = 60_000
    mu, tau = rng.normal(np.log(3), 1.5, draws), np.abs(rng.normal(0, 1, draws))
    log_weight = np.zeros(draws)
    for tp, _, fn, _ in SMALL:
        p = 1 / (1 + np.exp(-rng.normal(mu, tau, (40, draws))))
        log_weight += np.log((p**tp * (1 - p) ** fn).mean(axis=0))
    weight = np.exp(log_weight - log_weight.max())
    for at in rng.choice(draws, 300, p=weight / weight.sum()):
        p = 1 / (1 + np.exp(-rng.normal(mu[at], tau[at], k)))
        TP = rng.binomial(n1, p)
        rows = [*SMALL, *((tp, 0, n1 - tp, 0) for tp in TP)]
        after.append(univariate_path(tables(rows), theta)[-1])
    for q_star in (0.2, 0.5, 0.8):
        payoffs = Payoffs.from_q_star(q_star)
        gain = float(np.mean(payoffs.utility(after)) - payoffs.utility(start.b))
        # 300 draws of a utility that spreads over less than 1: a standard error below .02.
        assert evsi_of_studies(start.b, start.n_0, k, payoffs) == pytest.approx(gain, abs=0.05)


@given(st.floats(0.01, 0.99), st.floats(0.05, 50), st.floats(0.01, 50), Q_STARS)
def test_closed_form_is_its_definition(b: float, n_0: float, k: float, q_star: float) -> None:
    payoffs = Payoffs.from_q_star(q_star)
    r = np.sqrt(k / (k + n_0))
    a, z = norm.ppf(b), norm.ppf(q_star)
    e = (a - np.sqrt(1 - r**2) * z) / r
    both = multivariate_normal([0, 0], [[1, r], [r, 1]]).cdf([a, e])
    gain = both - q_star * norm.cdf(e) - max(0.0, b - q_star)
    value = float(evsi_of_studies(b, n_0, k, payoffs))
    assert value == pytest.approx(gain, abs=2e-5)
    assert 0 <= value <= payoffs.evpi(b)
    assert chance_plus(b, n_0, k, q_star) == pytest.approx(norm.cdf(e), abs=1e-9)


@given(st.floats(0.001, 0.999), st.floats(0, 50), Q_STARS)
def test_more_studies_are_worth_more_and_at_most_everything(b: float, n_0: float, q_star: float) -> None:
    payoffs = Payoffs.from_q_star(q_star)
    worth = evsi_of_studies(b, n_0, [0, 0.01, 0.5, 1, 2, 10, 1e3, 1e12], payoffs)
    assert worth[0] == 0
    assert (np.diff(worth) >= -1e-9).all()
    assert worth[-1] == pytest.approx(payoffs.evpi(b), abs=1e-4)


def test_settled_knowledge_is_worth_nothing_more() -> None:
    assert (evsi_of_studies([0, 1, 0.5], [1, 1, np.inf], 5, EVEN) == 0).all()
    assert chance_plus([0, 1, 0.5, 0.6], [1, 1, np.inf, np.inf], 5, 0.5).tolist() == [0, 1, 0, 1]
    assert chance_plus(0.3, 1.0, np.inf, 0.5) == pytest.approx(0.3)


def test_huge_studies_are_predicted_as_large_ones() -> None:
    study = next_studies(tables([(900_000, 0, 100_000, 10)]), 0.75)[-1]
    assert study.n1 == 1_000_000 and len(study.given_plus) == 1001
    assert study.n_0 > 0


def test_the_prior_counts_for_value_too() -> None:
    wide, narrow = (next_studies(tables([]), 0.75, Prior(s=s))[0] for s in (1.5, 0.4))
    assert wide.evsi(EVEN) > narrow.evsi(EVEN) > 0


def test_studies_that_count_less_are_worth_less() -> None:
    """What is known is then worth as many more of them, and the next one is weighed in closed form."""
    tables = Tables(("a", "b"), *np.array([(38, 4, 3, 60), (12, 9, 22, 44)], dtype=float).T)
    whole, less = (next_studies(tables, 0.75, Prior(weight=weight))[-1] for weight in (1.0, 0.5))
    assert less.n_0 > whole.n_0 and less.evsi(EVEN) > 0
    assert less.evsi(EVEN) == pytest.approx(float(evsi_of_studies(less.b, less.n_0, 1, EVEN)))
    at_once = replace(whole, weight=0.9999)
    assert at_once.evsi(EVEN) == pytest.approx(whole.evsi(EVEN), abs=0.02)


# --- sensitivity and specificity -----------------------------------------------------------------


def test_both_groups_are_enumerated_as_adding_each_possible_study() -> None:
    theta, theta_sp, prior, rows = 0.7, 0.8, Prior(b_0=0.4), [(5, 1, 1, 6), (4, 1, 2, 6)]
    study = next_studies(tables(rows), theta, prior, theta_sp)[-1]
    assert (study.n1, study.n2) == (6, 7)
    chance = chance_of(study)
    assert chance.shape == (7 * 8,) and chance.sum() == pytest.approx(1)
    after = [
        last_belief(tables([*rows, (tp, 7 - tn, 6 - tp, tn)]), Question(theta, "univariate", prior, theta_sp))
        for tp in range(7)
        for tn in range(8)
    ]
    np.testing.assert_allclose(study.b * study.given_plus / chance, np.array(after, dtype=float), atol=2e-3)
    for q_star in (0.3, 0.6, 0.8):
        payoffs = Payoffs.from_q_star(q_star)
        gain = np.dot(chance, payoffs.utility(np.array(after, dtype=float))) - payoffs.utility(study.b)
        assert study.evsi(payoffs) == pytest.approx(max(0.0, float(gain)), abs=1e-3)


@given(STUDIES, st.floats(0.4, 0.9), st.floats(0.4, 0.95), Q_STARS, st.floats(0.05, 0.95))
def test_the_worth_of_studies_of_both_lies_between_none_and_certainty(
    rows: list[tuple[int, ...]], theta: float, theta_sp: float, q_star: float, b_0: float
) -> None:
    payoffs = Payoffs.from_q_star(q_star)
    study = next_studies(tables(rows), theta, Prior(b_0=b_0), theta_sp, last_only=True)[0]
    one = study.evsi(payoffs)
    assert 0 <= one <= float(payoffs.evpi(study.b)) + 1e-9 and study.n_0 > 0
    more = evsi_of_studies(study.b, study.n_0, [1, 2, 5, 20, 1e9], payoffs)
    assert (np.diff(more) >= -1e-9).all()
    assert more[-1] == pytest.approx(float(payoffs.evpi(study.b)), abs=1e-3)


def test_the_normal_model_of_both_leaves_the_doubt_that_one_study_leaves() -> None:
    """n_0 is such that E[b'(1 − b')] is that of the enumeration; by simulation of the normal model."""
    study = next_studies(tables(SMALL), 0.7, Prior(b_0=0.4), 0.85, last_only=True)[0]
    chance = chance_of(study)
    after = np.divide(study.b * study.given_plus, chance, where=chance > 0, out=np.zeros_like(chance))
    r2 = 1 / (1 + study.n_0)
    draws = norm.ppf(study.b) + np.sqrt(r2) * norm.ppf((np.arange(100_000) + 0.5) / 100_000)
    moved = norm.cdf(draws / np.sqrt(1 - r2))
    assert moved.mean() == pytest.approx(study.b, abs=1e-4)
    assert (moved * (1 - moved)).mean() == pytest.approx(float(chance @ (after * (1 - after))), abs=1e-4)


def test_many_patients_of_both_groups_are_told_apart_in_groups() -> None:
    rows = [(400, 100, 100, 900), (420, 90, 80, 910)]
    study = next_studies(tables(rows), 0.7, Prior(), 0.85, last_only=True)[0]
    assert len(study.given_plus) == 100 * 100
    assert study.given_plus.sum() == pytest.approx(1) and study.given_minus.sum() == pytest.approx(1)


MIDDLE = [(38, 4, 6, 60), (22, 9, 7, 64), (31, 5, 5, 80), (17, 3, 8, 45)]
LARGE = [(40, 8, 4, 70), (25, 9, 3, 74), (31, 5, 6, 80), (19, 6, 2, 45), (50, 14, 9, 120), (28, 3, 3, 40)]
SIMULATED = {
    # Tables, thresholds and b_0; then by q* and k: EVSI/K by nested simulation, and its standard error.
    (((5, 1, 1, 6), (4, 1, 2, 6)), 0.7, 0.8, 0.5): {
        (0.3, 3): (0.0238, 0.0005), (0.3, 8): (0.0477, 0.0006), (0.5, 3): (0.0787, 0.0007),
        (0.5, 8): (0.1136, 0.0008), (0.8, 3): (0.0273, 0.0004), (0.8, 8): (0.0522, 0.0005),
    },
    (tuple(MIDDLE), 0.8, 0.88, 0.5): {
        (0.3, 3): (0.0177, 0.0004), (0.3, 8): (0.0423, 0.0007), (0.5, 3): (0.0716, 0.0007),
        (0.5, 8): (0.1080, 0.0009), (0.8, 3): (0.0176, 0.0004), (0.8, 8): (0.0426, 0.0005),
    },
    (tuple(LARGE), 0.835, 0.93, 0.4): {
        (0.3, 3): (0.0052, 0.0003), (0.3, 8): (0.0136, 0.0005), (0.5, 3): (0.0009, 0.0001),
        (0.5, 8): (0.0044, 0.0003),
    },
    (tuple(LARGE), 0.8, 0.9, 0.5): {
        (0.3, 3): (0.0044, 0.0002), (0.3, 8): (0.0187, 0.0005), (0.5, 3): (0.0283, 0.0006),
        (0.5, 8): (0.0576, 0.0008), (0.8, 3): (0.0331, 0.0005), (0.8, 8): (0.0598, 0.0006),
    },
    (tuple(MIDDLE), 0.7, 0.8, 0.2): {
        (0.5, 3): (0.0027, 0.0002), (0.5, 8): (0.0080, 0.0004), (0.8, 3): (0.0176, 0.0004),
        (0.8, 8): (0.0273, 0.0004),
    },
    (tuple(MIDDLE), 0.74, 0.84, 0.5): {
        (0.3, 8): (0.0037, 0.0003), (0.5, 3): (0.0050, 0.0003), (0.5, 8): (0.0136, 0.0005),
        (0.8, 3): (0.0319, 0.0005), (0.8, 8): (0.0480, 0.0005),
    },
}  # fmt: skip


@pytest.mark.parametrize("review", SIMULATED, ids=["small", "middle", "unlikely", "large", "sure", "surer"])
def test_several_studies_of_both_are_worth_what_nested_simulation_says(
    review: tuple[tuple[tuple[int, ...], ...], float, float, float],
) -> None:
    """6,000 drawn truths a margin, k studies of each and the lattice's belief after them, all pairs of both margins."""
    rows, theta, theta_sp, b_0 = review
    study = next_studies(tables(list(rows)), theta, Prior(b_0=b_0), theta_sp, last_only=True)[0]
    for (q_star, k), (simulated, error) in SIMULATED[review].items():
        (worth,) = study.worth_of_studies(np.array([k]), Payoffs.from_q_star(q_star))
        assert worth == pytest.approx(simulated, abs=0.001 + 2 * error), (q_star, k)


def test_one_study_of_both_is_worth_what_its_enumeration_says() -> None:
    study = next_studies(tables(MIDDLE), 0.8, Prior(), 0.88, last_only=True)[0]
    for q_star in (0.3, 0.5, 0.8):
        payoffs = Payoffs.from_q_star(q_star)
        (one,) = study.worth_of_studies(np.ones(1), payoffs)
        assert one == pytest.approx(study.evsi(payoffs))
        above = study.chance_above(np.array([1, 5, 400]), q_star)
        assert ((above >= 0) & (above <= 1)).all()
        assert study.chance_above(np.array([400]), q_star)[0] == pytest.approx(study.b, abs=0.08)


def test_margins_hold_the_belief_of_another_engine() -> None:
    """Whatever an engine believes of both, the margins are moved until it is so."""
    for b in (0.02, 0.4, 0.97):
        study = next_studies(tables(MIDDLE), 0.8, Prior(), 0.88, beliefs=[b], last_only=True)[0]
        assert isinstance(study, NextStudyOfBoth)
        first, second = study.margins.parts
        assert first.b * second.b == pytest.approx(b)
