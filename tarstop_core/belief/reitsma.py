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
from tarstop_core.documents.tables import Flags, Floats, Ints, Tables
from tarstop_core.errors import InputProblem

Method = Literal["reml", "ml"]
Correction = Literal["single", "all", "none"]

# (ρ, scale): Ψ = scale·[[1, ρ], [ρ, 1]] to start from. The first alone misses the best optimum in about 1 %
# of small or extreme sets; very small scales find the optima with next to no variance between studies.
ALL_STARTS = tuple((rho, scale) for scale in (1.0, 0.1, 0.001) for rho in (0.0, -0.9, 0.9))

# With fewer studies Ψ (three numbers) is not identified; software that answers all the same returns a
# fixed-effect fit or a singular Ψ.
IDENTIFIED_FROM = 3


class Estimate(NamedTuple):
    """A number with the ends of its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class ReitsmaFit:
    """A fitted bivariate model."""

    mu: Floats
    """Mean logit sensitivity and mean logit false-positive rate; shape (2,)."""
    cov: Floats
    """Covariance of the estimated ``mu``; shape (2, 2)."""
    Psi: Floats
    """Between-study covariance; 0 with one study, singular with two; shape (2, 2)."""
    loglik: float
    """Log-likelihood of the proportions, that is with the Jacobian Σ −log(p(1 − p)) of both (corrected) logits; the
    restricted one has the constant −(2n − 2)/2·log 2π and no ½·log|X'X| (mada's figures).
    """
    converged: bool
    n: int
    """Studies used: those with all four counts and with patients in both groups."""
    method: Method
    correction: Correction
    """`method` and `correction`: how it was fitted."""

    @property
    def identified(self) -> bool:
        """Whether there are studies enough (3) to tell variation between them from chance."""
        return self.n >= IDENTIFIED_FROM

    @property
    def se(self) -> Floats:
        """Standard errors of ``mu``, shape (2,)."""
        return np.sqrt(np.diag(self.cov))

    def _estimate(self, at: int, sign: int) -> Estimate:
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
        """Between-study correlation of logit sensitivity and logit false-positive rate.

        NaN where one of them does not vary; +1 or −1 says that Ψ is singular.
        """
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
        """Outline (false-positive rate, sensitivity) of where the summary point may lie, with 95 %.

        It is sized by F(2, n − 2), as RevMan does, from 3 studies on, else by χ²(2).
        """
        return self._region(self.cov)

    def prediction_region(self) -> Floats:
        """Outline (false-positive rate, sensitivity) of where the truth of one new study may lie, sized likewise."""
        return self._region(self.cov + self.Psi)

    def _region(self, cov: Floats) -> Floats:
        return sroc.region(self.mu, cov, n=self.n if self.identified else None)

    def revman_parameters(self) -> dict[str, float]:
        """The parameters under the names by which RevMan asks for them, on the scale of specificity.

        ``Corr(logits)`` is NaN where sensitivity or specificity does not vary between studies.
        """
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
    """Which studies the model can use, shape (n,): all four counts known, patients in both groups."""
    # Comparisons with NaN (unknown FP or TN) are false.
    return (tables.diseased > 0) & (tables.healthy > 0)


def fit(
    tables: Tables,
    method: Method = "reml",
    correction: Correction = "single",
    starts: Sequence[tuple[float, float]] = ALL_STARTS,
) -> ReitsmaFit:
    """Fit the bivariate model to all usable studies.

    InputProblem when no study is usable, or a zero cell is left with ``correction="none"``.

    Parameters
    ----------
    tables : Tables
    method : "reml" or "ml"
        Restricted or full maximum likelihood.
    correction : "single", "all" or "none"
        Half a patient is added to the cells of studies with a zero, of all studies once any cell is zero
        (mada's default), or of none.
    starts : sequence of (float, float)
        (ρ, scale) of each Ψ to start from; the likeliest result is kept.

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
    data = _prepare(tables, method, correction)
    if not data.n:
        raise InputProblem(
            "No study has all four counts and patients in both groups; the bivariate model needs at least one."
        )
    return _fit_sizes(data, np.array([data.n]), starts)[0]


def fit_prefixes(
    tables: Tables,
    method: Method = "reml",
    correction: Correction = "single",
    starts: Sequence[tuple[float, float]] = ALL_STARTS,
) -> list[ReitsmaFit | None]:
    """:func:`fit` of the first 0 … n studies at once; None while none of them is usable.

    With ``correction="all"`` the logits of earlier studies jump at the prefix that brings the first zero; ``"single"``
    leaves them as they are.

    InputProblem when a zero cell is left with ``correction="none"``.
    """
    data = _prepare(tables, method, correction)
    fits: list[ReitsmaFit | None] = [None]
    if data.n:
        fits += _fit_sizes(data, np.arange(1, data.n + 1), starts)
    return [fits[0], *(fits[size] for size in np.cumsum(usable(tables)))]


def reml_belief(fitted: ReitsmaFit | None, theta: float) -> float | None:
    """P(pooled sensitivity > θ) as the normal approximation has it: Φ((μ̂1 − logit θ)/se).

    None with fewer than 3 studies: the model is not identified.

    InputProblem when θ is not between 0 and 1.

    >>> reml_belief(None, 0.75) is None
    True
    """
    if not 0 < theta < 1:
        raise InputProblem(f"θ is {theta:g}; give a sensitivity between 0 and 1, both excluded.")
    if fitted is None or not fitted.identified:
        return None
    return float(ndtr((fitted.mu[0] - logit(theta)) / fitted.se[0]))


@dataclass(frozen=True, eq=False)
class _Logits:
    """Data of the normal model: y and s of shape (n, 2), and the log-Jacobian of each study."""

    y: Floats
    s: Floats
    log_jacobian: Floats


@dataclass(frozen=True, eq=False)
class _Prepared:
    """The usable studies, corrected, and those before the first zero as they are."""

    plain: _Logits
    corrected: _Logits
    corrected_from: int  # Sizes of prefixes from this one on use the corrected logits.
    n: int
    method: Method
    correction: Correction


def _prepare(tables: Tables, method: Method, correction: Correction) -> _Prepared:
    for value, allowed, name in ((method, Method, "method"), (correction, Correction, "correction")):
        if value not in get_args(allowed):
            raise InputProblem(f'The {name} "{value}" is unknown; choose {" or ".join(get_args(allowed))}.')
    use = np.flatnonzero(usable(tables))
    cells = np.stack([tables.TP, tables.FN, tables.FP, tables.TN], axis=1)[use]
    zero = (cells == 0).any(axis=1)
    if correction == "none" and zero.any():
        at = int(use[np.argmax(zero)])
        raise InputProblem(
            f"Study {at + 1} ({tables.study[at]}) has a zero cell, whose logit is infinite; "
            'choose the correction "single" or "all", or leave the study out.'
        )
    add_to = zero if correction == "single" else np.full(len(cells), zero.any())
    corrected = _logits(cells + 0.5 * add_to[:, None])
    # mada looks for zeros among the studies it is given: with "all", prefixes before the first zero have
    # none. Where only single studies are corrected every prefix sees the same logits.
    if correction == "all" and zero.any():
        corrected_from = int(np.argmax(zero)) + 1
        plain = _logits(cells[: corrected_from - 1])
    else:
        corrected_from, plain = 1, corrected
    return _Prepared(plain, corrected, corrected_from, len(cells), method, correction)


def _logits(cells: Floats) -> _Logits:
    """From cells TP, FN, FP, TN, shape (n, 4), all > 0."""
    logs = np.log(cells)
    y = np.stack([logs[:, 0] - logs[:, 1], logs[:, 2] - logs[:, 3]], axis=1)
    s = np.stack([1 / cells[:, 0] + 1 / cells[:, 1], 1 / cells[:, 2] + 1 / cells[:, 3]], axis=1)
    sizes = np.stack([cells[:, 0] + cells[:, 1], cells[:, 2] + cells[:, 3]], axis=1)
    return _Logits(y, s, 2 * np.log(sizes).sum(axis=1) - logs.sum(axis=1))


def _fit_sizes(data: _Prepared, sizes: Ints, starts: Sequence[tuple[float, float]]) -> list[ReitsmaFit]:
    """Fit prefixes of the usable studies; ``sizes`` ascend."""
    Psi_0 = np.array([[[scale, scale * rho], [scale * rho, scale]] for rho, scale in starts])
    before = sizes < data.corrected_from
    fits: list[ReitsmaFit] = []
    for logits, some in ((data.plain, sizes[before]), (data.corrected, sizes[~before])):
        if not len(some):
            continue
        best = normal_fit.fit_prefixes(logits.y, logits.s, some, Psi_0, reml=data.method == "reml")
        loglik = best.loglik + np.cumsum(logits.log_jacobian)[some - 1]
        fits += [
            ReitsmaFit(
                mu=best.mu[i],
                cov=best.cov[i],
                Psi=best.Psi[i],
                loglik=float(loglik[i]),
                converged=bool(best.converged[i]),
                n=int(size),
                method=data.method,
                correction=data.correction,
            )
            for i, size in enumerate(some)
        ]
    return fits
