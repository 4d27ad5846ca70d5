"""Where rules stop on one list, drawn and in words."""

from typing import Any

import numpy as np

from tarstop_core.explore import message
from tarstop_core.explore.lists import Explored
from tarstop_core.explore.map_figure import Cell
from tarstop_core.presentation.curves import live_curves, window
from tarstop_core.presentation.figures import Figure, note, text_colour
from tarstop_core.screening.explain import action
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.value.path import Path


def path_figure(
    cell: Cell, *, belief_title: str = "chance it exists", simulated: bool = False, dark: bool = False
) -> Figure:
    """Belief and worth along the list, as the Screen page draws them, up to where the rule stops."""
    path, depth = cell.path, cell.depth
    hit = path.hit if path.hit is not None and path.hit <= depth else None
    figure = live_curves(
        path.b,
        cell.policy.value_rate(path),
        cost=cell.cost,
        q_star=path.payoffs.q_star,
        depth=depth if cell.world == "played" else cell.start,
        plan=depth,
        hit=hit,
        span=window(len(path), cell.start, depth, "last"),
        unit=path.payoffs.unit,
        belief_title=belief_title,
        worth_title="paper’s score" if cell.policy.criterion.is_score else "worth each",
        steps=path.in_steps,
        dark=dark,
    )
    layout = figure["layout"]
    layout["font"] = {"color": text_colour(dark)}
    layout["margin"]["t"] = 24
    if simulated:
        layout["annotations"].append(note(1, 1, "simulated", text_colour(dark), yshift=2))
    return figure


def full_cost_note(path: Path) -> str:
    """What stays in every cell and at every cost of a document, where reports are read in full; "" elsewhere."""
    return message("full_cost", path=path) if path.full_cost else ""


def path_sentence(cell: Cell, settings: Settings) -> str:
    """What becomes of the rule in a cell."""
    chosen = action(cell.plus, settings)
    return message("path", cell=cell, action=chosen, scenario=scenario_of(settings))


def path_columns(cell: Cell) -> dict[str, Any]:
    """One entry a depth: belief without a (further) hit, and what the rule compares with the cost."""
    path, n = cell.path, len(cell.path)
    b = np.asarray(path.b)
    if path.hit is not None:
        b = np.where(np.arange(n + 1) >= path.hit, 1.0, b)
    worth = cell.policy.value_rate(path)
    return {
        "depth": np.arange(n + 1),
        "belief": b,
        "worth": np.full(n + 1, np.nan) if worth is None else np.append(worth, np.nan),
        "cost": np.full(n + 1, cell.cost),
        "q_star": np.full(n + 1, path.payoffs.q_star),
    }


def plan_sentence(plan: Cell, explored: Explored) -> str:
    """The plan at the present settings in one line, for the top of the page."""
    if plan.settled:
        return message("plan_settled", cell=plan, confirmed=explored.settings.confirm_hits)
    if plan.depth <= plan.start:
        now = float(plan.path.payoffs.utility(plan.path.belief_at(plan.start)))
        waiting = round(plan.path.reports_waiting)
        return message("plan_of_none", cell=plan, waiting=waiting, utility_now=now)
    scenario = scenario_of(explored.settings)
    return message("plan", cell=plan, documents=len(explored), scenario=scenario)
