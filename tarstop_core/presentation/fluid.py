"""A figure that takes the width of its place, without a script: lines and points over one axis of x, texts beside them.

For what is redrawn after every press and answers no mouse: plotly builds a figure anew each time, which takes longer
than all else that a press does. Lines are a picture that is stretched; texts are the page's own, and are not.
"""

import base64
import math
from collections.abc import Iterator
from html import escape
from typing import Any

from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.svg import DASHES, path, steps

ACROSS = 1000
"""Units of the plot's width, which are stretched to the pixels that there are."""
TICKS_ACROSS, TICKS_UP, DECADES = 6, 3, 4
"""At most so many intervals between the ticks of x and of y, and labels on a log axis."""


def fluid(figure: Figure, says: str) -> str:
    """The figure as HTML in its own height and whatever width there is, and what it says for those who cannot see it."""
    layout = figure["layout"]
    margin, down = layout["margin"], layout["height"] - layout["margin"]["t"] - layout["margin"]["b"]
    lines, words = [], []
    for share, tick in _ticks(layout["xaxis"], TICKS_ACROSS):
        lines.append(_straight(share, share, 0, down, layout["xaxis"]["gridcolor"], 1))
        words.append(_words(share, down + 4, tick, layout["xaxis"]["tickfont"], "top"))
    words.append(
        _words(0.5, down + 19, layout["xaxis"]["title"]["text"], layout["xaxis"]["title"]["font"], "top")
    )
    for key in (key for key in layout if key.startswith("yaxis")):
        axis = layout[key]
        for share, tick in _ticks(axis, TICKS_UP):
            y = _height(axis, share, down)
            lines.append(_straight(0, 1, y, y, axis["gridcolor"], 1))
            words.append(_words(0, y, tick, axis["tickfont"], "beside"))
        title = axis["title"]
        words.append(_words(0, _height(axis, 0.5, down), title["text"], title["font"], "upwards"))
        traces = [trace for trace in figure["data"] if trace.get("yaxis", "y") == key.replace("axis", "")]
        lines += _traces(traces, layout["xaxis"], axis, down)
    for each in layout.get("shapes", ()):
        x, style = _share(layout["xaxis"], each["x0"]), each["line"]
        lines.append(_straight(x, x, 0, down, style["color"], style["width"], style["dash"]))
    for note in layout.get("annotations", ()):
        words.append(_label(note, layout, down))
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {ACROSS} {down}" preserveAspectRatio="none">'
        f"<style>path{{fill:none;vector-effect:non-scaling-stroke}}</style>{''.join(lines)}</svg>"
    )
    coded = base64.b64encode(picture.encode()).decode()
    inside = f"margin:{margin['t']}px {margin['r']}px {margin['b']}px {margin['l']}px;height:{down}px"
    return (
        f'<div class="tar-fluid" style="{inside}"><img decoding="sync" alt="{escape(says, quote=True)}" '
        f'src="data:image/svg+xml;base64,{coded}">{"".join(words)}</div>'
    )


def _share(axis: Figure, value: float) -> float:
    """Where a value lies on its axis, as a share of it."""
    return _part(axis, math.log10(value) if axis.get("type") == "log" else value)


def _part(axis: Figure, value: float) -> float:
    """The same of a value as the axis counts: on a log axis, of an exponent."""
    low, high = axis["range"]
    return float(value - low) / float((high - low) or 1)


def _height(axis: Figure, share: float, down: float) -> float:
    """Pixels from the top of the plot, of which the axis may take a part."""
    first, last = axis.get("domain", (0, 1))
    return float(down * (1 - first - (last - first) * share))


def _ticks(axis: Figure, most: int) -> list[tuple[float, str]]:
    """Shares of the axis, and what stands there."""
    low, high = axis["range"]
    if axis.get("type") == "log":
        powers = range(math.ceil(low), math.floor(high) + 1)
        powers = powers[:: math.ceil(len(powers) / DECADES) or 1]
        return [(_part(axis, at), f"{10.0**at:,.15g}" if at > -5 else f"10<sup>{at}</sup>") for at in powers]
    shown = "{:.0%}" if axis.get("tickformat") == ".0%" else "{:,.6g}"
    return [(_part(axis, value), shown.format(value)) for value in steps(low, high, most)]


def _traces(traces: list[Figure], across: Figure, up: Figure, down: float) -> Iterator[str]:
    """Lines, which end where their part of the plot does, and points above them."""
    (top, bottom), lines, dots = (_height(up, share, down) for share in (1, 0)), "", ""
    for trace in traces:
        known = zip(trace["x"], trace["y"], strict=True)
        spots = [
            None if y is None else (ACROSS * _share(across, x), _height(up, _share(up, y), down))
            for x, y in known
        ]
        if trace["mode"] == "lines":
            style = trace["line"]
            course = path(spots, style.get("shape") == "hv")
            lines += _stroke(course, style["color"], style["width"], style["dash"])
        else:
            # A round end of no line stays round, however the picture is stretched.
            course = "".join(f"M{spot[0]:.1f} {spot[1]:.1f}h0" for spot in spots if spot)
            dots += _stroke(course, trace["marker"]["color"], trace["marker"]["size"])
    size = f'y="{top:.1f}" width="{ACROSS}" height="{bottom - top:.1f}"'
    yield f'<svg {size} viewBox="0 {top:.1f} {ACROSS} {bottom - top:.1f}" preserveAspectRatio="none">{lines}</svg>'
    yield f'<g stroke-linecap="round">{dots}</g>'


def _label(note: Figure, layout: Figure, down: float) -> str:
    """A label at a level, covering what crosses it; places on a log axis are given as exponents."""
    up = layout[note.get("yref", "y").replace("y", "yaxis")]
    y = _height(up, _part(up, note["y"]), down) - note.get("yshift", 0)
    place = f"{note['yanchor']}-{note['xanchor']}"
    return _words(_part(layout["xaxis"], note["x"]), y, note["text"], note["font"], place, note["bgcolor"])


def _words(share: float, y: float, words: str, font: Any, place: str, paper: str = "") -> str:
    """A text, escaped already, `place` says on which side of its spot."""
    behind = f";background:{paper}" if paper else ""
    spot = f"left:{100 * share:.2f}%;top:{y:.1f}px;color:{font['color']};font-size:{font['size']}px{behind}"
    return f'<span aria-hidden="true" class="{place}" style="{spot}">{words}</span>'


def _straight(x1: float, x2: float, y1: float, y2: float, colour: str, width: float, dash: str = "") -> str:
    return _stroke(f"M{ACROSS * x1:.1f} {y1:.1f}L{ACROSS * x2:.1f} {y2:.1f}", colour, width, dash)


def _stroke(course: str, colour: str, width: float, dash: str = "") -> str:
    dashes = f' stroke-dasharray="{DASHES[dash]}"' if dash in DASHES else ""
    return f'<path d="{course}" stroke="{colour}" stroke-width="{width}"{dashes}/>'
