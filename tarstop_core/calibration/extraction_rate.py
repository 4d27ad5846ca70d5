"""The extraction rate: the share of included reports that bring data for a question, P(data | included).

Only some of the reports that a review includes bring data for one of its questions. The rate is learned from questions with
few studies as well as many; learned from those with many alone, it would expect many for every question.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaincinv, betaln, digamma, expit, gammaln, logit, logsumexp, polygamma

from tarstop_core.calibration.hit_rate_model import Thinning
from tarstop_core.envelope import FileKind, read_file
from tarstop_core.errors import InputProblem
from tarstop_core.presentation.numbers import INTERVAL_LEVEL

FILE = FileKind("tarstop-data-share", 1, "share of reports with data")
SUREST = 1000.0  # Reports that a learned rate weighs as much as, at most
CLOSEST = 1e-3  # How near the mean of a learned rate may come to 0 or 1
FEW = 5
"""Questions with fewer studies are often left out of collections, which say only how many there are."""


@dataclass(frozen=True)
class ExtractionRate:
    """A beta distribution of the share of included reports that bring data."""

    alpha: float = 1.0
    beta: float = 1.0
    """`alpha` and `beta`: above 0; the mean is alpha/(alpha + beta)."""
    topics: int = 0  # Reviews that it was learned from; 0 where a person gave it
    source: str = ""  # What reviews these were, for a person

    def __post_init__(self) -> None:
        if not (0 < self.alpha < math.inf and 0 < self.beta < math.inf):
            raise InputProblem(
                f"The share of reports with data has the shapes {self.alpha:g} and {self.beta:g}; give two above 0."
            )

    @property
    def mean(self) -> float:
        """Expected share."""
        return self.alpha / (self.alpha + self.beta)

    def interval(self, level: float = INTERVAL_LEVEL) -> tuple[float, float]:
        """Both ends of the central interval of the share."""
        tail = (1 - level) / 2
        low, high = (float(betaincinv(self.alpha, self.beta, end)) for end in (tail, 1 - tail))
        return low, high

    def updated(self, with_data: int, without: int) -> ExtractionRate:
        """Return the rate after reports of the review itself were read in full."""
        return ExtractionRate(self.alpha + with_data, self.beta + without, self.topics, self.source)

    def to_json(self) -> str:
        """Return the rate as a small versioned JSON document."""
        return FILE.text(asdict(self))


@dataclass(frozen=True)
class QuestionsOfReview:
    """How many reports of a complete review brought data, question by question."""

    included: int  # Reports, whatever they bring
    with_data: tuple[int, ...]  # For each question, reports among them that brought data for it
    few: int = 0  # Further questions, for which fewer than FEW reports did


def fit_extraction_rate(pairs: Sequence[tuple[int, int]], source: str) -> ExtractionRate:
    """Learn the rate, with how much it varies between reviews, from complete reviews of one question each.

    A beta-binomial distribution over reviews is fitted by maximum likelihood. Its mean stays between .001 and .999 and
    it is worth at most 1,000 reports, where the likelihood would go further.

    Parameters
    ----------
    pairs : sequence of (int, int)
        For each review, the reports included at title and abstract, and those of them that brought data. Reviews that
        included nothing are left out.
    source : str
        What the reviews are, for the person who will rely on the rate.

    Returns
    -------
    ExtractionRate
        Shapes rounded to six decimals.

    Raises
    ------
    InputProblem
        With fewer than two reviews that included something, or with more data than reports.

    Examples
    --------
    >>> rate = fit_extraction_rate([(50, 10), (20, 11), (80, 25), (10, 1)], "an example")
    >>> round(rate.mean, 2), rate.topics
    (0.3, 4)
    """
    for included, with_data in pairs:
        if not 0 <= with_data <= included:
            raise InputProblem(
                f"A review has {included} included reports and {with_data} with data; give no more than it has."
            )
    return fit_question_rate([QuestionsOfReview(included, (data,)) for included, data in pairs], source)


def fit_question_rate(reviews: Sequence[QuestionsOfReview], source: str) -> ExtractionRate:
    """Learn the rate for one question from reviews of several; reviews weigh equally. Otherwise as :func:`fit_extraction_rate`."""
    reviews = [review for review in reviews if review.included]
    if len(reviews) < 2:
        raise InputProblem(
            "How much the share of reports with data varies cannot be learned from one review; give two or more."
        )

    def shapes(at: np.ndarray) -> tuple[float, float]:
        mean, size = float(expit(at[0])), float(np.exp(at[1]))
        return mean * size, (1 - mean) * size

    def loss(at: np.ndarray) -> float:
        return -sum(_mean_log_likelihood(review, *shapes(at)) for review in reviews)

    furthest = float(logit(1 - CLOSEST))
    bounds = [(-furthest, furthest), (np.log(0.1), np.log(SUREST))]
    reports = sum(len(review.with_data) * review.included for review in reviews)
    with_data = sum(sum(review.with_data) for review in reviews)
    start = [float(logit(np.clip(with_data / reports, 0.01, 0.99))), np.log(5.0)]
    alpha, beta = shapes(minimize(loss, start, method="L-BFGS-B", bounds=bounds).x)
    return ExtractionRate(round(alpha, 6), round(beta, 6), len(reviews), source)


def _mean_log_likelihood(review: QuestionsOfReview, alpha: float, beta: float) -> float:
    """Beta-binomial log-likelihood of a review, the mean over its questions, up to a constant."""
    n, k = review.included, np.array(review.with_data)
    total = float(np.sum(betaln(alpha + k, beta + n - k) - betaln(alpha, beta)))
    if review.few:
        k = np.arange(min(FEW, n + 1))
        ways = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
        total += review.few * float(logsumexp(ways + betaln(alpha + k, beta + n - k) - betaln(alpha, beta)))
    return total / (len(review.with_data) + review.few)


def for_one_question(thinning: Thinning, rate: ExtractionRate) -> Thinning:
    """Return how reports with data for one question thin out, from how included reports do: log R becomes log R + log rate."""
    *shape, (middle, slope) = thinning.mean
    fewer = float(digamma(rate.alpha) - digamma(rate.alpha + rate.beta))
    wider = float(polygamma(1, rate.alpha) - polygamma(1, rate.alpha + rate.beta))
    *rows, (with_alpha, with_beta, own) = thinning.spread
    mean, spread = (*shape, (middle + fewer, slope)), (*rows, (with_alpha, with_beta, own + wider))
    return replace(thinning, mean=mean, spread=spread)  # type: ignore[arg-type]


def from_json(text: str, name: str = "The share of reports with data") -> ExtractionRate:
    """Read a rate from its JSON; raise InputProblem if the text is none of a known version."""
    return FILE.read(ExtractionRate, text, name)


def load(path: str | Path) -> ExtractionRate:
    """Read a rate from a file; see :func:`from_json`."""
    name = f"The share of reports with data {path}"
    return from_json(read_file(path, name), name)
