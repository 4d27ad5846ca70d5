"""Where pyterrier-tar looks, and how it fits, where that differs from the rules here; as plain loops.

Each function says how it deviates. ``tests/policies/test_pyterrier_tar.py`` holds them against its recorded stops.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from scipy.optimize import curve_fit
from scipy.stats import poisson

from tests.reference.baselines import Labels, geometric_knee, growing_checks, slope_ratio
from tests.reference.peers import buscarpy_p


def looks(N: int, batch: int) -> list[int]:
    """It looks after the first document, and then after every batch; not at the end unless a batch ends there."""
    return list(range(1, N + 1, batch))


def looks_for_knees(N: int, least: int, batch: int) -> list[int]:
    """It waits for the end of the batch in which a published check falls."""
    checks = [check for check in growing_checks(N) if check >= least]
    return sorted({at for check in checks for at in looks(N, batch) if check <= at < check + batch})


def knee_fires(labels: Labels, n: int) -> bool:
    """The published condition; it needs a relevant document."""
    knee = geometric_knee(labels, n)
    ratio = slope_ratio(labels, knee, n) if any(labels[:n]) and knee < n else 0.0
    return ratio >= 156 - min(sum(labels[:knee]), 150)


def cmh_fires(labels: Labels, n: int, tau: float, alpha: float) -> bool:
    """It has no p-value where nothing was found, nor where H0 is impossible by every draw."""
    p = buscarpy_p(labels[:n], len(labels), tau) if any(labels[:n]) else math.nan
    return p < alpha


def evpi_depth(p: Sequence[float], cost: float, policy: str, peer: bool) -> int:
    """Expected value of the next documents, with B + L_g = L_r + G = 1, before any hit.

    Its value is p·EVPI, where the paper's is ρ·EVPI, ρ = b·p; it counts the document at which that falls to the cost
    as read; and it holds every document against the batch that begins with it, where the paper commits to whole batches.
    """
    N, at = len(p), 0
    belief = [0.5]
    for chance in p:
        belief.append(belief[-1] * (1 - chance) / (belief[-1] * (1 - chance) + 1 - belief[-1]))

    def value(first: int, now: int) -> float:
        b = belief[first if peer else now]
        return p[first] * (1 if peer else b) * min(b, 1 - b)

    window = 1 if policy == "greedy" else 10
    while at < N:
        ahead = range(at, min(at + window, N))
        # Of a batch cut short by the end of the list it still wants ten times the cost.
        size = window if peer and policy == "batch" else len(ahead)
        if sum(value(first, at) for first in ahead) <= cost * size + (0 if peer else 1e-12):
            return at + 1 if peer else at
        at += len(ahead) if policy == "batch" and not peer else 1
    return N


def power(x: float, a: float, k: float) -> float:
    return a * x**k


def hyperbola(x: float, a: float, b: float, c: float) -> float:
    with np.errstate(all="ignore"):
        return a / (1 + b * c * x) ** (1 / b)


NEARLY_ONE = 1e-9


CURVES: dict[str, Callable[..., float]] = {"power": power, "hyperbolic": hyperbola}


@cache
def fit(model: str, x: tuple[int, ...], rates: tuple[float, ...]) -> tuple[float, ...] | None:
    how: dict[str, object] = {"p0": [0.1, 0.001]}
    if model == "hyperbolic":
        how = {"p0": [max(rates), 0.5, 0.001], "bounds": ([-np.inf, 0, -np.inf], [np.inf, 1, np.inf])}
    try:
        return tuple(curve_fit(CURVES[model], np.array(x), np.array(rates), **how)[0])
    except (RuntimeError, ValueError):
        return None


def tail(model: str, fitted: Sequence[float], low: int, high: int, released: bool) -> float:
    """Relevant documents between two ranks; `released`: times (1 − b)², as the hyperbola's published code has it."""
    if model == "power":
        a, k = fitted
        return a / (k + 1) * (high ** (k + 1) - low ** (k + 1))
    a, b, c = fitted
    with np.errstate(invalid="ignore"):
        if abs(b - 1) < NEARLY_ONE and not released:
            return a / c * np.log((c * high + 1) / (c * low + 1))
        ends = [(1 + b * c * x) ** (1 - 1 / b) for x in (low, high)]
    return (a / c * (b - 1) if released else a / (c * (b - 1))) * (ends[1] - ends[0])


def point_process_stops(labels: Labels, model: str, tau: float, released: bool = False) -> set[int]:
    """Where it may stop: a Poisson process with a falling gate, ten windows and .1 as the greatest error of the fit.

    Checks are rounded, not cut off. The longer windows come first; each counts all but its last document, and its rate
    is by the length of the first. The middle of a window is a whole number. The fit of the hyperbola begins
    elsewhere and leaves two of its parameters unbounded. No more is foreseen than is unread. Where b is 1 but for
    rounding, the two ends of its integral may cancel out, and it stops there: that depends on the last bits of the fit.
    """
    N, least, cancelled = len(labels), 20, set[int]()
    for k in range(1, 41):
        n = round(N * round(k * 0.025, 3))
        if n < 10:
            continue
        found, wanted = sum(labels[:n]), least
        least = int(least - (n / N if model == "power" else round(k * 0.025, 3)) * least)
        windows = [list(map(int, part)) for part in np.array_split(np.arange(n), 10)]
        size = len(windows[0]) - 1
        if found < wanted or not size:
            continue
        rates = [sum(labels[part[0] : part[-1]]) / size for part in windows]
        if not any(rates[5:]):
            return {n, *cancelled}
        if model == "power":
            x = [part[0] + 1 for part in windows]
        else:
            x = [round((part[0] + part[-1]) / 2) for part in windows]
        fitted = fit(model, tuple(x), tuple(map(float, rates)))
        if fitted is None:
            continue
        curve = CURVES[model]
        off = sum((curve(at, *fitted) - rate) ** 2 for at, rate in zip(x, rates, strict=True))
        spread = max(rates) - min(rates)
        to_come = tail(model, fitted, n, N, released)
        if not spread or not off / spread < 0.1 or not to_come >= 0 or n == N:
            continue
        if found >= tau * (found + min(poisson.ppf(0.95, to_come), N - n)):
            return {n, *cancelled}
        if model == "hyperbolic" and not released and abs(fitted[1] - 1) < NEARLY_ONE:
            cancelled.add(n)
    return {N, *cancelled}
