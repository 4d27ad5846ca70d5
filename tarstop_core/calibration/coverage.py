"""The probability that a list contains a deciding document, if one exists.

κ is that probability. It belongs to the way in which somebody searches: all lists that were searched in one way share
it. Nobody knows it, so it has a beta distribution (:class:`Coverage`). With S_d the chance that the first d documents hold no
hit although the list holds one:

One list. The chance of no hit by depth d is 1 − κ + κ·S_d, linear in κ. The average over κ is 1 − E[κ] + E[κ]·S_d, so the
    belief b_d, what reading on is worth, and the advice depend on the mean of κ alone. Its spread changes nothing here.

Many lists. Of lists searched in one way the share 1 − κ + κ·S_d shows no hit by d, with one κ for all of them. How far that
    share may lie from its mean follows from the spread of κ and of S_d, and more lists do not narrow it:
    :func:`share_without_hit`.

Past cases. A first hit at k is as likely as κ·(S_(k−1) − S_k), a document missed in n as 1 − κ + κ·S_n. They move κ and the
    kind of list together (:func:`~tarstop_core.calibration.rank_frailty.updated`). A list read to rank 100 cannot tell
    a document that is absent from one that stands deeper: many pairs of κ and S explain the cases about as well. So
    κ is an assumption wherever a person sees it, and what cases taught is reported as a share without a hit by some depth.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaincinv

from tarstop_core.belief.mixture import log_passed, mixture, power_exposure, weighted_quantiles
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.documents.tables import Floats
from tarstop_core.presentation.numbers import INTERVAL_LEVEL

LEVEL = INTERVAL_LEVEL
DEPTH = 100
"""Depth for which the page says how often nothing was found by then."""
POINTS = 40
"""Equally probable values of κ over which shares are averaged."""
SURE_OF_LEARNED = 20.0
"""How many lists the coverage of a calibrator weighs as much as."""


@dataclass(frozen=True)
class Coverage:
    """What is assumed about κ: a beta distribution, or one value."""

    title: str  # How the list was searched, for a person
    mean: float  # E[κ]
    sure: float  # How many lists the distribution weighs as much as; infinite where κ is its mean
    merged: bool = False  # Whether such a list is put together from several rankings

    def interval(self) -> tuple[float, float]:
        """Ends of the central interval of κ that holds it with a probability of `LEVEL`.

        >>> [round(end, 2) for end in COVERAGES["unknown"].interval()]
        [0.64, 1.0]
        """
        low, high = self._quantiles(np.array([(1 - LEVEL) / 2, (1 + LEVEL) / 2]))
        return float(low), float(high)

    def points(self) -> Floats:
        """Return equally probable values of κ, shape (POINTS,)."""
        return self._quantiles((np.arange(POINTS) + 0.5) / POINTS)

    def _quantiles(self, at: Floats) -> Floats:
        """Quantiles of κ at these probabilities, of the same shape."""
        if self.mean == 1 or np.isinf(self.sure):
            return np.full(len(at), self.mean)
        return np.asarray(betaincinv(self.mean * self.sure, (1 - self.mean) * self.sure, at))


COVERAGES = {
    "unknown": Coverage("I do not know", 0.9, 5),
    "query": Coverage("One database, one query", 0.85, 10),
    "queries": Coverage("One database, several queries", 0.9, 20, merged=True),
    "databases": Coverage("Several databases", 0.95, 20, merged=True),
    "complete": Coverage("Nothing that counts can be missing", 1, np.inf),
}
"""Ways of searching by name. Their numbers are a judgment; none was fitted to data."""
UNKNOWN, COMPLETE = COVERAGES["unknown"], COVERAGES["complete"]


@dataclass(frozen=True)
class MeanShare:
    """A share of lists: its mean and its interval."""

    mean: float
    low: float
    high: float


def capped(coverage: Coverage, calibrator: Calibrator) -> Coverage:
    """Return the coverage in force with a calibrator: no more than what its cases left possible, as for one list."""
    most = 1 - calibrator.lacking
    if coverage.mean <= most:
        return coverage
    return replace(coverage, mean=most, sure=SURE_OF_LEARNED)


def share_without_hit(calibrator: Calibrator, depth: int, coverage: Coverage) -> MeanShare | None:
    """Predict the share of lists searched in one way that show no hit by a depth, although there is something to find.

    Parameters
    ----------
    calibrator : Calibrator
        Chances by rank that say how lists of collections differ.
    depth : int
        Documents read.
    coverage : Coverage
        What is assumed about κ, which all these lists share; :func:`capped` by the calibrator.

    Returns
    -------
    MeanShare or None
        Its mean is the chance for one list, and its interval holds `LEVEL` of such shares. None if the calibrator does not
        say how collections differ.
    """
    if not calibrator.list_kinds:
        return None
    weight, rich, slope, variance = np.array(calibrator.list_kinds).T
    with np.errstate(divide="ignore"):
        kinds = mixture(weight, 1 / variance)
    no_hit = np.exp(log_passed(kinds, np.exp(rich) * power_exposure(depth, slope)))
    kappa = capped(coverage, calibrator).points()
    share = 1 - np.multiply.outer(1 - no_hit, kappa)
    low, high = weighted_quantiles(share.ravel(), np.repeat(kinds.weight / len(kappa), len(kappa)), LEVEL)
    return MeanShare(float(kinds.weight @ share.mean(axis=1)), low, high)
