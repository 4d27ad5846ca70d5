"""Belief against q* above, what the next documents pay back for what they cost below."""

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
from tarstop_core.presentation.palette import BELIEF, COST, PAPER, PAPER_ON_DARK, THRESHOLD, VALUE

Floats = NDArray[np.float64]


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
    silent: NDArray[np.bool_] | None = None,
    dark: bool = False,
) -> fig.Figure:
    """Belief against q* above, the value of the next document as a multiple of its cost below.

    Where reading is free the value itself is drawn, in its `unit`. `b` is the belief after d documents if nothing (more)
    is found, shape (N + 1,); `worth` what the rule compares with the cost, shape (N,), and None draws the belief alone.
    Lines are solid up to `depth`, the documents read, and dotted from there to `plan`, where the rule would stop if
    nothing turned up; `hit` is the depth of the confirmed hit. Drawn are the depths of `span`, first and last, on a log
    axis with `log_depth` (0 at 0.5); with `steps` belief and worth move only with a study. `silent` says which documents
    were read without a verdict that counts, shape (N,).
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
        lines, decades = _worth_lines(drawn, worth), _decades(worth, at, float(cost > 0))
        data += lines
        if cost > 0:
            data.append(drawn.level(1.0, COST, yaxis="y2"))
            notes.append(_cost_label(drawn, lines, decades))
        powers = {"type": "log", "dtick": 1, "exponentformat": "power" if cost <= 0 else "none"}
        layout["yaxis2"] = fig.axis(title, dark, domain=[0.0, 0.45], **powers, range=decades)
    if steps:
        for trace in (each for each in data if each["mode"] == "lines"):
            trace["line"]["shape"] = "hv"
    layout["annotations"] = notes
    if plan > depth and first <= plan <= last:
        layout["shapes"] = [fig.upright(float(plan), width=1, dash="dot")]
    return {"data": data, "layout": layout}


def _worth_lines(drawn: _Drawn, worth: Floats) -> list[fig.Figure]:
    # A log axis has no place for zero: the line ends where nothing can be gained.
    at = drawn.at[drawn.at < len(worth)]
    gains = np.where(at < (np.inf if drawn.hit is None else drawn.hit), worth[at], 0.0)
    return drawn.curve([value if value > 0 else None for value in gains.tolist()], VALUE, yaxis="y2")


def _decades(worth: Floats, at: NDArray[np.intp], cost: float) -> list[float]:
    values = worth[at[at < len(worth)]]
    values = np.append(values[values > 0], cost if cost > 0 else 1e-3)
    high = float(np.ceil(np.log10(values.max()) + 0.15))
    low = float(np.floor(np.log10(max(values.min(), (cost or values.max()) / 100))))
    return [low, max(high, low + 1)]


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

    def curve(
        self, y: Sequence[float | None], colour: str, *, on: bool = True, **more: Any
    ) -> list[fig.Figure]:
        """Solid up to the depth, dotted `on` from there to the plan; y may end before the depths do."""
        at = self.at[: len(y)]
        past, ahead = at <= self.depth, (at >= self.depth) & (at <= self.plan)
        lines = [fig.line([*compress(self.x, past)], [*compress(y, past)], colour, width=3, **more)]
        if on and ahead.sum() > 1:
            lines.append(
                fig.line([*compress(self.x, ahead)], [*compress(y, ahead)], colour, dash="dot", **more)
            )
        return [each | {"hoverinfo": "skip"} for each in lines]

    def level(self, y: float, colour: str, **more: Any) -> fig.Figure:
        """A dashed line from end to end."""
        edge = [float(self.x[0]), float(self.x[-1])]
        return fig.line(edge, [y, y], colour, dash="dash", **more, hoverinfo="skip")

    def label(self, x: float, y: float, text: str, level: str, below: bool, **more: Any) -> fig.Figure:
        """A label just below or above a level of this colour, which other lines may cross."""
        paper = PAPER_ON_DARK if self.dark else PAPER
        yanchor, yshift = ("top", -2) if below else ("bottom", 2)
        return fig.label(
            x, y, text, fig.ink(level, self.dark), **more, yanchor=yanchor, bgcolor=paper, yshift=yshift
        )


def _belief_lines(drawn: _Drawn, b: Floats, q_star: float) -> tuple[list[fig.Figure], fig.Figure]:
    """Belief, where it is now, and q*; and the label of q*."""
    at, depth, hit = drawn.at, drawn.depth, drawn.hit
    shown = b[at] if hit is None else np.where(at >= hit, 1.0, b[at])
    x_now = 0.5 if drawn.log_depth and depth == 0 else depth
    b_now = 1.0 if hit is not None and depth >= hit else float(b[depth])
    now = fig.points([x_now], [b_now], BELIEF, hoverinfo="skip")
    # The label stands at the right end, where the projection has stopped: at the left the belief often starts
    # at q*. And on the side of the line where the belief does not end.
    below = bool(shown[at <= drawn.plan][-1] >= q_star)
    note = drawn.label(drawn.ends[1], q_star, f"act above {percent(q_star)}", THRESHOLD, below)
    return [*drawn.curve(shown.tolist(), BELIEF, on=hit is None), now, drawn.level(q_star, THRESHOLD)], note


def _cost_label(drawn: _Drawn, lines: Sequence[fig.Figure], decades: Sequence[float]) -> fig.Figure:
    # The rule stops where worth and cost meet, mostly at the right: the label stands at the clearer end.
    seen = [value for each in lines for value in each["y"] if value is not None]
    away = [abs(np.log10(value)) for value in (seen[:1] + seen[-1:])]
    at_left = bool(away) and away[0] > away[-1]
    # Below the line, where the value is above it, if the axis leaves a line of text there.
    room = -decades[0] / (decades[1] - decades[0]) > 0.2
    below = room and bool(seen) and seen[0 if at_left else -1] > 1
    end, side = (drawn.ends[0], "left") if at_left else (drawn.ends[1], "right")
    return drawn.label(end, 0.0, "1: what it costs", COST, below, yref="y2", xanchor=side)
