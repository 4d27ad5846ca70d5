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
SCORES = "weighs_scores"
LONGEST = 200
COUNT = "They count as a document with a label does, from the first document on."
WEIGH = "A language model’s answers, or another tool’s: they count by how far they tell what you include from the rest."


def ask(settings: Settings, key: str, simulated: bool, scored: bool, by_scores: bool) -> Settings:
    """Ask when a session is set up; texts of samples are made up, and teach nothing of real ones.

    `scored` says whether the documents came with scores, `by_scores` whether the list is in their order already.
    """
    first, told = settings.kind.learns and not simulated, HELP[settings.kind.one_decides]
    settings = replace(settings, learns=st.toggle(NAME, first, **lasting(f"{key}/learns/{first}"), help=told))
    if not settings.learns:
        return settings
    settings = replace(settings, weighs_scores=scored and not by_scores)
    said = beside(settings, lambda name: lasting(f"{key}/{name}/{getattr(settings, name)}"), scored)
    return replace(settings, **said)


def beside(settings: Settings, how: Callable[[str], dict[str, Any]], scored: bool) -> dict[str, Any]:
    """Ask what counts beside the labels, by its name in the settings; scores where the documents came `scored`."""
    said: dict[str, Any] = {
        name: " ".join(
            column.text_input(
                label, getattr(settings, name), max_chars=LONGEST, help=COUNT, **how(name)
            ).split()
        )
        for column, (name, label) in zip(st.columns(2, gap="medium"), WORDS.items(), strict=True)
    }
    if scored:
        said[SCORES] = st.toggle(
            "Weigh the scores in the file", settings.weighs_scores, help=WEIGH, **how(SCORES)
        )
    return said
