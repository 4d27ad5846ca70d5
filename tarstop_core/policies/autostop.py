"""AutoStop: draw documents rather by their rank than in its order, and estimate how many relevant ones there are."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tarstop_core.policies.base import Flags, Floats, Parameter, Promise, Replicates
from tarstop_core.policies.runs import ByRuns, all_read

GROWTH = 10  # A round draws a tenth more than the last


@dataclass(frozen=True)
class AutoStop(ByRuns):
    """Draw documents by their rank until enough are found beside a Horvitz–Thompson estimate.

    Rounds draw 1, 2, 3, … documents, each a tenth more, with replacement and p ∝ ln((N + 1)/rank). After n draws
    π = 1 − (1 − p)^n, and σ² sums (1 − π)/π² over the relevant documents found. Assumptions: the ranking stays, where the
    original learns another after each round; documents are drawn independently, so that σ² has no terms of pairs.
    """

    tau: float = 0.8
    condition: str = "loose"

    name = "autostop"
    title = "AutoStop"
    rule = "Draw documents, high ranks sooner, until as many relevant ones are found as an unbiased estimate asks for."
    formula = r"\text{found}\ge\tau\bigl(\hat R\ [+\sigma]\bigr), \quad \hat R=\sum_{\text{drawn}}\frac{y_i}{1-(1-p_i)^n}"
    source = "Li & Kanoulas 2020 (AutoStop, AP-prior)"
    place, colour, marker = 126, "#7A5195", "diamond"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9), "float"),
        Parameter.choice(
            "condition", "whether σ is added to the estimate", ("loose", "strict"), ("loose", "strict")
        ),
    )

    def runs(self, labels: Flags, order: NDArray[Any]) -> Replicates:
        labels, N = np.asarray(labels, dtype=bool), order.shape[1]
        if not N:
            return all_read(order > 0)
        p = np.log((N + 1) / np.arange(1, N + 1))
        p /= p.sum()
        draws = round_ends(float(order.max(initial=0.5)), float(p[-1]))
        chance = drawn_by(draws[:, None], p[labels])
        seen = np.ones(order.shape, dtype=bool)
        for run, numbers in zip(seen, order, strict=True):
            drawn = numbers[labels] < chance
            hits, estimate = drawn.sum(axis=1), (drawn / chance).sum(axis=1)
            if self.condition == "strict":
                estimate += np.sqrt((drawn * (1 - chance) / chance**2).sum(axis=1))
            stops = np.flatnonzero((hits > 0) & (hits >= self.tau * estimate - 1e-9))
            if len(stops):
                run[:] = numbers < drawn_by(draws[stops[0]], p)
        return all_read(seen)


def drawn_by(draws: Floats | float, p: Floats | float) -> Floats:
    """Chance that documents are drawn at least once, π = 1 − (1 − p)^draws."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.expm1(draws * np.log1p(-p)))


def round_ends(rarest: float, p: float) -> Floats:
    """Draws at the ends of rounds, until a document of probability p with this random number is drawn too."""
    ends, size = [1.0], 1
    while p < 1 and drawn_by(ends[-1], p) <= rarest:
        size += -(-size // GROWTH)
        ends.append(ends[-1] + size)
    return np.array(ends)
