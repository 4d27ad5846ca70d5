"""The decision to treat nobody, everybody, or those with a positive test."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv, betaln, expit, log_expit, logit, ndtr, ndtri
from typing_extensions import TypedDict  # below Python 3.12 the checks take this one only

from tarstop_core.effects.roots import roots
from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.checks import best_of, check_covariance, check_numbers
from tarstop_core.value.actions.lines import Values, best_between, normal_density
from tarstop_core.value.actions.population import Concerned
from tarstop_core.value.actions.psa import ParameterDraws
from tarstop_core.value.actions.sampling import Study
from tarstop_core.value.payoffs import Floats

ACTIONS = ("none", "all", "test")
ACCURACY = "sensitivity + specificity"  # What a study of diseased and healthy people measures
REACH = 9.0  # Standard deviations over which normals are integrated
PANELS, PANEL_NODES = 12, 16  # Panels of an integral, and nodes in each
INNER_NODES = 64  # Nodes beyond the border between two actions
TAIL = 1e-15  # Chance of a prevalence outside the integral, at either end
SEARCH = 2001  # Points between which borders are searched for
DRAWS_POWER = 12  # The value of studies is computed from 2 to this power draws


class Beta(TypedDict):
    """An uncertain prevalence, with the two parameters of its Beta distribution."""

    beta: tuple[float, float]


class Nodes(NamedTuple):
    """Points and weights that integrate over a distribution."""

    x: Floats
    weight: Floats


@dataclass(frozen=True, kw_only=True)
class TreatByTest:
    """Net benefit per person of treating nobody, everybody, or those whose test is positive.

    none = 0, all = p·B − (1−p)·H, test = p·Se·B − (1−p)·(1−Sp)·H − cost. (logit Se, logit Sp) are bivariate normal; the
    prevalence p is known or has a Beta distribution of its own.

    Examples
    --------
    >>> test = TreatByTest(
    ...     mu_logit_se=1, mu_logit_sp=1.2, cov=[[0.25, -0.08], [-0.08, 0.3]], prevalence={"beta": (9, 51)},
    ...     benefit_treated_diseased=1000, harm_treated_healthy=180, cost_test=45,
    ... )
    >>> values = test.values()
    >>> values["best"], round(values["evppi_prev"], 4)
    ('test', 4.8349)
    """

    kind: ClassVar[str] = "test_treat"
    mu_logit_se: float
    mu_logit_sp: float
    cov: Sequence[Sequence[float]]
    prevalence: float | Beta
    benefit_treated_diseased: float
    harm_treated_healthy: float
    cost_test: float = 0.0  # Its harm included
    annual_population: float | None = None
    years: float | None = None
    rate: float = 0.0
    thresholds: Sequence[float] = ()  # Chances of disease from which one would treat, for the decision curve

    def __post_init__(self) -> None:
        check_numbers(self, above=("benefit_treated_diseased", "harm_treated_healthy"), from_0=("cost_test",))
        if np.linalg.det(check_covariance(self.cov, 2, "cov")) <= 0:
            raise InputProblem(
                "cov gives sensitivity or specificity no uncertainty; give both a variance above 0."
            )
        if isinstance(self.prevalence, dict):
            if not all(math.isfinite(x) and x > 0 for x in self.prevalence["beta"]):
                raise InputProblem("prevalence.beta contains a number that is not above 0; give two above 0.")
        elif not 0 < self.prevalence < 1:
            raise InputProblem(f"prevalence is {self.prevalence:g}; give a number between 0 and 1.")
        if (self.annual_population is None) != (self.years is None):
            raise InputProblem("annual_population and years belong together; give both or neither.")
        if any(not 0 < threshold < 1 for threshold in self.thresholds):
            raise InputProblem("thresholds contains a number that is not between 0 and 1; leave it out.")

    @property
    def covariance(self) -> Floats:
        """Covariance of (logit Se, logit Sp), shape (2, 2)."""
        return np.array(self.cov, dtype=np.float64)

    @property
    def mean_prevalence(self) -> float:
        """Expected prevalence."""
        if isinstance(self.prevalence, dict):
            a, b = self.prevalence["beta"]
            return a / (a + b)
        return self.prevalence

    @cached_property
    def mean_se(self) -> float:
        """Expected sensitivity."""
        return float(_mean_expit(self.mu_logit_se, math.sqrt(self.covariance[0, 0])))

    @cached_property
    def mean_sp(self) -> float:
        """Expected specificity."""
        return float(_mean_expit(self.mu_logit_sp, math.sqrt(self.covariance[1, 1])))

    def net_benefit(self, se: ArrayLike, sp: ArrayLike, p: ArrayLike) -> Floats:
        """Net benefit per person of each action.

        Parameters
        ----------
        se, sp, p : array_like
            Sensitivity, specificity and prevalence, in [0, 1]; they broadcast.

        Returns
        -------
        ndarray
            Net benefits of none, all and test along the last axis.
        """
        se, sp, p = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (se, sp, p)))
        benefit, harm = self.benefit_treated_diseased, self.harm_treated_healthy
        everybody = p * benefit - (1 - p) * harm
        tested = p * se * benefit - (1 - p) * (1 - sp) * harm - self.cost_test
        return np.stack([np.zeros_like(everybody), everybody, tested], axis=-1)

    def evppi_of_accuracy(self, p: float) -> float:
        """EVPPI of sensitivity and specificity together at a prevalence, per person."""
        now = self.net_benefit(self.mean_se, self.mean_sp, p)
        return max(0.0, float(self._with_accuracy(np.array([p]))[0][0] - now.max()))

    def _with_accuracy(self, p: Floats) -> tuple[Floats, Floats]:
        """E[net benefit of the best action] over sensitivity and specificity, and the chance that it is the test; shape of p.

        The lead of the test is integrated over the specificities at which it is the best action.
        """
        nodes = _normal_nodes()
        s_1, s_2 = np.sqrt(np.diag(self.covariance))
        r = self.covariance[0, 1] / (s_1 * s_2)
        se = expit(self.mu_logit_se + s_1 * nodes.x)
        mean, sd = self.mu_logit_sp + r * s_2 * nodes.x, s_2 * math.sqrt(1 - r**2)
        of_others = self.net_benefit(0.0, 0.0, p)[:, :2].max(axis=-1)
        harm = (1 - p[:, None]) * self.harm_treated_healthy
        missing = of_others[:, None] + self.cost_test + harm - p[:, None] * se * self.benefit_treated_diseased
        with np.errstate(divide="ignore"):
            border = (logit(np.clip(missing / harm, 0.0, 1.0)) - mean) / sd
        border = np.clip(border, -REACH, REACH)
        node, weight = np.polynomial.legendre.leggauss(INNER_NODES)
        half = (REACH - border) / 2
        z = border[..., None] + half[..., None] * (1 + node)
        lead = harm[..., None] * expit(mean[:, None] + sd * z) - missing[..., None]
        ahead = (np.maximum(0.0, lead) * normal_density(z) * weight).sum(axis=-1) * half
        return np.asarray(of_others + ahead @ nodes.weight), np.asarray(ndtr(-border) @ nodes.weight)

    def _evppi_of_one(self, at: int, p: float) -> float:
        """EVPPI of sensitivity (0) or specificity (1) alone at a prevalence, per person."""
        s = np.sqrt(np.diag(self.covariance))
        r = self.covariance[0, 1] / (s[0] * s[1])
        mean = (self.mu_logit_se, self.mu_logit_sp)
        other = 1 - at

        def lead(z: Floats) -> Floats:
            """Expected lead of the test over the others if the accuracy is z standard deviations from its mean."""
            accuracy = [np.empty(0), np.empty(0)]
            accuracy[at] = expit(mean[at] + s[at] * z)
            accuracy[other] = _mean_expit(mean[other] + r * s[other] * z, s[other] * math.sqrt(1 - r**2))
            net = self.net_benefit(accuracy[0], accuracy[1], p)
            return np.asarray(net[..., 2] - net[..., :2].max(axis=-1))

        now = float(self.net_benefit(self.mean_se, self.mean_sp, p)[2]) - float(
            self.net_benefit(0.0, 0.0, p)[:2].max()
        )
        nodes = _normal_nodes(_roots(lead))
        return max(0.0, float(np.maximum(0.0, lead(nodes.x)) @ nodes.weight) - max(0.0, now))

    def _evppi_of_prevalence(self, a: float, b: float) -> float:
        """EVPPI of a Beta(a, b) prevalence: net benefits are lines in it, so Beta integrals between crossings are exact."""
        at_0, at_1 = self.net_benefit(self.mean_se, self.mean_sp, [0.0, 1.0])
        now = at_0 + (at_1 - at_0) * a / (a + b)
        best = int(now.argmax())
        ahead, steeper = at_0 - at_0[best], (at_1 - at_0) - (at_1 - at_0)[best]
        lower, upper = np.clip(best_between(at_0, at_1 - at_0), 0.0, 1.0)
        chosen = lower < upper
        chance = betainc(a, b, upper) - betainc(a, b, lower)
        part = (betainc(a + 1, b, upper) - betainc(a + 1, b, lower)) * a / (a + b)
        return max(0.0, float((ahead * chance + steeper * part)[chosen].sum()))

    def _evpi(self, a: float, b: float) -> float:
        """EVPI per person if the prevalence is Beta(a, b)."""
        turns_at = self.harm_treated_healthy / (self.harm_treated_healthy + self.benefit_treated_diseased)
        p, weight = _beta_nodes(a, b, turns_at)
        now = self.net_benefit(self.mean_se, self.mean_sp, a / (a + b))
        return max(0.0, float(self._with_accuracy(p)[0] @ weight) - float(now.max()))

    def chance_best(self) -> Floats:
        """Chance that each action is the best: none, all and test, shape (3,)."""
        turns_at = self.harm_treated_healthy / (self.harm_treated_healthy + self.benefit_treated_diseased)
        p, weight = np.array([self.mean_prevalence]), np.ones(1)
        if isinstance(self.prevalence, dict):
            p, weight = _beta_nodes(*self.prevalence["beta"], turns_at)
        of_test = self._with_accuracy(p)[1]
        all_better = p > turns_at
        shares = np.stack([(1 - of_test) * ~all_better, (1 - of_test) * all_better, of_test])
        return np.asarray(shares @ weight)

    @cached_property
    def draws(self) -> ParameterDraws:
        """Quasi-random draws of sensitivity, specificity and prevalence, with the net benefits they give."""
        from scipy.stats import qmc  # slow to import, seldom needed

        even = qmc.Sobol(3, rng=0).random_base2(DRAWS_POWER)
        z = ndtri(even[:, :2]) @ np.linalg.cholesky(self.covariance).T
        se, sp = expit(self.mu_logit_se + z[:, 0]), expit(self.mu_logit_sp + z[:, 1])
        p = np.full(len(se), self.mean_prevalence)
        if isinstance(self.prevalence, dict):
            p = betaincinv(*self.prevalence["beta"], even[:, 2])
        parameters = {"sensitivity": se, "specificity": sp} | (
            {} if isinstance(self.prevalence, float) else {"prevalence": p}
        )
        net = self.net_benefit(se, sp, p).T
        return ParameterDraws(
            net_benefit={action: column.tolist() for action, column in zip(ACTIONS, net, strict=True)},
            parameters={name: column.tolist() for name, column in parameters.items()},
        )

    def evsi_of(self, study: Study, n: Floats, studies: int = 1) -> Floats:
        """Expected value per person of studies, by draws.

        Parameters
        ----------
        study : Study
            A study of sensitivity, specificity or prevalence, or of :data:`ACCURACY`, in which people are diseased as often
            as the mean prevalence says.
        n : ndarray
            People in each study.
        studies : int
            Number of studies.

        Returns
        -------
        ndarray
            EVSI, shape of n.
        """
        if study.measures != ACCURACY:
            return self.draws.evsi_of(study, n, studies)
        p, parameters = self.mean_prevalence, self.draws.parameters or {}
        x = np.array([parameters[name] for name in ("sensitivity", "specificity")])
        mean, now = x.mean(axis=1), np.cov(x, bias=True)
        noise = np.zeros((len(n), 2, 2))
        for at, people in enumerate((n * p, n * (1 - p))):
            part = study.resolved(float(mean[at]), float(now[at, at]), people, studies)
            noise[:, at, at] = now[at, at] * (1 / part - 1)
        # Posterior means have the covariance Σ(Σ + N)⁻¹Σ, so the draws are moved to have it.
        moves = np.linalg.cholesky(now @ np.linalg.inv(now + noise) @ now) @ np.linalg.inv(
            np.linalg.cholesky(now)
        )
        moved = mean[:, None] + moves @ (x - mean[:, None])
        net = self.net_benefit(moved[:, 0], moved[:, 1], p)
        gain = net.max(axis=-1).mean(axis=-1) - net.mean(axis=1).max(axis=-1)
        return np.asarray(np.clip(gain, 0.0, self.evppi_of_accuracy(p)))

    def values(self) -> Values:
        """Net benefits, best action, EVPI and EVPPI per person; EVPI for everyone and the decision curve if asked for."""
        p = self.mean_prevalence
        now = self.net_benefit(self.mean_se, self.mean_sp, p)
        both = self.evppi_of_accuracy(p)
        evppi: Values = {"evppi_se": self._evppi_of_one(0, p), "evppi_sp": self._evppi_of_one(1, p)}
        evppi |= {"evppi_se_sp": both}
        evpi = both
        if isinstance(self.prevalence, dict):
            evpi = self._evpi(*self.prevalence["beta"])
            evppi |= {"evppi_prev": self._evppi_of_prevalence(*self.prevalence["beta"])}
        values: Values = {
            "net_benefit_none_all_test": now.tolist(),
            **best_of(now, ACTIONS),
            "evpi": evpi,
            **evppi,
        }
        values |= {"mean_se": self.mean_se, "mean_sp": self.mean_sp}
        if self.annual_population is not None and self.years is not None:
            concerned = Concerned(annual_population=self.annual_population, years=self.years, rate=self.rate)
            values |= {"population_evpi_start_of_year": evpi * concerned.people("start_of_year")}
        return (
            values | {"decision_curve": self.decision_curve(self.thresholds)} if self.thresholds else values
        )

    def decision_curve(self, thresholds: Sequence[float]) -> dict[str, list[float]]:
        """Net benefit of each action in true positives per person, at each threshold probability t.

        A false positive counts as −t/(1−t) true positives, and the cost of the test as a share of the benefit of treatment
        (Vickers & Elkin 2006).
        """
        threshold = np.asarray(thresholds, dtype=np.float64)
        p, odds = self.mean_prevalence, threshold / (1 - threshold)
        cost = self.cost_test / self.benefit_treated_diseased
        curves = {
            "threshold": threshold,
            "none": np.zeros_like(threshold),
            "all": p - (1 - p) * odds,
            "test": p * self.mean_se - (1 - p) * (1 - self.mean_sp) * odds - cost,
        }
        return {name: curve.tolist() for name, curve in curves.items()}


def _panels(edges: ArrayLike) -> Nodes:
    """Gauss–Legendre nodes in each interval between sorted edges."""
    edges = np.asarray(edges, dtype=np.float64)
    node, weight = np.polynomial.legendre.leggauss(PANEL_NODES)
    half = np.diff(edges)[:, None] / 2
    return Nodes((edges[:-1, None] + half * (1 + node)).ravel(), (half * weight).ravel())


def _normal_nodes(borders: ArrayLike = ()) -> Nodes:
    """Nodes of a standard normal, with panels that end at the borders."""
    x, weight = _panels(np.sort(np.append(np.linspace(-REACH, REACH, PANELS + 1), borders)))
    return Nodes(x, weight * normal_density(x))


def _beta_nodes(a: float, b: float, border: float) -> Nodes:
    """Nodes of a Beta distribution on the logit scale, where its density is smooth, with panels that end at the border."""
    low = logit(max(float(betaincinv(a, b, TAIL)), 1e-300))
    high = -logit(max(float(betaincinv(b, a, TAIL)), 1e-300))
    edges = np.append(np.linspace(low, high, PANELS + 1), np.clip(logit(border), low, high))
    t, weight = _panels(np.sort(edges))
    weight = weight * np.exp(a * log_expit(t) + b * log_expit(-t) - betaln(a, b))
    return Nodes(expit(t), weight / weight.sum())


def _mean_expit(mean: ArrayLike, sd: float) -> Floats:
    """E[expit(x)] for a normal x, shape of the means."""
    nodes = _normal_nodes()
    return np.asarray(expit(np.asarray(mean, dtype=np.float64)[..., None] + sd * nodes.x) @ nodes.weight)


def _roots(lead: Callable[[Floats], Floats]) -> Floats:
    """Points at which a smooth function of a standard normal changes its sign."""
    z = np.linspace(-REACH, REACH, SEARCH)
    value = lead(z)
    at = np.flatnonzero(value[:-1] * value[1:] < 0)
    return roots(lead, z[at], z[at + 1])
