"""Figures without a script hold what plotly would draw, where its axes put it."""

import re
import xml.etree.ElementTree as ElementTree
from html import unescape
from typing import Any

import numpy as np
import pytest

from tarstop_core.belief.decisive import hit_curve
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.calibration.figures import reliability_figure
from tarstop_core.documents.tables import Tables
from tarstop_core.evidence.curve_figures import belief_by_study, prior_and_posterior, value_of_more
from tarstop_core.evidence.study_figures import forest, leave_one_out, sroc
from tarstop_core.evidence.summary import evidence
from tarstop_core.policies import Budget, Optimal
from tarstop_core.presentation.curves import live_curves
from tarstop_core.presentation.figures import Chart, Figure
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import VALUE
from tarstop_core.presentation.pictures import DASHES, fluid, still
from tarstop_core.sessions import compare as sessions_figures
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.payoffs import Payoffs
from tests.presentation.drawn import SVG, courses, height, picture, points

PATH = DecisivePath(hit_curve(np.minimum(0.9, 0.3 / np.arange(1, 301) ** 0.7)), 0.5, Payoffs.from_q_star(0.5))
DOWN = 260
COUNTS = np.array([[14, 20, 9, 30], [3, np.nan, 1, 8], [6, 2, 1, 9], [40, np.nan, 25, 70]], dtype=float)
FOUND = evidence(Tables(("A & <b>", "B", "C", "D"), *COUNTS), Question(0.75, "bivariate", Prior()))


def live(worth: bool = True, depth: int = 7, **more: Any) -> Figure:
    told: dict[str, Any] = {"cost": 0.001, "plan": 40, "hit": None, "span": (0, 50), **more}
    rule = Optimal() if worth else Budget(30)
    return live_curves(PATH.b, rule.value_rate(PATH), q_star=0.5, depth=depth, **told)


def words(html: str) -> list[str]:
    return re.findall(r"<span[^>]*>(.*?)</span>", html)


def test_lines_and_the_point_stand_where_the_axes_put_them() -> None:
    figure = live()
    html = fluid(figure, "says")
    lines, marks = iter(courses(html)), iter(points(html))
    for trace in figure["data"]:
        axis = figure["layout"]["yaxis2" if trace.get("yaxis") == "y2" else "yaxis"]
        (low, high), (first, last) = axis["range"], axis["domain"]
        y = np.array(trace["y"], dtype=float)
        share = ((np.log10(y) if axis.get("type") == "log" else y) - low) / (high - low)
        height = DOWN * (1 - first - (last - first) * share)
        course = next(lines) if trace["mode"] == "lines" else [next(marks)]
        assert [x for x, _ in course] == pytest.approx([20.0 * x for x in trace["x"]], abs=0.06)
        assert [y for _, y in course] == pytest.approx(height.tolist(), abs=0.06)
    assert next(lines, None) is next(marks, None) is None
    *_, stop = (path for path in picture(html).iter(f"{SVG}path") if path.get("d") == "M800.0 0V1000.0")
    assert stop.get("stroke-dasharray") == DASHES["dot"]


def test_texts_are_those_of_the_figure_and_it_says_what_it_shows() -> None:
    html = fluid(live(), 'more than "half" & so')
    assert "&quot;half&quot; &amp; so" in html and '"half"' not in html
    for said in (
        "chance of prior art",
        "worth each ÷ cost",
        "documents read",
        f"act above {percent(0.5)}",
        "1: what it costs",
        "50\u00a0%",
    ):
        assert said in words(html), said
    assert [each for each in words(html) if each.isdigit()][:6] == ["0", "10", "20", "30", "40", "50"]
    ElementTree.tostring(picture(html))


def test_one_part_where_nothing_is_compared_and_steps_where_studies_move_it() -> None:
    alone = fluid(live(worth=False), "")
    assert "worth" not in " ".join(words(alone))
    assert max(y for course in courses(alone) for _, y in course) > DOWN / 2
    stepped = picture(fluid(live(steps=True), ""))
    assert any("V" in path.get("d", "") for path in stepped.iter(f"{SVG}path"))


@pytest.mark.parametrize(
    "more", [{"log_depth": True}, {"log_depth": True, "depth": 0}, {"cost": 0.0}, {"hit": 5}]
)
def test_it_is_drawn_on_log_axes_free_of_cost_and_after_a_hit(more: dict[str, Any]) -> None:
    html = fluid(live(**more), "")
    spots = [spot for course in courses(html) for spot in course]
    assert spots and all(-0.1 <= x <= 1000.1 for x, _ in spots) and np.isfinite(spots).all()
    if more.get("log_depth"):
        assert {"1", "10"} <= set(words(html))


def test_the_forest_has_every_number_where_its_axis_puts_it() -> None:
    figure = forest(FOUND, simulated=True)
    drawn = ElementTree.fromstring(still(figure, "says"))
    texts = {text.text: text for text in drawn.iter(f"{SVG}text")}
    for words in ("A & <b>", "simulated", "TP", "–", "Pooled", "0.70 [0.46, 0.88]", "dotted: 75\xa0%"):
        assert words in texts or words.replace("\xa0", " ") in texts, words
    assert texts["Pooled"].get("font-weight") == "bold"
    squares = [each for each in drawn.iter(f"{SVG}polygon") if len((each.get("points") or "").split()) == 4]
    assert len(squares) == 4 + 3
    margin, (low, high), (first, last) = (
        figure["layout"]["margin"],
        figure["layout"]["xaxis"]["range"],
        figure["layout"]["xaxis"]["domain"],
    )
    across = 760 - margin["l"] - margin["r"]
    corners = [float(each.split(",")[0]) for each in (squares[0].get("points") or "").split()]
    share = np.mean(corners) / across
    assert low + (high - low) * (share - first) / (last - first) == pytest.approx(0.7, abs=0.002)


@pytest.mark.parametrize(
    "figure",
    [
        forest(FOUND),
        sroc(FOUND),
        belief_by_study(FOUND, Payoffs.from_q_star(0.5)),
        prior_and_posterior(FOUND),
        leave_one_out(FOUND, Payoffs.from_q_star(0.5)),
        value_of_more(FOUND, Payoffs.from_q_star(0.5)),
    ],
    ids=["forest", "plane", "belief", "prior", "left out", "more studies"],
)
def test_every_point_says_what_it_is_and_every_number_is_drawn(figure: Figure) -> None:
    html = fluid(figure, "says")
    told = [text for trace in figure["data"] if "markers" in trace["mode"] for text in trace["hovertext"]]
    assert [unescape(text) for text in told] == [
        unescape(text) for text in re.findall('data-says="([^"]*)"', html)
    ]
    assert len(points(html)) == len(told)
    for drawn in (html, ElementTree.tostring(picture(html)).decode(), still(figure, "says")):
        assert "nan" not in drawn and "inf" not in drawn


def test_the_plane_has_studies_point_and_regions() -> None:
    drawn = ElementTree.fromstring(still(sroc(FOUND), "says"))
    assert len(list(drawn.iter(f"{SVG}circle"))) == 3 and len(list(drawn.iter(f"{SVG}path"))) >= 2
    assert drawn.get("aria-label") == "says"


def test_intervals_of_shares_stand_upright_where_the_axes_put_them() -> None:
    figure = reliability_figure([(0.1, 0.2, 50), (0.4, 0.3, 20)])
    html, top, (_, told) = fluid(figure, "says"), figure["layout"]["yaxis"]["range"][1], figure["data"]
    drawn = [course for course in courses(html) if len(course) == 2 and course[0][0] == course[1][0]]
    reach = told["error_y"]
    for course, x, y, less, more in zip(
        drawn, told["x"], told["y"], reach["arrayminus"], reach["array"], strict=True
    ):
        ends = [(1000 * x / top, height(html) * (1 - end / top)) for end in (y - less, y + more)]
        assert np.allclose(course, ends, atol=0.06)


def test_no_two_strokes_of_sessions_side_by_side_are_one() -> None:
    drawn = [DASHES.get(dash, "") for dash in sessions_figures.DASHES]
    assert len({*drawn}) == len(drawn)


def test_words_that_a_curve_may_cross_have_a_rim_in_a_report() -> None:
    drawn = ElementTree.fromstring(still(sroc(FOUND), "says"))
    rims = {"".join(text.itertext()): "stroke" in text.get("style", "") for text in drawn.iter(f"{SVG}text")}
    assert [name for name, rim in rims.items() if rim and "region" in name] and not rims["sensitivity"]


def test_no_number_on_an_axis_has_an_exponent() -> None:
    chart = Chart(300)
    chart.line([0, 2_000_000], [0, 0.00015], VALUE)
    chart.axis("xaxis", "", range=[0, 2_000_000], tickvals=[0, 2_000_000])
    chart.axis("yaxis", "", range=[0, 0.00015], nticks=4)
    html = fluid(chart.figure(), "")
    assert "0.00005" in html and "2,000,000" in html and "e-05" not in html
