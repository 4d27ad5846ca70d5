"""How further studies move a belief in sensitivity and specificity, each measured on its own patients."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.optimize import brentq

from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.mixtures import over_studies, sums_of_squares
from tarstop_core.value.payoffs import Depths, Floats

MEANS = 97  # Nodes of ȳ
REACH = 7.0  # Standard deviations that they reach
FACTORS = (-2.5, 2.5)  # Limits of the log of the factor on the precision of a study
FAR = 40.0  # Largest shift of a margin, in standard deviations
LEAST = 1e-15  # How near to 0 or 1 a belief may come


@dataclass(frozen=True, eq=False)
class Margins:
    """What is known of both margins, by heterogeneity; they are independent."""

    parts: tuple[Knowledge, Knowledge]

    @classmethod
    def matching(cls, b: float, parts: tuple[Knowledge, Knowledge], doubts: tuple[float, float]) -> Margins:
        """Return margins that both exceed their thresholds with chance b, in which a study leaves the doubt its counts leave.

        Parameters
        ----------
        b : float
            Chance that sensitivity and specificity exceed their thresholds.
        parts : pair of Knowledge
            Knowledge of each margin, with about the precision of a study.
        doubts : pair of float
            E[s′(1 − s′)] of the belief s′ in each margin after one study.

        Returns
        -------
        Margins
            The parts, shifted and with adjusted precisions.
        """
        first, second = (_with_doubt(margin, doubt) for margin, doubt in zip(parts, doubts, strict=True))
        b = min(max(b, LEAST), 1 - LEAST)

        def excess(z: float) -> float:
            return math.log(max(_moved(first, z).b * _moved(second, z).b, 1e-300) / b)

        z = float(brentq(excess, -FAR, FAR))
        return cls((_moved(first, z), _moved(second, z)))

    def beyond(self, studies: Floats | Depths, q_star: float) -> tuple[Floats, Floats]:
        """E[(b′ − q*)⁺] − (b − q*)⁺ for the belief b′ after each number of studies, and P(b′ > q*); shapes of `studies`."""
        return over_studies(studies, lambda k: self._beyond(k, q_star))

    def _beyond(self, k: int, q_star: float) -> tuple[float, float]:
        """:meth:`beyond` after exactly k studies."""
        (s, of_s), (t, from_t, t_from) = self._after(k)
        # For each belief in the first margin, the beliefs in the second with which the product exceeds q*.
        at = np.searchsorted(t, q_star / np.maximum(s, 1e-300), side="right")
        above = float(of_s @ (s * t_from[at] - q_star * from_t[at]))
        b = float((of_s @ s) * t_from[0])
        return above - max(0.0, b - q_star), float(of_s @ from_t[at])

    def _after(self, k: int) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats, Floats]]:
        """Beliefs in each margin after k studies: of the first with their chances; of the second, rising, with upper sums.

        The upper sums are those of the chances and of chance times belief, from each belief on.
        """
        if k not in self._cached_beliefs:
            first, (t, chance) = (beliefs_after(margin, k) for margin in self.parts)
            order = np.argsort(t)
            t, chance = t[order], chance[order]
            from_t, t_from = (np.append(np.cumsum(each[::-1])[::-1], 0.0) for each in (chance, chance * t))
            self._cached_beliefs[k] = first, (t, from_t, t_from)
        return self._cached_beliefs[k]

    @cached_property
    def _cached_beliefs(self) -> dict[int, tuple[tuple[Floats, Floats], tuple[Floats, Floats, Floats]]]:
        """Cache of :meth:`_after` by the number of studies."""
        return {}


def beliefs_after(margin: Knowledge, k: int, means: int = MEANS) -> tuple[Floats, Floats]:
    """Beliefs that further studies may lead to, at nodes of their mean and sum of squares.

    Parameters
    ----------
    margin : Knowledge
        What is known now, by heterogeneity.
    k : int
        Number of further studies.
    means : int
        Nodes of the mean.

    Returns
    -------
    belief, chance : ndarray, shape (outcomes,)
        Beliefs, and the chance of each.
    """
    spread = np.sqrt(1 / margin.precision + 1 / (k * margin.study))
    sums, shares = sums_of_squares(margin, k)
    ends = np.array([(margin.mean - REACH * spread).min(), (margin.mean + REACH * spread).max()])
    middle, unit = float(margin.weight @ margin.mean), float(spread.min())
    first, last = np.arcsinh((ends - middle) / unit)
    u = np.linspace(first, last, means)
    y = middle + unit * np.sinh(u)
    density = np.exp(-0.5 * ((y[:, None] - margin.mean) / spread) ** 2) * np.cosh(u)[:, None]
    chance = (shares * margin.weight) @ (density / density.sum(axis=0)).T
    return margin.beliefs_after(k, k, y, sums**2).ravel(), chance.ravel()


def _with_doubt(margin: Knowledge, doubt: float) -> Knowledge:
    """Return the margin with the precision of a study adjusted so that one study leaves this doubt, as far as possible."""

    def with_precision(log_factor: float) -> Knowledge:
        return replace(margin, study=margin.study * math.exp(log_factor))

    def excess(log_factor: float) -> float:
        after, chance = beliefs_after(with_precision(log_factor), 1)
        return float(chance @ (after * (1 - after))) - doubt

    least, most = FACTORS
    if excess(least) <= 0:
        return with_precision(least)
    if excess(most) >= 0:
        return with_precision(most)
    return with_precision(float(brentq(excess, least, most, xtol=1e-2)))


def _moved(margin: Knowledge, z: float) -> Knowledge:
    """Return the margin with each part shifted by z of its standard deviations."""
    return replace(margin, mean=margin.mean + z / np.sqrt(margin.precision))
