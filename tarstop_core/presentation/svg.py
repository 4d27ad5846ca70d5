"""Small drawings as SVG text: nothing to load, nothing to run, the same bytes everywhere."""

import textwrap
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from tarstop_core.presentation.palette import SVG_GRID

SMALL_WIDTH, SMALL_HEIGHT, SMALL_EDGE = 168, 48, 4
DASHES = {"dash": "6 4", "dot": "2 3", "dashdot": "6 3 2 3", "longdash": "11 4", "longdashdot": "11 3 2 3"}
"""SVG's ``stroke-dasharray`` by plotly's name of a dash."""

Spot = tuple[float, float]
"""x and y in pixels."""


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


def small_curve(
    shares: Sequence[float],
    depth: int,
    levels: Sequence[float],
    colour: str,
    *,
    in_steps: bool,
    description: str,
) -> str:
    """Draw shares by depth without axes: solid up to `depth`, dotted from there, and levels to compare with.

    Parameters
    ----------
    shares : sequence of float
        Values between 0 and 1 at the depths 0, 1, 2, …
    depth : int
        Where the solid part ends in a point.
    levels : sequence of float
        Shares marked by a dashed line.
    colour : str
        Colour of the curve.
    in_steps : bool
        Whether to draw steps instead of slopes.
    description : str
        What it shows, for those who cannot see it.

    Returns
    -------
    str
        SVG.
    """
    width, height = SMALL_WIDTH - 2 * SMALL_EDGE, SMALL_HEIGHT - 2 * SMALL_EDGE
    step = width / max(1, len(shares) - 1)
    spots = [(SMALL_EDGE + step * at, SMALL_EDGE + height * (1 - share)) for at, share in enumerate(shares)]
    (x, y), dash = spots[depth], DASHES["dash"]
    stroke = f'fill="none" stroke="{colour}" stroke-width="2"'
    parts = (
        *(
            f'<path d="M0 {SMALL_EDGE + height * (1 - level):.1f}H{SMALL_WIDTH}" stroke="{SVG_GRID}" stroke-dasharray="{dash}"/>'
            for level in levels
        ),
        f'<path d="{path(spots[: depth + 1], in_steps)}" {stroke}/>',
        f'<path d="{path(spots[depth:], in_steps)}" {stroke} stroke-dasharray="{DASHES["dot"]}"/>',
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>',
    )
    return drawing(SMALL_WIDTH, SMALL_HEIGHT, parts, description)


def path(spots: Sequence[Spot | None], in_steps: bool) -> str:
    """Path data (``d``) of a line through spots; None leaves a gap."""
    parts = []
    for before, spot in pairwise((None, *spots)):
        if spot is not None:
            x, y = spot
            segment = f"H{x:.1f}V{y:.1f}" if in_steps else f"L{x:.1f} {y:.1f}"
            parts.append(f"M{x:.1f} {y:.1f}" if before is None else segment)
    return "".join(parts)
