"""What tables show: intervals, summary, leave-one-out beliefs, and counts from rates."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import binom

from tarstop_core.belief import bivariate, reitsma
from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.belief.univariate import univariate_path
from tarstop_core.documents.tables import Tables, from_rates
from tarstop_core.errors import InputProblem
from tarstop_core.evidence import report
from tarstop_core.evidence.summary import EXACT_WITHOUT, PREVIEW_FROM, Evidence, clopper_pearson, evidence
from tarstop_core.files import read_tables
from tarstop_core.value.payoffs import Payoffs
from tests.reference.recorded import counts

NAN = math.nan


def tables(*rows: tuple[float, float, float, float]) -> Tables:
    """Studies as rows TP, FP, FN, TN."""
    cells = np.array(rows, dtype=float).reshape(-1, 4)
    return Tables(tuple(f"study {at + 1}" for at in range(len(rows))), *cells.T)


def many(n: int, seed: int = 0) -> Tables:
    """Invented studies whose sensitivities differ."""
    rng = np.random.default_rng(seed)
    diseased, healthy = rng.integers(5, 200, n), rng.integers(5, 500, n)
    TP = rng.binomial(diseased, 1 / (1 + np.exp(-rng.normal(1.2, 0.6, n))))
    FP = rng.binomial(healthy, 0.1)
    return tables(*zip(TP, FP, diseased - TP, healthy - FP, strict=True))


SIX = tables(
    (28, 9, 12, 91), (45, 22, 9, 130), (17, 3, 8, 64), (88, 31, 15, 240), (12, 6, 1, 33), (61, 12, 19, 176)
)
HARD = {
    "none": tables(),
    "one": tables((8, 1, 2, 30)),
    "two": tables((8, 1, 2, 30), (9, 2, 1, 40)),
    "all perfect": tables((8, 1, 0, 30), (9, 2, 0, 40), (20, 0, 0, 12), (5, 1, 0, 9)),
    "no one diseased": tables((0, 3, 0, 4), (3, 4, 5, 6), (3, 4, 5, 6), (5, 6, 7, 8)),
    "sensitivity alone": tables((8, NAN, 2, NAN), (9, NAN, 1, NAN), (9, NAN, 3, NAN)),
    "a million": tables((800_000, 1000, 200_000, 900_000), (790_000, 9000, 210_000, 900_000), (5, 1, 2, 40)),
    "the same five times": tables(*[(8, 2, 2, 8)] * 5),
    "empty": tables((0, 0, 0, 0)),
}


@given(st.integers(0, 400), st.integers(0, 400))
def test_intervals_leave_a_fortieth_on_either_side(hits: int, misses: int) -> None:
    assume(hits + misses > 0)
    shares = clopper_pearson(np.array([float(hits)]), np.array([float(misses)]))
    low, high, n = float(shares.low[0]), float(shares.high[0]), hits + misses
    assert 0 <= low <= hits / n <= high <= 1
    assert low == 0 if hits == 0 else math.isclose(binom.sf(hits - 1, n, low), 0.025, rel_tol=1e-6)
    assert high == 1 if misses == 0 else math.isclose(binom.cdf(hits, n, high), 0.025, rel_tol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", HARD)
def test_hard_tables_have_an_answer_or_none(name: str, engine: str) -> None:
    found = Evidence(HARD[name], 0.75, engine, Prior())
    beliefs = [found.belief, *found.path.beliefs, *(float(b) for b in found.without.beliefs)]
    assert all(b is None or math.isnan(b) or 0 <= b <= 1 for b in beliefs)
    if engine != "reml":
        assert found.belief is not None and found.density is not None and found.next_study is not None
    for rows in (
        report.study_rows(found),
        report.path_rows(found),
        report.density_rows(found),
        report.without_rows(found),
        report.curve_rows(found),
        report.parameter_rows(found),
        report.value_rows(found, Payoffs.from_q_star(0.5)),
    ):
        json.dumps(rows, allow_nan=False)
    assert (found.summary is None) == (found.usable < 3)


def test_the_belief_is_the_last_of_the_path() -> None:
    for engine in ENGINES:
        found = Evidence(SIX, 0.75, engine, Prior())
        assert found.belief is not None and found.path.beliefs[-1] is not None
        assert math.isclose(found.belief, found.path.beliefs[-1], rel_tol=1e-9)


def test_the_density_has_the_belief_above_theta() -> None:
    for engine in ENGINES:
        found = Evidence(SIX, 0.75, engine, Prior())
        density = found.density
        assert density is not None and found.belief is not None
        above = density.sensitivity >= 0.75
        assert abs(np.trapezoid(density.posterior[above], density.sensitivity[above]) - found.belief) < 0.02


def test_the_curve_stays_within_the_observed_rates_and_passes_the_summary() -> None:
    found = Evidence(SIX, 0.75, "bivariate", Prior())
    assert found.curve is not None and found.summary is not None
    fpr = 1 - found.specificity.value
    assert math.isclose(found.curve[0, 0], fpr.min()) and math.isclose(found.curve[-1, 0], fpr.max())
    assert (np.diff(found.curve[:, 1]) > 0).all()
    at = np.interp(1 - found.summary.specificity.value, *found.curve.T)
    assert abs(at - found.summary.sensitivity.value) < 1e-3


def test_without_a_study_is_the_belief_of_the_others() -> None:
    for engine in ("bivariate", "univariate"):
        found = Evidence(SIX, 0.75, engine, Prior(b_0=0.4))
        assert not found.without.approximate
        others = Evidence(SIX.without(3), 0.75, engine, Prior(b_0=0.4)).belief
        assert math.isclose(found.without.beliefs[3], others or 0.0, rel_tol=1e-9)


def test_without_a_study_of_many_is_close_and_says_that_it_is_approximate() -> None:
    studies = many(EXACT_WITHOUT + 10)
    left_out = [0, 7, 25, 39]
    univariate = Evidence(studies, 0.75, "univariate", Prior())
    exact = [univariate_path(studies.without(i), 0.75)[-1] for i in left_out]
    assert not univariate.without.approximate
    assert np.abs(univariate.without.beliefs[left_out] - exact).max() < 0.005
    both = Evidence(studies, 0.75, "bivariate", Prior())
    exact = [bivariate.bivariate_belief(studies.without(i), 0.75) for i in left_out]
    assert both.without.approximate
    assert np.abs(both.without.beliefs[left_out] - exact).max() < 0.02


def test_five_hundred_studies_have_a_preview_of_their_path() -> None:
    studies = many(500)
    found = Evidence(studies, 0.75, "bivariate", Prior())
    assert found.previewed and len(found.drawn_path.beliefs) == 501
    assert report.path_rows(found)[-1]["engine"] == "univariate"
    assert np.isfinite(found.without.beliefs).all()
    assert found.summary is not None and found.summary.converged
    assert not Evidence(many(PREVIEW_FROM), 0.75, "bivariate", Prior()).previewed


def test_more_studies_are_never_worth_less_nor_more_than_certainty() -> None:
    for q_star in (0.1, 0.5, 0.9):
        more = Evidence(SIX, 0.75, "bivariate", Prior()).more_studies(Payoffs.from_q_star(q_star))
        assert more is not None
        assert (np.diff(more.evsi) >= 0).all() and more.evsi[0] >= 0 and more.evsi[-1] <= more.evpi


def test_the_same_question_is_answered_from_memory() -> None:
    again = Tables(SIX.study, *(getattr(SIX, cell).copy() for cell in ("TP", "FP", "FN", "TN")))
    assert evidence(SIX, Question(0.75)) is evidence(again, Question(0.75))
    assert evidence(SIX, Question(0.75)) is not evidence(SIX, Question(0.8))
    assert evidence(SIX, Question(0.75)) is not evidence(SIX, Question(0.75, prior=Prior(b_0=0.4)))


def test_what_cannot_be_asked_is_refused() -> None:
    with pytest.raises(InputProblem, match="θ is 1"):
        evidence(SIX, Question(1.0))
    with pytest.raises(InputProblem, match="no engine 'guess'"):
        evidence(SIX, Question(0.75, "guess"))


def test_notes_name_studies_that_count_twice_in_part_or_not_at_all() -> None:
    odd = Tables(
        ("A", "B", "A", "C"),
        *(
            np.array(cell, dtype=float)
            for cell in ([8, 9, 8, 0], [1, NAN, 1, 3], [2, 1, 2, 0], [9, NAN, 9, 4])
        ),
    )
    notes = Evidence(odd, 0.75, "bivariate", Prior()).notes
    assert notes[0] == (
        "Study 3 (A) has the name and the counts of study 1, and both count here; remove one if they are the same."
    )
    assert "Study 4 (C) has no diseased patients" in notes[1]
    assert "Study 2 (B) has no FP and TN" in notes[2]
    assert any("reml leaves it out" in note for note in Evidence(odd, 0.75, "reml", Prior()).notes)


def test_a_study_with_fp_but_no_tn_is_said_to_count_in_part() -> None:
    half = Tables(("A", "B"), *np.array([[8, 1, 2, NAN], [9, NAN, 1, NAN]], dtype=float).T)
    assert Evidence(half, 0.75, "bivariate", Prior()).notes == (
        "Study 2 (B) has no FP and TN, so it counts only for sensitivity.",
        "Study 1 (A) has no TN, so only sensitivity counts (its FP cannot be used).",
    )
    column = Tables(("A", "B"), *np.array([[8, 1, 2, NAN], [9, 3, 1, NAN]], dtype=float).T)
    assert Evidence(column, 0.75, "bivariate", Prior()).notes == (
        "No study has TN, so only sensitivity counts (their FP cannot be used).",
    )


def test_the_note_on_a_study_that_is_there_twice_is_the_readers(tmp_path: Path) -> None:
    file = tmp_path / "twice.csv"
    file.write_text("study,TP,FP,FN,TN\nA,8,1,2,9\nB,9,1,1,9\nA,8,1,2,9\n", encoding="utf-8")
    read = read_tables(file)
    assert read.notes == Evidence(read.tables, 0.75, "bivariate", Prior()).notes


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("studies", [SIX, tables(*counts("mada_AuditC"))], ids=["six", "AuditC"])
def test_what_is_pooled_is_that_of_the_engine_that_decides(studies: Tables, engine: str) -> None:
    """Half of the belief lies above it; empty cells are no exception."""
    found = Evidence(studies, 0.75, engine, Prior())
    assert found.pooled.sensitivity is not None and found.density is not None
    value, low, high = found.pooled.sensitivity
    assert low < value < high
    if engine == "reml":
        assert Evidence(studies, value, engine, Prior()).belief == pytest.approx(0.5, abs=1e-4)
    assert found.density.quantile(0.5) == pytest.approx(value, abs=2e-3)
    assert (found.pooled.specificity is None) == (engine == "univariate")


def test_the_usual_model_has_one_correction() -> None:
    """Its summary is what it decides by, also where cells are empty."""
    found = Evidence(tables(*counts("mada_AuditC")), 0.75, "reml", Prior())
    assert found.summary is not None and found.path.mu is not None and found.path.se is not None
    assert found.summary.mu == pytest.approx(found.path.mu) and found.summary.se == pytest.approx(
        found.path.se
    )
    beside = Evidence(found.tables, 0.75, "bivariate", Prior())
    assert beside.rival_belief == pytest.approx(found.belief)


@pytest.mark.parametrize("weight", [0.4, 1])
def test_specificity_is_pooled_as_sensitivity_is_with_the_groups_exchanged(weight: float) -> None:
    turned = Tables(SIX.study, TP=SIX.TN, FP=SIX.FN, FN=SIX.FP, TN=SIX.TP)
    prior = Prior(weight=weight)
    one, other = (Evidence(each, 0.75, "bivariate", prior).pooled for each in (SIX, turned))
    assert one.specificity is not None and other.sensitivity is not None
    assert tuple(one.specificity) == pytest.approx(tuple(other.sensitivity), abs=0.01)


def test_a_published_set_gives_the_figures_of_its_publication() -> None:
    fit = reitsma.fit(tables(*counts("mada_AuditC")), correction="all")
    values = {**fit.revman_parameters(), "AUC": fit.auc}
    assert abs(values["E(logitSe)"] - 2.099742) < 1e-5
    assert abs(values["E(logitSp)"] - 1.263691) < 1e-5
    assert abs(values["Var(logitSe)"] - 1.379584) < 1e-4
    assert abs(values["AUC"] - 0.886679) < 1e-5


# --- counts from rates --------------------------------------------------------------------------


@given(st.integers(1, 2000), st.data())
def test_counts_survive_being_told_as_rates(n: int, data: st.DataObject) -> None:
    """Rounded to four digits, every count of up to 2,000 patients comes back, whichever way it is written."""
    k = data.draw(st.integers(0, n))
    for said in (f"{k / n:.4f}", f"{100 * k / n:.2f} %", f"{k / n:.4f}".replace(".", ",")):
        assert k == from_rates(said, n).TP
        assert k == from_rates("1", 5, said, n).TN


@given(st.integers(1, 500), st.integers(0, 100))
def test_counts_are_those_that_round_to_the_rate(n: int, percentage: int) -> None:
    said = f"{percentage} %"
    fitting = [k for k in range(n + 1) if abs(100 * k / n - percentage) <= 0.5 + 1e-9]
    if not fitting:
        with pytest.raises(InputProblem, match="not a whole number"):
            from_rates(said, n)
        return
    counts = from_rates(said, n)
    assert counts.TP in fitting and n == counts.TP + counts.FN
    assert bool(counts.notes) == (len(fitting) > 1)
    assert abs(counts.TP / n - percentage / 100) == pytest.approx(
        min(abs(k / n - percentage / 100) for k in fitting)
    )


def test_without_the_healthy_their_counts_are_unknown() -> None:
    counts = from_rates("0.83", 47)
    assert (counts.TP, counts.FN, counts.FP, counts.TN, counts.notes) == (39, 8, None, None, ())


def refusals() -> Iterator[tuple[tuple[object, ...], str]]:
    yield (
        ("0.84", 47),
        r"Sensitivity 0.84 with 47 diseased patients is not a whole number of them \(39/47 = 0.830 and",
    )
    yield ("0.83", 47, "0.995", 20), "Specificity 0.995 with 20 healthy"
    yield ("83", 47), "Sensitivity is '83'; give a number from 0 to 1"
    yield ("eighty", 47), "Sensitivity is 'eighty'"
    yield ("nan", 47), "Sensitivity is 'nan'"
    yield ("", 47), "Sensitivity is ''"
    yield ("-0.1", 47), "Sensitivity is '-0.1'"
    yield ("1.01", 47), "Sensitivity is '1.01'"
    yield ("0.8", 0), "number of diseased patients is 0"
    yield ("0.8", 10, "0.9"), "belong together"
    yield ("0.8", 10, None, 30), "belong together"


@pytest.mark.parametrize("arguments, words", list(refusals()))
def test_rates_that_fit_nobody_are_refused(arguments: tuple[object, ...], words: str) -> None:
    with pytest.raises(InputProblem, match=words):
        from_rates(*arguments)  # type: ignore[arg-type]
