"""Risk of bias: judgments, and versions of the studies without those at high risk or with their weight reduced."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Self, TypeVar

from tarstop_core.presentation.numbers import percent

REDUCED = 0.5  # Weight of a study at high risk of bias if its weight is reduced


class Bias(StrEnum):
    """Overall risk of bias of a study, as judged with RoB 2, ROBINS-I or QUADAS-2."""

    LOW = "low"
    SOME = "some"
    HIGH = "high"


BIAS_WORDS = {
    **dict.fromkeys(("low", "low risk", "l", "+"), Bias.LOW),
    **dict.fromkeys(("some", "some concerns", "moderate", "unclear", "s", "?", "no information"), Bias.SOME),
    **dict.fromkeys(("high", "high risk", "serious", "critical", "h", "-", "−"), Bias.HIGH),
}
"""Words and signs of tools and people, in lower case, and what they mean."""


class Judged(ABC):
    """Studies with their risk of bias: `bias` has one entry per study, or is empty if none was judged."""

    bias: tuple[Bias | None, ...]

    @abstractmethod
    def only(self, kept: Sequence[int]) -> Self:
        """The studies at these places."""

    @abstractmethod
    def counting(self, shares: Sequence[float]) -> Self:
        """The studies, each weighted by a share of its evidence."""

    def high_risk(self) -> list[int]:
        """Places of the studies at high risk of bias."""
        return [at for at, risk in enumerate(self.bias) if risk is Bias.HIGH]

    def without_high_risk(self) -> Self:
        """The studies without those at high risk of bias."""
        return self.only([at for at, risk in enumerate(self.bias) if risk is not Bias.HIGH])

    def counting_high_risk(self, share: float) -> Self:
        """The studies, with this weight for those at high risk of bias."""
        return self.counting([share if risk is Bias.HIGH else 1.0 for risk in self.bias])


J = TypeVar("J", bound=Judged)
E = TypeVar("E")


def versions_by_risk(evidence: E, judged: J, believed: Callable[[J], E]) -> tuple[tuple[str, E], ...]:
    """Evidence with all studies, without those at high risk of bias, and with their weight reduced.

    Parameters
    ----------
    evidence
        Evidence from all studies.
    judged
        All studies.
    believed
        Computes the evidence from other studies.

    Returns
    -------
    tuple
        Pairs of title and evidence; () if no study is at high risk.
    """
    if not judged.high_risk():
        return ()
    return (
        ("all studies", evidence),
        ("without those of high risk", believed(judged.without_high_risk())),
        (f"those of high risk counting {percent(REDUCED)}", believed(judged.counting_high_risk(REDUCED))),
    )


def worst(judgments: Sequence[Bias | None]) -> Bias | None:
    """The worst judgment of several domains; None if none was judged."""
    order = [*Bias]
    return max((risk for risk in judgments if risk), key=order.index, default=None)
