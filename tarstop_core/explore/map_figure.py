"""Maps of q* and cost, and the difference of two."""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tarstop_core.explore.lists import Explored
from tarstop_core.explore.maps import Grid, Map, MeanMap, Measure, World
from tarstop_core.explore.plans import Plans, outcomes, plans
from tarstop_core.policies import Policy
from tarstop_core.presentation import palette
from tarstop_core.presentation.figures import Figure, axis, drawn, plain, points, text_colour, with_unit
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.presentation.words import say
from tarstop_core.screening.settings import Settings
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import Flags, Floats
from tarstop_core.value.stakes import Stakes

MEASURES: dict[Measure, str] = {
    "depth": "Stopping depth",
    "net_utility": "Net utility",
    "decision": "Decision",
    "regret": "Regret",
    "agreement": "Same decision as the truth",
}
MORE_OF: dict[Measure, str] = {
    "depth": "reads more",
    "net_utility": "brings more",
    "regret": "gives up more",
    "agreement": "is right more often",
}
_said = partial(say, "tarstop_core.explore.words")


def map_figure(
    shown: Grid,
    measure: Measure,
    *,
    against: Grid | None = None,
    here: tuple[float, float] | None = None,
    cell: tuple[int, int] | None = None,
    simulated: bool = False,
    dark: bool = False,
) -> Figure:
    """One measure over q* and cost, or the difference between two rules; of a mean map, the decision cannot be shown.

    `against` is subtracted; `here` are q* and c/K as they are, `cell` row and column of what is looked into. Every
    cell has an invisible point above it, in the order of the cells, that can be clicked.
    """
    z = shown.values(measure) if against is None else shown.values(measure) - against.values(measure)
    q_stars = list(shown.q_stars)
    x = [math.log10(cost) for cost in shown.costs]
    colours, low, high, bar = _colours(z, measure, against is not None, shown.stakes.payoffs.unit, dark)
    heat: dict[str, Any] = {
        "type": "heatmap",
        "x": x,
        "y": q_stars,
        "z": _scaled(z, measure).tolist(),
        "zmin": low,
        "zmax": high,
        "colorscale": colours,
        "hoverinfo": "skip",
        "xgap": 1,
        "ygap": 1,
        "showscale": bar is not None,
    }
    if bar is not None:
        heat["colorbar"] = bar
    else:
        assert isinstance(shown, Map) and (against is None or isinstance(against, Map))
        heat |= {"text": _marks(shown, against), "texttemplate": "%{text}", "textfont": {"size": 11}}
    cells: dict[str, Any] = {
        "type": "scatter",
        "mode": "markers",
        "x": [each for _ in q_stars for each in x],
        "y": [q_star for q_star in q_stars for _ in x],
        "marker": {"opacity": 0, "size": 14, "symbol": "square"},
        "selected": {"marker": {"opacity": 0}},
        "unselected": {"marker": {"opacity": 0}},
        "text": _hover(shown, measure, against),
        "hovertemplate": "%{text}<extra></extra>",
    }
    data = [heat, cells]
    outline = palette.OUTLINE_ON_DARK if dark else palette.OUTLINE
    if cell is not None:
        data.append(_outlined(x[cell[1]], q_stars[cell[0]], "square-open", 16, outline))
    if here is not None and here[1] > 0:
        at = math.log10(here[1] * shown.stakes.payoffs.K)
        if x[0] <= at <= x[-1]:
            data.append(_outlined(at, here[0], "x-thin-open", 11, outline))
    unit = shown.stakes.payoffs.unit
    decades = [each for each in x if abs(each - x[0] - round(each - x[0])) < 0.02]
    step = (x[-1] - x[0]) / (len(x) - 1) / 2
    half = (q_stars[1] - q_stars[0]) / 2
    ticks = {"tickvals": decades, "ticktext": [number(10**each) for each in decades]}
    title = f"{with_unit('cost of a document', unit)}, log scale"
    xaxis = axis(title, dark, **ticks, range=[x[0] - step, x[-1] + step], showgrid=False)
    ticks = {"tickformat": ".1f", "dtick": 0.2 if len(q_stars) < len(x) // 2 else 0.1}
    yaxis = axis("threshold q*", dark, range=[q_stars[0] - half, q_stars[-1] + half], showgrid=False, **ticks)
    more: Figure = {"clickmode": "event+select", "hovermode": "closest", "xaxis": xaxis, "yaxis": yaxis}
    return drawn(data, 430, simulated, dark, dragmode=False, **more)


def _outlined(x: float, y: float, symbol: str, size: int, colour: str) -> dict[str, Any]:
    marker = {"symbol": symbol, "line": {"color": colour, "width": 2.5}}
    return points([x], [y], colour, size, marker=marker, hoverinfo="skip")


def _scaled(z: Floats, measure: Measure) -> Floats:
    """Depths on a log scale that knows zero and signs, the others as they are."""
    return np.asarray(np.sign(z) * np.log10(1 + np.abs(z)) if measure == "depth" else z)


def _colours(
    z: Floats, measure: Measure, difference: bool, unit: str, dark: bool
) -> tuple[Any, float, float, dict[str, Any] | None]:
    """Colour scale, its ends, and the bar beside it (none for the two actions)."""
    neutral = palette.NEUTRAL_ON_DARK if dark else palette.NEUTRAL
    if measure == "decision":
        if difference:
            return [[0, palette.PLUS], [0.5, neutral], [1, palette.MINUS]], -1.0, 1.0, None
        return [[0, palette.MINUS], [1, palette.PLUS]], 0.0, 1.0, None
    scaled = _scaled(z, measure)
    low, high = float(scaled.min()), float(scaled.max())
    if difference:
        most = max(abs(low), abs(high)) or 1.0
        low, high = -most, most
        colours: Any = [[0, palette.LESS], [0.5, neutral], [1, palette.MORE]]
    else:
        colours = "Cividis"
        high = high if high > low else low + 1.0
    title = MEASURES[measure].lower() if not difference else f"difference in {MEASURES[measure].lower()}"
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
        decades = [0, *(10**power for power in range(7))]
        ticks = [v for sign in ((-1, 1) if difference else (1,)) for v in (sign * each for each in decades)]
        ticks = sorted({v for v in ticks if low <= math.copysign(math.log10(1 + abs(v)), v) <= high})
        bar |= {
            "tickvals": [math.copysign(math.log10(1 + abs(v)), v) for v in ticks],
            "ticktext": [f"{v:,}".replace("-", "−") for v in ticks],
        }
    return colours, low, high, bar


def _wrong(shown: Map) -> Flags:
    assert shown.omega is not None
    return np.asarray(shown.plus != shown.omega[:, None])


def _marks(shown: Map, against: Map | None) -> list[list[str]]:
    """A sign in each cell of the two actions, so that colour is not alone: + and −, a wrong one with a cross."""
    if against is not None:
        return [["" if same else "≠" for same in row] for row in (shown.plus == against.plus).tolist()]
    wrong = np.zeros_like(shown.plus) if shown.omega is None else _wrong(shown)
    pairs = zip(shown.plus.tolist(), wrong.tolist(), strict=True)
    return [["✗" if bad else "+" if up else "−" for up, bad in zip(*row, strict=True)] for row in pairs]


def _hover(shown: Grid, measure: Measure, against: Grid | None) -> list[str]:
    unit = shown.stakes.payoffs.unit
    measured = [(each, each.values(measure)) for each in (shown, against) if each is not None]
    texts = []
    for i, j in np.ndindex(len(shown.q_stars), len(shown.costs)):
        said = [f"q* {shown.q_stars[i]:g}, cost {amount(float(shown.costs[j]), unit)}"]
        said += [f"{of.policy}: {_value(float(each[i, j]), measure, unit)}" for of, each in measured]
        texts.append("<br>".join(plain(each, 200) for each in said))
    return texts


def _value(value: float, measure: Measure, unit: str) -> str:
    if measure == "depth":
        return count_of(value)
    if measure == "decision":
        return "a⁺" if value else "a⁻"
    if measure == "agreement":
        return f"{percent(value)} of the lists"
    return amount(value, unit)


def _at(shown: Grid, flat: int | np.intp) -> str:
    """q* and cost of a cell, by its place among all of them."""
    i, j = divmod(int(flat), len(shown.costs))
    cost, unit = float(shown.costs[j]), shown.stakes.payoffs.unit
    return _said("at", q_star=shown.q_stars[i], cost=cost, unit=unit)


def _ends(shown: Grid, measure: Measure) -> dict[str, Any]:
    """What both sentences on a map say of it: its rule, the least and the most, and where these are."""
    values, unit = shown.values(measure), shown.stakes.payoffs.unit
    found = {"rule": shown.policy, "what": MEASURES[measure].lower()}
    for name, at in (("low", values.argmin()), ("high", values.argmax())):
        found |= {name: _value(float(values.flat[at]), measure, unit), f"at_{name}": _at(shown, at)}
    return found


def mean_sentence(shown: MeanMap, measure: Measure, against: MeanMap | None = None) -> str:
    """What the mean over a collection shows, computed from its cells."""
    lists, values = len(shown.maps), shown.values(measure)
    if against is not None:
        difference = _difference_sentence(shown, measure, against)
        return _said("mean_difference", lists=lists, difference=difference)
    ends = _ends(shown, measure)
    if ends["low"] == ends["high"]:
        return _said("mean_same", lists=lists, **ends)
    key = "mean_agreement" if measure == "agreement" else "mean"
    return _said(key, lists=lists, least=float(values.min()), most=float(values.max()), **ends)


def map_sentence(shown: Map, measure: Measure, against: Map | None = None) -> str:
    """What the map shows, computed from its cells."""
    if against is not None:
        return _difference_sentence(shown, measure, against)
    if shown.settled and measure in ("decision", "depth"):
        # No rule's depth then depends on what is at stake.
        return _said("settled_map", rule=shown.policy, depth=int(shown.depth[0, 0]))
    if measure == "decision":
        wrong = None if shown.omega is None else float(_wrong(shown).mean())
        return _said("decision_map", rule=shown.policy, up=float(shown.plus.mean()), wrong=wrong)
    if measure == "agreement":
        return _said("agreement_map", rule=shown.policy, right=float(shown.values(measure).mean()))
    values, ends = shown.values(measure), _ends(shown, measure)
    if values.min() == values.max():
        return _said("same_map", **ends)
    nothing = shown.start if measure == "depth" else 1e-9 * shown.stakes.payoffs.K
    if measure == "depth":
        ends["low"] = float(values.min())
    share = float((values <= nothing).mean())
    return _said(f"{measure}_map", **ends, planned=shown.world == "planned", share=share)


def _difference_sentence(shown: Grid, measure: Measure, against: Grid) -> str:
    names = {"first": str(shown.policy), "second": str(against.policy)}
    difference = shown.values(measure) - against.values(measure)
    small = 1e-9 * shown.stakes.payoffs.K if measure in ("net_utility", "regret") else 0.5
    same = float((np.abs(difference) <= small).mean())
    if float(np.abs(difference).max()) <= small:
        return _said("difference_of_none", **names)
    if measure == "decision":
        return _said("difference_of_decisions", **names, same=same)
    more, less = (float((sign * difference > small).mean()) for sign in (1, -1))
    shares = {"more": more, "less": less, "same": same}
    most = int(np.abs(difference).argmax())
    size = _value(float(abs(difference.flat[most])), measure, shown.stakes.payoffs.unit)
    who = names["first" if difference.flat[most] > 0 else "second"]
    return _said(
        "difference", **names, **shares, what=MORE_OF[measure], size=size, who=who, at=_at(shown, most)
    )


@dataclass(frozen=True, eq=False)
class Cell:
    """One cell of a map, looked into."""

    path: Path  # with the cell's payoffs
    policy: Policy
    world: World
    cost: float  # in the payoffs' unit
    plan: Plans  # of this cost alone
    start: int  # documents read
    omega: bool | None = None  # the truth, where it is played

    @property
    def depth(self) -> int:
        return int(self.plan.depth[0])


def cell_of(explored: Explored, settings: Settings, policy: Policy, world: World) -> Cell:
    """What the rule comes to at the settings' own payoffs and cost."""
    cost = settings.cost
    if world == "planned":
        path, start = explored.planned(settings), explored.start
        return Cell(path, policy, world, cost, plans(path, policy, cost, start), start)
    path, omega = explored.played(settings), explored.omega(settings)
    return Cell(path, policy, world, cost, outcomes(path, policy, cost, omega), 0, omega)


def check_sentence(stakes: Stakes, settings: Settings) -> str:
    """What q* and cost say back to somebody who answered plain questions."""
    names = {"plus": settings.plus, "minus": settings.minus}
    documents = stakes.documents if stakes.cost else 0.0
    return _said("check", **names, payoffs=stakes.payoffs, cost=stakes.cost, documents=documents)
