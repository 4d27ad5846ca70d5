"""The path of a session, computed from settings and labels, and its paths under other assumptions."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.scores import scaled
from tarstop_core.screening.adaptive_chances import adaptive_chances, chances_after_finds
from tarstop_core.screening.advised import Assumption
from tarstop_core.screening.labels import RELEVANT
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Floats

Varied = tuple[Assumption, Settings, ListPath]
"""A changed assumption, the settings under it, and the path under it."""
PathsKey = tuple[Settings, Any, bytes, bytes]
"""Everything that the paths of a session depend on (:func:`paths_key`)."""

CHANCE_FACTORS = (0.5, 2.0)
"""Factors on the chances that are tried as other assumptions."""
COST_FACTORS = (0.1, 10.0)
"""Factors on the costs that are tried as other assumptions."""


def screening_path(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, chance_factor: float = 1.0
) -> ListPath:
    """The path of a session, computed from its settings and labels.

    Parameters
    ----------
    settings : Settings
        Settings in force, or those of a what-if.
    calibrator : Calibrator
        Where the chances come from, and how lists vary.
    p : ndarray, shape (N,)
        Chance of each document in the order of reading; what it is a chance of depends on the scenario.
    state : State
        The labels.
    chance_factor : float
        A further factor on the chances besides the scale of the settings; the products are at most 1.

    Returns
    -------
    ListPath
        What stopping rules are applied to.
    """
    chances = scaled(p, _scale(settings) * chance_factor)
    return scenario_of(settings).path(settings, calibrator, chances, state)


def paths_key(settings: Settings, state: State) -> PathsKey:
    """Key of everything that a session's paths depend on, for a cache.

    Paths hold the belief at all depths. So a document that is not relevant does not change the key, unless chances or
    order depend on it.
    """
    relevant = np.flatnonzero(state.labels == RELEVANT).tobytes()
    return settings, scenario_of(settings).key(settings, state), relevant, chances_key(settings, state)


def chances_key(settings: Settings, state: State) -> bytes:
    """Key of what chances depend on besides calibrator and settings: labels, if the chances adapt to them, and the order."""
    if settings.adapts_chances:
        return f"{len(state.labels)}:{state.kept}:".encode() + state.came_true[: state.depth].tobytes()
    labels = b""
    if settings.chances_follow:
        labels = np.stack((state.labels, state.judged, state.came_true)).tobytes()
    if state.sequence is None:
        return labels
    return labels + state.sequence.tobytes() + (state.counts.tobytes() if state.aside_read else b"")


def chances(settings: Settings, calibrator: Calibrator, scores: Floats | None, state: State) -> Floats:
    """Chance of each document in the order of reading.

    Parameters
    ----------
    settings, calibrator, state
        As for :func:`screening_path`.
    scores : ndarray or None
        Scores in the order of the stored list; None for a list without scores.

    Returns
    -------
    ndarray, shape (N,)
        Chances before the scale of the settings is applied.
    """
    if settings.adapts_chances:
        return adaptive_chances(settings, state)[0]
    p = _of_calibrator(calibrator, state.scores_as_read(scores), state)
    return chances_after_finds(calibrator, p, state) if settings.chances_follow else p


def _of_calibrator(calibrator: Calibrator, scores: Floats | None, state: State) -> Floats:
    """Chances from the calibrator; documents set aside have the chance 0."""
    if not state.aside_read:
        return calibrator.probabilities(scores, state.ranked)
    # The others have the chances that they would have in the list without the documents set aside.
    p, counts = np.zeros(len(state.labels)), state.counts
    assert state.ranks is not None
    p[counts] = calibrator.probabilities(None if scores is None else scores[counts], state.ranks[counts])
    return p


@dataclass(frozen=True, eq=False)
class Paths:
    """The path of a session, and its paths under other assumptions, which `vary` computes."""

    path: ListPath
    vary: Callable[[], tuple[Varied, ...]]

    @cached_property
    def others(self) -> tuple[Varied, ...]:
        """Paths under other assumptions, computed when first needed, because not every page needs them."""
        return self.vary()


def _scale(settings: Settings) -> float:
    """Factor on the chances of the calibrator; 1 if the chances adapt to labels instead."""
    return 1.0 if settings.adapts_chances else settings.scale


def session_paths(settings: Settings, calibrator: Calibrator, p: Floats, state: State) -> Paths:
    """The paths that advice needs; a page that redraws after every label caches them by :func:`paths_key`.

    Parameters
    ----------
    settings, calibrator, p, state
        As for :func:`screening_path`.

    Returns
    -------
    Paths
        The path, and those under other assumptions if a decision is weighed.
    """
    path = screening_path(settings, calibrator, p, state)
    return Paths(path, lambda: _varied(path, settings, calibrator, p, state) if settings.weighs else ())


def _varied(
    path: ListPath, settings: Settings, calibrator: Calibrator, p: Floats, state: State
) -> tuple[Varied, ...]:
    """Paths under other chances, starting chances and costs."""
    scenario, others = scenario_of(settings), list[Varied]()
    for factor in CHANCE_FACTORS:
        moved = screening_path(settings, calibrator, p, state, factor)
        others.append((Assumption(chance_factor=factor), settings, moved))
    for b_0 in starting_chances(settings) if scenario.has_starting_chance(settings) else ():
        changed = replace(settings, b_0=b_0)
        others.append((Assumption(b_0=b_0), changed, path_from(changed, path, calibrator, p, state)))
    for factor in COST_FACTORS if settings.cost else ():
        changed = settings.with_stakes(settings.stakes.with_costs_times(factor))
        others.append(
            (Assumption(cost_factor=factor), changed, screening_path(changed, calibrator, p, state))
        )
    return tuple(others)


def starting_chances(settings: Settings) -> tuple[float, float]:
    """A lower and a higher starting chance to try: 0.2 away, but in general not beyond 0.01 and 0.99."""
    edge = min(0.01, settings.b_0 / 2, (1 - settings.b_0) / 2)
    low, high = np.clip([settings.b_0 - 0.2, settings.b_0 + 0.2], edge, 1 - edge).tolist()
    return low, high


def path_from(
    settings: Settings, path: ListPath, calibrator: Calibrator, p: Floats, state: State
) -> ListPath:
    """A path with the starting chance of other settings.

    Parameters
    ----------
    settings : Settings
        Settings with the new starting chance.
    path : ListPath
        The path with the old one.
    calibrator, p, state
        As for :func:`screening_path`.

    Returns
    -------
    ListPath
        Valid from the present depth on.
    """
    chances = scaled(p, _scale(settings))
    return scenario_of(settings).with_b_0(path, settings, calibrator, chances, state)
