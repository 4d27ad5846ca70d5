"""What a person is told at the depth they have reached, and the record of what they were told."""

from collections.abc import Sequence
from dataclasses import replace

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.policies import Budget, Greedy, Policy
from tarstop_core.policies.floor import depths_with_floor
from tarstop_core.screening.advised import Advice, Variation
from tarstop_core.screening.labels import IRRELEVANT, PENDING
from tarstop_core.screening.paths import Paths, screening_path, session_paths
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import Floats

ALWAYS_SHOWN: tuple[Policy, ...] = (Greedy(), Budget(100))


def advise(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, paths: Paths | None = None
) -> Advice:
    """Advice at the depth a session has reached.

    The stopping depth comes from the same call as in an experiment, begun at the current depth.

    Parameters
    ----------
    p : ndarray, shape (N,)
    paths : Paths, optional
        Those of :func:`session_paths` for the same :func:`paths_key`, where they are at hand.
    """
    if paths is None:
        paths = session_paths(settings, calibrator, p, state)
    return advice_on(settings, paths, calibrator, p, state)


def stopping_outcomes(
    settings: Settings,
    calibrator: Calibrator,
    p: Floats,
    state: State,
    policies: Sequence[Policy],
    paths: Paths | None = None,
    start: int | None = None,
) -> list[tuple[int, bool]]:
    """Where each policy stops on this list, and whether it then takes a⁺.

    Where one document decides from the first document on; before a hit: if nothing more turns up. Elsewhere from here
    on: reports that wait, and what was learned from those read, were not known to somebody at an earlier depth.
    `start` begins elsewhere. `paths` as for :func:`advise`.
    """
    path = screening_path(settings, calibrator, p, state) if paths is None else paths.path
    if start is None:
        start = 0 if settings.kind.one_decides else state.depth
    depths = [_stop(settings, policy, path, start) for policy in policies]
    return [(at, path.action_at(at, rule.acts_on_belief)) for at, rule in zip(depths, policies, strict=True)]


def advice_on(settings: Settings, paths: Paths, calibrator: Calibrator, p: Floats, state: State) -> Advice:
    """The advice on paths that are at hand."""
    advice, scenario = _plain(settings, paths.path, state.depth), scenario_of(settings)
    facts = scenario.facts(settings, calibrator, paths.path, p, state)
    advice = replace(advice, floor_holds=_floor_holds(settings, paths.path, advice), facts=facts)
    if state.hit is not None:
        return replace(advice, headline="found")
    if len(state.pending):
        return replace(
            advice, headline="confirm", if_fails=advise(settings, calibrator, p, _without_pending(state))
        )
    if scenario.reports_first(facts, advice):
        return replace(advice, headline="reports", go_on=True)
    if state.depth == len(p):
        return replace(advice, headline="all read")
    advice = replace(advice, variations=_variations(paths, state.depth))
    return replace(advice, headline="prior alone") if state.depth == 0 and not advice.go_on else advice


def _stop(settings: Settings, policy: Policy, path: Path, start: int = 0) -> int:
    """First depth ≥ start at which the policy stops, and the person's floor allows it."""
    sure = scenario_of(settings).sure_enough(settings, path)
    if sure is not None:
        return depths_with_floor(policy, path, settings.cost, sure, start)
    return int(policy.depths(path, [settings.cost], start=start)[0])


def _floor_holds(settings: Settings, path: Path, advice: Advice) -> bool:
    """Whether the chosen rule would stop here but for the floor."""
    if not advice.go_on or scenario_of(settings).sure_enough(settings, path) is None:
        return False
    return int(settings.rule.depths(path, [settings.cost], start=advice.depth)[0]) == advice.depth


def _plain(settings: Settings, path: Path, depth: int) -> Advice:
    """The chosen rule taken at its word."""
    rule, cost = settings.rule, settings.cost
    stop = _stop(settings, rule, path, depth)
    settled = path.hit is not None and depth >= path.hit
    left = depth < len(path)
    worth = rule.worth(path) if left else None
    payoffs = settings.payoffs
    plus = path.action_at(depth, rule.acts_on_belief)
    return Advice(
        headline="continue" if stop > depth else "stop",
        go_on=stop > depth,
        depth=depth,
        documents=len(path),
        b=path.belief_at(depth),
        rho=0.0 if settled or not left else float(path.rho[depth]),
        evpi=0.0 if settled else float(path.evpi[depth]),
        score=None if not left else 0.0 if settled else float(path.score(1)[depth]),
        worth=None if worth is None else 0.0 if settled else float(worth[depth]),
        cost=cost,
        more=stop - depth,
        plus=plus,
        utility=float((payoffs.utility_plus if plus else payoffs.utility_minus)(path.belief_at(depth))),
    )


def _without_pending(state: State) -> State:
    """The state in which the hits that wait for confirmation are no hits."""
    labels, confirmed = state.labels.copy(), state.confirmed.copy()
    for at in state.pending:
        labels[at], confirmed[at] = IRRELEVANT, PENDING
    return replace(state, labels=labels, confirmed=confirmed)


def _variations(paths: Paths, depth: int) -> tuple[Variation, ...]:
    told = ((assumption, _plain(changed, path, depth)) for assumption, changed, path in paths.others)
    return tuple(Variation(assumption, said.go_on, said.more, said.plus) for assumption, said in told)
