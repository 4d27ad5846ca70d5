"""What wrong chances cost, and one list with scaled chances."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.policies import Optimal
from tarstop_core.teaching.ideas import at_stake, factor_name, mistaken, sample_search, searches
from tarstop_core.teaching.ideas.mistaken import FACTORS
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tests.teaching.ideas.printed import replayed

PROBABILITY = st.floats(0.02, 0.98)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.floats(0.0, 0.95), min_size=1, max_size=7), PROBABILITY, PROBABILITY, st.booleans(), st.data()
)
def test_the_expected_utility_is_that_of_going_through_every_world(
    p: list[float], q_star: float, b_0: float, plus: bool, data: st.DataObject
) -> None:
    depth = data.draw(st.integers(0, len(p)))
    payoffs, cost = Payoffs.from_q_star(q_star), 0.01
    path = DecisivePath(hit_curve(p), b_0, payoffs)
    total, alive = 0.0, 1.0
    for at in range(depth):
        total += b_0 * alive * p[at] * (payoffs.B - cost * (at + 1))
        alive *= 1 - p[at]
    for omega, weight in ((True, b_0 * alive), (False, 1 - b_0)):
        total += weight * (payoffs.outcome(plus, omega) - cost * depth)
    assert mistaken.expected(path, depth, plus, cost) == pytest.approx(total, abs=1e-12)


def test_right_chances_lose_nothing_and_high_ones_lose_most() -> None:
    optimal, greedy = mistaken.mistaken(at_stake(searches()[0], 0.5, 0.001))
    even = FACTORS.index(1.0)
    assert optimal.lost[even] == pytest.approx(0, abs=1e-12)
    assert (optimal.lost >= -1e-12).all() and (greedy.lost >= -1e-12).all()
    assert optimal.lost[-1] > 10 * optimal.lost[0]
    # The more is promised, the sooner misses make one give up.
    assert optimal.depth[0] > optimal.depth[even] > optimal.depth[-1]


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_figure_and_sentence_agree_with_the_rows(factor: float) -> None:
    found = mistaken.mistaken(at_stake(sample_search("prosthetic-foot"), 0.3, 0.001))
    picture = mistaken.mistaken_picture(found, factor)
    assert len(picture.rows) == len(found) * len(FACTORS)
    assert picture.drawing["data"][1]["y"] == [row["lost"] for row in picture.rows[: len(FACTORS)]]
    assert "simulated" in str(picture.drawing["layout"]["annotations"])
    assert f"Optimal reads {picture.rows[FACTORS.index(factor)]['depth']:.3g} documents" in picture.sentence


@pytest.mark.parametrize("factor", [0.25, 0.5])
def test_scaled_chances_stop_where_replay_with_such_a_calibrator_does(tmp_path: Path, factor: float) -> None:
    explored = sample_search("battery-pack")  # nothing to find: what is planned is what comes
    asked = at_stake(explored, 0.5, 0.001)
    path = mistaken.scaled(explored, asked, factor)
    calibrator = replace(explored.calibrator, y=tuple(factor * each for each in explored.calibrator.y))
    said = replayed(replace(explored, calibrator=calibrator), tmp_path, "optimal", 0.5, 0.001)
    assert Optimal().depths(path, [0.001])[0] == said["depth"]


def test_a_path_beside_itself_says_so() -> None:
    explored = sample_search("battery-pack")
    asked = at_stake(explored, 0.5, 0.001)
    right = mistaken.scaled(explored, asked, 1.0)
    assert right.curve.log_M == pytest.approx(explored.planned(asked).curve.log_M)  # type: ignore[union-attr]
    picture = mistaken.mistaken_path_picture(explored, asked, 1.0)
    assert picture.sentence.endswith("move the factor.")
    assert len(picture.drawing["data"]) == 3


def test_factor_name_by_example() -> None:
    assert [factor_name(each) for each in (0.25, 0.5**0.5, 1.0, 4.0)] == ["× 1/4", "× 0.71", "× 1", "× 4"]
