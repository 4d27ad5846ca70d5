"""Figures of the studies: forest plot, ROC plane, and the belief without each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarstop_core.belief.reitsma import Estimate
from tarstop_core.documents.tables import CELLS, Floats
from tarstop_core.effects.bias import Bias, Judged
from tarstop_core.evidence.curve_figures import NAME, evidence_figure, plain, share_axis, short
from tarstop_core.evidence.summary import Evidence, Shares, Synthesis
from tarstop_core.evidence.words import threshold
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Figure, axis, ink, label, note, text_colour
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import BELIEF, POOLED, POOLED_AREA, STUDY, STUDY_AREA, THRESHOLD
from tarstop_core.value.payoffs import TOLERANCE

FEWEST_ROWS = 3  # rows that a figure has room for at least
COMPACT_FROM = 60  # studies above which rows are thin, without names and numbers
COMPACT_ROW = 2.4  # pixels a study
ROW = 21  # pixels a study
COUNTS = (0.0, 0.19)  # where the counts stand, as shares of the width
PANELS = ((0.215, 0.4), (0.43, 0.615))  # where sensitivity and specificity are drawn
NUMBERS = ((0.63, 0.81), (0.82, 0.99))  # where their numbers stand
WIDE_PANELS = ((0.0, 0.48), (0.52, 1.0))  # where both are drawn when rows are thin
BESIDE_BIAS = 0.91  # of the width, left to all else where the risk of bias stands at its end
RISKS = {Bias.LOW: "+ low", Bias.SOME: "? some", Bias.HIGH: "− high"}
LEFT_OUT = 40  # studies that the leave-one-out figure draws: those that matter most


@dataclass(frozen=True, eq=False)
class _Rows:
    """Places of the rows, counted from the top: those of the studies, the summary's, and the lower edge."""

    studies: Floats
    summary: float
    bottom: float
    half: float  # of the diamond's height
    pixels: float  # a row
    compact: bool


def _rows(evidence: Evidence) -> _Rows:
    n = len(evidence)
    compact = n > COMPACT_FROM
    studies = np.arange(n, dtype=float)
    if compact:
        order = np.argsort(-np.nan_to_num(evidence.sensitivity.value, nan=2.0), kind="stable")
        studies[order] = np.arange(n)
    pixels = COMPACT_ROW if compact else ROW
    half = 9 / pixels
    summary = max(FEWEST_ROWS, n) + 1.5 * half
    return _Rows(studies, summary, summary + 2 * half, half, pixels, compact)


@dataclass(frozen=True, eq=False)
class _Panel:
    """Sensitivity or specificity: hits of patients in each study, and what is pooled from them."""

    at: int
    title: str
    group: str
    hits: Floats
    sizes: Floats
    shares: Shares
    estimate: Estimate | None
    threshold: float | None  # what is to be exceeded

    def axis(self, of_numbers: bool = False) -> str:
        """Number of the panel's x axis, or of the one under its column of numbers; the first has none."""
        at = self.at + 1 + 2 * of_numbers
        return str(at) if at > 1 else ""


def _panels(evidence: Evidence) -> tuple[_Panel, _Panel]:
    tables = evidence.tables
    of_sensitivity = evidence.sensitivity, evidence.pooled.sensitivity, evidence.theta
    of_specificity = evidence.specificity, evidence.pooled.specificity, evidence.theta_sp
    return (
        _Panel(0, "Sensitivity", "diseased", tables.TP, tables.diseased, *of_sensitivity),
        _Panel(1, "Specificity", "healthy", tables.TN, tables.healthy, *of_specificity),
    )


def forest(evidence: Evidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Sensitivity and specificity of every study with 95 % intervals, and what the engine pools from them below.

    Names and counts on the left, the two panels beside them, the numbers on the right. With more than 60 studies the
    rows are thin, ordered by sensitivity, and named on hover only.

    Parameters
    ----------
    evidence
        The tables and what follows from them.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    rows, panels = _rows(evidence), _panels(evidence)
    largest = max(1.0, *(float(np.nanmax(panel.sizes, initial=0.0)) for panel in panels))
    data: list[Figure] = []
    axes: dict[str, Any] = {}
    notes = []
    shapes: list[Figure] = []
    judged = bool(evidence.tables.bias) and not rows.compact
    width = BESIDE_BIAS if judged else 1.0
    for panel, panel_ends, number_ends in zip(
        panels, WIDE_PANELS if rows.compact else PANELS, NUMBERS, strict=True
    ):
        domain, of_numbers = ([width * end for end in ends] for ends in (panel_ends, number_ends))
        data.append(_studies(panel, rows, evidence.tables.study, largest))
        if panel.estimate is not None:
            data.append(_diamond(panel.estimate, rows, f"x{panel.axis()}"))
        title = ""
        if panel.threshold is not None:
            title = f"dotted: {threshold(panel.threshold)}"
            shapes.append(fig.upright(panel.threshold, dash="dot", xref=f"x{panel.axis()}"))
        shares = {"tickvals": [0, 0.5, 1], "tickformat": ".1~f"}
        axes[f"xaxis{panel.axis()}"] = axis(
            title, dark, domain=domain, range=[-0.03, 1.03], **shares, showgrid=True
        )
        notes.append(note(domain[0], 1, f"<b>{panel.title}</b>", text_colour(dark), xanchor="left"))
        if not rows.compact:
            data += _columns(panel, rows, dark)
            hidden = {"domain": of_numbers, "visible": False, "range": [0, 1]}
            axes[f"xaxis{panel.axis(of_numbers=True)}"] = hidden
            notes.append(note(of_numbers[0] + 0.01, 1, panel.title, text_colour(dark), xanchor="left"))
    if not rows.compact:
        data.append(_counts(evidence, rows, dark))
        ends = [width * end for end in COUNTS]
        axes["xaxis5"] = {"domain": ends, "visible": False, "range": [0, len(CELLS)]}
        notes += [
            label(at, 1, cell, text_colour(dark), xref="x5", yref="paper", xanchor="right", yanchor="bottom")
            for at, cell in enumerate(CELLS, 1)
        ]
    if judged:
        at, texts = rows.studies.tolist(), risks(evidence.tables)
        data.append(texts_at([0] * len(at), at, texts, text_colour(dark), "right", "x6"))
        axes["xaxis6"] = {"domain": [width, 1], "visible": False, "range": [0, 1]}
        notes.append(note(width + 0.01, 1, "Bias", text_colour(dark), xanchor="left"))

    names = [] if rows.compact else [short(name) for name in evidence.tables.study]
    ticks: list[float] = [] if rows.compact else list(range(len(evidence)))
    if any(panel.estimate is not None for panel in panels):
        names.append("<b>Pooled</b>")
        ticks.append(rows.summary)
    left = 74 if rows.compact else margin_for(["Pooled", *evidence.tables.study])
    edges = [rows.bottom - 0.4, -0.7]
    yaxis = axis("", dark, range=edges, tickvals=ticks, ticktext=names, showgrid=False)
    margin = {"l": left, "r": 4}
    height = 70 + rows.pixels * (rows.bottom + 0.3)
    return evidence_figure(
        data, height, simulated, dark, notes, yaxis=yaxis, shapes=shapes, margin=margin, **axes
    )


def _studies(panel: _Panel, rows: _Rows, names: tuple[str, ...], largest: float) -> Figure:
    """Squares, the larger the more patients, with their intervals."""
    shares = panel.shares
    drawn = np.flatnonzero(~np.isnan(shares.value))
    value = shares.value[drawn]
    reach = (shares.high[drawn] - value).tolist(), (value - shares.low[drawn]).tolist()
    return fig.points(
        value.tolist(),
        rows.studies[drawn].tolist(),
        STUDY,
        3.5 if rows.compact else (4 + 9 * np.sqrt(panel.sizes[drawn] / largest)).tolist(),
        marker={"symbol": "square"},
        hovertext=[
            f"{plain(names[i])}: {panel.hits[i]:,.0f} of {panel.sizes[i]:,.0f} {panel.group}, {numbers(shares, i)}"
            for i in drawn
        ],
        error_x=fig.interval(*reach, STUDY, 1 if rows.compact else 1.5),
        xaxis=f"x{panel.axis()}",
    )


def _diamond(estimate: Estimate, rows: _Rows, x_axis: str) -> Figure:
    value, low, high = estimate
    at, half = rows.summary, rows.half
    x, y = [low, value, high, value, low], [at, at - half, at, at + half, at]
    return fig.line(x, y, POOLED, width=1, fill="toself", fillcolor=POOLED, xaxis=x_axis)


def _columns(panel: _Panel, rows: _Rows, dark: bool) -> list[Figure]:
    """The numbers of a panel as text, in a column of their own."""
    at, x_axis, ordinary = rows.studies.tolist(), f"x{panel.axis(of_numbers=True)}", text_colour(dark)
    texts = [numbers(panel.shares, i) for i in range(len(at))]
    columns = [texts_at([0] * len(at), at, texts, ordinary, "right", x_axis)]
    if panel.estimate is not None:
        value, low, high = panel.estimate
        pooled = [f"<b>{value:.2f} [{low:.2f}, {high:.2f}]</b>"]
        columns.append(texts_at([0], [rows.summary], pooled, ink(POOLED, dark), "right", x_axis))
    return columns


def _counts(evidence: Evidence, rows: _Rows, dark: bool) -> Figure:
    """TP, FP, FN and TN of every study as text."""
    counts = np.stack([getattr(evidence.tables, cell) for cell in CELLS])
    x = np.repeat(np.arange(1, len(CELLS) + 1), len(evidence)).tolist()
    y = np.tile(rows.studies, len(CELLS)).tolist()
    texts = ["–" if np.isnan(count) else f"{count:.0f}" for count in counts.ravel()]
    return texts_at(x, y, texts, text_colour(dark), "left", "x5")


def risks(studies: Judged) -> list[str]:
    """The risk of bias of each study with its sign; a dash where nobody judged it."""
    return [RISKS[risk] if risk else "–" for risk in studies.bias]


def texts_at(
    x: Sequence[float], y: list[float], texts: list[str], colour: str, side: str, x_axis: str
) -> Figure:
    return {
        "type": "scatter",
        "mode": "text",
        "x": list(x),
        "y": y,
        "text": texts,
        "textposition": f"middle {side}",
        "textfont": {"size": 11, "color": colour},
        "xaxis": x_axis,
    }


def sroc(evidence: Evidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Studies in the ROC plane, sized by patients, the pooled point, and curve and both 95 % regions by REML.

    The curve is drawn over the observed false-positive rates only. Where another engine than "reml" decides, the point
    that curve and regions belong to is hollow.

    Parameters
    ----------
    evidence
        The tables and what follows from them.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    pooled_text = ink(POOLED, dark)
    data: list[Figure] = []
    notes = [label(1.0, evidence.theta, threshold(evidence.theta), text_colour(dark))]
    fit, pooled = evidence.summary, evidence.pooled
    if fit is not None:
        data.append(_outline(fit.prediction_region(), dash="dash"))
        data.append(_outline(fit.confidence_region(), fill="toself", fillcolor=POOLED_AREA))
    data.append(fig.line([0, 1], [evidence.theta] * 2, THRESHOLD, dash="dot", width=1.5))
    if evidence.theta_sp is not None:
        data.append(fig.line([1 - evidence.theta_sp] * 2, [0, 1], THRESHOLD, dash="dot", width=1.5))
        notes.append(label(1 - evidence.theta_sp, 0.0, threshold(evidence.theta_sp), text_colour(dark)))
    if evidence.curve is not None:
        x, y = evidence.curve.T.tolist()
        data.append(fig.line(x, y, POOLED, width=3))
    complete = np.flatnonzero(~np.isnan(evidence.sensitivity.value) & ~np.isnan(evidence.specificity.value))
    patients = evidence.tables.diseased + evidence.tables.healthy
    largest = float(np.nanmax(patients[complete], initial=1.0))
    data.append(
        fig.points(
            (1 - evidence.specificity.value[complete]).tolist(),
            evidence.sensitivity.value[complete].tolist(),
            STUDY_AREA,
            (5 + 19 * np.sqrt(patients[complete] / largest)).tolist(),
            marker={"line": {"color": STUDY, "width": 1.2}},
            hovertext=[
                f"{plain(evidence.tables.study[i])}: sensitivity {numbers(evidence.sensitivity, i)}, "
                f"specificity {numbers(evidence.specificity, i)}, {patients[i]:,.0f} patients"
                for i in complete
            ],
        )
    )
    drawn = [("pooled", "diamond", pooled.sensitivity, pooled.specificity)]
    if fit is not None and evidence.engine != "reml":
        drawn.insert(0, ("REML summary", "diamond-open", fit.sensitivity, fit.specificity))
    for name, symbol, sensitivity, specificity in drawn:
        if sensitivity is None or specificity is None:
            continue
        x, y = 1 - specificity.value, sensitivity.value
        text = f"{name}: sensitivity {y:.2f}, specificity {1 - x:.2f}"
        marker = {"symbol": symbol, "line": {"color": pooled_text, "width": 1.5}}
        data.append(fig.points([x], [y], POOLED, 13, marker=marker, hovertext=[text]))
    if fit is not None:
        notes += _keys(pooled_text, evidence)
    xaxis = share_axis("false-positive rate (1 − specificity)", dark, showgrid=True)
    yaxis = share_axis("sensitivity", dark, scaleanchor="x")
    return evidence_figure(data, 460, simulated, dark, notes, xaxis=xaxis, yaxis=yaxis)


def _outline(points: Floats, **more: Any) -> Figure:
    return fig.line(points[:, 0].tolist(), points[:, 1].tolist(), POOLED, width=1.5, **more)


def _keys(colour: str, evidence: Evidence) -> list[Figure]:
    """What the pooled lines are, in the lower right corner: no study of a useful test lies there."""
    lines = ["◆ pooled"] if evidence.pooled.specificity is not None else []
    by = "" if evidence.engine == "reml" else ", by REML"
    lines += [f"◇ the same{by}"] if by else []
    lines += [f"━ curve{by}"] if evidence.curve is not None else []
    lines += ["─ 95 % confidence region", "╌ 95 % prediction region"]
    return [label(0.99, 0.02, "<br>".join(lines), colour)]


def leave_one_out(
    evidence: Synthesis, q_star: float, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """The belief without each study beside the belief with all; hollow where the decision would change.

    Parameters
    ----------
    evidence
        The tables and what follows from them.
    q_star
        Threshold belief at which one acts.
    simulated
        Whether the figure says that its data are simulated.
    dark
        Whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    b, without = evidence.belief, evidence.without.beliefs
    moved = np.abs(without - (np.nan if b is None else b))
    identified = np.count_nonzero(~np.isnan(moved))
    left_out = np.sort(np.argsort(-moved, kind="stable")[: min(identified, LEFT_OUT)])
    names = [evidence.names[i] for i in left_out]
    rows = max(FEWEST_ROWS, len(left_out))
    data: list[Figure] = []
    notes, shapes = [], [fig.upright(q_star)]
    if b is not None:
        beliefs = without[left_out].tolist()
        towards = b - without[left_out]
        reach = np.maximum(0, towards).tolist(), np.maximum(0, -towards).tolist()
        turned = (without[left_out] > q_star + TOLERANCE) != (b > q_star + TOLERANCE)
        hover = [
            f"without {plain(name)}: {percent(belief)}" for name, belief in zip(names, beliefs, strict=True)
        ]
        symbols = ["circle-open" if other else "circle" for other in turned]
        blue = ink(BELIEF, dark)
        marker = {"symbol": symbols, "line": {"width": 2, "color": blue}}
        more: Figure = {"marker": marker, "hovertext": hover, "error_x": fig.interval(*reach, STUDY, 2)}
        data.append(fig.points(beliefs, range(len(left_out)), blue, 10, **more))
        shapes.append(fig.upright(b) | {"line": {"color": blue, "width": 1.5}})
        side = "right" if b > 0.8 else "left" if b < 0.2 else "center"
        notes.append(label(b, 1, f"with all {percent(b)}", blue, yref="paper", xanchor=side))
    title = f"chance without this study (dashed: act above {q_star:.2f})"
    xaxis = share_axis(title, dark, (-0.02, 1.02), showgrid=True)
    ticks = {"tickvals": list(range(len(left_out))), "ticktext": [short(name) for name in names]}
    yaxis = axis("", dark, range=[rows - 0.4, -0.6], **ticks, showgrid=False)
    layout = {"shapes": shapes, "xaxis": xaxis, "yaxis": yaxis, "margin": {"l": margin_for(names)}}
    return evidence_figure(data, 100 + ROW * rows, simulated, dark, notes, **layout)


def numbers(shares: Shares, at: int | np.intp) -> str:
    """A share and its interval."""
    if np.isnan(shares.value[at]):
        return "–"
    return f"{shares.value[at]:.2f} [{shares.low[at]:.2f}, {shares.high[at]:.2f}]"


def margin_for(names: Sequence[str]) -> int:
    """Pixels that names need on the left."""
    return 18 + round(6.3 * min(NAME, max(map(len, names), default=0)))
