"""The bivariate random-effects model of Reitsma et al., as reviewers know it from mada and RevMan.

Study i reports y_i = (logit sensitivity, logit false-positive rate), taken as normal around its true values
with variances (1/TP + 1/FN, 1/FP + 1/TN); the true values vary between studies as N₂(μ, Ψ). A study with a
zero cell has no finite logit, so half a patient is added to its cells, which pulls sensitivities of small
studies towards ½; and every study is weighed by a variance taken from its own result, so that good results
count for less. Both lower the belief (docs/reml_or_exact.md), which is why this model reproduces and compares,
while the default belief uses the exact binomial likelihood.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, ndtr, ndtri

from tarstop_core.belief import normal_fit, sroc
from tarstop_core.belief.both import both_below
from tarstop_core.belief.prior import check_theta
from tarstop_core.documents.tables import Flags, Floats, Tables
from tarstop_core.errors import InputProblem

Correction = Literal["single", "all", "none"]

# (ρ, scale): Ψ = scale·[[1, ρ], [ρ, 1]] to start from. The first alone misses the best optimum in about 1 %
# of small or extreme sets; very small scales find the optima with next to no variance between studies.
ALL_STARTS = tuple((rho, scale) for scale in (1.0, 0.1, 0.001) for rho in (0.0, -0.9, 0.9))
# With fewer studies Ψ (three numbers) is not identified; other software then gives a fixed-effect fit or a singular Ψ.
IDENTIFIED_FROM = 3


class Estimate(NamedTuple):
    """A number with both ends of its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class ReitsmaFit:
    """The bivariate model, fitted to n studies."""

    mu: Floats  # Mean logit sensitivity and mean logit false-positive rate; shape (2,)
    cov: Floats  # Covariance of the estimated ``mu``; shape (2, 2)
    Psi: Floats  # Between-study covariance; 0 with one study, singular with two; shape (2, 2)
    loglik: float
    """Restricted log-likelihood of the proportions, that is with the Jacobian Σ −log(p(1 − p)) of both (corrected) logits;
    it has the constant −(2n − 2)/2·log 2π and no ½·log|X'X| (mada's figures).
    """
    converged: bool
    n: int  # Studies used: those with all four counts and with patients in both groups

    @property
    def identified(self) -> bool:
        """Whether there are enough studies (3) to tell variation between them from chance."""
        return self.n >= IDENTIFIED_FROM

    @property
    def se(self) -> Floats:
        """Standard errors of ``mu``, shape (2,)."""
        return np.sqrt(np.diag(self.cov))

    def specificity_above(self, theta_sp: float) -> float:
        """P(pooled specificity > a threshold) by the normal approximation."""
        return float(ndtr((-self.mu[1] - logit(theta_sp)) / self.se[1]))

    def _estimate(self, at: int, sign: int) -> Estimate:
        """Summary of margin `at` with its 95 % interval; `sign` −1 turns the false-positive rate into specificity."""
        wide = ndtri(0.975) * self.se[at]
        value, low, high = expit(sign * self.mu[at] + np.array([0.0, -wide, wide]))
        return Estimate(float(value), float(low), float(high))

    @property
    def sensitivity(self) -> Estimate:
        """Summary sensitivity with its 95 % interval."""
        return self._estimate(0, 1)

    @property
    def specificity(self) -> Estimate:
        """Summary specificity with its 95 % interval."""
        return self._estimate(1, -1)

    @property
    def correlation(self) -> float:
        """Between-study correlation of both logits: NaN if one does not vary, ±1 if Ψ is singular."""
        variances = np.diag(self.Psi)
        if (variances < sroc.NO_VARIANCE).any():
            return float("nan")
        return float(np.clip(self.Psi[0, 1] / np.sqrt(variances.prod()), -1.0, 1.0))

    @property
    def auc(self) -> float:
        """Area under the summary ROC curve, see :func:`tarstop_core.belief.sroc.auc`."""
        return sroc.auc(self.mu, self.Psi)

    def sroc(self, fpr: ArrayLike) -> Floats:
        """Sensitivity on the summary ROC curve at false-positive rates in (0, 1)."""
        return sroc.sroc(self.mu, self.Psi, fpr)

    def confidence_region(self) -> Floats:
        """Outline of the 95 % region of the summary point: columns false-positive rate and sensitivity, shape (points, 2)."""
        return self._region(self.cov)

    def prediction_region(self) -> Floats:
        """Outline of the 95 % region of the true values of one new study, as :meth:`confidence_region`."""
        return self._region(self.cov + self.Psi)

    def _region(self, cov: Floats) -> Floats:
        """Outline sized by F(2, n − 2) from 3 studies on, as in RevMan, else by χ²(2)."""
        return sroc.region(self.mu, cov, n=self.n if self.identified else None)

    def revman_parameters(self) -> dict[str, float]:
        """Parameters by the names that RevMan asks for, with specificity instead of the false-positive rate."""
        return {
            "E(logitSe)": float(self.mu[0]),
            "E(logitSp)": float(-self.mu[1]),
            "Var(logitSe)": float(self.Psi[0, 0]),
            "Var(logitSp)": float(self.Psi[1, 1]),
            "Cov(logits)": float(-self.Psi[0, 1]),
            "Corr(logits)": -self.correlation,
            "SE(E(logitSe))": float(self.se[0]),
            "SE(E(logitSp))": float(self.se[1]),
            "Cov(Es)": float(-self.cov[0, 1]),
            "Studies": float(self.n),
        }


def usable(tables: Tables) -> Flags:
    """Flags of the studies that the model can use, shape (n,): all four counts known, patients in both groups."""
    # Comparisons with NaN (unknown FP or TN) are false.
    return (tables.diseased > 0) & (tables.healthy > 0)


def fit(
    tables: Tables,
    correction: Correction = "single",
    starts: Sequence[tuple[float, float]] = ALL_STARTS,
) -> ReitsmaFit:
    """Fit the bivariate model to all usable studies, by restricted maximum likelihood.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    correction : {"single", "all", "none"}
        Which studies get half a patient added to each cell: those with a zero, all once any cell is zero (mada's
        default), or none.
    starts : sequence of (float, float)
        ρ and scale of each Ψ to start from; the most likely result is kept.

    Returns
    -------
    ReitsmaFit
        The most likely of the fits.

    Raises
    ------
    InputProblem
        When no study is usable, or a zero cell is left with ``correction="none"``.

    Notes
    -----
    Reitsma et al. 2005, doi:10.1016/j.jclinepi.2005.02.022; the R package mada (Doebler & Holling).

    Examples
    --------
    >>> counts = np.array([[47.0, 126, 19, 36], [101, 272, 12, 78], [9, 51, 10, 3], [738, 1543, 192, 276]])
    >>> fitted = fit(Tables(("a", "b", "c", "d"), *counts))
    >>> fitted.n, fitted.mu.round(2)
    (4, array([ 1.3 , -1.89]))
    >>> [round(number, 2) for number in fitted.sensitivity]
    [0.79, 0.63, 0.89]
    """
    fits = _fit_sizes(tables, correction, starts, last_only=True)
    if not fits:
        raise InputProblem(
            "No study has all four counts and patients in both groups; the bivariate model needs at least one."
        )
    return fits[0]


def fit_prefixes(
    tables: Tables,
    correction: Correction = "single",
    starts: Sequence[tuple[float, float]] = ALL_STARTS,
) -> list[ReitsmaFit | None]:
    """Fit the bivariate model to the first 0 … n studies, all at once.

    With ``correction="all"`` the logits of earlier studies jump at the prefix that brings the first zero; ``"single"``
    leaves them as they are.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    correction : {"single", "all", "none"}
        Which studies get half a patient added to each cell: those with a zero, all once any cell is zero (mada's
        default), or none.
    starts : sequence of (float, float)
        ρ and scale of each Ψ to start from; the most likely result is kept.

    Returns
    -------
    list of ReitsmaFit or None
        As :func:`fit` gives them, n + 1; None while no study is usable.

    Raises
    ------
    InputProblem
        When a zero cell is left with ``correction="none"``.
    """
    fits = [None, *_fit_sizes(tables, correction, starts)]
    return [fits[size] for size in (0, *np.cumsum(usable(tables)))]


def reml_belief(fitted: ReitsmaFit | None, theta: float, theta_sp: float | None = None) -> float | None:
    """P(pooled sensitivity > θ) by the normal approximation Φ((μ̂1 − logit θ)/se); with `theta_sp`, of both.

    Parameters
    ----------
    fitted : ReitsmaFit or None
        The fitted model; None if no study was usable.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    theta_sp : float, optional
        Threshold that pooled specificity is to exceed as well, in (0, 1).

    Returns
    -------
    float or None
        None with fewer than 3 studies: the model is not identified.

    Raises
    ------
    InputProblem
        When a threshold is not between 0 and 1.
    """
    above = (
        logit(check_theta(theta))
        if theta_sp is None
        else logit([check_theta(theta), check_theta(theta_sp, "specificity")])
    )
    if fitted is None or not fitted.identified:
        return None
    if theta_sp is None:
        return float(ndtr((fitted.mu[0] - above) / fitted.se[0]))
    sensitivity, specificity = (fitted.mu * (1, -1) - above) / fitted.se
    return float(both_below(sensitivity, specificity, -fitted.cov[0, 1] / fitted.se.prod()))


def _fit_sizes(
    tables: Tables,
    correction: Correction,
    starts: Sequence[tuple[float, float]],
    last_only: bool = False,
) -> list[ReitsmaFit]:
    """Fit the first 1 … n usable studies, or only all of them."""
    if correction not in get_args(Correction):
        allowed = " or ".join(get_args(Correction))
        raise InputProblem(f'The correction "{correction}" is unknown; choose {allowed}.')
    use = np.flatnonzero(usable(tables))
    cells = np.stack([tables.TP, tables.FN, tables.FP, tables.TN], axis=1)[use]
    zero = (cells == 0).any(axis=1)
    if correction == "none" and zero.any():
        at = int(use[np.argmax(zero)])
        raise InputProblem(
            f"Study {at + 1} ({tables.study[at]}) has a zero cell, whose logit is infinite; "
            'choose the correction "single" or "all", or leave the study out.'
        )
    sizes = np.arange(1, len(cells) + 1)
    if last_only:
        sizes = sizes[-1:]
    # mada looks for zeros among the studies it is given: with "all", prefixes before the first zero have
    # none. Where only single studies are corrected every prefix sees the same logits.
    late = np.maximum.accumulate(zero)[sizes - 1] if correction == "all" else np.zeros(len(sizes), dtype=bool)
    add_to = zero if correction == "single" else np.zeros(len(cells), dtype=bool)
    Psi_0 = np.array([[[scale, scale * rho], [scale * rho, scale]] for rho, scale in starts])
    fits: list[ReitsmaFit] = []
    for corrected, some in ((cells + 0.5 * add_to[:, None], sizes[~late]), (cells + 0.5, sizes[late])):
        if not len(some):
            continue
        y, s, log_jacobian = _logits(corrected[: some[-1]])
        best = normal_fit.fit_prefixes(y, s, some, Psi_0)
        loglik, converged = best.loglik + np.cumsum(log_jacobian)[some - 1], best.converged.tolist()
        fits += [
            ReitsmaFit(
                mu=best.mu[i],
                cov=best.cov[i],
                Psi=best.Psi[i],
                loglik=float(loglik[i]),
                converged=converged[i],
                n=int(n),
            )
            for i, n in enumerate(some)
        ]
    return fits


def _logits(cells: Floats) -> tuple[Floats, Floats, Floats]:
    """Data y and variances s of the normal model, shape (n, 2), and log-Jacobian of each study, from TP, FN, FP, TN > 0."""
    logs = np.log(cells)
    y = np.stack([logs[:, 0] - logs[:, 1], logs[:, 2] - logs[:, 3]], axis=1)
    s = np.stack([1 / cells[:, 0] + 1 / cells[:, 1], 1 / cells[:, 2] + 1 / cells[:, 3]], axis=1)
    sizes = np.stack([cells[:, 0] + cells[:, 1], cells[:, 2] + cells[:, 3]], axis=1)
    return y, s, 2 * np.log(sizes).sum(axis=1) - logs.sum(axis=1)
