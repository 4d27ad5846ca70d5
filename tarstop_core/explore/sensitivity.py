"""Sensitivity of the advice: plans with one assumption changed at a time, and values at which the advice changes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.explore.lists import LabelledList
from tarstop_core.explore.plans import Plans, actions, plans, plans_by_cost, plans_to
from tarstop_core.policies import OpenLoop, Policy
from tarstop_core.screening.paths import CHANCE_FACTORS, path_from, starting_chances
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Depths, Payoffs
from tarstop_core.value.stakes import PAYOFF_NAMES, PayoffName, Stakes

FactorName = Literal["B", "L_r", "L_g", "G", "cost", "b_0"]
FACTORS = (0.5, 2.0)
"""Factors on payoffs and cost in a one-way sensitivity analysis."""
BESIDE: dict[PayoffName, PayoffName] = {"B": "L_g", "L_g": "B", "G": "L_r", "L_r": "G"}
"""For each payoff, the other one with which it adds up to the loss of a mistake."""
REACH = 1000.0
"""Largest factor, up or down, within which break-even values are searched."""
SCAN = 6
"""Steps on a log scale from the present value to the end of that range."""
HALVINGS = 16
"""Bisections between two of these steps."""


@dataclass(frozen=True)
class Swing:
    """The effect of one assumption on the plan."""

    name: str  # One of "B", "L_r", "L_g", "G", "cost", "b_0" or "p"
    values: tuple[float, float]  # Low and high value of the assumption; for "p" factors
    depth: tuple[int, int]  # Depth at which the rule then stops if nothing turns up
    net_utility: tuple[float, float]  # Expected net utility


@dataclass(frozen=True)
class Tornado:
    """The plan, and the plans with one assumption changed at a time."""

    depth: int
    net_utility: float
    swings: tuple[Swing, ...]
    settled: bool = False  # Whether a hit has decided the question

    @property
    def from_0(self) -> bool:
        """Whether a payoff is 0 now and was raised."""
        return any(swing.name in BESIDE and swing.values[0] == 0 for swing in self.swings)


def tornado(listing: LabelledList, settings: Settings, policy: Policy) -> Tornado:
    """Return a rule's stopping depth and expected net utility with one assumption changed at a time.

    Payoffs, cost and the chances of all documents are halved and doubled. A payoff of 0 is raised to the payoff that it
    adds up with. b_0 moves by 0.2, but not beyond 0.01 and 0.99. The cost of a report in full stays in proportion to
    that of a document.

    Parameters
    ----------
    listing, settings, policy
        The list, the present stakes, and the rule.

    Returns
    -------
    Tornado
        The present plan, and the plans with each assumption low and high.
    """
    start, cost = listing.start, np.array([settings.cost])
    base = listing.planned(settings)
    # With two options a depth depends only on two sums of payoffs, so changes with equal sums share one search.
    searched: dict[tuple[Payoffs, ...], Depths] = {}

    def with_payoff(name: PayoffName, value: float) -> tuple[int, float]:
        payoffs = settings.stakes.with_payoff(name, value).payoffs
        path = base.with_payoffs(payoffs)
        sums = (payoffs,) if payoffs.others else (Payoffs(payoffs.wrong_minus, payoffs.wrong_plus, 0, 0),)
        if sums not in searched:
            searched[sums] = scenario_of(settings).stopping_depths(settings, policy, path, cost, start)
        return _plan(plans_to(searched[sums], path, policy, cost, start))

    def on(path: ListPath) -> tuple[int, float]:
        return _plan(plans(path, policy, cost, start, settings))

    swings = []
    for name in PAYOFF_NAMES:
        low, high = (factor * getattr(settings.payoffs, name) for factor in FACTORS)
        if not high:  # A payoff of 0 has no multiples
            high = getattr(settings.payoffs, BESIDE[name])
        swings.append(_swing(name, (low, high), [with_payoff(name, low), with_payoff(name, high)]))
    costs = np.array([*FACTORS, 1.0]) * settings.cost
    by_cost = plans_by_cost(base, policy, costs, start, settings)
    *ends, (depth, net_utility) = zip(by_cost.depth.tolist(), by_cost.net_utility.tolist(), strict=True)
    swings.append(_swing("cost", (float(costs[0]), float(costs[1])), ends))
    if scenario_of(settings).has_starting_chance(settings):
        low, high = starting_chances(settings)
        ends = [on(_with_b_0(listing, settings, base, b_0)) for b_0 in (low, high)]
        swings.append(_swing("b_0", (low, high), ends))
    ends = [on(listing.planned(settings, factor)) for factor in CHANCE_FACTORS]
    swings.append(_swing("p", CHANCE_FACTORS, ends))
    return Tornado(depth, net_utility, tuple(swings), base.settled(start))


def _plan(plan: Plans) -> tuple[int, float]:
    """Return depth and net utility of the plan at a single cost."""
    return int(plan.depth[0]), float(plan.net_utility[0])


def _swing(name: str, values: tuple[float, float], ends: Sequence[tuple[int, float]]) -> Swing:
    (low, high), (poor, rich) = zip(*ends, strict=True)
    return Swing(name, values, (low, high), (poor, rich))


def _with_b_0(listing: LabelledList, settings: Settings, base: ListPath, b_0: float) -> ListPath:
    changed = replace(settings, b_0=b_0)
    return path_from(changed, base, listing.calibrator, listing.p, listing.state)


@dataclass(frozen=True)
class Turn:
    """A value at which the advice changes."""

    at: float
    option: int  # Option taken on stopping there
    back: float | None = None  # A more distant value, within the range, at which the advice changes back


@dataclass(frozen=True)
class BreakEven:
    """The values of one assumption at which the advice changes."""

    name: FactorName
    value: float  # The present value
    turns: tuple[Turn, ...]
    """The nearest values below and above at which the advice changes, if there are any within the range."""


def goes_on(settings: Settings, path: ListPath, policy: Policy, cost: float, start: int) -> bool:
    """Whether the rule, or a floor that is not reached, asks for another document.

    For the open loop the path answers at this depth alone, which in reviews takes a hundredth of the time.

    Parameters
    ----------
    settings
        Settings with the floors.
    path, policy
        Path of the list, and the rule.
    cost
        Cost of a document, in the payoffs' unit.
    start
        Documents read.

    Returns
    -------
    bool
    """
    if start >= len(path):
        return False
    if isinstance(policy, OpenLoop) and not path.settled(start) and path.pays(start, cost):
        return True
    if not scenario_of(settings).may_stop(settings, path, cost)[start]:
        return True
    return not isinstance(policy, OpenLoop) and int(policy.depths(path, [cost], start)[0]) > start


def break_evens(listing: LabelledList, settings: Settings, policy: Policy) -> tuple[bool, list[BreakEven]]:
    """Return whether the rule goes on now, and the values of each payoff, the cost and b_0 at which this changes.

    Bisection finds the nearest value on either side to four digits, within a factor of :data:`REACH` (for b_0, of its
    odds).

    Parameters
    ----------
    listing, settings, policy
        The list, the present stakes, and the rule.

    Returns
    -------
    goes_on : bool
        Whether the rule goes on now.
    break_evens : list of BreakEven
        An entry for each payoff, then for the cost if it is not 0, then for b_0 if the scenario has one.
    """
    start, cost, payoffs = listing.start, settings.cost, settings.payoffs
    base = listing.planned(settings)
    now = goes_on(settings, base, policy, cost, start)

    def turns(path_at: Callable[[float], ListPath], value: float, peak: float) -> tuple[Turn, ...]:
        """Return the changes of advice on either side of the value of an assumption that changes the path."""
        ends = _turns(lambda at: goes_on(settings, path_at(at), policy, cost, start), value, now, peak)
        return tuple(Turn(at, _acts(path_at(at), policy, start), back) for at, back in ends)

    def with_sum(pair: tuple[PayoffName, PayoffName], total: float) -> ListPath:
        """Return the path if two payoffs have this sum in their present proportion."""
        first, second = (getattr(payoffs, name) for name in pair)
        share = first / (first + second)
        parts: dict[str, Any] = {pair[0]: total * share, pair[1]: total * (1 - share)}
        # Payoffs of other options under the same truth change in proportion, so that they stay between the two.
        factor, moved = total / (first + second), "right" if pair[0] == "B" else "wrong"
        parts["others"] = tuple(
            replace(option, **{moved: factor * getattr(option, moved)}) for option in payoffs.others
        )
        return base.with_payoffs(replace(payoffs, **parts))

    # Certainty is worth most when the belief equals q*: if reading pays anywhere, it pays there.
    b = min(1 - 1e-9, max(1e-9, base.belief_at(start)))
    odds_now, odds_wanted = b / (1 - b), payoffs.wrong_plus / payoffs.wrong_minus
    # Advice depends only on B + L_g and G + L_r, so there is one search per sum.
    pairs: tuple[tuple[tuple[PayoffName, PayoffName], float], ...] = (
        (("B", "L_g"), payoffs.wrong_plus / odds_now),
        (("G", "L_r"), payoffs.wrong_minus * odds_now),
    )
    by_name: dict[str, BreakEven] = {}
    for pair, peak in pairs:
        first, second = (getattr(payoffs, name) for name in pair)
        at_sums = turns(partial(with_sum, pair), first + second, peak)
        for name, value, other in ((pair[0], first, second), (pair[1], second, first)):
            # A payoff of 0 has no multiples, so it is moved by multiples of the sum.
            least, most = value / REACH, (value or first + second) * REACH
            own = []
            for turn in at_sums:
                at, back = turn.at - other, None if turn.back is None else turn.back - other
                if least <= at <= most:
                    own.append(Turn(at, turn.option, back if back and least <= back <= most else None))
            by_name[name] = BreakEven(name, value, tuple(own))
    assumptions = [by_name[name] for name in PAYOFF_NAMES]
    if cost > 0:
        # The cost of a report in full stays in proportion.
        ends = _turns(
            lambda at: goes_on(settings, base.with_reports_times(at / cost), policy, at, start), cost, now
        )
        acts = _acts(base, policy, start)
        assumptions.append(BreakEven("cost", cost, tuple(Turn(at, acts, back) for at, back in ends)))
    if scenario_of(settings).has_starting_chance(settings):
        odds = settings.b_0 / (1 - settings.b_0)
        at_odds = turns(
            lambda at: _with_b_0(listing, settings, base, at / (1 + at)), odds, odds * odds_wanted / odds_now
        )
        chances = tuple(
            Turn(turn.at / (1 + turn.at), turn.option, turn.back and turn.back / (1 + turn.back))
            for turn in at_odds
        )
        assumptions.append(BreakEven("b_0", settings.b_0, chances))
    return now, assumptions


def _acts(path: ListPath, policy: Policy, depth: int) -> int:
    return bool(actions(path, policy, np.array([depth]))[0])


def _turns(
    holds: Callable[[float], bool], value: float, now: bool, peak: float = 0.0
) -> list[tuple[float, float | None]]:
    """Return the nearest values below and above at which `holds` differs from `now`, and those where it is `now` again.

    They are searched at steps of a log scale and at `peak`, and then bisected.
    """
    turns = []
    for reach in (1 / REACH, REACH):
        steps = [value * math.pow(reach, step / SCAN) for step in range(1, SCAN + 1)]
        low, high = sorted((value, steps[-1]))
        inside = [peak] if low < peak < high else []
        near, ends = value, list[float]()
        for far in sorted((*steps, *inside), reverse=reach < 1):
            answer = now == (len(ends) % 2 == 0)  # The answer after the last turn
            if len(ends) < 2 and holds(far) != answer:
                ends.append(_turning(holds, near, far, answer))
            near = far
        if ends:
            turns.append((ends[0], ends[1] if len(ends) > 1 else None))
    return turns


def _turning(holds: Callable[[float], bool], near: float, far: float, answer: bool) -> float:
    """Return the first value from `near` to `far` at which the answer differs."""
    for _ in range(HALVINGS):
        middle = math.sqrt(near * far)
        near, far = (middle, far) if holds(middle) == answer else (near, middle)
    return far


def elicited(worse_plus: bool, times: float, loss: float, hour: float, per_hour: float, unit: str) -> Stakes:
    """Return the stakes that follow from answers to plain questions.

    Parameters
    ----------
    worse_plus
        Whether a wrong a⁺ is the worse mistake.
    times
        Number of lesser mistakes that are as bad as one worse mistake.
    loss
        Loss of the worse mistake, compared with the right action.
    hour
        Cost of an hour of screening, 0 or more.
    per_hour
        Documents read in an hour.
    unit
        Unit of the two amounts.

    Returns
    -------
    Stakes
        Payoffs and the cost of a document.

    Raises
    ------
    InputProblem
        When an answer is not a valid number.

    Notes
    -----
    Half of each mistake's loss becomes a loss and half a forgone gain; only their sum matters.
    """
    for what, value, usable, wanted in (
        ("number of mistakes", times, times >= 1, "a number at least 1"),
        ("cost of the worse mistake", loss, loss > 0, "a number above 0"),
        ("number of documents an hour", per_hour, per_hour > 0, "a number above 0"),
        ("cost of an hour", hour, hour >= 0, "0 or more"),
    ):
        if not (math.isfinite(value) and usable):
            raise InputProblem(f"The {what} is {value:g}; give {wanted}.")
    lesser = loss / times
    plus, minus = (loss, lesser) if worse_plus else (lesser, loss)
    return Stakes(Payoffs(minus / 2, plus / 2, minus / 2, plus / 2, unit), hour / per_hour)
