"""Figures of the studies: forest plot, ROC plane, and the belief without each of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.belief.both import threshold
from tarstop_core.belief.reitsma import Estimate
from tarstop_core.documents.tables import CELLS, Floats
from tarstop_core.effects.bias import Bias, Judged
from tarstop_core.evidence.curve_figures import NAME, EvidenceChart, plain, short
from tarstop_core.evidence.summary import Evidence, Shares
from tarstop_core.evidence.synthesis import Synthesis
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Figure, ink
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import BELIEF, POOLED, POOLED_AREA, STUDY, STUDY_AREA, THRESHOLD
from tarstop_core.value.payoffs import Payoffs

FEWEST_ROWS = 3  # a figure has room for this many rows even with fewer studies
COMPACT_FROM = 60  # with more studies, rows are thin and have no names and numbers
COMPACT_ROW = 2.4  # height of a thin row in pixels
ROW = 21  # height of a usual row in pixels
# Horizontal extents, as shares of the width
COUNTS = (0.0, 0.19)  # of the counts
PANELS = ((0.215, 0.4), (0.43, 0.615))  # of the plots of sensitivity and specificity
NUMBERS = ((0.63, 0.81), (0.82, 0.99))  # of their numbers
WIDE_PANELS = ((0.0, 0.48), (0.52, 1.0))  # of the plots if rows are thin
BESIDE_BIAS = 0.91  # of everything else if a last column shows the risk of bias
RISKS = {Bias.LOW: "+ low", Bias.SOME: "? some", Bias.HIGH: "− high"}
LEFT_OUT = 40  # the leave-one-out figure draws at most this many studies: the most influential


class StudyChart(EvidenceChart):
    """A figure with a row per study, columns of texts beside the plot, and a diamond for the pooled estimate."""

    def rows(self, edges: Sequence[float], at: Sequence[float], names: Sequence[str]) -> None:
        """Name the rows.

        Parameters
        ----------
        edges : sequence of two floats
            Lower and upper end of the y axis.
        at, names : sequence of float, sequence of str
            The rows that have a name, and their names.
        """
        self.axis("yaxis", "", range=list(edges), tickvals=list(at), ticktext=list(names), showgrid=False)

    def column(self, at: str, domain: Sequence[float], end: float = 1) -> None:
        """Make room for a column of texts.

        Parameters
        ----------
        at : str
            Number of its x axis.
        domain : sequence of two floats
            Its left and right end, as shares of the width.
        end : float
            Coordinate of its right end; the left end is 0.
        """
        self.axes[f"xaxis{at}"] = {"domain": domain, "visible": False, "range": [0, end]}

    def texts(
        self, x: ArrayLike, y: ArrayLike, texts: Sequence[str], side: str, at: str, colour: str = ""
    ) -> None:
        """Write texts into a column.

        Parameters
        ----------
        x, y, texts : array_like, array_like, sequence of str
            Positions of the texts, broadcast against each other, and the texts.
        side : {"left", "right"}
            The side of x on which a text stands.
        at : str
            Number of the column's x axis.
        colour : str
            Colour of the line that the texts describe; the usual colour of texts if empty.
        """
        x, y = np.broadcast_arrays(x, y)
        trace = {"type": "scatter", "mode": "text", "x": x.tolist(), "y": y.tolist(), "text": list(texts)}
        font = {"size": 11, "color": ink(colour, self.dark)}
        self.traces.append({**trace, "textposition": f"middle {side}", "textfont": font, "xaxis": f"x{at}"})

    def diamond(self, ends: Sequence[float], at: float, half: float, **look: Any) -> None:
        """Draw a pooled estimate.

        Parameters
        ----------
        ends : sequence of three floats
            Low end, estimate and high end.
        at, half : float
            Its row, and half its height in rows.
        **look
            Further attributes of the trace.
        """
        low, value, high = ends
        x, y = [low, value, high, value, low], [at, at - half, at, at + half, at]
        self.line(x, y, POOLED, width=1, fill="toself", fillcolor=POOLED, **look)


@dataclass(frozen=True, eq=False)
class _Rows:
    """Positions of the rows of a forest plot, counted from the top."""

    studies: Floats  # row of each study, shape (n,)
    summary: float  # row of the pooled estimate
    bottom: float  # lower edge
    half: float  # half the height of the diamond, in rows
    pixels: float  # height of a row
    compact: bool  # whether rows are thin


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
    """Sensitivity or specificity in a forest plot: hits among the patients of each study, and the pooled estimate."""

    at: int  # 0 for the left panel, 1 for the right one
    title: str
    group: str  # name of the patients
    hits: Floats  # patients whom the test classifies correctly, shape (n,)
    sizes: Floats  # patients in the group, shape (n,)
    shares: Shares
    estimate: Estimate | None
    threshold: float | None  # share to exceed

    def axis(self, of_numbers: bool = False) -> str:
        """Number of the panel's x axis, or of that of its column of numbers; plotly's first axis has no number."""
        number = self.at + 1 + 2 * of_numbers
        return str(number) if number > 1 else ""


def _panels(evidence: Evidence) -> tuple[_Panel, _Panel]:
    tables = evidence.tables
    of_sensitivity = evidence.sensitivity, evidence.pooled.sensitivity, evidence.theta
    of_specificity = evidence.specificity, evidence.pooled.specificity, evidence.theta_sp
    return (
        _Panel(0, "Sensitivity", "diseased", tables.TP, tables.diseased, *of_sensitivity),
        _Panel(1, "Specificity", "healthy", tables.TN, tables.healthy, *of_specificity),
    )


def forest(evidence: Evidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Forest plot: sensitivity and specificity of every study with 95 % intervals; the pooled ones below.

    Names and counts stand on the left, the two panels beside them, the numbers on the right. With more than 60 studies
    rows are thin, ordered by sensitivity, and named on hover only.

    Parameters
    ----------
    evidence
        The 2×2 tables and everything computed from them.
    simulated, dark
        Whether the figure says that its data are simulated, and whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    rows, panels = _rows(evidence), _panels(evidence)
    largest = max(1.0, *(float(np.nanmax(panel.sizes, initial=0.0)) for panel in panels))
    chart = StudyChart(70 + rows.pixels * (rows.bottom + 0.3), dark=dark, simulated=simulated)
    shapes: list[Figure] = []
    judged = bool(evidence.tables.bias) and not rows.compact
    width = BESIDE_BIAS if judged else 1.0
    all_ends = zip(WIDE_PANELS if rows.compact else PANELS, NUMBERS, strict=True)
    for panel, (panel_ends, number_ends) in zip(panels, all_ends, strict=True):
        domain, of_numbers = ([width * end for end in ends] for ends in (panel_ends, number_ends))
        _studies(chart, panel, rows, evidence.tables.study, largest)
        if panel.estimate is not None:
            value, low, high = panel.estimate
            chart.diamond((low, value, high), rows.summary, rows.half, xaxis=f"x{panel.axis()}")
        title = ""
        if panel.threshold is not None:
            title = f"dotted: {threshold(panel.threshold)}"
            shapes.append(fig.upright(panel.threshold, dash="dot", xref=f"x{panel.axis()}"))
        shares = {"tickvals": [0, 0.5, 1], "tickformat": ".1~f"}
        chart.axis(f"xaxis{panel.axis()}", title, domain=domain, range=[-0.03, 1.03], **shares, showgrid=True)
        chart.note(domain[0], 1, f"<b>{panel.title}</b>", xanchor="left")
        if not rows.compact:
            _numbers(chart, panel, rows)
            chart.column(panel.axis(of_numbers=True), of_numbers)
            chart.note(of_numbers[0], 1, panel.title, xanchor="left")
    if not rows.compact:
        _counts(chart, evidence, rows)
        chart.column("5", [width * end for end in COUNTS], len(CELLS))
        for at, cell in enumerate(CELLS, 1):
            chart.label(at, 1, cell, xref="x5", yref="paper")
    if judged:
        chart.texts(0, rows.studies, risks(evidence.tables), "right", "6")
        chart.column("6", [width, 1])
        chart.note(width + 0.01, 1, "Bias", xanchor="left")

    names = [] if rows.compact else [short(name) for name in evidence.tables.study]
    ticks: list[float] = [] if rows.compact else list(range(len(evidence)))
    if any(panel.estimate is not None for panel in panels):
        names.append("<b>Pooled</b>")
        ticks.append(rows.summary)
    left = 74 if rows.compact else margin_for(["Pooled", *evidence.tables.study])
    chart.rows([rows.bottom - 0.4, -0.7], ticks, names)
    return chart.figure(shapes=shapes, margin={"l": left, "r": 4})


def _studies(chart: StudyChart, panel: _Panel, rows: _Rows, names: tuple[str, ...], largest: float) -> None:
    """Draw squares, sized by patients, with their intervals."""
    shares = panel.shares
    drawn = np.flatnonzero(~np.isnan(shares.value))
    value = shares.value[drawn]
    reach = (shares.high[drawn] - value).tolist(), (value - shares.low[drawn]).tolist()
    chart.points(
        value,
        rows.studies[drawn],
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


def _numbers(chart: StudyChart, panel: _Panel, rows: _Rows) -> None:
    """Write a panel's numbers into their column."""
    at = panel.axis(of_numbers=True)
    texts = [numbers(panel.shares, i) for i in range(len(rows.studies))]
    chart.texts(0, rows.studies, texts, "right", at)
    if panel.estimate is not None:
        value, low, high = panel.estimate
        chart.texts([0], rows.summary, [f"<b>{value:.2f} [{low:.2f}, {high:.2f}]</b>"], "right", at, POOLED)


def _counts(chart: StudyChart, evidence: Evidence, rows: _Rows) -> None:
    """Write TP, FP, FN and TN of every study."""
    counts = np.stack([getattr(evidence.tables, cell) for cell in CELLS])
    x = np.repeat(np.arange(1, len(CELLS) + 1), len(evidence))
    texts = ["–" if np.isnan(count) else f"{count:.0f}" for count in counts.ravel()]
    chart.texts(x, np.tile(rows.studies, len(CELLS)), texts, "left", "5")


def risks(studies: Judged) -> list[str]:
    """The risk of bias of each study with its sign; a dash if not judged."""
    return [RISKS[risk] if risk else "–" for risk in studies.bias]


def sroc(evidence: Evidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Studies in the ROC plane, sized by patients, with the pooled point, and the curve and both 95 % regions by REML.

    The curve is drawn over the observed false-positive rates only. If the engine is not "reml", a hollow diamond marks
    the REML summary that curve and regions belong to.

    Parameters
    ----------
    evidence
        The 2×2 tables and everything computed from them.
    simulated, dark
        Whether the figure says that its data are simulated, and whether the page is dark.

    Returns
    -------
    Figure
        A plotly figure.
    """
    chart, fit, pooled = EvidenceChart(460, dark=dark, simulated=simulated), evidence.summary, evidence.pooled
    chart.label(1.0, evidence.theta, threshold(evidence.theta))
    if fit is not None:
        area: Figure = {"fill": "toself", "fillcolor": POOLED_AREA}
        for region, look in ((fit.prediction_region(), {"dash": "dash"}), (fit.confidence_region(), area)):
            chart.line(region[:, 0], region[:, 1], POOLED, width=1.5, **look)
    chart.line([0, 1], [evidence.theta] * 2, THRESHOLD, dash="dot", width=1.5)
    if evidence.theta_sp is not None:
        chart.line([1 - evidence.theta_sp] * 2, [0, 1], THRESHOLD, dash="dot", width=1.5)
        chart.label(1 - evidence.theta_sp, 0.0, threshold(evidence.theta_sp))
    if evidence.curve is not None:
        chart.line(evidence.curve[:, 0], evidence.curve[:, 1], POOLED, width=3)
    complete = np.flatnonzero(~np.isnan(evidence.sensitivity.value) & ~np.isnan(evidence.specificity.value))
    patients = evidence.tables.diseased + evidence.tables.healthy
    largest = float(np.nanmax(patients[complete], initial=1.0))
    chart.points(
        1 - evidence.specificity.value[complete],
        evidence.sensitivity.value[complete],
        STUDY_AREA,
        (5 + 19 * np.sqrt(patients[complete] / largest)).tolist(),
        marker={"line": {"color": STUDY, "width": 1.2}},
        hovertext=[
            f"{plain(evidence.tables.study[i])}: sensitivity {numbers(evidence.sensitivity, i)}, "
            f"specificity {numbers(evidence.specificity, i)}, {patients[i]:,.0f} patients"
            for i in complete
        ],
    )
    drawn = [("pooled", "diamond", pooled.sensitivity, pooled.specificity)]
    if fit is not None and evidence.engine != "reml":
        drawn.insert(0, ("REML summary", "diamond-open", fit.sensitivity, fit.specificity))
    for name, symbol, sensitivity, specificity in drawn:
        if sensitivity is None or specificity is None:
            continue
        x, y = 1 - specificity.value, sensitivity.value
        text = f"{name}: sensitivity {y:.2f}, specificity {1 - x:.2f}"
        marker = {"symbol": symbol, "line": {"color": ink(POOLED, dark), "width": 1.5}}
        chart.points([x], [y], POOLED, 13, marker=marker, hovertext=[text])
    if fit is not None:
        chart.label(0.99, 0.02, _keys(evidence), POOLED, bgcolor=fig.paper(dark))
    chart.share_axis("xaxis", "false-positive rate (1 − specificity)", showgrid=True)
    chart.share_axis("yaxis", "sensitivity", scaleanchor="x")
    return chart.figure()


def _keys(evidence: Evidence) -> str:
    """Legend for the lower right corner, where no study of a useful test lies."""
    lines = ["◆ pooled"] if evidence.pooled.specificity is not None else []
    by = "" if evidence.engine == "reml" else ", by REML"
    lines += [f"◇ the same{by}"] if by else []
    lines += [f"━━ curve{by}"] if evidence.curve is not None else []
    return "<br>".join([*lines, "── 95 % confidence region", "╌╌ 95 % prediction region"])


def leave_one_out(
    evidence: Synthesis, payoffs: Payoffs, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Belief without each study beside the belief with all; hollow if the decision would change.

    Parameters
    ----------
    evidence, payoffs
        The studies, and benefits and costs of the options, which give the threshold beliefs.
    simulated, dark
        Whether the figure says that its data are simulated, and whether the page is dark.

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
    chart = StudyChart(100 + ROW * rows, dark=dark, simulated=simulated)
    shapes = [fig.upright(end) for end in payoffs.ranges().ends]
    if b is not None:
        beliefs = without[left_out]
        reach = np.maximum(0, b - beliefs).tolist(), np.maximum(0, beliefs - b).tolist()
        turned = payoffs.best(beliefs) != payoffs.best(b)
        studies = zip(names, beliefs, strict=True)
        hover = [f"without {plain(name)}: {percent(belief)}" for name, belief in studies]
        symbols = ["circle-open" if other else "circle" for other in turned]
        blue = ink(BELIEF, dark)
        marker = {"symbol": symbols, "line": {"width": 2, "color": blue}}
        bars = fig.interval(*reach, STUDY, 2)
        chart.points(beliefs, range(len(beliefs)), BELIEF, marker=marker, hovertext=hover, error_x=bars)
        shapes.append(fig.upright(b, blue, dash="solid"))
        side = "right" if b > 0.8 else "left" if b < 0.2 else "center"
        chart.label(b, 1, f"with all {percent(b)}", BELIEF, yref="paper", xanchor=side)
    dashed = "another option is best" if payoffs.others else f"act above {percent(payoffs.q_star)}"
    title = f"chance without it (dashed: {dashed})"
    chart.share_axis("xaxis", title, (-0.02, 1.02), showgrid=True, tickformat=".0%")
    chart.rows([rows - 0.4, -0.6], range(len(left_out)), [short(name) for name in names])
    return chart.figure(shapes=shapes, margin={"l": margin_for(names)})


def numbers(shares: Shares, at: int | np.intp) -> str:
    """Format the share of one study with its interval."""
    if np.isnan(shares.value[at]):
        return "–"
    return f"{shares.value[at]:.2f} [{shares.low[at]:.2f}, {shares.high[at]:.2f}]"


def margin_for(names: Sequence[str]) -> int:
    """Left margin in pixels that names need."""
    return 18 + round(6.3 * min(NAME, max(map(len, names), default=0)))
