"""Learn :class:`~tarstop_core.calibration.reranked.RerankedChances` from sessions that were read to the end."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import logsumexp
from sklearn.linear_model import LogisticRegression

from tarstop_core.calibration.calibrator import FittedOn
from tarstop_core.calibration.reranked import (
    Curve,
    Family,
    RerankedChances,
    features,
    share_of,
)
from tarstop_core.calibration.thinning import (
    DIGITS,
    LEARNED,
    LEAST_SHARE,
    ROUNDS,
    TOTAL_SHAPE,
    Thinning,
    edges,
    learned,
)
from tarstop_core.documents.tables import Flags, Floats, Ints

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
"""Before any session was seen; a few imagined sessions of it are learned from beside the real ones."""
LIKE_LISTS = 4.0  # How many sessions that is worth for the spread
SHIFT, TEMPER, AHEAD, REACH = 0.1, 0.5, 20.0, 10.0
"""As of the class; chosen on sessions that were not learned from, which docs/reranked_chances.md says."""
C = 1.0  # Inverse strength with which the weights of standardised features are held near 0


def fit_reranked(histories: Mapping[str, Sequence[Flags]], fitted_on: FittedOn) -> RerankedChances:
    """Learn from sessions read to the end: each says by document, in the order read, whether it was relevant.

    Sessions come by what their labels say, which is a scenario of a calibrator: each such kind of session has curves of its own.
    """
    curves: list[Curve] = []
    for scenario, of_kind in histories.items():
        fitted = [_curve(family, of_kind) for family in PRIORS]
        evidence = np.array([each for _, each in fitted])
        # How often a session is of each family: expectation and maximisation, with one imagined session of each.
        share = np.full(len(PRIORS), 1 / len(PRIORS))
        for _ in range(ROUNDS):
            log = np.log(share)[:, None] + TEMPER * evidence
            share = np.exp(log - logsumexp(log, axis=0)).sum(axis=1) + 1
            share /= share.sum()
        curves += [
            Curve(scenario, family, round(float(each) / len(histories), DIGITS), prior)
            for family, each, (prior, _) in zip(PRIORS, share, fitted, strict=True)
        ]
    weights = _weights([each for of_kind in histories.values() for each in of_kind])
    return RerankedChances(weights, SHIFT, tuple(curves), TEMPER, AHEAD, REACH, fitted_on)


def _weights(histories: Sequence[Flags]) -> tuple[float, ...]:
    """Weights of the features; a session of four times as many documents counts for twice as much."""
    x = np.vstack([features(each, len(each))[:-1, 1:] for each in histories])
    size = np.concatenate([np.full(len(each), len(each) ** -0.5) for each in histories])
    middle, spread = x.mean(axis=0), x.std(axis=0)
    fitted = LogisticRegression(C=C, max_iter=500).fit(
        (x - middle) / spread, np.concatenate(histories), sample_weight=size / size.mean()
    )
    each = fitted.coef_[0] / spread
    constant = float(fitted.intercept_[0] - each @ middle)
    return (round(constant, DIGITS), *(round(float(value), DIGITS) for value in each))


def _curve(family: Family, histories: Sequence[Flags]) -> tuple[Thinning, Floats]:
    """What the sessions say of one family, and log of the chance of each, shape (L,)."""
    blocks = [edges(len(each)) for each in histories]
    counts = [
        np.add.reduceat(history, at[:-1], dtype=float) for history, at in zip(histories, blocks, strict=True)
    ]

    def log_likelihood(theta: Floats) -> Floats:
        of_each = zip(theta, blocks, counts, strict=True)
        return np.array([_log_likelihood(family, each, at, count) for each, at, count in of_each])

    return learned(log_likelihood, [len(each) for each in histories], PRIORS[family], LIKE_LISTS)


def _log_likelihood(family: Family, theta: Floats, at: Ints, counts: Floats) -> Floats:
    """Log-likelihood of one session by node, shape (J,), without terms that depend on the session alone."""
    share = share_of(family, theta[::LEARNED, :2], at, int(at[-1]))
    each = np.log(np.maximum(np.diff(share) / np.diff(at), LEAST_SHARE)) @ counts
    hits, log_total = counts.sum(), theta[:, 2]
    told = np.repeat(each, LEARNED) + hits * log_total
    return np.asarray(told - (TOTAL_SHAPE + hits) * np.log(TOTAL_SHAPE + np.exp(log_total)))
