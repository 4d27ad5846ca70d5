"""Reliability of chances, counted topic by topic so that no list has to stay in memory."""

from collections.abc import Iterable

import numpy as np

from tarstop_core.calibration.calibrator import PATENT, Calibrator
from tarstop_core.calibration.fitting import predicted
from tarstop_core.calibration.quality import BINS, Quality, ece, in_bins
from tarstop_core.evaluation.cases import Case
from tarstop_core.value.payoffs import Flags, Floats

COLUMNS = 4
"""Columns of reliability counts: sum of chances, relevant documents, documents, sum of squared errors."""


def judged(case: Case, scenario: str) -> bool:
    """Whether chances are judged on a case: always, except on ω⁻ topics of the patent scenario."""
    return scenario != PATENT or case.topic.omega


def tally(calibrator: Calibrator, case: Case) -> Floats:
    """Reliability counts of one topic in bins of equal width, shape (BINS, 4); counts of topics can be added.

    As in :func:`~tarstop_core.calibration.fitting.assess`, "hazard" and "frailty" are judged by the first hit, on the
    documents up to it, and topics that are not :func:`judged` count nothing.
    """
    if not judged(case, calibrator.scenario):
        return np.zeros((BINS, COLUMNS))
    if case.adaptive_chances is not None:
        return binned(case.adaptive_chances, case.labels)
    return binned(*predicted(calibrator, case.topic, calibrator.first_hits))


def binned(p: Floats, relevant: Flags) -> Floats:
    """Reliability counts of documents in bins of equal width of their chance, shape (BINS, 4)."""
    y = relevant.astype(float)
    return np.stack([in_bins(p, column) for column in (p, y, np.ones(len(p)), (p - y) ** 2)], axis=1)


def matches_measurement(learned: Iterable[tuple[Calibrator, Iterable[Case]]], measured: Quality) -> bool:
    """Whether the calibrators of all folds give their test topics the same quality as was measured before."""
    counts = (tally(calibrator, case) for calibrator, cases in learned for case in cases)
    again = quality(sum(counts, np.zeros((BINS, COLUMNS))), measured.topics, measured.how)
    if again is None or again.documents != measured.documents:
        return False
    now, before = ((q.brier, sum(p * n for p, _, n in q.reliability)) for q in (again, measured))
    # Processors differ in the last digits of what they learn from the same topics.
    return bool(np.allclose(now, before, rtol=1e-7, atol=0))


def quality(counts: Floats, topics: int, how: str) -> Quality | None:
    """Compute the quality of chances from reliability counts.

    Parameters
    ----------
    counts : ndarray, shape (BINS, 4)
        Sum of the counts of all topics (:func:`tally`).
    topics, how : int, str
        Number of topics judged, and a description of these, which are recorded with the measures.

    Returns
    -------
    Quality or None
        None when nothing was counted.
    """
    documents = counts[:, 2].sum()
    if not documents:
        return None
    filled = counts[counts[:, 2] > 0]
    curve = tuple((float(p / n), float(y / n), int(n)) for p, y, n, _ in filled)
    brier = float(counts[:, 3].sum() / documents)
    return Quality(how, topics, int(documents), brier, ece(curve), curve)
