"""Figures of what reading costs and brings: documents read, effort saved, and net utility against a reference."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from tarstop_core.evaluation.findings import message, share_words, signed
from tarstop_core.evaluation.findings.figures import BAR, ROW, drawn, look_of, mark, reach, within
from tarstop_core.presentation import figures as fig

FURTHEST = -1.0
"""Differences below it stand as numbers at the edge."""
HALVES = ((0.0, 0.47), (0.53, 1.0))


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
    data: list[dict[str, Any]] = []
    for name, row in zip(names, own.to_dict("records"), strict=True):
        colour = look_of(row)["color"]
        low, high, mean = (max(0.5, row[key]) for key in ("depth_25", "depth_75", "screened"))
        middle = {"type": "scatter", "mode": "lines", "line": {"color": colour, "width": 7}, "opacity": 0.4}
        data.append({**middle, "x": [low, high], "y": [name, name], "hoverinfo": "skip"})
        hover = f"{name}: {row['screened']:,.1f} documents, {row['effort_saved']:.1%} saved<extra></extra>"
        point = fig.points([mean], [name], colour, hovertemplate=hover)
        if "screened_low" in row:
            above = max(0.0, row["screened_high"] - row["screened"])
            below = max(0.0, min(row["screened"] - row["screened_low"], mean - 0.4))
            point["error_x"] = fig.interval([above], [below], colour, 2)
        data.append(point)
    # Two lines, because one is wider than a telephone.
    title = "documents read (0 drawn at 0.5)<br>dot: mean; bar: middle half of topics"
    xaxis, yaxis = fig.axis(title, dark, type="log", dtick=1), fig.axis("", dark, automargin=True)
    height = 126 + ROW * len(names)
    return drawn(data, height, simulated, dark, margin={"b": 64}, xaxis=xaxis, yaxis=yaxis)


def effort_sentence(frame: pd.DataFrame) -> str:
    """What reading less saves, and what it costs in right decisions, beside reading nothing."""
    followed = frame["regret"].notna()  # An Oracle has none
    fair = frame[followed] if followed.any() else frame
    best = fair.iloc[int(fair["net_utility"].to_numpy().argmax())].to_dict()
    return message(
        "effort",
        best=best,
        cell=cell_of(best),
        net_utility_within=within(best, "net_utility", signed),
        agreement_within=within(best, "decision_agreement", share_words),
    )


def saved_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> fig.Figure:
    """Draw effort saved by each method beside how often it decides as the truth would, with Decide-now's line.

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
    text = fig.text_colour(dark)
    data: list[dict[str, Any]] = []
    for row in own.to_dict("records"):
        look, name, saved = look_of(row), row["approach"], row["effort_saved"]
        bar = {**BAR, "x": [saved], "y": [name], "marker": {"color": look["color"]}, "width": 0.55}
        bar |= {"text": [f" {100 * saved:.3g} %"], "textposition": "outside"}
        bar |= {"textfont": {"color": text, "size": 11}, "cliponaxis": False}
        hover = f"{name}: %{{x:.2%}} saved, {row['screened']:,.1f} read<extra></extra>"
        data.append(bar | {"hovertemplate": hover})
        hover = f"{name}: %{{x:.1%}} as the truth<extra></extra>"
        point = mark(row["decision_agreement"], name, look, xaxis="x2", hovertemplate=hover)
        if "decision_agreement_low" in row:
            point["error_x"] = reach(row, "decision_agreement", look["color"])
        data.append(point)
    now = _deciding_now(frame)
    notes = [fig.label(now, 1, "Decide now", text, xref="x2", yref="paper", xanchor="center")]
    if simulated:
        notes.append(fig.note(0, 1, "simulated", text, xanchor="left"))
    ticks: dict[str, Any] = {"tickformat": ".0%", "nticks": 4, "tickangle": 0}
    layout = {
        "margin": {"t": 28},
        "barmode": "overlay",
        "xaxis": fig.axis("effort saved", dark, domain=list(HALVES[0]), range=[0, 1.16], **ticks),
        "xaxis2": fig.axis("same decision as the truth", dark, domain=list(HALVES[1]), **ticks),
        "yaxis": fig.axis("", dark, automargin=True, type="category", categoryarray=names),
        "shapes": [fig.upright(now, width=1, xref="x2")],
    }
    return drawn(data, 110 + ROW * len(names), False, dark, notes, **layout)


def saved_sentence(frame: pd.DataFrame) -> str:
    """Who saves most without deciding worse than reading nothing, and who decides best."""
    fair = frame[~frame["is_oracle"]] if "is_oracle" in frame else frame
    best = fair.iloc[int(fair["decision_agreement"].to_numpy().argmax())].to_dict()
    now = _deciding_now(fair)
    better = fair[fair["decision_agreement"] > now + 1e-12]
    thrifty = None if better.empty else better.iloc[int(better["effort_saved"].to_numpy().argmax())]
    interval = within(best, "decision_agreement", share_words)
    cell = cell_of(best)
    return message("saved", best=best, cell=cell, agreement_within=interval, now=now, thrifty=thrifty)


def _deciding_now(frame: pd.DataFrame) -> float:
    """Agreement of reading nothing, from the starting chance that all variants but the learned ones share."""
    plain = frame[~frame["method"].str.contains("@")] if "method" in frame else frame
    return float((plain if len(plain) else frame)["decide_now"].iloc[0])


def difference_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> fig.Figure:
    """Draw net utility of each method minus the reference's on the same topics, with intervals of 95 %.

    A method further down than :data:`FURTHEST` has its number in place of its point.

    Parameters
    ----------
    frame : DataFrame
        Of :func:`~tarstop_core.evaluation.findings.aggregate.compare` at one q* and cost.
    simulated, dark : bool
        Whether the figure is marked as simulated, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    own = frame.sort_values("difference")
    # What reads nearly everything lies far to the left: the axis ends where methods can be told apart.
    near = own[own["difference_low"] > FURTHEST]
    spread = near[["difference_low", "difference_high"]].abs().to_numpy().max(initial=0.01)
    data, notes = [], []
    for row in own.to_dict("records"):
        look, hover = look_of(row), "%{y}: %{x:+.4f}<extra></extra>"
        if row["difference_low"] > FURTHEST:
            error = reach(row, "difference", look["color"])
            data.append(mark(row["difference"], row["approach"], look, error_x=error, hovertemplate=hover))
            continue
        edge = fig.points([-1.08 * spread], [row["approach"]], look["color"], hoverinfo="skip")
        data.append(edge | {"marker": edge["marker"] | {"symbol": "triangle-left"}})
        where = {"xanchor": "left", "xshift": 10, "yanchor": "middle"}
        notes.append(
            fig.label(
                -1.08 * spread, row["approach"], signed(row["difference"], 2), fig.text_colour(dark), **where
            )
        )
    xaxis = fig.axis("net utility, difference a topic", dark, range=[-1.15 * spread, 1.15 * spread])
    yaxis = fig.axis("", dark, automargin=True, type="category", categoryarray=own["approach"].tolist())
    axes: dict[str, Any] = {"xaxis": xaxis, "yaxis": yaxis}
    shapes = [fig.upright(0, width=1)]
    return drawn(data, 110 + ROW * len(own), simulated, dark, notes, **axes, shapes=shapes)


def difference_sentence(frame: pd.DataFrame) -> str:
    """Which methods' intervals lie above 0, below it, or on both sides of the reference."""
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
    """q* and cost of a row; None where a table has no column for them."""
    return (row["q_star"], row["cost"]) if row.get("cost") is not None else None
