"""A figure without a script: on a page as wide as its place with the page's own texts, or on paper as one SVG.

For what is redrawn after every press, which plotly builds again each time, longer than all else that a press does; and
for pages that run nothing. Lines are paths in a box that may be stretched; points and texts keep their size.
"""

import base64
import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from html import escape, unescape
from itertools import pairwise

import numpy as np

from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.numbers import round_numbers
from tarstop_core.presentation.palette import PAPER

Pair = tuple[float, float]
STRETCHED = (1000.0, 1000.0)
"""Width and height of the box that a page stretches to the pixels that there are."""
PAPER_WIDTH = 760  # Pixels
APART = (110, 40)  # Pixels between ticks, about, at least: side by side, and above each other
DECADES = 4  # Labels on a log axis at most
REACHED = 12  # Pixels around a point within which its text appears
RIM = f"paint-order:stroke;stroke:var(--paper,{PAPER});stroke-width:4px;stroke-linejoin:round"
"""Of a text that a line may cross."""
DASHES = {"dash": "6 4", "dot": "2 3", "dashdot": "6 3 2 3", "longdash": "11 4", "longdashdot": "11 3 2 3"}
"""SVG's ``stroke-dasharray`` by plotly's name of a dash."""
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


class _Axis:
    """An axis: where it stands in the plot, and where its values do, as shares from the left or from the top."""

    def __init__(self, upwards: bool, look: Figure, pixels: float) -> None:
        self.upwards, self.look, self.pixels = upwards, look, pixels
        first, last = look.get("domain", (0, 1))
        self.ends: Pair = (1 - first, 1 - last) if upwards else (first, last)
        """Where its lower end and its upper end stand."""

    def place(self, value: float, *, power: bool = False) -> float:
        """Place of a value in the axis's units; with `power`, one on a log axis is given as a power of ten."""
        (first, last), (low, high) = self.ends, self.look["range"]
        value = math.log10(value) if self.look.get("type") == "log" and not power else value
        return float(first + (last - first) * (value - low) / ((high - low) or 1))

    @cached_property
    def ticks(self) -> list[tuple[float, str]]:
        """Values with a tick, and their labels, in a plot that has so many pixels this way."""
        low, high = sorted(self.look["range"])
        if self.look.get("type") == "log" and "tickvals" not in self.look:
            powers = range(math.ceil(low), math.floor(high) + 1)
            powers = powers[:: math.ceil(len(powers) / DECADES) or 1]
            return [(10.0**at, f"{10.0**at:,.15g}" if at > -5 else f"10<sup>{at}</sup>") for at in powers]
        if "tickvals" in self.look:
            values = self.look["tickvals"]
        else:
            first, last = self.ends
            most = self.look.get("nticks", round(abs(last - first) * self.pixels / APART[self.upwards]))
            values = round_numbers(low, high, most, 1 if high - low > 2 else 0, step=self.look.get("dtick"))
        written = "{:.0%}" if self.look.get("tickformat") == ".0%" else "{:,f}"
        # A decimal number is written without an exponent.
        plain = [
            written.format(Decimal(f"{value:.12g}")).replace("-", "−").replace("%", "\u00a0%")
            for value in values
        ]
        texts = self.look.get("ticktext") or plain
        return list(zip(values, texts, strict=True))


class _Plot:
    """Everything in a figure, placed by shares of the plot's width and height from its upper left corner."""

    def __init__(self, figure: Figure) -> None:
        self.traces, self.layout = figure["data"], figure["layout"]
        self.margin: Figure = self.layout["margin"]
        self.square = "scaleanchor" in self.layout["yaxis"]
        down = self.layout["height"] - self.margin["t"] - self.margin["b"]
        self.size: Pair = (down if self.square else PAPER_WIDTH - self.margin["l"] - self.margin["r"], down)
        """Pixels on paper."""
        self.axes: dict[str, _Axis] = {}
        """By the names that traces call them: x, y2."""
        for key, look in self.layout.items():
            if re.match(r"[xy]axis", key):
                upwards = key[0] == "y"
                self.axes[key.replace("axis", "")] = _Axis(upwards, look, self.size[upwards])

    def spots(self, trace: Figure, size: Pair = (1, 1)) -> list[Pair | None]:
        """Places of the points of a trace in a box of this size; None for one that is missing."""
        on, up = self.axes[trace.get("xaxis", "x")], self.axes[trace.get("yaxis", "y")]
        return [
            None if x is None or y is None else (size[0] * on.place(x), size[1] * up.place(y))
            for x, y in zip(trace["x"], trace["y"], strict=True)
        ]

    def strokes(self, size: Pair, *, clipped: bool) -> Iterator[str]:
        """Grid, marks from top to bottom, intervals and lines, in a box of this size; lines `clipped` to their axes."""
        across, down = size
        for axis in self.axes.values():
            if axis.look.get("visible", True) and axis.look.get("showgrid", True):
                for value, _ in axis.ticks:
                    at = axis.place(value)
                    course = (
                        f"M0 {down * at:.1f}H{across:.1f}"
                        if axis.upwards
                        else f"M{across * at:.1f} 0V{down:.1f}"
                    )
                    yield _stroke(course, axis.look["gridcolor"], 1)
        for shape in self.layout.get("shapes", ()):
            at = self.axes[shape.get("xref", "x")].place(shape["x0"])
            yield _stroke(f"M{across * at:.1f} 0V{down:.1f}", **shape["line"])
        for trace in self.traces:
            for way in "xy":
                if bars := trace.get(f"error_{way}"):
                    low = self.spots(trace | {way: np.subtract(trace[way], bars["arrayminus"])}, size)
                    high = self.spots(trace | {way: np.add(trace[way], bars["array"])}, size)
                    for ends in zip(low, high, strict=True):
                        yield _stroke(path(ends, in_steps=False), bars["color"], bars["thickness"])
            if "lines" in trace["mode"]:
                style, area = trace["line"], trace["fillcolor"] if "fill" in trace else "none"
                look = style["color"], style["width"], style.get("dash", ""), area
                line = _stroke(path(self.spots(trace, size), style.get("shape") == "hv"), *look)
                yield self._within(line, trace, size) if clipped else line

    def _within(self, line: str, trace: Figure, size: Pair) -> str:
        """A line that ends where the axes of its trace do."""
        left, right = self.axes[trace.get("xaxis", "x")].ends
        bottom, top = self.axes[trace.get("yaxis", "y")].ends
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
        for axis in self.axes.values():
            look = axis.look
            if not look.get("visible", True):
                continue
            labels = axis.ticks if look.get("showticklabels", True) else []
            middle, title, font = sum(axis.ends) / 2, look["title"], look["tickfont"]
            if axis.upwards:
                for value, words in labels:
                    yield _Words((0, axis.place(value)), words, font, (1, 0.5), (-6, 0))
                beside = 12 - self.margin["l"]
                yield _Words((0, middle), title["text"], title["font"], (0.5, 0.5), (beside, 0), upwards=True)
            else:
                for value, words in labels:
                    yield _Words((axis.place(value), 1), words, font, (0.5, 0), (0, 4))
                yield _Words((middle, 1), title["text"], title["font"], (0.5, 0), (0, 19))
        for trace in self.traces:
            if trace["mode"] == "text":
                vertical, side = trace["textposition"].split()
                before = 1 - BEFORE[side], BEFORE[vertical]
                for spot, words in zip(self.spots(trace), trace["text"], strict=True):
                    if spot is not None:
                        yield _Words(spot, words, trace["textfont"], before)
        for note in self.layout.get("annotations", ()):
            on, up = note.get("xref", "x"), note.get("yref", "y")
            x = note["x"] if on == "paper" else self.axes[on].place(note["x"], power=True)
            y = 1 - note["y"] if up == "paper" else self.axes[up].place(note["y"], power=True)
            before = BEFORE[note["xanchor"]], BEFORE[note["yanchor"]]
            shift = note.get("xshift", 0), -note.get("yshift", 0)
            yield _Words((x, y), note["text"], note["font"], before, shift, note.get("bgcolor", ""))


def _stroke(course: str, color: str, width: float, dash: str = "", area: str = "none") -> str:
    dashes = f' stroke-dasharray="{DASHES[dash]}"' if dash in DASHES else ""
    return f'<path d="{course}" fill="{area}" stroke="{color}" stroke-width="{width}"{dashes}/>'


def _point_on_page(point: _Point) -> str:
    reached = max(point.size, REACHED)
    shape = {"circle": "border-radius:50%", "diamond": "rotate:45deg;scale:.92"}
    across, down = point.spot
    look = f"width:{point.size:.1f}px;height:{point.size:.1f}px;background:{point.fill};"
    look += f"border:{point.edge['width']}px solid {point.edge['color']};{shape.get(point.symbol, '')}"
    # What it says stands on the side where there is room.
    says = f' data-says="{escape(unescape(point.says), quote=True)}"' if point.says else ""
    side = "point before" if across > 0.5 else "point"
    place = f"left:calc({100 * across:.2f}% - {reached / 2:.1f}px);top:calc({100 * down:.2f}% - {reached / 2:.1f}px)"
    place += f";width:{reached:.1f}px;height:{reached:.1f}px"
    return f'<span aria-hidden="true" class="{side}"{says} style="{place}"><i style="{look}"></i></span>'


def _point_on_paper(point: _Point, size: Pair) -> str:
    x, y, half = size[0] * point.spot[0], size[1] * point.spot[1], point.size / 2
    look = f'fill="{point.fill}" stroke="{point.edge["color"]}" stroke-width="{point.edge["width"]}"'
    if point.symbol == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{half:.1f}" {look}/>'
    spots = (f"{x + half * right:.1f},{y + half * down:.1f}" for right, down in CORNERS[point.symbol])
    return f'<polygon points="{" ".join(spots)}" {look}/>'


def _words_on_page(words: _Words) -> str:
    (across, down), (before, above), (right, below) = words.spot, words.before, words.shift
    moved = f"translate(calc({-100 * before:.0f}% + {right}px),calc({-100 * above:.0f}% + {below}px))"
    turned = " rotate(-90deg)" if words.upwards else ""
    place = f"left:{100 * across:.2f}%;top:{100 * down:.2f}%;transform:{moved}{turned}"
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


# --- elements of SVG


def text(
    x: float, y: float, words: str, *, anchor: str = "start", colour: str = "currentColor", size: int = 13
) -> str:
    """A line of text, escaped.

    Parameters
    ----------
    x, y : float
        Pixels.
    words : str
        The text.
    anchor : str
        SVG's text-anchor.
    colour : str
        By default that of the text around the drawing.
    size : int
        Pixels.

    Returns
    -------
    str
        An SVG element.
    """
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-size="{size}">'
        f"{escape(words)}</text>"
    )


def wrapped(words: str, columns: int) -> list[str]:
    """Split a text into lines of at most `columns` characters; a longer word is broken."""
    return textwrap.wrap(words, columns) or [""]


def drawing(width: float, height: float, parts: Sequence[str], description: str) -> str:
    """Put elements together as one drawing.

    Parameters
    ----------
    width, height : float
        Pixels.
    parts : sequence of str
        SVG elements.
    description : str
        What it shows, for those who cannot see it.

    Returns
    -------
    str
        SVG.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{escape(description, quote=True)}" '
        f'font-family="system-ui, sans-serif">{"".join(parts)}</svg>'
    )


def path(spots: Sequence[Pair | None], in_steps: bool) -> str:
    """Path data (``d``) of a line through spots; None leaves a gap."""
    parts = []
    for before, spot in pairwise((None, *spots)):
        if spot is not None:
            x, y = spot
            segment = f"H{x:.1f}V{y:.1f}" if in_steps else f"L{x:.1f} {y:.1f}"
            parts.append(f"M{x:.1f} {y:.1f}" if before is None else segment)
    return "".join(parts)
