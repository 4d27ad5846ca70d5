"""How many relevant documents chances let one expect, and what to multiply them by when it is another number."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.stats import gamma

from tarstop_core.calibration.unseen import unseen

LEVEL = 0.9
PRIOR_SHAPE = 4.0
"""Most that is trusted of a calibrator: a list of one's own may be less like the training lists than those were like
each other. With 4, nine factors in ten lie between 0.34 and 1.9."""


@dataclass(frozen=True)
class Check:
    """What was expected among the documents read, and what was found."""

    read: int
    """Documents of which it is known whether they came true: not unsure ones, hits that wait for confirmation or, in a
    review in one stage, reports that wait.
    """
    expected: float
    """Sum of their chances as they are used now; in patents, given that prior art exists."""
    low: int
    high: int
    """`low` and `high`: interval of :data:`LEVEL` of the number relevant."""
    found: int
    factor: float
    """What the calibrator's chances should be multiplied by, given what was found: posterior mean."""
    factor_low: float
    factor_high: float
    """`factor_low` and `factor_high`: its interval of :data:`LEVEL`."""
    offered: bool
    """Whether the number found lies outside the interval and multiplying is right."""
    misses: float | None = None
    """Patents in which nothing was found: chance of that, if prior art exists."""
    unsure: int = 0
    waiting: int = 0
    """`unsure` and `waiting`: documents left out because they are unsure; because a hit is to be confirmed or a report
    waits.
    """

    @property
    def outside(self) -> bool:
        """Whether the number found lies outside the interval."""
        return not self.low <= self.found <= self.high


def expected_range(
    expected: float, dispersion: float, read: float = math.inf, level: float = LEVEL
) -> tuple[int, int]:
    """Central interval of the number relevant.

    Parameters
    ----------
    expected : float
        Sum of the chances.
    dispersion : float
        Shape of the negative binomial; infinite: Poisson. Where single chances are large either is wider than the
        chances alone would be.
    read : float
        Documents that the chances belong to: no more can be relevant.
    level : float

    Examples
    --------
    >>> expected_range(14.0, math.inf), expected_range(14.0, 4.0), expected_range(3.1, 4.0, read=5)
    ((8, 20), (4, 29), (0, 5))
    """
    _, low, high = unseen(0.0, 0, expected, dispersion, level)
    return int(min(low, read)), int(min(high, read))


def factor(
    expected: float, found: int, dispersion: float, level: float = LEVEL
) -> tuple[float, float, float]:
    """What the chances of a list should be multiplied by: posterior mean, and an interval.

    Parameters
    ----------
    expected : float
        Sum of the chances of the documents read, as the calibrator gives them.
    found : int
    dispersion : float
        Shape of the prior, at most :data:`PRIOR_SHAPE`.
    level : float

    Examples
    --------
    >>> [round(value, 2) for value in factor(15.0, 3, math.inf)]
    [0.37, 0.17, 0.62]
    >>> factor(0.0, 0, 4.0)[0]
    1.0
    """
    shape = min(dispersion, PRIOR_SHAPE)
    mean = (shape + found) / (shape + expected)
    ends = np.array([(1 - level) / 2, (1 + level) / 2])
    low, high = np.asarray(gamma.ppf(ends, shape + found, scale=1 / (shape + expected)))
    return mean, float(low), float(high)
