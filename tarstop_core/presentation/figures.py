"""Figures as plain plotly dictionaries: data in, no plotly import needed, nothing styled twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.presentation.palette import (
    BELIEF,
    COST_TEXT,
    COST_TEXT_ON_DARK,
    GRID,
    PAPER,
    PAPER_ON_DARK,
    TEXT,
    TEXT_ON_DARK,
    THRESHOLD,
)

Floats = NDArray[np.float64]
Figure = dict[str, Any]
POINTS = 400


def thinned(n: int, cursor: int, points: int = POINTS) -> NDArray[np.intp]:
    """At most `points` indices of 0 … n−1: every one near the cursor, log-spaced away from it.

    Examples
    --------
    >>> len(thinned(10_000, 37)) <= 400, 37 in thinned(10_000, 37), thinned(3, 1).tolist()
    (True, True, [0, 1, 2])
    """
    if n <= points:
        return np.arange(n)
    side = points // 2 - 2
    steps = np.unique(np.concatenate((np.arange(60), np.geomspace(60, n, side - 60))).astype(int))
    kept = np.concatenate(([0, n - 1], cursor - steps, cursor + steps))
    return np.unique(kept[(kept >= 0) & (kept < n)])


def axis(title: str, dark: bool = False, **more: Any) -> dict[str, Any]:
    """An axis with a light grid, no frame and a title in words.

    Its labels keep to the margins that the figure gives. Left to measure them, plotly draws every figure twice.
    """
    return {
        "title": {"text": title, "font": {"size": 12, "color": TEXT_ON_DARK if dark else TEXT}},
        "tickfont": {"color": TEXT_ON_DARK if dark else TEXT, "size": 11},
        "gridcolor": GRID,
        "zeroline": False,
        "showline": False,
        "fixedrange": True,
        "automargin": False,
        "ticklabeloverflow": "allow",
        **more,
    }


def line(x: Sequence[float], y: Sequence[float | None], colour: str, **more: Any) -> dict[str, Any]:
    """A line trace."""
    style = {"color": colour, "width": more.pop("width", 2), "dash": more.pop("dash", "solid")}
    return {"type": "scatter", "mode": "lines", "x": list(x), "y": list(y), "line": style, **more}


def label(x: float, y: float, text: str, colour: str, **more: Any) -> dict[str, Any]:
    """A direct label beside a line."""
    return {
        "x": x,
        "y": y,
        "text": text,
        "showarrow": False,
        "font": {"color": colour, "size": 12},
        "xanchor": "right",
        "yanchor": "bottom",
        **more,
    }


def plain(name: str, longest: int) -> str:
    """A name, shortened, as plotly shows it as it is: in texts it reads a little HTML and TeX.

    Examples
    --------
    >>> plain("<b> & co", 44), plain("One that is long", 8)
    ('&lt;b> &amp; co', 'One tha…')
    """
    short = name if len(name) <= longest else f"{name[: longest - 1]}…"
    return short.replace("&", "&amp;").replace("<", "&lt;").replace("$", "&#36;")


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The depths of live curves: those drawn, where somebody is, to where the rule would read on, and the hit."""

    at: NDArray[np.intp]
    depth: int
    plan: int
    hit: int | None
    log_depth: bool
    dark: bool

    @cached_property
    def x(self) -> list[float]:
        """Where the depths are drawn."""
        depths: list[float] = self.at.tolist()
        return [float(depth) or 0.5 for depth in depths] if self.log_depth else depths

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The first and the last of them as the axis and its labels count."""
        left, right = (float(np.log10(end) if self.log_depth else end) for end in (self.x[0], self.x[-1]))
        return left, right

    def curve(self, y: Sequence[float | None], colour: str, *, on: bool = True, **more: Any) -> list[Figure]:
        """Solid up to the depth, dotted `on` from there to the plan; y may end before the depths do."""
        at = self.at[: len(y)]
        past, ahead = at <= self.depth, (at >= self.depth) & (at <= self.plan)
        lines = [line([*compress(self.x, past)], [*compress(y, past)], colour, width=3, **more)]
        if on and ahead.sum() > 1:
            lines.append(line([*compress(self.x, ahead)], [*compress(y, ahead)], colour, dash="dot", **more))
        return [each | {"hoverinfo": "skip"} for each in lines]

    def level(self, y: float, colour: str, **more: Any) -> Figure:
        """A dashed line from end to end."""
        edge = [float(self.x[0]), float(self.x[-1])]
        return line(edge, [y, y], colour, dash="dash", **more, hoverinfo="skip")

    def label(
        self, x: float, y: float, text: str, colours: tuple[str, str], below: bool, **more: Any
    ) -> Figure:
        """A label just below or above a level, which other lines may cross; colours on white and on dark."""
        paper = PAPER_ON_DARK if self.dark else PAPER
        yanchor, yshift = ("top", -2) if below else ("bottom", 2)
        colour = colours[self.dark]
        return label(x, y, text, colour, **more, yanchor=yanchor, bgcolor=paper, yshift=yshift)


def _belief_lines(drawn: _Drawn, b: Floats, q_star: float) -> tuple[list[Figure], Figure]:
    """Belief, where it is now, and q*; and the label of q*."""
    at, depth, hit = drawn.at, drawn.depth, drawn.hit
    shown = b[at].copy()
    if hit is not None:
        shown[at >= hit] = 1.0
    now = {
        "type": "scatter",
        "mode": "markers",
        "x": [0.5 if drawn.log_depth and depth == 0 else depth],
        "y": [1.0 if hit is not None and depth >= hit else float(b[depth])],
        "marker": {"color": BELIEF, "size": 10},
        "hoverinfo": "skip",
    }
    # The label stands at the right end, where the projection has stopped: at the left the belief often starts
    # at q*. And on the side of the line where the belief does not end.
    below = bool(shown[at <= drawn.plan][-1] >= q_star)
    note = drawn.label(drawn.ends[1], q_star, f"act above {q_star:.2f}", (TEXT, TEXT_ON_DARK), below)
    return [*drawn.curve(shown.tolist(), BELIEF, on=hit is None), now, drawn.level(q_star, THRESHOLD)], note


def _cost_label(drawn: _Drawn, lines: Sequence[Figure], cost: float, decades: Sequence[float]) -> Figure:
    # The rule stops where worth and cost meet, mostly at the right: the label stands at the clearer end.
    seen = [value for each in lines for value in each["y"] if value is not None]
    away = [abs(np.log10(value / cost)) for value in (seen[:1] + seen[-1:])]
    at_left = bool(away) and away[0] > away[-1]
    # Below the line, where the value is above it, if the axis leaves a line of text there.
    height = float(np.log10(cost))
    room = (height - decades[0]) / (decades[1] - decades[0]) > 0.2
    below = room and bool(seen) and seen[0 if at_left else -1] > cost
    end, side = (drawn.ends[0], "left") if at_left else (drawn.ends[1], "right")
    amber = (COST_TEXT, COST_TEXT_ON_DARK)
    return drawn.label(end, height, "cost of one document", amber, below, yref="y2", xanchor=side)
