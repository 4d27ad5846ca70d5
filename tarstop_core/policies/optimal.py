"""Rules that weigh whole plans: with a new decision after every document, of fixed length, or of limited length."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.policies.base import Depths, Floats, Parameter, Policy, Promise, until_hit
from tarstop_core.value.path import ListPath, Path


@dataclass(frozen=True)
class Optimal(Policy):
    """Stop where acting is as good as going on, by backward induction, given the chances.

    Exact where one document decides: stop at D* = argmax J(D), or at a hit. Where studies add up, the next study is
    predicted by its counts if it counts in full, and those after it by a normal model.
    """

    name = "optimal"
    title = "Optimal"
    rule = "Go on while a plan that decides again after every document is worth more than it costs."
    formula = r"\text{stop at the first } d \text{ with } W_d = EU^{\ast}(b_d)"
    source = "derived from the paper's framework (optimal stopping); not in the paper"
    place, colour, marker = 10, "#0072B2", "circle"
    promise = Promise.ESTIMATE
    weighs_plans = True

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return until_hit(path.closed_depths(costs, start), path, start)

    def value_rate(self, path: Path) -> Floats | None:
        return path.closed_value_rate()

    def least_rate(self, path: Path, depths: Depths) -> Floats:
        """Value per document of the best plan of fixed length at these depths: deciding again on the way is worth at least that."""
        return path.value_rate_at(depths)

    def expected_utility(self, path: ListPath, depth: Depths, costs: Floats, start: int) -> Floats:
        reading_to = partial(path.expected_utility, start=start, acts_on_belief=True, looks_every=1)
        # The gain counts decisions after finds on the way, so a plan may pay that would not if it were read to its end.
        planned = reading_to(np.array([start]), np.zeros(1)) + path.closed_gain(costs, start)
        # Where no plan pays but a floor asks for more reading, that is read to its end.
        is_held = (depth > start) & (path.closed_depths(costs, start) == start)
        return np.asarray(np.where(is_held, reading_to(depth, costs), planned) if is_held.any() else planned)


@dataclass(frozen=True)
class OpenLoop(Policy):
    """Stop where no plan "read to depth D and then decide" gains.

    Where one document decides it is Optimal; where studies add up a plan that looks again after each is worth
    more, so it may stop too soon.
    """

    name = "open-loop"
    title = "Open loop"
    rule = "Go on while a plan of fixed length is worth more than it costs."
    formula = r"\text{stop at } D^{\ast} = \arg\max_{D \ge d} J(D)"
    source = "derived from the paper's framework (value of a plan J(D)); not in the paper"
    place, colour, marker = 15, "#56B4E9", "circle-open"
    promise = Promise.ESTIMATE

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return until_hit(path.horizon_depths(costs, None, start), path, start)

    def value_rate(self, path: Path) -> Floats:
        return path.value_rate(None)

    def expected_utility(self, path: ListPath, depth: Depths, costs: Floats, start: int) -> Floats:
        to_the_end = super().expected_utility(path, depth, costs, start)
        return _planning_anew(path, to_the_end, depth, costs, start, len(path))


@dataclass(frozen=True)
class LookAhead(Policy):
    """Continue iff max_{d<D≤d+m} J(D) > J(d).

    With m = 1 it is the exact one-step EVSI, a trap: one miss seldom changes an action although several would.
    """

    m: int = 20

    name = "look-ahead"
    title = "Look-ahead"
    rule = "Go on while a plan of at most m more documents is worth more than it costs."
    formula = r"\max_{d \lt D \le d+m} J(D) \gt J(d)"
    source = "derived from the paper's framework (value of a plan J(D)); not in the paper"
    place, colour, marker = 20, "#E69F00", "cross"
    promise = Promise.ESTIMATE
    parameters = (Parameter("m", "documents to look ahead", 1, 100_000, (1, 2, 5, 10, 20, 50, 100)),)

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return until_hit(path.horizon_depths(costs, self.m, start), path, start)

    def value_rate(self, path: Path) -> Floats:
        return path.value_rate(self.m)

    def expected_utility(self, path: ListPath, depth: Depths, costs: Floats, start: int) -> Floats:
        to_the_end = super().expected_utility(path, depth, costs, start)
        return _planning_anew(path, to_the_end, depth, costs, start, self.m)


def _planning_anew(
    path: ListPath, to_the_end: Floats, depth: Depths, costs: Floats, start: int, most: int
) -> Floats:
    """Expected net utility of a rule that plans at most so many documents, and plans anew after each; shape of `costs`.

    `to_the_end` is that of reading on whatever is found. Where studies add up, a study makes another plan, so the rule gains
    at least what the best of its plans does now. Where no plan gains, but a floor asks for more reading, that is read to
    its end.
    """
    plans = np.arange(start, min(start + most, len(path)) + 1)
    if not path.in_steps or len(plans) == 1:
        return to_the_end
    gross = path.expected_utility(plans, np.zeros(len(plans)), start, acts_on_belief=True, looks_every=1)
    net = gross - np.outer(costs, plans - start)
    best = net.max(axis=1)
    return np.where((depth > start) & (best > net[:, 0]), np.maximum(best, to_the_end), to_the_end)
