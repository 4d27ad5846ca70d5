"""Settings of a review of diagnostic accuracy: thresholds for sensitivity and specificity, and more."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from tarstop_core.belief.engines import ENGINES
from tarstop_core.belief.prior import Prior
from tarstop_core.belief.question import Question
from tarstop_core.documents.reports import AccuracyRow, Report
from tarstop_core.screening.settings import DEFAULT_PRIOR, ReviewThreshold, StudySettings

SENSITIVITY = ReviewThreshold(0.75, "θ", "Sensitivity to exceed")
SPECIFICITY = ReviewThreshold(0.8, "specificity", "Specificity to exceed", entry="specificity")


@dataclass(frozen=True)
class ReviewSettings(StudySettings):
    """Settings of a review of diagnostic accuracy, in which 2×2 tables add up."""

    theta: float = 0.75  # In ω⁺ the pooled sensitivity is above this, in (0, 1)
    engine: str = "bivariate"
    """Key of :data:`~tarstop_core.belief.engines.ENGINES`, the model that computes the belief."""
    prior: Prior = DEFAULT_PRIOR  # Its own b_0 is not used; see `belief_prior`
    theta_sp: float | None = None
    """In ω⁺ the pooled specificity is above this too, in (0, 1); None for no condition."""

    scenario: ClassVar[str] = "review"
    threshold_field: ClassVar[str] = "theta"

    def __post_init__(self) -> None:
        super().__post_init__()
        self.question  # noqa: B018 refuses thresholds and engines that do not work

    def counts(self, report: Report) -> bool:
        return all(isinstance(row, AccuracyRow) for row in report.rows)

    @property
    def threshold(self) -> ReviewThreshold:
        return replace(SENSITIVITY, value=self.theta)

    def with_threshold(self, value: float, *, keeps_b_0: bool = True) -> Self:
        # A prior that was learned from reviews gives the chance of exceeding any sensitivity.
        follows = not (
            keeps_b_0 or self.theta_sp or self.prior.learned_from is None or self.prior.width_alone
        )
        if follows and ENGINES[self.engine].knows_prior:
            return replace(self, theta=value, b_0=self.prior.at(value).b_0)
        return replace(self, theta=value)

    @property
    def belief_prior(self) -> Prior:
        """The prior with the b_0 of these settings."""
        return replace(self.prior, b_0=self.b_0)

    @property
    def question(self) -> Question:
        """The question about the test that 2×2 tables answer."""
        return Question(self.theta, self.engine, self.belief_prior, self.theta_sp)

    @property
    def fingerprints(self) -> dict[str, str]:
        return {"prior of sensitivity": self.belief_prior.digest}

    def paper_mode(self) -> Self:
        # The learned width of a prior is not the paper's.
        prior = DEFAULT_PRIOR if self.prior.width_alone else self.prior
        return replace(super().paper_mode(), prior=prior)

    def to_dict(self) -> dict[str, Any]:
        return super().to_dict() | {"prior": self.prior.to_dict()}
