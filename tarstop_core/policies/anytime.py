"""A test at every look: the hypergeometric test, with its level spent over the looks."""

from dataclasses import dataclass

import numpy as np

from tarstop_core.policies.base import AtAnyCost, Parameter, Promise, first_check
from tarstop_core.policies.hypergeometric import p_values
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class AnytimeTest(AtAnyCost):
    """Stop at the k-th look if p* < (1 − confidence)/(k(k + 1)), p* that of the hypergeometric test.

    It looks at multiples of `every` and at the end. The levels of all looks add up to 1 − confidence; p* still takes what was
    read for a random draw.
    """

    tau: float = 0.95
    confidence: float = 0.95
    every: int = 200

    name = "anytime-test"
    title = "Test at every look"
    rule = "As the hypergeometric test, with a level that shrinks so that many looks are paid for."
    formula = r"p^{\ast}_k \lt \frac{1 - \text{confidence}}{k (k + 1)}"
    source = "Fletcher, pyterrier-tar (AnytimeCMH); the test: Callaghan & Müller-Hansen 2020"
    place, colour, marker = 132, "#56B4E9", "cross"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9, 0.95), "float"),
        Parameter("confidence", "1 − the levels of all looks", 0.01, 0.9999, (0.8, 0.95), "float"),
        Parameter("every", "documents between looks", 10, 100_000, (50, 200)),
    )

    def depth(self, path: Path, start: int) -> int:
        N = len(path)
        looks = np.append(np.arange(self.every, N, self.every), N)
        k = np.arange(1, len(looks) + 1)
        # A p* that equals its level but for rounding does not stop.
        stops = p_values(path.labels, tuple(looks.tolist()), self.tau) < (1 - self.confidence) * (
            1 - 1e-9
        ) / (k * (k + 1))
        return first_check(looks, stops, N, start)
