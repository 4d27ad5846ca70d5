"""Beliefs by study are those that the command line prints; more patients and more studies."""

from pathlib import Path

import pytest

from tarstop_core.documents.tables import CELLS
from tarstop_core.teaching.ideas import engines, message
from tests.spoken import listening
from tests.teaching.ideas.printed import printed


def test_beliefs_by_study_are_what_belief_prints(tmp_path: Path) -> None:
    tables = engines.table_sets()["audit-c"].tables
    file = tmp_path / "studies.csv"
    rows = zip(tables.study, *(getattr(tables, cell).astype(int) for cell in CELLS), strict=True)
    lines = "".join(",".join(map(str, row)) + "\n" for row in rows)
    file.write_text("study,TP,FP,FN,TN\n" + lines, encoding="utf-8")
    paths = engines.belief_paths("audit-c", 0.75, 1.0)
    for engine, path in paths.items():
        said = printed("belief", str(file), "--theta=0.75", f"--engine={engine}", "--prefixes")
        for own, other in zip(path.beliefs, said["prefixes"], strict=True):  # type: ignore[call-overload]
            assert own == (None if other is None else pytest.approx(other, abs=1e-9))


def test_every_set_is_drawn_and_only_simulated_ones_say_so() -> None:
    for name, each in engines.table_sets().items():
        picture = engines.engines_picture(name, 0.75, 1.0)
        notes = str(picture.drawing["layout"]["annotations"])
        assert ("simulated" in notes) == each.simulated
        assert len(picture.rows) == len(each.tables) + 1


def test_more_patients_leave_the_interval_and_more_studies_narrow_it() -> None:
    found = engines.widths("mmse", 0.75, 1.0)
    assert found["patients"][0] == found["studies"][0]
    assert found["patients"][-1] > 0.95 * found["patients"][0]
    assert found["studies"][-1] < 0.6 * found["studies"][0]
    with listening(message) as heard:
        engines.widths_picture("mmse", 0.75, 1.0)
    assert heard[0] == ("widths_heading", {"patients_help": False})
