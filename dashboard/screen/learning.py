"""A list that learns from the labels: what it learns from, why a document is next, and the switch."""

import html
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from dashboard.frame import shell
from dashboard.frame.waiting import LARGE_LIST, shown
from dashboard.frame.work import Work
from dashboard.parts import jobs
from dashboard.parts.learning import HELP, NAME, SCORES, WORDS, beside
from dashboard.parts.stakes import following
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State
from tarstop_core.sessions.learning import gain_sentence, prepare_features, why_sentence


def learn(work: Work) -> None:
    """Put what comes next in order, where a fit is due; what it learns from is made here where it is missing."""
    if work.state.settings.learns and work.features is None:
        with shell.problems_shown():
            shown(
                work.collection.name,
                "Reading the texts",
                jobs.in_store,
                work.store.url,
                prepare_features,
                work.collection.id,
                said=lambda done, total: (done / total, f"Read the texts of {done:,} of {total:,} documents"),
                large=work.collection.documents > LARGE_LIST,
            )
    work.learn()


def line(work: Work, state: State, reading_on: bool) -> None:
    """Why the next document is next, where it is the one on the page, and what was found beside the top of the list."""
    why = why_sentence(state, work.row.ids, work.because) if reading_on else ""
    told = "<br>".join(map(html.escape, filter(None, (why, gain_sentence(state)))))
    if told:
        st.html(f'<div class="tar-meta" data-testid="why-next">{told}</div>')


def switch(work: Work, settings: Settings, key: str, on_change: Callable[[Settings], Any]) -> None:
    """The switch, at any document, and what counts beside the labels."""

    def moved(name: str, value: Any) -> None:
        change: dict[str, Any] = {name: " ".join(value.split()) if name in WORDS else value}
        on_change(replace(settings, **change))

    moves = following(
        f"{key}/learning", {name: getattr(settings, name) for name in ("learns", *WORDS, SCORES)}, moved
    )
    st.toggle(NAME, **moves("learns"), help=HELP[settings.kind.one_decides])
    if settings.learns:
        beside(settings, moves, bool(np.isfinite(work.scores_in_file).any()))
