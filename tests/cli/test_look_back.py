"""``tarstop look-back``."""

from pathlib import Path

import pytest

from tests.cli.shell import Run, refused
from tests.reading_pages import still

HEAD = "id,title,label,read_order\n"
ROWS = [f"d{at},Title {at},{'relevant' if at in (0, 2, 3) else 'irrelevant'},{at + 1}" for at in range(60)]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Sixty documents, the last ten without a label."""
    unread = [f"u{at},Title u{at},," for at in range(10)]
    file = tmp_path / "project.csv"
    file.write_text(HEAD + "\n".join([*unread, *ROWS[::-1]]) + "\n", encoding="utf-8")
    return file


def test_it_reports_where_each_rule_would_have_stopped(tarstop: Run, project: Path) -> None:
    out = project.with_name("report.html")
    told = tarstop("look-back", project, "--out", out, "--policy", "consecutive:n=5", "--json").json
    assert (told["documents"], told["read"], told["relevant"]) == (70, 60, 3)
    first = told["stops"][0]
    # Nothing turned up from document 5 to 9.
    assert (first["depth"], first["relevant_read"], first["spared"], first["missed"]) == (9, 3, 51, 0)
    _, text = still(out.read_text(encoding="utf-8"))
    assert first["policy"] in text
    spoken = tarstop("look-back", project, "--out", out).out
    assert "60 of 70" in spoken


def test_a_project_without_an_order_is_refused(tarstop: Run, tmp_path: Path) -> None:
    file = tmp_path / "unordered.csv"
    file.write_text("id,title,label\na,One,relevant\nb,Two,irrelevant\n", encoding="utf-8")
    out = tmp_path / "report.html"
    refused(tarstop("look-back", file, "--out", out), "read_order")
    assert not out.exists()


def test_a_rule_that_weighs_a_decision_is_refused(tarstop: Run, project: Path) -> None:
    out = project.with_name("report.html")
    refused(tarstop("look-back", project, "--out", out, "--policy", "optimal"), "few-left")


def test_a_real_project(tarstop: Run, tmp_path: Path, real_data: Path) -> None:
    project = real_data / "exports" / "asreview_asreview-demo-project.asreview"
    told = tarstop("look-back", project, "--out", tmp_path / "report.html", "--json").json
    assert (told["documents"], told["read"], told["relevant"]) == (100, 23, 9)
