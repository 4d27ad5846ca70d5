"""Baseline inclusion rate: a random sample says how many relevant documents there are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.policies.base import Flags, Parameter, Promise, Replicates
from tarstop_core.policies.runs import ByRuns


@dataclass(frozen=True)
class BaselineRate(ByRuns):
    """Read on until as many relevant documents are found as a random sample foresees.

    k of the m documents drawn are relevant; what was drawn counts as found. With k = 0 the rate is unknown and
    everything is read (assumption).
    """

    tau: float = 0.8
    size: int = 500

    name = "baseline-rate"
    title = "Baseline inclusion rate"
    rule = "Count the relevant documents of a random sample, then read on until as many are found as that foresees."
    formula = r"\text{found}\ge\tau N\frac{k}{m}"
    source = "common practice (Shemilt et al. 2014: baseline inclusion rate)"
    place, colour, marker = 125, "#8C8C00", "triangle-down"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9), "float"),
        Parameter("size", "documents in the sample, m", 1, 1_000_000, (100, 500)),
    )

    def runs(self, labels: Flags, order: NDArray[Any]) -> Replicates:
        labels, N = np.asarray(labels, dtype=bool), order.shape[1]
        m = min(self.size, N)
        drawn = np.zeros(order.shape, dtype=bool)
        np.put_along_axis(drawn, np.argsort(order, axis=1)[:, :m], True, axis=1)
        k = (drawn & labels).sum(axis=1, keepdims=True)
        hits = k + np.cumsum(~drawn & labels, axis=1)
        enough = np.hstack((k, hits)) >= self.tau * N * k / max(m, 1) - 1e-9
        depth = np.where((k[:, 0] > 0) & enough.any(axis=1), enough.argmax(axis=1), N)
        return Replicates(depth, drawn | (np.arange(N) < depth[:, None]))
