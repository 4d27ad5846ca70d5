"""Learn :class:`~tarstop_core.calibration.reranked.RerankedChances` from sessions that were read to the end."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import logsumexp

from tarstop_core.calibration.calibrator import FittedOn
from tarstop_core.calibration.hit_rate_model import DIGITS, ROUNDS, Curve, Family, Thinning, fit_curve
from tarstop_core.calibration.reranked import RerankedChances, features
from tarstop_core.documents.tables import Flags

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
        fitted = [fit_curve(family, of_kind, prior, LIKE_LISTS) for family, prior in PRIORS.items()]
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
    from sklearn.linear_model import LogisticRegression  # slow to import, seldom needed

    x = np.vstack([features(each, len(each))[:-1, 1:] for each in histories])
    size = np.concatenate([np.full(len(each), len(each) ** -0.5) for each in histories])
    middle, spread = x.mean(axis=0), x.std(axis=0)
    fitted = LogisticRegression(C=C, max_iter=500).fit(
        (x - middle) / spread, np.concatenate(histories), sample_weight=size / size.mean()
    )
    each = fitted.coef_[0] / spread
    constant = float(fitted.intercept_[0] - each @ middle)
    return (round(constant, DIGITS), *(round(float(value), DIGITS) for value in each))
