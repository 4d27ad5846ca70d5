"""What chances of lists that learn said of the documents ahead, and what was found there, set by set: drawn and in words."""

import numpy as np
import pandas as pd

from tarstop_core.calibration.calibrator import INCLUSION, REVIEW
from tarstop_core.documents.tables import Flags
from tarstop_core.presentation.figures import Figure, axis, drawn, ink, interval, note, plain, points
from tarstop_core.presentation.numbers import listed, percent
from tarstop_core.presentation.palette import BELIEF, PLUS, STUDY

JUDGED = {INCLUSION: "By title and abstract", REVIEW: "By full text"}
AHEAD = {"next 20": "the next 20", "next 100": "the next 100", "all left": "all that are left"}
TICKS = np.array([0, 1, 3, 10, 30, 100, 300, 1000, 3000])


def inside(said: pd.DataFrame) -> Flags:
    """Whether what was found lies in its interval of 90 %, shape (n,)."""
    return np.asarray(said["true"].between(said["low"], said["high"]))


def came_out_figure(said: pd.DataFrame, *, dark: bool = False) -> Figure:
    """A row a set, the fullest on top: interval and expected number as said, and the number found.

    `said` has columns `set`, `mean`, `low`, `high` and `true`.
    """
    said = said.sort_values(["true", "mean"])
    mean, low, high, true = np.log10(said[["mean", "low", "high", "true"]].to_numpy().T + 1.0)
    names, held = np.array([plain(each, 22) for each in said["set"]]), inside(said)
    marker = {"symbol": "line-ns-open", "line": {"width": 2, "color": BELIEF}}
    reach = interval((high - mean).tolist(), (mean - low).tolist(), BELIEF, 1.5, width=4)
    data = [points(mean.tolist(), names.tolist(), BELIEF, 9, marker=marker, error_x=reach, hoverinfo="skip")]
    notes = [note(0, 1, "┠┼┨ said, 90 %", ink(BELIEF, dark), xanchor="left", yshift=2)]
    for at, (which, colour, symbol, words) in enumerate(
        ((held, STUDY, "circle", "● found"), (~held, PLUS, "x", "✕ outside"))
    ):
        hover = {"text": said["true"][which].tolist(), "hovertemplate": "%{y}: %{text} found<extra></extra>"}
        data.append(
            points(true[which].tolist(), names[which].tolist(), colour, 9, marker={"symbol": symbol}, **hover)
        )
        notes.append(note(0.68 + 0.32 * at, 1, words, ink(colour, dark), yshift=2))
    ends = [-0.05, float(max(high.max(), true.max())) + 0.05]
    ticks = {"tickvals": np.log10(TICKS + 1).tolist(), "ticktext": [f"{each:,}" for each in TICKS]}
    rows = {"categoryarray": names.tolist(), "range": [-0.6, len(said) - 0.4], "dtick": 1}
    xaxis = axis("relevant documents (log scale)", dark, range=ends, **ticks)
    yaxis = axis("", dark, **rows, automargin=True)
    return drawn(data, 84 + 16 * len(said), False, dark, notes, xaxis=xaxis, yaxis=yaxis)


def came_out_sentence(said: pd.DataFrame, every: pd.DataFrame) -> str:
    """Who lies outside and how far off expected numbers were; how many of `every` interval held that was judged so."""
    sides = {"more": said["true"] > said["high"], "less": said["true"] < said["low"]}
    told = [
        f"{side} was found in {listed(said.loc[at, 'set'].tolist())}"
        for side, at in sides.items()
        if at.any()
    ]
    off = np.median(np.abs(np.log((said["true"] + 0.5) / (said["mean"] + 0.5))))
    return (
        f"{'Outside: ' + '; '.join(told) if told else 'None lies outside'}. In half of the sets the expected number was off "
        f"by a factor of {np.exp(off):.1f} or more. "
        f"At all depths and distances {percent(float(inside(every).mean()))} of {len(every):,} intervals held."
    )
