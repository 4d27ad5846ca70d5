"""S-CAL: label a bounded sample of every stretch of the ranking, estimate the total, and cut where enough lies above."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.policies.base import Flags, Parameter, Promise, Replicates
from tarstop_core.policies.gain_curve import growing_batches
from tarstop_core.policies.runs import ByRuns

CORRECTION = 1.05  # The publication's, of the estimated total


@dataclass(frozen=True)
class Scal(ByRuns):
    """Label some documents of each stretch, and read down to where enough must lie.

    Stretches hold B = 1, 2, 3, … documents, each a tenth more; of each b = min(B, bound) are labelled.
    Where no stretch reaches that much everything is read; where the sample holds nothing relevant, nothing more.
    Assumptions: the ranking stays, where the original learns another after each stretch; what lies above the cut is read,
    where the original only classifies it.
    """

    tau: float = 0.8
    bound: int = 30

    name = "scal"
    title = "S-CAL"
    rule = "Read some documents of every stretch of the list, then all above the rank where enough must lie."
    formula = r"\hat R(d)\ge 1.05\tau\hat R(N), \quad \hat R=\sum_{\text{stretches}}\frac{B}{b}\sum y"
    source = "Cormack & Grossman 2016 (S-CAL)"
    place, colour, marker = 127, "#0072B2", "triangle-up"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9), "float"),
        Parameter("bound", "documents labelled of a stretch at most", 1, 100_000, (10, 30)),
    )

    def runs(self, labels: Flags, order: NDArray[Any]) -> Replicates:
        labels, (n, N) = np.asarray(labels, dtype=bool), order.shape
        ends = growing_batches(N) if N else np.zeros(1, dtype=np.intp)
        begins = np.append(0, ends[:-1])
        drawn, hits = np.zeros(order.shape, dtype=bool), np.zeros((n, len(ends)))
        for at, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
            size = end - begin
            first = begin + np.argsort(order[:, begin:end], axis=1)[:, : self.bound]
            np.put_along_axis(drawn, first, True, axis=1)
            hits[:, at] = labels[first].sum(axis=1) * size / max(1, min(size, self.bound))
        estimate = np.cumsum(hits, axis=1)
        total = estimate[:, -1]
        enough = estimate >= self.tau * CORRECTION * total[:, None] - 1e-9
        depth = np.where(enough.any(axis=1), ends[enough.argmax(axis=1)], N)
        depth = np.where(total > 0, depth, 0)
        return Replicates(depth, drawn | (np.arange(N) < depth[:, None]))
