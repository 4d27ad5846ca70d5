"""Figure and sentences of the sensitivity of a plan: the tornado, and values at which the advice changes."""

import textwrap
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from tarstop_core.explore import message
from tarstop_core.explore.figures import reports_to_read
from tarstop_core.explore.lists import LabelledList
from tarstop_core.explore.sensitivity import BreakEven, FactorName, Swing, Tornado
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.figures import Chart, Figure, Rows
from tarstop_core.presentation.numbers import amount, count_of, number, percent, signed
from tarstop_core.presentation.palette import LESS, MINUS, MORE, PAPER
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action

ROW = 34
"""Height of an assumption in pixels."""
SIDES = {"depth": (0.0, 0.46), "net_utility": (0.54, 1.0)}
"""Horizontal extent of the panel of each measure."""
Measured = Literal["depth", "net_utility"]


def factor_name(name: str, settings: Settings) -> str:
    """Return what an assumption is called in the figure: "loss of a wrong “Reject”"."""
    return message("factor", name=name, plus=settings.plus, minus=settings.minus)


def tornado_figure(
    tornado: Tornado, settings: Settings, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Draw stopping depth and expected net utility with one assumption lower or higher, the widest bars on top.

    Parameters
    ----------
    tornado
        The plan, and the plans with one assumption changed.
    settings
        Settings with the unit and the names of the actions.
    simulated, dark
        Whether the list is simulated, and the page dark.

    Returns
    -------
    Figure
        For plotly.
    """

    def widths(swing: Swing) -> tuple[float, float]:
        """Return the width in depth and, to break ties, in net utility."""
        return _width(tornado.depth, swing.depth), _width(tornado.net_utility, swing.net_utility)

    unit, utility = settings.payoffs.unit, "expected net utility"
    if _in_documents(settings):  # A longer title would be cut on a phone
        tornado, unit, utility = _per_document(tornado, settings.cost), "documents", "net utility"
    swings = sorted(tornado.swings, key=widths, reverse=True)
    chart = Chart(90 + ROW * len(swings), dark=dark, simulated=simulated)
    chart.note(0, 1, "■ lower", MINUS if dark else LESS, xanchor="left", yshift=2)
    chart.note(0, 1, "▨ higher", MORE, xanchor="left", xshift=60, yshift=2)
    names = [_in_lines(factor_name(swing.name, settings)) for swing in swings]
    titles = {"depth": "stopping depth", "net_utility": fig.with_unit(utility, unit)}
    shapes = []
    panels: tuple[tuple[Measured, str], ...] = (("depth", ""), ("net_utility", "2"))
    for measure, suffix in panels:
        for end in (0, 1):
            bars = _bars(tornado, swings, measure, end, unit)
            texts = {"textfont": {"color": fig.text_colour(dark), "size": 11}, "xaxis": f"x{suffix}"}
            chart.traces.append({"y": names, **bars, **texts})
        shapes.append(fig.upright(getattr(tornado, measure), xref=f"x{suffix}"))
        look = {"nticks": 4, "tickangle": 0, "range": _room(tornado, measure), "tickformat": ",.3~r"}
        chart.axis(f"xaxis{suffix}", titles[measure], domain=list(SIDES[measure]), **look)
    chart.axis("yaxis", "", automargin=True, type="category", autorange="reversed", showgrid=False)
    return chart.figure(barmode="overlay", shapes=shapes, margin={"l": 8})


def _in_documents(settings: Settings) -> bool:
    """Whether amounts are told in documents, because nobody named a unit."""
    return not settings.payoffs.unit and settings.cost > 0


def _per_document(tornado: Tornado, cost: float) -> Tornado:
    """Return the same with amounts as multiples of the cost of a document."""

    def scaled(ends: tuple[float, float]) -> tuple[float, float]:
        return ends[0] / cost, ends[1] / cost

    swings = tuple(
        replace(
            swing,
            values=swing.values if swing.name in ("p", "b_0") else scaled(swing.values),
            net_utility=scaled(swing.net_utility),
        )
        for swing in tornado.swings
    )
    return replace(tornado, net_utility=tornado.net_utility / cost, swings=swings)


def _bars(
    tornado: Tornado, swings: Sequence[Swing], measure: Measured, end: int, unit: str
) -> dict[str, Any]:
    """Return the bars of one measure from its present value to the low (0) or high (1) end of each assumption."""
    base = getattr(tornado, measure)
    values = [float(getattr(swing, measure)[end]) for swing in swings]
    hover = [
        f"{_setting(swing, end, unit)}: {count_of(value) if measure == 'depth' else amount(value, unit)}"
        for swing, value in zip(swings, values, strict=True)
    ]
    hatched = {"shape": "/" if end else "", "size": 5, "solidity": 0.2, "fillmode": "overlay"}
    return {
        "type": "bar",
        "orientation": "h",
        "x": [value - base for value in values],
        "base": [base] * len(swings),
        "width": 0.6,
        "marker": {"color": MORE if end else LESS, "pattern": hatched | {"fgcolor": PAPER}},
        "customdata": [fig.plain(text, 200) for text in hover],
        "hovertemplate": "%{customdata}<extra></extra>",
        "text": [_at_the_end(swing, measure, end, base) for swing in swings],
        "textposition": "outside",
        "cliponaxis": False,
    }


def _at_the_end(swing: Swing, measure: Measured, end: int, base: float) -> str:
    """Return the number at the end of a bar; of two bars on one side only the longer has it."""
    ends = getattr(swing, measure)
    own, other = ends[end] - base, ends[1 - end] - base
    if own == 0 or (own * other > 0 and (abs(own), end) < (abs(other), 1 - end)):
        return ""
    return f"{ends[end]:,}" if measure == "depth" else signed(ends[end])


def _room(tornado: Tornado, measure: Measured) -> list[float]:
    """Return the range of an axis, with room for the numbers at the ends of the bars."""
    values = [getattr(tornado, measure), *(v for swing in tornado.swings for v in getattr(swing, measure))]
    low, high = min(values), max(values)
    room = 0.28 * (high - low) or max(1.0, abs(high)) / 10
    return [low - room, high + room]


def _in_lines(name: str) -> str:
    """Break a name into lines, to leave room for the bars on a phone."""
    lines = textwrap.wrap(" ".join(name.split()), 20, break_long_words=False, break_on_hyphens=False)
    return "<br>".join(line.replace("&", "&amp;").replace("<", "&lt;") for line in lines)


def _width(base: float, ends: tuple[float, float]) -> float:
    return max(*ends, base) - min(*ends, base)


def _setting(swing: Swing, end: int, unit: str) -> str:
    value = swing.values[end]
    if swing.name == "p":
        return "half as likely" if end == 0 else "twice as likely"
    if swing.name == "b_0":
        return f"b₀ = {percent(value)}"
    return f"{'c' if swing.name == 'cost' else swing.name} = {amount(value, unit)}"


def tornado_sentence(tornado: Tornado, settings: Settings) -> str:
    """Say which assumption changes the plan most."""
    depth, utility = (_widest(tornado, measure, settings) for measure in SIDES)
    stakes = {"unit": settings.payoffs.unit, "cost": settings.cost}
    return message("tornado", tornado=tornado, depth=depth, utility=utility, **stakes)


def _widest(tornado: Tornado, measure: str, settings: Settings) -> dict[str, Any]:
    """Return the assumption that changes a measure most, the ends, and how many others change it as much."""
    base = getattr(tornado, measure)
    widths = [_width(base, getattr(swing, measure)) for swing in tornado.swings]
    swing = tornado.swings[widths.index(max(widths))]
    low, _, high = sorted((*getattr(swing, measure), base))
    name = factor_name(swing.name, settings)
    return {"name": name, "low": low, "high": high, "alike": widths.count(max(widths)) - 1}


def tornado_rows(tornado: Tornado) -> Rows:
    """Return the figure's numbers, one row per assumption and end."""
    return [
        {
            "assumption": swing.name,
            "value": swing.values[end],
            "depth": swing.depth[end],
            "net_utility": swing.net_utility[end],
            "depth_now": tornado.depth,
            "net_utility_now": tornado.net_utility,
        }
        for swing in tornado.swings
        for end in (0, 1)
    ]


def break_even_sentences(
    listing: LabelledList, settings: Settings, goes_on: bool, break_evens: Sequence[BreakEven]
) -> list[str]:
    """Say at which value of each assumption the advice would change.

    Parameters
    ----------
    listing
        The list.
    settings
        The present stakes.
    goes_on, break_evens
        Results of :func:`~tarstop_core.explore.sensitivity.break_evens`.

    Returns
    -------
    list of str
        A sentence for each change, and one on the assumptions without any.
    """
    to_read = reports_to_read(listing.planned(settings))
    stands = {"now": goes_on, "begun": listing.start > 0, "to_read": to_read}
    in_documents = _in_documents(settings)

    def value(name: FactorName, at: float) -> str:
        if name == "b_0":
            return percent(at)
        if not in_documents:
            return amount(at, settings.payoffs.unit)
        if name != "cost":
            return amount(at / settings.cost, "documents")
        times = number(at / settings.cost)
        return "price" if times == number(1.0) else f"{times} times what it does now"

    sentences = [
        message(
            "turn",
            name=assumption.name,
            **stands,
            action=action(turn.option, settings),
            at=value(assumption.name, turn.at),
            back="" if turn.back is None else value(assumption.name, turn.back),
            value=value(assumption.name, assumption.value),
            in_documents=in_documents,
            more=turn.at > assumption.value,
            plus=settings.plus,
            minus=settings.minus,
            missed=scenario_of(settings).message("missed"),
        )
        for assumption in break_evens
        for turn in assumption.turns
    ]
    steady = [
        f"the {factor_name(assumption.name, settings)}" for assumption in break_evens if not assumption.turns
    ]
    return [*sentences, message("never", names=steady, **stands)] if steady else sentences
