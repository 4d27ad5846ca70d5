"""How well chances matched what was found, tallied topic by topic so that no list has to stay in memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import BINS, Calibrator, Quality
from tarstop_core.calibration.fitting import ece, predicted
from tarstop_core.evaluation.cases import Case

Floats = NDArray[np.float64]

COLUMNS = 4  # of a tally: sum of chances, relevant documents, documents, squared error


def judged(case: Case, scenario: str) -> bool:
    """Whether chances are judged on a case: in the patent scenario only where a relevant document exists."""
    return scenario != "patent" or case.topic.omega


def tally(calibrator: Calibrator, case: Case) -> Floats:
    """Sums over one topic in bins of equal width, shape (BINS, 4); tallies of topics add.

    As in :func:`~tarstop_core.calibration.fitting.assess`: "hazard" and "frailty" are judged by the first hit, on
    the documents up to it; only topics that are :func:`judged` count.
    """
    if not judged(case, calibrator.scenario):
        return np.zeros((BINS, COLUMNS))
    return binned(*predicted(calibrator, case.topic, calibrator.first_hits))


def binned(p: Floats, relevant: NDArray[np.bool_]) -> Floats:
    """Sums over documents in bins of equal width of their chance, shape (BINS, 4)."""
    sums, found = np.zeros((BINS, COLUMNS)), relevant.astype(float)
    at = np.minimum((p * BINS).astype(int), BINS - 1)
    for column, values in enumerate((p, found, np.ones(len(p)), (p - found) ** 2)):
        sums[:, column] = np.bincount(at, weights=values, minlength=BINS)
    return sums


def quality(sums: Floats, topics: int, how: str) -> Quality | None:
    """What added tallies say; None when nothing was counted."""
    documents = sums[:, 2].sum()
    if not documents:
        return None
    held = sums[sums[:, 2] > 0]
    curve = tuple((float(p / n), float(y / n), int(n)) for p, y, n, _ in held)
    return Quality(
        how=how,
        topics=topics,
        documents=int(documents),
        brier=float(sums[:, 3].sum() / documents),
        ece=ece(curve),
        reliability=curve,
    )
