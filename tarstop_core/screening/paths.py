"""Build the path of a session from settings and labels, and the paths under other assumptions."""

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
PathsKey = tuple[Settings, Any, bytes, bytes]

CHANCE_FACTORS = (0.5, 2.0)
COST_FACTORS = (0.1, 10.0)


def screening_path(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, chance_factor: float = 1.0
) -> ListPath:
    """Build the path of a session from its settings and labels.

    Parameters
    ----------
    settings : Settings
        Those in force, or of a what-if.
    calibrator : Calibrator
        Where the chances come from, and how lists vary.
    p : ndarray, shape (N,)
        Chance of each document in the order of reading; the scenario says of what.
    state : State
        The labels.
    chance_factor : float
        Multiplies the chances on top of the scale of the settings; they are at most 1.

    Returns
    -------
    ListPath
    """
    chances = scaled(p, _scale(settings) * chance_factor)
    return scenario_of(settings).path(settings, calibrator, chances, state)


def paths_key(settings: Settings, state: State) -> PathsKey:
    """Return what a session's paths depend on, which is not the depth, so a miss changes nothing."""
    relevant = np.flatnonzero(state.labels == RELEVANT).tobytes()
    return settings, scenario_of(settings).key(settings, state), relevant, chances_key(settings, state)


def chances_key(settings: Settings, state: State) -> bytes:
    """Return what chances depend on apart from calibrator and settings; nothing if the list keeps its order."""
    if settings.adapts_chances:
        return f"{len(state.labels)}:{state.kept}:".encode() + state.came_true[: state.depth].tobytes()
    read = b""
    if settings.chances_follow:
        read = np.stack((state.labels, state.judged, state.came_true)).tobytes()
    if state.sequence is None:
        return read
    return read + state.sequence.tobytes() + (state.counts.tobytes() if state.aside_read else b"")


def chances(settings: Settings, calibrator: Calibrator, scores: Floats | None, state: State) -> Floats:
    """Compute the chance of each document in the order of reading.

    Parameters
    ----------
    settings, calibrator, state
        As of :func:`screening_path`.
    scores : ndarray or None
        In the order of the stored list.

    Returns
    -------
    ndarray, shape (N,)
    """
    if settings.adapts_chances:
        return adaptive_chances(settings, state)[0]
    p = _of_calibrator(calibrator, state.scores_as_read(scores), state)
    return chances_after_finds(calibrator, p, state) if settings.chances_follow else p


def _of_calibrator(calibrator: Calibrator, scores: Floats | None, state: State) -> Floats:
    if not state.aside_read:
        return calibrator.probabilities(scores, state.ranked)
    # Documents that were set aside have no chance; the others have that of the list without them.
    p, counts = np.zeros(len(state.labels)), state.counts
    assert state.ranks is not None
    p[counts] = calibrator.probabilities(None if scores is None else scores[counts], state.ranks[counts])
    return p


@dataclass(frozen=True, eq=False)
class Paths:
    """The path of a session, and the paths under other assumptions."""

    path: ListPath
    vary: Callable[[], tuple[Varied, ...]]

    @cached_property
    def others(self) -> tuple[Varied, ...]:
        """Assumptions with their settings and paths, computed when first needed: not every advice is varied."""
        return self.vary()


def _scale(settings: Settings) -> float:
    """Return the factor on the calibrator's chances; 1 if the chances adapt to labels."""
    return 1.0 if settings.adapts_chances else settings.scale


def session_paths(settings: Settings, calibrator: Calibrator, p: Floats, state: State) -> Paths:
    """Build the paths that advice needs; a page that redraws after every label caches them by :func:`paths_key`.

    Parameters
    ----------
    settings, calibrator, p, state
        As of :func:`screening_path`.

    Returns
    -------
    Paths
    """
    path = screening_path(settings, calibrator, p, state)
    return Paths(path, lambda: _varied(path, settings, calibrator, p, state) if settings.weighs else ())


def _varied(
    path: ListPath, settings: Settings, calibrator: Calibrator, p: Floats, state: State
) -> tuple[Varied, ...]:
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
    """A lower and a higher b_0 to try, moved by 0.2 but not beyond 0.01 and 0.99."""
    edge = min(0.01, settings.b_0 / 2, (1 - settings.b_0) / 2)
    low, high = np.clip([settings.b_0 - 0.2, settings.b_0 + 0.2], edge, 1 - edge).tolist()
    return low, high


def path_from(
    settings: Settings, path: ListPath, calibrator: Calibrator, p: Floats, state: State
) -> ListPath:
    """Change a path to the starting chance of other settings.

    Parameters
    ----------
    settings : Settings
        Settings with the new starting chance.
    path : ListPath
        The path with the old one.
    calibrator, p, state
        As of :func:`screening_path`.

    Returns
    -------
    ListPath
        True from the present depth on.
    """
    chances = scaled(p, _scale(settings))
    return scenario_of(settings).with_b_0(path, settings, calibrator, chances, state)
