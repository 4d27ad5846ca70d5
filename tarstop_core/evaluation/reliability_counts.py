"""How well chances matched what was found, tallied topic by topic so that no list has to stay in memory."""

from collections.abc import Iterable

import numpy as np

from tarstop_core.calibration.calibrator import BINS, PATENT, Calibrator, Quality
from tarstop_core.calibration.fitting import ece, in_bins, predicted
from tarstop_core.evaluation.cases import Case
from tarstop_core.value.payoffs import Flags, Floats

COLUMNS = 4  # of a tally: sum of chances, relevant documents, documents, squared error


def judged(case: Case, scenario: str) -> bool:
    """Whether chances are judged on a case: in the patent scenario only where a relevant document exists."""
    return scenario != PATENT or case.topic.omega


def tally(calibrator: Calibrator, case: Case) -> Floats:
    """Sums over one topic in bins of equal width, shape (BINS, 4); tallies of topics add.

    As in :func:`~tarstop_core.calibration.fitting.assess`: "hazard" and "frailty" are judged by the first hit, on
    the documents up to it; only topics that are :func:`judged` count.
    """
    if not judged(case, calibrator.scenario):
        return np.zeros((BINS, COLUMNS))
    if case.adaptive_chances is not None:
        return binned(case.adaptive_chances, case.labels)
    return binned(*predicted(calibrator, case.topic, calibrator.first_hits))


def binned(p: Floats, relevant: Flags) -> Floats:
    """Sums over documents in bins of equal width of their chance, shape (BINS, 4)."""
    y = relevant.astype(float)
    return np.stack([in_bins(p, each) for each in (p, y, np.ones(len(p)), (p - y) ** 2)], axis=1)


def matches_measurement(learned: Iterable[tuple[Calibrator, Iterable[Case]]], measured: Quality) -> bool:
    """Whether calibrators, a fold each, give test topics the chances that were measured once on all of them."""
    # To seven digits: another processor differs in the last ones of what it learns from the same topics.
    tallies = (tally(calibrator, case) for calibrator, cases in learned for case in cases)
    again = quality(sum(tallies, np.zeros((BINS, COLUMNS))), measured.topics, measured.how)
    if again is None or again.documents != measured.documents:
        return False
    one, other = ((each.brier, sum(p * n for p, _, n in each.reliability)) for each in (again, measured))
    return bool(np.allclose(one, other, rtol=1e-7, atol=0))


def quality(sums: Floats, topics: int, how: str) -> Quality | None:
    """Turn added counts into measures.

    Parameters
    ----------
    sums : ndarray, shape (BINS, 4)
        Counts of :func:`tally`, added.
    topics, how : int, str
        Recorded with the measures: topics judged, and on what.

    Returns
    -------
    Quality or None
        None when nothing was counted.
    """
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
