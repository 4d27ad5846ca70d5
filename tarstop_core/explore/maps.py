"""A rule over a grid of q* and cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.explore.lists import LabelledList
from tarstop_core.explore.plans import Plans, World, outcomes, plans_by_cost
from tarstop_core.policies import OpenLoop, Optimal, Policy, parse_policy
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import PLUS, Depths, Flags, Floats
from tarstop_core.value.stakes import Stakes

Measure = Literal["depth", "net_utility", "decision", "regret", "agreement"]

Q_STARS: tuple[float, ...] = tuple(round(0.05 * step, 2) for step in range(1, 20))
LOWEST, DECADES = -5, 4
"""The lowest cost of a map, as a power of ten of K, unless a person's own lies elsewhere; and the range of costs."""
LONG = 4000
"""From this many documents of a review on, a map has a third of the rows, because each needs a search through all plans."""
COMPARED: tuple[Policy, ...] = tuple(
    parse_policy(spec)
    for spec in "optimal greedy smooth:K=10 batch:K=10 budget:d=100 decide-now screen-everything".split()
)
"""The rules that regret is measured against, beside the one looked at; never the Oracle."""


def fractions_around(fraction: float) -> tuple[float, ...]:
    """Return the costs of a map, as shares of K, among which a person's own lies.

    Four a decade, so that a cell can be hit on a phone.

    >>> [fractions_around(own)[:: 16] for own in (0.001, 5e-6, 0.3, 0)]
    [(1e-05, 0.1), (1e-06, 0.01), (0.0001, 1.0), (1e-05, 0.1)]
    """
    lowest = LOWEST
    if fraction > 0:
        own = math.log10(fraction)
        lowest = min(max(lowest, math.ceil(own) - DECADES), math.floor(own))
    return tuple(float(f"{10 ** (step / 4 + lowest):.3g}") for step in range(4 * DECADES + 1))


@dataclass(frozen=True, eq=False)
class Map:
    """A rule at every q* (rows) and cost (columns), on one list or on the mean of several; K and proportions stay."""

    policy: Policy
    world: World
    stakes: Stakes  # K, the unit, and the person's own cost
    q_stars: tuple[float, ...]
    fractions: tuple[float, ...]  # Costs of a document as shares of K
    measures: Mapping[Measure, NDArray[Any]]
    """Each of shape (Q, C) with a column for each of :attr:`fractions`: a decision is whether the action is a⁺, regret is there
    where it was asked for, agreement where the truth is known.
    """
    omega: Flags | None = None  # truth, where it is known; shape (Q,)
    start: int = 0  # documents read
    settled: bool = False  # whether a hit among them has decided the question
    lists: Sequence[Map] = ()  # of a mean, the maps of its lists
    actions: Sequence[str] = ("a⁻", "a⁺")

    @property
    def costs(self) -> Floats:
        """Cost of a document in each column, in the unit."""
        return np.array(self.fractions) * self.stakes.payoffs.K

    @property
    def option(self) -> Depths:
        """The option taken, shape (Q, C); a mean has none."""
        return self.measures["decision"]

    def values(self, measure: Measure) -> Floats:
        """One measure as floats, shape (Q, C); a⁺ is 1, and so is the action that the truth asks for."""
        return np.asarray(self.measures[measure], dtype=float)

    def columns(self) -> dict[str, Any]:
        """Return the cells as columns, one entry a cell, row by row."""
        q_star = {"q_star": np.array(self.q_stars)[:, None], "cost": self.costs}
        unit = {"unit": self.stakes.payoffs.unit}
        columns: dict[str, ArrayLike] = {"policy": self.policy.spec, "world": self.world}
        if self.lists:
            means = {f"mean_{name}": mean for name, mean in self.measures.items()}
            columns |= {"lists": len(self.lists), **q_star, **unit, **means}
        else:
            columns |= {**q_star, "cost_over_K": self.fractions, **unit, "depth": self.measures["depth"]}
            columns |= {"action": np.array(["a-", "a+", *self.actions[PLUS + 1 :]])[self.option]}
            columns |= {
                name: self.measures[name] for name in ("net_utility", "regret") if name in self.measures
            }
            columns |= {} if self.omega is None else {"omega": self.omega[:, None]}
        shape = (len(self.q_stars), len(self.fractions))
        return {name: np.broadcast_to(np.asarray(column), shape).ravel() for name, column in columns.items()}


def maps(
    listing: LabelledList,
    settings: Settings,
    policies: Sequence[Policy],
    world: World,
    compared: Sequence[Policy] = (),
    long: int = LONG,
) -> list[Map]:
    """Return the map of each rule on one list.

    Parameters
    ----------
    listing
        The list; InputProblem for "played" where its labels are not known.
    settings
        K, the unit, b_0, θ and floors.
    policies
        The rules.
    world
        Whether they are planned or played.
    compared
        With any of them (:data:`COMPARED`), regret is against the best of these and `policies`; an Oracle does not count.
    long
        Documents of a review above which a map has fewer rows.

    Returns
    -------
    list of Map
        One a rule.
    """
    stakes = settings.stakes
    base = listing.planned(settings) if world == "planned" else listing.played(settings)
    if base.slow_with_new_payoffs:
        # A closed-loop plan for all stakes takes too long, unless it is the rule on the map.
        compared = [OpenLoop() if rule == Optimal() else rule for rule in compared]
    every = list(dict.fromkeys((*policies, *compared)))
    fractions = fractions_around(stakes.fraction)
    costs = np.array(fractions) * stakes.payoffs.K
    q_stars = Q_STARS[1::3] if base.slow_with_new_payoffs and len(base) > long else Q_STARS
    rows: dict[Policy, list[Plans]] = {policy: [] for policy in every}
    truths = []
    for q_star in q_stars:
        payoffs = stakes.with_q_star(q_star).payoffs
        path = base.with_payoffs(payoffs)
        if world == "played":
            truths.append(listing.omega(replace(settings, payoffs=payoffs)))
        for policy in every:
            if world == "planned":
                rows[policy].append(plans_by_cost(path, policy, costs, listing.start, settings))
            else:
                rows[policy].append(outcomes(path, policy, costs, truths[-1]))
    net = {policy: np.stack([row.net_utility for row in own]) for policy, own in rows.items()}
    fair = [utility for policy, utility in net.items() if not policy.is_oracle]
    omega = np.array(truths) if truths else None
    start = 0 if world == "played" else listing.start
    decided = world == "planned" and base.settled(listing.start)
    drawn = []
    for policy in policies:
        option = np.stack([row.option for row in rows[policy]])
        measures: dict[Measure, NDArray[Any]] = {
            "depth": np.stack([row.depth for row in rows[policy]]),
            "net_utility": net[policy],
            "decision": option,
        }
        if compared:
            measures["regret"] = np.max(fair, axis=0) - net[policy]
        if omega is not None:
            minus, *_, plus = settings.payoffs.ranges().options
            measures["agreement"] = option == np.where(omega, plus, minus)[:, None]
        one = Map(policy, world, stakes, q_stars, fractions, measures, omega, start, decided)
        drawn.append(replace(one, actions=settings.actions))
    return drawn


def mean_maps(
    lists: Sequence[LabelledList],
    settings: Settings,
    policies: Sequence[Policy],
    world: World,
    compared: Sequence[Policy] = (),
) -> list[Map]:
    """Return the mean result of each rule over several lists.

    Parameters
    ----------
    lists
        One or more of one scenario; the calibrator of each stays its own. Reviews have fewer rows, however short they are.
    settings
        Payoffs, cost, b_0 and θ for all of them.
    policies, world, compared
        As for :func:`maps`.

    Returns
    -------
    list of Map
        One a rule.
    """
    by_list = []
    for listing in lists:
        own = replace(settings, calibrator=listing.settings.calibrator)
        by_list.append(maps(listing, own, policies, world, compared, long=0))
    means = []
    for first, *more in zip(*by_list, strict=True):
        every = (first, *more)
        names = [name for name in first.measures if name != "decision"]
        measures = {name: np.mean([one.values(name) for one in every], axis=0) for name in names}
        means.append(
            Map(first.policy, world, first.stakes, first.q_stars, first.fractions, measures, lists=every)
        )
    return means
