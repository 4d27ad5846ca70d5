"""What is said of reports read in full."""

from dataclasses import replace

from dashboard.screen.full_text import _read_html
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.screening.events import report_event
from tarstop_core.screening.fold import replay
from tarstop_core.screening.log import Event
from tests.session_cases import REVIEW


def test_tables_of_a_study_without_a_name_are_said_too() -> None:
    """A session of an earlier version may hold nothing else, and its page must open."""
    ids = ["a", "b"]
    log = [Event("label", {"doc": doc, "label": "relevant"}) for doc in ids]
    read = replay(REVIEW, ids, log)
    log.append(report_event(read, ids, "a", Report("data", rows=(AccuracyRow("", 9, 1, 2, 30),))))
    assert "Data: #1 (2×2 table)" in _read_html(replay(REVIEW, ids, log))
    log.append(report_event(read, ids, "b", Report("excluded", reason="animals")))
    said = _read_html(replay(replace(REVIEW, stages=2), ids, log))
    assert "Excluded: #2 (animals)" in said
