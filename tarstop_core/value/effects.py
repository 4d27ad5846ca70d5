"""States of knowledge about the effect of an intervention: the belief after each study, and what the next may show.

The average effect is measured from δ, the smallest effect that matters, towards the better side. It is a mixture over the
heterogeneity τ; given τ it is normal, and a study of variance v measures it with precision 1/(τ² + v).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from tarstop_core.effects.beliefs import EffectTarget, chances_beyond, posterior
from tarstop_core.effects.exact import ExactBelief
from tarstop_core.effects.measures import Engine
from tarstop_core.effects.normal import EffectPosterior
from tarstop_core.effects.roots import roots
from tarstop_core.effects.studies import Studies
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.margins import beliefs_after
from tarstop_core.value.mixtures import chance_of_plus, worth_of_studies
from tarstop_core.value.payoffs import Depths, Floats, Payoffs

FINE, COARSE = 120, 30
"""About how many parts a mixture has, for the value of one study and of several."""
RESULTS = 1000  # Results of the next study that are distinguished
NEGLIGIBLE = 1e-12  # A τ is left out if its weight is at most this share of the largest
EQUAL = 1e-7  # Every τ below this share of a study's standard error counts as 0
UNSEEN = 5.0
"""Before any study, the standard error of the next is the standard deviation of the prior divided by this."""
FAR = 40.0  # Standard deviations between settings beyond which a share is 0 or 1
KEPT = 64  # Lists whose states are cached
_cached_states: dict[tuple[object, ...], tuple["KnownEffect", ...]] = {}


@dataclass(frozen=True, eq=False)
class KnownEffect:
    """What is known of an effect after some studies."""

    b: float  # Chance that the average effect is beyond δ
    fine: Knowledge
    mixture: Knowledge
    """`fine` and `mixture`: the average effect by heterogeneity, measured from δ, in many parts and in few."""
    variance: float  # Variance with which the next study measures its own effect
    pooled: tuple[float, float]
    """Mean and standard deviation of the average effect on the scale of analysis."""

    @property
    def n_0(self) -> float:
        """Number of studies like the next one that this knowledge is worth."""
        return self.fine.n_0

    def evsi(self, payoffs: Payoffs) -> float:
        """Expected value of the next study, in the payoffs' unit; between 0 and EVPI(b)."""
        (worth,) = worth_of_studies(self.fine, np.ones(1), payoffs)
        return min(float(worth), float(payoffs.evpi(self.b)))

    def beliefs_after_one(self) -> tuple[Floats, Floats]:
        """Beliefs after the next study and their chances, shape (results,) each."""
        return beliefs_after(self.fine, 1, RESULTS)

    def worth_of_studies(self, studies: Floats | Depths, payoffs: Payoffs) -> Floats:
        """Expected value of each of these numbers of studies, in the payoffs' unit."""
        return worth_of_studies(self.mixture, studies, payoffs)

    def chance_above(self, studies: Floats | Depths, q_star: float) -> Floats:
        """Chance that the belief exceeds q* after each of these numbers of studies."""
        return chance_of_plus(self.mixture, studies, q_star)

    @property
    def _tau(self) -> Floats:
        """Heterogeneity of each part of `fine`."""
        return np.sqrt(np.maximum(1 / self.fine.study - self.variance, 0.0))

    def share_of_settings(self, levels: Floats) -> Floats:
        """Quantiles of the share of settings whose own effect is beyond δ.

        Parameters
        ----------
        levels : ndarray, shape (L,)
            Chances, in (0, 1).

        Returns
        -------
        ndarray, shape (L,)
            Shares.
        """
        sd, tau = 1 / np.sqrt(self.fine.precision), self._tau

        def below(z: Floats, level: Floats) -> Floats:
            """Chance that the share is less than Φ(z), minus the level."""
            return np.asarray(
                (self.fine.weight * ndtr((z[..., None] * tau - self.fine.mean) / sd)).sum(-1) - level
            )

        levels = np.asarray(levels, dtype=float)
        low, high = np.full(levels.shape, -FAR), np.full(levels.shape, FAR)
        z = roots(below, low, high, levels)
        # If settings hardly differ, the share is all of them or none.
        z = np.where(below(high, levels) < 0, FAR, np.where(below(low, levels) > 0, -FAR, z))
        return np.asarray(ndtr(z))


def effect_states(
    studies: Studies, target: EffectTarget, engine: Engine, b_0: float, prior_sd: float | None = None
) -> tuple[KnownEffect, ...]:
    """Return what is known after the first 0, 1, …, k studies; cached.

    Parameters
    ----------
    studies : Studies
        The k studies, in the order in which they came.
    target : EffectTarget
        The measure, δ and direction.
    engine : {"exact", "normal"}
        An engine with a prior.
    b_0 : float
        Chance before any study that the average effect is beyond δ.
    prior_sd : float, optional
        Prior standard deviation of the average effect, on the scale of analysis; that of the measure unless given.

    Returns
    -------
    tuple of KnownEffect
        k + 1 of them.
    """

    def key(k: int) -> tuple[object, ...]:
        """Key of the first k studies in the cache."""
        weights = None if studies.weights is None else studies.weights[:k].tobytes()
        return studies.form, studies.values[:k].tobytes(), weights, target, engine, b_0, prior_sd

    states = _cached_states.get(key(len(studies)))
    if states is None:
        # When a review grows, only the state after its newest study is computed.
        before = _cached_states.get(key(len(studies) - 1), ()) if len(studies) else ()
        states = (*before, *_states(studies, target, engine, b_0, prior_sd, len(before)))
        _cached_states[key(len(studies))] = states
        while len(_cached_states) > KEPT:
            _cached_states.pop(next(iter(_cached_states)), None)
    return states


def _states(
    studies: Studies, target: EffectTarget, engine: Engine, b_0: float, prior_sd: float | None, first: int
) -> list[KnownEffect]:
    """What is known after the first `first`, …, k studies."""
    prior, believed = posterior(studies, target, engine, b_0, prior_sd)
    b, (mean, sd) = chances_beyond(believed, target, studies, b_0), believed.moments()
    v = studies.sizes(target.measure, target.ratio).v
    states = []
    for k in range(first, len(studies) + 1):
        measured = v[:k][np.isfinite(v[:k])]
        variance = float(np.median(measured)) if len(measured) else (prior.sd / UNSEEN) ** 2
        fine, mixture = (
            mixture_of(believed, k, target, variance, parts, float(b[k])) for parts in (FINE, COARSE)
        )
        states.append(KnownEffect(float(b[k]), fine, mixture, variance, (float(mean[k]), float(sd[k]))))
    return states


def mixture_of(
    believed: EffectPosterior | ExactBelief,
    k: int,
    target: EffectTarget,
    variance: float,
    parts: int,
    b: float,
) -> Knowledge:
    """Return what is known of the average effect after k studies, by heterogeneity.

    Parameters
    ----------
    believed : EffectPosterior or ExactBelief
        Beliefs after every prefix of the list.
    k : int
        Number of studies.
    target : EffectTarget
        Its δ is the origin, its direction the positive side.
    variance : float
        Variance with which the next study measures its own effect.
    parts : int
        About how many parts to keep.
    b : float
        Chance that the average effect is beyond δ, which the mixture is made to have exactly.

    Returns
    -------
    Knowledge
        The mixture, with the effect measured from δ.
    """
    weights = believed.weights[k]
    kept = np.flatnonzero(weights > NEGLIGIBLE * weights.max())
    small = believed.tau[kept] < EQUAL * math.sqrt(variance)
    zero, rest = kept[small], kept[~small]
    chosen = rest[:: max(1, len(rest) // parts)]
    at = np.append(zero[-1:], chosen)
    weight = np.append(weights[zero].sum()[None][: len(zero[-1:])], weights[chosen])
    if len(chosen):
        weight[-len(chosen) :] *= weights[rest].sum() / weights[chosen].sum()
    towards = 1.0 if target.above else -1.0
    mean, sd = towards * (believed.mean[k, at] - target.scaled), believed.sd[k, at]
    weight = weight / weight.sum()
    shift = _shift(weight, mean, sd, b)
    return Knowledge(weight, mean + shift * sd, sd**-2.0, 1 / (believed.tau[at] ** 2 + variance))


def _shift(weight: Floats, mean: Floats, sd: Floats, b: float) -> float:
    """Shift of each part, in its standard deviations, that restores the belief b, which the parts reproduce only roughly."""
    b = min(max(b, 1e-15), 1 - 1e-15)
    (shift,) = roots(
        lambda z, level: (weight * ndtr(mean / sd + z[..., None])).sum(-1) - level,
        np.array([-20.0]),
        np.array([20.0]),
        np.array([b]),
    )
    return float(shift)
