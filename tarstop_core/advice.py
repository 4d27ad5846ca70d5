"""What a person is told at the depth they have reached, and the record of what they were told."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import Calibrator, scaled
from tarstop_core.policies import Budget, Greedy, Policy
from tarstop_core.policies.floor import depths_with_floor
from tarstop_core.screening.review import ReviewFacts, data_share, facts, review_path, with_b_0
from tarstop_core.session import (
    CONFIRMED,
    GRADES,
    IRRELEVANT,
    NAMES,
    PENDING,
    REJECTED,
    RELEVANT,
    Event,
    Fold,
    Settings,
    State,
    replay,
    standing,
)
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.decisive import DecisivePath

Floats = NDArray[np.float64]
ScreeningPath = DecisivePath | CumulativePath
Varied = tuple[str, Settings, ScreeningPath]
PathsKey = tuple[Settings, bytes, int | None, bytes]
Headline = Literal["continue", "stop", "found", "confirm", "depends", "prior alone", "all read", "reports"]

CHANCE_FACTORS = (0.5, 2.0)
PRIOR_SHIFTS = (-0.2, 0.2)
PRIOR_EDGE = 0.01
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
    if_holds, if_fails : Advice or None
        The two worlds, while a hit waits for confirmation.
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
    if_holds: Advice | None = None
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


def screening_path(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, chance_factor: float = 1.0
) -> ScreeningPath:
    """The path that a session's labels and settings stand for.

    Parameters
    ----------
    settings : Settings
        May differ from those in force: that is a what-if.
    calibrator : Calibrator
        Where `p` comes from; gives the frailty.
    p : ndarray, shape (N,)
        Chance of each document, in screening order: of being relevant given ω⁺; in a review, of being
        included or bringing data.
    state : State
        Labels so far.
    chance_factor : float
        Every chance times this and times the settings' own scale, at most 1.
    """
    chances = scaled(p, settings.scale * chance_factor)
    if settings.review:
        return review_path(settings, chances, state)
    curve = calibrator.curve(chances, kappa=settings.kappa, s=settings.s, silent=state.silent)
    return DecisivePath(
        curve=curve,
        b_0=settings.b_0,
        payoffs=settings.payoffs,
        hit=state.hit,
        needs_citation=settings.citation_needed,
        labels=np.asarray(state.labels == RELEVANT),
        p=chances,
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


def paths_key(settings: Settings, state: State) -> PathsKey:
    """What a session's paths depend on: not on the depth, so a miss leaves them as they are."""
    found = np.flatnonzero(state.labels == RELEVANT).tobytes()
    if not settings.review:
        return settings, state.silent.tobytes(), state.hit, found
    reports = repr((sorted(state.read_in_full.items()), data_share(settings, state)))
    return settings, reports.encode(), None, found


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
        outcomes.append((depth, _action(policy, path, depth)))
    return outcomes


def _action(policy: Policy, path: ScreeningPath, depth: int) -> bool:
    """Whether a⁺ is taken on stopping here, as in an experiment: a baseline of patents needs a hit."""
    if policy.acts_on_belief or isinstance(path, CumulativePath):
        return path.chooses_plus(depth)
    return path.hit is not None and depth >= path.hit


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
    Documents that came with their labels were never on the screen: their rows say so, and hold no advice.

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
    seen: dict[PathsKey, tuple[Calibrator, Floats, Paths]] = {}
    rows = []
    for event in standing(events):
        if event.kind == "label":
            state = fold.state
            depth, now = state.depth, state.settings
            key = paths_key(now, state)
            if key not in seen:
                calibrator = calibrators[now.calibrator]
                p = calibrator.probabilities(scores, state.ranked)
                seen[key] = (calibrator, p, session_paths(now, calibrator, p, state))
            calibrator, p, paths = seen[key]
            advice = _advise(now, paths, calibrator, p, state)
            rows.append(
                {
                    **_verdict_columns(final, ids, scores, depth),
                    "time": event.time,
                    "reviewer": event.reviewer,
                    "p": float(paths.path.p[depth]),
                    "h": _chance(paths.path, depth),
                    "b": advice.b,
                    "rho": advice.rho,
                    "evpi": advice.evpi,
                    "rho_evpi": advice.score,
                    "worth": advice.worth,
                    "cost": advice.cost,
                    "q_star": now.payoffs.q_star,
                    "policy": now.policy,
                    "headline": advice.headline,
                    "advice": "continue" if advice.go_on else "stop",
                    "more_if_nothing": advice.more,
                    "note": final.notes.get(ids[depth], ""),
                    "excluded_for": final.excluded_for.get(depth, ""),
                    **(
                        _review_columns(advice.review, final, depth)
                        if advice.review
                        else _patent_columns(final, ids, depth)
                    ),
                }
            )
        fold.apply(event)
        if event.kind == "kept":
            rows += [
                {
                    **_verdict_columns(final, ids, scores, depth),
                    "time": event.time,
                    "reviewer": "",
                    "kept_from": final.kept_from,
                    "note": final.notes.get(ids[depth], ""),
                    "excluded_for": final.excluded_for.get(depth, ""),
                    **(
                        _report_columns(final, depth)
                        if final.settings.review
                        else _patent_columns(final, ids, depth)
                    ),
                }
                for depth in range(final.kept)
            ]
    return rows


def _verdict_columns(final: State, ids: Sequence[str], scores: Floats | None, depth: int) -> dict[str, Any]:
    return {
        "rank": depth + 1,
        "id": ids[depth],
        "score": None if scores is None else float(scores[depth]),
        "label": NAMES[int(final.labels[depth])]
        + (" (hit not confirmed)" if final.confirmed[depth] == REJECTED else ""),
    }


def _chance(path: ScreeningPath, depth: int) -> float:
    """What the rule takes for the chance of this document: of a first hit, or of bringing data."""
    return float((path.rho if isinstance(path, CumulativePath) else path.curve.h)[depth])


def _patent_columns(final: State, ids: Sequence[str], depth: int) -> dict[str, Any]:
    """Whether it settles the question, its grade, and the Y that it settles the question together with."""
    first = final.together.get(depth)
    return {
        "settles": bool(final.labels[depth] == RELEVANT and not final.silent[depth]),
        "grade": GRADES.get(int(final.labels[depth]), ""),
        "together_with": "" if first is None else ids[first],
    }


def _review_columns(told: ReviewFacts, final: State, depth: int) -> dict[str, Any]:
    return {
        "studies": told.studies,
        "reports_waiting": told.waiting,
        "chance_otherwise": told.otherwise,
        "unseen_expected": told.unseen[0],
        **_report_columns(final, depth),
    }


def _report_columns(final: State, depth: int) -> dict[str, Any]:
    """What became of the report, as it stands."""
    report = final.read_in_full.get(depth)
    rows = report.rows if report else ()
    return {
        "report": report.outcome if report else "waiting" if depth in final.waiting else "",
        "report_reason": report.reason if report else "",
        "tables": "; ".join(
            f"{row.study}: TP {row.TP}, FP {'' if row.FP is None else row.FP}, "
            f"FN {row.FN}, TN {'' if row.TN is None else row.TN}"
            for row in rows
        ),
    }


@dataclass(frozen=True, eq=False)
class Paths:
    """The path of a session and those under other assumptions; they change only with what they depend on."""

    path: ScreeningPath
    vary: Callable[[], tuple[Varied, ...]]

    @cached_property
    def others(self) -> tuple[Varied, ...]:
        """Assumption, settings and path, computed when first asked for: not every advice is varied."""
        return self.vary()


def session_paths(settings: Settings, calibrator: Calibrator, p: Floats, state: State) -> Paths:
    """The paths that advice reads; a page that redraws after every label keeps them by :func:`paths_key`."""
    path = screening_path(settings, calibrator, p, state)
    return Paths(path, lambda: _varied(path, settings, calibrator, p, state))


def _varied(
    path: ScreeningPath, settings: Settings, calibrator: Calibrator, p: Floats, state: State
) -> tuple[Varied, ...]:
    what = "to bring data" if settings.review else "to be relevant"
    others: list[Varied] = []
    for words, factor in zip(("half", "twice"), CHANCE_FACTORS, strict=True):
        moved = screening_path(settings, calibrator, p, state, factor)
        others.append((f"documents are {words} as likely {what}", settings, moved))
    edge = min(PRIOR_EDGE, settings.b_0 / 2, (1 - settings.b_0) / 2)
    for shift in PRIOR_SHIFTS if settings.engine != "reml" or not settings.review else ():
        b_0 = float(np.clip(settings.b_0 + shift, edge, 1 - edge))
        assumption = f"you start from a chance of {b_0:.2g} instead of {settings.b_0:.2g}"
        changed = replace(settings, b_0=b_0)
        moved = (
            with_b_0(path, changed, state)
            if isinstance(path, CumulativePath)
            else screening_path(changed, calibrator, p, state)
        )
        others.append((assumption, changed, moved))
    return tuple(others)


def _advise(settings: Settings, paths: Paths, calibrator: Calibrator, p: Floats, state: State) -> Advice:
    advice = _plain(settings, paths.path, state.depth)
    if isinstance(paths.path, CumulativePath):
        return _advise_review(settings, paths, paths.path, calibrator, p, state, advice)
    if state.hit is not None:
        return replace(advice, headline="found")
    if len(state.pending):
        return replace(
            advice,
            headline="confirm",
            if_holds=advise(settings, calibrator, p, _settled(state, holds=True)),
            if_fails=advise(settings, calibrator, p, _settled(state, holds=False)),
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


def _stop(settings: Settings, policy: Policy, path: ScreeningPath, start: int = 0) -> int:
    """First depth ≥ start at which the policy stops, and the person's floor allows it."""
    if settings.floor and isinstance(path, CumulativePath):
        sure = np.asarray(1 - path.disagreement(settings.truth) >= settings.floor)
        return depths_with_floor(policy, path, settings.cost, sure, start)
    return int(policy.depths(path, [settings.cost], start=start)[0])


def _plain(settings: Settings, path: ScreeningPath, depth: int) -> Advice:
    """The chosen rule taken at its word."""
    rule, cost = settings.rule, settings.cost
    stop = _stop(settings, rule, path, depth)
    settled = path.hit is not None and depth >= path.hit
    left = depth < len(path)
    worth = rule.worth(path) if left else None
    payoffs = settings.payoffs
    plus = _action(rule, path, depth)
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


def _settled(state: State, holds: bool) -> State:
    """The state in which the hits that wait are confirmed, or are not hits."""
    labels, confirmed = state.labels.copy(), state.confirmed.copy()
    for at in state.pending:
        labels[at] = labels[at] if holds else IRRELEVANT
        confirmed[at] = CONFIRMED if holds else PENDING
    return replace(state, labels=labels, confirmed=confirmed)


def _variations(paths: Paths, depth: int) -> tuple[Variation, ...]:
    found = []
    for assumption, changed, path in paths.others:
        advice = _plain(changed, path, depth)
        found.append(Variation(assumption, advice.go_on, advice.more, advice.plus))
    return tuple(found)
