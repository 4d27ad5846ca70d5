"""The bivariate model against R's mada, against its likelihood written as loops, and at the edges."""

import math
from itertools import pairwise
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tarstop_core.belief.reitsma import (
    ALL_STARTS,
    Correction,
    ReitsmaFit,
    fit,
    fit_prefixes,
    reml_belief,
    usable,
)
from tarstop_core.belief.sroc import region
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tarstop_core.files import read_tables
from tests.reference.recorded import GOLDEN, counts, mada_summaries, recorded

Floats = NDArray[np.float64]
Rows = list[tuple[float, float, float, float]]


def tables(rows: Rows) -> Tables:
    """From rows TP, FP, FN, TN."""
    TP, FP, FN, TN = np.array(rows, dtype=float).reshape(-1, 4).T
    return Tables(tuple(f"study {i + 1}" for i in range(len(rows))), TP, FP, FN, TN)


# Three questions about drinking (AUDIT-C): Kriston et al. 2008, Annals of Internal Medicine 149:879-888.
AUDIT_C = tables(
    [
        (47, 101, 9, 738),
        (126, 272, 51, 1543),
        (19, 12, 10, 192),
        (36, 78, 3, 276),
        (130, 211, 19, 959),
        (84, 68, 2, 89),
        (68, 112, 0, 423),
        (752, 3226, 0, 2977),
        (59, 55, 5, 136),
        (142, 571, 50, 2788),
        (137, 107, 24, 358),
        (57, 103, 3, 437),
        (34, 21, 1, 56),
        (152, 88, 51, 264),
    ]
)

# mada 0.5.12 by REML with tight tolerances: μ, Ψ (11, 12, 22), covariance of μ (11, 12, 22), logLik, AUC.
MADA: dict[Correction, tuple[list[float], list[float], list[float], float, float]] = {
    "all": (
        [2.09974234946502, -1.26369092593723],
        [1.37958428677598, 0.64029477224598, 0.407208219221434],
        [0.114143401223199, 0.0458583169523118, 0.0303914437610105],
        31.5639606730483,
        0.886679331430411,
    ),
    "single": (
        [2.18751994679074, -1.26748139441384],
        [1.58450325590878, 0.683745398786242, 0.4108372785406],
        [0.131084308864489, 0.0489975011474951, 0.0306725672427607],
        31.8860705993253,
        0.887960000937637,
    ),
}

COUNTS = st.one_of(st.integers(0, 3), st.integers(0, 60), st.integers(0, 3000))
STUDIES = st.tuples(COUNTS, COUNTS, COUNTS, COUNTS).filter(lambda row: row[0] + row[2] and row[1] + row[3])
REVIEWS = st.lists(STUDIES, min_size=3, max_size=10)


def logits(rows: Tables) -> list[tuple[Floats, Floats, float]]:
    """y, S and log-Jacobian of each study, half a patient added where a study has a zero."""
    found = []
    for cells in zip(rows.TP, rows.FN, rows.FP, rows.TN, strict=True):
        tp, fn, fp, tn = (cell + (0.5 if 0 in cells else 0) for cell in cells)
        p = (tp / (tp + fn), fp / (fp + tn))
        found.append(
            (
                np.array([math.log(tp / fn), math.log(fp / tn)]),
                np.diag([1 / tp + 1 / fn, 1 / fp + 1 / tn]),
                -sum(math.log(x * (1 - x)) for x in p),
            )
        )
    return found


def loglik(rows: Tables, Psi: Floats) -> tuple[float, Floats]:
    """The restricted likelihood and its μ at a Ψ, written from the definition."""
    studies = logits(rows)
    A, b = np.zeros((2, 2)), np.zeros(2)
    for y, S, _ in studies:
        A += np.linalg.inv(S + Psi)
        b += np.linalg.solve(S + Psi, y)
    mu = np.linalg.solve(A, b)
    total = 0.0
    for y, S, jacobian in studies:
        total += jacobian - 0.5 * (y - mu) @ np.linalg.solve(S + Psi, y - mu)
        total += -0.5 * np.linalg.slogdet(S + Psi)[1] - math.log(2 * math.pi)
    total += math.log(2 * math.pi) - 0.5 * np.linalg.slogdet(A)[1]
    return total, mu


def whole(fitted: ReitsmaFit | None) -> ReitsmaFit:
    """Not None, and every number finite."""
    assert fitted is not None
    assert np.isfinite(fitted.mu).all() and np.isfinite(fitted.cov).all() and np.isfinite(fitted.Psi).all()
    assert np.isfinite(fitted.loglik)
    assert (np.diag(fitted.cov) > 0).all()
    assert np.linalg.eigvalsh(fitted.Psi).min() >= -1e-12 * (1 + np.trace(fitted.Psi))
    return fitted


@pytest.mark.parametrize("correction", MADA)
def test_published_set_as_mada_fits_it(correction: Correction) -> None:
    mu, Psi, cov, best, area = MADA[correction]
    fitted = fit(AUDIT_C, correction)
    assert fitted.converged
    assert fitted.mu == pytest.approx(mu, abs=1e-6)
    assert fitted.Psi[np.triu_indices(2)] == pytest.approx(Psi, abs=1e-5)
    assert fitted.cov[np.triu_indices(2)] == pytest.approx(cov, abs=1e-6)
    assert fitted.loglik == pytest.approx(best, abs=1e-6)
    assert fitted.auc == pytest.approx(area, abs=1e-6)
    assert fitted.n == 14


def test_published_set_in_the_words_of_a_review() -> None:
    fitted = fit(AUDIT_C, correction="all")
    assert fitted.sensitivity == pytest.approx((0.890878, 0.808078, 0.940583), abs=1e-5)
    # mada reports the false-positive rate: .220339 (.167232 to .284549).
    assert fitted.specificity == pytest.approx((0.779661, 0.715451, 0.832768), abs=1e-5)
    assert fitted.se == pytest.approx([0.337851, 0.174331], abs=1e-6)
    assert fitted.correlation == pytest.approx(0.640295 / math.sqrt(1.379584 * 0.407208), abs=1e-5)
    table = fitted.revman_parameters()
    assert table["E(logitSe)"] == pytest.approx(2.099742, abs=1e-5)
    assert table["E(logitSp)"] == pytest.approx(1.263691, abs=1e-5)
    assert table["Var(logitSe)"] == pytest.approx(1.379584, abs=1e-5)
    assert table["Var(logitSp)"] == pytest.approx(0.407208, abs=1e-5)
    assert table["Cov(logits)"] == pytest.approx(-0.640295, abs=1e-5)
    assert table["Corr(logits)"] == -fitted.correlation
    assert table["SE(E(logitSe))"] == fitted.se[0] and table["SE(E(logitSp))"] == fitted.se[1]
    assert table["Cov(Es)"] == pytest.approx(-0.045858, abs=1e-5)
    assert table["Studies"] == 14


def test_regions_hold_the_summary_point_and_predictions_are_wider() -> None:
    fitted = fit(AUDIT_C)
    summary = np.array([1 - fitted.specificity.value, fitted.sensitivity.value])
    inner, outer = fitted.confidence_region(), fitted.prediction_region()
    assert (inner.min(axis=0) < summary).all() and (inner.max(axis=0) > summary).all()
    assert (np.ptp(outer, axis=0) > np.ptp(inner, axis=0)).all()
    # They are larger than by χ²(2), as few studies ask for.
    for outline, cov in ((inner, fitted.cov), (outer, fitted.cov + fitted.Psi)):
        assert (np.ptp(outline, axis=0) > np.ptp(region(fitted.mu, cov), axis=0)).all()
    assert fitted.sroc(summary[0]) == pytest.approx(summary[1])
    # With two studies F(2, n − 2) does not exist; χ²(2) does.
    two = fit(AUDIT_C.first(2))
    np.testing.assert_array_equal(two.confidence_region(), region(two.mu, two.cov))


def golden() -> list[tuple[str, dict[str, Any], Tables]]:
    """Name, content and tables of each reference file."""
    names = sorted(path.stem for path in (GOLDEN / "reitsma").glob("*.json"))
    assert len(names) == 10
    return [(name, recorded(f"reitsma/{name}"), tables(counts(name))) for name in names]


def assert_as_good(fitted: ReitsmaFit | None, oracle: dict[str, Any], where: str) -> None:
    fitted = whole(fitted)
    assert fitted.converged, where
    assert fitted.loglik >= oracle["logLik"] - 1e-6, where
    assert fitted.mu == pytest.approx(oracle["mu"], abs=1e-6), where


def test_full_fits_of_the_reference_files() -> None:
    checked = 0
    for name, content, rows in golden():
        corrections: tuple[Correction, ...] = ("all", "single")
        for correction in corrections:
            oracle = content["full"][f"reml_{correction}_tight"]
            assert oracle["ok"] and oracle["converged"]
            fitted = fit(rows, correction)
            assert_as_good(fitted, oracle, f"{name} {correction}")
            assert fitted.auc == pytest.approx(oracle["auc"], abs=1e-5)
            checked += 1
    assert checked == 20


def test_every_prefix_of_the_reference_files() -> None:
    checked = 0
    for name, content, rows in golden():
        fits = fit_prefixes(rows)
        assert len(fits) == len(rows) + 1 and fits[0] is None
        for prefix in content["prefix"]:
            oracle = prefix["reml_single_tight"]
            if prefix["n"] >= 3 and oracle["ok"] and oracle["converged"]:
                assert_as_good(fits[prefix["n"]], oracle, f"{name} first {prefix['n']}")
                checked += 1
    assert checked >= 170


def assert_as_mada(rows: Tables, reference: dict[str, str]) -> None:
    fitted = fit(rows, correction="all")
    assert fitted.n == int(reference["n"])
    expected = [float(reference[column]) for column in ("sens", "sens_lo", "sens_hi")]
    assert fitted.sensitivity == pytest.approx(expected, abs=1e-4), reference["dataset"]
    expected = [1 - float(reference[column]) for column in ("fpr", "fpr_hi", "fpr_lo")]
    assert fitted.specificity == pytest.approx(expected, abs=1e-4), reference["dataset"]


def test_summaries_that_mada_gives_for_published_sets() -> None:
    references = [each for each in mada_summaries() if not each["dataset"].startswith("limsi:")]
    assert len(references) == 4
    for reference in references:
        source, name = reference["dataset"].split(":")
        assert_as_mada(tables(counts(f"{source.lower()}_{name}")), reference)


def test_summaries_that_mada_gives_for_reviews(real_data: Path) -> None:
    references = [each for each in mada_summaries() if each["dataset"].startswith("limsi:")]
    assert len(references) == 16
    for reference in references:
        review = reference["dataset"].removeprefix("limsi:")
        assert_as_mada(read_tables(real_data / "dta_reviews" / f"{review}.csv").tables, reference)


@given(REVIEWS, st.integers(0, 2**32 - 1))
def test_no_other_between_study_covariance_is_likelier(rows: Rows, seed: int) -> None:
    review = tables(rows)
    fitted = whole(fit(review))
    # A singular Ψ and tiny S leave the definition about half its digits.
    best, mu = loglik(review, fitted.Psi)
    assert fitted.loglik == pytest.approx(best, rel=1e-6, abs=1e-6)
    assert fitted.mu == pytest.approx(mu, abs=1e-5)
    rng = np.random.default_rng(seed)
    for size in (1e-3, 0.1, 1.0, 1.0):
        root = np.linalg.cholesky(fitted.Psi + 1e-9 * np.eye(2)) + size * rng.normal(size=(2, 2))
        assert loglik(review, root @ root.T)[0] <= fitted.loglik + 1e-5


@given(REVIEWS, st.randoms(use_true_random=False))
def test_order_and_the_name_of_a_result_do_not_matter(rows: Rows, random: Any) -> None:
    best = fit(tables(rows)).loglik
    shuffled = random.sample(rows, len(rows))
    found_is_missed = [(fn, fp, tp, tn) for tp, fp, fn, tn in rows]
    alarm_is_none = [(tp, tn, fn, fp) for tp, fp, fn, tn in rows]
    for other in (shuffled, found_is_missed, alarm_is_none):
        assert fit(tables(other)).loglik == pytest.approx(best, rel=1e-6, abs=1e-6)


def test_mirror_images_of_a_published_set() -> None:
    TP, FP, FN, TN = AUDIT_C.TP, AUDIT_C.FP, AUDIT_C.FN, AUDIT_C.TN
    as_is = fit(AUDIT_C)
    backwards = fit(Tables(AUDIT_C.study[::-1], TP[::-1], FP[::-1], FN[::-1], TN[::-1]))
    assert backwards.mu == pytest.approx(as_is.mu, abs=1e-8)
    groups = fit(Tables(AUDIT_C.study, FP, TP, TN, FN))
    assert groups.mu == pytest.approx(as_is.mu[::-1], abs=1e-8)
    assert groups.Psi == pytest.approx(as_is.Psi[::-1, ::-1], abs=1e-7)
    results = fit(Tables(AUDIT_C.study, FN, FP, TP, TN))
    assert results.mu == pytest.approx(as_is.mu * [-1, 1], abs=1e-8)
    assert results.Psi == pytest.approx(as_is.Psi * [[1, -1], [-1, 1]], abs=1e-7)
    belief, opposite = reml_belief(as_is, 0.8), reml_belief(results, 0.2)
    assert belief is not None and opposite == pytest.approx(1 - belief, abs=1e-8)


@pytest.mark.parametrize("correction", ["single", "all"])
def test_prefixes_are_the_fits_of_the_first_studies(correction: Correction) -> None:
    # The first zero comes with study 7: with "all" the logits of the first six change there.
    fits = fit_prefixes(AUDIT_C, correction)
    for n in range(1, len(AUDIT_C) + 1):
        alone, together = fit(AUDIT_C.first(n), correction), whole(fits[n])
        assert together.n == n
        assert together.loglik == pytest.approx(alone.loglik, abs=1e-8)
        assert together.mu == pytest.approx(alone.mu, abs=1e-7)


def test_corrections_differ_only_where_there_are_zeros() -> None:
    first = AUDIT_C.first(6)
    none = fit(first, correction="none")
    for correction in ("single", "all"):
        np.testing.assert_array_equal(fit(first, correction=correction).mu, none.mu)
    assert fit(AUDIT_C, correction="all").mu[0] < fit(AUDIT_C, correction="single").mu[0] - 0.05
    with pytest.raises(InputProblem, match=r"Study 7 \(study 7\) has a zero cell"):
        fit(AUDIT_C, correction="none")
    with pytest.raises(InputProblem, match=r"Study 7"):
        fit_prefixes(AUDIT_C, correction="none")


def test_one_study_is_its_own_fixed_effect() -> None:
    one = fit(AUDIT_C.first(1))
    assert one.mu == pytest.approx([math.log(47 / 9), math.log(101 / 738)])
    assert one.se == pytest.approx([math.sqrt(1 / 47 + 1 / 9), math.sqrt(1 / 101 + 1 / 738)])
    assert not one.Psi.any() and math.isnan(one.correlation)
    assert one.loglik == pytest.approx(4.2486882739167, abs=1e-9)  # mada, REML
    assert one.auc == pytest.approx(0.923803, abs=1e-5)


def test_belief_is_withheld_until_three_studies() -> None:
    fits = fit_prefixes(AUDIT_C)
    beliefs = [reml_belief(fitted, 0.75) for fitted in fits]
    assert beliefs[:3] == [None, None, None]
    numbers = [belief for belief in beliefs[3:] if belief is not None]
    assert len(numbers) == 12 and all(0 <= belief <= 1 for belief in numbers)
    mu, _, cov, _, _ = MADA["single"]
    expected = NormalDist().cdf((mu[0] - math.log(3)) / math.sqrt(cov[0]))
    assert numbers[-1] == pytest.approx(expected, abs=1e-7)
    last = fits[-1]
    thetas = [reml_belief(last, theta) for theta in (0.01, 0.5, 0.8, 0.9, 0.99)]
    assert all(a is not None and b is not None and a >= b for a, b in pairwise(thetas))
    for theta in (0.0, 1.0, math.nan):
        with pytest.raises(InputProblem, match="between 0 and 1"):
            reml_belief(last, theta)


def test_studies_that_cannot_be_used_are_left_out() -> None:
    odd = Tables(
        ("no FP", "a", "none ill", "b", "none healthy", "c"),
        TP=np.array([10.0, 47, 0, 126, 8, 19]),
        FP=np.array([np.nan, 101, 5, 272, 0, 12]),
        FN=np.array([2.0, 9, 0, 51, 1, 10]),
        TN=np.array([np.nan, 738, 20, 1543, 0, 192]),
    )
    np.testing.assert_array_equal(usable(odd), [False, True, False, True, False, True])
    expected = fit(AUDIT_C.first(3), correction="all")
    fits = fit_prefixes(odd, correction="all")
    assert [fitted and fitted.n for fitted in fits] == [None, None, 1, 1, 2, 2, 3]
    assert whole(fits[-1]).mu == pytest.approx(expected.mu)
    with pytest.raises(InputProblem, match="needs at least one"):
        fit(odd.first(1))
    assert fit_prefixes(odd.first(1)) == [None, None]
    assert fit_prefixes(odd.first(0)) == [None]


@pytest.mark.parametrize(
    "rows",
    [
        [(20, 3, 0, 40), (5, 0, 0, 30), (60, 9, 0, 80), (1, 1, 0, 1)],
        [(1, 0, 0, 1), (0, 1, 1, 0), (1, 0, 0, 1), (0, 0, 1, 1)],
        [(10, 5, 3, 50)] * 5,
        [(900_000, 1_000, 100_000, 1_000_000), (999_999, 0, 1, 10**6), (500_000, 7, 500_000, 10**6)],
        [(10**6, 10**6, 10**6, 10**6)] * 4,
        [(10**6, 1, 0, 10**6), (0, 10**6, 10**6, 0), (1, 1, 1, 1)],
    ],
    ids=["all found", "single patients", "the same study", "a million", "a million alike", "contradictions"],
)
def test_extreme_tables(rows: Rows) -> None:
    for n, fitted in enumerate(fit_prefixes(tables(rows))[1:], 1):
        assert whole(fitted).converged, n
        assert 0 < whole(fitted).sensitivity.low < whole(fitted).sensitivity.high < 1
        assert np.isfinite(whole(fitted).prediction_region()).all()
        assert 0 <= whole(fitted).auc <= 1


def test_the_same_study_many_times_has_no_variation() -> None:
    fitted = fit(tables([(10, 5, 3, 50)] * 5))
    assert fitted.Psi == pytest.approx(np.zeros((2, 2)), abs=1e-8)
    assert fitted.mu == pytest.approx([math.log(10 / 3), math.log(5 / 50)])
    assert fitted.se[0] == pytest.approx(math.sqrt((1 / 10 + 1 / 3) / 5), rel=1e-6)


def test_five_hundred_simulated_studies() -> None:
    rng = np.random.default_rng(5)
    truth = rng.multivariate_normal([1.5, -2.0], [[0.6, 0.25], [0.25, 0.4]], size=500)
    sizes = rng.integers(20, 400, size=(500, 2))
    hits = rng.binomial(sizes, 1 / (1 + np.exp(-truth))).astype(float)
    many = Tables(tuple(map(str, range(500))), hits[:, 0], hits[:, 1], *(sizes - hits).T)
    fits = fit_prefixes(many, starts=ALL_STARTS[:1])
    last = whole(fits[500])
    assert last.mu == pytest.approx([1.5, -2.0], abs=0.12)
    assert last.Psi == pytest.approx(np.array([[0.6, 0.25], [0.25, 0.4]]), abs=0.12)
    assert all(whole(fitted).converged for fitted in fits[1:])
    assert fit(many).loglik == pytest.approx(last.loglik, abs=1e-6)


def test_several_starts_find_what_one_start_misses() -> None:
    # In one optimum studies with more false alarms find more of the diseased, in the other fewer.
    rows = tables([(1979, 1, 265, 428), (17, 6, 0, 1), (70, 423, 0, 369), (3328, 3856, 901, 1997)])
    one, several = fit(rows, starts=ALL_STARTS[:1]), fit(rows)
    assert one.converged and several.loglik > one.loglik + 0.1


def test_unknown_settings_are_refused() -> None:
    wrong: Any = "some"
    with pytest.raises(InputProblem, match='correction "some" is unknown; choose single or all or none'):
        fit(AUDIT_C, correction=wrong)
