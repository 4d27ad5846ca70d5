"""Figures and sentences of Explore: what is at stake, and where a rule stops."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from tarstop_core.explore import message
from tarstop_core.explore.lists import LabelledList
from tarstop_core.explore.plans import EXPECTABLE, Cell, Now
from tarstop_core.policies import Policy
from tarstop_core.presentation import figures as fig
from tarstop_core.presentation.curves import live_curves, window
from tarstop_core.presentation.figures import Chart, Figure, Rows
from tarstop_core.presentation.palette import BELIEF, COST, GREY, MINUS, PLUS, THRESHOLD, VALUE
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.wording import action, best_between, limits_of, question
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Floats, Payoffs
from tarstop_core.value.stakes import Stakes

LINE = 0.14
"""Height of a line of text, as a share of the highest EVPI drawn."""

# --- one decision ---------------------------------------------------------------------------------------


def beliefs_drawn(payoffs: Payoffs, *others: float) -> Floats:
    """Return 101 beliefs from 0 to 1, with the thresholds at which lines have a corner, and `others`."""
    return np.unique(np.append(np.linspace(0, 1, 101), (*payoffs.ranges().ends, *others)))


def stakes_figure(now: Now, settings: Settings, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Draw the expected utility of each action and, below it, the worth of certainty, by belief.

    By the paper's score one more document pays if EVPI is above the line at c/ρ.

    Parameters
    ----------
    now
        The present decision, whose belief is marked.
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
    if not payoffs.unit and now.cost:  # A person can compare documents with a day's work.
        payoffs = payoffs.scaled(1 / now.cost, "documents")
        now = replace(now, evpi=now.evpi / now.cost, needed=now.needed / now.cost)
    b = beliefs_drawn(payoffs, now.b)
    up, down, evpi = payoffs.utility_plus(b), payoffs.utility_minus(b), now.evpi_at(b, payoffs)
    others = [option.utility(b) for option in payoffs.others]
    peak = float(evpi.max())
    lines = np.array([up, down, *others])
    low, high = float(lines.min()), float(lines.max())
    room = 0.08 * (high - low)
    hover, bottom = "%{x:.0%}: %{y:.3~g}<extra></extra>", {"yaxis": "y2"}
    chart = Chart(390, dark=dark, simulated=simulated)
    chart.line(b, up, PLUS, width=3, hovertemplate=hover)
    chart.line(b, down, MINUS, width=3, hovertemplate=hover)
    for line, option in zip(others, payoffs.others, strict=True):
        chart.line(b, line, GREY, width=3, hovertemplate=hover)
        at = len(b) // 2
        chart.label(float(b[at]), float(line[at]), f"“{fig.plain(option.name, 44)}”", GREY)
    chart.line(b, evpi, VALUE, width=3, hovertemplate=hover, **bottom)
    for edges, panel in (((low - room, high + room), {}), ((0.0, 1.25 * peak), bottom)):
        for end in payoffs.ranges().ends:
            chart.rise(end, edges, THRESHOLD, dash="dash", **panel)
    for value, foot, panel in ((float(payoffs.utility(now.b)), low - room, {}), (now.evpi, 0.0, bottom)):
        # No higher than its point, where the name of an action may stand above it.
        chart.rise(now.b, (foot, value), BELIEF, width=1.5, dash="dot", **panel)
        chart.points([now.b], [value], BELIEF, hovertemplate=hover, **panel)
    right = payoffs.q_star > 0.5
    ends = [float(payoffs.utility_plus(now.b)), float(payoffs.utility_minus(now.b))]
    # Further down one of the two lines may cross the label.
    y = low - room if min(ends) - low > 2 * room else sum(ends) / 2
    chart.label(1, float(up[-1]), f"“{fig.plain(settings.plus, 44)}”", PLUS)
    chart.label(0, float(down[0]), f"“{fig.plain(settings.minus, 44)}”", MINUS, xanchor="left")
    if not others:  # At the top, where neither line is near
        ((q_star, threshold),) = limits_of(settings)
        place = {"yanchor": "top", "xanchor": "right" if right else "left"}
        chart.label(q_star, high + 2 * room, f" {threshold} ", **place)
    chart.label(now.b, y, " now ", BELIEF, xanchor="right" if now.b > 0.5 else "left")
    needed = now.needed
    if 0 < needed < 1.2 * peak:
        chart.line([0, 1], [needed, needed], COST, dash="dash", hoverinfo="skip", **bottom)
        x, anchor = (0.0, "left") if right else (1.0, "right")
        side: dict[str, Any] = {"xanchor": anchor}
        if needed < peak / 4:  # At the end of the axis EVPI would cross the label
            below = needed > 0.75 * LINE * peak  # There EVPI is further away
            free = b[evpi > (needed if below else needed + LINE * peak)]
            inside = [edge for edge in (now.b, payoffs.q_star) if free[0] < edge < free[-1]]
            corners = sorted((float(free[0]), *inside, float(free[-1])))
            width, left = max((end - start, start) for start, end in pairwise(corners))
            x, side = left + width / 2, {"xanchor": "center", **({"yanchor": "top"} if below else {})}
        chart.label(x, needed, "Greedy reads on above", COST, yref="y2", **side)
    belief = f"chance that {question(settings)}"
    chart.axis("xaxis", belief, range=[0, 1], tickformat=".0%", anchor="y2")
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
        The present decision.
    settings
        Payoffs and names of the actions.
    plan
        The plan of the rule from here on.

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
    stakes |= {"between": best_between(settings) if settings.payoffs.others else ""}
    compared = None if rule.criterion or now.rho == 0 else rule.value_rate(plan.path)
    stakes |= {"worth": None if compared is None else float(compared[plan.start])}
    return message("stakes", now=now, **stakes, **names)


def check_sentence(stakes: Stakes, settings: Settings) -> str:
    """Say what q* and cost follow from the answers to plain questions."""
    return message("check", stakes=stakes, plus=settings.plus, minus=settings.minus)


def stakes_rows(now: Now, payoffs: Payoffs) -> Rows:
    """Return the figure's numbers, one row per belief."""
    b = beliefs_drawn(payoffs)
    plus, minus = payoffs.utility_plus(b), payoffs.utility_minus(b)
    others = {f"utility_{option.name}": option.utility(b) for option in payoffs.others}
    return fig.rows_of(
        belief=b, utility_plus=plus, utility_minus=minus, **others, evpi=now.evpi_at(b, payoffs)
    )


# --- where a rule stops ---------------------------------------------------------------------------------


def path_figure(cell: Cell, settings: Settings, *, simulated: bool = False, dark: bool = False) -> Figure:
    """Draw belief and value along the list up to where the rule stops, as the Screen page does.

    Parameters
    ----------
    cell
        The rule and its stop.
    settings
        Settings with the payoffs of the cell.
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
        limits=limits_of(settings),
        belief_title=scenario_of(settings).belief_title,
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
    """Return, for each depth, the belief without a (further) hit and the rate that the rule compares with the cost."""
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
    """Say the result of the rule in a cell."""
    chosen = action(cell.option, settings)
    return message("path", cell=cell, action=chosen, scenario=scenario_of(settings), asked=question(settings))


def plan_sentence(plan: Cell, listing: LabelledList) -> str:
    """Say the plan at the present settings in one sentence, for the top of the page."""
    if plan.settled:
        return message("plan_settled", cell=plan, confirmed=listing.settings.confirm_hits)
    reports = {"to_read": reports_to_read(plan.path), "waiting": round(plan.path.reports_waiting)}
    if plan.depth <= plan.start:
        return message("plan_of_none", cell=plan, **reports)
    finds = plan.path.next_find(plan.start, plan.depth) is not None
    scenario = scenario_of(listing.settings)
    return message("plan", cell=plan, **reports, documents=len(listing), scenario=scenario, finds=finds)


def worth_sentence(plan: Cell, settings: Settings) -> str:
    """Say the plan's expected gain over deciding now; "" if it reads nothing."""
    if plan.settled or (plan.depth <= plan.start and not reports_to_read(plan.path)):
        return ""
    option = plan.path.action_at(plan.start, plan.policy.acts_on_belief)
    now = float(plan.path.payoffs.utility_of(option, plan.path.belief_at(plan.start)))
    return message("worth_of_plan", cell=plan, scenario=scenario_of(settings), utility_now=now)


def choice_sentence(plan: Cell, settings: Settings) -> str:
    """Say which option is chosen at the end of the plan, if nothing turns up."""
    names = {"plus": settings.plus, "minus": settings.minus, "action": action(plan.option, settings)}
    names["asked"] = question(settings)
    return message("choice", cell=plan, to_read=reports_to_read(plan.path), **names)


def reports_to_read(path: ListPath) -> int:
    """Return how many of the waiting reports are worth reading in full."""
    return path.best_reports(round(path.reports_waiting))[0]


def rule_note(settings: Settings, policy: Policy) -> str:
    """Say why another rule than the session's own is explored; "" if the session's own is."""
    if isinstance(settings.rule, EXPECTABLE):
        return ""
    return message("other_rule", rule=settings.rule, policy=policy)


def full_cost_note(path: ListPath, cost: float) -> str:
    """Say what all cells have in common if reports are read in full; otherwise ""."""
    return message("full_cost", path=path, cost=cost) if path.full_cost else ""
