"""Runs beside the pages: what is said of them (what they do: ``ui/results/test_page.py``)."""

from __future__ import annotations

from tarstop_core.evaluation.running import Status, progress_said


def test_progress_is_said_with_time_left() -> None:
    said = progress_said(Status("running", 0.421, "tuning", 75.0))
    assert said == "42 % · tuning · about 1 min 15 s left"
    assert "left" not in progress_said(Status("stopping", 0.4, "tuning"))
