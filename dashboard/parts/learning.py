"""Whether the list learns from the labels: asked on Set up, switched on Screen."""

from dataclasses import replace

import streamlit as st

from dashboard.frame.widgets import lasting
from tarstop_core.screening.settings import Settings

NAME = "Learn from my labels"
HELP = {
    False: "After every label the likeliest of what is unread comes next. Off, the rest comes in the order of the list.",
    True: "Until the first hit labels say only what is not meant, and no gain was measured: off to begin with.",
}
"""By whether one document decides."""


def ask(settings: Settings, key: str, simulated: bool) -> Settings:
    """Ask when a session is set up; texts of samples are made up, and teach nothing of real ones."""
    first, told = settings.kind.learns and not simulated, HELP[settings.kind.one_decides]
    return replace(settings, learns=st.toggle(NAME, first, **lasting(f"{key}/learns/{first}"), help=told))
