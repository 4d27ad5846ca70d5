"""Settings in words: nothing that changes advice is left out."""

import re
from dataclasses import fields, replace

import pytest

from tarstop_core.belief.prior import Prior
from tarstop_core.calibration.extraction_rate import ExtractionRate
from tarstop_core.documents.application import Application
from tarstop_core.screening import record_message
from tarstop_core.screening.patent_settings import PatentSettings
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.settings_words import (
    TRIED,
    changes,
    not_as_in_session,
    protocol_appendix,
    protocol_paragraph,
    settings_rows,
)
from tarstop_core.screening.several_readers import EXCLUDED, SECOND, SHARE, Readers
from tarstop_core.value.payoffs import Payoffs
from tests.session_cases import INCLUSION, PATENT, REVIEW, START
from tests.spoken import spoken

OTHER = {
    "payoffs": Payoffs(1, 1, 1, 1, "£"),
    "cost": 7.0,
    "b_0": 0.3,
    "policy": "look-ahead",
    "needs_citation": False,
    "confirm_hits": False,
    "kappa": 0.9,
    "s": 0.8,
    "plus": "Do",
    "minus": "Leave",
    "theta": 0.8,
    "theta_sp": 0.9,
    "engine": "univariate",
    "prior": Prior(tau=0.7),
    "truth": "full_evidence",
    "stages": 1,
    "full_cost": 9.0,
    "data_share": ExtractionRate(3, 1),
    "floor": 0.6,
    "floor_studies": 4,
    "least_studies": 3,
    "least_patients": 50,
    "scale": 0.3,
    "chances_follow": True,
    "learns": True,
    "words_for": "infants",
    "words_against": "cost",
    "weighs_scores": True,
    "readers": Readers(("Ann", "Ben")),
    "application": Application(number="EP1", priority="2018-03-03"),
}
PATENT_ONLY = {"needs_citation", "confirm_hits", "kappa", "s", "application"}
LEARNING_ONLY = {"words_for", "words_against", "weighs_scores"}


@pytest.mark.parametrize("name", OTHER)
def test_every_setting_shows_when_it_changes(name: str) -> None:
    start, calibrator = (START, PATENT) if name in PATENT_ONLY else (REVIEW, INCLUSION)
    start = replace(start, learns=name in LEARNING_ONLY)
    moved = replace(start, **{name: OTHER[name]})
    assert changes(settings_rows(start, calibrator), settings_rows(moved, calibrator))


def test_no_setting_is_forgotten() -> None:
    assert {field.name for kind in (PatentSettings, ReviewSettings) for field in fields(kind)} == {
        *OTHER,
        "calibrator",
    }
    other = replace(PATENT, frailty=2.0, kind="frailty")
    assert changes(settings_rows(START, PATENT), settings_rows(START, other))


def test_of_settings_that_a_page_tries_those_that_differ_are_named() -> None:
    assert not_as_in_session(REVIEW, REVIEW) == ""
    values = spoken(record_message, not_as_in_session, REVIEW, replace(REVIEW, theta=0.9)).values
    assert values["names"] == [TRIED["theta"]]


def test_several_readers_and_what_each_of_them_reads_are_named() -> None:
    rows = dict(settings_rows(replace(REVIEW, readers=Readers(("Ann", "Ben", "Cem"), EXCLUDED)), INCLUSION))
    assert rows["Readers"] == "Ann, Ben and Cem"
    assert SECOND[EXCLUDED] in rows.values()
    said = protocol_paragraph(
        replace(REVIEW, readers=Readers(("Ann", "Ben", "Cem"), EXCLUDED)), INCLUSION, size=1
    )
    assert "Cem will" in said and "independently" not in protocol_paragraph(REVIEW, INCLUSION, size=1)
    shared = replace(REVIEW, readers=Readers(("Ann", "Ben"), SHARE, 0.2, 7))
    assert dict(settings_rows(shared, INCLUSION))["Share read twice"] == "20 %, drawn with seed 7"


def test_the_paragraph_names_what_decides() -> None:
    said = protocol_paragraph(
        START,
        PATENT,
        size=300,
        sources=["a.ris", "b.csv"],
        duplicates=3,
        query="A hinge\n with a pin",
        ranking="By likeness.",
    )
    for words in (
        "300 documents from a.ris, b.csv, after 3 duplicates were removed",
        "in a fixed order (by likeness)",
        "“A hinge with a pin”",
        "exceeds 20 %",
        "“Reject” brings £4,000 when it is right and loses £1,000 when it is wrong;",
        "costs £5.",
        "starts at 50 % and is updated after every document;",
        "Optimal: go on while",
        "“Reject” needs a confirmed document to cite",
        "reported as a deviation.",
    ):
        assert words in said, words
    assert "\n" not in said and PATENT.digest not in said
    assert re.search(rf"documents abc123; .* {PATENT.digest}\.$", protocol_appendix(START, PATENT, "abc123"))


def test_a_review_says_how_sensitivity_is_pooled() -> None:
    said = protocol_paragraph(replace(REVIEW, floor=0.9, s=0.95), INCLUSION, size=1)
    for words in (
        "whether sensitivity exceeds 75 %",
        "exact binomial likelihood",
        "is updated after every report read in full;",
        "read in full at a cost of £50 each",
        "right decision is below 90 %",
        "recognised with 95 % probability",
        "contains 1 document;",
    ):
        assert words in said, words
    assert "cite" not in said and REVIEW.belief_prior.digest not in said
    assert REVIEW.belief_prior.digest in protocol_appendix(REVIEW, INCLUSION, "")
    one = protocol_paragraph(replace(REVIEW, stages=1), INCLUSION, size=1)
    assert "with its 2×2 table" in one and "after every 2×2 table;" in one
    plain = protocol_paragraph(replace(START, payoffs=Payoffs.from_q_star(0.5), cost=0.001), PATENT, size=1)
    assert re.search(r"costs 0\.001, .* cost 1\.", plain)
