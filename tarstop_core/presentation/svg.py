"""Small drawings as SVG text: nothing to load, nothing to run, the same bytes everywhere."""

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from tarstop_core.presentation.palette import SVG_GRID

WIDTH, HEIGHT = 760, 250
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 14, 40
SMALL_WIDTH, SMALL_HEIGHT, SMALL_EDGE = 168, 48, 4
DASHES = {"dash": "6 4", "dot": "2 3", "dashdot": "6 3 2 3", "longdash": "11 4", "longdashdot": "11 3 2 3"}
"""Strokes by plotly's names of them."""


Spot = tuple[float, float]


@dataclass(frozen=True)
class Line:
    """One line of a chart."""

    x: Sequence[float]
    y: Sequence[float | None]  # None breaks the line
    colour: str
    name: str = ""  # What stands at its right end; empty for nothing
    dash: str = ""  # Of the stroke; empty for a solid line
    steps: bool = False  # Horizontal, then vertical: a value that holds until the next


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
        That of the page around it by default.
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
    """Words on lines of at most this many characters; what is longer is broken."""
    return textwrap.wrap(words, columns) or [""]


def drawing(width: float, height: float, parts: Sequence[str], says: str) -> str:
    """Put elements together as one drawing.

    Parameters
    ----------
    width, height : float
        Pixels.
    parts : sequence of str
        SVG elements.
    says : str
        What it shows, for those who cannot see it.

    Returns
    -------
    str
        SVG.
    """
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-label="{escape(says, quote=True)}" '
        f'font-family="system-ui, sans-serif">{"".join(parts)}</svg>'
    )


def small_curve(
    shares: Sequence[float], depth: int, levels: Sequence[float], colour: str, *, in_steps: bool, says: str
) -> str:
    """Draw shares by depth without axes: solid up to `depth`, dotted from there, and levels to compare with.

    Parameters
    ----------
    shares : sequence of float
        Values between 0 and 1 at the depths 0, 1, 2, …
    depth : int
        Where the solid part ends in a point.
    levels : sequence of float
        The shares at which a dashed line stands.
    colour : str
        Of the curve.
    in_steps : bool
        Whether a value holds until the next.
    says : str
        What it shows, for those who cannot see it.

    Returns
    -------
    str
        SVG.
    """
    across, down = SMALL_WIDTH - 2 * SMALL_EDGE, SMALL_HEIGHT - 2 * SMALL_EDGE
    apart = across / max(1, len(shares) - 1)
    spots = [(SMALL_EDGE + apart * at, SMALL_EDGE + down * (1 - share)) for at, share in enumerate(shares)]
    (x, y), dash = spots[depth], DASHES["dash"]
    stroke = f'fill="none" stroke="{colour}" stroke-width="2"'
    parts = (
        *(
            f'<path d="M0 {SMALL_EDGE + down * (1 - level):.1f}H{SMALL_WIDTH}" stroke="{SVG_GRID}" stroke-dasharray="{dash}"/>'
            for level in levels
        ),
        f'<path d="{path(spots[: depth + 1], in_steps)}" {stroke}/>',
        f'<path d="{path(spots[depth:], in_steps)}" {stroke} stroke-dasharray="{DASHES["dot"]}"/>',
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>',
    )
    return drawing(SMALL_WIDTH, SMALL_HEIGHT, parts, says)


def chart(
    lines: Sequence[Line],
    *,
    x_title: str,
    y_title: str,
    y_range: tuple[float, float],
    log: bool = False,
    says: str = "",
    mark: str = "",
) -> str:
    """Draw lines over a light grid.

    Parameters
    ----------
    lines : sequence of Line
        At least one with a point.
    x_title, y_title : str
        Titles of the axes.
    y_range : (float, float)
        Ends of the y axis; exponents of ten with `log`.
    log : bool
        Whether y is on a log axis with decade ticks; what is not positive breaks the line.
    says : str
        What the lines show, in one sentence.
    mark : str
        A word inside the figure, such as "simulated".

    Returns
    -------
    str
        SVG.
    """
    last = max((x for line in lines for x in line.x), default=1.0) or 1.0
    low, high = y_range
    across, down = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def at_x(x: float) -> float:
        return LEFT + across * x / last

    def at_y(y: float) -> float:
        return TOP + down * (1 - (y - low) / (high - low))

    parts = []
    for value, words in _decades(low, high) if log else _round(low, high):
        y = at_y(value)
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="{SVG_GRID}" stroke-opacity=".25"/>'
        )
        parts.append(text(LEFT - 8, y + 4, words, anchor="end", size=12))
    for value, words in _round(0, last):
        parts.append(text(at_x(value), HEIGHT - BOTTOM + 18, words, anchor="middle", size=12))
    parts.append(
        text(LEFT + across / 2, HEIGHT - 5, x_title, anchor="middle")
        + f'<g transform="rotate(-90 14 {TOP + down / 2:.1f})">'
        + text(14, TOP + down / 2, y_title, anchor="middle")
        + "</g>"
    )
    drawn_lines = list[tuple[Line, list[Spot]]]()
    for line in lines:
        values = ((x, _shown(y, log)) for x, y in zip(line.x, line.y, strict=True))
        spots = [None if y is None else (at_x(x), at_y(min(high, max(low, y)))) for x, y in values]
        dash = f' stroke-dasharray="{line.dash}"' if line.dash else ""
        parts.append(
            f'<path d="{path(spots, line.steps)}" fill="none" stroke="{line.colour}" stroke-width="2.5"{dash}/>'
        )
        drawn = [spot for spot in spots if spot is not None]
        if len(drawn) == 1:
            parts.append(
                f'<circle cx="{drawn[0][0]:.1f}" cy="{drawn[0][1]:.1f}" r="4" fill="{line.colour}"/>'
            )
        drawn_lines.append((line, drawn))
    for line, own in drawn_lines:
        if line.name and own:
            # At the end where no other line passes through the name.
            wide = 8 + 7 * len(line.name)
            others = [spots for other, spots in drawn_lines if other is not line]
            at_start = _room(own[0], wide, others) > _room(own[-1], -wide, others)
            (x, y), gap, anchor = (own[0], 4, "start") if at_start else (own[-1], -4, "end")
            parts.append(text(x + gap, max(12.0, y - 6), line.name, anchor=anchor, size=12))
    if mark:
        parts.append(text(WIDTH - RIGHT, TOP - 3, mark, anchor="end", size=12))
    return drawing(WIDTH, HEIGHT, parts, says)


def _room(end: Spot, wide: float, lines: Sequence[Sequence[Spot]]) -> float:
    """How far above or below a name, which begins at a line's end and is so wide, others pass; negative widths go left."""
    x, y = end
    left, right = sorted((x, x + wide))
    gaps = [
        max(min(y1, y2) - y, y - max(y1, y2), 0.0)
        for line in lines
        for (x1, y1), (x2, y2) in pairwise(line)
        if x1 <= right and x2 >= left
    ]
    return min(gaps, default=math.inf)


def _shown(y: float | None, log: bool) -> float | None:
    """Where a value lies on its axis; a log axis has no place for zero."""
    if y is None or not log:
        return y
    return math.log10(y) if y > 0 else None


def path(spots: Sequence[Spot | None], in_steps: bool) -> str:
    """What draws a line through spots; None breaks it."""
    parts = []
    for before, spot in pairwise((None, *spots)):
        if spot is not None:
            x, y = spot
            goes_on = f"H{x:.1f}V{y:.1f}" if in_steps else f"L{x:.1f} {y:.1f}"
            parts.append(f"M{x:.1f} {y:.1f}" if before is None else goes_on)
    return "".join(parts)


def steps(low: float, high: float, most: int = 5) -> list[float]:
    """Round values between two ends.

    Parameters
    ----------
    low, high : float
        The ends.
    most : int
        Steps between them at most.

    Returns
    -------
    list of float
        Rising.

    Examples
    --------
    >>> steps(0, 312), steps(37, 58)
    ([0, 100, 200, 300], [40, 45, 50, 55])
    """
    raw = (high - low) / most
    size = 10 ** math.floor(math.log10(raw))
    step = next(size * each for each in (1, 2, 5, 10) if size * each >= raw)
    if high - low > 2:
        step = max(1, step)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [step * i for i in range(first, last + 1)]


def _round(low: float, high: float) -> list[tuple[float, str]]:
    return [(value, f"{value:,.12g}") for value in steps(low, high)]


def _decades(low: float, high: float) -> list[tuple[float, str]]:
    return [(float(each), f"{10.0**each:,.12g}") for each in range(math.ceil(low), math.floor(high) + 1)]
