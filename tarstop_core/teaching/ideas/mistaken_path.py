"""One list with chances as they are and scaled."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import cast

import numpy as np

from tarstop_core.explore.lists import Explored
from tarstop_core.policies import Policy
from tarstop_core.presentation.figures import Figure, Rows, axis, drawn, label, line, rows_of, text_colour
from tarstop_core.presentation.numbers import count_of, percent
from tarstop_core.presentation.palette import BELIEF, STUDY, THRESHOLD
from tarstop_core.screening.settings import Settings
from tarstop_core.teaching.ideas.shared import MARKS, dot, named
from tarstop_core.value.decisive import DecisivePath


def scaled(explored: Explored, settings: Settings, factor: float) -> DecisivePath:
    """The path of a search with every chance times a factor, at most 1."""
    return _scaled(explored, settings.b_0, factor).with_payoffs(settings.payoffs)


@lru_cache(maxsize=1024)
def _scaled(explored: Explored, b_0: float, factor: float) -> DecisivePath:
    """What does not depend on payoffs, computed once."""
    return cast(DecisivePath, explored.planned(replace(explored.settings, b_0=b_0), factor))


def factor_name(factor: float) -> str:
    """A factor in figures.

    Examples
    --------
    >>> [factor_name(each) for each in (0.25, 0.5 ** 0.5, 1.0, 4.0)]
    ['× 1/4', '× 0.71', '× 1', '× 4']
    """
    inverse = round(1 / factor)
    if factor < 1 and abs(1 / factor - inverse) < 1e-9:
        return f"× 1/{inverse}"
    return f"× {factor:.3g}" if factor >= 1 else f"× {factor:.2f}"


def mistaken_path_figure(
    right: DecisivePath,
    believed: DecisivePath,
    policy: Policy,
    cost: float,
    factor: float,
    *,
    dark: bool = False,
) -> Figure:
    """Belief along one list with the chances as they are and scaled, and where the rule then stops."""
    stops = [int(policy.depths(path, [cost])[0]) for path in (right, believed)]
    last = min(len(right), max(30, int(1.4 * max(stops))))
    x = list(range(last + 1))
    hover = "%{x}: %{y:.2f}<extra></extra>"
    data, notes = [], []
    both = (
        (right, stops[0], STUDY, "dash", "chances as they are"),
        (believed, stops[1], BELIEF, "solid", f"chances {factor_name(factor)}"),
    )
    for row, (path, stop, colour, dash, words) in enumerate(both if factor != 1 else both[1:]):
        data.append(line(x, path.b[: last + 1].tolist(), colour, width=3, dash=dash, hovertemplate=hover))
        data.append(dot(stop, float(path.b[stop]), colour))
        said = f"{MARKS[dash]} {words}: stops at {stop}"
        notes.append(named(1, 0.98 - 0.1 * row, said, colour, dark))
    q_star = right.payoffs.q_star
    data.append(line([0, last], [q_star, q_star], THRESHOLD, dash="dot", width=1.5, hoverinfo="skip"))
    notes.append(label(last, q_star, "q*", text_colour(dark)))
    xaxis = axis("documents read without a hit", dark, range=[-0.5, last])
    yaxis = axis("chance that it exists", dark, range=[-0.03, 1.05], tickformat=".1f")
    return drawn(data, 300, True, dark, notes, xaxis=xaxis, yaxis=yaxis)


def mistaken_path_sentence(
    right: DecisivePath, believed: DecisivePath, policy: Policy, cost: float, factor: float
) -> str:
    """What the rule believes on one list, and what that makes it do."""
    stop, stops = (int(policy.depths(path, [cost])[0]) for path in (right, believed))
    if factor == 1:
        return (
            f"With the chances as they are {policy} stops after {count_of(stop)} without a hit, at a chance of "
            f"{percent(right.belief_at(stop))}; move the factor."
        )
    verb = "falls faster" if factor > 1 else "falls more slowly"
    compare = "as deep" if stops == stop else "less deep" if stops < stop else "deeper"
    return (
        f"With all chances {factor_name(factor)} the belief {verb} with every miss: {policy} stops after {count_of(stops)} "
        f"instead of {stop:,}, {compare}, and takes the chance for {percent(believed.belief_at(stops))} where it is "
        f"{percent(right.belief_at(stops))}."
    )


def mistaken_path_rows(right: DecisivePath, believed: DecisivePath) -> Rows:
    """The figure's numbers, a row a depth."""
    return rows_of(depth=np.arange(len(right.b)), belief=right.b, belief_with_scaled_chances=believed.b)
