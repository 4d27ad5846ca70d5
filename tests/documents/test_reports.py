"""Full-text outcomes of reports, and the tables that they bring."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.documents.reports import OUTCOMES, AccuracyRow, EffectRow, Report, collect, tables_of
from tarstop_core.effects.studies import Form
from tarstop_core.errors import InputProblem

LEE = AccuracyRow("Lee 2004", 9, 1, 2, 30)
COUNTS = st.integers(0, 10**6)
ROWS = st.builds(AccuracyRow, st.text(max_size=8), COUNTS, COUNTS | st.none(), COUNTS, COUNTS | st.none())


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_a_report_survives_json(rows: list[AccuracyRow]) -> None:
    report = Report("data", study="x", rows=tuple(rows))
    assert Report.from_dict(json.loads(json.dumps(report.to_dict()))) == report


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ({"outcome": "lost"}, "cannot be 'lost'"),
        ({"outcome": "data"}, "needs its 2×2 table"),
        ({"outcome": "no data", "rows": (LEE,)}, "given for a report without data"),
        ({"outcome": "excluded", "reason": " "}, "Say why"),
        ({"outcome": "data", "rows": (AccuracyRow("x", -1, 0, 2, 3),)}, "TP = -1; give a whole number"),
        ({"outcome": "data", "rows": (AccuracyRow("x", 2.5, 0, 2, 3),)}, "TP = 2.5; give a whole number"),
    ],
)
def test_what_cannot_be_recorded_is_one_sentence(report: dict[str, object], said: str) -> None:
    with pytest.raises(InputProblem, match=said):
        Report(**report)  # type: ignore[arg-type]


def test_who_read_what() -> None:
    read = [
        outcome
        for outcome in OUTCOMES
        if Report(outcome, "why", rows=(LEE,) if outcome == "data" else ()).was_read
    ]
    assert read == ["data", "no data", "excluded"]


def test_missing_healthy_patients_are_not_a_number() -> None:
    tables = tables_of((AccuracyRow("a", 3, None, 1, None), LEE))
    assert np.isnan(tables.FP[0]) and np.isnan(tables.TN[0]) and tables.TN[1] == 30
    assert len(tables_of(())) == 0


def test_each_study_counts_once() -> None:
    other = AccuracyRow("lee 2004 ", 8, 1, 2, 30)
    evidence = collect({2: Report("data", rows=(LEE, other)), 5: Report("data", rows=(LEE,))})
    assert evidence.tables.TP.tolist() == [9, 8] and evidence.positions.tolist() == [2, 2]
    assert [note for note in evidence.notes if "counted once" in note and "#3 and #6" in note]
    differ = collect({2: Report("data", rows=(LEE,)), 5: Report("data", rows=(other,))})
    assert len(differ.tables) == 2 and "has 2 tables (documents #3 and #6)" in differ.notes[0]
    unnamed = Report("data", rows=(AccuracyRow("", 1, 1, 1, 1),))
    assert len(collect({0: unnamed, 1: unnamed}).tables) == 2 and not collect({0: unnamed, 1: unnamed}).notes


def test_a_trial_is_said_to_have_effects_not_tables() -> None:
    first, other = (EffectRow("Lee", Form.EVENTS, (hits, 40.0, 1.0, 50.0)) for hits in (9.0, 8.0))
    reports = [Report("data", rows=(row,)) for row in (first, other, other)]
    notes = collect(dict(enumerate(reports))).notes
    assert ["2 effects" in note for note in notes] == [False, True]
    assert "the same effect" in notes[0] and not any("table" in note for note in notes)


def test_a_study_is_what_the_report_says_it_reports() -> None:
    named = Report("data", study="Lee 2004", rows=(AccuracyRow("Lee 2004", 9, 1, 2, 30),))
    again = Report("data", study="Lee 2004", rows=(AccuracyRow("Lee 2004, table 2", 9, 1, 2, 30),))
    assert len(collect({0: named, 3: again}).tables) == 1
    cut_offs = Report(
        "data", study="Lee 2004", rows=(AccuracyRow("low", 9, 5, 2, 26), AccuracyRow("high", 7, 1, 4, 30))
    )
    evidence = collect({0: cut_offs})
    assert len(evidence.tables) == 2
    assert evidence.notes == (
        "Lee 2004 has 2 tables (document #1); all of them count. If they share patients, keep one.",
    )
