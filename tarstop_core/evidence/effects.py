"""Evidence of a review of an intervention: belief, pooled estimates, leave-one-out beliefs, value of more studies."""

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np

from tarstop_core.effects.beliefs import POOLED, EffectBelief, EffectTarget, belief_of_effect, posterior
from tarstop_core.effects.bias import Bias, versions_by_risk
from tarstop_core.effects.exact import above_without_each
from tarstop_core.effects.glmm import MODELS, pool_by_likelihood
from tarstop_core.effects.measures import NAMES, Engine, Measure
from tarstop_core.effects.pooling import Method, PooledEffects, mantel_haenszel, peto, prefixes, tau2_interval
from tarstop_core.effects.sizes import Floats, Sizes, Z, of_events, of_means
from tarstop_core.effects.studies import Form, Studies
from tarstop_core.evidence.synthesis import MoreStudies, Without
from tarstop_core.presentation.numbers import INTERVAL_LEVEL, alike, signed
from tarstop_core.value.effects import KnownEffect, effect_states
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.mixtures import worth_of_studies
from tarstop_core.value.payoffs import Payoffs

AHEAD = np.array([1.0, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100])
"""Numbers of further studies at which their value is drawn."""
MOST_EVENTS = 5000  # Mixed models are not fitted if a study has more events in both arms together
CORRECTED: tuple[Literal["only0"], Literal["all"]] = ("only0", "all")


class Estimates(NamedTuple):
    """Estimates with 95 % intervals on the scale of analysis, each of shape (n,); NaN where there is none."""

    value: Floats
    low: Floats
    high: Floats


class Reviewed(NamedTuple):
    """Results of one pooling method on the scale of analysis; NaN where the method gives none."""

    method: str
    est: float
    ci: tuple[float, float]
    kh_ci: tuple[float, float] = (np.nan, np.nan)
    tau2: float = np.nan
    I2: float = np.nan
    prediction: tuple[float, float] = (np.nan, np.nan)


@dataclass(frozen=True, eq=False)
class EffectEvidence:
    """The studies of a review of an intervention and everything computed from them."""

    studies: Studies
    target: EffectTarget
    engine: Engine
    b_0: float = 0.5
    prior_sd: float | None = None

    def __len__(self) -> int:
        return len(self.studies)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the studies."""
        return self.studies.study

    @property
    def claim(self) -> str:
        """The statement whose probability is the belief."""
        side = "above" if self.target.above else "below"
        return f"{NAMES[self.target.measure]} is {side} {signed(self.target.delta)}"

    @cached_property
    def drawn_path(self) -> EffectBelief:
        """Belief after 0 … n studies, and the effect pooled from all of them."""
        return belief_of_effect(self.studies, self.target, self.engine, self.b_0, self.prior_sd)

    @property
    def previewed(self) -> bool:
        """Always False: every engine is quick enough for the whole path."""
        return False

    @property
    def belief(self) -> float | None:
        """Chance that the average effect is beyond δ; None where the engine gives none."""
        return self.drawn_path.beliefs[-1]

    @property
    def pooled(self) -> Estimates:
        """The average effect by the engine, as arrays of one entry."""
        mu, se = (np.array([np.nan if x is None else x]) for x in (self.drawn_path.mu, self.drawn_path.se))
        return Estimates(mu, mu - Z * se, mu + Z * se)

    @property
    def average(self) -> str:
        """The average effect with its interval as a text; empty where there is none."""
        return self.written(*(float(part[0]) for part in self.pooled))

    @property
    def judged(self) -> Studies:
        """The studies with their judged risk of bias."""
        return self.studies

    def by(self, engine: Engine) -> "EffectEvidence":
        """Evidence of the same studies by another engine."""
        return replace(self, engine=engine)

    @cached_property
    def rival_belief(self) -> float | None:
        """Belief by the other school: REML beside a Bayesian engine, the normal model beside pooled estimates."""
        return self.by("normal" if self.engine in POOLED else "reml").belief

    @cached_property
    def sizes(self) -> Sizes:
        """Effect sizes of the studies."""
        return self.studies.sizes(self.target.measure, self.target.ratio)

    @cached_property
    def estimates(self) -> Estimates:
        """Estimate of each study by itself."""
        half_width = Z * np.sqrt(self.sizes.v)
        return Estimates(self.sizes.y, self.sizes.y - half_width, self.sizes.y + half_width)

    @property
    def sd_of_one_person(self) -> float | None:
        """Standard deviation of one person's outcome on the scale of analysis; None if the studies give no numbers of people."""
        if not {"n_treated", "n_control"} <= {*self.studies.form.columns}:
            return None
        treated, control = self.studies.column("n_treated"), self.studies.column("n_control")
        variance = self.sizes.v / (1 / treated + 1 / control)
        usable = np.isfinite(variance)
        if not usable.any():
            return None
        return float(np.sqrt(np.average(variance[usable], weights=(treated + control)[usable])))

    @property
    def weights(self) -> Floats:
        """Inverse-variance weight of each study with the engine's τ², shape (n,), summing to 1; NaN where a study has none."""
        w = 1 / (self.sizes.v + (self.drawn_path.tau2 or 0.0))
        return np.asarray(w / np.nansum(w))

    @cached_property
    def cumulative(self) -> Estimates:
        """The average effect by the engine after the first 1, 2, …, n studies."""
        if self.engine not in POOLED:
            mean, sd = posterior(self.studies, self.target, self.engine, self.b_0, self.prior_sd)[1].moments()
            mean, sd = mean[1:], sd[1:]
        else:
            usable = self.sizes.says_something
            first = 1 if self.engine == "fe" else 2
            fit = prefixes(self.sizes.y[usable], self.sizes.v[usable], POOLED[self.engine], first)
            row = np.cumsum(usable) - first
            fitted = row >= 0
            mean, sd = np.full(len(usable), np.nan), np.full(len(usable), np.nan)
            mean[fitted], sd[fitted] = fit.est[row[fitted]], fit.se[row[fitted]]
        return Estimates(mean, mean - Z * sd, mean + Z * sd)

    @cached_property
    def without(self) -> Without:
        """Leave-one-out beliefs."""
        target, prior = self.target, self.drawn_path.prior
        if self.engine == "exact" and prior is not None:
            above = above_without_each(self.studies.values, prior, target.scaled, self.studies.weights)
            return Without(np.clip(above if target.above else 1 - above, 0, 1))
        places = range(len(self))
        others = (self.studies.only([at for at in places if at != left_out]) for left_out in places)
        return Without(np.array([replace(self, studies=rest).belief for rest in others], dtype=float))

    @cached_property
    def known(self) -> KnownEffect | None:
        """State of a Bayesian engine after all studies; None with another engine."""
        if self.engine in POOLED:
            return None
        return effect_states(self.studies, self.target, self.engine, self.b_0, self.prior_sd)[-1]

    def settings_share(self) -> tuple[float, float] | None:
        """Interval of the share of settings in which the effect is beyond δ; None without a Bayesian engine."""
        if self.known is None:
            return None
        low, high = self.known.share_of_settings(
            np.array([(1 - INTERVAL_LEVEL) / 2, (1 + INTERVAL_LEVEL) / 2])
        )
        return float(low), float(high)

    def more_studies(self, payoffs: Payoffs) -> MoreStudies | None:
        """Expected value of more studies, each with the median variance of these; None without a belief."""
        mixture = self._mixture()
        if self.belief is None or mixture is None:
            return None
        worth = np.zeros(len(AHEAD))
        for neighbours in payoffs.neighbours():
            worth_of_pair = worth_of_studies(mixture, AHEAD, neighbours)
            if self.known is not None:
                worth_of_pair[0] = self.known.evsi(neighbours)
            worth += worth_of_pair
        evpi = float(payoffs.evpi(self.belief))
        return MoreStudies(AHEAD, np.maximum.accumulate(np.minimum(worth, evpi)), evpi)

    def _mixture(self) -> Knowledge | None:
        if self.known is not None:
            return self.known.mixture
        mu, se, tau2 = self.drawn_path.mu, self.drawn_path.se, self.drawn_path.tau2
        if mu is None or se is None or tau2 is None:
            return None
        variance = float(np.nanmedian(self.sizes.v))
        towards = (1 if self.target.above else -1) * (mu - self.target.scaled)
        return Knowledge(*(np.array([x]) for x in (1.0, towards, se**-2, 1 / (tau2 + variance))))

    @cached_property
    def by_risk(self) -> "tuple[tuple[str, EffectEvidence], ...]":
        """Titles and evidence: all studies, without high risk of bias, and with its weight reduced; () if no risk is high."""
        return versions_by_risk(self, self.studies, lambda studies: replace(self, studies=studies))

    @cached_property
    def reviewed(self) -> list[Reviewed]:
        """The pooled effect by every method that reviewers use."""
        usable = self.sizes.says_something
        y, v = self.sizes.y[usable], self.sizes.v[usable]
        if len(y) < 2:
            return []
        rows = [_reviewed(method, prefixes(y, v, method, len(y))) for method in get_args(Method)]
        if self.studies.form is Form.EVENTS:
            counts = self.studies.complete().values.T
            fits = [("Mantel–Haenszel", mantel_haenszel(self.target.measure, *counts))]
            if self.target.measure is Measure.OR:
                fits.append(("Peto", peto(*counts)))
            rows += [Reviewed(name, est, (est - Z * se, est + Z * se)) for name, (est, se) in fits]
        return [*rows, *self._otherwise_corrected(), *self._mixed()]

    def _otherwise_corrected(self) -> list[Reviewed]:
        """REML with unbiased variances of an SMD, or with other corrections of empty cells if there are any."""
        values = self.studies.complete().values
        if self.target.measure is Measure.SMD:
            variants = {"REML, unbiased variances": of_means(Measure.SMD, *values.T, vtype="UB")}
        elif self.target.measure in (Measure.OR, Measure.RR) and self.studies.has_empty_cells:
            kept, added = (of_events(self.target.measure, *values.T, drop00=False, to=to) for to in CORRECTED)
            variants = {"REML, studies without events kept": kept, "REML, ½ added to every study": added}
        else:
            variants = {}
        return [
            _reviewed(name, prefixes(sizes.y, sizes.v, "REML", len(sizes)))
            for name, sizes in variants.items()
        ]

    def _mixed(self) -> list[Reviewed]:
        """Maximum likelihood estimates of an OR by four mixed models, without any correction of empty cells."""
        values = self.studies.complete().values
        if self.target.measure is not Measure.OR or values[:, [0, 2]].sum(axis=1).max() > MOST_EVENTS:
            return []
        fits = [(model, pool_by_likelihood(values, model)) for model in MODELS]
        return [Reviewed(f"GLMM {model}", fit.est, fit.ci, tau2=fit.tau2) for model, fit in fits]

    @cached_property
    def tau2_interval(self) -> tuple[float, float] | None:
        """95 % interval of τ² by the Q-profile method; None with one study."""
        usable = self.sizes.says_something
        return tau2_interval(self.sizes.y[usable], self.sizes.v[usable]) if usable.sum() > 1 else None

    def unit(self, value: float) -> float:
        """Convert a number from the scale of analysis to the measure's own unit."""
        return float(np.exp(value)) if self.target.ratio else float(value)

    @cached_property
    def _decimals(self) -> int:
        """Decimals of all estimates, chosen so that the average effect has three digits."""
        largest = max(abs(self.unit(float(part[0]))) for part in self.pooled)
        return max(2, 2 - math.floor(math.log10(largest))) if 0 < largest < math.inf else 3

    def written(self, value: float, low: float, high: float) -> str:
        """Format an estimate and its interval in the measure's own unit: '0.49 [0.34, 0.70]'.

        Parameters
        ----------
        value, low, high
            Estimate and limits on the scale of analysis.

        Returns
        -------
        str
            Empty where there is none.
        """
        if not np.isfinite(value):
            return ""
        texts = alike([self.unit(x) for x in (value, low, high)], self._decimals)
        return "{} [{}, {}]".format(*texts)


def _reviewed(method: str, fit: PooledEffects) -> Reviewed:
    def ends(interval: Floats) -> tuple[float, float]:
        return float(interval[-1, 0]), float(interval[-1, 1])

    est, tau2, I2 = (float(column[-1]) for column in (fit.est, fit.tau2, fit.I2))
    if method == "FE":
        return Reviewed(method, est, ends(fit.ci))
    return Reviewed(method, est, ends(fit.ci), ends(fit.kh_ci), tau2, I2, ends(fit.prediction))


def effect_evidence(
    studies: Studies, target: EffectTarget, engine: Engine, b_0: float = 0.5, prior_sd: float | None = None
) -> EffectEvidence:
    """Evidence of a review of an intervention; equal arguments share one cached object.

    Parameters
    ----------
    studies
        Studies in reading order; those with a missing number are left out.
    target
        The measure, δ and direction.
    engine
        Engine that computes the belief; it must fit the measure.
    b_0
        Chance before any study.
    prior_sd
        Prior standard deviation of the average effect on the scale of analysis; the usual one if None.

    Returns
    -------
    EffectEvidence
    """
    complete = studies.complete()
    content = complete.study, complete.form, complete.values.tobytes(), complete.bias
    return _effect_evidence(content, target, engine, b_0, prior_sd)


@lru_cache(maxsize=32)
def _effect_evidence(
    content: tuple[tuple[str, ...], Form, bytes, tuple[Bias | None, ...]],
    target: EffectTarget,
    engine: Engine,
    b_0: float,
    prior_sd: float | None,
) -> EffectEvidence:
    study, form, values, bias = content
    table = np.frombuffer(values).reshape(len(study), len(form.columns))
    return EffectEvidence(Studies(study, form, table, bias), target, engine, b_0, prior_sd)
