"""The recall-centric rules as plain loops, as their publications define them.

Labels are sequences of 0 and 1 in ranking order. These loops are the oracle of the tests of
``tarstop_core/policies`` and the reference of ``benchmarks/baselines.py``: every draw of the hypergeometric
test is looked at, every document of a gain curve, every point of Kneedle.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
from scipy.integrate import quad
from scipy.optimize import curve_fit
from scipy.special import pdtr
from scipy.stats import hypergeom, poisson

from tarstop_core.policies.grlstop import Weights

Labels = Sequence[int]
TIE = 1e-12


# Samples


def order_statistic(tau: float, r: int, alpha: float) -> int | None:
    """Least j with P(Bin(r, τ) ≤ j − 1) ≥ 1 − α, in rational arithmetic."""
    t, goal = Fraction(str(tau)), 1 - Fraction(str(alpha))
    total = Fraction(0)
    for j in range(1, r + 1):
        total += math.comb(r, j - 1) * t ** (j - 1) * (1 - t) ** (r - j + 1)
        if total >= goal:
            return j
    return None


def sampled_run(labels: Labels, permutation: Sequence[int], r: int, j: int | None) -> tuple[int, set[int]]:
    """Depth, and the documents read (from 0), of one run with the documents drawn in a given order."""
    sample, known = [], []
    for document in permutation:
        if len(known) == r:
            break
        sample.append(document)
        if labels[document]:
            known.append(document)
    if len(known) < r or j is None:
        return len(labels), set(range(len(labels)))
    depth, passed = 0, 0
    while passed < j:
        passed += depth in known
        depth += 1
    return depth, {*sample, *range(depth)}


def audit_run(
    labels: Labels, permutation: Sequence[int], tau: float, confidence: float, every: int
) -> tuple[int, set[int]]:
    """Rank that the list is read down to, and the documents read, of audit draws in a given random order.

    Every total keeps its own stakes, and one that was ruled out stays so.
    """
    N, read = len(labels), list[int]()
    draws = N // every
    shares = [1 / k for k in range(1, draws + 1)]
    # By total: for each γ what is bet and what waits for a later beginning.
    stakes = {R: dict.fromkeys((0.02, 0.3), (0.0, 1.0)) for R in range(N + 1)}
    out: set[int] = set()
    while len(read) < N:
        found = sum(labels[document] for document in read)
        possible = [R for R in range(found, found + N - len(read) + 1) if R not in out]
        if found >= tau * max(possible) - TIE * N:
            break
        drawn = (len(read) + 1) % every == 0
        document = next(at for at in (permutation if drawn else range(N)) if at not in read)
        if drawn:
            share = shares[(len(read) + 1) // every - 1] / sum(shares)
            for R in possible:
                theta = (R - found) / (N - len(read))
                for gamma, (bet, waiting) in stakes[R].items():
                    miss = (1 - gamma * theta) / (1 - theta) if theta < 1 else math.inf
                    factor = (gamma if theta < 1 else 1) if labels[document] else miss
                    stakes[R][gamma] = (bet + share) * factor, waiting - share
                if sum(bet + max(waiting, 0) for bet, waiting in stakes[R].values()) / 2 >= 1 / (
                    1 - confidence
                ):
                    out.add(R)
        read.append(document)
    return next((at for at in range(N) if at not in read), N), set(read)


# Knees


def growing_checks(N: int) -> list[int]:
    checks, a = [], 1
    while a < N:
        checks.append(a)
        a += math.ceil(a / 10)
    return checks


def geometric_knee(labels: Labels, s: int) -> int:
    """The rank whose point on the gain curve is furthest from the chord to s; the first of equals."""
    total = sum(labels[:s])
    best, at, count = -1, 0, 0
    for x in range(1, s + 1):
        count += labels[x - 1]
        distance = abs(total * x - s * count)
        if distance > best:
            best, at = distance, x
    return at


def slope_ratio(labels: Labels, i: int, s: int) -> float:
    if not 0 < i < s:
        return 0.0
    return (sum(labels[:i]) / i) / ((1 + sum(labels[i:s])) / (s - i))


def geometric_knee_depth(
    labels: Labels, rho_min: float, adjust: int, beta: int = 0, relret_at: str = "knee"
) -> int:
    for s in growing_checks(len(labels)):
        i = geometric_knee(labels, s)
        relevant = sum(labels[: i if relret_at == "knee" else s])
        rho = slope_ratio(labels, i, s)
        if rho > 0 and rho >= rho_min + adjust - min(relevant, adjust) and s >= beta:
            return s
    return len(labels)


def budget_method_depth(labels: Labels, rho_min: float, cap: float) -> int:
    N = len(labels)
    at_most = math.ceil(Fraction(str(cap)) * N)
    for s in growing_checks(N):
        rho = slope_ratio(labels, geometric_knee(labels, s), s)
        if rho > 0 and rho >= rho_min and s * sum(labels[:s]) >= 10 * N:
            return min(s, at_most)
    return at_most


def smoothed(values: Sequence[float]) -> list[float]:
    """Every value averaged with its neighbours, these weighing exp(−1/2)."""
    result = []
    for i in range(len(values)):
        near = [j for j in (i - 1, i, i + 1) if 0 <= j < len(values)]
        weights = [math.exp(-0.5 * (i - j) ** 2) for j in near]
        result.append(sum(w * values[j] for w, j in zip(weights, near, strict=True)) / sum(weights))
    return result


def difference_curve(x: Sequence[float], y: Sequence[float]) -> list[float]:
    """y − x after both are scaled to the unit interval."""

    def scaled(values: Sequence[float]) -> list[float]:
        low, span = min(values), max(values) - min(values)
        return [(value - low) / (span or 1.0) for value in values]

    return [b - a for a, b in zip(scaled(x), scaled(y), strict=True)]


def kneedle(x: Sequence[float], y: Sequence[float], S: float) -> list[int]:
    """Indices of the knees of a concave rising curve (Satopaa et al.): strict maxima with a large enough fall."""
    D = difference_curve(x, y)
    n = len(D)
    margin = S / (n - 1) if n > 1 else 0.0
    maxima = [i for i in range(1, n - 1) if D[i] > D[i - 1] + TIE and D[i] > D[i + 1] + TIE]
    knees = []
    for at, until in zip(maxima, [*maxima, n][1:], strict=True):
        if min(D[at:until]) < D[at] - margin - TIE:
            knees.append(at)
    return knees


def growing_batches(N: int) -> list[int]:
    depths, total, batch = [], 0, 1
    while total < N:
        total = min(N, total + batch)
        depths.append(total)
        batch += math.ceil(batch / 10)
    return depths


def knee_depth(
    labels: Labels, rho_min: float, beta: int, cap: float, f: int, reading: str, cap_on_empty: str
) -> int:
    N = len(labels)
    if reading == "Q":
        checks, S, least = growing_batches(N), float(f), beta
    else:
        checks = [*range(max(1, f), N, max(1, f)), N]
        S, least = (1.0, beta) if reading == "P" else (float(beta), 0)
    x: list[float] = []
    y: list[float] = []
    for s in checks:
        x.append(s)
        y.append(sum(labels[:s]))
        knees = kneedle(smoothed(x), smoothed(y), S)
        rho = slope_ratio(labels, int(x[knees[-1]]), s) if knees else 0.0
        if rho > 0 and rho >= rho_min and s >= least:
            return s
        if s >= int(N * cap) and (cap_on_empty == "yes" or y[-1] > 0):
            return s
    return N


# Tests and estimates


def hypergeometric_p(labels: Labels, n: int, tau: float) -> float:
    """Least chance over all n draws "the last m documents read"."""
    N, r = len(labels), sum(labels[:n])
    if n == N:
        return 0.0
    least, k = 1.0, 0
    for m in range(1, n + 1):
        k += labels[n - m]
        K = math.floor(Fraction(r) / Fraction(str(tau))) + 1 - (r - k)
        population = N - (n - m)
        p = hypergeom.cdf(k, population, K, m) if population >= K else 0.0
        least = min(least, float(p))
    return least


def hypergeometric_depth(labels: Labels, tau: float, confidence: float, every: int = 1) -> int:
    N = len(labels)
    for n in [*range(every, N, every), N]:
        if hypergeometric_p(labels, n, tau) < (1 - confidence) * (1 - 1e-9):
            return n
    return N


def quant_depth(p: Sequence[float], tau: float, nstd: float) -> int:
    total, V = sum(p), sum(x * (1 - x) for x in p)
    for n in range(len(p) + 1):
        known, unread = sum(p[:n]), sum(x * (1 - x) for x in p[n:])
        variance = known**2 / total**4 * V + (V - unread) / total**2
        if known / total - nstd * math.sqrt(max(variance, 0.0)) >= tau - TIE:
            return n
    return len(p)


def consecutive_depth(labels: Labels, n: int) -> int:
    in_a_row = 0
    for depth, label in enumerate(labels, start=1):
        in_a_row = 0 if label else in_a_row + 1
        if in_a_row == n:
            return depth
    return len(labels)


def low_precision_depth(labels: Labels, share: float, size: int, batches: int) -> int:
    in_a_row, depth = 0, 0
    while depth < len(labels):
        batch = labels[depth : depth + size]
        depth += len(batch)
        in_a_row = in_a_row + 1 if sum(batch) <= share * len(batch) + 1e-9 else 0
        if in_a_row == batches:
            return depth
    return len(labels)


def rule_2399_depth(labels: Labels) -> int:
    found = 0
    for n, label in enumerate(labels, start=1):
        found += label
        if n >= Fraction(12, 10) * found + 2399:
            return n
    return len(labels)


# Fitted curves and learned agents


RATES: dict[str, tuple[Callable[..., float], list[float]]] = {
    "power": (lambda x, a, k: a * x**k, [0.1, 0.001]),
    "exponential": (lambda x, a, k: a * np.exp(-k * x), [0.1, 0.001]),
    "inverse": (lambda x, a: a / x, [0.1]),
}
"""How the rate of relevant documents may fall, and where a fit begins. The hyperbola is bounded: tests fit it apart."""


def poisson_depth(
    labels: Labels, model: str, tau: float, confidence: float, rmse: float, gate: str = "fixed"
) -> int:
    N, least = len(labels), 20
    curve, begin = RATES[model]
    for n in (k * N // 40 for k in range(1, 40)):
        found = sum(labels[:n])
        if n < 10:
            continue
        wanted, least = least, least if gate == "fixed" else int(least * (1 - n / N))
        if found < wanted:
            continue
        edges = [round(k * n / 10) for k in range(11)]
        windows = list(pairwise(edges))
        rates = [sum(labels[low:high]) / (high - low) for low, high in windows]
        if not any(rates[-5:]):
            return n
        x = np.array([low + 1.0 if model == "power" else (low + high) / 2 for low, high in windows])
        try:
            fitted, _ = curve_fit(curve, x, rates, p0=begin)
        except RuntimeError:
            continue
        off = sum((float(curve(at, *fitted)) - rate) ** 2 for at, rate in zip(x, rates, strict=True))
        spread = max(rates) - min(rates)
        if off >= 1e-12 if spread == 0 else off / spread >= rmse:
            continue
        to_come = max(0.0, quad(curve, n, N, args=tuple(fitted))[0])
        if found >= tau * (found + (poisson.ppf(confidence, to_come) if to_come else 0)) - 1e-9:
            return n
    return N


def agent_depth(labels: Labels, target: float, agent: Weights) -> tuple[int, float]:
    """Read a window of a hundredth, look, choose. The depth, and how clear the least clear choice was."""
    windows = min(len(labels), 100)
    edges = [round(k * len(labels) / windows) for k in range(windows + 1)] if windows else [0]
    state, clear = np.full(102, -1.0), math.inf
    W1, b1, W2, b2, w3, b3 = (weights.astype(float) for weights in agent.network)
    for seen in range(1, windows):
        low, high = edges[seen - 1 : seen + 1]
        state[seen - 1] = agent.scale * sum(labels[low:high]) / (high - low)
        state[100], state[101] = seen / windows, target
        logit = float((np.tanh(np.tanh(state @ W1 + b1) @ W2 + b2) @ w3 + b3)[0])
        clear = min(clear, abs(logit))
        if logit > 0:
            return edges[seen], clear
    return len(labels), clear


def few_left_depth(p: Sequence[float], labels: Sequence[bool], tau: float, confidence: float) -> int:
    """First depth at which so few are probably unread, where the unread ones are independent of each other."""
    N = len(p)
    for n in range(N):
        found = sum(labels[:n])
        may_be_left = math.floor(found / tau - found + 1e-9)
        to_come = sum(p[n:])
        if may_be_left >= N - n or pdtr(may_be_left, to_come) / pdtr(N - n, to_come) >= confidence - 1e-12:
            return n
    return N
