"""Figures and sentences about the chances of calibrators and their quality."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.first_hit import WITHIN, FirstHits, PastCase
from tarstop_core.calibration.quality import Quality, wilson
from tarstop_core.documents.tables import Floats, Ints
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import BELIEF, BELIEF_BAND, COST, PLUS, THRESHOLD

SHORTEST = 100  # Ranks that a curve of first hits shows at least
DRAWN_TO = 1000  # Ranks that it shows at most, where it was learned from long lists
NAME = 44  # Longest name in a figure, in characters
Bins = Sequence[tuple[float, float, int]]
"""Mean chance, share relevant and number of documents, as a quality holds them."""
Intervals = Sequence[tuple[float, float]]
_CORNER: dict[str, Any] = {"xanchor": "left", "yanchor": "top"}
_MARGIN = {"l": 56, "r": 8, "t": 6, "b": 44}


def first_hit_figure(
    calibrator: Calibrator, cases: Sequence[PastCase] = (), dark: bool = False, simulated: bool = False
) -> fig.Figure:
    """Draw the share of searches whose first hit has come by each rank, given that there is one, with its interval.

    Parameters
    ----------
    calibrator : Calibrator
        One of kind "first-hit" or "rank-frailty".
    cases : sequence of PastCase
        Cases that it was learned from, drawn below the curve.
    dark, simulated : bool
        Whether the page is dark, and whether "simulated" stands in the figure.

    Returns
    -------
    dict
        A plotly figure.
    """
    chart = fig.Chart(320, dark=dark)
    at, come, low, high = come_by_rank(calibrator)
    x, end = at.tolist(), float(np.log10(at[-1]))
    edge = {"line": {"width": 0}, "hoverinfo": "skip", "mode": "lines", "type": "scatter"}
    band = {"fill": "tonexty", "fillcolor": BELIEF_BAND}
    chart.traces += [{**edge, "x": x, "y": high.tolist()}, {**edge, "x": x, "y": low.tolist(), **band}]
    chart.line(x, come, BELIEF, width=3, hoverinfo="skip")
    chart.label(end, 1.0, "first hit has come, 95 % band", BELIEF, yshift=3)
    for outcome, words, symbol, colour, height in (
        ("hit", "first hits", "line-ns-open", BELIEF, -0.07),
        ("stopped", "stopped without", "triangle-right-open", THRESHOLD, -0.15),
        ("missed", "missed", "x-open", PLUS, -0.23),
    ):
        ranks = [case.at for case in cases if case.outcome == outcome and case.at <= x[-1]]
        if ranks:
            marker = {"symbol": symbol, "line": {"width": 2, "color": fig.stroke(colour, dark)}}
            chart.points(ranks, [height] * len(ranks), colour, marker=marker, hoverinfo="skip")
            chart.label(0.02, height, words, xref="paper", xanchor="left", yanchor="middle")
    if simulated:
        chart.label(0.0, 1.0, "simulated", **_CORNER)
    shares = {"range": [-0.3 if len(chart.traces) > 3 else -0.02, 1.12], "tickvals": [0, 0.25, 0.5, 0.75, 1]}
    chart.axis("xaxis", "rank (log scale)", type="log", dtick=1, range=[-0.75, end])
    chart.axis("yaxis", "share of searches", **shares, tickformat=".0%")
    return chart.figure(margin={"l": 56, "t": 8, "b": 44})


@lru_cache(maxsize=16)  # figure, sentence and file ask for it after every press on the page
def come_by_rank(calibrator: Calibrator) -> tuple[Ints, Floats, Floats, Floats]:
    """Ranks, the chance that the first hit has come by each, and both ends of its interval; four arrays of shape (n,)."""
    deepest = max(SHORTEST, 3 * calibrator.fitted_on.longest_list)
    if calibrator.list_kinds:
        deepest = min(deepest, DRAWN_TO)
    at = np.exp(np.array(calibrator.x)).round().astype(int)
    kept = at <= deepest
    come = -np.expm1(calibrator.curve(calibrator.probabilities(None, int(at[kept][-1]))).log_M[1:])
    low, high = np.array(calibrator.band).T[:, kept] if calibrator.band else (come[at[kept] - 1],) * 2
    return at[kept], come[at[kept] - 1], low, high


def first_hit_sentence(calibrator: Calibrator) -> str:
    """Say by which rank the first hit has come, as :func:`first_hit_figure` draws it."""
    at, *curves = come_by_rank(calibrator)
    clauses = []
    for rank in (WITHIN, SHORTEST):
        come, low, high = (percent(float(curve[np.searchsorted(at, rank)])) for curve in curves)
        clauses.append(f"by rank {rank} in {come} (95 %: {low} to {high})")
    return f"Of searches with something to find, the first hit has come {' and '.join(clauses)}."


def moved_sentence(start: Calibrator, updated: Calibrator) -> str:
    """Say how far a person's own lists moved the chances of the calibrator they started from."""
    before, after = (
        percent(float(-np.expm1(calibrator.curve(calibrator.probabilities(None, SHORTEST)).log_M[WITHIN])))
        for calibrator in (start, updated)
    )
    return (
        f"What is included (“{start.fitted_on.title}”) says that a first hit has come by rank {WITHIN} in {before} of "
        f"searches with something to find; with yours it is {after}. The more you have, the more yours decide."
    )


def share_sentence(posterior: FirstHits) -> str:
    """Say in how many of the cases there was something to find."""
    mean, low, high = posterior.share
    return (
        f"Prior art existed in {percent(mean)} of such cases (95 %: {percent(low)} to {percent(high)}), which may "
        "serve as the chance before reading."
    )


def two_reliabilities(
    a: Quality, b: Quality, names: tuple[str, str], simulated: bool = False, dark: bool = False
) -> fig.Figure:
    """Draw the reliability of two calibrators on the same documents: a is blue with circles, b vermilion with squares.

    Parameters
    ----------
    a, b : Quality
        Their quality.
    names : (str, str)
        Names of the two.
    simulated, dark : bool
        Whether "simulated" stands in the figure, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure.
    """
    chart = _reliabilities([(quality.reliability, quality.intervals) for quality in (a, b)], dark)
    looks = (("●", fig.stroke(BELIEF, dark)), ("■", PLUS))
    for at, ((mark, colour), name) in enumerate(zip(looks, names, strict=True)):
        chart.note(0.02, 0.98 - 0.08 * at, _named(mark, name, colour), **_CORNER)
    if simulated:
        chart.note(0.98, 0.02, "simulated")
    return chart.figure(margin=_MARGIN)


def worth_figure(
    lines: Sequence[tuple[str, Floats]],
    cost: float,
    read: int,
    unit: str = "",
    simulated: bool = False,
    dark: bool = False,
) -> fig.Figure:
    """Draw the value of the next document at each depth by the chances of each calibrator, beside its cost.

    Parameters
    ----------
    lines : sequence of (str, ndarray of shape (N,))
        Names and values, of two calibrators at most.
    cost : float
        Cost of a document.
    read : int
        Documents read; depths near it are drawn one by one.
    unit : str
        Unit of cost and value.
    simulated, dark : bool
        Whether "simulated" stands in the figure, and whether the page is dark.

    Returns
    -------
    dict
        A plotly figure on a log scale.
    """
    chart = fig.Chart(320, dark=dark)
    looks = ((fig.stroke(BELIEF, dark), "solid", "━━"), (PLUS, "dash", "╍╍"))
    for at, ((name, worth), (colour, dash, mark)) in enumerate(zip(lines, looks, strict=False)):
        depths = fig.thinned(len(worth), read)
        # A log axis has no place for zero.
        y = [float(value) if value > 0 else None for value in worth[depths]]
        chart.line(depths, y, colour, width=3, dash=dash, hoverinfo="skip")
        chart.traces[-1]["line"]["shape"] = "hv"
        # Values fall along a list, so there is room above their ends.
        chart.note(0.98, 0.9 - 0.08 * at, _named(mark, name, colour))
    if cost > 0:
        longest = max(len(worth) for _, worth in lines)
        chart.line([0, longest], [cost, cost], COST, dash="dot", hoverinfo="skip")
        chart.label(0, float(np.log10(cost)), "cost of one document", COST, xanchor="left")
    if simulated:
        chart.note(0.98, 0.98, "simulated")
    chart.axis("xaxis", "documents read")
    chart.axis("yaxis", fig.with_unit("worth each", unit), type="log", dtick=1, exponentformat="power")
    return chart.figure(margin={"l": 62, "t": 8, "b": 44})


def _named(mark: str, name: str, colour: str) -> str:
    """A name in the colour of text, which is readable on both backgrounds, after a mark in the colour of its line."""
    return f'<span style="color:{colour}">{mark}</span> {fig.plain(name, NAME)}'


def reliability_figure(
    bins: Bins, simulated: bool = False, dark: bool = False, intervals: Intervals = ()
) -> fig.Figure:
    """Draw predicted chances against the share found relevant, with 95 % intervals.

    Parameters
    ----------
    bins : sequence of (float, float, int)
        Mean chance, share relevant and number of documents, as
        :class:`~tarstop_core.calibration.quality.Quality` holds them.
    simulated, dark : bool
        Whether "simulated" stands in the figure, and whether the page is dark.
    intervals : sequence of (float, float)
        Intervals of the shares from resampled lists; without them Wilson's are drawn, which take documents to be
        independent.

    Returns
    -------
    dict
        A plotly figure.
    """
    chart = _reliabilities([(bins, intervals)], dark)
    if simulated:
        top = chart.axes["yaxis"]["range"][1]
        chart.label(0.02 * top, top, "simulated", **_CORNER)
    return chart.figure(margin=_MARGIN)


def _reliabilities(measured: Sequence[tuple[Bins, Intervals]], dark: bool) -> fig.Chart:
    """Draw one or two sets of bins with intervals, and the line on which chances equal the shares found relevant."""
    columns = []
    for bins, intervals in measured:
        p, share, count = (np.array([row[i] for row in bins], dtype=float) for i in range(3))
        columns.append((p, share, *(np.array(intervals).T if intervals else wilson(share, count))))
    top = 1.08 * max(
        0.05, *(float(np.max(ends, initial=0)) for p, _, _, high in columns for ends in (p, high))
    )
    chart = fig.Chart(300, dark=dark)
    chart.line([0.0, top], [0.0, top], THRESHOLD, dash="dash", hoverinfo="skip")
    looks = ((fig.stroke(BELIEF, dark), "circle", "solid"), (PLUS, "square", "dash"))
    for (p, share, low, high), (colour, symbol, dash) in zip(columns, looks, strict=False):
        bars = fig.interval((high - share).tolist(), (share - low).tolist(), colour, 1.5)
        joined = {"mode": "markers+lines", "line": {"color": colour, "width": 1.5, "dash": dash}}
        look = {"marker": {"symbol": symbol}, "hoverinfo": "skip"}
        chart.points(p, share, colour, 8, error_y=bars, **joined, **look)
    chart.label(0.6 * top, 0.6 * top, "as said", THRESHOLD)
    for axis, title in (("xaxis", "chance that was given"), ("yaxis", "share found relevant")):
        chart.axis(axis, title, range=[0, top], tickformat=".0%")
    return chart


def reliability_sentence(bins: Bins) -> str:
    """Say in one sentence what a reliability figure shows.

    >>> reliability_sentence([(0.002, 0.001, 9000), (0.2, 0.1, 100)])
    'The highest chances averaged 20 %, and 10 % of those 100 documents were relevant. Of the other 9,000, 0.1 % were relevant, and their chances averaged 0.2 %.'
    """
    if not bins:
        return "No document was judged."
    mean_chance, share, count = bins[-1]
    top = f"averaged {100 * mean_chance:.2g} %, and {100 * share:.2g} % of those {count:,} documents were relevant"
    others = sum(row[2] for row in bins[:-1])
    if not others:
        return f"The chances {top}."
    p, y = (100 * sum(row[i] * row[2] for row in bins[:-1]) / others for i in (0, 1))
    return (
        f"The highest chances {top}. Of the other {others:,}, {y:.2g} % were relevant, and their chances averaged "
        f"{p:.2g} %."
    )


def reliability_and_scores(quality: Quality) -> str:
    """Say in a sentence what a reliability figure shows, then Brier score and expected calibration error."""
    sentence = reliability_sentence(quality.reliability)
    return f"{sentence} Brier score {quality.brier:.4f}, expected calibration error {quality.ece:.4f}."
