"""Belief against q* above, what the next documents are worth against their cost below."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.presentation.figures import Figure, _belief_lines, _cost_label, _Drawn, axis, thinned
from tarstop_core.presentation.palette import COST, THRESHOLD, VALUE

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


def _worth_lines(drawn: _Drawn, worth: Floats) -> list[Figure]:
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
