"""The advice at the depth that a person has reached, and the figure beside it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.policies import Budget, Greedy, Policy
from tarstop_core.presentation.curves import depths_drawn, live_curves, window
from tarstop_core.presentation.figures import Figure
from tarstop_core.screening.advised import Advice, Floor, Variation
from tarstop_core.screening.labels import IRRELEVANT, PENDING
from tarstop_core.screening.paths import Paths, screening_path, session_paths
from tarstop_core.screening.scenarios.base import outlook
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.screening.wording import limits_of
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import TOLERANCE, Floats

ALWAYS_SHOWN: tuple[Policy, ...] = (Greedy(), Budget(100))
"""Rules whose stopping depths are shown beside that of the chosen rule."""


def advise(
    settings: Settings,
    calibrator: Calibrator,
    p: Floats,
    state: State,
    paths: Paths | None = None,
    *,
    at_other_costs: bool = True,
) -> Advice:
    """Advice at the depth that a session has reached.

    The stopping depth comes from the same function as in an experiment, started at the present depth.

    Parameters
    ----------
    settings, calibrator, p, state
        As for :func:`~tarstop_core.screening.paths.screening_path`.
    paths : Paths, optional
        Result of :func:`session_paths` for the same :func:`paths_key`, if it was computed already.
    at_other_costs : bool
        Whether to vary the cost of reading even while the rule goes on, when no verdict names what comes out.

    Returns
    -------
    Advice
        The advice with its reasons, and what it would be under other assumptions.
    """
    if paths is None:
        paths = session_paths(settings, calibrator, p, state)
    advice = advice_in_short(settings, calibrator, p, state, paths)
    gain, pays = _gain(settings, paths.path, advice)
    held_by = _held_by(settings, paths.path, advice)
    advice = replace(advice, held_by=held_by, gain=gain, plan_pays=pays)
    if advice.headline == "confirm":
        return replace(advice, if_fails=advise(settings, calibrator, p, _without_pending(state)))
    if advice.headline in ("found", "reports", "all read"):
        return advice
    return replace(advice, variations=_variations(paths, state.depth, at_other_costs or not advice.go_on))


def advice_in_short(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, paths: Paths
) -> Advice:
    """Advice without floors, the gain of going on and other assumptions.

    Parameters
    ----------
    settings, calibrator, p, state, paths
        As for :func:`advise`.

    Returns
    -------
    Advice
        Headline, numbers and facts alone.
    """
    path, depth = paths.path, state.depth
    stop, option = _outcome(settings, path, depth)
    now, worth = outlook(path, depth), None
    if now.score is not None and (rate := settings.rule.value_rate(path)) is not None:
        worth = 0.0 if path.settled(depth) else float(rate[depth])
    advice = Advice(
        headline="continue" if stop > depth else "stop",
        go_on=stop > depth,
        depth=depth,
        documents=len(path),
        **vars(now),
        worth=worth,
        cost=settings.cost,
        more=stop - depth,
        next_find=path.next_find(depth, stop),
        option=option,
        utility=float(settings.payoffs.utility_of(option, now.b)),
        facts=scenario_of(settings).facts(settings, calibrator, path, p, state),
    )
    if state.hit is not None:
        return replace(advice, headline="found")
    if len(state.pending):
        return replace(advice, headline="confirm")
    if advice.reports:
        return replace(advice, headline="reports", go_on=True)
    if depth == len(p):
        return replace(advice, headline="all read")
    return replace(advice, headline="prior alone") if depth == 0 and not advice.go_on else advice


def stopping_outcomes(
    settings: Settings,
    calibrator: Calibrator,
    p: Floats,
    state: State,
    policies: Sequence[Policy],
    paths: Paths | None = None,
    start: int | None = None,
) -> list[tuple[int, int]]:
    """Depth at which each policy stops on this list, and the option that it then takes.

    Beyond the documents read, this assumes that nothing more is found.

    Parameters
    ----------
    settings, calibrator, p, state, paths
        As for :func:`advise`.
    policies : sequence of Policy
        The rules.
    start : int, optional
        Depth at which they begin. By default 0 if one document decides, otherwise the present depth, because waiting
        reports, and what was learned from those read, were not known at an earlier depth.

    Returns
    -------
    list of (int, int)
        Depth and option of each policy.
    """
    path = screening_path(settings, calibrator, p, state) if paths is None else paths.path
    if start is None:
        start = 0 if settings.one_decides else state.depth
    at_its_cost = [settings.cost]
    depths = [
        int(scenario_of(settings).stopping_depths(settings, rule, path, at_its_cost, start)[0])
        for rule in policies
    ]
    return [(at, path.action_at(at, rule.acts_on_belief)) for at, rule in zip(depths, policies, strict=True)]


def _held_by(settings: Settings, path: ListPath, advice: Advice) -> Floor | None:
    """The floor that alone keeps the chosen rule from stopping here; None if there is no such floor."""
    depth = advice.depth
    for floor, allowed in scenario_of(settings).floors(settings, path).items():
        if not allowed[depth]:
            stops = int(settings.rule.depths(path, [settings.cost], start=depth)[0]) <= depth
            return floor if stops else None
    return None


def _gain(settings: Settings, path: ListPath, advice: Advice) -> tuple[float, bool]:
    """Expected gain of going on as advised, in the payoffs' unit, and whether any plan gains."""
    if not advice.more:
        return 0.0, False
    depth, rule, cost = advice.depth, settings.rule, settings.cost
    costs = np.array([cost])
    here, there = np.array([depth]), np.array([depth + advice.more])
    now = path.expected_utility(here, costs, depth, acts_on_belief=rule.acts_on_belief, looks_every=1)
    gain = float((rule.expected_utility(path, there, costs, depth) - now)[0])
    return (0.0 if abs(gain) < TOLERANCE * settings.payoffs.K else gain), path.pays(depth, cost)


def _outcome(settings: Settings, path: ListPath, depth: int) -> tuple[int, int]:
    """The depth at which the chosen rule stops if nothing more is found, and the option that is taken on stopping now."""
    rule = settings.rule
    stop = int(scenario_of(settings).stopping_depths(settings, rule, path, [settings.cost], depth)[0])
    # If no decision is weighed, a⁺ means that enough was found, which is what the rule decides.
    return stop, int(path.action_at(depth, rule.acts_on_belief) if settings.weighs else stop <= depth)


def _without_pending(state: State) -> State:
    """The state if all hits that wait for confirmation were rejected."""
    labels, confirmed = state.labels.copy(), state.confirmed.copy()
    for at in state.pending:
        labels[at], confirmed[at] = IRRELEVANT, PENDING
    return replace(state, labels=labels, confirmed=confirmed)


def _variations(paths: Paths, depth: int, at_other_costs: bool) -> tuple[Variation, ...]:
    """Advice under each of the other assumptions."""
    variations = []
    for assumption, changed, path in paths.others:
        if assumption.cost_factor != 1 and not at_other_costs:
            continue
        stop, option = _outcome(changed, path, depth)
        reports, _ = path.best_reports(round(path.reports_waiting))
        finds = path.next_find(depth, stop) is not None
        other = Variation(assumption, stop > depth or reports > 0, stop - depth, option, finds, reports)
        variations.append(other)
    return tuple(variations)


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
        limits=limits_of(settings),
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
