"""What a new study of one parameter is worth before its price, and at which size it is worth most after it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.checks import check_numbers
from tarstop_core.value.payoffs import Floats

MOST_PEOPLE = 1_000_000  # Per arm
SIZES = 240  # Tried between the smallest and the largest study, and again around the best
SMALLEST = 2  # People per arm


@dataclass(frozen=True, kw_only=True)
class Study:
    """A study that measures one parameter: how precisely, and at which price.

    Examples
    --------
    >>> Study(measures="risk").resolved(0.5, 0.01, 24.0).item()  # a Beta prior worth 24 people, and 24 people
    0.5
    """

    measures: str
    # Of what one person shows; None where the parameter is a proportion, which is counted
    sd: float | None = None
    arms: int = 1  # 2 where the parameter is a difference between two groups
    tau2: float = 0.0  # Variance of the parameter between studies
    cost_fixed: float = 0.0
    cost_per_person: float = 0.0

    def __post_init__(self) -> None:
        check_numbers(self, above=("sd",), from_0=("tau2", "cost_fixed", "cost_per_person"))
        if self.arms not in (1, 2):
            raise InputProblem(f"arms is {self.arms}; give 1 or 2.")

    def resolved(self, mean: float, variance: float, n: Floats | float, studies: int = 1) -> Floats:
        """Part of a parameter's variance that the study resolves before anybody knows its result.

        Parameters
        ----------
        mean, variance : float
            Of the parameter as it is known now; a proportion is taken as Beta.
        n : array or float
            People per arm, in each study.
        studies : int
            How many such studies there are.

        Returns
        -------
        ndarray
            Of the shape of n, within [0, 1].

        Raises
        ------
        InputProblem
            When a proportion is not between 0 and 1, or varies more than one can.
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
        """What n people per arm cost."""
        return np.asarray(self.cost_fixed + self.cost_per_person * self.arms * n)


class Studied(Protocol):
    """A decision whose parameters a study can measure."""

    def evsi_of(self, study: Study, n: Floats, studies: int = 1) -> Floats:
        """What studies are worth to each person.

        Parameters
        ----------
        study : Study
            What is measured, and how exactly.
        n : ndarray
            People per arm, in each study.
        studies : int
            How many there are.

        Returns
        -------
        ndarray
            Shape of n.
        """


@dataclass(frozen=True)
class BestSize:
    """Sizes of a study, in people per arm, with the expected net benefit of sampling (ENBS), and the best of them."""

    n: Floats
    enbs: Floats
    best_n: int
    best_enbs: float


def best_size(decision: Studied, study: Study, people: float, most: int = MOST_PEOPLE) -> BestSize:
    """Where the value of a study to everyone exceeds its price by most.

    Parameters
    ----------
    decision : Studied
        Its values are per person.
    study : Study
        With its price.
    people : float
        How many the decision concerns, discounted.
    most : int
        People per arm at most.

    Returns
    -------
    BestSize
        Over sizes that grow by a few per cent, and all of those around the best where they are not too many.
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
    """Value of a study from draws, by where its results would move the mean of the parameter.

    Parameters
    ----------
    parameter : ndarray
        Its draws, shape (N,).
    lead : ndarray
        How far other actions lead the one that is best now, as expected given the parameter, shape (N, J − 1).
    study : Study
        What is measured.
    n : ndarray
        People per arm, shape (S,).
    studies : int
        How many such studies there are.
    gain : callable
        Value of choosing after seeing such leads.

    Returns
    -------
    ndarray
        Shape (S,).

    Notes
    -----
    The mean that the study will give varies as the parameter does, less by the square root of the part that the study resolves
    (Jalal & Alarid-Escudero 2018). For proportions and normal parameters the part is exact, the shape an approximation.
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
