"""A figure without a script: on a page as wide as its place with the page's own texts, or on paper as one SVG.

For what is redrawn after every press, which plotly builds again each time, longer than all else that a press does; and
for pages that run nothing. Lines are paths in a box that may be stretched; points and texts keep their size.
"""

import base64
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape, unescape

import numpy as np

from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.numbers import round_numbers
from tarstop_core.presentation.palette import PAPER
from tarstop_core.presentation.svg import DASHES, drawing, path, text

Pair = tuple[float, float]
STRETCHED = (1000.0, 1000.0)
"""Width and height of the box that a page stretches to the pixels that there are."""
PAPER_WIDTH = 760  # Pixels
APART = {"x": 110, "y": 40}  # Pixels between ticks, about, at least
DECADES = 4  # Labels on a log axis at most
REACHED = 12  # Pixels around a point within which its text appears
RIM = f"paint-order:stroke;stroke:var(--paper,{PAPER});stroke-width:4px;stroke-linejoin:round"
"""Of a text that a line may cross."""
LINE = 15  # Pixels from one line of a text to the next
BEFORE = {"left": 0.0, "top": 0.0, "center": 0.5, "middle": 0.5, "right": 1.0, "bottom": 1.0}
"""The share of a text that lies before its spot, by what plotly calls its anchor."""
CORNERS = {
    "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
}


@dataclass(frozen=True)
class _Words:
    """A text, escaped; its spot is given in shares of the plot from the upper left corner."""

    spot: Pair
    words: str
    font: Figure
    before: Pair  # shares of the text's own width and height that lie before the spot
    shift: Pair = (0.0, 0.0)  # pixels from there
    paper: str = ""  # a colour behind it
    upwards: bool = False


@dataclass(frozen=True)
class _Point:
    """A mark around a spot, which is given as that of a text is."""

    spot: Pair
    symbol: str
    size: float  # pixels
    fill: str
    edge: Figure
    says: str


def fluid(figure: Figure, says: str) -> str:
    """Render the figure as HTML as wide as its place; `says` describes it for those who cannot see it.

    It is as high as its layout says, or a square where both axes have one scale.
    """
    plot = _Plot(figure)
    lines = "".join(plot.strokes(STRETCHED, clipped=True))
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {STRETCHED[0]:.0f} {STRETCHED[1]:.0f}" '
        f'preserveAspectRatio="none"><style>path{{vector-effect:non-scaling-stroke}}</style>{lines}</svg>'
    )
    coded = base64.b64encode(picture.encode()).decode()
    across, down = plot.size
    high = f"aspect-ratio:1;max-width:{across}px" if plot.square else f"height:{down}px"
    inside = "margin:{t}px {r}px {b}px {l}px;".format(**plot.margin) + high
    marks = [*map(_point_on_page, plot.points()), *map(_words_on_page, plot.words())]
    return (
        f'<div class="tar-fluid" style="{inside}"><img decoding="sync" alt="{escape(says, quote=True)}" '
        f'src="data:image/svg+xml;base64,{coded}">{"".join(marks)}</div>'
    )


def still(figure: Figure, says: str) -> str:
    """Render the figure as SVG, with texts in the colour of the page around it."""
    plot = _Plot(figure)
    parts = [
        f'<g transform="translate({plot.margin["l"]} {plot.margin["t"]})">',
        *plot.strokes(plot.size, clipped=False),
        *(_point_on_paper(point, plot.size) for point in plot.points()),
        *(line for words in plot.words() for line in _words_on_paper(words, plot.size)),
        "</g>",
    ]
    width = plot.size[0] + plot.margin["l"] + plot.margin["r"]
    return drawing(width, figure["layout"]["height"], parts, says)


class _Plot:
    """Everything in a figure, placed by shares of the plot's width and height from its upper left corner."""

    def __init__(self, figure: Figure) -> None:
        self.traces, self.layout = figure["data"], figure["layout"]
        self.margin: Figure = self.layout["margin"]
        self.square = "scaleanchor" in self.layout["yaxis"]
        down = self.layout["height"] - self.margin["t"] - self.margin["b"]
        self.size: Pair = (down if self.square else PAPER_WIDTH - self.margin["l"] - self.margin["r"], down)
        """Pixels on paper."""

    def axis(self, name: str) -> Figure:
        """The axis that traces call by this name: x, y2."""
        axis: Figure = self.layout[f"{name[0]}axis{name[1:]}"]
        return axis

    def seen(self) -> Iterator[tuple[str, Figure]]:
        """Every axis that is seen, by name."""
        for key, axis in self.layout.items():
            if re.match(r"[xy]axis", key) and axis.get("visible", True):
                yield key.replace("axis", ""), axis

    def ends(self, name: str) -> Pair:
        """The part of the plot that an axis takes, from its lower end to the upper one."""
        first, last = self.axis(name).get("domain", (0, 1))
        return (first, last) if name[0] == "x" else (1 - first, 1 - last)

    def place(self, name: str, value: float, *, power: bool = False) -> float:
        """Place of a value on its axis, as a share of the plot.

        Parameters
        ----------
        name : str
            Name of the axis.
        value : float
            In its units.
        power : bool
            Whether a value on a log axis is given as a power of ten.

        Returns
        -------
        float
            From the left, or from the top.
        """
        axis, (first, last) = self.axis(name), self.ends(name)
        low, high = axis["range"]
        value = math.log10(value) if axis.get("type") == "log" and not power else value
        return float(first + (last - first) * (value - low) / ((high - low) or 1))

    def spots(self, trace: Figure) -> list[Pair | None]:
        """Places of the points of a trace; None for one that is missing."""
        on, up = trace.get("xaxis", "x"), trace.get("yaxis", "y")
        return [
            None if x is None or y is None else (self.place(on, x), self.place(up, y))
            for x, y in zip(trace["x"], trace["y"], strict=True)
        ]

    def ticks(self, name: str) -> list[tuple[float, str]]:
        """Values of an axis with a tick, and their labels."""
        axis = self.axis(name)
        low, high = sorted(axis["range"])
        if axis.get("type") == "log" and "tickvals" not in axis:
            powers = range(math.ceil(low), math.floor(high) + 1)
            powers = powers[:: math.ceil(len(powers) / DECADES) or 1]
            return [(10.0**at, f"{10.0**at:,.15g}" if at > -5 else f"10<sup>{at}</sup>") for at in powers]
        if "tickvals" in axis:
            values = axis["tickvals"]
        else:
            first, last = self.ends(name)
            pixels = abs(last - first) * self.size[name[0] == "y"]
            most, least = axis.get("nticks", round(pixels / APART[name[0]])), 1 if high - low > 2 else 0
            values = round_numbers(low, high, most, least, step=axis.get("dtick"))
        written = "{:.0%}" if axis.get("tickformat") == ".0%" else "{:,.12g}"
        plain = [written.format(value).replace("-", "−").replace("%", "\u00a0%") for value in values]
        texts = axis.get("ticktext") or plain
        return list(zip(values, texts, strict=True))

    def strokes(self, size: Pair, *, clipped: bool) -> Iterator[str]:
        """Grid, marks from top to bottom, intervals and lines, in a box of this size; lines `clipped` to their axes."""
        across, down = size
        for name, axis in self.seen():
            for value, _ in self.ticks(name) if axis.get("showgrid", True) else ():
                at = self.place(name, value)
                upright, level = f"M{across * at:.1f} 0V{down:.1f}", f"M0 {down * at:.1f}H{across:.1f}"
                yield _stroke(upright if name[0] == "x" else level, axis["gridcolor"], 1)
        for shape in self.layout.get("shapes", ()):
            at = self.place(shape.get("xref", "x"), shape["x0"])
            yield _stroke(f"M{across * at:.1f} 0V{down:.1f}", **shape["line"])

        def in_box(trace: Figure) -> list[Pair | None]:
            return [spot and (across * spot[0], down * spot[1]) for spot in self.spots(trace)]

        for trace in self.traces:
            for way in (way for way in "xy" if f"error_{way}" in trace):
                bars = trace[f"error_{way}"]
                low = in_box(trace | {way: np.subtract(trace[way], bars["arrayminus"])})
                high = in_box(trace | {way: np.add(trace[way], bars["array"])})
                for ends in zip(low, high, strict=True):
                    yield _stroke(path(ends, in_steps=False), bars["color"], bars["thickness"])
            if "lines" in trace["mode"]:
                style, area = trace["line"], trace["fillcolor"] if "fill" in trace else "none"
                look = style["color"], style["width"], style.get("dash", ""), area
                line = _stroke(path(in_box(trace), style.get("shape") == "hv"), *look)
                yield self._within(line, trace, size) if clipped else line

    def _within(self, line: str, trace: Figure, size: Pair) -> str:
        """A line that ends where the axes of its trace do."""
        left, right = self.ends(trace.get("xaxis", "x"))
        bottom, top = self.ends(trace.get("yaxis", "y"))
        place = f"{size[0] * left:.1f}", f"{size[1] * top:.1f}"
        box = f"{size[0] * (right - left):.1f}", f"{size[1] * (bottom - top):.1f}"
        where = 'x="{}" y="{}" width="{}" height="{}"'.format(*place, *box)
        return f'<svg {where} viewBox="{" ".join(place + box)}" preserveAspectRatio="none">{line}</svg>'

    def points(self) -> Iterator[_Point]:
        """Every mark."""
        for trace in self.traces:
            if "markers" not in trace["mode"]:
                continue
            spots, marker = self.spots(trace), trace["marker"]
            sizes, symbols, texts = (
                value if isinstance(value, list) else [value] * len(spots)
                for value in (marker["size"], marker.get("symbol", "circle"), trace.get("hovertext", ""))
            )
            edge = {"color": "transparent", "width": 0} | marker.get("line", {})
            for spot, size, symbol, says in zip(spots, sizes, symbols, texts, strict=True):
                fill = "transparent" if symbol.endswith("-open") else marker["color"]
                if spot is not None:
                    yield _Point(spot, symbol.removesuffix("-open"), size, fill, edge, says)

    def words(self) -> Iterator[_Words]:
        """Labels and titles of the axes, texts in the plot, and notes."""
        for name, axis in self.seen():
            labels = self.ticks(name) if axis.get("showticklabels", True) else []
            middle, title, font = sum(self.ends(name)) / 2, axis["title"], axis["tickfont"]
            if name[0] == "x":
                for value, words in labels:
                    yield _Words((self.place(name, value), 1), words, font, (0.5, 0), (0, 4))
                yield _Words((middle, 1), title["text"], title["font"], (0.5, 0), (0, 19))
            else:
                for value, words in labels:
                    yield _Words((0, self.place(name, value)), words, font, (1, 0.5), (-6, 0))
                beside = 12 - self.margin["l"]
                yield _Words((0, middle), title["text"], title["font"], (0.5, 0.5), (beside, 0), upwards=True)
        for trace in self.traces:
            if trace["mode"] == "text":
                vertical, side = trace["textposition"].split()
                before = 1 - BEFORE[side], BEFORE[vertical]
                for spot, words in zip(self.spots(trace), trace["text"], strict=True):
                    if spot is not None:
                        yield _Words(spot, words, trace["textfont"], before)
        for note in self.layout.get("annotations", ()):
            on, up = note.get("xref", "x"), note.get("yref", "y")
            x = note["x"] if on == "paper" else self.place(on, note["x"], power=True)
            y = 1 - note["y"] if up == "paper" else self.place(up, note["y"], power=True)
            before = BEFORE[note["xanchor"]], BEFORE[note["yanchor"]]
            shift = note.get("xshift", 0), -note.get("yshift", 0)
            yield _Words((x, y), note["text"], note["font"], before, shift, note.get("bgcolor", ""))


def _stroke(course: str, color: str, width: float, dash: str = "", area: str = "none") -> str:
    dashes = f' stroke-dasharray="{DASHES[dash]}"' if dash in DASHES else ""
    return f'<path d="{course}" fill="{area}" stroke="{color}" stroke-width="{width}"{dashes}/>'


def _point_on_page(point: _Point) -> str:
    reached = max(point.size, REACHED)
    shape = {"circle": "border-radius:50%", "diamond": "rotate:45deg;scale:.92"}
    left, top = (f"calc({100 * share:.2f}% - {reached / 2:.1f}px)" for share in point.spot)
    look = f"width:{point.size:.1f}px;height:{point.size:.1f}px;background:{point.fill};"
    look += f"border:{point.edge['width']}px solid {point.edge['color']};{shape.get(point.symbol, '')}"
    # What it says stands on the side where there is room.
    says = f' data-says="{escape(unescape(point.says), quote=True)}"' if point.says else ""
    side = "point before" if point.spot[0] > 0.5 else "point"
    place = f"left:{left};top:{top};width:{reached:.1f}px;height:{reached:.1f}px"
    return f'<span aria-hidden="true" class="{side}"{says} style="{place}"><i style="{look}"></i></span>'


def _point_on_paper(point: _Point, size: Pair) -> str:
    x, y, half = size[0] * point.spot[0], size[1] * point.spot[1], point.size / 2
    look = f'fill="{point.fill}" stroke="{point.edge["color"]}" stroke-width="{point.edge["width"]}"'
    if point.symbol == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half:.1f}" {look}/>'
    spots = (f"{x + half * right:.1f},{y + half * down:.1f}" for right, down in CORNERS[point.symbol])
    return f'<polygon points="{" ".join(spots)}" {look}/>'


def _words_on_page(words: _Words) -> str:
    x, y = (
        f"calc({-100 * share:.0f}% + {shift}px)"
        for share, shift in zip(words.before, words.shift, strict=True)
    )
    turned = " rotate(-90deg)" if words.upwards else ""
    place = (
        f"left:{100 * words.spot[0]:.2f}%;top:{100 * words.spot[1]:.2f}%;transform:translate({x},{y}){turned}"
    )
    look = f"color:{words.font['color']};font-size:{words.font['size']}px"
    behind = f";background:{words.paper}" if words.paper else ""
    return f'<span aria-hidden="true" style="{place};{look}{behind}">{words.words}</span>'


def _words_on_paper(label: _Words, size: Pair) -> Iterator[str]:
    lines, letters = label.words.split("<br>"), label.font["size"]
    x = size[0] * label.spot[0] + label.shift[0]
    # From the upper edge of the whole to the line on which its first letters stand.
    y = size[1] * label.spot[1] + label.shift[1] - LINE * len(lines) * label.before[1] + 0.85 * letters
    anchor = {0.0: "start", 0.5: "middle", 1.0: "end"}[label.before[0]]
    for at, words in enumerate(lines):
        line = text(x, y + LINE * at, unescape(re.sub("<[^<>]*>", "", words)), anchor=anchor, size=letters)
        if label.paper:  # a line that crosses it ends there, in a report of either colour
            line = line.replace("<text ", f'<text style="{RIM}" ', 1)
        if words.startswith("<b>"):
            line = line.replace("<text ", '<text font-weight="bold" ', 1)
        yield f'<g transform="rotate(-90 {x:.1f} {y:.1f})">{line}</g>' if label.upwards else line
