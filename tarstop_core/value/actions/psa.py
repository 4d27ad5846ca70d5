"""Draws of a probabilistic sensitivity analysis: EVPI by arithmetic, EVPPI by regression, acceptability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.lines import Values
from tarstop_core.value.actions.smooth import smooth
from tarstop_core.value.payoffs import TOLERANCE, Floats

LEAST_DRAWS = 30
REPEATS = 200  # Regressions as they might be, for the standard error


class Estimate(NamedTuple):
    """A value of information and its standard error."""

    value: float
    se: float


@dataclass(frozen=True, kw_only=True)
class Draws:
    """Draws of net benefits, or of effects and costs, beside the parameters that they came from: a list a column.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=1000)
    >>> draws = Draws(net_benefit={"a": (0 * x).tolist(), "b": x.tolist()}, parameters={"x": x.tolist()})
    >>> values = draws.values()
    >>> bool(abs(values["evppi"][0]["evppi"] - values["evpi"]) < 0.001)
    True
    """

    kind: ClassVar[str] = "psa"
    net_benefit: Mapping[str, Sequence[float]] | None = None
    effect: Mapping[str, Sequence[float]] | None = None  # In place of net benefits, with `cost`
    cost: Mapping[str, Sequence[float]] | None = None
    willingness_to_pay: float | None = None  # For one unit of effect
    parameters: Mapping[str, Sequence[float]] | None = None
    sets: Sequence[Sequence[str]] = ()  # Of parameters to know together; each alone unless given
    thresholds: Sequence[float] = ()  # Other willingness to pay, for the acceptability curve

    def __post_init__(self) -> None:
        of_effects = (self.effect, self.cost, self.willingness_to_pay)
        given = sum(part is not None for part in of_effects)
        if (self.net_benefit is None) != (given == 3) or given in (1, 2):
            raise InputProblem("Give either net_benefit, or all of effect, cost and willingness_to_pay.")
        if self.thresholds and self.effect is None:
            raise InputProblem(
                "thresholds need effect and cost; net benefits hold one willingness to pay already."
            )
        if set(self.effect or ()) != set(self.cost or ()):
            raise InputProblem("effect and cost do not name the same actions; give both for each.")
        if len(self.actions) < 2:
            raise InputProblem("There is one action only; give net benefits of at least two.")
        columns = {
            name: column
            for part in (self.net_benefit, self.effect, self.cost, self.parameters)
            for name, column in (part or {}).items()
        }
        length = len(next(iter(columns.values())))
        if length < LEAST_DRAWS:
            raise InputProblem(f"There are {length} draws; give at least {LEAST_DRAWS}.")
        for name, column in columns.items():
            if len(column) != length:
                raise InputProblem(f"{name} has {len(column)} draws and others {length}; give as many.")
            if not np.isfinite(np.asarray(column, dtype=np.float64)).all():
                raise InputProblem(f"{name} holds something that is not a number; give finite numbers.")
        for name in (name for names in self.sets for name in names):
            if name not in (self.parameters or {}):
                raise InputProblem(f"There is no parameter {name}; name columns of parameters.")
        if not all(self.sets):
            raise InputProblem("A set of parameters is empty; name at least one.")

    @property
    def actions(self) -> tuple[str, ...]:
        """Their names, as given."""
        return tuple((self.net_benefit if self.effect is None else self.effect) or ())

    def net(self, willingness_to_pay: float | None = None) -> Floats:
        """Net benefits at a willingness to pay, or at the decision's own, shape (draws, actions)."""
        if self.effect is None or self.cost is None:
            return np.array(list((self.net_benefit or {}).values()), dtype=np.float64).T
        worth = self.willingness_to_pay if willingness_to_pay is None else willingness_to_pay
        columns = [
            (worth or 0.0) * np.asarray(self.effect[name]) - np.asarray(self.cost[name])
            for name in self.actions
        ]
        return np.array(columns, dtype=np.float64).T

    def evppi(self, names: Sequence[str]) -> Estimate:
        """What knowing some parameters is worth, with the standard error of the regression.

        Net benefits, as differences to the best action, are regressed on the parameters
        (:func:`~tarstop_core.value.actions.smooth.smooth`; Strong, Oakley & Brennan 2014). The error is the standard
        deviation over functions drawn from what the regression leaves open.
        """
        net = self.net()
        best = int(net.mean(axis=0).argmax())
        lead = np.delete(net - net[:, [best]], best, axis=1)
        x = np.array([(self.parameters or {})[name] for name in names], dtype=np.float64).T
        lead = lead[:, np.ptp(lead, axis=0) > 0]
        if not np.ptp(x, axis=0).any() or not lead.size:
            return Estimate(0.0, 0.0)
        fit = smooth(x, lead)
        random = np.random.default_rng(0)
        drawn = [_gain(fit.draw(random)) for _ in range(REPEATS)]
        return Estimate(min(_gain(fit.fitted), self.evpi.value), float(np.std(drawn, ddof=1)))

    @property
    def evpi(self) -> Estimate:
        """Mean of the largest minus the largest mean, with its standard error over draws."""
        net = self.net()
        gain = net.max(axis=1) - net[:, net.mean(axis=0).argmax()]
        return Estimate(float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(len(gain))))

    def chance_best(self, willingness_to_pay: float | None = None) -> dict[str, float]:
        """Share of the draws in which each action is the best; equals share alike."""
        net = self.net(willingness_to_pay)
        top = net >= net.max(axis=1, keepdims=True) - TOLERANCE * np.abs(net).max()
        return dict(
            zip(self.actions, (top / top.sum(axis=1, keepdims=True)).mean(axis=0).tolist(), strict=True)
        )

    def values(self) -> Values:
        """Net benefits, the best action, chances to be the best, EVPI and EVPPI with their errors, the acceptability curve."""
        net, evpi = self.net(), self.evpi
        now = dict(zip(self.actions, net.mean(axis=0).tolist(), strict=True))
        values: Values = {"draws": len(net), "net_benefit_now": now, "best": max(now, key=now.__getitem__)}
        values |= {"chance_best": self.chance_best(), "evpi": evpi.value, "evpi_se": evpi.se}
        sets = self.sets or [[name] for name in self.parameters or {}]
        worth = [(names, self.evppi(names)) for names in sets]
        if worth:
            values["evppi"] = [
                {"parameters": list(names), "evppi": part.value, "se": part.se} for names, part in worth
            ]
        if self.thresholds:
            values["ceac"] = [
                {"willingness_to_pay": x, "chance_best": self.chance_best(x)} for x in self.thresholds
            ]
        return values


def _gain(lead: Floats) -> float:
    """Gain from choosing after seeing how far others lead the action that is best now; never negative."""
    gain = np.maximum(0.0, lead.max(axis=1)).mean() - max(0.0, lead.mean(axis=0).max())
    return max(0.0, float(gain))
