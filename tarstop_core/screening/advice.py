"""What a person is told at the depth they have reached, and the record of what they were told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.policies import Budget, Greedy, Policy
from tarstop_core.policies.floor import depths_with_floor
from tarstop_core.screening.labels import IRRELEVANT, PENDING
from tarstop_core.screening.paths import Paths, screening_path, session_paths
from tarstop_core.screening.review import ReviewFacts, facts
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.path import Path

Floats = NDArray[np.float64]
Headline = Literal["continue", "stop", "found", "confirm", "depends", "prior alone", "all read", "reports"]
ALWAYS_SHOWN: tuple[Policy, ...] = (Greedy(), Budget(100))


@dataclass(frozen=True)
class Variation:
    """The advice under one changed assumption.

    Parameters
    ----------
    assumption : str
        What was changed, as a clause: "documents are half as likely to be relevant".
    go_on : bool
    more : int
        Documents that would still be read if nothing turned up.
    plus : bool
        The action on stopping now.
    """

    assumption: str
    go_on: bool
    more: int
    plus: bool


@dataclass(frozen=True)
class Advice:
    """The advice at one depth.

    Parameters
    ----------
    headline : str
        Which of the kinds of advice this is.
    go_on : bool
        Whether the chosen rule, taken at its word, reads another document.
    depth, documents : int
        Documents read, and in the list.
    b, rho, evpi : float
        Belief now; chance that the next document is a hit; EVPI now, in the payoffs' unit.
    score, worth : float or None
        The paper's score of the next document, and the figure that the chosen rule compares with
        the cost; in the payoffs' unit. None where the rule compares nothing, or nothing is left.
    cost : float
        Per document, in the payoffs' unit.
    more : int
        Documents that would still be read if nothing turned up.
    plus : bool
        The action on stopping now.
    utility : float
        What that action is expected to bring, in the payoffs' unit, screening cost not subtracted.
    variations : tuple of Variation
        The advice under other assumptions.
    if_fails : Advice or None
        While a hit waits for confirmation: the advice should it not hold.
    review : ReviewFacts or None
        What a review has beside it.
    """

    headline: Headline
    go_on: bool
    depth: int
    documents: int
    b: float
    rho: float
    evpi: float
    score: float | None
    worth: float | None
    cost: float
    more: int
    plus: bool
    utility: float
    variations: tuple[Variation, ...] = ()
    if_fails: Advice | None = None
    review: ReviewFacts | None = None

    @property
    def says_stop(self) -> bool:
        """Whether what is advised is to stop and decide: not while a hit is to be confirmed first."""
        return not self.go_on and self.headline != "confirm"

    @property
    def contrary(self) -> tuple[Variation, ...]:
        """Assumptions under which the advice would be another one."""
        return tuple(
            variation
            for variation in self.variations
            if variation.go_on != self.go_on or (not self.go_on and variation.plus != self.plus)
        )


def advise(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, paths: Paths | None = None
) -> Advice:
    """Advice at the depth a session has reached.

    The stopping depth comes from the same call as in an experiment, begun at the current depth.

    Parameters
    ----------
    settings : Settings
    calibrator : Calibrator
    p : ndarray, shape (N,)
    state : State
    paths : Paths, optional
        Those of :func:`session_paths` for the same :func:`paths_key`, where they are at hand.
    """
    if paths is None:
        paths = session_paths(settings, calibrator, p, state)
    return _advise(settings, paths, calibrator, p, state)


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

    In patents from the first document on; before a hit: if nothing more turns up. In reviews from here on:
    reports that wait, and what was learned from those read, were not known to somebody at an earlier depth.
    `start` begins elsewhere. `paths` as for :func:`advise`.
    """
    path = screening_path(settings, calibrator, p, state) if paths is None else paths.path
    outcomes = []
    if start is None:
        start = state.depth if settings.review else 0
    for policy in policies:
        depth = _stop(settings, policy, path, start)
        outcomes.append((depth, path.action_at(depth, policy.acts_on_belief)))
    return outcomes


def _advise(settings: Settings, paths: Paths, calibrator: Calibrator, p: Floats, state: State) -> Advice:
    advice = _plain(settings, paths.path, state.depth)
    if isinstance(paths.path, CumulativePath):
        return _advise_review(settings, paths, paths.path, calibrator, p, state, advice)
    if state.hit is not None:
        return replace(advice, headline="found")
    if len(state.pending):
        return replace(
            advice, headline="confirm", if_fails=advise(settings, calibrator, p, _without_pending(state))
        )
    if state.depth == len(p):
        return replace(advice, headline="all read")
    advice = replace(advice, variations=_variations(paths, state.depth))
    if state.depth == 0 and not advice.go_on:
        return replace(advice, headline="prior alone")
    if advice.contrary:
        return replace(advice, headline="depends")
    return advice


def _advise_review(
    settings: Settings,
    paths: Paths,
    path: CumulativePath,
    calibrator: Calibrator,
    p: Floats,
    state: State,
    advice: Advice,
) -> Advice:
    without_floor = int(settings.rule.depths(path, [settings.cost], start=state.depth)[0])
    held = advice.go_on and without_floor == state.depth
    told = facts(settings, calibrator, path, p, state, floor_holds=held)
    advice = replace(advice, review=told)
    if told.reports_first or (told.reports_open and not advice.go_on):
        return replace(advice, headline="reports", go_on=True)
    if state.depth == len(path):
        return replace(advice, headline="all read")
    advice = replace(advice, variations=_variations(paths, state.depth))
    if not told.studies and not state.depth and not advice.go_on:
        return replace(advice, headline="prior alone")
    return replace(advice, headline="depends") if advice.contrary else advice


def _stop(settings: Settings, policy: Policy, path: Path, start: int = 0) -> int:
    """First depth ≥ start at which the policy stops, and the person's floor allows it."""
    if settings.floor and isinstance(path, CumulativePath):
        sure = np.asarray(1 - path.disagreement(settings.truth) >= settings.floor)
        return depths_with_floor(policy, path, settings.cost, sure, start)
    return int(policy.depths(path, [settings.cost], start=start)[0])


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
    found = []
    for assumption, changed, path in paths.others:
        advice = _plain(changed, path, depth)
        found.append(Variation(assumption, advice.go_on, advice.more, advice.plus))
    return tuple(found)
