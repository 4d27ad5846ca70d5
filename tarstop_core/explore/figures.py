"""Figures and sentences of Explore but its maps: what is at stake, where a rule stops, and what moves it."""

import textwrap
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from tarstop_core.explore import message
from tarstop_core.explore.lists import LabelledList
from tarstop_core.explore.plans import EXPECTABLE, Cell, Now
from tarstop_core.explore.sensitivity import BreakEven, FactorName, Swing, Tornado
from tarstop_core.policies import Policy
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.curves import live_curves, window
from tarstop_core.presentation.figures import Chart, Figure, Rows
from tarstop_core.presentation.numbers import amount, count_of, number, percent
from tarstop_core.presentation.palette import BELIEF, COST, LESS, MINUS, MORE, PAPER, PLUS, THRESHOLD, VALUE
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action, question
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Floats, Payoffs
from tarstop_core.value.stakes import Stakes

ROW = 34
"""Pixels of one assumption."""
SIDES = {"depth": (0.0, 0.46), "net_utility": (0.54, 1.0)}
"""Shares of the width in which a tornado shows each measure."""
Measured = Literal["depth", "net_utility"]


# --- one decision ---------------------------------------------------------------------------------------


def beliefs_drawn(payoffs: Payoffs, *others: float) -> Floats:
    """Return a hundred steps from 0 to 1 with the threshold, where the lines have their corners, and others between."""
    return np.unique(np.append(np.linspace(0, 1, 101), (payoffs.q_star, *others)))


def stakes_figure(now: Now, settings: Settings, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Draw what each action is expected to bring, and below what certainty would be worth, against the belief.

    The line at c/ρ is what EVPI has to exceed for one more document to pay by the paper's score.

    Parameters
    ----------
    now
        The decision, which is marked.
    settings
        Payoffs and names of the actions.
    simulated, dark
        Whether the list is simulated, and the page dark.

    Returns
    -------
    Figure
        For plotly.
    """
    payoffs = settings.payoffs
    b = beliefs_drawn(payoffs, now.b)
    up, down, evpi = payoffs.utility_plus(b), payoffs.utility_minus(b), now.evpi_at(b, payoffs)
    peak = float(evpi.max())
    low, high = float(min(up.min(), down.min())), float(max(up.max(), down.max()))
    room = 0.08 * (high - low)
    hover, bottom = "%{x:.2f}: %{y:.3~g}<extra></extra>", {"yaxis": "y2"}
    chart = Chart(390, dark=dark, simulated=simulated)
    chart.line(b, up, PLUS, width=3, hovertemplate=hover)
    chart.line(b, down, MINUS, width=3, hovertemplate=hover)
    chart.line(b, evpi, VALUE, width=3, hovertemplate=hover, **bottom)
    for edges, panel in (((low - room, high + room), {}), ((0.0, 1.25 * peak), bottom)):
        chart.rise(payoffs.q_star, edges, THRESHOLD, dash="dash", **panel)
        chart.rise(now.b, edges, BELIEF, width=1.5, dash="dot", **panel)
    for value, panel in ((float(payoffs.utility(now.b)), {}), (now.evpi, bottom)):
        chart.points([now.b], [value], BELIEF, hovertemplate=hover, **panel)
    right = payoffs.q_star > 0.5
    ends = [float(payoffs.utility_plus(now.b)), float(payoffs.utility_minus(now.b))]
    # Lower down one of the two lines may run where the label would stand.
    y = low - room if min(ends) - low > 2 * room else sum(ends) / 2
    chart.label(1, float(up[-1]), f"“{fig.plain(settings.plus, 44)}”", PLUS)
    chart.label(0, float(down[0]), f"“{fig.plain(settings.minus, 44)}”", MINUS, xanchor="left")
    threshold = f"act above {percent(payoffs.q_star)}"
    place = {"yref": "y2", "yanchor": "top", "xanchor": "right" if right else "left"}
    chart.label(payoffs.q_star, 1.25 * peak, f" {threshold} ", **place)
    chart.label(now.b, y, " now ", BELIEF, xanchor="right" if now.b > 0.5 else "left")
    needed = now.needed
    if 0 < needed < 1.2 * peak:
        chart.line([0, 1], [needed, needed], COST, dash="dash", hoverinfo="skip", **bottom)
        x, anchor = (0.0, "left") if right else (1.0, "right")
        if needed < peak / 4:  # at the end EVPI would run through the label
            x = (x + payoffs.q_star) / 2
            anchor = "right" if now.b >= x else "left"
        chart.label(x, needed, "needed to read on", COST, yref="y2", xanchor=anchor)
    belief = f"chance that {question(settings)}"
    chart.axis("xaxis", belief, range=[0, 1], tickformat=".1f", anchor="y2")
    utility, certainty = (
        fig.with_unit(title, payoffs.unit) for title in ("expected utility", "worth of certainty")
    )
    top = {"range": [low - room, high + 2 * room], "nticks": 6}
    chart.axis("yaxis", utility, domain=[0.5, 1.0], **top, exponentformat="none")
    bottom_range = {"range": [0, 1.25 * peak], "nticks": 5}
    chart.axis("yaxis2", certainty, domain=[0.0, 0.42], **bottom_range, exponentformat="none")
    return chart.figure()


def stakes_sentence(now: Now, settings: Settings, plan: Cell) -> str:
    """Say what the figure shows at the present belief, and whether the rule reads on.

    Parameters
    ----------
    now
        The decision about the next document.
    settings
        Payoffs and names of the actions.
    plan
        What the rule comes to from here on.

    Returns
    -------
    str
        One or two sentences.
    """
    names = {
        "plus": settings.plus,
        "minus": settings.minus,
        "settles": scenario_of(settings).message("settling"),
    }
    in_full = settings.cost_in_full > 0
    rule, reads_on = plan.policy, plan.depth > plan.start
    stakes = {"payoffs": settings.payoffs, "in_full": in_full, "rule": rule, "reads_on": reads_on}
    return message("stakes", now=now, **stakes, **names)


def check_sentence(stakes: Stakes, settings: Settings) -> str:
    """Say what q* and cost mean, for somebody who answered plain questions."""
    return message("check", stakes=stakes, plus=settings.plus, minus=settings.minus)


def stakes_rows(now: Now, payoffs: Payoffs) -> Rows:
    """Return the figure's numbers, a row a belief."""
    b = beliefs_drawn(payoffs)
    plus, minus = payoffs.utility_plus(b), payoffs.utility_minus(b)
    return fig.rows_of(belief=b, utility_plus=plus, utility_minus=minus, evpi=now.evpi_at(b, payoffs))


# --- where a rule stops ---------------------------------------------------------------------------------


def path_figure(
    cell: Cell, *, belief_title: str = "chance of prior art", simulated: bool = False, dark: bool = False
) -> Figure:
    """Draw belief and value along the list, as the Screen page does, up to where the rule stops.

    Parameters
    ----------
    cell
        The rule and where it stops.
    belief_title
        What the axis of the belief is called.
    simulated, dark
        Whether the list is simulated, and the page dark.

    Returns
    -------
    Figure
        For plotly.
    """
    path, depth = cell.path, cell.depth
    figure = live_curves(
        path.b,
        cell.policy.value_rate(path),
        cost=cell.cost,
        q_star=cell.q_star,
        depth=depth if cell.world == "played" else cell.start,
        plan=depth,
        hit=path.hit if path.hit is not None and path.hit <= depth else None,
        span=window(len(path), cell.start, depth, "last"),
        unit=cell.unit,
        belief_title=belief_title,
        worth_title="worth each",
        steps=path.in_steps,
        dark=dark,
    )
    layout = figure["layout"]
    layout["margin"]["t"] = 24
    if simulated:
        layout["annotations"].append(fig.note(1, 1, "simulated", fig.text_colour(dark), yshift=2))
    return figure


def path_columns(cell: Cell) -> dict[str, Any]:
    """Return, one entry a depth, the belief without a (further) hit and what the rule compares with the cost."""
    path, n = cell.path, len(cell.path)
    b = np.asarray(path.b)
    if path.hit is not None:
        b = np.where(np.arange(n + 1) >= path.hit, 1.0, b)
    value_rate = cell.policy.value_rate(path)
    return {
        "depth": np.arange(n + 1),
        "belief": b,
        "worth": np.full(n + 1, np.nan) if value_rate is None else np.append(value_rate, np.nan),
        "cost": np.full(n + 1, cell.cost),
        "q_star": np.full(n + 1, cell.q_star),
    }


def path_sentence(cell: Cell, settings: Settings) -> str:
    """Say what becomes of the rule in a cell."""
    chosen = action(cell.plus, settings)
    return message("path", cell=cell, action=chosen, scenario=scenario_of(settings))


def plan_sentence(plan: Cell, listing: LabelledList) -> str:
    """Say the plan at the present settings in one line, for the top of the page."""
    if plan.settled:
        return message("plan_settled", cell=plan, confirmed=listing.settings.confirm_hits)
    payoffs, plus = plan.path.payoffs, plan.path.action_at(plan.start, plan.policy.acts_on_belief)
    now = float((payoffs.utility_plus if plus else payoffs.utility_minus)(plan.path.belief_at(plan.start)))
    reports = {"to_read": reports_to_read(plan.path), "waiting": round(plan.path.reports_waiting)}
    if plan.depth <= plan.start:
        return message("plan_of_none", cell=plan, **reports, utility_now=now)
    scenario = scenario_of(listing.settings)
    finds = plan.path.next_find(plan.start, plan.depth) is not None
    how = {"documents": len(listing), "scenario": scenario, "utility_now": now, "finds": finds}
    return message("plan", cell=plan, **reports, **how)


def choice_sentence(plan: Cell, settings: Settings) -> str:
    """Say what is chosen where the plan ends, if nothing turns up."""
    names = {"plus": settings.plus, "minus": settings.minus, "action": action(plan.plus, settings)}
    return message("choice", cell=plan, to_read=reports_to_read(plan.path), **names)


def reports_to_read(path: ListPath) -> int:
    """Return how many of the reports that wait are worth reading in full."""
    return path.best_reports(round(path.reports_waiting))[0]


def rule_note(settings: Settings, policy: Policy) -> str:
    """Say why another rule than the session's own is explored; "" where that can be expected."""
    if isinstance(settings.rule, EXPECTABLE):
        return ""
    return message("other_rule", rule=settings.rule, policy=policy)


def full_cost_note(path: ListPath, cost: float) -> str:
    """Say what stays the same in every cell where reports are read in full; "" elsewhere."""
    return message("full_cost", path=path, cost=cost) if path.full_cost else ""


# --- what a plan depends on -----------------------------------------------------------------------------


def factor_name(name: str, settings: Settings) -> str:
    """Return what an assumption is called in the figure: "loss of a wrong “Reject” (L_r)"."""
    return message("factor", name=name, plus=settings.plus, minus=settings.minus)


def tornado_figure(
    tornado: Tornado, settings: Settings, *, simulated: bool = False, dark: bool = False
) -> Figure:
    """Draw stopping depth and expected net utility with one assumption lower or higher, the widest on top.

    Parameters
    ----------
    tornado
        The plan, and each assumption changed alone.
    settings
        The unit and names of the actions.
    simulated, dark
        Whether the list is simulated, and the page dark.

    Returns
    -------
    Figure
        For plotly.
    """

    def widths(swing: Swing) -> tuple[float, float]:
        """Return the width in depth and, for where depths tie, in net utility."""
        return _width(tornado.depth, swing.depth), _width(tornado.net_utility, swing.net_utility)

    swings = sorted(tornado.swings, key=widths, reverse=True)
    chart = Chart(90 + ROW * len(swings), dark=dark, simulated=simulated)
    chart.note(0, 1, "■ lower", MINUS if dark else LESS, xanchor="left", yshift=2)
    chart.note(0, 1, "▨ higher", MORE, xanchor="left", xshift=60, yshift=2)
    names = [_in_lines(factor_name(swing.name, settings)) for swing in swings]
    unit = settings.payoffs.unit
    titles = {"depth": "stopping depth", "net_utility": fig.with_unit("expected net utility", unit)}
    shapes = []
    panels: tuple[tuple[Measured, str], ...] = (("depth", ""), ("net_utility", "2"))
    for measure, suffix in panels:
        for end in (0, 1):
            bars = _bars(tornado, swings, measure, end, unit)
            texts = {"textfont": {"color": fig.text_colour(dark), "size": 11}, "xaxis": f"x{suffix}"}
            chart.traces.append({"y": names, **bars, **texts})
        shapes.append(fig.upright(getattr(tornado, measure), xref=f"x{suffix}"))
        look = {"nticks": 4, "range": _room(tornado, measure), "tickformat": ",.3~r"}
        chart.axis(f"xaxis{suffix}", titles[measure], domain=list(SIDES[measure]), **look)
    chart.axis("yaxis", "", automargin=True, type="category", autorange="reversed")
    return chart.figure(barmode="overlay", shapes=shapes, margin={"l": 8})


def _bars(
    tornado: Tornado, swings: Sequence[Swing], measure: Measured, end: int, unit: str
) -> dict[str, Any]:
    """Return the bars of one measure, from where it is now to the low (0) or high (1) end of each assumption."""
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
    return f"{ends[end]:,}" if measure == "depth" else number(ends[end])


def _room(tornado: Tornado, measure: Measured) -> list[float]:
    """Return the range of an axis, with room for the numbers at the ends of the bars."""
    values = [getattr(tornado, measure), *(v for swing in tornado.swings for v in getattr(swing, measure))]
    low, high = min(values), max(values)
    room = 0.28 * (high - low) or max(1.0, abs(high)) / 10
    return [low - room, high + room]


def _in_lines(name: str) -> str:
    """Break a name, to leave room for the bars on a phone."""
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
    """Say what moves the plan most."""
    depth, utility = (_widest(tornado, measure, settings) for measure in SIDES)
    return message("tornado", tornado=tornado, depth=depth, utility=utility, unit=settings.payoffs.unit)


def _widest(tornado: Tornado, measure: str, settings: Settings) -> dict[str, Any]:
    """Return the assumption that moves a measure most, how far, and how many others move it as far."""
    base = getattr(tornado, measure)
    widths = [_width(base, getattr(swing, measure)) for swing in tornado.swings]
    swing = tornado.swings[widths.index(max(widths))]
    low, _, high = sorted((*getattr(swing, measure), base))
    name = factor_name(swing.name, settings)
    return {"name": name, "low": low, "high": high, "alike": widths.count(max(widths)) - 1}


def tornado_rows(tornado: Tornado) -> Rows:
    """Return the figure's numbers, a row an assumption and end."""
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
    """Say where each assumption would turn the advice.

    Parameters
    ----------
    listing
        The list.
    settings
        What is at stake.
    goes_on, break_evens
        As :func:`~tarstop_core.explore.sensitivity.break_evens` gives them.

    Returns
    -------
    list of str
        A sentence a turn, and one on the assumptions that turn nothing.
    """
    to_read = reports_to_read(listing.planned(settings))
    stands = {"now": goes_on, "begun": listing.start > 0, "to_read": to_read}

    def value(name: FactorName, at: float) -> str:
        return percent(at) if name == "b_0" else amount(at, settings.payoffs.unit)

    sentences = [
        message(
            "turn",
            name=assumption.name,
            **stands,
            action=action(turn.plus, settings),
            at=value(assumption.name, turn.at),
            back="" if turn.back is None else value(assumption.name, turn.back),
            value=value(assumption.name, assumption.value),
            more=turn.at > assumption.value,
            plus=settings.plus,
            minus=settings.minus,
            missed=scenario_of(settings).message("missed"),
        )
        for assumption in break_evens
        for turn in assumption.turns
    ]
    steady = [assumption.name.replace("b_0", "b₀") for assumption in break_evens if not assumption.turns]
    return [*sentences, message("never", names=steady, **stands)] if steady else sentences
