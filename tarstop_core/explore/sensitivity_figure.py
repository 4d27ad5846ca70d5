"""Tornado and break-even values, drawn and in words."""

import textwrap
from collections.abc import Sequence
from typing import Any

from tarstop_core.explore.lists import Explored
from tarstop_core.explore.sensitivity import BreakEven, FactorName, Swing, Tornado
from tarstop_core.presentation.figures import (
    Figure,
    axis,
    drawn,
    ink,
    note,
    plain,
    text_colour,
    upright,
    with_unit,
)
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.presentation.palette import LESS, MINUS, MORE, PAPER
from tarstop_core.screening.explain import action
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings

ROW = 34
"""Pixels of one assumption."""
HALVES = ((0.0, 0.46), (0.54, 1.0))


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
    """Stopping depth and expected net utility when one assumption is lower or higher, widest on top."""
    # Widest in depth first; where depths tie, widest in net utility.
    ordered = sorted(
        found.swings,
        key=lambda each: (_width(found.depth, each.depth), _width(found.net_utility, each.net_utility)),
        reverse=True,
    )
    names = factor_names(settings)
    rows = [_two_lines(names[each.name]) for each in ordered]
    text, unit = text_colour(dark), settings.payoffs.unit
    panels = (("depth", found.depth, ""), ("net_utility", found.net_utility, "2"))
    hatched = {"size": 5, "solidity": 0.2, "fillmode": "overlay", "fgcolor": PAPER}
    data: list[dict[str, Any]] = []
    for measure, base, number_ in panels:
        for end, colour, pattern in ((0, LESS, ""), (1, MORE, "/")):
            values = [float(getattr(each, measure)[end]) for each in ordered]
            shown = [count_of(value) if measure == "depth" else amount(value, unit) for value in values]
            data.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "y": rows,
                    "x": [value - base for value in values],
                    "base": [base] * len(rows),
                    "width": 0.6,
                    "marker": {"color": colour, "pattern": {"shape": pattern, **hatched}},
                    "customdata": [
                        plain(f"{_setting(each, end, unit)}: {said}", 200)
                        for each, said in zip(ordered, shown, strict=True)
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
        note(0, 1, "■ lower", MINUS if dark else LESS, xanchor="left", yshift=2),
        note(0, 1, "▨ higher", ink(MORE, dark), xanchor="left", xshift=60, yshift=2),
    ]
    shapes = [upright(base, xref=f"x{number_}") for _, base, number_ in panels]
    titles = ("stopping depth", with_unit("expected net utility", unit))
    xaxes = {}
    for (measure, _, number_), title, half in zip(panels, titles, HALVES, strict=True):
        how = {"domain": list(half), "nticks": 4, "range": _room(found, measure), "tickformat": ",.3~r"}
        xaxes[f"xaxis{number_}"] = axis(title, dark, **how)
    yaxis = axis("", dark, automargin=True, type="category", autorange="reversed")
    return drawn(
        data,
        90 + ROW * len(rows),
        simulated,
        dark,
        notes,
        barmode="overlay",
        shapes=shapes,
        **xaxes,
        yaxis=yaxis,
        margin={"l": 8},
    )


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
    lines = textwrap.wrap(" ".join(name.split()), 20, break_long_words=False, break_on_hyphens=False)
    return "<br>".join(each.replace("&", "&amp;").replace("<", "&lt;") for each in lines)


def _width(base: float, ends: tuple[float, float]) -> float:
    return max(*ends, base) - min(*ends, base)


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
    """Where each assumption would turn the advice, a sentence each."""
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
    missed = scenario_of(settings).mistake(settings)
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
