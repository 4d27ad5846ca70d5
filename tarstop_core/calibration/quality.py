"""How well chances came true: Brier score, expected calibration error (ECE) and reliability curve."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarstop_core.documents.tables import Flags, Floats
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import number, percent

BINS = 10  # Bins of equal width in a reliability curve
DRAWS = 1000  # Resamples of lists for an interval
Predicted = tuple[Floats, Flags]  # Chances of a list's documents, and which are relevant


@dataclass(frozen=True)
class Quality:
    """How well chances matched the labels of topics that the calibrator was not fitted on."""

    how: str  # How these topics relate to the training topics, such as "held-out lists"
    topics: int  # How many topics it was judged on
    documents: int  # How many documents of them count
    brier: float  # Brier score
    ece: float  # Expected calibration error
    reliability: tuple[tuple[float, float, int], ...] = ()
    """For each non-empty bin of equal width: mean probability, share found relevant, number of documents."""
    intervals: tuple[tuple[float, float], ...] = ()
    """95 % interval of the share in each of these bins, by resampling lists; empty if the lists of the documents are unknown."""

    def __post_init__(self) -> None:
        if not (0 <= self.brier <= 1 and 0 <= self.ece <= 1):
            raise InputProblem(f"The quality {self.brier:g} and {self.ece:g} is outside 0 to 1.")


def quality_sentence(quality: Quality) -> str:
    """Say how well chances came true, in plain words with their numbers.

    >>> quality_sentence(Quality("held-out lists", 2, 100, 0.08, 0.02, ((0.1, 0.1, 100),)))
    'Judged on held-out lists: on average the chances were off by 2.0 percentage points (ECE 0.02). Brier score 0.08, 11 % lower than if every document had the average chance (0.09).'
    """
    off = 100 * quality.ece
    off_by = f"{off:.1f}" if off >= 0.1 or off == 0 else f"{off:.2g}"
    scores = (
        f"Judged on {quality.how}: on average the chances were off by {off_by} percentage points "
        f"(ECE {number(quality.ece)}). Brier score {number(quality.brier)}"
    )
    count = sum(n for _, _, n in quality.reliability)
    base = sum(share * n for _, share, n in quality.reliability) / max(count, 1)
    plain = base * (1 - base)
    if plain <= 0:
        return f"{scores}."
    gain = 1 - quality.brier / plain
    compared = f"{percent(gain)} lower" if gain > 0 else "no lower"
    return f"{scores}, {compared} than if every document had the average chance ({number(plain)})."


def quality_of(lists: Sequence[Predicted], how: str) -> Quality:
    """Brier score, ECE and reliability curve of predicted chances; `how` is as in :class:`Quality`."""
    p, relevant = (np.concatenate(part) for part in zip(*lists, strict=True))
    curve = reliability(p, relevant)
    brier = float(np.mean((p - relevant) ** 2))
    return Quality(how, len(lists), len(p), brier, ece(curve), curve, resampled_intervals(lists))


def resampled_intervals(lists: Sequence[Predicted]) -> tuple[tuple[float, float], ...]:
    """95 % interval of each share of :func:`reliability`, by resampling lists.

    Documents of one list depend on each other, so that Wilson's intervals are too narrow; they are used where they are wider.
    """
    count = np.array([in_bins(p, np.ones(len(p))) for p, _ in lists])
    hits = np.array([in_bins(p, relevant) for p, relevant in lists])
    filled = count.sum(axis=0) > 0
    count, hits = count[:, filled], hits[:, filled]
    drawn = np.random.default_rng(0).multinomial(len(lists), np.full(len(lists), 1 / len(lists)), DRAWS)
    with np.errstate(invalid="ignore"):
        low, high = np.nanquantile((drawn @ hits) / (drawn @ count), [0.025, 0.975], axis=0)
    least, most = wilson(hits.sum(axis=0) / count.sum(axis=0), count.sum(axis=0))
    ends = np.minimum(low, least), np.maximum(high, most)
    return tuple((float(a), float(b)) for a, b in zip(*ends, strict=True))


def reliability(p: ArrayLike, relevant: ArrayLike) -> tuple[tuple[float, float, int], ...]:
    """Reliability curve: mean probability, share relevant and count in each non-empty bin of equal width on [0, 1]."""
    p, relevant = np.asarray(p, dtype=float), np.asarray(relevant, dtype=float)
    count, expected, hits = (in_bins(p, values) for values in (np.ones(len(p)), p, relevant))
    filled = np.flatnonzero(count)
    return tuple((float(expected[i] / count[i]), float(hits[i] / count[i]), int(count[i])) for i in filled)


def in_bins(p: Floats, values: ArrayLike) -> Floats:
    """Sum of values in each of BINS bins of equal width of their chances; chances and values have shape (n,)."""
    return np.bincount(np.minimum((p * BINS).astype(int), BINS - 1), values, BINS).astype(float)


def ece(curve: Sequence[tuple[float, float, int]]) -> float:
    """Expected calibration error of a reliability curve.

    >>> round(ece(reliability([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1])), 3)
    0.1
    """
    total = sum(count for _, _, count in curve)
    return sum(count * abs(p - share) for p, share, count in curve) / total


def wilson(share: Floats, count: Floats) -> tuple[Floats, Floats]:
    """Wilson's 95 % intervals of shares: lower and upper ends, shape (n,).

    E. B. Wilson (1927), Probable inference, JASA 22, 209–212.

    >>> low, high = wilson(np.array([0.0, 0.5]), np.array([10.0, 100.0]))
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.404], [0.278, 0.596])
    """
    z2 = 1.959964**2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = np.sqrt(z2 * (share * (1 - share) / count + z2 / (4 * count**2))) / (1 + z2 / count)
    return np.maximum(0.0, middle - half), np.minimum(1.0, middle + half)
