"""The univariate model's integrals by brute force: equally likely values of τ and μ, and cells of logits."""

from collections.abc import Sequence

import numpy as np
from scipy.special import expit, logit
from scipy.stats import binom, halfnorm, norm

from tarstop_core.belief.prior import Prior
from tarstop_core.documents.tables import Tables


def log_evidences(
    reviews: Sequence[Tables], theta: float, prior: Prior, taus: int = 50, mus: int = 200, cells: int = 500
) -> np.ndarray:
    """Log probability of each review's true positives, given its studies' numbers of diseased patients."""
    tau = halfnorm.ppf((np.arange(taus) + 0.5) / taus, scale=prior.tau)
    mu = logit(theta) + norm.ppf((np.arange(mus) + 0.5) / mus, prior.shift, prior.s)
    edges = np.linspace(-15, 15, cells + 1)
    of_cell = np.diff(norm.cdf(edges, mu[:, None], tau[:, None, None]), axis=-1).reshape(-1, cells)
    sensitivity = expit((edges[1:] + edges[:-1]) / 2)
    found = []
    for review in reviews:
        of_study = binom.pmf(review.TP, review.diseased, sensitivity[:, None])
        found.append(np.log((of_cell @ of_study).prod(axis=1).mean()))
    return np.array(found)
