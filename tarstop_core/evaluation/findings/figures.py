"""Figures of an experiment as plain plotly dictionaries, each with the sentence that says what it shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import pandas as pd

from tarstop_core.policies import POLICIES
from tarstop_core.presentation.figures import Figure, axis, label
from tarstop_core.presentation.numbers import number
from tarstop_core.presentation.palette import MINUS, PLUS, TEXT, TEXT_ON_DARK, THRESHOLD

# Okabe–Ito and two more that stay apart from it, for rules that bring no colour: combined ones and people's own.
_PALETTE = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#CC79A7",
    "#E69F00",
    "#56B4E9",
    "#7A5195",
    "#8C8C00",
    "#777777",
)
_MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "star", "pentagon")
_OWN_VARIANT = {"marginal", "default"}
DASHES = {"paper's policy": "solid", "paper's baseline": "dash", "reference": "dot"}
FURTHEST = -1.0
"""Differences below it are not drawn, but counted."""
ERRORS = {
    "patent": {"false_adopt": "false reject", "false_reject": "false grant"},
    "review": {"false_adopt": "false adopt", "false_reject": "false reject"},
}
"""What a wrong a⁺ and a wrong a⁻ are called, by scenario; the columns keep one name for both."""
DIRECT_LABELS = 7
"""Up to so many lines are named at their ends; more get a legend."""


def style(policy: str, variant: str = "marginal", family: str = "beyond the paper") -> dict[str, Any]:
    """Colour, marker and dash of a method; the paper's policies solid, baselines dashed, references dotted.

    Rules beyond the paper are solid where they act on belief's value and dash-dotted otherwise; a variant
    (hazard, learned …) has an open marker.
    """
    rule = POLICIES.get(policy)
    colour, marker = (rule.colour, rule.marker) if rule else _by_name(policy)
    plain = "solid" if rule and rule.acts_on_belief else "dashdot"
    return {
        "color": colour,
        "symbol": marker if variant in _OWN_VARIANT else f"{marker}-open",
        "dash": DASHES.get(family, plain),
    }


def _by_name(policy: str) -> tuple[str, str]:
    round_, colour = divmod(len(POLICIES) + sum(map(ord, policy)), len(_PALETTE))
    return _PALETTE[colour], _MARKERS[(colour + round_) % len(_MARKERS)]


def _layout(height: int, simulated: bool, dark: bool, **more: Any) -> dict[str, Any]:
    text = TEXT_ON_DARK if dark else TEXT
    notes = list(more.pop("annotations", []))
    if simulated:
        notes.append(
            label(1, 1, "simulated", text, xref="paper", yref="paper", xanchor="right", yanchor="bottom")
        )
    return {
        "height": height,
        "margin": {"l": 64, "r": 16, "t": 24, "b": 48},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": text},
        "showlegend": False,
        "annotations": notes,
        **more,
    }


# --- regret against cost --------------------------------------------------------------------------


def regret_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> Figure:
    """Mean regret against the cost of a document, both on log axes.

    Parameters
    ----------
    frame : DataFrame
        :func:`~tarstop_core.evaluation.findings.aggregate.regret_by_cost`; intervals are drawn where it has them. No regret at all
        has no place on a log axis: the line has a gap there, and an open marker lies on a line of its own, "0".
    simulated : bool
        Says so in the figure.
    dark : bool
        Whether the page is dark.
    """
    data: list[dict[str, Any]] = []
    ends: list[tuple[float, float, str, str]] = []
    methods = list(dict.fromkeys(frame["method"]))
    direct = len(methods) <= DIRECT_LABELS
    some = frame["regret"][frame["regret"] > 0]
    zero = float(some.min()) / 4 if len(some) else 1.0
    floor: list[dict[str, Any]] = []
    for name in methods:
        own = frame[frame["method"] == name].sort_values("cost")
        first = own.iloc[0]
        look = style(first["policy"], first["variant"], first["family"])
        positive = own["regret"] > 0
        floor.append(_on_the_floor(own["cost"][~positive].tolist(), zero, first["approach"], look))
        y = [float(v) if ok else None for v, ok in zip(own["regret"], positive, strict=True)]
        trace: dict[str, Any] = {
            "type": "scatter",
            "mode": "lines+markers",
            "name": first["approach"],
            "x": own["cost"].tolist(),
            "y": y,
            "line": {"color": look["color"], "dash": look["dash"], "width": 2},
            "marker": {"color": look["color"], "symbol": look["symbol"], "size": 8},
            "hovertemplate": "%{fullData.name}: %{y:.2~r} at %{x}<extra></extra>",
        }
        if "regret_low" in own:
            trace["error_y"] = {
                "type": "data",
                "symmetric": False,
                "array": (own["regret_high"] - own["regret"]).clip(lower=0).tolist(),
                "arrayminus": (own["regret"] - own["regret_low"]).clip(lower=0).tolist(),
                "color": look["color"],
                "thickness": 1,
                "width": 0,
            }
        data.append(trace)
        if positive.any():
            last = own[positive].iloc[-1]
            ends.append((np.log10(last["cost"]), np.log10(last["regret"]), first["approach"], look["color"]))
    annotations = [
        label(x, y, text, colour, xanchor="left", yanchor="middle", xshift=8)
        for x, y, text, colour in (_apart(ends) if direct else [])
    ]
    if (frame["regret"] <= 0).any():
        data += floor  # one a method, in the order of the lines
        colour = TEXT_ON_DARK if dark else TEXT
        annotations.append(
            label(0, np.log10(zero), "0", colour, xref="paper", xanchor="right", yanchor="middle", xshift=-4)
        )
    layout = _layout(
        420,
        simulated,
        dark,
        xaxis=axis("cost of one document (utility)", dark, type="log", dtick=1, exponentformat="power"),
        yaxis=axis("mean regret (utility)", dark, type="log", dtick=1, exponentformat="power"),
        annotations=annotations,
    )
    if direct:
        layout["margin"]["r"] = 110
    else:
        layout["showlegend"] = True
        layout["legend"] = {"font": {"size": 11}, "orientation": "h", "y": -0.25}
        layout["height"] = 420 + 14 * len(methods)
    return {"data": data, "layout": layout}


def _on_the_floor(costs: Sequence[float], zero: float, name: str, look: dict[str, Any]) -> dict[str, Any]:
    """Open markers where a method gives up nothing."""
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "showlegend": False,
        "x": list(costs),
        "y": [zero] * len(costs),
        "marker": {
            "color": look["color"],
            "symbol": f"{look['symbol'].removesuffix('-open')}-open",
            "size": 8,
        },
        "hovertemplate": "%{fullData.name}: 0 at %{x}<extra></extra>",
    }


def _apart(
    ends: Sequence[tuple[float, float, str, str]], gap: float = 0.28
) -> list[tuple[float, float, str, str]]:
    """Labels moved up where they would lie on each other; all at the rightmost end."""
    placed: list[tuple[float, float, str, str]] = []
    floor = -np.inf
    for x, y, text, colour in sorted(ends, key=lambda end: end[1]):
        y = max(y, floor + gap)
        placed.append((x, y, text, colour))
        floor = y
    return placed


def regret_sentence(frame: pd.DataFrame, q_star: float, cost: float) -> str:
    """What the regret figure shows, at one cost and over all.

    Examples
    --------
    >>> frame = pd.DataFrame({"approach": ["A", "B"] * 2, "cost": [0.001] * 2 + [0.01] * 2, "regret": [0.1, 0.3, 0.2, 0.6]})
    >>> regret_sentence(frame, 0.5, 0.01)
    'At q* = 0.5 and a cost of 0.01, A gives up least (0.2 a topic) and B most (0.6); A is best at every cost.'
    """
    table = frame.pivot_table(index="cost", columns="approach", values="regret", sort=False)
    here = {str(name): float(cast(Any, value)) for name, value in table.loc[cost].items()}
    best, worst = min(here, key=here.__getitem__), max(here, key=here.__getitem__)
    wins = table.le(table.min(axis=1) + 1e-12, axis=0).sum()
    always = [str(name) for name in wins.index if wins[name] == len(table)]
    if always:
        where = f"{_listed(always)} {'is' if len(always) == 1 else 'are'} best at every cost"
    else:
        often = wins[wins > 0].sort_values(ascending=False, kind="stable")
        where = f"of {len(table)} costs, ties counted for each, the best is {_listed([f'{name} at {often[name]}' for name in often.index])}"
    return (
        f"At q* = {q_star:g} and a cost of {cost:g}, {best} gives up least ({number(here[best])} a topic) and "
        f"{worst} most ({number(here[worst])}); {where}."
    )


# --- error decomposition --------------------------------------------------------------------------


def error_figure(frame: pd.DataFrame, scenario: str, simulated: bool = False, dark: bool = False) -> Figure:
    """Wrong a⁺ and wrong a⁻ of each method as shares of all topics, a panel for each q*.

    Parameters
    ----------
    frame : DataFrame
        :func:`~tarstop_core.evaluation.findings.aggregate.errors`. NaN where errors cannot be told apart.
    scenario : {"patent", "review"}
        What the errors are called after.
    simulated, dark : bool
    """
    q_stars = sorted(frame["q_star"].unique())
    names = list(dict.fromkeys(frame["approach"]))
    text = TEXT_ON_DARK if dark else TEXT
    width = (1 - 0.04 * (len(q_stars) - 1)) / len(q_stars)
    top = 1.12 * float((frame["false_adopt"] + frame["false_reject"]).max())
    data: list[dict[str, Any]] = []
    axes: dict[str, Any] = {}
    notes = []
    for panel, q_star in enumerate(q_stars):
        own = frame[frame["q_star"] == q_star].set_index("approach").reindex(names)
        suffix = "" if panel == 0 else str(panel + 1)
        left = panel * (width + 0.04)
        for column, title, colour in (
            ("false_adopt", f"wrong a⁺ ({ERRORS[scenario]['false_adopt']})", PLUS),
            ("false_reject", f"wrong a⁻ ({ERRORS[scenario]['false_reject']})", MINUS),
        ):
            data.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "name": title,
                    "showlegend": panel == 0,
                    "x": own[column].tolist(),
                    "y": names,
                    "xaxis": f"x{suffix}",
                    "yaxis": "y",
                    "marker": {"color": colour, "pattern": {"shape": "/" if colour == MINUS else ""}},
                    "hovertemplate": "%{y}: %{x:.1%} " + title + "<extra></extra>",
                }
            )
        axes[f"xaxis{suffix}"] = axis(
            "share of topics", dark, domain=[left, left + width], tickformat=".0%", range=[0, top or 1]
        )
        notes.append(
            label(
                left,
                1,
                f"q* = {q_star:g}",
                text,
                xref="paper",
                yref="paper",
                xanchor="left",
                yanchor="bottom",
            )
        )
    layout = _layout(
        160 + 24 * len(names),
        simulated,
        dark,
        barmode="stack",
        bargap=0.35,
        yaxis=axis("", dark, autorange="reversed", automargin=True),
        annotations=notes,
        showlegend=True,
        # At the bottom of the picture, however high the panels: below the titles of their axes.
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "font": {"size": 12}},
        **axes,
    )
    layout["margin"]["b"] = 100
    layout["meta"] = {"least_width": 240 * len(q_stars)}
    return {"data": data, "layout": layout}


def error_sentence(frame: pd.DataFrame) -> str:
    """What the error figure shows: who makes which error most, and who makes none.

    Examples
    --------
    >>> columns = ["approach", "q_star", "false_adopt", "false_reject"]
    >>> error_sentence(pd.DataFrame([["A", 0.2, 0.15, 0.02], ["B", 0.2, 0.0, 0.05], ["C", 0.2, 0, 0]], columns=columns))
    'At q* = 0.2 wrong a⁺ come most from A (15 % of topics) and wrong a⁻ from B (5 %); 1 of 3 methods makes no error.'
    """
    said = []
    for q_star, own in frame.groupby("q_star"):
        parts: list[str] = []
        for column, what in (("false_adopt", "a⁺"), ("false_reject", "a⁻")):
            most = own.iloc[int(own[column].to_numpy().argmax())]
            of = "" if parts else " of topics"
            parts.append(
                f"wrong {what} {'' if parts else 'come most '}from {most['approach']} ({_percent(float(most[column]))}{of})"
                if most[column] > 0
                else f"there are no wrong {what}"
            )
        free = int((own["false_adopt"] + own["false_reject"] < 1e-12).sum())
        none = f"; {free} of {len(own)} methods {'makes' if free == 1 else 'make'} no error" if free else ""
        said.append(f"At q* = {q_star:g} {' and '.join(parts)}{none}.")
    return " ".join(said)


# --- effort and depths ----------------------------------------------------------------------------


def effort_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> Figure:
    """Documents read by each method: mean with its interval, and the middle half of topics.

    Parameters
    ----------
    frame : DataFrame
        Rows of one q* and cost, as :func:`~tarstop_core.evaluation.findings.aggregate.rows` gives them. Depth 0 is
        drawn at 0.5, because the axis is logarithmic.
    """
    own = frame.sort_values("screened", ascending=False)
    names = own["approach"].tolist()
    data: list[dict[str, Any]] = []
    for name, row in zip(names, own.to_dict("records"), strict=True):
        colour = style(row["policy"], row["variant"], row["family"])["color"]
        low, high, mean = (max(0.5, row[key]) for key in ("depth_25", "depth_75", "screened"))
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [low, high],
                "y": [name, name],
                "line": {"color": colour, "width": 7},
                "opacity": 0.4,
                "hoverinfo": "skip",
            }
        )
        point: dict[str, Any] = {
            "type": "scatter",
            "mode": "markers",
            "x": [mean],
            "y": [name],
            "marker": {"color": colour, "size": 10},
            "hovertemplate": f"{name}: {row['screened']:,.1f} documents, {row['effort_saved']:.1%} saved<extra></extra>",
        }
        if "screened_low" in row:
            point["error_x"] = {
                "type": "data",
                "symmetric": False,
                "array": [max(0.0, row["screened_high"] - row["screened"])],
                "arrayminus": [max(0.0, min(row["screened"] - row["screened_low"], mean - 0.4))],
                "color": colour,
                "thickness": 2,
            }
        data.append(point)
    layout = _layout(
        126 + 24 * len(names),
        simulated,
        dark,
        xaxis=axis(
            # Two lines, because one is wider than a telephone.
            "documents read (0 drawn at 0.5)<br>dot: mean; bar: middle half of topics",
            dark,
            type="log",
            dtick=1,
        ),
        yaxis=axis("", dark, automargin=True),
    )
    layout["margin"]["b"] = 64
    return {"data": data, "layout": layout}


def effort_sentence(frame: pd.DataFrame) -> str:
    """What reading less saves, and what it costs in right decisions, beside reading nothing.

    Examples
    --------
    >>> row = {"approach": "A", "screened": 20.0, "effort_saved": 0.99, "decision_agreement": 0.9, "net_utility": 0.2, "decide_now": 0.5, "family": ""}
    >>> effort_sentence(pd.DataFrame([row]))
    'A, of highest net utility, reads 20 documents, 99 % less than everything, and decides as the truth would in 90 % of topics; reading nothing, 50 %. Dots are means, bars the middle half of topics; 0 is drawn at 0.5.'
    """
    fair = frame[frame["approach"] != "Oracle"]
    best = fair.iloc[int(fair["net_utility"].to_numpy().argmax())]
    return (
        f"{best['approach']}, of highest net utility, reads {number(float(best['screened']))} documents, "
        f"{_percent(float(best['effort_saved']))} less than everything, and decides as the truth would in "
        f"{_percent(float(best['decision_agreement']))} of topics; reading nothing, "
        f"{_percent(float(best['decide_now']))}. Dots are means, bars the middle half of topics; 0 is drawn at 0.5."
    )


# --- paired differences ---------------------------------------------------------------------------


def difference_figure(frame: pd.DataFrame, simulated: bool = False, dark: bool = False) -> Figure:
    """Net utility of each method minus the reference's on the same topics, with intervals of 95 %.

    Parameters
    ----------
    frame : DataFrame
        Rows of one q* and cost of :func:`~tarstop_core.evaluation.findings.aggregate.compare`. Methods further down than
        :data:`FURTHEST` are counted, not drawn.
    """
    # What reads nearly everything lies far to the left: only where methods can be told apart is drawn.
    own = frame[frame["difference_low"] > FURTHEST].sort_values("difference")
    left = len(frame) - len(own)
    text = TEXT_ON_DARK if dark else TEXT
    data = []
    for row in own.to_dict("records"):
        look = style(row["policy"], row["variant"], row["family"])
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [row["difference"]],
                "y": [row["approach"]],
                "marker": {"color": look["color"], "symbol": look["symbol"], "size": 10},
                "error_x": {
                    "type": "data",
                    "symmetric": False,
                    "array": [row["difference_high"] - row["difference"]],
                    "arrayminus": [row["difference"] - row["difference_low"]],
                    "color": look["color"],
                    "thickness": 2,
                },
                "hovertemplate": "%{y}: %{x:+.4f}<extra></extra>",
            }
        )
    spread = own[["difference_low", "difference_high"]].abs().to_numpy().max(initial=0.01)
    layout = _layout(
        110 + 24 * len(own),
        simulated,
        dark,
        xaxis=axis("net utility, difference a topic", dark, range=[-1.15 * spread, 1.15 * spread]),
        yaxis=axis("", dark, automargin=True, type="category", categoryarray=own["approach"].tolist()),
        shapes=[
            {
                "type": "line",
                "x0": 0,
                "x1": 0,
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "line": {"color": THRESHOLD, "width": 1, "dash": "dash"},
            }
        ],
    )
    if left:
        layout["annotations"].append(
            label(
                0,
                1,
                f"{left} more lie further left" if left > 1 else "1 more lies further left",
                text,
                xref="paper",
                yref="paper",
                xanchor="left",
            )
        )
    return {"data": data, "layout": layout}


def difference_sentence(frame: pd.DataFrame) -> str:
    """Which methods' intervals lie above 0, below it, or on both sides of the reference."""
    reference = frame["reference"].iloc[0]
    better = frame[frame["difference_low"] > 0]["approach"].tolist()
    worse = frame[frame["difference_high"] < 0]["approach"].tolist()
    open_ = frame[(frame["difference_low"] <= 0) & (frame["difference_high"] >= 0)]["approach"].tolist()
    parts = [
        f"{_listed(names)} {'is' if len(names) == 1 else 'are'} {what}"
        for names, what in (
            (better, f"better than {reference}"),
            (worse, f"worse than {reference}"),
            (open_, f"not to be told from {reference}"),
        )
        if names
    ]
    return f"By intervals of 95 % {'; '.join(parts)}." if parts else f"Nothing was compared with {reference}."


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _percent(share: float) -> str:
    shown = f"{100 * share:.3g}"
    return f"{'100' if share == 1 else '>99.9' if shown == '100' else shown} %"
