"""Decisions whose net benefits are linear in a normal mean, or that depend on whether it exceeds a threshold."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from scipy.special import ndtr

from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.checks import best_of, check_lengths, check_numbers
from tarstop_core.value.actions.lines import Values, chance_best, gain_of_lines
from tarstop_core.value.actions.sampling import Study
from tarstop_core.value.payoffs import Floats, Payoffs
from tarstop_core.value.preposterior import evsi_of_studies


@dataclass(frozen=True, kw_only=True)
class NormalMean:
    """Normal belief about a mean μ, and further studies of it. InputProblem if a variance or a count is impossible."""

    post_mean: float  # Mean of the belief
    post_var: float  # Its variance
    k_new: float = 1.0  # Number of further studies
    # Variance of the estimate of one further study about its own effect; without it there is no EVSI
    se2_new: float | None = None
    tau2: float = 0.0  # Variance of effects between studies

    def __post_init__(self) -> None:
        check_numbers(self, above=("post_var", "k_new", "se2_new"), from_0=("tau2",))

    @property
    def v_k(self) -> float | None:
        """Predictive variance of the posterior mean after the new studies, v²/(v + (τ² + se²)/k); None without `se2_new`."""
        if self.se2_new is None:
            return None
        return self.post_var / (1 + (self.tau2 + self.se2_new) / self.k_new / self.post_var)


@dataclass(frozen=True, kw_only=True)
class Threshold(NormalMean):
    """Adopt or reject, where adopting is right if μ lies beyond δ; payoffs are given as four amounts or by q* and K.

    Examples
    --------
    >>> Threshold(post_mean=0.0, post_var=4.0, delta=0.0, adopt_if="mu>delta", q_star=0.5).values()["evpi"]
    0.25
    """

    kind: ClassVar[str] = "threshold_normal"
    delta: float
    adopt_if: Literal["mu<delta", "mu>delta"]
    B: float | None = None
    Lg: float | None = None
    G: float | None = None
    Lr: float | None = None
    q_star: float | None = None
    K: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        payoffs_of(self.B, self.Lg, self.G, self.Lr, self.q_star, self.K)

    @property
    def payoffs(self) -> Payoffs:
        """Payoffs of the binary action."""
        return payoffs_of(self.B, self.Lg, self.G, self.Lr, self.q_star, self.K)

    @property
    def belief(self) -> float:
        """Chance that μ lies on the side of δ where adopting is right."""
        sign = 1 if self.adopt_if == "mu>delta" else -1
        return float(ndtr(sign * (self.post_mean - self.delta) / math.sqrt(self.post_var)))

    def values(self) -> Values:
        """Belief, q*, best action, EVPI and, with `se2_new`, EVSI, in the payoffs' unit."""
        values: Values = {"belief": self.belief, "q_star": self.payoffs.q_star}
        values |= {"best": "adopt" if self.payoffs.chooses_plus(self.belief) else "reject"}
        values |= {"evpi": float(self.payoffs.evpi(self.belief))}
        if self.se2_new is not None:
            n_0 = (self.tau2 + self.se2_new) / self.post_var
            evsi = float(evsi_of_studies(self.belief, n_0, self.k_new, self.payoffs))
            values |= {"v_k": self.v_k, "evsi": evsi}
        return values


def payoffs_of(
    B: float | None, Lg: float | None, G: float | None, Lr: float | None, q_star: float | None, K: float = 1.0
) -> Payoffs:
    """Return payoffs from four amounts or from a threshold.

    Parameters
    ----------
    B, Lg, G, Lr : float or None
        The four payoffs, all or none.
    q_star : float or None
        Threshold belief instead of them.
    K : float
        What both mistakes cost together; only with `q_star`.

    Returns
    -------
    Payoffs
        With the four amounts, or symmetric ones with this threshold.

    Raises
    ------
    InputProblem
        If both ways are given, or neither.
    """
    if q_star is None and None not in (B, Lg, G, Lr):
        return Payoffs(B=B or 0.0, L_g=Lg or 0.0, G=G or 0.0, L_r=Lr or 0.0)
    if q_star is None or (B, Lg, G, Lr) != (None,) * 4:
        raise InputProblem("Give either all of B, Lg, G and Lr, or q_star.")
    if not K > 0:
        raise InputProblem(f"K is {K:g}; give a number above 0.")
    return Payoffs.from_q_star(q_star, K)


@dataclass(frozen=True, kw_only=True)
class Linear(NormalMean):
    """Adopt or not, where adopting brings value_per_unit·(μ − δ).

    Examples
    --------
    >>> Linear(post_mean=0.2, post_var=0.01, value_per_unit=1000, delta=0.1).values()["prior_inb"]
    100.0
    """

    kind: ClassVar[str] = "linear_normal"
    value_per_unit: float
    delta: float

    def gain(self, variance: float | Floats) -> Floats:
        """Expected gain from choosing after the posterior mean has moved with this variance, in the value's unit."""
        intercept = [0.0, -self.value_per_unit * self.delta]
        return gain_of_lines(intercept, [0.0, self.value_per_unit], self.post_mean, np.sqrt(variance))

    def values(self) -> Values:
        """Expected incremental net benefit, best action, EVPI and, with `se2_new`, EVSI."""
        inb = self.value_per_unit * (self.post_mean - self.delta)
        evpi = float(self.gain(self.post_var))
        values: Values = {"prior_inb": inb, "best": "adopt" if inb > 0 else "reject", "evpi": evpi}
        values |= {"expected_loss_now": evpi}
        return values if self.v_k is None else values | {"v_k": self.v_k, "evsi": float(self.gain(self.v_k))}


@dataclass(frozen=True, kw_only=True)
class ActionsLinear(NormalMean):
    """Several actions, each with the net benefit intercept + slope·μ.

    Examples
    --------
    >>> three = ActionsLinear(intercept=[0, -5, -30], slope=[0, 40, 90], post_mean=0.4, post_var=0.09)
    >>> three.values()["best"], round(three.values()["evpi"], 6)
    (1, 4.982345)
    """

    kind: ClassVar[str] = "actions_linear_normal"
    intercept: Sequence[float]
    slope: Sequence[float]
    actions: Sequence[str] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_lengths(self, "intercept", "slope", "actions", least=2)

    def gain(self, variance: float | Floats) -> Floats:
        """Expected gain from choosing after the posterior mean has moved with this variance."""
        return gain_of_lines(self.intercept, self.slope, self.post_mean, np.sqrt(variance))

    def values(self) -> Values:
        """Net benefit of each action now, the best one (the first of equals), EVPI and, with `se2_new`, EVSI."""
        now = np.asarray(self.intercept) + np.asarray(self.slope) * self.post_mean
        values: Values = {"net_benefit_now": now.tolist(), **best_of(now, self.actions)}
        values |= {"evpi": float(self.gain(self.post_var))}
        return values if self.v_k is None else values | {"v_k": self.v_k, "evsi": float(self.gain(self.v_k))}


@dataclass(frozen=True, kw_only=True)
class EffectNetBenefit(NormalMean):
    """Several actions, each worth willingness_to_pay·gain·μ − cost.

    Examples
    --------
    >>> two = EffectNetBenefit(post_mean=0.2, post_var=0.01, willingness_to_pay=20_000, gain=[0, 1], cost=[0, 3_000])
    >>> two.values()["net_benefit_now"]
    [0.0, 1000.0]
    """

    kind: ClassVar[str] = "effect_net_benefit"
    willingness_to_pay: float  # For one unit of gain
    gain: Sequence[float]  # Units of gain that one unit of μ brings, for each action
    cost: Sequence[float]
    actions: Sequence[str] = ()
    thresholds: Sequence[float] = ()  # Other willingness to pay, for the acceptability curve

    def __post_init__(self) -> None:
        super().__post_init__()
        check_lengths(self, "gain", "cost", "actions", least=2)

    def lines(self, willingness_to_pay: float) -> ActionsLinear:
        """Return the decision at a willingness to pay, with net benefits as lines in μ."""
        return ActionsLinear(
            intercept=[-cost for cost in self.cost],
            slope=[willingness_to_pay * gain for gain in self.gain],
            actions=self.actions,
            post_mean=self.post_mean,
            post_var=self.post_var,
            k_new=self.k_new,
            se2_new=self.se2_new,
            tau2=self.tau2,
        )

    def evsi_of(self, study: Study, n: Floats, studies: int = 1) -> Floats:
        """Expected value per person of studies of μ.

        Parameters
        ----------
        study : Study
            A study that measures μ.
        n : ndarray
            People per arm, in each study.
        studies : int
            Number of studies.

        Returns
        -------
        ndarray
            EVSI, shape of n.
        """
        resolved = study.resolved(self.post_mean, self.post_var, n, studies)
        return self.lines(self.willingness_to_pay).gain(self.post_var * resolved)

    def values(self) -> Values:
        """Values as of :class:`ActionsLinear`; with `thresholds`, also the acceptability curve ``ceac``."""
        values = self.lines(self.willingness_to_pay).values()
        if self.thresholds:
            slopes = np.multiply.outer(np.asarray(self.thresholds), np.asarray(self.gain))
            sd = math.sqrt(self.post_var)
            curve = [chance_best(-np.asarray(self.cost), slope, self.post_mean, sd) for slope in slopes]
            values |= {
                "ceac": {"willingness_to_pay": list(self.thresholds), "chance_best": np.array(curve).tolist()}
            }
        return values
