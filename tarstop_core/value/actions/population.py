"""The value of information for everyone concerned, and whether a new study is worth its price."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.checks import check_numbers
from tarstop_core.value.actions.linear import Linear
from tarstop_core.value.actions.lines import Values
from tarstop_core.value.payoffs import Floats

Timing = Literal["start_of_year", "end_of_year", "continuous"]
LEAST_PER_ARM = 2  # Smallest size of a trial that is considered, in people per arm
MOST_PER_ARM = 4000  # Largest such size unless given
LONGEST_SEARCH = 1_000_000  # Largest such size that may be given
MOST_YEARS = 1000.0  # Most years that a decision may concern people


@dataclass(frozen=True, kw_only=True)
class Concerned:
    """The people that a decision concerns."""

    annual_population: float  # People per year
    years: float  # Number of years
    rate: float = 0.0  # Discount rate per year, as a share

    def __post_init__(self) -> None:
        check_numbers(self, above=("annual_population", "years"), from_0=("rate",))
        if self.years > MOST_YEARS:
            raise InputProblem(f"years is {self.years:g}; give at most {MOST_YEARS:g}.")
        if self.rate > 1:
            raise InputProblem(f"rate is {self.rate:g}; give a share, such as 0.035 for 3.5 % a year.")

    def people(self, timing: Timing) -> float:
        """Discounted number of people over all years.

        Parameters
        ----------
        timing : {'start_of_year', 'end_of_year', 'continuous'}
            When the people of a year count: Σ_{t=0}^{T−1} (1+r)^−t, Σ_{t=1}^{T} (1+r)^−t, or (1 − e^{−rT})/r. Part of a
            last year counts as its fraction.

        Returns
        -------
        float
            People of one year times this sum.

        Examples
        --------
        >>> Concerned(annual_population=1200, years=20).people("continuous")
        24000.0
        """
        if timing == "continuous":
            factor = -math.expm1(-self.rate * self.years) / self.rate if self.rate else self.years
            return float(self.annual_population * factor)
        year = np.arange(math.ceil(self.years))
        share = np.minimum(1.0, self.years - year)
        late = 1 if timing == "end_of_year" else 0
        return self.annual_population * float((share * (1 + self.rate) ** -(year + late)).sum())


@dataclass(frozen=True, kw_only=True)
class Population(Concerned):
    """A value per person, for everyone concerned.

    Examples
    --------
    >>> round(Population(value_per_person=12.5, annual_population=5000, years=10, rate=0.035).values()["start_of_year"], 2)
    537980.41
    """

    kind: ClassVar[str] = "population"
    value_per_person: float

    def values(self) -> Values:
        """Value for everyone by each timing, in the value's unit."""
        timings: tuple[tuple[str, Timing], ...] = (
            ("start_of_year", "start_of_year"),
            ("end_of_year", "end_of_year"),
            ("continuous_exp", "continuous"),
        )
        return {name: self.value_per_person * self.people(timing) for name, timing in timings}


@dataclass(frozen=True, kw_only=True)
class StudyPrice(Concerned):
    """Whether to commission a trial of two arms, and how large: ENBS(n) = EVSI(n)·people − fixed − 2n·per person.

    Adopting is worth value_per_unit·(μ − δ) a person. The new estimate has the variance 2·sd²/n + τ².

    Examples
    --------
    >>> trial = StudyPrice(
    ...     post_mean=0.2, post_var=0.01, value_per_unit=1000, delta=0.15, sd_individual=1, tau2=0.01,
    ...     cost_fixed=50_000, cost_per_person=400, annual_population=8000, years=10, rate=0.035,
    ... )
    >>> trial.values()["best_n_per_arm"]
    216
    """

    kind: ClassVar[str] = "enbs_normal"
    post_mean: float
    post_var: float
    value_per_unit: float
    delta: float
    sd_individual: float
    tau2: float = 0.0
    cost_fixed: float
    cost_per_person: float
    n_per_arm: Sequence[int] = ()
    most_per_arm: int = MOST_PER_ARM
    timing: Timing = "continuous"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_numbers(
            self, above=("post_var", "sd_individual"), from_0=("tau2", "cost_fixed", "cost_per_person")
        )
        if not LEAST_PER_ARM <= self.most_per_arm <= LONGEST_SEARCH:
            raise InputProblem(
                f"most_per_arm is {self.most_per_arm}; give {LEAST_PER_ARM} to {LONGEST_SEARCH}."
            )
        if any(n < 1 for n in self.n_per_arm):
            raise InputProblem(f"n_per_arm contains {min(self.n_per_arm)}; give numbers from 1 on.")

    def evsi(self, n: Floats) -> Floats:
        """EVSI per person of a trial with n people per arm, shape of n."""
        variance = self.post_var / (1 + (2 * self.sd_individual**2 / n + self.tau2) / self.post_var)
        return self._decision.gain(variance)

    def enbs(self, n: Floats) -> Floats:
        """Expected net benefit of sampling n people per arm, for everyone, shape of n."""
        return self.evsi(n) * self.people(self.timing) - self.cost_fixed - self.cost_per_person * 2 * n

    @property
    def _decision(self) -> Linear:
        """The decision that the trial informs."""
        return Linear(
            post_mean=self.post_mean,
            post_var=self.post_var,
            value_per_unit=self.value_per_unit,
            delta=self.delta,
        )

    def values(self) -> Values:
        """EVPI per person and for all, EVSI and ENBS at `n_per_arm`, the best size, and whether it is worth its price."""
        sizes = np.arange(LEAST_PER_ARM, self.most_per_arm + 1, dtype=np.float64)
        worth = self.enbs(sizes)
        best = int(worth.argmax())
        evpi = float(self._decision.gain(self.post_var))
        values: Values = {"evpi": evpi, "population_evpi": evpi * self.people(self.timing)}
        if self.n_per_arm:
            asked = np.asarray(self.n_per_arm, dtype=np.float64)
            values |= {"evsi": self.evsi(asked).tolist(), "enbs": self.enbs(asked).tolist()}
        values |= {"best_n_per_arm": int(sizes[best]), "best_enbs": float(worth[best])}
        return values | {"commission": bool(worth[best] > 0)}
