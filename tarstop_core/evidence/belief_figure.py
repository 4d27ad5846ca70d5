"""The belief after each study."""

from __future__ import annotations

from itertools import pairwise

from tarstop_core.evidence.drawing import evidence_layout, plain, short
from tarstop_core.evidence.summary import Evidence
from tarstop_core.evidence.words import threshold
from tarstop_core.presentation.figures import Figure, axis, ink, label, line, text_colour
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import BELIEF, THRESHOLD


def belief_by_study(
    evidence: Evidence, q_star: float | None = None, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """The belief after each study, the threshold q*, and the names of the studies that moved it most."""
    path = evidence.drawn_path.beliefs
    names = ["before any study", *(plain(name) for name in evidence.tables.study)]
    seen = [(n, b) for n, b in enumerate(path) if b is not None]
    many = len(path) > 80
    data: list[Figure] = [
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
        notes.append(label(last, q_star, words, text_colour(dark), yanchor="top" if below else "bottom"))
    blue = ink(BELIEF, dark)
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
    layout = evidence_layout(
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
