"""Risk of bias of studies: what was judged of each, and the studies without, or with less of, those of high risk."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Self, TypeVar

from tarstop_core.presentation.numbers import percent

REDUCED = 0.5  # What a study of high risk of bias counts where its weight is reduced


class Bias(StrEnum):
    """Risk of bias of a study, as RoB 2, ROBINS-I or QUADAS-2 judge it over all domains."""

    LOW = "low"
    SOME = "some"
    HIGH = "high"


BIAS_WORDS = {
    **dict.fromkeys(("low", "low risk", "l", "+"), Bias.LOW),
    **dict.fromkeys(("some", "some concerns", "moderate", "unclear", "s", "?", "no information"), Bias.SOME),
    **dict.fromkeys(("high", "high risk", "serious", "critical", "h", "-", "−"), Bias.HIGH),
}
"""What tools and people write for each."""


class Judged(ABC):
    """Studies whose risk of bias may have been judged: `bias` has an entry for each, or none where nobody judged."""

    bias: tuple[Bias | None, ...]

    @abstractmethod
    def only(self, kept: Sequence[int]) -> Self:
        """Some of the studies, by their places."""

    @abstractmethod
    def counting(self, shares: Sequence[float]) -> Self:
        """The studies, each counting for a share of its evidence."""

    def high_risk(self) -> list[int]:
        """Places of the studies with a high risk of bias."""
        return [at for at, risk in enumerate(self.bias) if risk is Bias.HIGH]

    def without_high_risk(self) -> Self:
        """The studies without those of high risk of bias."""
        return self.only([at for at, risk in enumerate(self.bias) if risk is not Bias.HIGH])

    def counting_high_risk(self, share: float) -> Self:
        """The studies, those of high risk of bias counting for this share of their evidence."""
        return self.counting([share if risk is Bias.HIGH else 1.0 for risk in self.bias])


J = TypeVar("J", bound=Judged)
E = TypeVar("E")


def versions_by_risk(evidence: E, judged: J, believed: Callable[[J], E]) -> tuple[tuple[str, E], ...]:
    """Return the evidence by what is done about studies of high risk of bias.

    Parameters
    ----------
    evidence
        With all studies.
    judged
        Those studies.
    believed
        Makes the evidence of others.

    Returns
    -------
    tuple
        What is done and the evidence: all studies, without those of high risk, and with their weight reduced; () where no
        study is of high risk.
    """
    if not judged.high_risk():
        return ()
    return (
        ("all studies", evidence),
        ("without those of high risk", believed(judged.without_high_risk())),
        (f"those of high risk counting {percent(REDUCED)}", believed(judged.counting_high_risk(REDUCED))),
    )


def worst(judgments: Sequence[Bias | None]) -> Bias | None:
    """The overall judgment that domains lead to: the worst of them, or None where none was judged."""
    order = [*Bias]
    return max((risk for risk in judgments if risk), key=order.index, default=None)
