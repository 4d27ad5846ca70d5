"""The report of an evidence synthesis says what was decided on what, and makes nothing of what it is given."""

import re
from pathlib import Path

import numpy as np
import pytest

from tarstop_core import __version__
from tarstop_core.belief.question import Question
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.evidence.report import About, evidence_report
from tarstop_core.evidence.study_figures import COMPACT_FROM
from tarstop_core.evidence.summary import Evidence, evidence
from tarstop_core.evidence.words import rival_sentence
from tarstop_core.files import read_tables
from tarstop_core.presentation.numbers import percent
from tarstop_core.samples.collections import published_sets
from tarstop_core.value.payoffs import Payoffs
from tests.payload_cases import FOREIGN, PAYLOAD
from tests.reading_pages import still

AT = "2026-11-22 23:00 UTC"
TABLES = published_sets()[0].tables


def report(found: Evidence, q_star: float = 0.5, **more: str) -> str:
    """What the page says, once it is known that nothing of it runs."""
    page = evidence_report(found, Payoffs.from_q_star(q_star), About(name="Some tables", at=AT, **more))
    # A percentage stands in an element of its own, which keeps its sign beside it.
    return re.sub(r"(?<=%) (?=[?,;.)])|(?<=\() ", "", still(page)[1])


def test_it_says_what_was_decided_on_what_and_by_which_engine() -> None:
    found = evidence(TABLES, Question(0.75))
    text = report(found, by="Rita", source="From a journal.")
    assert found.belief is not None
    for words in (
        f"Some tables Report of an evidence synthesis, as it stood at {AT}, by Rita; written by TARstop {__version__}.",
        "What follows now: Adopt",
        "Does pooled sensitivity exceed 75 %?",
        "“Adopt” above a chance of 50 %",
        "A wrong “Adopt” is as bad as a wrong “Don’t adopt”",
        f"Chance that sensitivity exceeds 75 % (ω⁺) {percent(found.belief)}",
        "Exact counts, both groups",
        "exact binomial likelihood of sensitivity and false-positive rate",
        "The chance of ω⁺ before any study was 50 %.",
        "From a journal.",
    ):
        assert words in text, words
    for name, estimate in (
        ("sensitivity", found.pooled.sensitivity),
        ("specificity", found.pooled.specificity),
    ):
        assert estimate is not None
        value, low, high = map(percent, estimate)
        assert f"Pooled {name} {value} (95 % interval {low} to {high})" in text
    for at, study in enumerate(TABLES.study):
        assert f"{study} {' '.join(f'{getattr(TABLES, cell)[at]:.0f}' for cell in CELLS)}" in text, study


def test_where_specificity_decides_too_it_says_so() -> None:
    found = evidence(TABLES, Question(0.75, theta_sp=0.9))
    text, each = report(found), found.of_each
    assert found.belief is not None and each is not None
    for words in (
        "Do pooled sensitivity and specificity exceed 75 % and 90 %?",
        f"Chance that sensitivity exceeds 75 % and specificity 90 % (ω⁺) {percent(found.belief)}",
        f"Chance of sensitivity alone {percent(each[0])}",
        f"Chance of specificity alone {percent(each[1])}",
    ):
        assert words in text, words


def test_another_engine_is_named_where_it_would_decide_otherwise() -> None:
    found = evidence(TABLES, Question(0.75))
    ours, theirs = found.belief, found.rival_belief
    assert ours is not None and theirs is not None
    between, rival = (ours + theirs) / 2, "The usual model (REML) would decide differently"
    assert rival_sentence(found, Payoffs.from_q_star(between)) in report(found, between) and rival in report(
        found, between
    )
    assert rival not in report(found, 0.01)


def test_money_and_mistakes_that_weigh_unequally_are_said() -> None:
    page = evidence_report(
        evidence(TABLES, Question(0.75)), Payoffs(0, 3000, 1000, 0, "£"), About(name="x", at=AT)
    )
    assert "A wrong “Adopt” is 3 times as bad as a wrong “Don’t adopt”: £3,000 beside £1,000" in page
    page = evidence_report(evidence(TABLES, Question(0.75)), Payoffs(0, 1, 2, 0), About(name="x", at=AT))
    assert "A wrong “Don’t adopt” is 2 times as bad as a wrong “Adopt”<" in page


def test_few_studies_and_reml_are_a_report_too() -> None:
    text = report(evidence(TABLES.first(2), Question(0.75, "reml")))
    assert "No decision follows yet." in text and "not known yet" in text and "Before any study" not in text
    alone = Tables(("Lee",), *(np.array([x]) for x in (9.0, np.nan, 2.0, np.nan)))
    text = report(evidence(alone, Question(0.75)))
    assert "1 study, 11 people with the disease" in text and "Lee 9 2 0.82 (0.48 to 0.98)" in text


def test_counts_stand_in_the_open_where_the_figure_names_no_study() -> None:
    many = Tables(
        tuple(f"Study {at}" for at in range(COMPACT_FROM + 1)), *np.full((4, COMPACT_FROM + 1), 9.0)
    )
    assert "<details" not in evidence_report(
        evidence(many, Question(0.75, "univariate")), Payoffs.from_q_star(0.5), About(name="x", at=AT)
    )
    assert "<summary>The same as a table" in evidence_report(
        evidence(TABLES, Question(0.75)), Payoffs.from_q_star(0.5), About(name="x", at=AT)
    )


@pytest.mark.parametrize(
    "payload", [PAYLOAD, "</style></svg><svg/onload=alert(1)>", "{{ 7 * 7 }}<< q_star >>"]
)
def test_nothing_that_is_given_becomes_markup(payload: str) -> None:
    counts = (
        np.array([9.0, 8.0, 12.0]),
        np.array([1.0, 2.0, 0.0]),
        np.array([2.0, 1.0, 4.0]),
        np.full(3, 30.0),
    )
    found = evidence(Tables(tuple(f"{payload} {at}" for at in range(3)), *counts), Question(0.75))
    given = {name: f"{payload} {name}" for name in ("name", "at", "by", "source")}
    payoffs = Payoffs(0, 1, 1, 0, f"{payload} unit")
    page = evidence_report(found, payoffs, About(notes=(f"{payload} note",), **given))
    reader, _ = still(page)
    plain, _ = still(
        evidence_report(
            evidence(TABLES, Question(0.75)), payoffs, About(name="x", at=AT, notes=("y",), source="z")
        )
    )
    assert {tag for tag, _ in reader.tags} <= {tag for tag, _ in plain.tags}
    known = {name for _, attributes in plain.tags for name in attributes}
    assert {name for _, attributes in reader.tags for name in attributes} <= known
    assert FOREIGN not in "".join(str(attributes) for tag, attributes in reader.tags if tag != "svg")
    text = "".join(reader.text)
    for said in (*given.values(), f"{payload} unit", f"{payload} note", f"{payload} 0", f"{payload} 2"):
        assert said in text, said


def test_real_tables_decide_otherwise_by_reml_and_the_report_says_so(real_data: Path) -> None:
    tables = read_tables(real_data / "dta_reviews" / "CD010632.csv").tables
    text = report(evidence(tables, Question(0.75)))
    assert (
        "What follows now: Adopt" in text
        and "The usual model (REML) would decide differently" in text
        and "14 studies" in text
    )
