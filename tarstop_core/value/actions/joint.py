"""Decisions that depend on several uncertain numbers: normal net benefits, normal parameters, or a table of states."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.checks import best_of, check_covariance, check_lengths
from tarstop_core.value.actions.lines import Values, gain_of_lines, gain_of_normals
from tarstop_core.value.payoffs import TOLERANCE, Floats

ROUNDING = 1e-6  # How far from 1 given chances may add up


@dataclass(frozen=True, kw_only=True)
class JointNormal:
    """Several actions whose net benefits are jointly normal.

    Examples
    --------
    >>> two = JointNormal(nb_mean=[0, 0], nb_cov=[[1, 0], [0, 1]])
    >>> round(two.values()["evpi"], 6)  # 1/√π
    0.56419
    """

    kind: ClassVar[str] = "actions_multinormal"
    nb_mean: Sequence[float]
    nb_cov: Sequence[Sequence[float]]
    actions: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_lengths(self, "nb_mean", "actions", least=2)
        check_covariance(self.nb_cov, len(self.nb_mean), "nb_cov")

    def values(self) -> Values:
        """Best action now and EVPI; from five actions on it is simulated, with its standard error."""
        evpi, error = gain_of_normals(self.nb_mean, self.nb_cov)
        values: Values = {**best_of(np.asarray(self.nb_mean), self.actions), "evpi": evpi}
        return values | {"evpi_se": error} if error else values


@dataclass(frozen=True, kw_only=True)
class LinearParameters:
    """Adopt or not, where adopting brings intercept + coef·θ for jointly normal θ.

    Examples
    --------
    >>> one = LinearParameters(intercept=0, coef=[1, 1], mean=[0, 0], cov=[[1, 0], [0, 0.25]]).values()
    >>> round(one["evppi_1"] / one["evppi_2"], 6)
    2.0
    """

    kind: ClassVar[str] = "evppi_linear_bivariate"
    intercept: float
    coef: Sequence[float]
    mean: Sequence[float]
    cov: Sequence[Sequence[float]]

    def __post_init__(self) -> None:
        check_lengths(self, "coef", "mean", least=1)
        check_covariance(self.cov, len(self.coef), "cov")

    def values(self) -> Values:
        """Expected incremental net benefit, best action, EVPI, and EVPPI of each parameter alone."""
        coef, cov = np.asarray(self.coef), np.asarray(self.cov, dtype=np.float64)
        inb = self.intercept + float(coef @ np.asarray(self.mean))
        sd = np.sqrt(np.diag(cov))
        # Standard deviation of the expected net benefit given each parameter.
        moves = np.divide(np.abs(cov @ coef), sd, out=np.zeros_like(sd), where=sd > 0)
        every = math.sqrt(max(0.0, float(coef @ cov @ coef)))
        evpi, *of_each = gain_of_lines(
            [0.0, inb], [0.0, 1.0], np.zeros(len(sd) + 1), [every, *moves]
        ).tolist()
        named = {f"evppi_{at}": min(value, evpi) for at, value in enumerate(of_each, 1)}
        return {"inb_mean": inb, "best": "adopt" if inb > 0 else "reject", "evpi": evpi, **named}


@dataclass(frozen=True, kw_only=True)
class ActionTable:
    """Table of actions × states, with the consequence of each action in each state and the chances of the states.

    A study has one of several results; `likelihood` has the chance of each result (rows) in each state (columns).
    `partitions` has the value of each named parameter in every state.

    Examples
    --------
    >>> table = ActionTable(consequences=[[0, 0], [-10, 30]], chances=[0.5, 0.5], likelihood=[[0.9, 0.2], [0.1, 0.8]])
    >>> {name: round(value, 6) for name, value in table.values().items() if name.startswith("ev")}
    {'evpi': 5.0, 'evsi': 1.5}
    """

    kind: ClassVar[str] = "table"
    consequences: Sequence[Sequence[float]]
    chances: Sequence[float]
    actions: Sequence[str] = ()
    states: Sequence[str] = ()
    likelihood: Sequence[Sequence[float]] = ()
    partitions: dict[str, Sequence[str]] | None = None

    def __post_init__(self) -> None:
        check_lengths(self, "consequences", "actions", least=2)
        check_lengths(self, "chances", "states", least=1)
        chances = np.asarray(self.chances)
        if (chances < 0).any():
            raise InputProblem(f"The chance of a state is {chances.min():g}; give 0 or more.")
        if not abs(chances.sum() - 1) <= ROUNDING:
            raise InputProblem(
                f"The chances of the states add up to {chances.sum():g}; give chances that add up to 1."
            )
        for at, row in enumerate(self.consequences, 1):
            if len(row) != len(chances):
                raise InputProblem(
                    f"Row {at} of consequences has {len(row)} numbers; give {len(chances)}, one per state."
                )
        for at, row in enumerate(self.likelihood, 1):
            if len(row) != len(chances) or min(row) < 0:
                raise InputProblem(
                    f"Row {at} of likelihood needs {len(chances)} chances, one per state, none below 0."
                )
        if len(self.likelihood) and (np.abs(np.sum(self.likelihood, axis=0) - 1) > ROUNDING).any():
            raise InputProblem("The chances of all results in a state must add up to 1; correct likelihood.")
        for name, of_state in (self.partitions or {}).items():
            if len(of_state) != len(chances):
                raise InputProblem(
                    f"Partition {name} has {len(of_state)} entries; give {len(chances)}, one per state."
                )

    def gain(self, likelihood: Floats) -> float:
        """Expected gain from choosing after a result is seen; chances of results in each state have shape (results, states)."""
        benefit, chances = np.asarray(self.consequences), np.asarray(self.chances) / np.sum(self.chances)
        after = (likelihood * chances) @ benefit.T
        before = float((benefit @ chances).max())
        gain = float(after.max(axis=1).sum()) - before
        return gain if gain > TOLERANCE * float(np.abs(benefit).max()) else 0.0

    def values(self) -> Values:
        """Expected consequences, the best action, EVPI, EVPPI of the partitions and EVSI of the study."""
        now = np.asarray(self.consequences) @ (np.asarray(self.chances) / np.sum(self.chances))
        values: Values = {"net_benefit_now": now.tolist(), **best_of(now, self.actions)}
        values |= {"evpi": self.gain(np.eye(len(self.chances)))}
        for name, of_state in (self.partitions or {}).items():
            _, value_of = np.unique(np.asarray(of_state), return_inverse=True)
            values |= {f"evppi_{name}": self.gain(np.eye(value_of.max() + 1)[:, value_of])}
        return values | {"evsi": self.gain(np.asarray(self.likelihood))} if len(self.likelihood) else values
