"""Chances for a list that is reordered after every label, from the history of hits alone.

The history says which of the documents read were relevant, in the order read; with the length of the list it is all that is
used. Scores of models fitted at different times are on different scales, and say nothing beyond it.

*The next document* is a logistic regression on the history (two averages of recent hits, hits found, rank, share read),
with a shift for this session that is learned as it goes. *The rest of the list* comes from
:mod:`tarstop_core.calibration.hit_rate_model`, a mixture of two families of curves; what is left varies by a factor that all
documents ahead share. Near the reader the curves are tilted so that the
first document ahead has the chance that the history gives it. So there is one distribution: of the next document, the
next hundred and of all that is left.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logsumexp

from tarstop_core.belief.mixture import TINY, Remaining, remaining_from_forecasts, updated
from tarstop_core.calibration.calibrator import FittedOn
from tarstop_core.calibration.hit_rate_fit import DIGITS, ROUNDS, fit_curve
from tarstop_core.calibration.hit_rate_model import (
    TOTALS,
    Curve,
    Family,
    HitRates,
    Thinning,
    edges,
    hit_rates,
    less_sure,
)
from tarstop_core.calibration.quality import Quality
from tarstop_core.documents.tables import Flags, Floats, Ints
from tarstop_core.envelope import FileKind, read_file, validated
from tarstop_core.errors import InputProblem

FILE = FileKind("tarstop-reranked-chances", 1, "file of chances of re-ranked lists", again="make it again")

HALF_LIVES = (6.0, 40.0)  # Half-lives of the averages of recent hits, in documents
AT_FIRST = 0.2  # Starting value of these averages
LEAST_AVERAGES = (0.02, 0.005)  # What is added to each of them before its log is taken
FEATURES = 9  # Number of features of the history, including a constant
FURTHEST_TILT = math.log(20)  # Largest correction of the next document against the curves, up or down

NEGLIGIBLE = 1e-6  # Weight up to which a kind of list is left out
SAME = 1e-6  # Relative difference below which two means count as equal
FURTHEST_FACTOR = 12.0  # Log of the largest factor by which means are brought together


@dataclass(frozen=True)
class RerankedChances:
    """What was learned from sessions about lists that learn, small enough to read."""

    weights: tuple[float, ...]  # Weights of the features of :func:`features`
    shift: float  # Variance over sessions of the shift of the logit
    curves: tuple[Curve, ...]
    temper: float  # Power to which the evidence of one session about its curve is taken
    ahead: float  # Shape of a further gamma factor on the documents ahead
    reach: float  # Documents after which the influence of recent hits has faded to a third
    fitted_on: FittedOn
    # Quality of the next document's chance, on sessions that were not learned from
    quality: Quality | None = None

    def for_scenario(self, scenario: str) -> "RerankedChances":
        """Return the chances with only the curves of one scenario, or with all if it has none."""
        curves = tuple(curve for curve in self.curves if curve.scenario == scenario)
        return replace(self, curves=curves) if curves else self

    def to_json(self) -> str:
        """Return the chances as a small versioned JSON document."""
        return FILE.text(asdict(self))


def from_json(text: str, name: str = "The chances of a re-ranked list") -> RerankedChances:
    """Read chances of lists that learn from their JSON; raise InputProblem if it is none of a known version or is damaged."""
    model = validated(RerankedChances, FILE.content(text, name), name, FILE.again)
    weights, above_0 = [curve.weight for curve in model.curves], (model.temper, model.ahead, model.reach)
    for sound, fault in (
        (len(model.weights) == FEATURES, f"it needs {FEATURES} weights"),
        (all(curve.prior.usable for curve in model.curves), "a curve's prior is not a distribution"),
        (min(weights, default=0.0) > 0, "its curves have no weights above 0"),
        (model.shift >= 0 < min(above_0), "'shift' is below 0, or 'temper', 'ahead' or 'reach' not above it"),
    ):
        if not sound:
            raise InputProblem(f"{name} is damaged ({fault}); {FILE.again}.")
    return model


def load(path: str | Path) -> RerankedChances:
    """Read chances of lists that learn from a file; see :func:`from_json`."""
    name = f"The file {path}"
    return from_json(read_file(path, name), name)


# --- the next document ---


def averages(history: Flags, half_life: float) -> Floats:
    """Exponentially weighted average of the hits before each document.

    ``scipy.signal.lfilter`` computes it too, but importing it takes longer than most averages do.

    Parameters
    ----------
    history : ndarray of bool
        Whether each document read was a hit, shape (d,).
    half_life : float
        Number of documents after which a hit counts half.

    Returns
    -------
    ndarray
        Before each document and the next one, shape (d + 1,).
    """
    kept, hits = 0.5 ** (1 / half_life), np.asarray(history, dtype=float).tolist()
    average = accumulate(hits, lambda before, hit: kept * before + (1 - kept) * hit, initial=AT_FIRST)
    return np.fromiter(average, float, len(hits) + 1)


def features(history: Flags, length: int) -> Floats:
    """Features of the history before each of d documents read and before the next one, shape (d + 1, FEATURES)."""
    d, hits = np.arange(len(history) + 1), np.append(0, np.cumsum(history))
    fast, slow = (
        np.log(averages(history, half_life) + least)
        for half_life, least in zip(HALF_LIVES, LEAST_AVERAGES, strict=True)
    )
    share = np.log((d + 1) / max(length, 1))
    columns = (np.ones(len(d)), fast, slow, np.log1p(hits), np.log1p(d), share, fast**2, slow**2, fast * slow)
    return np.column_stack(columns)


def forecasts(model: RerankedChances, history: Flags, length: int) -> Floats:
    """Chance of each document read, as it was when the document was next, and of the next one now.

    The shift of the logit is the first Newton step to its posterior mode, from all documents before.

    Parameters
    ----------
    model : RerankedChances
        What was learned about lists that learn.
    history : ndarray of bool, shape (d,)
        Which of the documents read were relevant, in the order read.
    length : int
        Number of documents of the list.

    Returns
    -------
    ndarray, shape (d + 1,)
        Chances in (0, 1).
    """
    logit = features(history, length) @ np.array(model.weights)
    p = expit(logit[:-1])
    off, information = np.append(0.0, np.cumsum(history - p)), np.append(0.0, np.cumsum(p * (1 - p)))
    return np.asarray(expit(logit + model.shift * off / (1 + model.shift * information)))


# --- the rest of the list ---


def share_at_ranks(rates: HitRates, ranks: Ints) -> Floats:
    """Share of the hits expected among the first k documents, linear within a block of ranks; shape (S, K)."""
    block = np.clip(np.searchsorted(rates.edges, ranks, side="right") - 1, 0, len(rates.edges) - 2)
    part = (ranks - rates.edges[block]) / np.diff(rates.edges)[block]
    return np.asarray(rates.at_edges[:, block] * (1 - part) + rates.at_edges[:, block + 1] * part)


@dataclass(frozen=True, eq=False)
class Ahead:
    """Forecast for the unread documents."""

    read: int  # Number of documents read
    length: int  # Number of documents of the list
    ends: Ints  # Ranks at which blocks of documents ahead end, shape (B,)
    weight: Floats  # Probability of each kind of list, shape (J,)
    expected: Floats  # Expected hits in each block by kind, shape (J, B)
    shape: float  # Shape of the gamma factor that all documents ahead share

    @cached_property
    def p(self) -> Floats:
        """Chance of each document ahead, shape (N − d,)."""
        width = np.diff(self.ends, prepend=self.read)
        return np.repeat(np.minimum(self.weight @ self.expected / width, 1.0), width)

    def left(self, more: int | None = None) -> Remaining:
        """Distribution of the hits among this many more documents, or all unread ones; its mean is the sum of their chances."""
        documents = self.length - self.read
        more = documents if more is None else min(more, documents)
        begins = np.append(self.read, self.ends[:-1])
        part = np.clip((self.read + more - begins) / np.maximum(self.ends - begins, 1), 0.0, 1.0)
        left = remaining_from_forecasts(self.weight, self.shape, self.expected @ part, more)
        wanted = float(self.p[:more].sum())
        # Hits cannot exceed documents, which cuts off a tail and lowers the mean; this matters only with few documents.
        if not more or abs(left.mean - wanted) < SAME * wanted:
            return left

        @cache
        def off(log_factor: float) -> float:
            """Difference from the mean wanted if all kinds' means are multiplied by this factor."""
            return left.times(math.exp(log_factor)).mean - wanted

        # If little is cut off, the factor is about the ratio of the means: try twice its log before the limit.
        limit = -FURTHEST_FACTOR if left.mean > wanted else FURTHEST_FACTOR
        near = 2 * math.log(max(wanted, TINY) / max(left.mean, TINY))
        end = near if abs(near) < FURTHEST_FACTOR and off(near) * off(0.0) < 0 else limit
        if off(0.0) * off(end) > 0:
            return left.times(math.exp(limit))
        return left.times(math.exp(brentq(off, 0.0, end, xtol=SAME)))


def ahead(model: RerankedChances, history: Flags, length: int, following: float | None = None) -> Ahead:
    """Forecast the rest of a list.

    Parameters
    ----------
    model, history, length
        As for :func:`forecasts`.
    following : float, optional
        Chance of the next document; that of :func:`forecasts` unless given.

    Returns
    -------
    Ahead
        Forecast for all unread documents.
    """
    read, hits = len(history), np.flatnonzero(history)
    if read >= length:
        return Ahead(read, read, np.zeros(0, dtype=np.intp), np.ones(1), np.zeros((1, 0)), 1.0)
    rates = hit_rates(model.curves, length)
    behind = share_at_ranks(rates, np.array([read]))
    counts = np.bincount(np.searchsorted(rates.edges, hits, side="right") - 1, minlength=len(rates.edges) - 1)
    log_at_hits = np.repeat(rates.log_density @ counts, TOTALS) + len(hits) * np.log(rates.total)
    now = updated(rates.start, rates.expected(behind[:, 0]), len(hits), log_at_hits, model.temper)
    kept = np.flatnonzero(now.weight > NEGLIGIBLE)
    weight = now.weight[kept] / now.weight[kept].sum()
    ends = read + edges(length - read)[1:]
    share, width = np.diff(share_at_ranks(rates, ends), prepend=behind), np.diff(ends, prepend=read)
    expected = (now.shape / now.rate)[kept, None] * rates.expected(share, kept)
    if following is None:
        following = float(forecasts(model, history, length)[-1])
    first = float(weight @ np.minimum(expected[:, 0], 1.0))
    tilt = np.clip(math.log(following / first), -FURTHEST_TILT, FURTHEST_TILT)
    fading = np.exp(-(ends - (width + 1) / 2 - read) / model.reach)
    expected = np.minimum(expected * np.exp(tilt * fading), width)
    expected[:, 0] *= following / (weight @ expected[:, 0])
    return Ahead(read, length, ends, weight, expected, less_sure(float(now.shape[0]), model.ahead))


def path_chances(model: RerankedChances, history: Flags, length: int) -> tuple[Floats, Remaining]:
    """Chances along the list in the order of reading, and the distribution of unread relevant documents.

    Parameters
    ----------
    model, history, length
        As for :func:`forecasts`.

    Returns
    -------
    chances : ndarray, shape (N,)
        Documents read have the chance they had when they were next; unread ones follow in the present order.
    unread : Remaining
        Number of relevant documents among the unread ones.
    """
    chances = forecasts(model, history, length)
    rest = ahead(model, history, length, float(chances[-1]))
    return np.append(chances[:-1], rest.p), rest.left()


# --- learned from sessions that were read to the end ---
PRIORS: dict[Family, Thinning] = {
    "stretched": Thinning(
        mean=((math.log(150.0), 0.2), (math.log(0.8), 0.0), (math.log(40.0), 0.5)),
        spread=((0.8, 0.0, 0.0), (0.0, 0.15, 0.0), (0.0, 0.0, 0.8)),
    ),
    "beta": Thinning(
        mean=((math.log(0.6), 0.0), (math.log(3.0), 0.0), (math.log(40.0), 0.5)),
        spread=((0.15, 0.0, 0.0), (0.0, 0.4, 0.0), (0.0, 0.0, 0.8)),
    ),
}
"""The prior before any session is seen; it weighs as much as a few sessions."""
LIKE_LISTS = 4.0  # Weight of the prior of the spread, in sessions
SHIFT, TEMPER, AHEAD, REACH = 0.1, 0.5, 20.0, 10.0
"""Values of `shift`, `temper`, `ahead` and `reach`, chosen on sessions not learned from (docs/reranked_chances.md)."""
C = 1.0  # Inverse strength of the regularisation of the weights of standardised features


def fit_reranked(histories: Mapping[str, Sequence[Flags]], fitted_on: FittedOn) -> RerankedChances:
    """Learn from sessions read to the end, each with the flags of its hits in the order of reading.

    Sessions are grouped by what their labels say, a scenario of calibrators; each group has curves of its own.
    """
    curves: list[Curve] = []
    for scenario, of_scenario in histories.items():
        fitted = [fit_curve(family, of_scenario, prior, LIKE_LISTS) for family, prior in PRIORS.items()]
        shares = _shares(np.array([evidence for _, evidence in fitted]))
        curves += [
            Curve(scenario, family, round(float(share) / len(histories), DIGITS), prior)
            for family, share, (prior, _) in zip(PRIORS, shares, fitted, strict=True)
        ]
    weights = _weights([history for of_scenario in histories.values() for history in of_scenario])
    return RerankedChances(weights, SHIFT, tuple(curves), TEMPER, AHEAD, REACH, fitted_on)


def _shares(log_evidence: Floats) -> Floats:
    """Share of sessions of each family, from the log evidence of each session, shape (families, sessions).

    Expectation and maximisation, with one imagined session of each family.
    """
    share = np.full(len(log_evidence), 1 / len(log_evidence))
    for _ in range(ROUNDS):
        log = np.log(share)[:, None] + TEMPER * log_evidence
        share = np.exp(log - logsumexp(log, axis=0)).sum(axis=1) + 1
        share /= share.sum()
    return share


def _weights(histories: Sequence[Flags]) -> tuple[float, ...]:
    """Fit the weights of the features; a session with four times as many documents counts twice as much."""
    from sklearn.linear_model import LogisticRegression  # slow to import, seldom needed

    x = np.vstack([features(each, len(each))[:-1, 1:] for each in histories])
    size = np.concatenate([np.full(len(each), len(each) ** -0.5) for each in histories])
    middle, spread = x.mean(axis=0), x.std(axis=0)
    fitted = LogisticRegression(C=C, max_iter=500).fit(
        (x - middle) / spread, np.concatenate(histories), sample_weight=size / size.mean()
    )
    weights = fitted.coef_[0] / spread
    constant = float(fitted.intercept_[0] - weights @ middle)
    return (round(constant, DIGITS), *(round(float(value), DIGITS) for value in weights))
