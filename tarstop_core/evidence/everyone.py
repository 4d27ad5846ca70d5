"""Value of certainty and of more studies to all people whom a decision concerns, net of the price of the studies."""

from dataclasses import dataclass, replace

from tarstop_core.evidence.synthesis import MoreStudies
from tarstop_core.value.payoffs import Payoffs


@dataclass(frozen=True)
class Everyone:
    """How many people a decision concerns, and the price of one more study."""

    people: float = 0.0  # Discounted number; 0 if the amounts are those of the whole decision
    price: float = 0.0  # Price of one more study, in the unit of the amounts; 0 if not entered

    def priced(self, payoffs: Payoffs) -> "Everyone":
        """Return NOBODY if mistakes have no amounts, because a price cannot be compared with normalised losses."""
        return self if payoffs.unit else NOBODY

    def worth(self, more: MoreStudies) -> MoreStudies:
        """Multiply the value of certainty and of more studies by the number of people."""
        people = self.people or 1.0
        return replace(more, evsi=people * more.evsi, evpi=people * more.evpi)

    def best(self, more: MoreStudies) -> tuple[int, float]:
        """Number of further studies with the highest net value, and that value; (0, 0) if none pays for itself."""
        net = self.worth(more).evsi - self.price * more.k
        best = int(net.argmax())
        return (int(more.k[best]), float(net[best])) if net[best] > 0 else (0, 0.0)


NOBODY = Everyone()
