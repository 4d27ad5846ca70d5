"""Batch(K): decide every K documents, and finish what was begun."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.policies.base import Criterion, Depths, Floats, Parameter, Policy
from tarstop_core.policies.smooth import WINDOWS
from tarstop_core.value.path import Path, first_not_worth
from tarstop_core.value.payoffs import exceeds


@dataclass(frozen=True)
class Batch(Policy):
    """Continue iff Σ_{j≤K} ρ_{d+j}·EVPI(b_d) > K·c, then screen all K before looking again.

    A batch is finished even after a hit: the paper's Table 1 needs it (recall at q* = .5 is
    that of a whole batch).
    """

    K: int = 10

    name = "batch"
    title = "Batch"
    rule = "Read K documents at a time while together they are worth more than they cost."
    formula = r"\sum_{j=1}^{K} \rho_{d+j}\  EVPI(b_d) \gt K c"
    source = "Fletcher & Stevenson, Batch"
    family = "paper's policy"
    place, colour, marker = 50, "#009E73", "diamond"
    parameters = (Parameter("K", "documents in a batch", 1, 100_000, WINDOWS),)
    criterion = Criterion.BATCH_SCORE

    @property
    def batch_size(self) -> int:
        return self.K

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        looks = path.score(self.K)[:: self.K]
        batches = first_not_worth(looks, costs, -(-start // self.K))
        if path.hit is not None:
            batches = np.minimum(batches, -(-max(path.hit, start) // self.K))
        depths = np.minimum(batches * self.K, len(path))
        begun, inside = divmod(start, self.K)
        if inside and start < len(path):
            # A batch that its own look refused, or that a hit preceded, was never begun.
            before_hit = path.hit is None or path.hit > begun * self.K
            depths = np.where(exceeds(looks[begun], costs) & before_hit, depths, start)
        return depths

    def value_rate(self, path: Path) -> Floats:
        # A batch is weighed once, at its start.
        return path.score(self.K)[np.arange(len(path)) // self.K * self.K]
