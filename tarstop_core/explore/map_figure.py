"""Maps of q* and cost, and the difference of two."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tarstop_core.explore import message
from tarstop_core.explore.lists import Explored
from tarstop_core.explore.maps import Grid, Map, MeanMap, Measure, World
from tarstop_core.explore.plans import Plans, outcomes, plans, settled
from tarstop_core.policies import Policy
from tarstop_core.presentation import palette
from tarstop_core.presentation.figures import Figure, axis, drawn, plain, points, text_colour, with_unit
from tarstop_core.presentation.numbers import amount, count_of, number, percent
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
    return message("place", q_star=shown.q_stars[i], cost=cost, unit=unit)


def _ends(shown: Grid, measure: Measure) -> dict[str, str]:
    """Return the least and the most on a map, and the cells where these are."""
    values, unit = shown.values(measure), shown.stakes.payoffs.unit
    found = dict[str, str]()
    for name, at in (("low", values.argmin()), ("high", values.argmax())):
        found |= {name: _value(float(values.flat[at]), measure, unit), f"at_{name}": _at(shown, at)}
    return found


def mean_sentence(shown: MeanMap, measure: Measure, against: MeanMap | None = None) -> str:
    """What the mean over a collection shows, computed from its cells."""
    lists, values = len(shown.maps), shown.values(measure)
    if against is not None:
        difference = _difference_sentence(shown, measure, against)
        return message("mean_difference", lists=lists, difference=difference)
    ends = _ends(shown, measure)
    rule, high, at_high = shown.policy, ends["high"], ends["at_high"]
    if ends["low"] == high:
        return message("mean_same", lists=lists, rule=rule, what=MEASURES[measure].lower(), high=high)
    if measure == "agreement":
        least, most = float(values.min()), float(values.max())
        return message("mean_agreement", lists=lists, rule=rule, least=least, most=most, at_high=at_high)
    return message("mean", lists=lists, rule=rule, what=MEASURES[measure].lower(), **ends)


def map_sentence(shown: Map, measure: Measure, against: Map | None = None) -> str:
    """What the map shows, computed from its cells."""
    if against is not None:
        return _difference_sentence(shown, measure, against)
    rule = shown.policy
    if shown.settled and measure in ("decision", "depth"):
        # No rule's depth then depends on what is at stake.
        return message("settled_map", rule=rule, depth=int(shown.depth[0, 0]))
    if measure == "decision":
        wrong = None if shown.omega is None else float(_wrong(shown).mean())
        return message("decision_map", rule=rule, up=float(shown.plus.mean()), wrong=wrong)
    if measure == "agreement":
        return message("agreement_map", rule=rule, right=float(shown.values(measure).mean()))
    values, ends = shown.values(measure), _ends(shown, measure)
    high, at_high, planned = ends["high"], ends["at_high"], shown.world == "planned"
    if values.min() == values.max():
        return message("same_map", rule=rule, what=MEASURES[measure].lower(), high=high)
    if measure == "net_utility":
        return message("net_utility_map", rule=rule, planned=planned, **ends)
    nothing = shown.start if measure == "depth" else 1e-9 * shown.stakes.payoffs.K
    share = float((values <= nothing).mean())
    if measure == "regret":
        return message("regret_map", rule=rule, high=high, at_high=at_high, share=share)
    low = float(values.min())
    return message("depth_map", rule=rule, planned=planned, low=low, high=high, at_high=at_high, share=share)


def _difference_sentence(shown: Grid, measure: Measure, against: Grid) -> str:
    first, second = shown.policy, against.policy
    difference = shown.values(measure) - against.values(measure)
    small = 1e-9 * shown.stakes.payoffs.K if measure in ("net_utility", "regret") else 0.5
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
        size=_value(float(abs(difference.flat[most])), measure, shown.stakes.payoffs.unit),
        larger=first if difference.flat[most] > 0 else second,
        at=_at(shown, most),
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

    @property
    def plus(self) -> bool:
        """Whether the action there is a⁺."""
        return bool(self.plan.plus[0])

    @property
    def net_utility(self) -> float:
        """Net utility, in :attr:`unit`."""
        return float(self.plan.net_utility[0])

    @property
    def q_star(self) -> float:
        return self.path.payoffs.q_star

    @property
    def unit(self) -> str:
        return self.path.payoffs.unit

    @property
    def belief(self) -> float:
        """Belief at the depth where the rule stops."""
        return self.path.belief_at(self.depth)

    @property
    def settled(self) -> bool:
        """Whether a hit that was read has decided the question; where labels are known, a plan is not asked."""
        return self.world == "planned" and settled(self.path, self.start)

    @property
    def right(self) -> bool:
        """Whether the action is the one that the truth asks for."""
        return self.plus == self.omega


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
    return message("check", stakes=stakes, plus=settings.plus, minus=settings.minus)
