"""Payoffs of right and wrong actions, the threshold belief q*, and the expected value of perfect information."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.errors import InputProblem

Floats = NDArray[np.float64]
Depths = NDArray[np.intp]
Flags = NDArray[np.bool_]

TOLERANCE = 1e-12
"""Differences below this are rounding. At b = q* a belief of .5000000000000001 must not change an action."""


def exceeds(value: ArrayLike, cost: ArrayLike) -> Flags:
    """Whether a value exceeds a cost by more than rounding.

    The tolerance is relative, so payoffs and cost may be scaled together (pounds,
    pence, utilities) without changing an answer.

    >>> bool(exceeds(0.1 + 0.2, 0.3)), bool(exceeds(0.31, 0.3)), bool(exceeds(0.0, 0.0))
    (False, True, False)
    """
    value, cost = np.asarray(value, dtype=float), np.asarray(cost, dtype=float)
    return np.asarray(value - cost > TOLERANCE * np.maximum(np.abs(value), np.abs(cost)))


MINUS, PLUS = 0, 1
"""Numbers of the actions a⁻ and a⁺ among the options of a decision; further options follow them."""


@dataclass(frozen=True, slots=True)
class Option:
    """An action beside a⁺ and a⁻ with its payoffs, negative for a cost, in the payoffs' unit."""

    name: str
    right: float  # Payoff if ω⁺ holds
    wrong: float  # Payoff if ω⁻ holds

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise InputProblem("An option has no name; give it one.")
        for value in (self.right, self.wrong):
            if not (isinstance(value, Real) and math.isfinite(value)):
                raise InputProblem(f"The option {self.name!r} brings {value!r}; give a number.")

    def utility(self, b: ArrayLike) -> Floats:
        """Expected payoff at a belief."""
        b = np.asarray(b, dtype=float)
        return b * self.right + (1 - b) * self.wrong


@dataclass(frozen=True)
class Ranges:
    """Ranges of belief in which each option is the best one, from the upper envelope of their lines."""

    options: tuple[int, ...]  # Options that are the best one somewhere, from belief 0 up to 1
    ends: tuple[float, ...]  # Beliefs at which one range ends and the next begins, rising

    def of(self, option: int) -> tuple[float, float] | None:
        """Both ends of the range in which an option is the best one; None if it never is."""
        if option not in self.options:
            return None
        at, ends = self.options.index(option), (0.0, *self.ends, 1.0)
        return ends[at], ends[at + 1]


@dataclass(frozen=True, slots=True)
class Payoffs:
    """The four payoffs of a binary action, none negative, in one unit, and those of any further options.

    InputProblem if an amount is negative, a mistake costs nothing, or one option is always the best. Fletcher & Stevenson,
    Methods → Framework. With further options the best of all is chosen; the value of a decision among several is the sum of
    the values of decisions between neighbours in :attr:`ranges`, because the upper envelope is a sum of their kinks.

    >>> money = Payoffs(B=4000, L_r=1000, L_g=4000, G=1000, unit="£")
    >>> money.q_star, money.K
    (0.2, 10000)
    >>> float(money.evpi(0.5)), float(money.scaled(1 / money.K).evpi(0.5))
    (1000.0, 0.1)
    >>> three = Payoffs(4000, 1000, 4000, 1000, "£", (Option("Trial only", 2500, 400),))
    >>> [round(end, 3) for end in three.ranges().ends], three.best([0.05, 0.2, 0.9]).tolist(), float(three.evpi(0.5))
    ([0.085, 0.483], [0, 2, 1], 1000.0)
    """

    B: float  # Benefit of a⁺ when ω⁺ holds
    L_r: float  # Loss of a⁺ when ω⁻ holds (in patents a wrong rejection, in reviews a wrong adoption)
    L_g: float  # Loss of a⁻ when ω⁺ holds (in patents a wrong grant, in reviews a missed adoption)
    G: float  # Gain of a⁻ when ω⁻ holds
    unit: str = ""
    """Unit of the amounts and of the cost per document, such as "£" or "hours"; empty if they are normalised."""
    others: tuple[Option, ...] = ()
    """Options beside a⁺ and a⁻."""

    def __post_init__(self) -> None:
        for name, value in (("B", self.B), ("L_r", self.L_r), ("L_g", self.L_g), ("G", self.G)):
            if not isinstance(value, Real):
                raise InputProblem(f"The payoff {name} is {value!r}; give a number.")
            if not (math.isfinite(value) and value >= 0):
                raise InputProblem(
                    f"The payoff {name} is {value:g}; give 0 or more (losses are entered as positive amounts)."
                )
        for names, mistake in (("B + L_g", self.wrong_minus), ("G + L_r", self.wrong_plus)):
            # Where a mistake costs nothing there is nothing to decide: q* would be 0 or 1.
            if not mistake > 0:
                raise InputProblem(f"The payoffs {names} add up to 0; give one of them a number above 0.")
        if not self.ranges().ends:
            (best,) = self.ranges().options
            raise InputProblem(
                f"The option {self.others[best - PLUS - 1].name!r} is the best one whatever is believed, so there is nothing to "
                "decide; change its amounts."
            )

    @property
    def evenly_split(self) -> bool:
        """Whether each right action brings what the wrong one loses, as after :meth:`from_q_star`; then only differences count."""
        return self.L_g == self.B and self.L_r == self.G

    @classmethod
    def from_q_star(cls, q_star: float, K: float = 1.0, unit: str = "") -> Payoffs:
        """Return payoffs with this threshold: B = L_g = K(1−q*)/2 and G = L_r = K·q*/2.

        Parameters
        ----------
        q_star : float
            Threshold belief, in (0, 1).
        K : float
            What both mistakes cost together; 1 is the normalised form of all the paper's experiments.
        unit : str
            Unit of the amounts.

        Returns
        -------
        Payoffs
            Symmetric: what a right action brings, the wrong one costs.

        Raises
        ------
        InputProblem
            When q* is not between 0 and 1.
        """
        if not 0 < q_star < 1:
            raise InputProblem(f"The threshold q* is {q_star:g}; give a number between 0 and 1.")
        under_plus, under_minus = K * (1 - q_star) / 2, K * q_star / 2
        return cls(B=under_plus, L_r=under_minus, L_g=under_plus, G=under_minus, unit=unit)

    @property
    def K(self) -> float:
        """K, what both mistakes cost together; dividing all amounts by it normalises them."""
        return self.B + self.L_g + self.G + self.L_r

    @property
    def q_star(self) -> float:
        """q*, the belief above which a⁺ is better than a⁻."""
        return self.wrong_plus / self.K

    @property
    def wrong_plus(self) -> float:
        """Loss of a⁺ under ω⁻ compared with acting rightly, G + L_r."""
        return self.G + self.L_r

    @property
    def wrong_minus(self) -> float:
        """Loss of a⁻ under ω⁺ compared with acting rightly, B + L_g."""
        return self.B + self.L_g

    def scaled(self, factor: float, unit: str | None = None) -> Payoffs:
        """Return the payoffs with all amounts multiplied; no decision changes if the cost is multiplied too."""
        unit = self.unit if unit is None else unit
        others = tuple(Option(each.name, each.right * factor, each.wrong * factor) for each in self.others)
        return Payoffs(self.B * factor, self.L_r * factor, self.L_g * factor, self.G * factor, unit, others)

    def utility_plus(self, b: ArrayLike) -> Floats:
        """EU(a⁺|b) = bB − (1−b)L_r, in the payoffs' unit."""
        b = np.asarray(b, dtype=float)
        return b * self.B - (1 - b) * self.L_r

    def utility_minus(self, b: ArrayLike) -> Floats:
        """EU(a⁻|b) = −bL_g + (1−b)G, in the payoffs' unit."""
        b = np.asarray(b, dtype=float)
        return -b * self.L_g + (1 - b) * self.G

    def utility_of(self, option: int, b: ArrayLike) -> Floats:
        """Expected payoff of an option at a belief, in the payoffs' unit."""
        if option > PLUS:
            return self.others[option - PLUS - 1].utility(b)
        return self.utility_plus(b) if option == PLUS else self.utility_minus(b)

    def ranges(self, plus_open: bool = True) -> Ranges:
        """Return the ranges of belief in which each option is the best one; without a⁺ if it may not be taken."""
        return _ranges(self, plus_open)

    def neighbours(self, plus_open: bool = True) -> tuple[Payoffs, ...]:
        """Return decisions between two options each whose values add up to that of this one: itself if there are only two."""
        return _neighbours(self, plus_open) if self.others else (self,) if plus_open else ()

    def best(self, b: ArrayLike, plus_open: bool = True) -> Depths:
        """Number of the option chosen at a belief; a range begins strictly above its lower end, beyond rounding."""
        ranges = _ranges(self, plus_open)
        beyond = np.searchsorted(np.asarray(ranges.ends) + TOLERANCE, np.asarray(b, dtype=float), side="left")
        return np.asarray(np.asarray(ranges.options)[beyond])

    def chooses_plus(self, b: ArrayLike) -> Flags:
        """Whether a⁺ is chosen: without other options if b > q*, strictly and beyond rounding."""
        return np.asarray(self.best(b) == PLUS)

    def utility(self, b: ArrayLike, plus_open: bool = True) -> Floats:
        """EU*(b), the largest expected payoff of the options that are open."""
        first, *others = self.ranges(plus_open).options
        best = self.utility_of(first, b)
        for option in others:
            best = np.maximum(best, self.utility_of(option, b))
        return best

    def evpi(self, b: ArrayLike) -> Floats:
        """Expected value of perfect information; between two options min(b(B+L_g), (1−b)(G+L_r)), largest at q*."""
        b = np.asarray(b, dtype=float)
        total = np.zeros(b.shape)
        for two in self.neighbours():
            total = total + np.minimum(b * two.wrong_minus, (1 - b) * two.wrong_plus)
        return np.asarray(total)

    @property
    def highest_evpi(self) -> float:
        """The largest EVPI at any belief."""
        return max(float(self.evpi(end)) for end in self.ranges().ends)

    def outcome(self, option: int, omega: bool) -> float:
        """Payoff of an option in a known state, without screening cost."""
        return float(self.utility_of(option, float(omega)))


@lru_cache(maxsize=256)
def _ranges(payoffs: Payoffs, plus_open: bool) -> Ranges:
    """Ranges of belief of the best options, cached by the payoffs."""
    if not payoffs.others:
        return Ranges((MINUS, PLUS), (payoffs.q_star,)) if plus_open else Ranges((MINUS,), ())
    options = range(PLUS + 1 + len(payoffs.others))
    ends = {
        option: (payoffs.outcome(option, omega=False), payoffs.outcome(option, omega=True))
        for option in options
        if plus_open or option != PLUS
    }
    # Begin with the best one at belief 0; the next is always the line that crosses the last one first.
    best, between = [max(ends, key=ends.__getitem__)], list[float]()
    while True:
        wrong, right = ends[best[-1]]
        crossings = {
            option: (wrong - at_0) / (wrong - at_0 + at_1 - right)
            for option, (at_0, at_1) in ends.items()
            if at_1 > right
        }
        if not crossings:
            return Ranges(tuple(best), tuple(between))
        following = min(crossings, key=lambda option: (crossings[option], -ends[option][1]))
        best.append(following)
        between.append(crossings[following])


@lru_cache(maxsize=256)
def _neighbours(payoffs: Payoffs, plus_open: bool) -> tuple[Payoffs, ...]:
    """Decisions between options whose ranges touch, cached by the payoffs."""
    options = payoffs.ranges(plus_open).options
    ends = [(payoffs.outcome(option, omega=False), payoffs.outcome(option, omega=True)) for option in options]
    return tuple(
        Payoffs(B=upper[1] - lower[1], L_r=0.0, L_g=0.0, G=lower[0] - upper[0])
        for lower, upper in pairwise(ends)
    )


@dataclass(frozen=True, slots=True)
class Weighed:
    """One decision of the paper's rule, which compares the next document with its cost."""

    q_star: float  # threshold belief
    evpi: float  # expected value of perfect information, in the payoffs' unit
    value: float  # the paper's score ρ·EVPI, in the payoffs' unit
    option: int  # number of the option taken on stopping now
    go_on: bool  # whether the next document is worth its cost


def weigh(payoffs: Payoffs, b: float, rho: float, cost: float) -> Weighed:
    """Weigh the next document against its cost by the paper's rule.

    Parameters
    ----------
    payoffs : Payoffs
        Payoffs of the options.
    b, rho : float
        Belief in ω⁺, and chance that the next document is a hit; in [0, 1].
    cost : float
        Cost of reading it, in the payoffs' unit.

    Returns
    -------
    Weighed
        The decision with the figures it is based on.

    Raises
    ------
    InputProblem
        When the cost is negative.
    """
    check_cost(cost)
    evpi = float(payoffs.evpi(b))
    value = rho * evpi
    return Weighed(payoffs.q_star, evpi, value, int(payoffs.best(b)), bool(exceeds(value, cost)))


def check_cost(cost: float, of: str = "per document") -> float:
    """Return a cost; raise InputProblem if it is negative or not a number."""
    if not isinstance(cost, Real):
        raise InputProblem(f"The cost {of} is {cost!r}; give a number.")
    if not (math.isfinite(cost) and cost >= 0):
        raise InputProblem(f"The cost {of} is {cost:g}; give 0 or more.")
    return cost
