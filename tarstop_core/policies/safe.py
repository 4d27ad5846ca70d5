"""SAFE: a row of irrelevant documents counts only after enough of the list was read."""

from dataclasses import dataclass

import numpy as np

from tarstop_core.policies.base import AtAnyCost, Parameter, first_check
from tarstop_core.policies.budget import share_of
from tarstop_core.policies.consecutive import irrelevant_in_a_row
from tarstop_core.value.path import Path


@dataclass(frozen=True)
class Safe(AtAnyCost):
    """Stop after a row of irrelevant documents, once a least share of the list was read.

    The second phase of the procedure; the third, another model on the rest, is another session. That every key paper
    was found is left to the reader: a list does not say which papers are key.
    """

    share: float = 0.1
    n: int = 50
    initial: int = 0

    name = "safe"
    title = "SAFE"
    rule = "Stop after a row of irrelevant documents, once a least share of the list was read."
    formula = (
        r"d\ge\max(\lceil\text{share}\cdot N\rceil, 2\cdot\text{initial}), \quad n\text{ in a row with }y=0"
    )
    source = "Boetje & van de Schoot 2024 (SAFE procedure)"
    place, colour, marker = 165, "#009E73", "square"
    parameters = (
        Parameter("share", "share of the list to read at least", 0.0, 1.0, (0.1, 0.2), "float"),
        Parameter("n", "irrelevant documents in a row", 1, 1_000_000, (50, 100)),
        Parameter("initial", "relevant documents of a random start", 0, 1_000_000, (0,)),
    )

    def depth(self, path: Path, start: int) -> int:
        N = len(path)
        depths = np.arange(N + 1)
        stops = irrelevant_in_a_row(path.labels) >= self.n
        return first_check(
            depths, stops & (depths >= max(share_of(self.share, N), 2 * self.initial)), N, start
        )
