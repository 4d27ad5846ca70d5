"""Maps: the results of a rule over a grid of q* and cost."""

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
"""Rows of a map."""
LOWEST = -5
"""Log₁₀ of a map's lowest cost as a share of K, unless the person's own cost lies outside."""
DECADES = 4
"""Powers of ten between the lowest and the highest cost."""
LONG = 4000
"""Documents of a review above which a map has a third of the rows, because each row needs a search of all plans."""
COMPARED: tuple[Policy, ...] = tuple(
    parse_policy(spec)
    for spec in "optimal greedy smooth:K=10 batch:K=10 budget:d=100 decide-now screen-everything".split()
)
"""The rules that regret is measured against, beside the rule of the map."""


def fractions_around(fraction: float) -> tuple[float, ...]:
    """Return the costs of a map as shares of K, whose range includes the person's own cost.

    There are four costs per decade, so that cells are large enough for a finger on a phone.

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
    """Results of a rule at each q* (rows) and cost (columns), on one list or as means of several; K stays the same."""

    policy: Policy
    world: World
    stakes: Stakes  # K, the unit, and the person's own cost
    q_stars: tuple[float, ...]
    fractions: tuple[float, ...]  # Costs of a document as shares of K
    measures: Mapping[Measure, NDArray[Any]]
    """Measures of shape (Q, C). The decision is the index of the option; regret and agreement may be missing."""
    omega: Flags | None = None  # Whether ω⁺ holds, if that is known; shape (Q,)
    start: int = 0  # Documents read so far
    settled: bool = False  # Whether a hit among them has decided the question
    lists: Sequence[Map] = ()  # For a mean, the maps of its lists
    actions: Sequence[str] = ("a⁻", "a⁺")

    @property
    def costs(self) -> Floats:
        """Cost of a document in each column, in the unit."""
        return np.array(self.fractions) * self.stakes.payoffs.K

    @property
    def option(self) -> Depths:
        """Index of the option taken, shape (Q, C); a mean has none."""
        return self.measures["decision"]

    def values(self, measure: Measure) -> Floats:
        """One measure as floats, shape (Q, C); a decision for a⁺ and a right decision are 1."""
        return np.asarray(self.measures[measure], dtype=float)

    def columns(self) -> dict[str, Any]:
        """Return the cells as columns of a table, with one entry per cell, row by row."""
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
        The list.
    settings
        K, the unit, b_0, θ and floors.
    policies
        The rules.
    world
        Whether they are planned or played.
    compared
        Further rules, such as :data:`COMPARED`; with any, regret is against the best of these and `policies` except
        Oracles.
    long
        Documents of a review above which a map has fewer rows.

    Returns
    -------
    list of Map
        A map for each rule.

    Raises
    ------
    InputProblem
        When rules are to be played and the labels are not known.
    """
    stakes = settings.stakes
    base = listing.planned(settings) if world == "planned" else listing.played(settings)
    if base.slow_with_new_payoffs:
        # A closed-loop plan for all stakes takes too long, unless it is the rule of the map.
        compared = [OpenLoop() if rule == Optimal() else rule for rule in compared]
    all_rules = list(dict.fromkeys((*policies, *compared)))
    fractions = fractions_around(stakes.fraction)
    costs = np.array(fractions) * stakes.payoffs.K
    q_stars = Q_STARS[1::3] if base.slow_with_new_payoffs and len(base) > long else Q_STARS
    rows: dict[Policy, list[Plans]] = {policy: [] for policy in all_rules}
    truths = []
    for q_star in q_stars:
        payoffs = stakes.with_q_star(q_star).payoffs
        path = base.with_payoffs(payoffs)
        if world == "played":
            truths.append(listing.omega(replace(settings, payoffs=payoffs)))
        for policy in all_rules:
            if world == "planned":
                rows[policy].append(plans_by_cost(path, policy, costs, listing.start, settings))
            else:
                rows[policy].append(outcomes(path, policy, costs, truths[-1]))
    net = {policy: np.stack([row.net_utility for row in own]) for policy, own in rows.items()}
    followable = [utility for policy, utility in net.items() if not policy.is_oracle]
    omega = np.array(truths) if truths else None
    start = 0 if world == "played" else listing.start
    settled = world == "planned" and base.settled(listing.start)
    results = []
    for policy in policies:
        option = np.stack([row.option for row in rows[policy]])
        measures: dict[Measure, NDArray[Any]] = {
            "depth": np.stack([row.depth for row in rows[policy]]),
            "net_utility": net[policy],
            "decision": option,
        }
        if compared:
            measures["regret"] = np.max(followable, axis=0) - net[policy]
        if omega is not None:
            minus, *_, plus = settings.payoffs.ranges().options
            measures["agreement"] = option == np.where(omega, plus, minus)[:, None]
        grid = Map(policy, world, stakes, q_stars, fractions, measures, omega, start, settled)
        results.append(replace(grid, actions=settings.actions))
    return results


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
        One or more lists of one scenario, each of which keeps its own calibrator. Maps of reviews have fewer rows.
    settings
        Payoffs, cost, b_0 and θ for all lists.
    policies, world, compared
        As for :func:`maps`.

    Returns
    -------
    list of Map
        A mean map for each rule.
    """
    by_list = []
    for listing in lists:
        own = replace(settings, calibrator=listing.settings.calibrator)
        by_list.append(maps(listing, own, policies, world, compared, long=0))
    means = []
    for of_rule in zip(*by_list, strict=True):
        first = of_rule[0]
        names = [name for name in first.measures if name != "decision"]
        measures = {name: np.mean([grid.values(name) for grid in of_rule], axis=0) for name in names}
        means.append(
            Map(first.policy, world, first.stakes, first.q_stars, first.fractions, measures, lists=of_rule)
        )
    return means
