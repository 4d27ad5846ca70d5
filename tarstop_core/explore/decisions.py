"""Decisions between several actions: the best action now, the worth of knowing more, and the next step."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np

from tarstop_core.belief.reitsma import fit
from tarstop_core.documents.tables import Tables
from tarstop_core.errors import InputProblem
from tarstop_core.evidence.summary import Evidence
from tarstop_core.explore.decision_curves import Curves, Decision, chances_best, curves
from tarstop_core.presentation.figures import Rows, rows_of
from tarstop_core.value.actions.checks import check_numbers
from tarstop_core.value.actions.frontier import icers
from tarstop_core.value.actions.joint import ActionTable
from tarstop_core.value.actions.linear import EffectNetBenefit
from tarstop_core.value.actions.population import Concerned
from tarstop_core.value.actions.psa import ParameterDraws
from tarstop_core.value.actions.sampling import BestSize, Study, best_size
from tarstop_core.value.actions.treat import ACCURACY, TreatByTest
from tarstop_core.value.payoffs import Floats

Step = Literal["decide", "read", "study"]
OF_TEST = ("Treat nobody", "Treat everybody", "Test and treat")
"""Actions of a decision about a test."""
EFFECT = "effect"
"""Name of the one uncertain number of a linear net benefit."""
ROUNDING = 1e-8
"""A worth below this share of the largest net benefit counts as 0."""


class Accuracy(TypedDict):
    """Posterior means of logit sensitivity and specificity and their covariance, for :class:`TreatByTest`."""

    mu_logit_se: float
    mu_logit_sp: float
    cov: list[list[float]]


@dataclass(frozen=True, kw_only=True)
class ReadingOn:
    """The expected finds of reading on, and its cost.

    Parameters
    ----------
    studies, people : int
        Number of studies that it probably finds, and people per arm in each.
    cost : float
        Cost of all that reading.
    """

    studies: int
    people: int
    cost: float

    def __post_init__(self) -> None:
        check_numbers(self, above=("people",), from_0=("studies", "cost"))


class Studyable(NamedTuple):
    """A parameter that a study could measure, with its uncertainty."""

    counted: bool  # Whether all plausible values lie between 0 and 1, as for a proportion
    sd: float  # Standard deviation of its uncertainty; 0 if it can only be counted

    def usual_spread(self, arms: int) -> float:
        """Standard deviation between people if the present uncertainty came from a study with 100 people."""
        return float(f"{self.sd * math.sqrt(100 / arms):.2g}")


class ParameterValue(NamedTuple):
    """The worth per person of knowing a parameter for certain, with its standard error if it is estimated."""

    name: str
    value: float
    se: float = 0.0


@dataclass(frozen=True)
class Priced:
    """A study of one or two parameters, with its worth to everyone by size."""

    study: Study
    sizes: BestSize
    guessed: bool  # Whether the standard deviation between people is a guess
    reading_gain: float | None = None  # Gain of reading on for such studies, after its cost


class CostsAndEffects(NamedTuple):
    """Expected effect, cost and ICER (:func:`icers`) of each action, shape (J,) each."""

    effect: Floats
    cost: Floats
    icer: Floats


@dataclass(frozen=True)
class DecisionResults:
    """The results for a decision between J actions, per person where nothing else is stated."""

    decision: Decision
    actions: tuple[str, ...]
    net: Floats  # Expected net benefit of each action, shape (J,)
    evpi: float
    evpi_se: float  # Standard error of `evpi`
    evppi: tuple[ParameterValue, ...]  # The most valuable first
    chances: Floats  # Chance of each action to be the best, shape (J,)
    people: float  # Number of people concerned, discounted; 0 if people are not counted
    evsi: float | None = None  # Worth of the study whose results a table gives
    studies: tuple[Priced, ...] = ()  # First the study that the person entered
    reading: ReadingOn | None = None

    @property
    def best(self) -> str:
        """The best action now."""
        return self.actions[int(self.net.argmax())]

    @property
    def behind(self) -> Floats:
        """How far each action is behind the best, shape (J,)."""
        return _without_rounding(self.net.max() - self.net, self.net)

    @property
    def lead(self) -> float:
        """How far the best action is ahead of the next best."""
        return float(np.sort(self.behind)[1])

    @property
    def second(self) -> str:
        """The next best action."""
        return self.actions[int(np.argsort(-self.net, kind="stable")[1])]

    @cached_property
    def costs_and_effects(self) -> CostsAndEffects | None:
        """Costs and effects of the actions; None if only net benefits are known."""
        decision = self.decision
        if isinstance(decision, EffectNetBenefit):
            effect, cost = np.asarray(decision.gain) * decision.post_mean, np.asarray(decision.cost)
        elif isinstance(decision, ParameterDraws) and decision.effect and decision.cost:
            effect, cost = (
                np.array([np.mean(draws[name]) for name in self.actions])
                for draws in (decision.effect, decision.cost)
            )
        else:
            return None
        return CostsAndEffects(effect, cost, icers(effect, cost))

    @cached_property
    def curves(self) -> Curves | None:
        """The value of each action over prices or thresholds; None if neither applies."""
        return curves(self.decision, self.actions)

    @property
    def step(self) -> Step:
        """The most valuable step for everyone: to decide now, to read on, or a study at its best size."""
        gains: dict[Step, float] = {"decide": 0.0}
        if self.best_reading is not None:
            gains["read"] = self.best_reading.reading_gain or 0.0
        if self.best_study is not None:
            gains["study"] = self.best_study.sizes.best_enbs
        return max(gains, key=gains.__getitem__)

    @property
    def study(self) -> Study | None:
        """The study that the person entered."""
        return self.studies[0].study if self.studies else None

    @property
    def sizes(self) -> BestSize | None:
        """The worth of that study by its size, for everyone."""
        return self.studies[0].sizes if self.studies else None

    @property
    def reading_gain(self) -> float | None:
        """The gain for everyone of reading on for studies like that one, after its cost."""
        return self.studies[0].reading_gain if self.studies else None

    @property
    def best_reading(self) -> Priced | None:
        """The study of the parameter about which reading on gains most; None if reading on measures none of them."""
        with_gain = [priced for priced in self.studies if priced.reading_gain is not None]
        return max(with_gain, key=lambda priced: priced.reading_gain or 0.0, default=None)

    @property
    def best_study(self) -> Priced | None:
        """The study with the highest worth for everyone after its price."""
        return max(self.studies, key=lambda priced: priced.sizes.best_enbs, default=None)


def _without_rounding(value: Floats | float, net: Floats) -> Floats:
    """Set values to 0 that are within the rounding error of the net benefits."""
    return np.where(np.abs(value) > ROUNDING * np.abs(net).max(), value, 0.0)


def answer(decision: Decision, concerned: Concerned | None = None) -> DecisionResults:
    """Compute the best action now and the worth of knowing more, for each person and for all whom it concerns."""
    net, actions = _net(decision)
    values = decision.values()
    names = ("evpi", "evpi_se", "evsi")
    evpi, evpi_se, evsi = (float(_without_rounding(float(values.get(name) or 0.0), net)) for name in names)  # type: ignore[arg-type]
    people = concerned.people("start_of_year") if concerned else 0.0
    rounded = (
        parameter._replace(value=float(_without_rounding(parameter.value, net)))
        for parameter in _evppi(decision, values, evpi)
    )
    evppi = tuple(sorted(rounded, key=lambda parameter: -parameter.value))
    of_table = evsi if isinstance(decision, ActionTable) and "evsi" in values else None
    return DecisionResults(
        decision, actions, net, evpi, evpi_se, evppi, chances_best(decision), people, of_table
    )


def with_studies(
    result: DecisionResults, studies: Mapping[Study, bool], reading: ReadingOn | None = None
) -> DecisionResults:
    """Add the worth of studies by their size, and the gain of reading on.

    Parameters
    ----------
    result : DecisionResults
        The results for the decision, with people counted.
    studies : mapping of Study to bool
        Studies of one parameter each, first the one that the person entered, and whether their standard deviation
        between people is a guess.
    reading : Reading, optional
        The expected finds of reading on, which measure what the study measures.

    Returns
    -------
    DecisionResults

    Raises
    ------
    InputProblem
        When a study measures a parameter that the decision does not have.
    """
    decision = result.decision
    if isinstance(decision, ActionTable):
        raise InputProblem(
            "A table of consequences has no measured parameter; give chances of a study's results."
        )
    priced = []
    for study, guessed in studies.items():
        gain = None
        if reading is not None and reading.studies:
            worth = decision.evsi_of(study, np.array([float(reading.people)]), reading.studies)
            gain = float(worth[0]) * result.people - reading.cost
        priced.append(Priced(study, best_size(decision, study, result.people), guessed, gain))
    return replace(result, studies=tuple(priced), reading=reading)


def _net(decision: Decision) -> tuple[Floats, tuple[str, ...]]:
    """Net benefits of the actions now, shape (J,), and their names."""
    if isinstance(decision, TreatByTest):
        return decision.net_benefit(decision.mean_se, decision.mean_sp, decision.mean_prevalence), OF_TEST
    if isinstance(decision, ParameterDraws):
        return decision.net().mean(axis=0), decision.actions
    if isinstance(decision, ActionTable):
        net = np.asarray(decision.consequences) @ np.asarray(decision.chances)
    else:
        lines = decision.lines(decision.willingness_to_pay)
        net = np.asarray(lines.intercept) + np.asarray(lines.slope) * decision.post_mean
    return net, tuple(decision.actions) or tuple(f"Action {at}" for at in range(1, len(net) + 1))


def _evppi(decision: Decision, values: dict[str, object], evpi: float) -> list[ParameterValue]:
    """The worth of knowing each parameter."""
    if isinstance(decision, ParameterDraws):
        sets: Any = values.get("evppi", [])
        return [ParameterValue(" + ".join(part["parameters"]), part["evppi"], part["se"]) for part in sets]
    if isinstance(decision, EffectNetBenefit):
        return [ParameterValue(EFFECT, evpi)]
    if isinstance(decision, ActionTable):
        names = {name: f"evppi_{name}" for name in decision.partitions or {}}
    else:
        names = {"sensitivity": "evppi_se", "specificity": "evppi_sp", "prevalence": "evppi_prev"}
        names |= {ACCURACY: "evppi_se_sp"}
    return [
        ParameterValue(name, float(values[key]))  # type: ignore[arg-type]
        for name, key in names.items()
        if key in values
    ]


def studied(result: DecisionResults) -> dict[str, Studyable]:
    """Parameters that one study could measure, the most valuable first."""
    decision = result.decision
    if isinstance(decision, ActionTable):
        return {}
    if isinstance(decision, EffectNetBenefit):
        return {EFFECT: Studyable(False, math.sqrt(decision.post_var))}
    draws = decision.draws if isinstance(decision, TreatByTest) else decision
    columns = {name: np.asarray(column) for name, column in (draws.parameters or {}).items()}
    valued = [parameter.name for parameter in result.evppi if parameter.name in columns]
    by_name = {
        name: Studyable(
            bool((columns[name] > 0).all() and (columns[name] < 1).all()), float(columns[name].std())
        )
        for name in dict.fromkeys((*valued, *columns))
    }
    return by_name | ({ACCURACY: Studyable(True, 0.0)} if isinstance(decision, TreatByTest) else {})


def accuracy_of(tables: Tables) -> Accuracy:
    """Estimate sensitivity and specificity from 2×2 tables by REML.

    InputProblem when fewer than three studies have all four counts.
    """
    fitted = fit(tables)
    if fitted is None or not fitted.identified:
        raise InputProblem(
            "Fewer than three studies have all four counts, too few to know how sensitivity and specificity vary; add "
            "studies, or type both with their limits."
        )
    sign = np.array([1.0, -1.0])  # From the false positive rate to specificity
    return _accuracy(sign * fitted.mu, np.outer(sign, sign) * fitted.cov)


def accuracy_believed(evidence: Evidence) -> Accuracy:
    """Return a review's belief about sensitivity and specificity, by its own engine and prior.

    InputProblem when no study has data on one of the two, or "reml" is not identified.
    """
    joint = evidence.joint_logits
    if joint is None:
        raise InputProblem(
            "The studies of this session do not say yet what sensitivity and specificity are; add studies with all four "
            "counts, or type both with their limits."
        )
    return _accuracy(*joint)


def _accuracy(mean: Floats, cov: Floats) -> Accuracy:
    return {"mu_logit_se": float(mean[0]), "mu_logit_sp": float(mean[1]), "cov": cov.tolist()}


# --- an example -----------------------------------------------------------------------------------


def simulated_draws(draws: int = 2000, willingness_to_pay: float = 20_000.0) -> ParameterDraws:
    """Simulate a probabilistic sensitivity analysis of usual care, a drug and a device.

    It has years in full health and costs per person, and five parameters; a year has the worth `willingness_to_pay`.
    """
    rng = np.random.default_rng(29)
    risk = rng.beta(20, 180, draws)
    drug, device = (np.exp(rng.normal(np.log(mean), sd, draws)) for mean, sd in ((0.72, 0.12), (0.6, 0.25)))
    lost = rng.gamma(9, 1.5 / 9, draws)
    cost_of_event = rng.gamma(16, 8000 / 16, draws)
    effect, cost = {}, {}
    for name, ratio, price in (("Usual care", 1.0, 0.0), ("Drug", drug, 1050.0), ("Device", device, 1500.0)):
        events = risk * ratio
        effect[name] = (10 - events * lost).tolist()
        cost[name] = (events * cost_of_event + price).tolist()
    parameters = {
        "risk of an event": risk,
        "log risk ratio, drug": np.log(drug),
        "log risk ratio, device": np.log(device),
        "years lost by an event": lost,
        "cost of an event": cost_of_event,
    }
    return ParameterDraws(
        effect=effect,
        cost=cost,
        willingness_to_pay=willingness_to_pay,
        parameters={name: column.tolist() for name, column in parameters.items()},
    )


def example_of_draws() -> Rows:
    """Return :func:`simulated_draws` as rows of a file, with a column for each effect, cost and parameter."""
    draws = simulated_draws()
    columns = {f"effect {name}": column for name, column in (draws.effect or {}).items()}
    columns |= {f"cost {name}": column for name, column in (draws.cost or {}).items()}
    return rows_of(**{**columns, **(draws.parameters or {})})
