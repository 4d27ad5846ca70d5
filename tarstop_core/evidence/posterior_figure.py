"""Density of pooled sensitivity before and after the studies."""

from __future__ import annotations

import numpy as np

from tarstop_core.evidence.drawing import evidence_layout
from tarstop_core.evidence.summary import Evidence
from tarstop_core.evidence.words import threshold
from tarstop_core.presentation.figures import Figure, axis, ink, label, line, text_colour, upright
from tarstop_core.presentation.numbers import percent
from tarstop_core.presentation.palette import BELIEF, BELIEF_AREA, STUDY


def prior_and_posterior(evidence: Evidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Density of pooled sensitivity before and after the studies, the mass above θ shaded."""
    density = evidence.density
    theta = evidence.theta
    data: list[Figure] = []
    notes = []
    x_range = [0.0, 1.0]
    top = 1.0
    if density is not None:
        x, before, after = density.sensitivity, density.prior, density.posterior
        # A prior may pile up at 0 and 1; the posterior sets the scale.
        top = 1.15 * float(max(after.max(), np.median(before)))
        above = x >= theta
        edge = float(np.interp(theta, x, after))
        if above.any():
            data.append(
                {
                    "type": "scatter",
                    "mode": "lines",
                    "x": [theta, theta, *x[above].tolist(), float(x[-1])],
                    "y": [0.0, edge, *after[above].tolist(), 0.0],
                    "fill": "tozeroy",
                    "fillcolor": BELIEF_AREA,
                    "line": {"width": 0},
                    "hoverinfo": "skip",
                }
            )
        blue, grey = ink(BELIEF, dark), text_colour(dark)
        if before.any():
            data.append(line(x.tolist(), before.tolist(), STUDY, dash="dash", hoverinfo="skip"))
            place = int(np.searchsorted(np.cumsum(before) / before.sum(), 0.12))
            notes.append(label(float(x[place]), float(before[place]), "before", grey, xanchor="center"))
        data.append(line(x.tolist(), after.tolist(), BELIEF, width=3, hoverinfo="skip"))
        # On the falling flank, or on the rising one where that leaves no room.
        high = np.flatnonzero(after >= 0.6 * after.max())
        right = x[high[-1]] < 0.85
        flank = int(high[-1 if right else 0])
        side = {"xanchor": "left" if right else "right", "xshift": 8 if right else -8}
        notes.append(label(float(x[flank]), float(after[flank]), "after", blue, yanchor="middle", **side))
        if evidence.belief is not None:
            notes.append(
                label(
                    theta,
                    top,
                    f"{percent(evidence.belief)} above {threshold(theta)}",
                    blue,
                    xanchor="right" if theta > 0.4 else "left",
                    yanchor="top",
                    xshift=-6 if theta > 0.4 else 6,
                )
            )
    layout = evidence_layout(
        330,
        dark=dark,
        simulated=simulated,
        notes=notes,
        xaxis=axis("pooled sensitivity", dark, range=x_range, tickformat=".0%", dtick=0.2),
        yaxis=axis("density", dark, range=[0, top], showticklabels=False),
        shapes=[upright(theta, dash="dot")],
        margin={"l": 36, "r": 16},
    )
    return {"data": data, "layout": layout}
