"""What public programmes do where they differ from the rules here, as plain loops.

Each function says what it reproduces and how that deviates. The tests hold them against recorded runs of
the programmes, so that a difference between those runs and the rules here has a name.
"""

import itertools
import math
import random
from collections.abc import Sequence

import numpy as np
from scipy.stats import binom, hypergeom

from tests.reference.baselines import Labels, growing_batches, kneedle, slope_ratio


def salt_order_statistic(tau: float, r: int, alpha: float) -> int:
    """salt: the quantile by scipy's floats; r + 1 (never reached) where there is none."""
    return next((j for j in range(1, r + 1) if binom.cdf(j - 1, r, tau) >= 1 - alpha), r + 1)


def autostop_smoothed(values: Sequence[float]) -> list[float]:
    """auto-stop-tar: the window's right end is left out, so a point is averaged with the one before it only,
    and the last point is the one before it.
    """
    n, side = len(values), math.exp(-0.5)
    result = [values[0]]
    for i in range(1, n):
        own = 0.0 if i == n - 1 else 1.0
        result.append((own * values[i] + side * values[i - 1]) / (own + side))
    return result


def autostop_knees(x: Sequence[float], y: Sequence[float], S: float) -> list[int]:
    """auto-stop-tar: the mean step is taken from scaled and unscaled x mixed, (1 − x_0)/(n − 1): for curves
    that begin at x_0 = 1 it is 0, and the sensitivity S does nothing.
    """
    if len(x) < 2:
        return []
    return kneedle(autostop_smoothed(x), autostop_smoothed(y), S * (1 - x[0]))


def autostop_run(
    labels: Labels, rho: float | str, beta: int, share: float, S: float
) -> tuple[int, int, float, int]:
    """auto-stop-tar's knee method on a fixed ranking: depth, knee, slope ratio, number of checks.

    Stops need more than β documents and more than ρ; the share at which it gives up is noticed at the next
    batch only.
    """
    N = len(labels)
    x: list[int] = []
    y: list[int] = []
    knee, ratio = 0, 0.0
    for s in growing_batches(N):
        x.append(s)
        y.append(sum(labels[:s]))
        knees = autostop_knees(x, y, S)
        if knees:
            knee = x[knees[-1]]
            ratio = slope_ratio(labels, knee, s)
            threshold = 156 - min(y[-1], 150) if rho == "dynamic" else float(rho)
            if ratio > threshold and s > beta:
                return s, knee, ratio, len(x)
        if s >= int(N * share):
            return s, knee, ratio, len(x)
    return N, knee, ratio, len(x)


def kneed_knees(x: Sequence[float], y: Sequence[float], S: float, degree: int | None = None) -> list[float]:
    """kneed: a maximum may be a plateau, whose last point then is the knee, or the first point. With a degree, the curve is first
    replaced by a polynomial.
    """
    X, Y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if degree is not None:
        Y = np.poly1d(np.polyfit(X, Y, degree))(X)
    X, Y = ((V - V.min()) / (V.max() - V.min()) for V in (X, Y))
    D = Y - X
    before, after = np.append(D[:1], D[:-1]), np.append(D[1:], D[-1:])
    peak = np.maximum(before, after) <= D
    trough = np.minimum(before, after) >= D
    margin = S * np.abs(np.diff(X).mean())
    knees: list[float] = []
    at = None
    for i in range(len(D) - 1):
        if peak[i]:
            at = i
        if trough[i]:
            at = None
        if at is not None and D[i + 1] < D[at] - margin and x[at] not in knees:
            knees.append(x[at])
    return knees


def tarexp_ratio(C: Sequence[int], batch: int, rounds: int) -> float:
    """tarexp: the knee is any batch's end, and the slope after it is taken over one batch too many.

    C counts the relevant documents among the first 0, 1, … N.
    """
    found = [C[min(batch * (i + 1), len(C) - 1)] for i in range(rounds)]
    return max((found[i] / (i + 1)) / ((1 + found[-1] - found[i]) / (rounds - i)) for i in range(rounds))


def tarexp_stops(rule: str, C: Sequence[int], batch: int, rounds: int, p: Sequence[float]) -> bool:
    """tarexp's rules after a number of batches; deviations stand at each."""
    N = len(C) - 1
    n = min(batch * rounds, N)
    found = C[n]
    if rule == "Knee":
        return tarexp_ratio(C, batch, rounds) >= 156 - min(found, 150)
    if rule == "Budget":  # n is counted as if the last batch held one document
        enough = found > 0 and n // rounds * (rounds - 1) + 1 >= 10 * N / found
        return (tarexp_ratio(C, batch, rounds) >= 6 and enough) or n >= N * 0.75
    if rule.startswith("CHM"):  # one relevant document fewer is asked for; draws begin at batches only
        tau, alpha = (float(text.lstrip("a")) for text in rule.split("_")[1:])
        starts = [batch * (i + 1) for i in range(1, rounds) if batch * (i + 1) <= n]
        before = np.array([C[start] for start in starts], dtype=int)
        population, drawn = N - np.array(starts, dtype=int), n - np.array(starts, dtype=int)
        p_values = hypergeom.cdf(found - before, population, (found / tau - before).astype(int), drawn)
        return bool((p_values < alpha).any())
    if rule.startswith("Quant"):  # not before two batches
        tau, nstd = (float(text.lstrip("nstd")) for text in rule.split("_")[1:])
        chances = np.asarray(p)
        known, unread = chances[:n].sum(), chances[n:].sum()
        spread = chances * (1 - chances)
        V, rest = spread.sum(), spread[n:].sum()
        variance = known**2 / (known + unread) ** 4 * V + (V - rest) / (known + unread) ** 2
        return bool(rounds >= 2 and known / (known + unread) - nstd * math.sqrt(max(variance, 0.0)) >= tau)
    raise ValueError(rule)


def tarexp_depth(rule: str, labels: Labels, batch: int, p: Sequence[float]) -> int | None:
    """Documents read when a rule of tarexp first stops, asked after every batch; None: never."""
    N, C = len(labels), [0, *itertools.accumulate(labels)]
    for rounds in range(1, math.ceil(N / batch) + 1):
        if tarexp_stops(rule, C, batch, rounds, p):
            return min(batch * rounds, N)
    return None


def buscarpy_p(labels: Labels, N: int, tau: float) -> float:
    """buscarpy: all n draws at once; not a number where more relevant documents are asked for than there can be."""
    urn = np.asarray(labels)[::-1]
    m = np.arange(1, len(urn) + 1)
    k = urn.cumsum()
    K = np.floor(urn.sum() / tau + 1 - (urn.sum() - k))
    return float(min(hypergeom.cdf(k, N - (len(urn) - m), K, m)))


def sneyd_knee(labels: Labels, s: int) -> int:
    """stopping_criteria_counting_processes: distances in floating point; C(x) is counted anew for each x."""
    relevant = np.asarray(labels)
    m = relevant[:s].sum() / s
    distances = [abs(m * x - relevant[:x].sum()) / math.sqrt(m**2 + 1) for x in range(1, s + 1)]
    return distances.index(max(distances)) + 1


def sneyd_knee_depth(labels: Labels, checks: Sequence[int], rho_min: float, adjust: int) -> tuple[int, int]:
    """Knee and depth; without a knee it stops at its last check before the end of the list."""
    for s in checks:
        i = sneyd_knee(labels, s)
        if slope_ratio(labels, i, s) >= rho_min + adjust - min(sum(labels[:i]), adjust):
            break
    return i, s


def sneyd_target_rank(targets: Sequence[int], N: int) -> int:
    """The rank, from 0, of the last of a set of documents (from 0): one short of the documents read."""
    rank, found = 0, 0
    while rank < N and found < len(targets):
        found += rank in targets
        rank += 1
    return rank - 1


def sneyd_target_run(labels: Labels, t: int, draw: random.Random) -> tuple[list[int], int, int]:
    """The set's sample in drawing order (from 0), the rank returned, and the documents examined."""
    left = list(range(len(labels)))
    examined: list[int] = []
    targets: list[int] = []
    while len(targets) < t and left:
        document = draw.choice(left)
        left.remove(document)
        examined.append(document)
        if labels[document]:
            targets.append(document)
    rank = sneyd_target_rank(targets, len(labels)) if len(targets) == t else len(labels)
    everything = list(examined)
    for document in range(rank):
        if document not in everything:
            everything.append(document)
    return examined, rank, len(everything)
