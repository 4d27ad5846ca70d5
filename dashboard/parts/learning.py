"""Whether the list learns from the labels: asked on Set up, switched on Screen."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard.frame.widgets import lasting
from tarstop_core.screening.settings import Settings

NAME = "Learn from my labels"
HELP = {
    False: "After every label the likeliest of what is unread comes next. Off, the rest comes in the order of the list.",
    True: "Until the first hit labels say only what is not meant, and no gain was measured: off to begin with.",
}
"""By whether one document decides."""
WORDS = {"words_for": "Words that speak for it", "words_against": "… against it"}
LONGEST = 200
COUNT = "They count as a document with a label does, from the first document on."


def ask(settings: Settings, key: str, simulated: bool) -> Settings:
    """Ask when a session is set up; texts of samples are made up, and teach nothing of real ones."""
    first, told = settings.kind.learns and not simulated, HELP[settings.kind.one_decides]
    settings = replace(settings, learns=st.toggle(NAME, first, **lasting(f"{key}/learns/{first}"), help=told))
    return (
        replace(settings, **words(settings, lambda name: lasting(f"{key}/{name}")))
        if settings.learns
        else settings
    )


def words(settings: Settings, how: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """Ask for words that speak for a document and against it, by their names in the settings."""
    return {
        name: " ".join(
            column.text_input(
                label, getattr(settings, name), max_chars=LONGEST, help=COUNT, **how(name)
            ).split()
        )
        for column, (name, label) in zip(st.columns(2, gap="medium"), WORDS.items(), strict=True)
    }
