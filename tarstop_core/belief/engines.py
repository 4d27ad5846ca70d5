"""What is asked of 2×2 tables, and the three ways to a belief that answers it, in their own words."""

from dataclasses import dataclass, field

from tarstop_core.belief.prior import Prior, check_theta
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem


@dataclass(frozen=True)
class Engine:
    """One way."""

    name: str  # In files and on the command line
    title: str  # Where it is chosen
    help: str  # What is said beside the title
    badge: str  # What is said of a belief that comes from it
    method: str  # As a protocol calls it
    needs: int = 0  # Studies before which it says nothing
    knows_prior: bool = True  # Whether it begins with a belief before any study


ENGINES = {
    each.name: each
    for each in (
        Engine(
            "bivariate",
            "Exact counts, both groups",
            "The default: diseased and healthy together, no correction.",
            "belief from exact counts of both groups",
            "exact binomial likelihood of sensitivity and false-positive rate",
        ),
        Engine(
            "univariate",
            "Exact counts, each group separately",
            "A quick preview; if specificity does not decide, it needs no FP and TN.",
            "belief from exact counts of each group separately",
            "exact binomial likelihood, each group of patients separately",
        ),
        Engine(
            "reml",
            "Reitsma model by REML",
            "What meta-analysis software prints; it uses no prior and needs at least 3 studies.",
            "belief by the Reitsma model",
            "Reitsma model, restricted maximum likelihood",
            needs=3,
            knows_prior=False,
        ),
    )
}
"""By name; the first is the default."""


def check_engine(name: str) -> str:
    """The name of an engine. InputProblem when there is none that is called so."""
    if name not in ENGINES:
        raise InputProblem(f"There is no engine '{name}'; choose one of {', '.join(ENGINES)}.")
    return name


@dataclass(frozen=True)
class Question:
    """What is asked of the 2×2 tables of a review: whether pooled accuracy exceeds its threshold.

    InputProblem when a threshold lies outside (0, 1), or there is no such engine.
    """

    theta: float = 0.75  # Threshold on pooled sensitivity, in (0, 1)
    engine: str = "bivariate"  # One of :data:`ENGINES`, which answers
    prior: Prior = field(default_factory=Prior)  # What is believed before any study; "reml" knows none
    theta_sp: float | None = None  # Threshold that pooled specificity is to exceed as well, in (0, 1)

    def __post_init__(self) -> None:
        check_theta(self.theta)
        if self.theta_sp is not None:
            check_theta(self.theta_sp, "specificity")
        check_engine(self.engine)

    def margins(self, tables: Tables) -> list[tuple[Tables, float, Prior]]:
        """Tables, threshold and prior of sensitivity, and where it decides too those of specificity, as if it were sensitivity."""
        if self.theta_sp is None:
            return [(tables, self.theta, self.prior)]
        of_sensitivity, of_specificity = self.prior.margins
        return [(tables, self.theta, of_sensitivity), (tables.turned, self.theta_sp, of_specificity)]
