"""What the answer depends on: tornado and break-even values."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.explore.lists import Explored
from tarstop_core.explore.plans import Plans, actions, plans, plans_to, settled
from tarstop_core.policies import OpenLoop, Policy
from tarstop_core.screening.paths import CHANCE_FACTORS, path_from, starting_chances
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import Depths, Payoffs
from tarstop_core.value.stakes import PAYOFF_NAMES, PayoffName, Stakes

FactorName = Literal["B", "L_r", "L_g", "G", "cost", "b_0"]
FACTORS = (0.5, 2.0)
"""What one-way sensitivity multiplies payoffs and cost with."""
REACH = 1000.0
"""How many times larger or smaller a break-even value is looked for."""
SCAN, HALVINGS = 6, 16


@dataclass(frozen=True)
class Swing:
    """What one assumption does to the plan."""

    name: str  # one of "B", "L_r", "L_g", "G", "cost", "b_0" or "p"
    values: tuple[float, float]  # the assumption, low and high; for "p" the factors
    depth: tuple[int, int]  # where the rule then stops if nothing turns up
    net_utility: tuple[float, float]


@dataclass(frozen=True)
class Tornado:
    """The plan as it is, and each assumption changed alone."""

    depth: int
    net_utility: float
    swings: tuple[Swing, ...]
    settled: bool = False  # whether a hit has decided the question


def tornado(explored: Explored, settings: Settings, policy: Policy) -> Tornado:
    """One-way sensitivity of a rule's stopping depth and expected net utility.

    Payoffs and cost are halved and doubled, all chances of documents too; b_0 moves by 0.2, not beyond 0.01 and 0.99.
    """
    start, cost = explored.start, np.array([settings.cost])
    base = explored.planned(settings)
    stakes = settings.stakes
    # Only two sums of payoffs move a depth: where two changes come to the same sums, one search serves both.
    searched: dict[tuple[float, float], Depths] = {}

    def with_payoff(name: PayoffName, value: float) -> tuple[int, float]:
        payoffs = stakes.with_payoff(name, value).payoffs
        path, sums = base.with_payoffs(payoffs), (payoffs.wrong_plus, payoffs.wrong_minus)
        if sums not in searched:
            searched[sums] = policy.depths(path, cost, start)
        return _one(plans_to(searched[sums], path, policy, cost, start))

    swings = []
    for name in PAYOFF_NAMES:
        low, high = (factor * getattr(settings.payoffs, name) for factor in FACTORS)
        swings.append(_swing(name, (low, high), [with_payoff(name, low), with_payoff(name, high)]))
    costs = np.array([*FACTORS, 1.0]) * settings.cost
    each = plans(base, policy, costs, start)
    *ends, (depth, net_utility) = zip(each.depth.tolist(), each.net_utility.tolist(), strict=True)
    swings.append(_swing("cost", (float(costs[0]), float(costs[1])), ends))
    if scenario_of(settings).has_starting_chance(settings):
        low, high = starting_chances(settings)
        moved = [_with_b_0(explored, settings, base, b_0) for b_0 in (low, high)]
        ends = [_one(plans(path, policy, settings.cost, start)) for path in moved]
        swings.append(_swing("b_0", (low, high), ends))
    moved = [explored.planned(settings, factor) for factor in CHANCE_FACTORS]
    ends = [_one(plans(path, policy, settings.cost, start)) for path in moved]
    swings.append(_swing("p", CHANCE_FACTORS, ends))
    return Tornado(depth, net_utility, tuple(swings), settled(base, start))


def _one(found: Plans) -> tuple[int, float]:
    return int(found.depth[0]), float(found.net_utility[0])


def _swing(name: str, values: tuple[float, float], ends: Sequence[tuple[int, float]]) -> Swing:
    (low, high), (poor, rich) = zip(*ends, strict=True)
    return Swing(name, values, (low, high), (poor, rich))


def _with_b_0(explored: Explored, settings: Settings, base: Path, b_0: float) -> Path:
    changed = replace(settings, b_0=b_0)
    return path_from(changed, base, explored.calibrator, explored.p, explored.state)


@dataclass(frozen=True)
class Turn:
    """A value at which the advice is another one."""

    at: float
    plus: bool  # the action, were one to stop there


@dataclass(frozen=True)
class BreakEven:
    """Where one assumption would turn the advice."""

    name: FactorName
    value: float  # as it is
    turns: tuple[Turn, ...]
    """The nearest value below and above at which the advice turns, where there are such within reach."""


def goes_on(path: Path, policy: Policy, cost: float, start: int) -> bool:
    """Whether the rule reads another document.

    Of the open loop the path knows it at this depth alone, in reviews at a hundredth of the price.
    """
    if start >= len(path):
        return False
    if isinstance(policy, OpenLoop):
        return not settled(path, start) and path.pays(start, cost)
    return int(policy.depths(path, [cost], start)[0]) > start


def break_evens(explored: Explored, settings: Settings, policy: Policy) -> tuple[bool, list[BreakEven]]:
    """Whether the rule goes on now, and at which value of each payoff, the cost and b_0 it would not (or would).

    Found by bisection on the rule itself, to four digits: the nearest value on either side, up to a thousandth or a
    thousandfold (of b_0, its odds).
    """
    start, cost = explored.start, settings.cost
    base = explored.planned(settings)

    def with_odds(odds: float) -> Path:
        return _with_b_0(explored, settings, base, odds / (1 + odds))

    now = goes_on(base, policy, cost, start)
    # Certainty is worth most where belief is at q*: if reading pays anywhere, then there.
    b = min(1 - 1e-9, max(1e-9, base.belief_at(start)))
    odds_now, odds_wanted = b / (1 - b), settings.payoffs.wrong_plus / settings.payoffs.wrong_minus

    def turns(path: Callable[[float], Path], value: float, peak: float) -> tuple[Turn, ...]:
        ends = _turns(lambda each: goes_on(path(each), policy, cost, start), value, now, peak)
        return tuple(Turn(each, _acts(path(each), policy, start)) for each in ends)

    # Advice depends on B + L_g and on G + L_r alone: what turns it is sought once a sum.
    found = []
    wrong_plus, wrong_minus = settings.payoffs.wrong_plus, settings.payoffs.wrong_minus
    for pair, peak in ((("B", "L_g"), wrong_plus / odds_now), (("G", "L_r"), wrong_minus * odds_now)):
        first, second = (cast(float, getattr(settings.payoffs, name)) for name in pair)

        def of_sum(
            total: float, pair: tuple[str, str] = pair, share: float = first / (first + second)
        ) -> Path:
            parts: dict[str, Any] = {pair[0]: total * share, pair[1]: total * (1 - share)}
            return base.with_payoffs(replace(settings.payoffs, **parts))

        at = turns(of_sum, first + second, peak)
        for name, value, other in ((pair[0], first, second), (pair[1], second, first)):
            own = [Turn(each.at - other, each.plus) for each in at]
            # A payoff of 0 has no multiples: it is moved as far as the sum is.
            most = (value or first + second) * REACH
            within = tuple(each for each in own if value / REACH <= each.at <= most)
            found.append(BreakEven(cast(FactorName, name), value, within))
    found.sort(key=lambda each: PAYOFF_NAMES.index(cast(PayoffName, each.name)))
    if cost > 0:
        ends = _turns(lambda each: goes_on(base, policy, each, start), cost, now)
        found.append(BreakEven("cost", cost, tuple(Turn(each, _acts(base, policy, start)) for each in ends)))
    if scenario_of(settings).has_starting_chance(settings):
        odds = settings.b_0 / (1 - settings.b_0)
        moved = tuple(
            Turn(each.at / (1 + each.at), each.plus)
            for each in turns(with_odds, odds, odds * odds_wanted / odds_now)
        )
        found.append(BreakEven("b_0", settings.b_0, moved))
    return now, found


def _acts(path: Path, policy: Policy, depth: int) -> bool:
    return bool(actions(path, policy, np.array([depth]))[0])


def _turns(holds: Callable[[float], bool], value: float, now: bool, peak: float = 0.0) -> list[float]:
    """The nearest values below and above at which the answer is another one than `now`.

    Looked for at steps of a log scale and at `peak`, then bisected.
    """
    found = []
    for reach in (1 / REACH, REACH):
        steps = [value * math.pow(reach, step / SCAN) for step in range(1, SCAN + 1)]
        low, high = sorted((value, steps[-1]))
        inside = [peak] if low < peak < high else []
        near = value
        for far in sorted((*steps, *inside), reverse=reach < 1):
            if holds(far) != now:
                for _ in range(HALVINGS):
                    middle = math.sqrt(near * far)
                    near, far = (middle, far) if holds(middle) == now else (near, middle)
                found.append(far)
                break
            near = far
    return found


def elicited(worse_plus: bool, times: float, loss: float, hour: float, per_hour: float, unit: str) -> Stakes:
    """What is at stake, from plain answers.

    Whether a wrong a⁺ is the worse mistake, what that costs compared with acting rightly (`loss`), and how many
    `times` as bad as the lesser it is; what an hour of screening costs (0 is legal), and documents read in it.
    InputProblem when an answer is not a usable number.

    Notes
    -----
    Half of each mistake's cost stands as a loss and half as a gain forgone: only the sums decide.
    """
    for what, value, usable, wanted in (
        ("number of mistakes", times, times >= 1, "a number at least 1"),
        ("cost of the worse mistake", loss, loss > 0, "a number above 0"),
        ("number of documents an hour", per_hour, per_hour > 0, "a number above 0"),
        ("cost of an hour", hour, hour >= 0, "0 or a number above 0"),
    ):
        if not (math.isfinite(value) and usable):
            raise InputProblem(f"The {what} is {value:g}; give {wanted}.")
    lesser = loss / times
    plus, minus = (loss, lesser) if worse_plus else (lesser, loss)
    return Stakes(Payoffs(minus / 2, plus / 2, minus / 2, plus / 2, unit), hour / per_hour)
