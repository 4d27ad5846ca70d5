"""One list as three rules see it if nothing turns up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import cast

import numpy as np

from tarstop_core.evaluation.findings.drawing import style
from tarstop_core.explore.lists import Explored
from tarstop_core.policies import Greedy, LookAhead, Optimal, Policy
from tarstop_core.presentation.figures import Figure, Rows, axis, drawn, ink, label, line, rows_of
from tarstop_core.presentation.numbers import count_of, number
from tarstop_core.presentation.palette import COST, VALUE
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.ideas.shared import dot, named
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.path import Floats


@dataclass(frozen=True, eq=False)
class Compared:
    """One list as three rules see it if nothing turns up."""

    explored: Explored
    settings: Settings
    path: DecisivePath
    rules: tuple[Policy, ...]
    """:data:`COMPARED`."""
    worth: tuple[Floats, ...]
    """What each rule compares with the cost. Shape (N,) each."""
    depth: tuple[int, ...]


COMPARED: tuple[Policy, ...] = (Greedy(), LookAhead(1), Optimal())
"""The paper's score, the exact worth of one document, and of the best plan."""


def compared(explored: Explored, settings: Settings) -> Compared:
    """What each rule compares with the cost along a list of a search, and where it stops."""
    path = cast(DecisivePath, explored.planned(settings))
    worth = tuple(each for rule in COMPARED if (each := rule.worth(path)) is not None)
    depth = tuple(int(rule.depths(path, [settings.cost])[0]) for rule in COMPARED)
    return Compared(explored, settings, path, COMPARED, worth, depth)


def compared_figure(found: Compared, *, dark: bool = False) -> Figure:
    """What three rules compare with the cost along a list, and where each stops."""
    cost = found.settings.cost
    last = _drawn_to(found)
    # A log axis has no place for zero.
    shown = [np.where(worth[:last] > 0, worth[:last], np.nan) for worth in found.worth]
    high = max(float(np.nanmax(each)) for each in shown if np.isfinite(each).any())
    names = ("the paper’s score (Greedy)", "one document, exact (dashed)", "best plan (Optimal)")
    colours = (style("greedy")["color"], VALUE, style("optimal")["color"])
    data = [line([0, last], [cost, cost], COST, dash="dash", hoverinfo="skip")]
    floor = math.log10(cost) - 1.2
    notes = [label(last, math.log10(cost), "cost of one document", ink(COST, dark))]
    hover = "%{x}: %{y:.3~g}<extra></extra>"
    each = list(enumerate(zip(shown, colours, names, found.depth, strict=True)))
    # Where two lines lie on each other, the dashed one has to be above.
    for row, (values, colour, name, depth) in (each[2], each[1], each[0]):
        y = [None if math.isnan(each) else each for each in values.tolist()]
        how = {"width": (3, 2, 5)[row], "dash": "dash" if row == 1 else "solid", "hovertemplate": hover}
        data.append(line(range(last), y, colour, **how))
        data.append(dot(depth, cost, colour, ("square", "diamond", "circle")[row]))
        said = f"{'■◆●'[row]} {name}: stops at {depth}"
        notes.append(named(1, 1 - 0.085 * row, said, colour, dark))
    xaxis = axis("documents read without a hit", dark, range=[-0.5, last])
    yaxis = axis(
        "worth of the next document, log scale",
        dark,
        type="log",
        dtick=1,
        exponentformat="power",
        range=[floor, math.log10(high) + 0.75],
    )
    return drawn(data, 350, found.explored.simulated, dark, notes, xaxis=xaxis, yaxis=yaxis)


def _drawn_to(found: Compared) -> int:
    """Depth to which :func:`compared_figure` draws."""
    return min(len(found.path), max(20, int(1.5 * max(found.depth))))


def compared_sentence(found: Compared) -> str:
    """Where each stops, and what lies between."""
    greedy, single, optimal = found.depth
    path, cost = found.path, found.settings.cost
    gain = float(path.plan_value(cost)[optimal] - path.plan_value(cost)[greedy])
    said = (
        f"If nothing turns up, the paper’s score falls to the cost after {count_of(greedy)}; the best plan goes to "
        f"{count_of(optimal)}."
    )
    if single == 0 < optimal:
        said += " The exact worth of one document stops before the first: looking one step ahead is a trap."
    elif single != optimal:
        said += f" Looking one step ahead stops at {single}."
    return (
        f"{said}{_hidden_lines(found)} Going with Optimal instead of Greedy is expected to bring {number(gain)} more, if the "
        "chances are right."
    )


def _hidden_lines(found: Compared) -> str:
    """Where one document's exact worth cannot be seen: a log axis has no 0, and lines may lie on each other."""
    _, single, best = (worth[: _drawn_to(found)] for worth in found.worth)
    zero, same = single <= 0, (single > 0) & np.isclose(single, best, rtol=0.02)
    told = []
    if zero.all():
        told.append(
            "The line of one document is not seen: it alone is worth 0 all along, and a log scale has no 0."
        )
    elif zero[0]:
        told.append(
            f"The line of one document begins after {count_of(int(np.argmin(zero)))}: before, it is 0, and a log scale has no 0."
        )
    if same.sum() > len(same) / 4:
        told.append(
            "Where the lines of one document and of the best plan lie on each other, the dashed one is above."
        )
    return "".join(f" {each}" for each in told)


def compared_rows(found: Compared) -> Rows:
    """The figure's numbers, a row a depth."""
    names = ("score", "evsi", "worth_of_best_plan")
    return rows_of(
        depth=np.arange(len(found.path)),
        belief=found.path.b[:-1],
        rho=found.path.rho,
        **dict(zip(names, found.worth, strict=True)),
    )
