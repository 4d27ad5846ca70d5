"""One decision, and what a rule comes to."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core import policies as rules
from tarstop_core.errors import InputProblem
from tarstop_core.policies import Policy
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import Depths, Flags, Floats, exceeds

TO_THE_END = (rules.Budget, rules.Share, rules.DecideNow, rules.ScreenEverything)
"""Rules that go to their depth whatever they find."""
LOOKING = (rules.Optimal, rules.OpenLoop, rules.LookAhead, rules.Greedy, rules.Smooth, rules.Batch)
EXPECTABLE = (*LOOKING, *TO_THE_END)
"""Rules of which it is known beforehand how they take a hit, so that their outcome can be expected."""
LONG = 4000
"""Documents of a review from which a map has a third of the rows: each takes a search through all plans."""


@dataclass(frozen=True)
class Now:
    """One decision of the paper's rule, as ``tarstop decide`` says it."""

    b: float  # belief now
    rho: float  # chance that the next document is a hit (brings data); 0 where none is left
    q_star: float
    evpi: float
    value: float  # ρ·EVPI
    plus: bool
    go_on: bool
    cost: float  # of the next document, with what reading it in full is expected to cost


def settled(path: Path, start: int) -> bool:
    """Whether a hit has decided the question by the depth `start`."""
    return path.hit is not None and start >= path.hit


def decide(path: Path, start: int, cost: float) -> Now:
    """The paper's decision at a depth before which nothing settled the question.

    EVPI is that of the payoffs; where a⁺ needs a document to cite, only the rules know of it. Where reading a
    report in full costs extra, what that is expected to cost is added to the document's own: Greedy's comparison.
    """
    cost = path.cost_of_next(start, cost)
    payoffs = path.payoffs
    b = path.belief_at(start)
    rho = 0.0 if settled(path, start) or start >= len(path) else float(path.rho[start])
    evpi = float(payoffs.evpi(b))
    value = rho * evpi
    plus, go_on = bool(payoffs.chooses_plus(b)), bool(exceeds(value, cost))
    return Now(b, rho, payoffs.q_star, evpi, value, plus, go_on, cost)


@dataclass(frozen=True, eq=False)
class Plans:
    """What a rule comes to at each cost, all arrays of shape (C,)."""

    depth: Depths
    plus: Flags  # the action at that depth
    net_utility: Floats  # in the payoffs' unit


def plans(path: Path, policy: Policy, costs: ArrayLike, start: int = 0) -> Plans:
    """Where a rule stops if nothing turns up, and the net utility expected of following it from `start`.

    What has been spent by then is not counted. The rule is one of :data:`EXPECTABLE`, costs are in the payoffs' unit.
    InputProblem when the outcome of the rule cannot be expected.

    Notes
    -----
    Decisive: best − (V_D + c·E_D)/S_d, with E_D = Σ S_k for rules that stop at a hit (then this is J(D)), D − d for
    those that go to their depth whatever they find, and whole batches for Batch. A baseline that has found nothing
    takes a⁻. Cumulative: what reading to that depth and then deciding is expected to bring, whatever turns up on the
    way: EU*(b) + V(w + πH) − c_full·H − c·m, the value of a plan in
    :meth:`~tarstop_core.value.cumulative.CumulativePath.best_plan`. A rule that looks again after each study does no
    worse.
    """
    if not isinstance(policy, EXPECTABLE):
        raise InputProblem(
            f"What {policy.title} comes to depends on labels that nobody has beforehand; choose another rule, or look "
            "at what came of it where labels are known."
        )
    costs = np.atleast_1d(np.asarray(costs, dtype=float))
    return plans_to(policy.depths(path, costs, start), path, policy, costs, start)


def plans_to(depth: Depths, path: Path, policy: Policy, costs: Floats, start: int) -> Plans:
    """The plans of a rule whose depths are known already."""
    looks_every: int | None = policy.K if isinstance(policy, rules.Batch) else 1
    if isinstance(policy, TO_THE_END):
        looks_every = None
    utility = path.expected_utility(
        depth, costs, start, acts_on_belief=policy.acts_on_belief, looks_every=looks_every
    )
    return Plans(depth, actions(path, policy, depth), utility)


def actions(path: Path, policy: Policy, depth: Depths) -> Flags:
    """The action on stopping at each depth."""
    stops, where = np.unique(depth, return_inverse=True)
    return np.array([path.action_at(int(each), policy.acts_on_belief) for each in stops], dtype=bool)[where]


def outcomes(path: Path, policy: Policy, costs: ArrayLike, omega: bool) -> Plans:
    """What came of a rule where everything is known, as a replay has it, for all costs at once.

    InputProblem when the rule draws a random sample, which has no depth on one path.
    """
    costs = np.atleast_1d(np.asarray(costs, dtype=float))
    depth = policy.depths(path, costs)
    plus = actions(path, policy, depth)
    if policy.is_oracle:
        plus = path.knowing(plus, omega)
    if_plus, if_minus = (path.payoffs.outcome(action, omega) for action in (True, False))
    return Plans(depth, plus, np.asarray(np.where(plus, if_plus, if_minus) - costs * depth, dtype=float))
