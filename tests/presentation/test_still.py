"""Figures of evidence drawn without a browser hold what plotly would draw."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from tarstop_core.belief.prior import Prior
from tarstop_core.documents.tables import Tables
from tarstop_core.evidence.study_figures import forest, sroc
from tarstop_core.evidence.summary import evidence
from tarstop_core.presentation.still import still

SVG = "{http://www.w3.org/2000/svg}"
COUNTS = np.array([[14, 20, 9, 30], [3, np.nan, 1, 8], [6, 2, 1, 9], [40, np.nan, 25, 70]], dtype=float)
FOUND = evidence(Tables(("A & <b>", "B", "C", "D"), *COUNTS), 0.75, "bivariate", Prior())


def test_the_forest_has_every_number_where_its_axis_puts_it() -> None:
    figure = forest(FOUND, simulated=True)
    drawn = ElementTree.fromstring(still(figure, 760, "says"))
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
    share = (np.mean(corners) - margin["l"]) / across
    assert low + (high - low) * (share - first) / (last - first) == pytest.approx(0.7, abs=0.002)


def test_the_plane_has_studies_point_and_regions() -> None:
    drawn = ElementTree.fromstring(still(sroc(FOUND), 456, "says"))
    assert len(list(drawn.iter(f"{SVG}circle"))) == 3 and len(list(drawn.iter(f"{SVG}path"))) >= 2
    assert drawn.get("aria-label") == "says"
