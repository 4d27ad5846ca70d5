"""Curves along a list: the belief with q*, what the next documents return for their cost, and the finds."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import (
    BELIEF,
    COST,
    GRID,
    SVG_GRID,
    THRESHOLD,
    VALUE,
    VALUE_AREA,
    VALUE_TINTS,
)
from tarstop_core.presentation.pictures import DASHES, drawing, path

Floats = NDArray[np.float64]


def window(n: int, depth: int, plan: int, choice: str) -> tuple[int, int]:
    """First and last depth to draw.

    Parameters
    ----------
    n, depth, plan : int
        Documents of the list, documents read, and the depth up to which the rule would read on.
    choice : str
        "all" for the whole list; else the last 50 documents and the planned ones are drawn.

    Returns
    -------
    first, last : int
        From 0 to n.
    """
    if choice == "all":
        return 0, n
    last = min(n, max(plan + max(5, (plan - depth) // 4), depth + 10))
    return max(0, depth - 50), last


def depths_drawn(span: tuple[int, int], depth: int) -> NDArray[np.intp]:
    """Depths from the first to the last of `span` that curves have a point at: all, or ever fewer away from `depth`."""
    first, last = span
    return np.arange(first, last + 1)[fig.thinned(last + 1 - first, depth - first)]


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
    limits: Sequence[tuple[float, str]] = (),
    unit: str = "",
    belief_title: str = "chance of prior art",
    worth_title: str = "worth each",
    log_depth: bool = False,
    stops: bool = True,
    steps: bool = False,
    uninformative: NDArray[np.bool_] | None = None,
    dark: bool = False,
) -> fig.Figure:
    """Draw belief with q* above, and the value of the next document as a multiple of its cost below.

    Parameters
    ----------
    b : ndarray, shape (N + 1,)
        Belief after d documents if nothing (more) is found.
    worth : ndarray, shape (N,), or None
        Rate that the rule compares with the cost, at :func:`depths_drawn` at least; None, or nothing above 0 in the span,
        draws the belief alone.
    cost : float
        Cost of a document; where it is 0 the value itself is drawn, in its `unit`.
    q_star : float
        Threshold on the belief.
    limits : sequence of (float, str)
        Where there are several options: the thresholds between them with their words, in the place of q*.
    depth, plan : int
        Documents read, up to which lines are solid, and the depth up to which they are dotted: there the rule would stop if
        nothing turned up.
    hit : int or None
        Depth of the confirmed hit.
    span : (int, int)
        First and last depth to draw.
    unit, belief_title, worth_title : str
        Unit of the value, and titles of the two axes.
    log_depth : bool
        Whether depths are on a log axis, 0 at 0.5.
    stops : bool
        Whether the rule would stop at the planned depth, which is marked then.
    steps : bool
        Whether belief and value move only with a study.
    uninformative : ndarray of bool, shape (N,), optional
        Documents read without a verdict that counts.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    if worth is not None and uninformative is not None:
        # Before one of these was read, it was unknown that it would bring nothing: reading on was worth as much as after it.
        spoken = np.where(uninformative, len(worth) - 1, np.arange(len(worth)))
        worth = worth[np.minimum.accumulate(spoken[::-1])[::-1]]
    if worth is not None and cost > 0:
        worth, title = worth / cost, f"{worth_title} ÷ cost"
    else:
        title = fig.with_unit(worth_title, unit)
    first, last = span
    at = depths_drawn(span, depth)
    if worth is not None and not (worth[at[at < len(worth)]] > 0).any():
        worth = None  # An axis without a curve
    chart = _LiveChart(at, depth, max(plan, depth), hit, log_depth, dark)
    _draw_belief(chart, b, limits or [(q_star, f"act above {percent(q_star)}")])
    x_axis: dict[str, Any] = {"range": chart.ends}
    x_axis |= {"type": "log", "dtick": 1} if log_depth else {}
    x_axis |= {} if worth is None else {"anchor": "y2"}
    domain = [0.0, 1.0] if worth is None else [0.53, 1.0]
    chart.axis("yaxis", belief_title, range=[-0.05, 1.05], domain=domain, tickformat=".0%", nticks=4)
    chart.axis("xaxis", "documents read", **x_axis)
    if worth is not None:
        gains_nothing = hit is None and depth < len(worth) and not worth[depth] > 0
        seen, decades = _draw_worth(chart, worth), _decades(worth, at, float(cost > 0))
        if hit is None and depth < len(worth) and worth[depth] > 0:
            chart.points([chart.now], [float(worth[depth])], VALUE, yaxis="y2", hoverinfo="skip")
        if cost > 0:
            chart.level(1.0, COST, yaxis="y2")
            _label_cost(chart, seen, decades)
        if gains_nothing:
            # What a logarithmic axis cannot show: that reading on has no worth above 0.
            text = "the next document is worth less than it costs" if cost > 0 else "nothing to gain"
            chart.beside(chart.ends[1], decades[0], text, VALUE, False, yref="y2", xanchor="right")
        powers = {"type": "log", "dtick": 1} | (
            {"tickformat": ","} if cost > 0 else {"exponentformat": "power"}
        )
        chart.axis("yaxis2", title, domain=[0.0, 0.47], **powers, range=decades)
    if steps:
        for trace in (trace for trace in chart.traces if trace["mode"] == "lines"):
            trace["line"]["shape"] = "hv"
    marked = stops and plan > depth and first <= plan <= last
    shapes = [fig.upright(float(plan), width=1, dash="dot")] if marked else []
    return chart.figure(margin={"l": 56, "r": 8, "t": 4, "b": 36}, shapes=shapes)


def _draw_worth(chart: _LiveChart, worth: Floats) -> list[float]:
    """Draw what the next documents are worth, and return the values that are seen."""
    # A log axis has no place for zero: the line ends where nothing can be gained.
    at = chart.at[chart.at < len(worth)]
    gains = np.where(at < (np.inf if chart.hit is None else chart.hit), worth[at], 0.0)
    before = len(chart.traces)
    chart.curve([value if value > 0 else None for value in gains.tolist()], VALUE, yaxis="y2")
    return [value for line in chart.traces[before:] for value in line["y"] if value is not None]


def _decades(worth: Floats, at: NDArray[np.intp], cost: float) -> list[float]:
    values = worth[at[at < len(worth)]]
    # The axis has room below the cost: its line does not end the plot, whether the curve has come down to it or not.
    values = np.append(values[values > 0], [cost, cost / 10] if cost > 0 else 1e-3)
    high = float(np.ceil(np.log10(values.max()) + 0.15))
    low = float(np.floor(np.log10(max(values.min(), (cost or values.max()) / 100))))
    return [low, max(high, low + 1)]


class _LiveChart(fig.Chart):
    """Live curves in the making, with the depths drawn, the documents read, the plan of the rule, and the hit."""

    def __init__(
        self, at: NDArray[np.intp], depth: int, plan: int, hit: int | None, log_depth: bool, dark: bool
    ) -> None:
        super().__init__(300, dark=dark)
        self.at, self.depth, self.plan, self.hit, self.log_depth = at, depth, plan, hit, log_depth
        x = np.maximum(at, 0.5) if log_depth else at
        self.now = 0.5 if log_depth and depth == 0 else depth
        """Place of the present depth on the axis."""
        self.x: list[float] = x.tolist()
        """Places of the depths on the axis."""
        self.ends: list[float] = (np.log10(x[[0, -1]]) if log_depth else x[[0, -1]].astype(float)).tolist()
        """First and last of these places in the axis's own units."""

    def curve(self, y: Sequence[float | None], colour: str, *, on: bool = True, **more: Any) -> None:
        """Draw a line that is solid up to the depth, and dotted from there to the plan.

        Parameters
        ----------
        y : sequence of float or None
            Values, which may end before the depths do.
        colour : str
            Of both parts.
        on : bool
            Whether to draw the dotted part.
        **more
            Further attributes of the traces.
        """
        at = self.at[: len(y)]
        past, ahead = at <= self.depth, (at >= self.depth) & (at <= self.plan)
        more |= {"hoverinfo": "skip"}
        self.line([*compress(self.x, past)], [*compress(y, past)], colour, width=3, **more)
        if on and ahead.sum() > 1:
            self.line([*compress(self.x, ahead)], [*compress(y, ahead)], colour, dash="dot", **more)

    def level(self, y: float, colour: str, **more: Any) -> None:
        """Draw a dashed line from end to end."""
        edge = [float(self.x[0]), float(self.x[-1])]
        self.line(edge, [y, y], colour, dash="dash", **more, hoverinfo="skip")

    def beside(self, x: float, y: float, text: str, level: str, below: bool, **more: Any) -> None:
        """Write just below or above a level, which other lines may cross.

        Parameters
        ----------
        x, y : float
            The end of the level.
        text : str
            The label.
        level : str
            Colour of the level.
        below : bool
            Whether it stands below.
        **more
            Further attributes of the annotation.
        """
        yanchor, yshift = ("top", -2) if below else ("bottom", 2)
        place = {**more, "yanchor": yanchor, "bgcolor": fig.paper(self.dark), "yshift": yshift}
        self.label(x, y, text, level, **place)


def _draw_belief(chart: _LiveChart, b: Floats, limits: Sequence[tuple[float, str]]) -> None:
    """Draw belief, where it is now, and each threshold with its label."""
    at, depth, hit = chart.at, chart.depth, chart.hit
    belief = b[at] if hit is None else np.where(at >= hit, 1.0, b[at])
    b_now = 1.0 if hit is not None and depth >= hit else float(b[depth])
    chart.curve(belief.tolist(), BELIEF, on=hit is None)
    chart.points([chart.now], [b_now], BELIEF, hoverinfo="skip")
    for limit, words in limits:
        chart.level(limit, THRESHOLD)
        # The label stands at the right end, where the projection has stopped: at the left the belief often starts
        # at q*. And on the side of the line where the belief does not end.
        below = bool(belief[at <= chart.plan][-1] >= limit)
        chart.beside(chart.ends[1], limit, words, THRESHOLD, below)


def _label_cost(chart: _LiveChart, seen: list[float], decades: Sequence[float]) -> None:
    # The rule stops where worth and cost meet, mostly at the right: the label stands at the clearer end.
    away = np.abs(np.log10(seen[:1] + seen[-1:]))
    at_left = bool(seen) and bool(away[0] > away[-1])
    if len(seen) == 1:  # Only the present depth has a point, which the label must not cover
        at_left = bool(chart.depth > chart.at.mean())
    # Below the line, where the value is above it, if the axis leaves a line of text there.
    room = -decades[0] / (decades[1] - decades[0]) > 0.2
    below = room and bool(seen) and seen[0 if at_left else -1] > 1
    end, side = (chart.ends[0], "left") if at_left else (chart.ends[1], "right")
    chart.beside(end, 0.0, "1: what it costs", COST, below, yref="y2", xanchor=side)


LEAST_WIDE, LEAST_HIGH = 10, 5  # Documents read, and relevant ones, on the axes at least


def found_curve(
    relevant: NDArray[np.bool_],
    left: tuple[float, float, float] | None,
    *,
    plan: int,
    since: int = 0,
    dark: bool = False,
) -> fig.Figure:
    """Draw the relevant documents found among those read, and the number that the list probably holds.

    Parameters
    ----------
    relevant : ndarray of bool, shape (d,)
        Which of the documents read are relevant, in the order of reading.
    left : (float, float, float) or None
        Relevant documents probably still unread, expected and the ends of an interval; None where it is too early to say.
    plan : int
        The depth at which the rule would stop if nothing more turned up.
    since : int
        Documents that came with their labels: in which order they were found is not known, so the curve begins after them.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    depth = len(relevant)
    total_found = np.append(0, np.cumsum(relevant))
    at, end = fig.thinned(depth + 1 - since, depth - since) + since, float(max(plan, depth, LEAST_WIDE))
    chart, most = fig.Chart(300, dark=dark), float(max(total_found[-1], LEAST_HIGH))
    if left is not None:
        mean, low, high = (float(total_found[-1] + unread) for unread in left)
        most = max(most, high)
        area = {"fill": "toself", "fillcolor": VALUE_AREA}
        chart.line([0, 0, end, end], [low, high, high, low], GRID, width=0, **area)
        chart.line([0.0, end], [mean, mean], VALUE, dash="dash")
        place = {"xanchor": "left", "bgcolor": VALUE_TINTS[dark], "yshift": 3}
        chart.label(0.0, mean, f"probably {mean:,.0f} in all", VALUE, **place)
    chart.line(at.astype(float), total_found[at].astype(float), BELIEF, width=3)
    chart.traces[-1]["line"]["shape"] = "hv"
    chart.points([depth], total_found[-1:], BELIEF)
    chart.traces = [trace | {"hoverinfo": "skip"} for trace in chart.traces]
    chart.axis("xaxis", "documents read", range=[0.0, end])
    chart.axis("yaxis", "relevant found", range=[0.0, 1.12 * most], nticks=5)
    shapes = [fig.upright(float(plan), width=1, dash="dot")] if plan > depth else []
    return chart.figure(margin={"l": 56, "r": 8, "t": 8, "b": 36}, shapes=shapes)


SMALL_WIDTH, SMALL_HEIGHT, SMALL_EDGE = 168, 48, 4  # Pixels


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
