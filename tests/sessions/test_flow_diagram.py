"""The flow diagram shows every number of the table, inside its boxes."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tarstop_core.sessions.prisma import DARK, WIDTH, Prisma, flow_diagram, flow_picture

SVG = "{http://www.w3.org/2000/svg}"
COUNTS = Prisma(
    (("a.ris", 1234), ("b & <c>", 7)),
    41,
    900,
    860,
    3,
    300,
    37,
    2,
    5,
    30,
    (("no <test>", 8),),
    22,
    18,
    23,
    unscreened_because="Records not screened although the rule advised to go on",
)
count = st.integers(0, 10**6)
name = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), max_size=120)


def texts(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_a_review_shows_every_number() -> None:
    said = " ".join(texts(flow_diagram(COUNTS))).replace("\xa0", " ")
    for _, number in COUNTS.rows():
        assert f"(n = {number:,})" in said, number
    assert "Records not screened although" in said and "b & <c>" in said and "Excluded: no <test>" in said


def test_patents_end_with_the_relevant_documents() -> None:
    said = " ".join(texts(flow_diagram(replace(COUNTS, full_text=False)))).replace("\xa0", " ")
    assert "Relevant documents (n = 37)" in said and "Reports" not in said


def test_until_screening_stops_the_rest_is_only_not_screened_yet() -> None:
    going_on = replace(COUNTS, unscreened_because="Records not screened yet")
    assert dict(going_on.rows())["Records not screened yet"] == 300
    said = " ".join(texts(flow_diagram(going_on, DARK)))
    assert "the rule" not in said and "not screened yet" in said


@given(
    st.lists(st.tuples(name, count), min_size=1, max_size=5),
    st.lists(st.tuples(name, count), max_size=8),
    count,
)
def test_boxes_never_overlap_and_hold_their_lines(
    sources: list[tuple[str, int]], reasons: list[tuple[str, int]], waiting: int
) -> None:
    counts = replace(COUNTS, identified=tuple(sources), excluded_full=tuple(reasons), waiting=waiting)
    root = ElementTree.fromstring(flow_diagram(counts))
    height = float(root.get("height", 0))
    boxes = [
        tuple(float(each.get(side, 0)) for side in ("x", "y", "width", "height"))
        for each in root.iter(f"{SVG}rect")
    ]
    for x, y, w, h in boxes:
        assert x >= 0 and y >= 0 and x + w <= WIDTH and y + h <= height
    for at, (x, y, w, h) in enumerate(boxes):
        for x2, y2, w2, h2 in boxes[at + 1 :]:
            assert x + w <= x2 or x2 + w2 <= x or y + h <= y2 or y2 + h2 <= y
    for each in root.iter(f"{SVG}text"):
        if each.get("text-anchor") == "start":
            px, py = float(each.get("x", 0)), float(each.get("y", 0))
            assert any(x < px < x + w and y < py <= y + h for x, y, w, h in boxes)
            assert len("".join(each.itertext())) <= 42
    assert re.search("aria-label=", flow_diagram(counts))


def test_a_page_writes_the_texts_of_the_diagram_itself() -> None:
    shapes, lines, height = flow_picture(COUNTS)
    whole = ElementTree.fromstring(flow_diagram(COUNTS))
    assert not texts(shapes) and [line.words for line in lines] == texts(flow_diagram(COUNTS))
    assert height == pytest.approx(float(whole.get("height", 0)), abs=0.5)
