"""Figures of an experiment as plain plotly dictionaries, each with the sentence that says what it shows."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from tarstop_core.evaluation.findings import message, share_words, signed
from tarstop_core.policies import POLICIES
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.numbers import number
from tarstop_core.presentation.palette import MINUS, PLUS, SERIES

ROW = 24
"""Pixels of one method."""
BAR = {"type": "bar", "orientation": "h"}
_MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star", "pentagon")
_OWN_VARIANT = {"marginal", "default"}
DASHES = {"paper's policy": "solid", "paper's baseline": "dash", "reference": "dot"}


def style(policy: str, variant: str = "marginal", family: str = "beyond the paper") -> dict[str, Any]:
    """Colour, marker and dash of a method; the paper's policies solid, baselines dashed, references dotted.

    Rules beyond the paper are solid where they act on belief's value and dash-dotted otherwise; a variant
    (hazard, learned …) has an open marker.
    """
    rule = POLICIES.get(policy)
    round_, at = divmod(len(POLICIES) + sum(map(ord, policy)), len(SERIES))
    by_name = SERIES[at], _MARKERS[(at + round_) % len(_MARKERS)]
    colour, marker = (rule.colour, rule.marker) if rule else by_name
    plain = "solid" if rule and rule.acts_on_belief else "dashdot"
    symbol = marker if variant in _OWN_VARIANT else f"{marker}-open"
    return {"color": colour, "symbol": symbol, "dash": DASHES.get(family, plain)}


def look_of(row: Mapping[Any, Any]) -> dict[str, Any]:
    """The :func:`style` of a row's method."""
    return style(row["policy"], row["variant"], row["family"])


def mark(x: float, name: str, look: Mapping[str, Any], **more: Any) -> fig.Figure:
    """One point of a method, on the line that bears its name."""
    return fig.points([x], [name], look["color"], marker={"symbol": look["symbol"]}, **more)


def drawn(
    data: list[fig.Figure],
    height: int,
    simulated: bool,
    dark: bool,
    notes: Sequence[fig.Figure] = (),
    **more: Any,
) -> fig.Figure:
    """As other figures are (:func:`tarstop_core.presentation.figures.drawn`), with the margins of an experiment's."""
    mark_simulated = [fig.note(1, 1, "simulated", fig.text_colour(dark))] if simulated else []
    margin = {"l": 64, "r": 16, "t": 24, "b": 48, **more.pop("margin", {})}
    return fig.drawn(data, height, False, dark, [*notes, *mark_simulated], margin=margin, **more)


def reach(row: Mapping[Any, Any], name: str, colour: str) -> fig.Figure:
    """The interval of a row's number, as error bars."""
    low, high = (row[name] - row[f"{name}_low"], row[f"{name}_high"] - row[name])
    return fig.interval([high], [low], colour, 2)


# --- regret ---------------------------------------------------------------------------------------

FURTHEST = -1.0
"""Differences below it stand as numbers at the edge."""
DIRECT_LABELS = 7
"""Up to so many lines are named at their ends; more get a legend."""


def regret_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> fig.Figure:
    """:func:`~tarstop_core.evaluation.findings.aggregate.regret_by_cost`, with its intervals if any, on log axes.

    No regret at all has no place there: the line has a gap, and an open marker lies on a line of its own, "0".
    """
    data: list[fig.Figure] = []
    floor: list[fig.Figure] = []
    ends: list[End] = []
    direct = frame["method"].nunique() <= DIRECT_LABELS
    some = frame["regret"][frame["regret"] > 0]
    zero = float(some.min()) / 4 if len(some) else 1.0
    for _, own in frame.groupby("method", sort=False):
        own = own.sort_values("cost")
        look = look_of(own.iloc[0].to_dict())
        name, colour = own["approach"].iloc[0], look["color"]
        positive = own["regret"] > 0
        floor.append(_on_the_floor(own["cost"][~positive].tolist(), zero, name, look))
        y = [float(v) if ok else None for v, ok in zip(own["regret"], positive, strict=True)]
        how = {"dash": look["dash"], "mode": "lines+markers", "name": name}
        how["marker"] = {"color": colour, "symbol": look["symbol"], "size": 8}
        hover = "%{fullData.name}: %{y:.2~r} at %{x}<extra></extra>"
        trace = fig.line(own["cost"].tolist(), y, colour, **how, hovertemplate=hover)
        if "regret_low" in own:
            above = (own["regret_high"] - own["regret"]).clip(lower=0).tolist()
            below = (own["regret"] - own["regret_low"]).clip(lower=0).tolist()
            trace["error_y"] = fig.interval(above, below, colour, 1, width=0)
        data.append(trace)
        if positive.any():
            last = own[positive].iloc[-1]
            ends.append((np.log10(last["cost"]), np.log10(last["regret"]), name, colour))
    annotations = [
        fig.label(x, y, text, colour, xanchor="left", yanchor="middle", xshift=8)
        for x, y, text, colour in (_apart(ends) if direct else [])
    ]
    if (frame["regret"] <= 0).any():
        data += floor  # one a method, in the order of the lines
        where = {"xref": "paper", "yanchor": "middle", "xshift": -4}
        annotations.append(fig.label(0, np.log10(zero), "0", fig.text_colour(dark), **where))
    logarithmic = {"type": "log", "dtick": 1, "exponentformat": "power"}
    xaxis = fig.axis("cost of one document (utility)", dark, **logarithmic)
    yaxis = fig.axis("mean regret (utility)", dark, **logarithmic)
    figure = drawn(data, 420, simulated, dark, annotations, xaxis=xaxis, yaxis=yaxis)
    if direct:
        figure["layout"]["margin"]["r"] = 110
    else:
        legend = {"font": {"size": 11}, "orientation": "h", "y": -0.25}
        figure["layout"] |= {"showlegend": True, "legend": legend, "height": 420 + 14 * len(floor)}
    return figure


def _on_the_floor(costs: Sequence[float], zero: float, name: str, look: dict[str, Any]) -> dict[str, Any]:
    """Open markers where a method gives up nothing."""
    marker = {"symbol": f"{look['symbol'].removesuffix('-open')}-open"}
    how = {"name": name, "showlegend": False, "hovertemplate": "%{fullData.name}: 0 at %{x}<extra></extra>"}
    return fig.points(costs, [zero] * len(costs), look["color"], 8, marker=marker, **how)


End = tuple[float, float, str, str]
"""Where a line ends (x and y as logarithms), its name and colour."""
GAP = 0.28
"""Between two names, in decades."""


def _apart(ends: Sequence[End]) -> list[End]:
    """Labels moved up where they would lie on each other."""
    placed: list[End] = []
    for x, y, text, colour in sorted(ends, key=lambda end: end[1]):
        placed.append((x, max(y, placed[-1][1] + GAP) if placed else y, text, colour))
    return placed


def regret_sentence(frame: pd.DataFrame, q_star: float, cost: float, bounds: Sequence[str] = ()) -> str:
    """What the regret figure shows, at one cost and over all; with intervals where the frame has them.

    `bounds` are the methods that it does not draw, because they know the truth.
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
    """The interval of a mean as the end of a bracket.

    Parameters
    ----------
    row : mapping
        A row of :func:`~tarstop_core.evaluation.findings.aggregate.rows`.
    name : str
        Column of the mean.
    form : callable
        How a number is written.

    Returns
    -------
    str
        Empty where the row has no interval.
    """
    if f"{name}_low" not in row or math.isnan(row[f"{name}_low"]):
        return ""
    return f", 95 % interval {form(row[f'{name}_low'])} to {form(row[f'{name}_high'])}"


FLAT = {"nticks": 4, "tickangle": 0}  # or the numbers of narrow panels would stand on end


def error_figure(
    frame: pd.DataFrame, called: Mapping[str, str], simulated: bool = False, dark: bool = False
) -> fig.Figure:
    """:func:`~tarstop_core.evaluation.findings.aggregate.errors` (NaN where they cannot be told apart), a panel a q*."""
    q_stars = sorted(frame["q_star"].unique())
    names = list(dict.fromkeys(frame["approach"]))
    width = (1 - 0.04 * (len(q_stars) - 1)) / len(q_stars)
    top = 1.12 * float((frame["false_adopt"] + frame["false_reject"]).max())
    data: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    notes = []
    for panel, q_star in enumerate(q_stars):
        own = frame[frame["q_star"] == q_star].set_index("approach").reindex(names)
        suffix = "" if panel == 0 else str(panel + 1)
        left = panel * (width + 0.04)
        for column, colour, shape in (("false_adopt", PLUS, ""), ("false_reject", MINUS, "/")):
            title = called[column]
            bars = {**BAR, "name": title, "showlegend": panel == 0, "x": own[column].tolist(), "y": names}
            bars |= {"xaxis": f"x{suffix}", "yaxis": "y"}
            bars |= {"marker": {"color": colour, "pattern": {"shape": shape}}}
            data.append(bars | {"hovertemplate": "%{y}: %{x:.1%} " + title + "<extra></extra>"})
        axes[f"xaxis{suffix}"] = fig.axis(
            "share of topics",
            dark,
            domain=[left, left + width],
            tickformat=".0%",
            range=[0, top or 1],
            **FLAT,
        )
        notes.append(fig.note(left, 1, f"q* = {q_star:g}", fig.text_colour(dark), xanchor="left"))
    return drawn(
        data,
        160 + ROW * len(names),
        simulated,
        dark,
        notes,
        showlegend=True,
        margin={"b": 100},
        barmode="stack",
        bargap=0.35,
        yaxis=fig.axis("", dark, autorange="reversed", automargin=True),
        # At the bottom of the picture, however high the panels: below the titles of their axes.
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "font": {"size": 12}},
        meta={"least_width": 240 * len(q_stars)},
        **axes,
    )


def error_heading(at: pd.DataFrame, q_star: float, cost: float) -> str:
    """Who decides wrongly least often."""
    wrong = (at["false_adopt"] + at["false_reject"]).to_numpy()
    names = at["approach"].to_numpy()[wrong <= wrong.min() + 1e-12]
    return message("fewest_errors", names=names, never=wrong.min() <= 1e-12, q_star=q_star, cost=cost)


def error_sentence(frame: pd.DataFrame, called: Mapping[str, str]) -> str:
    """Say who makes which error most, and who makes none; `called` is what the two errors are called.

    Errors that cannot be told apart are NaN, as the paper's at q* = .5.
    """
    apart = frame.dropna(subset=["false_adopt", "false_reject"])
    sentences = []
    for q_star, own in apart.groupby("q_star"):
        most = {}
        for column, name in (("false_adopt", "adopts"), ("false_reject", "rejects")):
            share = own[column].to_numpy()
            names = own["approach"].to_numpy()[share >= share.max() - 1e-12].tolist()
            most[name] = {"names": names, "share": float(share.max()), "kind": called[column]}
        free = int((own["false_adopt"] + own["false_reject"] < 1e-12).sum())
        sentences.append(message("errors", q_star=q_star, **most, free=free, methods=len(own)))
    if mixed := [f"{q_star:g}" for q_star in sorted(set(frame["q_star"]) - set(apart["q_star"]))]:
        sentences.append(message("not_apart", q_stars=mixed))
    return " ".join(sentences)


def effort_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> fig.Figure:
    """Documents read by each method: mean with its interval, and the middle half of topics; 0 is drawn at 0.5.

    From :func:`~tarstop_core.evaluation.findings.aggregate.rows` of one q* and cost.
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


def cell_of(row: Mapping[Any, Any]) -> tuple[float, float] | None:
    """q* and cost of a row; None where a table has no column for them."""
    return (row["q_star"], row["cost"]) if row.get("cost") is not None else None


def difference_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> fig.Figure:
    """Net utility of each method minus the reference's on the same topics, with intervals of 95 %.

    From :func:`~tarstop_core.evaluation.findings.aggregate.compare` at one q* and cost. A method further down than
    :data:`FURTHEST` has its number in place of its point.
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
