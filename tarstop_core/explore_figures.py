"""Figures of the Explore page as plain plotly dictionaries, each with the sentence that says what it shows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.explore import (
    BreakEven,
    Explored,
    FactorName,
    Map,
    MeanMap,
    Measure,
    Now,
    Plans,
    Swing,
    Tornado,
    World,
    outcomes,
    plans,
    settled,
)
from tarstop_core.policies import Policy
from tarstop_core.presentation.curves import live_curves, window
from tarstop_core.presentation.figures import Figure, axis, label, line
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.presentation.palette import (
    BELIEF,
    COST,
    COST_TEXT,
    COST_TEXT_ON_DARK,
    MINUS,
    PLUS,
    TEXT,
    TEXT_ON_DARK,
    THRESHOLD,
    VALUE,
)
from tarstop_core.screening.explain import action
from tarstop_core.screening.paths import ScreeningPath
from tarstop_core.screening.settings import Settings
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.payoffs import Payoffs
from tarstop_core.value.stakes import Stakes

Floats = NDArray[np.float64]

# As text on white and on near-black the two actions need 4.5:1.
PLUS_TEXT, PLUS_TEXT_ON_DARK = "#B04A00", "#F08A4B"
MINUS_TEXT, MINUS_TEXT_ON_DARK = "#1F6FA8", "#56B4E9"
LIGHT_OUTLINE = "#FEFEFE"
BELIEF_TEXT_ON_DARK = "#5AB4E6"
PAPER, PAPER_ON_DARK = "#FFFFFF", "#14181D"
FOR_PAPER = {
    LIGHT_OUTLINE: "#000000",
    PLUS_TEXT_ON_DARK: PLUS_TEXT,
    MINUS_TEXT_ON_DARK: MINUS_TEXT,
    COST_TEXT_ON_DARK: COST_TEXT,
    PAPER_ON_DARK: PAPER,
}
"""Texts of a dark page and what lies behind them, and the colours that they take in a saved picture."""

MEASURES: dict[Measure, str] = {
    "depth": "Stopping depth",
    "net_utility": "Net utility",
    "decision": "Decision",
    "regret": "Regret",
    "agreement": "Same decision as the truth",
}
LESS, MORE = "#0072B2", "#E69F00"
ROW = 34
"""Pixels of one assumption."""
HALVES = ((0.0, 0.46), (0.54, 1.0))


def text_colour(dark: bool) -> str:
    """Of ordinary texts in a figure."""
    return TEXT_ON_DARK if dark else TEXT


def drawn_layout(height: int, simulated: bool, dark: bool, notes: Sequence[Any] = (), **more: Any) -> Any:
    """A layout without frame or legend, on the page's own background; "simulated" stands in its corner."""
    notes = list(notes)
    if simulated:
        notes.append(
            label(
                1, 1, "simulated", text_colour(dark), xref="paper", yref="paper", yanchor="bottom", yshift=2
            )
        )
    return {
        "height": height,
        "margin": {"l": 60, "r": 12, "t": 24, "b": 46, **more.pop("margin", {})},
        "showlegend": False,
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": text_colour(dark)},
        "annotations": notes,
        **more,
    }


# --- EVPI and the two actions against belief ------------------------------------------------------


def stakes_figure(
    payoffs: Payoffs,
    now: Now,
    plus: str,
    minus: str,
    *,
    belief_title: str = "chance that prior art exists",
    simulated: bool = False,
    dark: bool = False,
) -> Figure:
    """What each action is expected to bring above, what certainty would be worth below, against the belief.

    Parameters
    ----------
    payoffs : Payoffs
    now : Now
        Where the person stands. The line at c/ρ is what EVPI has to exceed for the paper's rule to go on.
    plus, minus : str
        The actions by name.
    belief_title : str
    simulated, dark : bool
    """
    b = np.unique(np.append(np.linspace(0, 1, 101), (payoffs.q_star, now.b)))
    up, down, evpi = payoffs.utility_plus(b), payoffs.utility_minus(b), payoffs.evpi(b)
    colours = (PLUS_TEXT_ON_DARK, MINUS_TEXT_ON_DARK) if dark else (PLUS_TEXT, MINUS_TEXT)
    hover = "%{x:.2f}: %{y:.3~g}<extra></extra>"
    x, peak = b.tolist(), float(payoffs.evpi(payoffs.q_star))
    low, high = float(min(up.min(), down.min())), float(max(up.max(), down.max()))
    room = 0.08 * (high - low)
    bottom = {"yaxis": "y2"}
    data = [
        line(x, up.tolist(), PLUS, width=3, hovertemplate=hover),
        line(x, down.tolist(), MINUS, width=3, hovertemplate=hover),
        line(x, evpi.tolist(), VALUE, width=3, hovertemplate=hover, **bottom),
    ]
    for edges, more in (((low - room, high + room), {}), ((0.0, 1.25 * peak), bottom)):
        data.append(line([payoffs.q_star] * 2, edges, THRESHOLD, dash="dash", hoverinfo="skip", **more))
        data.append(line([now.b] * 2, edges, BELIEF, width=1.5, dash="dot", hoverinfo="skip", **more))
    for value, more in ((float(payoffs.utility(now.b)), {}), (now.evpi, bottom)):
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [now.b],
                "y": [value],
                "marker": {"color": BELIEF, "size": 10},
                "hovertemplate": hover,
                **more,
            }
        )
    right = payoffs.q_star > 0.5
    notes = [
        label(1, float(up[-1]), f"“{plus}”", colours[0], yanchor="bottom", xanchor="right"),
        label(0, float(down[0]), f"“{minus}”", colours[1], yanchor="bottom", xanchor="left"),
        label(
            payoffs.q_star,
            1.25 * peak,
            f" q* = {payoffs.q_star:.2f} ",
            text_colour(dark),
            yref="y2",
            yanchor="top",
            xanchor="right" if right else "left",
        ),
    ]
    left = now.b > 0.5
    ends = [float(payoffs.utility_plus(now.b)), float(payoffs.utility_minus(now.b))]
    free = min(ends) - low > 2 * room  # else one of the two lines runs where the label would stand
    notes.append(
        label(
            now.b,
            low - room if free else sum(ends) / 2,
            " now ",
            BELIEF_TEXT_ON_DARK if dark else BELIEF,
            xanchor="right" if left else "left",
        )
    )
    needed = now.cost / now.rho if now.rho > 0 else math.inf
    if 0 < needed < 1.2 * peak:
        data.append(line([0, 1], [needed, needed], COST, dash="dash", hoverinfo="skip", **bottom))
        amber = COST_TEXT_ON_DARK if dark else COST_TEXT
        at, anchor = (0.0, "left") if right else (1.0, "right")
        notes.append(label(at, needed, "c / ρ", amber, yref="y2", xanchor=anchor))
    unit = f" ({payoffs.unit})" if payoffs.unit else ""
    layout = drawn_layout(
        390,
        simulated,
        dark,
        notes,
        xaxis=axis(belief_title, dark, range=[0, 1], tickformat=".1f", anchor="y2"),
        yaxis=axis(
            f"expected utility{unit}",
            dark,
            domain=[0.5, 1.0],
            range=[low - room, high + 2 * room],
            nticks=6,
            exponentformat="none",
        ),
        yaxis2=axis(
            f"EVPI{unit}",
            dark,
            domain=[0.0, 0.42],
            range=[0, 1.25 * peak],
            nticks=5,
            exponentformat="none",
        ),
    )
    return {"data": data, "layout": layout}


def stakes_sentence(
    payoffs: Payoffs, now: Now, cost: float, plus: str, minus: str, finds: str = "settle it"
) -> str:
    """What the figure shows at the present belief.

    Examples
    --------
    >>> stakes_sentence(Payoffs.from_q_star(0.5), Now(0.5, 0.02, 0.5, 0.25, 0.005, False, True, 0.001), 0.001, "Reject", "Grant")
    'At a chance of 50 % “Reject” is expected to bring 0 and “Grant” 0, so you would choose “Grant”; certainty would be worth 0.25 (at most 0.25, at q* = 0.50). The next document has a chance of 2.0 % to settle it: the paper’s score is 0.005 against a cost of 0.001, so its rule goes on (EVPI has to exceed c / ρ, the dashed line).'
    """
    unit = payoffs.unit
    up, down = (amount(float(f(now.b)), unit) for f in (payoffs.utility_plus, payoffs.utility_minus))
    peak = amount(float(payoffs.evpi(payoffs.q_star)), unit)
    said = (
        f"At a chance of {percent(now.b)} “{plus}” is expected to bring {up} and “{minus}” {down}, so you would "
        f"choose “{plus if now.plus else minus}”; certainty would be worth {amount(now.evpi, unit)} (at most {peak}, "
        f"at q* = {payoffs.q_star:.2f})."
    )
    if now.rho == 0:
        return f"{said} No further document can change that."
    verb = "goes on" if now.go_on else "stops"
    in_full = " (with what reading it in full is expected to cost)" if now.cost > cost else ""
    return (
        f"{said} The next document has a chance of {percent(now.rho)} to {finds}: the paper’s score is "
        f"{amount(now.value, unit)} against a cost of {amount(now.cost, unit)}{in_full}, so its rule {verb} (EVPI has to exceed c / ρ, the dashed line)."
    )


def stakes_rows(payoffs: Payoffs) -> list[dict[str, Any]]:
    """The figure's numbers, one row a belief."""
    b = np.unique(np.append(np.linspace(0, 1, 101), payoffs.q_star))
    columns = (b, payoffs.utility_plus(b), payoffs.utility_minus(b), payoffs.evpi(b))
    names = ("belief", "utility_plus", "utility_minus", "evpi")
    return [dict(zip(names, map(float, row), strict=True)) for row in zip(*columns, strict=True)]


# --- the map --------------------------------------------------------------------------------------


def map_figure(
    shown: Map | MeanMap,
    measure: Measure,
    *,
    against: Map | MeanMap | None = None,
    here: tuple[float, float] | None = None,
    cell: tuple[int, int] | None = None,
    simulated: bool = False,
    dark: bool = False,
) -> Figure:
    """One measure over q* and cost, or the difference between two rules.

    Every cell has an invisible point above it, in the order of the cells, that can be clicked.

    Parameters
    ----------
    shown : Map or MeanMap
        Of a mean map, the decision cannot be shown.
    measure : str
    against : Map or MeanMap, optional
        Subtracted.
    here : tuple of float, optional
        q* and c/K as they are.
    cell : tuple of int, optional
        Row and column that is looked into.
    simulated, dark : bool
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
        assert not isinstance(shown, MeanMap) and not isinstance(against, MeanMap)
        heat |= {"text": _marks(shown, against), "texttemplate": "%{text}", "textfont": {"size": 11}}
    points = {
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
    data = [heat, points]
    outline = LIGHT_OUTLINE if dark else "#000000"
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
    layout = drawn_layout(
        430,
        simulated,
        dark,
        clickmode="event+select",
        hovermode="closest",
        dragmode=False,
        xaxis=axis(
            f"cost of a document{f' ({unit})' if unit else ''}, log scale",
            dark,
            tickvals=decades,
            ticktext=[number(10**each) for each in decades],
            range=[x[0] - step, x[-1] + step],
            showgrid=False,
        ),
        yaxis=axis(
            "threshold q*",
            dark,
            range=[q_stars[0] - half, q_stars[-1] + half],
            showgrid=False,
            tickformat=".1f",
            dtick=0.2 if len(q_stars) < len(x) // 2 else 0.1,
        ),
    )
    return {"data": data, "layout": layout}


def _outlined(x: float, y: float, symbol: str, size: int, colour: str) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [x],
        "y": [y],
        "marker": {"symbol": symbol, "size": size, "color": colour, "line": {"color": colour, "width": 2.5}},
        "hoverinfo": "skip",
    }


def _scaled(z: Floats, measure: Measure) -> Floats:
    """Depths on a log scale that knows zero and signs, the others as they are."""
    return np.asarray(np.sign(z) * np.log10(1 + np.abs(z)) if measure == "depth" else z)


def _colours(
    z: Floats, measure: Measure, difference: bool, unit: str, dark: bool
) -> tuple[Any, float, float, dict[str, Any] | None]:
    """Colour scale, its ends, and the bar beside it (none for the two actions)."""
    neutral = "#3C444D" if dark else "#EDEFF2"
    if measure == "decision":
        if difference:
            return [[0, PLUS], [0.5, neutral], [1, MINUS]], -1.0, 1.0, None
        return [[0, MINUS], [1, PLUS]], 0.0, 1.0, None
    scaled = _scaled(z, measure)
    low, high = float(scaled.min()), float(scaled.max())
    if difference:
        most = max(abs(low), abs(high)) or 1.0
        low, high = -most, most
        colours: Any = [[0, LESS], [0.5, neutral], [1, MORE]]
    else:
        colours = "Cividis"
        high = high if high > low else low + 1.0
    title = MEASURES[measure].lower() if not difference else f"difference in {MEASURES[measure].lower()}"
    unit = {"depth": "documents", "agreement": ""}.get(measure, unit)
    bar: dict[str, Any] = {
        "title": {"text": f"{title} ({unit})" if unit else title, "side": "right", "font": {"size": 12}},
        "thickness": 12,
        "outlinewidth": 0,
        "tickfont": {"color": text_colour(dark), "size": 11},
        "exponentformat": "none",
    }
    bar["title"]["font"]["color"] = text_colour(dark)
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


def _wrong(shown: Map) -> NDArray[np.bool_]:
    assert shown.omega is not None
    return np.asarray(shown.plus != shown.omega[:, None])


def _marks(shown: Map, against: Map | None) -> list[list[str]]:
    """A sign in each cell of the two actions, so that colour is not alone: + and −, a wrong one with a cross."""
    if against is not None:
        return [["" if same else "≠" for same in row] for row in (shown.plus == against.plus).tolist()]
    wrong = np.zeros_like(shown.plus) if shown.omega is None else _wrong(shown)
    pairs = zip(shown.plus.tolist(), wrong.tolist(), strict=True)
    return [["✗" if bad else "+" if up else "−" for up, bad in zip(*row, strict=True)] for row in pairs]


def _hover(shown: Map | MeanMap, measure: Measure, against: Map | MeanMap | None) -> list[str]:
    unit = shown.stakes.payoffs.unit
    values = shown.values(measure)
    others = None if against is None else against.values(measure)
    texts = []
    for i, q_star in enumerate(shown.q_stars):
        for j, cost in enumerate(shown.costs):
            said = f"q* {q_star:g}, cost {amount(float(cost), unit)}<br>{shown.policy}: "
            said += _value(float(values[i, j]), measure, unit)
            if others is not None and against is not None:
                said += f"<br>{against.policy}: {_value(float(others[i, j]), measure, unit)}"
            texts.append(said)
    return texts


def _value(value: float, measure: Measure, unit: str) -> str:
    if measure == "depth":
        return count_of(value)
    if measure == "decision":
        return "a⁺" if value else "a⁻"
    if measure == "agreement":
        return f"{percent(value)} of the lists"
    return amount(value, unit)


def mean_sentence(shown: MeanMap, measure: Measure, against: MeanMap | None = None) -> str:
    """What the mean over a collection shows, computed from its cells."""
    unit, values = shown.stakes.payoffs.unit, shown.values(measure)

    def at(flat: int) -> str:
        i, j = divmod(int(flat), values.shape[1])
        return f"q* = {shown.q_stars[i]:g} and a cost of {amount(float(shown.costs[j]), unit)}"

    lists = f"Over {len(shown.maps)} lists"
    if against is not None:
        said = _difference_sentence(shown, measure, against, at)
        return f"{lists}, on average: {said}"
    low, high = (
        _value(float(values.flat[each]), measure, unit) for each in (values.argmin(), values.argmax())
    )
    what = MEASURES[measure].lower()
    if low == high:
        return f"{lists} the mean {what} of {shown.policy} is {high} in every cell."
    ends = f"from {low} (at {at(int(values.argmin()))}) to {high} (at {at(int(values.argmax()))})"
    if measure == "agreement":
        least, most = (percent(float(each)) for each in (values.min(), values.max()))
        return (
            f"{lists} {shown.policy} decides as the truth would on {least} to {most} of them, most often at "
            f"{at(int(values.argmax()))}."
        )
    return f"{lists} the mean {what} of {shown.policy} runs {ends}."


def map_sentence(shown: Map, measure: Measure, against: Map | None = None) -> str:
    """What the map shows, computed from its cells."""
    unit, name = shown.stakes.payoffs.unit, str(shown.policy)
    values = shown.values(measure)

    def at(flat: int) -> str:
        i, j = divmod(int(flat), values.shape[1])
        return f"q* = {shown.q_stars[i]:g} and a cost of {amount(float(shown.costs[j]), unit)}"

    if against is not None:
        return _difference_sentence(shown, measure, against, at)
    if shown.settled and measure in ("decision", "depth"):
        # No rule's depth then depends on what is at stake.
        return (
            f"A hit has settled the question: {name} stops after {count_of(int(shown.depth[0, 0]))} and ends with a⁺ (+) in "
            "every cell."
        )
    if measure == "decision":
        up = percent(float(shown.plus.mean()))
        if shown.omega is None:
            return f"{name} ends with a⁺ (+) in {up} of the cells, with a⁻ (−) in the others, if nothing turns up."
        wrong = percent(float(_wrong(shown).mean()))
        return f"{name} ends with a⁺ (+) in {up} of the cells, and wrongly (✗) in {wrong}."
    least, most = int(values.argmin()), int(values.argmax())
    low, high = (_value(float(values.flat[each]), measure, unit) for each in (least, most))
    if measure == "depth":
        low = f"{values.flat[least]:,.0f}"
    if values.flat[least] == values.flat[most]:
        return f"{name}: {MEASURES[measure].lower()} is {high} in every cell."
    if measure == "depth":
        how = "if nothing turns up" if shown.world == "planned" else "on this list, as it is labelled"
        none = percent(float((values <= shown.start).mean()))
        return f"{name} stops after {low} to {high} {how}, latest at {at(most)}; it reads nothing more in {none} of the cells."
    if measure == "net_utility":
        how = "Expected net utility" if shown.world == "planned" else "Net utility"
        return f"{how} of {name} runs from {low} (at {at(least)}) to {high} (at {at(most)})."
    none = percent(float((values <= 1e-9 * shown.stakes.payoffs.K).mean()))
    return f"{name} gives up at most {high} against the best rule compared (at {at(most)}), and nothing in {none} of the cells."


def _difference_sentence(shown: Map | MeanMap, measure: Measure, against: Map | MeanMap, at: Any) -> str:
    first, second, unit = str(shown.policy), str(against.policy), shown.stakes.payoffs.unit
    difference = shown.values(measure) - against.values(measure)
    small = 1e-9 * shown.stakes.payoffs.K if measure in ("net_utility", "regret") else 0.5
    same = percent(float((np.abs(difference) <= small).mean()))
    if float(np.abs(difference).max()) <= small:
        return f"{first} and {second} come to the same in every cell."
    if measure == "decision":
        return f"{first} and {second} end with the same action in {same} of the cells; ≠ marks the others."
    more, less = (percent(float((sign * difference > small).mean())) for sign in (1, -1))
    most = int(np.abs(difference).argmax())
    what = {
        "depth": "reads more",
        "net_utility": "brings more",
        "regret": "gives up more",
        "agreement": "is right more often",
    }[measure]
    size = _value(float(abs(difference.flat[most])), measure, unit)
    who = first if difference.flat[most] > 0 else second
    return (
        f"{first} {what} than {second} in {more} of the cells and less in {less}, the same in {same}; the largest "
        f"difference is {size}, where {who} {what} (at {at(most)})."
    )


# --- one-way sensitivity ----------------------------------------------------------------------------


def factor_names(settings: Settings) -> dict[str, str]:
    """What each assumption is called in the figure."""
    return {
        "B": f"gain of a right “{settings.plus}” (B)",
        "L_r": f"loss of a wrong “{settings.plus}” (L_r)",
        "L_g": f"loss of a wrong “{settings.minus}” (L_g)",
        "G": f"gain of a right “{settings.minus}” (G)",
        "cost": "cost of a document (c)",
        "b_0": "starting chance (b₀)",
        "p": "chance of each document",
    }


def tornado_figure(
    found: Tornado, settings: Settings, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Stopping depth and expected net utility when one assumption is lower or higher, widest on top.

    Parameters
    ----------
    found : Tornado
    settings : Settings
        Names of the actions, and the unit.
    simulated, dark : bool
    """
    ordered = _by_width(found)
    names = factor_names(settings)
    rows = [_two_lines(names[each.name]) for each in ordered]
    text, unit = text_colour(dark), settings.payoffs.unit
    panels = (("depth", found.depth, ""), ("net_utility", found.net_utility, "2"))
    data: list[dict[str, Any]] = []
    for measure, base, number_ in panels:
        for end, colour, pattern in ((0, LESS, ""), (1, MORE, "/")):
            values = [float(getattr(each, measure)[end]) for each in ordered]
            data.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "y": rows,
                    "x": [value - base for value in values],
                    "base": [base] * len(rows),
                    "width": 0.6,
                    "marker": {
                        "color": colour,
                        "pattern": {
                            "shape": pattern,
                            "size": 5,
                            "solidity": 0.2,
                            "fillmode": "overlay",
                            "fgcolor": "#FFFFFF",
                        },
                    },
                    "customdata": [
                        f"{_setting(each, end, unit)}: "
                        f"{count_of(value) if measure == 'depth' else amount(value, unit)}"
                        for each, value in zip(ordered, values, strict=True)
                    ],
                    "hovertemplate": "%{customdata}<extra></extra>",
                    "text": [_at_the_end(each, measure, end, base) for each in ordered],
                    "textposition": "outside",
                    "textfont": {"color": text, "size": 11},
                    "cliponaxis": False,
                    "xaxis": f"x{number_}",
                }
            )
    notes = [
        label(
            0, 1, "■ lower", LESS if not dark else MINUS, xref="paper", yref="paper", xanchor="left", yshift=2
        ),
        label(
            0,
            1,
            "▨ higher",
            COST_TEXT_ON_DARK if dark else COST_TEXT,
            xref="paper",
            yref="paper",
            xanchor="left",
            xshift=60,
            yshift=2,
        ),
    ]
    shapes = [
        {
            "type": "line",
            "xref": f"x{number_}",
            "x0": base,
            "x1": base,
            "yref": "paper",
            "y0": 0,
            "y1": 1,
            "line": {"color": THRESHOLD, "width": 1.5, "dash": "dash"},
        }
        for _, base, number_ in panels
    ]
    utility = f"expected net utility{f' ({unit})' if unit else ''}"
    layout = drawn_layout(
        90 + ROW * len(rows),
        simulated,
        dark,
        notes,
        barmode="overlay",
        shapes=shapes,
        xaxis=axis(
            "stopping depth",
            dark,
            domain=list(HALVES[0]),
            nticks=4,
            range=_room(found, "depth"),
            tickformat=",.3~r",
        ),
        xaxis2=axis(
            utility,
            dark,
            domain=list(HALVES[1]),
            nticks=4,
            range=_room(found, "net_utility"),
            tickformat=",.3~r",
        ),
        yaxis=axis("", dark, automargin=True, type="category", autorange="reversed"),
        margin={"l": 8},
    )
    layout["yaxis"]["tickfont"] = {"color": text, "size": 11}
    return {"data": data, "layout": layout}


def _at_the_end(swing: Swing, measure: str, end: int, base: float) -> str:
    """The number at the end of a bar; of two bars on one side only the longer has it."""
    ends = getattr(swing, measure)
    own, other = ends[end] - base, ends[1 - end] - base
    if own == 0 or (own * other > 0 and (abs(own), end) < (abs(other), 1 - end)):
        return ""
    return f"{ends[end]:,}" if measure == "depth" else number(ends[end])


def _room(found: Tornado, measure: str) -> list[float]:
    """Range of an axis, with room for the numbers at the ends of the bars."""
    values = [getattr(found, measure), *(v for each in found.swings for v in getattr(each, measure))]
    low, high = min(values), max(values)
    room = 0.28 * (high - low) or max(1.0, abs(high)) / 10
    return [low - room, high + room]


def _two_lines(name: str) -> str:
    """A name that leaves room for the bars on a phone."""
    words, lines = name.split(), [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + len(word) >= 20:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "<br>".join(each.replace("&", "&amp;").replace("<", "&lt;") for each in lines)


def _width(base: float, ends: tuple[float, float]) -> float:
    return max(*ends, base) - min(*ends, base)


def _by_width(found: Tornado) -> list[Swing]:
    """Widest in depth first; where depths tie, widest in net utility."""
    return sorted(
        found.swings,
        key=lambda each: (_width(found.depth, each.depth), _width(found.net_utility, each.net_utility)),
        reverse=True,
    )


def _setting(swing: Swing, end: int, unit: str) -> str:
    value = swing.values[end]
    if swing.name == "p":
        return "half as likely" if end == 0 else "twice as likely"
    if swing.name == "b_0":
        return f"b₀ = {percent(value)}"
    return f"{'c' if swing.name == 'cost' else swing.name} = {amount(value, unit)}"


def tornado_sentence(found: Tornado, settings: Settings) -> str:
    """What moves the plan most."""
    names, unit = factor_names(settings), settings.payoffs.unit
    when = " (a hit has settled the question)" if found.settled else " if nothing turns up"
    plan = f"As things stand the rule stops after {count_of(found.depth)}{when}, expected to bring {amount(found.net_utility, unit)}."
    by_depth = max(found.swings, key=lambda each: _width(found.depth, each.depth))
    by_utility = max(found.swings, key=lambda each: _width(found.net_utility, each.net_utility))
    if _width(found.depth, by_depth.depth) == 0:
        moved = "No single change moves the stopping depth"
    else:
        ends = " to ".join(f"{each:,}" for each in sorted((*by_depth.depth, found.depth))[::2])
        moved = f"The {names[by_depth.name]} moves the depth most ({ends})"
    low, _, high = sorted((*by_utility.net_utility, found.net_utility))
    return (
        f"{plan} {moved}; the {names[by_utility.name]} moves net utility most ({amount(low, unit)} to "
        f"{amount(high, unit)}). Payoffs, cost and chances are halved and doubled, b₀ moves by 0.2."
    )


def tornado_rows(found: Tornado) -> list[dict[str, Any]]:
    """One row an assumption and end."""
    return [
        {
            "assumption": each.name,
            "value": each.values[end],
            "depth": each.depth[end],
            "net_utility": each.net_utility[end],
            "depth_now": found.depth,
            "net_utility_now": found.net_utility,
        }
        for each in found.swings
        for end in (0, 1)
    ]


def break_even_sentences(
    explored: Explored, settings: Settings, now: bool, found: Sequence[BreakEven]
) -> list[str]:
    """Where each assumption would turn the advice, a sentence each.

    Examples
    --------
    >>> from tarstop_core.explore import Turn, sample
    >>> settings = Settings(Payoffs.from_q_star(0.5), 0.001)
    >>> turn = BreakEven("cost", 0.001, (Turn(0.0772, False),))
    >>> break_even_sentences(sample("search:antenna-mount"), settings, True, [turn])
    ['You would read nothing and choose “Grant” if reading one document cost more than 0.0772 (now 0.001).']
    """
    stop = "stop now" if explored.start else "read nothing"
    said = []
    for each in found:
        for turn in each.turns:
            then = f"{stop} and choose “{action(turn.plus, settings)}”" if now else "screen on"
            side = "more" if turn.at > each.value else "less"
            value, as_it_is = (_factor_value(each.name, x, settings) for x in (turn.at, each.value))
            said.append(
                f"You would {then} if {_factor_verb(each.name, settings)} {side} than {value} (now {as_it_is})."
            )
    never = ["b₀" if each.name == "b_0" else each.name for each in found if not each.turns]
    if never:
        *others, last = never
        listed = f"{', '.join(others)} or {last}" if others else last
        still = "screen on" if now else stop
        said.append(f"You would {still} whatever {listed} was, up to a thousand times less or more.")
    return said


def _factor_verb(name: FactorName, settings: Settings) -> str:
    """What is supposed of an assumption, up to "more than" a value."""
    missed = "a wrong" if settings.review else "a missed prior-art document, that is a wrong"
    return {
        "B": f"a right “{settings.plus}” (B) brought",
        "L_r": f"a wrong “{settings.plus}” (L_r) cost",
        "L_g": f"{missed} “{settings.minus}” (L_g) cost",
        "G": f"a right “{settings.minus}” (G) brought",
        "cost": "reading one document cost",
        "b_0": "you started from a chance of",
    }[name]


def _factor_value(name: FactorName, value: float, settings: Settings) -> str:
    return percent(value) if name == "b_0" else amount(value, settings.payoffs.unit)


# --- the path of one cell -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Cell:
    """One cell of a map, looked into.

    Parameters
    ----------
    path : DecisivePath or CumulativePath
        With the cell's payoffs.
    policy : Policy
    world : {"planned", "played"}
    cost : float
        In the payoffs' unit.
    plan : Plans
        Of this cost alone.
    start : int
        Documents read.
    omega : bool or None
        The truth, where it is played.
    """

    path: ScreeningPath
    policy: Policy
    world: World
    cost: float
    plan: Plans
    start: int
    omega: bool | None = None

    @property
    def depth(self) -> int:
        """Where the rule stops."""
        return int(self.plan.depth[0])


def cell_of(explored: Explored, settings: Settings, policy: Policy, world: World) -> Cell:
    """What the rule comes to at the settings' own payoffs and cost."""
    if world == "planned":
        path, start, omega = explored.planned(settings), explored.start, None
        plan = plans(path, policy, settings.cost, start)
    else:
        path, start, omega = explored.played(settings), 0, explored.omega(settings)
        plan = outcomes(path, policy, settings.cost, omega)
    return Cell(path, policy, world, settings.cost, plan, start, omega)


def path_figure(
    cell: Cell,
    *,
    belief_title: str = "chance it exists",
    simulated: bool = False,
    dark: bool = False,
) -> Figure:
    """Belief and worth along the list, as the Screen page draws them, up to where the rule stops."""
    path, depth = cell.path, cell.depth
    played = cell.world == "played"
    hit = path.hit if path.hit is not None and path.hit <= depth else None
    steps = isinstance(path, CumulativePath)
    figure = live_curves(
        path.b,
        cell.policy.worth(path),
        cost=cell.cost,
        q_star=path.payoffs.q_star,
        depth=depth if played else cell.start,
        plan=depth,
        hit=hit,
        span=window(len(path), cell.start, depth, "last"),
        unit=path.payoffs.unit,
        belief_title=belief_title,
        steps=steps,
        dark=dark,
    )
    layout = figure["layout"]
    layout["font"] = {"color": text_colour(dark)}
    layout["margin"]["t"] = 24
    if simulated:
        layout["annotations"].append(
            label(1, 1, "simulated", text_colour(dark), xref="paper", yref="paper", yshift=2)
        )
    return figure


def _wording(path: ScreeningPath) -> tuple[str, str]:
    """What may turn up, and what it is whose outcome is expected."""
    if isinstance(path, CumulativePath):
        return "no study with data", "reading that far"
    return "nothing", "following it"


def waiting_words(path: ScreeningPath) -> str:
    """What is done first where reports wait to be read in full; "" where none do."""
    waiting = round(path.reports_waiting) if isinstance(path, CumulativePath) else 0
    if not waiting:
        return ""
    return (
        "reading the one report that waits is"
        if waiting == 1
        else f"reading the {waiting:,} reports that wait is"
    )


def full_cost_note(path: ScreeningPath, unit: str) -> str:
    """What stays in every cell and at every cost of a document, where reports are read in full; "" elsewhere."""
    if not isinstance(path, CumulativePath) or not path.full_cost:
        return ""
    note = (
        f"Reading a report in full costs {amount(path.full_cost, unit)} throughout; only the cost of a document at title and "
        "abstract changes here."
    )
    reports = round(path.reports_waiting)
    if reports:
        note += f" The {reports:,} reports that wait are taken as read first, so further documents add little to them."
    return note


def path_sentence(cell: Cell, plus: str, minus: str) -> str:
    """What becomes of the rule in a cell."""
    path, depth, payoffs = cell.path, cell.depth, cell.path.payoffs
    action = plus if cell.plan.plus[0] else minus
    utility = amount(float(cell.plan.net_utility[0]), payoffs.unit)
    where = f"At q* = {payoffs.q_star:.2f} and a cost of {amount(cell.cost, payoffs.unit)} {cell.policy}"
    belief = percent(path.belief_at(depth))
    if cell.world == "planned":
        more = f" ({depth - cell.start:,} more)" if cell.start else ""
        if settled(path, cell.start):
            return (
                f"A hit has settled the question. {where} stops after {count_of(depth)}{more} and chooses “{action}”, expected "
                f"to bring {utility} from here on, net of screening."
            )
        nothing, what = _wording(path)
        return (
            f"{where} stops after {count_of(depth)}{more} if {nothing} turns up, at a chance of {belief}, and then "
            f"chooses “{action}”; {what} is expected to bring {utility}{' from here on' if cell.start else ''}, net of screening."
        )
    verdict = "rightly" if bool(cell.plan.plus[0]) == cell.omega else "wrongly"
    return (
        f"{where} stops on this list after {count_of(depth)}, at a chance of {belief}, and chooses “{action}”, "
        f"{verdict}: net utility {utility}."
    )


def path_columns(cell: Cell) -> dict[str, Any]:
    """One entry a depth: belief without a (further) hit, and what the rule compares with the cost."""
    path, n = cell.path, len(cell.path)
    b = np.asarray(path.b)
    if path.hit is not None:
        b = np.where(np.arange(n + 1) >= path.hit, 1.0, b)
    worth = cell.policy.worth(path)
    return {
        "depth": np.arange(n + 1),
        "belief": b,
        "worth": np.full(n + 1, np.nan) if worth is None else np.append(worth, np.nan),
        "cost": np.full(n + 1, cell.cost),
        "q_star": np.full(n + 1, path.payoffs.q_star),
    }


def plan_sentence(plan: Cell, explored: Explored) -> str:
    """The plan at the present settings in one line, for the top of the page."""
    worth = amount(float(plan.plan.net_utility[0]), plan.path.payoffs.unit)
    if settled(plan.path, explored.start):
        hit = "a confirmed hit" if explored.settings.confirm_hits else "a hit"
        then = (
            f"so {plan.policy} stops there"
            if plan.depth == plan.path.hit
            else f"yet {plan.policy} reads on to document {plan.depth:,}"
            if plan.depth > explored.start
            else f"so {plan.policy} reads nothing more"
        )
        return (
            f"The question is settled: {hit} stands at document {plan.path.hit:,}, {then}, expected to bring {worth} from here "
            "on."
        )
    if plan.depth <= explored.start:
        what = "reads nothing more" if explored.start else "reads nothing"
        first = waiting_words(plan.path)
        return f"{plan.policy} {what}{f' of the list; {first} ' if first else ', '}expected to bring {worth}."
    more = f" ({plan.depth - explored.start:,} more)" if explored.start else ""
    nothing, what = _wording(plan.path)
    return (
        f"{plan.policy} stops after {count_of(plan.depth)}{more} of {len(explored):,} if {nothing} turns up; {what} is "
        f"expected to bring {worth}{' from here on' if explored.start else ''}, net of screening."
    )


# --- a sentence to check answers by ---------------------------------------------------------------------


def check_sentence(stakes: Stakes, settings: Settings) -> str:
    """What q* and cost say back to somebody who answered plain questions.

    Examples
    --------
    >>> settings = Settings(Payoffs.from_q_star(0.5), 0.001, plus="Reject", minus="Grant")
    >>> check_sentence(Stakes(Payoffs(2500, 10000, 2500, 10000, "£"), 2.0), settings)
    'Check: of 100 decisions like one at q* = 0.80 you would accept up to 20 wrong ones among those for “Reject”; a wrong “Reject” costs you £20,000 and a wrong “Grant” £5,000. A document costs £2, so you would read 10,000 documents rather than make the worse mistake for certain.'
    """
    payoffs = stakes.payoffs
    plus, minus = (amount(each, payoffs.unit) for each in (payoffs.wrong_plus, payoffs.wrong_minus))
    said = (
        f"Check: of 100 decisions like one at q* = {payoffs.q_star:.2f} you would accept up to "
        f"{number(100 * (1 - payoffs.q_star))} wrong ones among those for “{settings.plus}”; a wrong “{settings.plus}” "
        f"costs you {plus} and a wrong “{settings.minus}” {minus}."
    )
    if stakes.cost == 0:
        return f"{said} Reading costs nothing."
    return (
        f"{said} A document costs {amount(stakes.cost, payoffs.unit)}, so you would read "
        f"{count_of(stakes.documents) if stakes.documents < 1e6 else 'over a million documents'} rather than make "
        "the worse mistake for certain."
    )
