"""Figures of the evidence: accepted by plotly, true to the numbers, the same in every state of the tables."""

import json
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior
from tarstop_core.documents.tables import Tables
from tarstop_core.evidence.curve_figures import belief_by_study, prior_and_posterior, value_of_more
from tarstop_core.evidence.study_figures import LEFT_OUT, forest, leave_one_out, sroc
from tarstop_core.evidence.summary import Evidence
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import FOR_PAPER
from tarstop_core.value.payoffs import Payoffs

Figure = dict[str, Any]
HALF = Payoffs.from_q_star(0.5)
DRAWN: dict[str, Callable[..., Figure]] = {
    "forest": forest,
    "sroc": sroc,
    "belief": lambda e, **how: belief_by_study(e, HALF, **how),
    "posterior": prior_and_posterior,
    "without": lambda e, **how: leave_one_out(e, HALF, **how),
    "value": lambda e, **how: value_of_more(e, HALF, **how),
}


@cache
def reviewed(*rows: tuple[float, ...], engine: str = "bivariate", names: str = "S") -> Evidence:
    """Studies as rows TP, FP, FN, TN."""
    cells = np.array(rows, dtype=float).reshape(-1, 4)
    return Evidence(
        Tables(tuple(f"{names} {at}" for at in range(len(rows))), *cells.T), 0.75, engine, Prior()
    )


FOUR = ((28, 9, 12, 91), (45, 22, 9, 130), (88, 31, 15, 240), (61, 12, 19, 176))
STATES = {
    "none": (),
    "one": ((8, 1, 2, 30),),
    "sensitivity alone": ((8, np.nan, 2, np.nan),) * 3,
    "all perfect": ((8, 1, 0, 30), (9, 2, 0, 40), (20, 0, 0, 12)),
    "no one diseased": ((0, 3, 0, 4),) * 3,
    "four": FOUR,
    "seventy": tuple((20 + i % 9, 3 + i % 4, 3 + i % 7, 90) for i in range(70)),
}


def texts(figure: Figure) -> str:
    return " ".join(str(note["text"]) for note in figure["layout"]["annotations"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("name", DRAWN)
def test_every_figure_is_one_in_every_state(name: str, state: str, engine: str) -> None:
    found = reviewed(*STATES[state], engine=engine)
    for dark in (False, True):
        figure = DRAWN[name](found, dark=dark, simulated=dark)
        go.Figure(figure)
        json.dumps(figure, allow_nan=False)
        assert ("simulated" in texts(figure)) == dark
        assert figure["layout"]["height"] < 1500


@pytest.mark.parametrize("name", DRAWN)
def test_texts_of_a_dark_page_can_be_put_on_paper(name: str) -> None:
    """Whatever differs between light and dark is a colour that saving a picture turns back."""
    found = reviewed(*FOUR)
    light, dark = (json.dumps(DRAWN[name](found, dark=each)) for each in (False, True))
    assert light != dark
    for on_dark, on_paper in FOR_PAPER.items():
        dark = dark.replace(on_dark, on_paper)
    assert dark == light


def test_the_forest_has_a_row_a_study_with_its_interval() -> None:
    found = reviewed(*FOUR)
    figure = forest(found)
    marks = [trace for trace in figure["data"] if trace["mode"] == "markers"]
    assert [len(trace["x"]) for trace in marks] == [4, 4]
    first = marks[0]
    assert first["x"] == pytest.approx(found.sensitivity.value)
    assert np.array(first["x"]) - first["error_x"]["arrayminus"] == pytest.approx(found.sensitivity.low)
    assert np.array(first["x"]) + first["error_x"]["array"] == pytest.approx(found.sensitivity.high)
    assert marks[1]["x"] == pytest.approx(found.specificity.value)
    assert first["marker"]["size"][2] == max(first["marker"]["size"])
    diamond = next(trace for trace in figure["data"] if trace.get("fill") == "toself")
    assert found.pooled.sensitivity is not None and diamond["x"][:3] == [
        found.pooled.sensitivity.low,
        found.pooled.sensitivity.value,
        found.pooled.sensitivity.high,
    ]
    said = [trace["text"] for trace in figure["data"] if trace["mode"] == "text"]
    assert said[0][0] == "0.70 [0.53, 0.83]"
    counts = next(trace for trace in figure["data"] if trace.get("xaxis") == "x5")
    assert np.reshape(counts["text"], (4, 4)).astype(float).tolist() == [
        getattr(found.tables, cell).tolist() for cell in ("TP", "FP", "FN", "TN")
    ]
    assert counts["y"][:4] == first["y"]


def test_the_forest_grows_with_the_studies_until_it_is_compact() -> None:
    heights = [forest(reviewed(*FOUR * times))["layout"]["height"] for times in (1, 5, 15)]
    assert heights[0] < heights[1] < heights[2]
    compact = forest(reviewed(*FOUR * 16))
    assert compact["layout"]["height"] < heights[1]
    assert compact["layout"]["yaxis"]["ticktext"] == ["<b>Pooled</b>"]
    order = np.array(compact["data"][0]["x"])[np.argsort(compact["data"][0]["y"])]
    assert (np.diff(order) <= 0).all()


def test_a_study_without_specificity_has_a_dash_there() -> None:
    figure = forest(reviewed(*FOUR, (8, np.nan, 2, np.nan)))
    columns = [trace["text"] for trace in figure["data"] if trace["mode"] == "text"]
    assert [column[-1] for column in columns if len(column) == 5] == ["0.80 [0.44, 0.97]", "–"]


def test_the_sroc_plot_has_points_regions_curve_and_what_is_pooled() -> None:
    found = reviewed(*FOUR)
    figure = sroc(found)
    assert found.summary is not None and found.curve is not None
    assert found.pooled.sensitivity is not None and found.pooled.specificity is not None
    *_, studies, other, pooled = figure["data"]
    for shown, symbol, each in ((pooled, "diamond", found.pooled), (other, "diamond-open", found.summary)):
        assert shown["marker"]["symbol"] == symbol
        assert (shown["x"], shown["y"]) == ([1 - each.specificity.value], [each.sensitivity.value])
    decides = reviewed(*FOUR, engine="reml")
    assert [each["marker"].get("symbol") for each in sroc(decides)["data"][-2:]] == [None, "diamond"]
    assert "REML" not in str([note["text"] for note in sroc(decides)["layout"]["annotations"][:2]])
    assert studies["x"] == pytest.approx(1 - found.specificity.value)
    lines = [trace for trace in figure["data"] if trace["mode"] == "lines"]
    assert [len(trace["x"]) for trace in lines] == [181, 181, 2, len(found.curve)]
    assert lines[2]["y"] == [0.75, 0.75]
    alone = sroc(reviewed(*FOUR[:2]))
    assert len(alone["data"]) == 3 and "curve" not in texts(alone)


def test_the_shaded_mass_is_the_belief() -> None:
    found = reviewed(*FOUR)
    shade = next(trace for trace in prior_and_posterior(found)["data"] if trace.get("fill") == "tozeroy")
    assert found.belief is not None
    assert abs(np.trapezoid(shade["y"], shade["x"]) - found.belief) < 0.01


def test_the_path_draws_every_belief() -> None:
    found = reviewed(*FOUR)
    figure = belief_by_study(found, HALF)
    assert figure["data"][0]["y"] == list(found.path.beliefs)
    assert f"act above {percent(0.5)}" in texts(figure)


def test_no_name_covers_the_path_or_another_name() -> None:
    found = reviewed((9, 1, 1, 30), (12, 2, 9, 40), (11, 1, 9, 40), *(((30, 3, 2, 90),) * 6))
    steps = list(pairwise(b for b in found.path.beliefs if b is not None))
    letter = len(steps) / 58  # a phone's plot has room for so many
    boxes: list[tuple[float, float, float]] = []
    for note in belief_by_study(found, HALF)["layout"]["annotations"]:
        if not note["text"].startswith("S "):
            continue
        wide = 3 * letter
        start = note["x"] + (-letter - wide if note["xanchor"] == "right" else letter)
        low = note["y"] + {"bottom": 0.01, "middle": -0.03, "top": -0.07}[note["yanchor"]]
        for n, (before, after) in enumerate(steps):
            assert not (start <= n + 1 and n <= start + wide and low <= before <= low + 0.06), note
            assert not (
                start <= n + 1 <= start + wide
                and min(before, after) <= low + 0.06
                and low <= max(before, after)
            ), note
        assert not any(abs(start - x) <= wide and abs(low - y) <= 0.06 for x, _, y in boxes), note
        boxes.append((start, wide, low))
    assert boxes


def test_leaving_out_marks_where_the_decision_turns() -> None:
    found = reviewed(*FOUR)
    without = found.without.beliefs
    assert found.belief is not None
    q_star = float((without[0] + found.belief) / 2)
    marks = next(
        trace
        for trace in leave_one_out(found, Payoffs.from_q_star(q_star))["data"]
        if trace["mode"] == "markers"
    )
    turned = [(b > q_star) != (found.belief > q_star) for b in without]
    assert any(turned)
    assert marks["marker"]["symbol"] == ["circle-open" if t else "circle" for t in turned]


def test_of_many_studies_those_that_matter_most_are_shown_in_their_order() -> None:
    rows = [(20, 3, 5, 90)] * 69 + [(1, 3, 24, 90)]
    figure = leave_one_out(reviewed(*rows), HALF)
    names = figure["layout"]["yaxis"]["ticktext"]
    assert len(names) == LEFT_OUT and names[-1] == "S 69"
    assert names == sorted(names, key=lambda name: int(name.split()[1]))


def test_the_value_starts_with_the_next_study_and_stays_below_certainty() -> None:
    found = reviewed(*FOUR)
    figure = value_of_more(found, HALF)
    certainty, curve, first = figure["data"]
    assert found.next_study is not None
    assert first["y"] == [curve["y"][0]] and max(curve["y"]) <= certainty["y"][0]


def test_names_are_not_read_as_markup() -> None:
    figure = forest(reviewed(*FOUR, names="<b>O'Neil & Sons"))
    assert "<b>O" not in json.dumps(figure["layout"]["yaxis"]["ticktext"])
    assert all("<b>O" not in text for text in figure["data"][0]["hovertext"])
