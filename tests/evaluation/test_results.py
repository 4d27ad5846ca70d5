"""Results in files, and those that come with the programme."""

from pathlib import Path

import numpy as np
import pytest

from tarstop_core.errors import InputProblem
from tarstop_core.evaluation.results import Results, load, results_file, save, shipped


def test_small_files_hold_the_same_results(small: Results, tmp_path: Path) -> None:
    save(small, tmp_path / "r.npz", small=True)
    again = load(tmp_path / "r.npz")
    np.testing.assert_array_equal(again.plus, small.plus)
    np.testing.assert_allclose(again.screened, small.screened, rtol=1e-7)
    np.testing.assert_allclose(again.recall, small.recall, rtol=1e-7)
    whole = [m for m, each in enumerate(small.methods) if each.policy != "qbcb"]
    np.testing.assert_array_equal(again.net_utility[:, whole], small.net_utility[:, whole])
    assert results_file(tmp_path / "r.npz").settings == again.settings
    (tmp_path / "r.npz").write_bytes(b"no results")
    with pytest.raises(InputProblem, match=r"r\.npz is not a file of results"):
        results_file(tmp_path / "r.npz")


def test_shipped_files_are_small_and_say_where_they_come_from() -> None:
    files = shipped()
    assert {"patent", "review", "clef", "clef-travel", "clef-review"} <= {each.benchmark for each in files}
    for each in files:
        assert each.path.stat().st_size < 1_000_000
        assert each.settings["provenance"]
    assert [each.simulated for each in files] == sorted((each.simulated for each in files), reverse=True)
