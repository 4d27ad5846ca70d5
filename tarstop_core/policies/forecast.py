"""Rules that forecast how many relevant documents are unread, and stop when these are few beside those found.

Poisson process extrapolates the falling rate of finds, Few left uses how such lists thin out, Beta-binomial takes the rest
to be as rich as the part read, and Quant uses the calibrated chances alone.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln

from tarstop_core.policies.base import AtAnyCost, Need, Parameter, Promise, first_check, of_labels
from tarstop_core.policies.gain_curve import gain
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import Depths, Flags, Floats

WINDOWS = 10  # Windows of equal length into which the part read is divided
LEAST_FOUND = 20  # Relevant documents needed before a forecast; the falling gate lowers it
CHECKS = 40  # Checks in the whole list
QUIET = 5  # If this many last windows hold nothing relevant, it stops


@dataclass(frozen=True)
class PoissonProcess(AtAnyCost):
    """Stop when the target recall is reached even if as many are still to come as the confidence quantile says.

    Checks are at each fortieth of the list, once 20 relevant documents were found; a falling gate (the publication's
    "dynamic") lowers that number at each check by the share read. The rates in ten windows
    of what was read are fitted by least squares with a·x^k, a·e^(−kx), a/(1 + bkx)^(1/b) or a·N/x; the
    fit counts if Σ residual² / (highest − lowest rate) is below `rmse`. It also stops when the last five windows
    hold nothing (assumption: once enough were found for a forecast). x is a window's first rank for the power law and
    its middle for the others.
    """

    model: str = "power"
    tau: float = 0.8
    confidence: float = 0.95
    rmse: float = 0.1
    gate: str = "fixed"

    name = "poisson"
    title = "Poisson process"
    rule = "Stop when the falling rate of relevant documents shows that few are left."
    formula = r"C(n) \ge \tau\thinspace \Bigl(C(n) + Q_{\text{confidence}}\bigl(\textstyle\int_n^N \lambda(x)\thinspace dx\bigr)\Bigr)"
    source = "Sneyd & Stevenson 2019, 2021; Stevenson & Bin-Hezam 2023 (point processes)"
    place, colour, marker = 140, "#E69F00", "x"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter.choice(
            "model",
            "how the rate falls",
            ("power", "exponential", "hyperbolic", "inverse"),
            ("power", "exponential"),
        ),
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9), "float"),
        Parameter("confidence", "chance that no more come than forecast", 0.01, 0.9999, (0.8, 0.95), "float"),
        Parameter(
            "rmse", "how far from the windows the fit may be", 0.0001, 10.0, (0.05, 0.1, 0.15), "float"
        ),
        Parameter.choice(
            "gate",
            "relevant documents before a forecast: 20, or fewer and fewer",
            ("fixed", "falling"),
            ("fixed",),
        ),
    )

    def depth(self, path: Path, start: int) -> int:
        from scipy.stats import poisson  # slow to import, seldom needed

        checks, hits, to_come, error, quiet = forecasts(path.labels, self.model, self.gate == "falling")
        enough = hits >= self.tau * (hits + poisson.ppf(self.confidence, to_come)) - 1e-9
        stops = (enough & (error < self.rmse)) | quiet
        return first_check(checks, stops, len(path), start)


@of_labels
def forecasts(
    labels: Flags, model: str, falling: bool = False
) -> tuple[Depths, Depths, Floats, Floats, Flags]:
    """Forecast the relevant documents still to come, at each check.

    Parameters
    ----------
    labels : ndarray of bool, shape (N,)
        Which documents are relevant, in ranking order.
    model : str
        A name in :data:`MODELS`.
    falling : bool
        Whether fewer and fewer relevant documents are needed for a forecast.

    Returns
    -------
    tuple of ndarray, shape (checks,)
        Depth, relevant documents so far and to come, error of the fit (inf: none), and whether the last windows are empty.
    """
    N, C = len(labels), gain(labels)
    checks = np.unique(np.arange(1, CHECKS) * N // CHECKS)
    checks = checks[checks >= WINDOWS]
    hits = C[checks]
    to_come, error = np.zeros(len(checks)), np.full(len(checks), np.inf)
    quiet = np.zeros(len(checks), dtype=bool)
    gate = np.full(len(checks), LEAST_FOUND)
    for later in range(1, len(checks) if falling else 0):
        gate[later] = gate[later - 1] * (1 - checks[later - 1] / N)
    for i in np.flatnonzero(hits >= gate):
        n = int(checks[i])
        edges = np.rint(np.linspace(0, n, WINDOWS + 1)).astype(np.intp)
        rate = np.diff(C[edges]).astype(float) / np.diff(edges)
        quiet[i] = not rate[-QUIET:].any()
        x = np.asarray(edges[:-1] + 1.0 if model == "power" else (edges[:-1] + edges[1:]) / 2)
        fitted = fit(model, x, rate)
        if fitted is not None:
            spread = rate.max() - rate.min()
            residual = float(((MODELS[model](x, *fitted) - rate) ** 2).sum())
            error[i] = residual / spread if spread > 0 else (0.0 if residual < 1e-12 else np.inf)
            to_come[i] = max(0.0, integral(model, fitted, n, N))
    return checks, hits, to_come, error, quiet


MODELS: dict[str, Callable[..., Floats]] = {
    "power": lambda x, a, k: a * x**k,
    "exponential": lambda x, a, k: a * np.exp(-k * x),
    "hyperbolic": lambda x, a, k, b: a * (np.exp(-k * x) if b < 1e-9 else (1 + b * k * x) ** (-1 / b)),
    "inverse": lambda x, a: a / x,
}


def fit(model: str, x: Floats, rate: Floats) -> tuple[float, ...] | None:
    """Fit a model of the rate by least squares.

    Parameters
    ----------
    model : str
        A name in :data:`MODELS`.
    x, rate : ndarray, shape (WINDOWS,)
        Places of the windows, and the rates of relevant documents there.

    Returns
    -------
    tuple of float or None
        Parameters of the model, of "inverse" the product a·N alone; None if the fit does not converge.
    """
    if model == "inverse":
        return (float((rate / x).sum() / (1 / x**2).sum()),)
    from scipy.optimize import OptimizeWarning, curve_fit  # slow to import, seldom needed

    begin, bounds = [0.1, 0.001], (-np.inf, np.inf)
    if model == "hyperbolic":
        begin, bounds = [0.1, 0.001, 0.5], ([0.0, 0.0, 0.0], [np.inf, np.inf, 1.0])  # type: ignore[assignment]
    try:
        with warnings.catch_warnings(), np.errstate(over="ignore", invalid="ignore"):
            warnings.simplefilter("ignore", OptimizeWarning)
            fitted, _ = curve_fit(MODELS[model], x, rate, p0=begin, bounds=bounds)
    except (RuntimeError, ValueError):
        return None
    return tuple(map(float, fitted))


def integral(model: str, fitted: tuple[float, ...], low: float, high: float) -> float:
    """Number of relevant documents that a fitted rate forecasts between two ranks.

    Parameters
    ----------
    model : str
        A name in :data:`MODELS`.
    fitted : tuple of float
        Its parameters, as :func:`fit` gives them.
    low, high : float
        Ranks, above 0.

    Returns
    -------
    float
        The integral of the rate.
    """
    a, k, b = (*fitted, 0.0, 0.0)[:3]
    if model == "inverse":
        return a * math.log(high / low)
    if model == "power":
        if abs(k + 1) < 1e-9:
            return a * math.log(high / low)
        return float(a / (k + 1) * (high ** (k + 1) - low ** (k + 1)))
    if abs(k) < 1e-12:
        return a * (high - low)
    if b < 1e-9:
        return a / k * (math.exp(-k * low) - math.exp(-k * high))
    ends = 1 + b * k * low, 1 + b * k * high
    if abs(b - 1) < 1e-9:
        return a / k * math.log(ends[1] / ends[0])
    return float(a / (k * (1 - b)) * (ends[0] ** (1 - 1 / b) - ends[1] ** (1 - 1 / b)))


@dataclass(frozen=True)
class FewLeft(AtAnyCost):
    """Stop where the target recall is probably reached, by the path's forecast U of unread relevant documents.

    Between two relevant documents U only falls, so halving finds it.
    """

    tau: float = 0.95
    confidence: float = 0.95

    name = "few-left"
    title = "Few left"
    rule = "Stop when your target recall is probably reached, judged by how relevant documents thin out along such lists."
    formula = r"P\bigl(C(n) \ge \tau\thinspace (C(n) + U)\bigr) \ge \text{confidence}"
    source = "this program (docs/still_unread.md)"
    place, colour, marker = 137, "#009E73", "star"
    needs = (Need.LABELS, Need.CHANCES)
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9, 0.95), "float"),
        Parameter("confidence", "chance that it is reached", 0.01, 0.9999, (0.5, 0.8, 0.95), "float"),
    )

    def depth(self, path: Path, start: int) -> int:
        total_found, N = gain(path.labels), len(path)

        def enough(n: int) -> bool:
            may_be_left = int(total_found[n] / self.tau - total_found[n] + 1e-9)
            return n == N or path.unread(n).chance_of_at_most(may_be_left) >= self.confidence - 1e-12

        # Depths right before each further relevant document, and the end of the list.
        ends = np.append(start + np.flatnonzero(path.labels[start:]), N)
        for begin, end in zip((start, *(ends[:-1] + 1).tolist()), ends.tolist(), strict=True):
            if enough(end):
                return first_by_halving(begin, end, enough)
        return N


def first_by_halving(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """Smallest number for which a condition holds, by bisection.

    It tries the roundest binary numbers first, so that searches from different beginnings ask for mostly the same ones,
    whose answers may be cached.

    Parameters
    ----------
    low, high : int
        Smallest possible result, and the result if the condition holds for no number below.
    holds : callable
        The condition; it must hold for all numbers from the smallest on.

    Returns
    -------
    int

    Examples
    --------
    >>> first_by_halving(3, 40, lambda number: number >= 21)
    21
    """
    while low < high:
        digit = (low ^ high).bit_length() - 1
        tried = (high >> digit << digit) - 1
        low, high = (low, tried) if holds(tried) else (tried + 1, high)
    return low


@dataclass(frozen=True)
class BetaBinomial(AtAnyCost):
    """Stop where few enough relevant documents remain if the rest is as rich as the part read.

    It looks at multiples of `every` and at the end, once something relevant was found. A ranking puts what is relevant
    first, so the rest is poorer than that: it stops late.
    """

    tau: float = 0.8
    confidence: float = 0.95
    every: int = 50

    name = "beta-binomial"
    title = "Beta-binomial"
    rule = (
        "Stop when few enough relevant documents remain, assuming that the rest is as rich as the part read."
    )
    formula = r"P\bigl(C(n)\ge\tau(C(n)+U)\bigr)\ge\text{confidence}, \quad U\sim\mathrm{BetaBin}(N-n, 1+C(n), 1+n-C(n))"
    source = "Fletcher, pyterrier-tar (BetaBinomial)"
    place, colour, marker = 145, "#D55E00", "cross"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9), "float"),
        Parameter("confidence", "chance that it is reached", 0.01, 0.9999, (0.8, 0.95), "float"),
        Parameter("every", "documents between checks", 1, 100_000, (50,)),
    )

    def depth(self, path: Path, start: int) -> int:
        N, C = len(path), gain(path.labels)
        checks = np.append(np.arange(self.every, N, self.every), N)
        stops = np.array([self._enough(int(C[n]), int(n), N) for n in checks])
        return first_check(checks, stops, N, start)

    def _enough(self, hits: int, n: int, N: int) -> bool:
        """Whether the target recall is reached with enough confidence after n of N documents with this many hits."""
        if not hits:
            return False
        left = N - n
        u = np.arange(min(left, int(hits * (1 - self.tau) / self.tau + 1e-9)) + 1.0)
        logs = gammaln(left + 1) - gammaln(u + 1) - gammaln(left - u + 1)
        logs = logs + betaln(u + 1 + hits, left - u + 1 + n - hits) - betaln(1 + hits, 1 + n - hits)
        return float(np.exp(logs).sum()) >= self.confidence - 1e-9


@dataclass(frozen=True)
class Quant(AtAnyCost):
    """Stop at the first n where the chances imply that enough was read.

    K and U sum the chances p of the documents read and unread. σ² = K²/(K+U)⁴·V + 1/(K+U)²·(V − V_unread),
    V = Σ p(1 − p). s = 0 is Quant, s = 2 QuantCI. It does not look at labels. Here p is the calibrated chance given ω⁺
    (the original takes a classifier's).
    """

    tau: float = 0.8
    nstd: float = 2.0

    name = "quant"
    title = "QuantCI"
    rule = "Stop when the calibrated chances say that you have read enough of the relevant documents."
    formula = r"\frac{\hat K}{\hat K + \hat U} - s\thinspace \sigma \ge \tau"
    source = "Yang, Lewis & Frieder 2021 (Quant, QuantCI)"
    place, colour, marker = 150, "#56B4E9", "triangle-down"
    needs = (Need.CHANCES,)
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.3, 0.5, 0.7, 0.8, 0.9), "float"),
        Parameter("nstd", "standard deviations of caution, s", 0.0, 10.0, (0.0, 2.0), "float"),
    )

    def depth(self, path: Path, start: int) -> int:
        N, p = len(path), path.p
        read, variance = (np.append(0.0, np.cumsum(terms)) for terms in (p, p * (1 - p)))
        total, V = read[-1], variance[-1]
        if not total > 0:
            return N
        sigma = np.sqrt((read / total) ** 2 * V + variance) / total
        stops = read / total - self.nstd * sigma >= self.tau - 1e-12
        return first_check(np.arange(N + 1), stops, N, start)
