"""Whether the chances fit what is being found, below the advice of every session, and one press that mends them."""

import html
from dataclasses import replace

import streamlit as st

from dashboard.frame.shell import linked
from dashboard.frame.widgets import press
from dashboard.frame.work import Work
from tarstop_core.calibration.live_check import AGAINST, CONFIDENCE
from tarstop_core.presentation.numbers import number
from tarstop_core.screening.live_check import check_sentence, live_check, rescaled, scale_before
from tarstop_core.screening.state import State

HELP = (
    f"The interval holds the number of relevant documents in {CONFIDENCE:.0%} of lists like those the chances were learned "
    "on; multiplying adapts the chances to this one. That they do not fit is said only where at most one session in "
    f"{AGAINST:.0f} with right chances ever comes, however often you look. What is proposed is drawn towards 1, the more "
    "so the less was read."
)


def panel(work: Work, state: State) -> None:
    """Expected and found; it keeps its place whatever it says."""
    settings = state.settings
    calibrator, p = work.chances(settings)
    check = live_check(settings, calibrator, p, state)
    said = check_sentence(check, settings)
    with st.container(key="live_check"):
        words, right = st.columns([2.4, 1], gap="medium", vertical_alignment="center")
        words.html(
            f'<div class="tar-check"><strong>{linked("Do the chances fit?")}</strong> '
            f'<span data-testid="live-check">{html.escape(said)}</span></div>'
        )
        label, moved, reason = "", None, ""
        if check is not None and check.offered:
            moved, reason = rescaled(settings, check)
            label = f"Multiply the chances by {number(moved.scale)}"
        if moved is None or moved.scale == settings.scale:
            moved = None
            if settings.scale != 1:
                moved = replace(settings, scale=scale_before(work.row.settings, work.events))
                reason = f"The last change of the chances was taken back, from {number(settings.scale)}."
                label = f"Take back “× {number(settings.scale)}”"
        if moved is not None:
            what = (work.change_settings, moved, state.seq, reason)
            press(label, *what, key="rescale", at=right, help=HELP, width="stretch")
