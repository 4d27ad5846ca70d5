"""Evidence of a review of an intervention: its studies, what they lead to, and what reviewers expect to see of them."""

import math
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

import numpy as np

from tarstop_core.effects.beliefs import POOLED, EffectBelief, Target, belief_of_effect, posterior
from tarstop_core.effects.bias import Bias, versions_by_risk
from tarstop_core.effects.exact import above_without_each
from tarstop_core.effects.glmm import MODELS, pool_by_likelihood
from tarstop_core.effects.measures import NAMES, Engine, Measure
from tarstop_core.effects.pooling import Method, Pooled, mantel_haenszel, peto, prefixes, tau2_interval
from tarstop_core.effects.sizes import Floats, Sizes, Z, of_events, of_means
from tarstop_core.effects.studies import Form, Studies
from tarstop_core.evidence.synthesis import MoreStudies, Without
from tarstop_core.presentation.numbers import alike, signed
from tarstop_core.value.effects import KnownEffect, effect_states
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.mixtures import worth_of_studies
from tarstop_core.value.payoffs import Payoffs

AHEAD = np.array([1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100])
"""More studies whose worth is drawn."""
MOST_EVENTS = 5000  # Of a study, in both arms, for which mixed models are still fitted
MIXED = "GLMM {}"
CORRECTED: tuple[Literal["only0"], Literal["all"]] = ("only0", "all")
METHODS: tuple[Method, ...] = ("FE", "DL", "REML", "ML", "PM")


class Estimates(NamedTuple):
    """Estimates with 95 % intervals on the scale of analysis; NaN where there is none; each of shape (n,)."""

    value: Floats
    low: Floats
    high: Floats


class Reviewed(NamedTuple):
    """What one method gives, on the scale of analysis; NaN where it gives none."""

    method: str
    est: float
    ci: tuple[float, float]
    kh_ci: tuple[float, float] = (np.nan, np.nan)
    tau2: float = np.nan
    I2: float = np.nan
    prediction: tuple[float, float] = (np.nan, np.nan)


@dataclass(frozen=True, eq=False)
class EffectEvidence:
    """The studies of a review of an intervention and what follows from them."""

    studies: Studies
    target: Target
    engine: Engine
    b_0: float = 0.5
    prior_sd: float | None = None

    def __len__(self) -> int:
        return len(self.studies)

    @property
    def names(self) -> tuple[str, ...]:
        """What the studies are called."""
        return self.studies.study

    @property
    def claim(self) -> str:
        """What the belief is a chance of."""
        side = "above" if self.target.above else "below"
        return f"{NAMES[self.target.measure]} is {side} {signed(self.target.delta)}"

    @cached_property
    def drawn_path(self) -> EffectBelief:
        """Belief after 0 … n studies, and what all of them make of the effect."""
        return belief_of_effect(self.studies, self.target, self.engine, self.b_0, self.prior_sd)

    @property
    def previewed(self) -> bool:
        """Never: every engine is quick enough."""
        return False

    @property
    def belief(self) -> float | None:
        """Chance that the average effect is beyond δ; None where an engine cannot say."""
        return self.drawn_path.beliefs[-1]

    @property
    def pooled(self) -> Estimates:
        """The average effect by the engine, one entry."""
        mu, se = (np.array([np.nan if x is None else x]) for x in (self.drawn_path.mu, self.drawn_path.se))
        return Estimates(mu, mu - Z * se, mu + Z * se)

    @property
    def average(self) -> str:
        """The average effect with its interval as a text; empty where there is none."""
        return self.written(*(float(part[0]) for part in self.pooled))

    @property
    def judged(self) -> Studies:
        """The studies, with their risk of bias where it was judged."""
        return self.studies

    def by(self, engine: Engine) -> "EffectEvidence":
        """These studies believed by another engine."""
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
        """Each study's own estimate."""
        wide = Z * np.sqrt(self.sizes.v)
        return Estimates(self.sizes.y, self.sizes.y - wide, self.sizes.y + wide)

    @property
    def sd_of_one_person(self) -> float | None:
        """Standard deviation of what one person shows on the scale of analysis; None where studies do not count their people."""
        if not {"n_treated", "n_control"} <= {*self.studies.form.columns}:
            return None
        treated, control = self.studies.column("n_treated"), self.studies.column("n_control")
        of_one = self.sizes.v / (1 / treated + 1 / control)
        says = np.isfinite(of_one)
        return (
            float(np.sqrt(np.average(of_one[says], weights=(treated + control)[says])))
            if says.any()
            else None
        )

    @property
    def weights(self) -> Floats:
        """Share of each study in the pooled estimate by inverse variance, with the engine's τ²; NaN where it has none."""
        w = 1 / (self.sizes.v + (self.drawn_path.tau2 or 0.0))
        return np.asarray(w / np.nansum(w))

    @cached_property
    def cumulative(self) -> Estimates:
        """The average effect after the first 1, 2, …, n studies, by the engine."""
        if self.engine not in POOLED:
            mean, sd = posterior(self.studies, self.target, self.engine, self.b_0, self.prior_sd)[1].moments()
            mean, sd = mean[1:], sd[1:]
        else:
            says = self.sizes.says_something
            first = 1 if self.engine == "fe" else 2
            fit = prefixes(self.sizes.y[says], self.sizes.v[says], POOLED[self.engine], first)
            at = np.cumsum(says) - first
            there = (at >= 0) & (at < max(1, len(fit.est))) & bool(len(fit.est))
            mean, sd = np.full(len(says), np.nan), np.full(len(says), np.nan)
            mean[there], sd[there] = fit.est[at[there]], fit.se[at[there]]
        return Estimates(mean, mean - Z * sd, mean + Z * sd)

    @cached_property
    def without(self) -> Without:
        """The belief without each study in turn."""
        target, prior = self.target, self.drawn_path.prior
        if self.engine == "exact" and prior is not None:
            above = above_without_each(self.studies.values, prior, target.scaled, self.studies.weights)
            return Without(np.clip(above if target.above else 1 - above, 0, 1))
        every = range(len(self))
        left = (replace(self, studies=self.studies.only([at for at in every if at != out])) for out in every)
        return Without(np.array([one.belief for one in left], dtype=float))

    @cached_property
    def known(self) -> KnownEffect | None:
        """What a Bayesian engine knows after all studies."""
        if self.engine in POOLED:
            return None
        return effect_states(self.studies, self.target, self.engine, self.b_0, self.prior_sd)[-1]

    def settings_share(self) -> tuple[float, float] | None:
        """Between which shares of settings the effect is beyond δ, with a chance of 90 %."""
        if self.known is None:
            return None
        low, high = self.known.share_of_settings(np.array([0.05, 0.95]))
        return float(low), float(high)

    def more_studies(self, payoffs: Payoffs) -> MoreStudies | None:
        """Expected value of more studies, each as precise as the middle one of these; None where there is no belief."""
        if self.belief is None:
            return None
        mixture, worth = self._mixture(), np.zeros(len(AHEAD))
        for two in payoffs.neighbours():
            of_two = (
                np.zeros(len(AHEAD))
                if mixture is None
                else worth_of_studies(mixture, AHEAD.astype(float), two)
            )
            if self.known is not None:
                of_two[0] = self.known.evsi(two)
            worth += of_two
        evpi = float(payoffs.evpi(self.belief))
        evsi = np.maximum.accumulate(np.minimum(worth, evpi))
        return MoreStudies(AHEAD.astype(float), evsi, evpi, None)

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
        """All studies, those without high risk of bias, and all with the weight of those reduced; () without such."""
        return versions_by_risk(self, self.studies, lambda studies: replace(self, studies=studies))

    @cached_property
    def reviewed(self) -> list[Reviewed]:
        """The pooled effect by every method that reviewers use."""
        says = self.sizes.says_something
        y, v = self.sizes.y[says], self.sizes.v[says]
        if len(y) < 2:
            return []
        rows = [_reviewed(method, prefixes(y, v, method, len(y))) for method in METHODS]
        if self.studies.form is Form.EVENTS:
            whole = self.studies.values[np.isfinite(self.studies.values).all(axis=1)]
            both = [("Mantel–Haenszel", mantel_haenszel(self.target.measure, *whole.T))]
            if self.target.measure is Measure.OR:
                both.append(("Peto", peto(*whole.T)))
            rows += [Reviewed(name, est, (est - Z * se, est + Z * se)) for name, (est, se) in both]
        return [*rows, *self._otherwise_corrected(), *self._mixed()]

    def _otherwise_corrected(self) -> list[Reviewed]:
        """REML with other variances of an SMD, or other corrections of empty cells where there are any."""
        values = self.studies.values[np.isfinite(self.studies.values).all(axis=1)]
        if self.target.measure is Measure.SMD:
            variants = {"REML, unbiased variances": of_means(Measure.SMD, *values.T, vtype="UB")}
        elif self.target.measure in (Measure.OR, Measure.RR) and self.studies.has_empty_cells:
            kept, added = (of_events(self.target.measure, *values.T, drop00=False, to=to) for to in CORRECTED)
            variants = {"REML, studies without events kept": kept, "REML, ½ added to every study": added}
        else:
            variants = {}
        return [_reviewed(name, prefixes(of.y, of.v, "REML", len(of))) for name, of in variants.items()]

    def _mixed(self) -> list[Reviewed]:
        """Maximum likelihood of an OR without any correction, by four models."""
        values = self.studies.values[np.isfinite(self.studies.values).all(axis=1)]
        if self.target.measure is not Measure.OR or values[:, [0, 2]].sum(axis=1).max() > MOST_EVENTS:
            return []
        fits = [(model, pool_by_likelihood(values, model)) for model in MODELS]
        return [Reviewed(MIXED.format(model), fit.est, fit.ci, tau2=fit.tau2) for model, fit in fits]

    @cached_property
    def tau2_interval(self) -> tuple[float, float] | None:
        """95 % interval of τ² by the Q-profile method; None with one study."""
        says = self.sizes.says_something
        return tau2_interval(self.sizes.y[says], self.sizes.v[says]) if says.sum() > 1 else None

    def unit(self, value: float) -> float:
        """A number of the scale of analysis in the measure's own unit."""
        return float(np.exp(value)) if self.target.ratio else float(value)

    @cached_property
    def _decimals(self) -> int:
        """Decimals of estimates, so that a column of them can be compared: those of the average effect in three digits."""
        largest = max(abs(self.unit(float(part[0]))) for part in self.pooled)
        return max(2, 2 - math.floor(math.log10(largest))) if 0 < largest < math.inf else 3

    def written(self, value: float, low: float, high: float) -> str:
        """An estimate with its interval in the measure's own unit: '0.49 [0.34, 0.70]'.

        Parameters
        ----------
        value, low, high
            On the scale of analysis.

        Returns
        -------
        str
            Empty where there is none.
        """
        if not np.isfinite(value):
            return ""
        at, begin, end = alike([self.unit(x) for x in (value, low, high)], self._decimals)
        return f"{at} [{begin}, {end}]"


def _reviewed(method: str, fit: Pooled) -> Reviewed:
    def ends(interval: Floats) -> tuple[float, float]:
        return float(interval[-1, 0]), float(interval[-1, 1])

    est, tau2, I2 = (float(column[-1]) for column in (fit.est, fit.tau2, fit.I2))
    if method == "FE":
        return Reviewed(method, est, ends(fit.ci))
    return Reviewed(method, est, ends(fit.ci), ends(fit.kh_ci), tau2, I2, ends(fit.prediction))


def effect_evidence(
    studies: Studies, target: Target, engine: Engine, b_0: float = 0.5, prior_sd: float | None = None
) -> EffectEvidence:
    """Evidence of a review of an intervention; what was computed for equal arguments before is kept.

    Parameters
    ----------
    studies
        In the order in which they were read; those with a missing number are left out.
    target
        The measure, δ and direction.
    engine
        Where the belief comes from; one that fits the measure.
    b_0
        Chance before any study.
    prior_sd
        Of the average effect on the scale of analysis, instead of the usual one.

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
    target: Target,
    engine: Engine,
    b_0: float,
    prior_sd: float | None,
) -> EffectEvidence:
    study, form, values, bias = content
    table = np.frombuffer(values).reshape(len(study), len(form.columns))
    return EffectEvidence(Studies(study, form, table, bias), target, engine, b_0, prior_sd)
