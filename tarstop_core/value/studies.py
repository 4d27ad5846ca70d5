"""What the next studies of a review are worth: exact for one, in closed form for any number.

A study moves the belief only through its counts, so its worth is an expectation over counts that the
posterior itself predicts. For one study they are enumerated. For k studies the pooled logit sensitivity is
taken to be normal before and after, and a single number then says all that matters: n_0, how many studies
the present knowledge is worth, measured by what the next study is predicted to add.
"""

import math
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import expit, gammaln, logit, ndtr, ndtri, owens_t

from tarstop_core.belief.lattice import Lattice, lattice_for
from tarstop_core.belief.prior import Prior, check_theta
from tarstop_core.belief.univariate import log_odds_path, outcome_likelihood, weights_path
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tarstop_core.value.payoffs import TOLERANCE, Flags, Floats, Payoffs

N1_UNSEEN = 40  # diseased patients of the next study while none has been seen
# A larger study is predicted as one of this size: it already tells its own sensitivity far better
# than any one study can tell the pooled one.
N1_MOST = 1000
# Of counts of both groups at once this many of each are distinguished.
GROUPS = 100


def n1_next(tables: Tables) -> int:
    """Diseased patients expected in the next study: the median so far, 40 before any.

    >>> n1_next(Tables((), *(np.empty(0) for _ in range(4))))
    40
    """
    seen = tables.diseased[tables.diseased > 0]
    return max(1, round(float(np.median(seen)))) if len(seen) else N1_UNSEEN


class Known(Protocol):
    """A state of knowledge: what is believed, and what the next study may find.

    One that has a `mixture` (:class:`~tarstop_core.value.knowledge.Knowledge`) is not taken as one normal distribution
    where more than one study is weighed.
    """

    @property
    def b(self) -> float:
        """Belief."""

    @property
    def n_0(self) -> float:
        """How many studies like the next one this is worth."""

    def evsi(self, payoffs: Payoffs) -> float:
        """Expected value of the next study, in the payoffs' unit; between 0 and EVPI(b)."""


class Pooling(Known, Protocol):
    """A state of knowledge about a mean that studies estimate."""

    @property
    def pooled(self) -> tuple[float, float] | None:
        """Mean and standard deviation of that mean now, where somebody knows them."""


@dataclass(frozen=True, eq=False)
class NextStudy:
    """What the next study may find."""

    n1: int  # Its diseased patients
    b: float  # Belief before it
    given_plus: Floats
    given_minus: Floats
    """`given_plus` and `given_minus`: chance of TP = 0 … n1 under ω⁺ and under ω⁻; each sums to 1; shape (n1 + 1,). Where
    specificity counts too, of every TP with every TN, or of neighbouring counts together where these are many.
    """
    n_0: float  # How many studies like this one the present knowledge is worth
    weight: float = 1.0  # How much of it counts (:attr:`~tarstop_core.belief.prior.Prior.weight`)
    pooled: tuple[float, float] | None = None
    """Mean and standard deviation of the pooled logit sensitivity now, where a session or an experiment has it."""
    n2: int | None = None  # Its healthy patients, where specificity counts too

    def evsi(self, payoffs: Payoffs) -> float:
        """Expected value of the study, in the payoffs' unit; between 0 and EVPI(b): exact where all of it counts, else by
        :func:`evsi_of_studies`.
        """
        if self.weight != 1:
            return float(evsi_of_studies(self.b, self.n_0, 1.0, payoffs))
        # What acting on the counts loses to knowing ω, summed over the counts: nothing cancels.
        of_minus = self.b * self.given_plus * payoffs.wrong_minus
        of_plus = (1 - self.b) * self.given_minus * payoffs.wrong_plus
        return max(0.0, float(payoffs.evpi(self.b) - np.minimum(of_minus, of_plus).sum()))


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
    """The study that may follow after 0 … n studies, exactly enumerated.

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
        Beliefs of the session where another engine made them: what a study finds under ω⁺ and under ω⁻ comes from the
        univariate posterior, how likely ω⁺ and ω⁻ are from these.
    n1 : int, optional
        Diseased patients of the next study; without it :func:`n1_next` of each prefix.
    last_only : bool
        Whether only the study after all n is wanted; `beliefs` then has length 1.

    Returns
    -------
    list of NextStudy
        n + 1 of them, or one with `last_only`.

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
    # Where the next u may lie, with μ below λ, with μ above λ, and weighted by μ: three columns a prefix.
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
        # A study that counts less is worth as much less: the more of them is what is known.
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
    """Studies to come where ω⁺ asks for sensitivity and specificity, whose counts are predicted each by itself.

    No single pooled logit is behind the belief then, so n_0 is that of the normal model in which one study leaves as much
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
    studies = []
    for b_now, se, sp in zip(now.tolist(), sensitivity, specificity, strict=True):
        (se_plus, se_minus), (sp_plus, sp_minus) = _grouped(se), _grouped(sp)
        plus = np.outer(se_plus, sp_plus).ravel()
        # ω⁻ is that sensitivity is too low, or that only specificity is.
        too_low = np.outer((1 - se.b) * se_minus, sp.b * sp_plus + (1 - sp.b) * sp_minus)
        minus = _shares(too_low.ravel() + np.outer(se.b * se_plus, (1 - sp.b) * sp_minus).ravel())
        n_0 = _matching_n_0(b_now, plus, minus) / prior.weight
        studies.append(replace(se, b=b_now, given_plus=plus, given_minus=minus, n_0=n_0, n2=sp.n1))
    return studies


def _grouped(study: NextStudy) -> tuple[Floats, Floats]:
    """Chances of the counts of one margin under ω⁺ and ω⁻, of neighbouring counts together where these are many."""
    starts = np.unique(np.linspace(0, len(study.given_plus), GROUPS, endpoint=False).astype(int))
    return np.add.reduceat(study.given_plus, starts), np.add.reduceat(study.given_minus, starts)


def _matching_n_0(b: float, plus: Floats, minus: Floats) -> float:
    """How many studies the normal model takes the present knowledge to be worth where the next one leaves the same doubt.

    In that model E[b'(1 − b')] = 2·T(Φ⁻¹(b), √(n_0/(n_0 + 2))), in Owen's T, which rises in its second argument.
    """
    chance = b * plus + (1 - b) * minus
    doubt = float(
        np.divide(b * plus * (1 - b) * minus, chance, out=np.zeros_like(chance), where=chance > 0).sum()
    )
    a = float(ndtri(b))
    if doubt >= b * (1 - b) * (1 - 1e-12):
        return math.inf
    x = brentq(lambda x: 2 * owens_t(a, x) - doubt, 0.0, 1.0)
    return 2 * x**2 / (1 - x**2)


def _binomial(n1: int, theta: float, lattice: Lattice) -> Floats:
    """Chance of TP = 0 … n1 in each cell of u, shape (n1 + 1, U); columns sum to 1."""
    TP = np.arange(n1 + 1.0)
    rows, log_scale = outcome_likelihood(TP, n1 - TP, theta, lattice)
    ways = gammaln(n1 + 1) - gammaln(TP + 1) - gammaln(n1 - TP + 1)
    return np.asarray(rows * np.exp(log_scale + ways)[:, None])


def _shares(weight: Floats) -> Floats:
    """Scaled to sum to 1; where ω is impossible and nothing is left, even shares, which count for nothing."""
    total = weight.sum()
    return weight / total if total > 0 else np.full_like(weight, 1 / len(weight))


def evsi_of_studies(b: ArrayLike, n_0: ArrayLike, k: ArrayLike, payoffs: Payoffs) -> Floats:
    """Expected value of k more studies and then acting.

    Parameters
    ----------
    b : array_like
        Belief now, in [0, 1].
    n_0 : array_like
        How many studies the present knowledge is worth.
    k : array_like
        How many studies more. All three broadcast.
    payoffs : Payoffs
        What right and wrong decisions bring.

    Returns
    -------
    ndarray
        In the payoffs' unit, between 0 and EVPI(b).

    Notes
    -----
    The worth of a random number of studies is an expectation over it (:mod:`tarstop_core.value.cumulative`), not the worth
    of its mean.

    Preposterior normal theory (Ades, Lu & Claxton 2004; Jalal & Alarid-Escudero 2018; Heath, Manolopoulou
    & Baio 2018, doi 10.1177/0272989X18788346): k studies move the posterior mean of μ with correlation
    r = √(k/(k + n_0)) to μ. With a = Φ⁻¹(b) and e = (a − √(1−r²)·Φ⁻¹(q*))/r, the belief ends above q* with
    chance Φ(e), and EVSI/K = Φ₂(a, e; r) − q*·Φ(e) − (b − q*)⁺. The bivariate normal is written with Owen's T.

    Examples
    --------
    >>> evsi_of_studies(0.5, 2.0, [0, 1, 10], Payoffs.from_q_star(0.5)).round(3)
    array([0.   , 0.098, 0.183])
    """
    b, n_0, k = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (b, n_0, k)))
    a, e, r = _threshold(b, n_0, k, payoffs.q_star)
    z = float(ndtri(payoffs.q_star))
    both = (b + ndtr(e)) / 2 - owens_t(a, (a * np.sqrt(1 - r**2) - z) / (r * a)) - owens_t(e, z / e)
    both -= np.where(a * e < 0, 0.5, 0.0)
    gain = payoffs.K * (both - payoffs.q_star * ndtr(e) - np.maximum(0.0, b - payoffs.q_star))
    return np.where(_may_move(b, n_0, k), np.clip(gain, 0.0, payoffs.evpi(b)), 0.0)


def worth_of_short_plans(rho: Floats, of_studies: Floats) -> Floats:
    """Expected worth of the studies that 1, 2 … M documents bring, from each depth on, shape (M, D).

    `rho` are the chances of all documents to bring one, shape (N,), and `of_studies` what 1, 2 … M studies are worth at the
    first D depths, shape (D, M). Of documents that differ in their chances the number of studies is Poisson binomial.

    >>> worth_of_short_plans(np.array([0.5, 0.2]), np.array([[1.0, 1.5]])).round(2).ravel()
    array([0.5 , 0.65])
    """
    end, most = of_studies.shape
    rho = np.append(rho, np.zeros(most))
    turn_up, worth = np.zeros((most + 1, end)), np.empty((most, end))
    turn_up[0] = 1.0
    for m in range(most):
        chance = rho[m : m + end]
        one_more = turn_up[:-1] * chance
        turn_up *= 1 - chance
        turn_up[1:] += one_more
        worth[m] = (turn_up[1:].T * of_studies).sum(axis=1)
    return worth


def chance_otherwise(b: ArrayLike, n_0: ArrayLike, k: ArrayLike, q_star: float) -> Floats:
    """Chance that k more studies lead to the other action, by the theory of :func:`evsi_of_studies`.

    Parameters
    ----------
    b : array_like
        Belief now, in [0, 1].
    n_0 : array_like
        How many studies the present knowledge is worth.
    k : array_like
        How many studies more. All three broadcast.
    q_star : float
        Threshold belief above which a⁺ is chosen.

    Returns
    -------
    ndarray
        Chances; with k infinite and q* = ½ the chance that the state is not the one that is believed.

    Examples
    --------
    >>> chance_otherwise(0.7, 2.0, [0, 1, 100], 0.5).round(2)
    array([0.  , 0.18, 0.3 ])
    """
    plus, chosen = chance_plus(b, n_0, k, q_star), np.asarray(b, dtype=float) > q_star + TOLERANCE
    return np.where(chosen, 1 - plus, plus)


def chance_plus(b: ArrayLike, n_0: ArrayLike, k: ArrayLike, q_star: float) -> Floats:
    """Chance that the belief exceeds q* after k more studies, by the theory of :func:`evsi_of_studies`.

    Parameters
    ----------
    b : array_like
        Belief now, in [0, 1].
    n_0 : array_like
        How many studies the present knowledge is worth.
    k : array_like
        How many studies more. All three broadcast.
    q_star : float
        Threshold belief above which a⁺ is chosen.

    Returns
    -------
    ndarray
        Chances.

    Examples
    --------
    >>> chance_plus(0.7, 2.0, [0, 1, 100], 0.5).round(2)
    array([1.  , 0.82, 0.7 ])
    """
    b, n_0, k = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (b, n_0, k)))
    now = (b > q_star + TOLERANCE).astype(float)
    return np.where(_may_move(b, n_0, k), ndtr(_threshold(b, n_0, k, q_star)[1]), now)


def _may_move(b: Floats, n_0: Floats, k: Floats) -> Flags:
    return np.asarray((k > 0) & np.isfinite(n_0) & (b > 0) & (b < 1))


def _threshold(b: Floats, n_0: Floats, k: Floats, q_star: float) -> tuple[Floats, Floats, Floats]:
    """a, e and r of :func:`evsi_of_studies`; harmless numbers where nothing can move."""
    moves = _may_move(b, n_0, k)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(np.isinf(k), 1.0, k / (k + n_0))
    r = np.sqrt(np.clip(np.where(moves, share, 0.5), 1e-300, 1 - 1e-12))
    a = ndtri(np.where(moves, b, 0.5))
    a = np.where(np.abs(a) < 1e-12, 1e-12, a)  # both are divided by; the value is continuous there
    e = (a - np.sqrt(1 - r**2) * ndtri(q_star)) / r
    return a, np.where(np.abs(e) < 1e-12, 1e-12, e), r
