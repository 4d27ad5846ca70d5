"""Hand-drawn charts are well-formed and stay inside their frame."""

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.presentation.svg import HEIGHT, WIDTH, Line, chart

SVG = "{http://www.w3.org/2000/svg}"
value = st.none() | st.floats(0, 1e6)


@given(st.lists(value, min_size=1, max_size=40), st.booleans(), st.booleans())
def test_lines_stay_inside_and_break_where_nothing_is_known(
    y: list[float | None], log: bool, steps: bool
) -> None:
    line = Line([float(at) for at in range(len(y))], y, "#000", "a <b>", steps=steps)
    drawn = chart([line], x_title="x", y_title="y", y_range=(-3, 2) if log else (0, 1), log=log, says='"&<')
    root = ElementTree.fromstring(drawn)
    assert root.get("aria-label") == '"&<'
    path = next(root.iter(f"{SVG}path")).get("d", "")
    known = [v is not None and (not log or v > 0) for v in y]
    starts = sum(now and not before for before, now in zip([False, *known], known, strict=False))
    assert path.count("M") == starts
    for letter, x, down in re.findall(r"([ML])([\d.]+) ([\d.]+)", path):
        assert letter and 0 <= float(x) <= WIDTH and 0 <= float(down) <= HEIGHT


@pytest.mark.parametrize(("curve", "anchor"), [([0.1, 0.1, 0.9], "start"), ([0.6, 0.1, 0.1], "end")])
def test_a_name_stands_where_no_other_line_passes(curve: list[float], anchor: str) -> None:
    lines = [Line([0, 99, 100], [0.5] * 3, "#000", "limit"), Line([0, 99, 100], curve, "#00f")]
    drawn = chart(lines, x_title="d", y_title="b", y_range=(0, 1))
    (name,) = (each for each in ElementTree.fromstring(drawn).iter(f"{SVG}text") if each.text == "limit")
    assert name.get("text-anchor") == anchor


def test_decades_and_round_steps_are_marked() -> None:
    drawn = chart([Line([0, 312], [0.01, 1], "#000")], x_title="d", y_title="w", y_range=(-2, 0), log=True)
    texts = ["".join(each.itertext()) for each in ElementTree.fromstring(drawn).iter(f"{SVG}text")]
    assert texts[:3] == ["0.01", "0.1", "1"] and {"0", "100", "200", "300"} <= set(texts)
