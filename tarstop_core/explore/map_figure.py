"""Figures and sentences of maps over q* and cost, and of the difference between two maps."""

import math
from typing import Any

import numpy as np

from tarstop_core.explore import message
from tarstop_core.explore.maps import Map, Measure
from tarstop_core.presentation import palette
from tarstop_core.presentation.figures import Chart, Figure, plain, text_colour, with_unit
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.value.payoffs import MINUS, PLUS, Flags, Floats

MEASURES: dict[Measure, str] = {
    "depth": "Stopping depth",
    "net_utility": "Net utility",
    "decision": "Decision",
    "regret": "Regret",
    "agreement": "Same decision as the truth",
}


def map_figure(
    grid: Map,
    measure: Measure,
    *,
    against: Map | None = None,
    here: tuple[float, float] | None = None,
    cell: tuple[int, int] | None = None,
    simulated: bool = False,
    dark: bool = False,
) -> Figure:
    """Draw one measure over q* and cost, or the difference between two rules.

    Each cell has a point in its middle that can be clicked and is not drawn, in the order of the cells.

    Parameters
    ----------
    grid
        The map; a mean map has no decision.
    measure
        The measure.
    against
        The map to subtract.
    here
        The present q* and c/K, which are marked with a cross.
    cell
        Row and column of the selected cell.
    simulated, dark
        Whether the lists are simulated, and the page dark.

    Returns
    -------
    Figure
        For plotly.
    """
    payoffs = grid.stakes.payoffs
    z = grid.values(measure) if against is None else grid.values(measure) - against.values(measure)
    q_stars = list(grid.q_stars)
    x = [math.log10(cost) for cost in grid.costs]
    heat: dict[str, Any] = {
        "type": "heatmap",
        "x": x,
        "y": q_stars,
        "z": _scaled(z, measure).tolist(),
        "hoverinfo": "skip",
        "xgap": 1,
        "ygap": 1,
    }
    if measure == "decision":
        heat |= _two_colours(against is not None, dark)
        heat |= {"text": _marks(grid, against), "texttemplate": "%{text}", "textfont": {"size": 11}}
    else:
        heat |= _scale(z, measure, against is not None, payoffs.unit, dark)
    chart = Chart(430, dark=dark, simulated=simulated)
    chart.traces.append(heat)
    invisible = {"marker": {"opacity": 0}}
    # A mark need not be drawn to be clicked: a browser would style hundreds anew with every press.
    chart.traces.append(
        {
            "type": "scatter",
            "mode": "markers",
            "x": [column for _ in q_stars for column in x],
            "y": [q_star for q_star in q_stars for _ in x],
            "marker": {"opacity": 0, "maxdisplayed": 1},
            "selected": invisible,
            "unselected": invisible,
            "text": _hover(grid, measure, against),
            "hovertemplate": "%{text}<extra></extra>",
        }
    )
    # Cells may be dark or light, so each sign is drawn twice, with a wider rim of the other kind below.
    outlines = palette.OUTLINE, palette.OUTLINE_ON_DARK
    for outline, width in zip(outlines if dark else outlines[::-1], (5.0, 2.5), strict=True):
        line = {"color": outline, "width": width}
        if cell is not None:
            marker = {"symbol": "square-open", "line": line}
            chart.points([x[cell[1]]], [q_stars[cell[0]]], outline, 16, marker=marker, hoverinfo="skip")
        if here is not None and here[1] > 0:
            at = math.log10(here[1] * payoffs.K)
            if x[0] <= at <= x[-1]:
                marker = {"symbol": "x-thin-open", "line": line}
                chart.points([at], [here[0]], outline, 11, marker=marker, hoverinfo="skip")
    decades = [column for column in x if abs(column - x[0] - round(column - x[0])) < 0.02]
    half_column = (x[-1] - x[0]) / (len(x) - 1) / 2
    half_row = (q_stars[1] - q_stars[0]) / 2
    ticks = {"tickvals": decades, "ticktext": [number(10**decade) for decade in decades]}
    title = f"{with_unit('cost of a document', payoffs.unit)}, log scale"
    chart.axis("xaxis", title, **ticks, range=[x[0] - half_column, x[-1] + half_column], showgrid=False)
    ticks = {"tickformat": ".0%", "dtick": 0.2 if len(q_stars) < len(x) // 2 else 0.1}
    ends = [q_stars[0] - half_row, q_stars[-1] + half_row]
    chart.axis("yaxis", "how sure before you act", range=ends, showgrid=False, **ticks)
    return chart.figure(dragmode=False, clickmode="event+select", hovermode="closest", hoverdistance=40)


def _scaled(z: Floats, measure: Measure) -> Floats:
    """Return depths on a signed log scale that includes 0, other measures unchanged."""
    return np.asarray(np.sign(z) * np.log10(1 + np.abs(z)) if measure == "depth" else z)


def _two_colours(difference: bool, dark: bool) -> dict[str, Any]:
    """Return colours for a⁻ and a⁺, or for the cells where two rules differ, without a colour bar."""
    neutral = palette.NEUTRAL_ON_DARK if dark else palette.NEUTRAL
    if difference:
        colours = [[0, palette.PLUS], [0.5, neutral], [1, palette.MINUS]]
        return {"colorscale": colours, "zmin": -1.0, "zmax": 1.0, "showscale": False}
    colours = [[0, palette.MINUS], [1, palette.PLUS]]
    return {"colorscale": colours, "zmin": 0.0, "zmax": 1.0, "showscale": False}


def _scale(z: Floats, measure: Measure, difference: bool, unit: str, dark: bool) -> dict[str, Any]:
    """Return the colour scale of numbers, its ends, and its colour bar."""
    scaled = _scaled(z, measure)
    low, high = float(scaled.min()), float(scaled.max())
    title = MEASURES[measure].lower()
    if difference:
        title = f"difference in {title}"
        most = max(abs(low), abs(high)) or 1.0
        low, high = -most, most
        neutral = palette.NEUTRAL_ON_DARK if dark else palette.NEUTRAL
        colours: Any = [[0, palette.LESS], [0.5, neutral], [1, palette.MORE]]
    else:
        colours = "Cividis"
        high = high if high > low else low + 1.0
    unit = {"depth": "documents", "agreement": ""}.get(measure, unit)
    text = text_colour(dark)
    bar: dict[str, Any] = {
        "title": {"text": with_unit(title, unit), "side": "right", "font": {"size": 12, "color": text}},
        "thickness": 12,
        "outlinewidth": 0,
        "tickfont": {"color": text, "size": 11},
        "exponentformat": "none",
    }
    if measure == "agreement":
        bar["tickformat"] = ".0%"
    if measure == "depth":
        bar |= _depth_ticks(low, high, difference)
    return {"colorscale": colours, "zmin": low, "zmax": high, "showscale": True, "colorbar": bar}


def _depth_ticks(low: float, high: float, difference: bool) -> dict[str, Any]:
    """Return ticks at powers of ten between two ends of the signed log scale."""

    def scaled(depth: int) -> float:
        return math.copysign(math.log10(1 + abs(depth)), depth)

    signs, ticks = (-1, 1) if difference else (1,), []
    for steps in ((1,), (1, 2, 5)):  # More ticks if there are too few decades
        depths = [0, *(step * 10**power for power in range(7) for step in steps)]
        ticks = sorted({sign * depth for sign in signs for depth in depths})
        ticks = [depth for depth in ticks if low <= scaled(depth) <= high]
        if len(ticks) > 2:
            break
    texts = [f"{depth:,}".replace("-", "−") for depth in ticks]
    return {"tickvals": [scaled(depth) for depth in ticks], "ticktext": texts}


def _wrong(grid: Map) -> Flags:
    return np.asarray(grid.values("agreement") == 0)


def _marks(grid: Map, against: Map | None) -> list[list[str]]:
    """Return a sign for each cell, so that it does not rely on colour: + for a⁺, − for a⁻, ✗ for a wrong action."""
    if against is not None:
        return np.where(grid.option == against.option, "", "≠").tolist()  # type: ignore[no-any-return]
    marks = np.where(grid.option > PLUS, "○", np.where(grid.option == PLUS, "+", "−"))
    if grid.omega is not None:
        marks = np.where(_wrong(grid), "✗", marks)
    return marks.tolist()  # type: ignore[no-any-return]


def _hover(grid: Map, measure: Measure, against: Map | None) -> list[str]:
    """Texts of the cells on hover, row by row."""
    unit = grid.stakes.payoffs.unit
    measured = [(one.policy, one.values(measure)) for one in (grid, against) if one is not None]
    # Formatted once for all cells.
    sure = [percent(float(q_star)) for q_star in grid.q_stars]
    costs = [amount(float(cost), unit) for cost in grid.costs]
    texts = []
    for i, j in np.ndindex(len(sure), len(costs)):
        lines = [f"act above {sure[i]}, cost {costs[j]}"]
        lines += [f"{policy}: {_value(float(values[i, j]), measure, grid)}" for policy, values in measured]
        texts.append("<br>".join(plain(line, 200) for line in lines))
    return texts


def _value(value: float, measure: Measure, grid: Map) -> str:
    if measure == "depth":
        return count_of(value)
    if measure == "decision":
        return grid.actions[round(value)]
    if measure == "agreement":
        return f"{percent(value)} of the lists"
    return amount(value, grid.stakes.payoffs.unit)


def _at(grid: Map, flat: int | np.intp) -> str:
    """Say q* and cost of a cell, by its index in the flattened map."""
    i, j = divmod(int(flat), len(grid.costs))
    cost, unit = float(grid.costs[j]), grid.stakes.payoffs.unit
    return message("place", q_star=grid.q_stars[i], cost=cost, unit=unit)


def _ends(grid: Map, measure: Measure) -> dict[str, str]:
    """Return the smallest and the largest value on a map, with their cells."""
    values = grid.values(measure)
    ends = dict[str, str]()
    for name, at in (("low", values.argmin()), ("high", values.argmax())):
        ends |= {name: _value(float(values.flat[at]), measure, grid), f"at_{name}": _at(grid, at)}
    return ends


def mean_sentence(grid: Map, measure: Measure, against: Map | None = None) -> str:
    """Say what a mean map over a collection shows, or its difference from another.

    Parameters
    ----------
    grid, measure
        The map and the measure.
    against
        The map to subtract.

    Returns
    -------
    str
    """
    lists, values = len(grid.lists), grid.values(measure)
    if against is not None:
        difference = _difference_sentence(grid, measure, against)
        return message("mean_difference", lists=lists, difference=difference)
    ends = _ends(grid, measure)
    rule, high, at_high = grid.policy, ends["high"], ends["at_high"]
    if ends["low"] == high:
        return message("mean_same", lists=lists, rule=rule, what=MEASURES[measure].lower(), high=high)
    if measure == "agreement":
        least, most = float(values.min()), float(values.max())
        return message("mean_agreement", lists=lists, rule=rule, least=least, most=most, at_high=at_high)
    return message("mean", lists=lists, rule=rule, what=MEASURES[measure].lower(), **ends)


def map_sentence(grid: Map, measure: Measure, against: Map | None = None) -> str:
    """Say what a map shows, or its difference from another.

    Parameters
    ----------
    grid, measure
        The map and the measure.
    against
        The map to subtract.

    Returns
    -------
    str
    """
    if against is not None:
        return _difference_sentence(grid, measure, against)
    rule = grid.policy
    if grid.settled and measure in ("decision", "depth"):
        # After a deciding hit no depth depends on the stakes.
        return message(
            "settled_map", rule=rule, depth=int(grid.values("depth")[0, 0]), plus=grid.actions[PLUS]
        )
    if measure == "decision":
        wrong = None if grid.omega is None else float(_wrong(grid).mean())
        shares = [float((grid.option == option).mean()) for option in range(len(grid.actions))]
        names = {"plus": grid.actions[PLUS], "minus": grid.actions[MINUS]}
        others = list(zip(grid.actions, shares, strict=True))[PLUS + 1 :]
        return message("decision_map", rule=rule, up=shares[PLUS], wrong=wrong, others=others, **names)
    if measure == "agreement":
        return message("agreement_map", rule=rule, right=float(grid.values(measure).mean()))
    values, ends = grid.values(measure), _ends(grid, measure)
    high, at_high, planned = ends["high"], ends["at_high"], grid.world == "planned"
    if values.min() == values.max():
        return message("same_map", rule=rule, what=MEASURES[measure].lower(), high=high)
    if measure == "net_utility":
        return message("net_utility_map", rule=rule, planned=planned, **ends)
    nothing = grid.start if measure == "depth" else 1e-9 * grid.stakes.payoffs.K
    share = float((values <= nothing).mean())
    if measure == "regret":
        return message("regret_map", rule=rule, high=high, at_high=at_high, share=share)
    low = float(values.min())
    return message("depth_map", rule=rule, planned=planned, low=low, high=high, at_high=at_high, share=share)


def _difference_sentence(grid: Map, measure: Measure, against: Map) -> str:
    first, second = grid.policy, against.policy
    difference = grid.values(measure) - against.values(measure)
    small = 1e-9 * grid.stakes.payoffs.K if measure in ("net_utility", "regret") else 0.5
    same = float((np.abs(difference) <= small).mean())
    if float(np.abs(difference).max()) <= small:
        return message("difference_of_none", first=first, second=second)
    if measure == "decision":
        return message("difference_of_decisions", first=first, second=second, same=same)
    most = int(np.abs(difference).argmax())
    return message(
        "difference",
        first=first,
        second=second,
        measure=measure,
        more=float((difference > small).mean()),
        less=float((difference < -small).mean()),
        same=same,
        size=_value(float(abs(difference.flat[most])), measure, grid),
        larger=first if difference.flat[most] > 0 else second,
        at=_at(grid, most),
    )
