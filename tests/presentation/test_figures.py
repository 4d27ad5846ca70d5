"""Figures as data: accepted by plotly, small, without gaps that JSON or a log axis cannot hold."""

import json
import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.calibration.figures import reliability_figure, reliability_sentence
from tarstop_core.policies import Budget, Greedy, Optimal, Policy
from tarstop_core.presentation.curves import live_curves, window
from tarstop_core.presentation.figures import POINTS, plain, thinned, with_unit
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs

Figure = dict[str, Any]


# --- thinning -------------------------------------------------------------------------------------


@given(st.integers(1, 60_000).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))))
def test_thinned_keeps_the_cursor_both_ends_and_its_surroundings(case: tuple[int, int]) -> None:
    n, cursor = case
    kept = thinned(n, cursor)
    assert 1 <= len(kept) <= POINTS
    assert (np.diff(kept) > 0).all() and kept[0] == 0 and kept[-1] == n - 1
    near = np.arange(max(0, cursor - 40), min(n, cursor + 41))
    assert np.isin(near, kept).all()


def test_thinned_leaves_short_lists_whole() -> None:
    for n in (1, 2, POINTS):
        assert thinned(n, n // 2).tolist() == list(range(n))


@given(st.integers(1, 5_000), st.data(), st.sampled_from(["near", "all"]))
def test_the_window_holds_where_one_is_and_what_is_planned(n: int, data: st.DataObject, choice: str) -> None:
    depth = data.draw(st.integers(0, n))
    plan = data.draw(st.integers(depth, n))
    first, last = window(n, depth, plan, choice)
    assert 0 <= first <= depth <= plan <= last <= n
    assert (first, last) == (0, n) or choice == "near"
    assert last > first


# --- what holds of every figure ----------------------------------------------------------------------


def numbers(part: Any) -> Iterator[float]:
    if isinstance(part, dict):
        part = list(part.values())
    if isinstance(part, list | tuple):
        for each in part:
            yield from numbers(each)
    elif isinstance(part, int | float) and not isinstance(part, bool):
        yield part


def is_sound(figure: Figure) -> None:
    """Accepted by plotly, JSON without NaN, plain Python values, colours named, no 0 on a log axis."""
    go.Figure(figure)  # raises on any property or value it does not know
    json.dumps(figure, allow_nan=False)
    assert all(math.isfinite(each) for each in numbers(figure))
    layout = figure["layout"]
    for shape in layout.get("shapes", []):
        assert shape["line"]["color"]
    for note in layout.get("annotations", []):
        assert note["font"]["color"] and note["text"]
    for trace in figure["data"]:
        assert ("line" not in trace or trace["line"]["color"]) and (
            "marker" not in trace or trace["marker"]["color"]
        )
        assert "line" in trace or "marker" in trace
        for letter in "xy":
            name = trace.get(f"{letter}axis", letter).replace(letter, f"{letter}axis")
            if layout[name].get("type") == "log":
                assert all(value is None or value > 0 for value in trace[letter])
        assert len(trace["x"]) == len(trace["y"]) <= POINTS
    for name in ("xaxis", "yaxis", "yaxis2"):
        if name in layout:
            low, high = layout[name]["range"]
            assert low < high
            assert layout[name]["title"]["text"]


def live(
    path: DecisivePath,
    policy: Policy,
    cost: float,
    depth: int,
    choice: str = "near",
    log_depth: bool = False,
    dark: bool = False,
) -> Figure:
    plan = max(depth, int(policy.depths(path, [cost], start=depth)[0]))
    return live_curves(
        path.b,
        policy.value_rate(path),
        cost=cost,
        q_star=path.payoffs.q_star,
        depth=depth,
        plan=plan,
        hit=path.hit,
        span=window(len(path), depth, plan, choice),
        unit=path.payoffs.unit,
        log_depth=log_depth,
        dark=dark,
    )


@cache
def ranking(n: int, hit: int | None = None, q_star: float = 0.5) -> DecisivePath:
    p = np.minimum(0.9, 0.3 / np.arange(1, n + 1) ** 0.7)
    return DecisivePath(hit_curve(p), 0.5, Payoffs.from_q_star(q_star), hit=hit)


def trace_of(figure: Figure, colour: str, dash: str) -> Figure | None:
    found = [
        t for t in figure["data"] if t.get("line", {}).get("color") == colour and t["line"]["dash"] == dash
    ]
    return found[0] if found else None


BELIEF, VALUE, COST = "#0072B2", "#009E73", "#E69F00"


@pytest.mark.parametrize("policy", [Optimal(), Greedy(), Budget(30)])
@pytest.mark.parametrize("n", [1, 2, 60, 3_000])
@pytest.mark.parametrize("cost", [0.0, 1e-9, 0.001, 1.0])
@pytest.mark.parametrize("log_depth", [False, True])
def test_live_curves_are_sound(policy: Policy, n: int, cost: float, log_depth: bool) -> None:
    for depth in sorted({0, 1, n // 2, n - 1, n}):
        for choice in ("near", "all"):
            is_sound(live(ranking(n), policy, cost, depth, choice, log_depth))


@pytest.mark.parametrize("n", [1, 50, 3_000])
@pytest.mark.parametrize("log_depth", [False, True])
def test_a_hit_at_the_first_document(n: int, log_depth: bool) -> None:
    for depth in sorted({1, min(10, n)}):
        figure = live(ranking(n, hit=1), Optimal(), 0.001, depth, "all", log_depth)
        is_sound(figure)
        past = trace_of(figure, BELIEF, "solid")
        assert past is not None and past["y"][0] == 0.5 and set(past["y"][1:]) == {1.0}
        assert trace_of(figure, BELIEF, "dot") is None  # nothing is left to project
        assert next(t for t in figure["data"] if t["mode"] == "markers")["y"] == [1.0]


def test_a_certain_first_document() -> None:
    path = DecisivePath(hit_curve([1.0, 0.5, 0.0]), 0.5, Payoffs.from_q_star(0.5))
    for depth in range(4):
        is_sound(live(path, Optimal(), 0.001, depth))


def test_nothing_to_compare_leaves_one_panel() -> None:
    figure = live(ranking(100), Budget(30), 0.001, 5)
    assert "yaxis2" not in figure["layout"] and figure["layout"]["yaxis"]["domain"] == [0.0, 1.0]
    assert trace_of(figure, COST, "dash") is None


def test_the_past_is_solid_the_projection_ends_at_the_planned_stop() -> None:
    path = ranking(300)
    stop = int(Optimal().depths(path, [0.001], start=7)[0])
    assert stop > 20
    figure = live(path, Optimal(), 0.001, 7)
    past, ahead = trace_of(figure, BELIEF, "solid"), trace_of(figure, BELIEF, "dot")
    assert past is not None and ahead is not None
    assert past["x"] == list(range(8)) and past["y"] == pytest.approx(path.b[:8])
    assert ahead["x"][0] == 7 and ahead["x"][-1] == stop
    assert [shape["x0"] for shape in figure["layout"]["shapes"]] == [stop]
    worth = trace_of(figure, VALUE, "solid")
    assert worth is not None and worth["yaxis"] == "y2"
    assert worth["y"] == pytest.approx(path.value_rate()[: len(worth["y"])] / 0.001)


def test_the_cost_line_is_there_when_there_is_a_cost() -> None:
    line = trace_of(live(ranking(100), Optimal(), 0.002, 5), COST, "dash")
    assert line is not None and line["y"] == [1.0, 1.0] and line["yaxis"] == "y2"
    free = live(ranking(100), Optimal(), 0.0, 5)
    assert all(note["text"] != "1: what it costs" for note in free["layout"]["annotations"])


def test_labels_of_lines_stand_clear() -> None:
    """The cost's label keeps off the end where the value meets the cost; what crosses a label is covered."""
    for dark, paper in ((False, "#FFFFFF"), (True, "#14181D")):
        figure = live(ranking(300), Optimal(), 0.001, 7, dark=dark)
        act, cost = figure["layout"]["annotations"]
        assert (act["bgcolor"], cost["bgcolor"]) == (paper, paper)
        assert (cost["x"], cost["xanchor"]) == (0, "left")


@pytest.mark.parametrize(("depth", "side"), [(0, "right"), (5, "right"), (35, "left"), (39, "left")])
def test_the_cost_is_named_away_from_a_point_that_stands_alone(depth: int, side: str) -> None:
    """In a review that stops, only the present depth has a worth, and it is the cost."""
    worth = np.where(np.arange(40) == depth, 5.0, 0.0)
    how = {"q_star": 0.5, "hit": None, "span": (0, 40), "steps": True}
    figure = live_curves(np.full(41, 0.4), worth, cost=5.0, depth=depth, plan=depth, **how)
    (named,) = (note for note in figure["layout"]["annotations"] if note["text"] == "1: what it costs")
    assert named["xanchor"] == side


def test_both_lines_span_the_window() -> None:
    for depth in (0, 40, 2_000, 4_999):
        figure = live(ranking(5_000), Greedy(), 0.001, depth, "all")
        assert figure["layout"]["xaxis"]["range"] == [0.0, 5_000.0]


@given(
    p=st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 1.0, 1e-12])), min_size=1, max_size=40),
    b_0=st.floats(0.01, 0.99),
    q_star=st.floats(0.05, 0.95),
    cost=st.sampled_from([0.0, 1e-12, 0.001, 1.0]),
    cited=st.booleans(),
    data=st.data(),
)
def test_any_ranking_can_be_drawn(
    p: list[float], b_0: float, q_star: float, cost: float, cited: bool, data: st.DataObject
) -> None:
    depth = data.draw(st.integers(0, len(p)))
    hit = data.draw(st.one_of(st.none(), st.integers(1, depth))) if depth else None
    payoffs = Payoffs.from_q_star(q_star, K=20_000, unit="£")
    path = DecisivePath(hit_curve(p), b_0, payoffs, hit=hit, needs_citation=cited)
    policy = data.draw(st.sampled_from([Optimal(), Greedy(), Budget(5)]))
    choice, log_depth = data.draw(st.sampled_from(["near", "all"])), data.draw(st.booleans())
    is_sound(live(path, policy, cost * 20_000, depth, choice, log_depth))


@pytest.mark.parametrize("unsure", [[10], [3, 4, 15]])
def test_a_document_without_a_verdict_bends_no_curve(unsure: list[int]) -> None:
    p = np.minimum(0.9, 0.3 / np.arange(1, 41) ** 0.7)
    uninformative = np.isin(np.arange(40), unsure)
    path = DecisivePath(hit_curve(p, uninformative=uninformative), 0.5, Payoffs.from_q_star(0.5))

    def worths(**more: Any) -> list[float]:
        figure = live_curves(
            path.b,
            Optimal().value_rate(path),
            cost=0.001,
            q_star=0.5,
            depth=20,
            plan=30,
            hit=None,
            span=(0, 39),
            **more,
        )
        return next(trace["y"] for trace in figure["data"] if trace.get("yaxis") == "y2")[:20]

    assert (np.diff(worths()) > 0).any()
    assert (np.diff(worths(uninformative=uninformative)) <= 0).all()


@pytest.mark.parametrize(
    ("cost", "said"), [(0.001, "the next document is worth less than it costs"), (0.0, "nothing to gain")]
)
def test_where_nothing_can_be_gained_the_lower_curve_says_so(cost: float, said: str) -> None:
    path = ranking(40)

    def drawn(worth: float, before: float = 0.3) -> Figure:
        how = {"q_star": 0.5, "depth": 20, "plan": 20, "hit": None, "span": (0, 39)}
        return live_curves(path.b, np.repeat([before, worth], 20), cost=cost, **how)

    assert said in [note["text"] for note in drawn(-0.1)["layout"]["annotations"]]
    assert said not in [note["text"] for note in drawn(0.1)["layout"]["annotations"]]
    low, high = drawn(-0.1)["layout"]["yaxis2"]["range"]
    assert low < high and (low < 0 or not cost), "the axis reaches below the cost"
    alone = drawn(-0.1, before=-0.1)["layout"]
    assert "yaxis2" not in alone and alone["yaxis"]["domain"] == [0.0, 1.0], "an axis without a curve"


# --- reliability ----------------------------------------------------------------------------------

BINS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(1, 10_000)), min_size=1, max_size=10)


@given(BINS, st.booleans())
def test_reliability_figures_are_sound(bins: list[tuple[float, float, int]], simulated: bool) -> None:
    figure = reliability_figure(sorted(bins), simulated)
    is_sound(figure)
    (points,) = (trace for trace in figure["data"] if "error_y" in trace)
    assert min(points["error_y"]["array"] + points["error_y"]["arrayminus"]) >= -1e-12
    assert any(note["text"] == "simulated" for note in figure["layout"]["annotations"]) == simulated


def test_reliability_in_a_sentence() -> None:
    assert reliability_sentence([]) == "No document was judged."
    numbers = re.compile(r"[\d.,]*\d")
    alone = reliability_sentence([(0.031, 0.04, 100)])
    assert numbers.findall(alone) == ["3.1", "4", "100"]
    several = reliability_sentence([(0.01, 0.02, 900), (0.13, 0.1, 100), (0.5, 0.25, 8)])
    assert numbers.findall(several) == ["50", "25", "8", "1,000", "2.8", "2.2"]


def test_with_unit_by_example() -> None:
    assert (with_unit("worth each", "£"), with_unit("EVPI", "<b>"), with_unit("EVPI", "")) == (
        "worth each (£)",
        "EVPI (&lt;b>)",
        "EVPI",
    )


def test_plain_by_example() -> None:
    assert (plain("<b> & co", 44), plain("One that is long", 8)) == ("&lt;b> &amp; co", "One tha…")
