"""The figure beside the advice: belief and worth along the list or, if no decision is weighed, what was found."""

import numpy as np

from tarstop_core.presentation.curves import depths_drawn, live_curves, window
from tarstop_core.presentation.figures import Figure
from tarstop_core.screening.advised import Advice
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import limits_of
from tarstop_core.value.path import ListPath


def advice_figure(
    path: ListPath, settings: Settings, state: State, advice: Advice, extent: str = "near", dark: bool = False
) -> Figure:
    """Figure of the belief and worth so far, and of where the rule would stop if nothing more is found.

    Parameters
    ----------
    path, settings, state : ListPath, Settings, State
        What the advice was computed from.
    advice : Advice
        The advice.
    extent : {"near", "all", "log"}
        "near": the last documents and the planned ones; "all": the whole list; "log": the whole list on a logarithmic
        axis.
    dark : bool
        Whether the page is dark.

    Returns
    -------
    Figure
        The figure of the scenario, if it has one of its own.
    """
    scenario, rule = scenario_of(settings), settings.rule
    own = scenario.figure(advice, state, dark)
    if own is not None:
        return own
    # Not drawn beyond the depth at which a find is almost sure, because it would change everything after it.
    ahead = advice.next_find[1] if advice.next_find else advice.more
    plan, worth = state.depth + ahead, rule.value_rate(path)
    span = window(len(path), state.depth, plan, "near" if extent == "near" else "all")
    exact = worth is not None
    at = depths_drawn(span, state.depth)
    at = at[(at >= state.depth) & (at < len(path))]
    if worth is None and (least := rule.least_rate(path, at)) is not None:
        # As long as the rule goes on, reading must be worth at least its cost. The bound takes the number of studies in many
        # documents for a Poisson one, so that it can lie a little above the cost where the rule stops.
        stop = int(rule.depths(path, [settings.cost], state.depth)[0])
        worth = np.zeros(len(path))
        worth[at] = np.where(at < stop, np.maximum(least, settings.cost), np.minimum(least, settings.cost))
    elif worth is not None and path.in_steps:
        # What reading on was worth earlier is not known any more, because fewer studies and reports were known then.
        worth = np.where(np.arange(len(worth)) < state.depth, 0.0, worth)
    return live_curves(
        path.b,
        worth,
        cost=settings.cost,
        q_star=settings.payoffs.q_star,
        limits=limits_of(settings) if settings.payoffs.others else (),
        depth=state.depth,
        plan=plan,
        stops=advice.next_find is None,
        hit=state.hit,
        span=span,
        unit=settings.payoffs.unit,
        belief_title=scenario.message("belief_on_list", settings=settings),
        worth_title="abstract’s worth" if settings.two_stages else "worth" if exact else "worth (at least)",
        log_depth=extent == "log",
        steps=path.in_steps,
        uninformative=state.uninformative if settings.one_decides else None,
        dark=dark,
    )
