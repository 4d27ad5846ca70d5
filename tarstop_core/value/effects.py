"""States of knowledge about an intervention's effect: the belief after each study, and what the next may show.

The average effect is counted from δ, the smallest effect that matters, towards the better side. It is a mixture over the
heterogeneity τ, given which it is normal and a study of variance v tells it with precision 1/(τ² + v).
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from tarstop_core.effects.beliefs import Target, chances_beyond, posterior
from tarstop_core.effects.exact import ExactBelief
from tarstop_core.effects.measures import Engine
from tarstop_core.effects.normal import Belief
from tarstop_core.effects.roots import roots
from tarstop_core.effects.studies import Studies
from tarstop_core.value.knowledge import Knowledge
from tarstop_core.value.mixtures import chance_of_plus, worth_of_studies
from tarstop_core.value.payoffs import Depths, Floats, Payoffs

FINE, COARSE = 120, 30
"""Parts of a mixture about, where one study is weighed and where many are."""
NEGLIGIBLE, EQUAL = 1e-12, 1e-7
"""Weight beside the largest one below which a τ is left out, and share of a study's standard error below which all τ are 0."""
UNSEEN = 5.0
"""While no study is known, the next one's standard error is the prior's standard deviation divided by this."""
FAR = 40.0  # Standard deviations between settings beyond which a share is 0 or 1
KEPT = 64
_known: dict[tuple[object, ...], tuple["KnownEffect", ...]] = {}


@dataclass(frozen=True, eq=False)
class KnownEffect:
    """What is known of an effect after some studies."""

    b: float  # Chance that the average effect is beyond δ
    fine: Knowledge
    mixture: Knowledge
    """`fine` and `mixture`: the average effect by heterogeneity, counted from δ, in many parts and in few."""
    variance: float  # With which the next study measures its own effect
    pooled: tuple[float, float]
    """Mean and standard deviation of the average effect on the scale of analysis."""

    @property
    def n_0(self) -> float:
        """How many studies like the next one this is worth."""
        return self.fine.n_0

    def evsi(self, payoffs: Payoffs) -> float:
        """Expected value of the next study, in the payoffs' unit; between 0 and EVPI(b)."""
        (worth,) = worth_of_studies(self.fine, np.ones(1), payoffs)
        return min(float(worth), float(payoffs.evpi(self.b)))

    def worth_of_studies(self, studies: Floats | Depths, payoffs: Payoffs) -> Floats:
        """Expected value of each of these numbers of studies."""
        return worth_of_studies(self.mixture, studies, payoffs)

    def chance_above(self, studies: Floats | Depths, q_star: float) -> Floats:
        """Chance that the belief exceeds q* after each of these numbers of studies."""
        return chance_of_plus(self.mixture, studies, q_star)

    @property
    def _tau(self) -> Floats:
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
        # Where settings hardly differ it is all of them, or none.
        z = np.where(below(high, levels) < 0, FAR, np.where(below(low, levels) > 0, -FAR, z))
        return np.asarray(ndtr(z))


def effect_states(
    studies: Studies, target: Target, engine: Engine, b_0: float, prior_sd: float | None = None
) -> tuple[KnownEffect, ...]:
    """What is known after the first 0, 1, …, k studies; remembered.

    Parameters
    ----------
    studies : Studies
        In the order in which they came in.
    target : Target
        The measure, δ and direction.
    engine : {"exact", "normal"}
        One that knows a prior.
    b_0 : float
        Chance before any study that the average effect is beyond δ.
    prior_sd : float, optional
        Of the average effect on the scale of analysis, instead of the usual one.

    Returns
    -------
    tuple of KnownEffect
        k + 1 of them.
    """

    def key(k: int) -> tuple[object, ...]:
        weights = None if studies.weights is None else studies.weights[:k].tobytes()
        return studies.form, studies.values[:k].tobytes(), weights, target, engine, b_0, prior_sd

    states = _known.get(key(len(studies)))
    if states is None:
        # A growing review pays for its newest study only.
        before = _known.get(key(len(studies) - 1), ()) if len(studies) else ()
        states = (*before, *_states(studies, target, engine, b_0, prior_sd, len(before)))
        _known[key(len(studies))] = states
        while len(_known) > KEPT:
            _known.pop(next(iter(_known)), None)
    return states


def _states(
    studies: Studies, target: Target, engine: Engine, b_0: float, prior_sd: float | None, first: int
) -> list[KnownEffect]:
    prior, believed = posterior(studies, target, engine, b_0, prior_sd)
    b, (mean, sd) = chances_beyond(believed, target, studies, b_0), believed.moments()
    v = studies.sizes(target.measure, target.ratio).v
    states = []
    for k in range(first, len(studies) + 1):
        seen = v[:k][np.isfinite(v[:k])]
        variance = float(np.median(seen)) if len(seen) else (prior.sd / UNSEEN) ** 2
        fine, mixture = (
            mixture_of(believed, k, target, variance, parts, float(b[k])) for parts in (FINE, COARSE)
        )
        states.append(KnownEffect(float(b[k]), fine, mixture, variance, (float(mean[k]), float(sd[k]))))
    return states


def mixture_of(
    believed: Belief | ExactBelief, k: int, target: Target, variance: float, parts: int, b: float
) -> Knowledge:
    """What is known after k studies, by heterogeneity.

    Parameters
    ----------
    believed : Belief or ExactBelief
        What all prefixes of a list make of it.
    k : int
        After how many studies.
    target : Target
        Says from where the effect is counted, and towards where.
    variance : float
        With which the next study measures its own effect.
    parts : int
        About how many parts are kept.
    b : float
        Chance that the average effect is beyond δ, which the mixture has exactly.

    Returns
    -------
    Knowledge
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
