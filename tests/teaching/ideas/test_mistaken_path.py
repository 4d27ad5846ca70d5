"""One list with scaled chances."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tarstop_core.policies import Optimal
from tarstop_core.teaching.ideas import mistaken_path
from tarstop_core.teaching.ideas.shared import at_stake, search
from tests.teaching.ideas.printed import replayed


@pytest.mark.parametrize("factor", [0.25, 0.5])
def test_scaled_chances_stop_where_replay_with_such_a_calibrator_does(tmp_path: Path, factor: float) -> None:
    explored = search("battery-pack")  # nothing to find: what is planned is what comes
    asked = at_stake(explored, 0.5, 0.001)
    path = mistaken_path.scaled(explored, asked, factor)
    calibrator = replace(explored.calibrator, y=tuple(factor * each for each in explored.calibrator.y))
    said = replayed(replace(explored, calibrator=calibrator), tmp_path, "optimal", 0.5, 0.001)
    assert Optimal().depths(path, [0.001])[0] == said["depth"]


def test_a_path_beside_itself_says_so() -> None:
    explored = search("battery-pack")
    asked = at_stake(explored, 0.5, 0.001)
    right = mistaken_path.scaled(explored, asked, 1.0)
    assert right.curve.log_M == pytest.approx(explored.planned(asked).curve.log_M)  # type: ignore[union-attr]
    said = mistaken_path.mistaken_path_sentence(right, right, Optimal(), 0.001, 1.0)
    assert said.endswith("move the factor.")
    assert len(mistaken_path.mistaken_path_figure(right, right, Optimal(), 0.001, 1.0)["data"]) == 3
