"""Figures of a review's evidence as plain plotly dictionaries.

Studies are grey, what is pooled from them reddish purple, belief blue, the value of more studies green; the
threshold q* is grey and dashed as everywhere, the sensitivity θ to exceed grey and dotted.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tarstop_core.belief.reitsma import Estimate
from tarstop_core.evidence.summary import AHEAD, Evidence, Shares
from tarstop_core.evidence.words import threshold
from tarstop_core.presentation.figures import Figure, axis, label, line
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import BELIEF, TEXT, TEXT_ON_DARK, THRESHOLD, VALUE
from tarstop_core.value.payoffs import TOLERANCE

Floats = NDArray[np.float64]
Trace = dict[str, Any]

STUDY = "#7C8793"  # mid grey: at least 3:1 on white and on near-black
POOLED = "#CC79A7"  # Okabe–Ito's reddish purple
INSIDE = "rgba(204,121,167,0.14)"
SHADE = "rgba(0,114,178,0.25)"
# As text they need 4.5:1, which no single colour has on white and on near-black.
POOLED_TEXT, POOLED_TEXT_ON_DARK = "#A04A7B", "#DE9CC1"
BELIEF_TEXT, BELIEF_TEXT_ON_DARK = "#0072B2", "#5AB4E6"
VALUE_TEXT, VALUE_TEXT_ON_DARK = "#00755A", "#2FBF94"

FOR_PAPER = {
    TEXT_ON_DARK: TEXT,
    POOLED_TEXT_ON_DARK: POOLED_TEXT,
    BELIEF_TEXT_ON_DARK: BELIEF_TEXT,
    VALUE_TEXT_ON_DARK: VALUE_TEXT,
}
"""Texts of a dark page, and the colours that they take in a saved picture: that one is for white paper."""

COMPACT_FROM = 60  # studies above which rows are thin, without names and numbers
ROW, COMPACT_ROW = 21, 2.4  # pixels a study
NAME = 26  # characters of a study's name that fit beside a plot
LEFT_OUT = 40  # studies that the leave-one-out figure shows: those that matter most
PANELS = ((0.0, 0.26), (0.305, 0.565))
NUMBERS = ((0.585, 0.78), (0.795, 0.99))
WIDE_PANELS = ((0.0, 0.48), (0.52, 1.0))


def short(name: str) -> str:
    """A study's name as it fits beside a plot, safe from being read as markup.

    Examples
    --------
    >>> short("Smith <b>2004"), short("The very long name of a study 2004")
    ('Smith &lt;b&gt;2004', 'The very long name of a s…')
    """
    return _plain(name if len(name) <= NAME else name[: NAME - 1].rstrip() + "…")


def _plain(name: str) -> str:
    for sign, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        name = name.replace(sign, entity)
    return name


def _colour(light: str, on_dark: str, dark: bool) -> str:
    return on_dark if dark else light


def _text(dark: bool) -> str:
    return _colour(TEXT, TEXT_ON_DARK, dark)


def _layout(height: float, *, dark: bool, simulated: bool, notes: Sequence[Trace], **more: Any) -> Trace:
    annotations = list(notes)
    # Above whatever stands on top of the plot.
    if simulated:
        annotations.append(label(1, 1, "simulated", _text(dark), xref="paper", yref="paper", yshift=19))
    margin = {"l": 56, "r": 12, "b": 46, **more.pop("margin", {}), "t": 42 if simulated else 26}
    return {
        "height": round(height) + margin["t"] - 26,
        "margin": margin,
        "showlegend": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "hoverlabel": {"align": "left"},
        "annotations": annotations,
        **more,
    }


def _upright(x: float, **more: Any) -> Trace:
    """A dotted line over the whole height."""
    style = {"color": THRESHOLD, "width": 1.5, "dash": more.pop("dash", "dot")}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": style, **more}


def _markers(x: Sequence[float], y: Sequence[float], hover: list[str], marker: Trace, **more: Any) -> Trace:
    """Points that say on hover what they are."""
    return {
        "type": "scatter",
        "mode": "markers",
        "x": list(x),
        "y": list(y),
        "marker": {"opacity": 1, **marker},
        "hovertext": hover,
        "hoverinfo": "text",
        **more,
    }


def _places(n: int, room: int) -> int:
    """Rows that are laid out for n studies: at least three, and a multiple of `room`."""
    return max(3, room * math.ceil(n / room))


def _margin_for(names: Sequence[str]) -> int:
    """Pixels that names need on the left."""
    return 18 + round(6.3 * min(NAME, max(map(len, names), default=0)))


# --- forest -------------------------------------------------------------------------------------


def forest(evidence: Evidence, *, room: int = 1, simulated: bool = False, dark: bool = False) -> Figure:
    """Sensitivity and specificity of every study with 95 % intervals, and the summary below them.

    Names on the left, the two panels beside them, the numbers on the right. With more than 60 studies the
    rows are thin, ordered by sensitivity, and named on hover only. There is room for a multiple of `room`
    studies, so that where studies are added one by one the figure seldom changes its height.
    """
    rows, tables, fit = _rows(evidence, room), evidence.tables, evidence.summary
    sensitivity, specificity = (None, None) if fit is None else (fit.sensitivity, fit.specificity)
    panels = (
        _Panel("Sensitivity", "diseased", tables.TP, tables.diseased, evidence.sensitivity, sensitivity),
        _Panel("Specificity", "healthy", tables.TN, tables.healthy, evidence.specificity, specificity),
    )
    largest = max(1.0, *(float(np.nanmax(panel.sizes, initial=0.0)) for panel in panels))
    domains = WIDE_PANELS if rows.compact else PANELS
    above = {"xref": "paper", "yref": "paper", "xanchor": "left"}
    data: list[Trace] = []
    axes: Trace = {}
    notes = []
    for panel, x, domain, beside, numbers in zip(
        panels, ("", "2"), domains, ("3", "4"), NUMBERS, strict=True
    ):
        data.append(_studies(panel, tables.study, rows, largest, f"x{x}"))
        if panel.pooled is not None:
            data.append(_diamond(panel.pooled, rows, f"x{x}"))
        notes.append(label(domain[0], 1, f"<b>{panel.name}</b>", _text(dark), **above))
        if not rows.compact:
            data += _columns(panel, rows, f"x{beside}", dark)
            notes.append(label(numbers[0] + 0.01, 1, panel.name, _text(dark), **above))
            hidden = {"domain": numbers, "visible": False, "range": [0, 1], "fixedrange": True}
            axes[f"xaxis{beside}"] = hidden
        axes[f"xaxis{x}"] = axis(
            "" if x else f"dotted: {threshold(evidence.theta)}",
            dark,
            domain=domain,
            range=[-0.03, 1.03],
            tickvals=[0, 0.5, 1],
            tickformat=".1~f",
            showgrid=True,
        )
    layout = _layout(
        70 + rows.pixels * (rows.bottom + 0.3),
        dark=dark,
        simulated=simulated,
        notes=notes,
        yaxis=_names(tables.study, rows, fit is not None, dark),
        shapes=[_upright(evidence.theta, xref="x")],
        margin={"l": 74 if rows.compact else _margin_for(["Summary", *tables.study]), "r": 4},
        **axes,
    )
    return {"data": data, "layout": layout}


class _Panel(NamedTuple):
    """One half of a forest plot: its name, of whom how many were hit, the shares, and what is pooled from them."""

    name: str
    group: str
    hits: Floats
    sizes: Floats
    shares: Shares
    pooled: Estimate | None


class _Rows(NamedTuple):
    """Where studies and the summary stand, counted in rows from the top."""

    of: Floats
    compact: bool
    pixels: float
    half: float  # of the diamond
    summary: float
    bottom: float


def _rows(evidence: Evidence, room: int) -> _Rows:
    n = len(evidence)
    compact = n > COMPACT_FROM
    order = np.arange(n)
    if compact:
        order = np.argsort(-np.nan_to_num(evidence.sensitivity.value, nan=2.0), kind="stable")
    pixels = COMPACT_ROW if compact else ROW
    half = 9 / pixels
    summary = _places(n, room) + 1.5 * half
    of = np.argsort(order).astype(float)
    return _Rows(of, compact, pixels, half, summary, summary + 2 * half)


def _names(studies: Sequence[str], rows: _Rows, pooled: bool, dark: bool) -> Trace:
    """The axis on the left."""
    names = [] if rows.compact else [short(name) for name in studies]
    ticks: list[float] = [*range(len(names))]
    if pooled:
        names.append("<b>Summary</b>")
        ticks.append(rows.summary)
    span = [rows.bottom - 0.4, -0.7]
    return axis("", dark, range=span, tickvals=ticks, ticktext=names, showgrid=False)


def _numbers(shares: Shares, at: int | np.intp) -> str:
    if np.isnan(shares.value[at]):
        return "–"
    return f"{shares.value[at]:.2f} [{shares.low[at]:.2f}, {shares.high[at]:.2f}]"


def _studies(panel: _Panel, studies: tuple[str, ...], rows: _Rows, largest: float, x_axis: str) -> Trace:
    """Each study's share with its interval, the larger the more patients, and its counts on hover."""
    shares = panel.shares
    known = np.flatnonzero(~np.isnan(shares.value))
    value, sizes = shares.value[known], panel.sizes[known]
    hover = [
        f"{_plain(studies[i])}: {panel.hits[i]:,.0f} of {panel.sizes[i]:,.0f} {panel.group}, {_numbers(shares, i)}"
        for i in known
    ]
    error = {
        "type": "data",
        "symmetric": False,
        "array": (shares.high[known] - value).tolist(),
        "arrayminus": (value - shares.low[known]).tolist(),
        "color": STUDY,
        "thickness": 1 if rows.compact else 1.5,
        "width": 0,
    }
    area = 3.5 if rows.compact else (4 + 9 * np.sqrt(sizes / largest)).tolist()
    marker = {"color": STUDY, "symbol": "square", "size": area}
    return _markers(value.tolist(), rows.of[known].tolist(), hover, marker, error_x=error, xaxis=x_axis)


def _diamond(pooled: Estimate, rows: _Rows, x_axis: str) -> Trace:
    (value, low, high), at = pooled, rows.summary
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [low, value, high, value, low],
        "y": [at, at - rows.half, at, at + rows.half, at],
        "fill": "toself",
        "fillcolor": POOLED,
        "line": {"color": POOLED, "width": 1},
        "hoverinfo": "skip",
        "xaxis": x_axis,
    }


def _columns(panel: _Panel, rows: _Rows, x_axis: str, dark: bool) -> list[Trace]:
    """The numbers of a panel as text, in a column of their own."""
    common: Trace = {"type": "scatter", "mode": "text", "textposition": "middle right", "hoverinfo": "skip"}
    common |= {"xaxis": x_axis, "cliponaxis": False}
    font = {"size": 11, "color": _text(dark)}
    n = len(rows.of)
    said = [_numbers(panel.shares, i) for i in range(n)]
    columns = [{**common, "x": [0] * n, "y": rows.of.tolist(), "text": said, "textfont": font}]
    if panel.pooled is not None:
        value, low, high = panel.pooled
        font = {"size": 11, "color": _colour(POOLED_TEXT, POOLED_TEXT_ON_DARK, dark)}
        pooled = [f"<b>{value:.2f} [{low:.2f}, {high:.2f}]</b>"]
        columns.append({**common, "x": [0], "y": [rows.summary], "text": pooled, "textfont": font})
    return columns


# --- SROC ---------------------------------------------------------------------------------------


def sroc(evidence: Evidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Studies in the ROC plane, sized by patients, with summary point, curve and both 95 % regions.

    The curve is drawn over the observed false-positive rates only.
    """
    pooled_text = _colour(POOLED_TEXT, POOLED_TEXT_ON_DARK, dark)
    data: list[Trace] = []
    notes = [label(1.0, evidence.theta, threshold(evidence.theta), _text(dark))]
    if evidence.prediction is not None and evidence.confidence is not None:
        data.append(_outline(evidence.prediction, dash="dash", hoverinfo="skip"))
        data.append(
            _outline(evidence.confidence, dash="solid", fill="toself", fillcolor=INSIDE, hoverinfo="skip")
        )
    data.append(line([0, 1], [evidence.theta] * 2, THRESHOLD, dash="dot", width=1.5, hoverinfo="skip"))
    if evidence.curve is not None:
        x, y = evidence.curve.T.tolist()
        data.append(line(x, y, POOLED, width=3, hoverinfo="skip"))
    known = np.flatnonzero(~np.isnan(evidence.sensitivity.value) & ~np.isnan(evidence.specificity.value))
    patients = evidence.tables.diseased + evidence.tables.healthy
    largest = float(np.nanmax(patients[known], initial=1.0))
    data.append(
        _markers(
            (1 - evidence.specificity.value[known]).tolist(),
            evidence.sensitivity.value[known].tolist(),
            [
                f"{_plain(evidence.tables.study[i])}: sensitivity {_numbers(evidence.sensitivity, i)}, "
                f"specificity {_numbers(evidence.specificity, i)}, {patients[i]:,.0f} patients"
                for i in known
            ],
            {
                "color": "rgba(124,135,147,0.35)",
                "size": (5 + 19 * np.sqrt(patients[known] / largest)).tolist(),
                "line": {"color": STUDY, "width": 1.2},
            },
            cliponaxis=False,
        )
    )
    fit = evidence.summary
    if fit is not None:
        x, y = 1 - fit.specificity.value, fit.sensitivity.value
        said = f"summary: sensitivity {y:.2f}, specificity {1 - x:.2f}"
        style = {
            "color": POOLED,
            "size": 13,
            "symbol": "diamond",
            "line": {"color": pooled_text, "width": 1.5},
        }
        data.append(_markers([x], [y], [said], style))
        notes += _keys(pooled_text, curve=evidence.curve is not None)
    layout = _layout(
        460,
        dark=dark,
        simulated=simulated,
        notes=notes,
        xaxis=axis(
            "false-positive rate (1 − specificity)",
            dark,
            range=[0, 1],
            dtick=0.2,
            tickformat=".1f",
            constrain="domain",
            showgrid=True,
        ),
        yaxis=axis(
            "sensitivity",
            dark,
            range=[0, 1],
            dtick=0.2,
            tickformat=".1f",
            scaleanchor="x",
            constrain="domain",
        ),
    )
    return {"data": data, "layout": layout}


def _outline(points: Floats, **more: Any) -> Trace:
    return line(points[:, 0].tolist(), points[:, 1].tolist(), POOLED, width=1.5, **more)


def _keys(colour: str, curve: bool) -> list[Trace]:
    """What the pooled lines are, in the lower right corner: no study of a useful test lies there."""
    lines = ["◆ summary"] + (["━ curve"] if curve else [])
    lines += ["─ 95 % confidence region", "╌ 95 % prediction region"]
    return [label(0.99, 0.02, "<br>".join(lines), colour, align="right")]


# --- belief -------------------------------------------------------------------------------------


def belief_by_study(
    evidence: Evidence, q_star: float | None = None, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """The belief after each study, the threshold q*, and the names of the studies that moved it most."""
    path = evidence.drawn_path.beliefs
    names = ["before any study", *(_plain(name) for name in evidence.tables.study)]
    seen = [(n, b) for n, b in enumerate(path) if b is not None]
    many = len(path) > 80
    data: list[Trace] = [
        {
            "type": "scatter",
            "mode": "lines" if many else "lines+markers",
            "x": [n for n, _ in seen],
            "y": [b for _, b in seen],
            "line": {"color": BELIEF, "width": 2.5, "shape": "hv"},
            "marker": {"color": BELIEF, "size": 7},
            "hovertext": [f"{n}: {names[n]}, {percent(b)}" for n, b in seen],
            "hoverinfo": "text",
        }
    ]
    last = max(1, len(path) - 1)
    notes = []
    if q_star is not None:
        data.append(line([0, last], [q_star, q_star], THRESHOLD, dash="dash", width=1.5, hoverinfo="skip"))
        # On the side where the belief does not end.
        below = bool(seen) and seen[-1][1] >= q_star
        words = f"act above {q_star:.2f}"
        notes.append(label(last, q_star, words, _text(dark), yanchor="top" if below else "bottom"))
    blue = _colour(BELIEF_TEXT, BELIEF_TEXT_ON_DARK, dark)
    moves = [(n, before, b) for (_, before), (n, b) in pairwise(seen)]
    moves.sort(key=lambda move: -abs(move[2] - move[1]))
    # Names of the largest moves, as many as do not run into each other.
    for n, before, b in [
        move for move in moves[: max(1, 4 - len(moves) // 10)] if abs(move[2] - move[1]) > 0.04
    ]:
        # Left of its riser, where the belief has not been yet; at the very left there is no room for that.
        left = n > last / 5
        place = {"xanchor": "right" if left else "left", "yanchor": "middle", "xshift": -6 if left else 6}
        name = short(evidence.tables.study[n - 1])
        at = b if left else (before + b) / 2
        notes.append(label(n, at, name, blue, font={"color": blue, "size": 11}, **place))
    layout = _layout(
        330,
        dark=dark,
        simulated=simulated,
        notes=notes,
        xaxis=axis(
            "studies",
            dark,
            range=[-0.02 * last - 0.1, last * 1.02 + 0.1],
            **({"dtick": 1} if last <= 15 else {"nticks": 9}),
        ),
        yaxis=axis(
            f"chance that sensitivity exceeds {threshold(evidence.theta)}",
            dark,
            range=[-0.03, 1.03],
            tickformat=".1f",
            dtick=0.2,
        ),
    )
    return {"data": data, "layout": layout}


def prior_and_posterior(evidence: Evidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Density of pooled sensitivity before and after the studies, the mass above θ shaded."""
    density = evidence.density
    theta = evidence.theta
    data: list[Trace] = []
    notes = []
    x_range = [0.0, 1.0]
    top = 1.0
    if density is not None:
        x, before, after = density.sensitivity, density.prior, density.posterior
        # A prior may pile up at 0 and 1; the posterior sets the scale.
        top = 1.15 * float(max(after.max(), np.median(before)))
        above = x >= theta
        edge = float(np.interp(theta, x, after))
        if above.any():
            data.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": [theta, theta, *x[above].tolist(), float(x[-1])],
                    "y": [0.0, edge, *after[above].tolist(), 0.0],
                    "fill": "tozeroy",
                    "fillcolor": SHADE,
                    "line": {"width": 0},
                    "hoverinfo": "skip",
                }
            )
        blue, grey = _colour(BELIEF_TEXT, BELIEF_TEXT_ON_DARK, dark), _text(dark)
        if before.any():
            data.append(line(x.tolist(), before.tolist(), STUDY, dash="dash", hoverinfo="skip"))
            place = int(np.searchsorted(np.cumsum(before) / before.sum(), 0.12))
            notes.append(label(float(x[place]), float(before[place]), "before", grey, xanchor="center"))
        data.append(line(x.tolist(), after.tolist(), BELIEF, width=3, hoverinfo="skip"))
        # On the falling flank, or on the rising one where that leaves no room.
        high = np.flatnonzero(after >= 0.6 * after.max())
        right = x[high[-1]] < 0.85
        flank = int(high[-1 if right else 0])
        side = {"xanchor": "left" if right else "right", "xshift": 8 if right else -8}
        notes.append(label(float(x[flank]), float(after[flank]), "after", blue, yanchor="middle", **side))
        if evidence.belief is not None:
            notes.append(
                label(
                    theta,
                    top,
                    f"{percent(evidence.belief)} above {threshold(theta)}",
                    blue,
                    xanchor="right" if theta > 0.4 else "left",
                    yanchor="top",
                    xshift=-6 if theta > 0.4 else 6,
                )
            )
    layout = _layout(
        330,
        dark=dark,
        simulated=simulated,
        notes=notes,
        xaxis=axis("pooled sensitivity", dark, range=x_range, tickformat=".0%", dtick=0.2),
        yaxis=axis("density", dark, range=[0, top], showticklabels=False),
        shapes=[_upright(theta)],
        margin={"l": 36, "r": 16},
    )
    return {"data": data, "layout": layout}


def leave_one_out(
    evidence: Evidence,
    q_star: float | None = None,
    *,
    room: int = 1,
    simulated: bool = False,
    dark: bool = False,
) -> Figure:
    """The belief without each study beside the belief with all; hollow where the decision would change.

    `room` is as in :func:`forest`.
    """
    b, without = evidence.belief, evidence.without.beliefs
    shown = np.flatnonzero(~np.isnan(without)) if b is not None else np.empty(0, dtype=np.intp)
    if b is not None and len(shown) > LEFT_OUT:
        most = np.argsort(-np.abs(without[shown] - b), kind="stable")[:LEFT_OUT]
        shown = np.sort(shown[most])
    names = [evidence.tables.study[i] for i in shown]
    places = _places(len(shown), room)
    data: list[Trace] = []
    notes, shapes = [], []
    if b is not None:
        rows = np.arange(len(shown))
        beliefs = without[shown].tolist()
        towards = b - without[shown]
        stems = {
            "type": "data",
            "symmetric": False,
            "array": np.maximum(0, towards).tolist(),
            "arrayminus": np.maximum(0, -towards).tolist(),
            "color": STUDY,
            "thickness": 2,
            "width": 0,
        }
        turned = np.zeros(len(shown), dtype=bool)
        if q_star is not None:
            turned = (without[shown] > q_star + TOLERANCE) != (b > q_star + TOLERANCE)
        hover = [
            f"without {_plain(name)}: {percent(belief)}" for name, belief in zip(names, beliefs, strict=True)
        ]
        marker = {
            "color": BELIEF,
            "size": 10,
            "symbol": ["circle-open" if other else "circle" for other in turned],
            "line": {"width": 2, "color": BELIEF},
        }
        data.append(_markers(beliefs, rows.tolist(), hover, marker, error_x=stems))
        blue = _colour(BELIEF_TEXT, BELIEF_TEXT_ON_DARK, dark)
        shapes.append(_upright(b, dash="solid") | {"line": {"color": BELIEF, "width": 1.5}})
        side = "right" if b > 0.8 else "left" if b < 0.2 else "center"
        notes.append(label(b, 1, f"with all {percent(b)}", blue, yref="paper", xanchor=side))
    if q_star is not None:
        shapes.append(_upright(q_star, dash="dash"))
    layout = _layout(
        100 + ROW * places,
        dark=dark,
        simulated=simulated,
        notes=notes,
        shapes=shapes,
        xaxis=axis(
            "chance without this study"
            + (f" (dashed: act above {q_star:.2f})" if q_star is not None else ""),
            dark,
            range=[-0.02, 1.02],
            tickformat=".1f",
            dtick=0.2,
            showgrid=True,
        ),
        yaxis=axis(
            "",
            dark,
            range=[places - 0.4, -0.6],
            tickvals=list(range(len(shown))),
            ticktext=[short(name) for name in names],
            showgrid=False,
        ),
        margin={"l": _margin_for(names)},
    )
    return {"data": data, "layout": layout}


# --- value --------------------------------------------------------------------------------------


def value_of_more(
    evidence: Evidence, q_star: float, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """EVSI of 1 to 100 more studies like these against what certainty would be worth (K = 1)."""
    more = evidence.more_studies(q_star)
    data: list[Trace] = []
    notes = []
    top = 0.01
    if more is not None:
        top = 1.25 * max(more.evpi, 1e-6)
        green = _colour(VALUE_TEXT, VALUE_TEXT_ON_DARK, dark)
        data.append(line([1, AHEAD[-1]], [more.evpi] * 2, VALUE, dash="dash", hoverinfo="skip"))
        data.append(line(more.k.tolist(), more.evsi.tolist(), VALUE, width=3, hoverinfo="skip"))
        one = [float(more.evsi[0])]
        data.append(_markers([1], one, ["the next study"], {"color": VALUE, "size": 10}, cliponaxis=False))
        notes = [
            label(0, more.evpi, "certainty", green, xanchor="left"),
            label(2, float(more.evsi[-1]), "more studies", green, yshift=4),
        ]
    layout = _layout(
        330,
        dark=dark,
        simulated=simulated,
        notes=notes,
        xaxis=axis(
            "more studies like these",
            dark,
            type="log",
            range=[-0.06, 2.02],
            tickvals=[1, 2, 5, 10, 20, 50, 100],
        ),
        yaxis=axis("worth (both mistakes together cost 1)", dark, range=[0, top], nticks=5),
        margin={"l": 66},
    )
    return {"data": data, "layout": layout}
