"""Figures and sentences of decisions between several actions."""

from collections.abc import Sequence

import numpy as np

from tarstop_core.explore.decisions import DecisionResults, ParameterValue
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Chart, Figure
from tarstop_core.presentation.messages import Messages
from tarstop_core.presentation.numbers import amount, percent, round_numbers, signed
from tarstop_core.presentation.palette import COST, SERIES, THRESHOLD, VALUE
from tarstop_core.value.payoffs import Floats

message = Messages("explore/decisions.jinja")

ROW = 44
"""Height in pixels of a row for an action or a parameter."""
LONGEST_NAME = 26
"""Most characters of a name beside a figure."""
APART = 0.06
"""Least distance between the names of two lines, as a share of the height."""
MOST_NAMED = 7
"""Most lines that are named at their ends."""


def headline(result: DecisionResults, unit: str) -> list[str]:
    """Say which action is best now, what certainty is worth, and what to do next.

    Parameters
    ----------
    result : DecisionResults
        The results for the decision.
    unit : str
        Unit of all amounts; "" for none.

    Returns
    -------
    list of str
        A sentence each.
    """
    parts = [message("now", result=result, unit=unit), message("certainty", result=result, unit=unit)]
    if result.evsi is not None:
        parts.append(message("study_of_table", result=result, unit=unit))
    return [*parts, message("step", result=result, unit=unit)] if result.sizes is not None else parts


def steps_figure(
    result: DecisionResults, unit: str, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Draw the worth of a study after its price by its size, beside reading on and deciding now.

    Parameters
    ----------
    result : DecisionResults
        The results for the decision, with a study.
    unit : str
        Unit of all amounts.
    simulated, dark : bool
        Whether the draws are simulated, and the page dark.

    Returns
    -------
    Figure
        For plotly.
    """
    chart = Chart(360, dark=dark, simulated=simulated)
    sizes = result.sizes
    if sizes is None:
        return chart.figure()
    reach = max(abs(sizes.best_enbs), abs(result.reading_gain or 0.0), 1e-9)
    near = np.flatnonzero(sizes.enbs > -0.8 * reach)
    if not near.size:  # No size is worth its price: the curve is drawn as far as it stays in sight
        near = np.flatnonzero(sizes.enbs >= -1.6 * reach)
    last = int(near[-1]) if near.size else len(sizes.n) - 1
    n, enbs = sizes.n[: last + 2], sizes.enbs[: last + 2]
    drawn = enbs >= -1.6 * reach
    low, high = min(-0.3 * reach, float(enbs[drawn].min(initial=0.0))), 1.25 * max(reach, 0.0)
    x = (float(n[0]), float(n[-1]))
    chart.line(x, [0, 0], THRESHOLD, dash="dash", width=1.5)
    below = enbs[0] >= 0
    chart.label(np.log10(x[0]), 0, "decide now", xanchor="left", yanchor="top" if below else "bottom")
    chart.line(n[drawn], enbs[drawn], VALUE, width=3)
    text = message("size", n=sizes.best_n, arms=result.study.arms) if result.study else ""
    if sizes.best_enbs > 0:  # Otherwise no size is worth its price
        hover = [f"{text}: {amount(sizes.best_enbs, unit)}"]
        chart.points([sizes.best_n], [sizes.best_enbs], VALUE, 11, hovertext=hover)
        # Above the top of the curve, unless reading on lies there.
        above = result.reading_gain is None or result.reading_gain <= sizes.best_enbs
        side = {"xanchor": "center", **({"yshift": 8} if above else {"yanchor": "top", "yshift": -20})}
        chart.label(np.log10(sizes.best_n), sizes.best_enbs, f"study of {sizes.best_n:,}", VALUE, **side)
    if result.reading is not None and result.reading_gain is not None:
        at = float(np.clip(result.reading.studies * result.reading.people, *x))
        text = f"reading on: {amount(result.reading_gain, unit)}"
        chart.points([at], [result.reading_gain], COST, 11, marker={"symbol": "diamond"}, hovertext=[text])
        # On the side away from the line of deciding now, which might cross it.
        side = (
            {"yanchor": "bottom", "yshift": 6}
            if result.reading_gain >= 0
            else {"yanchor": "top", "yshift": -6}
        )
        chart.label(np.log10(at), result.reading_gain, "reading on", COST, xanchor="center", **side)
    people = "people per arm" if result.study and result.study.arms > 1 else "people"
    chart.axis("xaxis", people, type="log", range=[float(np.log10(end)) for end in x])
    title = fig.with_unit("worth to everyone, after its price", unit)
    chart.axis("yaxis", title, range=[low, high], **_ticks(low, high))
    return chart.figure(margin={"l": 92})


def actions_figure(
    result: DecisionResults, unit: str, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Draw how far each action is behind the best now, per person, with its chance of being the best.

    Parameters
    ----------
    result : DecisionResults
        The decision's results.
    unit : str
        Unit of the amounts.
    simulated, dark : bool
        Whether "simulated" stands in the figure, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure with a row for each action.
    """
    behind = result.behind
    texts = [
        f"{name}, {amount(net, unit)}: {amount(less, unit) if less else 'best'}, {percent(chance)}"
        for name, net, less, chance in zip(
            result.actions, result.net.tolist(), behind.tolist(), result.chances.tolist(), strict=True
        )
    ]
    title = f"{fig.with_unit('behind the best, per person', unit)}; chance of being it"
    return _rows(result.actions, behind, np.zeros_like(behind), texts, title, simulated, dark)


def knowing_figure(
    result: DecisionResults, unit: str, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Draw what knowing each parameter for certain is worth, with its standard error.

    Parameters
    ----------
    result : DecisionResults
        The decision's results.
    unit : str
        Unit of the amounts.
    simulated, dark : bool
        Whether "simulated" stands in the figure, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure with a row for everything, then one for each parameter.
    """
    parameters = (ParameterValue("everything", result.evpi, result.evpi_se), *result.evppi)
    names, value, se = zip(*parameters, strict=True)
    texts = [f"{name}: {amount(worth, unit)}" for name, worth in zip(names, value, strict=True)]
    title = fig.with_unit("worth, per person", unit)
    return _rows(names, np.array(value), 1.96 * np.array(se), texts, title, simulated, dark)


def _rows(
    names: Sequence[str],
    x: Floats,
    wide: Floats,
    texts: Sequence[str],
    title: str,
    simulated: bool,
    dark: bool,
) -> Figure:
    """A figure with a row for each name: a bar from 0 to x, a point at its end, and an interval of ± `wide`."""
    chart = Chart(80 + ROW * len(names), dark=dark, simulated=simulated)
    for row, end in enumerate(x.tolist()):
        chart.line([0, end], [row, row], VALUE, width=6, hoverinfo="skip")
    reach = fig.interval(wide.tolist(), np.minimum(wide, x).tolist(), fig.text_colour(dark), 1.5)
    chart.points(x, range(len(names)), VALUE, 11, hovertext=list(texts), error_x=reach)
    top = float((x + wide).max()) or 1.0
    for row, (end, text) in enumerate(zip((x + wide).tolist(), texts, strict=True)):
        written = text.rpartition(": ")[2]
        chart.label(end, row, f" {written} ", xanchor="left", yanchor="middle", xshift=6)
    labels = [fig.plain(name, LONGEST_NAME) for name in names]
    rows = {"tickvals": list(range(len(names))), "ticktext": labels, "range": [len(names) - 0.5, -0.5]}
    chart.axis("yaxis", "", **rows, showgrid=False)
    chart.axis("xaxis", title, range=[-0.01 * top, 1.3 * top], **_ticks(0, 1.3 * top))
    return chart.figure(margin={"l": _beside(labels), "b": 46})


def curves_figure(
    result: DecisionResults, unit: str, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Draw the acceptability curve, or the decision curve of a test.

    Parameters
    ----------
    result : DecisionResults
        The decision's results.
    unit : str
        Unit of the amounts.
    simulated, dark : bool
        Whether "simulated" stands in the figure, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure, empty if the decision has no curve.
    """
    chart = Chart(360, dark=dark, simulated=simulated)
    drawn = result.curves
    if drawn is None:
        return chart.figure()
    x, named = drawn.x, drawn.names[:MOST_NAMED]
    low, high = (float(drawn.y[:, 1:].min()), float(drawn.y.max())) if drawn.of_thresholds else (0.0, 1.0)
    low = max(low, -0.25 * high)  # The line of treating everybody falls without limit
    # A name stands where its line ends: at the right, below each other, or where the line leaves the figure.
    lasts = [int(np.flatnonzero(drawn.y[:, at] >= low)[-1:].sum()) for at in range(len(named))]
    ends = [max(low, float(drawn.y[last, at])) for at, last in enumerate(lasts)]
    right = [at for at, last in enumerate(lasts) if last == len(x) - 1]
    for at, height in zip(
        right, fig.moved_apart([ends[at] for at in right], APART * (high - low)), strict=True
    ):
        ends[at] = height
    for at, colour in zip(range(len(drawn.names)), SERIES * len(drawn.names), strict=False):
        inside = np.where(drawn.y[:, at] >= low, drawn.y[:, at], np.nan)
        chart.line(x, [None if np.isnan(y) else y for y in inside], colour, width=3)
        if at < len(named):
            name = fig.plain(named[at], LONGEST_NAME)
            chart.label(
                float(x[lasts[at]]), ends[at], name, colour, xanchor="left", yanchor="middle", xshift=6
            )
    room = 0.04 * (high - low)
    if drawn.of_thresholds:
        chart.axis(
            "xaxis", "chance of disease above which to treat", range=[0, float(x[-1])], tickformat=".0%"
        )
        chart.axis("yaxis", "net benefit (true positives per person)", range=[low - room, high + room])
    else:
        title = fig.with_unit("worth of one unit of effect", unit)
        chart.axis("xaxis", title, range=[0, float(x[-1])], **_ticks(0, float(x[-1]), most=4))
        chart.axis("yaxis", "chance of being the best action", range=[-0.02, 1.02], tickformat=".0%")
    written = [fig.plain(name, LONGEST_NAME) for name in named]
    return chart.figure(margin={"r": _beside(written), "l": 66})


def _beside(names: Sequence[str]) -> int:
    """Room for names beside a plot, in pixels: no more than they need, because a phone has little."""
    return 20 + 6 * max(map(len, names), default=0)


def _ticks(low: float, high: float, most: int = 6) -> Figure:
    """Ticks at round amounts between two ends, about `most` of them."""
    values = round_numbers(low, high, most=most)
    return {"tickvals": values, "ticktext": [signed(value) for value in values]}
