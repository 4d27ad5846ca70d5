"""Effect measures, and the engines that compute a belief about them."""

from enum import StrEnum
from typing import Literal, TypeAlias, get_args

Engine: TypeAlias = Literal["exact", "normal", "reml", "dl", "fe"]
ENGINES: tuple[Engine, ...] = get_args(Engine)


class Measure(StrEnum):
    """An effect measure: the contrast between the two arms."""

    OR = "OR"
    RR = "RR"
    RD = "RD"
    MD = "MD"
    SMD = "SMD"
    GENERIC = "generic"

    @property
    def is_ratio(self) -> bool:
        """Whether the scale of analysis is the logarithm of the measure."""
        return self in (Measure.OR, Measure.RR)


NAMES = {
    Measure.OR: "the average odds ratio",
    Measure.RR: "the average risk ratio",
    Measure.RD: "the average risk difference",
    Measure.MD: "the average mean difference",
    Measure.SMD: "the average standardised mean difference",
    Measure.GENERIC: "the average effect",
}
"""Names of the measures in sentences about the average effect."""
