"""The summary ROC curve, the area under it, and regions around the summary point.

All functions take μ = (logit sensitivity, logit false-positive rate) and 2×2 covariances in that order,
and return curves as columns (false-positive rate, sensitivity), the plane's horizontal and vertical axis.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from tarstop_core.documents.tables import Floats

# A between-study variance below this is 0 in all but rounding: 1e-10 on the logit scale.
NO_VARIANCE = 1e-10


def sroc(mu: ArrayLike, Psi: ArrayLike, fpr: ArrayLike) -> Floats:
    """Sensitivity on the summary ROC curve at given false-positive rates.

    Parameters
    ----------
    mu : array_like, shape (2,)
        Pooled logit sensitivity and logit false-positive rate.
    Psi : array_like, shape (2, 2)
        Between-study covariance of both.
    fpr : array_like
        False-positive rates, in (0, 1).

    Returns
    -------
    ndarray, shaped as `fpr`
        Sensitivities.

    Notes
    -----
    The curve is a line in logit space through μ whose slope is the ratio of the between-study standard
    deviations, τ1/τ2: with Λ = √(τ2/τ1)·μ1 − √(τ1/τ2)·μ2 and β = log(τ2/τ1), sensitivity is
    expit(Λe^{−β/2} + e^{−β}·logit f). Without variance in sensitivity the curve is flat, without variance in the false-positive rate it is a step at the summary point,
    without both its slope is 1.

    Rutter & Gatsonis 2001, doi:10.1002/sim.942; in the bivariate model's parameters Harbord et al. 2007,
    doi:10.1093/biostatistics/kxl004.

    Examples
    --------
    >>> sroc([2.0, -1.0], [[1.0, 0.0], [0.0, 1.0]], [0.1, 0.5]).round(3)
    array([0.691, 0.953])
    """
    mean, between = np.asarray(mu, dtype=float), np.asarray(Psi, dtype=float)
    tau2 = np.where(np.diag(between) < NO_VARIANCE, 0.0, np.diag(between))
    away = logit(np.asarray(fpr, dtype=float)) - mean[1]
    if not tau2.any():
        slope = 1.0
    elif tau2[1] == 0:
        # A step: every rate to the right of the summary point has sensitivity 1.
        return np.asarray(expit(np.where(away == 0, mean[0], np.copysign(np.inf, away))))
    else:
        slope = math.sqrt(tau2[0] / tau2[1])
    return np.asarray(expit(mean[0] + slope * away))


def auc(mu: ArrayLike, Psi: ArrayLike) -> float:
    """Area under the summary ROC curve, by trapezoids between the 99 rates .01 … .99.

    The sum of the 98 trapezoids is divided by 99, as R's mada does, whose figures reviewers quote.

    >>> round(auc([2.0, -1.0], [[1.0, 0.0], [0.0, 1.0]]), 4)
    0.8848
    """
    s = sroc(mu, Psi, np.arange(1, 100) / 100)
    return float((s.sum() - (s[0] + s[-1]) / 2) / 99)


def region(
    mu: ArrayLike, cov: ArrayLike, *, level: float = 0.95, n: int | None = None, points: int = 181
) -> Floats:
    """Outline in the ROC plane of an ellipse around μ in logit space.

    Parameters
    ----------
    mu : array_like, shape (2,)
        Pooled logit sensitivity and logit false-positive rate.
    cov : array_like, shape (2, 2)
        Covariance of the estimated μ for a confidence region, that plus Ψ for a prediction region.
    level : float
        Share that lies inside, in (0, 1).
    n : int, optional
        Number of studies, above 2: the size of the ellipse comes from F(2, n − 2), as in RevMan and metandi; without it
        from χ²(2), as in mada.
    points : int
        Number of points of the outline.

    Returns
    -------
    ndarray, shape (points, 2)
        False-positive rate and sensitivity of each point; the last point equals the first.

    Notes
    -----
    Harbord & Whiting 2009, doi:10.1177/1536867X0900900203. Both quantiles have closed forms when the first
    degrees of freedom are 2.

    Examples
    --------
    >>> region([0.0, 0.0], [[0.04, 0.0], [0.0, 0.04]], points=5).round(3)
    array([[0.62, 0.5 ],
           [0.5 , 0.62],
           [0.38, 0.5 ],
           [0.5 , 0.38],
           [0.62, 0.5 ]])
    """
    outside = 1 - level
    if n is None:
        size = math.sqrt(-2 * math.log(outside))
    else:
        size = math.sqrt((n - 2) * math.expm1(-2 / (n - 2) * math.log(outside)))
    # Any square root of the covariance draws the ellipse; this one exists for singular ones too.
    variances, axes = np.linalg.eigh(np.asarray(cov, dtype=float))
    root = (axes * np.sqrt(np.maximum(variances, 0.0))) @ axes.T
    turn = np.linspace(0, 2 * np.pi, points)
    circle = np.stack([np.sin(turn), np.cos(turn)])
    outline = np.asarray(mu, dtype=float)[:, None] + size * (root @ circle)
    return np.asarray(expit(outline[::-1].T))
