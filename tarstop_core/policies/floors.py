"""Floors: conditions that must hold before any rule may stop."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import pdtrc

from tarstop_core.policies.base import Depths, Flags, Policy
from tarstop_core.value.cumulative import CumulativePath
from tarstop_core.value.path import Path

PROBABLY = 0.5  # The list probably holds the studies that a floor asks for, if the chance is at least this


def first_allowed_stops(
    policy: Policy, path: Path, costs: ArrayLike, allowed: Flags, start: int = 0
) -> Depths:
    """First depth from `start` on where a policy stops and its floors allow it, for each cost.

    Parameters
    ----------
    policy : Policy
        The rule that has to stop there.
    path : Path
        Belief and chances along a list of N documents.
    costs : array_like, shape (C,)
        Costs of a document, in the unit of the payoffs.
    allowed : ndarray of bool, shape (C, N + 1)
        Whether every floor allows to stop after 0 … N documents, for each cost.
    start : int
        Documents that were read so far.

    Returns
    -------
    ndarray of int, shape (C,)
        N where there is no such depth.
    """
    n, depths = len(path), np.array(policy.depths(path, costs, start))
    for at, own in enumerate(allowed):
        while depths[at] < n and not own[depths[at]]:
            later = np.flatnonzero(own[depths[at] + 1 :])
            begin = int(depths[at] + 1 + later[0]) if len(later) else n
            # All costs again: what a path has worked out for them serves every one.
            depths[at] = policy.depths(path, costs, begin)[at] if begin < n else n
    return depths


def enough_studies(path: CumulativePath, least: int, cost: float) -> Flags:
    """Flags of the depths at which a floor of this many studies lets a rule stop.

    The floor gives way where the list probably does not hold that many studies, and where reaching it would cost more
    than certainty is worth.

    Parameters
    ----------
    path : CumulativePath
        Belief, chances and studies along a list of N documents.
    least : int
        Studies to be found first.
    cost : float
        Cost of a document, in the unit of the payoffs.

    Returns
    -------
    ndarray of bool, shape (N + 1,)
        After 0 … N documents.
    """
    lacking = np.maximum(0, least - path.behind - path.studies)
    included = path.included_to
    left = path.waiting + path.share * (included[-1] - included)
    reports = np.maximum(0.0, lacking - path.waiting) / path.share
    documents = np.searchsorted(included, included + reports) - np.arange(len(path) + 1)
    dear = cost * documents + path.full_cost * lacking / path.share > path.evpi
    return np.asarray((lacking == 0) | (pdtrc(np.maximum(0, lacking - 1), left) < PROBABLY) | dear)
