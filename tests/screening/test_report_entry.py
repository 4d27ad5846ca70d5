"""What a person types about a report: read exactly, refused in a sentence, never lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.errors import InputProblem
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tarstop_core.screening.report_entry import (
    ReportDraft,
    Waiting,
    by_study,
    filled_in,
    full_text_rows,
    study_name,
    table_rows,
)
from tarstop_core.screening.review_settings import ReviewSettings
from tarstop_core.screening.typed_numbers import TypedTable
from tarstop_core.value.payoffs import Payoffs

counts = st.integers(0, 10**6)
names = st.text(st.characters(categories=["Lu", "Ll", "Nd"]), min_size=1, max_size=12)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    """Any report that a form can hold."""
    outcome = draw(st.sampled_from(["data", "no data", "excluded", "not retrieved"]))
    study, reason = draw(names), draw(names)
    rows = ()
    if outcome == "data":
        parts = draw(st.lists(names, min_size=0, max_size=2))
        rows = tuple(
            AccuracyRow(f"{study}, {part}" if part else study, draw(counts), FP, draw(counts), TN)
            for part in ("", *parts)
            for FP, TN in [draw(st.one_of(st.just((None, None)), st.tuples(counts, counts)))]
        )
    return Report(outcome, reason, study, rows)


@given(reports())
def test_what_is_stored_comes_back_out_of_the_form(report: Report) -> None:
    assert ReportDraft.of(report, "ignored").report("unnamed") == report


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (TypedTable(TP="-1", FN="2"), "TP is “-1”"),
        (TypedTable(TP="3", FN="2.5"), "FN is “2.5”"),
        (TypedTable(TP="3"), "FN missing"),
        (TypedTable(FP="3", TN="4"), "TP and FN missing"),
        (TypedTable(TP="3", FN="2", FP="1"), "both FP and TN"),
        (TypedTable(TP="3", FN="1", sensitivity="0.5", diseased="4"), "rates give TP 2, FN 2"),
        (TypedTable(TP="9" * 12, FN="1"), "whole number"),
        (TypedTable(TP="²", FN="1"), "whole number"),
    ],
)
def test_a_wrong_table_says_what_is_wrong(table: TypedTable, said: str) -> None:
    with pytest.raises(InputProblem, match=said):
        ReportDraft(tables=(table,)).report("#1")


def test_of_several_tables_the_wrong_one_is_named_and_empty_ones_are_left_out() -> None:
    good = TypedTable(TP="9", FN="1")
    with pytest.raises(InputProblem, match=r"^Table 2: FN missing"):
        ReportDraft(study="Lee 2004", tables=(good, TypedTable(TP="3"))).report("#1")
    report = ReportDraft(study="Lee 2004", tables=(good, TypedTable(part="table 2"))).report("#1")
    assert [row.study for row in report.rows] == ["Lee 2004"]


def test_rates_become_counts_that_can_be_looked_at() -> None:
    typed = TypedTable(sensitivity="0.83", diseased="47", specificity="92.5 %", healthy="80")
    draft = ReportDraft(tables=(typed,))
    assert draft.to_convert == (0,)
    filled = typed.filled()
    assert filled.counts() == (39, 6, 8, 74)
    assert ReportDraft(tables=(filled,)).to_convert == ()
    with pytest.raises(InputProblem, match="number of diseased"):
        TypedTable(sensitivity="0.83").from_rates()
    with pytest.raises(InputProblem, match="healthy"):
        TypedTable(sensitivity="0.83", diseased="47", specificity="0.9").from_rates()


def test_a_table_typed_beside_an_outcome_without_data_is_not_dropped_silently() -> None:
    table = TypedTable(TP="9", FN="1")
    with pytest.raises(InputProblem, match="typed a 2×2 table"):
        ReportDraft("excluded", reason="Wrong test", tables=(table,)).report("#1")
    stored = Report("data", "", "Lee 2004", (AccuracyRow("Lee 2004", 9, None, 1, None),))
    changed = ReportDraft("excluded", reason="Wrong test", tables=(table,), stored=stored)
    assert changed.report("#1") == Report("excluded", "Wrong test")
    with pytest.raises(InputProblem, match="Say why"):
        ReportDraft("excluded").report("#1")


def test_a_study_without_a_name_gets_one() -> None:
    (row,) = ReportDraft(tables=(TypedTable(TP="9", FN="1"),)).report("Document #3").rows
    assert row.study == "Document #3"


@pytest.mark.parametrize(
    ("authors", "date", "name"),
    [
        ("Lee, Jane; Kim, S.", "2004-03-01", "Lee 2004"),
        ("Lee J, Kim S", "2004 Mar", "Lee 2004"),
        ("Lee, Jane", "", "Lee"),
        ("Jane Lee and Sam Kim", "c. 1999", "Lee 1999"),
        ("van der Berg, Anna", "2011", "van der Berg 2011"),
        ("O'Brien J-P; X", "2011", "O'Brien 2011"),
        ("WHO", "12345", "WHO"),
        ("", "2011", ""),
        ("", "", ""),
    ],
)
def test_studies_are_called_surname_year(authors: str, date: str, name: str) -> None:
    assert study_name(authors, date) == name


def test_what_is_exported_is_what_counts_and_what_was_recorded() -> None:
    ids = ["a", "b", "c", "d"]
    twice = Report("data", "", "Lee 2004", (AccuracyRow("Lee 2004", 9, None, 1, None),))
    log = [Event("label", {"doc": doc, "label": "relevant"}, seq=at + 1) for at, doc in enumerate(ids)]
    for doc, report in (("c", twice), ("a", twice), ("b", Report("excluded", "=Wrong test"))):
        log.append(
            Event("report", {"doc": doc, **report.to_dict()}, seq=len(log) + 1, time="t", reviewer="Ada")
        )
    settings = ReviewSettings(Payoffs.from_q_star(0.5), 0.001)
    state = replay(settings, ids, log)
    assert table_rows(state, ids) == [
        {"study": "Lee 2004", "document": "a", "rank": 1, "TP": 9, "FP": None, "FN": 1, "TN": None}
    ]
    assert by_study(state) == {"Lee 2004": [0, 2]}
    rows = full_text_rows(state, ids, log)
    assert [(row["document"], row["rank"], row["outcome"], row["reviewer"]) for row in rows] == [
        ("a", 1, "data", "Ada"),
        ("b", 2, "excluded", "Ada"),
        ("c", 3, "data", "Ada"),
        ("d", 4, "waiting", ""),
    ]
    assert (
        full_text_rows(replay(settings, ids, [*log, Event("undo", seq=8)]), ids, [*log, Event("undo")])[1][
            "outcome"
        ]
        == "waiting"
    )


def test_a_study_of_a_table_finds_its_report_by_author_id_or_title_and_never_takes_one_of_two() -> None:
    waiting = {
        0: Waiting("d1", "A trial of vaccines", "Lee 2004"),
        1: Waiting("PMID7", "Another trial", ""),
        2: Waiting("d3", "Aronson 1948: a trial of vaccines", ""),
        3: Waiting("d4", "First of two", "Kim 1999"),
        4: Waiting("d5", "Second of two", "Kim 1999"),
        5: Waiting("d6", "Aronson 19480 is no year", ""),
    }
    studies = ("Lee et al. 2004", "pmid7", "Aronson 1948", "Kim 1999", "A trial", "Nobody 2001")
    rows = [AccuracyRow(study, 9, 1, 1, 9) for study in studies]
    found = filled_in(rows, waiting, ReviewSettings(Payoffs.from_q_star(0.5), 0.001))
    assert {at: report.study for at, report in found.reports.items()} == dict(enumerate(studies[:3]))
    assert found.left_out == studies[3:]
