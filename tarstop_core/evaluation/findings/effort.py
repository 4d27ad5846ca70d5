"""Figures of effort and its return: documents read, effort saved, and net utility against a reference."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tarstop_core.evaluation.findings import message, share_words, signed
from tarstop_core.evaluation.findings.figures import BAR, ROW, MethodChart, look_of, mark, reach, within
from tarstop_core.presentation import figures as fig

FURTHEST = -1.0
"""Methods whose interval reaches below this difference are written as numbers at the edge of the figure."""
HALVES = ((0.0, 0.47), (0.53, 1.0))
"""Horizontal extents of two panels beside each other."""


def effort_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> fig.Figure:
    """Draw documents read by each method: mean with its interval, and the middle half of topics; 0 is drawn at 0.5.

    Parameters
    ----------
    frame : DataFrame
        Rows of one q* and cost (:func:`~tarstop_core.evaluation.findings.aggregate.rows`).
    simulated, dark : bool
        Whether the figure is marked as simulated, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    own = frame.sort_values("screened", ascending=False)
    names = own["approach"].tolist()
    chart = MethodChart(126 + ROW * len(names), dark=dark, simulated=simulated)
    for name, row in zip(names, own.to_dict("records"), strict=True):
        colour = look_of(row)["color"]
        low, high, mean = (max(0.5, row[key]) for key in ("depth_25", "depth_75", "screened"))
        middle = {"type": "scatter", "mode": "lines", "line": {"color": colour, "width": 7}, "opacity": 0.4}
        chart.traces.append({**middle, "x": [low, high], "y": [name, name], "hoverinfo": "skip"})
        hover = f"{name}: {row['screened']:,.1f} documents, {row['effort_saved']:.1%} saved<extra></extra>"
        point = fig.points([mean], [name], colour, hovertemplate=hover)
        if "screened_low" in row:
            above = max(0.0, row["screened_high"] - row["screened"])
            below = max(0.0, min(row["screened"] - row["screened_low"], mean - 0.4))
            point["error_x"] = fig.interval([above], [below], colour, 2)
        chart.traces.append(point)
    # Two lines, because one is wider than a telephone.
    title = "documents read (0 drawn at 0.5)<br>dot: mean; bar: middle half of topics"
    chart.axis("xaxis", title, type="log", dtick=1, tickformat=",")
    chart.axis("yaxis", "", automargin=True)
    return chart.figure(margin={"b": 64})


def effort_sentence(frame: pd.DataFrame) -> str:
    """Say what the best method saves and how often it decides rightly, compared with reading nothing."""
    followable = frame["regret"].notna()  # Oracles have none
    compared = frame[followable] if followable.any() else frame
    best = compared.iloc[int(compared["net_utility"].to_numpy().argmax())].to_dict()
    of_net, of_right = within(best, "net_utility", signed), within(best, "decision_agreement", share_words)
    intervals = {"net_utility_within": of_net, "agreement_within": of_right}
    return message("effort", best=best, cell=cell_of(best), **intervals)


def saved_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> fig.Figure:
    """Draw the effort that each method saves beside its share of right decisions, with a line for Decide now.

    Parameters
    ----------
    frame : DataFrame
        Rows of one q* and cost (:func:`~tarstop_core.evaluation.findings.aggregate.rows`).
    simulated, dark : bool
        Whether the figure is marked as simulated, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    own = frame.sort_values("effort_saved", kind="stable")
    names = own["approach"].tolist()
    chart = MethodChart(110 + ROW * len(names), dark=dark)
    for row in own.to_dict("records"):
        look, name, saved = look_of(row), row["approach"], row["effort_saved"]
        bar = {**BAR, "x": [saved], "y": [name], "marker": {"color": look["color"]}, "width": 0.55}
        bar |= {"text": [f" {100 * saved:.3g} %"], "textposition": "outside"}
        bar |= {"textfont": {"color": fig.text_colour(dark), "size": 11}, "cliponaxis": False}
        hover = f"{name}: %{{x:.2%}} saved, {row['screened']:,.1f} read<extra></extra>"
        chart.traces.append(bar | {"hovertemplate": hover})
        hover = f"{name}: %{{x:.1%}} as the truth<extra></extra>"
        point = mark(row["decision_agreement"], name, look, xaxis="x2", hovertemplate=hover)
        if "decision_agreement_low" in row:
            point["error_x"] = reach(row, "decision_agreement", look["color"])
        chart.traces.append(point)
    now = _deciding_now(frame)
    chart.label(now, 1, "Decide now", xref="x2", yref="paper", xanchor="center")
    if simulated:
        chart.note(0, 1, "simulated", xanchor="left")
    ticks: dict[str, Any] = {"tickformat": ".0%", "nticks": 4, "tickangle": 0}
    chart.axis("xaxis", "effort saved", domain=list(HALVES[0]), range=[0, 1.16], **ticks)
    lows = frame["decision_agreement_low" if "decision_agreement_low" in frame else "decision_agreement"]
    ends = [min(now, float(lows.min())) - 0.08, 1.06]
    chart.axis("xaxis2", "same decision as the truth", domain=list(HALVES[1]), range=ends, **ticks)
    chart.axis("yaxis", "", automargin=True, type="category", categoryarray=names)
    shapes = [fig.upright(now, width=1, xref="x2")]
    return chart.figure(margin={"t": 28}, barmode="overlay", shapes=shapes)


def saved_sentence(frame: pd.DataFrame) -> str:
    """Say which method decides best, and which saves most among those that decide better than reading nothing."""
    compared = frame[~frame["is_oracle"]] if "is_oracle" in frame else frame
    best = compared.iloc[int(compared["decision_agreement"].to_numpy().argmax())].to_dict()
    now = _deciding_now(compared)
    better = compared[compared["decision_agreement"] > now + 1e-12]
    thrifty = None if better.empty else better.iloc[int(better["effort_saved"].to_numpy().argmax())]
    interval = within(best, "decision_agreement", share_words)
    cell = cell_of(best)
    return message("saved", best=best, cell=cell, agreement_within=interval, now=now, thrifty=thrifty)


def _deciding_now(frame: pd.DataFrame) -> float:
    """Agreement of reading nothing with the prior that methods without a named variant share."""
    plain = frame[~frame["method"].str.contains("@")] if "method" in frame else frame
    return float((plain if len(plain) else frame)["decide_now"].iloc[0])


def difference_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> fig.Figure:
    """Draw the net utility of each method minus the reference's on the same topics, with 95 % intervals.

    A method whose interval reaches below :data:`FURTHEST` has its number instead of a point.

    Parameters
    ----------
    frame : DataFrame
        Rows of one q* and cost (:func:`~tarstop_core.evaluation.findings.aggregate.compare`).
    simulated, dark : bool
        Whether the figure is marked as simulated, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    own = frame.sort_values("difference")
    # Methods that read nearly everything lie far to the left; they must not stretch the axis.
    near = own[own["difference_low"] > FURTHEST]
    spread = near[["difference_low", "difference_high"]].abs().to_numpy().max(initial=0.01)
    chart = MethodChart(110 + ROW * len(own), dark=dark, simulated=simulated)
    for row in own.to_dict("records"):
        look, hover = look_of(row), "%{y}: %{x:+.4f}<extra></extra>"
        if row["difference_low"] > FURTHEST:
            error = reach(row, "difference", look["color"])
            point = mark(row["difference"], row["approach"], look, error_x=error, hovertemplate=hover)
            chart.traces.append(point)
            continue
        edge = {**look, "symbol": "triangle-left"}
        chart.traces.append(mark(-1.08 * spread, row["approach"], edge, hoverinfo="skip"))
        place: dict[str, Any] = {"xanchor": "left", "xshift": 10, "yanchor": "middle"}
        chart.label(-1.08 * spread, row["approach"], signed(row["difference"], 2), **place)
    chart.axis("xaxis", "net utility, difference a topic", range=[-1.15 * spread, 1.15 * spread])
    chart.axis("yaxis", "", automargin=True, type="category", categoryarray=own["approach"].tolist())
    return chart.figure(shapes=[fig.upright(0, width=1)])


def difference_sentence(frame: pd.DataFrame) -> str:
    """Say which methods have an interval above 0, below 0, or around 0."""
    reference = frame["reference"].iloc[0]
    low, high = frame["difference_low"], frame["difference_high"]
    names = {
        relation: frame[where]["approach"].tolist()
        for relation, where in (
            ("better", low > 0),
            ("worse", high < 0),
            ("unclear", (low <= 0) & (high >= 0)),
        )
    }
    q_star, cost = (frame[name].iloc[0] if len(frame) else None for name in ("q_star", "cost"))
    return message("differences", q_star=q_star, cost=cost, reference=reference, **names)


def cell_of(row: Mapping[Any, Any]) -> tuple[float, float] | None:
    """q* and cost of a row; None if the table has no columns for them."""
    return (row["q_star"], row["cost"]) if row.get("cost") is not None else None
