"""The cost-effectiveness frontier: which actions are on it, and what one more unit of effect costs by each."""

import numpy as np

from tarstop_core.value.payoffs import Floats


def icers(effect: Floats, cost: Floats) -> Floats:
    """Incremental cost-effectiveness ratios along the frontier.

    Parameters
    ----------
    effect, cost : ndarray
        Expected effect and cost of each action, shape (J,).

    Returns
    -------
    ndarray
        Cost of one more unit of effect by each action, compared with the one before it on the frontier, shape (J,): 0 for the
        cheapest one, where the frontier begins, and NaN for an action dominated by another or by a mixture of two.

    Examples
    --------
    >>> icers(np.array([0.0, 1.0, 2.0, 1.5]), np.array([0.0, 10.0, 15.0, 20.0])).tolist()
    [0.0, nan, 7.5, nan]
    """
    ratios = np.full(len(cost), np.nan)
    at = int(np.lexsort((-effect, cost))[0])
    ratios[at] = 0.0
    while (more := np.flatnonzero(effect > effect[at])).size:
        slope = (cost[more] - cost[at]) / (effect[more] - effect[at])
        best = int(np.lexsort((-effect[more], slope))[0])
        at, ratio = int(more[best]), slope[best]
        ratios[at] = ratio
    return ratios
