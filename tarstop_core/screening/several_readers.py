"""Readers of a list: one, or several people and machines who judge independently of each other."""

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any, ClassVar

from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import listed

ALL, SHARE, EXCLUDED, INCLUDED = "all", "share", "excluded", "included"
SECOND = {
    ALL: "every document",
    SHARE: "a random share of the documents",
    EXCLUDED: "only what the first reader excluded",
    INCLUDED: "only what the first reader included",
}
"""What all readers except the first judge."""
LONGEST_NAME = 80
"""Most characters in the name of a reader."""


@dataclass(frozen=True)
class Readers:
    """Names of the readers of a session, and what each of them judges."""

    names: tuple[str, ...] = ()
    """Two names or more, the first reader first; none if the session has one reader."""
    second: str = ALL
    """What all except the first judge: a key of :data:`SECOND`."""
    share: float = 1.0
    """Share of the documents that all judge, above 0 and below 1, if `second` is a share; otherwise 1."""
    seed: int = 0
    """Seed that decides which documents are in that share, and the order of audit draws."""
    full_texts: bool = False
    """Whether the people among them also read every included report in full, each alone until all have read it."""

    def __post_init__(self) -> None:
        folded = [name.casefold() for name in self.names]
        wrong = [
            name for name in self.names if name != " ".join(name.split()) or not 0 < len(name) <= LONGEST_NAME
        ]
        if wrong or len({*folded}) < len(folded) or len(folded) == 1:
            raise InputProblem(
                f"Several readers need two or more different names of up to {LONGEST_NAME} characters each; you "
                f"gave {', '.join(self.names) or 'none'}."
            )
        if self.second not in SECOND:
            raise InputProblem(
                f"The second reader judges '{self.second}'; choose one of {', '.join(SECOND)}."
            )
        if not (0 < self.share < 1 if self.second == SHARE else self.share == 1):
            raise InputProblem(
                f"The share judged twice is {self.share:g}; give a number between 0 and 1, or 1 if no share is chosen."
            )

    @property
    def blind(self) -> bool:
        """Whether the documents that a reader has to judge reveal nobody else's verdict."""
        return self.second in (ALL, SHARE)

    def of(self, doc: str, by_first: str = "") -> tuple[str, ...]:
        """Names of those who have to judge a document, given the first reader's verdict on it, "" for none."""
        if self.second == ALL:
            twice = True
        elif self.second == SHARE:
            twice = self._random(doc) < self.share * 2**64
        else:
            twice = by_first == {EXCLUDED: "irrelevant", INCLUDED: "relevant"}[self.second]
        return self.names if twice else self.names[:1]

    def in_random_order(self, docs: Iterable[str]) -> list[str]:
        """Documents in a random order that follows from the seed; it does not depend on which other documents there are."""
        return sorted(docs, key=lambda doc: self._random(f"audit {doc}"))

    def _random(self, text: str) -> int:
        """Pseudorandom number below 2⁶⁴ that follows from the seed and a text alone."""
        return int.from_bytes(sha256(f"{self.seed} {text}".encode()).digest()[:8], "big")

    def check_reader(self, name: str) -> None:
        """Raise InputProblem for a name that is not one of the readers."""
        if name not in self.names:
            raise InputProblem(
                f"This list is read by {listed(self.names)}; {f'{name} is' if name else 'somebody without a name is'} none of "
                "them. Choose your name as written there, or resolve their disagreements."
            )


ONE_READER = Readers()
"""The readers of a session with one reader."""


@dataclass(frozen=True)
class ReadElsewhere:
    """A person who is one of the readers and judged documents elsewhere, with the file that has the verdicts."""

    name: str
    source: str
    column: str
    include_from: float | None = None
    """The score from which documents are included; None if the column has verdicts."""

    kind: ClassVar[str] = "brought"

    def to_dict(self) -> dict[str, Any]:
        """Entries of the payload in the log."""
        return {name: value for name, value in asdict(self).items() if value is not None}


@dataclass(frozen=True)
class MachineReader:
    """A machine that is one of the readers, with what a report must say about it."""

    name: str
    model: str
    version: str
    prompt: str
    """Its prompt, or its settings if it takes none."""
    date: str
    """Date when it ran."""
    source: str
    """Name of the file with its verdicts."""
    column: str
    include_from: float | None = None
    """The score from which it includes; None if the column has verdicts."""
    cost_per_thousand: float | None = None
    """Cost of reading a thousand records, in the session's unit."""

    kind: ClassVar[str] = "machine"

    def __post_init__(self) -> None:
        for what, text in (("model", self.model), ("version", self.version), ("date", self.date)):
            if not text.strip():
                raise InputProblem(f"The {what} of the machine is missing; the report must name it.")
        if self.cost_per_thousand is not None and not 0 <= self.cost_per_thousand < math.inf:
            raise InputProblem(f"A thousand records cost {self.cost_per_thousand:g}; give 0 or more.")

    def to_dict(self) -> dict[str, Any]:
        """Entries of the payload in the log."""
        return {name: value for name, value in asdict(self).items() if value is not None}
