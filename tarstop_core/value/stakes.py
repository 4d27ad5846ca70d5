"""Payoffs and costs as one value that a person sees and changes.

They may be given as answers to two plain questions, as a threshold and a cost, or as four payoffs and costs in a unit. Each
change moves one thing and leaves the rest exactly as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from tarstop_core.errors import InputProblem
from tarstop_core.value.payoffs import Option, Payoffs, check_cost

PayoffName = Literal["B", "L_r", "L_g", "G"]
PAYOFF_NAMES: tuple[PayoffName, ...] = ("B", "L_r", "L_g", "G")
AMOUNTS = (*PAYOFF_NAMES, "cost", "fraction")
"""Fields with an amount that a person enters, beside those of further options. The price of a report in full stays as typed anyway."""

FRACTIONS: tuple[float, ...] = (
    0.0,
    *(float(f"{step}e{decade}") for decade in range(-8, 0) for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8)),
    1.0,
)
"""Stops of the cost slider, as shares of K, the loss of both mistakes together."""
EXAMPLES = (10_000.0, 100_000.0, 10_000_000.0)
"""Answers to the second question, in documents, that are offered as amounts of money."""
OPTIONS = "option/"
"""Prefix of the names of fields of further options: `option/0/name`, `option/0/right` and `option/0/wrong`."""
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
    entered: bool = field(default=False, compare=False)
    """Whether a person typed an amount, which is no example then even if it equals one."""

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
            not self.entered
            and self.payoffs.evenly_split
            and self.payoffs.unit == "£"
            and math.isclose(self.cost, self.example_price)
        )

    def with_example(self, documents: float) -> Stakes:
        """Change :attr:`documents` while a document costs what :attr:`price` says, so that the mistakes cost more or less."""
        price, unit = self.price
        chosen = self.with_documents(documents)
        return chosen.scaled(price / chosen.cost, unit)

    @property
    def example_price(self) -> float:
        """Cost in pounds of a document in the examples, or of a title and abstract where reports are read in full."""
        return REVIEW_EXAMPLE.cost if self.full_cost else SEARCH_EXAMPLE.cost

    @property
    def price(self) -> tuple[float, str]:
        """Cost of a document, and the unit; :attr:`example_price` in pounds if nobody entered them."""
        entered = self.payoffs.unit and self.cost
        return (self.cost, self.payoffs.unit) if entered else (self.example_price, self.payoffs.unit or "£")

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

    def views(self, unanswered: Iterable[str] = ()) -> dict[str, Any]:
        """The value of each field that shows the stakes, by name, rounded for reading; None for an unanswered question."""
        documents = float(f"{self.documents:.3g}") if math.isfinite(self.documents) else None
        return {
            "documents": documents,
            "example": documents if documents in EXAMPLES else None,
            "worse": self.worse,
            "times": float(f"{self.times:.3g}"),
            "q": min(0.99, max(0.01, round(self.payoffs.q_star, 2))),
            "fraction": nearest_fraction(self.fraction),
            **{name: float(f"{getattr(self.payoffs, name):.6g}") for name in PAYOFF_NAMES},
            "cost": float(f"{self.cost:.6g}"),
            "full_cost": float(f"{self.full_cost:.6g}"),
            "unit": self.payoffs.unit,
            **{
                f"{OPTIONS}{at}/{field}": value if field == "name" else float(f"{value:.6g}")
                for at, option in enumerate(self.payoffs.others)
                for field, value in asdict(option).items()
            },
            **dict.fromkeys(unanswered),
            **({"example": None} if "documents" in unanswered else {}),
        }

    def changed(self, name: str, value: Any) -> Stakes:
        """Return the stakes after a field of :meth:`views` was set to a value; InputProblem when that is not valid."""
        is_example = name == "example" and value is not None
        is_amount = name in AMOUNTS or (name.startswith(OPTIONS) and not name.endswith("/name"))
        entered = not is_example and (self.entered or is_amount)
        return replace(self._with_field(name, value), entered=entered)

    def _with_field(self, name: str, value: Any) -> Stakes:
        if name == "unit":
            return self.with_unit(str(value))
        if name.startswith(OPTIONS):
            at, field = name.removeprefix(OPTIONS).split("/")
            others = list(self.payoffs.others)
            others[int(at)] = replace(others[int(at)], **{field: value})
            return self.with_others(tuple(others))
        if name == "worse":
            # A mistake that becomes the worse one is twice as bad, until a person gives another factor.
            times = 1.0 if value == "equal" else 2.0 if self.worse == "equal" else self.times
            return self.with_ratio(1 / times if value == "minus" else times)
        if name == "example":
            return self if value is None else self.with_example(value)
        if name == "documents" and value is None:
            return self.with_documents(math.inf)
        if value is None:
            whats = {"times": "number of times", "cost": "cost", "full_cost": "cost of a report in full"}
            raise InputProblem(f"The {whats.get(name, 'amount')} is empty; give a number.")
        given = float(value)
        if name in PAYOFF_NAMES:
            if given < 0:
                raise InputProblem(f"The amount is {given:g}; give 0 or more, also for losses.")
            return self.with_payoff(name, given)
        if name == "times":
            if not given >= 1:
                raise InputProblem(f"One mistake is {given:g} times worse than the other; give at least 1.")
            return self.with_ratio(1 / given if self.worse == "minus" else given)
        change: dict[str, Callable[[float], Stakes]] = {
            "q": self.with_q_star,
            "fraction": self.with_fraction,
            "documents": self.with_documents,
            "cost": self.with_cost,
            "full_cost": self.with_full_cost,
        }
        return change[name](given)


def nearest_fraction(fraction: float) -> float:
    """Return the nearest of :data:`FRACTIONS`, on a log scale.

    >>> nearest_fraction(0.00101), nearest_fraction(0), nearest_fraction(7.0), nearest_fraction(1e-9)
    (0.001, 0.0, 1.0, 1e-08)
    """
    if fraction == 0:
        return 0.0
    return min(FRACTIONS[1:], key=lambda stop: abs(math.log(stop / fraction)))


START = Stakes(Payoffs.from_q_star(0.5), 0.001)
"""The stakes to begin with: both mistakes are equally bad, and a document costs a thousandth of both together."""
FULL_TIMES = 10.0  # Default cost of a report in full, in titles and abstracts

# An hour of searching is taken to cost £60: ten minutes for a patent, five for a title and abstract, fifty for a report.
SEARCH_EXAMPLE = START.scaled(10_000, "£")  # For the demo of a search, in pounds
REVIEW_EXAMPLE = START.with_full_cost(FULL_TIMES * START.cost).scaled(5_000, "£")  # For the demo of a review
