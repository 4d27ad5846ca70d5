"""Belief from any subset of a review's studies, for rules that meet them out of ranking order."""

import numpy as np
from scipy.special import expit, logit

from tarstop_core.belief.bayes import lattice_for, weighed_likelihood
from tarstop_core.belief.of_tables import beliefs
from tarstop_core.belief.prior import Prior
from tarstop_core.documents.tables import CELLS, Tables
from tarstop_core.value.payoffs import Flags, Floats

BLOCK = 256
"""Subsets that are weighed at once; bounds memory."""


def subset_beliefs(tables: Tables, masks: Flags, theta: float, engine: str, prior: Prior) -> Floats:
    """Belief from each subset of the studies, shape (K,): those of a row of `masks`, shape (K, n), are known.

    Otherwise as :func:`~tarstop_core.belief.of_tables.beliefs`. In the univariate engine log-likelihoods of studies
    add, so all subsets are one matrix product; the refinement of very narrow posteriors
    (:func:`~tarstop_core.belief.bayes.log_odds_path`) is left out.
    """
    if engine != "univariate":
        names = np.array(tables.study, dtype=object)
        known = (Tables(tuple(names[of]), *(getattr(tables, cell)[of] for cell in CELLS)) for of in masks)
        return np.array([beliefs(each, theta, engine, prior)[-1] for each in known])
    lattice = lattice_for(tables, theta, prior)
    rows = weighed_likelihood(tables, theta, prior, lattice)
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(rows), -1e4)
    of_prior = np.outer(lattice.tau_prior(prior.tau), lattice.mu_prior(prior.shift, prior.s)).ravel()
    below, above = lattice.halves(of_prior)
    shift = logit(prior.b_0) - (np.log(above) - np.log(below))
    found = np.empty(len(masks))
    for first in range(0, len(masks), BLOCK):
        log_weight = masks[first : first + BLOCK].astype(float) @ logs
        log_weight -= log_weight.max(axis=1, keepdims=True)
        below, above = lattice.halves(np.exp(log_weight) * of_prior)
        with np.errstate(divide="ignore"):
            found[first : first + BLOCK] = expit(np.log(above) - np.log(below) + shift)
    return found
