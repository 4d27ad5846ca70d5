"""Figures of lessons and of the game: what they show is what is known so far, and not more."""

from dataclasses import replace
from typing import Any

import pytest

from tarstop_core.explore.lists import sample
from tarstop_core.policies import Budget, Optimal, Policy
from tarstop_core.teaching import figures
from tarstop_core.teaching.figures import end_of_axis
from tarstop_core.teaching.game import ROUNDS, Call, Game, compared, finds_of
from tarstop_core.teaching.lesson import Lesson

CALLS = (Call(7, False), Call(5, True), Call(30, False), Call(15, False), Call(19, True))


def given(key: str, policy: Policy) -> Lesson:
    explored = sample(key)
    return Lesson(explored, explored.settings, policy)


def texts(figure: dict[str, Any]) -> str:
    return " ".join(str(note["text"]) for note in figure["layout"]["annotations"])


@pytest.mark.parametrize("key", ["search:antenna-mount", "review:hollow-hip"])
@pytest.mark.parametrize("policy", [Optimal(), Budget(30)])
def test_curves_grow_with_the_step_on_an_axis_that_holds_still(key: str, policy: Policy) -> None:
    one = given(key, policy)
    ends = []
    for depth in range(min(one.stop, 12) + 1):
        step = one.step(depth)
        figure = figures.lesson_curves(one, step, dark=depth % 2 == 1)
        past, *_ = figure["data"]
        assert max(past["x"]) == depth and past["y"][-1] == pytest.approx(step.now.b)
        assert "simulated" in texts(figure)
        ends.append(figure["layout"]["xaxis"]["range"][1])
    assert len(set(ends)) <= 3


def test_letters_are_larger_than_on_other_pages() -> None:
    one = given("search:antenna-mount", Optimal())
    layout = figures.lesson_curves(one, one.step(3))["layout"]
    assert layout["yaxis"]["title"]["font"]["size"] == 16 and layout["yaxis"]["tickfont"]["size"] == 14


@pytest.mark.parametrize("at", [0, 1])
def test_a_round_being_played_shows_nothing_of_what_comes(at: int) -> None:
    game = Game(calls=(*CALLS[:at], Call(4)))
    figure = figures.round_so_far(game)
    xs = [
        x
        for trace in figure["data"]
        if trace["line" if "line" in trace else "marker"]["color"] == "#0072B2"
        for x in trace["x"]
    ]
    assert max(xs) == 4 and "simulated" in texts(figure)


def test_a_round_that_is_over_shows_both_stops_and_the_finds() -> None:
    game = Game(calls=CALLS)
    for at in range(ROUNDS):
        figure = figures.round_to_its_end(game, at, dark=at % 2 == 1)
        assert f"You: {CALLS[at].depth}" in texts(figure) or f"You and Optimal: {CALLS[at].depth}" in texts(
            figure
        )
        columns = figures.round_columns(game, at)
        assert columns["depth"][columns["you_stopped"]].tolist() == [CALLS[at].depth]
        assert columns["find"].sum() == len(finds_of(sample(game.keys[at])))


def test_standings_name_every_row_and_mark_the_person() -> None:
    rows = compared(Game(calls=CALLS))
    figure = figures.standings(rows)
    (points,) = figure["data"]
    assert points["x"] == [row.total for row in rows]
    assert figure["layout"]["yaxis"]["ticktext"][[row.you for row in rows].index(True)] == "<b>You</b>"
    assert points["marker"]["symbol"].count("diamond") == 1
    none = [replace(row) for row in rows if not row.you]
    assert "diamond" not in figures.standings(none, dark=True)["data"][0]["marker"]["symbol"]


def test_end_of_axis_by_example() -> None:
    assert (end_of_axis(3, 300), end_of_axis(14, 300), end_of_axis(24, 300), end_of_axis(290, 300)) == (
        15,
        25,
        40,
        300,
    )
