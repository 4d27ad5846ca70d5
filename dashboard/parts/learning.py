"""Lists that learn from labels: the questions on Set up, and on Screen the switch and why a document comes next."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.markup import Blocks
from dashboard.frame.waiting import LARGE_LIST, shown, texts_read
from dashboard.frame.widgets import following, lasting
from dashboard.frame.work import Work
from dashboard.parts import jobs
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.sessions.learning import gain_sentence, prepare_features, why_sentence

NAME = "Learn from my labels"
HELP = {
    False: "After every label, the most likely unread document comes next. If off, the rest comes in the order of the list.",
    True: "Until the first hit, labels only show what you do not mean, and we measured no gain, so this starts off.",
}
"""By whether one document decides."""
block = Blocks("parts/blocks.html")
WORDS = {"words_for": "Words that speak for it", "words_against": "… against it"}
SCORES = "weighs_scores"
LONGEST = 200
COUNT = "They count like a labelled document, from the first document on."
WEIGH = "A language model’s answers, or another tool’s: they count as far as they separate what you include from the rest."


def ask(settings: Settings, key: str, simulated: bool, scored: bool, by_scores: bool) -> Settings:
    """Ask on Set up whether the list learns from labels.

    Parameters
    ----------
    settings
        The settings so far.
    key
        Prefix of the keys of the widgets.
    simulated
        Whether the list is simulated; learning is then off by default, because its texts are invented.
    scored
        Whether the documents came with scores.
    by_scores
        Whether the list is already in the order of these scores.

    Returns
    -------
    Settings
    """
    first, hint = settings.learns_first and not simulated, HELP[settings.one_decides]
    settings = replace(settings, learns=st.toggle(NAME, first, **lasting(f"{key}/learns/{first}"), help=hint))
    if not settings.learns:
        return settings
    settings = replace(settings, weighs_scores=scored and not by_scores)
    beside = _beside(settings, lambda name: lasting(f"{key}/{name}/{getattr(settings, name)}"), scored)
    return replace(settings, **beside)


def _beside(settings: Settings, how: Callable[[str], dict[str, Any]], scored: bool) -> dict[str, Any]:
    """Ask what counts besides the labels; return the answers by the names of settings."""
    answers: dict[str, Any] = {}
    for column, (name, label) in zip(st.columns(2, gap="medium"), WORDS.items(), strict=True):
        typed = column.text_input(label, getattr(settings, name), max_chars=LONGEST, help=COUNT, **how(name))
        answers[name] = " ".join(typed.split())
    if scored:
        answers[SCORES] = st.toggle(
            "Weigh the scores in the file", settings.weighs_scores, help=WEIGH, **how(SCORES)
        )
    return answers


def learn(work: Work) -> None:
    """Fit and reorder the next documents if that is due; compute the features first if they are missing."""
    collection = work.collection
    if work.state.settings.learns and work.features is None:
        large = collection.documents > LARGE_LIST
        job = (jobs.in_store, jobs.reached(work.store, large), prepare_features, collection.id)
        with shell.problems_shown():
            shown(collection.name, "Reading the texts", *job, in_words=texts_read, large=large)
    work.learn()


def line(work: Work, state: State, reading_on: bool) -> None:
    """Say why the document on the page comes next, and how the finds compare with the top of the list."""
    why = why_sentence(state, work.row.ids, work.because) if reading_on else ""
    if sentences := [sentence for sentence in (why, gain_sentence(state)) if sentence]:
        st.html(block("why_next", sentences))


def switch(work: Work, settings: Settings, key: str, on_change: Callable[[Settings], Any]) -> None:
    """Draw the switch for learning, which can be used at any document, and what counts besides the labels."""

    def moved(name: str, value: Any) -> None:
        change: dict[str, Any] = {name: " ".join(value.split()) if name in WORDS else value}
        on_change(replace(settings, **change))

    now = {name: getattr(settings, name) for name in ("learns", *WORDS, SCORES)}
    moves = following(f"{key}/learning", now, moved)
    st.toggle(NAME, **moves("learns"), help=HELP[settings.one_decides])
    if settings.learns:
        _beside(settings, moves, bool(np.isfinite(work.scores_in_file).any()))
