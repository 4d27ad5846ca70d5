"""Figures of a review of an intervention: forest plots, funnel, L'Abbé plot."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tarstop_core.effects.measures import NAMES, Measure
from tarstop_core.effects.sizes import Z
from tarstop_core.effects.studies import Form
from tarstop_core.evidence.curve_figures import NAME, EvidenceChart, plain, short
from tarstop_core.evidence.effects import EffectEvidence, Estimates
from tarstop_core.evidence.study_figures import COMPACT_FROM, COMPACT_ROW, ROW, StudyChart, margin_for, risks
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Figure
from tarstop_core.presentation.numbers import alike, percent, round_numbers, signed
from tarstop_core.presentation.palette import BELIEF, POOLED, STUDY, STUDY_AREA, THRESHOLD
from tarstop_core.value.payoffs import Payoffs

# Horizontal extents, as shares of the width
PLOT = (0.37, 0.74)  # of the plotted estimates
WIDE_PLOT = (0.0, 1.0)  # of the plotted estimates if rows are thin
NUMBERS = (0.75, 1.0)  # of the estimates as texts
ARMS = (0.0, 0.36)  # of the columns with what each arm showed
LETTER = 0.012  # of a letter of an estimate in a report


def _edges(evidence: EffectEvidence, *parts: Estimates) -> tuple[float, float]:
    """Ends of the axis on the scale of analysis: it holds all estimates, and intervals that are not too long."""
    usable = [part.value[np.isfinite(part.value)] for part in parts]
    values = np.concatenate([*usable, [evidence.target.scaled, 0.0]])
    low, high = float(values.min()), float(values.max())
    reach = max(high - low, 1e-3)
    limits = np.concatenate([np.stack([part.low, part.high], axis=1) for part in parts])
    lows, highs = limits[np.isfinite(limits).all(axis=1)].T
    if len(lows):
        # If estimates lie close together, a typical interval is wider than their range.
        far = max(0.6 * reach, float(np.median(highs - lows)))
        low = min(low, max(float(lows.min()), low - far))
        high = max(high, min(float(highs.max()), high + far))
    return low - 0.05 * reach, high + 0.05 * reach


def _ticks(evidence: EffectEvidence, low: float, high: float) -> dict[str, Any]:
    """Ticks on the scale of analysis, labelled in the measure's own unit."""
    if not evidence.target.ratio:
        values = round_numbers(low, high, multiples=(1, 2, 2.5, 5, 10))
        return {"tickvals": values, "ticktext": [signed(value) for value in values]}
    wanted = np.array([0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 1000])
    if high - low < 1.5:
        wanted = np.array([0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 2.5, 3, 4])
    elif high - low > 6:
        wanted = np.array([0.0001, 0.001, 0.01, 0.1, 1, 10, 100, 1000, 10000])
    ticks = wanted[(np.log(wanted) > low) & (np.log(wanted) < high)]
    if len(ticks) > 7:
        thinned = ticks[:: -(-len(ticks) // 7)]
        ticks = ticks[::2] if 1 in thinned else thinned
    return {"tickvals": np.log(ticks).tolist(), "ticktext": [f"{x:g}" for x in ticks]}


def _chart(evidence: EffectEvidence, rows: float, simulated: bool, dark: bool) -> StudyChart:
    """An empty figure with this many rows, which are thin if there are many studies."""
    return StudyChart(70 + _row(evidence) * rows, dark=dark, simulated=simulated)


def _row(evidence: EffectEvidence) -> float:
    """Height of a study's row in pixels."""
    return COMPACT_ROW if len(evidence) > COMPACT_FROM else ROW


def _lines(evidence: EffectEvidence) -> list[Figure]:
    """Vertical lines at no effect (0) and at δ."""
    return [fig.upright(0.0, dash="solid", width=1), fig.upright(evidence.target.scaled, dash="dot")]


def _effect_axis(
    chart: StudyChart, evidence: EffectEvidence, domain: tuple[float, float], edges: tuple[float, float]
) -> None:
    title = f"dotted: {signed(evidence.target.delta)}"
    chart.axis("xaxis", title, domain=domain, range=list(edges), **_ticks(evidence, *edges))


def _estimates(
    chart: StudyChart,
    part: Estimates,
    edges: tuple[float, float],
    colour: str,
    sizes: Any,
    hover: Sequence[str],
    symbol: str,
) -> None:
    """Draw one row per estimate; intervals are cut off at the ends of the axis."""
    drawn = np.flatnonzero(np.isfinite(part.value))
    value = np.clip(part.value[drawn], *edges)
    below, above = value - np.clip(part.low[drawn], *edges), np.clip(part.high[drawn], *edges) - value
    reach = np.maximum(above, 0).tolist(), np.maximum(below, 0).tolist()
    chart.points(
        value,
        drawn.astype(float),
        colour,
        sizes[drawn].tolist() if np.ndim(sizes) else sizes,
        hovertext=[hover[i] for i in drawn.tolist()],
        error_x=fig.interval(*reach, STUDY, 1.5),
        marker={"symbol": symbol},
    )


def forest(evidence: EffectEvidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Forest plot: arms, weight and estimate of every study; below, the pooled effect and its range in new settings.

    Parameters
    ----------
    evidence
        The studies and everything computed from them.
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
    half = 9 / _row(evidence)
    summary = n + 1.5 * half
    setting = summary + 2.2 * half
    bottom = setting + 1.6 * half
    chart = _chart(evidence, bottom + 0.7, simulated, dark)
    pooled, prediction = evidence.pooled, evidence.drawn_path.prediction
    edges = _edges(evidence, evidence.estimates, pooled)
    largest = max(float(np.nanmax(evidence.weights, initial=0)), 1e-9)
    sizes = 3.5 if compact else 4 + 9 * np.sqrt(np.nan_to_num(evidence.weights) / largest)
    _estimates(chart, evidence.estimates, edges, STUDY, sizes, _hover(evidence), "square")
    named = {} if compact else {float(at): short(name) for at, name in enumerate(evidence.names)}
    if np.isfinite(pooled.value[0]):
        ends = np.clip([pooled.low[0], pooled.value[0], pooled.high[0]], *edges).tolist()
        chart.diamond(ends, summary, half)
        named[summary] = "<b>Pooled</b>"
    if prediction:
        chart.line(np.clip(prediction, *edges), [setting] * 2, POOLED, width=3)
        named[setting] = "New settings"
    numbers_from = _numbers_from(evidence)
    if not compact:
        _columns(chart, evidence, summary, setting)
        chart.column("2", ARMS)
        chart.column("3", (numbers_from, NUMBERS[1]))
    domain = WIDE_PLOT if compact else (PLOT[0], numbers_from - NUMBERS[0] + PLOT[1])
    _effect_axis(chart, evidence, domain, edges)
    chart.rows([bottom, -0.7], [*named], [*named.values()])
    left = margin_for(["New settings", *([] if compact else evidence.names)])
    return chart.figure(shapes=_lines(evidence), margin={"l": left, "r": 4})


def _numbers_from(evidence: EffectEvidence) -> float:
    """Left end of the column of estimates: the longest text, or the pooled one in bold, must fit."""
    rows = zip(*evidence.estimates, strict=True)
    pooled = evidence.written(*(float(part[0]) for part in evidence.pooled))
    longest = max(len(pooled) + 1, *(len(evidence.written(*row)) for row in rows), 0)
    return min(NUMBERS[0], NUMBERS[1] - LETTER * longest)


def _written(evidence: EffectEvidence, part: Estimates) -> list[str]:
    """Estimates with their intervals as texts; empty where there is none."""
    return [evidence.written(*row) for row in zip(*part, strict=True)]


def _hover(evidence: EffectEvidence) -> list[str]:
    """The text of each study's tooltip."""
    texts = _written(evidence, evidence.estimates)
    return [f"{plain(name)}: {text}" for name, text in zip(evidence.names, texts, strict=True)]


def _columns(chart: StudyChart, evidence: EffectEvidence, summary: float, setting: float) -> None:
    """Write the columns of texts under their headings: arms, weights, risk of bias, estimates."""
    at = np.arange(len(evidence), dtype=float)
    columns = [*_arms(evidence), ("Weight", ["" if np.isnan(w) else percent(w) for w in evidence.weights])]
    if evidence.studies.bias:
        columns.append(("Bias", risks(evidence.studies)))
    for place, (title, column) in enumerate(columns, 1):
        x = place / len(columns)
        chart.texts(x, at, column, "left", "2")
        chart.note(ARMS[1] * x, 1.0, title)
    numbers = [text or "says nothing" for text in _written(evidence, evidence.estimates)]
    chart.texts(0, at, numbers, "right", "3")
    if text := evidence.average:
        chart.texts(0, [summary], [f"<b>{text}</b>"], "right", "3", POOLED)
    if prediction := evidence.drawn_path.prediction:
        low, high = alike([evidence.unit(end) for end in prediction])
        chart.texts(0, [setting], [f"{low} to {high}"], "right", "3", POOLED)
    measure = evidence.target.measure
    title = "Effect" if measure is Measure.GENERIC else measure.value
    chart.note(_numbers_from(evidence) + 0.01, 1.0, f"{title} [95 %]", xanchor="left")


def _arms(evidence: EffectEvidence) -> list[tuple[str, list[str]]]:
    """Title and texts of a column per arm."""
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
    evidence: EffectEvidence, payoffs: Payoffs, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Average effect after each further study, in reading order, with the belief beside it.

    Parameters
    ----------
    evidence
        The studies and everything computed from them.
    payoffs
        Benefits and costs of the options; beliefs at which a⁺ is the best one are bold.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    n, part, compact = len(evidence), evidence.cumulative, len(evidence) > COMPACT_FROM
    chart, edges = _chart(evidence, max(3, n), simulated, dark), _edges(evidence, part)
    at, texts = np.arange(n, dtype=float), _written(evidence, part)
    hover = [f"with {plain(name)}: {text}" for name, text in zip(evidence.names, texts, strict=True)]
    _estimates(chart, part, edges, POOLED, 4 if compact else 8, hover, "diamond")
    if not compact:
        chart.column("2", (0.61, 1.0))
        chart.texts(0, at, texts, "right", "2")
        chances = [
            "–" if b is None else f"<b>{percent(b)}</b>" if payoffs.chooses_plus(b) else percent(b)
            for b in evidence.drawn_path.beliefs[1:]
        ]
        chart.texts(1, at, chances, "left", "2", BELIEF)
        chart.note(0.62, 1, "average [95 %]", xanchor="left")
        chart.note(1, 1, "chance", BELIEF)
    _effect_axis(chart, evidence, (0.0, 1.0 if compact else 0.6), edges)
    names = [] if compact else [f"+ {short(name)}" for name in evidence.names]
    chart.rows([max(3, n) - 0.4, -0.7], at[: len(names)].tolist(), names)
    left = 20 if compact else margin_for([f"+ {name[:NAME]}" for name in evidence.names])
    return chart.figure(shapes=_lines(evidence), margin={"l": left, "r": 8})


def funnel(evidence: EffectEvidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Funnel plot: estimates by standard error; 95 % of studies with a common effect lie between the lines.

    Parameters
    ----------
    evidence
        The studies and everything computed from them.
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
    chart = EvidenceChart(380, dark=dark, simulated=simulated)
    if mu is not None and len(drawn):
        chart.line([mu - Z * top, mu, mu + Z * top], [top, 0.0, top], POOLED, dash="dash", width=1.5)
        chart.line([mu, mu], [0.0, top], POOLED, width=1.5)
        reach += [mu - Z * top, mu + Z * top]
    hover, outline = _hover(evidence), {"line": {"color": STUDY, "width": 1.2}}
    chart.points(
        y[drawn], se[drawn], STUDY_AREA, 9, marker=outline, hovertext=[hover[i] for i in drawn.tolist()]
    )
    low, high = min(reach), max(reach)
    room = 0.05 * (high - low or 1.0)
    low, high = low - room, high + room
    measure = NAMES[evidence.target.measure].removeprefix("the average ")
    title = f"{measure} (solid: pooled, dotted: {signed(evidence.target.delta)})"
    chart.axis("xaxis", title, range=[low, high], **_ticks(evidence, low, high))
    chart.axis("yaxis", "standard error", range=[top, 0.0], nticks=5)
    return chart.figure(shapes=[fig.upright(evidence.target.scaled, dash="dot")])


def labbe(evidence: EffectEvidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """L'Abbé plot: risk in the treated arm by risk in the control arm, sized by people; equal on the line.

    Parameters
    ----------
    evidence
        The studies and everything computed from them.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure, without traces if the studies do not report events.
    """
    chart, top = EvidenceChart(420, dark=dark, simulated=simulated), 1.0
    if evidence.studies.form is Form.EVENTS and len(evidence):
        studies = evidence.studies.complete()
        a, m, c, n = studies.values.T
        treated, control, people = a / m, c / n, m + n
        top = min(1.0, 1.15 * float(np.max([*treated, *control, 0.01])))
        chart.line([0, top], [0, top], THRESHOLD, dash="dash", width=1.5)
        chart.points(
            control,
            treated,
            STUDY_AREA,
            (5 + 19 * np.sqrt(people / people.max(initial=1))).tolist(),
            marker={"line": {"color": STUDY, "width": 1.2}},
            hovertext=[
                f"{plain(name)}: {a:.0f} of {m:,.0f} treated, {c:.0f} of {n:,.0f} controls"
                for name, (a, m, c, n) in zip(studies.study, studies.values, strict=True)
            ],
        )
    axis: Figure = {"range": [0, top], "nticks": 5, "tickformat": ".0%" if top > 0.1 else ""}
    chart.axis("xaxis", "risk in the control arm", **axis)
    chart.axis("yaxis", "risk in the treated arm", **axis, scaleanchor="x")
    return chart.figure()
