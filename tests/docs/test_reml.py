"""The page on REML and exact beliefs holds what its data say, and its data what a rerun finds."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit, ndtr
from scipy.stats import binom, norm

from scripts import reml_figure, reml_measured, report_reml
from scripts import reml_measured as scripts_reml_measured
from tarstop_core.belief.bivariate import bivariate_path
from tarstop_core.belief.reitsma import fit, fit_prefixes, reml_belief
from tarstop_core.belief.univariate import lattice_for, study_likelihood
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.files.tables import read_tables
from tests.reference.recorded import GOLDEN

DOCS = Path(__file__).resolve().parents[2] / "docs"
SETS = ("first tests", "outcomes")
THETA = 0.75


@pytest.fixture(scope="module")
def text() -> str:
    return (DOCS / "reml_or_exact.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    return pd.read_csv(DOCS / "data" / "reml_or_exact.csv")


@pytest.fixture(scope="module")
def main(data: pd.DataFrame) -> pd.DataFrame:
    return data[data["theta"] == THETA]


def cells(text: str, name: str) -> dict[str, str]:
    """A row of the page's table, by column."""
    lines = [
        [cell.strip() for cell in line.strip("| ").split("|")] for line in text.splitlines() if "|" in line
    ]
    header = next(line for line in lines if line[0] == "tables")
    return dict(zip(header, next(line for line in lines if line[0] == name), strict=True))


def share(rows: pd.DataFrame, q_star: float, first: str = "reml_single", second: str = "exact") -> float:
    """Per cent of rows whose actions differ."""
    return 100 * float(((rows[first] > q_star) ^ (rows[second] > q_star)).mean())


def tables_of(n: int, seed: int, *, sensitivity: float = 0.8, empty: bool = True) -> Tables:
    """Simulated studies; without empty cells where asked."""
    rng = np.random.default_rng(seed)
    size = rng.integers(10, 60, n)
    TP = rng.binomial(size, expit(rng.normal(logit(sensitivity), 0.5, n)))
    FP = rng.binomial(size, 0.2)
    if not empty:
        TP, FP = np.clip(TP, 1, size - 1), np.clip(FP, 1, size - 1)
    counts = {"TP": TP, "FP": FP, "FN": size - TP, "TN": size - FP}
    return Tables(tuple(f"s{i}" for i in range(n)), *(counts[cell].astype(float) for cell in CELLS))


# --- page and data ------------------------------------------------------------------------------


def test_the_page_and_its_figure_are_what_the_script_writes_from_the_data(
    text: str, data: pd.DataFrame
) -> None:
    sentence = next(line for line in text.splitlines() if "random orders" in line)
    ends = [float(number) / 100 for number in re.findall(r"([\d.]+) %", sentence)]
    orders = {SETS[0]: np.array(ends[:2]), SETS[1]: np.array(ends[2:])}
    assert report_reml.page(data, orders) == text
    assert reml_figure.figure(data) == (DOCS / "reml_or_exact.svg").read_text(encoding="utf-8")


def test_the_table_adds_up(text: str, data: pd.DataFrame, main: pd.DataFrame) -> None:
    """Every row, worked out without the script."""
    parts: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
        "3–5 studies": lambda rows: rows["studies"] <= 5,
        "6–10 studies": lambda rows: rows["studies"].between(6, 10),
        "11–20 studies": lambda rows: rows["studies"].between(11, 20),
        "21 studies or more": lambda rows: rows["studies"] > 20,
        "all prefixes": lambda rows: rows["studies"] > 0,
        "final answers": lambda rows: rows["studies"] == rows.groupby("outcome")["studies"].transform("max"),
    }
    for origin in SETS:
        chosen = {
            name: main[(main["set"] == origin) & chooses(main[main["set"] == origin])]
            for name, chooses in parts.items()
        }
        for theta in (0.6, 0.9):
            chosen[f"all prefixes, θ = {theta:g}"] = data[(data["set"] == origin) & (data["theta"] == theta)]
        for name, rows in chosen.items():
            told = cells(text, f"{origin}, {name}")
            assert told["answers"] == f"{len(rows)}" and told["reviews"] == f"{rows['review'].nunique()}"
            for q_star in (0.2, 0.5, 0.8):
                assert told[f"q* = {q_star:g}"] == f"{share(rows, q_star):.1f} %"
            for column, pair in (
                ("all q* [95 %]", ("reml_single", "exact")),
                ("correction “all”", ("reml_all", "exact")),
                ("flat prior", ("reml_single", "exact_flat")),
            ):
                mean = np.mean([share(rows, q_star, *pair) for q_star in (0.2, 0.5, 0.8)])
                assert told[column].startswith(f"{mean:.1f} %")


def test_an_interval_resamples_whole_reviews(text: str, main: pd.DataFrame) -> None:
    rows = main[main["set"] == SETS[1]]
    blocks = [part for _, part in rows.groupby("review")]
    rng = np.random.default_rng(77)
    drawn = []
    for _ in range(400):
        some = pd.concat([blocks[i] for i in rng.integers(len(blocks), size=len(blocks))])
        drawn.append(np.mean([share(some, q_star) for q_star in (0.2, 0.5, 0.8)]))
    low, high = map(
        float,
        re.findall(r"\[([\d.]+), ([\d.]+)\]", cells(text, f"{SETS[1]}, all prefixes")["all q* [95 %]"])[0],
    )
    assert np.quantile(drawn, [0.025, 0.975]) == pytest.approx([low, high], abs=1.0)


def test_what_the_page_says_without_a_number_is_so(main: pd.DataFrame) -> None:
    for origin in SETS:
        rows = main[main["set"] == origin]
        short, long = rows[rows["studies"] <= 5], rows[rows["studies"] > 20]
        assert scripts_reml_measured.rate(long) > scripts_reml_measured.rate(
            short
        )  # more studies do not end it
        assert (rows["reml_single"] - rows["exact"]).mean() < 0  # REML's is the lower belief
        apart = (rows["reml_single"] - rows["exact"]).abs()[scripts_reml_measured.differs(rows).any(axis=1)]
        assert apart.median() > 0.1  # not only close calls
        causes = report_reml.two_causes(rows)
        assert min(causes.values()) > 0.02  # corrections are only part of it, and part of it
        moves = dict(
            zip((name for name, _ in reml_measured.STEPS[1:]), reml_figure.steps_of(rows)[:, 0], strict=True)
        )
        assert max(abs(moves[name]) for name in ("averaged", "univariate")) < min(causes.values()) / 2
    assert (main.loc[main["review"] == "CD011134", "TP_or_FN_empty"] == 0).all()


def test_the_steps_lead_from_reml_to_exact(main: pd.DataFrame) -> None:
    moves = reml_figure.steps_of(main)[:, 0]
    assert moves.sum() == pytest.approx((main["exact"] - main["reml_single"]).mean(), abs=1e-9)


def test_the_data_hold_no_counts_of_patients(data: pd.DataFrame) -> None:
    assert not set(CELLS) & set(data.columns)
    beliefs = data[reml_measured.belief_columns(data)]
    assert ((beliefs >= 0) & (beliefs <= 1) | beliefs.isna()).all(axis=None)


# --- against the real tables ----------------------------------------------------------------------


@pytest.mark.parametrize("review", ["CD009372", "CD010632"])
def test_a_review_measured_again(review: str, real_data: Path, data: pd.DataFrame) -> None:
    """By the belief engines themselves, at every θ."""
    tables = read_tables(real_data / "dta_reviews" / f"{review}.csv").tables
    for theta, rows in data[(data["set"] == SETS[0]) & (data["review"] == review)].groupby("theta"):
        assert rows["studies"].tolist() == list(range(3, len(tables) + 1))
        assert rows["exact"].to_numpy() == pytest.approx(
            bivariate_path(tables, float(str(theta)))[3:], abs=1e-5
        )
        for column, correction in (("reml_single", "single"), ("reml_all", "all")):
            fits = fit_prefixes(tables, correction="single" if correction == "single" else "all")
            expected = [reml_belief(fitted, float(str(theta))) for fitted in fits[3:]]
            assert rows[column].to_numpy() == pytest.approx(np.array(expected, dtype=float), abs=1e-4)


def test_the_causes_in_a_review_measured_again(real_data: Path, main: pd.DataFrame) -> None:
    tables = read_tables(real_data / "dta_reviews" / "CD010632.csv").tables
    rows = main[(main["set"] == SETS[0]) & (main["review"] == "CD010632")]
    for name, path in reml_measured.staircase(tables, THETA).items():
        assert rows[name].to_numpy() == pytest.approx(path[3:], abs=1e-4, nan_ok=True), name


def test_final_beliefs_under_the_correction_all_are_madas(main: pd.DataFrame) -> None:
    mada = pd.read_csv(GOLDEN / "mada_reference.csv")
    mada = mada.assign(review=mada["dataset"].str.partition(":")[2]).set_index("review")
    final = main[(main["set"] == SETS[0]) & main["final"]].set_index("review")
    assert len(final) == 16
    both = final.join(mada, how="inner")
    assert len(both) == 16
    beliefs = ndtr((both["tsens"] - logit(THETA)) / both["se_tsens"])
    assert both["reml_all"].to_numpy() == pytest.approx(beliefs.to_numpy(), abs=2e-3)


def test_all_outcomes_are_there(real_data: Path, main: pd.DataFrame) -> None:
    read = reml_measured.read_first_tests(real_data) + reml_measured.read_outcome_tables(real_data)
    assert len(read) == 16 + 63
    final = main[main["final"]].set_index(["set", "outcome"])
    for each in read:
        row = final.loc[(each.origin, each.outcome)]
        assert row["studies"] == len(each.tables) and row["review"] == each.review
        assert row["TP_or_FN_empty"] == ((each.tables.TP == 0) | (each.tables.FN == 0)).sum()


# --- the arithmetic of the page ---------------------------------------------------------------------


def test_reml_of_sensitivity_alone_is_the_restricted_maximum() -> None:
    tables = tables_of(12, seed=3)
    y, v = reml_measured.logits(tables, reml_measured.with_empty_cell(tables))
    found = reml_measured.reml_of_sensitivity(y, v, THETA)

    def loss(tau: np.ndarray) -> float:
        w = 1 / (v + tau[0] ** 2)
        mean = (w @ y) / w.sum()
        return float(-np.log(w).sum() + np.log(w.sum()) + w @ (y - mean) ** 2)

    best = minimize(loss, [0.5], method="Nelder-Mead", options={"xatol": 1e-8})
    w = 1 / (v + best.x[0] ** 2)
    assert found[-1] == pytest.approx(ndtr(((w @ y) / w.sum() - logit(THETA)) * np.sqrt(w.sum())), abs=2e-3)
    assert np.isnan(found[0]) and len(found) == 13


def test_reml_of_sensitivity_alone_is_near_the_bivariate_one() -> None:
    tables = tables_of(15, seed=5, empty=False)
    y, v = reml_measured.logits(tables, np.zeros(15, dtype=bool))
    both = reml_belief(fit(tables, correction="none"), THETA)
    assert reml_measured.reml_of_sensitivity(y, v, THETA)[-1] == pytest.approx(both, abs=0.05)


def test_an_average_over_normal_likelihoods_has_a_closed_form_in_mu() -> None:
    tables = tables_of(8, seed=1)
    y, v = reml_measured.logits(tables, reml_measured.with_empty_cell(tables))
    prior = reml_measured.FLAT
    lattice = lattice_for(tables, THETA, prior)
    found = reml_measured.averaged_path(reml_measured.log_normal(y, v, THETA, lattice), lattice, prior)
    tau = np.linspace(0, 6, 4001)[:, None]
    w = 1 / (v + tau**2)
    total = 1 / prior.s**2 + w.sum(axis=1)
    first, second = w @ (y - logit(THETA)), w @ (y - logit(THETA)) ** 2
    log_weight = (
        0.5 * (np.log(w).sum(axis=1) - np.log(total) - second + first**2 / total) - tau[:, 0] ** 2 / 2
    )
    weight = np.exp(log_weight - log_weight.max())
    weight[0] /= 2
    assert found[-1] == pytest.approx(np.average(ndtr(first / np.sqrt(total)), weights=weight), abs=2e-3)
    assert found[0] == pytest.approx(0.5)


def test_without_empty_cells_nothing_is_left_for_a_correction_to_do() -> None:
    steps = reml_measured.staircase(tables_of(10, seed=2, empty=False), THETA)
    assert np.array_equal(steps["averaged"], steps["own_logits"])
    assert np.array_equal(steps["own_logits"], steps["empty_exact"])
    assert steps["others_exact"] == pytest.approx(steps["univariate_flat"], abs=3e-3)


def test_only_studies_with_an_empty_TP_or_FN_need_half_a_patient() -> None:
    tables = Tables(
        ("a", "b", "c"), *(np.array(x, dtype=float) for x in ([9, 9, 10], [0, 2, 2], [1, 1, 0], [9, 7, 8]))
    )
    assert reml_measured.with_empty_cell(tables).tolist() == [True, False, True]
    assert reml_measured.with_empty_sensitivity(tables).tolist() == [False, False, True]
    y, v = reml_measured.logits(tables, reml_measured.with_empty_sensitivity(tables))
    assert expit(y) == pytest.approx([0.9, 0.9, 10.5 / 11]) and v[0] == pytest.approx(1 / 9 + 1)


def test_the_mixed_model_maximum_is_found() -> None:
    """Against a direct search with quadrature over each study's own logit."""
    tables = tables_of(12, seed=4)
    lattice = lattice_for(tables, THETA, reml_measured.FLAT)
    rows, scale = study_likelihood(tables, THETA, lattice)
    found = reml_measured.wald_path(np.log(np.maximum(rows, 1e-300)) + scale[:, None], lattice)[-1]
    u = np.linspace(-6, 10, 1601)
    counts = binom.pmf(tables.TP[:, None], tables.diseased[:, None], expit(u))

    def loss(at: np.ndarray) -> float:
        return float(-np.log(counts @ norm.pdf(u, at[0], abs(at[1])) * 0.01).sum())

    best = minimize(loss, [1.2, 0.6], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10}).x
    e = 1e-3
    bend = np.array(
        [
            [
                loss(best + i + j) - loss(best + i - j) - loss(best - i + j) + loss(best - i - j)
                for j in np.eye(2) * e
            ]
            for i in np.eye(2) * e
        ]
    ) / (4 * e * e)
    se = np.sqrt(np.linalg.inv(bend)[0, 0])
    assert found == pytest.approx(ndtr((best[0] - logit(THETA)) / se), abs=0.01)


def test_a_maximum_that_lies_at_infinity_is_none() -> None:
    missed = Tables(
        ("a", "b", "c"), *(np.array(x, dtype=float) for x in ([0, 0, 0], [1, 1, 1], [5, 6, 7], [9, 9, 9]))
    )
    lattice = lattice_for(missed, THETA, reml_measured.FLAT)
    rows, scale = study_likelihood(missed, THETA, lattice)
    assert np.isnan(reml_measured.wald_path(np.log(np.maximum(rows, 1e-300)) + scale[:, None], lattice)).all()


def test_the_limit_of_logits_by_simulation() -> None:
    limit, empty = report_reml.limit_of_logits(20, 0.75)
    hits = np.random.default_rng(1).binomial(20, 0.75, 200_000).astype(float)
    none = (hits == 0) | (hits == 20)
    y = np.log((hits + none / 2) / (20 - hits + none / 2))
    w = 1 / (1 / (hits + none / 2) + 1 / (20 - hits + none / 2))
    assert limit == pytest.approx(expit((w @ y) / w.sum()), abs=1e-3) and limit < 0.75
    assert empty == pytest.approx(none.mean(), abs=1e-3)


def test_other_orders_are_seeded_and_count_every_decision() -> None:
    reviewed = [reml_measured.Reviewed("first tests", "r", "r", tables_of(5, seed=9))]
    first, second = (reml_measured.other_orders(reviewed, 3) for _ in range(2))
    assert np.array_equal(first, second) and first.shape == (3,)
    assert np.allclose(first * 9, np.round(first * 9))  # 3 prefixes at 3 q*


def test_beliefs_of_no_known_value_are_left_out_of_a_rate() -> None:
    rows = pd.DataFrame({"reml_single": [0.1, 0.9, np.nan], "exact": [0.3, 0.9, 0.3]})
    assert scripts_reml_measured.rate(rows) == pytest.approx(1 / 6)
