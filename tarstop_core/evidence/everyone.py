"""What certainty and more studies are worth to everyone whom a decision concerns, after what studies cost."""

from dataclasses import dataclass, replace

from tarstop_core.evidence.synthesis import MoreStudies
from tarstop_core.value.payoffs import Payoffs


@dataclass(frozen=True)
class Everyone:
    """Whom a decision concerns, and what one more study costs."""

    people: float = 0.0  # Discounted number; 0 where amounts are those of the whole decision
    price: float = 0.0  # Price of one more study, in the unit of the amounts; 0 if not entered

    def priced(self, payoffs: Payoffs) -> "Everyone":
        """No people and no price if mistakes have no amounts, because normalised losses cannot be compared with them."""
        return self if payoffs.unit else NOBODY

    def worth(self, more: MoreStudies) -> MoreStudies:
        """What certainty and more studies are worth to all of them."""
        people = self.people or 1.0
        return replace(more, evsi=people * more.evsi, evpi=people * more.evpi)

    def best(self, more: MoreStudies) -> tuple[int, float]:
        """How many more studies bring most after their price, and how much; (0, 0) where none is worth it."""
        net = self.worth(more).evsi - self.price * more.k
        at = int(net.argmax())
        return (int(more.k[at]), float(net[at])) if net[at] > 0 else (0, 0.0)


NOBODY = Everyone()
