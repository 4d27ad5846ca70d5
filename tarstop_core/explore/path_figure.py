"""Where rules stop on one list, drawn and in words."""

from typing import Any

import numpy as np

from tarstop_core.explore.lists import Explored
from tarstop_core.explore.map_figure import Cell
from tarstop_core.explore.plans import settled
from tarstop_core.presentation.curves import live_curves, window
from tarstop_core.presentation.figures import Figure, note, text_colour
from tarstop_core.presentation.numbers import amount, count_of, percent
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.value.path import Path


def path_figure(
    cell: Cell, *, belief_title: str = "chance it exists", simulated: bool = False, dark: bool = False
) -> Figure:
    """Belief and worth along the list, as the Screen page draws them, up to where the rule stops."""
    path, depth = cell.path, cell.depth
    played = cell.world == "played"
    hit = path.hit if path.hit is not None and path.hit <= depth else None
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
        steps=path.in_steps,
        dark=dark,
    )
    layout = figure["layout"]
    layout["font"] = {"color": text_colour(dark)}
    layout["margin"]["t"] = 24
    if simulated:
        layout["annotations"].append(note(1, 1, "simulated", text_colour(dark), yshift=2))
    return figure


def full_cost_note(path: Path, unit: str) -> str:
    """What stays in every cell and at every cost of a document, where reports are read in full; "" elsewhere."""
    if not path.full_cost:
        return ""
    note = (
        f"Reading a report in full costs {amount(path.full_cost, unit)} throughout; only the cost of a document at title and "
        "abstract changes here."
    )
    reports = round(path.reports_waiting)
    if reports:
        note += f" The {reports:,} reports that wait are taken as read first, so further documents add little to them."
    return note


def path_sentence(cell: Cell, settings: Settings) -> str:
    """What becomes of the rule in a cell."""
    path, depth, payoffs = cell.path, cell.depth, cell.path.payoffs
    scenario, action = scenario_of(settings), settings.plus if cell.plan.plus[0] else settings.minus
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
        return (
            f"{where} stops after {count_of(depth)}{more} if {scenario.nothing} turns up, at a chance of {belief}, and then "
            f"chooses “{action}”; {scenario.planned} is expected to bring {utility}{' from here on' if cell.start else ''}, net of screening."
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
        if not (waiting := round(plan.path.reports_waiting)):
            return f"{plan.policy} {what}, expected to bring {worth}."
        waits = "the one report that waits is" if waiting == 1 else f"the {waiting:,} reports that wait is"
        return f"{plan.policy} {what} of the list; reading {waits} expected to bring {worth}."
    more = f" ({plan.depth - explored.start:,} more)" if explored.start else ""
    scenario = scenario_of(explored.settings)
    return (
        f"{plan.policy} stops after {count_of(plan.depth)}{more} of {len(explored):,} if {scenario.nothing} turns up; {scenario.planned} is "
        f"expected to bring {worth}{' from here on' if explored.start else ''}, net of screening."
    )
