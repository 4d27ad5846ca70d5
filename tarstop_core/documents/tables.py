"""2×2 tables of diagnostic-accuracy studies: what a review's belief is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tarstop_core.errors import InputProblem

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
CELLS = ("TP", "FP", "FN", "TN")


@dataclass(frozen=True, eq=False)
class Tables:
    """The 2×2 tables of n studies, in the order in which they came in.

    InputProblem when lengths differ, or a count is negative, fractional or missing where it is needed.
    """

    study: tuple[str, ...]  # What each study is called; need not be unique
    TP: Floats
    FP: Floats
    FN: Floats
    TN: Floats
    """`TP`, `FP`, `FN` and `TN`: whole counts ≥ 0. FP and TN are NaN where a report gives sensitivity only. Shape (n,)."""

    def __post_init__(self) -> None:
        for cell in CELLS:
            counts = getattr(self, cell)
            if len(counts) != len(self.study):
                raise InputProblem(f"There are {len(self.study)} studies and {len(counts)} counts of {cell}.")
            missing = np.isnan(counts)
            if cell in ("TP", "FN") and missing.any():
                raise InputProblem(f"{self._first(missing)} has no {cell}; every study needs TP and FN.")
            bad = ~missing & ((counts < 0) | (counts != np.round(counts)) | np.isinf(counts))
            if bad.any():
                said = f"{cell} = {counts[np.argmax(bad)]:g}"
                raise InputProblem(f"{self._first(bad)} has {said}; give a whole number from 0 on.")

    def _first(self, where: NDArray[np.bool_]) -> str:
        at = int(np.argmax(where))
        return f"Study {at + 1} ({self.study[at]})"

    def __len__(self) -> int:
        return len(self.study)

    def first(self, n: int) -> Tables:
        """The first n studies."""
        return Tables(self.study[:n], self.TP[:n], self.FP[:n], self.FN[:n], self.TN[:n])

    def without(self, at: int) -> Tables:
        """All studies but one (0-based)."""
        keep = np.arange(len(self)) != at
        names = tuple(name for i, name in enumerate(self.study) if i != at)
        return Tables(names, self.TP[keep], self.FP[keep], self.FN[keep], self.TN[keep])

    @property
    def diseased(self) -> Floats:
        """n1 = TP + FN, shape (n,)."""
        return self.TP + self.FN

    @property
    def healthy(self) -> Floats:
        """n2 = FP + TN, shape (n,); NaN where unknown."""
        return self.FP + self.TN
