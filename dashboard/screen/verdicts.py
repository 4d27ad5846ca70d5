"""The bar under a document: what a person says of it, with a key for each verdict and each reason."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import press
from dashboard.frame.work import Work, attempt
from dashboard.parts.document import shortened, two_stages
from tarstop_core.documents.application import Flag
from tarstop_core.screening.exclusions import KEYED
from tarstop_core.screening.labels import Label
from tarstop_core.screening.settings import Settings
from tarstop_core.screening.state import State

KEYS: dict[Label, str] = {
    "relevant": "i",
    "irrelevant": "e",
    "unsure": "u",
    "combination": "y",
    "background": "a",
}
WORDS: dict[Label, str] = {"relevant": "Relevant", "irrelevant": "Not relevant", "unsure": "Unsure"}
ABSTRACT_WORDS: dict[Label, str] = {"relevant": "Include", "irrelevant": "Exclude", "unsure": "Unsure"}
GRADE_WORDS: dict[Label, str] = {
    **WORDS,
    "relevant": "Settles it (X)",
    "combination": "In combination (Y)",
    "background": "Background (A)",
}
# What a search report means by them, and what the belief makes of them.
GRADE_HELP: dict[Label, str] = {
    "relevant": "X: settles the question alone, once you confirm it.",
    "combination": "Y: settles it only with another document. The chance takes it as read and not settling.",
    "background": "A: background. The chance takes it as read and not settling.",
}


def bar(work: Work, state: State, doc: str, blocked: bool, flag: Flag | None) -> None:
    """The verdicts to choose from.

    Parameters
    ----------
    work : Work
    state : State
    doc : str
        The document on the page.
    blocked : bool
        Whether nothing can be said of it now.
    flag : Flag or None
        Why it cannot settle the question: then a hit is asked for twice.
    """
    if flag is not None and work.asking == doc:
        _asked_first(work, state, doc, flag)
    else:
        _choice(work, state, doc, blocked, asks=flag is not None)
    if state.reasons:
        _reasons(work, state, doc, blocked)


def _choice(work: Work, state: State, doc: str, blocked: bool, *, asks: bool) -> None:
    """A button for each verdict; with `asks` the one for a hit asks first."""
    settings = state.settings
    with st.container(horizontal=True, key="labels", gap="small"):
        for verdict, name in _words(settings).items():
            first = asks and verdict == "relevant"
            press(
                name,
                *((_ask, work, doc) if first else (judge, work, doc, verdict, state.seq)),
                # Keyed by document: a press on the one before is refused, never given to the next.
                key=f"label_{verdict}_{doc}",
                shortcut=KEYS[verdict],
                width="stretch",
                help=None if settings.review else GRADE_HELP.get(verdict),
                disabled=blocked,
            )


def _words(settings: Settings) -> dict[Label, str]:
    """The verdicts to choose from, and what their buttons say."""
    if two_stages(settings):
        return ABSTRACT_WORDS
    return WORDS if settings.review else GRADE_WORDS


def _reasons(work: Work, state: State, doc: str, blocked: bool) -> None:
    """A button for each reason: the verdict against the document with it."""
    excluded = "Exclude" if two_stages(state.settings) else "Not relevant"
    reason_row(
        state,
        f"{excluded}, because:",
        lambda reason: judge(work, doc, "irrelevant", state.seq, reason=reason),
        key=f"because_{{}}_{doc}",
        disabled=blocked,
    )


def reason_row(state: State, words: str, choose: Callable[[str], None], *, key: str, disabled: bool) -> None:
    """A button for each reason to exclude something, the first ones with their number as key."""
    with st.container(horizontal=True, key="reasons_row", gap="small", vertical_alignment="center"):
        st.caption(words, width="content")
        for at, reason in enumerate(state.reasons, start=1):
            press(
                shell.escape_label(shortened(reason)),
                choose,
                reason,
                key=key.format(at),
                shortcut=str(at) if at <= KEYED else None,
                disabled=disabled,
            )


def judge(work: Work, doc: str, verdict: Label, seen: int, **more: str) -> None:
    """Record a verdict and go on to the next document; a review in one stage asks for the table at once."""
    attempt(work.label, doc, verdict, seen, **more)
    work.look(None)
    settings = work.state.settings
    if verdict == "relevant" and settings.review and settings.stages == 1:
        at = work.row.ids.index(doc)
        if at in work.state.waiting:
            work.open_report(at)


def _ask(work: Work, doc: str) -> None:
    work.asking = doc if doc == work.shown else ""


def _asked_first(work: Work, state: State, doc: str, flag: Flag) -> None:
    """The question before a flagged document becomes a hit, in the place of the bar."""
    with st.container(horizontal=True, key="labels_asked", gap="small"):
        what = "of your own family" if flag.kind == "own" else "published too late"
        st.html(
            f'<div role="alert"><strong>This document is {what}; does it settle the question all the same?</strong> '
            "Why it is flagged stands above.</div>"
        )
        how = {"width": "stretch", "disabled": work.busy}
        words, key = "Background (A)", f"asked_background_{doc}"
        press(words, judge, work, doc, "background", state.seq, key=key, shortcut="a", **how)
        anyway = partial(judge, work, doc, "relevant", state.seq, despite=flag.words)
        press("It is X all the same", anyway, key=f"asked_relevant_{doc}", **how)
        press("Back", _ask, work, "", key=f"asked_back_{doc}", shortcut="Esc", **how)
