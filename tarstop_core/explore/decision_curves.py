"""The chance that each action is the best, and the value of each over willingness to pay or over thresholds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np

from tarstop_core.value.actions.joint import ActionTable
from tarstop_core.value.actions.linear import EffectNetBenefit
from tarstop_core.value.actions.lines import chance_best
from tarstop_core.value.actions.psa import ParameterDraws
from tarstop_core.value.actions.treat import TreatByTest
from tarstop_core.value.payoffs import Floats

Decision: TypeAlias = ActionTable | EffectNetBenefit | TreatByTest | ParameterDraws
STEPS = 61
"""Points of a curve."""
NARROW = 1e-9
"""Precision of the point at which another action becomes the best, as a share of the curve's range."""


def chances_best(decision: Decision) -> Floats:
    """The chance that each of J actions is the best, shape (J,); equally good actions share it."""
    if isinstance(decision, TreatByTest):
        return decision.chance_best()
    if isinstance(decision, ActionTable):
        net = np.asarray(decision.consequences)
        top = net == net.max(axis=0)
        return np.asarray((top / top.sum(axis=0)) @ np.asarray(decision.chances))
    return np.array(_chances_at(decision, decision.willingness_to_pay))


@dataclass(frozen=True)
class Curves:
    """The value of each action over willingness to pay or over thresholds; `y` has shape (points, actions)."""

    x: Floats
    heights: Callable[[float], Sequence[float]]  # Of all actions at a point
    names: tuple[str, ...]
    of_thresholds: bool = False  # A decision curve; else an acceptability curve

    @cached_property
    def y(self) -> Floats:
        """Heights of all actions at all points, shape (points, actions)."""
        return np.array([self.heights(float(x)) for x in self.x])

    @cached_property
    def turns(self) -> list[tuple[float, str]]:
        """The best action at the first point, and each point at which another action becomes the best, with its name."""
        best = self.y.argmax(axis=1).tolist()
        turns = [(float(self.x[0]), best[0])]
        for at in range(len(best) - 1):
            turns += self._between(float(self.x[at]), float(self.x[at + 1]), best[at], best[at + 1])
        return [(x, self.names[action]) for x, action in turns]

    def _between(self, low: float, high: float, first: int, last: int) -> list[tuple[float, int]]:
        """The points between two others at which another action becomes the best, with its index, by bisection."""
        if first == last:
            return []
        if high - low < NARROW * self.x[-1]:
            return [(high, last)]
        middle = (low + high) / 2
        best = int(np.argmax(self.heights(middle)))
        return self._between(low, middle, first, best) + self._between(middle, high, best, last)


def curves(decision: Decision, names: tuple[str, ...]) -> Curves | None:
    """Return the decision curve of a test, or else the acceptability curve; None if neither applies."""
    if isinstance(decision, TreatByTest):
        turns_at = decision.harm_treated_healthy / (
            decision.harm_treated_healthy + decision.benefit_treated_diseased
        )
        x = np.linspace(0.005, min(0.95, max(0.2, 2.5 * turns_at)), STEPS)

        def at_threshold(threshold: float) -> list[float]:
            heights = decision.decision_curve([threshold])
            return [heights[name][0] for name in ("none", "all", "test")]

        return Curves(x, at_threshold, names, of_thresholds=True)
    if isinstance(decision, ActionTable) or not decision.willingness_to_pay:
        return None
    x = np.linspace(0, 3 * decision.willingness_to_pay, STEPS)
    return Curves(x, partial(_chances_at, decision), names)


def _chances_at(decision: EffectNetBenefit | ParameterDraws, worth: float | None) -> list[float]:
    """The chance that each action is the best if a unit of effect has this worth; None if net benefits include one."""
    if isinstance(decision, ParameterDraws):
        return list(decision.chance_best(worth).values())
    lines = decision.lines(worth or 0.0)
    return list(chance_best(lines.intercept, lines.slope, decision.post_mean, decision.post_var**0.5))
