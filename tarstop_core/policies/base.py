"""What every stopping rule is: a self-describing object that turns a path into depths."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarstop_core.errors import InputProblem
from tarstop_core.payoffs import TOLERANCE

Floats = NDArray[np.float64]
Depths = NDArray[np.intp]


class Path(Protocol):
    """What a policy may ask of a ranking, whichever scenario it belongs to."""

    @property
    def hit(self) -> int | None:
        """Depth of the document that settled the question, if one did."""

    def __len__(self) -> int: ...

    def score(self, K: int = 1) -> Floats:
        """The paper's score, shape (N,)."""

    def worth(self, horizon: int | None = None) -> Floats:
        """What the next documents are worth, each, by the best plan within the horizon, shape (N,)."""

    def horizon_depths(self, costs: ArrayLike, horizon: int | None, start: int = 0) -> Depths:
        """Depths where no plan within the horizon gains."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a policy: sliders, command line and grid search read this."""

    name: str
    meaning: str
    low: int
    high: int
    grid: tuple[int, ...]


@dataclass(frozen=True)
class Policy(ABC):
    """A stopping rule. Subclasses are frozen dataclasses whose fields are its parameters."""

    name: ClassVar[str]
    title: ClassVar[str]
    rule: ClassVar[str]
    source: ClassVar[str]
    parameters: ClassVar[tuple[Parameter, ...]] = ()
    worth_phrase: ClassVar[str] = "The next documents are worth"
    acts_on_belief: ClassVar[bool] = True
    """Whether it ends with a⁺ iff b > q*; a baseline ends with a⁺ iff it has seen a relevant document."""

    def __post_init__(self) -> None:
        for parameter in self.parameters:
            value = getattr(self, parameter.name)
            if not (parameter.low <= value <= parameter.high) or value != int(value):
                raise InputProblem(
                    f"{self.title}: {parameter.name} is {value}; "
                    f"give a whole number from {parameter.low} to {parameter.high}."
                )

    @property
    def settings(self) -> dict[str, int]:
        """Parameter values by name."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @property
    def spec(self) -> str:
        """What the command line and saved sessions call it: ``smooth:K=5``."""
        values = ",".join(f"{name}={value}" for name, value in self.settings.items())
        return f"{self.name}:{values}" if values else self.name

    def __str__(self) -> str:
        values = ", ".join(str(value) for value in self.settings.values())
        return f"{self.title}({values})" if values else self.title

    @abstractmethod
    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        """First depth ≥ `start` at which the policy stops, for each cost.

        The same call serves the experiment (start = 0, the hit known) and the live page
        (start = documents read so far, no hit yet: "if nothing turns up").

        Parameters
        ----------
        path : Path
            N documents.
        costs : array_like, shape (C,)
            Costs per document, in the payoffs' unit.
        start : int
            Documents read so far, 0 … N.

        Returns
        -------
        ndarray of int, shape (C,)
        """

    def worth(self, path: Path) -> Floats | None:
        """What the policy compares with the cost at each depth, shape (N,); None if it compares nothing."""
        return None


def until_hit(depths: Depths, path: Path, start: int) -> Depths:
    """A decisive hit leaves nothing to gain: stop there, or at once if it is behind."""
    return depths if path.hit is None else np.minimum(depths, max(path.hit, start))


def first_not_worth(scores: Floats, costs: ArrayLike, start: int = 0) -> Depths:
    """First index ≥ start whose score does not exceed the cost, len(scores) if all do, shape (C,).

    The running minimum only falls, so one pass serves all costs.
    """
    falling = np.minimum.accumulate(scores[start:])
    threshold = np.atleast_1d(np.asarray(costs, dtype=float)) / (1 - TOLERANCE)
    return start + np.searchsorted(-falling, -threshold, side="left")
