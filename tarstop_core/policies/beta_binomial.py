"""Beta-binomial: what is unread is taken to be as rich as what was read."""

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln

from tarstop_core.policies.base import AtAnyCost, Parameter, Promise, first_check
from tarstop_core.policies.gain_curve import gain
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class BetaBinomial(AtAnyCost):
    """Stop where few enough relevant documents remain, were the rest as rich as what was read.

    It looks at multiples of `every` and at the end, once something relevant was found. A ranking puts what is relevant
    first, so the rest is poorer than that: it stops late.
    """

    tau: float = 0.8
    confidence: float = 0.95
    every: int = 50

    name = "beta-binomial"
    title = "Beta-binomial"
    rule = "Stop when few enough relevant documents remain, were the rest as rich as what was read."
    formula = r"P\bigl(C(n)\ge\tau(C(n)+U)\bigr)\ge\text{confidence}, \quad U\sim\mathrm{BetaBin}(N-n, 1+C(n), 1+n-C(n))"
    source = "Fletcher, pyterrier-tar (BetaBinomial)"
    place, colour, marker = 145, "#D55E00", "cross"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9), "float"),
        Parameter("confidence", "chance that it is reached", 0.01, 0.9999, (0.8, 0.95), "float"),
        Parameter("every", "documents between checks", 1, 100_000, (50,)),
    )

    def depth(self, path: Path, start: int) -> int:
        N, C = len(path), gain(path.labels)
        checks = np.append(np.arange(self.every, N, self.every), N)
        stops = np.array([self._enough(int(C[n]), int(n), N) for n in checks])
        return first_check(checks, stops, N, start)

    def _enough(self, hits: int, n: int, N: int) -> bool:
        if not hits:
            return False
        left = N - n
        u = np.arange(min(left, int(hits * (1 - self.tau) / self.tau + 1e-9)) + 1.0)
        logs = gammaln(left + 1) - gammaln(u + 1) - gammaln(left - u + 1)
        logs = logs + betaln(u + 1 + hits, left - u + 1 + n - hits) - betaln(1 + hits, 1 + n - hits)
        return float(np.exp(logs).sum()) >= self.confidence - 1e-9
