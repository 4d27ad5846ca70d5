"""Risk of bias of studies of a test: read from files and typed tables, and what it changes, against plain quadrature."""

import io
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit, logit
from scipy.stats import norm

from tarstop_core.belief import normal_fit, reitsma
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.documents.reports import AccuracyRow, Report, tables_of
from tarstop_core.documents.tables import Tables
from tarstop_core.effects.bias import REDUCED, Bias
from tarstop_core.errors import InputProblem
from tarstop_core.evidence import words
from tarstop_core.evidence.manual_tables import TITLES, manual_tables, pack, rows_of, unpack
from tarstop_core.evidence.report import RISK, About, evidence_report, risk_rows, study_rows
from tarstop_core.evidence.study_figures import RISKS, forest
from tarstop_core.evidence.summary import Evidence, evidence
from tarstop_core.evidence.words import Actions
from tarstop_core.files import read_tables
from tarstop_core.presentation.pictures import still
from tarstop_core.screening.report_entry import ReportDraft
from tarstop_core.screening.typed_numbers import TypedTable
from tarstop_core.value.payoffs import Payoffs
from tests.spoken import spoken

THETA = 0.75
COUNTS = ((28, 9, 12, 91), (45, 22, 9, 130), (88, 31, 9, 240), (31, 12, 19, 176))
JUDGED = (Bias.LOW, None, Bias.HIGH, Bias.SOME)
EVEN = Payoffs.from_q_star(0.5)


def reviewed(engine: str = "univariate", bias: tuple[Bias | None, ...] = JUDGED, **more: float) -> Evidence:
    names = ("Lee 2001", "Kim 2002", "Ray 2003", "Fox 2004")
    tables = Tables(names, *np.array(COUNTS, dtype=float).T, bias=bias)
    return evidence(tables, Question(THETA, engine, **more))


def quadrature(TP: np.ndarray, FN: np.ndarray, prior: Prior) -> float:
    """P(μ > logit θ), one integral after the other, where a study of fewer patients has a smaller power of its likelihood."""
    node, weight = np.polynomial.hermite_e.hermegauss(60)
    mu, tau = np.linspace(-6, 6, 600) + logit(THETA), np.linspace(1e-3, 3.5, 150)
    log_posterior = norm.logpdf(mu - logit(THETA), 0, prior.s) + norm.logpdf(tau, 0, prior.tau)[:, None]
    for hits, misses in zip(TP, FN, strict=True):
        p = expit(mu[:, None] + tau[:, None, None] * node)
        log_posterior += np.log((p**hits * (1 - p) ** misses) @ weight)
    posterior = np.exp(log_posterior - log_posterior.max()).sum(axis=0)
    return float(posterior[mu > logit(THETA)].sum() / posterior.sum())


def test_reduced_weight_is_a_smaller_power_of_the_likelihood() -> None:
    (_, every), (_, without), (_, reduced) = (of := reviewed()).by_risk
    assert every is of and without.names == ("Lee 2001", "Kim 2002", "Fox 2004")
    share = np.array([1, 1, REDUCED, 1])
    TP, FN = of.tables.TP, of.tables.FN
    assert reduced.belief == pytest.approx(quadrature(share * TP, share * FN, Prior()), abs=0.003)
    assert without.belief == pytest.approx(quadrature(TP[share == 1], FN[share == 1], Prior()), abs=0.003)
    assert without.belief < reduced.belief < every.belief  # the study of high risk found most
    assert every.belief - without.belief > 0.1


def test_half_the_weight_is_twice_the_variance_by_reml() -> None:
    *_, (_, reduced) = reviewed("reml").by_risk
    TP, FP, FN, TN = np.array(COUNTS, dtype=float).T
    y = np.stack([np.log(TP / FN), np.log(FP / TN)], axis=1)
    s = (
        np.stack([1 / TP + 1 / FN, 1 / FP + 1 / TN], axis=1)
        * np.where(np.array("high") == JUDGED, 2, 1)[:, None]
    )
    start = np.array([[[scale, 0], [0, scale]] for scale in (1.0, 0.1, 0.001)])
    fitted = normal_fit.fit_prefixes(y, s, np.array([4]), start)
    se = np.sqrt(fitted.cov[0][0, 0])
    assert reduced.belief == pytest.approx(norm.cdf((fitted.mu[0][0] - logit(THETA)) / se), abs=1e-4)


@pytest.mark.parametrize("engine", ["univariate", "bivariate", "reml"])
@pytest.mark.parametrize("theta_sp", [None, 0.8])
def test_without_high_risk_is_the_belief_of_the_others(engine: str, theta_sp: float | None) -> None:
    of = reviewed(engine, theta_sp=theta_sp)
    _, (_, without), _ = of.by_risk
    others = Tables(("Lee 2001", "Kim 2002", "Fox 2004"), *np.array(COUNTS, dtype=float)[[0, 1, 3]].T)
    assert without.belief == pytest.approx(
        evidence(others, Question(THETA, engine, theta_sp=theta_sp)).belief
    )
    rows = risk_rows(of, EVEN)
    assert [row["decision"] for row in rows] == [
        "Adopt" if float(each.belief or 0) > 0.5 else "Don’t adopt" for _, each in of.by_risk
    ]
    assert all(row["average"].startswith("sensitivity") for row in rows)


def test_nothing_is_compared_where_nobody_is_of_high_risk() -> None:
    for bias in ((), (Bias.LOW, Bias.SOME, None, None)):
        of = reviewed(bias=bias)
        assert of.by_risk == () and risk_rows(of, EVEN) == []
        assert spoken(words.message, words.risk_sentence, of, EVEN) == ("risk", {"decisions": 0, "count": 0})


def test_what_the_tables_lack_withholds_the_action() -> None:
    lacking = Actions("Use it", "Leave it", "12 studies")
    assert {row["decision"] for row in risk_rows(reviewed(), Payoffs.from_q_star(0.05), lacking)} == {
        "Leave it"
    }


def test_the_forest_and_the_report_show_judgments() -> None:
    of = reviewed("bivariate")
    drawn = still(forest(of), "")
    assert all(RISKS[risk] in drawn for risk in (Bias.LOW, Bias.SOME, Bias.HIGH))
    assert not any(sign in still(forest(reviewed(bias=())), "") for sign in RISKS.values())
    assert [row["bias"] for row in study_rows(of)] == ["low", None, "high", "some"]
    assert "bias" not in study_rows(reviewed(bias=()))[0]
    html = evidence_report(of, EVEN, About(name="A test", at="today"))
    assert html.count("<th") > evidence_report(
        reviewed(bias=()), EVEN, About(name="A test", at="today")
    ).count("<th")
    assert RISK in html and RISK not in evidence_report(
        reviewed(bias=()), EVEN, About(name="A test", at="today")
    )


# --- where judgments come from ------------------------------------------------------------------------


def read(*lines: str) -> Tables:
    return read_tables(io.BytesIO("\n".join(lines).encode()), "tables.csv").tables


def test_a_column_of_a_file_judges() -> None:
    tables = read(
        "study,TP,FP,FN,TN,Risk of bias",
        "A,8,1,2,30,low",
        "B,9,1,2,30,",
        "C,9,1,2,30,High risk",
        "D,1,1,1,1,?",
    )
    assert tables.bias == (Bias.LOW, None, Bias.HIGH, Bias.SOME)
    assert read("study,TP,FP,FN,TN,bias", "A,8,1,2,30,", "B,8,1,2,31,").bias == ()


def test_of_domains_the_worst_counts_unless_there_is_an_overall_judgment() -> None:
    domains = "Patient selection,Index test,Reference standard,Flow and timing"
    tables = read(
        f"TP,FN,{domains}",
        "8,2,low,unclear,low,low",
        "9,2,low,low,high,low",
        "7,2,low,low,low,low",
        "7,3,,,,",
    )
    assert tables.bias == (Bias.SOME, Bias.HIGH, Bias.LOW, None)
    overall = read(f"TP,FN,{domains},Overall", "8,2,low,unclear,low,low,low", "9,2,low,low,high,low,")
    assert overall.bias == (Bias.LOW, Bias.HIGH)


def test_columns_about_something_else_are_no_judgments() -> None:
    tables = read(
        "study,TP,FP,FN,TN,index test,reference standard,overall",
        "A,8,1,2,30,MRI,biopsy,41",
        "B,9,1,2,30,CT,,42",
    )
    assert tables.bias == ()


@pytest.mark.parametrize(
    "cells",
    [
        ("ELISA", "low", "ELISA"),
        ("+", "-", "+"),
        ("S", "L", "L"),
        ("-", "-", ""),
        ("–", "NA", ""),
        ("low", "ELISA", ""),
    ],
)
@pytest.mark.parametrize("title", ["Index test", "Patient selection", "Overall"])
def test_an_ambiguous_title_judges_only_with_words_of_judgments_throughout(
    title: str, cells: tuple[str, ...]
) -> None:
    rows = [f"{name},8,1,2,30,{cell}" for name, cell in zip("ABC", cells, strict=True)]
    assert read(f"study,TP,FP,FN,TN,{title}", *rows).bias == ()


def test_a_domain_judges_in_signs_where_its_title_says_so_and_beside_words() -> None:
    title = "study,TP,FP,FN,TN,Risk of bias: index test"
    assert read(title, "A,8,1,2,30,+", "B,9,1,2,30,-").bias == (Bias.LOW, Bias.HIGH)
    mixed = read("study,TP,FP,FN,TN,Index test", "A,8,1,2,30,+", "B,9,1,2,30,unclear", "C,9,1,2,30,NA")
    assert mixed.bias == (Bias.LOW, Bias.SOME, None)


def test_a_wrong_word_is_named() -> None:
    with pytest.raises(InputProblem, match=r"line 3.*'so so'"):
        read("TP,FN,risk of bias", "8,2,low", "8,2,so so")
    with pytest.raises(InputProblem, match=r"Row 1.*'so so'"):
        manual_tables([("A", "8", "1", "2", "30", "so so")])


def test_typed_tables_have_a_column_and_those_of_before_have_none() -> None:
    rows = [("A", "8", "1", "2", "30", "high"), ("B", "9", "", "1", "", "")]
    tables, left_out, _ = manual_tables(unpack(pack(rows) or ""))
    assert tables.bias == (Bias.HIGH, None) and not left_out and rows_of(tables) == rows
    before = [row[:5] for row in rows]
    tables, left_out, _ = manual_tables(unpack(pack(before) or ""))
    assert tables.bias == () and not left_out and rows_of(tables) == before
    named = [("bias", *tuple(TITLES)[:5]), ("some", "A", "8", "1", "2", "30")]
    assert manual_tables(named)[0].bias == (Bias.SOME,)


def test_a_report_keeps_the_judgment_of_its_study() -> None:
    draft = ReportDraft(study="Lee 2004", tables=(TypedTable(TP="9", FN="2"),), bias="high")
    report = draft.report("#3")
    assert report.rows[0].bias is Bias.HIGH and ReportDraft.of(report, "").bias == "high"
    again = Report.from_dict(report.to_dict())
    assert again == report and tables_of(again.rows).bias == (Bias.HIGH,)
    unjudged = replace(draft, bias="").report("#3")
    assert unjudged.rows[0].bias is None and tables_of(unjudged.rows).bias == ()
    assert "bias" not in unjudged.to_dict()["tables"][0]  # as logs of before have it


def test_some_studies_keep_their_judgments() -> None:
    tables = reviewed().tables
    assert tables.first(2).bias == JUDGED[:2] and tables.without(0).bias == JUDGED[1:]
    assert tables.turned.bias == JUDGED and reitsma.usable(tables.counting_high_risk(0.5)).all()
    with pytest.raises(InputProblem):
        Tables(("A",), *(np.array([0.5]) for _ in range(4)))
    assert AccuracyRow("A", 1, 2, 3, 4).bias is None
