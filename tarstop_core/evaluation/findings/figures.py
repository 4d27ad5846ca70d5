"""Figures of an experiment as plotly dictionaries, each with the sentence that says what it shows."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, cast

import numpy as np
import pandas as pd

from tarstop_core.evaluation.findings import message
from tarstop_core.policies import POLICIES
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.numbers import number, percent
from tarstop_core.presentation.palette import MINUS, PLUS, SERIES

ROW = 24
"""Pixels of one method."""
BAR = {"type": "bar", "orientation": "h"}
_MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star", "pentagon")
_DEFAULT_VARIANTS = {"marginal", "default"}
DASHES = {"paper's policy": "solid", "paper's baseline": "dash", "reference": "dot"}
"""Dash of a line by the family of its rule."""


def style(policy: str, variant: str = "marginal", family: str = "beyond the paper") -> dict[str, Any]:
    """Return colour, marker and dash of a method.

    Lines of the paper's policies are solid, of its baselines dashed, of references dotted. Other rules are solid if
    they act on the belief and dash-dotted otherwise. A variant (hazard, learned …) has an open marker.

    Parameters
    ----------
    policy, variant, family : str
        As in :class:`~tarstop_core.evaluation.results.MethodInfo`; a policy may be unknown here.

    Returns
    -------
    dict
        ``color``, ``symbol`` and ``dash``.
    """
    rule = POLICIES.get(policy)
    round_, at = divmod(len(POLICIES) + sum(map(ord, policy)), len(SERIES))
    by_name = SERIES[at], _MARKERS[(at + round_) % len(_MARKERS)]
    colour, marker = (rule.colour, rule.marker) if rule else by_name
    dash = DASHES.get(family, "solid" if rule and rule.acts_on_belief else "dashdot")
    symbol = marker if variant in _DEFAULT_VARIANTS else f"{marker}-open"
    return {"color": colour, "symbol": symbol, "dash": dash}


def look_of(row: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the :func:`style` of the method of a row."""
    return style(row["policy"], row["variant"], row["family"])


def mark(x: float, name: str, look: Mapping[str, Any], **more: Any) -> fig.Figure:
    """Draw one point of a method, in the row with its name.

    Parameters
    ----------
    x, name : float, str
        Position of the point, and name of its row.
    look : mapping
        Colour and marker (:func:`style`).
    **more
        Further attributes of the trace.

    Returns
    -------
    dict
        A plotly trace.
    """
    return fig.points([x], [name], look["color"], marker={"symbol": look["symbol"]}, **more)


class MethodChart(fig.Chart):
    """A chart of an experiment, in which methods have the same colours on light and dark pages."""

    above: ClassVar[fig.Figure] = {}

    def figure(self, **layout: Any) -> fig.Figure:
        """Return the figure, marked if simulated; `layout` adds to its layout."""
        margin = {"l": 64, "r": 16, "t": 24, "b": 48, **layout.pop("margin", {})}
        return super().figure(margin=margin, **layout)


def reach(row: Mapping[Any, Any], name: str, colour: str) -> fig.Figure:
    """Error bars for the interval of a row's mean.

    Parameters
    ----------
    row, name : mapping, str
        A row, and the column of the mean.
    colour : str
        Colour of the bars.

    Returns
    -------
    dict
        A plotly error_x.
    """
    low, high = (row[name] - row[f"{name}_low"], row[f"{name}_high"] - row[name])
    return fig.interval([high], [low], colour, 2)


# --- regret ---------------------------------------------------------------------------------------

DIRECT_LABELS = 7
"""Up to this many lines are named at their ends; with more there is a legend."""
GAP = 0.28
"""Least distance between the names of two lines, in decades."""


def regret_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> fig.Figure:
    """Draw mean regret by cost, with its intervals if any, on log axes.

    A log axis has no 0: where a method has no regret its line has a gap, and an open marker lies on the line "0"
    below the others.

    Parameters
    ----------
    frame : DataFrame
        Mean regret (:func:`~tarstop_core.evaluation.findings.aggregate.regret_by_cost`).
    simulated, dark : bool
        Whether the figure is marked as simulated, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    chart = MethodChart(420, dark=dark, simulated=simulated)
    without_regret: list[fig.Figure] = []
    ends: list[tuple[float, float, str, str]] = []  # Of each line: log cost, log regret, name, colour
    direct = frame["method"].nunique() <= DIRECT_LABELS
    regrets = frame["regret"][frame["regret"] > 0]
    # Half a decade below the lowest regret, where the axis has no number.
    zero = float(10 ** (np.floor(np.log10(regrets.min())) - 0.5)) if len(regrets) else 1.0
    for _, own in frame.groupby("method", sort=False):
        own = own.sort_values("cost")
        look = look_of(own.iloc[0].to_dict())
        name, colour = own["approach"].iloc[0], look["color"]
        positive = own["regret"] > 0
        without_regret.append(_at_zero(own["cost"][~positive].tolist(), zero, name, look))
        y = [float(v) if ok else None for v, ok in zip(own["regret"], positive, strict=True)]
        how = {"dash": look["dash"], "mode": "lines+markers", "name": name}
        how["marker"] = {"color": colour, "symbol": look["symbol"], "size": 8}
        hover = "%{fullData.name}: %{y:.2~r} at %{x}<extra></extra>"
        trace = fig.line(own["cost"].tolist(), y, colour, **how, hovertemplate=hover)
        if "regret_low" in own:
            above = (own["regret_high"] - own["regret"]).clip(lower=0).tolist()
            below = (own["regret"] - own["regret_low"]).clip(lower=0).tolist()
            trace["error_y"] = fig.interval(above, below, colour, 1, width=0)
        chart.traces.append(trace)
        if positive.any():
            last = own[positive].iloc[-1]
            ends.append((np.log10(last["cost"]), np.log10(last["regret"]), name, colour))
    ends.sort(key=lambda end: end[1])
    heights = fig.moved_apart([height for _, height, *_ in ends], GAP)
    for (x, _, name, colour), height in zip(ends, heights, strict=True) if direct else ():
        place = {"xanchor": "left", "yanchor": "middle", "xshift": 8}
        chart.labels.append(fig.label(x, height, name, colour, **place))
    if (frame["regret"] <= 0).any():
        chart.traces += without_regret
        chart.label(0, np.log10(zero), "0", xref="paper", yanchor="middle", xshift=-4)
    logarithmic = {"type": "log", "dtick": 1, "tickformat": ",.12~g"}
    chart.axis("xaxis", "cost of one document (utility)", **logarithmic)
    chart.axis("yaxis", "mean regret (utility)", **logarithmic)
    if direct:
        return chart.figure(margin={"r": 110})
    chart.height += 14 * len(without_regret)
    return chart.figure(showlegend=True, legend={"font": {"size": 11}, "orientation": "h", "y": -0.25})


def _at_zero(costs: Sequence[float], zero: float, name: str, look: dict[str, Any]) -> dict[str, Any]:
    """Open markers at the costs where a method has no regret, at the height that stands for 0."""
    marker = {"symbol": f"{look['symbol'].removesuffix('-open')}-open"}
    how = {"name": name, "showlegend": False, "hovertemplate": "%{fullData.name}: 0 at %{x}<extra></extra>"}
    return fig.points(costs, [zero] * len(costs), look["color"], 8, marker=marker, **how)


def regret_sentence(frame: pd.DataFrame, q_star: float, cost: float, bounds: Sequence[str] = ()) -> str:
    """Say what the regret figure shows at one cost and over all costs, with intervals if the frame has them.

    Parameters
    ----------
    frame, q_star, cost : DataFrame, float, float
        The frame of the figure, its threshold, and one of its costs.
    bounds : sequence of str
        Names of the Oracles, which the figure does not draw.

    Returns
    -------
    str
    """
    table = frame.pivot_table(index="cost", columns="approach", values="regret", sort=False)
    here = {str(name): float(cast(Any, value)) for name, value in table.loc[cost].items()}
    best, worst = min(here, key=here.__getitem__), max(here, key=here.__getitem__)
    rows = {row["approach"]: row for row in frame[frame["cost"] == cost].to_dict("records")}
    wins = table.le(table.min(axis=1) + 1e-12, axis=0).sum()
    won = wins[wins > 0].sort_values(ascending=False, kind="stable")
    often = [f"{name} at {won[name]}" for name in won.index]
    always = [str(name) for name in wins.index if wins[name] == len(table)]
    ends = {
        end: {"name": name, "regret": here[name], "within": within(rows[name], "regret", number)}
        for end, name in (("best", best), ("worst", worst))
    }
    cell = {"q_star": q_star, "cost": cost}
    sentence = message("regret", **cell, **ends, costs=len(table), always=always, often=often)
    return f"{sentence} {message('bounds', names=bounds)}" if bounds else sentence


def within(row: Mapping[Any, Any], name: str, form: Callable[[float], str]) -> str:
    """Word the interval of a mean, to follow the mean inside brackets.

    Parameters
    ----------
    row : mapping
        A row of :func:`~tarstop_core.evaluation.findings.aggregate.rows`.
    name : str
        Column of the mean.
    form : callable
        Formats a number.

    Returns
    -------
    str
        Empty if the row has no interval.
    """
    if f"{name}_low" not in row or math.isnan(row[f"{name}_low"]):
        return ""
    return f", 95 % interval {form(row[f'{name}_low'])} to {form(row[f'{name}_high'])}"


FLAT = {"nticks": 4, "tickangle": 0}
"""Axis settings that keep plotly from turning the numbers of narrow panels on end."""


def error_figure(
    frame: pd.DataFrame, called: Mapping[str, str], simulated: bool = False, dark: bool = False
) -> fig.Figure:
    """Draw wrong decisions of both kinds, with a panel for each q*.

    Parameters
    ----------
    frame : DataFrame
        Errors (:func:`~tarstop_core.evaluation.findings.aggregate.errors`); NaN if kinds cannot be distinguished.
    called : mapping of str to str
        Names of the two errors.
    simulated, dark : bool
        Whether the figure is marked as simulated, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    q_stars = sorted(frame["q_star"].unique())
    names = list(dict.fromkeys(frame["approach"]))
    width = (1 - 0.04 * (len(q_stars) - 1)) / len(q_stars)
    top = 1.12 * float((frame["false_adopt"] + frame["false_reject"]).max())
    chart = MethodChart(160 + ROW * len(names), dark=dark, simulated=simulated)
    for panel, q_star in enumerate(q_stars):
        own = frame[frame["q_star"] == q_star].set_index("approach").reindex(names)
        suffix = "" if panel == 0 else str(panel + 1)
        left = panel * (width + 0.04)
        for column, colour, shape in (("false_adopt", PLUS, ""), ("false_reject", MINUS, "/")):
            title = called[column]
            bars = {**BAR, "name": title, "showlegend": panel == 0, "x": own[column].tolist(), "y": names}
            bars |= {"xaxis": f"x{suffix}", "yaxis": "y"}
            bars |= {"marker": {"color": colour, "pattern": {"shape": shape}}}
            chart.traces.append(bars | {"hovertemplate": "%{y}: %{x:.1%} " + title + "<extra></extra>"})
        shares = {"domain": [left, left + width], "tickformat": ".0%", "range": [0, top or 1]}
        chart.axis(f"xaxis{suffix}", "share of topics", **shares, **FLAT)
        chart.note(left, 1, f"{percent(q_star)} sure", xanchor="left")
    chart.axis("yaxis", "", autorange="reversed", automargin=True)
    return chart.figure(
        showlegend=True,
        margin={"b": 100},
        barmode="stack",
        bargap=0.35,
        # At the bottom of the picture, below the titles of the axes.
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "font": {"size": 12}},
        meta={"least_width": 240 * len(q_stars)},
    )


def error_heading(at: pd.DataFrame, q_star: float, cost: float) -> str:
    """Say which methods make the fewest errors.

    Parameters
    ----------
    at : DataFrame
        Errors at one q*.
    q_star, cost : float
        The q* and cost of these errors.

    Returns
    -------
    str
    """
    wrong = (at["false_adopt"] + at["false_reject"]).to_numpy()
    names = at["approach"].to_numpy()[wrong <= wrong.min() + 1e-12]
    return message("fewest_errors", names=names, never=wrong.min() <= 1e-12, q_star=q_star, cost=cost)


def error_sentence(frame: pd.DataFrame, called: Mapping[str, str]) -> str:
    """Say which methods make each error most often, and how many make none; `called` names the two errors.

    Errors are NaN if the kinds cannot be distinguished, as in the paper at q* = .5.
    """
    distinct = frame.dropna(subset=["false_adopt", "false_reject"])
    sentences = []
    for q_star, own in distinct.groupby("q_star"):
        most = {}
        for column, name in (("false_adopt", "adopts"), ("false_reject", "rejects")):
            share = own[column].to_numpy()
            names = own["approach"].to_numpy()[share >= share.max() - 1e-12].tolist()
            most[name] = {"names": names, "share": float(share.max()), "kind": called[column]}
        free = int((own["false_adopt"] + own["false_reject"] < 1e-12).sum())
        sentences.append(message("errors", q_star=q_star, **most, free=free, methods=len(own)))
    if mixed := [f"{q_star:g}" for q_star in sorted(set(frame["q_star"]) - set(distinct["q_star"]))]:
        sentences.append(message("not_apart", q_stars=mixed))
    return " ".join(sentences)
