"""Rules whose depth is fixed before reading: a number of documents or a share of the list."""

import math
from dataclasses import dataclass
from typing import ClassVar

from tarstop_core.policies.base import AtAnyCost, Need, Parameter
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class Budget(AtAnyCost):
    """Stop after d documents, whatever they show; fewer when the list is shorter."""

    d: int = 100

    name = "budget"
    title = "Budget"
    rule = "Read a fixed number of documents, whatever they show."
    formula = r"\text{stop at } \min(d, N)"
    source = "Fletcher & Stevenson, baseline Budget"
    family = "paper's baseline"
    place, colour, marker = 60, "#56B4E9", "x"
    parameters = (Parameter("d", "documents to read", 1, 1_000_000, (100, 200, 500, 1000)),)

    needs: ClassVar[tuple[Need, ...]] = ()
    looks_every = None

    def depth(self, path: Path, start: int) -> int:
        return max(start, min(self.d, len(path)))


@dataclass(frozen=True)
class Share(AtAnyCost):
    """Stop after a fixed share of the list, rounded up to whole documents."""

    share: float = 0.5

    name = "share"
    title = "Share"
    rule = "Read a fixed share of the list, whatever it shows."
    formula = r"\text{stop at } \lceil \text{share} \cdot N \rceil"
    source = "common practice (review half; review x %)"
    place, colour, marker = 190, "#0072B2", "diamond"
    parameters = (
        Parameter(
            "share",
            "share of the list to read",
            0.0,
            1.0,
            tuple(tenths / 10 for tenths in range(1, 10)),
            "float",
        ),
    )

    needs: ClassVar[tuple[Need, ...]] = ()
    looks_every = None

    def depth(self, path: Path, start: int) -> int:
        return max(start, share_of(self.share, len(path)))


def share_of(share: float, N: int) -> int:
    """Number of documents in a share of N, ⌈share·N⌉, where a rounding error does not add a document.

    >>> share_of(0.07, 100), share_of(0.5, 5)
    (7, 3)
    """
    return math.ceil(share * N - 1e-9)
