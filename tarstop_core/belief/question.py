"""The question that a review puts to its 2×2 tables."""

from dataclasses import dataclass, field

from tarstop_core.belief.engines import check_engine
from tarstop_core.belief.prior import Prior, check_theta
from tarstop_core.documents.tables import Tables


@dataclass(frozen=True)
class Question:
    """Whether pooled accuracy exceeds its threshold, with the engine and the prior that answer.

    InputProblem if a threshold lies outside (0, 1), or there is no such engine.
    """

    theta: float = 0.75  # Threshold on pooled sensitivity, in (0, 1)
    engine: str = "bivariate"  # One of :data:`~tarstop_core.belief.engines.ENGINES`
    prior: Prior = field(default_factory=Prior)  # What is believed before any study; "reml" knows none
    theta_sp: float | None = None  # Threshold that pooled specificity is to exceed as well, in (0, 1)

    def __post_init__(self) -> None:
        check_theta(self.theta)
        if self.theta_sp is not None:
            check_theta(self.theta_sp, "specificity")
        check_engine(self.engine)

    def margins(self, tables: Tables) -> list[tuple[Tables, float, Prior]]:
        """Tables, threshold and prior of each margin that decides; those of specificity have their cells swapped."""
        if self.theta_sp is None:
            return [(tables, self.theta, self.prior)]
        of_sensitivity, of_specificity = self.prior.margins
        return [(tables, self.theta, of_sensitivity), (tables.turned, self.theta_sp, of_specificity)]
