"""Do the chances fit what is being found? Asked after every document, answered with an interval.

Lists differ, and chances that are right allow for it: in reviews the number found among the documents read is that of
the training lists' curves (:mod:`tarstop_core.calibration.thinning`), elsewhere negative binomial with the sum of the chances
as mean and the calibrator's dispersion a as shape. What was found says by which factor the chances of this list
should be multiplied, and what is said to be still unread allows for it without being asked:

    factor | found ~ Gamma(a₀ + found, a₀ + Σ p),  so that its mean is (a₀ + found) / (a₀ + Σ p),

with Gamma(a₀, a₀), mean 1, as prior. That is always reckoned from the chances as the calibrator gave them, with all
documents read: asking again, or scaling twice, counts nothing twice. Where the
factor's interval leaves out the present one, multiplying is offered; that is no warning. That the chances do not fit is
said where a ratio that may be looked at after every document (:mod:`tarstop_core.calibration.calibration_monitor`) speaks against
how hits lie along the list or, once chances were multiplied, against what came after that.

In patents the chances hold if prior art exists. While nothing was found, the misses speak against its existence as
well as against the chances, and the belief has already taken them in (a calibrator of kind "frailty" takes them in on
both counts); a factor would count them twice, so none is offered. Once something relevant was found (and confirmed,
where hits are), existence is settled, and only the chances are in doubt.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tarstop_core.belief.mixture import Left, left, mixture
from tarstop_core.calibration.calibration_monitor import (
    CONFIDENCE,
    E_LIMIT,
    PRIOR_SHAPE,
    Check,
    e_value_of_chances,
    e_value_of_first_hit,
    factor,
)
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.scores import scaled
from tarstop_core.screening import advice_message
from tarstop_core.screening.foretold import check_foretold
from tarstop_core.screening.log import Event
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.payoffs import Floats


def live_check(settings: Settings, calibrator: Calibrator, p: Floats, state: State) -> Check | None:
    """The check at the depth a session has reached; `p` are the chances as the calibrator gives them, shape (N,).

    None before the first verdict, and for calibrators that only know of the first hit once one was found: their chances
    do not add up to a number.
    """
    judged = state.judged
    read, hits = int(judged.sum()), int(state.came_true.sum())
    first_only = calibrator.first_hits and calibrator.kind != "frailty"
    if not read or (first_only and hits):
        return None
    if settings.adapts_chances:
        return check_foretold(settings, state)
    seen = scenario_of(settings).recognised(settings)
    given, used = seen * p[judged], seen * scaled(p[judged], settings.scale)
    misses = None
    if settings.one_decides and not hits:
        at = np.flatnonzero(judged) + 1 if state.ranks is None else state.ranks[judged]
        misses = float(np.exp(calibrator.curve(used, at, kappa=settings.kappa).log_M[-1]))
    if first_only:
        # As many as one: the number of first hits.
        expected = 1 - misses if misses is not None else 0.0
        low, high = int(misses is not None and misses < (1 - CONFIDENCE) / 2), 1
    else:
        expected = float(used.sum())
        low, high = _foreseen(settings, calibrator, p, state).interval()
    mean, least, most = factor(float(given.sum()), hits, calibrator.dispersion)
    e_value = _e_value(settings, calibrator, seen * p, state)
    offered = (not least <= settings.scale <= most or e_value >= E_LIMIT) and misses is None
    unsure = len(state.unsure)
    waiting = state.depth - read - unsure
    return Check(
        read, expected, low, high, hits, mean, least, most, offered, misses, unsure, waiting, e_value
    )


def _foreseen(settings: Settings, calibrator: Calibrator, p: Floats, state: State) -> Left:
    """The number found among the documents judged, as it was foreseen before they were read."""
    if settings.one_decides or settings.scale != 1:
        used = scenario_of(settings).recognised(settings) * scaled(p[state.judged], settings.scale)
        shape = _own_shape(calibrator, state) if settings.scale != 1 else calibrator.dispersion
        return left(mixture([1.0], [shape]), [float(used.sum())], int(state.judged.sum()))
    nothing = np.zeros_like(state.judged)
    return calibrator.left(p, nothing, nothing, state.judged, state.ranks)


def _own_shape(calibrator: Calibrator, state: State) -> float:
    """Shape of the factor that is still in doubt once the chances were multiplied by what this list had shown by then."""
    then = state.judged & (np.arange(len(state.judged)) < state.scaled_at)
    return min(calibrator.dispersion, PRIOR_SHAPE) + int((state.came_true & then).sum())


def _e_value(settings: Settings, calibrator: Calibrator, p: Floats, state: State) -> float:
    judged, relevant = state.judged, state.came_true
    if settings.scale == 1 and settings.one_decides:
        curve = calibrator.curve(p, state.ranked, kappa=settings.kappa, silent=state.silent)
        none = 1 - settings.b_0
        return e_value_of_first_hit(curve.log_M, state.hit or state.depth, state.hit is not None, none)
    if settings.scale == 1:
        return calibrator.e_value(p, judged, relevant, state.ranks)
    since = judged & (np.arange(len(p)) >= state.scaled_at)
    shape, p = _own_shape(calibrator, state), scaled(p, settings.scale)
    if state.ranks is not None:
        by_rank = np.argsort(state.ranks)
        p, since, relevant = p[by_rank], since[by_rank], relevant[by_rank]
    return e_value_of_chances(p, since, relevant & since, shape)


def check_sentence(check: Check | None, settings: Settings, state: State | None = None) -> str:
    """What the check says, in one or two sentences; where there is none, why, by the `state`.

    Examples
    --------
    >>> from tarstop_core.screening.settings import ReviewSettings
    >>> from tarstop_core.value.payoffs import Payoffs
    >>> review = ReviewSettings(Payoffs.from_q_star(0.5), 0.001)
    >>> check_sentence(Check(60, 15.0, 9, 21, 3, 0.37, 0.17, 0.62, True), review)
    'Expected 9 to 21 included among the 60 documents read, found 3; the chances alone say 15. Lists differ, so that is no warning; multiplied by 0.37 (0.17 to 0.62) they would fit its number.'
    >>> check_sentence(Check(60, 15.0, 9, 21, 12, 0.8, 0.5, 1.2, False), review)
    'Expected 9 to 21 included among the 60 documents read, found 12: the chances fit this list so far.'
    """
    if check is None:
        read, hit = (0, False) if state is None else (state.depth, bool(state.came_true.any()))
        return advice_message("unchecked", read=read, hit=hit)
    return scenario_of(settings).message("check", check=check, settings=settings, limit=E_LIMIT)


def rescaled(settings: Settings, check: Check) -> tuple[Settings, str]:
    """The settings with the chances multiplied as the check proposes, and the reason to be recorded."""
    scale = float(f"{check.factor:.2g}")
    reason = advice_message("rescaled", scale=scale, check=check)
    return replace(settings, scale=scale), reason


def scale_before(begun: Settings, events: Iterable[Event]) -> float:
    """The scale that was in force before the last change of it: what taking it back returns to.

    `begun` are the settings at the start of the session.
    """
    changes = (event.payload["settings"] for event in events if event.kind == "settings")
    scales = [begun.scale, *(float(settings.get("scale", 1.0)) for settings in changes)]
    return next((scale for scale in reversed(scales) if scale != scales[-1]), begun.scale)
