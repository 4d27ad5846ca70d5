"""The verdict as it is read first: its word in its colour, and what follows from it."""

import html

from dashboard.frame.drawing import dark
from tarstop_core.presentation.figures import ink
from tarstop_core.presentation.html import unbroken
from tarstop_core.presentation.palette import BELIEF, COST, PLUS, POOLED, THRESHOLD, VALUE
from tarstop_core.screening.wording import Mood, Verdict

COLOURS: dict[Mood, str] = {
    "go": BELIEF,
    "stop": VALUE,
    "found": PLUS,
    "ask": COST,
    "read": POOLED,
    "wait": THRESHOLD,
}


def chip(word: str, mood: Mood, sign: str) -> str:
    """A word in its colour, with an icon that says the same."""
    return (
        f'<span class="tar-chip tar-word" style="--tar-mood:{ink(COLOURS[mood], dark())}">'
        f'<span aria-hidden="true">{sign}</span> {html.escape(word)}</span>'
    )


def told(said: Verdict, whose: str = "", rest: str = "") -> str:
    """The word, `whose` it is, and what it says; `rest` is HTML below."""
    of = f'<span class="tar-meta">{html.escape(whose)}: </span>' if whose else ""
    return (
        f'<div class="tar-told" role="status">{of}{chip(said.word, said.mood, said.sign)}'
        f'<p class="tar-say">{html.escape(unbroken(said.says))}</p>{rest}</div>'
    )
