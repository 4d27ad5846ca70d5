"""Tornado and break-even values, drawn and in words."""

import textwrap
from collections.abc import Sequence
from typing import Any

from tarstop_core.explore import message
from tarstop_core.explore.lists import Explored
from tarstop_core.explore.sensitivity import BreakEven, FactorName, Swing, Tornado
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Figure, axis, ink, note, text_colour, with_unit
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.presentation.palette import LESS, MINUS, MORE, PAPER
from tarstop_core.screening.explain import action
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings

ROW = 34
"""Pixels of one assumption."""
HALVES = ((0.0, 0.46), (0.54, 1.0))


def factor_name(name: str, settings: Settings) -> str:
    """What an assumption is called in the figure: "loss of a wrong “Reject” (L_r)"."""
    return message("factor", name=name, plus=settings.plus, minus=settings.minus)


def tornado_figure(
    found: Tornado, settings: Settings, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Stopping depth and expected net utility when one assumption is lower or higher, widest on top."""

    def widths(each: Swing) -> tuple[float, float]:
        """In depth first; where depths tie, in net utility."""
        return _width(found.depth, each.depth), _width(found.net_utility, each.net_utility)

    ordered = sorted(found.swings, key=widths, reverse=True)
    rows = [_two_lines(factor_name(each.name, settings)) for each in ordered]
    text, unit = text_colour(dark), settings.payoffs.unit
    panels = (("depth", found.depth, ""), ("net_utility", found.net_utility, "2"))
    hatched = {"size": 5, "solidity": 0.2, "fillmode": "overlay", "fgcolor": PAPER}
    data: list[dict[str, Any]] = []
    for measure, base, number_ in panels:
        for end, colour, pattern in ((0, LESS, ""), (1, MORE, "/")):
            values = [float(getattr(each, measure)[end]) for each in ordered]
            shown = [count_of(value) if measure == "depth" else amount(value, unit) for value in values]
            told = [f"{_setting(each, end, unit)}: {it}" for each, it in zip(ordered, shown, strict=True)]
            data.append(
                {
                    "type": "bar",
                    "orientation": "h",
                    "y": rows,
                    "x": [value - base for value in values],
                    "base": [base] * len(rows),
                    "width": 0.6,
                    "marker": {"color": colour, "pattern": {"shape": pattern, **hatched}},
                    "customdata": [fig.plain(each, 200) for each in told],
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
    shapes = [fig.upright(base, xref=f"x{number_}") for _, base, number_ in panels]
    titles = ("stopping depth", with_unit("expected net utility", unit))
    xaxes = {}
    for (measure, _, number_), title, half in zip(panels, titles, HALVES, strict=True):
        xaxes[f"xaxis{number_}"] = axis(
            title, dark, domain=list(half), nticks=4, range=_room(found, measure), tickformat=",.3~r"
        )
    yaxis = axis("", dark, automargin=True, type="category", autorange="reversed")
    more = {"barmode": "overlay", "shapes": shapes, **xaxes, "yaxis": yaxis, "margin": {"l": 8}}
    return fig.drawn(data, 90 + ROW * len(rows), simulated, dark, notes, **more)


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
    depth, utility = (_widest(found, measure, settings) for measure in ("depth", "net_utility"))
    return message("tornado", found=found, depth=depth, utility=utility, unit=settings.payoffs.unit)


def _widest(found: Tornado, measure: str, settings: Settings) -> dict[str, Any]:
    """Return the assumption that moves a measure most, how far, and how many others move it as far."""
    base = getattr(found, measure)
    widths = [_width(base, getattr(swing, measure)) for swing in found.swings]
    swing = found.swings[widths.index(max(widths))]
    low, _, high = sorted((*getattr(swing, measure), base))
    name = factor_name(swing.name, settings)
    return {"name": name, "low": low, "high": high, "alike": widths.count(max(widths)) - 1}


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
    begun = explored.start > 0

    def value(name: FactorName, at: float) -> str:
        return percent(at) if name == "b_0" else amount(at, settings.payoffs.unit)

    sentences = [
        message(
            "turn",
            name=assumption.name,
            now=now,
            begun=begun,
            action=action(turn.plus, settings),
            at=value(assumption.name, turn.at),
            value=value(assumption.name, assumption.value),
            more=turn.at > assumption.value,
            plus=settings.plus,
            minus=settings.minus,
            missed=scenario_of(settings).mistake(settings),
        )
        for assumption in found
        for turn in assumption.turns
    ]
    names = [
        "b₀" if assumption.name == "b_0" else assumption.name for assumption in found if not assumption.turns
    ]
    return [*sentences, message("never", names=names, now=now, begun=begun)] if names else sentences
