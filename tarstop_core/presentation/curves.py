"""Curves along a list: belief with q* above what the next documents return for their cost; and what was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
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
    THRESHOLD,
    VALUE,
    VALUE_AREA,
)

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
    belief_title: str = "chance of prior art",
    worth_title: str = "worth each",
    log_depth: bool = False,
    stops: bool = True,
    steps: bool = False,
    silent: NDArray[np.bool_] | None = None,
    dark: bool = False,
) -> fig.Figure:
    """Draw belief with q* above, and the value of the next document as a multiple of its cost below.

    Parameters
    ----------
    b : ndarray, shape (N + 1,)
        Belief after d documents if nothing (more) is found.
    worth : ndarray, shape (N,), or None
        Rate that the rule compares with the cost; None draws the belief alone.
    cost : float
        Cost of a document; where it is 0 the value itself is drawn, in its `unit`.
    q_star : float
        Threshold on the belief.
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
    silent : ndarray of bool, shape (N,), optional
        Documents read without a verdict that counts.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    if worth is not None and silent is not None:
        # Before one of these was read nobody knew that nothing would come of it: reading on was worth what it is after.
        spoken = np.where(silent, len(worth) - 1, np.arange(len(worth)))
        worth = worth[np.minimum.accumulate(spoken[::-1])[::-1]]
    title = fig.with_unit(worth_title, unit)
    if worth is not None and cost > 0:
        worth, title = worth / cost, f"{worth_title} ÷ cost"
    first, last = span
    at = np.arange(first, last + 1)[fig.thinned(last + 1 - first, depth - first)]
    drawn = _Drawn(at, depth, max(plan, depth), hit, log_depth, dark)
    data, act_above = _belief_lines(drawn, b, q_star)
    notes = [act_above]
    x_axis: dict[str, Any] = {"range": list(drawn.ends)}
    x_axis |= {"type": "log", "dtick": 1} if log_depth else {}
    x_axis |= {} if worth is None else {"anchor": "y2"}
    domain = [0.0, 1.0] if worth is None else [0.55, 1.0]
    layout = fig.clear_layout(
        300,
        {"l": 56, "r": 8, "t": 4, "b": 36},
        yaxis=fig.axis(belief_title, dark, range=[-0.05, 1.05], domain=domain, tickformat=".0%", nticks=4),
        xaxis=fig.axis("documents read", dark, **x_axis),
    )
    if worth is not None:
        gains_nothing = hit is None and depth < len(worth) and not worth[depth] > 0
        lines, decades = _worth_lines(drawn, worth), _decades(worth, at, float(cost > 0), gains_nothing)
        data += lines
        if cost > 0:
            data.append(drawn.level(1.0, COST, yaxis="y2"))
            notes.append(_cost_label(drawn, lines, decades))
        if gains_nothing:
            notes.append(_nothing_gained(drawn, lines, decades, cost))
        powers = {"type": "log", "dtick": 1, "exponentformat": "power" if cost <= 0 else "none"}
        layout["yaxis2"] = fig.axis(title, dark, domain=[0.0, 0.45], **powers, range=decades)
    if steps:
        for trace in (trace for trace in data if trace["mode"] == "lines"):
            trace["line"]["shape"] = "hv"
    layout["annotations"] = notes
    if stops and plan > depth and first <= plan <= last:
        layout["shapes"] = [fig.upright(float(plan), width=1, dash="dot")]
    return {"data": data, "layout": layout}


def _worth_lines(drawn: _Drawn, worth: Floats) -> list[fig.Figure]:
    # A log axis has no place for zero: the line ends where nothing can be gained.
    at = drawn.at[drawn.at < len(worth)]
    gains = np.where(at < (np.inf if drawn.hit is None else drawn.hit), worth[at], 0.0)
    return drawn.curve([value if value > 0 else None for value in gains.tolist()], VALUE, yaxis="y2")


def _decades(worth: Floats, at: NDArray[np.intp], cost: float, gains_nothing: bool) -> list[float]:
    values = worth[at[at < len(worth)]]
    # Where nothing can be gained the axis has room for that below the cost.
    floor = [cost, cost / 10] if cost > 0 and gains_nothing else [cost or 1e-3]
    values = np.append(values[values > 0], floor)
    high = float(np.ceil(np.log10(values.max()) + 0.15))
    low = float(np.floor(np.log10(max(values.min(), (cost or values.max()) / 100))))
    return [low, max(high, low + 1)]


@dataclass(frozen=True, eq=False)
class _Drawn:
    """The depths of live curves: those drawn, the documents read, the plan of the rule, and the hit."""

    at: NDArray[np.intp]
    depth: int
    plan: int
    hit: int | None
    log_depth: bool
    dark: bool

    @cached_property
    def x(self) -> list[float]:
        """Places of the depths on the axis."""
        depths: list[float] = self.at.tolist()
        return [float(depth) or 0.5 for depth in depths] if self.log_depth else depths

    @cached_property
    def ends(self) -> tuple[float, float]:
        """First and last of these places in the axis's own units."""
        left, right = (float(np.log10(end) if self.log_depth else end) for end in (self.x[0], self.x[-1]))
        return left, right

    def curve(
        self, y: Sequence[float | None], colour: str, *, on: bool = True, **more: Any
    ) -> list[fig.Figure]:
        """A line that is solid up to the depth, and dotted from there to the plan.

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

        Returns
        -------
        list of dict
            One or two traces.
        """
        at = self.at[: len(y)]
        past, ahead = at <= self.depth, (at >= self.depth) & (at <= self.plan)
        lines = [fig.line([*compress(self.x, past)], [*compress(y, past)], colour, width=3, **more)]
        if on and ahead.sum() > 1:
            lines.append(
                fig.line([*compress(self.x, ahead)], [*compress(y, ahead)], colour, dash="dot", **more)
            )
        return [trace | {"hoverinfo": "skip"} for trace in lines]

    def level(self, y: float, colour: str, **more: Any) -> fig.Figure:
        """A dashed line from end to end."""
        edge = [float(self.x[0]), float(self.x[-1])]
        return fig.line(edge, [y, y], colour, dash="dash", **more, hoverinfo="skip")

    def label(self, x: float, y: float, text: str, level: str, below: bool, **more: Any) -> fig.Figure:
        """A label just below or above a level, which other lines may cross.

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

        Returns
        -------
        dict
            An annotation.
        """
        yanchor, yshift = ("top", -2) if below else ("bottom", 2)
        place = {**more, "yanchor": yanchor, "bgcolor": fig.paper(self.dark), "yshift": yshift}
        return fig.label(x, y, text, fig.ink(level, self.dark), **place)


def _belief_lines(drawn: _Drawn, b: Floats, q_star: float) -> tuple[list[fig.Figure], fig.Figure]:
    """Belief, where it is now, and q*; and the label of q*."""
    at, depth, hit = drawn.at, drawn.depth, drawn.hit
    belief = b[at] if hit is None else np.where(at >= hit, 1.0, b[at])
    x_now = 0.5 if drawn.log_depth and depth == 0 else depth
    b_now = 1.0 if hit is not None and depth >= hit else float(b[depth])
    blue = fig.stroke(BELIEF, drawn.dark)
    now = fig.points([x_now], [b_now], blue, hoverinfo="skip")
    # The label stands at the right end, where the projection has stopped: at the left the belief often starts
    # at q*. And on the side of the line where the belief does not end.
    below = bool(belief[at <= drawn.plan][-1] >= q_star)
    note = drawn.label(drawn.ends[1], q_star, f"act above {percent(q_star)}", THRESHOLD, below)
    return [*drawn.curve(belief.tolist(), blue, on=hit is None), now, drawn.level(q_star, THRESHOLD)], note


def _seen(lines: Sequence[fig.Figure]) -> list[float]:
    """Values that lines show."""
    return [value for line in lines for value in line["y"] if value is not None]


def _nothing_gained(
    drawn: _Drawn, lines: Sequence[fig.Figure], decades: Sequence[float], cost: float
) -> fig.Figure:
    """Say what a logarithmic axis cannot show: that reading on has no worth above 0."""
    text = "the next document: worth less than it costs" if cost > 0 else "nothing to gain"
    end, side = (drawn.ends[1], "right") if any(_seen(lines)) else (drawn.ends[0], "left")
    return drawn.label(end, decades[0], text, VALUE, False, yref="y2", xanchor=side)


def _cost_label(drawn: _Drawn, lines: Sequence[fig.Figure], decades: Sequence[float]) -> fig.Figure:
    # The rule stops where worth and cost meet, mostly at the right: the label stands at the clearer end.
    seen = _seen(lines)
    away = [abs(np.log10(value)) for value in (seen[:1] + seen[-1:])]
    at_left = bool(away) and away[0] > away[-1]
    # Below the line, where the value is above it, if the axis leaves a line of text there.
    room = -decades[0] / (decades[1] - decades[0]) > 0.2
    below = room and bool(seen) and seen[0 if at_left else -1] > 1
    end, side = (drawn.ends[0], "left") if at_left else (drawn.ends[1], "right")
    return drawn.label(end, 0.0, "1: what it costs", COST, below, yref="y2", xanchor=side)


LEAST_WIDE, LEAST_HIGH = 10, 5  # Documents read, and relevant ones, on the axes at least


def found_curve(
    relevant: NDArray[np.bool_],
    left: tuple[float, float, float] | None,
    *,
    plan: int,
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
    dark : bool
        Whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    depth = len(relevant)
    total_found = np.append(0, np.cumsum(relevant))
    at, end = fig.thinned(depth + 1, depth), float(max(plan, depth, LEAST_WIDE))
    data, notes, most = [], [], float(max(total_found[-1], LEAST_HIGH))
    if left is not None:
        mean, low, high = (float(total_found[-1] + unread) for unread in left)
        most = max(most, high)
        band = fig.line([0, 0, end, end], [low, high, high, low], GRID, width=0)
        data += [band | {"fill": "toself", "fillcolor": VALUE_AREA}]
        data += [fig.line([0.0, end], [mean, mean], VALUE, dash="dash")]
        words = f"probably {mean:,.0f} in all"
        ink = fig.ink(VALUE, dark)
        notes.append(
            fig.label(
                0.0, mean, words, ink, xanchor="left", yanchor="bottom", bgcolor=fig.paper(dark), yshift=3
            )
        )
    blue = fig.stroke(BELIEF, dark)
    curve = fig.line(at.astype(float).tolist(), total_found[at].astype(float).tolist(), blue, width=3)
    curve["line"]["shape"] = "hv"
    data += [curve, fig.points([depth], [int(total_found[-1])], blue)]
    layout = fig.clear_layout(
        300,
        {"l": 56, "r": 8, "t": 8, "b": 36},
        xaxis=fig.axis("documents read", dark, range=[0.0, end]),
        yaxis=fig.axis("relevant found", dark, range=[0.0, 1.12 * most], nticks=5),
        annotations=notes,
    )
    if plan > depth:
        layout["shapes"] = [fig.upright(float(plan), THRESHOLD, width=1, dash="dot")]
    return {"data": [trace | {"hoverinfo": "skip"} for trace in data], "layout": layout}
