"""Target: draw relevant documents at random, and read until all of them came up again."""

import math
from dataclasses import dataclass

from tarstop_core.policies.base import Parameter
from tarstop_core.policies.sampled import OrderStatistic, Pair


@dataclass(frozen=True)
class Target(OrderStatistic):
    """Draw at random until t relevant documents are found; stop at the last of them in the ranking.

    t = ⌈−ln(1 − confidence) / (1 − τ)⌉. With fewer than t in the list all of it is read. The depth counts
    documents from 1 and includes the last of the set.
    """

    tau: float = 0.8
    confidence: float = 0.95

    name = "target"
    title = "Target"
    rule = "Draw a set of relevant documents at random, then read on until all of them came up again."
    formula = r"t = \left\lceil \frac{-\ln(1 - \text{confidence})}{1 - \tau} \right\rceil"
    source = (
        "Cormack & Grossman 2016 (Target method); size of the set for other goals: Sneyd & Stevenson 2019"
    )
    place, colour, marker = 120, "#009E73", "triangle-up"
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 0.999, (0.5, 0.7, 0.8, 0.9, 0.95), "float"),
        Parameter("confidence", "chance of reaching it", 0.01, 0.9999, (0.8, 0.9, 0.95), "float"),
    )

    @property
    def size(self) -> int:
        """t, the number of relevant documents in the set."""
        return math.ceil(-math.log1p(-self.confidence) / (1 - self.tau))

    @property
    def pair(self) -> Pair:
        return self.size, self.size
