"""HTML for pages from the macros of templates, which escape every text."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

from jinja2 import PackageLoader
from jinja2.environment import TemplateModule
from markupsafe import Markup, escape

from dashboard.frame.shell import dark, linked
from tarstop_core.presentation.figures import ink
from tarstop_core.presentation.html import TEMPLATES
from tarstop_core.presentation.palette import BELIEF, COST, PLUS, POOLED, THRESHOLD, VALUE
from tarstop_core.screening.wording import SIGNS, Mood

COLOURS: dict[Mood, str] = {
    "go": BELIEF,
    "stop": VALUE,
    "found": PLUS,
    "ask": COST,
    "read": POOLED,
    "wait": THRESHOLD,
}
_NUMBERED = re.compile(r"(?<!&)#(\d+)")


def _to_documents(text: str, read: int) -> Markup:
    """Escape a text, and link the numbers of documents (#3) among the first `read` ones, which were read."""

    def link(number: re.Match[str]) -> str:
        unread = int(number[1]) > read
        return number[0] if unread else f'<a href="#" data-look="{number[1]}">{number[0]}</a>'

    return Markup(_NUMBERED.sub(link, str(escape(text))))


PAGES = TEMPLATES.overlay(loader=PackageLoader("dashboard", ""), auto_reload=False)
PAGES.filters = TEMPLATES.filters | {
    "colour": lambda mood: ink(COLOURS[mood], dark()),
    "linked": lambda words: Markup(linked(words)),
    "to_documents": _to_documents,
}


class Blocks:
    """The macros of one template below ``dashboard``; a call renders one of them, and fails if a value is missing."""

    def __init__(self, path: str) -> None:
        self.path = path

    @cached_property
    def macros(self) -> TemplateModule:
        """The template, compiled for the first block."""
        return PAGES.get_template(self.path).module

    def __call__(self, name: str, /, *values: object, **named: object) -> Markup:
        """Render one macro."""
        return Markup(getattr(self.macros, name)(*values, **named))


block = Blocks("frame/blocks.html")
"""Macros that several pages use; the functions below give them types."""


def badges(*marks: str) -> str:
    """Render words in small frames, side by side."""
    return block("badges", marks)


def told(word: str, *sentences: str, more: str = "", kind: str = "told", mood: Mood | None = None) -> str:
    """Render a box with a verdict in a word or two, and sentences below.

    Parameters
    ----------
    word
        The verdict.
    *sentences
        Sentences; empty ones are left out.
    more
        HTML below the sentences.
    kind
        CSS class of the box.
    mood
        If given, the word has the colour and the sign of this mood.

    Returns
    -------
    str
        HTML.
    """
    return block("told", word, sentences, more, kind, mood, SIGNS[mood] if mood else "")


def numbers(rows: Iterable[tuple[str, str]], linked: bool = False) -> str:
    """Render names and values for a grid; with `linked`, names that are terms of the glossary link to it."""
    return block("numbers", rows, linked)


def lines(rows: Iterable[Sequence[str]], linked: bool = False) -> str:
    """Render lines of a table, each with its name first; `linked` as in :func:`numbers`."""
    return block("lines", rows, linked)


def grid(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    """Render a table with headings."""
    return block("grid", head, rows)


def scrolling(label: str, table: str) -> str:
    """Render a wide table that can be scrolled sideways, by keys too."""
    return block("scrolling", label, table)


def bullets(items: Iterable[str], classes: str = "tar-notes", testid: str = "") -> str:
    """Render a list."""
    return block("bullets", items, classes, testid)
