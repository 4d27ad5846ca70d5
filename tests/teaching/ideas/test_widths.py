"""More patients and more studies."""

from __future__ import annotations

from tarstop_core.teaching.ideas import widths


def test_more_patients_leave_the_interval_and_more_studies_narrow_it() -> None:
    found = widths.widths("mmse", 0.75, 1.0)
    assert found.patients[0] == found.studies[0]
    assert found.patients[-1] > 0.95 * found.patients[0]
    assert found.studies[-1] < 0.6 * found.studies[0]
    assert widths.widths_heading(found) == "More patients do not help; more studies do"
