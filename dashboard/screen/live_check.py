"""Whether the chances fit what is being found, below the advice of every session, and one press that mends them."""

import html
from dataclasses import replace

import streamlit as st

from dashboard.frame.shell import linked
from dashboard.frame.widgets import press
from dashboard.frame.work import Work
from tarstop_core.calibration.live_check import AGAINST, CONFIDENCE, Check
from tarstop_core.presentation.numbers import number
from tarstop_core.screening.live_check import check_sentence, live_check, rescaled, scale_before
from tarstop_core.screening.state import State

HELP = (
    f"The interval holds the number of relevant documents in {CONFIDENCE:.0%} of lists like those the chances were learned "
    "on; multiplying adapts the chances to this one. That they do not fit is said only where at most one session in "
    f"{AGAINST:.0f} with right chances ever comes, however often you look. What is proposed is drawn towards 1, the more "
    "so the less was read."
)


def checked(work: Work, state: State) -> Check | None:
    """Expected and found so far; None where nothing can be said."""
    return live_check(state.settings, *work.chances(state.settings), state)


def panel(work: Work, state: State, check: Check | None) -> None:
    """What was expected, what was found, and the press that mends the chances or takes that back."""
    settings = state.settings
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
