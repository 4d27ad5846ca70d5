"""A prior learned from training reviews: what pooled sensitivities and heterogeneities have been like."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from tarstop_core.belief.bayes import lattice_for, study_likelihood
from tarstop_core.belief.prior import LearnedFrom, Prior, check_theta
from tarstop_core.documents.tables import Floats, Tables
from tarstop_core.errors import InputProblem

# What is tried. Finer steps change the marginal likelihood by less than one training review does.
B_0 = tuple(round(0.05 * i, 2) for i in range(1, 20))
S = (0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5)
TAU = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)


def learn_prior(outcomes: Sequence[Tables], reviews: Sequence[str], theta: float, source: str) -> Prior:
    """The (b_0, s, scale of τ) under which the training outcomes are most probable.

    The false-positive rate and the correlation keep their defaults.

    Reviews weigh equally, however many outcomes they have; `reviews` says which one each outcome belongs to. b_0 refers to
    `theta`, and `source` tells the person who meets the prior what the outcomes are.

    Raises
    ------
    InputProblem
        When no outcome has a study with diseased patients, or the lengths differ.

    Notes
    -----
    Empirical Bayes (type II maximum likelihood) on a grid, from the univariate model: sensitivity is
    what b_0, s and τ are about.
    """
    if len(outcomes) != len(reviews):
        raise InputProblem(f"There are {len(outcomes)} outcomes and {len(reviews)} names of reviews.")
    used = [(t, review) for t, review in zip(outcomes, reviews, strict=True) if (t.diseased > 0).any()]
    if not used:
        raise InputProblem(
            "No training outcome has a study with diseased patients; give tables with TP and FN."
        )
    names = [review for _, review in used]
    default = Prior()
    candidates = [default, *(Prior(b_0=b_0, s=s, tau=tau) for b_0, s, tau in product(B_0, S, TAU))]
    total = np.zeros(len(candidates))
    for tables, review in used:
        total += _log_evidences(tables, check_theta(theta), candidates) / names.count(review)
    total /= len(set(names))
    best = int(total.argmax())
    return replace(
        candidates[best],
        learned_from=LearnedFrom(
            source=source,
            theta=theta,
            reviews=len(set(names)),
            outcomes=len(used),
            studies=sum(int((tables.diseased > 0).sum()) for tables, _ in used),
            gain=round(float(total[best] - total[0]), 4),
        ),
    )


def _log_evidences(tables: Tables, theta: float, priors: Sequence[Prior]) -> Floats:
    """Log evidence of one outcome under each prior, up to a constant, shape (P,).

    The lattice is the same for all priors, so the likelihood of (τ, μ) is computed once.
    """
    widest = max(priors, key=lambda prior: abs(prior.shift) + 4 * prior.s)
    lattice = lattice_for(tables, theta, widest)
    rows, _ = study_likelihood(tables, theta, lattice)
    with np.errstate(divide="ignore"):
        logs = np.log(rows).sum(axis=0).reshape(len(lattice.tau), len(lattice.mu))
    likelihood = np.exp(logs - logs.max())
    of_tau = lattice.tau_prior([prior.tau for prior in priors])
    of_mu = lattice.mu_prior([prior.shift for prior in priors], [prior.s for prior in priors])
    return np.asarray(np.log(((of_tau @ likelihood) * of_mu).sum(axis=1)))
