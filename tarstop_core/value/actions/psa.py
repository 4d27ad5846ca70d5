"""Value of information from the draws of a probabilistic sensitivity analysis: EVPI, EVPPI, EVSI, acceptability."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from scipy.cluster.vq import kmeans2

from tarstop_core.envelope import LARGEST
from tarstop_core.errors import InputProblem
from tarstop_core.value.actions.lines import Values
from tarstop_core.value.actions.sampling import Study, evsi_by_regression
from tarstop_core.value.payoffs import TOLERANCE, Floats

LEAST_DRAWS = 30
REPEATS = 200  # Functions drawn from the fitted regression, for the standard error of EVPPI


class EstimatedValue(NamedTuple):
    """A value of information and its standard error."""

    value: float
    se: float


@dataclass(frozen=True, kw_only=True)
class ParameterDraws:
    """Draws of net benefits, or of effects and costs, and the parameters that they came from, as lists by name.

    Examples
    --------
    >>> x = np.random.default_rng(0).normal(size=1000)
    >>> draws = ParameterDraws(net_benefit={"a": (0 * x).tolist(), "b": x.tolist()}, parameters={"x": x.tolist()})
    >>> values = draws.values()
    >>> bool(abs(values["evppi"][0]["evppi"] - values["evpi"]) < 0.001)
    True
    """

    kind: ClassVar[str] = "psa"
    net_benefit: Mapping[str, Sequence[float]] | None = None
    effect: Mapping[str, Sequence[float]] | None = None  # Instead of net benefits, with `cost`
    cost: Mapping[str, Sequence[float]] | None = None
    willingness_to_pay: float | None = None  # For one unit of effect
    parameters: Mapping[str, Sequence[float]] | None = None
    sets: Sequence[Sequence[str]] = ()  # Parameters to learn together; by default each one alone
    thresholds: Sequence[float] = ()  # Other values of `willingness_to_pay`, for the acceptability curve

    def __post_init__(self) -> None:
        of_effects = (self.effect, self.cost, self.willingness_to_pay)
        given = sum(part is not None for part in of_effects)
        if (self.net_benefit is not None, given) not in ((True, 0), (False, 3)):
            raise InputProblem("Give either net_benefit, or all of effect, cost and willingness_to_pay.")
        if self.thresholds and self.effect is None:
            raise InputProblem(
                "thresholds need effect and cost; net benefits already include one willingness to pay."
            )
        if set(self.effect or ()) != set(self.cost or ()):
            raise InputProblem("effect and cost name different actions; give both for each.")
        if len(self.actions) < 2:
            raise InputProblem("There is only one action; give net benefits of at least two.")
        # Effects, costs and parameters may have columns of the same name, so this is no dictionary.
        columns = [
            (f"{prefix}{name}", column)
            for prefix, group in (
                ("", self.net_benefit),
                ("The effect of ", self.effect),
                ("The cost of ", self.cost),
                ("", self.parameters),
            )
            for name, column in (group or {}).items()
        ]
        length = len(columns[0][1])
        if length < LEAST_DRAWS:
            raise InputProblem(
                f"There {'is 1 draw' if length == 1 else f'are {length} draws'}; give at least {LEAST_DRAWS}."
            )
        for name, column in columns:
            if len(column) != length:
                raise InputProblem(
                    f"{name} has {len(column)} draws and others {length}; give the same number."
                )
            if not np.isfinite(np.asarray(column, dtype=np.float64)).all():
                raise InputProblem(f"{name} contains something that is not a number; give finite numbers.")
        for name in (name for names in self.sets for name in names):
            if name not in (self.parameters or {}):
                raise InputProblem(f"There is no parameter {name}; name columns of parameters.")
        for amount in filter(None, (self.willingness_to_pay, *self.thresholds)):
            if not 0 < amount <= LARGEST:
                raise InputProblem(
                    f"A unit of effect is worth {amount:g}; give 0 or more, as a plain number."
                )
        if not all(self.sets):
            raise InputProblem("A set of parameters is empty; name at least one.")

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the actions, as given."""
        return tuple((self.net_benefit if self.effect is None else self.effect) or ())

    def net(self, willingness_to_pay: float | None = None) -> Floats:
        """Net benefits at this willingness to pay, by default that of the decision, shape (draws, actions)."""
        if self.effect is None or self.cost is None:
            return np.array(list((self.net_benefit or {}).values()), dtype=np.float64).T
        amount = self.willingness_to_pay if willingness_to_pay is None else willingness_to_pay
        columns = [
            (amount or 0.0) * np.asarray(self.effect[name]) - np.asarray(self.cost[name])
            for name in self.actions
        ]
        return np.array(columns, dtype=np.float64).T

    def evppi(self, names: Sequence[str]) -> EstimatedValue:
        """EVPPI of some parameters together, with the standard error of the regression.

        Net benefits, as differences from the best action, are regressed on the parameters
        (:func:`fit_spline`; Strong, Oakley & Brennan 2014). The error is the standard
        deviation over functions drawn from the posterior of the regression.
        """
        fit = self._fit_lead(names)
        if fit is None:
            return EstimatedValue(0.0, 0.0)
        random = np.random.default_rng(0)
        drawn = [_gain(fit.draw(random)) for _ in range(REPEATS)]
        return EstimatedValue(min(_gain(fit.fitted), self.evpi.value), float(np.std(drawn, ddof=1)))

    def _fit_lead(self, names: Sequence[str]) -> SplineFit | None:
        """Regress the lead of the other actions over the best one on some parameters; None if nothing varies."""
        net = self.net()
        best = int(net.mean(axis=0).argmax())
        lead = np.delete(net - net[:, [best]], best, axis=1)
        x = np.array([(self.parameters or {})[name] for name in names], dtype=np.float64).T
        lead = lead[:, np.ptp(lead, axis=0) > 0]
        return fit_spline(x, lead) if np.ptp(x, axis=0).any() and lead.size else None

    def evsi_of(self, study: Study, n: Floats, studies: int = 1) -> Floats:
        """Expected value per person of studies of one parameter.

        Parameters
        ----------
        study : Study
            A study that measures one of the parameters.
        n : ndarray
            People per arm, in each study.
        studies : int
            Number of studies.

        Returns
        -------
        ndarray
            EVSI, shape of n.

        Raises
        ------
        InputProblem
            When there is no such parameter.
        """
        if study.measures not in (self.parameters or {}):
            raise InputProblem(f"There is no parameter {study.measures}; name a column of parameters.")
        fit = self._fit_lead([study.measures])
        if fit is None:
            return np.zeros(len(n))
        parameter = np.asarray((self.parameters or {})[study.measures], dtype=np.float64)
        worth = evsi_by_regression(parameter, fit.fitted, study, n, studies, _gain)
        return np.minimum(worth, min(_gain(fit.fitted), self.evpi.value))

    @property
    def evpi(self) -> EstimatedValue:
        """EVPI, the mean of the largest net benefit minus the largest mean, with its standard error over draws."""
        net = self.net()
        gain = net.max(axis=1) - net[:, net.mean(axis=0).argmax()]
        return EstimatedValue(float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(len(gain))))

    def chance_best(self, willingness_to_pay: float | None = None) -> dict[str, float]:
        """Share of the draws in which each action is the best; actions that tie share a draw equally."""
        net = self.net(willingness_to_pay)
        top = net >= net.max(axis=1, keepdims=True) - TOLERANCE * np.abs(net).max()
        return dict(
            zip(self.actions, (top / top.sum(axis=1, keepdims=True)).mean(axis=0).tolist(), strict=True)
        )

    def values(self) -> Values:
        """Net benefits, best action, chances of being best, EVPI and EVPPI with standard errors, and the acceptability curve."""
        net, evpi = self.net(), self.evpi
        now = dict(zip(self.actions, net.mean(axis=0).tolist(), strict=True))
        values: Values = {"draws": len(net), "net_benefit_now": now, "best": max(now, key=now.__getitem__)}
        values |= {"chance_best": self.chance_best(), "evpi": evpi.value, "evpi_se": evpi.se}
        sets = self.sets or [[name] for name in self.parameters or {}]
        if sets:
            estimates = [(names, self.evppi(names)) for names in sets]
            values["evppi"] = [
                {"parameters": list(names), "evppi": evppi.value, "se": evppi.se}
                for names, evppi in estimates
            ]
        if self.thresholds:
            values["ceac"] = [
                {"willingness_to_pay": x, "chance_best": self.chance_best(x)} for x in self.thresholds
            ]
        return values


def _gain(lead: Floats) -> float:
    """Gain from choosing after seeing the lead of each other action over the one that is best now; never negative."""
    gain = np.maximum(0.0, lead.max(axis=1)).mean() - max(0.0, lead.mean(axis=0).max())
    return max(0.0, float(gain))


# --- a regression spline in several parameters ---------------------------------------------------------

KNOTS_PER_PARAMETER, MOST_KNOTS = 15, 120
MOST_CELLS = 20_000_000  # Draws times knots, so many draws get fewer knots
KNOT_DRAWS = 20_000  # Knots are chosen among about this many draws
RANK = 1e-9  # A singular value below this part of the largest is rounding
PENALTIES = np.logspace(-8, 8, 129)  # Tried beside the median strength of the wiggles


class SplineFit(NamedTuple):
    """A fitted regression: means, and a square root of the covariance of their errors."""

    fitted: Floats  # Fitted means, shape (n, J)
    sd: Floats  # Residual standard deviations, shape (J,)
    axes: Floats  # Orthonormal, shape (n, k)
    kept: Floats  # Square roots of the share of the draws that each axis follows, shape (k, J)
    noise: Floats  # Cholesky factor of the correlation of residuals, shape (J, J)

    def draw(self, random: np.random.Generator) -> Floats:
        """Draw means from their posterior, shape (n, J)."""
        e = random.standard_normal(self.kept.shape) @ self.noise.T
        return self.fitted + self.axes @ (self.kept * e * self.sd)


def fit_spline(x: Floats, y: Floats) -> SplineFit:
    """Regress columns on parameters by a smoothing spline in as many dimensions.

    Parameters
    ----------
    x : ndarray
        Parameters, shape (n, d); constant ones are ignored.
    y : ndarray
        Columns to explain, shape (n, J).

    Returns
    -------
    SplineFit

    Notes
    -----
    Linear functions are free; deviations are Σ u_i·|x − knot_i|³ (the natural cubic spline in one dimension) with a
    normal prior whose variance maximises the restricted likelihood, for each column separately (Wood 2017, sections 5 and 6).
    Fitted means then have the covariance σ²·H, with H the matrix that smooths.
    """
    x = x[:, np.ptp(x, axis=0) > 0]
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    straight = _axes(np.column_stack([np.ones(len(x)), x]))[0]
    wiggles, strength = _axes_of_wiggles(x, straight)
    level = straight.T @ y
    rest = y - straight @ level
    along = wiggles.T @ rest
    freedom = len(x) - straight.shape[1]  # Degrees of freedom that the plane leaves
    squares = np.square(rest).sum(axis=0) - np.square(along).sum(axis=0)
    penalty = PENALTIES * (np.median(strength) if strength.size else 1.0)
    shrunk = penalty[:, None] / (strength + penalty[:, None])  # Shape (penalties, k)
    variance = (squares + shrunk @ np.square(along)) / freedom
    criterion = (
        freedom * np.log(np.maximum(variance, np.finfo(float).tiny)) - np.log(shrunk).sum(axis=1)[:, None]
    )
    chosen = criterion.argmin(axis=0)
    follows = 1 - shrunk[chosen].T  # Shape (k, J)
    fitted = straight @ level + wiggles @ (follows * along)
    sd = np.sqrt(np.maximum(0.0, variance[chosen, np.arange(y.shape[1])]))
    kept = np.vstack([np.ones_like(level), np.sqrt(follows)])
    return SplineFit(fitted, sd, np.column_stack([straight, wiggles]), kept, _noise(y - fitted))


def _axes(columns: Floats) -> tuple[Floats, Floats]:
    """Orthonormal axes of columns, and their squared singular values."""
    u, s, _ = np.linalg.svd(columns, full_matrices=False)
    kept = s > RANK * s.max(initial=0.0)
    return u[:, kept], np.square(s[kept])


def _axes_of_wiggles(x: Floats, straight: Floats) -> tuple[Floats, Floats]:
    """Axes of deviations from a plane, and the prior variance of each."""
    sample = np.unique(x[:: max(1, len(x) // KNOT_DRAWS)], axis=0)
    most = max(KNOTS_PER_PARAMETER, min(MOST_KNOTS, MOST_CELLS // len(x)))
    wanted = min(most, KNOTS_PER_PARAMETER * x.shape[1], len(sample))
    knots = sample
    if wanted < len(sample):
        knots = np.unique(kmeans2(sample, wanted, rng=0, minit="++")[0], axis=0)
    # A plane through the knots does not count as wiggle.
    planes = np.column_stack([np.ones(len(knots)), knots])
    u, s, _ = np.linalg.svd(planes)
    bends = u[:, int((s > RANK * s[0]).sum()) :]
    if not bends.shape[1]:
        return np.empty((len(x), 0)), np.empty(0)
    energy, rotation = np.linalg.eigh(bends.T @ _cubes(knots, knots) @ bends)
    kept = energy > RANK * energy[-1]
    basis = _cubes(x, knots) @ bends @ (rotation[:, kept] / np.sqrt(energy[kept]))
    return _axes(basis - straight @ (straight.T @ basis))


def _cubes(x: Floats, knots: Floats) -> Floats:
    """|x − knot|³, shape (n, K)."""
    squared = np.square(x).sum(axis=1)[:, None] + np.square(knots).sum(axis=1) - 2 * x @ knots.T
    return np.asarray(np.maximum(0.0, squared) ** 1.5)


def _noise(residuals: Floats) -> Floats:
    """A root of the correlation between columns of residuals; a column without residuals correlates with none."""
    sd = residuals.std(axis=0)
    scaled = residuals / np.where(sd > 0, sd, 1.0)
    size, axes = np.linalg.eigh(scaled.T @ scaled / len(residuals))
    return np.asarray(axes * np.sqrt(np.maximum(0.0, size)))
