"""Floors, that is conditions that must hold before any rule may stop."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import pdtrc

from tarstop_core.policies.base import Depths, Flags, Policy
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.path import Path

PROBABLY = 0.5  # A floor on studies gives way if the list holds that many with a smaller chance than this


def first_allowed_stops(
    policy: Policy, path: Path, costs: ArrayLike, allowed: Flags, start: int = 0
) -> Depths:
    """First depth from `start` on at which a policy stops and the floors allow it, for each cost.

    Parameters
    ----------
    policy : Policy
        The stopping rule.
    path : Path
        Belief and chances along a list of N documents.
    costs : array_like, shape (C,)
        Costs of a document, in the payoffs' unit.
    allowed : ndarray of bool, shape (C, N + 1)
        Whether the floors allow stopping after 0 … N documents, for each cost.
    start : int
        Documents read so far.

    Returns
    -------
    ndarray of int, shape (C,)
        Depths from `start` to N; N where there is no such depth.
    """
    n, depths = len(path), np.array(policy.depths(path, costs, start))
    for at, allowed_here in enumerate(allowed):
        while depths[at] < n and not allowed_here[depths[at]]:
            later = np.flatnonzero(allowed_here[depths[at] + 1 :])
            begin = int(depths[at] + 1 + later[0]) if len(later) else n
            # Ask for all costs again, because the path has cached what it computed for all of them.
            depths[at] = policy.depths(path, costs, begin)[at] if begin < n else n
    return depths


def enough_studies(path: CumulativePath, least: int, cost: float) -> Flags:
    """Flags of the depths at which a floor on the number of studies allows stopping.

    The floor gives way where the list probably does not hold that many studies, and where reaching it would cost more
    than certainty is worth.

    Parameters
    ----------
    path : CumulativePath
        Belief, chances and studies along a list of N documents.
    least : int
        Number of studies to find first.
    cost : float
        Cost of a document, in the payoffs' unit.

    Returns
    -------
    ndarray of bool, shape (N + 1,)
        Whether a rule may stop after 0 … N documents.
    """
    lacking = np.maximum(0, least - path.behind - path.studies)
    included = path.included_to
    left = path.waiting + path.share * (included[-1] - included)
    reports = np.maximum(0.0, lacking - path.waiting) / path.share
    documents = np.searchsorted(included, included + reports) - np.arange(len(path) + 1)
    too_dear = cost * documents + path.full_cost * lacking / path.share > path.evpi
    return np.asarray((lacking == 0) | (pdtrc(np.maximum(0, lacking - 1), left) < PROBABLY) | too_dear)
