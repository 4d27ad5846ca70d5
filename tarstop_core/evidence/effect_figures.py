"""Figures of a review of an intervention: forest plots, funnel, L'Abbé plot."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tarstop_core.effects.measures import NAMES
from tarstop_core.effects.sizes import Floats, Z
from tarstop_core.effects.studies import Form
from tarstop_core.evidence.curve_figures import NAME, evidence_figure, plain, short
from tarstop_core.evidence.effects import EffectEvidence, Estimates
from tarstop_core.evidence.study_figures import COMPACT_FROM, COMPACT_ROW, ROW, margin_for, risks, texts_at
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Figure, axis, ink, note, text_colour
from tarstop_core.presentation.numbers import percent, signed
from tarstop_core.presentation.palette import BELIEF, POOLED, STUDY, STUDY_AREA, THRESHOLD

PLOT, NUMBERS = (0.37, 0.74), (0.75, 1.0)
LETTER = 0.012  # of the width, that a letter of an estimate takes in a report
WIDE_PLOT = (0.0, 1.0)  # where rows are thin
ARMS = (0.0, 0.36)  # where the columns of the arms stand


def _edges(evidence: EffectEvidence, *parts: Estimates) -> tuple[float, float]:
    """Ends of the axis on the scale of analysis: all estimates, and intervals as far as they are not endless."""
    usable = [part.value[np.isfinite(part.value)] for part in parts]
    values = np.concatenate([*usable, [evidence.target.scaled, 0.0]])
    low, high = float(values.min()), float(values.max())
    reach = max(high - low, 1e-3)
    bounded = [np.isfinite(part.low) & np.isfinite(part.high) for part in parts]
    lows = np.concatenate([part.low[there] for part, there in zip(parts, bounded, strict=True)])
    highs = np.concatenate([part.high[there] for part, there in zip(parts, bounded, strict=True)])
    if len(lows):
        # Where estimates lie close, a usual interval is wider than all of them.
        far = max(0.6 * reach, float(np.median(highs - lows)))
        low, high = (
            min(low, max(float(lows.min()), low - far)),
            max(high, min(float(highs.max()), high + far)),
        )
    return low - 0.05 * reach, high + 0.05 * reach


def _ticks(evidence: EffectEvidence, low: float, high: float) -> dict[str, Any]:
    """Ticks of the scale of analysis, written in the measure's own unit."""
    if not evidence.target.ratio:
        there = _round_numbers(low, high)
        return {"tickvals": there.tolist(), "ticktext": [signed(x) for x in there]}
    wanted = np.array([0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000])
    if high - low < 1.5:
        wanted = np.array([0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 2.5, 3, 4])
    elif high - low > 6:
        wanted = np.array([0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000, 10000])
    there = wanted[(np.log(wanted) > low) & (np.log(wanted) < high)]
    if len(there) > 7:
        there = there[:: -(-len(there) // 7)] if 1 not in there[:: -(-len(there) // 7)] else there[::2]
    return {"tickvals": np.log(there).tolist(), "ticktext": [f"{x:g}" for x in there]}


def _round_numbers(low: float, high: float) -> Floats:
    """Two to six round numbers between two ends, evenly spaced."""
    least = (high - low) / 5
    power = 10.0 ** np.floor(np.log10(least))
    step = power * next(of for of in (1, 2, 2.5, 5, 10) if of * power >= least)
    return np.asarray(np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step)


def _estimates(
    part: Estimates,
    at: Floats,
    edges: tuple[float, float],
    colour: str,
    sizes: Any,
    hover: Sequence[str],
    **more: Any,
) -> Figure:
    """Estimates with their intervals, which end where the axis does."""
    drawn = [int(i) for i in np.flatnonzero(np.isfinite(part.value))]
    value = np.clip(part.value[drawn], *edges)
    below, above = value - np.clip(part.low[drawn], *edges), np.clip(part.high[drawn], *edges) - value
    reach = np.maximum(above, 0).tolist(), np.maximum(below, 0).tolist()
    size = np.asarray(sizes)[drawn].tolist() if np.ndim(sizes) else sizes
    return fig.points(
        value.tolist(),
        at[drawn].tolist(),
        colour,
        size,
        hovertext=[hover[i] for i in drawn],
        error_x=fig.interval(*reach, STUDY, 1.5),
        **more,
    )


def forest(evidence: EffectEvidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Every study with what its arms showed, its weight and its estimate, what the engine pools, and new settings below.

    Parameters
    ----------
    evidence
        The studies and what follows from them.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    n, compact = len(evidence), len(evidence) > COMPACT_FROM
    at, colour = np.arange(n, dtype=float), text_colour(dark)
    half, pixels = 9 / (COMPACT_ROW if compact else ROW), COMPACT_ROW if compact else ROW
    summary = n + 1.5 * half
    setting = summary + 2.2 * half
    pooled, prediction = evidence.pooled, evidence.drawn_path.prediction
    edges = _edges(evidence, evidence.estimates, pooled)
    hover = [
        f"{plain(name)}: {evidence.written(*row)}" for name, *row in _named(evidence, evidence.estimates)
    ]
    weights = evidence.weights
    sizes = (
        3.5
        if compact
        else 4 + 9 * np.sqrt(np.nan_to_num(weights) / max(float(np.nanmax(weights, initial=0)), 1e-9))
    )
    data = [_estimates(evidence.estimates, at, edges, STUDY, sizes, hover, marker={"symbol": "square"})]
    if np.isfinite(pooled.value[0]):
        ends = np.clip([pooled.low[0], pooled.value[0], pooled.high[0]], *edges).tolist()
        x, y = (
            [ends[0], ends[1], ends[2], ends[1], ends[0]],
            [summary, summary - half, summary, summary + half, summary],
        )
        data.append(fig.line(x, y, POOLED, width=1, fill="toself", fillcolor=POOLED))
    if prediction:
        data.append(fig.line(np.clip(prediction, *edges).tolist(), [setting] * 2, POOLED, width=3))
    axes: dict[str, Any] = {}
    notes = [] if compact else _columns(evidence, data, at, summary, setting, dark)
    low, high = edges
    title = f"dotted: {signed(evidence.target.delta)}"
    numbers_from = _numbers_from(evidence)
    domain = WIDE_PLOT if compact else (PLOT[0], numbers_from - NUMBERS[0] + PLOT[1])
    axes["xaxis"] = axis(title, dark, domain=domain, range=[low, high], **_ticks(evidence, low, high))
    if not compact:
        axes["xaxis2"] = {"domain": ARMS, "visible": False, "range": [0, 1]}
        axes["xaxis3"] = {"domain": (numbers_from, NUMBERS[1]), "visible": False, "range": [0, 1]}
    names = [] if compact else [short(name) for name in evidence.names]
    ticks = [] if compact else at.tolist()
    names += ["<b>Pooled</b>"] if np.isfinite(pooled.value[0]) else []
    ticks += [summary] if np.isfinite(pooled.value[0]) else []
    names += ["New settings"] if prediction else []
    ticks += [setting] if prediction else []
    bottom = setting + 1.6 * half
    yaxis = axis("", dark, range=[bottom, -0.7], tickvals=ticks, ticktext=names, showgrid=False)
    shapes = [fig.upright(0.0, dash="solid", width=1), fig.upright(evidence.target.scaled, dash="dot")]
    left = margin_for(["New settings", *([] if compact else evidence.names)])
    return evidence_figure(
        data,
        70 + pixels * (bottom + 0.7),
        simulated,
        dark,
        [note(*spot, text, colour, xanchor=side) for spot, text, side in notes],
        yaxis=yaxis,
        shapes=shapes,
        margin={"l": left, "r": 4},
        **axes,
    )


def _numbers_from(evidence: EffectEvidence) -> float:
    """Where the column of estimates begins, so that the longest of them, and the pooled one in bold, has room."""
    rows = zip(*evidence.estimates, strict=True)
    pooled = evidence.written(*(float(part[0]) for part in evidence.pooled))
    longest = max(len(pooled) + 1, *(len(evidence.written(*row)) for row in rows), 0)
    return min(NUMBERS[0], NUMBERS[1] - LETTER * longest)


def _named(evidence: EffectEvidence, part: Estimates) -> list[tuple[str, float, float, float]]:
    return list(zip(evidence.names, part.value, part.low, part.high, strict=True))


def _columns(
    evidence: EffectEvidence, data: list[Figure], at: Floats, summary: float, setting: float, dark: bool
) -> list[tuple[tuple[float, float], str, str]]:
    """Add what the arms showed, weights, judgments and estimates as texts; their headings, with where these stand."""
    colour, arms = text_colour(dark), _arms(evidence)
    columns = [*arms, ("Weight", ["" if np.isnan(w) else percent(w) for w in evidence.weights])]
    if evidence.studies.bias:
        columns.append(("Bias", risks(evidence.studies)))
    headings = []
    for place, (title, column) in enumerate(columns, 1):
        x = place / len(columns)
        data.append(texts_at([x] * len(at), at.tolist(), list(column), colour, "left", "x2"))
        headings.append(((ARMS[1] * x, 1.0), title, "right"))
    numbers = [evidence.written(*row[1:]) or "says nothing" for row in _named(evidence, evidence.estimates)]
    data.append(texts_at([0] * len(at), at.tolist(), numbers, colour, "right", "x3"))
    strong = ink(POOLED, dark)
    if text := evidence.average:
        data.append(texts_at([0], [summary], [f"<b>{text}</b>"], strong, "right", "x3"))
    if prediction := evidence.drawn_path.prediction:
        low, high = (signed(evidence.unit(end)) for end in prediction)
        data.append(texts_at([0], [setting], [f"{low} to {high}"], strong, "right", "x3"))
    measure = evidence.target.measure
    title = {"generic": "Effect"}.get(measure, measure.value)
    return [*headings, ((_numbers_from(evidence) + 0.01, 1.0), f"{title} [95 %]", "left")]


def _arms(evidence: EffectEvidence) -> list[tuple[str, list[str]]]:
    """What the arms showed, a column each."""
    studies = evidence.studies

    def texts(*columns: str, pattern: str) -> list[str]:
        rows = zip(*(studies.column(column) for column in columns), strict=True)
        return ["–" if np.isnan(row).any() else pattern.format(*row) for row in rows]

    arms = (("Treated", "treated"), ("Control", "control"))
    if studies.form is Form.EVENTS:
        return [(title, texts(f"events_{arm}", f"n_{arm}", pattern="{:.0f}/{:.0f}")) for title, arm in arms]
    if studies.form is Form.MEANS:
        columns = [(title, (f"mean_{arm}", f"sd_{arm}", f"n_{arm}")) for title, arm in arms]
        return [(title, texts(*of, pattern="{:.3g} ({:.2g}) {:.0f}")) for title, of in columns]
    return []


def cumulative(
    evidence: EffectEvidence, q_star: float = 0.5, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """The average effect after each further study, in the order in which they were read, and the belief beside it.

    Parameters
    ----------
    evidence
        The studies and what follows from them.
    q_star
        Threshold belief: those above it are bold.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    n, at, part = len(evidence), np.arange(len(evidence), dtype=float), evidence.cumulative
    compact = n > COMPACT_FROM
    edges = _edges(evidence, part)
    texts = [evidence.written(*row[1:]) for row in _named(evidence, part)]
    hover = [f"with {plain(name)}: {text}" for name, text in zip(evidence.names, texts, strict=True)]
    data = [_estimates(part, at, edges, POOLED, 4 if compact else 8, hover, marker={"symbol": "diamond"})]
    beliefs = evidence.drawn_path.beliefs[1:]
    domain, notes = (0.0, 1.0), []
    axes: dict[str, Any] = {}
    colour = text_colour(dark)
    if not compact:
        domain = (0.0, 0.6)
        axes["xaxis2"] = {"domain": (0.61, 1.0), "visible": False, "range": [0, 1]}
        data.append(texts_at([0] * n, at.tolist(), texts, colour, "right", "x2"))
        chances = [
            "–" if b is None else f"<b>{percent(b)}</b>" if b > q_star else percent(b) for b in beliefs
        ]
        data.append(texts_at([1] * n, at.tolist(), chances, ink(BELIEF, dark), "left", "x2"))
        notes = [
            note(0.62, 1, "average [95 %]", colour, xanchor="left"),
            note(1, 1, "chance", ink(BELIEF, dark), xanchor="right"),
        ]
    axes["xaxis"] = axis(
        f"dotted: {signed(evidence.target.delta)}",
        dark,
        domain=domain,
        range=list(edges),
        **_ticks(evidence, *edges),
    )
    names = [] if compact else [f"+ {short(name)}" for name in evidence.names]
    ticks = {"tickvals": [] if compact else at.tolist(), "ticktext": names}
    yaxis = axis("", dark, range=[max(3, n) - 0.4, -0.7], **ticks, showgrid=False)
    shapes = [fig.upright(0.0, dash="solid", width=1), fig.upright(evidence.target.scaled, dash="dot")]
    margin = {"l": 20 if compact else margin_for([f"+ {name[:NAME]}" for name in evidence.names]), "r": 8}
    height = 70 + (COMPACT_ROW if compact else ROW) * max(3, n)
    return evidence_figure(
        data, height, simulated, dark, notes, yaxis=yaxis, shapes=shapes, margin=margin, **axes
    )


def funnel(evidence: EffectEvidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Estimates against their standard errors; inside the lines lie 95 % of studies of one and the same effect.

    Parameters
    ----------
    evidence
        The studies and what follows from them.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    y, se = evidence.sizes.y, np.sqrt(evidence.sizes.v)
    drawn = np.flatnonzero(np.isfinite(y))
    mu = evidence.drawn_path.mu
    top = 1.1 * float(np.nanmax(se, initial=1e-3))
    reach = [*y[drawn].tolist(), evidence.target.scaled]
    data: list[Figure] = []
    if mu is not None and len(drawn):
        data.append(
            fig.line([mu - Z * top, mu, mu + Z * top], [top, 0.0, top], POOLED, dash="dash", width=1.5)
        )
        data.append(fig.line([mu, mu], [0.0, top], POOLED, width=1.5))
        reach += [mu - Z * top, mu + Z * top]
    texts = [
        f"{plain(name)}: {evidence.written(*row)}" for name, *row in _named(evidence, evidence.estimates)
    ]
    data.append(
        fig.points(
            y[drawn].tolist(),
            se[drawn].tolist(),
            STUDY_AREA,
            9,
            marker={"line": {"color": STUDY, "width": 1.2}},
            hovertext=[texts[i] for i in drawn],
        )
    )
    low, high = min(reach), max(reach)
    room = 0.05 * (high - low or 1.0)
    low, high = low - room, high + room
    title = NAMES[evidence.target.measure].removeprefix("the average ")
    xaxis = axis(title, dark, range=[low, high], **_ticks(evidence, low, high))
    yaxis = axis("standard error", dark, range=[top, 0.0], nticks=5)
    shapes = [fig.upright(evidence.target.scaled, dash="dot")]
    return evidence_figure(data, 380, simulated, dark, [], xaxis=xaxis, yaxis=yaxis, shapes=shapes)


def labbe(evidence: EffectEvidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Risk in the treated arm against risk in the control arm, sized by people; on the line both are equal.

    Parameters
    ----------
    evidence
        The studies and what follows from them.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure without traces where studies have no events.
    """
    data: list[Figure] = []
    top = 1.0
    if evidence.studies.form is Form.EVENTS and len(evidence):
        a, m, c, n = evidence.studies.values.T
        usable = np.flatnonzero(np.isfinite(evidence.studies.values).all(axis=1))
        treated, control, people = (a / m)[usable], (c / n)[usable], (m + n)[usable]
        top = min(1.0, 1.15 * float(np.max([*treated, *control, 0.01])))
        data.append(fig.line([0, top], [0, top], THRESHOLD, dash="dash", width=1.5))
        data.append(
            fig.points(
                control.tolist(),
                treated.tolist(),
                STUDY_AREA,
                (5 + 19 * np.sqrt(people / people.max(initial=1))).tolist(),
                marker={"line": {"color": STUDY, "width": 1.2}},
                hovertext=[
                    f"{plain(evidence.names[i])}: {a[i]:.0f} of {m[i]:,.0f} treated, {c[i]:.0f} of {n[i]:,.0f} controls"
                    for i in usable
                ],
            )
        )
    how: Figure = {"range": [0, top], "nticks": 5, "tickformat": ".0%" if top > 0.1 else ""}
    xaxis = axis("risk in the control arm", dark, **how)
    yaxis = axis("risk in the treated arm", dark, **how, scaleanchor="x")
    return evidence_figure(data, 420, simulated, dark, [], xaxis=xaxis, yaxis=yaxis)
