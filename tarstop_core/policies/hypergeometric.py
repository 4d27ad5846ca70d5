"""Hypergeometric tests: stop when it is implausible that the target recall is missed."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammaln

from tarstop_core.policies.base import AtAnyCost, Parameter, Promise, first_check, of_labels
from tarstop_core.policies.gain_curve import gain
from tarstop_core.value.path import Path
from tarstop_core.value.payoffs import Depths, Flags, Floats

CHUNK = 2_000_000  # Terms of the sums held in memory at once
PAIRS = 200  # Draws looked at in one step of the search within a stretch, where one depth needs fewer


@dataclass(frozen=True)
class Hypergeometric(AtAnyCost):
    """Stop at a check where recall below τ (H0) has become implausible.

    The last m of the n documents read, k of them relevant, are taken for a random draw from what was unread before them. H0
    needs at least K = ⌊r/τ⌋ + 1 − (r − k) relevant documents there (r found so far). With everything read p* = 0.

    With a bias w ≠ 1 (relevant documents are w times as likely to come up) the draw is Wallenius'
    non-central hypergeometric; that is far slower.
    """

    tau: float = 0.95
    confidence: float = 0.95
    every: int = 1
    bias: float = 1.0

    name = "hypergeometric"
    title = "Hypergeometric test"
    rule = "Stop when the documents read would be an unlikely draw if the target recall were missed."
    formula = (
        r"p^{\ast} = \min_m P\bigl(\mathrm{Hyp}(N - (n - m), K, m) \le k\bigr) \lt 1 - \text{confidence}"
    )
    source = "Callaghan & Müller-Hansen 2020 (ranked quasi-sampling)"
    place, colour, marker = 130, "#CC79A7", "cross"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9, 0.95), "float"),
        Parameter("confidence", "how sure the test must be to stop", 0.01, 0.9999, (0.8, 0.9, 0.95), "float"),
        Parameter("every", "documents between tests", 1, 100_000, (1,)),
        Parameter(
            "bias", "how much more likely a relevant document is to come up", 0.01, 1000.0, (1.0,), "float"
        ),
    )

    def depth(self, path: Path, start: int) -> int:
        # A p* that equals 1 − confidence except for rounding does not stop.
        N, labels, alpha = len(path), path.labels, (1 - self.confidence) * (1 - 1e-9)
        if not N:
            return 0
        # Between two relevant documents p* only falls: a stop lies where it is low enough at the end.
        first, last = _stretches(labels, self.every)
        now = min(N, max(self.every, start // self.every * self.every))
        low = _p_at_ends(labels, self.every, self.tau, self.bias, alpha <= 0.5) < alpha
        for begin, end in zip(first[low], last[low], strict=True):
            if end >= now:
                return max(start, self._falls_below(labels, max(int(begin), now), int(end), alpha))
        return N

    def _falls_below(self, labels: Flags, begin: int, end: int, alpha: float) -> int:
        """First check of a stretch at which p* < alpha, given that this holds at its end."""
        N = len(labels)
        low, high = -(-begin // self.every), -(-end // self.every)
        parts = max(2, PAIRS // (int(labels[:end].sum()) + 1))
        while low < high:
            tried = np.unique(np.linspace(low, high, parts + 1).astype(np.intp))[:-1]
            p = _p_of(labels, np.minimum(tried * self.every, N), N, self.tau, self.bias, alpha <= 0.5)
            at = int(np.argmax(np.append(p < alpha, True)))
            if at < len(tried):
                high = int(tried[at])
            if at > 0:
                low = int(tried[at - 1]) + 1
        return min(low * self.every, N)


def p_value(read: Flags, N: int, tau: float, bias: float = 1.0) -> float:
    """Least p-value p* of the hypothesis that recall is below τ.

    Parameters
    ----------
    read : ndarray of bool, shape (n,)
        Labels of the documents read, in ranking order.
    N : int
        Documents of the list.
    tau : float
        Recall to reach, in (0, 1].
    bias : float
        How many times as likely a relevant document is to be drawn.

    Returns
    -------
    float
        In [0, 1].

    Notes
    -----
    Callaghan & Müller-Hansen 2020. Only draws that begin right after a relevant document (or with the first document) can be
    the least likely ones, so R + 1 of the n draws are enough.
    """
    read = np.asarray(read, dtype=bool)
    return float(_p_of(read, np.array([len(read)]), N, tau, bias)[0])


def _stretches(labels: Flags, every: int) -> tuple[Depths, Depths]:
    """First and last check of each stretch of checks that see the same relevant documents."""
    N = len(labels)
    checks = np.append(np.arange(every, N, every), N)
    hits = np.searchsorted(np.flatnonzero(labels) + 1, checks, side="right")
    new = np.flatnonzero(np.diff(hits, prepend=-1))
    return checks[new], checks[np.append(new[1:], len(checks)) - 1]


@of_labels
def p_values(labels: Flags, checks: tuple[int, ...], tau: float) -> Floats:
    """p* after each of several numbers of documents.

    Parameters
    ----------
    labels : ndarray of bool, shape (N,)
        Which documents are relevant, in ranking order.
    checks : tuple of int
        Numbers of documents read.
    tau : float
        Recall to reach, in (0, 1].

    Returns
    -------
    ndarray, shape (checks,)
        Values above 1/2 may be given as 1.
    """
    return _in_blocks(labels, np.array(checks, dtype=np.intp), tau, 1.0, True)


@of_labels
def _p_at_ends(labels: Flags, every: int, tau: float, bias: float, halved: bool) -> Floats:
    """p* at the last check of each stretch; with `halved`, values above 1/2 may be given as 1."""
    return _in_blocks(labels, _stretches(labels, every)[1], tau, bias, halved)


def _in_blocks(labels: Flags, n: Depths, tau: float, bias: float, halved: bool) -> Floats:
    """p* after each of many numbers n of documents, in blocks that bound the memory."""
    blocks = np.cumsum(gain(labels)[n] + 1) // CHUNK
    parts = np.split(n, np.flatnonzero(np.diff(blocks)) + 1)
    return np.concatenate([_p_of(labels, part, len(labels), tau, bias, halved) for part in parts])


def _p_of(labels: Flags, n: Depths, N: int, tau: float, bias: float, halved: bool = False) -> Floats:
    """p* after each of several numbers n of documents, shape (n,); with `halved`, values above 1/2 may be given as 1."""
    starts = np.concatenate(([0], np.flatnonzero(labels) + 1))
    r = np.searchsorted(starts[1:], n, side="right")
    urns = r + 1
    at = np.repeat(np.arange(len(n)), urns)
    urn = np.arange(len(at)) - np.repeat(np.cumsum(urns) - urns, urns)
    k = r[at] - urn
    K = np.floor(r[at] / tau + 1e-9).astype(np.intp) + 1 - urn
    M, m = N - starts[urn], n[at] - starts[urn]
    # More relevant documents than can be unread: H0 is impossible.
    p = np.zeros(len(at))
    possible = K - k <= M - m
    if halved and bias == 1:
        # The median of a hypergeometric count is at most its mean, rounded up (Jogdeo & Samuels 1968).
        likely = k * M >= m * K
        p[likely & possible] = 1.0
        possible &= ~likely
    k, M, K, m = k[possible], M[possible], K[possible], m[possible]
    if bias == 1:
        p[possible] = _at_most(k, M, K, m, _log_factorials(N))
    else:
        from scipy.stats import nchypergeom_wallenius  # slow to import, seldom needed

        p[possible] = nchypergeom_wallenius.cdf(k, M, K, m, bias)
    return np.minimum.reduceat(p, np.cumsum(urns) - urns)


def _at_most(k: Depths, M: Depths, K: Depths, m: Depths, logs: Floats) -> Floats:
    """P(Hyp(M, K, m) ≤ k) for m draws from M documents of which K are relevant; `logs` holds log 0!, log 1!, ….

    All but `logs` have shape (n,).
    """
    if not len(k):
        return np.zeros(0)
    mean = m * K / M
    # Terms a dozen standard deviations from the mean add nothing.
    spread = np.sqrt(mean * (1 - K / M) * (1 - m / M) * M / np.maximum(M - 1, 1))
    high = np.minimum(k, np.ceil(mean + 12 * spread + 20)).astype(np.intp)
    low = np.floor(np.minimum(high, mean) - 12 * spread - 20).astype(np.intp)
    low = np.maximum(low, np.maximum(0, K - (M - m)))
    width = high - low + 1
    p = np.empty(len(k))
    block = np.cumsum(width) // CHUNK
    for part in np.split(np.arange(len(k)), np.flatnonzero(np.diff(block)) + 1):
        wide = width[part]
        at = np.repeat(part, wide)
        begins = np.cumsum(wide) - wide
        i = low[at] + np.arange(len(at)) - np.repeat(begins, wide)
        total, relevant, drawn = M[at], K[at], m[at]
        term = (
            logs[relevant] - logs[i] - logs[relevant - i]
            + logs[total - relevant] - logs[drawn - i] - logs[total - relevant - drawn + i]
            - logs[total] + logs[drawn] + logs[total - drawn]
        )  # fmt: skip
        p[part] = np.add.reduceat(np.exp(term), begins)
    return np.minimum(p, 1.0)


@lru_cache(maxsize=8)
def _log_factorials(n: int) -> Floats:
    """Logarithms of 0! … n!."""
    return np.asarray(gammaln(np.arange(n + 1) + 1.0))


@dataclass(frozen=True)
class AnytimeTest(AtAnyCost):
    """Stop at the k-th look if p* < (1 − confidence)/(k(k + 1)), p* that of the hypergeometric test.

    It looks at multiples of `every` and at the end. The levels of all looks add up to 1 − confidence; p* still takes what was
    read for a random draw.
    """

    tau: float = 0.95
    confidence: float = 0.95
    every: int = 200

    name = "anytime-test"
    title = "Test at every look"
    rule = "Like the hypergeometric test, with a level that shrinks to allow for many looks."
    formula = r"p^{\ast}_k \lt \frac{1 - \text{confidence}}{k (k + 1)}"
    source = "Fletcher, pyterrier-tar (AnytimeCMH); the test: Callaghan & Müller-Hansen 2020"
    place, colour, marker = 132, "#56B4E9", "cross"
    promise = Promise.ESTIMATE
    parameters = (
        Parameter("tau", "recall to reach, τ", 0.01, 1.0, (0.7, 0.8, 0.9, 0.95), "float"),
        Parameter("confidence", "how sure all looks together must be", 0.01, 0.9999, (0.8, 0.95), "float"),
        Parameter("every", "documents between looks", 10, 100_000, (50, 200)),
    )

    def depth(self, path: Path, start: int) -> int:
        N = len(path)
        looks = np.append(np.arange(self.every, N, self.every), N)
        k = np.arange(1, len(looks) + 1)
        # A p* that equals its level except for rounding does not stop.
        stops = p_values(path.labels, tuple(looks.tolist()), self.tau) < (1 - self.confidence) * (
            1 - 1e-9
        ) / (k * (k + 1))
        return first_check(looks, stops, N, start)
