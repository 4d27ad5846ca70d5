"""Tornado and break-even values, drawn and in words."""

import textwrap
from collections.abc import Sequence
from functools import partial
from typing import Any

from tarstop_core.explore.lists import Explored
from tarstop_core.explore.sensitivity import BreakEven, FactorName, Swing, Tornado
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Figure, axis, ink, note, text_colour, with_unit
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.presentation.palette import LESS, MINUS, MORE, PAPER
from tarstop_core.presentation.words import say
from tarstop_core.screening.explain import action
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings

ROW = 34
"""Pixels of one assumption."""
HALVES = ((0.0, 0.46), (0.54, 1.0))
_said = partial(say, "tarstop_core.explore.words")


def factor_names(settings: Settings) -> dict[str, str]:
    """What each assumption is called in the figure."""
    actions = {"B": ("gain", settings.plus), "L_r": ("loss", settings.plus)}
    actions |= {"L_g": ("loss", settings.minus), "G": ("gain", settings.minus)}
    names = {letter: _said(key, action=action, letter=letter) for letter, (key, action) in actions.items()}
    return names | {key: _said(key) for key in ("cost", "b_0", "p")}


def tornado_figure(
    found: Tornado, settings: Settings, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Stopping depth and expected net utility when one assumption is lower or higher, widest on top."""

    def widths(each: Swing) -> tuple[float, float]:
        """In depth first; where depths tie, in net utility."""
        return _width(found.depth, each.depth), _width(found.net_utility, each.net_utility)

    ordered = sorted(found.swings, key=widths, reverse=True)
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
    names = factor_names(settings)
    widths = [_width(found.depth, each.depth) for each in found.swings]
    by_depth = found.swings[widths.index(max(widths))]
    by_utility = max(found.swings, key=lambda each: _width(found.net_utility, each.net_utility))
    low, _, high = sorted((*by_utility.net_utility, found.net_utility))
    depths = sorted((*by_depth.depth, found.depth))[::2] if max(widths) else None
    told = {"depths": depths, "alike": widths.count(max(widths)) - 1, "low": low, "high": high}
    moved = {"by_depth": names[by_depth.name], "by_utility": names[by_utility.name]}
    return _said("tornado", found=found, unit=settings.payoffs.unit, **moved, **told)


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
    told = {
        "now": now,
        "stop": "stop now" if explored.start else "read nothing",
        "plus": settings.plus,
        "minus": settings.minus,
        "missed": scenario_of(settings).mistake(settings),
    }

    def shown(name: FactorName, value: float) -> str:
        return percent(value) if name == "b_0" else amount(value, settings.payoffs.unit)

    said = [
        _said(
            "turn",
            **told,
            action=action(turn.plus, settings),
            supposed=_said(f"if_{each.name}", **told),
            side="more" if turn.at > each.value else "less",
            at=shown(each.name, turn.at),
            value=shown(each.name, each.value),
        )
        for each in found
        for turn in each.turns
    ]
    never = ["b₀" if each.name == "b_0" else each.name for each in found if not each.turns]
    return [*said, *([_said("never", **told, never=never)] if never else [])]
