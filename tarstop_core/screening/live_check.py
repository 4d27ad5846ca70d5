"""Check of whether the chances fit the finds, after every document and over all sessions with the same chances.

Lists differ, and right chances allow for that. In reviews, the number of relevant documents among those read follows the
training lists' curves (:mod:`tarstop_core.calibration.hit_rate_model`). Elsewhere it is negative binomial, with the sum of
the chances as its mean and the calibrator's dispersion as its shape. So a single list says little about the chances. The
product of the evidence of all sessions with these chances (:mod:`tarstop_core.calibration.calibration_monitor`), each up to
its last label, says more. If it warns, the check offers to multiply the chances by the factor that fits all these sessions best.

A session is evidence about chances from the document at which they came into force. Multiplied chances are new chances,
for which there is no evidence yet.

In patents, misses in one search are evidence against prior art as well as against the chances, and the belief already
uses them. Over many searches they are evidence against the chances, because b₀ states before each search how often there is
prior art.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from tarstop_core.belief.mixture import mixture, remaining
from tarstop_core.calibration.calibration_monitor import (
    CONFIDENCE,
    E_LIMIT,
    Check,
    EvidenceAgainst,
    combined,
    ratios_of_first_hit,
    ratios_of_forecasts,
)
from tarstop_core.calibration.calibrator import Calibrator
from tarstop_core.calibration.scores import scaled
from tarstop_core.screening import advice_message
from tarstop_core.screening.adaptive_chances import forecast_for_read
from tarstop_core.screening.log import Event
from tarstop_core.screening.paths import screening_path
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.value.decisive import DecisivePath
from tarstop_core.value.path import ListPath
from tarstop_core.value.payoffs import Floats


def live_check(
    settings: Settings,
    calibrator: Calibrator,
    p: Floats,
    state: State,
    others: Sequence[Floats] = (),
    evidence: EvidenceAgainst | None = None,
) -> Check | None:
    """The finds of a session compared with what its chances forecast, and the evidence of all sessions about these chances.

    Parameters
    ----------
    settings : Settings
        Settings in force.
    calibrator : Calibrator
        The calibrator that they name.
    p : ndarray, shape (N,)
        Chances from the calibrator, in the order of reading.
    state : State
        State of the session.
    others : sequence of ndarray, shape (A,)
        Evidence of other sessions with the same chances, from :func:`session_ratios`.
    evidence : Evidence, optional
        What :func:`evidence_so_far` returns for the same arguments, where it is computed already.

    Returns
    -------
    Check or None
        None until some document has a verdict that counts.
    """
    # In a list that learns, documents that came with labels are no evidence about the chances.
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
    evidence = evidence or evidence_so_far(settings, calibrator, p, state, others)
    # Other chances already use the finds.
    fixed = not (settings.adapts_chances or settings.chances_follow)
    offered = evidence.level if evidence.warned and fixed else None
    unsure = int((state.unsure >= since).sum())
    waiting = state.depth - since - read - unsure
    return Check(read, low, high, hits, evidence, offered, misses, unsure, waiting=waiting)


def evidence_so_far(
    settings: Settings,
    calibrator: Calibrator,
    p: Floats,
    state: State,
    others: Sequence[Floats] = (),
    path: ListPath | None = None,
) -> EvidenceAgainst:
    """The evidence of a session and of `others` about its chances, without the forecast of :func:`live_check`, which takes longer.

    Parameters
    ----------
    settings, calibrator, p, state, others
        As for :func:`live_check`.
    path : ListPath, optional
        As for :func:`session_ratios`.

    Returns
    -------
    Evidence
        Of all these sessions together.
    """
    own = session_ratios(settings, calibrator, p, state, path)
    return combined([*others, *([] if own is None else [own])])


def session_ratios(
    settings: Settings, calibrator: Calibrator, p: Floats, state: State, path: ListPath | None = None
) -> Floats | None:
    """Evidence of a session against the chances of some settings, for each of A alternatives.

    Parameters
    ----------
    settings : Settings
        Settings that the chances come from; they need not be in force any more.
    calibrator : Calibrator
        The calibrator that they name.
    p : ndarray, shape (N,)
        Chances from it, in the order of reading.
    state : State
        State of the session.
    path : ListPath, optional
        Its path under these settings, if it was computed already.

    Returns
    -------
    ndarray, shape (A,), or None
        Natural logarithms of likelihood ratios. None without evidence: no label was given under these chances, or labels
        decided what was read although the chances do not depend on labels.
    """
    if state.reordered and not settings.adapts_chances and state.depth < len(p):
        return None
    ratios, end = None, state.depth
    for since, by in reversed(state.forecast_settings):
        begin = max(since, state.kept)
        if by.chances_from == settings.chances_from and end > begin:
            same = by.forecast_basis == settings.forecast_basis
            own = _ratios(by, calibrator, p, state, path if same else None, begin, end)
            ratios = own if ratios is None else ratios + own
        end = since
    return ratios


def _ratios(
    settings: Settings,
    calibrator: Calibrator,
    p: Floats,
    state: State,
    path: ListPath | None,
    begin: int,
    end: int,
) -> Floats:
    """Evidence of the labels at positions `begin` to `end` - 1, given those before; shape (A,)."""
    if settings.adapts_chances:
        return ratios_of_forecasts(p[begin:end], state.came_true[begin:end])
    if settings.one_decides:
        if state.hit is not None and state.hit <= begin:
            return ratios_of_first_hit(np.zeros(1), 0, False, 0.0)
        hit = state.hit if state.hit is not None and state.hit <= end else None
        curve = cast(DecisivePath, path or screening_path(settings, calibrator, p, state)).curve
        return ratios_of_first_hit(
            curve.log_M, end if hit is None else hit, hit is not None, 1 - settings.b_0, begin
        )
    at = np.arange(len(p))
    judged = state.judged & (at < end)
    return calibrator.ratios(p, judged, state.came_true & judged, at < begin, state.ranks, settings.scale)


def check_sentence(check: Check | None, settings: Settings, state: State | None = None) -> str:
    """One or two sentences on the check, or on why there is none.

    Parameters
    ----------
    check : Check or None
        Result of :func:`live_check`.
    settings : Settings
        Settings in force.
    state : State, optional
        State of the session; needed only without a check, to say whether anything was read.

    Returns
    -------
    str
        The sentences.

    Examples
    --------
    >>> from tarstop_core.calibration.calibration_monitor import EvidenceAgainst
    >>> from tarstop_core.screening.review_settings import ReviewSettings
    >>> from tarstop_core.value.payoffs import Payoffs
    >>> review = ReviewSettings(Payoffs.from_q_star(0.5), 0.001)
    >>> check_sentence(Check(60, 9, 21, 3, EvidenceAgainst(1, 1.2, 0.5)), review)
    'Expected 9 to 21 included among the 60 documents read, found 3. One session alone can hardly show that the chances do not fit.'
    >>> check_sentence(Check(60, 9, 21, 12, EvidenceAgainst(14, 0.4, 2.0)), review)
    'Expected 9 to 21 included among the 60 documents read, found 12. Over 14 sessions with these chances, there is no evidence against them.'
    """
    if check is None:
        return advice_message("unchecked", read=0 if state is None else state.depth)
    return scenario_of(settings).message("check", check=check, settings=settings, limit=E_LIMIT)


def rescaled(settings: Settings, check: Check) -> tuple[Settings, str]:
    """Settings with the chances multiplied as the check offers, and the reason for the log."""
    assert check.offered is not None
    scale = float(f"{settings.scale * check.offered:.2g}")
    return replace(settings, scale=scale), advice_message("rescaled", scale=scale, check=check)


def scale_before(begun: Settings, events: Iterable[Event]) -> float:
    """The factor on the chances before its last change, for undoing that change.

    `begun` are the settings at the start of the session, and `events` its log.
    """
    changes = (event.payload["settings"] for event in events if event.kind == "settings")
    scales = [begun.scale, *(float(settings.get("scale", 1.0)) for settings in changes)]
    return next((scale for scale in reversed(scales) if scale != scales[-1]), begun.scale)
