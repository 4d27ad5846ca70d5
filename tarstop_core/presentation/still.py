"""A figure as SVG text, for pages that run nothing: points with intervals, lines, areas and texts on linear axes."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import numpy as np

from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.palette import SVG_GRID
from tarstop_core.presentation.svg import DASHES, drawing, text

ANCHORS = {"left": "start", "center": "middle", "right": "end"}
LINE = 15  # pixels from one line of a text to the next


class _Plane:
    """Where the values of a figure lie on paper."""

    def __init__(self, layout: Figure, width: float) -> None:
        margin = layout["margin"]
        self.layout, self.left, self.top = layout, margin["l"], margin["t"]
        self.across = width - margin["l"] - margin["r"]
        self.down = layout["height"] - margin["t"] - margin["b"]

    def axis(self, name: str) -> Figure:
        found: Figure = self.layout[f"{name[0]}axis{name[1:]}"]
        return found

    def at(self, name: str, value: float, paper: str = "") -> float:
        """Pixels of a value on an axis, or of a share of the plot where the reference is "paper"."""
        if paper != "paper":
            (low, high), (first, last) = self.axis(name)["range"], self.axis(name).get("domain", (0, 1))
            value = first + (last - first) * (value - low) / (high - low)
        return float(
            self.left + self.across * value if name[0] == "x" else self.top + self.down * (1 - value)
        )


def still(figure: Figure, width: float, says: str) -> str:
    """The figure as SVG in the colour of the page around it, so many pixels wide."""
    plane = _Plane(figure["layout"], width)
    parts, bottom = [*_axes(plane)], plane.top + plane.down
    for each in plane.layout.get("shapes", ()):
        x, stroke = plane.at(each.get("xref", "x"), each["x0"]), each["line"]
        parts.append(_line(x, plane.top, x, bottom, stroke["color"], 1.5, stroke.get("dash", "")))
    for trace in figure["data"]:
        parts += _trace(plane, trace)
    for each in plane.layout.get("annotations", ()):
        x = plane.at(each.get("xref", "x").replace("paper", "x"), each["x"], each.get("xref", "x"))
        y = plane.at("y", each["y"], each.get("yref", "y")) - 3 - each.get("yshift", 0)
        lines = each["text"].split("<br>")
        parts += [
            _text(x, y - LINE * (len(lines) - 1 - at), words, ANCHORS[each.get("xanchor", "center")])
            for at, words in enumerate(lines)
        ]
    return drawing(width, plane.layout["height"], parts, says)


def _axes(plane: _Plane) -> Iterator[str]:
    bottom = plane.top + plane.down
    for name in (key.replace("axis", "") for key in plane.layout if re.match(r"[xy]axis", key)):
        axis = plane.axis(name)
        if not axis.get("visible", True):
            continue
        low, high = sorted(axis["range"])
        ticks = axis.get("tickvals") or np.arange(low, high + 1e-9, axis["dtick"]).tolist()
        texts = axis.get("ticktext") or [f"{value:.2g}" for value in ticks]
        for value, words in zip(ticks, texts, strict=True):
            spot = plane.at(name, value)
            if name[0] == "x":
                yield _text(spot, bottom + 15, words, "middle")
                yield _line(spot, plane.top, spot, bottom, SVG_GRID, 0.5)
            else:
                yield _text(plane.left - 6, spot + 4, words, "end")
                if axis.get("showgrid", True):
                    yield _line(plane.left, spot, plane.left + plane.across, spot, SVG_GRID, 0.5)
        title, middle = axis["title"]["text"], plane.at(name, (low + high) / 2)
        if name[0] == "x":
            yield _text(middle, bottom + 34, title, "middle")
        elif title:
            yield f'<g transform="rotate(-90 14 {middle:.1f})">{_text(14, middle, title, "middle")}</g>'


def _trace(plane: _Plane, trace: Figure) -> Iterator[str]:
    on = trace.get("xaxis", "x")
    spots = [
        (at, plane.at(on, x), plane.at("y", y))
        for at, (x, y) in enumerate(zip(trace["x"], trace["y"], strict=True))
        if x is not None and y is not None
    ]
    if trace["mode"] == "lines":
        style = trace["line"]
        path = "L".join(f"{x:.1f} {y:.1f}" for _, x, y in spots)
        fill = trace.get("fillcolor", "none") if trace.get("fill") else "none"
        dash = f' stroke-dasharray="{DASHES[style["dash"]]}"' if style.get("dash") in DASHES else ""
        yield f'<path d="M{path}" fill="{fill}" stroke="{style["color"]}" stroke-width="{style["width"]}"{dash}/>'
    elif trace["mode"] == "text":
        anchor = "end" if "left" in trace["textposition"] else "start"
        for at, x, y in spots:
            yield _text(x, y + 4, trace["text"][at], anchor)
    else:
        marker, bars = trace["marker"], trace.get("error_x")
        for at, x, y in spots:
            if bars is not None:
                reach = (-bars["arrayminus"][at], bars["array"][at])
                first, last = (plane.at(on, trace["x"][at] + each) for each in reach)
                yield _line(first, y, last, y, bars["color"], bars["thickness"])
            yield _mark(x, y, marker, at)


def _mark(x: float, y: float, marker: Figure, at: int) -> str:
    size = marker["size"][at] if isinstance(marker["size"], list) else marker["size"]
    symbol, half = marker.get("symbol", "circle"), size / 2
    fill = "none" if symbol.endswith("-open") else marker["color"]
    style: dict[str, Any] = marker.get("line", {})
    stroke = f'fill="{fill}" stroke="{style.get("color", "none")}" stroke-width="{style.get("width", 0)}"'
    if symbol.startswith("circle"):
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half:.1f}" {stroke}/>'
    square, diamond = ((-1, -1), (1, -1), (1, 1), (-1, 1)), ((0, -1), (1, 0), (0, 1), (-1, 0))
    corners = diamond if symbol.startswith("diamond") else square
    points = " ".join(f"{x + half * across:.1f},{y + half * down:.1f}" for across, down in corners)
    return f'<polygon points="{points}" {stroke}/>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float, dash: str = "") -> str:
    dashes = f' stroke-dasharray="{DASHES[dash]}"' if dash in DASHES else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"{dashes}/>'


def _text(x: float, y: float, words: str, anchor: str) -> str:
    """Words as plotly reads them: bold between tags, with entities."""
    plain = text(x, y, unescape(re.sub(r"</?b>", "", words)), anchor=anchor, size=11)
    return plain.replace("<text ", '<text font-weight="bold" ', 1) if words.startswith("<b>") else plain
