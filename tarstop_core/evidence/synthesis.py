"""What curves, sentences and reports ask of the studies of a review, be they of a test or of an intervention."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tarstop_core.documents.tables import Floats
from tarstop_core.effects.bias import Judged
from tarstop_core.value.payoffs import Payoffs


@dataclass(frozen=True, eq=False)
class Without:
    """Belief without each of the studies in turn."""

    beliefs: Floats  # NaN where the engine has no answer without that study; shape (n,)
    approximate: bool = False
    """Whether the differences are those of the univariate belief, read off all studies at once."""


@dataclass(frozen=True, eq=False)
class MoreStudies:
    """Expected value of more studies, in the payoffs' unit."""

    k: Floats  # how many more; shape (A,)
    evsi: Floats
    """Expected value of k more studies: exactly enumerated for one, in closed form for more, and never less than for
    fewer; shape (A,).
    """
    evpi: float  # what certainty would be worth
    n1: int | None  # diseased patients that a study to come is taken to have, where it is one of a test
    n2: int | None = None  # healthy ones, where specificity counts too


class Path(Protocol):
    """Beliefs after 0 … n studies; None where an engine has none."""

    @property
    def beliefs(self) -> Sequence[float | None]: ...


class Synthesis(Protocol):
    """What curves and sentences ask of the studies of a review, be they of a test or of an intervention."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the studies are called."""

    @property
    def claim(self) -> str:
        """What the belief is a chance of."""

    @property
    def belief(self) -> float | None:
        """After all studies."""

    @property
    def rival_belief(self) -> float | None:
        """By the other school of models."""

    @property
    def engine(self) -> str:
        """What computes it."""

    @property
    def drawn_path(self) -> Path:
        """The path to be drawn."""

    @property
    def previewed(self) -> bool:
        """Whether it is a preview by a quicker engine."""

    @property
    def without(self) -> Without:
        """The belief without each study in turn."""

    @property
    def judged(self) -> Judged:
        """The studies, with their risk of bias where it was judged."""

    @property
    def by_risk(self) -> "tuple[tuple[str, Synthesis], ...]":
        """All studies, those without high risk of bias, and all with the weight of those reduced; () without such."""

    @property
    def average(self) -> str:
        """What the engine pools, as a text; empty where it pools nothing."""

    def more_studies(self, payoffs: Payoffs) -> MoreStudies | None:
        """Expected value of more studies; None where there is no belief."""
