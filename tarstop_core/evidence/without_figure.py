"""The belief without each study."""

from __future__ import annotations

import numpy as np

from tarstop_core.evidence.drawing import (
    ROW,
    evidence_layout,
    margin_for,
    plain,
    rows_for,
    short,
    told_points,
)
from tarstop_core.evidence.summary import Evidence
from tarstop_core.presentation.figures import Figure, axis, ink, interval, label, upright
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import BELIEF, STUDY
from tarstop_core.value.payoffs import TOLERANCE

LEFT_OUT = 40  # studies that are shown: those that matter most


def leave_one_out(
    evidence: Evidence,
    q_star: float | None = None,
    *,
    room: int = 1,
    simulated: bool = False,
    dark: bool = False,
) -> Figure:
    """The belief without each study beside the belief with all; hollow where the decision would change.

    `room` is as in :func:`~tarstop_core.evidence.forest_figure.forest`.
    """
    b, without = evidence.belief, evidence.without.beliefs
    shown = np.flatnonzero(~np.isnan(without)) if b is not None else np.empty(0, dtype=np.intp)
    if b is not None and len(shown) > LEFT_OUT:
        most = np.argsort(-np.abs(without[shown] - b), kind="stable")[:LEFT_OUT]
        shown = np.sort(shown[most])
    names = [evidence.tables.study[i] for i in shown]
    rows = rows_for(len(shown), room)
    data: list[Figure] = []
    notes, shapes = [], []
    if b is not None:
        beliefs = without[shown].tolist()
        towards = b - without[shown]
        reach = np.maximum(0, towards).tolist(), np.maximum(0, -towards).tolist()
        turned = np.zeros(len(shown), dtype=bool)
        if q_star is not None:
            turned = (without[shown] > q_star + TOLERANCE) != (b > q_star + TOLERANCE)
        hover = [
            f"without {plain(name)}: {percent(belief)}" for name, belief in zip(names, beliefs, strict=True)
        ]
        marker = {
            "symbol": ["circle-open" if other else "circle" for other in turned],
            "line": {"width": 2, "color": BELIEF},
        }
        data.append(
            told_points(
                beliefs,
                range(len(shown)),
                hover,
                BELIEF,
                10,
                marker=marker,
                error_x=interval(*reach, STUDY, 2, width=0),
            )
        )
        blue = ink(BELIEF, dark)
        shapes.append(upright(b) | {"line": {"color": BELIEF, "width": 1.5}})
        side = "right" if b > 0.8 else "left" if b < 0.2 else "center"
        notes.append(label(b, 1, f"with all {percent(b)}", blue, yref="paper", xanchor=side))
    if q_star is not None:
        shapes.append(upright(q_star))
    layout = evidence_layout(
        100 + ROW * rows,
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
            range=[rows - 0.4, -0.6],
            tickvals=list(range(len(shown))),
            ticktext=[short(name) for name in names],
            showgrid=False,
        ),
        margin={"l": margin_for(names)},
    )
    return {"data": data, "layout": layout}
