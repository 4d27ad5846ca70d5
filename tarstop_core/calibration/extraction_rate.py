"""How many included reports bring a 2×2 table: P(data | included), with its spread."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from scipy.special import betaincinv, betaln, expit, logit

from tarstop_core.envelope import FileKind, read_file
from tarstop_core.errors import InputProblem

FILE = FileKind("tarstop-data-share", 1, "share of reports with data")
SUREST = 1000.0  # Reports that a learned rate is worth at most
CLOSEST = 1e-3  # How near its mean may come to 0 or 1


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

    def interval(self, level: float = 0.9) -> tuple[float, float]:
        """Central interval of the share."""
        tail = (1 - level) / 2
        low, high = (float(betaincinv(self.alpha, self.beta, end)) for end in (tail, 1 - tail))
        return low, high

    def updated(self, with_data: int, without: int) -> ExtractionRate:
        """The rate after reports of the review itself were read in full."""
        return ExtractionRate(self.alpha + with_data, self.beta + without, self.topics, self.source)

    def to_json(self) -> str:
        """The rate as a small versioned JSON document."""
        return FILE.text(asdict(self))


def fit_extraction_rate(pairs: Sequence[tuple[int, int]], source: str) -> ExtractionRate:
    """Learn the rate, and how much it varies between reviews, from complete reviews.

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
    n, k = np.array([pair for pair in pairs if pair[0] > 0], dtype=float).reshape(-1, 2).T
    if len(n) < 2:
        raise InputProblem(
            "How much the share of reports with data varies cannot be learned from one review; give two or more."
        )

    def shapes(at: np.ndarray) -> tuple[float, float]:
        mean, size = float(expit(at[0])), float(np.exp(at[1]))
        return mean * size, (1 - mean) * size

    def loss(at: np.ndarray) -> float:
        alpha, beta = shapes(at)
        return -float(np.sum(betaln(alpha + k, beta + n - k) - betaln(alpha, beta)))

    furthest = float(logit(1 - CLOSEST))
    bounds = [(-furthest, furthest), (np.log(0.1), np.log(SUREST))]
    start = [float(logit(np.clip(k.sum() / n.sum(), 0.01, 0.99))), np.log(5.0)]
    alpha, beta = shapes(minimize(loss, start, method="L-BFGS-B", bounds=bounds).x)
    return ExtractionRate(round(alpha, 6), round(beta, 6), len(n), source)


def from_json(text: str, name: str = "The share of reports with data") -> ExtractionRate:
    """Read a rate from its JSON. InputProblem when the text is not one of a known version."""
    return FILE.read(ExtractionRate, text, name)


def load(path: str | Path) -> ExtractionRate:
    """Read a rate from a file; see :func:`from_json`."""
    name = f"The share of reports with data {path}"
    return from_json(read_file(path, name), name)
