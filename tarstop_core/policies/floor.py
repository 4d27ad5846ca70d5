"""A floor on the chance of the right decision, below which no rule stops."""

import numpy as np

from tarstop_core.policies.base import Flags, Policy
from tarstop_core.value.path import Path


def depths_with_floor(policy: Policy, path: Path, cost: float, sure: Flags, start: int = 0) -> int:
    """First depth ≥ start at which the policy stops and one may be `sure` enough, shape (N + 1,); N if there is none."""
    n = len(path)
    depth = int(policy.depths(path, [cost], start)[0])
    while depth < n and not sure[depth]:
        later = np.flatnonzero(sure[depth + 1 :])
        begin = depth + 1 + int(later[0]) if len(later) else n
        depth = int(policy.depths(path, [cost], begin)[0]) if begin < n else n
    return depth
