"""Priors learned from the pooled sensitivities and heterogeneities of past reviews.

:func:`learn_prior` learns the whole prior, :func:`learn_width` only how wide it is, so that a person chooses b_0.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import numpy as np

from tarstop_core.belief.lattice import lattice_for
from tarstop_core.belief.prior import LearnedFrom, Prior, check_theta
from tarstop_core.belief.univariate import study_likelihood
from tarstop_core.documents.tables import Floats, Tables
from tarstop_core.errors import InputProblem

# Candidates. Finer steps change the marginal likelihood by less than one training review does.
B_0 = tuple(round(0.05 * i, 2) for i in range(1, 20))
S = (0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 2.5)
TAU = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)
FIRST = (1, 2, 3, 5)  # Numbers of first studies that are compared with all of them
LEAST_WEIGHT = 0.1  # of a study; the least that a Prior may have


def learn_prior(outcomes: Sequence[Tables], reviews: Sequence[str], theta: float, source: str) -> Prior:
    """Learn the prior under which past outcomes are most probable.

    Parameters
    ----------
    outcomes : sequence of Tables
        The 2×2 tables of each training outcome.
    reviews : sequence of str
        Which review each outcome belongs to: reviews weigh equally, however many outcomes they have.
    theta : float
        Threshold on pooled sensitivity that b_0 refers to, in (0, 1).
    source : str
        What the outcomes are, for the person who meets the prior.

    Returns
    -------
    Prior
        With b_0, s and the scale of τ learned.

    Raises
    ------
    InputProblem
        When no outcome has a study with diseased patients, or the lengths differ.

    Notes
    -----
    Empirical Bayes (type II maximum likelihood) on a grid, from the univariate model: sensitivity is what b_0, s and τ are
    about; the false-positive rate and the correlation keep their defaults.
    """
    candidates = [Prior(b_0=b_0, s=s, tau=tau) for b_0, s, tau in product(B_0, S, TAU)]
    return _likeliest(candidates, outcomes, reviews, theta, source)


def learn_width(outcomes: Sequence[Tables], reviews: Sequence[str], theta: float, source: str) -> Prior:
    """Learn how wide a prior around a person's own b_0 should be, and how much a study should count.

    Parameters
    ----------
    outcomes : sequence of Tables
        The 2×2 tables of each training outcome, in the order in which the list brought them.
    reviews : sequence of str
        Which review each outcome belongs to: reviews weigh equally, however many outcomes they have.
    theta : float
        Threshold on pooled sensitivity that b_0 refers to, in (0, 1).
    source : str
        What the outcomes are, for the person who meets the prior.

    Returns
    -------
    Prior
        With s, the scale of τ and the weight of a study learned; b_0 is left to the person.

    Raises
    ------
    InputProblem
        When no outcome has a study with diseased patients, or the lengths differ.

    Notes
    -----
    If the first studies strayed f times as far (in variance) from all of them as studies drawn at random would, a study
    counts 1/f, between 0.1 and 1. Surveys call f the design effect: studies found next to each other are alike, so n of them
    say as much about the whole as n/f drawn at random. A study counts 1/f by taking its likelihood to this power
    (Grünwald & van Ommen 2017, doi 10.1214/17-BA1085).
    """
    candidates = [Prior(s=s, tau=tau) for s, tau in product(S, TAU)]
    width = _likeliest(candidates, outcomes, reviews, theta, source)
    distances: dict[str, list[float]] = {}
    for tables, review in zip(outcomes, reviews, strict=True):
        distance = strayed_from_end(tables)
        if distance is not None:
            distances.setdefault(review, []).append(distance)
    f = float(np.mean([np.mean(of_review) for of_review in distances.values()])) if distances else 1.0
    assert width.learned_from is not None
    weight = round(max(LEAST_WEIGHT, 1 / max(f, 1.0)), 2)
    return replace(width, weight=weight, learned_from=replace(width.learned_from, keeps_b_0=True))


def strayed_from_end(tables: Tables) -> float | None:
    """Squared distance of the pooled sensitivity of the first studies from that of all, relative to what chance explains.

    The mean over the first 1, 2, 3 and 5 studies. It is about 1 if studies come in no order; None with fewer than three
    informative studies.

    >>> cells = (np.array([2.0, 9, 9, 9]), np.ones(4), np.array([8.0, 1, 1, 1]), np.ones(4))
    >>> round(strayed_from_end(Tables(("a", "b", "c", "d"), *cells)), 1)
    1.3
    """
    informative = tables.diseased > 0
    if informative.sum() < 3:
        return None
    hits, misses = tables.TP[informative] + 0.5, tables.FN[informative] + 0.5
    y, w = np.log(hits / misses), 1 / (1 / hits + 1 / misses)
    # Heterogeneity by moments (DerSimonian & Laird 1986), as good as any for weights.
    q = w @ (y - w @ y / w.sum()) ** 2
    tau2 = max(0.0, float((q - (len(y) - 1)) / (w.sum() - (w @ w) / w.sum())))
    w = 1 / (1 / w + tau2)
    off = y - w @ y / w.sum()
    distances = []
    for k in (k for k in FIRST if k < len(y)):
        first = w[:k].sum()
        distances.append((w[:k] @ off[:k]) ** 2 / (first * (1 - first / w.sum())))
    return float(np.mean(distances))


def _likeliest(
    priors: Sequence[Prior], outcomes: Sequence[Tables], reviews: Sequence[str], theta: float, source: str
) -> Prior:
    """Return the most probable of the priors and the weak one, given the outcomes; reviews weigh equally."""
    if len(outcomes) != len(reviews):
        raise InputProblem(f"There are {len(outcomes)} outcomes and {len(reviews)} names of reviews.")
    used = [
        (tables, review)
        for tables, review in zip(outcomes, reviews, strict=True)
        if (tables.diseased > 0).any()
    ]
    if not used:
        raise InputProblem(
            "No training outcome has a study with diseased patients; give tables with TP and FN."
        )
    outcomes_of = Counter(review for _, review in used)
    candidates = [Prior(), *priors]
    total = np.zeros(len(candidates))
    for tables, review in used:
        total += _log_evidences(tables, check_theta(theta), candidates) / outcomes_of[review]
    total /= len(outcomes_of)
    best = int(total.argmax())
    studies = sum(int((tables.diseased > 0).sum()) for tables, _ in used)
    gain = round(float(total[best] - total[0]), 4)
    learned_from = LearnedFrom(source, theta, len(outcomes_of), len(used), studies, gain)
    return replace(candidates[best], learned_from=learned_from)


def _log_evidences(tables: Tables, theta: float, priors: Sequence[Prior]) -> Floats:
    """Log evidence of one outcome under each of P priors, up to a constant, shape (P,)."""
    widest = max(priors, key=lambda prior: abs(prior.shift) + 4 * prior.s)
    lattice = lattice_for(tables, theta, widest)
    rows, _ = study_likelihood(tables, theta, lattice)
    with np.errstate(divide="ignore"):
        logs = np.log(rows).sum(axis=0).reshape(len(lattice.tau), len(lattice.mu))
    likelihood = np.exp(logs - logs.max())
    of_tau = lattice.tau_prior([prior.tau for prior in priors])
    of_mu = lattice.mu_prior([prior.shift for prior in priors], [prior.s for prior in priors])
    return np.asarray(np.log(((of_tau @ likelihood) * of_mu).sum(axis=1)))
