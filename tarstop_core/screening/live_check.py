"""Do the chances fit what is being found? Asked after every document, answered with an interval.

If the chances are right, the number of relevant documents among those read is negative binomial: its mean is the sum
of their chances, its shape a the calibrator's dispersion (how much lists vary around what was said of them). What was
found then says by which factor the chances of this list should be multiplied:

    factor | found ~ Gamma(a₀ + found, a₀ + Σ p),  so that its mean is (a₀ + found) / (a₀ + Σ p),

with Gamma(a₀, a₀), mean 1, as prior. That is always reckoned from the chances as the calibrator gave them, with all
documents read: asking again, or scaling twice, counts nothing twice.

In patents the chances hold if prior art exists. While nothing was found, the misses speak against its existence as
well as against the chances, and the belief has already taken them in (a calibrator of kind "frailty" takes them in on
both counts); a factor would count them twice, so none is offered. Once something relevant was found (and confirmed,
where hits are), existence is settled, and only the chances are in doubt.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tarstop_core.calibration.calibrator import Calibrator, scaled
from tarstop_core.calibration.live_check import LEVEL, Check, expected_range, factor
from tarstop_core.presentation.numbers import count_of, number, percent
from tarstop_core.screening.log import Event
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State

Floats = NDArray[np.float64]
DIGITS = 2


def live_check(settings: Settings, calibrator: Calibrator, p: Floats, state: State) -> Check | None:
    """The check at the depth a session has reached.

    Parameters
    ----------
    settings : Settings
    calibrator : Calibrator
    p : ndarray, shape (N,)
        Chances as the calibrator gives them.
    state : State

    Returns
    -------
    Check or None
        None before the first verdict, and for calibrators that only know of the first hit once one was found:
        their chances do not add up to a number.
    """
    judged = state.judged
    read, found = int(judged.sum()), int(state.came_true.sum())
    hazards = calibrator.kind in ("hazard", "first-hit")
    if not read or (hazards and found):
        return None
    seen = scenario_of(settings).recognised(settings)
    said, used = seen * p[judged], seen * scaled(p[judged], settings.scale)
    misses = None
    if settings.kind.one_decides and not found:
        misses = float(np.exp(calibrator.curve(used, kappa=settings.kappa).log_M[-1]))
    if hazards:
        # As many as one: the number of first hits.
        expected = 1 - misses if misses is not None else 0.0
        low, high = int(misses is not None and misses < (1 - LEVEL) / 2), 1
    else:
        expected = float(used.sum())
        low, high = expected_range(expected, calibrator.dispersion, read)
    mean, least, most = factor(float(said.sum()), found, calibrator.dispersion)
    outside = not low <= found <= high
    unsure = len(state.unsure)
    waiting = state.depth - read - unsure
    offered = outside and misses is None
    return Check(read, expected, low, high, found, mean, least, most, offered, misses, unsure, waiting)


def check_sentence(check: Check | None, settings: Settings) -> str:
    """What the check says, in one or two sentences.

    Examples
    --------
    >>> from tarstop_core.value.payoffs import Payoffs
    >>> review = Settings(Payoffs.from_q_star(0.5), 0.001, scenario="review")
    >>> check_sentence(Check(60, 15.0, 9, 21, 3, 0.37, 0.17, 0.62, True), review)
    'Expected 9 to 21 relevant among the 60 documents read, found 3: fewer than the chances say. Either this list holds fewer, or its order is worse than those the chances were fitted on; multiplied by 0.37 (0.17 to 0.62) they would fit it.'
    >>> check_sentence(Check(60, 15.0, 9, 21, 12, 0.8, 0.5, 1.2, False), review)
    'Expected 9 to 21 relevant among the 60 documents read, found 12: the chances fit this list so far.'
    """
    if check is None:
        return "Whether the chances fit this list shows once documents are read."
    among = f"{'of' if check.read == 1 else 'among'} the {count_of(check.read)} {_judged(check, settings)}"
    if check.misses is not None:
        none = "none is confirmed" if check.waiting else "none was found"
        rare = ", which is rare" if check.outside else ""
        scaled_still = (
            f" They are still multiplied by {number(settings.scale)}, although no hit stands that would speak for it."
            if settings.scale != 1
            else ""
        )
        return (
            f"If prior art exists, {_range(check)} relevant were expected {among}; {none}. Of searches with prior art, "
            f"{percent(check.misses)} have found none by here{rare}. The chance that prior art exists has fallen "
            f"for that, so the chances of single documents are not lowered as well.{scaled_still}"
        )
    lead = f"Expected {_range(check)} relevant {among}, found {check.found:,}"
    if not check.outside:
        return f"{lead}: the chances fit this list so far."
    mean, low, high = (number(_short(each)) for each in (check.factor, check.factor_low, check.factor_high))
    times = f"{mean} ({low} to {high})"
    if check.found < check.low:
        why = (
            "fewer than the chances say. Either this list holds fewer, or its order is worse than those the chances "
            "were fitted on"
        )
    else:
        why = (
            "more than the chances say. Either this list holds more, or its order is better than those the chances "
            "were fitted on"
        )
    return f"{lead}: {why}; multiplied by {times} they would fit it."


def _judged(check: Check, settings: Settings) -> str:
    """'read', or 'judged (2 unsure, 1 waits for confirmation)' where some of those read are not counted."""
    left_out = [f"{check.unsure:,} unsure"] if check.unsure else []
    if check.waiting:
        what = scenario_of(settings).waits_for
        left_out.append(f"{check.waiting:,} {'waits' if check.waiting == 1 else 'wait'} for {what}")
    return f"judged ({', '.join(left_out)})" if left_out else "read"


def _short(factor: float) -> float:
    return float(f"{factor:.{DIGITS}g}")


def _range(check: Check) -> str:
    return f"{check.low:,}" if check.low == check.high else f"{check.low:,} to {check.high:,}"


def rescaled(settings: Settings, check: Check) -> tuple[Settings, str]:
    """The settings with the chances multiplied as the check proposes, and the reason to be recorded."""
    scale = _short(check.factor)
    reason = (
        f"Chances multiplied by {scale:g}: expected {_range(check)} relevant among the {count_of(check.read)} read, "
        f"found {check.found:,}."
    )
    return replace(settings, scale=scale), reason


def scale_before(begun: Settings, events: Iterable[Event]) -> float:
    """The scale that was in force before the last change of it: what taking it back returns to.

    `begun` are the settings at the start of the session.

    Examples
    --------
    >>> from tarstop_core.value.payoffs import Payoffs
    >>> begun = Settings(Payoffs.from_q_star(0.5), 0.001)
    >>> scale_before(begun, [Event("settings", {"settings": {"scale": 0.4}})])
    1.0
    """
    before = now = begun.scale
    for event in events:
        if event.kind == "settings":
            scale = float(event.payload["settings"].get("scale", 1.0))
            if scale != now:
                before, now = now, scale
    return before
