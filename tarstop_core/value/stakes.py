"""Payoffs and costs as one value that a person sees and changes.

They may be given as answers to two plain questions, as a threshold and a cost, or as four payoffs and costs in a unit. Each
change moves one thing and leaves the rest exactly as it is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

from tarstop_core.errors import InputProblem
from tarstop_core.value.payoffs import Option, Payoffs, check_cost

PayoffName = Literal["B", "L_r", "L_g", "G"]
PAYOFF_NAMES: tuple[PayoffName, ...] = ("B", "L_r", "L_g", "G")

EQUAL = 1e-9  # Relative difference below which two mistakes count as equally bad


@dataclass(frozen=True, slots=True)
class Stakes:
    """Payoffs and the costs of reading, in one unit. InputProblem when something is out of its range.

    >>> stakes = Stakes(Payoffs(4000, 1000, 4000, 1000, "£"), cost=5)
    >>> stakes.documents, stakes.ratio
    (1600.0, 0.25)
    >>> dearer = stakes.with_q_star(0.5)
    >>> dearer.payoffs.K, dearer.payoffs.unit, dearer.cost
    (10000.0, '£', 5)
    """

    payoffs: Payoffs  # What right and wrong actions bring
    cost: float  # Per document, ≥ 0, in the payoffs' unit
    full_cost: float = 0.0
    """Cost of reading a report in full, ≥ 0, in the payoffs' unit, on top of its title and abstract."""

    def __post_init__(self) -> None:
        if not isinstance(self.payoffs, Payoffs):
            raise InputProblem(
                f"`payoffs` is {self.payoffs!r}; give Payoffs(B, L_r, L_g, G), or use Stakes.from_q_star."
            )
        check_cost(self.cost)
        check_cost(self.full_cost, "of a report in full")

    @classmethod
    def from_q_star(
        cls, q_star: float, cost: float, K: float = 1.0, unit: str = "", full_cost: float = 0.0
    ) -> Stakes:
        """Return stakes with this threshold belief and cost of a document.

        Parameters
        ----------
        q_star : float
            Threshold belief, in (0, 1): act (a⁺) above it.
        cost : float
            Cost of a document, in the unit of K.
        K : float
            What both mistakes cost together; 1 is the normalised form of the paper's experiments.
        unit : str
            Unit of all amounts.
        full_cost : float
            Cost of reading a report in full.

        Returns
        -------
        Stakes
            Symmetric payoffs with these costs.

        Raises
        ------
        InputProblem
            When q* is not between 0 and 1, a cost is negative, or a document costs more than K.

        Examples
        --------
        >>> Stakes.from_q_star(0.5, cost=0.001).documents
        500.0
        """
        stakes = cls(Payoffs.from_q_star(q_star, K, unit), cost, full_cost)
        if cost > K:
            raise InputProblem(
                f"`cost` is {cost:g}, more than `K` = {K:g}, what both mistakes cost together; give both in one unit."
            )
        return stakes

    @property
    def documents(self) -> float:
        """Number of documents that cost as much as the worse mistake: what a person would read to avoid it for certain."""
        return self.worst / self.cost if self.cost > 0 else math.inf

    @property
    def ratio(self) -> float:
        """Cost of a wrong a⁺ divided by that of a wrong a⁻."""
        return self.payoffs.wrong_plus / self.payoffs.wrong_minus

    @property
    def worst(self) -> float:
        """Cost of the worse of the two mistakes, in the unit."""
        return max(self.payoffs.wrong_plus, self.payoffs.wrong_minus)

    def with_costs_times(self, factor: float) -> Stakes:
        """Multiply all costs of reading by a factor above 0, and keep the payoffs."""
        return replace(self, cost=factor * self.cost, full_cost=factor * self.full_cost)

    @property
    def fraction(self) -> float:
        """The cost in the normalised form, c/K."""
        return self.cost / self.payoffs.K

    @property
    def worse(self) -> Literal["plus", "minus", "equal"]:
        """Which wrong action costs more."""
        if math.isclose(self.ratio, 1, rel_tol=EQUAL):
            return "equal"
        return "plus" if self.ratio > 1 else "minus"

    @property
    def times(self) -> float:
        """How many times worse the worse mistake is than the other, at least 1."""
        return 1.0 if self.worse == "equal" else max(self.ratio, 1 / self.ratio)

    def with_q_star(self, q_star: float) -> Stakes:
        """Change the threshold, between 0 and 1; K, the unit, the cost and the proportions B : L_g and G : L_r stay.

        The amounts of other options keep their relative place between those of a⁺ and a⁻.
        """
        if not 0 < q_star < 1:
            raise InputProblem(f"The threshold q* is {q_star:g}; give a number between 0 and 1.")
        old = self.payoffs
        plus, minus = q_star * old.K / old.wrong_plus, (1 - q_star) * old.K / old.wrong_minus
        others = tuple(Option(each.name, each.right * minus, each.wrong * plus) for each in old.others)
        moved = Payoffs(old.B * minus, old.L_r * plus, old.L_g * minus, old.G * plus, old.unit, others)
        return replace(self, payoffs=moved)

    def with_cost(self, cost: float) -> Stakes:
        """Change the cost per document, in the unit; the price of a report in full stays."""
        return replace(self, cost=cost)

    def with_fraction(self, fraction: float) -> Stakes:
        """Change the cost per document, given as c/K; a report in full still costs as many documents."""
        return self.restated(self.payoffs, fraction * self.payoffs.K)

    def with_documents(self, documents: float) -> Stakes:
        """Change :attr:`documents`, the answer to the first question, above 0; infinite means that reading costs nothing.

        A report in full still costs as many documents; in the amounts of an example, a document keeps its price.
        """
        if not documents > 0:
            raise InputProblem(f"The number of documents is {documents:g}; give a number above 0.")
        chosen = self.restated(self.payoffs, self.worst / documents)
        return chosen.scaled(self.cost / chosen.cost) if self.is_example and chosen.cost else chosen

    @property
    def is_example(self) -> bool:
        """Whether all amounts follow from the example price of a document, so that a person entered none of them."""
        return (
            self.payoffs.evenly_split and self.payoffs.unit == "£" and math.isclose(self.cost, EXAMPLE_PRICE)
        )

    def with_example(self, documents: float) -> Stakes:
        """Change :attr:`documents` while a document costs what :attr:`price` says, so that the mistakes cost more or less."""
        price, unit = self.price
        chosen = self.with_documents(documents)
        return chosen.scaled(price / chosen.cost, unit)

    @property
    def price(self) -> tuple[float, str]:
        """Cost of a document, and the unit; :data:`EXAMPLE_PRICE` in pounds if nobody entered them."""
        entered = self.payoffs.unit and self.cost
        return (self.cost, self.payoffs.unit) if entered else (EXAMPLE_PRICE, self.payoffs.unit or "£")

    def with_ratio(self, ratio: float) -> Stakes:
        """Change :attr:`ratio`, the answer to the second question, above 0; :attr:`documents` and K stay."""
        if not (math.isfinite(ratio) and ratio > 0):
            raise InputProblem(f"One mistake is {ratio:g} times worse than the other; give a number above 0.")
        return self.with_q_star(ratio / (1 + ratio)).with_documents(self.documents)

    def with_payoff(self, name: PayoffName, value: float) -> Stakes:
        """Change one payoff, in the unit; the cost and the other payoffs stay."""
        changed: dict[str, Any] = {name: value}
        return replace(self, payoffs=replace(self.payoffs, **changed))

    def with_others(self, others: tuple[Option, ...]) -> Stakes:
        """Change the options beside a⁺ and a⁻."""
        return replace(self, payoffs=replace(self.payoffs, others=others))

    def with_option(self, at: int, field: str, value: Any) -> Stakes:
        """Change the name or an amount of an option beside a⁺ and a⁻.

        Parameters
        ----------
        at : int
            Its place among the others, from 0.
        field : {"name", "right", "wrong"}
            Which part of it to change.
        value : str or float
            The new value.

        Returns
        -------
        Stakes
            All else as it is.

        Raises
        ------
        InputProblem
            When the new value cannot be used.
        """
        others = list(self.payoffs.others)
        others[at] = replace(others[at], **{field: value})
        return self.with_others(tuple(others))

    def with_full_cost(self, full_cost: float) -> Stakes:
        """Change the cost of a report in full, in the unit."""
        return replace(self, full_cost=full_cost)

    def scaled(self, factor: float, unit: str | None = None) -> Stakes:
        """Multiply all amounts, which changes no decision; the unit stays unless one is given."""
        return Stakes(self.payoffs.scaled(factor, unit), self.cost * factor, self.full_cost * factor)

    def restated(self, payoffs: Payoffs, cost: float) -> Stakes:
        """Change payoffs and cost, perhaps to another unit.

        A report in full still costs as many documents or, if documents cost nothing, as large a share of K.

        >>> before = Stakes(Payoffs.from_q_star(0.5), 0.001, 0.01)
        >>> before.restated(Payoffs(250, 250, 250, 250, "£"), 2).full_cost
        20.0
        """
        priced = self.cost > 0 and cost > 0
        factor = cost / self.cost if priced else payoffs.K / self.payoffs.K
        return Stakes(payoffs, cost, self.full_cost * factor)

    def with_unit(self, unit: str) -> Stakes:
        """Change the unit.

        When normalised payoffs get a unit for the first time, they are scaled so that a document costs 1
        of it, because nobody starts from "£0.001 a document"; scaling changes no decision.
        """
        unit = unit.strip()
        first = unit and not self.payoffs.unit and math.isclose(self.payoffs.K, 1)
        return self.scaled(1 / (self.cost or 0.001) if first else 1.0, unit)


START = Stakes(Payoffs.from_q_star(0.5), 0.001)
"""The stakes to begin with: both mistakes are equally bad, and a document costs a thousandth of both together."""
EXAMPLE_PRICE = 2.0
"""Cost of a document in the examples, in pounds."""
FULL_TIMES = 10.0  # Default cost of a report in full, in titles and abstracts

# An hour of searching is taken to cost £60: ten minutes for a patent, five for a title and abstract, fifty for a report.
SEARCH_EXAMPLE = START.scaled(10_000, "£")  # For the demo of a search, in pounds
REVIEW_EXAMPLE = START.with_full_cost(FULL_TIMES * START.cost).scaled(5_000, "£")  # For the demo of a review
