"""The value of a new study of one parameter, and the size at which it exceeds the price by most."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.checks import check_numbers
from tarstop_core.value.payoffs import Floats

MOST_PEOPLE = 1_000_000  # Largest study that is tried, in people per arm
SMALLEST = 2  # Smallest such study
SIZES = 240  # Sizes tried between the two, and again around the best


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study that measures one parameter, with its precision and its price.

    Examples
    --------
    >>> Study(measures="risk").resolved(0.5, 0.01, 24.0).item()  # a Beta prior worth 24 people, and 24 people
    0.5
    """

    measures: str  # Name of the parameter
    sd: float | None = None  # Standard deviation between people; None if the parameter is a proportion
    arms: int = 1  # 2 if the parameter is a difference between two groups
    tau2: float = 0.0  # Variance of the parameter between studies
    cost_fixed: float = 0.0  # Cost of the study without its people
    cost_per_person: float = 0.0  # Cost of each person in any arm

    def __post_init__(self) -> None:
        check_numbers(self, above=("sd",), from_0=("tau2", "cost_fixed", "cost_per_person"))
        if self.arms not in (1, 2):
            raise InputProblem(f"arms is {self.arms}; give 1 or 2.")

    def resolved(self, mean: float, variance: float, n: Floats | float, studies: int = 1) -> Floats:
        """Expected share of the variance of the parameter that studies resolve.

        Parameters
        ----------
        mean, variance : float
            Mean and variance of the parameter as known now; a proportion is taken to be Beta.
        n : array or float
            People per arm, in each study.
        studies : int
            Number of such studies.

        Returns
        -------
        ndarray
            Shares in [0, 1], shape of n.

        Raises
        ------
        InputProblem
            If a proportion is not between 0 and 1, or its variance is larger than a proportion can have.
        """
        if self.sd is not None:
            of_one = self.arms * self.sd**2
        else:
            between_people = mean * (1 - mean) - variance
            if not between_people > 0:
                raise InputProblem(
                    f"{self.measures} has mean {mean:g} and variance {variance:g}, so it is not a proportion; give "
                    "the SD between people."
                )
            of_one = self.arms * between_people
        return np.asarray(variance / (variance + (of_one / n + self.tau2) / studies))

    def price(self, n: Floats | float) -> Floats:
        """Cost of a study with n people per arm."""
        return np.asarray(self.cost_fixed + self.cost_per_person * self.arms * n)


class StudiedDecision(Protocol):
    """A decision whose parameters a study can measure."""

    def evsi_of(self, study: Study, n: Floats, studies: int = 1) -> Floats:
        """Expected value per person of studies.

        Parameters
        ----------
        study : Study
            The study, which measures one of the parameters.
        n : ndarray
            People per arm, in each study.
        studies : int
            Number of studies.

        Returns
        -------
        ndarray
            EVSI, shape of n.
        """


@dataclass(frozen=True)
class BestSize:
    """Sizes of a study with the expected net benefit of sampling (ENBS) of each, and the best of them."""

    n: Floats  # Sizes, in people per arm, shape (S,)
    enbs: Floats  # ENBS of each, shape (S,)
    best_n: int  # Size with the largest ENBS
    best_enbs: float  # That ENBS


def best_size(decision: StudiedDecision, study: Study, people: float, most: int = MOST_PEOPLE) -> BestSize:
    """Find the size at which the value of a study to everyone exceeds its price by most.

    Parameters
    ----------
    decision : StudiedDecision
        A decision whose values are per person.
    study : Study
        The study, with its price.
    people : float
        Discounted number of people that the decision concerns.
    most : int
        Largest size, in people per arm.

    Returns
    -------
    BestSize
        With sizes that grow by a few per cent; the best is searched for again between its neighbours.
    """

    def enbs(n: Floats) -> Floats:
        return decision.evsi_of(study, n) * people - study.price(n)

    n = np.unique(np.geomspace(SMALLEST, most, SIZES).round())
    worth = enbs(n)
    best = int(worth.argmax())
    around = n[max(0, best - 1)], n[min(len(n) - 1, best + 1)]
    finer = np.unique(np.linspace(*around, SIZES).round())
    finest = enbs(finer)
    return BestSize(n, worth, int(finer[finest.argmax()]), float(finest.max()))


def evsi_by_regression(
    parameter: Floats, lead: Floats, study: Study, n: Floats, studies: int, gain: Callable[[Floats], float]
) -> Floats:
    """Expected value of studies from draws, by how far their results would move the mean of the parameter.

    Parameters
    ----------
    parameter : ndarray
        Draws of the parameter, shape (N,).
    lead : ndarray
        Expected lead of each other action over the best one now, given the parameter, shape (N, J − 1).
    study : Study
        The study, which measures the parameter.
    n : ndarray
        People per arm, shape (S,).
    studies : int
        Number of such studies.
    gain : callable
        Function of such leads that returns the expected gain from choosing after seeing them.

    Returns
    -------
    ndarray
        EVSI, shape (S,).

    Notes
    -----
    The posterior mean after the study has the distribution of the parameter, shrunk towards its mean by the square root of the
    share that the study resolves (Jalal & Alarid-Escudero 2018). For proportions and normal parameters the share is exact and
    the shape an approximation.
    """
    order = parameter.argsort()
    x, curves = parameter[order], lead[order].T
    mean, variance = float(x.mean()), float(x.var())
    if not variance > 0:
        return np.zeros(len(n))
    values = []
    for part in study.resolved(mean, variance, n, studies):
        moved = mean + math.sqrt(part) * (x - mean)
        values.append(gain(np.stack([np.interp(moved, x, curve) for curve in curves], axis=1)))
    return np.array(values)
