"""Whether the list learns from the labels: asked on Set up, switched on Screen, where it says why a document is next."""

import html
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.waiting import LARGE_LIST, shown, texts_read
from dashboard.frame.widgets import lasting
from dashboard.frame.work import Work
from dashboard.parts import jobs
from dashboard.parts.stakes import following
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.sessions.learning import gain_sentence, prepare_features, why_sentence

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


def learn(work: Work) -> None:
    """Put what comes next in order, where a fit is due; what it learns from is made here where it is missing."""
    of = work.collection
    if work.state.settings.learns and work.features is None:
        job = (jobs.in_store, work.store.url, prepare_features, of.id)
        with shell.problems_shown():
            shown(of.name, "Reading the texts", *job, said=texts_read, large=of.documents > LARGE_LIST)
    work.learn()


def line(work: Work, state: State, reading_on: bool) -> None:
    """Why the next document is next, where it is the one on the page, and what was found beside the top of the list."""
    why = why_sentence(state, work.row.ids, work.because) if reading_on else ""
    told = "<br>".join(map(html.escape, filter(None, (why, gain_sentence(state)))))
    if told:
        st.html(f'<div class="tar-meta" data-testid="why-next">{told}</div>')


def switch(settings: Settings, key: str, on_change: Callable[[Settings], Any]) -> None:
    """The switch, at any document."""

    def moved(_: str, value: Any) -> None:
        on_change(replace(settings, learns=bool(value)))

    moves = following(f"{key}/learning", {"learns": settings.learns}, moved)
    st.toggle(NAME, **moves("learns"), help=HELP[settings.kind.one_decides])
