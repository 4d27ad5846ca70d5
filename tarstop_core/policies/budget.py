"""Budget(d): read a fixed number of documents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.policies.base import Depths, Parameter, Path, Policy


@dataclass(frozen=True)
class Budget(Policy):
    """Stop after d documents, whatever they show; fewer when the list is shorter."""

    d: int = 100

    name: ClassVar[str] = "budget"
    title: ClassVar[str] = "Budget"
    rule: ClassVar[str] = "Read a fixed number of documents, whatever they show."
    source: ClassVar[str] = "Fletcher & Stevenson, baseline Budget"
    acts_on_belief: ClassVar[bool] = False
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("d", "documents to read", 1, 1_000_000, (100, 200, 500, 1000)),
    )

    def depths(self, path: Path, costs: ArrayLike, start: int = 0) -> Depths:
        return np.full(np.size(costs), max(start, min(self.d, len(path))), dtype=np.intp)
