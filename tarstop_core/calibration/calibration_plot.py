"""A plot and a sentence that compare forecasts for lists that learn with what was found in them."""

import numpy as np
import pandas as pd

from tarstop_core.calibration.calibrator import INCLUSION, REVIEW
from tarstop_core.documents.tables import Flags
from tarstop_core.presentation.figures import Chart, Figure, interval, plain, stroke
from tarstop_core.presentation.numbers import INTERVAL_LEVEL, listed, percent
from tarstop_core.presentation.palette import BELIEF, PLUS, STUDY

# Names of scenarios and of stretches of a list, as the page shows them.
JUDGED = {INCLUSION: "By title and abstract", REVIEW: "By full text"}
AHEAD = {"next 20": "the next 20", "next 100": "the next 100", "all left": "all that are left"}
TICKS = np.array([0, 1, 3, 10, 30, 100, 300, 1000, 3000])


def intervals_held(forecasts: pd.DataFrame) -> Flags:
    """Flags of the forecasts whose 90 % interval holds the true number, shape (n,)."""
    return np.asarray(forecasts["true"].between(forecasts["low"], forecasts["high"]))


def calibration_plot(forecasts: pd.DataFrame, *, dark: bool = False) -> Figure:
    """Draw one row a set, the fullest on top: expected number with its interval, and the number found.

    Parameters
    ----------
    forecasts : DataFrame
        One row a set, with columns `set`, `mean`, `low`, `high` (the forecast and its 90 % interval) and `true`, all in
        documents.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    dict
        A plotly figure on a log scale.
    """
    forecasts = forecasts.sort_values(["true", "mean"])
    mean, low, high, true = np.log10(forecasts[["mean", "low", "high", "true"]].to_numpy().T + 1.0)
    names = np.array([plain(name, 22) for name in forecasts["set"]])
    is_held = intervals_held(forecasts)
    blue = stroke(BELIEF, dark)
    marker = {"symbol": "line-ns-open", "line": {"width": 2, "color": blue}}
    reach = interval((high - mean).tolist(), (mean - low).tolist(), blue, 1.5, width=4)
    chart = Chart(84 + 16 * len(forecasts), dark=dark)
    chart.points(mean, names, BELIEF, 9, marker=marker, error_x=reach, hoverinfo="skip")
    chart.note(0, 1, f"┠┼┨ said, {percent(INTERVAL_LEVEL)}", BELIEF, xanchor="left", yshift=2)
    for which, colour, symbol, words, place in (
        (is_held, STUDY, "circle", "● found", 0.68),
        (~is_held, PLUS, "x", "✕ outside", 1.0),
    ):
        hover = {
            "text": forecasts["true"][which].tolist(),
            "hovertemplate": "%{y}: %{text} found<extra></extra>",
        }
        chart.points(true[which], names[which], colour, 9, marker={"symbol": symbol}, **hover)
        chart.note(place, 1, words, colour, yshift=2)
    ends = [-0.05, float(max(high.max(), true.max())) + 0.05]
    ticks = {"tickvals": np.log10(TICKS + 1).tolist(), "ticktext": [f"{tick:,}" for tick in TICKS]}
    rows = {"categoryarray": names.tolist(), "range": [-0.6, len(forecasts) - 0.4], "dtick": 1}
    chart.axis("xaxis", "relevant documents (log scale)", range=ends, **ticks)
    chart.axis("yaxis", "", **rows, automargin=True)
    return chart.figure()


def calibration_plot_sentence(forecasts: pd.DataFrame, every: pd.DataFrame) -> str:
    """Say which sets lie outside their intervals and how far off expected numbers were.

    `forecasts` are those of one plot; `every` holds the forecasts of all depths and distances that were judged in the same way.
    """
    sides = {"more": forecasts["true"] > forecasts["high"], "less": forecasts["true"] < forecasts["low"]}
    sides_missed = [
        f"{side} was found in {listed(forecasts.loc[at, 'set'].tolist())}"
        for side, at in sides.items()
        if at.any()
    ]
    off = np.median(np.abs(np.log((forecasts["true"] + 0.5) / (forecasts["mean"] + 0.5))))
    return (
        f"{'Outside: ' + '; '.join(sides_missed) if sides_missed else 'None lies outside'}. In half of the sets the expected number was off "
        f"by a factor of {np.exp(off):.1f} or more. "
        f"At all depths and distances {percent(float(intervals_held(every).mean()))} of {len(every):,} intervals held."
    )
