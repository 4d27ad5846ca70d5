"""A rule over a grid of q* and cost."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.explore.lists import LabelledList
from tarstop_core.explore.plans import EXPECTABLE, Plans, World, outcomes, plans, settled
from tarstop_core.policies import POLICIES, OpenLoop, Optimal, Policy, Randomised, parse_policy
from tarstop_core.screening.settings import Settings
from tarstop_core.value.payoffs import Depths, Flags, Floats
from tarstop_core.value.stakes import Stakes

Measure = Literal["depth", "net_utility", "decision", "regret", "agreement"]

Q_STARS: tuple[float, ...] = tuple(round(0.05 * step, 2) for step in range(1, 20))
FRACTIONS: tuple[float, ...] = tuple(float(f"{10 ** (step / 4 - 5):.3g}") for step in range(17))
"""Costs of a map as shares of K: four a decade, so that a cell can be hit on a phone."""
LONG = 4000
"""Documents of a review from which a map has a third of the rows: each takes a search through all plans."""
COMPARED: tuple[Policy, ...] = tuple(
    parse_policy(spec)
    for spec in "optimal greedy smooth:K=10 batch:K=10 budget:d=100 decide-now screen-everything".split()
)
"""The rules that regret is measured against, beside the one looked at; never the Oracle."""


@dataclass(frozen=True, eq=False)
class Grid(ABC):
    """A rule at every q* (rows) and cost (columns); K, unit and proportions stay."""

    policy: Policy
    world: World
    stakes: Stakes  # K and the unit
    q_stars: tuple[float, ...]

    @property
    def costs(self) -> Floats:
        """Cost of a document in each column, in the unit."""
        return np.array(FRACTIONS) * self.stakes.payoffs.K

    @abstractmethod
    def values(self, measure: Measure) -> Floats:
        """One measure as floats, shape (Q, C)."""

    def columns(self) -> dict[str, Any]:
        """Return the cells as columns, one entry a cell, row by row."""
        shape = (len(self.q_stars), len(FRACTIONS))
        columns = {"policy": self.policy.spec, "world": self.world, **self._measured()}
        return {name: np.broadcast_to(np.asarray(column), shape).ravel() for name, column in columns.items()}

    @abstractmethod
    def _measured(self) -> dict[str, ArrayLike]:
        """Return what broadcasts to the cells as columns."""


@dataclass(frozen=True, eq=False)
class Map(Grid):
    """What one rule comes to on one list."""

    depth: Depths
    plus: Flags
    net_utility: Floats
    """The three have the columns :data:`FRACTIONS`. Shape (Q, C)."""
    regret: Floats | None
    """Against the best of the rules compared; None where it was not asked for. Shape (Q, C)."""
    omega: Flags | None  # truth, where it is known; shape (Q,)
    start: int  # documents read
    settled: bool = False  # whether a hit among them has decided the question

    def values(self, measure: Measure) -> Floats:
        """One measure as floats, shape (Q, C); a⁺ is 1, and so is the action that the truth asks for."""
        if measure == "agreement":
            assert self.omega is not None  # asked for only where the truth is known
            return np.asarray(self.plus == self.omega[:, None], dtype=float)
        name = "plus" if measure == "decision" else measure
        return np.asarray(getattr(self, name), dtype=float)

    def _measured(self) -> dict[str, ArrayLike]:
        columns: dict[str, ArrayLike] = {
            "q_star": np.array(self.q_stars)[:, None],
            "cost": self.costs,
            "cost_over_K": FRACTIONS,
            "unit": self.stakes.payoffs.unit,
            "depth": self.depth,
            "action": np.where(self.plus, "a+", "a-"),
            "net_utility": self.net_utility,
        }
        if self.regret is not None:
            columns["regret"] = self.regret
        if self.omega is not None:
            columns["omega"] = self.omega[:, None]
        return columns


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
        K, the unit, b_0 and θ.
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
    if base.slow_to_restake:
        # At every stake anew a closed loop takes too long, unless it is what is looked at.
        compared = [OpenLoop() if rule == Optimal() else rule for rule in compared]
    every = list(dict.fromkeys((*policies, *compared)))
    costs = np.array(FRACTIONS) * stakes.payoffs.K
    q_stars = Q_STARS[1::3] if base.slow_to_restake and len(base) > long else Q_STARS
    rows: dict[Policy, list[Plans]] = {policy: [] for policy in every}
    omegas = []
    for q_star in q_stars:
        payoffs = stakes.with_q_star(q_star).payoffs
        path = base.with_payoffs(payoffs)
        if world == "played":
            omegas.append(listing.omega(replace(settings, payoffs=payoffs)))
        for policy in every:
            if world == "planned":
                rows[policy].append(plans(path, policy, costs, listing.start))
            else:
                rows[policy].append(outcomes(path, policy, costs, omegas[-1]))
    net = {policy: np.stack([row.net_utility for row in own]) for policy, own in rows.items()}
    fair = [utility for policy, utility in net.items() if not policy.is_oracle]
    best = np.max(fair, axis=0) if compared else None
    return [
        Map(
            policy,
            world,
            stakes,
            q_stars,
            depth=np.stack([row.depth for row in rows[policy]]),
            plus=np.stack([row.plus for row in rows[policy]]),
            net_utility=net[policy],
            regret=None if best is None else np.asarray(best - net[policy]),
            omega=np.array(omegas) if omegas else None,
            start=0 if world == "played" else listing.start,
            settled=world == "planned" and settled(base, listing.start),
        )
        for policy in policies
    ]


@dataclass(frozen=True, eq=False)
class MeanMap(Grid):
    """The maps of one rule on many lists, averaged cell by cell."""

    maps: Sequence[Map]  # One a list, with the same rule, world, stakes and q*'s

    def values(self, measure: Measure) -> Floats:
        """Mean of one measure over the lists, shape (Q, C)."""
        return np.asarray(np.mean([each.values(measure) for each in self.maps], axis=0))

    def _measured(self) -> dict[str, ArrayLike]:
        first = self.maps[0]
        measures: list[Measure] = ["depth", "net_utility"]
        measures += ["regret"] if first.regret is not None else []
        measures += ["agreement"] if first.omega is not None else []
        return {
            "lists": len(self.maps),
            "q_star": np.array(self.q_stars)[:, None],
            "cost": self.costs,
            "unit": self.stakes.payoffs.unit,
            **{f"mean_{name}": self.values(name) for name in measures},
        }


def mean_maps(
    lists: Sequence[LabelledList],
    settings: Settings,
    policies: Sequence[Policy],
    world: World,
    compared: Sequence[Policy] = (),
) -> list[MeanMap]:
    """Return what each rule comes to on average over several lists.

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
    list of MeanMap
        One a rule.
    """
    by_list = [
        maps(
            listing,
            replace(settings, calibrator=listing.settings.calibrator),
            policies,
            world,
            compared,
            long=0,
        )
        for listing in lists
    ]
    return [
        MeanMap(first.policy, world, first.stakes, first.q_stars, (first, *more))
        for first, *more in zip(*by_list, strict=True)
    ]


def rules(world: World) -> dict[str, type[Policy]]:
    """Return the rules that a map can show, by name."""
    return {
        name: rule
        for name, rule in POLICIES.items()
        if (issubclass(rule, EXPECTABLE) if world == "planned" else not issubclass(rule, Randomised))
    }
