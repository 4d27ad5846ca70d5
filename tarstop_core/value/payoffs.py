"""Consequences of acting rightly and wrongly, and what certainty would be worth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.errors import InputProblem

Floats = NDArray[np.float64]
Depths = NDArray[np.intp]
Flags = NDArray[np.bool_]

TOLERANCE = 1e-12
"""Below this a difference is rounding. At b = q* a belief of .5000000000000001 must not change an action."""


def exceeds(value: ArrayLike, cost: ArrayLike) -> Flags:
    """``value > cost``, unless the difference is rounding.

    The tolerance is relative, so payoffs and cost may be scaled together (pounds,
    pence, utilities) without changing an answer.

    >>> bool(exceeds(0.1 + 0.2, 0.3)), bool(exceeds(0.31, 0.3)), bool(exceeds(0.0, 0.0))
    (False, True, False)
    """
    value, cost = np.asarray(value, dtype=float), np.asarray(cost, dtype=float)
    return np.asarray(value - cost > TOLERANCE * np.maximum(np.abs(value), np.abs(cost)))


@dataclass(frozen=True, slots=True)
class Payoffs:
    """The four payoffs of a binary action, none negative, in one unit; either mistake costs something, or InputProblem.

    Fletcher & Stevenson, Methods → Framework.

    >>> money = Payoffs(B=4000, L_r=1000, L_g=4000, G=1000, unit="£")
    >>> money.q_star, money.K
    (0.2, 10000)
    >>> float(money.evpi(0.5)), float(money.scaled(1 / money.K).evpi(0.5))
    (1000.0, 0.1)
    """

    B: float  # Benefit of a⁺ when ω⁺ holds
    L_r: float  # Loss of a⁺ when ω⁻ holds (in patents a wrong rejection, in reviews a wrong adoption)
    L_g: float  # Loss of a⁻ when ω⁺ holds (in patents a wrong grant, in reviews a missed adoption)
    G: float  # Gain of a⁻ when ω⁻ holds
    unit: str = ""
    """What they are counted in, the same as the cost per document: "£", "hours". Empty: normalised."""

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

    @classmethod
    def from_q_star(cls, q_star: float, K: float = 1.0, unit: str = "") -> Payoffs:
        """Payoffs that have this threshold: B = L_g = K(1−q*)/2 and G = L_r = K·q*/2.

        Parameters
        ----------
        q_star : float
            Threshold belief, in (0, 1).
        K : float
            What both mistakes cost together; 1 is the normalised form of all the paper's experiments.
        unit : str
            What they are counted in.

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
        of_plus, of_minus = K * (1 - q_star) / 2, K * q_star / 2
        return cls(B=of_plus, L_r=of_minus, L_g=of_plus, G=of_minus, unit=unit)

    @property
    def K(self) -> float:
        """What both kinds of error cost together; dividing by it normalises."""
        return self.B + self.L_g + self.G + self.L_r

    @property
    def q_star(self) -> float:
        """Threshold belief: a⁺ is the better action above it."""
        return self.wrong_plus / self.K

    @property
    def wrong_plus(self) -> float:
        """What a⁺ under ω⁻ costs compared with acting rightly: G + L_r."""
        return self.G + self.L_r

    @property
    def wrong_minus(self) -> float:
        """What a⁻ under ω⁺ costs compared with acting rightly: B + L_g."""
        return self.B + self.L_g

    def scaled(self, factor: float, unit: str | None = None) -> Payoffs:
        """All four multiplied; no decision changes when the cost is multiplied too."""
        unit = self.unit if unit is None else unit
        return Payoffs(self.B * factor, self.L_r * factor, self.L_g * factor, self.G * factor, unit)

    def utility_plus(self, b: ArrayLike) -> Floats:
        """EU(a⁺|b) = bB − (1−b)L_r, in the payoffs' unit."""
        b = np.asarray(b, dtype=float)
        return b * self.B - (1 - b) * self.L_r

    def utility_minus(self, b: ArrayLike) -> Floats:
        """EU(a⁻|b) = −bL_g + (1−b)G, in the payoffs' unit."""
        b = np.asarray(b, dtype=float)
        return -b * self.L_g + (1 - b) * self.G

    def chooses_plus(self, b: ArrayLike) -> Flags:
        """Whether a⁺ is chosen: b > q*, strictly and beyond rounding."""
        return np.asarray(b, dtype=float) > self.q_star + TOLERANCE

    def utility(self, b: ArrayLike) -> Floats:
        """EU*(b), the larger of the two."""
        return np.maximum(self.utility_plus(b), self.utility_minus(b))

    def evpi(self, b: ArrayLike) -> Floats:
        """Expected value of perfect information: min(b(B+L_g), (1−b)(G+L_r)); greatest at q*."""
        b = np.asarray(b, dtype=float)
        return np.minimum(b * self.wrong_minus, (1 - b) * self.wrong_plus)

    def outcome(self, plus: bool, omega: bool) -> float:
        """What an action brings once the state is known, without screening cost."""
        if plus:
            return self.B if omega else -self.L_r
        return -self.L_g if omega else self.G


@dataclass(frozen=True, slots=True)
class Weighed:
    """One decision of the paper's rule: the next document against its cost."""

    q_star: float
    evpi: float  # what certainty would be worth, in the payoffs' unit
    value: float  # the paper's score ρ·EVPI, in the payoffs' unit
    plus: bool  # whether stopping now means a⁺
    go_on: bool  # whether the next document is worth its cost


def weigh(payoffs: Payoffs, b: float, rho: float, cost: float) -> Weighed:
    """Weigh the next document against its cost by the paper's rule.

    Parameters
    ----------
    payoffs : Payoffs
        What right and wrong actions bring.
    b, rho : float
        Belief in ω⁺, and chance that the next document is a hit; in [0, 1].
    cost : float
        Of reading it, in the payoffs' unit.

    Returns
    -------
    Weighed

    Raises
    ------
    InputProblem
        When the cost is negative.
    """
    check_cost(cost)
    evpi = float(payoffs.evpi(b))
    value = rho * evpi
    return Weighed(payoffs.q_star, evpi, value, bool(payoffs.chooses_plus(b)), bool(exceeds(value, cost)))


def check_cost(cost: float, of: str = "per document") -> float:
    """A cost, refused when negative or not a number; zero is legal."""
    if not isinstance(cost, Real):
        raise InputProblem(f"The cost {of} is {cost!r}; give a number.")
    if not (math.isfinite(cost) and cost >= 0):
        raise InputProblem(f"The cost {of} is {cost:g}; give 0 or more.")
    return cost
