"""The value of the next studies of a review: exact for one, in closed form for any number.

A study moves the belief only through its counts, so its value is an expectation over the counts that the
posterior predicts. For one study they are enumerated. For k studies the pooled logit sensitivity is
taken to be normal before and after (:mod:`tarstop_core.value.preposterior`); n_0 is measured by what the next study is
predicted to add.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import expit, gammaln, logit, ndtri, owens_t

from tarstop_core.belief.lattice import Lattice, lattice_for
from tarstop_core.belief.prior import Prior, check_theta
from tarstop_core.belief.univariate import log_odds_path, outcome_likelihood, weights_path
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.margins import Margins, beliefs_after
from tarstop_core.value.payoffs import Depths, Floats, Payoffs
from tarstop_core.value.preposterior import chance_plus, evsi_of_studies, may_move

N1_UNSEEN = 40  # Diseased patients expected in the next study before any study is known
# A larger study is predicted as one of this size, whose own sensitivity is measured far better than any single study can
# measure the pooled one.
N1_MOST = 1000
GROUPS = 100  # Groups of counts that are distinguished in each margin, if both count
NEGLIGIBLE = 1e-6  # Weight up to which a τ is left out
LEAST_SURE = 1e-9  # How near to 0 or 1 the belief at one τ may come


def n1_next(tables: Tables) -> int:
    """Number of diseased patients expected in the next study: the median so far, 40 before any.

    >>> n1_next(Tables((), *(np.empty(0) for _ in range(4))))
    40
    """
    sizes = tables.diseased[tables.diseased > 0]
    return max(1, round(float(np.median(sizes)))) if len(sizes) else N1_UNSEEN


class EvidenceState(Protocol):
    """A state of knowledge: the belief, and what the next studies may find.

    Payoffs are those of two options; a decision among several is a sum of such (:meth:`Payoffs.neighbours`). Closed-loop
    plans predict the next study by :meth:`beliefs_after_one`. For those after it they treat the state as one normal
    distribution that is worth n_0 studies (:class:`~tarstop_core.value.knowledge.Knowledge`).
    """

    @property
    def b(self) -> float:
        """Belief in ω⁺."""

    @property
    def n_0(self) -> float:
        """Number of studies like the next one that the present knowledge is worth."""

    def evsi(self, payoffs: Payoffs) -> float:
        """Expected value of the next study, in the payoffs' unit; between 0 and EVPI(b)."""

    def beliefs_after_one(self) -> tuple[Floats, Floats] | None:
        """Beliefs after the next study and their chances, shape (outcomes,) each; None for those of the normal model.

        They are listed unless sensitivity alone decides and the prior gives a study a weight other than 1.
        """

    def worth_of_studies(self, studies: Floats | Depths, payoffs: Payoffs) -> Floats:
        """Expected value of each of these numbers of studies, rising and at least 1; between 0 and EVPI(b)."""

    def chance_above(self, studies: Floats | Depths, q_star: float) -> Floats:
        """Chance that the belief exceeds q* after each of these numbers of studies."""


class Pooling(EvidenceState, Protocol):
    """A state of knowledge about a mean that studies estimate."""

    @property
    def pooled(self) -> tuple[float, float] | None:
        """Mean and standard deviation of that mean now, if they are known."""


@dataclass(frozen=True, eq=False)
class NextStudy:
    """The counts that the next study may find, with their chances."""

    n1: int  # Diseased patients in it
    b: float  # Belief before it
    given_plus: Floats
    given_minus: Floats
    """`given_plus` and `given_minus`: chance of TP = 0 … n1 under ω⁺ and under ω⁻; each sums to 1; shape (n1 + 1,). If
    specificity counts too, of every pair of TP and TN; neighbouring counts are grouped if there are many.
    """
    n_0: float  # Number of such studies that the present knowledge is worth
    weight: float = 1.0  # Power of its likelihood (:attr:`~tarstop_core.belief.prior.Prior.weight`)
    pooled: tuple[float, float] | None = None
    """Mean and standard deviation of the pooled logit sensitivity now; None if it is unknown."""
    n2: int | None = None  # Healthy patients in it, if specificity counts too

    def evsi(self, payoffs: Payoffs) -> float:
        """Expected value of the study, in the payoffs' unit, between 0 and EVPI(b).

        Exact if its weight is 1, otherwise by :func:`evsi_of_studies`.
        """
        if self.weight != 1:
            return float(evsi_of_studies(self.b, self.n_0, 1.0, payoffs))
        # The loss of acting on the counts instead of knowing ω, summed over the counts, without cancellation.
        of_minus = self.b * self.given_plus * payoffs.wrong_minus
        of_plus = (1 - self.b) * self.given_minus * payoffs.wrong_plus
        return max(0.0, float(payoffs.evpi(self.b) - np.minimum(of_minus, of_plus).sum()))

    def beliefs_after_one(self) -> tuple[Floats, Floats] | None:
        if self.weight != 1:
            return None
        plus = self.b * self.given_plus
        chance = plus + (1 - self.b) * self.given_minus
        possible = chance > 0
        return plus[possible] / chance[possible], chance[possible]

    def worth_of_studies(self, studies: Floats | Depths, payoffs: Payoffs) -> Floats:
        return evsi_of_studies(self.b, self.n_0, studies, payoffs)

    def chance_above(self, studies: Floats | Depths, q_star: float) -> Floats:
        return chance_plus(self.b, self.n_0, studies, q_star)


@dataclass(frozen=True, eq=False)
class NextStudyOfBoth(NextStudy):
    """The next study if sensitivity and specificity both decide.

    Further studies are valued by the product of the beliefs in both margins, each by heterogeneity. Its error for one study,
    whose counts are enumerated, divided by k corrects the value of k studies.
    """

    parts: tuple[Knowledge, Knowledge] = field(kw_only=True)
    """Each margin by heterogeneity, with about the precision of a study."""
    doubts: tuple[float, float] = field(kw_only=True)
    """E[s′(1 − s′)] of the belief s′ in each margin after one study."""

    @cached_property
    def margins(self) -> Margins:
        """Both margins, matched to the information of one study, times its weight."""
        whole = Margins.matching(self.b, self.parts, self.doubts)
        first, second = (replace(margin, study=self.weight * margin.study) for margin in whole.parts)
        return Margins((first, second))

    def evsi(self, payoffs: Payoffs) -> float:
        if self.weight != 1:
            return float(self._modelled(np.ones(1), payoffs)[0])
        return super().evsi(payoffs)

    def beliefs_after_one(self) -> tuple[Floats, Floats] | None:
        if self.weight == 1 or not may_move(self.b, self.n_0, 1.0):
            return super().beliefs_after_one()
        (first, of_first), (second, of_second) = (beliefs_after(margin, 1) for margin in self.margins.parts)
        return np.outer(first, second).ravel(), np.outer(of_first, of_second).ravel()

    def worth_of_studies(self, studies: Floats | Depths, payoffs: Payoffs) -> Floats:
        (one,) = self._modelled(np.ones(1), payoffs)
        worth = self._modelled(studies, payoffs) + (self.evsi(payoffs) - one) / studies
        return np.asarray(np.clip(worth, 0.0, payoffs.evpi(self.b)))

    def chance_above(self, studies: Floats | Depths, q_star: float) -> Floats:
        if not may_move(self.b, self.n_0, 1.0):
            return chance_plus(self.b, self.n_0, studies, q_star)
        return np.clip(self.margins.beyond(studies, q_star)[1], 0.0, 1.0)

    def _modelled(self, studies: Floats | Depths, payoffs: Payoffs) -> Floats:
        """Value of these numbers of studies by the product of the margins, without the correction."""
        if not may_move(self.b, self.n_0, 1.0):
            return np.zeros(len(studies))
        return np.clip(payoffs.K * self.margins.beyond(studies, payoffs.q_star)[0], 0.0, payoffs.evpi(self.b))


def next_studies(
    tables: Tables,
    theta: float,
    prior: Prior | None = None,
    theta_sp: float | None = None,
    *,
    beliefs: ArrayLike | None = None,
    n1: int | None = None,
    last_only: bool = False,
) -> list[NextStudy]:
    """Return what the next study may find after 0 … n studies, with all counts enumerated.

    Parameters
    ----------
    tables : Tables
        2×2 tables of n studies, in the order in which they came.
    theta : float
        Threshold on pooled sensitivity, in (0, 1).
    prior : Prior, optional
        What is believed before any study; the weak default without one.
    theta_sp : float, optional
        Threshold that pooled specificity is to exceed as well, in (0, 1).
    beliefs : array_like, shape (n + 1,), optional
        Beliefs of another engine: they say how likely ω⁺ is, while what a study finds under ω⁺ and under ω⁻ comes from the
        univariate posterior.
    n1 : int, optional
        Diseased patients of the next study; without it :func:`n1_next` of each prefix.
    last_only : bool
        Whether only the study after all n is wanted; `beliefs` then has length 1.

    Returns
    -------
    list of NextStudy
        After 0 … n studies, or after all n alone.

    Raises
    ------
    InputProblem
        When there are not as many beliefs as are needed.

    Notes
    -----
    n_0 = v/v_1 − 1, v the variance of μ and v_1 that of its posterior mean over the next study's counts
    (Ades, Lu & Claxton 2004, doi 10.1177/0272989X04263162; Jalal & Alarid-Escudero 2018, doi
    10.1177/0272989X17715627).
    """
    prior = prior or Prior()
    if theta_sp is not None:
        return _studies_of_both(tables, (theta, theta_sp), prior, beliefs=beliefs, n1=n1, last_only=last_only)
    lattice = lattice_for(tables, check_theta(theta), prior)
    first = len(tables) if last_only else 0
    weights = weights_path(tables, theta, prior, lattice)[first:]
    if beliefs is None:
        b = np.asarray(expit(log_odds_path(tables, theta, prior, last_only=last_only)))
    else:
        b = np.asarray(beliefs, dtype=float)
    if b.shape != (len(weights),):
        raise InputProblem(
            f"There are {len(b)} beliefs for {len(tables)} studies; {len(weights)} are needed."
        )
    # Distribution of the next u, with μ below λ, with μ above λ, and weighted by μ: three columns a prefix.
    above = lattice.above
    cube = weights.reshape(len(weights), len(lattice.tau), 1, len(lattice.mu))
    columns = (cube * np.stack((1 - above, above, lattice.mu))).transpose(1, 3, 2, 0)
    ahead = (lattice.kernel @ columns.reshape(lattice.kernel.shape[1], -1)).reshape(len(lattice.u), 3, -1)
    of_mu = lattice.over_mu(weights)
    mean = of_mu @ lattice.mu
    v = of_mu @ lattice.mu**2 - mean**2

    sizes = [n1_next(tables.first(n)) if n1 is None else n1 for n in range(first, len(tables) + 1)]
    binomial = {size: _binomial(min(size, N1_MOST), theta, lattice) for size in set(sizes)}
    studies = []
    for n, size in enumerate(sizes):
        minus, plus, mu = (binomial[size] @ ahead[:, :, n]).T
        chance = minus + plus
        possible = chance > 0
        v_1 = float((mu[possible] ** 2 / chance[possible]).sum() - mean[n] ** 2)
        # A study with a smaller weight is worth less, so present knowledge is worth more of them.
        n_0 = max(0.0, float(v[n]) / v_1 - 1) / prior.weight if v_1 > 1e-12 else math.inf
        pooled = float(logit(theta) + mean[n]), math.sqrt(max(0.0, float(v[n])))
        studies.append(
            NextStudy(
                size, float(b[n]), _shares(plus), _shares(minus), n_0, weight=prior.weight, pooled=pooled
            )
        )
    return studies


def _studies_of_both(
    tables: Tables,
    thetas: tuple[float, float],
    prior: Prior,
    *,
    beliefs: ArrayLike | None,
    n1: int | None,
    last_only: bool,
) -> list[NextStudy]:
    """Return the next studies if ω⁺ needs sensitivity and specificity, with the counts of each predicted separately.

    The belief then comes from no single pooled logit, so n_0 is that of the normal model in which one study leaves the same
    doubt, E[b'(1 − b')], as the counts do.
    """
    of_sensitivity, of_specificity = prior.margins
    sensitivity = next_studies(tables, thetas[0], of_sensitivity, n1=n1, last_only=last_only)
    specificity = next_studies(tables.turned, thetas[1], of_specificity, last_only=last_only)
    b = [se.b * sp.b for se, sp in zip(sensitivity, specificity, strict=True)] if beliefs is None else beliefs
    now = np.asarray(b, dtype=float)
    if now.shape != (len(sensitivity),):
        raise InputProblem(
            f"There are {len(now)} beliefs for {len(tables)} studies; {len(sensitivity)} are needed."
        )
    parts = (
        _by_tau(tables, thetas[0], of_sensitivity, sensitivity),
        _by_tau(tables.turned, thetas[1], of_specificity, specificity),
    )
    studies: list[NextStudy] = []
    for at, (b_now, se, sp) in enumerate(zip(now.tolist(), sensitivity, specificity, strict=True)):
        (se_plus, se_minus), (sp_plus, sp_minus) = _grouped(se), _grouped(sp)
        plus = np.outer(se_plus, sp_plus).ravel()
        # ω⁻ is that sensitivity is too low, or that only specificity is.
        too_low = np.outer((1 - se.b) * se_minus, sp.b * sp_plus + (1 - sp.b) * sp_minus)
        minus = _shares(too_low.ravel() + np.outer(se.b * se_plus, (1 - sp.b) * sp_minus).ravel())
        n_0 = _matching_n_0(b_now, plus, minus) / prior.weight
        studies.append(
            NextStudyOfBoth(
                se.n1, b_now, plus, minus, n_0, prior.weight, se.pooled, n2=sp.n1,
                parts=(parts[0][at], parts[1][at]),
                doubts=(_doubt(se.b, se.given_plus, se.given_minus), _doubt(sp.b, sp.given_plus, sp.given_minus)),
            )
        )  # fmt: skip
    return studies


def _grouped(study: NextStudy) -> tuple[Floats, Floats]:
    """Chances of the counts of one margin under ω⁺ and ω⁻; neighbouring counts are grouped if there are many."""
    starts = np.unique(np.linspace(0, len(study.given_plus), GROUPS, endpoint=False).astype(int))
    return np.add.reduceat(study.given_plus, starts), np.add.reduceat(study.given_minus, starts)


def _matching_n_0(b: float, plus: Floats, minus: Floats) -> float:
    """Return the n_0 of the normal model in which the next study leaves the same doubt as these outcomes.

    In that model E[b'(1 − b')] = 2·T(Φ⁻¹(b), √(n_0/(n_0 + 2))), in Owen's T, which rises in its second argument.
    """
    doubt, a = _doubt(b, plus, minus), float(ndtri(b))
    if doubt >= b * (1 - b) * (1 - 1e-12):
        return math.inf
    x = brentq(lambda x: 2 * owens_t(a, x) - doubt, 0.0, 1.0)
    return 2 * x**2 / (1 - x**2)


def _doubt(b: float, plus: Floats, minus: Floats) -> float:
    """E[b'(1 − b')] after a study whose outcomes have these chances under ω⁺ and ω⁻."""
    chance = b * plus + (1 - b) * minus
    return float(
        np.divide(b * plus * (1 - b) * minus, chance, out=np.zeros_like(chance), where=chance > 0).sum()
    )


def _by_tau(tables: Tables, theta: float, prior: Prior, studies: Sequence[NextStudy]) -> list[Knowledge]:
    """Return what is known of one margin, by heterogeneity, before each of these studies."""
    lattice = lattice_for(tables, theta, prior)
    rows = weights_path(tables, theta, prior, lattice)[-len(studies) :]
    margin = []
    for row, study in zip(rows.reshape(len(rows), len(lattice.tau), -1), studies, strict=True):
        assert study.pooled is not None, "a study of one margin knows what is pooled"
        kept = row.sum(axis=1) > NEGLIGIBLE
        weight, tau, share = row[kept].sum(axis=1), lattice.tau[kept], expit(study.pooled[0])
        of_mu = row[kept] / weight[:, None]
        sd = np.sqrt(of_mu @ lattice.mu**2 - (of_mu @ lattice.mu) ** 2)
        mean = sd * ndtri(np.clip(of_mu @ lattice.above, LEAST_SURE, 1 - LEAST_SURE))
        within = 1 / (study.n1 * share * (1 - share))
        margin.append(Knowledge(weight / weight.sum(), mean, sd**-2.0, 1 / (tau**2 + within)))
    return margin


def _binomial(n1: int, theta: float, lattice: Lattice) -> Floats:
    """Chance of TP = 0 … n1 in each cell of u, shape (n1 + 1, U); columns sum to 1."""
    TP = np.arange(n1 + 1.0)
    rows, log_scale = outcome_likelihood(TP, n1 - TP, theta, lattice)
    ways = gammaln(n1 + 1) - gammaln(TP + 1) - gammaln(n1 - TP + 1)
    return np.asarray(rows * np.exp(log_scale + ways)[:, None])


def _shares(weight: Floats) -> Floats:
    """Scale weights to sum to 1; if all are 0, because ω is impossible, return even shares, which then have no effect."""
    total = weight.sum()
    return weight / total if total > 0 else np.full_like(weight, 1 / len(weight))
