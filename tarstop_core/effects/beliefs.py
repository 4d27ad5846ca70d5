"""Chance that an effect is beyond the smallest that matters, computed from studies by one of five engines."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from tarstop_core.effects.exact import ExactBelief, believe_exactly
from tarstop_core.effects.measures import Engine, Measure
from tarstop_core.effects.normal import EffectPosterior, EffectPrior, believe, prior_for
from tarstop_core.effects.pooling import Method, prefixes
from tarstop_core.effects.sizes import Floats
from tarstop_core.effects.studies import Form, Studies
from tarstop_core.errors import InputProblem

POOLED: dict[str, Method] = {"reml": "REML", "dl": "DL", "fe": "FE"}
"""Engines that pool estimates without a prior, and their estimator of τ²."""
ENDS = np.array([0.025, 0.975])  # Levels of a 95 % interval


@dataclass(frozen=True)
class EffectTarget:
    """The question about an effect: whether it is above, or below, the smallest that matters (δ).

    Parameters
    ----------
    measure : Measure
        The effect measure.
    delta : float
        The smallest effect that matters, in the measure's own unit: a ratio for OR, RR and HR.
    above : bool
        Whether an effect beyond δ is above δ; otherwise below.
    ratio : bool
        Whether the measure is a ratio.
    """

    measure: Measure
    delta: float
    above: bool
    ratio: bool

    def __post_init__(self) -> None:
        if self.ratio and not self.delta > 0:
            raise InputProblem(f"delta is {self.delta:g}; a ratio is above 0, and 1 means no difference.")
        if not math.isfinite(self.delta):
            raise InputProblem("delta must be a number.")
        if self.measure is Measure.RD and abs(self.delta) > 1:
            raise InputProblem(
                f"delta is {self.delta:g}; a risk difference lies between −1 and 1: 5 events of 100 people are 0.05."
            )

    @property
    def nothing(self) -> float:
        """The value that means no effect, in the measure's own unit."""
        return 1.0 if self.ratio else 0.0

    @property
    def harmful(self) -> bool:
        """Whether an effect slightly worse than none counts as beyond δ."""
        return self.delta < self.nothing if self.above else self.delta > self.nothing

    @property
    def scaled(self) -> float:
        """δ on the scale of analysis."""
        return math.log(self.delta) if self.ratio else self.delta


@dataclass(frozen=True)
class EffectBelief:
    """Belief about an effect after the first 0, 1, …, k studies, and estimates from all of them.

    Estimates are on the scale of analysis. Anything that an engine cannot compute is None.
    """

    engine: Engine
    beliefs: tuple[float | None, ...]  # k + 1 chances that the average effect is beyond δ
    mu: float | None  # average effect
    se: float | None  # its standard error or posterior standard deviation
    tau2: float | None  # variance between settings
    prediction: tuple[float, float] | None  # 95 % interval of the effect in a new setting
    new_setting: float | None  # chance that the effect in a new setting is beyond δ
    prior: EffectPrior | None


def belief_of_effect(
    studies: Studies,
    target: EffectTarget,
    engine: Engine | None = None,
    b_0: float = 0.5,
    prior_sd: float | None = None,
) -> EffectBelief:
    """Chances that the average effect is beyond δ after the first 0, 1, …, k studies.

    Parameters
    ----------
    studies : Studies
        In the order in which they were read.
    target : EffectTarget
        The measure, δ and direction.
    engine : {"exact", "normal", "reml", "dl", "fe"}, optional
        By default exact for an OR of events and normal otherwise. The last three take a pooled estimate as normally
        distributed (Wald); they use no prior and need two studies (fe: one).
    b_0 : float
        Chance before any study.
    prior_sd : float, optional
        Prior standard deviation of the average effect on the scale of analysis, instead of the usual one. The scale of
        τ's prior is a quarter of it.

    Returns
    -------
    EffectBelief

    Raises
    ------
    InputProblem
        When the engine does not fit the measure, or b₀ is not between 0 and 1.
    """
    engine = engine_for(studies.form, target.measure, engine)
    if engine in POOLED:
        return _by_pooling(studies, target, engine)
    prior, believed = posterior(studies, target, engine, b_0, prior_sd)
    mean, sd = believed.moments()
    if isinstance(believed, ExactBelief):
        low, high = believed.new_quantiles(ENDS)
        new, tau2 = believed.new_above(target.scaled), believed.tau2_mean[-1]
    else:
        low, high = believed.quantiles(ENDS, new_setting=True)
        new, tau2 = float(believed.above(target.scaled, new_setting=True)[-1]), believed.tau2_mean()[-1]
    beyond = chances_beyond(believed, target, studies, b_0)
    return EffectBelief(
        engine=engine,
        beliefs=(b_0, *(float(b) for b in beyond[1:])),
        mu=float(mean[-1]),
        se=float(sd[-1]),
        tau2=float(tau2),
        prediction=(float(low), float(high)),
        new_setting=new if target.above else 1 - new,
        prior=prior,
    )


def engine_for(form: Form, measure: Measure, engine: Engine | None = None) -> Engine:
    """Return the given engine after checking that it fits, or the default one.

    Parameters
    ----------
    form : Form
        Form of the studies.
    measure : Measure
        The effect measure.
    engine : str, optional
        By default exact for an OR of events and normal otherwise.

    Returns
    -------
    str

    Raises
    ------
    InputProblem
        When exact is given for anything but an OR of events.
    """
    of_odds = form is Form.EVENTS and measure is Measure.OR
    engine = engine or ("exact" if of_odds else "normal")
    if engine == "exact" and not of_odds:
        raise InputProblem("The engine exact is for odds ratios of events (--measure OR); choose normal.")
    return engine


def posterior(
    studies: Studies, target: EffectTarget, engine: Engine, b_0: float, prior_sd: float | None = None
) -> tuple[EffectPrior, EffectPosterior | ExactBelief]:
    """Prior, and posterior after the first 0, 1, …, k studies.

    Parameters
    ----------
    studies, target, b_0, prior_sd
        As for :func:`belief_of_effect`.
    engine : {"exact", "normal"}
        A Bayesian engine.

    Returns
    -------
    EffectPrior
        The prior.
    EffectPosterior or ExactBelief
        The posterior after each study.

    Raises
    ------
    InputProblem
        When b₀ is not between 0 and 1.
    """
    if not 0 < b_0 < 1:
        raise InputProblem(f"b0 is {b_0:g}; give a chance between 0 and 1.")
    prior = prior_for(target.measure, target.scaled, b_0, target.above, prior_sd)
    if engine == "exact":
        return prior, believe_exactly(studies.values, prior, weights=studies.weights)
    sizes = studies.sizes(target.measure, target.ratio)
    return prior, believe(sizes.y, sizes.v, prior)


def chances_beyond(
    believed: EffectPosterior | ExactBelief, target: EffectTarget, studies: Studies, b_0: float
) -> Floats:
    """Chances that the average effect is beyond δ after the first 0, 1, …, k studies.

    Parameters
    ----------
    believed : EffectPosterior or ExactBelief
        The posterior after each study.
    target, studies, b_0
        As for :func:`belief_of_effect`.

    Returns
    -------
    array of shape (k + 1,)
        Exactly b₀ until the first informative study.
    """
    above = np.clip(believed.above(target.scaled), 0, 1)
    informative = np.cumsum(studies.sizes(target.measure, target.ratio).says_something)
    beyond = above if target.above else 1 - above
    return np.where(np.append(0, informative) == 0, b_0, beyond)


def _by_pooling(studies: Studies, target: EffectTarget, engine: Engine) -> EffectBelief:
    sizes = studies.sizes(target.measure, target.ratio)
    usable = sizes.says_something
    first = 1 if engine == "fe" else 2
    fit = prefixes(sizes.y[usable], sizes.v[usable], POOLED[engine], first)
    sign = 1 if target.above else -1
    beliefs = ndtr(sign * (fit.est - target.scaled) / fit.se)
    by_number = [None] * first + beliefs.tolist()
    path = tuple(by_number[k] for k in [0, *np.cumsum(usable)])
    if not len(fit.est):
        return EffectBelief(engine, path, None, None, None, None, None, None)
    est, se, tau2 = float(fit.est[-1]), float(fit.se[-1]), float(fit.tau2[-1])
    low, high = fit.prediction[-1]
    new = float(ndtr(sign * (est - target.scaled) / math.hypot(se, math.sqrt(tau2))))
    prediction = (float(low), float(high)) if math.isfinite(low) else None
    return EffectBelief(engine, path, est, se, tau2, prediction, new, None)
