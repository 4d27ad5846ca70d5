"""How many relevant documents are probably still unread."""

import math

import numpy as np
from scipy.stats import nbinom, poisson


def unseen(
    expected_read: float, found: int, expected_left: float, dispersion: float, level: float = 0.9
) -> tuple[float, float, float]:
    """Relevant documents among those not read yet: expected number and an interval.

    Lists vary around what the chances predict: the predicted number is multiplied by a factor that is
    gamma distributed with mean 1 and shape `dispersion` over lists. What was found so far says where this
    list lies, so the factor becomes gamma with shape a + found and rate a + expected_read, and the number
    left is negative binomial.

    Parameters
    ----------
    expected_read : float
        Sum of the chances of the documents that were read.
    found : int
        Relevant ones among them.
    expected_left : float
        Sum of the chances of those that were not.
    dispersion : float
        a; infinite where lists do not vary, and the number left is Poisson.
    level : float
        Of the interval.

    Returns
    -------
    tuple of float
        Mean, and the ends of the interval.

    Examples
    --------
    Nothing found where four were expected: the list is probably a poor one.

    >>> [round(x, 1) for x in unseen(4.0, 0, 10.0, dispersion=2.0)]
    [3.3, 0.0, 9.0]
    >>> [round(x, 1) for x in unseen(4.0, 0, 10.0, dispersion=math.inf)]
    [10.0, 5.0, 15.0]
    """
    if expected_left <= 0:
        return 0.0, 0.0, 0.0
    tail = (1 - level) / 2
    ends = np.array([tail, 1 - tail])
    if math.isinf(dispersion):
        low, high = poisson.ppf(ends, expected_left)
        return expected_left, float(low), float(high)
    shape, rate = dispersion + found, dispersion + expected_read
    low, high = nbinom.ppf(ends, shape, rate / (rate + expected_left))
    return expected_left * shape / rate, float(low), float(high)
