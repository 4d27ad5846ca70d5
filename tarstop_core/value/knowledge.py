"""Knowledge of the pooled sensitivity as a mixture of normal distributions.

Each part is a possible heterogeneity τ; given τ, the pooled logit μ is normal and a study measures it with a known
precision. After n more studies everything depends on their mean ȳ and their sum of squares S: the mean moves the belief,
the sum of squares tells the parts apart.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, ndtri

from tarstop_core.errors import InputProblem
from tarstop_core.value.payoffs import Floats

LEAST_KNOWN = 0.01  # Smallest number of studies that present knowledge is worth
LEAST_TOTAL = 1e-200  # Likelihood of a mixture below which it is computed by its logarithm


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What is known of μ − λ, with λ = logit θ: a mixture of J normal distributions; all arrays have shape (J,)."""

    weight: Floats  # Weights, which add up to 1
    mean: Floats
    precision: Floats
    """`mean` and `precision`: mean and precision of μ − λ in each part."""
    study: Floats  # Precision with which one study measures μ: 1/(τ² + variance within a study)

    def __post_init__(self) -> None:
        positive = (self.weight > 0).all() and (self.precision > 0).all() and (self.study > 0).all()
        if not (positive and abs(self.weight.sum() - 1) < 1e-9 and np.isfinite(self.mean).all()):
            raise InputProblem(
                "Weights and precisions of present knowledge must be above 0, and the weights add up to 1."
            )

    @classmethod
    @lru_cache(maxsize=64)
    def plain(cls, b: float, n_0: float) -> "Knowledge":
        """Return one normal distribution with this belief that is worth this many studies."""
        one = np.ones(1)
        return cls(one, np.array([float(ndtri(b))]), one, one / max(n_0, LEAST_KNOWN))

    @property
    def b(self) -> float:
        """Belief P(μ > λ)."""
        return float(self.weight @ ndtr(self.mean * np.sqrt(self.precision)))

    @property
    def n_0(self) -> float:
        """Number of studies that the knowledge is worth."""
        return float(self.weight @ (self.precision / self.study))

    def after(
        self, studies: float, batches: int, mean: Floats, squares: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Return the mixture after further studies.

        Parameters
        ----------
        studies : float
            Number of further studies.
        batches : int
            Number of means in which they came; several studies at once have one mean.
        mean : ndarray, shape (…)
            Mean ȳ of the further studies.
        squares : ndarray, shape (…)
            Their sum of squares S.

        Returns
        -------
        weight, mean, precision : ndarray, shape (…, J)
            Weights, means and precisions of the parts.
        """
        log = self.log_weight_by_mean(studies, mean) + self.log_likelihood_of_squares(batches, squares)
        weight = np.exp(log - log.max(axis=-1, keepdims=True))
        weight /= weight.sum(axis=-1, keepdims=True)
        return weight, *self.average_after(studies, mean)

    def log_weight_by_mean(self, studies: float, mean: Floats) -> Floats:
        """Log of the weight of each part times its likelihood of the mean of further studies, shape (…, J)."""
        predicted = 1 / self.precision + 1 / (studies * self.study)
        away = (mean[..., None] - self.mean) ** 2 / predicted
        return np.asarray(np.log(self.weight) - 0.5 * (away + np.log(predicted)))

    def log_likelihood_of_squares(self, batches: int, squares: Floats) -> Floats:
        """Log likelihood, by each part, of the sum of squares of this many means, shape (…, J)."""
        return np.asarray(0.5 * ((batches - 1) * np.log(self.study) - squares[..., None] * self.study))

    def average_after(self, studies: float, mean: Floats) -> tuple[Floats, Floats]:
        """Mean and precision of μ − λ in each part after further studies with this mean, shapes (…, J) and (J,)."""
        precision = self.precision + studies * self.study
        centre = (self.precision * self.mean + studies * self.study * mean[..., None]) / precision
        return centre, precision

    def mean_leading_to(self, belief: Floats) -> Floats:
        """Result of one study after which knowledge of one part gives these beliefs, shape of `belief`."""
        precision = self.precision[0] + self.study[0]
        return np.asarray(
            (ndtri(belief) * np.sqrt(precision) - self.precision[0] * self.mean[0]) / self.study[0]
        )

    def belief_after(self, studies: float, batches: int, mean: Floats, squares: Floats) -> Floats:
        """Belief after further studies.

        Parameters
        ----------
        studies, batches, mean, squares
            As for :meth:`after`.

        Returns
        -------
        ndarray, shape (…)
            P(μ > λ).
        """
        weight, centre, precision = self.after(studies, batches, mean, squares)
        return np.asarray((weight * ndtr(centre * np.sqrt(precision))).sum(axis=-1))

    def beliefs_after(self, studies: float, batches: int, means: Floats, squares: Floats) -> Floats:
        """Belief after further studies, for every pair of a sum of squares and a mean.

        Parameters
        ----------
        studies, batches
            As for :meth:`after`.
        means : ndarray, shape (Y,)
            Means of the further studies.
        squares : ndarray, shape (S,)
            Their sums of squares.

        Returns
        -------
        ndarray, shape (S, Y)
            Beliefs as of :meth:`belief_after`; faster, because the likelihood is a product of one factor each.
        """
        of_means, of_squares = (
            self.log_weight_by_mean(studies, means),
            self.log_likelihood_of_squares(batches, squares),
        )
        of_means, of_squares = (
            np.exp(log - log.max(axis=-1, keepdims=True)) for log in (of_means, of_squares)
        )
        centre, precision = self.average_after(studies, means)
        total = of_squares @ of_means.T
        above = of_squares @ (of_means * ndtr(centre * np.sqrt(precision))).T
        with np.errstate(invalid="ignore", divide="ignore"):
            beliefs = np.asarray(above / total)
        # If mean and squares favour different parts, their product may be too small for a float.
        row, column = np.nonzero(total < LEAST_TOTAL)
        beliefs[row, column] = self.belief_after(studies, batches, means[column], squares[row])
        return beliefs
