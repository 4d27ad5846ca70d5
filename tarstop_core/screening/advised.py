"""What is advised at one depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Headline = Literal["continue", "stop", "found", "confirm", "prior alone", "all read", "reports"]


@dataclass(frozen=True)
class Assumption:
    """One assumption that is tried in place of the session's own."""

    chance_factor: float = 1.0  # by which every document's chance is multiplied
    b_0: float | None = None  # the starting chance; None: the session's own


@dataclass(frozen=True)
class Variation:
    """The advice under one changed assumption."""

    assumption: Assumption
    go_on: bool
    more: int  # documents that would still be read if nothing turned up
    plus: bool  # the action on stopping now


@dataclass(frozen=True)
class Advice:
    """The advice at one depth."""

    headline: Headline
    go_on: bool  # Whether the chosen rule, taken at its word, reads another document
    depth: int
    documents: int
    """Documents read, and in the list."""
    b: float  # belief now
    rho: float  # chance that the next document is a hit
    evpi: float  # EVPI now, in the payoffs' unit
    score: float | None
    worth: float | None
    """`score` and `worth`: the paper's score of the next document, and the figure that the chosen rule compares with
    the cost; in the payoffs' unit. None where the rule compares nothing, or nothing is left.
    """
    cost: float  # per document, in the payoffs' unit
    more: int  # documents that would still be read if nothing turned up
    plus: bool  # the action on stopping now
    utility: float
    """What that action is expected to bring, in the payoffs' unit, screening cost not subtracted."""
    variations: tuple[Variation, ...] = ()  # the advice under other assumptions
    if_fails: Advice | None = None  # while a hit waits for confirmation: the advice should it not hold
    floor_holds: bool = False
    """Whether the rule would stop but for a person's floor on the chance of the right decision."""
    facts: Any = None  # what the scenario tells beside the advice

    @property
    def says_stop(self) -> bool:
        """Whether what is advised is to stop and decide: not while a hit is to be confirmed first."""
        return not self.go_on and self.headline != "confirm"

    @property
    def contrary(self) -> tuple[Variation, ...]:
        """Assumptions under which the advice would be another one.

        They do not change the headline: the rule taken at its word decides that, so that a number of documents which was
        named once is kept.
        """
        return tuple(
            each
            for each in self.variations
            if each.go_on != self.go_on or (not self.go_on and each.plus != self.plus)
        )
