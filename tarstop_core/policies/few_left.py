"""Few left: stop when relevant documents that are probably unread are few beside those found."""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np

from tarstop_core.policies.base import AtAnyCost, Need, Parameter, Promise
from tarstop_core.policies.gain_curve import gain
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class FewLeft(AtAnyCost):
    """Stop at the first such n, U the relevant documents still unread as the path forecasts them.

    Between two relevant documents U only falls, so bisection finds it.
    """

    tau: float = 0.95
    confidence: float = 0.95

    name = "few-left"
    title = "Few left"
    rule = "Stop when the recall that you want is probably reached, by how relevant documents thin out along such lists."
    formula = r"P\bigl(C(n) \ge \tau\thinspace (C(n) + U)\bigr) \ge \text{confidence}"
    source = "this program (docs/still_unread.md)"
    place, colour, marker = 137, "#009E73", "star"
    needs = (Need.LABELS, Need.CHANCES)
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9, 0.95), "float"),
        Parameter("confidence", "chance that it is reached", 0.01, 0.9999, (0.5, 0.8, 0.95), "float"),
    )

    def depth(self, path: Path, start: int) -> int:
        total_found, N = gain(path.labels), len(path)

        def enough(n: int) -> bool:
            may_be_left = int(total_found[n] / self.tau - total_found[n] + 1e-9)
            return n == N or path.unread(n).chance_of_at_most(may_be_left) >= self.confidence - 1e-12

        # The last depths before another relevant document, and the end.
        ends = np.append(start + np.flatnonzero(path.labels[start:]), N)
        for begin, end in zip((start, *(ends[:-1] + 1).tolist()), ends.tolist(), strict=True):
            if enough(end):
                return bisect_left(range(end), True, lo=begin, key=enough)
        return N
