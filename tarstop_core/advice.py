"""What a person is told at the depth they have reached, and the record of what they were told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration import Calibrator
from tarstop_core.policies import Budget, Greedy, Policy
from tarstop_core.session import (
    CONFIRMED,
    IRRELEVANT,
    NAMES,
    PENDING,
    Event,
    Fold,
    Settings,
    State,
    replay,
    standing,
)
from tarstop_core.value import DecisivePath

Floats = NDArray[np.float64]
Headline = Literal[
    "continue", "stop", "found", "finish batch", "confirm", "depends", "prior alone", "all read"
]

CHANCE_FACTORS = (0.5, 2.0)
PRIOR_SHIFTS = (-0.2, 0.2)
PRIOR_LIMITS = (0.01, 0.99)
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
    expected_more : float
        Documents that are expected to be read, because a hit may end the search sooner.
    plus : bool
        The action on stopping now.
    utility : float
        What that action is expected to bring, in the payoffs' unit, screening cost not subtracted.
    variations : tuple of Variation
        The advice under other assumptions.
    if_holds, if_fails : Advice or None
        The two worlds, while a hit waits for confirmation.
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
    expected_more: float
    plus: bool
    utility: float
    variations: tuple[Variation, ...] = ()
    if_holds: Advice | None = None
    if_fails: Advice | None = None

    @property
    def contrary(self) -> tuple[Variation, ...]:
        """Assumptions under which the advice would be another one."""
        return tuple(
            variation
            for variation in self.variations
            if variation.go_on != self.go_on or (not self.go_on and variation.plus != self.plus)
        )


def screening_path(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, chance_factor: float = 1.0
) -> DecisivePath:
    """The path that a session's labels and settings stand for.

    Parameters
    ----------
    settings : Settings
        May differ from those in force: that is a what-if.
    calibrator : Calibrator
        Where `p` comes from; gives the frailty.
    p : ndarray, shape (N,)
        Chance of each document given ω⁺, in screening order.
    state : State
        Labels so far.
    chance_factor : float
        Every chance times this, at most 1.
    """
    scaled = p if chance_factor == 1 else np.minimum(1.0, chance_factor * p)
    curve = calibrator.curve(scaled, kappa=settings.kappa, s=settings.s, silent=state.silent)
    return DecisivePath(
        curve=curve,
        b_0=settings.b_0,
        payoffs=settings.payoffs,
        hit=state.hit,
        needs_citation=settings.needs_citation,
    )


def advise(settings: Settings, calibrator: Calibrator, p: Floats, state: State) -> Advice:
    """Advice at the depth a session has reached.

    The stopping depth comes from the same call as in an experiment, begun at the current depth.
    """
    path = screening_path(settings, calibrator, p, state)
    advice = _plain(settings, path, state.depth)
    if state.hit is not None:
        return replace(advice, headline="finish batch" if advice.go_on else "found")
    if len(state.pending):
        return replace(
            advice,
            headline="confirm",
            if_holds=advise(settings, calibrator, p, _settled(state, holds=True)),
            if_fails=advise(settings, calibrator, p, _settled(state, holds=False)),
        )
    if state.depth == len(p):
        return replace(advice, headline="all read")
    advice = replace(advice, variations=_variations(settings, calibrator, p, state))
    if state.depth == 0 and not advice.go_on:
        return replace(advice, headline="prior alone")
    if advice.contrary:
        return replace(advice, headline="depends")
    return advice


def stopping_depths(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, policies: Sequence[Policy]
) -> list[int]:
    """Where each policy stops on this list, from the first document on, if nothing more turns up."""
    path = screening_path(settings, calibrator, p, state)
    return [int(policy.depths(path, [settings.cost])[0]) for policy in policies]


def trace(
    settings: Settings,
    calibrators: Mapping[str, Calibrator],
    ids: Sequence[str],
    scores: Floats | None,
    events: Sequence[Event],
) -> list[dict[str, Any]]:
    """One row a document read: what was believed, advised and answered at the time.

    Each row holds the numbers as they stood on the screen just before the document was labelled,
    with the settings then in force and the labels then known; `label` is the verdict that stands now.

    Parameters
    ----------
    settings : Settings
        At the start of the session.
    calibrators : mapping
        By digest, for every calibrator the session used.
    ids : sequence of str, length N
    scores : ndarray, shape (N,), or None
    events : sequence of Event

    Returns
    -------
    list of dict
        In order of rank; keys are column names.
    """
    final = replay(settings, ids, events)
    fold = Fold(settings, ids)
    paths: dict[tuple[Settings, bytes, int | None], tuple[Floats, DecisivePath]] = {}
    rows = []
    for event in standing(events):
        if event.kind == "label":
            state = fold.state
            depth, now = state.depth, state.settings
            key = (now, state.silent.tobytes(), state.hit)
            if key not in paths:
                calibrator = calibrators[now.calibrator]
                p = calibrator.probabilities(scores, len(ids))
                paths[key] = (p, screening_path(now, calibrator, p, state))
            p, path = paths[key]
            advice = _plain(now, path, depth)
            rows.append(
                {
                    "rank": depth + 1,
                    "id": ids[depth],
                    "score": None if scores is None else float(scores[depth]),
                    "label": NAMES[int(final.labels[depth])],
                    "confirmed": bool(final.confirmed[depth]),
                    "time": event.time,
                    "reviewer": event.reviewer,
                    "p": float(p[depth]),
                    "b": advice.b,
                    "rho": advice.rho,
                    "evpi": advice.evpi,
                    "paper_score": advice.score,
                    "worth": advice.worth,
                    "cost": advice.cost,
                    "q_star": now.payoffs.q_star,
                    "policy": now.policy,
                    "advice": "continue" if advice.go_on else "stop",
                    "more_if_nothing": advice.more,
                    "note": final.notes.get(ids[depth], ""),
                }
            )
        fold.apply(event)
    return rows


def _plain(settings: Settings, path: DecisivePath, depth: int) -> Advice:
    """The chosen rule taken at its word."""
    rule, cost = settings.rule, settings.cost
    stop = int(rule.depths(path, [cost], start=depth)[0])
    settled = path.hit is not None and depth >= path.hit
    left = depth < len(path)
    worth = rule.worth(path) if left else None
    silent_plan = replace(path, hit=None) if settled else path
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
        expected_more=float(stop - depth) if settled else silent_plan.expected_effort(depth, stop),
        plus=path.chooses_plus(depth),
        utility=path.utility_at(depth),
    )


def _settled(state: State, holds: bool) -> State:
    """The state in which the hits that wait are confirmed, or are not hits."""
    labels, confirmed = state.labels.copy(), state.confirmed.copy()
    for at in state.pending:
        labels[at] = labels[at] if holds else IRRELEVANT
        confirmed[at] = CONFIRMED if holds else PENDING
    return replace(state, labels=labels, confirmed=confirmed)


def _variations(settings: Settings, calibrator: Calibrator, p: Floats, state: State) -> tuple[Variation, ...]:
    cases: list[tuple[str, Settings, float]] = [
        ("documents are half as likely to be relevant", settings, CHANCE_FACTORS[0]),
        ("documents are twice as likely to be relevant", settings, CHANCE_FACTORS[1]),
    ]
    for shift in PRIOR_SHIFTS:
        b_0 = float(np.clip(settings.b_0 + shift, *PRIOR_LIMITS))
        assumption = f"you start from a chance of {b_0:.0%} instead of {settings.b_0:.0%}"
        cases.append((assumption, replace(settings, b_0=b_0), 1.0))
    found = []
    for assumption, changed, factor in cases:
        path = screening_path(changed, calibrator, p, state, factor)
        stop = int(changed.rule.depths(path, [changed.cost], start=state.depth)[0])
        found.append(
            Variation(assumption, stop > state.depth, stop - state.depth, path.chooses_plus(state.depth))
        )
    return tuple(found)
