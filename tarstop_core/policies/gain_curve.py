"""Knees of gain curves: the geometric knee of Cormack & Grossman, and Kneedle.

A gain curve counts the relevant documents C(d) among the first d. It is flat between relevant documents,
so whatever is largest or smallest on it is so next to one of them. Both functions therefore look only
there, and at all checks of a rule at once: their cost grows with checks times relevant documents, not
with checks times documents.
"""

import math

import numpy as np

from tarstop_core.policies.base import Depths, Flags, Floats, of_labels

CHUNK = 1_000_000  # Entries of one block of checks times points; bounds memory
KERNEL = (math.exp(0), math.exp(-0.5))
"""Weights of a point and of each neighbour in the smoother (Gaussian, window 1)."""
TIE = 1e-12  # Differences below this are ties


def growing_checks(N: int) -> Depths:
    """Depths 1, 2, … below N, each about a tenth further than the last (⌈a/10⌉ more)."""
    checks, a = [], 1
    while a < N:
        checks.append(a)
        a += -(-a // 10)
    return np.array(checks, dtype=np.intp)


def growing_batches(N: int) -> Depths:
    """Depths after batches of 1, 2, 3, … documents, each batch about a tenth larger than the last; ends at N."""
    depths = np.cumsum(growing_checks(N))
    return np.append(depths[depths < N], N)


def gain(labels: Flags) -> Depths:
    """Relevant documents C(0) … C(N) among the first 0 … N."""
    return np.append(0, np.cumsum(labels, dtype=np.intp))


def slope_ratio(C: Depths, knee: Depths, at: Depths) -> Floats:
    """Slope of the gain curve before a knee over the slope after it.

    Parameters
    ----------
    C : ndarray of int, shape (N + 1,)
        Relevant documents among the first 0 … N.
    knee, at : ndarray of int, shape (checks,)
        Ranks i of knees, and the depths s from which they are seen.

    Returns
    -------
    ndarray, shape (checks,)
        (C(i)/i) / ((1 + C(s) − C(i))/(s − i)); 0 without a knee before s.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (C[knee] / knee) * (at - knee) / (1 + C[at] - C[knee])
    return np.where((knee > 0) & (knee < at), ratio, 0.0)


@of_labels
def geometric_knees(labels: Flags, checks: tuple[int, ...]) -> Depths:
    """Rank of the knee at each check s ≥ 1, shape (checks,): the point of the curve furthest from the chord to the check.

    The first of several equally far points counts, compared in whole numbers: |C(s)·x − s·C(x)| is the distance up to a
    factor. It is largest at a relevant document or just before one (or at x = 1).
    """
    C, at = gain(labels), np.array(checks, dtype=np.intp)
    ranks = np.flatnonzero(labels) + 1
    x = np.unique(np.concatenate(([1], ranks - 1, ranks)))
    x = x[x > 0]
    knees = np.empty(len(at), dtype=np.intp)
    step = max(1, CHUNK // len(x))
    for first in range(0, len(at), step):
        s = at[first : first + step, None]
        distance = np.abs(C[s] * x - s * C[x])
        distance[x > s] = -1
        knees[first : first + step] = x[np.argmax(distance, axis=1)]
    return knees


@of_labels
def kneedle_knees(labels: Flags, checks: tuple[int, ...], sensitivity: float) -> Depths:
    """Rank of the last knee that Kneedle accepts at rising checks.

    At a check, the curve is known at this check and those before it. These points are smoothed by a Gaussian
    kernel over both neighbours (the last and the first have one), scaled to the unit square, and D = y − x.
    A strict local maximum of D is a candidate; it is a knee if D falls below it by more than the sensitivity S times
    the mean step of x before the next candidate. The last of several counts. Differences of less than 1e-12 are ties.

    Parameters
    ----------
    labels : ndarray of bool, shape (N,)
        Which documents are relevant, in ranking order.
    checks : tuple of int
        Rising depths at which the rule looks.
    sensitivity : float
        S.

    Returns
    -------
    ndarray of int, shape (checks,)
        0 where there is no knee.

    Notes
    -----
    Satopaa, Albrecht, Irwin & Raghavan 2011. It is online: at each check it sees nothing beyond.
    """
    at = np.array(checks, dtype=np.intp)
    y = gain(labels)[at].astype(float)
    x = at.astype(float)
    n = len(at)
    knees = np.zeros(n, dtype=np.intp)
    # Where the count does not change over two points on both sides, the smoothed curve is straight.
    rises = np.flatnonzero(np.diff(y) > 0)
    near = (rises[:, None] + np.arange(-2, 4)).ravel()
    points = np.unique(np.concatenate(([0], near[(near >= 0) & (near < n)])))
    if n < 3 or not len(rises):
        return knees
    inner_x, inner_y = _smoothed(x), _smoothed(y)
    last_x, last_y = _smoothed_end(x), _smoothed_end(y)
    step = max(1, CHUNK // len(points))
    for first in range(2, n, step):
        ends = np.arange(first, min(first + step, n))[:, None]
        seen = points < ends
        scaled = []
        for inner, last in ((inner_x, last_x), (inner_y, last_y)):
            curve = np.where(seen, inner[points], last[ends])
            curve = np.hstack((curve, last[ends])) - inner[0]
            span = curve[:, -1:]
            scaled.append(curve / np.where(span > 0, span, 1.0))
        difference = scaled[1] - scaled[0]
        knee = _last_knee(difference, sensitivity / ends[:, 0])
        accepted = knee >= 0
        knees[ends[accepted, 0]] = at[points[knee[accepted]]]
    return knees


def _smoothed(values: Floats) -> Floats:
    """Average of each value with its neighbours."""
    own, side = KERNEL
    total, weight = (np.convolve(part, (side, own, side), "same") for part in (values, np.ones(len(values))))
    return np.asarray(total / weight)


def _smoothed_end(values: Floats) -> Floats:
    """Average of each value with the one before it, which is its smoothed value while it is the last."""
    own, side = KERNEL
    ends = values.copy()
    ends[1:] = (own * values[1:] + side * values[:-1]) / (own + side)
    return ends


def _last_knee(D: Floats, margin: Floats) -> Depths:
    """Column of the last strict local maximum of each row with a fall of more than `margin` before the next, else −1."""
    rows, columns = D.shape
    peak = np.zeros(D.shape, dtype=bool)
    peak[:, 1:-1] = (D[:, 1:-1] > D[:, :-2] + TIE) & (D[:, 1:-1] > D[:, 2:] + TIE)
    starts = peak.copy()
    starts[:, 0] = True
    begins = np.flatnonzero(starts)
    lowest = np.minimum.reduceat(D.ravel(), begins)
    row, column = np.divmod(begins, columns)
    accepted = peak.ravel()[begins] & (lowest < D.ravel()[begins] - margin[row] - TIE)
    last = np.full(rows, -1, dtype=np.intp)
    np.maximum.at(last, row[accepted], column[accepted])
    return last
