"""What the advice depends on: one assumption changed at a time, and the values at which the advice turns."""

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
"""For each payoff, the other one with which it adds up to the cost of a mistake."""
REACH = 1000.0
"""Largest factor, up or down, within which break-even values are searched."""
SCAN = 6
"""Steps on a log scale to the end of that range."""
HALVINGS = 16
"""Bisections between two of these steps."""


@dataclass(frozen=True)
class Swing:
    """The effect of one assumption on the plan."""

    name: str  # one of "B", "L_r", "L_g", "G", "cost", "b_0" or "p"
    values: tuple[float, float]  # the assumption, low and high; for "p" the factors
    depth: tuple[int, int]  # where the rule then stops if nothing turns up
    net_utility: tuple[float, float]


@dataclass(frozen=True)
class Tornado:
    """The plan, and the plans with one assumption changed at a time."""

    depth: int
    net_utility: float
    swings: tuple[Swing, ...]
    settled: bool = False  # whether a hit has decided the question

    @property
    def from_0(self) -> bool:
        """Whether a payoff of 0 was raised."""
        return any(swing.name in BESIDE and swing.values[0] == 0 for swing in self.swings)


def tornado(listing: LabelledList, settings: Settings, policy: Policy) -> Tornado:
    """Return a rule's stopping depth and expected net utility with one assumption changed at a time.

    Payoffs and cost are halved and doubled, a payoff of 0 is made as large as the one that it adds to, all chances of documents too; b_0 moves by 0.2, not beyond 0.01 and 0.99.
    A report in full keeps costing as many documents.

    Parameters
    ----------
    listing, settings, policy
        The list, what is at stake now, and the rule.

    Returns
    -------
    Tornado
        The plan as it is and with each assumption low and high.
    """
    start, cost = listing.start, np.array([settings.cost])
    base = listing.planned(settings)
    # Between two options, only two sums of payoffs change a depth; changes with the same sums share one search.
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
        if not high:  # by as much as the payoff that it adds to
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
    option: int  # taken on stopping there
    back: float | None = None  # A value farther out at which the advice changes back, within the range


@dataclass(frozen=True)
class BreakEven:
    """The values of one assumption at which the advice changes."""

    name: FactorName
    value: float  # as it is
    turns: tuple[Turn, ...]
    """The nearest values below and above at which the advice changes, if there are any within the range."""


def goes_on(settings: Settings, path: ListPath, policy: Policy, cost: float, start: int) -> bool:
    """Return whether the rule, or a floor that is not reached, asks for another document.

    The path itself answers for the open loop at this depth alone, in reviews at a hundredth of the price.

    Parameters
    ----------
    settings
        Those in force, which have the floors.
    path, policy
        What is believed along the list, and the rule.
    cost
        Of a document, in the payoffs' unit.
    start
        Documents read.

    Returns
    -------
    bool
        Whether it goes on.
    """
    if start >= len(path):
        return False
    if isinstance(policy, OpenLoop) and not path.settled(start) and path.pays(start, cost):
        return True
    if not scenario_of(settings).may_stop(settings, path, cost, start):
        return True
    return not isinstance(policy, OpenLoop) and int(policy.depths(path, [cost], start)[0]) > start


def break_evens(listing: LabelledList, settings: Settings, policy: Policy) -> tuple[bool, list[BreakEven]]:
    """Return whether the rule goes on now, and at which value of each payoff, the cost and b_0 it would not (or would).

    Bisection on the rule itself finds, to four digits, the nearest value on either side, up to a thousandth or a
    thousandfold (of b_0, its odds).

    Parameters
    ----------
    listing, settings, policy
        The list, what is at stake now, and the rule.

    Returns
    -------
    goes_on : bool
        Whether the rule goes on now.
    break_evens : list of BreakEven
        An entry an assumption: payoffs, then the cost where there is one, then b_0 where there is one.
    """
    start, cost, payoffs = listing.start, settings.cost, settings.payoffs
    base = listing.planned(settings)
    now = goes_on(settings, base, policy, cost, start)

    def turns(path_at: Callable[[float], ListPath], value: float, peak: float) -> tuple[Turn, ...]:
        """Return the changes of advice on either side of an assumption's value, if it changes the path."""
        ends = _turns(lambda at: goes_on(settings, path_at(at), policy, cost, start), value, now, peak)
        return tuple(Turn(at, _acts(path_at(at), policy, start), back) for at, back in ends)

    def with_sum(pair: tuple[PayoffName, PayoffName], total: float) -> ListPath:
        """Return the path if two payoffs have this sum in their present proportion."""
        first, second = (getattr(payoffs, name) for name in pair)
        share = first / (first + second)
        parts: dict[str, Any] = {pair[0]: total * share, pair[1]: total * (1 - share)}
        # Amounts of other options in the same state move too, so that each keeps its place between the two.
        factor, moved = total / (first + second), "right" if pair[0] == "B" else "wrong"
        parts["others"] = tuple(
            replace(each, **{moved: factor * getattr(each, moved)}) for each in payoffs.others
        )
        return base.with_payoffs(replace(payoffs, **parts))

    # Certainty is worth most at a belief of q*: if reading pays anywhere, it pays there.
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
            # A payoff of 0 has no multiples, so it is moved by as much as the sum.
            least, most = value / REACH, (value or first + second) * REACH
            own = []
            for turn in at_sums:
                at, back = turn.at - other, None if turn.back is None else turn.back - other
                if least <= at <= most:
                    own.append(Turn(at, turn.option, back if back and least <= back <= most else None))
            by_name[name] = BreakEven(name, value, tuple(own))
    assumptions = [by_name[name] for name in PAYOFF_NAMES]
    if cost > 0:
        # A report in full still costs as many documents.
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
    """Return the nearest values below and above at which the answer differs from `now`, and where it is `now` again.

    Looked for at steps of a log scale and at `peak`, then bisected.
    """
    turns = []
    for reach in (1 / REACH, REACH):
        steps = [value * math.pow(reach, step / SCAN) for step in range(1, SCAN + 1)]
        low, high = sorted((value, steps[-1]))
        inside = [peak] if low < peak < high else []
        near, ends = value, list[float]()
        for far in sorted((*steps, *inside), reverse=reach < 1):
            answer = now == (len(ends) % 2 == 0)  # between the last turn and here
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
    """Return what is at stake, from plain answers.

    Parameters
    ----------
    worse_plus
        Whether a wrong a⁺ is the worse mistake.
    times
        How many of the lesser mistake are as bad as one of the worse.
    loss
        What the worse mistake costs, compared with acting rightly.
    hour
        What an hour of screening costs; 0 is legal.
    per_hour
        Documents read in an hour.
    unit
        In which the two amounts are.

    Returns
    -------
    Stakes
        Payoffs and the cost of a document. InputProblem when an answer is not a usable number.

    Notes
    -----
    Half of each mistake's cost stands as a loss and half as a gain forgone: only the sums decide.
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
