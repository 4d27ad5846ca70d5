"""The bar under a document: what a person says of it, with a key for each verdict and each reason."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from dashboard.frame import shell
from dashboard.frame.widgets import press
from dashboard.frame.work import Work, attempt
from dashboard.parts.document import shortened
from tarstop_core.documents.application import Flag
from tarstop_core.screening.exclusions import KEYED
from tarstop_core.screening.labels import Label
from tarstop_core.screening.scenarios.named import scenario_of
from tarstop_core.screening.state import State

KEYS: dict[Label, str] = {
    "relevant": "i",
    "irrelevant": "e",
    "unsure": "u",
    "combination": "y",
    "background": "a",
}
ASKED = {
    "own": "of your own family",
    "late": "published too late",
    "earlier": "an earlier filing that was published later",
}


def bar(work: Work, state: State, doc: str, blocked: bool, flag: Flag | None) -> None:
    """The verdicts on the document on the page; with a `flag` (why it cannot settle the question) a hit is asked for twice."""
    if flag is not None and work.asking == doc:
        _asked_first(work, state, doc, flag)
    else:
        _choice(work, state, doc, blocked, asks=flag is not None)
    if state.reasons:
        excluded, _ = scenario_of(state.settings).verdicts(state.settings)["irrelevant"]
        reason_row(
            state,
            f"{excluded}, because:",
            lambda reason: judge(work, doc, "irrelevant", state.seq, reason=reason),
            key=f"because_{{}}_{doc}",
            disabled=blocked,
        )


def _choice(work: Work, state: State, doc: str, blocked: bool, *, asks: bool) -> None:
    """A button for each verdict; with `asks` the one for a hit asks first."""
    settings = state.settings
    with st.container(horizontal=True, key="labels", gap="small"):
        for verdict, (name, said) in scenario_of(settings).verdicts(settings).items():
            first = asks and verdict == "relevant"
            press(
                name,
                *((_ask, work, doc) if first else (judge, work, doc, verdict, state.seq)),
                # Keyed by document: a press on the one before is refused, never given to the next.
                key=f"label_{verdict}_{doc}",
                shortcut=KEYS[verdict],
                width="stretch",
                help=said or None,
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
    if verdict == "relevant" and settings.kind.reads_full_texts and not settings.two_stages:
        at = work.row.ids.index(doc)
        if at in work.state.waiting:
            work.open_report(at)


def _ask(work: Work, doc: str) -> None:
    work.asking = doc if doc == work.shown else ""


def _asked_first(work: Work, state: State, doc: str, flag: Flag) -> None:
    """The question before a flagged document becomes a hit, in the place of the bar."""
    with st.container(horizontal=True, key="labels_asked", gap="small"):
        what = ASKED[flag.kind]
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
