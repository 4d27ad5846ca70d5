"""Where rules stop on one list, drawn and in words."""

from functools import partial
from typing import Any

import numpy as np

from tarstop_core.explore.lists import Explored
from tarstop_core.explore.map_figure import Cell
from tarstop_core.explore.plans import settled
from tarstop_core.presentation.curves import live_curves, window
from tarstop_core.presentation.figures import Figure, note, text_colour
from tarstop_core.presentation.numbers import amount
from tarstop_core.presentation.words import say
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.value.path import Path

_said = partial(say, "tarstop_core.explore.words")


def path_figure(
    cell: Cell, *, belief_title: str = "chance it exists", simulated: bool = False, dark: bool = False
) -> Figure:
    """Belief and worth along the list, as the Screen page draws them, up to where the rule stops."""
    path, depth = cell.path, cell.depth
    hit = path.hit if path.hit is not None and path.hit <= depth else None
    figure = live_curves(
        path.b,
        cell.policy.worth(path),
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


def full_cost_note(path: Path, unit: str) -> str:
    """What stays in every cell and at every cost of a document, where reports are read in full; "" elsewhere."""
    if not path.full_cost:
        return ""
    return _said("full_cost", cost=path.full_cost, unit=unit, reports=round(path.reports_waiting))


def path_sentence(cell: Cell, settings: Settings) -> str:
    """What becomes of the rule in a cell."""
    path, depth, payoffs, plus = cell.path, cell.depth, cell.path.payoffs, bool(cell.plan.plus[0])
    planned = cell.world == "planned"
    told = {"q_star": payoffs.q_star, "cost": cell.cost, "unit": payoffs.unit, "rule": cell.policy}
    told |= {"depth": depth, "more": _more(depth, cell.start), "start": cell.start}
    return _said(
        "path",
        **told,
        settled=planned and settled(path, cell.start),
        planned=planned,
        action=settings.plus if plus else settings.minus,
        utility=amount(float(cell.plan.net_utility[0]), payoffs.unit),
        **_brought(cell),
        scenario=scenario_of(settings),
        belief=path.belief_at(depth),
        right=plus == cell.omega,
    )


def _brought(cell: Cell) -> dict[str, str]:
    """What is expected of a plan, in the person's unit or else in documents."""
    said = _in_unit(cell, float(cell.plan.net_utility[0]))
    return {"brought": said, "net": "" if said.endswith("costs") else ", net of screening"}


def _in_unit(cell: Cell, utility: float) -> str:
    return _said("brought", unit=cell.path.payoffs.unit, cost=cell.cost, utility=utility)


def _more(depth: int, start: int) -> str:
    return f" ({depth - start:,} more)" if start else ""


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
    start, depth = explored.start, plan.depth
    told = {"rule": plan.policy, "start": start, "depth": depth, **_brought(plan)}
    if settled(plan.path, start):
        confirmed = explored.settings.confirm_hits
        return _said("plan_settled", **told, confirmed=confirmed, hit=plan.path.hit)
    if depth <= start:
        now = _in_unit(plan, float(plan.path.payoffs.utility(plan.path.belief_at(start))))
        return _said("plan_of_none", **told, waiting=round(plan.path.reports_waiting), now=now)
    scenario = scenario_of(explored.settings)
    return _said("plan", **told, more=_more(depth, start), documents=len(explored), scenario=scenario)
