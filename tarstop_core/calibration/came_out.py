"""What chances of lists that learn said of the documents ahead, and what was found there, set by set: drawn and in words."""

import numpy as np
import pandas as pd

from tarstop_core.calibration.calibrator import INCLUSION, REVIEW
from tarstop_core.documents.tables import Flags
from tarstop_core.presentation.figures import Figure, axis, drawn, ink, interval, note, plain, points
from tarstop_core.presentation.numbers import listed, percent
from tarstop_core.presentation.palette import BELIEF, PLUS, STUDY

JUDGED = {INCLUSION: "By title and abstract", REVIEW: "By full text"}
AHEAD = {
    "next 20": "among the next 20",
    "next 100": "among the next 100",
    "all left": "among all that are left",
}
TICKS = (0, 1, 3, 10, 30, 100, 300, 1000, 3000)
ROW, AROUND = 16, 84  # Height of a set, and of what is around them
NAME = 22


def inside(said: pd.DataFrame) -> Flags:
    """Whether what was found lies in its interval of 90 %, shape (n,)."""
    return np.asarray(said["true"].between(said["low"], said["high"]), dtype=bool)


def came_out_figure(said: pd.DataFrame, *, dark: bool = False) -> Figure:
    """A row a set, the fullest on top: interval and expected number as said, and the number found.

    `said` has columns `set`, `mean`, `low`, `high` and `true`.
    """
    said = said.sort_values(["true", "mean"])
    mean, low, high, true = (
        np.log10(said[each].to_numpy() + 1.0) for each in ("mean", "low", "high", "true")
    )
    names, held = np.array([plain(each, NAME) for each in said["set"]]), inside(said)
    reach = interval((high - mean).tolist(), (mean - low).tolist(), BELIEF, 1.5, width=4)
    upright = {"symbol": "line-ns-open", "line": {"width": 2, "color": BELIEF}}
    data = [points(mean.tolist(), names.tolist(), BELIEF, 9, marker=upright, error_x=reach, hoverinfo="skip")]
    notes = [note(0, 1, "┠┼┨ said, 90 %", ink(BELIEF, dark), xanchor="left", yshift=2)]
    marks = ((held, STUDY, "circle", 8, "● found"), (~held, PLUS, "x", 10, "✕ outside"))
    for at, (which, colour, symbol, size, words) in enumerate(marks):
        hover = {"text": said["true"][which].tolist(), "hovertemplate": "%{y}: %{text} found<extra></extra>"}
        data.append(
            points(
                true[which].tolist(), names[which].tolist(), colour, size, marker={"symbol": symbol}, **hover
            )
        )
        notes.append(note(0.68 + 0.32 * at, 1, words, ink(colour, dark), yshift=2))
    top = float(np.log10(1 + said[["high", "true"]].to_numpy().max())) + 0.05
    ticks = {"tickvals": np.log10(np.add(TICKS, 1)).tolist(), "ticktext": [f"{each:,}" for each in TICKS]}
    return drawn(
        data,
        ROW * len(said) + AROUND,
        False,
        dark,
        notes,
        xaxis=axis("relevant documents (log scale)", dark, range=[-0.05, top], **ticks),
        yaxis=axis(
            "", dark, categoryarray=names.tolist(), range=[-0.6, len(said) - 0.4], automargin=True, dtick=1
        ),
    )


def came_out_heading(said: pd.DataFrame, read: int, what: str) -> str:
    """In how many sets it held."""
    held = int(inside(said).sum())
    return f"After {read} documents, {AHEAD[what]}: {held} of {len(said)} intervals of 90 % held"


def came_out_sentence(said: pd.DataFrame, every: pd.DataFrame) -> str:
    """Who lies outside and how far off expected numbers were; how many of `every` interval held that was judged so."""
    sides = {"more": said["true"] > said["high"], "less": said["true"] < said["low"]}
    told = [
        f"{side} was found in {listed(said.loc[which, 'set'].tolist())}"
        for side, which in sides.items()
        if which.any()
    ]
    outside = f"Outside: {'; '.join(told)}." if told else "None lies outside."
    off = np.median(np.abs(np.log((said["true"] + 0.5) / (said["mean"] + 0.5))))
    return (
        f"{outside} In half of the sets the expected number was off by a factor of {np.exp(off):.1f} or more. "
        f"At all depths and distances {percent(float(inside(every).mean()))} of {len(every):,} intervals held."
    )
