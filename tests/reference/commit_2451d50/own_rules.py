"""Rules as a person wrote them for TARstop of commit 2451d50: they must go on working as they stand."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.policies import Greedy, Parameter, Path, Policy
from tarstop_core.policies.base import Depths, Floats, at_any_cost, first_not_worth, until_hit


@dataclass(frozen=True)
class Patient(Policy):
    """As Greedy, but never before so many documents."""

    name: ClassVar[str] = "patient"
    title: ClassVar[str] = "Patient"
    rule: ClassVar[str] = "as Greedy, but reads at least the first documents"
    source: ClassVar[str] = "a person's own"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("first", "documents to read at least", 0, 1000, (5, 20)),
    )
    first: int = 7

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        """The first depth from `first` on where the next document is not worth its cost."""
        begin = max(start, min(self.first, len(path)))
        return until_hit(first_not_worth(path.score(1), costs, begin), path, start)

    def worth(self, path: Path) -> Floats:
        """The paper's score."""
        return path.score(1)


@dataclass(frozen=True)
class Dry(Policy):
    """Stops where the list has run dry: the mean chance of the next ones falls below a share."""

    name: ClassVar[str] = "dry"
    title: ClassVar[str] = "Dry"
    rule: ClassVar[str] = "stops where the mean chance of the next documents falls below a share"
    source: ClassVar[str] = "a person's own"
    acts_on_belief: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("share", "mean chance to fall below", 0.0, 1.0, (0.01, 0.05), "float"),
        Parameter.choice("over", "how far to look", ("few", "many"), ("few", "many")),
    )
    share: float = 0.05
    over: str = "few"

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        """The same depth whatever a document costs."""
        width = 3 if self.over == "few" else 10
        ahead = [float(np.mean(path.p[at : at + width])) for at in range(start, len(path))]
        below = [at for at, mean in enumerate(ahead, start=start) if mean < self.share]
        return at_any_cost(below[0] if below else len(path), costs)


@dataclass(frozen=True)
class Twice(Greedy):
    """Greedy that counts every cost twice."""

    name: ClassVar[str] = "twice"
    title: ClassVar[str] = "Twice"
    rule: ClassVar[str] = "as Greedy at twice the cost"
    source: ClassVar[str] = "a person's own"

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        """Where Greedy stops at twice the cost."""
        return super().depths(path, 2 * np.atleast_1d(np.asarray(costs, dtype=float)), start)
