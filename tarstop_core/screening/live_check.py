"""Check whether the chances fit the finds, after every document and over all sessions with the same chances.

Lists differ, and chances that are right allow for it: in reviews the number found among the documents read is that of
the training lists' curves (:mod:`tarstop_core.calibration.hit_rate_model`), elsewhere negative binomial with the sum of the chances
as mean and the calibrator's dispersion as shape. So one list says little about the chances. What does is the product over
all sessions that a person began with them (:mod:`tarstop_core.calibration.calibration_monitor`), each up to its last label;
only where that warns, multiplying is offered, by the factor that fits all these sessions best.

A session says something about chances from the document at which they came into force. Multiplied chances are new
ones, about which nothing is known yet.

In patents the misses of one search speak against the existence of prior art as well as against the chances, and the belief
has already taken them in. Over many searches they speak against the chances, for how often there is prior art was said
before each: b₀.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from tarstop_core.belief.mixture import mixture, remaining
from tarstop_core.calibration.calibration_monitor import (
    CONFIDENCE,
    E_LIMIT,
    Check,
    combined,
    ratios_of_first_hit,
    ratios_of_forecasts,
)
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.scores import scaled
from tarstop_core.screening import advice_message
from tarstop_core.screening.adaptive_chances import forecast_for_read
from tarstop_core.screening.log import Event
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.payoffs import Floats


def live_check(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, others: Sequence[Floats] = ()
) -> Check | None:
    """Compare the finds at a session's depth with what was expected.

    Parameters
    ----------
    settings : Settings
        Those in force.
    calibrator : Calibrator
        Its calibrator.
    p : ndarray, shape (N,)
        The chances as the calibrator gives them, in the order of reading.
    state : State
        Where the session stands.
    others : sequence of ndarray, shape (A,)
        The evidence of other sessions with the same chances, from :func:`session_ratios`.

    Returns
    -------
    Check or None
        None before the first verdict.
    """
    # In a list that learns, documents that came with their labels are no evidence.
    since = state.kept if settings.adapts_chances else 0
    judged, hits = state.judged & (np.arange(len(p)) >= since), int(state.came_true[since:].sum())
    read, misses = int(judged.sum()), None
    if not read:
        return None
    if settings.adapts_chances:
        low, high = forecast_for_read(settings, state).interval(CONFIDENCE)
    elif not settings.one_decides:
        nothing = np.zeros_like(judged)
        forecast = calibrator.left(p, nothing, nothing, judged, state.ranks).times(settings.scale)
        low, high = forecast.interval(CONFIDENCE)
    else:
        used = settings.s * scaled(p[judged], settings.scale)
        at = np.flatnonzero(judged) + 1 if state.ranks is None else state.ranks[judged]
        none_yet = float(np.exp(calibrator.curve(used, at, kappa=settings.kappa).log_M[-1]))
        misses = None if hits else none_yet
        if calibrator.first_hits and calibrator.kind != "frailty":
            # There is at most one first hit.
            low, high, hits = int(none_yet < (1 - CONFIDENCE) / 2), 1, min(hits, 1)
        else:
            expected = remaining(mixture([1.0], [calibrator.dispersion]), [float(used.sum())], read)
            low, high = expected.interval(CONFIDENCE)
    own = session_ratios(settings, calibrator, p, state)
    evidence = combined([*others, *([] if own is None else [own])])
    fixed = not (settings.adapts_chances or settings.chances_follow)  # Otherwise the finds count already
    offered = evidence.level if evidence.warned and fixed else None
    unsure = int((state.unsure >= since).sum())
    waiting = state.depth - since - read - unsure
    return Check(read, low, high, hits, evidence, offered, misses, unsure, waiting=waiting)


def session_ratios(settings: Settings, calibrator: Calibrator, p: Floats, state: State) -> Floats | None:
    """Evidence of a session against the chances that these settings give, by alternative.

    Parameters
    ----------
    settings : Settings
        Need not be in force any more.
    calibrator : Calibrator
        Their calibrator.
    p : ndarray, shape (N,)
        Its chances, in the order of reading.
    state : State
        Where the session stands.

    Returns
    -------
    ndarray, shape (A,), or None
        Natural logarithms; None without evidence, because no label was given under these chances, or labels decided what was
        read while the chances did not depend on them.
    """
    if state.reordered and not settings.adapts_chances and state.depth < len(p):
        return None
    ratios, end = None, state.depth
    for since, by in reversed(state.forecast_settings):
        begin = max(since, state.kept)
        if by.chances_from == settings.chances_from and end > begin:
            own = _ratios(by, calibrator, p, state, begin, end)
            ratios = own if ratios is None else ratios + own
        end = since
    return ratios


def _ratios(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, begin: int, end: int
) -> Floats:
    """Evidence of the labels from `begin` to `end`, given those before, shape (A,)."""
    relevant, at = state.came_true, np.arange(len(p))
    if settings.adapts_chances:
        return ratios_of_forecasts(p[begin:end], relevant[begin:end])
    if settings.one_decides:
        if state.hit is not None and state.hit <= begin:
            return ratios_of_first_hit(np.zeros(1), 0, False, 0.0)
        hit = state.hit if state.hit is not None and state.hit <= end else None
        chances = settings.s * scaled(p, settings.scale)
        log_M = calibrator.curve(chances, state.ranked, kappa=settings.kappa, silent=state.silent).log_M
        return ratios_of_first_hit(
            log_M, end if hit is None else hit, hit is not None, 1 - settings.b_0, begin
        )
    judged = state.judged & (at < end)
    return calibrator.ratios(p, judged, relevant & judged, at < begin, state.ranks, settings.scale)


def check_sentence(check: Check | None, settings: Settings, state: State | None = None) -> str:
    """Put the check into one or two sentences, or say why there is none, from the `state`.

    Examples
    --------
    >>> from tarstop_core.calibration.calibration_monitor import Evidence
    >>> from tarstop_core.screening.review_settings import ReviewSettings
    >>> from tarstop_core.value.payoffs import Payoffs
    >>> review = ReviewSettings(Payoffs.from_q_star(0.5), 0.001)
    >>> check_sentence(Check(60, 9, 21, 3, Evidence(1, 1.2, 0.5)), review)
    'Expected 9 to 21 included among the 60 documents read, found 3. One session alone can hardly show that the chances do not fit.'
    >>> check_sentence(Check(60, 9, 21, 12, Evidence(14, 0.4, 2.0)), review)
    'Expected 9 to 21 included among the 60 documents read, found 12. Over 14 sessions with these chances, there is no evidence against them.'
    """
    if check is None:
        return advice_message("unchecked", read=0 if state is None else state.depth)
    return scenario_of(settings).message("check", check=check, settings=settings, limit=E_LIMIT)


def rescaled(settings: Settings, check: Check) -> tuple[Settings, str]:
    """Return the settings with the chances multiplied as the check proposes, and the reason for the log."""
    assert check.offered is not None
    scale = float(f"{settings.scale * check.offered:.2g}")
    return replace(settings, scale=scale), advice_message("rescaled", scale=scale, check=check)


def scale_before(begun: Settings, events: Iterable[Event]) -> float:
    """The scale before its last change, to which undoing that change returns.

    `begun` are the settings at the start of the session.
    """
    changes = (event.payload["settings"] for event in events if event.kind == "settings")
    scales = [begun.scale, *(float(settings.get("scale", 1.0)) for settings in changes)]
    return next((scale for scale in reversed(scales) if scale != scales[-1]), begun.scale)
