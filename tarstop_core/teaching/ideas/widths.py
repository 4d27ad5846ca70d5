"""What more patients and what more studies would do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tarstop_core.belief.bayes import posterior
from tarstop_core.belief.prior import Prior
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.presentation.figures import Figure, Rows, axis, drawn, ink, label, line, rows_of
from tarstop_core.presentation.palette import BELIEF, POOLED
from tarstop_core.teaching.ideas.engines import evidence

MORE = (1, 2, 4)
"""Times as many patients in each study, or as many studies alike."""


@dataclass(frozen=True)
class Widths:
    """How wide the 95 % interval of pooled sensitivity is, at each of :data:`MORE`."""

    patients: tuple[float, ...]
    """With so many times as many patients in each study, at the same rates."""
    studies: tuple[float, ...]
    """With so many times as many studies alike."""


@lru_cache(maxsize=64)
def widths(name: str, theta: float, tau: float) -> Widths:
    """What more patients and what more studies would do, exactly (sensitivity alone)."""
    tables, prior = evidence()[name].tables, Prior(tau=tau)

    def width(changed: Tables) -> float:
        found = posterior(changed, theta, prior)
        return found.quantile(0.975) - found.quantile(0.025)

    def with_cells(times: int, studies: int) -> Tables:
        cells = (np.tile(getattr(tables, cell) * times, studies) for cell in CELLS)
        return Tables(tables.study * studies, *cells)

    return Widths(
        tuple(width(with_cells(times, 1)) for times in MORE),
        tuple(width(with_cells(1, times)) for times in MORE),
    )


def widths_figure(found: Widths, simulated: bool, *, dark: bool = False) -> Figure:
    """Width of the interval with more patients in each study, and with more studies."""
    x = [math.log2(each) for each in MORE]
    lines = (
        (found.patients, "more patients in each study", POOLED),
        (found.studies, "more studies alike", BELIEF),
    )
    data, notes = [], []
    for widths, name, colour in lines:
        y = [100 * width for width in widths]
        how = {"mode": "lines+markers", "marker": {"size": 9, "color": colour}}
        data.append(line(x, y, colour, width=3, **how, hovertemplate="%{y:.1f} points<extra></extra>"))
        above = widths[-1] >= max(each[0][-1] for each in lines)
        yanchor, yshift = ("bottom", 6) if above else ("top", -6)
        notes.append(label(x[-1], y[-1], name, ink(colour, dark), yanchor=yanchor, yshift=yshift))
    top = 100 * max(*found.patients, *found.studies)
    xaxis = axis(
        "times as many", dark, tickvals=x, ticktext=[f"×{each}" for each in MORE], range=[-0.1, x[-1] + 0.15]
    )
    yaxis = axis("width of the 95 % interval (points)", dark, range=[0, 1.3 * top], nticks=6)
    return drawn(data, 290, simulated, dark, notes, xaxis=xaxis, yaxis=yaxis)


def widths_sentence(found: Widths) -> str:
    """What more patients and more studies would do."""
    now, patients, studies = (
        100 * each for each in (found.patients[0], found.patients[-1], found.studies[-1])
    )
    change = patients - now
    verb = (
        "would leave it at"
        if abs(change) < 0.5
        else "would even widen it to"
        if change > 0
        else "would narrow it to"
    )
    why = "Patients tell a study’s own sensitivity better; how far studies differ from each other only more studies can average out."
    return (
        f"All studies together fix pooled sensitivity to an interval {now:.1f} percentage points wide. {MORE[-1]} times as many "
        f"patients in each study {verb} {patients:.1f}; {MORE[-1]} times as many studies would narrow it to {studies:.1f}. {why}"
    )


def widths_heading(found: Widths) -> str:
    """What the figure finds."""
    helped = found.patients[-1] < 0.9 * found.patients[0]
    return f"More patients {'help a little' if helped else 'do not help'}; more studies do"


def widths_rows(found: Widths) -> Rows:
    """The figure's numbers."""
    return rows_of(times=MORE, width_with_more_patients=found.patients, width_with_more_studies=found.studies)
