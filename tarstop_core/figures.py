"""Figures as plain plotly dictionaries: data in, no plotly import needed, nothing styled twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Figure = dict[str, Any]

# Okabe–Ito; one meaning, one colour, readable on white and on near-black.
BELIEF = "#0072B2"
THRESHOLD = "#888888"
VALUE = "#009E73"
COST = "#E69F00"
PLUS = "#D55E00"
MINUS = "#56B4E9"
# No single grey or amber has a contrast of 4.5:1 on white and on near-black.
TEXT, TEXT_ON_DARK = "#5B6470", "#A9B1BA"
COST_TEXT, COST_TEXT_ON_DARK = "#8A5A00", "#E69F00"
# The page's background in both themes: behind a label that lines may cross.
PAPER, PAPER_ON_DARK = "#FFFFFF", "#14181D"
GRID = "rgba(128,128,128,0.22)"
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


def window(n: int, depth: int, plan: int, choice: str) -> tuple[int, int]:
    """First and last depth to draw: the last 50 and what is planned, or all."""
    if choice == "all":
        return 0, n
    last = min(n, max(plan + max(5, (plan - depth) // 4), depth + 10))
    return max(0, depth - 50), last


def live_curves(
    b: Floats,
    worth: Floats | None,
    *,
    cost: float,
    q_star: float,
    depth: int,
    plan: int,
    hit: int | None,
    span: tuple[int, int],
    unit: str = "",
    belief_title: str = "chance it exists",
    worth_title: str = "worth each",
    log_depth: bool = False,
    steps: bool = False,
    dark: bool = False,
) -> Figure:
    """Belief against q* above, the value of the next document against the cost below.

    Parameters
    ----------
    b : ndarray, shape (N + 1,)
        Belief after d documents if nothing (more) is found.
    worth : ndarray, shape (N,), or None
        What the rule compares with the cost; None draws the belief alone.
    cost, q_star : float
    depth : int
        Documents read: solid up to here, dashed after.
    plan : int
        Depth at which the rule would stop if nothing turned up.
    hit : int or None
        Depth of the confirmed hit.
    span : tuple of int
        First and last depth to draw.
    unit : str
        Of cost and worth.
    belief_title, worth_title : str
        Axis titles.
    log_depth : bool
        Depth on a log axis (depth 0 is drawn at 0.5).
    steps : bool
        Draw belief and worth as steps: where studies accumulate they move only with a study.
    dark : bool
        Whether the page is dark: texts need another colour there.

    Returns
    -------
    dict
        A plotly figure.
    """
    first, last = span
    at = np.arange(first, last + 1)[thinned(last + 1 - first, depth - first)]
    drawn = _Drawn(at, depth, max(plan, depth), hit, log_depth, dark)
    data, act_above = _belief_lines(drawn, b, q_star)
    notes = [act_above]
    x_axis: dict[str, Any] = {"range": list(drawn.ends)}
    if log_depth:
        x_axis |= {"type": "log", "dtick": 1}
    if worth is not None:
        x_axis["anchor"] = "y2"
    domain = [0.0, 1.0] if worth is None else [0.55, 1.0]
    layout: dict[str, Any] = {
        "height": 300,
        "margin": {"l": 56, "r": 8, "t": 4, "b": 36},
        "showlegend": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "yaxis": axis(belief_title, dark, range=[-0.05, 1.05], domain=domain, tickformat=".1f"),
        "xaxis": axis("documents read", dark, **x_axis),
    }
    if worth is not None:
        lines, decades = _worth_lines(drawn, worth), _decades(worth, at, cost)
        data += lines
        if cost > 0:
            data.append(drawn.level(cost, COST, yaxis="y2"))
            notes.append(_cost_label(drawn, lines, cost, decades))
        title = f"{worth_title} ({unit})" if unit else worth_title
        powers = {"type": "log", "dtick": 1, "exponentformat": "power", "range": decades}
        layout["yaxis2"] = axis(title, dark, domain=[0.0, 0.45], **powers)
    if steps:
        for trace in data:
            if trace["mode"] == "lines":
                trace["line"]["shape"] = "hv"
    layout["annotations"] = notes
    if plan > depth and first <= plan <= last:
        stop, style = float(plan), {"color": THRESHOLD, "width": 1, "dash": "dot"}
        layout["shapes"] = [
            {"type": "line", "x0": stop, "x1": stop, "y0": 0, "y1": 1, "yref": "paper", "line": style}
        ]
    return {"data": data, "layout": layout}


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


def _worth_lines(drawn: _Drawn, worth: Floats) -> list[Figure]:
    # A log axis has no place for zero: the line ends where nothing can be gained.
    at = drawn.at[drawn.at < len(worth)]
    gains = np.where(at < (np.inf if drawn.hit is None else drawn.hit), worth[at], 0.0)
    return drawn.curve([value if value > 0 else None for value in gains.tolist()], VALUE, yaxis="y2")


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


def _decades(worth: Floats, at: NDArray[np.intp], cost: float) -> list[float]:
    values = worth[at[at < len(worth)]]
    values = np.append(values[values > 0], cost if cost > 0 else 1e-3)
    high = float(np.ceil(np.log10(values.max()) + 0.15))
    low = float(np.floor(np.log10(max(values.min(), (cost or values.max()) / 100))))
    return [low, max(high, low + 1)]


def reliability_figure(
    bins: Sequence[tuple[float, float, int]], simulated: bool = False, dark: bool = False
) -> Figure:
    """Chances as they were given against what was found, with 95 % intervals.

    Parameters
    ----------
    bins : sequence of (float, float, int)
        Mean chance, share found relevant, documents; as :class:`~tarstop_core.calibration.Quality` holds them.
    simulated : bool
        Says so in the figure.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.

    Notes
    -----
    Intervals are Wilson's: E. B. Wilson (1927), Probable inference, JASA 22, 209–212.
    """
    p, share, count = (np.array([each[i] for each in bins], dtype=float) for i in range(3))
    low, high = wilson(share, count)
    top = 1.08 * max(0.05, float(p.max(initial=0)), float(high.max(initial=0)))
    points = {
        "type": "scatter",
        "mode": "markers+lines",
        "x": p.tolist(),
        "y": share.tolist(),
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": (high - share).tolist(),
            "arrayminus": (share - low).tolist(),
            "color": BELIEF,
            "thickness": 1.5,
        },
        "marker": {"color": BELIEF, "size": 8},
        "line": {"color": BELIEF, "width": 1.5},
        "hoverinfo": "skip",
    }
    notes = [label(0.6 * top, 0.6 * top, "as said", THRESHOLD, xanchor="right", yanchor="bottom")]
    if simulated:
        notes.append(
            label(0.02 * top, top, "simulated", TEXT_ON_DARK if dark else TEXT, xanchor="left", yanchor="top")
        )
    layout = {
        "height": 300,
        "margin": {"l": 56, "r": 8, "t": 6, "b": 44},
        "showlegend": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "xaxis": axis("chance that was given", dark, range=[0, top], tickformat=".0%"),
        "yaxis": axis("share found relevant", dark, range=[0, top], tickformat=".0%"),
        "annotations": notes,
    }
    return {
        "data": [line([0.0, top], [0.0, top], THRESHOLD, dash="dash", hoverinfo="skip"), points],
        "layout": layout,
    }


def wilson(share: Floats, count: Floats) -> tuple[Floats, Floats]:
    """95 % intervals of shares, shape (n,) each.

    Examples
    --------
    >>> low, high = wilson(np.array([0.0, 0.5]), np.array([10.0, 100.0]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.404], [0.278, 0.596])
    """
    z2 = 1.959964**2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = np.sqrt(z2 * (share * (1 - share) / count + z2 / (4 * count**2))) / (1 + z2 / count)
    return np.maximum(0.0, middle - half), np.minimum(1.0, middle + half)


def reliability_sentence(bins: Sequence[tuple[float, float, int]]) -> str:
    """What a reliability figure shows, in one sentence.

    Examples
    --------
    >>> reliability_sentence([(0.001, 0.001, 9000), (0.2, 0.1, 100)])
    'The highest chances averaged 20 % and 10 % of those 100 documents were relevant; of the other 9,000, 0.1 % were, against 0.1 % said.'
    """
    if not bins:
        return "No document was judged."
    said, found, count = bins[-1]
    others = sum(each[2] for each in bins[:-1])

    def share(value: float) -> str:
        return f"{100 * value:.2g} %"

    top = f"{share(found)} of those {count:,} documents were relevant"
    if not others:
        return f"The chances averaged {share(said)} and {top}."
    p = sum(each[0] * each[2] for each in bins[:-1]) / others
    y = sum(each[1] * each[2] for each in bins[:-1]) / others
    return (
        f"The highest chances averaged {share(said)} and {top}; "
        f"of the other {others:,}, {share(y)} were, against {share(p)} said."
    )
