"""What figures, sentences and reports need from the evidence of a review, of a test or of an intervention."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tarstop_core.documents.tables import Floats
from tarstop_core.effects.bias import Judged
from tarstop_core.value.payoffs import Payoffs


@dataclass(frozen=True, eq=False)
class Without:
    """Leave-one-out beliefs."""

    beliefs: Floats  # Shape (n,); NaN where the engine gives none without that study
    approximate: bool = False
    """Whether the differences come from univariate likelihoods of all studies, instead of a new fit without each study."""


@dataclass(frozen=True, eq=False)
class MoreStudies:
    """Expected value of more studies, in the unit of the payoffs."""

    k: Floats  # numbers of further studies, shape (A,)
    evsi: Floats
    """Expected value of k more studies, shape (A,): enumerated for one, in closed form for several, never falling with k."""
    evpi: float  # expected value of certainty
    n1: int | None = None  # assumed number of diseased patients in a further study of a test
    n2: int | None = None  # assumed number of healthy patients, if specificity counts too


class BeliefsByStudy(Protocol):
    """Beliefs after 0 … n studies; None where the engine gives none."""

    @property
    def beliefs(self) -> Sequence[float | None]: ...


class Synthesis(Protocol):
    """Evidence of a review as figures and sentences need it, whether the studies are of a test or of an intervention."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the studies."""

    @property
    def claim(self) -> str:
        """The statement whose probability is the belief."""

    @property
    def belief(self) -> float | None:
        """The belief after all studies."""

    @property
    def rival_belief(self) -> float | None:
        """The belief by the other school of models: frequentist instead of Bayesian, or the reverse."""

    @property
    def engine(self) -> str:
        """Name of the engine that computes the belief."""

    @property
    def drawn_path(self) -> BeliefsByStudy:
        """Belief after each study, for the figure."""

    @property
    def previewed(self) -> bool:
        """Whether `drawn_path` comes from a quicker engine."""

    @property
    def without(self) -> Without:
        """Leave-one-out beliefs."""

    @property
    def judged(self) -> Judged:
        """The studies with their judged risk of bias."""

    @property
    def by_risk(self) -> "tuple[tuple[str, Synthesis], ...]":
        """Titles and evidence: all studies, without high risk of bias, and with its weight reduced; () if no risk is high."""

    @property
    def average(self) -> str:
        """The pooled estimate as a text; empty if the engine pools nothing."""

    def more_studies(self, payoffs: Payoffs) -> MoreStudies | None:
        """Expected value of more studies; None without a belief."""
