"""Quant and QuantCI: stop when the chances alone imply that enough was read."""

from dataclasses import dataclass

import numpy as np

from tarstop_core.policies.base import AtAnyCost, Need, Parameter, Promise, first_check
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class Quant(AtAnyCost):
    """Stop at the first n where the chances imply that enough was read.

    K and U sum the chances p of the documents read and unread. σ² = K²/(K+U)⁴·V + 1/(K+U)²·(V − V_unread),
    V = Σ p(1 − p). s = 0 is Quant, s = 2 QuantCI. It does not look at labels. Here p is the calibrated chance given ω⁺
    (the original takes a classifier's).
    """

    tau: float = 0.8
    nstd: float = 2.0

    name = "quant"
    title = "QuantCI"
    rule = "Stop when the calibrated chances say that enough of the relevant documents were read."
    formula = r"\frac{\hat K}{\hat K + \hat U} - s\thinspace \sigma \ge \tau"
    source = "Yang, Lewis & Frieder 2021 (Quant, QuantCI)"
    place, colour, marker = 150, "#56B4E9", "triangle-down"
    needs = (Need.CHANCES,)
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.3, 0.5, 0.7, 0.8, 0.9), "float"),
        Parameter("nstd", "standard deviations of caution, s", 0.0, 10.0, (0.0, 2.0), "float"),
    )

    def depth(self, path: Path, start: int) -> int:
        N, p = len(path), path.p
        read, variance = (np.append(0.0, np.cumsum(terms)) for terms in (p, p * (1 - p)))
        total, V = read[-1], variance[-1]
        if not total > 0:
            return N
        sigma = np.sqrt((read / total) ** 2 * V + variance) / total
        stops = read / total - self.nstd * sigma >= self.tau - 1e-12
        return first_check(np.arange(N + 1), stops, N, start)
