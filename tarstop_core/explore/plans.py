"""The present decision, and the plan or the result of a rule."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core import policies as rules
from tarstop_core.errors import InputProblem
from tarstop_core.explore.lists import LabelledList
from tarstop_core.policies import Policy
from tarstop_core.screening.scenarios.base import outlook
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import PLUS, Depths, Floats, Payoffs, exceeds

World = Literal["planned", "played"]
""""planned": expectations from the labels so far; "played": results with all labels known."""
TO_THE_END = (rules.Budget, rules.Share, rules.DecideNow, rules.ScreenEverything)
"""Rules whose depth does not depend on what they find."""
LOOKING = (rules.Optimal, rules.OpenLoop, rules.LookAhead, rules.Greedy, rules.Smooth, rules.Batch)
"""Rules whose depth depends on what they find."""
EXPECTABLE = (*LOOKING, *TO_THE_END)
"""Rules with a known reaction to a hit, so that their expected result can be computed."""


def rules_of(world: World) -> dict[str, type[Policy]]:
    """Return the rules that can be planned, or those that can be played on known labels, by name."""
    return {
        name: rule
        for name, rule in rules.POLICIES.items()
        if (issubclass(rule, EXPECTABLE) if world == "planned" else not issubclass(rule, rules.Randomised))
    }


@dataclass(frozen=True)
class Now:
    """The decision of the paper's rule at a depth, as ``tarstop decide`` prints it."""

    b: float  # Belief now
    rho: float  # Chance that the next document is a hit (in reviews, brings data); 0 if none is left
    q_star: float
    evpi: float
    value: float  # The paper's score: ρ·EVPI, less the expected cost of reading the next report in full
    option: int  # Option taken on stopping now
    go_on: bool
    cost: float  # Cost of a document
    needed: float  # EVPI above which the paper's rule goes on; infinite if no document can change anything
    plus_open: bool = True  # Whether a⁺ is allowed now

    def evpi_at(self, b: Floats, payoffs: Payoffs) -> Floats:
        """Return EVPI at other beliefs, with the same actions allowed."""
        if self.plus_open:
            return payoffs.evpi(b)
        return payoffs.evpi(b) + payoffs.utility(b) - payoffs.utility(b, plus_open=False)


def decide(path: ListPath, start: int, cost: float, acts_on_belief: bool = True) -> Now:
    """Make the paper's decision at a depth, with the numbers that Screen shows.

    Parameters
    ----------
    path
        Path of the list.
    start
        Documents read.
    cost
        Cost of a document, in the payoffs' unit.
    acts_on_belief
        Whether the rule acts on the belief; a baseline takes a⁺ only if it has found something.

    Returns
    -------
    Now
        The decision with its numbers.
    """
    at = outlook(path, start)
    value = at.score or 0.0
    needed = path.cost_of_next(start, cost) / at.rho if at.rho else math.inf
    go_on, q_star = bool(exceeds(value, cost)), path.payoffs.q_star
    return Now(
        b=at.b,
        rho=at.rho,
        q_star=q_star,
        evpi=at.evpi,
        value=value,
        option=path.action_at(start, acts_on_belief),
        go_on=go_on,
        cost=cost,
        needed=needed,
        plus_open=path.plus_open(start),
    )


@dataclass(frozen=True, eq=False)
class Plans:
    """The plan of a rule at each cost; all arrays have shape (C,)."""

    depth: Depths
    option: Depths  # Index of the option taken at that depth
    net_utility: Floats  # In the payoffs' unit


def plans(
    path: ListPath, policy: Policy, costs: ArrayLike, start: int = 0, settings: Settings | None = None
) -> Plans:
    """Return where a rule stops if nothing turns up, and the expected net utility of following it.

    Parameters
    ----------
    path
        Path of the list.
    policy
        One of :data:`EXPECTABLE`.
    costs
        Costs of a document, in the payoffs' unit. Shape (C,) or a number.
    start
        Documents read, whose cost does not count.
    settings
        Settings with the floors that a rule must reach before it may stop; without settings there are no floors.

    Returns
    -------
    Plans
        An entry for each cost.

    Raises
    ------
    InputProblem
        When the result of the rule cannot be computed beforehand.

    Notes
    -----
    Decisive: best − (V_D + c·E_D)/S_d, where E_D is Σ S_k for rules that stop at a hit (then this is J(D)), D − d for
    rules whose depth does not depend on finds, and whole batches for Batch. A baseline that has found nothing takes a⁻.

    Cumulative: the expected result of reading to that depth and then deciding, EU*(b) + V(w + πH) − c_full·H − c·m,
    which is the value of a plan in :meth:`~tarstop_core.value.cumulative.CumulativePath.best_plan`. A rule that looks
    again after each study does no worse.
    """
    if not isinstance(policy, EXPECTABLE):
        raise InputProblem(
            f"The result of {policy.title} depends on labels that nobody has beforehand; choose another rule, or look at its "
            "result on known labels."
        )
    costs = np.atleast_1d(np.asarray(costs, dtype=float))
    if settings is None:
        depth = policy.depths(path, costs, start)
    else:
        depth = scenario_of(settings).stopping_depths(settings, policy, path, costs, start)
    return plans_to(depth, path, policy, costs, start)


def plans_by_cost(path: ListPath, policy: Policy, costs: ArrayLike, start: int, settings: Settings) -> Plans:
    """Return :func:`plans` at other costs of a document, to which the cost of a report in full stays in proportion.

    Parameters
    ----------
    path, policy, costs, start
        As for :func:`plans`; the path has the costs of `settings`.
    settings
        The present cost of a document, and the floors.

    Returns
    -------
    Plans
        An entry for each cost.
    """
    costs = np.atleast_1d(np.asarray(costs, dtype=float))
    if not (path.full_cost and settings.cost):
        return plans(path, policy, costs, start, settings)
    by_cost = [
        plans(path.with_reports_times(cost / settings.cost), policy, cost, start, settings) for cost in costs
    ]
    depth, option, net_utility = (
        np.concatenate([getattr(plan, name) for plan in by_cost])
        for name in ("depth", "option", "net_utility")
    )
    return Plans(depth, option, net_utility)


def plans_to(depth: Depths, path: ListPath, policy: Policy, costs: Floats, start: int) -> Plans:
    """Return the plans of a rule whose depths are already known.

    Parameters
    ----------
    depth
        Depth at which the rule stops at each cost, shape (C,).
    path, policy, costs, start
        As for :func:`plans`.

    Returns
    -------
    Plans
        An entry for each cost.
    """
    utility = policy.expected_utility(path, depth, costs, start)
    return Plans(depth, actions(path, policy, depth), utility)


def actions(path: ListPath, policy: Policy, depth: Depths) -> Depths:
    """Return the option that a rule takes on stopping at each depth.

    Parameters
    ----------
    path, policy
        Path of the list, and the rule.
    depth
        Documents read, shape (C,).

    Returns
    -------
    Depths
        Indices of options, shape (C,).
    """
    stops, where = np.unique(depth, return_inverse=True)
    options = [path.action_at(int(stop), policy.acts_on_belief) for stop in stops]
    return np.array(options, dtype=np.intp)[where]


def outcomes(path: ListPath, policy: Policy, costs: ArrayLike, omega: bool) -> Plans:
    """Return the result of a rule on a fully labelled list, as in a replay.

    Parameters
    ----------
    path
        Path of the list with all labels.
    policy
        The rule.
    costs
        Costs of a document, in the payoffs' unit. Shape (C,) or a number.
    omega
        Whether ω⁺ holds.

    Returns
    -------
    Plans
        An entry for each cost.

    Raises
    ------
    InputProblem
        When the rule draws a random sample, so that it has no depth on one path.
    """
    costs = np.atleast_1d(np.asarray(costs, dtype=float))
    depth = policy.depths(path, costs)
    option = actions(path, policy, depth)
    if policy.is_oracle:
        option = path.options_of_oracle(option, omega)
    payoffs = [path.payoffs.outcome(choice, omega) for choice in range(PLUS + 1 + len(path.payoffs.others))]
    return Plans(depth, option, np.array(payoffs)[option] - costs * depth)


@dataclass(frozen=True, eq=False)
class Cell:
    """The result of a rule at one q* and one cost."""

    path: ListPath  # Path of the list with the payoffs of that q*
    policy: Policy
    world: World
    cost: float  # Cost of a document, in the payoffs' unit
    plan: Plans  # Plan or result at this cost alone
    start: int  # Documents read
    omega: bool | None = None  # Whether ω⁺ holds, if the list was played

    @property
    def depth(self) -> int:
        """Documents read when the rule stops."""
        return int(self.plan.depth[0])

    @property
    def option(self) -> int:
        """The option taken there."""
        return int(self.plan.option[0])

    @property
    def net_utility(self) -> float:
        """Net utility, in :attr:`unit`."""
        return float(self.plan.net_utility[0])

    @property
    def q_star(self) -> float:
        return self.path.payoffs.q_star

    @property
    def unit(self) -> str:
        return self.path.payoffs.unit

    @property
    def belief(self) -> float:
        """Belief at the depth where the rule stops."""
        return self.path.belief_at(self.depth)

    @property
    def settled(self) -> bool:
        """Whether the plan begins after a hit that has decided the question."""
        return self.world == "planned" and self.path.settled(self.start)

    @property
    def right(self) -> bool:
        """Whether the option is the best one under the truth."""
        return self.option == self.path.payoffs.ranges().options[-1 if self.omega else 0]


def cell_of(listing: LabelledList, settings: Settings, policy: Policy, world: World) -> Cell:
    """Return the result of the rule at the settings' own payoffs and cost.

    Parameters
    ----------
    listing
        The list.
    settings
        Payoffs, cost, b_0, θ and floors.
    policy
        The rule.
    world
        Whether it is planned or played.

    Returns
    -------
    Cell
        Its stop and result.

    Raises
    ------
    InputProblem
        When the rule is to be played and the labels are not known.
    """
    cost = settings.cost
    if world == "planned":
        path, start = listing.planned(settings), listing.start
        return Cell(path, policy, world, cost, plans(path, policy, cost, start, settings), start)
    path, omega = listing.played(settings), listing.omega(settings)
    return Cell(path, policy, world, cost, outcomes(path, policy, cost, omega), 0, omega)
