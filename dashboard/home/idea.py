"""The idea of the program in a picture that a newcomer can step through and play."""

from typing import Any

import streamlit as st

from dashboard.frame.drawing import dark, picture
from dashboard.frame.markup import badges
from dashboard.frame.widgets import button
from tarstop_core.presentation.numbers import amount
from tarstop_core.teaching.overview import COSTS, MISTAKES, UNIT, Overview
from tarstop_core.value.stakes import SEARCH_EXAMPLE

READ, PLAYING, TICKING = "idea/read", "idea/playing", "idea/ticking"
PACE = 0.6
"""Seconds a document while the picture plays."""


def show() -> None:
    """Draw the picture; it moves only once somebody presses *Play*."""
    playing = st.session_state[TICKING] = st.session_state.get(PLAYING, False)
    # A fragment's clock is set when the whole page runs.
    st.fragment(_picture, run_every=PACE if playing else None)()


def _picture() -> None:
    controls, curves = st.columns([1, 1.6], gap="large", vertical_alignment="center")
    with controls:
        mistake = _amount("A wrong decision costs", MISTAKES, SEARCH_EXAMPLE.payoffs.K / 2)
        idea = Overview(mistake, _amount("Reading a document costs", COSTS, SEARCH_EXAMPLE.cost))
        depth = _depth(idea.stop)
        playing = st.session_state.get(PLAYING, False)
        name, icon = ("Pause", "pause") if playing else ("Play", "play_arrow")
        with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
            how: dict[str, Any] = {
                "key": "idea/play",
                "icon": f":material/{icon}:",
                "disabled": not idea.stop,
            }
            button(name, _play, not playing, idea.stop, **how)
            if idea.stop:
                st.slider("Documents read", 0, idea.stop, key=READ, disabled=playing)
        st.html(f"<p>{idea.sentence(depth)} {badges('simulated')}</p>")
    with curves:
        picture(idea.figure(depth, dark=dark()), idea.sentence(depth))
    if st.session_state.get(PLAYING, False) != st.session_state[TICKING]:
        st.rerun()


def _amount(label: str, amounts: tuple[float, ...], first: float) -> float:
    words = {value: amount(value, UNIT) for value in amounts}
    return st.select_slider(label, amounts, first, format_func=words.__getitem__, key=f"idea/{label}")


def _depth(stop: int) -> int:
    """Documents read: one more where the picture plays, which it does up to the stop."""
    depth = int(st.session_state.get(READ, 0))
    if st.session_state.get(PLAYING) and st.session_state[TICKING]:
        depth += 1
    depth = min(depth, stop)
    if depth == stop:
        st.session_state[PLAYING] = False
    st.session_state[READ] = depth
    return depth


def _play(wanted: bool, stop: int) -> None:
    """Play or pause; at the stop it begins again."""
    if wanted and st.session_state.get(READ) == stop:
        st.session_state[READ] = 0
    st.session_state[PLAYING] = wanted
