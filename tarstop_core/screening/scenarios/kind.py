"""What settings and states may ask of their scenario: they stand below it."""

from functools import cache
from importlib import import_module
from typing import ClassVar


class Kind:
    """What screening for something is like, whatever it is that is screened for."""

    name: ClassVar[str]  # As settings, sessions and files call it
    first_rule: ClassVar[str] = "optimal"  # The rule that advises unless a person chooses another
    one_decides: ClassVar[bool] = False
    """Whether one relevant document settles the question: a hit, which may have to be confirmed and cited."""
    grades: ClassVar[bool] = False
    """Whether documents may be graded X, Y and A, and be held against an application."""
    learns: ClassVar[bool] = False
    """Whether labels decide what is read next unless a person chooses otherwise: only where a gain was measured."""
    reads_full_texts: ClassVar[bool] = False
    """Whether included reports are read in full, and bring 2×2 tables."""


@cache
def kinds() -> dict[str, Kind]:
    """All scenarios by name. They are found when asked for, because their files stand above settings and states."""
    scenarios: dict[str, Kind] = import_module("tarstop_core.screening.scenarios.named").SCENARIOS
    return scenarios
