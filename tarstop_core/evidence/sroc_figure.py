"""Studies in the ROC plane, and what is pooled from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.evidence.drawing import evidence_layout, numbers, plain, told_points
from tarstop_core.evidence.summary import Evidence
from tarstop_core.evidence.words import threshold
from tarstop_core.presentation.figures import Figure, axis, ink, label, line, text_colour
from tarstop_core.presentation.palette import POOLED, POOLED_AREA, STUDY, STUDY_AREA, THRESHOLD

Floats = NDArray[np.float64]


def sroc(evidence: Evidence, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Studies in the ROC plane, sized by patients, with summary point, curve and both 95 % regions.

    The curve is drawn over the observed false-positive rates only.
    """
    pooled_text = ink(POOLED, dark)
    data: list[Figure] = []
    notes = [label(1.0, evidence.theta, threshold(evidence.theta), text_colour(dark))]
    if evidence.prediction is not None and evidence.confidence is not None:
        data.append(_outline(evidence.prediction, dash="dash", hoverinfo="skip"))
        data.append(
            _outline(
                evidence.confidence, dash="solid", fill="toself", fillcolor=POOLED_AREA, hoverinfo="skip"
            )
        )
    data.append(line([0, 1], [evidence.theta] * 2, THRESHOLD, dash="dot", width=1.5, hoverinfo="skip"))
    if evidence.curve is not None:
        x, y = evidence.curve.T.tolist()
        data.append(line(x, y, POOLED, width=3, hoverinfo="skip"))
    known = np.flatnonzero(~np.isnan(evidence.sensitivity.value) & ~np.isnan(evidence.specificity.value))
    patients = evidence.tables.diseased + evidence.tables.healthy
    largest = float(np.nanmax(patients[known], initial=1.0))
    data.append(
        told_points(
            (1 - evidence.specificity.value[known]).tolist(),
            evidence.sensitivity.value[known].tolist(),
            [
                f"{plain(evidence.tables.study[i])}: sensitivity {numbers(evidence.sensitivity, i)}, "
                f"specificity {numbers(evidence.specificity, i)}, {patients[i]:,.0f} patients"
                for i in known
            ],
            STUDY_AREA,
            (5 + 19 * np.sqrt(patients[known] / largest)).tolist(),
            marker={"line": {"color": STUDY, "width": 1.2}},
            cliponaxis=False,
        )
    )
    fit = evidence.summary
    if fit is not None:
        x, y = 1 - fit.specificity.value, fit.sensitivity.value
        said = f"summary: sensitivity {y:.2f}, specificity {1 - x:.2f}"
        marker = {"symbol": "diamond", "line": {"color": pooled_text, "width": 1.5}}
        data.append(told_points([x], [y], [said], POOLED, 13, marker=marker))
        notes += _keys(pooled_text, curve=evidence.curve is not None)
    layout = evidence_layout(
        460,
        dark=dark,
        simulated=simulated,
        notes=notes,
        xaxis=axis(
            "false-positive rate (1 − specificity)",
            dark,
            range=[0, 1],
            dtick=0.2,
            tickformat=".1f",
            constrain="domain",
            showgrid=True,
        ),
        yaxis=axis(
            "sensitivity",
            dark,
            range=[0, 1],
            dtick=0.2,
            tickformat=".1f",
            scaleanchor="x",
            constrain="domain",
        ),
    )
    return {"data": data, "layout": layout}


def _outline(points: Floats, **more: Any) -> Figure:
    return line(points[:, 0].tolist(), points[:, 1].tolist(), POOLED, width=1.5, **more)


def _keys(colour: str, curve: bool) -> list[Figure]:
    """What the pooled lines are, in the lower right corner: no study of a useful test lies there."""
    lines = ["◆ summary"] + (["━ curve"] if curve else [])
    lines += ["─ 95 % confidence region", "╌ 95 % prediction region"]
    return [label(0.99, 0.02, "<br>".join(lines), colour, align="right")]
